//! Where two columns part ways: the decision, both answers, and what followed.

use engine::{Engine, Options};
use protocol::{
    AnswerBody, BalanceReason, DecisionKind, DecisionView, DivergenceView, OutcomeView, PlannedColumn,
    Request, RequestBody, RunKey, RunOptions, StepView,
};
use scenario::Scenario;
use session::{DivergenceJob, Session};
use trace::{Event, EventKind};

fn columns(preset: &str, pair: [usize; 2]) -> Box<[PlannedColumn; 2]> {
    let scenario = Scenario::from_preset(preset).unwrap();
    Box::new(pair.map(|column| PlannedColumn::new(&scenario, column)))
}

fn find(
    columns: &[PlannedColumn; 2],
    seed: u64,
    nth: u32,
) -> Result<Option<Box<DivergenceView>>, &'static str> {
    let mut job = DivergenceJob::new(Box::new(columns.clone()), seed, nth);
    while !job.step() {}
    job.take_result()
}

fn found(preset: &str, pair: [usize; 2], seed: u64, nth: u32) -> DivergenceView {
    *find(&columns(preset, pair), seed, nth).unwrap().expect("they part")
}

/// The log of a column.
fn log(column: &PlannedColumn, seed: u64, audit_hunks: bool) -> Vec<Event> {
    let mut setup = column.setup.clone();
    setup.seed = seed;
    let options = Options { keep_events: true, audit_hunks, ..Options::default() };
    let mut engine = Engine::new(&setup, options);
    engine.run_to_end();
    engine.take_events()
}

fn detach_step(decision: &DecisionView) -> &StepView {
    decision.steps.iter().find(|step| step.check == "detach").expect("it came to a task")
}

#[test]
fn llc_spread_first_parts_where_base_refuses_the_task_that_the_patch_pulls() {
    for seed in 1..=12 {
        let view = found("hikey-schbench", [0, 2], seed, 0);
        let [base, patched] = [&view.base, &view.patched].map(|side| side.decision.as_ref().unwrap());
        assert_eq!((view.base.column.as_str(), view.patched.column.as_str()), ("base", "patched"));
        for decision in [base, patched] {
            assert_eq!((decision.kind, decision.at_ns), (DecisionKind::Balance, view.at_ns), "seed {seed}");
            let balance = decision.balance.as_ref().unwrap();
            assert_eq!((balance.domain.as_str(), balance.reason), ("MC", BalanceReason::NewlyIdle));
            let hunk = decision.steps.iter().find_map(|step| step.hunk.as_ref()).expect("its place");
            assert_eq!(hunk.patch, "llc-spread");
            assert!(hunk.answers[0].differs, "{hunk:?}");
        }
        let in_force = |decision: &DecisionView| {
            decision.steps.iter().find_map(|step| step.hunk.as_ref()).unwrap().in_force.clone()
        };
        assert_eq!((in_force(base).as_str(), in_force(patched).as_str()), ("base", "merged"));
        // The same task: refused for its utilisation on one side, pulled on the other.
        assert_eq!((&base.outcome, &patched.outcome), (&OutcomeView::Moved(0), &OutcomeView::Moved(1)));
        let (refused, pulled) = (detach_step(base), detach_step(patched));
        assert!(!refused.yes && pulled.yes);
        assert_eq!(refused.task, pulled.task);
        let kinds = [&view.base, &view.patched].map(|side| side.event.as_ref().unwrap().kind.as_str());
        assert_eq!(kinds, ["util_refused", "migrate"]);
        // What followed: the task waited longer, and the CPU that had asked for work idled.
        let after = view.consequence.as_ref().expect("a task waited");
        assert_eq!(Some(&after.task), refused.task.as_ref());
        assert!(after.patched.waited_ns < after.base.waited_ns, "{after:?}");
        assert_eq!(after.patched.cpu, base.cpu);
        assert_eq!(after.idle_cpu, Some(base.cpu));
        assert!(after.patched.idled_ns < after.base.idled_ns, "{after:?}");
        assert_eq!(after.base.waits_since_ns, after.patched.waits_since_ns);
    }
}

#[test]
fn until_there_the_logs_are_the_same_and_there_they_are_not() {
    let columns = columns("hikey-schbench", [0, 2]);
    for seed in 1..=4 {
        let view = find(&columns, seed, 0).unwrap().unwrap();
        let logs = columns.each_ref().map(|column| log(column, seed, false));
        let before = |log: &[Event]| {
            log.iter().take_while(|event| event.at.0 < view.at_ns).copied().collect::<Vec<_>>()
        };
        let at =
            |log: &[Event]| log.iter().filter(|event| event.at.0 == view.at_ns).copied().collect::<Vec<_>>();
        assert_eq!(before(&logs[0]), before(&logs[1]));
        assert!(!before(&logs[0]).is_empty());
        assert_ne!(at(&logs[0]), at(&logs[1]));
    }
}

#[test]
fn later_divergences_are_moments_of_the_base_at_which_the_patch_would_decide_otherwise() {
    let columns = columns("hikey-schbench", [0, 2]);
    let base = log(&columns[0], 1, true);
    // The merged form is the first one.
    let decisions = base.iter().filter(|event| event.kind == EventKind::Decision && event.args[1] & 1 == 1);
    let moments: Vec<u64> = decisions.map(|event| event.at.0).collect();
    let refusals = base.iter().filter(|event| event.kind == EventKind::UtilRefused);
    let refusals: Vec<u64> = refusals.map(|event| event.at.0).collect();
    let mut seen = Vec::new();
    while let Some(view) = find(&columns, 1, seen.len() as u32).unwrap() {
        assert_eq!(view.nth as usize, seen.len());
        assert!(moments.contains(&view.at_ns), "{}", view.at_ns);
        assert_eq!(view.patched_from_ns, seen.last().copied().unwrap_or(0));
        assert!(view.patched_from_ns < view.at_ns);
        seen.push(view.at_ns);
    }
    assert!(10 < seen.len(), "{seen:?}");
    let mut due = refusals.iter().filter(|refusal| moments.contains(refusal));
    assert!(
        due.all(|refusal| seen.contains(refusal)),
        "every refusal that the patch would not have made is one"
    );
}

#[test]
fn the_race_of_wake_ups_is_found_as_a_placement_with_both_answers() {
    let view = found("vm32-schbench", [0, 2], 1, 0);
    let [base, patched] = [&view.base, &view.patched].map(|side| side.decision.as_ref().unwrap());
    assert_eq!((base.kind, patched.kind), (DecisionKind::Placement, DecisionKind::Placement));
    assert_eq!(base.task, patched.task);
    assert_ne!(base.outcome, patched.outcome);
    let OutcomeView::Cpu(chosen) = base.outcome else { panic!("{:?}", base.outcome) };
    let answer = |decision: &DecisionView| {
        let asked = decision.steps.iter().filter(|step| step.check == "cpu_idle" && step.cpu == Some(chosen));
        asked.map(|step| step.yes).next_back()
    };
    assert_eq!((answer(base), answer(patched)), (Some(true), Some(false)), "it looks idle in base only");
    let hunk = base.steps.iter().find_map(|step| step.hunk.as_ref()).expect("between flag and queue");
    assert_eq!((hunk.patch.as_str(), hunk.in_force.as_str()), ("ttwu-pending", "base"));
    assert!(hunk.answers[0].differs);
    assert!(found("vm32-schbench", [0, 2], 1, 1).at_ns > view.at_ns, "races come again");
}

#[test]
fn columns_that_are_the_same_or_that_the_patch_does_not_touch_never_part() {
    assert_eq!(find(&columns("hikey-schbench", [0, 0]), 1, 0), Ok(None));
    let mut calm = columns("hikey-schbench", [0, 2]);
    for column in calm.iter_mut() {
        column.setup.until = sim::Nanos::from_millis(900);
    }
    assert_eq!(find(&calm, 1, 0), Ok(None), "nobody waits before the first round");
    assert_eq!(find(&columns("hikey-schbench", [0, 2]), 1, 100_000), Ok(None), "there are not that many");
}

#[test]
fn columns_that_differ_in_more_than_their_kernel_have_a_first_divergence_only() {
    let mut columns = columns("hikey-schbench", [0, 2]);
    columns[1].setup.costs.context_switch = sim::Nanos(9_000);
    let view = find(&columns, 1, 0).unwrap().expect("everything takes longer");
    assert!(view.base.event.unwrap().at_ns != view.patched.event.unwrap().at_ns);
    let refused = find(&columns, 1, 1).unwrap_err();
    assert!(refused.contains("differ in more than their kernel"), "{refused}");
}

#[test]
fn a_session_searches_between_runs_and_bands_and_can_be_stopped() {
    let mut session = Session::new();
    let columns = columns("hikey-schbench", [0, 2]);
    let band = RequestBody::Seeds { columns: columns.to_vec(), first_seed: 1, count: 50 };
    let search = || RequestBody::Divergence { columns: columns.clone(), seed: 1, nth: 0 };
    let run = RequestBody::Run {
        column: Box::new(columns[0].clone()),
        run: RunKey(1),
        options: RunOptions::default(),
    };
    for (id, body) in [(1, band), (2, search()), (3, search()), (4, run)] {
        assert_eq!(session.handle(Request { id, body }), []);
    }
    assert_eq!(session.current(), Some(4), "a run goes first");
    while session.current() == Some(4) {
        session.work(&|| 0.0, 1.0);
    }
    assert_eq!(session.current(), Some(2));
    let cancelled = session.handle(Request { id: 2, body: RequestBody::Cancel { id: 2 } });
    assert_eq!(cancelled[0].body, AnswerBody::Cancelled);
    let mut answers = Vec::new();
    while session.current() == Some(3) {
        answers.extend(session.work(&|| 0.0, 0.0));
        if session.current() == Some(3) {
            let report = session.report().pop().unwrap();
            assert!(matches!(report.body, AnswerBody::Progress(progress) if progress.fraction < 1.0));
        }
    }
    let expected = find(&columns, 1, 0).unwrap();
    assert!(expected.is_some());
    assert_eq!(answers[0].body, AnswerBody::Divergence(expected));
    assert_eq!(session.current(), Some(1), "the band comes last");
}
