//! What sets eras apart: a busy thread behind a real-time one, with a CPU idle beside it.

use engine::{Engine, Options, RunState};
use kernel::{Era, Kernel, Patch};
use scenario::{Scenario, Setup};
use sim::{CpuId, Nanos, TaskId};
use topology::Topology;
use trace::EventKind;
use workload::mix::{Group, Pattern, Spec};
use workload::{Policy, WorkloadSpec};

/// Seven busy threads and a real-time one that runs for 400 ms, on eight equal CPUs under one cache: the setting of the
/// mail of 5 September 2019. The real-time thread wakes where a busy one runs, and one CPU idles.
fn setup(era: Era, form: &str) -> Setup {
    let hogs = Group { boot_cpu: Some(CpuId(0)), ..Group::new(7, Pattern::Hog) };
    let pattern = Pattern::Periodic {
        run: Nanos::from_millis(400),
        period: Nanos::from_secs(10),
        phase: Some(Nanos::from_millis(500)),
    };
    let real_time = Group { policy: Policy::Fifo(10), boot_cpu: Some(CpuId(3)), ..Group::new(1, pattern) };
    let preset = Scenario::from_preset("hikey-schbench").expect("the preset exists").setup(0);
    let topology = Topology::regular(1, 1, 8, 1);
    let mut kernel = Kernel::released(era, 8, 250);
    kernel.patches.set(era, Patch::RtIdleFirst, form).expect("every era can have the patch");
    Setup {
        topology,
        kernel,
        workload: WorkloadSpec::Mix(Spec { groups: vec![hogs, real_time] }),
        // Nothing is taken for interrupts: a full CPU's worth of spare capacity is what a busy thread fits into.
        capacity: 1024,
        until: Nanos::from_millis(1_000),
        ..preset
    }
}

/// The longest time for which a busy thread did not run, from when all of them did.
fn worst_wait(setup: &Setup) -> Nanos {
    let mut engine = Engine::new(setup, Options { keep_events: true, ..Options::default() });
    assert_eq!(engine.run_to_end().state, RunState::Finished);
    let mut left = [None; 7];
    let mut worst = Nanos::ZERO;
    for event in engine.trace().events().iter().filter(|event| event.kind == EventKind::Switch) {
        let (next, prev) = (event.task, TaskId(event.args[0]));
        if let Some(left) = left.get_mut(prev.index()).filter(|_| Nanos::from_millis(400) < event.at) {
            *left = Some(event.at);
        }
        if let Some(since) = left.get_mut(next.index()).and_then(Option::take) {
            worst = worst.max(event.at.saturating_sub(since));
        }
    }
    assert!(left.iter().all(Option::is_none), "everybody runs again before the end");
    worst
}

#[test]
fn before_the_rework_a_busy_thread_waits_for_as_long_as_a_real_time_one_runs() {
    let wait = |era, form| worst_wait(&setup(era, form));
    let before = wait(Era::V5_4, "off");
    let reworked = wait(Era::V5_4Rework, "off");
    println!("v5.4 {before:?}, v5.4-rework {reworked:?}");
    assert!(Nanos::from_millis(300) <= before, "{before:?}");
    assert!(reworked <= Nanos::from_millis(8 + 4), "{reworked:?}");
    for form in ["v1", "v2"] {
        for era in [Era::V5_4, Era::V5_4Rework] {
            assert_eq!(wait(era, form), Nanos::ZERO, "{era} {form}: nobody is preempted");
        }
    }
}
