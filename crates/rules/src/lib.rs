//! The decisions of `kernel/sched` as functions of plain values: integer arithmetic and comparisons, no run queues,
//! no time that passes.
//!
//! Each function says which kernel function it models and in what it differs; the `vectors` crate proves that the
//! answers are those of the kernel, to the last integer.

pub mod balance;
pub mod capacity;
pub mod cfs;
pub mod cpufreq;
pub mod energy;
pub mod invariance;
pub mod load_weight;
pub mod pelt;
pub mod rt;
pub mod select_idle;
pub mod wake_affine;

pub use load_weight::{LoadWeight, NICE_0_LOAD};
pub use pelt::Pelt;
