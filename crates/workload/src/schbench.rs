//! The schbench benchmark of 2016 and of 2019–2020 (`model/wakeup-and-balance.md` section 1).

use sim::{Nanos, TaskId};

use crate::{FutexId, Op, ThreadInfo};

/// Which output the benchmark prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generation {
    /// May 2016: percentiles with four decimals.
    Y2016,
    /// August 2019 to January 2020: percentiles with one decimal.
    Y2019,
}

/// The options of schbench.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// Which version.
    pub generation: Generation,
    /// `-m`: message threads.
    pub message_threads: u16,
    /// `-t`: workers of each message thread.
    pub worker_threads: u16,
    /// `-s`: sleep of the message thread in microseconds; a random part of up to a quarter is added.
    pub sleep_us: u32,
    /// `-c`: spin of a worker in microseconds of wall clock.
    pub think_us: u32,
    /// `-r`: run time in seconds.
    pub runtime_s: u32,
}

/// One recorded latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sample {
    /// The worker.
    pub worker: TaskId,
    /// When it was recorded.
    pub at: Nanos,
    /// The value that its clock showed, in microseconds; never 0.
    pub latency_us: u64,
    /// Whether it comes from a wake-up rather than from the shutdown.
    pub from_wakeup: bool,
}

/// A schbench that runs.
#[derive(Clone, Debug, Hash)]
pub struct Schbench {
    threads: Vec<ThreadInfo>,
}

impl Schbench {
    /// The benchmark before `main`.
    pub fn new(spec: &Spec, seed: u64) -> Schbench {
        let _ = (spec, seed);
        Schbench { threads: Vec::new() }
    }

    /// Main is thread 0; then each message thread followed by its workers.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// The next operation.
    pub fn resume(&mut self, thread: TaskId, now: Nanos) -> Op {
        let _ = (thread, now);
        Op::Exit
    }

    /// The value of a futex word.
    pub fn futex_value(&self, futex: FutexId) -> u32 {
        let _ = futex;
        0
    }

    /// One word a message thread and worker.
    pub fn futex_count(&self) -> usize {
        0
    }

    /// Whether main has joined every thread.
    pub fn is_finished(&self) -> bool {
        true
    }

    /// What was recorded so far, in the order of time.
    pub fn samples(&self) -> &[Sample] {
        &[]
    }
}
