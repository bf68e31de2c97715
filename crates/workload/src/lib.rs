//! What threads do: programs that compute, wait, wake each other, create others and read the clock.
//!
//! A program knows nothing of the scheduler. The engine asks it for its next [`Op`] whenever the last one is complete,
//! and everything that it does in between (its stores to shared memory, its clock reads) happens at that instant.

pub mod execl;
pub mod hackbench;
pub mod hogs;
pub mod launch;
pub mod mix;
mod op;
pub mod periodic;
mod pipe;
pub mod pipe_switch;
pub mod schbench;
pub mod spawn;

pub use op::{FutexId, Op, Policy, ThreadInfo, WakeProfile};
pub use pipe::Transport;

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
    /// The hackbench benchmark.
    Hackbench(hackbench::Spec),
    /// Pairs of threads that pass a token over pipes.
    PipeSwitch(pipe_switch::Spec),
    /// Threads that create short-lived children.
    Spawn(spawn::Spec),
    /// Threads that execute one program after the other.
    Execl(execl::Spec),
    /// Groups of threads with policies and affinities.
    Mix(mix::Spec),
    /// The launch of an Android application.
    Launch(launch::Spec),
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
    /// See [`WorkloadSpec::Hackbench`].
    Hackbench(hackbench::Hackbench),
    /// See [`WorkloadSpec::PipeSwitch`].
    PipeSwitch(pipe_switch::PipeSwitch),
    /// See [`WorkloadSpec::Spawn`].
    Spawn(spawn::Spawn),
    /// See [`WorkloadSpec::Execl`].
    Execl(execl::Execl),
    /// See [`WorkloadSpec::Mix`].
    Mix(mix::Mix),
    /// See [`WorkloadSpec::Launch`].
    Launch(launch::Launch),
}

/// The work that a workload has done, from which its throughput follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Messages that were read, round trips, children or programs: what the workload counts.
    pub operations: u64,
    /// From when on it worked; nothing while it still prepares.
    pub since: Option<Nanos>,
    /// When it was done, where there is a fixed amount to do.
    pub done_at: Option<Nanos>,
}

impl Work {
    /// How long the whole of a fixed amount took; nothing while it is not done, and where there is no such amount.
    pub fn duration(&self) -> Option<Nanos> {
        Some(Nanos(self.done_at?.0.saturating_sub(self.since?.0)))
    }
}

impl Workload {
    /// A workload before its first instruction.
    pub fn new(spec: &WorkloadSpec, seed: u64) -> Workload {
        match spec {
            WorkloadSpec::Schbench(spec) => Workload::Schbench(schbench::Schbench::new(spec, seed)),
            WorkloadSpec::Hogs(spec) => Workload::Hogs(hogs::Hogs::new(spec)),
            WorkloadSpec::Periodic(spec) => Workload::Periodic(periodic::Periodic::new(spec, seed)),
            WorkloadSpec::Hackbench(spec) => Workload::Hackbench(hackbench::Hackbench::new(spec, seed)),
            WorkloadSpec::PipeSwitch(spec) => Workload::PipeSwitch(pipe_switch::PipeSwitch::new(spec, seed)),
            WorkloadSpec::Spawn(spec) => Workload::Spawn(spawn::Spawn::new(spec, seed)),
            WorkloadSpec::Execl(spec) => Workload::Execl(execl::Execl::new(spec, seed)),
            WorkloadSpec::Mix(spec) => Workload::Mix(mix::Mix::new(spec, seed)),
            WorkloadSpec::Launch(spec) => Workload::Launch(launch::Launch::new(spec, seed)),
        }
    }

    /// Every thread that will ever exist, in the order of their ids.
    pub fn threads(&self) -> &[ThreadInfo] {
        match self {
            Workload::Schbench(schbench) => schbench.threads(),
            Workload::Hogs(hogs) => hogs.threads(),
            Workload::Periodic(periodic) => periodic.threads(),
            Workload::Hackbench(hackbench) => hackbench.threads(),
            Workload::PipeSwitch(pipe_switch) => pipe_switch.threads(),
            Workload::Spawn(spawn) => spawn.threads(),
            Workload::Execl(execl) => execl.threads(),
            Workload::Mix(mix) => mix.threads(),
            Workload::Launch(launch) => launch.threads(),
        }
    }

    /// The next operation of a thread whose last one is complete at `now` (or which runs for the first time).
    pub fn resume(&mut self, thread: TaskId, now: Nanos) -> Op {
        match self {
            Workload::Schbench(schbench) => schbench.resume(thread, now),
            Workload::Hogs(hogs) => hogs.resume(thread, now),
            Workload::Periodic(periodic) => periodic.resume(thread, now),
            Workload::Hackbench(hackbench) => hackbench.resume(thread, now),
            Workload::PipeSwitch(pipe_switch) => pipe_switch.resume(thread, now),
            Workload::Spawn(spawn) => spawn.resume(thread, now),
            Workload::Execl(execl) => execl.resume(thread, now),
            Workload::Mix(mix) => mix.resume(thread, now),
            Workload::Launch(launch) => launch.resume(thread, now),
        }
    }

    /// The value of a futex word, which the kernel compares in `FUTEX_WAIT`.
    pub fn futex_value(&self, futex: FutexId) -> u32 {
        match self {
            Workload::Schbench(schbench) => schbench.futex_value(futex),
            Workload::Launch(launch) => launch.futex_value(futex),
            // Where pipes and children are waited for, the wait begins in the moment in which its reason is looked at.
            _ => 0,
        }
    }

    /// How many futex words there are.
    pub fn futex_count(&self) -> usize {
        match self {
            Workload::Schbench(schbench) => schbench.futex_count(),
            Workload::Hackbench(hackbench) => hackbench.futex_count(),
            Workload::PipeSwitch(pipe_switch) => pipe_switch.futex_count(),
            Workload::Spawn(spawn) => spawn.futex_count(),
            Workload::Hogs(_) | Workload::Periodic(_) | Workload::Execl(_) | Workload::Mix(_) => 0,
            Workload::Launch(launch) => launch.futex_count(),
        }
    }

    /// Whether the workload has ended by itself, which those never do that have no fixed amount to do.
    pub fn is_finished(&self) -> bool {
        match self {
            Workload::Schbench(schbench) => schbench.is_finished(),
            Workload::Hackbench(hackbench) => hackbench.is_finished(),
            Workload::Launch(launch) => launch.is_finished(),
            _ => false,
        }
    }

    /// The work done so far; nothing where a workload has no throughput.
    pub fn work(&self) -> Option<Work> {
        match self {
            Workload::Schbench(_)
            | Workload::Hogs(_)
            | Workload::Periodic(_)
            | Workload::Mix(_)
            | Workload::Launch(_) => None,
            Workload::Hackbench(hackbench) => Some(hackbench.work()),
            Workload::PipeSwitch(pipe_switch) => Some(pipe_switch.work()),
            Workload::Spawn(spawn) => Some(spawn.work()),
            Workload::Execl(execl) => Some(execl.work()),
        }
    }

    /// What was done so far, in the workload's own unit; 0 where it counts nothing.
    pub fn operations(&self) -> u64 {
        self.work().map_or(0, |work| work.operations)
    }
}
