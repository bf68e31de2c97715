/// A stream of random numbers that belongs to one entity and one purpose (PCG XSH-RR 64/32, M. O'Neill 2014).
///
/// One stream per (seed, entity, purpose): what one task or one switch draws never shifts another's draws,
/// so runs that differ in a switch share their random numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    state: u64,
    increment: u64,
}

const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

impl Stream {
    /// The stream of `entity` for `purpose` under `seed`.
    pub fn new(seed: u64, entity: u64, purpose: u64) -> Stream {
        let mut mixer = seed;
        let start = split_mix(&mut mixer) ^ entity.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut mixer = start;
        let state = split_mix(&mut mixer) ^ purpose.wrapping_mul(0xd1b5_4a32_d192_ed03);
        let mut mixer = state;
        let increment = split_mix(&mut mixer) | 1;
        let mut stream = Stream { state: split_mix(&mut mixer), increment };
        stream.next_u32();
        stream
    }

    /// The next 32 random bits.
    pub fn next_u32(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
        let xorshifted = (((old >> 18) ^ old) >> 27) as u32;
        xorshifted.rotate_right((old >> 59) as u32)
    }

    /// A number in `0..bound`, every one equally likely; 0 where `bound` is 0 or 1.
    pub fn below(&mut self, bound: u32) -> u32 {
        if bound <= 1 {
            return 0;
        }
        let reject_under = bound.wrapping_neg() % bound;
        loop {
            let wide = u64::from(self.next_u32()) * u64::from(bound);
            if reject_under <= wide as u32 {
                return (wide >> 32) as u32;
            }
        }
    }

    /// `value` moved by a uniform share of itself in `-percent..=percent` (0 to 100), rounded down.
    pub fn jitter(&mut self, value: u64, percent: u32) -> u64 {
        debug_assert!(percent <= 100);
        if percent == 0 {
            return value;
        }
        // Steps of 1/65536 of the half-width: finer than a nanosecond for any cost below 65 µs.
        let step = u64::from(self.below(131_073));
        let low = value - value * u64::from(percent) / 100;
        low + value * u64::from(percent) * step / (100 * 65_536)
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounded_draws_cover_the_range_evenly() {
        let mut stream = Stream::new(7, 1, 2);
        let mut counts = [0u32; 10];
        for _ in 0..100_000 {
            counts[stream.below(10) as usize] += 1;
        }
        for count in counts {
            assert!((9_500..10_500).contains(&count), "{counts:?}");
        }
        assert_eq!(stream.below(0), 0);
        assert_eq!(stream.below(1), 0);
    }

    #[test]
    fn jitter_stays_inside_its_share_and_is_centred() {
        let mut stream = Stream::new(1, 0, 0);
        let draws: Vec<u64> = (0..20_000).map(|_| stream.jitter(6_000, 25)).collect();
        assert!(draws.iter().all(|d| (4_500..=7_500).contains(d)));
        let mean = draws.iter().sum::<u64>() / 20_000;
        assert!((5_980..6_020).contains(&mean), "{mean}");
        assert_eq!(stream.jitter(6_000, 0), 6_000);
    }

    #[test]
    fn streams_of_other_entities_purposes_and_seeds_differ() {
        let first = |seed, entity, purpose| Stream::new(seed, entity, purpose).next_u32();
        let all = [first(1, 1, 1), first(2, 1, 1), first(1, 2, 1), first(1, 1, 2), first(1, 0, 3)];
        for (i, a) in all.iter().enumerate() {
            for b in &all[i + 1..] {
                assert_ne!(a, b);
            }
        }
    }

    #[test]
    fn the_first_draws_are_pinned_for_ever() {
        let mut stream = Stream::new(1, 2, 3);
        let draws: Vec<u32> = (0..4).map(|_| stream.next_u32()).collect();
        assert_eq!(draws, PINNED);
    }

    /// Links name runs by their seed, so these numbers may never change.
    const PINNED: [u32; 4] = [324_511_599, 1_844_541_405, 1_698_319_586, 790_623_427];
}
