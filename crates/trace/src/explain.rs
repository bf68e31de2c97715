//! Why: the checks behind one decision, in the order in which they were made, with the values that they saw.

use sim::{CpuId, Nanos, TaskId};

/// One decision, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// When it was made.
    pub at: Nanos,
    /// The CPU that made it, or for which it was made.
    pub cpu: CpuId,
    /// The task that it is about, if it is about one.
    pub task: Option<TaskId>,
    /// What was decided.
    pub about: About,
    /// The checks, in their order.
    pub steps: Vec<Step>,
    /// What came out.
    pub outcome: Outcome,
}

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Where a waking task goes.
    Placement,
    /// Where a new task, or one that executes another program, starts.
    Birth,
    /// Whether a CPU takes work from others in one of its domains.
    Balance {
        /// The position of the domain, 0 for the lowest.
        level: u8,
        /// Why the CPU balanced.
        reason: BalanceReason,
    },
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

/// Why a CPU balanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalanceReason {
    /// It ran out of work.
    NewlyIdle,
    /// It is idle, or somebody balanced on its behalf.
    Idle,
    /// It is busy and its time had come.
    Busy,
}

/// What came out of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A CPU.
    Cpu(CpuId),
    /// A task.
    Task(TaskId),
    /// So many tasks moved.
    Moved(u32),
    /// Yes or no.
    Answer(bool),
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was asked.
    pub check: Check,
    /// The answer.
    pub yes: bool,
    /// The CPU that it was asked of.
    pub cpu: Option<CpuId>,
    /// The task that it was asked of.
    pub task: Option<TaskId>,
    /// What it saw, by the kernel's names.
    pub values: Vec<(&'static str, i64)>,
}

/// What can be asked, in the order of the kernel's functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// Do waker and wakee have many partners?
    WakeWide,
    /// May the wakee be pulled to the waker's CPU, by who is idle or by load?
    WakeAffine,
    /// Is this CPU idle?
    CpuIdle,
    /// Does the task fit this CPU, with a fifth to spare?
    FitsCapacity,
    /// Is some CPU so full that energy is not looked at?
    Overutilized,
    /// What does it cost to put the task on this CPU: is that less than on the others so far?
    Energy,
    /// How many CPUs may the idle search look at?
    ScanLimit,
    /// Does the wake-up go through the target's wake list?
    WakeList,
    /// May the task that starts run on one CPU only?
    AllowedCpus,
    /// May the task that starts run in this domain, so that its groups are compared?
    StartDomain,
    /// How much room has this group for the task that starts?
    StartGroup,
    /// Is another group than the local one clearly the better place to start?
    IdlestGroup,
    /// Does a CPU of that group idle, and which one takes the task?
    IdlestCpu,
    /// Is this CPU the one to balance?
    ShouldBalance,
    /// How busy is this group?
    GroupStats,
    /// Is some group busy enough to take from?
    BusiestGroup,
    /// Is this the queue to take from?
    SourceQueue,
    /// May this task move at all: neither running nor hot?
    CanMigrate,
    /// Does this task fit what is to be moved?
    Detach,
    /// Have there been so many failures that the stopper must push?
    ActiveBalance,
    /// A place that a patch edits: what each form answers.
    Hunk,
    /// Who has the least virtual run time?
    Leftmost,
    /// Was this task favoured by a wake-up?
    Buddy,
    /// Is the running task ahead of the wakee by more than the granularity?
    Granularity,
    /// Has the running task had its slice, or is it too far ahead?
    Slice,
    /// Does a real-time task that cannot make way run on the wakee's previous CPU?
    RtConflict,
    /// Do some allowed CPUs run something less important?
    LowestCpus,
    /// Has this task the higher real-time priority?
    RtPriority,
}

impl Check {
    /// Every one, in the order of the kernel's functions.
    pub const ALL: [Check; 28] = [
        Check::WakeWide,
        Check::WakeAffine,
        Check::CpuIdle,
        Check::FitsCapacity,
        Check::Overutilized,
        Check::Energy,
        Check::ScanLimit,
        Check::WakeList,
        Check::AllowedCpus,
        Check::StartDomain,
        Check::StartGroup,
        Check::IdlestGroup,
        Check::IdlestCpu,
        Check::ShouldBalance,
        Check::GroupStats,
        Check::BusiestGroup,
        Check::SourceQueue,
        Check::CanMigrate,
        Check::Detach,
        Check::ActiveBalance,
        Check::Hunk,
        Check::Leftmost,
        Check::Buddy,
        Check::Granularity,
        Check::Slice,
        Check::RtConflict,
        Check::LowestCpus,
        Check::RtPriority,
    ];

    /// The name used between worker and page.
    pub const fn key(self) -> &'static str {
        match self {
            Check::WakeWide => "wake_wide",
            Check::WakeAffine => "wake_affine",
            Check::CpuIdle => "cpu_idle",
            Check::FitsCapacity => "fits_capacity",
            Check::Overutilized => "overutilized",
            Check::Energy => "energy",
            Check::ScanLimit => "scan_limit",
            Check::WakeList => "wake_list",
            Check::AllowedCpus => "allowed_cpus",
            Check::StartDomain => "start_domain",
            Check::StartGroup => "start_group",
            Check::IdlestGroup => "idlest_group",
            Check::IdlestCpu => "idlest_cpu",
            Check::ShouldBalance => "should_we_balance",
            Check::GroupStats => "group_stats",
            Check::BusiestGroup => "busiest_group",
            Check::SourceQueue => "source_queue",
            Check::CanMigrate => "can_migrate",
            Check::Detach => "detach",
            Check::ActiveBalance => "active_balance",
            Check::Hunk => "hunk",
            Check::Leftmost => "leftmost",
            Check::Buddy => "buddy",
            Check::Granularity => "granularity",
            Check::Slice => "slice",
            Check::RtConflict => "rt_conflict",
            Check::LowestCpus => "lowest_cpus",
            Check::RtPriority => "rt_priority",
        }
    }

    /// The kernel function that asks.
    pub const fn kernel_function(self) -> &'static str {
        match self {
            Check::WakeWide => "wake_wide()",
            Check::WakeAffine => "wake_affine()",
            Check::CpuIdle => "available_idle_cpu()",
            Check::FitsCapacity => "fits_capacity()",
            Check::Overutilized => "cpu_overutilized()",
            Check::Energy => "find_energy_efficient_cpu()",
            Check::ScanLimit => "select_idle_cpu()",
            Check::WakeList => "ttwu_queue_cond()",
            Check::AllowedCpus => "select_task_rq()",
            Check::StartDomain => "find_idlest_cpu()",
            Check::StartGroup | Check::IdlestGroup => "find_idlest_group()",
            Check::IdlestCpu => "find_idlest_group_cpu()",
            Check::ShouldBalance => "should_we_balance()",
            Check::GroupStats => "update_sg_lb_stats()",
            Check::BusiestGroup => "find_busiest_group()",
            Check::SourceQueue => "find_busiest_queue()",
            Check::CanMigrate => "can_migrate_task()",
            Check::Detach => "detach_tasks()",
            Check::ActiveBalance => "need_active_balance()",
            Check::Hunk => "",
            Check::Leftmost | Check::Buddy => "pick_next_entity()",
            Check::Granularity => "wakeup_preempt_entity()",
            Check::Slice => "check_preempt_tick()",
            Check::RtConflict => "select_task_rq_rt()",
            Check::LowestCpus => "cpupri_find()",
            Check::RtPriority => "check_preempt_curr()",
        }
    }
}
