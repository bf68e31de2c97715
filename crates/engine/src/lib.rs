//! The scheduler model: an event-driven machine whose CPUs decide as a kernel decides.
//!
//! Files are named as in `kernel/sched`.

mod engine;

pub use engine::{Counters, Engine, HunkCount, Options, Progress, RunState};
