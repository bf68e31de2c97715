use serde::{Deserialize, Serialize};

use crate::column::bulk;

/// In a column of task ids: no task, the CPU idles.
pub const NO_TASK: u32 = u32::MAX;

/// What the lanes of a picture are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LaneRows {
    /// CPUs in the order of [`RunSummary::cpus`](crate::RunSummary::cpus), of which some stand together in one lane.
    Cpus {
        /// Which, in the order of lanes and without overlap.
        folded: Vec<FoldedLanes>,
    },
    /// These tasks, one a lane.
    Tasks {
        /// Their ids.
        tasks: Vec<u32>,
    },
}

/// CPUs side by side that stand in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldedLanes {
    /// The position of the first one in [`RunSummary::cpus`](crate::RunSummary::cpus).
    pub first: u32,
    /// How many; at least one.
    pub count: u32,
}

/// What every CPU or task does in a span of time, as rectangles to draw.
///
/// The lanes are as [`LaneRows`] says. Rectangles of one lane lie side by side in
/// `lane_start[lane]..lane_start[lane + 1]`: first those of what the CPU does (idle, wasted, running), which tile the
/// part of the span that lies inside the run, then those of who waits on it. There is at most one of either kind a pixel.
/// Where a lane has no more slices than pixels the rectangles are exact; draw them at least one pixel wide, so that
/// microseconds do not vanish. Else each pixel shows what took most of its time.
///
/// The lane of a task has first what it does (running, blocked), with gaps while it waits or does not exist, then when
/// it waits. The lane of several CPUs has first how busy they are together (busy, idle), then for how much of their time
/// somebody waits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lanes {
    /// The start of the span, as asked.
    pub from_ns: u64,
    /// The end of the span, as asked.
    pub to_ns: u64,
    /// Its width, as asked.
    pub width_px: u32,
    /// Column, one more than there are lanes: where the rectangles of each lane begin.
    #[serde(skip)]
    pub lane_start: Vec<u32>,
    /// Column: left edge in pixels from the start of the span, 0 to `width_px`.
    #[serde(skip)]
    pub x0: Vec<f32>,
    /// Column: right edge in pixels.
    #[serde(skip)]
    pub x1: Vec<f32>,
    /// Column: the task that runs, or [`NO_TASK`] where the CPU idles and in rectangles of waiting. In the lane of a task:
    /// the CPU on which it runs.
    #[serde(skip)]
    pub task: Vec<u32>,
    /// Column: what is shown; read it with [`LaneState::from_u8`].
    #[serde(skip)]
    pub state: Vec<u8>,
    /// Column: for waiting, how many tasks wait at most (up to 255); for running, which share of the rectangle's
    /// time the CPU was not idle, or the task ran, of 255; in the lane of several CPUs the share of their time in which they
    /// are busy or somebody waits, of 255; for a CPU that idles, how deep: the position of its state in
    /// [`RunSummary::idle_states`](crate::RunSummary::idle_states); else 0.
    #[serde(skip)]
    pub level: Vec<u8>,
    /// Wake-ups and moves in the span; of either none where there are more than pixels.
    pub arrows: LaneArrows,
}

/// Wake-ups as arrows from the CPU of the waker to the CPU that was chosen, and moves of other tasks between CPUs. Between
/// lanes of tasks: wake-ups alone, from the task that wakes to the task that is woken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaneArrows {
    /// Column: when, in pixels from the start of the span.
    #[serde(skip)]
    pub x: Vec<f32>,
    /// Column: the lane that it begins at.
    #[serde(skip)]
    pub from_lane: Vec<u32>,
    /// Column: the lane that it ends at.
    #[serde(skip)]
    pub to_lane: Vec<u32>,
    /// Column: the task that is woken or moved.
    #[serde(skip)]
    pub task: Vec<u32>,
    /// Column: 0 for a wake-up, 1 for a move.
    #[serde(skip)]
    pub kind: Vec<u8>,
}

/// What a rectangle of a lane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum LaneState {
    /// The CPU idles, and no task of its last-level cache waits.
    Idle = 0,
    /// The CPU runs a task, or the task runs.
    Running = 1,
    /// Tasks wait for the CPU; drawn with what it does, not instead. In the lane of a task: it waits.
    Waiting = 2,
    /// The CPU idles while a task waits on another CPU of its last-level cache.
    Wasted = 3,
    /// The task neither runs nor waits for a CPU.
    Blocked = 4,
    /// Of several CPUs some run tasks.
    Busy = 5,
}

/// The whole run in one line: one value a pixel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Minimap {
    /// The end of the run.
    pub end_ns: u64,
    /// Column: which share of all CPU time was not idle, of 255.
    #[serde(skip)]
    pub busy: Vec<u8>,
    /// Column: how many tasks of the machine waited at most, up to 255.
    #[serde(skip)]
    pub waiting: Vec<u8>,
}

/// What runs and waits at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The moment, moved into the run where it was outside.
    pub at_ns: u64,
    /// The CPUs that were asked about.
    pub cpus: Vec<CpuFact>,
    /// The tasks that were asked about, or that run or wait on those CPUs.
    pub tasks: Vec<TaskFact>,
}

/// What a CPU does at a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuFact {
    /// The CPU.
    pub cpu: u16,
    /// The task that runs; none where it idles.
    pub running: Option<u32>,
    /// Since when.
    pub since_ns: u64,
    /// Until when.
    pub until_ns: u64,
    /// Its idle state where it idles: the position in [`RunSummary::idle_states`](crate::RunSummary::idle_states).
    pub idle_depth: u8,
    /// Who waits, the longest first.
    pub waiting: Vec<WaitFact>,
}

/// A task that waits for a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitFact {
    /// The task.
    pub task: u32,
    /// Since when it has been runnable without running.
    pub since_ns: u64,
}

/// What a task does at a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskFact {
    /// The task.
    pub task: u32,
    /// What it does.
    pub state: TaskState,
    /// The CPU on which it runs or waits, or ran last; none before its creation.
    pub cpu: Option<u16>,
    /// Since when.
    pub since_ns: u64,
    /// Until when; the end of the run where it never ends.
    pub until_ns: u64,
    /// How long it has run so far.
    pub ran_ns: u64,
    /// How long it has been runnable without running so far.
    pub waited_ns: u64,
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TaskState {
    /// It does not exist yet.
    Unborn,
    /// It waits for an event: another thread, or a timer.
    Sleeping,
    /// It was woken and is on its way to a run queue.
    Waking,
    /// It is runnable and waits for a CPU.
    Waiting,
    /// It runs.
    Running,
    /// It has ended.
    Dead,
}

/// Slices of running in the order in which they begin: one row a slice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// How many rows there would be without the limit.
    pub total: u32,
    /// Column: when the slice begins. Whole nanoseconds.
    #[serde(skip)]
    pub from_ns: Vec<f64>,
    /// Column: when the slice ends.
    #[serde(skip)]
    pub to_ns: Vec<f64>,
    /// Column: the CPU.
    #[serde(skip)]
    pub cpu: Vec<u32>,
    /// Column: the task.
    #[serde(skip)]
    pub task: Vec<u32>,
    /// Column: how long the task had been runnable when the slice began, in nanoseconds.
    #[serde(skip)]
    pub waited_ns: Vec<f64>,
    /// Column: how the slice ended: 0 the task was preempted, 1 it went to sleep, 2 it ended, 3 the run ended.
    #[serde(skip)]
    pub ended_by: Vec<u8>,
}

bulk!(Lanes {
    "lane_start" => lane_start,
    "x0" => x0,
    "x1" => x1,
    "task" => task,
    "state" => state,
    "level" => level,
    "arrow_x" => arrows.x,
    "arrow_from" => arrows.from_lane,
    "arrow_to" => arrows.to_lane,
    "arrow_task" => arrows.task,
    "arrow_kind" => arrows.kind,
});

bulk!(Minimap {
    "busy" => busy,
    "waiting" => waiting,
});

bulk!(Table {
    "from_ns" => from_ns,
    "to_ns" => to_ns,
    "cpu" => cpu,
    "task" => task,
    "waited_ns" => waited_ns,
    "ended_by" => ended_by,
});

impl LaneState {
    /// The state with a number, if there is one.
    pub const fn from_u8(number: u8) -> Option<LaneState> {
        match number {
            0 => Some(LaneState::Idle),
            1 => Some(LaneState::Running),
            2 => Some(LaneState::Waiting),
            3 => Some(LaneState::Wasted),
            4 => Some(LaneState::Blocked),
            5 => Some(LaneState::Busy),
            _ => None,
        }
    }
}
