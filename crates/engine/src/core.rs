//! The core of the scheduler: context switches, wake-ups, ticks.

pub(crate) mod class;
pub(crate) mod cpufreq;
pub(crate) mod exec;
pub(crate) mod program;
pub(crate) mod schedule;
pub(crate) mod tick;
pub(crate) mod ttwu;
