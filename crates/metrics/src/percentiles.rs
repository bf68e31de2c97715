use crate::Histogram;

/// The percentiles that schbench prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Half of the latencies are not larger.
    P50,
    /// 75 %.
    P75,
    /// 90 %.
    P90,
    /// 95 %.
    P95,
    /// 99 %, which schbench marks with a star.
    P99,
    /// 99.5 %.
    P995,
    /// 99.9 %.
    P999,
}

impl Rank {
    /// All of them, from the smallest.
    pub const ALL: [Rank; 7] =
        [Rank::P50, Rank::P75, Rank::P90, Rank::P95, Rank::P99, Rank::P995, Rank::P999];

    /// The share of latencies that are not larger, in thousandths.
    pub const fn per_mille(self) -> u32 {
        match self {
            Rank::P50 => 500,
            Rank::P75 => 750,
            Rank::P90 => 900,
            Rank::P95 => 950,
            Rank::P99 => 990,
            Rank::P995 => 995,
            Rank::P999 => 999,
        }
    }

    /// The name of its figure: `p995_us`.
    pub const fn key(self) -> &'static str {
        match self {
            Rank::P50 => "p50_us",
            Rank::P75 => "p75_us",
            Rank::P90 => "p90_us",
            Rank::P95 => "p95_us",
            Rank::P99 => "p99_us",
            Rank::P995 => "p995_us",
            Rank::P999 => "p999_us",
        }
    }

    /// Its number as the benchmark of 2019 prints it: `99.5`.
    pub const fn label(self) -> &'static str {
        match self {
            Rank::P50 => "50.0",
            Rank::P75 => "75.0",
            Rank::P90 => "90.0",
            Rank::P95 => "95.0",
            Rank::P99 => "99.0",
            Rank::P995 => "99.5",
            Rank::P999 => "99.9",
        }
    }
}

/// The percentiles of one run, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Percentiles {
    values_us: [u64; 7],
}

impl Percentiles {
    /// The percentiles of a histogram.
    pub fn of(histogram: &Histogram) -> Percentiles {
        Percentiles { values_us: Rank::ALL.map(|rank| histogram.percentile_us(rank)) }
    }

    /// Percentiles that are known, in the order of [`Rank::ALL`]: published ones, say.
    pub const fn from_values(values_us: [u64; 7]) -> Percentiles {
        Percentiles { values_us }
    }

    /// One of them, in microseconds.
    pub const fn get(&self, rank: Rank) -> u64 {
        self.values_us[rank as usize]
    }

    /// All of them, from the smallest.
    pub fn iter(&self) -> impl Iterator<Item = (Rank, u64)> + '_ {
        Rank::ALL.into_iter().map(|rank| (rank, self.get(rank)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_follow_the_order_of_ranks() {
        for (position, rank) in Rank::ALL.into_iter().enumerate() {
            assert_eq!(rank as usize, position);
        }
        assert!(Rank::ALL.is_sorted_by_key(|rank| rank.per_mille()));
    }

    #[test]
    fn percentiles_are_those_of_the_histogram() {
        let histogram: Histogram = (1..=1_000).rev().map(|value| value % 500).collect();
        let percentiles = Percentiles::of(&histogram);
        for (rank, value) in percentiles.iter() {
            assert_eq!(value, histogram.percentile_us(rank));
        }
        assert_eq!(percentiles.get(Rank::P50), 249);
    }
}
