//! Runqueue metrics.
