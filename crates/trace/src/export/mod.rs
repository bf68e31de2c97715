//! Writers of traces in the formats that other tools read: from events and names to bytes.
//!
//! Every writer takes the events of a run piece by piece, in their order, so that a long run need not be held, and is
//! finished once. The bytes depend on nothing but the events, the names and the end of the run.

mod chrome;
mod csv;
mod ftrace;
mod names;
mod perfetto;
mod protobuf;
mod schedstat;
mod text;
mod timehist;
mod tracepoints;

#[cfg(test)]
mod tests;

use std::fmt::Debug;

use sim::Nanos;

use crate::Event;

pub use chrome::Chrome;
pub use csv::CompactCsv;
pub use ftrace::Ftrace;
pub use names::{Names, TaskName};
pub use perfetto::Perfetto;
pub use schedstat::{DomainName, Schedstat};
pub use timehist::Timehist;

/// Writes a run in some format.
pub trait Writer: Debug {
    /// Takes the next events of the run and appends what they give.
    fn follow(&mut self, events: &[Event], out: &mut Vec<u8>);

    /// Appends what is left, now that the run is over at `end`. Called once, after all events.
    fn finish(&mut self, end: Nanos, out: &mut Vec<u8>);
}

/// What the clock of an exported kernel trace shows at the start of the run: kernels boot before they trace, and some
/// readers take a time of zero for none. Small, so that readers who keep seconds as floats keep every nanosecond.
const CLOCK_START: Nanos = Nanos::from_secs(1);
