//! Threads that create a child, which ends at once, and wait for it (`spawn` of UnixBench).

use sim::{Nanos, Stream, TaskId};

use crate::{FutexId, Op, ThreadInfo, WakeProfile, Work};

/// How many parents.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Spec {
    /// Parents that run at once.
    pub copies: u16,
}

/// Parents that run. An operation is a child that has ended and was waited for.
#[derive(Clone, Debug, Hash)]
pub struct Spawn {
    threads: Vec<ThreadInfo>,
    families: Vec<Family>,
    children: u64,
}

/// The ids that the children of a parent take in turn, so that a child need not be gone when the next one comes.
const CHILD_IDS: u32 = 4;

/// The ids of a copy: a parent and its children.
pub const IDS_OF_A_COPY: u32 = 1 + CHILD_IDS;

/// CPU time of a child: it begins, ends, and gives back its memory. Not calibrated: an assumption for a server. What
/// creating it takes is a cost of the machine.
const CHILD_NS: u64 = 20_000;
/// CPU time of a parent to take note of the end and to begin anew. Not calibrated.
const REAP_NS: u64 = 2_000;
/// How far both vary.
const VARIATION_PCT: u32 = 25;

/// Names the random streams of what parents and children compute.
const COMPUTE: u64 = 0x7370_776e;

#[derive(Clone, Debug, Hash)]
struct Family {
    step: ParentStep,
    /// Which of its ids comes next.
    next: u32,
    /// A child has ended and was not yet waited for.
    ended: bool,
    /// The parent waits, and no child has begun to wake it.
    waits: bool,
    child: [ChildStep; CHILD_IDS as usize],
    cost: Stream,
    child_cost: [Stream; CHILD_IDS as usize],
}

#[derive(Clone, Copy, Debug, Hash)]
enum ParentStep {
    Fork,
    Wait,
    Reaped,
}

#[derive(Clone, Copy, Debug, Hash)]
enum ChildStep {
    Begin,
    Notify,
    Exit,
}

impl Spawn {
    /// The parents of a specification.
    pub fn new(spec: &Spec, seed: u64) -> Spawn {
        let mut spawn = Spawn { threads: Vec::new(), families: Vec::new(), children: 0 };
        for copy in 0..spec.copies {
            let parent = spawn.threads.len() as u64;
            let thread = |name, starts_at_boot| ThreadInfo {
                name,
                nice: 0,
                group: copy,
                starts_at_boot,
                ..ThreadInfo::default()
            };
            spawn.threads.push(thread(format!("spawn-{copy}"), true));
            for child in 0..CHILD_IDS {
                spawn.threads.push(thread(format!("child-{copy}-{child}"), false));
            }
            let stream = |thread| Stream::new(seed, thread, COMPUTE);
            spawn.families.push(Family {
                step: ParentStep::Fork,
                next: 0,
                ended: false,
                waits: false,
                child: [ChildStep::Begin; CHILD_IDS as usize],
                cost: stream(parent),
                child_cost: [1, 2, 3, 4].map(|child| stream(parent + child)),
            });
        }
        spawn
    }

    /// Of each family the parent, then the ids of its children.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// One word a parent.
    pub fn futex_count(&self) -> usize {
        self.families.len()
    }

    /// Children that were waited for so far.
    pub fn work(&self) -> Work {
        Work { operations: self.children, since: Some(Nanos::ZERO), done_at: None }
    }

    /// The next operation.
    pub fn resume(&mut self, thread: TaskId, _now: Nanos) -> Op {
        let (family, member) = (thread.0 / IDS_OF_A_COPY, thread.0 % IDS_OF_A_COPY);
        match member.checked_sub(1) {
            None => self.resume_parent(thread, family),
            Some(child) => self.resume_child(family, child as usize),
        }
    }

    fn resume_parent(&mut self, thread: TaskId, family: u32) -> Op {
        let own = &mut self.families[family as usize];
        if let ParentStep::Reaped = own.step {
            self.children += 1;
            own.step = ParentStep::Fork;
        }
        if let ParentStep::Fork = own.step {
            own.step = ParentStep::Wait;
            let child = own.next;
            own.next = (child + 1) % CHILD_IDS;
            return Op::Fork(TaskId(thread.0 + 1 + child));
        }
        if !own.ended {
            own.waits = true;
            return Op::FutexWait { futex: FutexId(family), expected: 0 };
        }
        own.ended = false;
        own.step = ParentStep::Reaped;
        Op::Compute(Nanos(own.cost.jitter(REAP_NS, VARIATION_PCT)))
    }

    /// A child computes, tells its parent, and ends. It is on its way out when it tells, so its wake-up is not a
    /// synchronous one.
    fn resume_child(&mut self, family: u32, child: usize) -> Op {
        let own = &mut self.families[family as usize];
        if let ChildStep::Begin = own.child[child] {
            own.child[child] = ChildStep::Notify;
            return Op::Compute(Nanos(own.child_cost[child].jitter(CHILD_NS, VARIATION_PCT)));
        }
        if let ChildStep::Notify = own.child[child] {
            own.child[child] = ChildStep::Exit;
            own.ended = true;
            if std::mem::take(&mut own.waits) {
                return Op::FutexWake { futex: FutexId(family), profile: WakeProfile::Post };
            }
        }
        // The next child of this id begins anew.
        own.child[child] = ChildStep::Begin;
        Op::Exit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_waits_for_each_child_and_takes_ids_in_turn() {
        let mut spawn = Spawn::new(&Spec { copies: 2 }, 1);
        assert_eq!((spawn.threads().len(), spawn.futex_count()), (10, 2));
        let (parent, first) = (TaskId(5), 6);
        for turn in 0..2 * CHILD_IDS {
            let child = TaskId(first + turn % CHILD_IDS);
            assert_eq!(spawn.resume(parent, Nanos::ZERO), Op::Fork(child));
            let futex = FutexId(1);
            // Every other child is quicker than its parent's wait.
            let waits = turn % 2 == 0;
            if waits {
                assert_eq!(spawn.resume(parent, Nanos::ZERO), Op::FutexWait { futex, expected: 0 });
            }
            assert!(matches!(spawn.resume(child, Nanos::ZERO), Op::Compute(_)));
            if waits {
                let wake = Op::FutexWake { futex, profile: WakeProfile::Post };
                assert_eq!(spawn.resume(child, Nanos::ZERO), wake);
            }
            assert_eq!(spawn.resume(child, Nanos::ZERO), Op::Exit);
            assert!(matches!(spawn.resume(parent, Nanos::ZERO), Op::Compute(_)));
            assert_eq!(spawn.work().operations, u64::from(turn), "it counts when it has taken note");
        }
    }
}
