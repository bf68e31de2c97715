//! Machines with real-time tasks, and what their traces tell of wake-ups.

use engine::{Engine, Options};
use kernel::{Era, Kernel, Patch};
use rules::rt::MAX_RT_PRIO;
use scenario::{Scenario, Setup};
use sim::{CpuId, Nanos, TaskId};
use topology::Topology;
use trace::{Event, EventKind, MigrateReason, PrevState};
use workload::mix::{Group, Pattern, Spec};
use workload::{Policy, WorkloadSpec};

pub(crate) fn fifo(priority: u8) -> Policy {
    Policy::Fifo(priority)
}

pub(crate) fn hogs(count: u16) -> Group {
    Group::new(count, Pattern::Hog)
}

pub(crate) fn periodic(count: u16, run_us: u64, period_us: u64) -> Group {
    let (run, period) = (Nanos::from_micros(run_us), Nanos::from_micros(period_us));
    Group::new(count, Pattern::Periodic { run, period, phase: None })
}

/// A second on a machine with the costs of the HiKey.
pub(crate) fn setup(era: Era, topology: Topology, spec: Spec, form: &str) -> Setup {
    let preset = Scenario::from_preset("hikey-schbench").expect("the preset exists").setup(0);
    let mut kernel = Kernel::released(era, topology.len() as u32, 250);
    kernel.patches.set(era, Patch::RtIdleFirst, form).expect("every era has the patch");
    let (workload, until) = (WorkloadSpec::Mix(spec), Nanos::from_secs(1));
    Setup { topology, kernel, workload, until, seed: 1, ..preset }
}

pub(crate) fn run(setup: &Setup) -> Engine {
    let mut engine = Engine::new(setup, Options { keep_events: true, ..Options::default() });
    engine.run_to_end();
    engine
}

/// A real-time wake-up, with what the machine looked like when it was placed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wakeup {
    pub(crate) prio: u8,
    pub(crate) prev_cpu: CpuId,
    pub(crate) cpu: CpuId,
    /// The priority of the real-time task on the previous CPU, if there is one.
    pub(crate) prev_prio: Option<u8>,
    /// Who runs on the chosen CPU.
    pub(crate) finds: Finds,
    pub(crate) idle_in_domain: bool,
    /// The real-time task of the previous CPU goes to another one before it runs there again.
    pub(crate) loser_moves: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finds {
    Idle,
    Fair,
    RealTime,
}

fn prio_of(engine: &Engine, task: TaskId) -> u8 {
    match engine.workload().threads()[task.index()].policy {
        Policy::Normal => 120,
        Policy::Fifo(priority) | Policy::RoundRobin(priority) => 99 - priority,
    }
}

/// Every placement of a waking real-time task.
pub(crate) fn waking(engine: &Engine, topology: &Topology) -> Vec<Wakeup> {
    let events = engine.trace().events();
    let built = topology::build_domains(topology);
    let cpus = topology.len();
    let domains: Vec<Vec<CpuId>> =
        built.by_cpu.iter().map(|domains| domains[0].span.iter().collect()).collect();
    let mut running = vec![Event::NO_TASK; cpus];
    let mut queued = vec![0; cpus];
    let mut wakeups = Vec::new();
    for (position, event) in events.iter().enumerate() {
        match event.kind {
            EventKind::Switch => running[event.cpu.index()] = event.task,
            EventKind::QueueLength => queued[event.cpu.index()] = event.args[0],
            EventKind::Placed if prio_of(engine, event.task) < MAX_RT_PRIO => {
                let idle = |cpu: CpuId| running[cpu.index()] == Event::NO_TASK && queued[cpu.index()] == 0;
                let on = |cpu: CpuId| match running[cpu.index()] {
                    Event::NO_TASK => None,
                    task => Some((task, prio_of(engine, task))),
                };
                let prev_cpu = CpuId(event.args[0] as u16);
                let rival = on(prev_cpu).filter(|(_, prio)| *prio < MAX_RT_PRIO);
                let finds = match on(event.cpu) {
                    None => Finds::Idle,
                    Some((_, prio)) if prio < MAX_RT_PRIO => Finds::RealTime,
                    Some(_) => Finds::Fair,
                };
                wakeups.push(Wakeup {
                    prio: prio_of(engine, event.task),
                    prev_cpu,
                    cpu: event.cpu,
                    prev_prio: rival.map(|(_, prio)| prio),
                    finds,
                    idle_in_domain: domains[prev_cpu.index()].iter().any(|cpu| idle(*cpu)),
                    loser_moves: rival
                        .is_some_and(|(task, _)| makes_way(&events[position..], task, event.task)),
                });
            }
            _ => {}
        }
    }
    wakeups
}

/// Whether a running task is preempted by another and goes to another CPU before anything else becomes of it.
fn makes_way(events: &[Event], task: TaskId, by: TaskId) -> bool {
    for event in events {
        let left = event.kind == EventKind::Switch && event.args[0] == task.0;
        if left && (event.detail != PrevState::Preempted as u8 || event.task != by) {
            return false;
        }
        if event.kind == EventKind::Migrate && event.task == task {
            // Whoever is quicker: the CPU that it waits on, or one whose work has just become less urgent.
            return [MigrateReason::RtPush, MigrateReason::RtPull]
                .iter()
                .any(|way| event.detail == *way as u8);
        }
        if event.kind == EventKind::Switch && event.task == task {
            return false;
        }
    }
    false
}

/// How often a fair task was preempted by a real-time one.
pub(crate) fn preemptions(engine: &Engine) -> usize {
    let events = engine.trace().events().iter();
    events
        .filter(|event| {
            event.kind == EventKind::Switch
                && event.detail == PrevState::Preempted as u8
                && event.task != Event::NO_TASK
                && prio_of(engine, event.task) < MAX_RT_PRIO
                && MAX_RT_PRIO <= prio_of(engine, TaskId(event.args[0]))
        })
        .count()
}
