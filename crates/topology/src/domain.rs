use sim::CpuId;

use crate::CpuSet;

/// The sched domains of a machine, as the kernel builds them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Domains {
    /// For each CPU its domains from the lowest to the highest; levels that would not divide anything are left out.
    pub by_cpu: Vec<Vec<Domain>>,
    /// For each CPU the CPUs of its last-level cache (`sd_llc`): the highest domain with `shares_llc`,
    /// or the CPU alone.
    pub llc_span: Vec<CpuSet>,
    /// For each CPU the lowest CPU of its last-level cache (`sd_llc_id`).
    pub llc_id: Vec<CpuId>,
    /// For each CPU its SMT siblings, itself included.
    pub smt_span: Vec<CpuSet>,
    /// Whether CPUs differ in capacity.
    pub asymmetric: bool,
}

/// One sched domain as one CPU sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Domain {
    /// Which level it is.
    pub level: Level,
    /// The CPUs that it spans.
    pub span: CpuSet,
    /// How many CPUs it spans.
    pub span_weight: u32,
    /// Its flags.
    pub flags: DomainFlags,
    /// Whether its child domain has `prefer_sibling`: what a balance at this level asks.
    pub child_prefers_sibling: bool,
    /// Its groups as a ring that starts at the group of the CPU itself and goes on to higher CPUs, wrapping round.
    pub groups: Vec<Group>,
    /// How much busier, in percent of the less busy side, before load counts as imbalanced.
    pub imbalance_pct: u32,
    /// Failures before cache-hot tasks are moved.
    pub cache_nice_tries: u32,
    /// The shortest balance interval in milliseconds: the span's CPUs.
    pub min_interval_ms: u32,
    /// The longest balance interval in milliseconds: twice that.
    pub max_interval_ms: u32,
}

/// A group of CPUs in a domain: the span of a child domain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// Its CPUs.
    pub cpus: CpuSet,
    /// How many there are.
    pub weight: u32,
    /// The CPU that balances for the group when none is idle (`group_balance_cpu`): its lowest.
    pub balance_cpu: CpuId,
}

/// The levels of the kernel's default topology table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Hardware threads of a core.
    Smt,
    /// CPUs that share a last-level cache.
    Mc,
    /// CPUs of a memory node, which is the machine where there is one node.
    Die,
    /// Nodes.
    Numa,
}

/// What holds in a domain (`SD_*`).
#[expect(clippy::struct_excessive_bools, reason = "one a flag of the kernel")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DomainFlags {
    /// `SD_SHARE_CPUCAPACITY`: hardware threads of one core.
    pub shares_capacity: bool,
    /// `SD_SHARE_PKG_RESOURCES`: a shared last-level cache.
    pub shares_llc: bool,
    /// `SD_PREFER_SIBLING`: spread tasks to sibling domains.
    pub prefer_sibling: bool,
    /// `SD_ASYM_CPUCAPACITY`: CPUs of different capacity.
    pub asym_capacity: bool,
    /// `SD_WAKE_AFFINE`: a wakee may be pulled to the waker's CPU.
    pub wake_affine: bool,
    /// `SD_BALANCE_NEWIDLE`.
    pub balance_newidle: bool,
    /// `SD_BALANCE_FORK` and `SD_BALANCE_EXEC`.
    pub balance_fork: bool,
    /// `SD_NUMA`.
    pub numa: bool,
    /// `SD_SERIALIZE`.
    pub serialize: bool,
}

impl Domains {
    /// Sets `imbalance_pct` of the domains that are wider than a cache, in which kernel versions differ.
    pub fn set_wide_imbalance_pct(&mut self, imbalance_pct: u32) {
        for domain in self.by_cpu.iter_mut().flatten().filter(|domain| Level::Mc < domain.level) {
            domain.imbalance_pct = imbalance_pct;
        }
    }
}

impl Level {
    /// The kernel's name for the level.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Smt => "SMT",
            Level::Mc => "MC",
            Level::Die => "DIE",
            Level::Numa => "NUMA",
        }
    }
}
