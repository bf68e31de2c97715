use sim::{CpuId, Nanos, TaskId};

/// One thing that happened at one moment: 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// When.
    pub at: Nanos,
    /// Two words whose meaning depends on the kind; see [`EventKind`].
    pub args: [u32; 2],
    /// The task that it is about, or [`Event::NO_TASK`].
    pub task: TaskId,
    /// The CPU that it is about.
    pub cpu: CpuId,
    /// What.
    pub kind: EventKind,
    /// A small value whose meaning depends on the kind.
    pub detail: u8,
}

/// What can happen. `args` and `detail` as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EventKind {
    /// A thread was created; `cpu` is where it was put.
    Fork,
    /// A thread ended on `cpu`.
    Exit,
    /// `sched_waking`: a wake-up of `task` begins. `cpu` is its previous CPU; args: waker's CPU, waker's task id
    /// (or [`Event::NO_TASK`] from an interrupt).
    Waking,
    /// The wake-up chose `cpu`. args: previous CPU, waker's CPU. detail: 1 if the task went to a wake list.
    Placed,
    /// `sched_wakeup`: the task is on the run queue of `cpu`. args: number of running tasks there, 0.
    Wakeup,
    /// `sched_migrate_task`: the task moved to `cpu`. args: from CPU, 0. detail: [`MigrateReason`].
    Migrate,
    /// `sched_switch` on `cpu` to `task` (or [`Event::NO_TASK`] for idle). args: previous task (or
    /// [`Event::NO_TASK`]), number of tasks left waiting on the CPU. detail: [`PrevState`].
    Switch,
    /// The number of runnable tasks of `cpu` changed. args: number of runnable tasks, 0.
    QueueLength,
    /// A load-balance attempt by `cpu` at one domain ended. args: source CPU (or `u32::MAX`), imbalance.
    /// detail: domain's position × 32 + reason × 8 + [`BalanceOutcome`], reason being 0 newly idle, 1 idle, 2 busy.
    Balance,
    /// `detach_tasks` on behalf of `cpu` left `task` because of its utilisation. args: utilisation, imbalance left.
    UtilRefused,
    /// A hunk was reached. args: patch × 256 + index, bits of the forms that differ from base.
    /// detail: 0 base in force, else form + 1.
    Decision,
    /// The tick on `cpu` asked for a reschedule.
    TickPreempt,
    /// A wake-up of `task` preempted the running task of `cpu`. args: that task, 0. detail: 0 within a class; 1 where a
    /// real-time task preempts a fair one, plus 2 if an allowed CPU idled in the lowest domain of its previous CPU, plus
    /// 4 if one idled anywhere.
    WakePreempt,
    /// A program's own mark. detail: 0 a message thread took its batch (args: length, 0), 1 a latency was
    /// recorded (args: microseconds, 1 if from a wake-up), 2 a launch began, 3 its first frame is on the display.
    Mark,
    /// `cpu_frequency`: `cpu` has another frequency. args: kHz, 0.
    Frequency,
    /// `cpu_idle`: `cpu` enters an idle state, told only where it has several. args: the time that leaving it takes in
    /// nanoseconds, 0. detail: the state's position from the shallowest. A remark.
    Idle,
}

impl EventKind {
    /// Whether it is a remark of the observer, which is in no hash: see [`Trace::annotate`](crate::Trace::annotate).
    pub const fn is_remark(self) -> bool {
        matches!(self, EventKind::Decision | EventKind::Idle)
    }
}

/// Why a task moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum MigrateReason {
    /// At its wake-up.
    Wakeup,
    /// By a CPU that ran out of work.
    NewIdle,
    /// By an idle CPU, or on its behalf.
    Idle,
    /// By a busy CPU.
    Busy,
    /// Pushed by the stopper.
    Active,
    /// At its creation.
    Fork,
    /// When it executed another program.
    Exec,
    /// A real-time task, pushed by the CPU on which it waited.
    RtPush,
    /// A real-time task, pulled by a CPU whose own had become less important.
    RtPull,
}

/// The state of the task that a switch leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PrevState {
    /// It was preempted and still wants to run.
    Preempted,
    /// It sleeps.
    Sleeping,
    /// It ended.
    Dead,
    /// The idle task.
    Idle,
}

/// How a balance attempt at one domain ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BalanceOutcome {
    /// Nothing to do.
    Balanced,
    /// At least one task moved.
    Moved,
    /// There was an imbalance, but no task could be taken.
    Nothing,
    /// The same, and a push by the stopper was started.
    ActiveStarted,
}

impl Event {
    /// Stands for "no task": the idle task, or an interrupt.
    pub const NO_TASK: TaskId = TaskId(u32::MAX);
}
