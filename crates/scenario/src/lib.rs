//! What is simulated: the scenario that people write, share and validate, and the setup that the engine takes.

mod setup;

pub use setup::{CostTable, IdleState, Setup};
