//! Pipes, short-lived children and executed programs, seen from inside.

use kernel::{Era, Kernel};
use scenario::{Scenario, Setup};
use sim::{CpuId, Nanos, TaskId};
use topology::Topology;
use trace::{EventKind, MigrateReason};
use workload::{WorkloadSpec, execl, pipe_switch, spawn};

use crate::core::ttwu::Waker;
use crate::task::{Stage, TaskState};
use crate::{Engine, Options};

/// A machine that has run for a while.
fn after(millis: u64, topology: Topology, workload: WorkloadSpec) -> Engine {
    let preset = Scenario::from_preset("hikey-schbench").expect("the preset exists").setup(0);
    let kernel = Kernel::released(Era::V6_1, topology.len() as u32, 250);
    let setup = Setup { topology, kernel, workload, until: Nanos::from_secs(1), ..preset };
    let mut engine =
        Engine::new(&setup, Options { keep_events: true, check_invariants: true, ..Options::default() });
    engine.run(Nanos::from_millis(millis), u64::MAX);
    engine
}

/// Where a task is that a CPU executes.
fn executing(engine: &Engine, task: TaskId) -> bool {
    engine.rqs[engine.tasks[task.index()].cpu.index()].curr == Some(task)
}

#[test]
fn a_waker_that_is_about_to_sleep_pulls_its_wakee_across_caches() {
    let spec = WorkloadSpec::PipeSwitch(pipe_switch::Spec { copies: 1 });
    let mut engine = after(0, Topology::regular(1, 2, 2, 1), spec);
    let (first, second) = (TaskId(0), TaskId(1));
    // The two begin under different caches. The second waits for the token when the first wakes it.
    let [home, prev] = [first, second].map(|task| engine.tasks[task.index()].cpu);
    assert!(!engine.config.shares_cache(home, prev));
    while engine.tasks[second.index()].state != TaskState::Sleeping || !executing(&engine, first) {
        engine.run(Nanos::NEVER, 1);
    }
    let place = |sync| {
        let waker = Some(Waker { task: first, sync });
        engine.clone().select_task_rq_fair(second, prev, home, waker).cpu
    };
    assert_eq!(place(false), prev, "its own CPU is idle");
    let pulled = place(true);
    assert!(engine.config.shares_cache(home, pulled), "an idle CPU beside the waker's");
    // From then on they stay together.
    engine.run(Nanos::from_millis(5), u64::MAX);
    let [one, other] = [first, second].map(|task| engine.tasks[task.index()].cpu);
    assert!(engine.config.shares_cache(one, other));
    assert!(50 < engine.workload().operations(), "and talk to each other");
}

#[test]
fn a_program_that_executes_another_leaves_a_cpu_that_it_shares() {
    let spec = WorkloadSpec::Execl(execl::Spec { copies: 2 });
    let mut engine = after(9, Topology::regular(1, 1, 2, 1), spec);
    let (task, other) = (TaskId(0), TaskId(1));
    assert_eq!(
        engine.counters().exec_moves,
        0,
        "alone on its CPU it stays, for without it that CPU idles too"
    );
    let [from, to] = [task, other].map(|task| engine.tasks[task.index()].cpu);
    assert_ne!(from, to);
    while !matches!(engine.tasks[task.index()].stage, Stage::Compute) || !executing(&engine, task) {
        engine.run(Nanos::NEVER, 1);
    }
    engine.this_cpu = Some(from);
    engine.move_running_task(from, task, to);
    engine.this_cpu = None;
    engine.check_invariants();
    assert_eq!((engine.rqs[from.index()].nr_running, engine.rqs[to.index()].nr_running), (0, 2));
    // Whoever of the two comes first to its next program goes to the CPU that idles.
    engine.run(Nanos(engine.now + 900_000), u64::MAX);
    assert_eq!(engine.counters().exec_moves, 2);
    let moves: Vec<CpuId> = engine
        .trace()
        .events()
        .iter()
        .filter(|event| event.kind == EventKind::Migrate && event.detail == MigrateReason::Exec as u8)
        .map(|event| event.cpu)
        .collect();
    assert_eq!(moves, [to, from]);
    assert_eq!((engine.rqs[from.index()].nr_running, engine.rqs[to.index()].nr_running), (1, 1));
}

#[test]
fn threads_that_ended_leave_no_load_behind() {
    let spec = WorkloadSpec::Spawn(spawn::Spec { copies: 1 });
    let mut engine = after(200, Topology::regular(1, 1, 2, 1), spec);
    let children = engine.workload().operations();
    assert!(500 < children, "{children} children");
    for rq in 0..2 {
        engine.update_blocked_averages(CpuId(rq));
        // A child starts with the load of a whole task, and five hundred of them would add up.
        let load = engine.rqs[usize::from(rq)].cfs.avg.load_avg;
        assert!(load < 2 * 1024, "cpu{rq} still carries {load}");
    }
}

#[test]
fn the_next_thread_of_an_id_knows_nothing_of_the_last() {
    let spec = WorkloadSpec::Spawn(spawn::Spec { copies: 1 });
    let mut engine = after(50, Topology::regular(1, 1, 2, 1), spec);
    let child = TaskId(1);
    while engine.tasks[child.index()].state != TaskState::Dead || engine.tasks[child.index()].on_cpu {
        engine.run(Nanos::NEVER, 1);
    }
    let ran_ns = engine.tasks[child.index()].se.sum_exec_runtime;
    engine.tasks[child.index()].util_est.ewma = 700;
    engine.tasks[child.index()].wakee.flips = 9;
    while engine.tasks[child.index()].state == TaskState::Dead {
        engine.run(Nanos::NEVER, 1);
    }
    let next = &engine.tasks[child.index()];
    assert_eq!((next.util_est.value(), next.wakee.flips), (0, 0));
    assert_eq!(next.se.avg.load_avg, 1024, "a new task is taken for a busy one");
    assert!(0 < ran_ns && ran_ns <= next.se.sum_exec_runtime, "its id keeps what it has used");
}

#[test]
fn a_fork_waits_until_the_last_thread_of_its_id_has_left_its_cpu() {
    let spec = WorkloadSpec::Spawn(spawn::Spec { copies: 1 });
    let mut engine = after(0, Topology::regular(1, 1, 2, 1), spec);
    let (parent, child) = (TaskId(0), TaskId(1));
    engine.tasks[child.index()].state = TaskState::Dead;
    engine.tasks[child.index()].on_cpu = true;
    engine.run(Nanos::from_millis(2), u64::MAX);
    assert_eq!(engine.tasks[child.index()].state, TaskState::Dead);
    assert_eq!(engine.tasks[parent.index()].stage, Stage::Fork { child });
    assert!(executing(&engine, parent), "it spends the time");
    engine.tasks[child.index()].on_cpu = false;
    engine.run(Nanos::from_millis(3), u64::MAX);
    assert!(1 < engine.workload().operations());
}
