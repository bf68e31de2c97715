//! The scenarios that have a name.

mod published;

use std::sync::LazyLock;

use kernel::{Era, Patch};
use topology::{MachinePreset, Shape};
use workload::launch::App;
use workload::schbench::{self, Generation};

pub use published::{Figure, Published, Unit};

use crate::scenario::{CopiesChoice, HogsChoice, KernelChoice, Machine, PeriodicChoice, WorkloadChoice};
use crate::{Column, CostSet, Costs, LaunchChoice, Scenario};

/// A scenario that has a name.
#[derive(Debug)]
pub struct Preset {
    /// The name used in links, on the page and on the command line.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What it shows, in a sentence or two.
    pub summary: &'static str,
    /// What it is for.
    pub purpose: Purpose,
    /// The patches that it is about.
    pub patches: &'static [Patch],
    /// What is simulated.
    pub scenario: Scenario,
    /// What others measured on real machines, to be drawn beside the simulation. Never an input of it.
    pub published: &'static [Published],
}

/// What a preset is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// To be looked at: the page offers it.
    Page,
    /// To measure how fast the simulator is.
    Benchmark,
}

static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    let page = page_presets().into_iter().chain(launch_presets());
    page.chain(throughput_presets()).chain(benchmark_presets()).collect()
});

impl Preset {
    /// Every preset, those for the page first; the first of all is what the page opens with.
    pub fn all() -> &'static [Preset] {
        &PRESETS
    }

    /// The preset of a name.
    pub fn find(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// The published figures of a column, with where they come from.
    pub fn published_of(&self, column: &str) -> impl Iterator<Item = (&'static Published, &'static Figure)> {
        let published = self.published.iter();
        published
            .flat_map(|source| source.figures.iter().map(move |figure| (source, figure)))
            .filter(move |(_, figure)| figure.column == column)
    }
}

/// The columns of a preset that stand beside the compared ones: what the preset is about goes without them.
///
/// Links of before such a column was added mean what they meant: those that set for all columns what it sets itself
/// have none of it.
pub(crate) fn columns_beside(preset: &str) -> &'static [&'static str] {
    match preset {
        "hikey-schbench" => &["pre-rework"],
        _ => &[],
    }
}

fn page_presets() -> [Preset; 6] {
    let hikey = hikey_schbench();
    let one_cache = Scenario {
        machine: machine("llc8"),
        title: "schbench on eight CPUs under one cache".to_owned(),
        preset: "llc8-schbench".to_owned(),
        columns: columns(&["base:patches.llc-spread=off", "patched:patches.llc-spread=on"]),
        ..hikey.clone()
    };
    [
        Preset {
            name: "hikey-schbench",
            title: "HiKey 620, schbench",
            summary: "Eight workers on eight CPUs of two clusters. Before the patch a worker that shares its CPU with \
                      another one waits for a whole time slice although a CPU beside it is idle. Before the load \
                      balancer was reworked there was no such wait.",
            purpose: Purpose::Page,
            patches: &[Patch::LlcSpread],
            scenario: hikey,
            published: &[published::HIKEY_SCHBENCH],
        },
        Preset {
            name: "llc8-schbench",
            title: "One cache of eight, schbench",
            summary: "The same workers on eight CPUs that share one cache: the effect does not need two clusters.",
            purpose: Purpose::Page,
            patches: &[Patch::LlcSpread],
            scenario: one_cache.clone(),
            published: &[],
        },
        unequal_schbench(&one_cache),
        Preset {
            name: "smt40-schbench",
            title: "40-CPU SMT server, schbench",
            summary: "Forty workers on twenty cores of two threads. The form of the patch that looks at single CPUs \
                      changes nothing here, because the groups it sees are cores.",
            purpose: Purpose::Page,
            patches: &[Patch::LlcSpread],
            scenario: smt40_schbench(),
            published: &[published::SMT40_SCHBENCH],
        },
        Preset {
            name: "vm32-schbench",
            title: "32-CPU virtual machine, schbench",
            summary: "As many workers as CPUs. A CPU to which a worker is on its way looks idle for a moment, so that a \
                      second worker is sent there and waits for a whole slice.",
            purpose: Purpose::Page,
            patches: &[Patch::TtwuPending],
            scenario: vm32_schbench(),
            published: &[published::VM32_SCHBENCH],
        },
        Preset {
            name: "cpu104-schbench",
            title: "104-CPU server, schbench",
            summary: "Sixteen workers on two sockets, with CPUs to spare: how much sooner workers wake when idle CPUs \
                      enqueue them themselves instead of the thread that wakes them.",
            purpose: Purpose::Page,
            patches: &[],
            scenario: cpu104_schbench(),
            published: &[published::CPU104_SCHBENCH],
        },
    ]
}

fn unequal_schbench(equal: &Scenario) -> Preset {
    let scenario = Scenario {
        machine: machine("hikey960"),
        title: "schbench on a HiKey 960".to_owned(),
        preset: "hikey960-schbench".to_owned(),
        ..equal.clone()
    };
    Preset {
        name: "hikey960-schbench",
        title: "HiKey 960, schbench",
        summary: "The same workers on the HiKey board of unequal CPUs, to see that it is not the one of the mail: its \
                  author speaks of two quad cores whose clusters are balanced against each other, which the kernel \
                  does not do where CPUs differ. That is the HiKey 620, whose eight CPUs are alike.",
        purpose: Purpose::Page,
        patches: &[Patch::LlcSpread],
        scenario,
        published: &[],
    }
}

fn hikey_schbench() -> Scenario {
    Scenario {
        preset: "hikey-schbench".to_owned(),
        title: "schbench on a HiKey 620".to_owned(),
        columns: columns(&[
            "base:patches.llc-spread=off",
            "pre-rework:kernel.era=v5.4,patches.llc-spread=off",
            "patched:patches.llc-spread=on",
        ]),
        ..Scenario::default()
    }
}

fn smt40_schbench() -> Scenario {
    Scenario {
        preset: "smt40-schbench".to_owned(),
        title: "schbench on a 40-CPU SMT server".to_owned(),
        machine: machine("smt40"),
        kernel: generic_kernel(1000),
        costs: Costs::from(CostSet::Generic),
        workload: WorkloadChoice::Schbench(schbench::Spec {
            generation: Generation::Y2019,
            message_threads: 2,
            worker_threads: 20,
            sleep_us: 1_000,
            think_us: 1_000_000,
            runtime_s: 30,
        }),
        columns: columns(&[
            "base:patches.llc-spread=off",
            "group_weight:patches.llc-spread=group_weight",
            "patched:patches.llc-spread=on",
        ]),
        ..Scenario::default()
    }
}

/// The 2016 version of schbench with its defaults: both threads and workers take 30 ms, and the run 30 s.
fn schbench_2016(worker_threads: u16) -> WorkloadChoice {
    WorkloadChoice::Schbench(schbench::Spec {
        generation: Generation::Y2016,
        message_threads: 2,
        worker_threads,
        sleep_us: 30_000,
        think_us: 30_000,
        runtime_s: 30,
    })
}

fn vm32_schbench() -> Scenario {
    Scenario {
        preset: "vm32-schbench".to_owned(),
        title: "schbench on a 32-CPU virtual machine".to_owned(),
        machine: machine("vm32"),
        kernel: KernelChoice { era: Era::V6_1, ..generic_kernel(1000) },
        costs: Costs::from(CostSet::Generic),
        workload: schbench_2016(16),
        columns: columns(&[
            "base:patches.ttwu-pending=off",
            "revert:kernel.wake_list_idle=off,patches.ttwu-pending=off",
            "patched:patches.ttwu-pending=on",
        ]),
        ..Scenario::default()
    }
}

/// Launches of Android applications: the three of the mail on the machine that comes closest to its figures, and the
/// first of them where the patch does less.
fn launch_presets() -> [Preset; 5] {
    let preset = |name, title, summary, of_machine, app, published| Preset {
        name,
        title,
        summary,
        purpose: Purpose::Page,
        patches: &[Patch::RtIdleFirst],
        scenario: Scenario {
            preset: String::from(name),
            title: format!("Launch of {} on a phone", app_name(app)),
            machine: machine(of_machine),
            kernel: KernelChoice { era: Era::V5_4Rework, capacity: 1024, ..KernelChoice::default() },
            costs: Costs::from(CostSet::Phone),
            workload: WorkloadChoice::Launch(LaunchChoice { app, ..LaunchChoice::default() }),
            columns: columns(&["base:patches.rt-idle-first=off", "patched:patches.rt-idle-first=on"]),
            ..Scenario::default()
        },
        published,
    };
    [
        preset(
            "android-launch",
            "Phone, launch of Weibo",
            "An application starts while real-time threads draw every frame. Before the patch they interrupt its main \
             thread although CPUs beside it are idle.",
            "mtk-2p6",
            App::Weibo,
            &[published::LAUNCH_WEIBO],
        ),
        preset(
            "android-launch-weixin",
            "Phone, launch of Weixin",
            "The same phone and the same real-time threads, and an application that starts in half the time.",
            "mtk-2p6",
            App::Weixin,
            &[published::LAUNCH_WEIXIN],
        ),
        preset(
            "android-launch-alipay",
            "Phone, launch of Alipay",
            "The same phone and the same real-time threads once more, with the third application of the mail.",
            "mtk-2p6",
            App::Alipay,
            &[published::LAUNCH_ALIPAY],
        ),
        preset(
            "android-launch-hikey960",
            "HiKey 960, launch of Weibo",
            "With four big CPUs in a cluster of their own the same threads meet less often, and the patch gains less.",
            "hikey960",
            App::Weibo,
            &[],
        ),
        preset(
            "android-launch-2c",
            "Phone with two clusters, launch of Weibo",
            "The two big CPUs are a cluster of their own, and the patch looks no further: real-time threads hop from one to \
             the other, and the launch may even take longer.",
            "mtk-2p6-2c",
            App::Weibo,
            &[],
        ),
    ]
}

const fn app_name(app: App) -> &'static str {
    match app {
        App::Weibo => "Weibo",
        App::Weixin => "Weixin",
        App::Alipay => "Alipay",
    }
}

/// What the mail of `ttwu-pending` says is unchanged: hackbench with its own defaults, and three tests of UnixBench with
/// a copy for each CPU.
fn throughput_presets() -> [Preset; 4] {
    let throughput = |name, title, summary, workload| Preset {
        name,
        title,
        summary,
        purpose: Purpose::Page,
        patches: &[Patch::TtwuPending],
        scenario: Scenario {
            preset: String::from(name),
            title: String::from(title),
            workload,
            columns: columns(&["base:patches.ttwu-pending=off", "patched:patches.ttwu-pending=on"]),
            ..vm32_schbench()
        },
        published: &[],
    };
    let copies = |runtime_ms| CopiesChoice { copies: 32, runtime_ms };
    [
        throughput(
            "vm32-hackbench",
            "32-CPU virtual machine, hackbench",
            "Ten groups of twenty senders and twenty receivers: how soon all messages are read, before and after.",
            WorkloadChoice::default_hackbench(),
        ),
        throughput(
            "vm32-context1",
            "32-CPU virtual machine, pipe switches",
            "A pair of threads for each CPU passes a token to and fro over two pipes (UnixBench).",
            WorkloadChoice::Context1(copies(100)),
        ),
        throughput(
            "vm32-spawn",
            "32-CPU virtual machine, process creation",
            "A thread for each CPU creates children that end at once (UnixBench).",
            WorkloadChoice::Spawn(copies(300)),
        ),
        throughput(
            "vm32-execl",
            "32-CPU virtual machine, execl",
            "A thread for each CPU executes one program after the other (UnixBench). Nobody is woken, so that the patch \
             cannot matter.",
            WorkloadChoice::Execl(copies(1_000)),
        ),
    ]
}

fn cpu104_schbench() -> Scenario {
    Scenario {
        preset: "cpu104-schbench".to_owned(),
        title: "schbench on a 104-CPU server".to_owned(),
        machine: machine("smt104"),
        workload: schbench_2016(8),
        columns: columns(&["direct:kernel.wake_list_idle=off", "list:kernel.wake_list_idle=on"]),
        ..vm32_schbench()
    }
}

/// Scenarios whose speed is measured. They leave out what only makes a run realistic: costs keep their generic values.
fn benchmark_presets() -> [Preset; 5] {
    let benchmark = |name, title, summary, scenario| Preset {
        name,
        title,
        summary,
        purpose: Purpose::Benchmark,
        patches: &[],
        scenario: Scenario { preset: String::from(name), title: String::from(title), ..scenario },
        published: &[],
    };
    let periodic = |threads, run_us, sleep_us, runtime_s| {
        WorkloadChoice::Periodic(PeriodicChoice { threads, run_us, sleep_us, runtime_s })
    };
    [
        benchmark(
            "hogs-16cpu",
            "16 CPUs, 48 busy threads",
            "Forty-eight busy threads of four nice levels under one cache, for a duel with another simulator. The four \
             of nice 10 are batch threads there; among threads that never sleep this makes no difference.",
            machine_of(16, generic_kernel(1000), hogs(vec![(0, 20), (5, 12), (-5, 12), (10, 4)], 60)),
        ),
        benchmark(
            "hogs-4cpu",
            "4 CPUs, 16 busy threads",
            "Sixteen busy threads whose nice levels run through -2, -1, 0, 1 and 2, for a duel with another simulator.",
            machine_of(
                4,
                generic_kernel(1000),
                hogs((0..16).map(|thread| (thread % 5 - 2, 1)).collect(), 290),
            ),
        ),
        benchmark(
            "d3-8cpu",
            "8 CPUs, 16 periodic threads, HZ 250",
            "Sixteen threads that compute 4 ms and sleep 6 ms, against a minimal event loop in C.",
            machine_of(8, generic_kernel(250), periodic(16, 4_000, 6_000, 100)),
        ),
        benchmark(
            "d3-8cpu-1khz",
            "8 CPUs, 16 periodic threads, HZ 1000",
            "The same sixteen threads with four times as many ticks.",
            machine_of(8, generic_kernel(1000), periodic(16, 4_000, 6_000, 100)),
        ),
        benchmark(
            "d3-64cpu",
            "64 CPUs, 128 periodic threads, HZ 1000",
            "Threads that compute 0.1 ms and sleep 1 ms: many short events on many CPUs.",
            machine_of(64, generic_kernel(1000), periodic(128, 100, 1_000, 10)),
        ),
    ]
}

/// A machine of equal CPUs under one cache, with generic costs and one column.
fn machine_of(cores: u16, kernel: KernelChoice, workload: WorkloadChoice) -> Scenario {
    let shape = Shape { packages: 1, llcs: 1, cores, threads: 1 };
    let custom = Machine::Custom { shape, capacities: Vec::new() };
    let named = MachinePreset::find("llc8").filter(|preset| preset.shape == shape);
    Scenario {
        machine: named.map_or(custom, Machine::Named),
        kernel,
        costs: Costs::from(CostSet::Generic),
        workload,
        ..Scenario::default()
    }
}

/// Kernel v5.10 with the capacity that was calibrated together with the generic costs.
fn generic_kernel(hz: u32) -> KernelChoice {
    KernelChoice { hz, capacity: 1022, ..KernelChoice::default() }
}

fn hogs(nice: Vec<(i8, u16)>, runtime_s: u32) -> WorkloadChoice {
    WorkloadChoice::Hogs(HogsChoice { nice, runtime_s })
}

/// A machine by its name.
fn machine(name: &str) -> Machine {
    MachinePreset::find(name).map_or_else(|| Scenario::default().machine, Machine::Named)
}

/// Columns as the command line takes them. A wrong one would be missing, which the tests of the presets see.
fn columns(specs: &[&str]) -> Vec<Column> {
    specs.iter().filter_map(|spec| Column::parse(spec).ok()).collect()
}

#[cfg(test)]
mod tests;
