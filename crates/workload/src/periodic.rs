//! Threads that compute and sleep in turn.

use sim::{Nanos, Stream, TaskId};

use crate::{Op, ThreadInfo};

/// How many threads, and how long each computes and sleeps.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Spec {
    /// How many threads.
    pub threads: u16,
    /// CPU time of one round.
    pub run: Nanos,
    /// Sleep after each round.
    pub sleep: Nanos,
}

/// Periodic threads that run.
#[derive(Clone, Debug, Hash)]
pub struct Periodic {
    spec: Spec,
    threads: Vec<ThreadInfo>,
    sleeps_next: Vec<bool>,
    first_sleep: Vec<Option<Nanos>>,
}

impl Periodic {
    /// The threads of a specification. The first sleep of each is a random part of its period, so that they do not
    /// start in step.
    pub fn new(spec: &Spec, seed: u64) -> Periodic {
        let count = u32::from(spec.threads);
        let thread = |position| ThreadInfo {
            name: format!("periodic-{position}"),
            nice: 0,
            group: 0,
            starts_at_boot: true,
            ..ThreadInfo::default()
        };
        let period_us = (spec.run + spec.sleep).as_micros() as u32;
        let phase = |thread: u32| {
            Some(Nanos::from_micros(u64::from(Stream::new(seed, u64::from(thread), 0).below(period_us))))
        };
        Periodic {
            spec: spec.clone(),
            threads: (0..count).map(thread).collect(),
            sleeps_next: vec![false; count as usize],
            first_sleep: (0..count).map(phase).collect(),
        }
    }

    /// The threads.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// Computes and sleeps in turn.
    pub fn resume(&mut self, thread: TaskId, _now: Nanos) -> Op {
        if let Some(phase) = self.first_sleep[thread.index()].take() {
            return Op::Sleep(phase);
        }
        let sleeps = &mut self.sleeps_next[thread.index()];
        *sleeps = !*sleeps;
        if *sleeps { Op::Compute(self.spec.run) } else { Op::Sleep(self.spec.sleep) }
    }
}
