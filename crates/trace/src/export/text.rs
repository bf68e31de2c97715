use std::fmt;
use std::io::Write;

use sim::Nanos;

/// Appends formatted text.
pub(crate) fn put(out: &mut Vec<u8>, text: fmt::Arguments<'_>) {
    let written = out.write_fmt(text);
    debug_assert!(written.is_ok(), "memory takes whatever is written to it");
}

/// A span or moment in a larger unit, with all its digits: 1500 ns as thousands are `1.500`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal {
    nanos: u64,
    unit: u64,
    digits: usize,
}

/// In seconds to the nanosecond.
pub(crate) fn seconds(time: Nanos) -> Decimal {
    Decimal { nanos: time.0, unit: 1_000_000_000, digits: 9 }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text =
            format!("{}.{:0digits$}", self.nanos / self.unit, self.nanos % self.unit, digits = self.digits);
        f.pad(&text)
    }
}

/// In microseconds to the nanosecond.
pub(crate) fn micros(time: Nanos) -> Decimal {
    Decimal { nanos: time.0, unit: 1_000, digits: 3 }
}
