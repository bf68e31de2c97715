//! Machines whose CPUs differ.

use std::collections::BTreeMap;

use kernel::{Era, Kernel};
use scenario::{CostTable, Scenario, Setup};
use sim::{CpuId, Nanos, TaskId};
use topology::Topology;
use trace::{Event, EventKind, PrevState};
use workload::{WorkloadSpec, periodic};

use crate::{Engine, Options};

/// CPUs of these capacities under one cache, on which nothing but computing takes time.
fn setup(capacities: &[u32], workload: WorkloadSpec) -> Setup {
    let preset = Scenario::from_preset("hikey-schbench").expect("the preset exists").setup(0);
    let mut topology = Topology::regular(1, 1, capacities.len() as u16, 1);
    for (cpu, capacity) in topology.cpus.iter_mut().zip(capacities) {
        cpu.capacity = *capacity;
    }
    let kernel = Kernel::released(Era::V5_10, topology.len() as u32, 250);
    Setup { topology, kernel, workload, costs: CostTable::free(), seed: 1, ..preset }
}

fn periodic(threads: u16, run_us: u64, sleep_us: u64) -> WorkloadSpec {
    WorkloadSpec::Periodic(periodic::Spec {
        threads,
        run: Nanos::from_micros(run_us),
        sleep: Nanos::from_micros(sleep_us),
    })
}

/// A run of so many milliseconds, with its events.
fn run(setup: &Setup, millis: u64) -> Engine {
    let setup = Setup { until: Nanos::from_millis(millis), ..setup.clone() };
    let options = Options { keep_events: true, check_invariants: true, ..Options::default() };
    let mut engine = Engine::new(&setup, options);
    engine.run_to_end();
    engine
}

/// For each time a task ran until it slept: nanoseconds times capacity, summed over the pieces, and how many CPUs there
/// were. A first turn, which only sleeps, is left out.
fn bursts(engine: &Engine) -> Vec<(u64, usize)> {
    let capacity = |cpu: CpuId| engine.config.capacity_orig[cpu.index()];
    let mut since: BTreeMap<CpuId, Nanos> = BTreeMap::new();
    let mut open: BTreeMap<TaskId, (u64, Vec<CpuId>)> = BTreeMap::new();
    let mut closed = Vec::new();
    for event in engine.trace().events().iter().filter(|event| event.kind == EventKind::Switch) {
        let prev = TaskId(event.args[0]);
        if prev != Event::NO_TASK {
            let (work, cpus) = open.entry(prev).or_default();
            *work += (event.at - since[&event.cpu]).0 * capacity(event.cpu);
            cpus.push(event.cpu);
            if event.detail == PrevState::Sleeping as u8 {
                let (work, mut cpus) = open.remove(&prev).unwrap_or_default();
                cpus.dedup();
                closed.push((work, cpus.len()));
            }
        }
        since.insert(event.cpu, event.at);
    }
    closed.retain(|(work, _)| *work != 0);
    closed
}

#[test]
fn a_slow_cpu_takes_longer_for_the_same_work() {
    let engine = run(&setup(&[341], periodic(1, 2_000, 3_000)), 500);
    let bursts = bursts(&engine);
    assert!(30 < bursts.len());
    for (work, _) in bursts {
        assert_eq!(work, (2_000_000u64 * 1024).div_ceil(341) * 341);
    }
}

#[test]
fn work_is_conserved_when_tasks_are_preempted_and_move_between_unequal_cpus() {
    let engine = run(&setup(&[1024, 777, 341], periodic(6, 9_000, 4_000)), 2_000);
    let bursts = bursts(&engine);
    assert!(bursts.iter().any(|(_, cpus)| 2 <= *cpus), "somebody moves amid its work");
    for (work, _) in bursts {
        let whole = 9_000_000 * 1024;
        assert!(
            (whole..whole + 1024).contains(&work),
            "{work} is not {whole}, up to a nanosecond at the end"
        );
    }
}

#[test]
fn utilisation_counts_work_and_not_time() {
    // 2 ms of a full CPU every 10 ms, of which the slow one works 4 and sleeps 6. It peaks at the end of a burst.
    let [fast, slow] = [(1024, 8_000), (512, 6_000)].map(|(capacity, sleep_us)| {
        let engine = run(&setup(&[capacity], periodic(1, 2_000, sleep_us)), 990);
        engine.tasks[0].util_est.value()
    });
    assert!(fast.abs_diff(slow) <= 8, "{fast} and {slow}");
    assert!((200..300).contains(&fast), "{fast}");
}
