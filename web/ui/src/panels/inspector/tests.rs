//! The inspector and the divergence in every state, and what moves between these.

use std::rc::Rc;

use expect_test::expect_file;
use protocol::{
    BalanceReason, BalanceView, Consequence, CpuInspection, DecisionKind, DecisionView, DivergenceSide,
    DivergenceView, DomainInspection, EventView, Explained, FormAnswer, HunkAnswers, OutcomeView, RunKey,
    StepView, TaskFate, TaskInspection, TaskName, ValueView,
};
use yew::prelude::*;

use super::super::tests::html;
use super::super::{PanelState, divergence, divergence_panel};
use super::{InspectorView, inspector_panel};
use crate::inspection::{Found, Inspection, Parting};
use crate::text;

const AT_NS: u64 = 1_010_676_788;

fn task(id: u32) -> TaskName {
    TaskName { id, name: format!("wrk-1-{id}") }
}

fn step(check: &str, function: &str, yes: bool, values: &[(&str, i64)]) -> StepView {
    StepView {
        check: check.to_owned(),
        kernel_function: function.to_owned(),
        yes,
        cpu: Some(2),
        task: Some(task(0)),
        values: values
            .iter()
            .map(|(name, value)| ValueView { name: (*name).to_owned(), value: *value })
            .collect(),
        hunk: None,
    }
}

/// The balance attempt at which the patch moves a task and the kernel without it does not.
fn balance(is_patched: bool) -> DecisionView {
    let form = |form: &str, differs| FormAnswer { form: form.to_owned(), differs };
    let hunk = StepView {
        hunk: Some(HunkAnswers {
            patch: "llc-spread".to_owned(),
            index: 0,
            file: "kernel/sched/fair.c".to_owned(),
            function: "calculate_imbalance".to_owned(),
            answers: vec![form("merged", true), form("shift", false)],
            in_force: if is_patched { "merged" } else { "base" }.to_owned(),
        }),
        ..step("hunk", "calculate_imbalance()", is_patched, &[])
    };
    let groups = [
        ("group_type", 5),
        ("sum_nr_running", 2),
        ("idle_cpus", 0),
        ("group_util", 1024),
        ("group_capacity", 1021),
        ("group_load", 1649),
    ];
    let (kind, imbalance) = if is_patched { (2, 1) } else { (1, 1021) };
    let detach = [("migration_type", kind), ("imbalance", imbalance), ("task_util_est", 1024)];
    DecisionView {
        at_ns: AT_NS,
        cpu: 1,
        task: None,
        kind: DecisionKind::Balance,
        balance: Some(BalanceView { level: 0, domain: "MC".to_owned(), reason: BalanceReason::NewlyIdle }),
        steps: vec![
            step("should_we_balance", "should_we_balance()", true, &[]),
            step("group_stats", "update_sg_lb_stats()", false, &groups),
            hunk,
            step("detach", "detach_tasks()", is_patched, &detach),
        ],
        outcome: OutcomeView::Moved(u32::from(is_patched)),
    }
}

fn cpu(number: u16, running: Option<u32>, waiting: &[u32]) -> CpuInspection {
    let inspected = |id: u32| TaskInspection {
        task: task(id),
        vruntime_ns: -25_100,
        weight: 1024,
        load_avg: 824,
        util_avg: 1024,
        util_est: 1024,
    };
    CpuInspection {
        cpu: number,
        running: running.map(inspected),
        waiting: waiting.iter().map(|id| inspected(*id)).collect(),
        nr_running: u32::from(running.is_some()) + waiting.len() as u32,
        is_idle: running.is_none(),
        load_avg: 1649,
        util_avg: 1024,
        domains: vec![DomainInspection {
            level: 0,
            name: "MC".to_owned(),
            span: vec![0, 1, 2, 3],
            nr_balance_failed: 0,
            balance_interval_ms: 8,
        }],
        ..CpuInspection::default()
    }
}

fn moment(decisions: Vec<DecisionView>) -> Rc<Explained> {
    let cpus = vec![cpu(1, None, &[]), cpu(2, Some(3), &[0])];
    Rc::new(Explained { run: RunKey(0), at_ns: AT_NS, decisions, cpus })
}

fn pick() -> DecisionView {
    let steps = vec![step("leftmost", "pick_next_entity()", true, &[("vruntime", -4_000)])];
    let kind = DecisionKind::Pick;
    DecisionView { kind, balance: None, steps, outcome: OutcomeView::Task(task(0)), ..balance(false) }
}

fn parting(nth: u32) -> Rc<DivergenceView> {
    let side = |column: &str, is_patched| DivergenceSide {
        column: column.to_owned(),
        event: Some(EventView {
            at_ns: AT_NS,
            kind: if is_patched { "migrate" } else { "util_refused" }.to_owned(),
            cpu: 1,
            task: Some(task(0)),
            values: Vec::new(),
        }),
        decision: Some(balance(is_patched)),
    };
    let fate = |waited_ns, idled_ns| TaskFate {
        waits_since_ns: AT_NS - 12_000,
        ran_at_ns: Some(AT_NS - 12_000 + waited_ns),
        waited_ns,
        cpu: 1,
        idled_ns,
    };
    Rc::new(DivergenceView {
        nth,
        at_ns: AT_NS,
        patched_from_ns: if nth == 0 { 0 } else { 900_000_000 },
        base: side("base", false),
        patched: side("patched", true),
        cpus: Vec::new(),
        consequence: Some(Consequence {
            task: task(0),
            base: fate(1_378_000, 1_350_000),
            patched: fate(27_000, 0),
            idle_cpu: Some(1),
            followed_until_ns: 2 * AT_NS,
        }),
    })
}

fn inspector(inspection: Inspection) -> Html {
    let columns = vec!["base".to_owned(), "patched".to_owned()];
    inspector_panel(&InspectorView { inspection, columns, orders: Callback::noop() })
}

fn diverging(shown: PanelState<Rc<DivergenceView>>, nth: Option<u32>) -> String {
    diverging_among(shown, nth, &["base", "patched"])
}

fn diverging_among(shown: PanelState<Rc<DivergenceView>>, nth: Option<u32>, columns: &[&str]) -> String {
    html(divergence_panel(&divergence::DivergenceView {
        shown,
        nth,
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        against: columns.len() - 1,
        orders: Callback::noop(),
    }))
}

#[test]
fn inspector_in_every_state() {
    let of = |moment| Inspection { moment, ..Inspection::default() };
    let decisions = || vec![balance(false), pick()];
    let full = html(inspector(of(PanelState::Full(moment(decisions())))));
    expect_file!["../../../snapshots/inspector_full.html"].assert_eq(&full);
    let stale = html(inspector(of(PanelState::Stale(moment(decisions())))));
    assert_eq!(stale.replace("data-state=\"stale\"", "data-state=\"full\""), full);
    let empty = html(inspector(Inspection::default()));
    expect_file!["../../../snapshots/inspector_empty.html"].assert_eq(&empty);
    let loading = html(inspector(of(PanelState::Loading(None, text::OPENING.into()))));
    assert!(loading.contains("data-state=\"loading\"") && loading.contains(text::OPENING), "{loading}");
    let error = html(inspector(of(PanelState::Error("it broke".into()))));
    assert!(error.contains("data-state=\"error\"") && error.contains("it broke"), "{error}");
    let second = Inspection { chosen: 1, ..of(PanelState::Full(moment(decisions()))) };
    let second = html(inspector(second));
    assert!(second.contains("2 of 2 at this moment") && second.contains("pick_next_task_fair()"), "{second}");
    assert!(!second.contains("inspector-groups"), "a pick compares no groups");
}

#[test]
fn divergence_in_every_state() {
    let full = diverging(PanelState::Full(parting(0)), Some(0));
    expect_file!["../../../snapshots/divergence_full.html"].assert_eq(&full);
    let empty = diverging(Inspection::default().divergence, None);
    assert!(empty.contains("data-state=\"empty\"") && !empty.contains("divergence-next"), "{empty}");
    let loading = diverging(PanelState::Loading(None, text::SEEKING.into()), Some(0));
    assert!(loading.contains("data-state=\"loading\"") && loading.contains(text::SEEKING), "{loading}");
    let error = diverging(PanelState::Error("it broke".into()), Some(0));
    assert!(error.contains("data-state=\"error\"") && error.contains("it broke"), "{error}");
    let later = diverging(PanelState::Full(parting(1)), Some(1));
    assert!(later.contains("the same run with the kernel of patched"), "a later one is a what-if: {later}");
    assert!(!full.contains("the same run with the kernel of"), "the first one compares the runs: {full}");
}

#[test]
fn of_three_columns_one_is_chosen_to_compare_with() {
    let shown = diverging_among(PanelState::Full(parting(0)), Some(0), &["base", "revert", "patched"]);
    assert!(shown.contains("against-revert") && shown.contains("against-patched"), "{shown}");
    assert!(!shown.contains("against-base"), "not with itself: {shown}");
    assert!(!diverging(PanelState::Full(parting(0)), Some(0)).contains("against-"), "no choice among two");
    let mut inspection = Inspection::default();
    inspection.parted(Found::This(parting(0)));
    inspection.compare_with(1);
    assert!(matches!(inspection.divergence, PanelState::Empty(_)), "that was of other columns");
    assert_eq!((inspection.nth, inspection.against), (None, Some(1)));
}

#[test]
fn the_form_in_force_is_marked_in_words() {
    let marked = |is_patched| {
        let shown = html(super::checks(&balance(is_patched).steps, 1, ""));
        let active =
            shown.split("<li class=\"active\">").nth(1).unwrap().split("</li>").next().unwrap().to_owned();
        assert_eq!(shown.matches(text::IN_FORCE).count(), 1, "{shown}");
        active
    };
    assert!(marked(false).contains(text::WITHOUT));
    assert!(marked(true).contains("merged") && marked(true).contains(text::ANSWERS_OTHERWISE));
}

#[test]
fn checks_say_yes_and_no_without_colour() {
    let shown = html(super::checks(&balance(false).steps, 1, ""));
    for mark in ["✓", "✕", "•"] {
        assert!(shown.contains(mark), "{mark}: {shown}");
    }
    assert!(shown.contains("Yes: ") && shown.contains("No: "), "{shown}");
}

#[test]
fn only_the_checks_from_the_parting_on_stand_side_by_side() {
    let shown = diverging(PanelState::Full(parting(0)), Some(0));
    assert!(shown.contains("The first 2 checks came out alike on both sides."), "{shown}");
    assert!(!shown.contains("should_we_balance()"), "{shown}");
    assert_eq!(shown.matches("data-check=\"detach\"").count(), 2);
}

#[test]
fn a_divergence_opens_the_decision_that_came_out_otherwise() {
    let mut inspection = Inspection::default();
    assert_eq!(inspection.wanted(Parting::Onward), 0);
    inspection.seek(0);
    inspection.parted(Found::This(parting(0)));
    assert_eq!(inspection.wanted(Parting::Onward), 1);
    assert_eq!(inspection.wanted(Parting::Previous), 0);
    let focus = inspection.focus.unwrap();
    assert_eq!(focus.at_ns, AT_NS);
    let (from, to) = focus.span.unwrap();
    assert!(from < AT_NS as f64 && AT_NS as f64 + 1e6 < to, "the whole wait is in view: {focus:?}");
    inspection.open(0);
    inspection.opened(Found::This(moment(vec![pick(), balance(false)])), true);
    assert_eq!(inspection.decision(), Some(&balance(false)));
    assert_eq!(inspection.focus.unwrap().span, Some((from, to)), "the decision does not move the view away");
    inspection.kind = Some(DecisionKind::Balance);
    assert_eq!(inspection.next_within(false), None, "a pick is none of the decisions that are gone through");
    inspection.kind = None;
    inspection.step_within(false);
    assert_eq!(inspection.decision(), Some(&pick()));
    assert_eq!(inspection.next_within(false), None, "the one before is at another moment");
}

#[test]
fn a_step_that_finds_nothing_keeps_what_is_shown() {
    let mut inspection = Inspection::default();
    inspection.open(0);
    inspection.opened(Found::This(moment(vec![balance(false)])), true);
    inspection.open(0);
    inspection.opened(Found::Nothing(text::NO_LATER), true);
    assert!(matches!(inspection.moment, PanelState::Full(_)));
    assert_eq!(inspection.note, text::NO_LATER);
    inspection.seek(0);
    inspection.parted(Found::Nothing(text::NEVER_PART));
    assert_eq!(inspection.wanted(Parting::Next), 0, "behind the last one there is none");
}

#[test]
fn other_runs_have_other_decisions() {
    let mut inspection = Inspection { kind: Some(DecisionKind::Balance), ..Inspection::default() };
    inspection.parted(Found::This(parting(0)));
    inspection.opened(Found::This(moment(vec![balance(false)])), true);
    let other = inspection.for_other_runs();
    assert_eq!(other, Inspection { kind: Some(DecisionKind::Balance), ..Inspection::default() });
}
