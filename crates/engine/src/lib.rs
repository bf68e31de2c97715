//! The scheduler model: an event-driven machine whose CPUs decide as a kernel decides.
//!
//! Files are named as in `kernel/sched`; the decisions themselves are functions of plain values in the `rules` crate.
//! Read [`Engine`] first, then `core/schedule.rs`, `core/ttwu.rs`, `core/tick.rs`, `fair.rs` and `rt.rs`.

mod audit;
mod core;
mod engine;
mod explain;
mod fair;
mod idle;
mod inspect;
mod invariants;
mod rq;
mod rt;
mod stats;
mod task;
#[cfg(test)]
mod tests;
mod watch;

pub use core::cpufreq::DomainEnergy;
pub use engine::{Counters, Engine, HunkCount, Options, Progress, RunState};
pub use inspect::{CpuInspection, DomainInspection, TaskInspection};
pub use watch::ThreadTimes;
