//! Groups of threads, each with a policy and an affinity: what real-time and bound threads are tried with.

use sim::{CpuId, Nanos, Stream, TaskId};

use crate::{Op, Policy, ThreadInfo};

/// The groups, whose threads are created in this order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Spec {
    /// One entry a group.
    pub groups: Vec<Group>,
}

/// Threads that are alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Group {
    /// How many.
    pub count: u16,
    /// How they are scheduled.
    pub policy: Policy,
    /// Their nice level, -20 to 19; without effect on real-time threads.
    pub nice: i8,
    /// What they do.
    pub pattern: Pattern,
    /// The CPUs on which they may run, in ascending order and not empty; none means every CPU.
    pub allowed: Option<Vec<CpuId>>,
    /// The CPU on which the first one begins, each further one on the next; none leaves it to the placement.
    pub boot_cpu: Option<CpuId>,
}

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Pattern {
    /// It computes for ever.
    Hog,
    /// It computes when its timer expires, which it does at multiples of the period after the phase. A round that takes
    /// longer than a period is followed by the next one at once.
    Periodic {
        /// CPU time of a round.
        run: Nanos,
        /// Time between two expiries.
        period: Nanos,
        /// The first expiry; none means a random part of the period.
        phase: Option<Nanos>,
    },
}

/// Groups of threads that run.
#[derive(Clone, Debug, Hash)]
pub struct Mix {
    threads: Vec<ThreadInfo>,
    rhythms: Vec<Rhythm>,
}

/// Where a thread is in its pattern.
#[derive(Clone, Copy, Debug, Hash)]
struct Rhythm {
    pattern: Pattern,
    /// When its timer expires next.
    next: Nanos,
    computes_next: bool,
}

impl Group {
    /// A group of fair threads that may run anywhere.
    pub fn new(count: u16, pattern: Pattern) -> Group {
        Group { count, policy: Policy::Normal, nice: 0, pattern, allowed: None, boot_cpu: None }
    }
}

impl Mix {
    /// The threads of a specification.
    pub fn new(spec: &Spec, seed: u64) -> Mix {
        let mut mix = Mix { threads: Vec::new(), rhythms: Vec::new() };
        for (position, group) in spec.groups.iter().enumerate() {
            for member in 0..group.count {
                let next = match group.pattern {
                    Pattern::Hog => Nanos::ZERO,
                    Pattern::Periodic { period, phase, .. } => {
                        let below = (period.as_micros() as u32).max(1);
                        let random = || Stream::new(seed, mix.threads.len() as u64, 0).below(below);
                        phase.unwrap_or_else(|| Nanos::from_micros(u64::from(random())))
                    }
                };
                mix.rhythms.push(Rhythm { pattern: group.pattern, next, computes_next: false });
                mix.threads.push(group.thread(position, member));
            }
        }
        mix
    }

    /// The threads.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// Computes, and waits for its timer in turn.
    pub fn resume(&mut self, thread: TaskId, _now: Nanos) -> Op {
        let rhythm = &mut self.rhythms[thread.index()];
        match rhythm.pattern {
            Pattern::Hog => Op::Compute(Nanos(1 << 60)),
            Pattern::Periodic { run, .. } if rhythm.computes_next => {
                rhythm.computes_next = false;
                Op::Compute(run)
            }
            Pattern::Periodic { period, .. } => {
                let at = rhythm.next;
                rhythm.next = at + period;
                rhythm.computes_next = true;
                Op::SleepUntil(at)
            }
        }
    }
}

impl Group {
    fn thread(&self, position: usize, member: u16) -> ThreadInfo {
        let class = match self.policy {
            Policy::Normal => "cfs",
            Policy::Fifo(_) => "fifo",
            Policy::RoundRobin(_) => "rr",
        };
        let boot_cpu = self.boot_cpu.map(|cpu| match &self.allowed {
            None => CpuId(cpu.0 + member),
            Some(allowed) => {
                let first = allowed.iter().position(|one| *one == cpu).unwrap_or(0);
                allowed[(first + usize::from(member)) % allowed.len()]
            }
        });
        ThreadInfo {
            name: format!("{class}{position}-{member}"),
            nice: self.nice,
            group: position as u16,
            starts_at_boot: true,
            policy: self.policy,
            allowed: self.allowed.clone(),
            boot_at: Nanos::ZERO,
            boot_cpu,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_comes_at_every_expiry_and_late_ones_follow_at_once() {
        let pattern = Pattern::Periodic {
            run: Nanos::from_micros(30),
            period: Nanos::from_micros(100),
            phase: Some(Nanos::from_micros(7)),
        };
        let mut mix = Mix::new(&Spec { groups: vec![Group::new(2, pattern)] }, 1);
        let mut ops = Vec::new();
        for now in [0, 7, 37, 107] {
            ops.push(mix.resume(TaskId(1), Nanos::from_micros(now)));
        }
        let (run, wait) = (Op::Compute(Nanos::from_micros(30)), |at| Op::SleepUntil(Nanos::from_micros(at)));
        assert_eq!(ops, [wait(7), run, wait(107), run]);
    }

    #[test]
    fn members_begin_on_one_allowed_cpu_after_the_other() {
        let allowed = Some(vec![CpuId(1), CpuId(4), CpuId(6)]);
        let group = Group { allowed, boot_cpu: Some(CpuId(4)), ..Group::new(4, Pattern::Hog) };
        let mix = Mix::new(&Spec { groups: vec![group] }, 1);
        let cpus: Vec<u16> = mix.threads().iter().filter_map(|thread| Some(thread.boot_cpu?.0)).collect();
        assert_eq!(cpus, [4, 6, 1, 4]);
    }
}
