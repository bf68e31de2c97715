//! Times that scatter by a factor: what threads compute between two waits is seldom far below its median and at times
//! far above it.

use crate::Stream;

impl Stream {
    /// A number whose logarithm is normal: half of all draws lie below `median`, and 68 % within a factor of
    /// e^(`sigma_permille` / 1000) of it. `sigma_permille` is at most 2000, and `median` at most 2^34.
    ///
    /// Integers only, so that it is the same on every platform: a quantile of the normal distribution from a table, and a
    /// power of two from another, both interpolated linearly. Two draws in a hundred thousand lie beyond 4.2 deviations
    /// and are taken for 4.2 or less.
    pub fn lognormal(&mut self, median: u64, sigma_permille: u32) -> u64 {
        debug_assert!(median <= 1 << 34 && sigma_permille <= 2_000);
        let exponent = self.normal() * i64::from(sigma_permille) * LOG2_E_16 / (1_000 * i64::from(UNIT));
        // 2^(whole + part), the part in 1/65536.
        let (whole, part) = (exponent.div_euclid(1 << 16), exponent.rem_euclid(1 << 16) as u64);
        let (bin, rest) = ((part >> 10) as usize, part & 0x3ff);
        let (low, high) = (u64::from(EXP2[bin]), u64::from(EXP2[bin + 1]));
        let scaled = median * (low + (((high - low) * rest) >> 10));
        // The exponent lies within 4.2 * 2 * 1.45 of 0.
        (if whole < 0 { scaled >> -whole } else { scaled << whole }) >> 16
    }

    /// A draw of the standard normal distribution in 1/[`UNIT`].
    fn normal(&mut self) -> i64 {
        let draw = self.next_u32();
        let (bin, rest) = ((draw >> 24 & 127) as usize, draw & 0xff_ffff);
        let (table, bin, rest, width): (&[u16], _, _, _) = if bin < HALF.len() - 1 {
            (&HALF, bin, rest, 24)
        } else {
            (&TAIL, (rest >> 18) as usize, rest & 0x3_ffff, 18)
        };
        let (low, high) = (u64::from(table[bin]), u64::from(table[bin + 1]));
        let distance = (low + (((high - low) * u64::from(rest)) >> width)) as i64;
        if draw >> 31 == 0 { distance } else { -distance }
    }
}

/// What a standard deviation is in the tables of quantiles.
const UNIT: u16 = 8_192;

/// The binary logarithm of e in 1/65536.
const LOG2_E_16: i64 = 94_548;

/// Quantiles of the normal distribution from the median on, in steps of 1/256 of probability.
#[rustfmt::skip]
const HALF: [u16; 128] = [
    0, 80, 160, 241, 321, 401, 482, 562, 642, 723, 803, 884, 965, 1_046, 1_127, 1_208, 1_289, 1_370, 1_451,
    1_533, 1_615, 1_697, 1_779, 1_861, 1_943, 2_026, 2_109, 2_192, 2_275, 2_358, 2_442, 2_526, 2_610, 2_695,
    2_780, 2_865, 2_950, 3_036, 3_122, 3_208, 3_295, 3_382, 3_470, 3_558, 3_646, 3_735, 3_824, 3_914, 4_004,
    4_095, 4_186, 4_277, 4_370, 4_462, 4_556, 4_650, 4_744, 4_839, 4_935, 5_032, 5_129, 5_227, 5_326, 5_425,
    5_525, 5_627, 5_729, 5_831, 5_935, 6_040, 6_146, 6_253, 6_360, 6_469, 6_580, 6_691, 6_804, 6_917, 7_033,
    7_149, 7_268, 7_387, 7_508, 7_631, 7_756, 7_883, 8_011, 8_141, 8_274, 8_409, 8_546, 8_685, 8_827, 8_972,
    9_119, 9_270, 9_424, 9_581, 9_742, 9_906, 10_075, 10_248, 10_426, 10_609, 10_797, 10_991, 11_192, 11_399,
    11_615, 11_838, 12_071, 12_313, 12_568, 12_834, 13_115, 13_413, 13_729, 14_068, 14_432, 14_827, 15_259,
    15_740, 16_281, 16_904, 17_645, 18_565, 19_805, 21_791,
];

/// The last step of [`HALF`] in 64 parts.
#[rustfmt::skip]
const TAIL: [u16; 65] = [
    21_791, 21_835, 21_879, 21_923, 21_969, 22_015, 22_061, 22_109, 22_157, 22_206, 22_256, 22_307, 22_358,
    22_411, 22_464, 22_518, 22_573, 22_630, 22_687, 22_746, 22_806, 22_867, 22_929, 22_993, 23_058, 23_124,
    23_192, 23_262, 23_334, 23_407, 23_482, 23_560, 23_639, 23_721, 23_805, 23_892, 23_981, 24_074, 24_170,
    24_269, 24_371, 24_478, 24_589, 24_705, 24_826, 24_953, 25_085, 25_225, 25_373, 25_529, 25_695, 25_873,
    26_063, 26_269, 26_493, 26_738, 27_011, 27_316, 27_666, 28_074, 28_566, 29_191, 30_051, 31_473, 34_406,
];

/// 2^(i/64) in 1/65536.
#[rustfmt::skip]
const EXP2: [u32; 65] = [
    65_536, 66_250, 66_971, 67_700, 68_438, 69_183, 69_936, 70_698, 71_468, 72_246, 73_032, 73_828, 74_632,
    75_444, 76_266, 77_096, 77_936, 78_785, 79_642, 80_510, 81_386, 82_273, 83_169, 84_074, 84_990, 85_915,
    86_851, 87_796, 88_752, 89_719, 90_696, 91_684, 92_682, 93_691, 94_711, 95_743, 96_785, 97_839, 98_905,
    99_982, 101_070, 102_171, 103_283, 104_408, 105_545, 106_694, 107_856, 109_031, 110_218, 111_418, 112_631,
    113_858, 115_098, 116_351, 117_618, 118_899, 120_194, 121_502, 122_825, 124_163, 125_515, 126_882, 128_263,
    129_660, 131_072,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of 100 000 draws lie below a bound.
    fn below(bound: u64, median: u64, sigma_permille: u32) -> usize {
        let mut stream = Stream::new(5, 1, u64::from(sigma_permille));
        (0..100_000).filter(|_| stream.lognormal(median, sigma_permille) < bound).count()
    }

    /// The shares of the normal distribution within 0, 1 and 2 deviations; ±600 of 100 000 are four deviations of a count.
    #[test]
    fn median_and_spread_are_those_asked_for() {
        for (sigma_permille, one_up, one_down, two_up) in
            [(250, 1_284_025, 778_801, 1_648_721), (900, 2_459_603, 406_570, 6_049_647)]
        {
            let near = |bound, expected: usize| {
                let count = below(bound, 1_000_000, sigma_permille);
                assert!(count.abs_diff(expected) < 600, "{count} below {bound} at {sigma_permille}");
            };
            near(1_000_000, 50_000);
            near(one_up, 84_134);
            near(one_down, 15_866);
            near(two_up, 97_725);
        }
    }

    /// The mean of a lognormal is its median times e^(sigma²/2): 1.4993 for a sigma of 0.9.
    #[test]
    fn the_mean_has_the_long_draws_in_it() {
        let mut stream = Stream::new(9, 0, 0);
        let mean = (0..400_000).map(|_| stream.lognormal(1_000_000, 900)).sum::<u64>() / 400_000;
        assert!((1_485_000..1_515_000).contains(&mean), "{mean}");
    }

    #[test]
    fn without_spread_every_draw_is_the_median() {
        let mut stream = Stream::new(2, 0, 0);
        assert!((0..1_000).all(|_| stream.lognormal(12_345, 0) == 12_345));
    }

    #[test]
    fn tables_rise_and_fit_together() {
        assert!(HALF.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(TAIL.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(EXP2.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!((HALF[127], EXP2[0], EXP2[64]), (TAIL[0], 1 << 16, 1 << 17));
    }

    /// Links name runs by their seed, so these numbers may never change.
    #[test]
    fn the_first_draws_are_pinned_for_ever() {
        let mut stream = Stream::new(1, 2, 3);
        assert_eq!(
            [(); 4].map(|()| stream.lognormal(2_200_000, 900)),
            [2_611_560, 8_273_632, 6_812_292, 3_386_071]
        );
    }
}
