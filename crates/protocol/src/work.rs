use serde::{Deserialize, Serialize};

use crate::column::bulk;

/// How long tasks waited, why, and whether a CPU idled meanwhile; of a span of time of a run.
///
/// A wait is the time from when a task becomes runnable without a CPU, by its wake-up, its creation or a preemption,
/// until it gets one. A wait is counted where it ends, or at the end of the span; the part before the span is not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkConservation {
    /// The start of the span.
    pub from_ns: u64,
    /// The end of the span.
    pub to_ns: u64,
    /// Wake-up latency of tasks that woke on the CPU on which they ran before.
    pub wakeup_kept: WaitStats,
    /// Wake-up latency of tasks that were moved by their wake-up.
    pub wakeup_moved: WaitStats,
    /// Waits that began with a preemption.
    pub preemption: WaitStats,
    /// Waits that began with the creation of the task, or with its moving while it ran.
    pub other: WaitStats,
    /// Time that tasks waited while an allowed CPU idled, by its cause.
    pub wait_while_idle: WaitWhileIdle,
    /// The load-balance score of LinSched: the mean over time of the squared distance between the loads of the CPUs and
    /// those of a greedy assignment, the load of the whole machine being 1024. 0 is perfect.
    pub load_balance_score: f64,
    /// Per task.
    pub tasks: TaskWaits,
    /// Over time.
    pub over_time: WorkOverTime,
}

/// Waits of one sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WaitStats {
    /// How many.
    pub count: u64,
    /// Their sum in nanoseconds.
    pub sum_ns: u64,
    /// The median in nanoseconds; this and what follows is 0 where there are none.
    pub p50_ns: u64,
    /// The 95th percentile.
    pub p95_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

/// Time that tasks waited while a CPU idled, summed over the tasks, in nanoseconds, by cause. A moment of a wait has one
/// cause: the first of these that holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitWhileIdle {
    /// The idle CPUs are all in other last-level caches than the task's.
    pub idle_elsewhere_ns: u64,
    /// The balancer looked at the task during this wait and left it for its utilisation.
    pub refused_ns: u64,
    /// The task's wake-up put it on a CPU in use.
    pub stacked_ns: u64,
    /// Everything else: it was preempted, created or moved there.
    pub other_ns: u64,
}

/// One row a task, by its id; all columns are equally long. Times in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskWaits {
    /// Column: how long it ran.
    #[serde(skip)]
    pub ran_ns: Vec<f64>,
    /// Column: its run delay, the time that it was runnable without running.
    #[serde(skip)]
    pub run_delay_ns: Vec<f64>,
    /// Column: the part of its run delay after preemptions.
    #[serde(skip)]
    pub preemption_ns: Vec<f64>,
    /// Column: the part of its run delay in which an allowed CPU idled.
    #[serde(skip)]
    pub while_idle_ns: Vec<f64>,
    /// Column: how often it waited.
    #[serde(skip)]
    pub waits: Vec<u32>,
    /// Column: its longest wait.
    #[serde(skip)]
    pub longest_ns: Vec<f64>,
    /// Column: when that began, in nanoseconds from the start of the run.
    #[serde(skip)]
    pub longest_from_ns: Vec<f64>,
}

/// The span in equal bins; all columns are equally long.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkOverTime {
    /// How wide a bin is, in nanoseconds.
    pub bin_ns: u64,
    /// Column: runnable tasks of the machine, running or waiting, on average.
    #[serde(skip)]
    pub runnable: Vec<f32>,
    /// Column: the longest run queue of a CPU, the running task included.
    #[serde(skip)]
    pub longest_queue: Vec<u32>,
    /// Column: tasks that waited while only CPUs of other caches idled, on average.
    #[serde(skip)]
    pub idle_elsewhere: Vec<f32>,
    /// Column: tasks that waited beside an idle CPU because the balancer had left them, on average.
    #[serde(skip)]
    pub refused: Vec<f32>,
    /// Column: tasks that waited beside an idle CPU because of their wake-up, on average.
    #[serde(skip)]
    pub stacked: Vec<f32>,
    /// Column: tasks that waited beside an idle CPU for another reason, on average.
    #[serde(skip)]
    pub other: Vec<f32>,
}

bulk!(WorkConservation {
    "task_ran_ns" => tasks.ran_ns,
    "task_run_delay_ns" => tasks.run_delay_ns,
    "task_preemption_ns" => tasks.preemption_ns,
    "task_while_idle_ns" => tasks.while_idle_ns,
    "task_waits" => tasks.waits,
    "task_longest_ns" => tasks.longest_ns,
    "task_longest_from_ns" => tasks.longest_from_ns,
    "runnable" => over_time.runnable,
    "longest_queue" => over_time.longest_queue,
    "idle_elsewhere" => over_time.idle_elsewhere,
    "refused" => over_time.refused,
    "stacked" => over_time.stacked,
    "other" => over_time.other,
});

impl WaitWhileIdle {
    /// All causes together.
    pub const fn total_ns(self) -> u64 {
        self.idle_elsewhere_ns + self.refused_ns + self.stacked_ns + self.other_ns
    }
}
