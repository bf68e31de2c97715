//! Runs as a worker would describe them, for the tests of the panels.

use std::rc::Rc;

use protocol::{
    Counter, CpuView, DomainSpan, FormChange, Histogram, HunkView, Metric, MetricInfo, Percentile,
    RunSummary, Samples, SeedRow, SeedRows, TaskView, TaskWaits, TraceKept, WaitStats, WaitWhileIdle,
    WorkConservation, WorkOverTime,
};
use scenario::{Preset, Scenario};

use crate::band::Band;
use crate::charts::Tone;
use crate::columns::{ColumnView, Contrast, PresetRef, Results, Scope};

/// The figures of schbench in the order in which it prints them, and the largest.
const KEYS: [(&str, &str); 8] = [
    ("p50_us", "50.0"),
    ("p75_us", "75.0"),
    ("p90_us", "90.0"),
    ("p95_us", "95.0"),
    ("p99_us", "99.0"),
    ("p995_us", "99.5"),
    ("p999_us", "99.9"),
    ("max_us", ""),
];

fn info(key: &str) -> MetricInfo {
    MetricInfo { key: key.to_owned(), label: format!("figure {key}"), unit: "µs".to_owned(), decimals: 0 }
}

/// A run of the HiKey that has these percentiles.
pub(crate) fn run(column: u32, name: &str, values: [f64; 8]) -> RunSummary {
    let metric = |(key, value): (&str, f64)| Metric { info: info(key), value };
    let keyed = || KEYS.into_iter().zip(values);
    RunSummary {
        column,
        column_name: name.to_owned(),
        seed: 1,
        trace_hash: format!("00000000000000{column:02}"),
        events: 1951,
        simulated_ns: 10_117_000_000,
        wall_ms: 3.2,
        trace: TraceKept::Events,
        metrics: keyed().map(|((key, _), value)| metric((key, value))).collect(),
        percentiles: keyed()
            .filter(|((_, label), _)| !label.is_empty())
            .map(|((key, label), value_us)| Percentile {
                key: key.to_owned(),
                label: label.to_owned(),
                value_us,
            })
            .collect(),
        samples: Samples {
            latency_us: vec![33.0, values[7] as f32],
            at_ms: vec![1010.0, 2030.0],
            task: vec![2, 3],
            from_wakeup: vec![1, 1],
        },
        histogram: Histogram {
            from_us: vec![33, 45, values[7] as u32],
            to_us: vec![33, 45, values[7] as u32],
            count: vec![60, 19, 1],
        },
        hunks: vec![HunkView {
            patch: "llc-spread".to_owned(),
            index: 0,
            file: "kernel/sched/fair.c".to_owned(),
            function: "calculate_imbalance".to_owned(),
            active: if column == 0 { "off" } else { "merged" }.to_owned(),
            asked: 1204,
            would_change: ["merged", "group_weight", "shift"]
                .map(|form| FormChange { form: form.to_owned(), count: 17 })
                .into(),
        }],
        counters: vec![
            Counter {
                key: "newidle_pulls".to_owned(),
                label: "Tasks pulled when going idle".to_owned(),
                value: 6,
            },
            Counter { key: "wait_sum_ns".to_owned(), label: "Sum of waiting".to_owned(), value: 229_627_000 },
        ],
        work: work(column == 0),
        text: format!("Latency percentiles (usec)\n\t50.0th: {}\n", values[0]),
        tasks: (0..4).map(|id| TaskView { id, name: format!("task-{id}"), group: 0, nice: 0 }).collect(),
        cpus: (0..8)
            .map(|cpu| CpuView { cpu, core: cpu, llc: cpu / 4, package: 0, capacity: 1024 })
            .collect(),
        domains: (0..2)
            .map(|index| DomainSpan {
                depth: 0,
                level: "llc".to_owned(),
                index,
                first_lane: u32::from(index) * 4,
                lanes: 4,
            })
            .collect(),
        ..RunSummary::default()
    }
}

/// How four tasks waited in such a run: one of them beside an idle CPU, where the balancer leaves it.
fn work(is_left: bool) -> WorkConservation {
    let part = |value: f32| if is_left { value } else { 0.0 };
    let waits = |count, max_ns| WaitStats {
        count,
        sum_ns: 900_000,
        p50_ns: 2000,
        p95_ns: 4000,
        p99_ns: 9000,
        max_ns,
    };
    WorkConservation {
        from_ns: 0,
        to_ns: 10_117_000_000,
        wakeup_kept: waits(66, if is_left { 14_600_000 } else { 31_000 }),
        wakeup_moved: waits(14, 52_000),
        preemption: if is_left { waits(2, 12_000_000) } else { WaitStats::default() },
        other: WaitStats::default(),
        wait_while_idle: WaitWhileIdle {
            idle_elsewhere_ns: 0,
            refused_ns: if is_left { 14_000_000 } else { 0 },
            stacked_ns: if is_left { 40_000 } else { 1500 },
            other_ns: 0,
        },
        load_balance_score: if is_left { 1234.5 } else { 12.25 },
        tasks: TaskWaits {
            ran_ns: vec![0.0, 5e6, 5e9, 5e9],
            run_delay_ns: vec![0.0, 61_000.0, if is_left { 26.6e6 } else { 83_000.0 }, 71_000.0],
            preemption_ns: vec![0.0, 0.0, if is_left { 12e6 } else { 0.0 }, 0.0],
            while_idle_ns: vec![0.0, 0.0, if is_left { 14.04e6 } else { 1500.0 }, 0.0],
            waits: vec![0, 20, 31, 31],
            longest_ns: vec![0.0, 9000.0, if is_left { 14.6e6 } else { 31_000.0 }, 12_000.0],
            longest_from_ns: vec![0.0, 1.2e9, 2.03e9, 3e9],
        },
        over_time: WorkOverTime {
            bin_ns: 2_529_250_000,
            runnable: vec![7.5, 8.0, 7.75, 6.0],
            longest_queue: vec![1, 2, 1, 1],
            idle_elsewhere: vec![0.0; 4],
            refused: vec![0.0, part(0.5), 0.0, 0.0],
            stacked: vec![0.0, part(0.1), 0.0, 0.01],
            other: vec![0.0; 4],
        },
    }
}

/// Base and patched as published, each figure a little off.
pub(crate) fn runs() -> [RunSummary; 2] {
    [
        run(0, "base", [31.0, 43.0, 52.0, 1062.0, 14_640.0, 14_640.0, 14_640.0, 14_634.0]),
        run(1, "patched", [34.0, 45.0, 54.0, 72.0, 83.0, 83.0, 83.0, 83.0]),
    ]
}

/// A run of a program that counts what it does, and nothing else.
pub(crate) fn counted(column: u32, name: &str, per_s: f64) -> RunSummary {
    let info = MetricInfo {
        key: crate::columns::THROUGHPUT.key.to_owned(),
        label: "Throughput".to_owned(),
        unit: "/s".to_owned(),
        decimals: 0,
    };
    RunSummary {
        percentiles: Vec::new(),
        samples: Samples::default(),
        histogram: Histogram::default(),
        metrics: vec![Metric { info, value: per_s }],
        ..run(column, name, [1.0; 8])
    }
}

/// Columns of a program that counts what it does, with the throughput of every seed from 1 on.
pub(crate) fn counting<const N: usize>(columns: [(&str, &[f64]); N]) -> Results {
    let runs = columns.map(|(name, seeds)| (name, seeds.first().copied().unwrap_or(0.0)));
    let mut position = 0;
    let runs = runs.map(|(name, per_s)| {
        position += 1;
        counted(position - 1, name, per_s)
    });
    let mut band = Band::default();
    let row = |column: u32, (value, seed): (&f64, u64)| SeedRow {
        column,
        seed,
        trace_hash: String::new(),
        values: vec![*value],
    };
    band.add(&SeedRows {
        metrics: runs[0].metrics.iter().map(|metric| metric.info.clone()).collect(),
        rows: (0..)
            .zip(&columns)
            .flat_map(|(column, (_, seeds))| seeds.iter().zip(1..).map(move |seed| row(column, seed)))
            .collect(),
    });
    Results { band: Some(Rc::new(band)), ..of(runs) }
}

/// A band of forty seeds around the runs.
pub(crate) fn band(runs: &[RunSummary]) -> Band {
    let mut band = Band::default();
    let row = |run: &RunSummary, seed: u64| SeedRow {
        column: run.column,
        seed,
        trace_hash: String::new(),
        values: run.metrics.iter().map(|metric| metric.value * (80.0 + seed as f64) / 100.0).collect(),
    };
    band.add(&SeedRows {
        metrics: runs
            .first()
            .map_or_else(Vec::new, |run| run.metrics.iter().map(|metric| metric.info.clone()).collect()),
        rows: (1..=40).flat_map(|seed| runs.iter().map(move |run| row(run, seed))).collect(),
    });
    band
}

/// The HiKey preset, run.
pub(crate) fn results() -> Results {
    of(runs())
}

/// Results made of any runs; the last of them has the patch.
pub(crate) fn of<const N: usize>(runs: [RunSummary; N]) -> Results {
    let band = band(&runs);
    let column = |(index, summary): (usize, RunSummary)| ColumnView {
        index,
        name: summary.column_name.clone().into(),
        tone: Tone::of(index, N),
        what: if index + 1 < N {
            crate::text::WITHOUT_PATCH.to_owned()
        } else {
            crate::text::with_form("merged")
        },
        is_original: true,
        summary: Rc::new(summary),
    };
    Results {
        columns: Rc::new(runs.into_iter().enumerate().map(column).collect()),
        contrast: Contrast::Patch,
        preset: Preset::find("hikey-schbench").map(PresetRef),
        band: Some(Rc::new(band)),
        scope: Scope::Whole,
    }
}

/// The scenario of the HiKey preset.
pub(crate) fn scenario() -> Scenario {
    Scenario::from_preset("hikey-schbench").unwrap()
}
