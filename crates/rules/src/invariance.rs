//! How much faster or slower a CPU is than the machine's fastest at its highest frequency: what that does to a task's
//! work, and to the clock of load averages.

use crate::pelt::LOAD_AVG_MAX;

/// Parts of a full speed: a CPU of capacity 1024 at its highest frequency has this rate.
pub const FULL_RATE: u32 = 1 << RATE_SHIFT;

const RATE_SHIFT: u32 = 20;

/// The longest span whose product with a rate fits 64 bits: almost five hours.
const SHORT: u64 = 1 << (64 - 1 - RATE_SHIFT);

/// Work that a task has left, in time on a CPU of full speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Work {
    /// Whole nanoseconds.
    pub ns: u64,
    /// Parts of a nanosecond, 0 to [`FULL_RATE`] less one.
    pub parts: u32,
}

impl Work {
    /// How long a CPU of a rate takes for it, rounded up to whole nanoseconds. `rate` is 1 to [`FULL_RATE`].
    #[inline]
    pub fn duration(self, rate: u32) -> u64 {
        if rate == FULL_RATE {
            return self.ns.saturating_add(u64::from(self.parts != 0));
        }
        if self.ns < SHORT {
            return ((self.ns << RATE_SHIFT) + u64::from(self.parts)).div_ceil(u64::from(rate));
        }
        let parts = (u128::from(self.ns) << RATE_SHIFT) + u128::from(self.parts);
        u64::try_from(parts.div_ceil(u128::from(rate))).unwrap_or(u64::MAX)
    }

    /// What is left after `span` nanoseconds on a CPU of a rate: exact, so that nothing is lost or won however often a
    /// task moves.
    #[inline]
    pub fn after(self, span: u64, rate: u32) -> Work {
        if rate == FULL_RATE {
            let ns = self.ns.saturating_sub(span);
            return Work { ns, parts: if span <= self.ns { self.parts } else { 0 } };
        }
        let left = (u128::from(self.ns) << RATE_SHIFT) + u128::from(self.parts);
        let left = left.saturating_sub(u128::from(span) * u128::from(rate));
        Work { ns: (left >> RATE_SHIFT) as u64, parts: left as u32 & (FULL_RATE - 1) }
    }
}

/// The rate at which a CPU works: its capacity at the highest frequency, 1 to 1024, times the share of that frequency
/// that it runs at. At least 1.
///
/// Kernel: none; this is what the hardware does.
#[inline]
pub fn work_rate(capacity: u64, khz: u64, max_khz: u64) -> u32 {
    let rate = (capacity << (RATE_SHIFT - 10)) * khz / max_khz.max(1);
    rate.clamp(1, u64::from(FULL_RATE)) as u32
}

/// The share of its highest frequency that a CPU runs at, in parts of 1024, cut.
///
/// Kernel: arch_topology.c arch_set_freq_scale(), v4.15…v5.10
/// Differs: at least 1, so that the clock of a CPU never stands.
#[inline]
pub fn freq_scale(khz: u64, max_khz: u64) -> u64 {
    ((khz << 10) / max_khz.max(1)).clamp(1, 1024)
}

/// The clock of a CPU's load averages: it runs at the CPU's speed while the CPU executes, so that a utilisation means
/// work done, and catches up with time when the CPU idles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PeltClock {
    /// How far it is behind time, in nanoseconds; where it slows, as of `at`.
    behind: u64,
    /// Whether it runs slower than time at the moment.
    slows: bool,
    /// Whether the CPU executes its idle task.
    idle: bool,
    /// How fast it runs while the CPU executes, in parts of [`FULL_RATE`].
    rate: u32,
    /// Parts of a nanosecond that it shows beyond whole ones, as of `at`.
    parts: u32,
    /// Since when it slows, or up to when that is accounted for.
    at: u64,
    /// How much of `behind` stays for ever: idle time that a CPU at its limit would not have had at full speed either.
    lost: u64,
}

impl PeltClock {
    /// The clock of an idle CPU at the start.
    pub const fn start(rate: u32) -> PeltClock {
        PeltClock { behind: 0, slows: false, idle: true, rate, parts: 0, at: 0, lost: 0 }
    }

    /// What it shows at `now`, which never goes back.
    ///
    /// Kernel: pelt.h update_rq_clock_pelt() and rq_clock_pelt(), v5.1…v6.18
    /// Differs: parts of a nanosecond are kept and not cut at every update.
    #[inline]
    pub fn read(&self, now: u64) -> u64 {
        if self.slows { self.at - self.behind + self.slowed(now).0 } else { now - self.behind }
    }

    /// Whole nanoseconds and parts by which a slow clock has moved since it was last accounted for.
    fn slowed(&self, now: u64) -> (u64, u32) {
        let span = now - self.at;
        if span < SHORT {
            let product = span * u64::from(self.rate) + u64::from(self.parts);
            return (product >> RATE_SHIFT, product as u32 & (FULL_RATE - 1));
        }
        let product = u128::from(span) * u128::from(self.rate) + u128::from(self.parts);
        ((product >> RATE_SHIFT) as u64, product as u32 & (FULL_RATE - 1))
    }

    fn account(&mut self, now: u64) {
        if self.slows {
            let (moved, parts) = self.slowed(now);
            self.behind += now - self.at - moved;
            self.parts = parts;
        }
        self.at = now;
    }

    /// The CPU begins to execute a task.
    #[inline]
    pub fn begin_busy(&mut self, now: u64) {
        self.idle = false;
        if self.rate != FULL_RATE {
            self.account(now);
            self.slows = true;
        }
    }

    /// The CPU begins to execute its idle task. `util_sum` is the sum of all classes: at its limit the CPU would have
    /// been busy at full speed too, and there is no idle time to catch up with.
    ///
    /// Kernel: pelt.h update_idle_rq_clock_pelt(), v5.1…v6.18
    /// Differs: nothing.
    #[inline]
    pub fn begin_idle(&mut self, now: u64, util_sum: u64) {
        const LIMIT: u64 = ((LOAD_AVG_MAX - 1024) << 10) - LOAD_AVG_MAX;
        self.idle = true;
        if self.slows || self.behind != self.lost {
            self.account(now);
            if LIMIT <= util_sum {
                self.lost = self.behind;
            }
            self.behind = self.lost;
            self.parts = 0;
            self.slows = false;
        }
    }

    /// From now on the CPU has another speed.
    pub fn set_rate(&mut self, now: u64, rate: u32) {
        self.account(now);
        self.rate = rate;
        self.slows = !self.idle && rate != FULL_RATE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: u32 = FULL_RATE / 2;

    #[test]
    fn a_third_of_the_speed_takes_three_times_as_long_whatever_the_pieces() {
        let rate = work_rate(341, 1, 1);
        let whole = Work { ns: 1_000_000, parts: 0 };
        let alone = whole.duration(rate);
        assert_eq!(alone, (1_000_000u64 * 1024).div_ceil(341));
        for piece in [1, 7, 999, 100_003] {
            let (mut left, mut took) = (whole, 0);
            while piece < left.duration(rate) {
                left = left.after(piece, rate);
                took += piece;
            }
            assert_eq!(took + left.duration(rate), alone, "in pieces of {piece} ns");
        }
    }

    #[test]
    fn work_is_kept_when_the_speed_changes() {
        let left = Work { ns: 1_000, parts: 0 }.after(501, HALF);
        assert_eq!(left, Work { ns: 749, parts: HALF });
        assert_eq!(left.after(1, FULL_RATE), Work { ns: 748, parts: HALF });
        assert_eq!((left.duration(HALF), left.duration(FULL_RATE)), (1_499, 750));
    }

    #[test]
    fn work_without_end_has_no_end_at_any_speed() {
        let endless = Work { ns: u64::MAX, parts: 0 };
        assert_eq!((endless.duration(FULL_RATE), endless.duration(HALF)), (u64::MAX, u64::MAX));
        assert_eq!(endless.after(1 << 40, HALF), Work { ns: u64::MAX - (1 << 39), parts: 0 });
        assert_eq!(Work { ns: 5, parts: 1 }.after(9, HALF).after(9, FULL_RATE), Work::default());
    }

    #[test]
    fn speeds_follow_capacity_and_frequency() {
        assert_eq!(work_rate(1024, 2_362_000, 2_362_000), FULL_RATE);
        assert_eq!(work_rate(512, 1, 1), HALF);
        // 462 × 533 / 1844 = 133.54 parts of 1024.
        assert_eq!(work_rate(462, 533_000, 1_844_000), 136_743);
        assert_eq!((freq_scale(533_000, 1_844_000), freq_scale(1, 1)), (295, 1024));
    }

    #[test]
    fn the_clock_of_a_full_speed_cpu_is_time() {
        let mut clock = PeltClock::start(FULL_RATE);
        clock.begin_busy(100);
        assert_eq!(clock.read(5_000), 5_000);
        clock.begin_idle(6_000, u64::MAX);
        assert_eq!(clock.read(7_000), 7_000);
    }

    #[test]
    fn a_slow_cpu_catches_up_when_it_idles_unless_it_was_at_its_limit() {
        let mut clock = PeltClock::start(HALF);
        clock.begin_busy(1_000);
        assert_eq!(clock.read(3_001), 2_000);
        clock.begin_idle(3_001, 0);
        assert_eq!(clock.read(3_001), 3_001);
        clock.begin_busy(4_000);
        clock.set_rate(6_000, FULL_RATE);
        assert_eq!(clock.read(7_000), 6_000);
        clock.begin_idle(7_000, u64::MAX);
        assert_eq!((clock.read(7_000), clock.read(9_000)), (6_000, 8_000));
        clock.begin_busy(9_000);
        assert_eq!(clock.read(9_500), 8_500);
    }
}
