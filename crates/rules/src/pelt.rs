//! Per-entity load tracking: geometric averages of how much an entity wanted to run and did run.
//!
//! Time is counted in units of 1024 ns, 1024 units are a period, and what happened 32 periods ago counts half.

/// The length of a period in units.
pub const PERIOD: u32 = 1024;

/// The sum that an always running entity converges to.
pub const LOAD_AVG_MAX: u64 = 47_742;

/// Periods in which a contribution halves.
const HALF_LIFE: u64 = 32;

/// `(2³² - 1) * y^n` rounded down, where y³² = 1/2.
/// Source: model/wakeup-and-balance.md section 5; confirmed by the reference vectors.
#[rustfmt::skip]
const DECAY_INVERSES: [u32; HALF_LIFE as usize] = [
    0xffff_ffff, 0xfa83_b2da, 0xf525_7d14, 0xefe4_b99a, 0xeac0_c6e6, 0xe5b9_06e6, 0xe0cc_deeb, 0xdbfb_b796,
    0xd744_fcc9, 0xd2a8_1d91, 0xce24_8c14, 0xc9b9_bd85, 0xc567_2a10, 0xc12c_4cc9, 0xbd08_a39e, 0xb8fb_af46,
    0xb504_f333, 0xb123_f581, 0xad58_3ee9, 0xa9a1_5ab4, 0xa5fe_d6a9, 0xa270_4302, 0x9ef5_325f, 0x9b8d_39b9,
    0x9837_f050, 0x94f4_efa8, 0x91c3_d373, 0x8ea4_398a, 0x8b95_c1e3, 0x8898_0e80, 0x85aa_c367, 0x82cd_8698,
];

/// The averages of one entity or one queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pelt {
    /// When the sums were last moved on, in ns of the clock that the caller uses; a multiple of 1024 ns from the start.
    pub last_update_time: u64,
    /// Decayed units in which it was runnable; on a queue each counts the weight in table units.
    pub load_sum: u64,
    /// Decayed units × 1024 × how many were runnable.
    pub runnable_sum: u64,
    /// Decayed units × 1024 in which it ran.
    pub util_sum: u64,
    /// Units of the current period that have passed, 0 to 1023.
    pub period_contrib: u32,
    /// Average load in table weight units.
    pub load_avg: u64,
    /// Average number of runnable tasks × 1024.
    pub runnable_avg: u64,
    /// Average share of a CPU × 1024.
    pub util_avg: u64,
}

impl Pelt {
    /// Moves a task or group entity on to `now_ns`; true when the averages were refreshed.
    ///
    /// Kernel: pelt.c __update_load_avg_se(), v5.7…v6.18
    /// Differs: a group entity counts as one runnable task.
    #[inline]
    pub fn update_entity(
        &mut self,
        now_ns: u64,
        weight_scaled_down: u64,
        on_rq: bool,
        running: bool,
    ) -> bool {
        let crossed = self.accumulate(now_ns, u64::from(on_rq), u64::from(on_rq), running);
        if crossed {
            self.average(weight_scaled_down);
        }
        crossed
    }

    /// Moves the averages of a queue on to `now_ns`; true when they were refreshed.
    ///
    /// `weight_scaled_down` is the sum of the queued weights in table units; `running` is whether the queue has a
    /// current entity.
    ///
    /// Kernel: pelt.c __update_load_avg_cfs_rq(), v5.7…v6.18
    /// Differs: nothing.
    #[inline]
    pub fn update_queue(
        &mut self,
        now_ns: u64,
        weight_scaled_down: u64,
        h_nr_running: u32,
        running: bool,
    ) -> bool {
        let crossed = self.accumulate(now_ns, weight_scaled_down, u64::from(h_nr_running), running);
        if crossed {
            self.average(1);
        }
        crossed
    }

    /// Decays an entity that is on no queue to `now_ns`; true when the averages were refreshed.
    ///
    /// Kernel: pelt.c __update_load_avg_blocked_se(), v4.15…v6.18
    /// Differs: nothing.
    #[inline]
    pub fn update_blocked_entity(&mut self, now_ns: u64, weight_scaled_down: u64) -> bool {
        self.update_entity(now_ns, weight_scaled_down, false, false)
    }

    /// Moves the sums on to `now_ns`; true when the end of a period was crossed, so that averages must be refreshed.
    ///
    /// Less than one unit is left for the next call. A clock that went back only resets the start.
    ///
    /// Kernel: pelt.c ___update_load_sum(), v5.7…v6.18
    /// Differs: nothing.
    #[inline]
    pub fn accumulate(&mut self, now_ns: u64, load: u64, runnable: u64, running: bool) -> bool {
        let delta_ns = now_ns.wrapping_sub(self.last_update_time);
        if (delta_ns as i64) < 0 {
            self.last_update_time = now_ns;
            return false;
        }
        let units = delta_ns >> 10;
        if units == 0 {
            return false;
        }
        self.last_update_time = self.last_update_time.wrapping_add(units << 10);
        let position = units + u64::from(self.period_contrib);
        let crossed = u64::from(PERIOD) <= position;
        let contribution = if crossed { self.cross_periods(position, load != 0) } else { units };
        self.period_contrib = (position % u64::from(PERIOD)) as u32;
        // What is not queued neither waits nor runs, whatever the caller says.
        if load != 0 {
            self.load_sum += load * contribution;
            self.runnable_sum += (runnable * contribution) << 10;
            self.util_sum += (u64::from(running) * contribution) << 10;
        }
        crossed
    }

    /// Decays the sums over the periods up to `position`, counted in units from the start of the current period,
    /// and returns what the time up to there contributes.
    #[inline]
    fn cross_periods(&mut self, position: u64, contributes: bool) -> u64 {
        let periods = position / u64::from(PERIOD);
        self.load_sum = decay_load(self.load_sum, periods);
        self.runnable_sum = decay_load(self.runnable_sum, periods);
        self.util_sum = decay_load(self.util_sum, periods);
        if !contributes {
            return 0;
        }
        let first = PERIOD - self.period_contrib;
        accumulate_segments(periods, first, (position % u64::from(PERIOD)) as u32)
    }

    /// Refreshes the averages from the sums. `load_weight` multiplies the load.
    ///
    /// Kernel: pelt.c ___update_load_avg(), v5.7…v6.18
    /// Differs: nothing.
    #[inline]
    pub fn average(&mut self, load_weight: u64) {
        let divider = self.divider() as u32;
        self.load_avg = divide(load_weight * self.load_sum, divider);
        self.runnable_avg = divide(self.runnable_sum, divider);
        self.util_avg = divide(self.util_sum, divider);
    }

    /// What the sum of an always running entity would be now.
    ///
    /// Kernel: pelt.h get_pelt_divider(), v5.8…v6.18
    /// Differs: nothing.
    #[inline]
    pub fn divider(&self) -> u64 {
        LOAD_AVG_MAX - u64::from(PERIOD) + u64::from(self.period_contrib)
    }
}

/// `val` after `n` periods.
///
/// Kernel: pelt.c decay_load(), v3.8…v6.18
/// Differs: nothing.
#[inline]
pub fn decay_load(val: u64, n: u64) -> u64 {
    if HALF_LIFE * 63 < n {
        return 0;
    }
    let halved = val >> (n / HALF_LIFE);
    let inverse = u64::from(DECAY_INVERSES[(n % HALF_LIFE) as usize]);
    // The 96-bit product in two halves: a 128-bit multiplication is slow in wasm.
    (halved >> 32) * inverse + (((halved & u64::from(u32::MAX)) * inverse) >> 32)
}

/// What a stretch of time contributes that ends one period after `first` units, fills `periods - 1` whole periods,
/// and reaches `last` units into the next. `first` is 1 to 1024, `last` 0 to 1023, `periods` at least 1.
///
/// Kernel: pelt.c __accumulate_pelt_segments(), v4.13…v6.18
/// Differs: nothing.
#[inline]
pub fn accumulate_segments(periods: u64, first: u32, last: u32) -> u64 {
    debug_assert!(periods != 0, "the stretch crosses the end of a period");
    let whole = LOAD_AVG_MAX - decay_load(LOAD_AVG_MAX, periods) - u64::from(PERIOD);
    decay_load(u64::from(first), periods) + whole + u64::from(last)
}

/// A division that is a 32-bit one where it can be: wasm engines do not choose that themselves.
#[inline]
fn divide(sum: u64, divider: u32) -> u64 {
    match u32::try_from(sum) {
        Ok(sum) => u64::from(sum / divider),
        Err(_) => sum / u64::from(divider),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_for_ever_is_a_whole_cpu() {
        let mut pelt = Pelt::default();
        for ms in 1..=1000 {
            pelt.update_entity(ms * 1_000_000, 1024, true, true);
        }
        // The load's sum has 10 bits fewer to round in than the other two.
        assert_eq!((pelt.load_avg, pelt.runnable_avg, pelt.util_avg), (1023, 1024, 1024));
    }

    #[test]
    fn half_is_left_after_a_half_life() {
        assert_eq!(decay_load(2_000_000, 32), 999_999);
        assert_eq!(decay_load(u64::MAX, 32 * 63 + 1), 0);
    }

    #[test]
    fn less_than_a_unit_waits_for_the_next_call() {
        let mut pelt = Pelt::default();
        assert!(!pelt.update_entity(1023, 1024, true, true));
        assert_eq!(pelt, Pelt::default());
        assert!(!pelt.update_entity(2047, 1024, true, true));
        assert_eq!((pelt.last_update_time, pelt.period_contrib, pelt.util_sum), (1024, 1, 1024));
    }

    #[test]
    fn a_clock_that_goes_back_only_resets_the_start() {
        let mut pelt = Pelt::default();
        pelt.update_entity(5_000_000, 1024, true, true);
        let before = pelt;
        assert!(!pelt.update_entity(4_000_000, 1024, true, true));
        assert_eq!(pelt, Pelt { last_update_time: 4_000_000, ..before });
    }

    #[test]
    fn what_is_not_queued_does_not_run() {
        let mut pelt = Pelt::default();
        pelt.update_entity(50_000_000, 1024, false, true);
        assert_eq!((pelt.load_sum, pelt.runnable_sum, pelt.util_sum), (0, 0, 0));
    }
}
