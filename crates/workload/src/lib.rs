//! What threads do: programs that compute, wait, wake each other and read the clock.
//!
//! A program knows nothing of the scheduler. The engine asks it for its next [`Op`] whenever the last one is complete,
//! and everything that it does in between (its stores to shared memory, its clock reads) happens at that instant.

pub mod hogs;
mod op;
pub mod periodic;
pub mod schbench;

pub use op::{FutexId, Op, ThreadInfo, WakeProfile};

use sim::{Nanos, TaskId};

/// The parameters of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum WorkloadSpec {
    /// The schbench benchmark.
    Schbench(schbench::Spec),
    /// Threads that always want to run.
    Hogs(hogs::Spec),
    /// Threads that compute and sleep in turn.
    Periodic(periodic::Spec),
}

/// A workload that runs: its threads' programs and their shared memory.
#[derive(Clone, Debug, Hash)]
pub enum Workload {
    /// See [`WorkloadSpec::Schbench`].
    Schbench(schbench::Schbench),
    /// See [`WorkloadSpec::Hogs`].
    Hogs(hogs::Hogs),
    /// See [`WorkloadSpec::Periodic`].
    Periodic(periodic::Periodic),
}

impl Workload {
    /// A workload before its first instruction.
    pub fn new(spec: &WorkloadSpec, seed: u64) -> Workload {
        match spec {
            WorkloadSpec::Schbench(spec) => Workload::Schbench(schbench::Schbench::new(spec, seed)),
            WorkloadSpec::Hogs(spec) => Workload::Hogs(hogs::Hogs::new(spec)),
            WorkloadSpec::Periodic(spec) => Workload::Periodic(periodic::Periodic::new(spec, seed)),
        }
    }

    /// Every thread that will ever exist, in the order of their ids.
    pub fn threads(&self) -> &[ThreadInfo] {
        match self {
            Workload::Schbench(schbench) => schbench.threads(),
            Workload::Hogs(hogs) => hogs.threads(),
            Workload::Periodic(periodic) => periodic.threads(),
        }
    }

    /// The next operation of a thread whose last one is complete at `now` (or which runs for the first time).
    pub fn resume(&mut self, thread: TaskId, now: Nanos) -> Op {
        match self {
            Workload::Schbench(schbench) => schbench.resume(thread, now),
            Workload::Hogs(hogs) => hogs.resume(thread, now),
            Workload::Periodic(periodic) => periodic.resume(thread, now),
        }
    }

    /// The value of a futex word, which the kernel compares in `FUTEX_WAIT`.
    pub fn futex_value(&self, futex: FutexId) -> u32 {
        match self {
            Workload::Schbench(schbench) => schbench.futex_value(futex),
            Workload::Hogs(_) | Workload::Periodic(_) => 0,
        }
    }

    /// How many futex words there are.
    pub fn futex_count(&self) -> usize {
        match self {
            Workload::Schbench(schbench) => schbench.futex_count(),
            Workload::Hogs(_) | Workload::Periodic(_) => 0,
        }
    }

    /// Whether the workload has ended by itself.
    pub fn is_finished(&self) -> bool {
        match self {
            Workload::Schbench(schbench) => schbench.is_finished(),
            Workload::Hogs(_) | Workload::Periodic(_) => false,
        }
    }
}
