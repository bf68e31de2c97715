//! Weights, and the division by a weight that the kernel does as a multiplication by a 32-bit inverse.

/// The raw weight of nice 0. Raw weights carry 10 fixed-point bits more than the table of nice levels.
pub const NICE_0_LOAD: u64 = 1 << WEIGHT_SHIFT;

/// Fixed-point bits of a raw weight.
const WEIGHT_SHIFT: u32 = 20;

/// The bits in which raw weights exceed table weights on 64-bit machines.
const FIXED_POINT_SHIFT: u32 = 10;

/// The weight of an entity, or the sum of the weights on a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LoadWeight {
    /// Raw weight: nice 0 is [`NICE_0_LOAD`].
    pub weight: u64,
    /// About 2³² divided by the table weight; 0 where it has not been computed since the weight changed.
    pub inv_weight: u32,
}

/// Weights of the nice levels -20 to 19: each level is worth about a quarter more than the next.
/// Source: the kernel's table as given by the reference vectors.
#[rustfmt::skip]
const NICE_WEIGHTS: [u32; 40] = [
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
    9548, 7620, 6100, 4904, 3906, 3121, 2501, 1991, 1586, 1277,
    1024, 820, 655, 526, 423, 335, 272, 215, 172, 137,
    110, 87, 70, 56, 45, 36, 29, 23, 18, 15,
];

/// Inverses of [`NICE_WEIGHTS`]: 2³² / weight, rounded down for some levels and to the nearest for others, so that
/// no formula replaces the table. Source: as above.
#[rustfmt::skip]
const NICE_INVERSES: [u32; 40] = [
    48388, 59856, 76040, 92818, 118_348, 147_320, 184_698, 229_616, 287_308, 360_437,
    449_829, 563_644, 704_093, 875_809, 1_099_582, 1_376_151, 1_717_300, 2_157_191, 2_708_050, 3_363_326,
    4_194_304, 5_237_765, 6_557_202, 8_165_337, 10_153_587, 12_820_798, 15_790_321, 19_976_592, 24_970_740, 31_350_126,
    39_045_157, 49_367_440, 61_356_676, 76_695_844, 95_443_717, 119_304_647, 148_102_320, 186_737_708, 238_609_294, 286_331_153,
];

impl LoadWeight {
    /// The weight of a nice level, with the inverse of the kernel's table. Levels outside -20..=19 are clamped.
    ///
    /// Kernel: core.c set_load_weight(), v3.3…v6.18
    /// Differs: nothing.
    #[inline]
    pub fn of_nice(nice: i8) -> LoadWeight {
        let level = (nice.clamp(-20, 19) + 20) as usize;
        LoadWeight {
            weight: u64::from(NICE_WEIGHTS[level]) << FIXED_POINT_SHIFT,
            inv_weight: NICE_INVERSES[level],
        }
    }

    /// A raw weight whose inverse has not been computed.
    #[inline]
    pub const fn new(weight: u64) -> LoadWeight {
        LoadWeight { weight, inv_weight: 0 }
    }

    /// Adds a raw weight, which outdates the inverse.
    ///
    /// Kernel: fair.c update_load_add(), v3.3…v6.18
    /// Differs: nothing.
    #[inline]
    pub fn add(&mut self, weight: u64) {
        self.weight += weight;
        self.inv_weight = 0;
    }

    /// Takes a raw weight away, which outdates the inverse.
    ///
    /// Kernel: fair.c update_load_sub(), v3.3…v6.18
    /// Differs: nothing.
    #[inline]
    pub fn sub(&mut self, weight: u64) {
        debug_assert!(weight <= self.weight, "a queue holds the weights that it gives back");
        self.weight -= weight;
        self.inv_weight = 0;
    }

    /// Computes the inverse if it is outdated, so that later divisions need none.
    ///
    /// Kernel: fair.c __update_inv_weight(), v3.3…v6.18
    /// Differs: nothing.
    #[inline]
    pub fn update_inv_weight(&mut self) {
        self.inv_weight = self.inverse();
    }

    /// The inverse, computed where it is outdated.
    #[inline]
    fn inverse(&self) -> u32 {
        if self.inv_weight != 0 {
            return self.inv_weight;
        }
        match u32::try_from(scale_down(self.weight)) {
            Ok(0) => u32::MAX,
            Ok(weight) => u32::MAX / weight,
            Err(_) => 1,
        }
    }
}

/// A raw weight in table units; a weight that is not 0 stays at least 2.
///
/// Kernel: sched.h scale_load_down(), v5.7…v6.18
/// Differs: nothing.
#[inline]
pub const fn scale_down(weight: u64) -> u64 {
    let scaled = weight >> FIXED_POINT_SHIFT;
    if weight == 0 || 2 < scaled {
        return scaled;
    }
    2
}

/// `delta * weight / lw.weight` by the inverse, rounded as the kernel rounds.
///
/// Kernel: fair.c __calc_delta(), v3.15…v6.18
/// Differs: the shift stops at 0, where the kernel's is undefined (raw weights above 2⁴¹, out of reach).
#[inline]
pub fn calc_delta(delta: u64, weight: u64, lw: &LoadWeight) -> u64 {
    let (factor, shift) = scaled_factor(weight, lw);
    // The 96-bit product in two halves: a 128-bit multiplication is slow in wasm.
    let high = (delta >> 32) * factor;
    let low = (delta & u64::from(u32::MAX)) * factor;
    (high << (32 - shift)).wrapping_add(low >> shift)
}

/// Time scaled by the weight of an entity: how far its virtual runtime moves in `delta` nanoseconds.
///
/// Kernel: fair.c calc_delta_fair(), v3.3…v6.18
/// Differs: nothing.
#[inline]
pub fn calc_delta_fair(delta: u64, se: &LoadWeight) -> u64 {
    if se.weight == NICE_0_LOAD { delta } else { calc_delta(delta, NICE_0_LOAD, se) }
}

/// The least time whose [`calc_delta_fair`] is at least `vruntime`. Saturates.
///
/// Ours: the inverse of the kernel's rounding, used to tell when a condition on virtual time can first hold.
#[inline]
pub fn least_delta_for(vruntime: u64, se: &LoadWeight) -> u64 {
    if se.weight == NICE_0_LOAD {
        return vruntime;
    }
    let (factor, shift) = scaled_factor(NICE_0_LOAD, se);
    if factor == 0 {
        return if vruntime == 0 { 0 } else { u64::MAX };
    }
    let wanted = u128::from(vruntime) << shift;
    u64::try_from(wanted.div_ceil(u128::from(factor))).unwrap_or(u64::MAX)
}

/// The multiplier (below 2³²) and the right shift (0 to 32) that stand for `weight / lw.weight`.
#[inline]
fn scaled_factor(weight: u64, lw: &LoadWeight) -> (u64, u32) {
    let mut shift = 32;
    let numerator = fit_32_bits(scale_down(weight), &mut shift);
    let factor = fit_32_bits(numerator * u64::from(lw.inverse()), &mut shift);
    (factor, shift)
}

/// Halves `value` until it fits into 32 bits, and takes as much from the shift.
#[inline]
fn fit_32_bits(value: u64, shift: &mut u32) -> u64 {
    let excess = 32u32.saturating_sub(value.leading_zeros());
    *shift = shift.saturating_sub(excess);
    value >> excess
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_task_gets_a_little_less_than_the_latency() {
        // The inverse is rounded down, so that 18 ms lose 5 ns.
        assert_eq!(calc_delta(18_000_000, NICE_0_LOAD, &LoadWeight::new(NICE_0_LOAD)), 17_999_995);
        let nice_minus_1 = LoadWeight::of_nice(-1).weight;
        assert_eq!(calc_delta(12_000_000, nice_minus_1, &LoadWeight::new(nice_minus_1)), 11_999_996);
    }

    #[test]
    fn the_table_inverse_of_nice_0_is_exact_and_the_computed_one_is_not() {
        let table = LoadWeight::of_nice(0);
        assert_eq!(table, LoadWeight { weight: NICE_0_LOAD, inv_weight: 1 << 22 });
        let mut computed = LoadWeight::new(NICE_0_LOAD);
        computed.update_inv_weight();
        assert_eq!(computed.inv_weight, (1 << 22) - 1);
    }

    #[test]
    fn scaling_down_keeps_small_weights_alive() {
        assert_eq!([0, 1, 1024, 2048, 3072, NICE_0_LOAD].map(scale_down), [0, 2, 2, 2, 3, 1024]);
    }

    #[test]
    fn least_delta_is_the_inverse_of_the_rounding() {
        for nice in -20..20 {
            let se = LoadWeight::of_nice(nice);
            for vruntime in [0, 1, 2, 999, 1_000_000, 12_345_678, 24_000_001] {
                let delta = least_delta_for(vruntime, &se);
                assert!(vruntime <= calc_delta_fair(delta, &se), "nice {nice}, {vruntime} ns reached");
                assert!(
                    delta == 0 || calc_delta_fair(delta - 1, &se) < vruntime,
                    "nice {nice}, {vruntime} ns: no shorter time reaches it"
                );
            }
        }
    }

    #[test]
    fn absurd_weights_do_not_panic() {
        for weight in [0, 1, 1 << 41, 1 << 42, u64::MAX] {
            calc_delta(u64::MAX, weight, &LoadWeight::new(0));
            calc_delta(u64::MAX, u64::MAX, &LoadWeight::new(weight));
            least_delta_for(u64::MAX, &LoadWeight::new(weight));
        }
    }
}
