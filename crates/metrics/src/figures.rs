use sim::Nanos;
use workload::Work;
use workload::schbench::Sample;

use crate::launch::launch_metrics;
use crate::{Histogram, LaunchFacts, Percentiles, Rank};

/// The figures of one run in the order in which they are shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunMetrics {
    metrics: Vec<Metric>,
}

/// One figure of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// What it is.
    pub info: MetricInfo,
    /// Its value in its unit.
    pub value: f64,
}

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricInfo {
    /// Its name in the output of the command line, with its unit last: `p99_us`.
    pub key: &'static str,
    /// Its name for people: `99th percentile`.
    pub label: &'static str,
    /// Its unit; empty for a count.
    pub unit: &'static str,
    /// How many decimals are worth showing.
    pub decimals: u8,
}

/// What was counted during a run: the engine's counters as plain numbers, spans of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunFacts {
    /// Simulated time.
    pub simulated_ns: u64,
    /// Context switches.
    pub switches: u64,
    /// Wake-ups that the wake-up path placed.
    pub wakeups: u64,
    /// Wake-ups that were put on a CPU that already had a runnable task.
    pub stacked_wakeups: u64,
    /// Wake-ups that went through a wake list.
    pub wake_list_wakeups: u64,
    /// Wake-ups put on a CPU that looked idle while its wake list was on the way to its queue.
    pub race_hits: u64,
    /// Wake-ups that preempted the running task.
    pub wakeup_preemptions: u64,
    /// Reschedules that the tick asked for.
    pub tick_preemptions: u64,
    /// Tasks pulled by CPUs that ran out of work.
    pub newidle_pulls: u64,
    /// Tasks pulled by idle CPUs, or on their behalf.
    pub idle_pulls: u64,
    /// Tasks pulled by busy CPUs.
    pub busy_pulls: u64,
    /// Tasks pushed by the stopper.
    pub active_pushes: u64,
    /// Tasks that the balancer left because of their utilisation.
    pub util_refusals: u64,
    /// Time during which some task waited while an allowed CPU of its last-level cache idled.
    pub wait_while_idle_ns: u64,
    /// Sum over tasks of the time spent runnable but not running.
    pub wait_sum_ns: u64,
    /// What busy CPUs have taken, in µJ, where their power is known.
    pub energy_uj: Option<u64>,
}

impl RunMetrics {
    /// The figures of a run of schbench: latencies first, then what explains them, then the rest.
    pub fn of_schbench(samples: &[Sample], facts: &RunFacts) -> RunMetrics {
        let histogram = Histogram::of_samples(samples);
        let mut metrics: Vec<Metric> = Percentiles::of(&histogram)
            .iter()
            .map(|(rank, value_us)| Metric { info: percentile_info(rank), value: value_us as f64 })
            .collect();
        let wakes_from = |latency_us: u64| {
            samples.iter().filter(|sample| sample.from_wakeup && latency_us <= sample.latency_us).count()
                as f64
        };
        let over_1ms = wakes_from(1_000);
        metrics.extend([
            metric("max_us", "Largest latency", "µs", 0, histogram.max_us() as f64),
            metric("samples", "Recorded latencies", "", 0, histogram.count() as f64),
            metric("wakes_over_1ms", "Wake-ups of 1 ms and more", "", 0, over_1ms),
            metric("wakes_over_12ms", "Wake-ups of 12 ms and more", "", 0, wakes_from(12_000)),
            metric(
                "share_over_1ms",
                "Share of latencies of 1 ms and more",
                "",
                5,
                share(over_1ms, samples.len()),
            ),
        ]);
        metrics.extend(balance_metrics(facts));
        metrics.extend(machine_metrics(facts));
        RunMetrics { metrics }
    }

    /// The figures of a run whose workload counts what it does: its throughput first.
    pub fn of_work(work: &Work, facts: &RunFacts) -> RunMetrics {
        let since_ns = work.since.map_or(facts.simulated_ns, |since| since.0);
        let until_ns = work.done_at.map_or(facts.simulated_ns, |done_at| done_at.0);
        let lasted_ns = until_ns.saturating_sub(since_ns);
        let throughput = if lasted_ns == 0 { 0.0 } else { work.operations as f64 * 1e9 / lasted_ns as f64 };
        let mut metrics = vec![
            metric("throughput_per_s", "Throughput", "/s", 0, throughput),
            metric("operations", "Operations", "", 0, work.operations as f64),
        ];
        if let Some(duration) = work.duration() {
            metrics.push(metric("hackbench_s", "Time until all was done", "s", 6, duration.0 as f64 / 1e9));
        }
        metrics.extend(balance_metrics(facts));
        metrics.extend(machine_metrics(facts));
        RunMetrics { metrics }
    }

    /// The figures of a launch: what it took first.
    pub fn of_launch(launch: &LaunchFacts, facts: &RunFacts) -> RunMetrics {
        let mut metrics = launch_metrics(launch);
        metrics.extend(balance_metrics(facts));
        metrics.extend(machine_metrics(facts));
        RunMetrics { metrics }
    }

    /// The figures of a run whose workload records no latencies.
    pub fn of_machine(facts: &RunFacts) -> RunMetrics {
        RunMetrics { metrics: balance_metrics(facts).into_iter().chain(machine_metrics(facts)).collect() }
    }

    /// The figures in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Metric> + '_ {
        self.metrics.iter()
    }

    /// A figure by its key.
    pub fn get(&self, key: &str) -> Option<f64> {
        self.metrics.iter().find(|metric| metric.info.key == key).map(|metric| metric.value)
    }
}

/// What hackbench prints: the time until all was done, in seconds, of which it drops what is below a millisecond.
pub fn hackbench_text(duration: Nanos) -> String {
    let millis = duration.as_micros() / 1_000;
    format!("Time: {}.{:03}\n", millis / 1_000, millis % 1_000)
}

fn balance_metrics(facts: &RunFacts) -> [Metric; 5] {
    [
        metric("util_refusals", "Moves refused for utilisation", "", 0, facts.util_refusals as f64),
        metric("race_hits", "Wake-ups into the window", "", 0, facts.race_hits as f64),
        metric("wait_while_idle_ms", "Waiting beside an idle CPU", "ms", 3, millis(facts.wait_while_idle_ns)),
        metric("stacked_wakeups", "Wake-ups onto a CPU in use", "", 0, facts.stacked_wakeups as f64),
        metric("newidle_pulls", "Tasks pulled when going idle", "", 0, facts.newidle_pulls as f64),
    ]
}

fn machine_metrics(facts: &RunFacts) -> Vec<Metric> {
    let mut metrics = vec![
        metric("idle_pulls", "Tasks pulled while idle", "", 0, facts.idle_pulls as f64),
        metric("busy_pulls", "Tasks pulled while busy", "", 0, facts.busy_pulls as f64),
        metric("active_pushes", "Tasks pushed by the stopper", "", 0, facts.active_pushes as f64),
        metric("switches", "Context switches", "", 0, facts.switches as f64),
        metric("wakeups", "Wake-ups", "", 0, facts.wakeups as f64),
        metric("wake_list_wakeups", "Wake-ups through a wake list", "", 0, facts.wake_list_wakeups as f64),
        metric("wakeup_preemptions", "Preemptions by wake-ups", "", 0, facts.wakeup_preemptions as f64),
        metric("tick_preemptions", "Preemptions by the tick", "", 0, facts.tick_preemptions as f64),
        metric("wait_sum_ms", "Sum of waiting", "ms", 3, millis(facts.wait_sum_ns)),
        metric("simulated_ms", "Simulated time", "ms", 3, millis(facts.simulated_ns)),
    ];
    let energy =
        facts.energy_uj.map(|uj| metric("energy_mj", "Energy of busy CPUs", "mJ", 1, uj as f64 / 1e3));
    metrics.extend(energy);
    metrics
}

fn percentile_info(rank: Rank) -> MetricInfo {
    let label = match rank {
        Rank::P50 => "50th percentile",
        Rank::P75 => "75th percentile",
        Rank::P90 => "90th percentile",
        Rank::P95 => "95th percentile",
        Rank::P99 => "99th percentile",
        Rank::P995 => "99.5th percentile",
        Rank::P999 => "99.9th percentile",
    };
    MetricInfo { key: rank.key(), label, unit: "µs", decimals: 0 }
}

pub(crate) fn metric(
    key: &'static str,
    label: &'static str,
    unit: &'static str,
    decimals: u8,
    value: f64,
) -> Metric {
    Metric { info: MetricInfo { key, label, unit, decimals }, value }
}

pub(crate) fn millis(span_ns: u64) -> f64 {
    span_ns as f64 / 1e6
}

fn share(part: f64, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part / whole as f64 }
}

#[cfg(test)]
mod tests {
    use sim::TaskId;

    use super::*;

    fn samples() -> Vec<Sample> {
        let sample =
            |latency_us, from_wakeup| Sample { worker: TaskId(2), at: Nanos(0), latency_us, from_wakeup };
        vec![
            sample(33, true),
            sample(999, true),
            sample(1_000, true),
            sample(14_276, true),
            sample(2_000, false),
        ]
    }

    #[test]
    fn only_wake_ups_count_as_long_but_every_latency_is_a_sample() {
        let metrics = RunMetrics::of_schbench(&samples(), &RunFacts::default());
        assert_eq!(metrics.get("samples"), Some(5.0));
        assert_eq!(metrics.get("wakes_over_1ms"), Some(2.0));
        assert_eq!(metrics.get("wakes_over_12ms"), Some(1.0));
        assert_eq!(metrics.get("share_over_1ms"), Some(0.4));
        assert_eq!(metrics.get("max_us"), Some(14_276.0));
        assert_eq!(metrics.get("p50_us"), Some(1001.0), "1000 µs lie in the bucket of 1000 and 1001");
        assert_eq!(metrics.get("p999_us"), Some(14_288.0));
    }

    #[test]
    fn the_keys_of_the_command_line_come_first_and_every_key_once() {
        let metrics = RunMetrics::of_schbench(&samples(), &RunFacts::default());
        let keys: Vec<&str> = metrics.iter().map(|metric| metric.info.key).collect();
        let first =
            ["p50_us", "p75_us", "p90_us", "p95_us", "p99_us", "p995_us", "p999_us", "max_us", "samples"];
        assert_eq!(keys[..first.len()], first);
        for key in ["wakes_over_1ms", "util_refusals", "wait_while_idle_ms"] {
            assert!(keys.contains(&key), "{key}");
        }
        let mut unique = keys.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), keys.len());
    }

    #[test]
    fn throughput_counts_from_the_start_to_the_end_of_the_work() {
        let facts = RunFacts { simulated_ns: 3_000_000_000, ..RunFacts::default() };
        let endless = Work { operations: 600, since: Some(Nanos::ZERO), done_at: None };
        let metrics = RunMetrics::of_work(&endless, &facts);
        assert_eq!(metrics.get("throughput_per_s"), Some(200.0));
        assert_eq!(metrics.get("hackbench_s"), None, "it has no end of its own");
        let (since, done_at) = (Some(Nanos::from_secs(1)), Some(Nanos::from_millis(2_500)));
        let done = RunMetrics::of_work(&Work { operations: 600, since, done_at }, &facts);
        assert_eq!(done.get("throughput_per_s"), Some(400.0));
        assert_eq!(done.get("hackbench_s"), Some(1.5));
        let unbegun = RunMetrics::of_work(&Work { operations: 0, since: None, done_at: None }, &facts);
        assert_eq!(unbegun.get("throughput_per_s"), Some(0.0));
    }

    #[test]
    fn hackbench_prints_seconds_with_three_decimals() {
        assert_eq!(hackbench_text(Nanos(1_234_400_000)), "Time: 1.234\n");
        assert_eq!(hackbench_text(Nanos(38_999_999)), "Time: 0.038\n");
    }

    #[test]
    fn facts_are_shown_in_the_unit_of_their_key() {
        let facts = RunFacts {
            wait_while_idle_ns: 1_500_000,
            wait_sum_ns: 250_000,
            energy_uj: None,
            simulated_ns: 10_100_000_000,
            util_refusals: 21,
            newidle_pulls: 6,
            race_hits: 212,
            ..RunFacts::default()
        };
        let metrics = RunMetrics::of_machine(&facts);
        assert_eq!(metrics.get("wait_while_idle_ms"), Some(1.5));
        assert_eq!(metrics.get("wait_sum_ms"), Some(0.25));
        assert_eq!(metrics.get("simulated_ms"), Some(10_100.0));
        assert_eq!(metrics.get("util_refusals"), Some(21.0));
        assert_eq!(metrics.get("newidle_pulls"), Some(6.0));
        assert_eq!(metrics.get("race_hits"), Some(212.0));
        assert_eq!(metrics.get("p50_us"), None, "nothing recorded latencies");
    }
}
