//! What happened: the vocabulary of events and the log that keeps them.

mod event;
mod log;

pub use event::{BalanceOutcome, Event, EventKind, MigrateReason, PrevState};
pub use log::Trace;
