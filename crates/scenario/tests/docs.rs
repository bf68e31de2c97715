//! What the documents say about scenarios is so.

use std::fmt::Write;

use expect_test::expect_file;
use scenario::keys::{Group, KEYS, Key, Kind};
use scenario::{Column, Link, Preset, Scenario, WorkloadChoice, validate};

const GUIDE: &str = include_str!("../../../docs/scenario.md");

/// The blocks of the guide that a fence opens.
fn fenced(fence: &'static str) -> impl Iterator<Item = &'static str> {
    GUIDE.split(fence).skip(1).map(|rest| rest.split("```").next().unwrap())
}

fn range(key: &Key) -> String {
    match &key.kind {
        Kind::Integer(integer) => {
            let automatic = if integer.automatic { ", `auto`" } else { "" };
            format!("{} to {}{automatic}", integer.min, integer.max)
        }
        Kind::Choice(choices) => {
            choices.iter().map(|choice| format!("`{}`", choice.value)).collect::<Vec<_>>().join(" ")
        }
        Kind::Flag => "`on` `off`".to_owned(),
        Kind::List(list) => format!("list of {} to {}", list.min, list.max),
        Kind::Text { longest } => format!("text, {longest} characters"),
    }
}

/// The default of a key in the scenario that somebody starts from who names no preset.
fn default(key: &Key) -> String {
    let mut scenario = Scenario::default();
    let mut values: Vec<String> = WorkloadChoice::KINDS
        .into_iter()
        .filter_map(|kind| {
            scenario.set("workload.kind", kind).unwrap();
            key.get(&scenario)
        })
        .collect();
    values.dedup();
    let shown = if key.name == "workload.kind" { &values[..1] } else { &values[..] };
    shown
        .iter()
        .map(|value| if value.is_empty() { "none".to_owned() } else { format!("`{value}`") })
        .collect::<Vec<_>>()
        .join(" ")
}

/// The reference of all keys, made from the table.
fn reference() -> String {
    let mut text = String::from(
        "# Every key of a scenario\n\n\
         Made from the key table by the tests of the crate `scenario` (`UPDATE_EXPECT=1 cargo test -p scenario`).\n\
         Defaults are those of a scenario without a preset; where workloads differ, that of each.\n",
    );
    for group in Group::ALL {
        write!(
            text,
            "\n## {}\n\n| key | values | unit | default | what it is |\n|---|---|---|---|---|\n",
            group.title()
        )
        .unwrap();
        for key in KEYS.iter().filter(|key| key.group == group) {
            let columns = if key.per_column { "" } else { " Shared by all columns." };
            let (name, label, help) = (&key.name, key.label, key.help);
            let (range, unit, default) = (range(key), key.unit, default(key));
            writeln!(text, "| `{name}` | {range} | {unit} | {default} | **{label}.** {help}{columns} |")
                .unwrap();
        }
    }
    text + &choices()
}

/// What the words mean that a key can be.
fn choices() -> String {
    let mut text = String::from("\n## Words\n");
    for key in KEYS.iter() {
        if let Kind::Choice(choices) = &key.kind {
            write!(text, "\n### `{}`\n\n", key.name).unwrap();
            for choice in choices {
                writeln!(text, "* `{}`: {}", choice.value, choice.help).unwrap();
            }
        }
    }
    text
}

#[test]
fn the_reference_of_keys_is_fresh() {
    expect_file!["../../../docs/scenario-keys.md"].assert_eq(&reference());
}

#[test]
fn the_example_file_is_a_valid_scenario() {
    let text = fenced("```json\n").next().unwrap();
    let scenario = Scenario::from_json(text).unwrap();
    assert_eq!(scenario.machine.topology().len(), 6);
    assert_eq!(scenario.get("columns.rival.kernel.hz").unwrap(), "250");
    assert_eq!(scenario.get("columns.base.kernel.hz").unwrap(), "1000");
}

#[test]
fn the_example_links_open() {
    let links: Vec<Link> = fenced("```text\n")
        .filter(|block| block.starts_with('#'))
        .map(|block| Link::decode(block).unwrap_or_else(|error| panic!("{block}: {error}")))
        .collect();
    assert_eq!(links[0].encode(), fenced("```text\n").next().unwrap().trim_end());
    assert_eq!(links[1].scenario.get("workload.threads").unwrap(), "3");
}

#[test]
fn the_example_commands_are_right() {
    let commands: Vec<&str> = fenced("```sh\n").flat_map(str::lines).collect();
    assert_eq!(commands.len(), 2);
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        let mut scenario = Scenario::from_preset(words[2]).unwrap();
        let of =
            |option: &'static str| words.windows(2).filter(move |pair| pair[0] == option).map(|pair| pair[1]);
        let settings = of("--set").map(|setting| setting.split_once('=').unwrap());
        let columns: Vec<&str> = of("--column").collect();
        scenario.apply(settings, &columns).unwrap();
        assert_eq!(scenario.equivalent_command(), command, "it is the shortest way to say it");
    }
}

#[test]
fn the_example_problems_are_what_is_said() {
    let block = fenced("```text\n").find(|block| block.starts_with("kernel.hz")).unwrap();
    let mut scenario = Scenario::default();
    let problems = scenario.set_all([("kernel.hz", "240"), ("kernal.era", "v6.1")]);
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(block.lines().collect::<Vec<_>>(), said);
    assert_eq!(validate(&scenario), []);
}

#[test]
fn the_guide_names_the_preset_that_the_page_opens_with() {
    assert!(GUIDE.contains(&format!("The page opens with `{}`", Preset::all()[0].name)));
    assert!(Column::parse("busy:workload.kind=hogs,workload.nice=8x0,4x-5").is_ok());
}
