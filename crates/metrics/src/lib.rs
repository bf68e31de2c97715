//! What is read from a run and from many: the benchmark's histogram and text, figures with names and units, bands over
//! seeds, and the rule by which a sample of runs passes a bar.
//!
//! Computed from plain values, never from the engine. Only `+ - * /` and `sqrt`, so that a figure is the same bit for bit
//! natively and in wasm.

mod band;
mod compare;
mod conservation;
mod distribution;
mod figures;
mod histogram;
mod launch;
mod percentiles;
mod schbench_text;
mod seed_rule;

pub use band::{Band, Interval, quantile};
pub use compare::PairedBand;
pub use conservation::{Span, TaskWork, WaitStats, WaitWhileIdle, WorkBin, WorkBuilder, WorkConservation};
pub use distribution::{Bin, log_bins};
pub use figures::{Metric, MetricInfo, RunFacts, RunMetrics, hackbench_text};
pub use histogram::{Bucket, Histogram};
pub use launch::{LaunchFacts, MainThread};
pub use percentiles::{Percentiles, Rank};
pub use schbench_text::{Extremes, ParseError, SchbenchOutput};
pub use seed_rule::{fewest_passing, mean_touches, most_passing, quantile_interval};
