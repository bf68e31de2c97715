//! What happened: the vocabulary of events, the log that keeps them, and views of it over time.

mod event;
pub mod export;
pub mod explain;
mod lanes;
mod log;
mod moment;
mod steps;
mod timeline;

#[cfg(test)]
mod tests;

pub use event::{BalanceOutcome, Event, EventKind, MigrateReason, PrevState};
pub use lanes::{Arrow, LEAST_SHARE, MAX_WIDTH, MapPixel, Rect, SUBPIXELS, Shows, View};
pub use log::Trace;
pub use moment::{EndedBy, Slice, TaskMoment};
pub use steps::{Piece, Steps};
pub use timeline::{Doing, TaskState, Timeline, TimelineBuilder};
