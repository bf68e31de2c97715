use workload::schbench::Sample;

use crate::Rank;

/// The latencies of a run in the buckets of schbench.
///
/// Up to 511 µs every value has its own bucket. Above, each power of two is divided into 256 buckets, so that a bucket
/// is never wider than 1/256 of its values.
/// Kernel: none; schbench of 2016 to 2020 (`model/wakeup-and-balance.md` section 1.4).
/// Differs: nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u32>,
    count: u64,
    max_us: u64,
}

/// The values that are counted as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The smallest value, in microseconds.
    pub from_us: u64,
    /// The largest value, in microseconds.
    pub to_us: u64,
    /// What is reported for every value in it, in microseconds.
    pub value_us: u64,
}

const GROUP_BITS: u32 = 8;
const GROUP_SIZE: usize = 1 << GROUP_BITS;
const GROUPS: usize = 19;

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: vec![0; GROUPS * GROUP_SIZE], count: 0, max_us: 0 }
    }
}

impl Histogram {
    /// The histogram of recorded latencies, those of the shutdown included, as schbench counts them.
    pub fn of_samples(samples: &[Sample]) -> Histogram {
        samples.iter().map(|sample| sample.latency_us).collect()
    }

    /// Counts a latency. What is beyond the last bucket, 67 s, is counted there.
    pub fn add(&mut self, latency_us: u64) {
        self.counts[index_of(latency_us)] += 1;
        self.count += 1;
        self.max_us = self.max_us.max(latency_us);
    }

    /// How many latencies were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The largest latency as it was, not as its bucket reports it; 0 if there is none.
    pub fn max_us(&self) -> u64 {
        self.max_us
    }

    /// The value of the first bucket at which the running count reaches the rank's share of all; 0 if nothing was
    /// counted. Values are not interpolated.
    pub fn percentile_us(&self, rank: Rank) -> u64 {
        if self.count == 0 {
            return 0;
        }
        let mut running = 0;
        for (index, count) in self.counts.iter().enumerate() {
            running += u64::from(*count);
            if u64::from(rank.per_mille()) * self.count <= running * 1_000 {
                return bucket_at(index).value_us;
            }
        }
        unreachable!("the running count ends at the count, and no rank is above 1000 per mille")
    }

    /// The buckets that hold something, in ascending order, with their counts.
    pub fn occupied(&self) -> impl Iterator<Item = (Bucket, u32)> + '_ {
        let counts = self.counts.iter().enumerate();
        counts.filter(|(_, count)| 0 < **count).map(|(index, count)| (bucket_at(index), *count))
    }
}

impl FromIterator<u64> for Histogram {
    fn from_iter<I: IntoIterator<Item = u64>>(latencies_us: I) -> Self {
        let mut histogram = Histogram::default();
        for latency_us in latencies_us {
            histogram.add(latency_us);
        }
        histogram
    }
}

impl Bucket {
    /// The bucket of a latency.
    pub fn of(latency_us: u64) -> Bucket {
        bucket_at(index_of(latency_us))
    }
}

fn index_of(latency_us: u64) -> usize {
    if latency_us < 2 * GROUP_SIZE as u64 {
        return latency_us as usize;
    }
    let shift = latency_us.ilog2() - GROUP_BITS;
    let group = (shift + 1) as usize;
    if group < GROUPS {
        group * GROUP_SIZE + (latency_us >> shift) as usize % GROUP_SIZE
    } else {
        GROUPS * GROUP_SIZE - 1
    }
}

fn bucket_at(index: usize) -> Bucket {
    if index < 2 * GROUP_SIZE {
        let value = index as u64;
        return Bucket { from_us: value, to_us: value, value_us: value };
    }
    let shift = index / GROUP_SIZE - 1;
    let position = (GROUP_SIZE + index % GROUP_SIZE) as u64;
    let width = 1 << shift;
    let from_us = position * width;
    Bucket { from_us, to_us: from_us + width - 1, value_us: from_us + width / 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values_are_the_middles_of_their_buckets() {
        for (value_us, from_us, to_us) in
            [(4152, 4144, 4159), (14288, 14272, 14303), (3364, 3360, 3367), (12560, 12544, 12575)]
        {
            let bucket = Bucket { from_us, to_us, value_us };
            assert_eq!(Bucket::of(from_us), bucket);
            assert_eq!(Bucket::of(to_us), bucket);
            assert_ne!(Bucket::of(from_us - 1), bucket);
            assert_ne!(Bucket::of(to_us + 1), bucket);
        }
        assert_eq!(Bucket::of(14276).value_us, 14288, "the published maximum lies in the bucket of p99");
    }

    #[test]
    fn small_values_are_exact_and_512_begins_the_wide_buckets() {
        for value in [0, 1, 94, 255, 256, 511] {
            assert_eq!(Bucket::of(value), Bucket { from_us: value, to_us: value, value_us: value });
        }
        assert_eq!(Bucket::of(512), Bucket { from_us: 512, to_us: 513, value_us: 513 });
        assert_eq!(Bucket::of(513).value_us, 513);
        assert_eq!(Bucket::of(1023), Bucket { from_us: 1022, to_us: 1023, value_us: 1023 });
    }

    #[test]
    fn buckets_follow_each_other_without_gap_or_overlap() {
        for index in 1..GROUPS * GROUP_SIZE {
            assert_eq!(bucket_at(index - 1).to_us + 1, bucket_at(index).from_us);
            assert_eq!(index_of(bucket_at(index).from_us), index);
            assert_eq!(index_of(bucket_at(index).to_us), index);
        }
    }

    #[test]
    fn what_is_too_large_is_counted_in_the_last_bucket_and_kept_as_the_maximum() {
        let last = bucket_at(GROUPS * GROUP_SIZE - 1);
        assert_eq!(last.to_us, (1 << 26) - 1);
        let mut histogram = Histogram::default();
        histogram.add(u64::MAX);
        assert_eq!(histogram.percentile_us(Rank::P50), last.value_us);
        assert_eq!(histogram.max_us(), u64::MAX);
    }

    /// A2: of 80 values the 95th percentile is the 76th, and everything from the 99th on is the largest.
    #[test]
    fn the_rank_is_the_first_whose_count_reaches_the_share() {
        let histogram: Histogram = (1..=80).collect();
        let of = |rank| histogram.percentile_us(rank);
        assert_eq!([Rank::P50, Rank::P75, Rank::P90, Rank::P95].map(of), [40, 60, 72, 76]);
        assert_eq!([Rank::P99, Rank::P995, Rank::P999].map(of), [80, 80, 80]);
        let histogram: Histogram = (1..=74).collect();
        let of = |rank| histogram.percentile_us(rank);
        assert_eq!([Rank::P50, Rank::P75, Rank::P90, Rank::P95].map(of), [37, 56, 67, 71]);
        let one: Histogram = std::iter::once(7).collect();
        assert_eq!(one.percentile_us(Rank::P50), 7);
    }

    #[test]
    fn equal_values_share_their_rank() {
        let histogram: Histogram = [5, 5, 5, 9].into_iter().collect();
        assert_eq!(histogram.percentile_us(Rank::P75), 5);
        assert_eq!(histogram.percentile_us(Rank::P90), 9);
        let occupied: Vec<(u64, u32)> =
            histogram.occupied().map(|(bucket, count)| (bucket.value_us, count)).collect();
        assert_eq!(occupied, [(5, 3), (9, 1)]);
    }

    #[test]
    fn an_empty_histogram_reports_zero() {
        assert_eq!(Histogram::default().percentile_us(Rank::P999), 0);
        assert_eq!(Histogram::default().max_us(), 0);
    }
}
