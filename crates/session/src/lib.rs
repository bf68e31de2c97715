//! The façade over the engine: runs, bands over seeds, and questions about runs. Engine types never leave it.
//!
//! [`Session`] is everything behind a worker of the page; [`run_column`] and [`run_seed`] serve the command line.

mod cause;
mod divergence;
mod export;
mod history;
mod inspect;
mod read;
mod recording;
mod run;
mod seeds;
mod session;
mod snapshots;
mod store;
mod summary;
mod version;
mod views;
mod work;

pub use divergence::DivergenceJob;
pub use export::{ExportJob, export};
pub use protocol::{
    ExportFormat, ExportOrder, Metric, MetricInfo, Progress, RunOptions, RunSummary, SeedRow, SeedRows,
};
pub use read::{Refusal, read_scenario};
pub use run::{RunJob, run_column, run_seed};
pub use seeds::SeedsJob;
pub use session::Session;
pub use version::ENGINE_VERSION;
