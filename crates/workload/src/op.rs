use serde::{Deserialize, Serialize};
use sim::{CpuId, Nanos, TaskId};

/// A futex word of the workload's shared memory, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FutexId(pub u32);

/// One thing that a thread asks of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Compute for this much CPU time.
    Compute(Nanos),
    /// Read the clock in a loop until it shows this time: CPU is burnt, but the end does not move if the thread is
    /// preempted. Complete at once when the time is past.
    SpinUntil(Nanos),
    /// `FUTEX_WAKE` of one waiter; the call is made even if nobody waits.
    FutexWake {
        /// The word.
        futex: FutexId,
        /// Which costs the call has.
        profile: WakeProfile,
    },
    /// `FUTEX_WAIT`: block while the word has the expected value. Complete when woken, or at once if it differs.
    FutexWait {
        /// The word.
        futex: FutexId,
        /// The value with which to wait.
        expected: u32,
    },
    /// Sleep for a span from now (a timer with the thread's slack).
    Sleep(Nanos),
    /// Sleep until a moment; complete at once when it is past.
    SleepUntil(Nanos),
    /// Create a thread that starts to run its own program. Of one that has ended this starts the next one of its id,
    /// as soon as the CPU on which it ended has left it.
    Fork(TaskId),
    /// Execute another program (`execve`): the thread may move to the idlest CPU. What loading the program takes is for
    /// the thread itself to compute.
    Exec,
    /// End.
    Exit,
}

/// How the costs of a futex wake are charged to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WakeProfile {
    /// One of a series: a part before the placement, a part that depends on the way of the wake-up, a part after it.
    Batch,
    /// A single post: one cost, at whose end the placement is made.
    Post,
    /// The same by a waker that stays on its CPU until it waits or computes again, even if the wakee is to have it
    /// (`model/rt-and-launch.md` section 7).
    Call,
    /// What a read or write of a pipe or socket does for who waits at its other end: the costs of [`WakeProfile::Batch`],
    /// and a waker that says that it is about to sleep itself (`WF_SYNC`).
    Sync,
}

/// What the machine must know of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadInfo {
    /// Its name, at most 15 bytes.
    pub name: String,
    /// Its nice level, -20 to 19.
    pub nice: i8,
    /// Which threads belong together, for colours and lanes.
    pub group: u16,
    /// Whether it exists from the start rather than by [`Op::Fork`].
    pub starts_at_boot: bool,
    /// Its scheduling policy.
    pub policy: Policy,
    /// The CPUs on which it may run (`sched_setaffinity`), in ascending order and not empty; none means every CPU.
    pub allowed: Option<Vec<CpuId>>,
    /// When a thread that exists from the start begins.
    pub boot_at: Nanos,
    /// The CPU on which a thread that exists from the start begins, one of those allowed; none leaves it to the
    /// placement of new tasks.
    pub boot_cpu: Option<CpuId>,
}

/// A scheduling policy (`sched_setscheduler`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Policy {
    /// `SCHED_NORMAL`: the fair class, by nice level.
    #[default]
    Normal,
    /// `SCHED_FIFO` with its real-time priority, 1 (lowest) to 99.
    Fifo(u8),
    /// `SCHED_RR` with its real-time priority, 1 (lowest) to 99.
    RoundRobin(u8),
}
