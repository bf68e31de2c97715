//! What is simulated: the scenario that people write, share and validate, and the setup that the engine takes.
//!
//! A scenario comes from a preset, a file, a link or settings of single keys; [`keys::KEYS`] is the table of everything
//! that can be set. [`validate`] says all that is wrong with it at once. [`Scenario::setup`] turns a column of a valid one
//! into a [`Setup`].

mod column;
mod costs;
mod diff;
mod json;
pub mod keys;
mod launch;
mod link;
mod presets;
mod problem;
mod scenario;
mod setup;
mod validate;

pub use column::{Column, MAX_COLUMNS};
pub use costs::{CostSet, Costs};
pub use launch::{LaunchChoice, RtCpuset, RtHome, SfCpuset};
pub use link::{Link, LinkError};
pub use presets::{Figure, Preset, Published, Purpose, Unit};
pub use problem::{Problem, nearest};
pub use scenario::{
    CopiesChoice, HogsChoice, IdleChoice, KernelChoice, Machine, PeriodicChoice, RunChoice, Scenario,
    WorkloadChoice,
};
pub use setup::{CostTable, IdleState, Setup};
pub use validate::{MAX_SEED, validate};
