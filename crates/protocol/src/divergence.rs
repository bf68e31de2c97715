use serde::{Deserialize, Serialize};

use crate::{CpuInspection, DecisionView, TaskName, ValueView};

/// Where two columns part ways, and what followed from it.
///
/// Divergence 0 is the first event at which the logs of the two runs differ. After it the runs are in different states,
/// and comparing them event by event says nothing any more. So divergence n + 1 is defined from the *first* column alone:
/// take its run just after divergence n, give it the kernel of the second column from there on, and find the first event
/// at which the two then differ. Each is a moment of the first column's own run, so that its timeline can show them all;
/// from divergence 1 on the second side is this "what if", not the second column's run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DivergenceView {
    /// Which one, from 0.
    pub nth: u32,
    /// The moment.
    pub at_ns: u64,
    /// From when on the second side has the second column's kernel: 0 for the first divergence, whose second side is
    /// the second column's run.
    pub patched_from_ns: u64,
    /// The first column.
    pub base: DivergenceSide,
    /// The second column, or the first one with the kernel of the second.
    pub patched: DivergenceSide,
    /// Every CPU of the first side just before, in the order of their numbers. On the other side the queues are the same.
    pub cpus: Vec<CpuInspection>,
    /// What followed; none where no task waits for it.
    pub consequence: Option<Consequence>,
}

/// One side of a divergence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DivergenceSide {
    /// The name of the column.
    pub column: String,
    /// The first event of this side that the other one does not have; none where this side's run is over.
    pub event: Option<EventView>,
    /// The decision that came out otherwise, taken apart. None where no decision did: then something else happened
    /// at another time, which the event says.
    pub decision: Option<DecisionView>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventView {
    /// When.
    pub at_ns: u64,
    /// What, by its key: `util_refused`, `migrate`. The page has the words.
    pub kind: String,
    /// The CPU that it is about.
    pub cpu: u16,
    /// The task that it is about, if it is about one.
    pub task: Option<TaskName>,
    /// What else it says: `from_cpu`, `imbalance`.
    pub values: Vec<ValueView>,
}

/// What followed from a divergence: the parts of one sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Consequence {
    /// The task that the decision left or took.
    pub task: TaskName,
    /// What became of it in the first column.
    pub base: TaskFate,
    /// What became of it on the other side.
    pub patched: TaskFate,
    /// The CPU that idled in the column in which the task waited longer: the one that could have run it.
    pub idle_cpu: Option<u16>,
    /// Until when both sides were followed.
    pub followed_until_ns: u64,
}

/// What became of a task after a divergence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFate {
    /// Since when it had been waiting, which can be before the divergence.
    pub waits_since_ns: u64,
    /// When it got a CPU; none where it still waited when nobody followed it any longer.
    pub ran_at_ns: Option<u64>,
    /// How long it waited, up to `ran_at_ns` or the end of what was followed.
    pub waited_ns: u64,
    /// The CPU on which it ran, or waited at last.
    pub cpu: u16,
    /// How long [`Consequence::idle_cpu`] idled after the divergence while the task waited.
    pub idled_ns: u64,
}
