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
        let tells = key == "group_stats" || words.answer != negative.answer;
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
