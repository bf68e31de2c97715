//! Runs of a scenario over seeds, and bars on them.

use engine::{Counters, Engine, HunkCount, Options, RunState};
use metrics::{Band, Histogram, Interval, Percentiles, Rank};
use scenario::{Scenario, Setup};
use workload::{Workload, schbench::Sample};

use crate::seeds::{few_seeds, seeds};

/// One run of schbench.
pub(crate) struct Run {
    pub(crate) samples: Vec<Sample>,
    pub(crate) counters: Counters,
    pub(crate) hunks: Vec<HunkCount>,
    pub(crate) trace_hash: u64,
}

/// A preset with some of its keys set.
pub(crate) fn scenario(preset: &str, settings: &[(&str, &str)]) -> Scenario {
    let mut scenario = Scenario::from_preset(preset).expect("a preset of this name exists");
    for (key, value) in settings {
        scenario.set(key, value).expect("the key takes this value");
    }
    scenario
}

/// One column of a scenario over the test's seeds.
pub(crate) fn over_seeds(scenario: &Scenario, column: usize) -> Vec<Run> {
    seeds().into_iter().map(|seed| run(&Setup { seed, ..scenario.setup(column) })).collect()
}

/// The same over the first seeds only, for runs that are long.
pub(crate) fn over_few_seeds(scenario: &Scenario, column: usize) -> Vec<Run> {
    few_seeds().into_iter().map(|seed| run(&Setup { seed, ..scenario.setup(column) })).collect()
}

/// One run to its end.
pub(crate) fn run(setup: &Setup) -> Run {
    let mut engine = Engine::new(setup, Options { audit_hunks: true, ..Options::default() });
    assert_eq!(engine.run_to_end().state, RunState::Finished);
    let Workload::Schbench(schbench) = engine.workload() else { panic!("the scenario runs schbench") };
    Run {
        samples: schbench.samples().to_vec(),
        counters: engine.counters().clone(),
        hunks: engine.hunk_counts(),
        trace_hash: engine.trace_hash(),
    }
}

impl Run {
    /// What schbench prints for a rank, in microseconds.
    pub(crate) fn printed(&self, rank: Rank) -> f64 {
        Histogram::of_samples(&self.samples).percentile_us(rank) as f64
    }

    /// Everything that schbench prints.
    pub(crate) fn percentiles(&self) -> Vec<u64> {
        Percentiles::of(&Histogram::of_samples(&self.samples)).iter().map(|(_, value)| value).collect()
    }

    /// The share of latencies that are wake-ups of 1 ms and more, 0 to 1.
    pub(crate) fn share_over_1ms(&self) -> f64 {
        self.wakes_from(1_000).len() as f64 / self.samples.len() as f64
    }

    /// The largest latency in microseconds.
    pub(crate) fn max_us(&self) -> u64 {
        self.samples.iter().map(|sample| sample.latency_us).max().unwrap_or(0)
    }

    /// The latencies of wake-ups of at least so many microseconds.
    pub(crate) fn wakes_from(&self, least_us: u64) -> Vec<u64> {
        let long = self.samples.iter().filter(|sample| sample.from_wakeup && least_us <= sample.latency_us);
        long.map(|sample| sample.latency_us).collect()
    }
}

/// Every printed percentile within a microsecond in every run, and as many long waits.
pub(crate) fn assert_same_figures(base: &[Run], patched: &[Run], what: &str) {
    for (base, patched) in base.iter().zip(patched) {
        for (b, p) in base.percentiles().into_iter().zip(patched.percentiles()) {
            assert!(b.abs_diff(p) <= 1, "{what}: {b} and {p} µs");
        }
        for least_us in [100, 1_000, 12_000] {
            assert_eq!(
                base.wakes_from(least_us).len(),
                patched.wakes_from(least_us).len(),
                "{what}: {least_us}"
            );
        }
    }
}

/// A figure of every run.
pub(crate) fn figure(runs: &[Run], of: impl Fn(&Run) -> f64) -> Vec<f64> {
    runs.iter().map(of).collect()
}

/// Asserts "at least this share of runs".
pub(crate) fn at_least(share: f64, runs: &[Run], what: &str, has: impl Fn(&Run) -> bool) {
    let count = runs.iter().filter(|run| has(run)).count();
    let fewest = metrics::fewest_passing(share, runs.len());
    println!("{what}: {count} of {} runs (bar {share}, fewest {fewest})", runs.len());
    assert!(fewest <= count, "{what}: {count} of {} runs, at least {fewest} expected", runs.len());
}

/// Asserts "at most this share of runs".
pub(crate) fn at_most(share: f64, runs: &[Run], what: &str, has: impl Fn(&Run) -> bool) {
    let count = runs.iter().filter(|run| has(run)).count();
    let most = metrics::most_passing(share, runs.len());
    println!("{what}: {count} of {} runs (bar {share}, most {most})", runs.len());
    assert!(count <= most, "{what}: {count} of {} runs, at most {most} expected", runs.len());
}

/// Asserts a bar on a mean.
pub(crate) fn mean_within(values: &[f64], from: f64, to: f64, what: &str) {
    let band = Band::of(values).expect("there are runs");
    println!("{what}: mean {:.3} (99.9 % {:?}), bar {from} to {to}", band.mean, band.mean_interval);
    assert!(metrics::mean_touches(&band, Interval { from, to }), "{what}: mean {} in {:?}", band.mean, band);
}

/// Asserts a bar on a quantile over all seeds: its 99.9 % interval touches the bar.
pub(crate) fn quantile_within(share: f64, values: &[f64], from: f64, to: f64, what: &str) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let interval = metrics::quantile_interval(&sorted, share);
    let point = metrics::quantile(&sorted, share);
    println!("{what}: {share} quantile {point} (99.9 % {interval:?}), bar {from} to {to}");
    assert!(interval.touches(Interval { from, to }), "{what}: {share} quantile {point} in {interval:?}");
}

/// Asserts a bar on the median.
pub(crate) fn median_within(values: &[f64], from: f64, to: f64, what: &str) {
    quantile_within(0.5, values, from, to, what);
}
