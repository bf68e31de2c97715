//! What the page and its workers say to each other: plain data, no engine types.
//!
//! A worker posts one [`Answer`] with [`AnswerBody::Ready`] as soon as it listens; what is sent earlier is lost.
//! Every [`Request`] then gets exactly one *final* answer with its id ([`AnswerBody::is_final`]), and before it any
//! number of [`AnswerBody::Progress`] and [`AnswerBody::SeedRows`].
//! [`RequestBody::Cancel`] and [`RequestBody::Drop`] get no answer of their own: a cancelled request ends with
//! [`AnswerBody::Cancelled`] under its own id.
//!
//! # On the wire
//!
//! A message is a JavaScript object. Its property `m` holds the request or the answer in postcard's format, its property
//! `kind` the name of what it is, for people and tests that watch.
//! The long columns of an answer (fields marked "column") are not in `m`: each is a property of its own that holds a
//! typed array, whose buffer is transferred. [`AnswerBody::columns`] lists them on the way out and
//! [`AnswerBody::set_column`] puts them back on the way in, so that both ends see whole structs.
//!
//! Plain objects would be easier to look at, but the code that reads them is five times as big, and every visitor has to
//! load it.
//!
//! Times are nanoseconds of simulated time from the start of the run.

mod answer;
mod column;
mod decision;
mod divergence;
mod export;
mod lanes;
mod request;
mod run;
mod wire;
mod work;

pub use answer::{Answer, AnswerBody, Failure, Progress, SeedRow, SeedRows};
pub use column::{Column, ColumnError, ColumnRef};
pub use decision::{
    BalanceReason, BalanceView, CauseKind, CauseNext, CauseView, CpuInspection, DecisionFilter, DecisionKind,
    DecisionPoint, DecisionView, DomainInspection, Explained, FormAnswer, HunkAnswers, OutcomeView, StepView,
    TaskInspection, TaskName, ValueView,
};
pub use divergence::{Consequence, DivergenceSide, DivergenceView, EventView, TaskFate};
pub use export::{ExportFormat, ExportOrder, ExportReply, Origin, PublishedFigure};
pub use lanes::{
    CpuFact, Facts, FoldedLanes, LaneArrows, LaneRows, LaneState, Lanes, Minimap, NO_TASK, Table, TaskFact,
    TaskState, WaitFact,
};
pub use request::{
    EventFilter, EventSort, FactsAbout, PlannedColumn, Request, RequestBody, RunKey, RunOptions,
};
pub use run::{
    Counter, CpuView, DomainSpan, FormChange, Histogram, HunkView, Metric, MetricInfo, Percentile,
    RunSummary, Samples, TaskView, TraceKept,
};
pub use wire::{BadMessage, KIND, MESSAGE, PART};
pub use work::{TaskWaits, WaitStats, WaitWhileIdle, WorkConservation, WorkOverTime};
