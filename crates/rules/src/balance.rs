//! Load balancing: group statistics, the busiest group, how much of what to move, from which queue, and which tasks.
//!
//! What stands here decides by group type, from v5.5; [`by_load`] compares loads, up to v5.4. Statistics and the walk
//! over tasks are common.

pub mod by_load;
mod decide;
mod detach;
mod idlest;
mod queue;
mod stats;

pub use decide::{
    Amount, Imbalance, SdLbStats, calculate_imbalance, find_busiest_group, fits_capacity, pick_busiest,
};
pub use detach::{Detach, DetachCandidate, DetachScan, Failures, detach_accepts};
pub use idlest::{Idlest, find_idlest_group, idlest_other_group};
pub use queue::{SourceCriteria, capacity_is_reduced, find_busiest_queue, scale_rt_capacity};
pub use stats::{
    CpuState, GroupFlags, GroupStats, GroupType, WakeupFlags, average_load, classify, group_has_capacity,
    group_is_overloaded,
};

/// What a domain is, as far as balancing asks. Made once for each domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools, reason = "the kernel's flags of a domain")]
pub struct DomainView {
    /// `SD_SHARE_PKG_RESOURCES`: its CPUs share a last-level cache.
    pub shares_llc: bool,
    /// `SD_SHARE_CPUCAPACITY`: its CPUs are threads of one core.
    pub shares_capacity: bool,
    /// `SD_ASYM_CPUCAPACITY`: its CPUs differ in capacity.
    pub asym_capacity: bool,
    /// `SD_NUMA`: its groups are memory nodes.
    pub numa: bool,
    /// `SD_PREFER_SIBLING` of the level below: tasks are spread evenly over the groups.
    pub child_prefers_sibling: bool,
    /// `imbalance_pct`: how much busier a group must be, in percent; above 100.
    pub imbalance_pct: u32,
}

/// Why a CPU balances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CpuIdleType {
    /// It is idle.
    Idle,
    /// It is busy.
    NotIdle,
    /// It is about to become idle.
    NewlyIdle,
}

/// What a balance pass moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MigrationType {
    /// An amount of load.
    Load,
    /// An amount of utilisation.
    Util,
    /// A number of tasks.
    Task,
    /// A task that does not fit its CPU.
    Misfit,
}
