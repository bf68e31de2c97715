//! One scenario and one seed are one run: however it is stepped, restored or watched.

use engine::{Engine, Options, RunState};
use scenario::{Scenario, Setup};
use sim::Nanos;

fn setup(seed: u64, column: usize) -> Setup {
    let scenario = Scenario::from_preset("hikey-schbench").expect("the preset exists");
    Setup { seed, ..scenario.setup(column) }
}

fn hashes(engine: &mut Engine) -> (u64, u64) {
    (engine.trace_hash(), engine.state_hash())
}

fn whole(setup: &Setup, options: Options) -> (u64, u64) {
    let mut engine = Engine::new(setup, options);
    assert_eq!(engine.run_to_end().state, RunState::Finished);
    hashes(&mut engine)
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    for column in 0..3 {
        let first = whole(&setup(7, column), Options::default());
        assert_eq!(first, whole(&setup(7, column), Options::default()));
        assert_ne!(first.0, whole(&setup(8, column), Options::default()).0);
    }
}

#[test]
fn watching_changes_nothing() {
    let plain = whole(&setup(3, 0), Options::default());
    let watched = Options { keep_events: true, audit_hunks: true, check_invariants: true, every_tick: false };
    assert_eq!(plain, whole(&setup(3, 0), watched));
}

#[test]
fn replayed_ticks_leave_what_executed_ones_leave() {
    for (preset, settings) in [
        ("hikey-schbench", vec![]),
        ("hikey-schbench", vec![("kernel.hz", "1000"), ("workload.threads", "5")]),
        ("llc8-schbench", vec![("workload.runtime_s", "3")]),
        ("smt40-schbench", vec![("workload.runtime_s", "2")]),
        ("vm32-schbench", vec![("workload.runtime_s", "2")]),
        ("vm32-schbench", vec![("kernel.era", "v5.4"), ("workload.runtime_s", "2")]),
        ("hikey-schbench", vec![("kernel.era", "v5.4-rework"), ("workload.threads", "5")]),
        ("hikey-schbench", vec![("workload.kind", "hogs"), ("workload.nice", "2x-5,9x0,4x3,3x10")]),
        ("hikey-schbench", vec![("workload.kind", "periodic"), ("workload.threads", "11")]),
        ("android-launch", vec![("workload.app", "weixin")]),
        ("android-launch-hikey960", vec![("workload.app", "weixin"), ("workload.fast_mixer", "on")]),
    ] {
        let mut scenario = Scenario::from_preset(preset).expect("the preset exists");
        for (key, value) in &settings {
            scenario.set(key, value).unwrap_or_else(|problem| panic!("{key}={value}: {problem:?}"));
        }
        for column in 0..scenario.columns.len() {
            for seed in 1..4 {
                let setup = Setup { seed, until: Nanos::from_secs(4), ..scenario.setup(column) };
                let every_tick = Options { every_tick: true, ..Options::default() };
                let (lazy, eager) = (whole(&setup, Options::default()), whole(&setup, every_tick));
                assert_eq!(lazy, eager, "{preset} {settings:?} column {column} seed {seed}");
            }
        }
    }
}

#[test]
fn one_step_or_thousands_are_the_same_run() {
    let setup = setup(11, 0);
    let whole = whole(&setup, Options::default());
    let mut by_events = Engine::new(&setup, Options::default());
    while by_events.run(Nanos::NEVER, 1).state == RunState::Running {}
    assert_eq!(hashes(&mut by_events), whole);
    let mut by_time = Engine::new(&setup, Options::default());
    let mut at = Nanos::ZERO;
    while by_time.run(at, u64::MAX).state == RunState::Running {
        at += Nanos::from_micros(9_973);
    }
    assert_eq!(hashes(&mut by_time), whole);
}

#[test]
fn a_snapshot_goes_on_as_the_original_would() {
    let setup = setup(5, 0);
    let whole = whole(&setup, Options::default());
    let mut engine = Engine::new(&setup, Options::default());
    let mut snapshots = Vec::new();
    while engine.run(Nanos::NEVER, 300).state == RunState::Running {
        snapshots.push(engine.clone());
    }
    assert!(3 < snapshots.len());
    for mut snapshot in snapshots {
        snapshot.run_to_end();
        assert_eq!(hashes(&mut snapshot), whole);
    }
}

#[test]
fn a_budget_ends_a_run_that_would_not_end() {
    let setup = Setup { max_events: 500, ..setup(1, 0) };
    let mut engine = Engine::new(&setup, Options::default());
    let progress = engine.run_to_end();
    assert_eq!((progress.state, progress.events), (RunState::OutOfBudget, 500));
}

/// Links name runs by seed: where one of these changes, the engine version and the change log must say so.
#[test]
fn the_runs_of_the_preset_are_pinned() {
    let hash = |column| format!("{:016x}", whole(&setup(1, column), Options::default()).0);
    expect_test::expect!["86a27891ce2fa28c 119fe21bd0dcf8da 0617f77eb381a8d9"].assert_eq(&format!(
        "{} {} {}",
        hash(0),
        hash(1),
        hash(2)
    ));
}

/// The same machine and program under the kernels before v5.10, without any patch.
#[test]
fn the_runs_of_older_kernels_are_pinned() {
    let hash = |era| {
        let mut scenario = Scenario::from_preset("hikey-schbench").expect("the preset exists");
        // v5.4 cannot have the patch of the other column.
        scenario.columns.truncate(1);
        scenario.set("kernel.era", era).expect("the era exists");
        format!("{:016x}", whole(&Setup { seed: 1, ..scenario.setup(0) }, Options::default()).0)
    };
    expect_test::expect!["119fe21bd0dcf8da e5313ed824143162"].assert_eq(&format!(
        "{} {}",
        hash("v5.4"),
        hash("v5.4-rework")
    ));
}
