/// Waits of one sort, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitStats {
    /// How many.
    pub count: u64,
    /// Their sum.
    pub sum_ns: u64,
    /// The median; percentiles are at most 1/128 too large, and 0 where there are no waits.
    pub p50_ns: u64,
    /// The 95th percentile.
    pub p95_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

/// Counts of waits in buckets of 1/128 of their length. There can be millions of them.
#[derive(Clone, Debug, Default)]
pub(super) struct WaitHistogram {
    counts: Vec<u32>,
    count: u64,
    sum_ns: u64,
    max_ns: u64,
}

/// The buckets of an octave, as a power of two.
const BITS: u32 = 7;

impl WaitHistogram {
    pub(super) fn add(&mut self, wait_ns: u64) {
        let bucket = bucket_of(wait_ns);
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.count += 1;
        self.sum_ns += wait_ns;
        self.max_ns = self.max_ns.max(wait_ns);
    }

    pub(super) fn stats(&self) -> WaitStats {
        WaitStats {
            count: self.count,
            sum_ns: self.sum_ns,
            p50_ns: self.percentile(50),
            p95_ns: self.percentile(95),
            p99_ns: self.percentile(99),
            max_ns: self.max_ns,
        }
    }

    /// The smallest bucket up to which at least so many percent of the waits are; its largest value.
    fn percentile(&self, percent: u64) -> u64 {
        let wanted = (self.count * percent).div_ceil(100);
        let mut counted = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            counted += u64::from(*count);
            if 0 < counted && wanted <= counted {
                return last_of(bucket).min(self.max_ns);
            }
        }
        0
    }
}

/// Below 128 every value has a bucket of its own, then every octave has 128.
fn bucket_of(value: u64) -> usize {
    let shift = (u64::BITS - value.leading_zeros()).saturating_sub(BITS + 1);
    ((shift as usize) << BITS) + (value >> shift) as usize
}

/// The largest value of a bucket.
fn last_of(bucket: usize) -> u64 {
    let shift = (bucket >> BITS).saturating_sub(1);
    let first = (bucket - (shift << BITS)) as u64;
    (first << shift) + ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_each_other_without_gaps() {
        let mut next = 0;
        for bucket in 0..(40 << BITS) {
            assert_eq!(bucket_of(next), bucket, "{next}");
            let last = last_of(bucket);
            assert_eq!(bucket_of(last), bucket, "{last}");
            assert!(last - next <= next / 128, "a bucket is at most 1/128 wide");
            next = last + 1;
        }
        assert_eq!(last_of(bucket_of(u64::MAX)), u64::MAX);
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_waits() {
        let mut histogram = WaitHistogram::default();
        assert_eq!(histogram.stats(), WaitStats::default());
        for wait in (1..=100).rev() {
            histogram.add(wait);
        }
        let stats = histogram.stats();
        assert_eq!((stats.p50_ns, stats.p95_ns, stats.p99_ns, stats.max_ns), (50, 95, 99, 100));
        assert_eq!((stats.count, stats.sum_ns), (100, 5_050));
        histogram.add(4_000_001);
        assert_eq!(histogram.stats().max_ns, 4_000_001);
        let mut one = WaitHistogram::default();
        one.add(1_000_003);
        assert_eq!(one.stats().p50_ns, 1_000_003, "never more than the longest");
    }
}
