//! Threads that always want to run.

use sim::{Nanos, TaskId};

use crate::{Op, ThreadInfo};

/// How many hogs of which nice level, in the order in which they start.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Spec {
    /// One entry a thread: its nice level, -20 to 19.
    pub nice: Vec<i8>,
}

/// Hogs that run.
#[derive(Clone, Debug, Hash)]
pub struct Hogs {
    threads: Vec<ThreadInfo>,
}

impl Hogs {
    /// The hogs of a specification.
    pub fn new(spec: &Spec) -> Hogs {
        let thread = |(position, nice): (usize, &i8)| ThreadInfo {
            name: format!("hog-{position}"),
            nice: *nice,
            group: 0,
            starts_at_boot: true,
            ..ThreadInfo::default()
        };
        Hogs { threads: spec.nice.iter().enumerate().map(thread).collect() }
    }

    /// The threads.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// A hog computes for ever.
    pub fn resume(&mut self, _thread: TaskId, _now: Nanos) -> Op {
        Op::Compute(Nanos(1 << 60))
    }
}
