use protocol::{
    BalanceReason, BalanceView, Consequence, DecisionKind, DecisionView, DivergenceSide, DivergenceView,
    OutcomeView, StepView, TaskFate, TaskName, ValueView,
};

use super::*;

fn plain(text: &str) -> String {
    text.replace(THIN, " ")
}

fn step(check: &str, yes: bool, values: &[(&str, i64)]) -> StepView {
    StepView {
        check: check.to_owned(),
        kernel_function: String::new(),
        yes,
        cpu: Some(5),
        task: Some(TaskName { id: 7, name: "wrk-1-0".to_owned() }),
        values: values
            .iter()
            .map(|(name, value)| ValueView { name: (*name).to_owned(), value: *value })
            .collect(),
        hunk: None,
    }
}

fn said(check: &str, yes: bool, values: &[(&str, i64)]) -> String {
    let words = super::check(&step(check, yes, values)).unwrap();
    plain(&format!("{} {}", words.question, words.answer))
}

fn decision(kind: DecisionKind, outcome: OutcomeView) -> DecisionView {
    let is_balance = kind == DecisionKind::Balance;
    DecisionView {
        at_ns: 1_010_676_788,
        cpu: 1,
        task: (!is_balance).then(|| TaskName { id: 7, name: "wrk-1-0".to_owned() }),
        kind,
        balance: is_balance.then(|| BalanceView {
            level: 0,
            domain: "MC".to_owned(),
            reason: BalanceReason::NewlyIdle,
        }),
        steps: Vec::new(),
        outcome,
    }
}

#[test]
fn every_check_of_the_vocabulary_has_words_of_its_own() {
    let mut questions: Vec<String> = Vec::new();
    for key in StepView::CHECKS {
        let words = check(&step(key, true, &[])).unwrap_or_else(|| panic!("{key} has no words"));
        assert!(words.question.ends_with('?'), "{key}: {}", words.question);
        assert!(!words.answer.is_empty(), "{key}");
        let negative = check(&step(key, false, &[])).unwrap();
        let tells = ["group_stats", "start_group"].contains(&key) || words.answer != negative.answer;
        assert!(tells, "{key}: yes and no are told apart");
        questions.push(words.question);
    }
    questions.sort_unstable();
    questions.dedup();
    assert_eq!(questions.len(), StepView::CHECKS.len(), "no two checks ask the same");
    assert_eq!(check(&step("unheard_of", true, &[])), None);
}

#[test]
fn every_kind_of_decisions_has_a_title_and_a_name_in_the_list() {
    for kind in DecisionKind::ALL {
        let decision = decision(kind, OutcomeView::Answer(true));
        assert!(title(&decision).ends_with('?'), "{kind:?}");
        assert!(kernel_function(&decision).contains("()"), "{kind:?}");
        assert!(KINDS.iter().any(|(key, _)| *key == kind.key()), "{kind:?}");
    }
}

#[test]
fn checks_say_what_they_saw() {
    assert_eq!(said("cpu_idle", false, &[("nr_running", 1)]), "Is CPU 5 idle? no, it has 1 task");
    assert_eq!(
        said("cpu_idle", false, &[("nr_running", 0), ("ttwu_pending", 1)]),
        "Is CPU 5 idle? no, a woken task is on its way there"
    );
    assert_eq!(
        said("detach", false, &[("migration_type", 1), ("imbalance", 1021), ("task_util_est", 1024)]),
        "Does wrk-1-0 fit what may be moved? no, it counts as a utilisation of 1024, and only 1021 may be moved"
    );
    assert!(
        said("busiest_group", true, &[("migration_type", 2), ("imbalance", 1)])
            .ends_with("yes: 1 task may be moved")
    );
    let refused = |verdict| said("busiest_group", false, &[("verdict", verdict), ("avg_load", 512)]);
    assert!(
        refused(3).ends_with(
            "no, its own group has at most one idle CPU more, and the other one is not overloaded"
        )
    );
    assert!(refused(6).ends_with("no, less than a task would move"));
    assert!(said("busiest_group", false, &[]).ends_with("no, all is balanced"));
    let group = [("group_type", 6), ("sum_nr_running", 1), ("avg_load", 700)];
    assert!(
        said("group_stats", false, &group)
            .ends_with("not overloaded, 1 task, load 700 for each CPU’s capacity")
    );
    assert_eq!(
        said("fits_capacity", false, &[("task_util_est", 400), ("capacity_of", 462)]),
        "Does the task fit CPU 5, with a fifth to spare? no, it needs 400 of 462"
    );
    assert!(said("energy", true, &[("energy_delta", 31)]).ends_with("yes so far, 31 mW"));
    assert!(said("can_migrate", false, &[("task_running", 1)]).ends_with("no, it is running"));
    assert!(said("can_migrate", false, &[("task_running", 0)]).ends_with("no, its cache is still hot"));
    assert!(
        said("lowest_cpus", true, &[("cpus", 3), ("highest_prio", 100)])
            .ends_with("yes, 3 CPUs: they have no real-time task, idle or not")
    );
    assert_eq!(
        said("granularity", false, &[("vdiff", 500_000), ("wakeup_granularity", 1_000_000)]),
        "Is the running wrk-1-0 so far ahead that it must give way? no, it is ahead by 500 µs, and it takes more than 1 ms"
    );
}

#[test]
fn the_search_for_a_start_says_what_it_compared_and_why() {
    let domain = [("span_weight", 8), ("allowed_cpus", 4), ("groups", 2), ("compared_groups", 1)];
    assert_eq!(
        said("start_domain", true, &domain),
        "May wrk-1-0 run in the domain of 8 CPUs around CPU 5? yes, on 4 of them: 1 of 2 groups are compared"
    );
    assert!(said("allowed_cpus", false, &[("nr_cpus_allowed", 8)]).ends_with("no, on 8 CPUs"));
    let group = [("group_type", 0), ("sum_nr_running", 1), ("idle_cpus", 3), ("group_weight", 4)];
    assert_eq!(
        said("start_group", true, &group),
        "How much room has its own group, that of CPU 5, for a task to start? has spare, 1 task, 3 of 4 CPUs idle"
    );
    let by_load = [("runnable_load", 256), ("avg_load", 300), ("spare_cap", 1000)];
    assert!(said("start_group", false, &by_load).contains("load 256 queued, 300 with that of sleepers"));
}

#[test]
fn a_group_is_kept_or_left_for_what_differs() {
    let why = |yes, values: &[(&str, i64)]| {
        let words = said("idlest_group", yes, values);
        words.split_once("? ").unwrap().1.to_owned()
    };
    let types = |there, here| [("group_type", there), ("this_group_type", here)];
    assert_eq!(
        why(true, &types(0, 5)),
        "yes, the group of CPU 5 (that is “has spare”, and its own “overloaded”)"
    );
    assert_eq!(
        why(false, &[&types(0, 0)[..], &[("idle_cpus", 3), ("this_idle_cpus", 3)]].concat()),
        "no, not even the group of CPU 5 (idle CPUs: 3 against 3)"
    );
    let loads = [("avg_load", 500), ("this_avg_load", 900), ("idle_cpus", 0), ("this_idle_cpus", 0)];
    assert!(why(true, &[&types(5, 5)[..], &loads].concat()).ends_with("capacity: 500 against 900)"));
    assert!(why(true, &[("group_type", 0)]).ends_with("the task may not run in its own group)"));
    assert!(why(true, &[("avg_load", 0), ("runnable_load", 0)]).ends_with("may not run in its own group)"));
    let spare = [("spare_cap", 1024), ("this_spare_cap", 100)];
    assert!(why(true, &spare).ends_with("a CPU there has 1024 to spare, and one of its own group 100)"));
    let queued =
        [("runnable_load", 0), ("this_runnable_load", 256), ("avg_load", 10), ("this_avg_load", 300)];
    assert!(why(true, &queued).ends_with("load 0 queued against 256, 10 with that of sleepers against 300)"));
    let alone = StepView { cpu: None, ..step("idlest_group", false, &[("this_group_type", 0)]) };
    assert_eq!(check(&alone).unwrap().answer, "no, there is no other");
}

#[test]
fn the_cpu_of_a_group_is_chosen_by_its_sleep_or_its_load() {
    let chosen = |yes, first: &[(&str, i64)]| {
        let common = [("group_weight", 4), ("allowed_cpus", 4), ("exit_latency", 2_000), ("cpu_load", 700)];
        said("idlest_cpu", yes, &[first, &common].concat())
    };
    assert!(chosen(true, &[("idle_cpus", 1)]).ends_with("CPU 5, the only one that idles: 2 µs to wake up"));
    assert!(chosen(true, &[("idle_cpus", 3), ("as_shallow", 1)]).contains("it is awake soonest"));
    assert!(chosen(true, &[("idle_cpus", 3), ("as_shallow", 2)]).contains("it fell idle last"));
    assert!(chosen(true, &[("allowed_cpus", 1)]).contains("the only one on which the task may run"));
    assert!(chosen(true, &[("group_weight", 1)]).ends_with("CPU 5, there is no other"));
    assert!(chosen(false, &[]).ends_with("CPU 5: none idles, and its load is the least, 700"));
}

fn fate(waited_ns: u64, ran: bool, idled_ns: u64) -> TaskFate {
    TaskFate {
        waits_since_ns: 1_010_664_361,
        ran_at_ns: ran.then_some(1_012_000_000),
        waited_ns,
        cpu: 2,
        idled_ns,
    }
}

fn parting(base: TaskFate, patched: TaskFate) -> DivergenceView {
    let side = |column: &str, moved| DivergenceSide {
        column: column.to_owned(),
        event: None,
        decision: Some(decision(DecisionKind::Balance, OutcomeView::Moved(moved))),
    };
    DivergenceView {
        nth: 0,
        at_ns: 1_010_676_788,
        patched_from_ns: 0,
        base: side("base", 0),
        patched: side("patched", 1),
        cpus: Vec::new(),
        consequence: Some(Consequence {
            task: TaskName { id: 7, name: "wrk-1-0".to_owned() },
            base,
            patched,
            idle_cpu: Some(1),
            followed_until_ns: 2_010_676_788,
        }),
    }
}

#[test]
fn a_divergence_is_one_story_of_both_sides() {
    let view = parting(fate(1_378_337, true, 1_350_788), fate(27_549, true, 0));
    assert_eq!(
        plain(&divergence(&view)),
        "At 1.010676 s CPU 1 ran out of work and looked for some: base moved no task to CPU 1, patched moved 1 task to \
         CPU 1. wrk-1-0 waited 1.38 ms in base and 27.5 µs in patched; meanwhile CPU 1 idled for 1.35 ms in base."
    );
}

#[test]
fn a_divergence_claims_no_more_than_was_seen() {
    let slower = divergence(&parting(fate(20_000, true, 0), fate(1_000_000_000, false, 900_000)));
    assert!(plain(&slower).contains("waited 20 µs in base and at least 1 s in patched"), "{slower}");
    assert!(
        plain(&slower).ends_with("idled for 900 µs in patched."),
        "the side on which it waited longer: {slower}"
    );
    let alone = DivergenceView { consequence: None, ..parting(TaskFate::default(), TaskFate::default()) };
    assert!(!divergence(&alone).contains("waited"), "nobody waited for it");
    let busy = divergence(&parting(fate(20_000, true, 0), fate(10_000, true, 0)));
    assert!(!busy.contains("idled"), "no CPU idled: {busy}");
}

#[test]
fn where_both_sides_come_to_the_same_the_check_that_differs_is_told() {
    let placed = |listed| DecisionView {
        steps: vec![step("cpu_idle", true, &[]), step("wake_list", listed, &[])],
        ..decision(DecisionKind::Placement, OutcomeView::Cpu(5))
    };
    let mut view = parting(fate(647, true, 0), fate(2_420, true, 0));
    (view.base.decision, view.patched.decision) = (Some(placed(false)), Some(placed(true)));
    let words = plain(&divergence(&view));
    let expected = "both chose CPU 5, in different ways. Is the task left on the wake list of CPU 5? In base: no, the waker \
                    queues it; in patched: yes, that CPU queues it itself. wrk-1-0 waited 647 ns";
    assert!(words.contains(expected), "{words}");
}

#[test]
fn no_word_is_explained_twice() {
    let mut words: Vec<&str> = TERMS.iter().map(|(word, _)| *word).collect();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), TERMS.len());
    assert!(TERMS.iter().all(|(_, meaning)| meaning.ends_with('.')));
}
