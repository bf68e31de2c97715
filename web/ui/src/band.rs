//! What many seeds say: the middle 95 % and the median of each figure of each column.

use std::collections::BTreeMap;

use protocol::{MetricInfo, SeedRows};

/// How many seeds make a band unless somebody wants more or fewer.
pub(crate) const SEEDS: u32 = 200;
/// The least and the most seeds of a band.
pub(crate) const SEED_RANGE: (u32, u32) = (10, 2000);
/// Fewer runs than this do not show where the middle 95 % end.
const FEWEST: usize = 20;

/// The runs of a band so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Band {
    metrics: Vec<MetricInfo>,
    /// For each column its runs one after the other, each with a value for every metric.
    values: Vec<Vec<f64>>,
    /// For each column the seeds of these runs.
    seeds: Vec<Vec<u64>>,
}

/// Where the values of many runs lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// 2.5 % of the runs lie below.
    pub(crate) low: f64,
    /// Half of the runs lie below.
    pub(crate) median: f64,
    /// 2.5 % of the runs lie above.
    pub(crate) high: f64,
    /// How many runs there are.
    pub(crate) runs: usize,
}

impl Band {
    /// Adds runs.
    pub(crate) fn add(&mut self, rows: &SeedRows) {
        if self.metrics.is_empty() {
            self.metrics.clone_from(&rows.metrics);
        }
        for row in rows.rows.iter().filter(|row| row.values.len() == self.metrics.len()) {
            let column = row.column as usize;
            if self.values.len() <= column {
                self.values.resize(column + 1, Vec::new());
                self.seeds.resize(column + 1, Vec::new());
            }
            self.values[column].extend(&row.values);
            self.seeds[column].push(row.seed);
        }
    }

    /// How many runs there are of a column.
    pub(crate) fn runs(&self, column: usize) -> usize {
        self.values.get(column).map_or(0, Vec::len) / self.metrics.len().max(1)
    }

    /// How the runs of a column spread in one figure; nothing while there are too few.
    pub(crate) fn spread(&self, column: usize, metric: &str) -> Option<Spread> {
        let mut values = self.values_of(column, metric)?;
        if values.len() < FEWEST {
            return None;
        }
        sort(&mut values);
        Some(Spread {
            low: quantile(&values, 0.025),
            median: quantile(&values, 0.5),
            high: quantile(&values, 0.975),
            runs: values.len(),
        })
    }

    /// The values of a figure in the runs of a column, in the order in which they came.
    pub(crate) fn values_of(&self, column: usize, metric: &str) -> Option<Vec<f64>> {
        let position = self.metrics.iter().position(|info| info.key == metric)?;
        let runs = self.values.get(column)?.chunks_exact(self.metrics.len());
        Some(runs.map(|run| run[position]).collect())
    }

    /// How a figure of a column differs from that of another one under the same seeds; nothing while there are too few.
    pub(crate) fn paired(&self, base: usize, column: usize, metric: &str) -> Option<Paired> {
        let of = |column: usize| {
            let values = self.values_of(column, metric)?;
            Some(self.seeds.get(column)?.iter().copied().zip(values).collect::<BTreeMap<u64, f64>>())
        };
        let (bases, subjects) = (of(base)?, of(column)?);
        let changes = bases.iter().filter_map(|(seed, base)| {
            let subject = subjects.get(seed)?;
            (0.0 < *base).then(|| 100.0 * (subject / base - 1.0))
        });
        Paired::of(&changes.collect::<Vec<f64>>())
    }

    /// The mean of a figure over the runs of a column; nothing while there are too few.
    pub(crate) fn mean(&self, column: usize, metric: &str) -> Option<Mean> {
        Mean::of(&self.values_of(column, metric)?)
    }
}

/// A mean of many values, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mean {
    /// The mean of the values.
    pub(crate) value: f64,
    /// The lower end of the interval that holds the true mean with 95 % confidence.
    pub(crate) low: f64,
    /// The upper end.
    pub(crate) high: f64,
}

impl Mean {
    fn of(values: &[f64]) -> Option<Mean> {
        if values.len() < FEWEST {
            return None;
        }
        let number = values.len() as f64;
        let mean = values.iter().sum::<f64>() / number;
        let variance =
            values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (number - 1.0);
        let reach = student(number - 1.0) * (variance / number).sqrt();
        Some(Mean { value: mean, low: mean - reach, high: mean + reach })
    }
}

/// The change from one column to another, in per cent, over pairs of runs that share a seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Paired {
    /// The mean change.
    pub(crate) mean: f64,
    /// The lower end of the interval that holds the true mean with 95 % confidence.
    pub(crate) low: f64,
    /// The upper end.
    pub(crate) high: f64,
    /// How many pairs there are.
    pub(crate) pairs: usize,
}

/// What a change amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    /// Every pair is equal.
    Same,
    /// The interval holds 0 and lies within [`Paired::SMALL`] of it.
    Unchanged,
    /// The interval lies above 0.
    Higher,
    /// The interval lies below 0.
    Lower,
    /// The interval holds 0 and more than a small change beside it.
    Open,
}

impl Paired {
    /// A change of this many per cent either way is small.
    pub(crate) const SMALL: f64 = 2.0;

    fn of(changes: &[f64]) -> Option<Paired> {
        let Mean { value: mean, low, high } = Mean::of(changes)?;
        Some(Paired { mean, low, high, pairs: changes.len() })
    }

    /// What it amounts to.
    pub(crate) fn amount(&self) -> Amount {
        if 0.0 < self.low {
            Amount::Higher
        } else if self.high < 0.0 {
            Amount::Lower
        } else if self.high - self.low <= 0.0 {
            Amount::Same
        } else if -Paired::SMALL <= self.low && self.high <= Paired::SMALL {
            Amount::Unchanged
        } else {
            Amount::Open
        }
    }
}

/// The 97.5 % quantile of Student's distribution: two terms of its expansion around the normal one, which are right to
/// three digits from nineteen degrees of freedom on.
fn student(freedom: f64) -> f64 {
    2.372_271_f64.mul_add(1.0 / freedom, 1.959_964) + 2.822_5 / (freedom * freedom)
}

/// Sorts numbers, none of which is no number. A shell sort: a sixth of the code of the library's, and quick enough for
/// the runs of a band.
fn sort(values: &mut [f64]) {
    let mut gap = values.len() / 2;
    while 0 < gap {
        for start in gap..values.len() {
            let mut at = start;
            while gap <= at && values[at] < values[at - gap] {
                values.swap(at, at - gap);
                at -= gap;
            }
        }
        gap /= 2;
    }
}

/// The quantile of sorted values, between neighbours in proportion.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let (below, part) = (position.floor() as usize, position.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + part * (sorted[above] - sorted[below])
}

/// Cuts the seeds of a band into jobs: small ones first, so that something shows soon, then bigger ones.
pub(crate) fn jobs(wanted: u32, workers: usize) -> Vec<(u64, u32)> {
    let mut jobs = Vec::new();
    let mut next = 1;
    while next <= wanted {
        let size = if jobs.len() < workers { 10 } else { 20 };
        let count = size.min(wanted - next + 1);
        jobs.push((u64::from(next), count));
        next += count;
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::SeedRow;

    fn rows(column: u32, values: impl IntoIterator<Item = f64>) -> SeedRows {
        let metric =
            MetricInfo { key: "p99_us".to_owned(), label: String::new(), unit: String::new(), decimals: 0 };
        SeedRows {
            metrics: vec![metric],
            rows: values
                .into_iter()
                .zip(1..)
                .map(|(value, seed)| SeedRow { column, seed, trace_hash: String::new(), values: vec![value] })
                .collect(),
        }
    }

    #[test]
    fn a_band_holds_the_middle_of_its_own_column() {
        let mut band = Band::default();
        band.add(&rows(0, (0..=200).map(f64::from)));
        band.add(&rows(1, [7.0; 20]));
        let spread = band.spread(0, "p99_us").unwrap();
        assert_eq!(spread, Spread { low: 5.0, median: 100.0, high: 195.0, runs: 201 });
        assert_eq!(band.spread(1, "p99_us"), Some(Spread { low: 7.0, median: 7.0, high: 7.0, runs: 20 }));
        assert_eq!(band.spread(0, "p50_us"), None, "an unknown figure has no band");
    }

    #[test]
    fn pairs_share_their_seed_whatever_the_order() {
        let mut band = Band::default();
        band.add(&rows(0, (1..=20).map(|seed| 100.0 * f64::from(seed))));
        let mut subject =
            rows(1, (1..=20).map(|seed| f64::from(seed) * if seed % 2 == 0 { 111.0 } else { 109.0 }));
        subject.rows.reverse();
        band.add(&subject);
        let paired = band.paired(0, 1, "p99_us").unwrap();
        assert!((paired.mean - 10.0).abs() < 1e-9, "{paired:?}");
        assert!(9.0 < paired.low && paired.low < 10.0 && paired.high < 11.0, "{paired:?}");
        assert_eq!((paired.pairs, paired.amount()), (20, Amount::Higher));
        assert_eq!(band.paired(0, 2, "p99_us"), None, "there is no such column");
    }

    #[test]
    fn an_interval_of_the_mean_is_that_of_students_distribution() {
        assert!((student(19.0) - 2.0930).abs() < 0.001, "{}", student(19.0));
        assert!((student(199.0) - 1.9720).abs() < 0.001, "{}", student(199.0));
    }

    #[test]
    fn a_change_is_small_large_or_open() {
        let of = |low, high| Paired { mean: f64::midpoint(low, high), low, high, pairs: 20 }.amount();
        assert_eq!(of(-1.0, 1.5), Amount::Unchanged);
        assert_eq!(of(-3.0, 1.5), Amount::Open);
        assert_eq!(of(-3.0, -0.1), Amount::Lower);
        assert_eq!(of(0.1, 0.3), Amount::Higher);
        assert_eq!(Paired::of(&[0.0; 20]).unwrap().amount(), Amount::Same);
        assert_eq!(Paired::of(&[0.0; 19]), None, "too few");
    }

    #[test]
    fn numbers_are_sorted() {
        let mut values: Vec<f64> = (0..257).map(|step| f64::from(step * 89 % 257)).collect();
        sort(&mut values);
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
        sort(&mut []);
    }

    #[test]
    fn few_runs_make_no_band() {
        let mut band = Band::default();
        band.add(&rows(0, (0..19).map(f64::from)));
        assert_eq!(band.spread(0, "p99_us"), None);
        assert_eq!(band.runs(0), 19);
    }

    #[test]
    fn jobs_cover_every_seed_once() {
        for wanted in [1, 10, 55, 200] {
            let jobs = jobs(wanted, 4);
            let seeds: Vec<u64> =
                jobs.iter().flat_map(|(first, count)| *first..*first + u64::from(*count)).collect();
            assert_eq!(seeds, (1..=u64::from(wanted)).collect::<Vec<_>>());
        }
    }
}
