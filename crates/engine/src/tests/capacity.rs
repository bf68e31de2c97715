//! Machines whose CPUs differ.

use std::collections::BTreeMap;

use kernel::{Era, Governor, Kernel};
use scenario::{CostTable, IdleChoice, Machine, Scenario, Setup};
use sim::{CpuId, Nanos, TaskId};
use topology::Topology;
use trace::{Event, EventKind, MigrateReason, PrevState};
use workload::{WorkloadSpec, mix, periodic};

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

fn hog_begins_on(cpu: u16) -> WorkloadSpec {
    let group = mix::Group { boot_cpu: Some(CpuId(cpu)), ..mix::Group::new(1, mix::Pattern::Hog) };
    WorkloadSpec::Mix(mix::Spec { groups: vec![group] })
}

#[test]
fn a_heavy_task_on_a_little_cpu_is_pushed_to_a_big_idle_one() {
    for era in Era::RUNNABLE {
        let base = setup(&[372, 372, 1024, 372], hog_begins_on(1));
        let engine = run(&Setup { kernel: Kernel::released(*era, 4, 250), ..base }, 600);
        let events = engine.trace().events();
        let moves: Vec<_> = events.iter().filter(|event| event.kind == EventKind::Migrate).collect();
        assert_eq!(moves.len(), 1, "{era}: and stays there");
        assert_eq!((moves[0].cpu, moves[0].detail), (CpuId(2), MigrateReason::Active as u8));
        // The tick that sees the misfit kicks an idle CPU, which balances on behalf of the big one.
        assert!(moves[0].at < Nanos::from_millis(100), "{era}: at {:?}", moves[0].at);
        assert_eq!(engine.counters().active_pushes, 1);
    }
}

#[test]
fn a_heavy_task_stays_where_all_cpus_are_alike() {
    let engine = run(&setup(&[1024, 1024, 1024, 1024], hog_begins_on(1)), 600);
    assert_eq!(engine.counters().active_pushes, 0);
}

#[test]
fn a_task_bound_to_a_little_cpu_is_a_misfit_only_before_v5_12() {
    for (era, misfit) in [(Era::V5_10, true), (Era::V6_1, false)] {
        let group = mix::Group { allowed: Some(vec![CpuId(0)]), ..mix::Group::new(1, mix::Pattern::Hog) };
        let base = setup(&[372, 1024], WorkloadSpec::Mix(mix::Spec { groups: vec![group] }));
        let kernel = Kernel::released(era, 2, 250);
        let engine = run(&Setup { kernel, ..base }, 600);
        assert_eq!(engine.rqs[0].misfit_task_load != 0, misfit, "{era}");
        assert_eq!(engine.tasks[0].cpu, CpuId(0));
    }
}

#[test]
fn a_heavy_sleeper_wakes_on_an_idle_big_cpu() {
    // 8 of 14 ms of a big CPU do not fit a little one.
    for era in Era::RUNNABLE {
        let kernel = Kernel::released(*era, 4, 250);
        let base = setup(&[372, 372, 1024, 1024], periodic(2, 8_000, 6_000));
        let engine = run(&Setup { kernel, ..base }, 1_000);
        let late = Nanos::from_millis(500);
        let placed: Vec<CpuId> = engine
            .trace()
            .events()
            .iter()
            .filter(|event| event.kind == EventKind::Placed && late < event.at)
            .map(|event| event.cpu)
            .collect();
        assert!(10 < placed.len());
        assert!(placed.iter().all(|cpu| 2 <= cpu.0), "{placed:?}");
    }
}

fn device_preset(name: &str) -> &'static topology::MachinePreset {
    topology::MachinePreset::find(name).expect("the device exists")
}

/// A device with zero costs, on which these threads run.
fn device(name: &str, kernel: Kernel, workload: WorkloadSpec) -> Setup {
    let topology = device_preset(name).topology();
    Setup { topology, kernel, ..setup(&[1024], workload) }
}

/// The CPU time on big CPUs, and on little ones, in microseconds, after the first half second.
fn big_and_little(engine: &Engine) -> [u64; 2] {
    let mut since: BTreeMap<CpuId, (Nanos, bool)> = BTreeMap::new();
    let mut sums = [0, 0];
    for event in engine.trace().events().iter().filter(|event| event.kind == EventKind::Switch) {
        if let Some((from, busy)) = since.insert(event.cpu, (event.at, event.task != Event::NO_TASK))
            && busy
            && Nanos::from_millis(500) < from
        {
            let little = engine.config.capacity_orig[event.cpu.index()] < 1024;
            sums[usize::from(little)] += (event.at - from).0 / 1_000;
        }
    }
    sums
}

#[test]
fn small_tasks_are_packed_on_little_cpus_by_energy_and_not_without() {
    for name in ["hikey960", "mtk-2p6"] {
        for era in Era::RUNNABLE {
            let kernel = Kernel::released(*era, 8, 250);
            // 3 % of a big CPU each.
            let workload = periodic(3, 500, 15_000);
            let engine = run(&device(name, kernel.clone(), workload.clone()), 2_000);
            let [big, little] = big_and_little(&engine);
            assert!(big * 20 < little, "{name} {era}: {big} and {little} µs");
            let mut blind = kernel;
            blind.tunables.eas = false;
            let engine = run(&device(name, blind, workload), 2_000);
            let [big_without, _] = big_and_little(&engine);
            assert!(big <= big_without, "{name} {era}");
        }
    }
}

#[test]
fn a_full_cpu_ends_placement_by_energy_until_a_balance_finds_none() {
    let kernel = Kernel::released(Era::V5_10, 8, 250);
    let mut engine = run(&device("hikey960", kernel.clone(), periodic(3, 500, 15_000)), 1_000);
    assert!(!engine.rd_overutilized);
    assert!(engine.find_energy_efficient_cpu(TaskId(0), CpuId(0)).is_some());
    let mut engine = run(&device("hikey960", kernel, hog_begins_on(4)), 1_000);
    assert!(engine.rd_overutilized);
    assert_eq!(engine.find_energy_efficient_cpu(TaskId(0), CpuId(0)), None);
}

/// Kernel v5.10 under schedutil.
fn schedutil() -> Kernel {
    let mut kernel = Kernel::released(Era::V5_10, 8, 250);
    kernel.tunables.governor = Governor::Schedutil;
    kernel
}

/// The frequencies of a CPU, in MHz, in their order.
fn frequencies(engine: &Engine, cpu: u16) -> Vec<u32> {
    let events = engine.trace().events().iter();
    let of_cpu = events.filter(|event| event.kind == EventKind::Frequency && event.cpu == CpuId(cpu));
    of_cpu.map(|event| event.args[0] / 1_000).collect()
}

#[test]
fn schedutil_raises_the_frequency_with_the_load_and_only_in_the_domain() {
    let engine = run(&device("hikey960", schedutil(), hog_begins_on(5)), 600);
    let big = frequencies(&engine, 4);
    assert!(big.windows(2).all(|pair| pair[0] < pair[1]), "{big:?}");
    assert_eq!(big.last(), Some(&2362));
    assert_eq!(frequencies(&engine, 5), big, "CPUs of a domain change together");
    assert!(
        frequencies(&engine, 0).iter().all(|mhz| *mhz < 1844),
        "the other domain has next to nothing to do"
    );
    // Changes are asked for 10 ms apart.
    let events = engine.trace().events().iter();
    let at: Vec<u64> = events
        .filter(|event| event.kind == EventKind::Frequency && event.cpu == CpuId(5))
        .map(|event| event.at.0)
        .collect();
    assert!(at.windows(2).all(|pair| 10_000_000 <= pair[1] - pair[0]), "{at:?}");
}

#[test]
fn a_fixed_frequency_is_the_highest_and_never_changes() {
    let kernel = Kernel::released(Era::V5_10, 8, 250);
    let engine = run(&device("hikey960", kernel, hog_begins_on(5)), 600);
    assert!((0..8).all(|cpu| frequencies(&engine, cpu).is_empty()));
    let [little, big] = [0, 1].map(|domain| engine.energies()[domain].microjoules);
    assert_eq!(little, 0);
    // 550 × 2362 × 1.1² = 1571.9 mW for 600 ms.
    assert!((943_000..943_200).contains(&big), "{big} µJ");
}

#[test]
fn work_is_conserved_when_the_frequency_changes_amid_it() {
    // One thread that may only run on a little CPU, light enough for low frequencies and too heavy for the lowest.
    let pattern = mix::Pattern::Periodic {
        run: Nanos::from_millis(6),
        period: Nanos::from_millis(60),
        phase: Some(Nanos::ZERO),
    };
    let group = mix::Group { allowed: Some(vec![CpuId(0)]), ..mix::Group::new(1, pattern) };
    let spec = WorkloadSpec::Mix(mix::Spec { groups: vec![group] });
    let engine = run(&device("hikey960", schedutil(), spec), 3_000);
    assert!(2 < frequencies(&engine, 0).len(), "it changes");
    let capacity = engine.config.capacity_orig[0];
    let mut rate = rules::invariance::work_rate(capacity, 533, 1844);
    let (mut at, mut runs, mut work, mut bursts) = (0, false, 0, Vec::new());
    for event in engine.trace().events().iter().filter(|event| event.cpu == CpuId(0)) {
        match event.kind {
            EventKind::Frequency | EventKind::Switch if runs => work += (event.at.0 - at) * u64::from(rate),
            EventKind::Frequency | EventKind::Switch => {}
            _ => continue,
        }
        at = event.at.0;
        if event.kind == EventKind::Frequency {
            rate = rules::invariance::work_rate(capacity, u64::from(event.args[0]), 1_844_000);
        } else {
            if runs {
                bursts.push(std::mem::take(&mut work));
            }
            runs = event.task != Event::NO_TASK;
        }
    }
    bursts.retain(|work| *work != 0);
    assert!(30 < bursts.len());
    let whole = 6_000_000u64 << 20;
    assert!(bursts.iter().all(|work| (whole..whole + (1 << 20)).contains(work)), "{bursts:?}");
}

#[test]
fn a_light_load_takes_less_energy_at_the_frequencies_that_it_needs() {
    let fixed = Kernel::released(Era::V5_10, 8, 250);
    let energy = |kernel| {
        let engine = run(&device("mtk-2p6", kernel, periodic(4, 1_000, 15_000)), 2_000);
        engine.energies().iter().map(|domain| domain.microjoules).sum::<u64>()
    };
    let (fixed, scaled) = (energy(fixed), energy(schedutil()));
    assert!(0 < scaled && scaled < fixed, "{scaled} and {fixed} µJ");
}

#[test]
fn the_log_tells_the_idle_state_that_decides_how_long_leaving_takes() {
    let states = |choice: IdleChoice| choice.states(&Machine::Named(device_preset("hikey960")));
    let kernel = Kernel::released(Era::V5_10, 8, 250);
    let asleep = Setup {
        idle_states: states(IdleChoice::DeviceTree),
        ..device("hikey960", kernel.clone(), periodic(3, 700, 9_000))
    };
    let engine = run(&asleep, 200);
    let mut last: BTreeMap<CpuId, u32> = BTreeMap::new();
    let mut depths = std::collections::BTreeSet::new();
    for event in engine.trace().events().iter().filter(|event| event.kind == EventKind::Idle) {
        let state = &asleep.idle_states[event.cpu.index()][usize::from(event.detail)];
        assert_eq!(state.exit_latency, Nanos(event.args[0].into()), "{event:?}");
        last.insert(event.cpu, event.args[0]);
        depths.insert(event.detail);
    }
    assert_eq!(last.len(), 8, "every CPU tells");
    for (cpu, exit_ns) in last {
        assert_eq!(engine.rqs[cpu.index()].idle_exit_ns, u64::from(exit_ns), "{cpu}");
    }
    assert!(2 <= depths.len(), "{depths:?}");

    let without = Options { keep_events: false, check_invariants: true, ..Options::default() };
    let mut silent = Engine::new(&Setup { until: Nanos::from_millis(200), ..asleep.clone() }, without);
    silent.run_to_end();
    assert_eq!(silent.trace().hash(), engine.trace().hash(), "a remark changes no hash");
    assert!(silent.trace().events().is_empty());

    let shallow = Setup { idle_states: states(IdleChoice::Wfi), ..asleep };
    let engine = run(&shallow, 200);
    assert!(
        engine.trace().events().iter().all(|event| event.kind != EventKind::Idle),
        "no choice, no remark"
    );
}

#[test]
fn a_runnable_real_time_task_asks_for_the_highest_frequency() {
    let pattern = mix::Pattern::Periodic {
        run: Nanos::from_micros(200),
        period: Nanos::from_millis(40),
        phase: Some(Nanos::from_millis(5)),
    };
    let policy = workload::Policy::Fifo(2);
    let group = mix::Group { policy, allowed: Some(vec![CpuId(6)]), ..mix::Group::new(1, pattern) };
    let spec = WorkloadSpec::Mix(mix::Spec { groups: vec![group] });
    let engine = run(&device("hikey960", schedutil(), spec), 400);
    assert!(frequencies(&engine, 6).contains(&2362), "{:?}", frequencies(&engine, 6));
    assert!(frequencies(&engine, 0).iter().all(|mhz| *mhz < 1844), "the other domain has nothing to do");
}
