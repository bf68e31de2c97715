//! What many seeds say: the middle 95 % and the median of each figure of each column.

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
            }
            self.values[column].extend(&row.values);
        }
    }

    /// How many runs there are of a column.
    pub(crate) fn runs(&self, column: usize) -> usize {
        self.values.get(column).map_or(0, Vec::len) / self.metrics.len().max(1)
    }

    /// How the runs of a column spread in one figure; nothing while there are too few.
    pub(crate) fn spread(&self, column: usize, metric: &str) -> Option<Spread> {
        let position = self.metrics.iter().position(|info| info.key == metric)?;
        let runs = self.values.get(column)?.chunks_exact(self.metrics.len());
        let mut values: Vec<f64> = runs.map(|run| run[position]).collect();
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
