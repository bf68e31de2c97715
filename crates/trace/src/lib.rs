//! What happened: the vocabulary of events, the log that keeps them, and views of it over time.

pub mod divergence;
mod event;
pub mod explain;
pub mod export;
mod follow;
mod lanes;
mod log;
mod moment;
mod steps;
mod timeline;

#[cfg(test)]
mod tests;

pub use event::{BalanceOutcome, Event, EventKind, MigrateReason, PrevState};
pub use follow::{Change, Follower};
pub use lanes::{Arrow, Arrows, LEAST_SHARE, MAX_WIDTH, MapPixel, Rect, SUBPIXELS, Shows, View};
pub use log::Trace;
pub use moment::{EndedBy, Slice, TaskMoment};
pub use steps::{Piece, Steps};
pub use timeline::{Doing, TaskState, Timeline, TimelineBuilder};
