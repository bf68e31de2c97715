//! Random machines with random work, with the whole state checked after every event.

use engine::{Engine, Options, RunState};
use kernel::{Availability, Era, Governor, Kernel, Patch};
use scenario::{CostTable, Scenario, Setup};
use sim::{CpuId, Nanos, Stream};
use topology::{MACHINE_PRESETS, Topology};
use workload::{
    Policy, Transport, WorkloadSpec, execl, hackbench, hogs, mix, periodic, pipe_switch, schbench, spawn,
};

/// How many scenarios a commit and the long form see.
const SCENARIOS: (u64, u64) = (60, 1_000);

fn random_setup(seed: u64) -> Setup {
    let mut stream = Stream::new(seed, 0, 99);
    let mut pick = |from: u32, to: u32| from + stream.below(to - from + 1);
    let (packages, llcs, cores, threads) =
        (pick(1, 2) as u16, pick(1, 3) as u16, pick(1, 4) as u16, pick(1, 2) as u16);
    let mut topology = Topology::regular(packages, llcs, cores, threads);
    // Some machines have slower cores.
    if pick(0, 2) == 0 {
        let capacities: Vec<u32> =
            topology.cpus.iter().map(|_| [1024, 777, 462, 100][pick(0, 3) as usize]).collect();
        for cpu in &mut topology.cpus {
            cpu.capacity = capacities[usize::from(cpu.core)];
        }
    }
    // Some are devices, whose frequencies and powers are known.
    if pick(0, 4) == 0 {
        let devices: Vec<_> = MACHINE_PRESETS.iter().filter(|preset| preset.device.is_some()).collect();
        topology = devices[pick(0, devices.len() as u32 - 1) as usize].topology();
    }
    let hz = [100, 250, 300, 1000][pick(0, 3) as usize];
    let era = Era::RUNNABLE[pick(0, Era::RUNNABLE.len() as u32 - 1) as usize];
    let mut kernel = Kernel::released(era, topology.len() as u32, hz);
    let form = ["off", "merged", "group_weight", "shift"][pick(0, 3) as usize];
    if !matches!(Patch::LlcSpread.availability(era), Availability::Impossible(_)) {
        kernel
            .patches
            .set(era, Patch::LlcSpread, form)
            .expect("an era that can have the patch has every form");
    }
    let pending = ["off", "merged"][pick(0, 1) as usize];
    kernel.patches.set(era, Patch::TtwuPending, pending).expect("every runnable era can have it");
    let rt_form = ["off", "v2", "v1"][pick(0, 2) as usize];
    kernel.patches.set(era, Patch::RtIdleFirst, rt_form).expect("every era can have it");
    kernel.tunables.rt_runtime_share = pick(0, 1) != 0;
    kernel.tunables.rt_runtime_ns = [950_000_000, 90_000_000, 1_000_000_000][pick(0, 2) as usize];
    kernel.tunables.rt_period_ns = [1_000_000_000, 100_000_000][pick(0, 1) as usize];
    kernel.tunables.newidle_balance = pick(0, 3) != 0;
    kernel.tunables.ttwu_queue = pick(0, 3) != 0;
    kernel.tunables.governor = [Governor::Performance, Governor::Schedutil][pick(0, 1) as usize];
    let (workload, millis) = random_workload(&mut pick, topology.len() as u16);
    let preset = Scenario::from_preset("hikey-schbench").expect("the preset exists").setup(0);
    // Some machines do everything but compute in no time.
    let costs = if pick(0, 7) == 0 { CostTable::free() } else { preset.costs.clone() };
    Setup { topology, kernel, workload, costs, seed, until: Nanos::from_millis(millis), ..preset }
}

/// What runs, and for how many milliseconds: less where every microsecond has an event.
fn random_workload(pick: &mut impl FnMut(u32, u32) -> u32, cpus: u16) -> (WorkloadSpec, u64) {
    match pick(0, 8) {
        0 => {
            let spec = schbench::Spec {
                generation: schbench::Generation::Y2019,
                message_threads: pick(1, 3) as u16,
                worker_threads: pick(1, 9) as u16,
                sleep_us: pick(0, 20_000),
                think_us: pick(50, 50_000),
                runtime_s: 1,
            };
            (WorkloadSpec::Schbench(spec), 400)
        }
        1 => {
            let nice = (0..pick(1, 30)).map(|_| pick(0, 39) as i8 - 20).collect();
            (WorkloadSpec::Hogs(hogs::Spec { nice }), 400)
        }
        2 => {
            let spec = periodic::Spec {
                threads: pick(1, 40) as u16,
                run: Nanos::from_micros(u64::from(pick(50, 9_000))),
                sleep: Nanos::from_micros(u64::from(pick(50, 9_000))),
            };
            (WorkloadSpec::Periodic(spec), 400)
        }
        3 => {
            let spec = hackbench::Spec {
                groups: pick(1, 3) as u16,
                fds: pick(1, 6) as u16,
                loops: pick(1, 300),
                transport: [Transport::Pipe, Transport::Socket][pick(0, 1) as usize],
            };
            (WorkloadSpec::Hackbench(spec), 100)
        }
        4 => (WorkloadSpec::PipeSwitch(pipe_switch::Spec { copies: pick(1, 30) as u16 }), 20),
        5 => (WorkloadSpec::Spawn(spawn::Spec { copies: pick(1, 30) as u16 }), 50),
        6 => (WorkloadSpec::Execl(execl::Spec { copies: pick(1, 40) as u16 }), 100),
        _ => (WorkloadSpec::Mix(random_mix(pick, cpus)), 400),
    }
}

/// Groups that are bound or not.
fn random_mix(pick: &mut impl FnMut(u32, u32) -> u32, cpus: u16) -> mix::Spec {
    // Unbound real-time tasks are promised more than bound ones.
    let unbound = pick(0, 1) == 0;
    let groups = (0..pick(1, 6)).map(|_| {
        let pattern = if pick(0, 3) == 0 {
            mix::Pattern::Hog
        } else {
            let run = Nanos::from_micros(u64::from(pick(20, 3_000)));
            let period = Nanos::from_micros(u64::from(pick(500, 12_000)));
            mix::Pattern::Periodic { run, period, phase: None }
        };
        let nice = pick(0, 39) as i8 - 20;
        // Few priorities, so that many are equal.
        let priority = 10 * pick(1, 3) as u8;
        let policy = match pick(0, 3) {
            0 => Policy::Fifo(priority),
            1 => Policy::RoundRobin(priority),
            _ => Policy::Normal,
        };
        let mut allowed: Vec<CpuId> =
            (0..pick(0, 4)).map(|_| CpuId(pick(0, u32::from(cpus) - 1) as u16)).collect();
        allowed.sort_unstable();
        allowed.dedup();
        let may_be_bound = !unbound || policy == Policy::Normal;
        let allowed = Some(allowed).filter(|allowed| !allowed.is_empty() && may_be_bound);
        let boot_cpu = allowed.as_ref().map(|allowed| allowed[0]).filter(|_| pick(0, 1) == 0);
        mix::Group { policy, nice, allowed, boot_cpu, ..mix::Group::new(pick(1, 5) as u16, pattern) }
    });
    mix::Spec { groups: groups.collect() }
}

#[test]
fn random_scenarios_keep_every_invariant() {
    let slow = std::env::var_os("RUNQUEUE_SLOW").is_some();
    let (origin, count) = if slow {
        let origin =
            std::env::var("RUNQUEUE_SLOW_SEED").expect("the long form names where its seeds come from");
        println!("scenarios from {origin}");
        (sim::stable_hash(origin.as_str()) >> 1, SCENARIOS.1)
    } else {
        (4_400_000, SCENARIOS.0)
    };
    for seed in origin..origin + count {
        let setup = random_setup(seed);
        let describe = || format!("seed {seed}: {:?} on {} CPUs", setup.workload, setup.topology.len());
        println!("{}", describe());
        let mut engine = Engine::new(&setup, Options { check_invariants: true, ..Options::default() });
        let progress = engine.run_to_end();
        assert_eq!(progress.state, RunState::Finished, "{}", describe());
        let mut eager = Engine::new(&setup, Options { every_tick: true, ..Options::default() });
        eager.run_to_end();
        assert_eq!(engine.trace_hash(), eager.trace_hash(), "{}", describe());
        assert_eq!(engine.state_hash(), eager.state_hash(), "{}", describe());
        let elapsed = progress.now.0 * setup.topology.len() as u64;
        let used: u64 = engine.cpu_times().iter().sum();
        assert!(used <= elapsed, "{}: {used} ns of CPU in {elapsed}", describe());
    }
}
