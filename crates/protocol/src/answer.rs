use serde::{Deserialize, Deserializer, Serialize};

use crate::column::Bulk;
use crate::{
    CauseView, Column, ColumnError, ColumnRef, DecisionPoint, DivergenceView, EventView, Explained, Facts,
    Lanes, MetricInfo, Minimap, RunSummary, Table, WorkConservation,
};

/// What a worker tells the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The request that is answered; 0 where there is none ([`AnswerBody::Ready`], or a panic between requests).
    pub id: u32,
    /// What is told.
    pub body: AnswerBody,
}

/// What can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AnswerBody {
    /// The worker listens from now on.
    Ready {
        /// The version of the engine.
        engine_version: String,
    },
    /// How far a job has come; about every 50 ms while it is worked on.
    Progress(Progress),
    /// A run is done.
    RunDone(Box<RunSummary>),
    /// Some runs of a seeds job are done.
    SeedRows(SeedRows),
    /// A seeds job is done; all its rows were sent before.
    SeedsDone,
    /// See [`RequestBody::Lanes`](crate::RequestBody::Lanes).
    #[serde(deserialize_with = "apart")]
    Lanes(Lanes),
    /// See [`RequestBody::Minimap`](crate::RequestBody::Minimap).
    #[serde(deserialize_with = "apart")]
    Minimap(Minimap),
    /// See [`RequestBody::Facts`](crate::RequestBody::Facts).
    #[serde(deserialize_with = "apart")]
    Facts(Facts),
    /// See [`RequestBody::Table`](crate::RequestBody::Table).
    #[serde(deserialize_with = "apart")]
    Table(Table),
    /// See [`RequestBody::Text`](crate::RequestBody::Text).
    Text(String),
    /// See [`RequestBody::Explain`](crate::RequestBody::Explain).
    #[serde(deserialize_with = "apart")]
    Explained(Explained),
    /// See [`RequestBody::NextDecision`](crate::RequestBody::NextDecision); none where there is no further one.
    #[serde(deserialize_with = "apart")]
    Decision(Option<DecisionPoint>),
    /// See [`RequestBody::NextEvent`](crate::RequestBody::NextEvent); none where there is no further one.
    #[serde(deserialize_with = "apart")]
    Event(Option<EventView>),
    /// See [`RequestBody::Cause`](crate::RequestBody::Cause); none where the task neither waits nor runs then.
    #[serde(deserialize_with = "apart")]
    Cause(Option<Box<CauseView>>),
    /// See [`RequestBody::Divergence`](crate::RequestBody::Divergence); none where the columns do not part (any more).
    #[serde(deserialize_with = "apart")]
    Divergence(Option<Box<DivergenceView>>),
    /// See [`RequestBody::WorkConservation`](crate::RequestBody::WorkConservation).
    #[serde(deserialize_with = "apart")]
    WorkConservation(Box<WorkConservation>),
    /// The request was cancelled before it was done.
    Cancelled,
    /// The request cannot be done.
    Failed(Failure),
}

/// Reads what an answer holds by a function of its own, so that a page need not load it before somebody asks.
#[inline(never)]
fn apart<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    T::deserialize(from)
}

/// How far a job has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Which part is done, 0 to 1.
    pub fraction: f64,
    /// How far simulated time has come in the current run.
    pub now_ns: u64,
    /// How many events were processed so far, over all runs of the job.
    pub events: u64,
}

/// Figures of some runs of a seeds job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeedRows {
    /// What the values of a row are; the same in every answer of a job.
    pub metrics: Vec<MetricInfo>,
    /// The runs, one or more.
    pub rows: Vec<SeedRow>,
}

/// The figures of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeedRow {
    /// The position of the column in the scenario.
    pub column: u32,
    /// The seed.
    pub seed: u64,
    /// The hash of everything that happened, 16 hexadecimal digits.
    pub trace_hash: String,
    /// The values of [`SeedRows::metrics`].
    pub values: Vec<f64>,
}

/// Why a request cannot be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What went wrong, in one sentence for people.
    pub message: String,
    /// Whether the worker is lost with everything that it kept, so that a new one must be started.
    pub worker_lost: bool,
}

impl AnswerBody {
    /// Whether this is the last answer to its request.
    pub const fn is_final(&self) -> bool {
        !matches!(self, AnswerBody::Ready { .. } | AnswerBody::Progress(_) | AnswerBody::SeedRows(_))
    }

    /// The name of what is told.
    pub const fn kind(&self) -> &'static str {
        match self {
            AnswerBody::Ready { .. } => "Ready",
            AnswerBody::Progress(_) => "Progress",
            AnswerBody::RunDone(_) => "RunDone",
            AnswerBody::SeedRows(_) => "SeedRows",
            AnswerBody::SeedsDone => "SeedsDone",
            AnswerBody::Lanes(_) => "Lanes",
            AnswerBody::Minimap(_) => "Minimap",
            AnswerBody::Facts(_) => "Facts",
            AnswerBody::Table(_) => "Table",
            AnswerBody::Text(_) => "Text",
            AnswerBody::Explained(_) => "Explained",
            AnswerBody::Decision(_) => "Decision",
            AnswerBody::Event(_) => "Event",
            AnswerBody::Cause(_) => "Cause",
            AnswerBody::Divergence(_) => "Divergence",
            AnswerBody::WorkConservation(_) => "WorkConservation",
            AnswerBody::Cancelled => "Cancelled",
            AnswerBody::Failed(_) => "Failed",
        }
    }

    /// The columns that travel beside the message, with their names.
    pub fn columns(&self) -> Vec<(&'static str, ColumnRef<'_>)> {
        self.bulk().map_or_else(Vec::new, Bulk::columns)
    }

    /// Puts a column back into the answer to which it belongs.
    pub fn set_column(&mut self, name: &str, column: Column) -> Result<(), ColumnError> {
        match self.bulk_mut() {
            Some(bulk) => bulk.set_column(name, column),
            None => Err(ColumnError { name: name.to_owned(), expected: "no column" }),
        }
    }

    fn bulk(&self) -> Option<&dyn Bulk> {
        match self {
            AnswerBody::RunDone(summary) => Some(&**summary),
            AnswerBody::Lanes(lanes) => Some(lanes),
            AnswerBody::Minimap(minimap) => Some(minimap),
            AnswerBody::Table(table) => Some(table),
            AnswerBody::WorkConservation(work) => Some(&**work),
            _ => None,
        }
    }

    fn bulk_mut(&mut self) -> Option<&mut dyn Bulk> {
        match self {
            AnswerBody::RunDone(summary) => Some(&mut **summary),
            AnswerBody::Lanes(lanes) => Some(lanes),
            AnswerBody::Minimap(minimap) => Some(minimap),
            AnswerBody::Table(table) => Some(table),
            AnswerBody::WorkConservation(work) => Some(&mut **work),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_another_answer_or_type_is_refused() {
        let mut body = AnswerBody::Minimap(Minimap::default());
        assert!(body.set_column("busy", Column::U32(vec![1])).is_err());
        assert!(body.set_column("x0", Column::F32(vec![1.0])).is_err());
        assert!(AnswerBody::SeedsDone.set_column("busy", Column::U8(vec![1])).is_err());
        assert_eq!(body.set_column("busy", Column::U8(vec![1])), Ok(()));
    }
}
