//! Work conservation of real runs: against the engine's own counters, the timeline, and what the patches promise.

use engine::{Engine, Options};
use protocol::{
    AnswerBody, Facts, FactsAbout, PlannedColumn, Request, RequestBody, RunKey, RunOptions, RunSummary,
    WorkConservation,
};
use scenario::Scenario;
use session::{Session, run_column};

const TRACED: RunOptions = RunOptions { keep_trace: true, audit_hunks: false };
const RUN: RunKey = RunKey(1);

fn scenario(preset: &str, settings: &[(&str, &str)]) -> Scenario {
    let mut scenario = Scenario::from_preset(preset).unwrap();
    for (key, value) in settings {
        scenario.set(key, value).unwrap();
    }
    scenario
}

fn counter(summary: &RunSummary, key: &str) -> u64 {
    summary.counters.iter().find(|counter| counter.key == key).unwrap().value
}

fn busy() -> Scenario {
    scenario(
        "hikey-schbench",
        &[("workload.runtime_s", "1"), ("workload.think_us", "900"), ("workload.sleep_us", "400")],
    )
}

#[test]
fn run_delay_adds_up_to_the_sum_of_waits_and_running_to_cpu_time() {
    let scenarios =
        [busy(), scenario("smt40-schbench", &[("workload.runtime_s", "2")]), scenario("hogs-4cpu", &[])];
    for scenario in scenarios {
        let summary = run_column(&scenario, 0, 4, TRACED);
        let work = &summary.work;
        let delay: f64 = work.tasks.run_delay_ns.iter().sum();
        let counted = counter(&summary, "wait_sum_ns") as f64;
        // The engine counts a wait when it is over; at the end some are not.
        let longest = work.tasks.longest_ns.iter().copied().fold(0.0, f64::max);
        let open = delay - counted;
        assert!(0.0 <= open && open <= longest * summary.tasks.len() as f64, "{delay} {counted}");
        let mut setup = scenario.setup(0);
        setup.seed = 4;
        let mut engine = Engine::new(&setup, Options::default());
        engine.run_to_end();
        for (ran, charged) in work.tasks.ran_ns.iter().zip(engine.cpu_times()) {
            let difference = (ran - charged as f64).abs();
            assert!(difference <= 1e6 + ran / 50.0, "switches are charged otherwise: {ran} {charged}");
        }
    }
}

#[test]
fn the_timeline_says_the_same_of_every_task() {
    let scenario = busy();
    let mut session = Session::new();
    let column = Box::new(PlannedColumn::new(&scenario, 0));
    session.handle(Request { id: 1, body: RequestBody::Run { column, run: RUN, options: TRACED } });
    let mut summary = None;
    while session.has_work() {
        summary = session.work(&|| 0.0, 1.0).pop().or(summary);
    }
    let Some(AnswerBody::RunDone(summary)) = summary.map(|answer| answer.body) else { panic!() };
    let mut ask = |body| session.handle(Request { id: 2, body }).remove(0).body;
    for task in 0..summary.tasks.len() as u32 {
        let about = FactsAbout::Task(task);
        let body = RequestBody::Facts { run: RUN, at_ns: u64::MAX, about };
        let AnswerBody::Facts(Facts { tasks, .. }) = ask(body) else { panic!() };
        let own = |column: &[f64]| column[task as usize] as u64;
        assert_eq!(own(&summary.work.tasks.ran_ns), tasks[0].ran_ns, "{task}");
        assert_eq!(own(&summary.work.tasks.run_delay_ns), tasks[0].waited_ns, "{task}");
    }
    // The whole as a part is the whole, and its parts add up to it.
    let end = summary.simulated_ns;
    let mut part = |from_ns, to_ns| {
        let body = RequestBody::WorkConservation { run: RUN, from_ns, to_ns, bins: 100 };
        match ask(body) {
            AnswerBody::WorkConservation(work) => *work,
            other => panic!("{other:?}"),
        }
    };
    let whole = part(0, u64::MAX);
    assert_eq!(whole.over_time.runnable.len(), 100);
    let with_bins = WorkConservation { over_time: whole.over_time.clone(), ..summary.work.clone() };
    assert_eq!(whole, with_bins);
    let halves = [part(0, end / 2), part(end / 2, end)];
    let sum = |value: fn(&WorkConservation) -> u64| halves.iter().map(value).sum::<u64>();
    assert_eq!(sum(|work| work.wait_while_idle.total_ns()), whole.wait_while_idle.total_ns());
    assert_eq!(sum(|work| work.preemption.sum_ns), whole.preemption.sum_ns);
    let outside = part(end + 5, end + 9);
    assert!(outside.tasks.ran_ns.iter().all(|ran| *ran == 0.0));
    assert_eq!((outside.wait_while_idle.total_ns(), outside.over_time.runnable.len()), (0, 0));
}

#[test]
fn refusals_are_what_llc_spread_takes_away() {
    let scenario = scenario("hikey-schbench", &[]);
    let [base, patched] = [0, 1].map(|column| run_column(&scenario, column, 1, TRACED).work);
    let waits = base.wait_while_idle;
    assert!(50_000_000 < waits.refused_ns, "{waits:?}");
    assert!(waits.total_ns() < 2 * waits.refused_ns, "it is the main cause: {waits:?}");
    assert!(patched.wait_while_idle.refused_ns < waits.refused_ns / 50, "{:?}", patched.wait_while_idle);
    assert!(patched.load_balance_score < base.load_balance_score);
    let longest = |work: &WorkConservation| work.wakeup_kept.max_ns.max(work.wakeup_moved.max_ns);
    assert!(longest(&patched) < longest(&base) / 2);
    // In the picture it lies where the waits are.
    let area = |work: &WorkConservation| {
        let column = work.over_time.refused.iter();
        column.map(|level| f64::from(*level) * work.over_time.bin_ns as f64).sum::<f64>()
    };
    let (drawn, summed) = (area(&base), waits.refused_ns as f64);
    assert!((drawn - summed).abs() < summed / 1_000.0, "{drawn} {summed}");
}

#[test]
fn stacked_wake_ups_are_what_ttwu_pending_takes_away() {
    let scenario = scenario("vm32-schbench", &[("workload.runtime_s", "5")]);
    let [base, patched] = [0, 2].map(|column| run_column(&scenario, column, 1, TRACED).work);
    let stacked = |work: &WorkConservation| work.wait_while_idle.stacked_ns;
    assert!(stacked(&patched) < stacked(&base) / 2, "{} {}", stacked(&base), stacked(&patched));
    assert_eq!(base.wait_while_idle.idle_elsewhere_ns, 0, "there is one cache");
}

#[test]
fn a_run_without_its_trace_has_no_sums() {
    let summary = run_column(&busy(), 0, 1, RunOptions::default());
    assert_eq!(summary.work, WorkConservation::default());
}
