use scenario::{Scenario, Setup};
use serde::{Deserialize, Serialize};

use crate::{DecisionFilter, LaneRows};

/// What the page asks of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Names the request in its answers; the page never uses a number twice for one worker.
    pub id: u32,
    /// What is asked.
    pub body: RequestBody,
}

/// What can be asked.
///
/// `Run`, `Divergence` and `Seeds` are jobs: they wait in a queue, a `Run` before every `Divergence`, that before every
/// `Seeds`, and are worked on in slices.
/// Everything else is answered at once, between two slices of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RequestBody {
    /// Run one column of a scenario. Answered with [`RunDone`](crate::AnswerBody::RunDone).
    Run {
        /// What to run.
        column: Box<PlannedColumn>,
        /// Under which key the worker keeps the run; what was there before is dropped when the new run is done.
        run: RunKey,
        /// What to keep and count.
        options: RunOptions,
    },
    /// Run some columns of a scenario under many seeds, for their metrics only.
    /// Answered with [`SeedRows`](crate::AnswerBody::SeedRows) again and again, then
    /// [`SeedsDone`](crate::AnswerBody::SeedsDone). For each seed all columns are run before the next seed begins.
    Seeds {
        /// What to run; their own seeds are not used.
        columns: Vec<PlannedColumn>,
        /// The first seed.
        first_seed: u64,
        /// How many seeds, one after the other.
        count: u32,
    },
    /// What every CPU or task does in a span of time. Answered with [`Lanes`](crate::AnswerBody::Lanes).
    Lanes {
        /// A run that is kept with its trace.
        run: RunKey,
        /// The start of the span.
        from_ns: u64,
        /// The end of the span; past the end of the run the lanes are empty.
        to_ns: u64,
        /// How many pixels wide the span is drawn, 1 to 16384. Device pixels give the sharpest picture.
        width_px: u32,
        /// What the lanes are.
        rows: LaneRows,
    },
    /// The whole run in one line. Answered with [`Minimap`](crate::AnswerBody::Minimap).
    Minimap {
        /// A run that is kept with its trace.
        run: RunKey,
        /// How many pixels wide, 1 to 16384.
        width_px: u32,
    },
    /// What runs and waits at a moment. Answered with [`Facts`](crate::AnswerBody::Facts).
    Facts {
        /// A run that is kept with its trace.
        run: RunKey,
        /// The moment.
        at_ns: u64,
        /// About whom.
        about: FactsAbout,
    },
    /// The slices of a span of time as rows, for the table that stands in for the picture.
    /// Answered with [`Table`](crate::AnswerBody::Table).
    Table {
        /// A run that is kept with its trace.
        run: RunKey,
        /// The start of the span.
        from_ns: u64,
        /// The end of the span.
        to_ns: u64,
        /// The most rows that are wanted, at most 10000.
        limit: u32,
    },
    /// What the program printed. Answered with [`Text`](crate::AnswerBody::Text).
    Text {
        /// A run that is kept.
        run: RunKey,
    },
    /// Take apart what was decided at an instant, and show the machine that the decisions found.
    /// Answered with [`Explained`](crate::AnswerBody::Explained).
    Explain {
        /// A run that is kept with its trace.
        run: RunKey,
        /// The instant, to the nanosecond: that of an event.
        at_ns: u64,
        /// Which of the decisions.
        filter: DecisionFilter,
    },
    /// Where the next or the previous decision is. Answered with [`Decision`](crate::AnswerBody::Decision).
    NextDecision {
        /// A run that is kept with its trace.
        run: RunKey,
        /// From where on; decisions of this very instant do not count.
        from_ns: u64,
        /// Forward in time, or backward.
        forward: bool,
        /// Which decisions.
        filter: DecisionFilter,
    },
    /// What happens next, or happened last. Answered with [`Event`](crate::AnswerBody::Event).
    NextEvent {
        /// A run that is kept with its trace.
        run: RunKey,
        /// From where on; events of this very instant do not count.
        from_ns: u64,
        /// Forward in time, or backward.
        forward: bool,
        /// Which events.
        filter: EventFilter,
    },
    /// Why a task waits, or runs where it does, one step back. Answered with [`Cause`](crate::AnswerBody::Cause).
    Cause {
        /// A run that is kept with its trace.
        run: RunKey,
        /// The task.
        task: u32,
        /// The moment.
        at_ns: u64,
    },
    /// Where two columns part ways. Both are run anew, under one seed.
    /// Answered with [`Divergence`](crate::AnswerBody::Divergence).
    Divergence {
        /// What to run: the first column is the base.
        columns: Box<[PlannedColumn; 2]>,
        /// The seed of both.
        seed: u64,
        /// Which divergence, from 0; see [`DivergenceView`](crate::DivergenceView) for what a later one is. Later ones
        /// need columns that differ in nothing but the kernel's patches.
        nth: u32,
    },
    /// How long tasks waited in a span of time, why, and whether a CPU idled meanwhile.
    /// Answered with [`WorkConservation`](crate::AnswerBody::WorkConservation). For the whole run the summary of the run
    /// has it already ([`RunSummary::work`](crate::RunSummary::work)).
    WorkConservation {
        /// A run that is kept with all its events.
        run: RunKey,
        /// The start of the span.
        from_ns: u64,
        /// The end of the span.
        to_ns: u64,
        /// Into how many bins what is shown over time is divided, 1 to 16384.
        bins: u32,
    },
    /// End another request, which is then answered with [`Cancelled`](crate::AnswerBody::Cancelled).
    /// Does nothing where that request is over already.
    Cancel {
        /// The request to end.
        id: u32,
    },
    /// Forget a run.
    Drop {
        /// Its key.
        run: RunKey,
    },
}

impl RequestBody {
    /// The name of what is asked.
    pub const fn kind(&self) -> &'static str {
        match self {
            RequestBody::Run { .. } => "Run",
            RequestBody::Seeds { .. } => "Seeds",
            RequestBody::Lanes { .. } => "Lanes",
            RequestBody::Minimap { .. } => "Minimap",
            RequestBody::Facts { .. } => "Facts",
            RequestBody::Table { .. } => "Table",
            RequestBody::Text { .. } => "Text",
            RequestBody::Explain { .. } => "Explain",
            RequestBody::NextDecision { .. } => "NextDecision",
            RequestBody::NextEvent { .. } => "NextEvent",
            RequestBody::Cause { .. } => "Cause",
            RequestBody::Divergence { .. } => "Divergence",
            RequestBody::WorkConservation { .. } => "WorkConservation",
            RequestBody::Cancel { .. } => "Cancel",
            RequestBody::Drop { .. } => "Drop",
        }
    }
}

/// One column of a scenario, resolved to what the engine takes.
///
/// The page reads and validates scenarios; the worker gets only this, so that it need not carry the code for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedColumn {
    /// Its position in the scenario.
    pub column: u32,
    /// Its name.
    pub name: String,
    /// What the engine takes, the seed included.
    pub setup: Setup,
}

impl PlannedColumn {
    /// A column, 0 to the number of columns less one, of a valid scenario, with the scenario's seed.
    pub fn new(scenario: &Scenario, column: usize) -> PlannedColumn {
        let name = scenario.columns[column].name.clone();
        PlannedColumn { column: column as u32, name, setup: scenario.setup(column) }
    }

    /// Every column of a valid scenario.
    pub fn all(scenario: &Scenario) -> Vec<PlannedColumn> {
        (0..scenario.columns.len()).map(|column| PlannedColumn::new(scenario, column)).collect()
    }
}

/// Names a run that a worker keeps; the page chooses it.
///
/// A worker keeps few runs: when a new one would be too many, the one that was not used for longest is dropped, and
/// a query for it is answered with a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunKey(pub u32);

/// What a run keeps and counts; none of it changes what happens or the trace hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOptions {
    /// Keep the events, so that lanes, facts and tables can be asked for.
    pub keep_trace: bool,
    /// Count what every form of every patch would answer at its hunks
    /// ([`RunSummary::hunks`](crate::RunSummary::hunks)).
    pub audit_hunks: bool,
}

/// Which events are gone through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventFilter {
    /// Those about this task: also that it is left for another one.
    pub task: Option<u32>,
    /// Those of this sort.
    pub sort: EventSort,
}

/// A sort of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventSort {
    /// Whatever happens to tasks and CPUs.
    #[default]
    Any,
    /// A wake-up begins.
    Wakeup,
    /// A task begins to run.
    Start,
}

/// About whom facts are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactsAbout {
    /// Every CPU, and every task that is on one.
    Machine,
    /// One CPU and its tasks.
    Cpu(u16),
    /// One task, wherever it is.
    Task(u32),
}
