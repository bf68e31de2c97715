//! The frequency that the load of a domain's CPUs asks for.

use crate::energy::{PerfState, map_util_freq};

/// The position of the slowest operating point that serves a utilisation with a quarter to spare, or of the fastest.
/// `util` is that of the most used CPU, `capacity` what its CPUs have at the highest frequency.
///
/// Kernel: cpufreq_schedutil.c get_next_freq() and sugov_next_freq_shared(), v5.0…v6.1
/// Differs: no I/O boost and no uclamp; the driver rounds up (`CPUFREQ_RELATION_L`).
pub fn next_freq(states: &[PerfState], capacity: u64, util: u64) -> usize {
    let fastest = states.len().saturating_sub(1);
    let max_khz = states.last().map_or(0, |state| state.khz);
    let asked = map_util_freq(util, max_khz, capacity);
    states.iter().position(|state| asked <= state.khz).unwrap_or(fastest)
}

/// The least time between two changes that are asked for, in nanoseconds.
///
/// Kernel: cpufreq.c cpufreq_policy_transition_delay_us(), v4.14…v6.1
/// Differs: nothing for drivers that do not say more than their latency.
pub fn rate_limit_ns(transition_ns: u64) -> u64 {
    const MULTIPLIER: u64 = 1_000;
    const LONGEST_NS: u64 = 10_000_000;
    match transition_ns / 1_000 {
        0 => MULTIPLIER * 1_000,
        us => (us * MULTIPLIER * 1_000).min(LONGEST_NS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_point_with_a_quarter_to_spare_is_chosen() {
        // The big CPUs of the HiKey 960.
        let khz = [903_000, 1_421_000, 1_805_000, 2_112_000, 2_362_000];
        let states = PerfState::table(khz.map(|khz| (khz, 1)));
        // 903 / (1.25 × 2362) × 1024 = 313.2.
        assert_eq!((next_freq(&states, 1024, 313), next_freq(&states, 1024, 314)), (0, 1));
        // 2112 / (1.25 × 2362) × 1024 = 732.5.
        assert_eq!((next_freq(&states, 1024, 732), next_freq(&states, 1024, 733)), (3, 4));
        assert_eq!((next_freq(&states, 1024, 0), next_freq(&states, 1024, 1024)), (0, 4));
    }

    #[test]
    fn changes_are_as_far_apart_as_a_thousand_of_their_latencies_but_ten_milliseconds_at_most() {
        assert_eq!([0, 2_000, 300_000].map(rate_limit_ns), [1_000_000, 2_000_000, 10_000_000]);
    }
}
