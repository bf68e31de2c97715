use std::collections::BTreeMap;

use kernel::{Era, Form, Governor, Kernel, Patch, PatchSet};
use sim::Nanos;
use topology::{CpuKind, MACHINE_PRESETS, MachinePreset, Shape, Topology};
use workload::{WorkloadSpec, execl, hackbench, hogs, periodic, pipe_switch, schbench, spawn};

use crate::keys::Key;
use crate::{Column, CostSet, Costs, IdleState, LaunchChoice, Preset, Setup};

/// What is simulated: a machine, a kernel, a workload, and the columns that are compared.
///
/// Can hold values that make no sense; [`validate`](crate::validate) says which.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scenario {
    /// The preset that it started from, or nothing.
    pub preset: String,
    /// What people call it.
    pub title: String,
    /// The machine.
    pub machine: Machine,
    /// Its idle states.
    pub idle: IdleChoice,
    /// The kernel, up to its patches.
    pub kernel: KernelChoice,
    /// The patches that are not as the kernel was released: off, or a form.
    pub patches: BTreeMap<Patch, Option<Form>>,
    /// What things cost.
    pub costs: Costs,
    /// What runs.
    pub workload: WorkloadChoice,
    /// Names the random streams; all columns share it.
    pub seed: u64,
    /// Limits of the run.
    pub run: RunChoice,
    /// What is compared: each column changes some of the values above.
    pub columns: Vec<Column>,
}

/// A machine: one that has a name, or one of one's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Machine {
    /// One that has a name.
    Named(&'static MachinePreset),
    /// A regular machine.
    Custom {
        /// How it is divided.
        shape: Shape,
        /// The capacity of each core, 1 to 1024; empty where all have 1024.
        capacities: Vec<u32>,
    },
}

/// How a CPU idles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdleChoice {
    /// It waits for an interrupt and is back at once.
    Wfi,
    /// The idle states of the machine's device tree, or of the HiKey 620's where it has none.
    DeviceTree,
}

/// The kernel, up to its patches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelChoice {
    /// Its version.
    pub era: Era,
    /// Ticks a second: 100, 250, 300 or 1000.
    pub hz: u32,
    /// `sched_latency` in nanoseconds where it is not what the kernel sets for the machine.
    pub latency_ns: Option<u64>,
    /// `sched_min_granularity` in nanoseconds where it is not what the kernel sets for the machine.
    pub min_granularity_ns: Option<u64>,
    /// `sched_wakeup_granularity` in nanoseconds where it is not what the kernel sets for the machine.
    pub wakeup_granularity_ns: Option<u64>,
    /// Whether a wake-up for an idle CPU of the same cache goes through its wake list, where it is not what the version
    /// does (f3dd3f674555, since v6.0).
    pub wake_list_idle: Option<bool>,
    /// Whether a CPU that runs out of work looks for some.
    pub newidle: bool,
    /// Whether the balancer leaves tasks alone whose utilisation is too big for the gap.
    pub util_test: bool,
    /// Who chooses frequencies, on machines whose frequencies are known.
    pub governor: Governor,
    /// Whether wake-ups look at energy, on machines whose CPUs differ and whose powers are known.
    pub eas: bool,
    /// `capacity_of` a CPU of capacity 1024, 1 to 4096.
    pub capacity: u32,
}

/// What runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WorkloadChoice {
    /// The schbench benchmark.
    Schbench(schbench::Spec),
    /// Threads that always want to run.
    Hogs(HogsChoice),
    /// Threads that compute and sleep in turn.
    Periodic(PeriodicChoice),
    /// The hackbench benchmark.
    Hackbench(hackbench::Spec),
    /// `context1` of UnixBench: pairs of threads that pass a token over pipes.
    Context1(CopiesChoice),
    /// `spawn` of UnixBench: threads that create short-lived children.
    Spawn(CopiesChoice),
    /// `execl` of UnixBench: threads that execute one program after the other.
    Execl(CopiesChoice),
    /// The launch of an Android application.
    Launch(LaunchChoice),
}

/// Threads that always want to run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HogsChoice {
    /// How many of which nice level start one after the other, -20 to 19.
    pub nice: Vec<(i8, u16)>,
    /// How long they run, in seconds.
    pub runtime_s: u32,
}

/// Threads that compute and sleep in turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PeriodicChoice {
    /// How many.
    pub threads: u16,
    /// CPU time of a round in microseconds.
    pub run_us: u32,
    /// Sleep after a round in microseconds.
    pub sleep_us: u32,
    /// How long they do so, in seconds.
    pub runtime_s: u32,
}

/// A test of UnixBench.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CopiesChoice {
    /// How many copies run at once.
    pub copies: u16,
    /// How long they run, in milliseconds: much happens in each.
    pub runtime_ms: u32,
}

/// Limits of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunChoice {
    /// The most events of one column.
    pub max_events: u64,
}

/// How much longer than its run time a workload may take to end by itself before the run is stopped: the last workers
/// have to get a CPU to see that it is over.
const SHUTDOWN: Nanos = Nanos::from_secs(60);

/// When a workload that ends by itself, after a fixed amount of work, is stopped at the latest.
const LONGEST: Nanos = Nanos::from_secs(3_600);

/// When a launch that never shows its first frame is given up.
const LONGEST_LAUNCH: Nanos = Nanos::from_secs(30);

impl Default for Scenario {
    /// What a scenario without a preset says where it says nothing. Links and files leave these values out, so they
    /// can never change.
    fn default() -> Scenario {
        Scenario {
            preset: String::new(),
            title: String::new(),
            machine: Machine::Named(&MACHINE_PRESETS[0]),
            idle: IdleChoice::Wfi,
            kernel: KernelChoice::default(),
            patches: BTreeMap::new(),
            costs: Costs::from(CostSet::Hikey),
            workload: WorkloadChoice::default(),
            seed: 1,
            run: RunChoice::default(),
            columns: vec![Column::named("base")],
        }
    }
}

impl Scenario {
    /// The newest version of the schema that this build reads.
    pub const VERSION: u32 = 1;

    /// The scenario of a preset.
    pub fn from_preset(name: &str) -> Option<Scenario> {
        Preset::find(name).map(|preset| preset.scenario.clone())
    }

    /// What this scenario is told apart from: the one of its preset, or the default.
    pub fn origin(&self) -> Scenario {
        Scenario::from_preset(&self.preset).unwrap_or_default()
    }

    /// What a column runs: the shared values with its own over them. Values that cannot be set are left out, which
    /// [`validate`](crate::validate) reports.
    pub fn resolved(&self, column: usize) -> Scenario {
        let mut scenario = self.clone();
        scenario.columns = vec![self.columns[column].clone()];
        for (key, value) in self.columns[column].settings() {
            // Validation has said so already, with everything else.
            let _ = Key::find(key).and_then(|key| key.set(&mut scenario, value));
        }
        scenario
    }

    /// What the engine takes to run a column, 0 to the number of columns less one, of a valid scenario.
    pub fn setup(&self, column: usize) -> Setup {
        debug_assert!(crate::validate(self).is_empty(), "only a valid scenario can be run");
        let scenario = self.resolved(column);
        let topology = scenario.machine.topology();
        Setup {
            kernel: scenario.kernel(topology.len() as u32),
            workload: scenario.workload.spec(&topology),
            topology,
            costs: scenario.costs.table.clone(),
            capacity: scenario.kernel.capacity,
            idle_states: scenario.idle.states(&scenario.machine),
            seed: scenario.seed,
            until: scenario.workload.until(),
            max_events: scenario.run.max_events,
        }
    }

    /// The kernel on a machine of `cpus` CPUs, with its patches.
    fn kernel(&self, cpus: u32) -> Kernel {
        let choice = &self.kernel;
        let mut kernel = Kernel::released(choice.era, cpus, choice.hz);
        let tunables = &mut kernel.tunables;
        tunables.ttwu_queue_idle = choice.wake_list_idle.unwrap_or(tunables.ttwu_queue_idle);
        tunables.newidle_balance = choice.newidle;
        tunables.util_test = choice.util_test;
        tunables.eas = choice.eas;
        tunables.governor = choice.governor;
        tunables.latency_ns = choice.latency_ns.unwrap_or(tunables.latency_ns);
        tunables.min_granularity_ns = choice.min_granularity_ns.unwrap_or(tunables.min_granularity_ns);
        tunables.wakeup_granularity_ns =
            choice.wakeup_granularity_ns.unwrap_or(tunables.wakeup_granularity_ns);
        if choice.latency_ns.is_some() || choice.min_granularity_ns.is_some() {
            // The kernel recomputes it whenever one of the two is written.
            tunables.nr_latency = tunables.latency_ns.div_ceil(tunables.min_granularity_ns.max(1)) as u32;
        }
        for (patch, form) in &self.patches {
            // An impossible patch has been reported by validation.
            let _ = kernel.patches.set(choice.era, *patch, form_name(*patch, *form));
        }
        kernel
    }

    /// `off` or the form in which a patch is applied.
    pub fn patch_value(&self, patch: Patch) -> &'static str {
        match self.patches.get(&patch) {
            Some(form) => form_name(patch, *form),
            None => PatchSet::for_era(self.kernel.era).value(patch),
        }
    }

    /// Forgets choices of patches that say what the kernel does anyway, so that equal scenarios are equal.
    pub(crate) fn drop_released_patches(&mut self) {
        let released = PatchSet::for_era(self.kernel.era);
        self.patches.retain(|patch, form| released.form(*patch) != *form);
    }
}

/// `off` or the name of a form.
fn form_name(patch: Patch, form: Option<Form>) -> &'static str {
    form.and_then(|form| patch.info().forms.get(usize::from(form.0))).map_or("off", |form| form.name)
}

impl Default for KernelChoice {
    fn default() -> KernelChoice {
        KernelChoice {
            era: Era::V5_10,
            hz: 250,
            latency_ns: None,
            min_granularity_ns: None,
            wakeup_granularity_ns: None,
            wake_list_idle: None,
            newidle: true,
            util_test: true,
            governor: Governor::Performance,
            eas: true,
            capacity: 1021,
        }
    }
}

impl Default for RunChoice {
    fn default() -> RunChoice {
        RunChoice { max_events: 50_000_000 }
    }
}

impl Machine {
    /// How it is divided.
    pub fn shape(&self) -> Shape {
        match self {
            Machine::Named(preset) => preset.shape,
            Machine::Custom { shape, .. } => *shape,
        }
    }

    /// The capacity of each core; empty where all have 1024.
    pub fn capacities(&self) -> &[u32] {
        match self {
            Machine::Named(preset) => preset.capacities,
            Machine::Custom { capacities, .. } => capacities,
        }
    }

    /// Its CPUs.
    pub fn topology(&self) -> Topology {
        match self {
            Machine::Named(preset) => preset.topology(),
            Machine::Custom { shape, capacities } => shape.topology(capacities),
        }
    }

    /// The name used outside.
    pub fn name(&self) -> &'static str {
        match self {
            Machine::Named(preset) => preset.name,
            Machine::Custom { .. } => "custom",
        }
    }

    /// The same machine as one of one's own, to change it.
    pub(crate) fn customised(&self) -> (Shape, Vec<u32>) {
        (self.shape(), self.capacities().to_vec())
    }
}

impl IdleChoice {
    /// For each CPU its states from the shallowest on, or one list for all. Waiting for an interrupt costs nothing here
    /// because the calibrated kick contains it; the others are those of the machine's device tree, or of the HiKey 620's
    /// where it has none. They stop the local timer.
    pub fn states(self, machine: &Machine) -> Vec<Vec<IdleState>> {
        let state = |name: &str, exit_us, residency_us| IdleState {
            name: name.to_owned(),
            exit_latency: Nanos::from_micros(exit_us),
            min_residency: Nanos::from_micros(residency_us),
        };
        let wfi = || state("WFI", 0, 0);
        let device = match machine {
            Machine::Named(MachinePreset { device: Some(device), .. }) => Some(device),
            _ => None,
        };
        match (self, device) {
            (IdleChoice::Wfi, _) => vec![vec![wfi()]],
            (IdleChoice::DeviceTree, None) => {
                vec![vec![wfi(), state("CPU_SLEEP", 250, 1_000), state("CLUSTER_SLEEP", 700, 2_700)]]
            }
            (IdleChoice::DeviceTree, Some(device)) => {
                let deeper = |kind: &'static CpuKind| {
                    kind.idle
                        .iter()
                        .map(|spec| state(spec.name, u64::from(spec.exit_us), u64::from(spec.residency_us)))
                };
                device.kinds().map(|kind| std::iter::once(wfi()).chain(deeper(kind)).collect()).collect()
            }
        }
    }
}

impl Default for WorkloadChoice {
    fn default() -> WorkloadChoice {
        WorkloadChoice::Schbench(schbench::Spec {
            generation: schbench::Generation::Y2019,
            message_threads: 2,
            worker_threads: 4,
            sleep_us: 10_000,
            think_us: 1_000_000,
            runtime_s: 10,
        })
    }
}

impl Default for HogsChoice {
    fn default() -> HogsChoice {
        HogsChoice { nice: vec![(0, 16)], runtime_s: 10 }
    }
}

impl Default for PeriodicChoice {
    fn default() -> PeriodicChoice {
        PeriodicChoice { threads: 16, run_us: 4_000, sleep_us: 6_000, runtime_s: 10 }
    }
}

impl Default for CopiesChoice {
    fn default() -> CopiesChoice {
        CopiesChoice { copies: 1, runtime_ms: 1_000 }
    }
}

impl WorkloadChoice {
    /// hackbench with its own defaults.
    pub(crate) fn default_hackbench() -> WorkloadChoice {
        let transport = workload::Transport::Socket;
        WorkloadChoice::Hackbench(hackbench::Spec { groups: 10, fds: 20, loops: 100, transport })
    }

    /// What the workload's own crate takes on a machine.
    pub fn spec(&self, topology: &Topology) -> WorkloadSpec {
        match self {
            WorkloadChoice::Schbench(spec) => WorkloadSpec::Schbench(spec.clone()),
            WorkloadChoice::Hogs(hogs) => {
                let nice = hogs.nice.iter().flat_map(|(nice, count)| (0..*count).map(|_| *nice)).collect();
                WorkloadSpec::Hogs(hogs::Spec { nice })
            }
            WorkloadChoice::Periodic(periodic) => WorkloadSpec::Periodic(periodic::Spec {
                threads: periodic.threads,
                run: Nanos::from_micros(u64::from(periodic.run_us)),
                sleep: Nanos::from_micros(u64::from(periodic.sleep_us)),
            }),
            WorkloadChoice::Hackbench(spec) => WorkloadSpec::Hackbench(spec.clone()),
            WorkloadChoice::Context1(CopiesChoice { copies, .. }) => {
                WorkloadSpec::PipeSwitch(pipe_switch::Spec { copies: *copies })
            }
            WorkloadChoice::Spawn(CopiesChoice { copies, .. }) => {
                WorkloadSpec::Spawn(spawn::Spec { copies: *copies })
            }
            WorkloadChoice::Execl(CopiesChoice { copies, .. }) => {
                WorkloadSpec::Execl(execl::Spec { copies: *copies })
            }
            WorkloadChoice::Launch(launch) => WorkloadSpec::Launch(launch.spec(topology)),
        }
    }

    /// How many threads it will ever have.
    pub fn thread_count(&self) -> u64 {
        match self {
            WorkloadChoice::Schbench(spec) => {
                1 + u64::from(spec.message_threads) * (1 + u64::from(spec.worker_threads))
            }
            WorkloadChoice::Hogs(hogs) => hogs.nice.iter().map(|(_, count)| u64::from(*count)).sum(),
            WorkloadChoice::Periodic(periodic) => u64::from(periodic.threads),
            WorkloadChoice::Hackbench(spec) => 1 + 2 * u64::from(spec.groups) * u64::from(spec.fds),
            WorkloadChoice::Context1(context1) => 2 * u64::from(context1.copies),
            WorkloadChoice::Spawn(spawn) => u64::from(spawn::IDS_OF_A_COPY) * u64::from(spawn.copies),
            WorkloadChoice::Execl(execl) => u64::from(execl.copies),
            WorkloadChoice::Launch(launch) => launch.most_threads(),
        }
    }

    /// When the run is stopped at the latest.
    fn until(&self) -> Nanos {
        match self {
            WorkloadChoice::Schbench(spec) => {
                let cycle_us = u64::from(spec.think_us) + 2 * u64::from(spec.sleep_us);
                Nanos::from_secs(u64::from(spec.runtime_s)) + Nanos::from_micros(cycle_us) + SHUTDOWN
            }
            WorkloadChoice::Hogs(HogsChoice { runtime_s, .. })
            | WorkloadChoice::Periodic(PeriodicChoice { runtime_s, .. }) => {
                Nanos::from_secs(u64::from(*runtime_s))
            }
            WorkloadChoice::Hackbench(_) => LONGEST,
            WorkloadChoice::Launch(_) => LONGEST_LAUNCH,
            WorkloadChoice::Context1(CopiesChoice { runtime_ms, .. })
            | WorkloadChoice::Spawn(CopiesChoice { runtime_ms, .. })
            | WorkloadChoice::Execl(CopiesChoice { runtime_ms, .. }) => {
                Nanos::from_millis(u64::from(*runtime_ms))
            }
        }
    }
}
