use super::*;
use crate::{Preset, WorkloadChoice};

/// Values of a key's kind that lie inside its range: the edges and something between.
fn values_inside(key: &Key) -> Vec<String> {
    match &key.kind {
        Kind::Integer(integer) => {
            let mut values = vec![integer.min, integer.max, integer.usual.0, integer.usual.1];
            values.push(integer.min.midpoint(integer.max));
            let automatic = integer.automatic.then(|| "auto".to_owned());
            values.iter().map(u64::to_string).chain(automatic).collect()
        }
        Kind::Choice(choices) => choices.iter().map(|choice| choice.value.to_owned()).collect(),
        Kind::Flag => vec!["on".to_owned(), "off".to_owned()],
        Kind::List(list) => vec![list.min.to_string(), format!("2x{},{}", list.max, list.min)],
        Kind::Text { longest } => vec![String::new(), "a b ü ~&=%".to_owned(), "x".repeat(*longest)],
    }
}

fn values_outside(key: &Key) -> Vec<String> {
    let mut values = match &key.kind {
        Kind::Integer(integer) => {
            let below = integer.min.checked_sub(1).map(|below| below.to_string());
            let mut values =
                vec![(integer.max + 1).to_string(), "1e3".to_owned(), "-1".to_owned(), "+5".to_owned()];
            values.extend([u64::MAX.to_string(), "9".repeat(40), "0x10".to_owned(), " 1".to_owned()]);
            values.extend(below);
            values
        }
        Kind::Choice(_) => vec!["nonsense".to_owned()],
        Kind::Flag => vec!["yes".to_owned(), "1".to_owned(), "ON".to_owned()],
        Kind::List(list) => vec![
            (list.max + 1).to_string(),
            (list.min - 1).to_string(),
            "0x1".to_owned(),
            "1,,2".to_owned(),
            "x1".to_owned(),
            "1x".to_owned(),
            "--1".to_owned(),
            format!("{}x{}", list.longest + 1, list.max),
            format!("99999999999999999999x{}", list.max),
        ],
        Kind::Text { longest } => vec!["x".repeat(longest + 1), "a\nb".to_owned(), "\u{7f}".to_owned()],
    };
    if !matches!(key.kind, Kind::Text { .. } | Kind::List(_)) {
        values.push(String::new());
    }
    values
}

/// A scenario that has a value for the key.
fn scenario_with(key: &Key) -> Scenario {
    WorkloadChoice::KINDS
        .into_iter()
        .map(|kind| {
            let mut scenario = Scenario::default();
            scenario.set("workload.kind", kind).unwrap();
            scenario
        })
        .find(|scenario| key.applies(scenario))
        .unwrap_or_else(|| panic!("{} belongs to no workload", key.name))
}

#[test]
fn every_key_reads_back_what_was_set() {
    for key in KEYS.iter() {
        for value in values_inside(key) {
            let mut scenario = scenario_with(key);
            key.set(&mut scenario, &value).unwrap_or_else(|problem| panic!("{problem}"));
            assert_eq!(key.get(&scenario), Some(value), "{}", key.name);
        }
    }
}

#[test]
fn setting_one_key_changes_no_other_but_those_that_it_decides() {
    let decides = |name: &str, other: &str| match name {
        "machine" | "costs" => other.starts_with(&format!("{name}.")),
        "workload.kind" => other.starts_with("workload."),
        "kernel.era" => other.starts_with("patches."),
        name if name.starts_with("machine.") => other == "machine",
        _ => false,
    };
    for key in KEYS.iter() {
        for value in values_inside(key) {
            let before = scenario_with(key);
            let mut after = before.clone();
            key.set(&mut after, &value).unwrap();
            for other in
                KEYS.iter().filter(|other| other.name != key.name && !decides(&key.name, &other.name))
            {
                assert_eq!(
                    other.get(&before),
                    other.get(&after),
                    "{}={value} moved {}",
                    key.name,
                    other.name
                );
            }
        }
    }
}

#[test]
fn every_key_refuses_what_lies_outside_and_says_what_to_do() {
    for key in KEYS.iter() {
        for value in values_outside(key) {
            let before = scenario_with(key);
            let mut after = before.clone();
            let problem = key.set(&mut after, &value).expect_err(&format!("{} took {value:?}", key.name));
            assert_eq!(before, after, "a refused value changes nothing");
            assert_eq!(problem.path, key.name);
            assert!(!problem.expected.is_empty() && !problem.remedy.is_empty() && !problem.found.is_empty());
        }
    }
}

#[test]
fn the_table_says_everything_that_a_form_needs() {
    for (position, key) in KEYS.iter().enumerate() {
        assert_eq!(Key::position(&key.name), position, "{} is there once", key.name);
        assert!(!key.label.is_empty() && key.help.ends_with('.'), "{}", key.name);
        let default = key.default_value(&scenario_with(key)).unwrap();
        assert!(key.parse(&default).is_ok(), "{} has the default {default:?}", key.name);
        match &key.kind {
            Kind::Integer(Integer { min, max, usual, step, .. }) => {
                assert!(min <= &usual.0 && usual.0 < usual.1 && &usual.1 <= max && 0 < *step, "{}", key.name);
            }
            Kind::Choice(choices) => {
                assert!(2 <= choices.len());
                for choice in choices {
                    assert!(!choice.label.is_empty() && choice.help.ends_with('.'), "{}", choice.value);
                }
            }
            Kind::Flag | Kind::List(_) | Kind::Text { .. } => {}
        }
    }
    let groups: Vec<Group> = KEYS.iter().map(|key| key.group).collect();
    assert!(groups.is_sorted(), "a form shows group after group");
    assert_eq!(groups.iter().collect::<std::collections::BTreeSet<_>>().len(), Group::ALL.len());
}

#[test]
fn unknown_keys_and_values_name_the_nearest() {
    let mut scenario = Scenario::default();
    let problem = scenario.set("kernal.hz", "1000").unwrap_err();
    assert!(problem.remedy.contains("kernel.hz"), "{problem}");
    let problem = scenario.set("threads", "3").unwrap_err();
    assert!(problem.remedy.contains("workload.threads"), "{problem}");
    let problem = scenario.set("patches.llc-spread", "groupweight").unwrap_err();
    assert_eq!(problem.remedy, "did you mean group_weight?");
    let problem = scenario.set("machine", "hickey620").unwrap_err();
    assert_eq!(problem.remedy, "did you mean hikey620?");
    let problem = scenario.set("kernel.hz", "240").unwrap_err();
    assert_eq!(problem.expected, "100, 250, 300 or 1000");
    let problem = scenario.set("columns.bas.kernel.hz", "250").unwrap_err();
    assert_eq!(
        (problem.path.as_str(), problem.remedy.as_str()),
        ("columns.bas.kernel.hz", "did you mean base?")
    );
}

#[test]
fn changing_a_part_of_a_named_machine_makes_it_ones_own() {
    let mut scenario = Scenario::default();
    scenario.set("machine.cores", "6").unwrap();
    assert_eq!(scenario.get("machine").unwrap(), "custom");
    assert_eq!(scenario.machine.topology().len(), 12, "the two caches of the HiKey stay");
    scenario.set("machine", "llc8").unwrap();
    assert_eq!(scenario.get("machine.cores").unwrap(), "8");
    scenario.set("machine", "custom").unwrap();
    assert_eq!((scenario.machine.name(), scenario.machine.topology().len()), ("custom", 8));
}

#[test]
fn choosing_a_cost_set_sets_all_costs() {
    let mut scenario = Scenario::default();
    scenario.set("costs.wake_pre_ns", "1").unwrap();
    scenario.set("costs.jitter_pct", "1").unwrap();
    scenario.set("costs", "generic").unwrap();
    assert_eq!(scenario.costs, crate::Costs::from(crate::CostSet::Generic));
    assert_eq!(scenario.get("costs.wake_pre_ns").unwrap(), "300");
}

#[test]
fn several_settings_are_applied_in_the_order_of_the_table() {
    let mut scenario = Scenario::default();
    let settings = [("workload.threads", "3"), ("workload.run_us", "50"), ("workload.kind", "periodic")];
    assert_eq!(scenario.set_all(settings), []);
    assert_eq!(scenario.get("workload.threads").unwrap(), "3");
    assert_eq!(scenario.get("workload.run_us").unwrap(), "50");
}

#[test]
fn a_value_for_all_columns_takes_the_place_of_their_own() {
    let mut scenario = Preset::find("hikey-schbench").unwrap().scenario.clone();
    scenario.set("patches.llc-spread", "group_weight").unwrap();
    for column in ["base", "patched"] {
        assert_eq!(scenario.get(&format!("columns.{column}.patches.llc-spread")).unwrap(), "group_weight");
    }
}

#[test]
fn changes_are_made_together_or_not_at_all() {
    let before = Preset::find("hikey-schbench").unwrap().scenario.clone();
    let mut scenario = before.clone();
    let settings = [("columns.slow.kernel.hz", "100"), ("kernel.hz", "1000"), ("patches.llc-spread", "on")];
    scenario.apply(settings, &["slow", "off:patches.llc-spread=off"]).unwrap();
    let values =
        |key: &str| ["slow", "off"].map(|column| scenario.get(&format!("columns.{column}.{key}")).unwrap());
    assert_eq!(values("kernel.hz"), ["100", "1000"]);
    assert_eq!(values("patches.llc-spread"), ["merged", "off"]);

    let mut scenario = before.clone();
    let settings = [
        ("kernel.hz", "1000"),
        ("columns.slow.seed", "1"),
        ("kernel.era", "v3.3"),
        ("columns.slow.kernel.hz", "100"),
    ];
    let problems = scenario.apply(settings, &["slow:x=1"]).unwrap_err();
    let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(
        paths,
        ["columns.slow.x", "columns.slow.seed", "kernel.era", "columns.patched.patches.llc-spread"]
    );
    assert_eq!(scenario, before);
}

#[test]
fn several_settings_report_all_problems_and_set_the_rest() {
    let mut scenario = Scenario::default();
    let problems =
        scenario.set_all([("seed", "x"), ("kernel.hz", "1000"), ("sed", "1"), ("workload.nice", "0")]);
    let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["workload.nice", "seed", "sed"]);
    assert!(problems[0].to_string().contains("schbench"));
    assert_eq!(scenario.kernel.hz, 1000);
}

#[test]
fn no_number_of_unknown_keys_makes_an_endless_list() {
    let names: Vec<String> = (0..1_000).map(|name| name.to_string()).collect();
    let problems = Scenario::default().set_all(names.iter().map(|name| (name.as_str(), "1")));
    assert_eq!(problems.len(), MAX_PROBLEMS);
}

#[test]
fn lists_count_repeated_numbers() {
    let key = Key::find("workload.nice").unwrap();
    let shown = |text: &str| key.parse(text).unwrap().to_string();
    assert_eq!(shown("0,0,0,5"), "3x0,5");
    assert_eq!(shown("2x-5,1x-5, 4x10"), "3x-5,4x10");
    assert!(key.parse("").is_err(), "no hog at all is no workload");
    assert_eq!(Key::find("machine.capacities").unwrap().parse("").unwrap().to_string(), "");
}

#[test]
fn a_patch_that_is_on_is_in_its_first_form() {
    let mut scenario = Scenario::default();
    scenario.set("patches.llc-spread", "on").unwrap();
    assert_eq!(scenario.get("patches.llc-spread").unwrap(), "merged");
    scenario.set("patches.llc-spread", "off").unwrap();
    assert_eq!(scenario, Scenario::default(), "what the kernel is anyway leaves no trace");
}

#[test]
fn a_form_can_say_why_a_choice_is_not_there() {
    let mut scenario = Scenario::default();
    let reasons = |name: &str, scenario: &Scenario| -> Vec<bool> {
        let key = Key::find(name).unwrap();
        let Kind::Choice(choices) = &key.kind else { panic!("{name} has no choices") };
        choices.iter().map(|choice| key.unavailable(scenario, choice).is_some()).collect()
    };
    let runnable: Vec<bool> = kernel::Era::ALL.iter().map(|era| !era.is_runnable()).collect();
    assert_eq!(reasons("kernel.era", &scenario), runnable);
    assert_eq!(reasons("patches.llc-spread", &scenario), [false; 4]);
    scenario.set("kernel.era", "v5.4").unwrap();
    assert_eq!(reasons("patches.llc-spread", &scenario), [false, true, true, true]);
    assert!(reasons("machine", &scenario).iter().all(|reason| !reason));
    assert_eq!(reasons("patches.ttwu-pending", &scenario), [false, false], "ported");
    scenario.set("kernel.era", "v3.3").unwrap();
    assert_eq!(reasons("patches.ttwu-pending", &scenario), [false, true]);
}

#[test]
fn who_enqueues_at_an_idle_cpu_is_for_the_version_to_say_unless_it_is_set() {
    let mut scenario = Scenario::default();
    let of = |scenario: &Scenario| scenario.setup(0).kernel.tunables.ttwu_queue_idle;
    assert_eq!(scenario.get("kernel.wake_list_idle").unwrap(), "auto");
    let mut seen = Vec::new();
    for era in ["v5.10", "v6.1"] {
        scenario.set("kernel.era", era).unwrap();
        for value in ["auto", "on", "off"] {
            scenario.set("kernel.wake_list_idle", value).unwrap();
            assert_eq!(scenario.get("kernel.wake_list_idle").unwrap(), value);
            seen.push(of(&scenario));
        }
    }
    assert_eq!(seen, [false, true, false, true, true, false]);
}

#[test]
fn columns_read_through_to_what_they_run_with() {
    let mut scenario = Preset::find("hikey-schbench").unwrap().scenario.clone();
    scenario.set("kernel.hz", "1000").unwrap();
    scenario.set("columns.base.kernel.hz", "100").unwrap();
    assert_eq!(scenario.get("columns.base.kernel.hz").unwrap(), "100");
    assert_eq!(scenario.get("columns.patched.kernel.hz").unwrap(), "1000");
    assert_eq!(scenario.get("columns.patched.patches.llc-spread").unwrap(), "merged");
    assert_eq!(scenario.get("columns.nobody.kernel.hz"), None);
    assert_eq!(scenario.get("nothing"), None);
}
