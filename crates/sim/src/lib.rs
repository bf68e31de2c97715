//! The ground under the simulator: time, identifiers, the event queue, random streams and the state hash.
//!
//! Knows nothing about scheduling.
//! Everything here is integer arithmetic with explicit widths, so that a run is the same bit for bit natively and in wasm.

mod hash;
mod id;
mod lognormal;
mod queue;
mod stream;
mod time;

pub use hash::{StableHasher, stable_hash};
pub use id::{CpuId, TaskId};
pub use queue::{EventClass, EventQueue};
pub use stream::Stream;
pub use time::Nanos;
