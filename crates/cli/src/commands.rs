//! One module a command.

mod bench;
mod check_vectors;
mod compare;
mod export;
mod presets;
mod run;

pub(crate) use bench::bench;
pub(crate) use check_vectors::check_vectors;
pub(crate) use compare::compare;
pub(crate) use export::export;
pub(crate) use presets::presets;
pub(crate) use run::run;
