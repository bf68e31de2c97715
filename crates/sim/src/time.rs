use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use serde::{Deserialize, Serialize};

/// A moment or a span of simulated time in nanoseconds, from the start of the run.
///
/// Subtraction asserts that it does not go below zero; use [`Nanos::saturating_sub`] where it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// The start of the run.
    pub const ZERO: Nanos = Nanos(0);
    /// A moment that is never reached.
    pub const NEVER: Nanos = Nanos(u64::MAX);

    /// A span of whole microseconds.
    pub const fn from_micros(micros: u64) -> Nanos {
        Nanos(micros * 1_000)
    }

    /// A span of whole milliseconds.
    pub const fn from_millis(millis: u64) -> Nanos {
        Nanos(millis * 1_000_000)
    }

    /// A span of whole seconds.
    pub const fn from_secs(secs: u64) -> Nanos {
        Nanos(secs * 1_000_000_000)
    }

    /// Whole microseconds, rounded down: what a program reads from its microsecond clock.
    pub const fn as_micros(self) -> u64 {
        self.0 / 1_000
    }

    /// The difference, or zero where `other` is later.
    pub const fn saturating_sub(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(other.0))
    }

    /// The sum, or [`Nanos::NEVER`] where it would not fit.
    pub const fn saturating_add(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(other.0))
    }
}

impl Add for Nanos {
    type Output = Nanos;
    fn add(self, other: Nanos) -> Nanos {
        Nanos(self.0 + other.0)
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Nanos) {
        self.0 += other.0;
    }
}

impl Sub for Nanos {
    type Output = Nanos;
    fn sub(self, other: Nanos) -> Nanos {
        debug_assert!(other <= self, "time ran backwards: {self} - {other}");
        Nanos(self.0 - other.0)
    }
}

impl SubAssign for Nanos {
    fn sub_assign(&mut self, other: Nanos) {
        *self = *self - other;
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09} s", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}
