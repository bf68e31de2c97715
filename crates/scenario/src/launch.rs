//! The launch of an Android application, as a scenario says it.

use sim::CpuId;
use topology::{CpuSet, Topology};
use workload::launch::{App, Priorities, RtChoice, Spec};

/// The launch of an Android application.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaunchChoice {
    /// The application.
    pub app: App,
    /// Scales the CPU time of the launch's fair threads, in thousandths, where it is not the calibrated factor.
    pub cfs_work_permille: Option<u32>,
    /// Frames a second.
    pub refresh_hz: u32,
    /// Scales the CPU time of the real-time threads, in percent; for all applications alike.
    pub rt_multiplier_pct: u32,
    /// Where the real-time threads are when the run begins.
    pub rt_home: RtHome,
    /// Where they may run.
    pub rt_cpuset: RtCpuset,
    /// Where surfaceflinger may run.
    pub sf_cpuset: SfCpuset,
    /// Their priorities.
    pub rt_priorities: Priorities,
    /// Whether audio plays.
    pub fast_mixer: bool,
    /// Whether something on the screen moves.
    pub animation: bool,
    /// Whether background threads run.
    pub background: bool,
    /// Whether each CPU is kept busy by a fair thread of its own.
    pub hogs: bool,
}

/// Where the real-time threads are when the run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RtHome {
    /// On the CPUs of the highest capacity, at random.
    Big,
    /// On the CPUs of the lowest capacity, at random.
    Little,
    /// On any CPU, at random.
    Spread,
}

/// On which CPUs the real-time threads may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RtCpuset {
    /// On all.
    All,
    /// On those of the highest capacity.
    Big,
    /// On those of the lowest capacity.
    Little,
    /// Each only on the CPU on which it begins.
    Pinned,
}

/// On which CPUs surfaceflinger may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SfCpuset {
    /// Where the other real-time threads may.
    All,
    /// On the CPUs of the lowest capacity, as the cpuset `system-background` has it on many phones.
    SystemBackground,
}

impl RtHome {
    /// Every choice; the first is the default.
    pub const ALL: [RtHome; 3] = [RtHome::Big, RtHome::Little, RtHome::Spread];

    /// The name used outside.
    pub const fn name(self) -> &'static str {
        match self {
            RtHome::Big => "big",
            RtHome::Little => "little",
            RtHome::Spread => "spread",
        }
    }
}

impl RtCpuset {
    /// Every choice; the first is the default.
    pub const ALL: [RtCpuset; 4] = [RtCpuset::All, RtCpuset::Big, RtCpuset::Little, RtCpuset::Pinned];

    /// The name used outside.
    pub const fn name(self) -> &'static str {
        match self {
            RtCpuset::All => "all",
            RtCpuset::Big => "big",
            RtCpuset::Little => "little",
            RtCpuset::Pinned => "pinned",
        }
    }
}

impl SfCpuset {
    /// Every choice; the first is the default.
    pub const ALL: [SfCpuset; 2] = [SfCpuset::All, SfCpuset::SystemBackground];

    /// The name used outside.
    pub const fn name(self) -> &'static str {
        match self {
            SfCpuset::All => "all",
            SfCpuset::SystemBackground => "system-background",
        }
    }
}

/// The multiplier that `model/rt-and-launch.md` picked from a sweep, in percent: one for all applications, and no result
/// of this engine.
const RT_MULTIPLIER_PCT: u32 = 95;

/// The calibrated factor of an application, in thousandths: fitted to the published time *without* the patch, with seeds 1
/// to 60 of the preset's first column, and to nothing else. Those seeds take no part in any test of the launches.
const fn calibrated_work_permille(app: App) -> u32 {
    match app {
        App::Weibo => 1_083,
        App::Weixin => 1_079,
        App::Alipay => 1_082,
    }
}

impl Default for LaunchChoice {
    fn default() -> LaunchChoice {
        LaunchChoice {
            app: App::Weibo,
            cfs_work_permille: None,
            refresh_hz: 60,
            rt_multiplier_pct: RT_MULTIPLIER_PCT,
            rt_home: RtHome::Big,
            rt_cpuset: RtCpuset::All,
            sf_cpuset: SfCpuset::All,
            rt_priorities: Priorities::Phone,
            fast_mixer: false,
            animation: true,
            background: true,
            hogs: false,
        }
    }
}

impl LaunchChoice {
    /// What the workload takes on a machine. The real-time part depends on no application.
    pub(crate) fn spec(&self, topology: &Topology) -> Spec {
        let capacity = |cpu: &CpuId| topology.cpus[cpu.index()].capacity;
        let of_capacity =
            |wanted| topology.ids().filter(|cpu| capacity(cpu) == wanted).collect::<Vec<CpuId>>();
        let big = || topology.ids().map(|cpu| capacity(&cpu)).max().map(of_capacity).unwrap_or_default();
        let little = || topology.ids().map(|cpu| capacity(&cpu)).min().map(of_capacity).unwrap_or_default();
        Spec {
            app: self.app,
            work_permille: self.cfs_work_permille.unwrap_or(calibrated_work_permille(self.app)),
            refresh_hz: self.refresh_hz,
            rt: RtChoice {
                multiplier_pct: self.rt_multiplier_pct,
                priorities: self.rt_priorities,
                fast_mixer: self.fast_mixer,
                home: match self.rt_home {
                    RtHome::Big => big(),
                    RtHome::Little => little(),
                    RtHome::Spread => topology.ids().collect(),
                },
                pinned: self.rt_cpuset == RtCpuset::Pinned,
                allowed: match self.rt_cpuset {
                    RtCpuset::All | RtCpuset::Pinned => None,
                    RtCpuset::Big => Some(big()),
                    RtCpuset::Little => Some(little()),
                },
                surfaceflinger_allowed: (self.sf_cpuset == SfCpuset::SystemBackground).then(little),
            },
            animation: self.animation,
            background: self.background,
            hogs: if self.hogs { topology.ids().collect() } else { Vec::new() },
        }
    }

    /// The most threads that it can have: the launch's, what always runs, and a hog for each CPU.
    pub(crate) fn most_threads(&self) -> u64 {
        const ALWAYS: u64 = 2 + 2 + 4 + 1 + 5 + 8;
        let hogs = if self.hogs { CpuSet::CAPACITY as u64 } else { 0 };
        ALWAYS + u64::from(self.app.workers()) + hogs
    }
}
