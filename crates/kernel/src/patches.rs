//! One module a patch: who wrote it, what it does, and a [`Hunk`](crate::Hunk) for each place that it edits.

pub mod llc_spread;
pub mod rt_idle_first;
pub mod ttwu_pending;
