//! The words for charts that are restricted to an interval.

use crate::format::moment;

/// Beside what cannot be restricted.
pub(crate) const UNRESTRICTED: &str = "of the whole run: this cannot be restricted to an interval";
pub(crate) const IN_PART: &str = "wake-ups in it";
pub(crate) const FIGURES_OF_PART: &str = "Figures and counters that only a whole run has are left out here.";
pub(crate) const SUMMING_UP: &str = "Adding up who waited in this part of the run";

/// Which part of the run a chart shows.
pub(crate) fn part_of_run(from_ns: u64, to_ns: u64) -> String {
    let span = to_ns.saturating_sub(from_ns) as f64;
    format!("from {} to {} of the run", moment(from_ns as f64, span), moment(to_ns as f64, span))
}

/// A column without latencies in that part.
pub(crate) fn no_samples_in(column: &str, from_ns: u64, to_ns: u64) -> String {
    format!("{column} recorded no wake-up {}.", part_of_run(from_ns, to_ns))
}
