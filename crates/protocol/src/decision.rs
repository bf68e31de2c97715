use serde::{Deserialize, Serialize};

use crate::RunKey;

/// Every decision of one instant, taken apart, and the machine that they found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// The run.
    pub run: RunKey,
    /// The instant, moved into the run where it was outside.
    pub at_ns: u64,
    /// The decisions that were asked for, in the order in which they were completed. One can lie within another: a
    /// balance that was part of a pick comes before it.
    pub decisions: Vec<DecisionView>,
    /// Every CPU just before the first of them, in the order of their numbers.
    pub cpus: Vec<CpuInspection>,
}

/// One decision, taken apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecisionView {
    /// When it was made.
    pub at_ns: u64,
    /// The CPU that made it, or for which it was made.
    pub cpu: u16,
    /// The task that it is about, if it is about one.
    pub task: Option<TaskName>,
    /// What was decided.
    pub kind: DecisionKind,
    /// For a balance: in which domain, and why.
    pub balance: Option<BalanceView>,
    /// The checks, in the order in which the kernel makes them.
    pub steps: Vec<StepView>,
    /// What came out.
    pub outcome: OutcomeView,
}

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DecisionKind {
    /// Where a waking task goes.
    Placement,
    /// Where a new task, or one that executes another program, starts.
    Birth,
    /// Whether a CPU takes work from others.
    Balance,
    /// Which task runs next.
    Pick,
    /// Whether a task that was just queued takes the CPU.
    WakePreempt,
    /// Whether a tick takes the CPU from the running task.
    TickPreempt,
    /// Where a CPU pushes a real-time task that waits.
    RtPush,
    /// Whether a CPU takes a real-time task that waits elsewhere.
    RtPull,
}

/// Which balance attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BalanceView {
    /// The position of the domain, 0 for the lowest.
    pub level: u8,
    /// The kernel's name of the domain: `MC`.
    pub domain: String,
    /// Why the CPU balanced.
    pub reason: BalanceReason,
}

/// Why a CPU balanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BalanceReason {
    /// It ran out of work.
    NewlyIdle,
    /// It is idle, or somebody balanced on its behalf.
    Idle,
    /// It is busy and its time had come.
    Busy,
}

/// What came out of a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum OutcomeView {
    /// A CPU.
    Cpu(u16),
    /// A task.
    Task(TaskName),
    /// So many tasks moved.
    Moved(u32),
    /// Yes or no.
    Answer(bool),
}

/// One check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepView {
    /// What was asked, by its key: `detach`. The page has the words.
    pub check: String,
    /// The kernel function that asks: `detach_tasks()`.
    pub kernel_function: String,
    /// The answer.
    pub yes: bool,
    /// The CPU that it was asked of.
    pub cpu: Option<u16>,
    /// The task that it was asked of.
    pub task: Option<TaskName>,
    /// What it saw, by the kernel's names.
    pub values: Vec<ValueView>,
    /// Where a patch edits this check: what every form of it answers.
    pub hunk: Option<HunkAnswers>,
}

/// A value that a check saw, or that an event carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueView {
    /// Its name in the kernel: `imbalance`.
    pub name: String,
    /// The value.
    pub value: i64,
}

/// A place that a patch edits, when it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HunkAnswers {
    /// The name of the patch: `llc-spread`.
    pub patch: String,
    /// Its position in the patch, from 0.
    pub index: u8,
    /// The kernel's file.
    pub file: String,
    /// The kernel's function.
    pub function: String,
    /// For every form of the patch, whether it answers otherwise than the kernel without the patch.
    pub answers: Vec<FormAnswer>,
    /// The form in force; `base` where the patch is off.
    pub in_force: String,
}

/// What a form of a patch answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormAnswer {
    /// The name of the form.
    pub form: String,
    /// Whether it answers otherwise than the kernel without the patch.
    pub differs: bool,
}

/// A task with its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskName {
    /// Its id.
    pub id: u32,
    /// Its name.
    pub name: String,
}

/// A CPU and its queue at an instant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuInspection {
    /// Its number.
    pub cpu: u16,
    /// The task that it executes; none where it idles.
    pub running: Option<TaskInspection>,
    /// The tasks that wait for it, the one that would be picked by virtual run time alone first.
    pub waiting: Vec<TaskInspection>,
    /// Tasks that other CPUs woke for it and that are not queued yet, the wake list.
    pub wake_list: Vec<TaskName>,
    /// `nr_running`: runnable tasks, the running one included.
    pub nr_running: u32,
    /// Whether `idle_cpu()` says so: the idle task runs, and nothing is queued or on its way.
    pub is_idle: bool,
    /// `min_vruntime` of the queue in nanoseconds, which all virtual run times are relative to.
    pub min_vruntime: u64,
    /// `load_avg` of the queue.
    pub load_avg: u64,
    /// `runnable_avg` of the queue.
    pub runnable_avg: u64,
    /// `util_avg` of the queue, in parts of 1024.
    pub util_avg: u64,
    /// `util_est` of the queue, in parts of 1024.
    pub util_est: u64,
    /// The CPU's domains, lowest first.
    pub domains: Vec<DomainInspection>,
}

/// A runnable task at an instant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskInspection {
    /// The task.
    pub task: TaskName,
    /// Its virtual run time relative to the queue's `min_vruntime`, in nanoseconds.
    pub vruntime_ns: i64,
    /// Its weight: 1024 for nice 0.
    pub weight: u64,
    /// `load_avg`.
    pub load_avg: u64,
    /// `util_avg`, in parts of 1024.
    pub util_avg: u64,
    /// `util_est`, in parts of 1024.
    pub util_est: u64,
}

/// What a CPU remembers of one of its domains.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainInspection {
    /// The position of the domain, 0 for the lowest.
    pub level: u8,
    /// The kernel's name of it: `MC`.
    pub name: String,
    /// The CPUs in it.
    pub span: Vec<u16>,
    /// `nr_balance_failed`.
    pub nr_balance_failed: u32,
    /// `balance_interval` in milliseconds.
    pub balance_interval_ms: u32,
}

/// Which decisions are looked for; all that is given must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionFilter {
    /// Only those of this CPU, or that chose it.
    pub cpu: Option<u16>,
    /// Only those about this task.
    pub task: Option<u32>,
    /// Only those of this kind.
    pub kind: Option<DecisionKind>,
}

/// Where a decision is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionPoint {
    /// When it was made; [`RequestBody::Explain`](crate::RequestBody::Explain) at this moment takes it apart.
    pub at_ns: u64,
    /// What was decided.
    pub kind: DecisionKind,
    /// The CPU that made it; for a placement the CPU that was chosen.
    pub cpu: u16,
    /// The task that it is about, if it is about one.
    pub task: Option<u32>,
}

/// Why a task is where it is, one step back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CauseView {
    /// The task that was asked about.
    pub task: TaskName,
    /// The moment that was asked about.
    pub at_ns: u64,
    /// The CPU on which the task waits or runs.
    pub cpu: u16,
    /// How it came to that.
    pub how: CauseKind,
    /// The decision that did it; none for what began with the run.
    pub decision: Option<DecisionPoint>,
    /// Balance attempts since then that looked at the waiting task and left it, the last ones first, 16 at most.
    pub refusals: Vec<DecisionPoint>,
    /// The task and the moment to ask about next: who had the CPU when the wait began, or who woke it.
    pub next: Option<CauseNext>,
}

/// How a task came to wait, or to run, where it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CauseKind {
    /// It waits because its wake-up put it on a CPU in use.
    Stacked,
    /// It waits because it was created on a CPU in use.
    Born,
    /// It waits because another task's wake-up preempted it.
    WakePreempted,
    /// It waits because a tick preempted it.
    TickPreempted,
    /// It waits because it was moved to a CPU in use.
    Moved,
    /// It has a CPU that its wake-up chose.
    PlacedHere,
    /// It has a CPU to which it was moved.
    BalancedHere,
    /// It has the CPU on which it was created.
    BornHere,
}

/// The next link of a chain of causes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseNext {
    /// The task.
    pub task: TaskName,
    /// The moment.
    pub at_ns: u64,
}

impl StepView {
    /// What [`StepView::check`] can be. The page has words for each.
    pub const CHECKS: [&str; 28] = [
        "wake_wide",
        "wake_affine",
        "cpu_idle",
        "fits_capacity",
        "overutilized",
        "energy",
        "scan_limit",
        "wake_list",
        "allowed_cpus",
        "start_domain",
        "start_group",
        "idlest_group",
        "idlest_cpu",
        "should_we_balance",
        "group_stats",
        "busiest_group",
        "source_queue",
        "can_migrate",
        "detach",
        "active_balance",
        "hunk",
        "leftmost",
        "buddy",
        "granularity",
        "slice",
        "rt_conflict",
        "lowest_cpus",
        "rt_priority",
    ];
}

impl DecisionKind {
    /// Every kind, in the order in which the page offers them.
    pub const ALL: [DecisionKind; 8] = [
        DecisionKind::Placement,
        DecisionKind::Birth,
        DecisionKind::Balance,
        DecisionKind::Pick,
        DecisionKind::WakePreempt,
        DecisionKind::TickPreempt,
        DecisionKind::RtPush,
        DecisionKind::RtPull,
    ];

    /// Its name in links and in the page's table of words.
    pub const fn key(self) -> &'static str {
        match self {
            DecisionKind::Placement => "placement",
            DecisionKind::Birth => "birth",
            DecisionKind::Balance => "balance",
            DecisionKind::Pick => "pick",
            DecisionKind::WakePreempt => "wake_preempt",
            DecisionKind::TickPreempt => "tick_preempt",
            DecisionKind::RtPush => "rt_push",
            DecisionKind::RtPull => "rt_pull",
        }
    }
}

impl BalanceReason {
    /// Its name in the page's table of words.
    pub const fn key(self) -> &'static str {
        match self {
            BalanceReason::NewlyIdle => "newly_idle",
            BalanceReason::Idle => "idle",
            BalanceReason::Busy => "busy",
        }
    }
}
