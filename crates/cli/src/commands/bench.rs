use std::time::{Duration, Instant};

use scenario::Scenario;
use serde::Serialize;
use session::{RunJob, RunOptions};

use super::compare::run_all;
use crate::args::BenchArgs;
use crate::cpu_clock::CpuClock;
use crate::failure::BadInput;
use crate::output::{print, print_json};
use crate::table::{Table, number};

/// Measures the benchmark scenarios and shows them beside their bars. A bar that is missed is shown, not a failure:
/// speed depends on the machine.
pub(crate) fn bench(args: &BenchArgs, json: bool) -> anyhow::Result<()> {
    let only = args.only.as_deref().unwrap_or("");
    let cases: Vec<&Case> = CASES.iter().filter(|case| case.name.contains(only)).collect();
    if cases.is_empty() {
        let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        return Err(
            BadInput::one(format!("no benchmark contains {only:?}; there are {}", names.join(", "))).into()
        );
    }
    let mut rows = Vec::new();
    for case in cases {
        eprintln!("measuring {}", case.name);
        let scenario = Scenario::from_preset(case.preset)
            .ok_or_else(|| anyhow::anyhow!("the benchmark {} has no preset {}", case.name, case.preset))?;
        // The smallest of several: what the others add is the rest of the machine.
        let measurements = (0..args.repeat).map(|_| (case.measure)(&scenario));
        let best = measurements.min_by(|a, b| a.cost().total_cmp(&b.cost()));
        rows.extend(best.map(|measured| row(case, &measured)));
    }
    if json { print_json(&rows) } else { print(&text(&rows)) }
}

/// A benchmark and the figure by which it is judged.
struct Case {
    name: &'static str,
    preset: &'static str,
    measure: fn(&Scenario) -> Measured,
    figure: Figure,
    bar: Option<f64>,
    goal: Option<f64>,
}

/// By what a benchmark is judged.
#[derive(Clone, Copy)]
enum Figure {
    NanosPerEvent,
    SimulatedPerCpuSecond,
    MillisPerRun,
    /// How much longer a run takes whose trace is kept.
    TraceOverheadPercent,
    /// Passed time of everything.
    WallSeconds,
}

/// The bars are those of the first version, the goals what is wanted in the end.
const CASES: &[Case] = &[
    Case {
        name: "d3-8cpu",
        preset: "d3-8cpu",
        measure: one_column,
        figure: Figure::NanosPerEvent,
        bar: Some(400.0),
        goal: None,
    },
    Case {
        name: "d3-8cpu-1khz",
        preset: "d3-8cpu-1khz",
        measure: one_column,
        figure: Figure::NanosPerEvent,
        bar: Some(400.0),
        goal: None,
    },
    Case {
        name: "d3-64cpu",
        preset: "d3-64cpu",
        measure: one_column,
        figure: Figure::NanosPerEvent,
        bar: Some(400.0),
        goal: None,
    },
    Case {
        name: "d6-hogs-16cpu",
        preset: "hogs-16cpu",
        measure: one_column,
        figure: Figure::SimulatedPerCpuSecond,
        bar: Some(1_000.0),
        goal: Some(5_000.0),
    },
    Case {
        name: "d1-hogs-4cpu",
        preset: "hogs-4cpu",
        measure: one_column,
        figure: Figure::SimulatedPerCpuSecond,
        bar: None,
        goal: None,
    },
    Case {
        name: "hikey-one-column",
        preset: "hikey-schbench",
        measure: one_column,
        figure: Figure::MillisPerRun,
        bar: Some(5.0),
        goal: Some(1.5),
    },
    Case {
        name: "hikey-trace-kept",
        preset: "hikey-schbench",
        measure: traced,
        figure: Figure::TraceOverheadPercent,
        bar: Some(40.0),
        goal: Some(20.0),
    },
    Case {
        name: "hikey-200-pairs",
        preset: "hikey-schbench",
        measure: two_hundred_pairs,
        figure: Figure::WallSeconds,
        bar: Some(2.0),
        goal: Some(0.8),
    },
    Case {
        name: "launch-60-pairs",
        preset: "android-launch",
        measure: sixty_launches,
        figure: Figure::WallSeconds,
        bar: Some(2.0),
        goal: Some(0.6),
    },
];

/// What some runs took together.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    runs: u32,
    simulated: Duration,
    cpu: Duration,
    wall: Duration,
    events: u64,
    /// CPU time of the same runs without their trace.
    cpu_untraced: Option<Duration>,
}

impl Measured {
    fn count(&mut self, job: &RunJob) {
        self.runs += 1;
        self.events += job.events();
        self.simulated += Duration::from_nanos(job.now().0);
    }

    /// CPU seconds for a run; for runs that are compared with untraced ones, in runs of those.
    fn cost(&self) -> f64 {
        match self.cpu_untraced {
            Some(untraced) => self.cpu.as_secs_f64() / untraced.as_secs_f64(),
            None => self.cpu.as_secs_f64() / f64::from(self.runs),
        }
    }
}

/// Short runs are repeated so long: the kernel brings its account of CPU time up to date at ticks only.
const LEAST_MEASURED: Duration = Duration::from_millis(400);

/// Every seed is run several times with and without its trace in turn, and the fastest of each counts: the two differ
/// by less than what the rest of the machine adds to one of them.
fn traced(scenario: &Scenario) -> Measured {
    const SEEDS: u32 = 60;
    const TIMES: u32 = 5;
    let kept = RunOptions { keep_trace: true, ..RunOptions::default() };
    let (mut with, mut without) = (Measured::default(), Duration::ZERO);
    for seed in 1..=SEEDS {
        let (mut fastest_with, mut fastest_without) = (Duration::MAX, Duration::MAX);
        for _ in 0..TIMES {
            fastest_without = fastest_without.min(timed(scenario, seed, RunOptions::default()).0);
            fastest_with = fastest_with.min(timed(scenario, seed, kept).0);
        }
        let (_, job) = timed(scenario, seed, kept);
        with.count(&job);
        with.cpu += fastest_with;
        without += fastest_without;
    }
    Measured { wall: with.cpu, cpu_untraced: Some(without), ..with }
}

fn timed(scenario: &Scenario, seed: u32, options: RunOptions) -> (Duration, RunJob) {
    let started = Instant::now();
    let mut job = RunJob::new(scenario, 0, u64::from(seed), options);
    while !job.step(u64::MAX) {}
    (started.elapsed(), job)
}

/// Runs the first column under one seed after the other, the engine only, long enough to measure it.
fn one_column(scenario: &Scenario) -> Measured {
    let (clock, started) = (CpuClock::start(), Instant::now());
    let mut done = Measured::default();
    while done.runs == 0 || started.elapsed() < LEAST_MEASURED {
        let (_, job) = timed(scenario, done.runs + 1, RunOptions::default());
        done.count(&job);
    }
    Measured { cpu: clock.elapsed(), wall: started.elapsed(), ..done }
}

fn two_hundred_pairs(scenario: &Scenario) -> Measured {
    pairs(scenario, 200)
}

fn sixty_launches(scenario: &Scenario) -> Measured {
    pairs(scenario, 60)
}

/// Base and patched under so many seeds on two threads, with their figures, as the page's workers do it.
fn pairs(scenario: &Scenario, seeds: u64) -> Measured {
    let started = Instant::now();
    let seeds: Vec<u64> = (1..=seeds).collect();
    let outcomes = run_all(scenario, &seeds, 2);
    Measured {
        runs: outcomes.len() as u32,
        simulated: outcomes.iter().map(|outcome| outcome.simulated).sum(),
        cpu: outcomes.iter().map(|outcome| outcome.wall).sum(),
        wall: started.elapsed(),
        events: outcomes.iter().map(|outcome| outcome.events).sum(),
        cpu_untraced: None,
    }
}

#[derive(Debug, Serialize)]
struct Row {
    scenario: &'static str,
    simulated_s: f64,
    cpu_s: f64,
    events: u64,
    ns_per_event: f64,
    runs: u32,
    figure: f64,
    figure_unit: &'static str,
    bar: Option<f64>,
    goal: Option<f64>,
    met: Option<bool>,
}

fn row(case: &Case, measured: &Measured) -> Row {
    let (simulated_s, cpu_s) = (measured.simulated.as_secs_f64(), measured.cpu.as_secs_f64());
    let ns_per_event = cpu_s * 1e9 / measured.events.max(1) as f64;
    let (figure, figure_unit) = match case.figure {
        Figure::NanosPerEvent => (ns_per_event, "ns/event"),
        Figure::SimulatedPerCpuSecond => (simulated_s / cpu_s, "simulated s/CPU s"),
        Figure::MillisPerRun => (measured.cost() * 1e3, "ms/run"),
        Figure::TraceOverheadPercent => ((measured.cost() - 1.0) * 100.0, "% more CPU time"),
        Figure::WallSeconds => (measured.wall.as_secs_f64(), "s passed"),
    };
    let meets = |bar: f64| if case.figure.is_better_when_large() { bar <= figure } else { figure <= bar };
    Row {
        scenario: case.name,
        simulated_s,
        cpu_s,
        events: measured.events,
        ns_per_event,
        runs: measured.runs,
        figure,
        figure_unit,
        bar: case.bar,
        goal: case.goal,
        met: case.bar.map(meets),
    }
}

impl Figure {
    fn is_better_when_large(self) -> bool {
        matches!(self, Figure::SimulatedPerCpuSecond)
    }
}

fn text(rows: &[Row]) -> String {
    let heading = [
        "scenario",
        "runs",
        "simulated s",
        "CPU s",
        "events",
        "ns/event",
        "figure",
        "bar",
        "goal",
        "unit",
        "bar",
    ];
    let mut table = Table::new(1, heading);
    for row in rows {
        let or_none = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| number(value, 1));
        let verdict = match row.met {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "-",
        };
        table.row([
            row.scenario.to_owned(),
            row.runs.to_string(),
            number(row.simulated_s, 1),
            number(row.cpu_s, 3),
            row.events.to_string(),
            number(row.ns_per_event, 0),
            number(row.figure, 2),
            or_none(row.bar),
            or_none(row.goal),
            row.figure_unit.to_owned(),
            verdict.to_owned(),
        ]);
    }
    let source = CpuClock::source();
    format!(
        "CPU s is the {source}, of the fastest repetition; for the pairs the sum of the times of their runs.\n\
         What concerns the page (wasm, charts, timeline) is measured by the browser tests.\n\n{table}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_its_preset_and_a_name_of_its_own() {
        let mut names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        assert!(CASES.iter().all(|case| Scenario::from_preset(case.preset).is_some()));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CASES.len());
    }

    #[test]
    fn figures_are_computed_from_what_was_measured() {
        let measured = Measured {
            runs: 2,
            simulated: Duration::from_secs(120),
            cpu: Duration::from_millis(60),
            wall: Duration::from_millis(90),
            events: 300_000,
            cpu_untraced: Some(Duration::from_millis(50)),
        };
        let figure = |figure| {
            let case =
                Case { name: "x", preset: "x", measure: one_column, figure, bar: Some(100.0), goal: None };
            let row = row(&case, &measured);
            (row.figure.round(), row.met)
        };
        assert_eq!(figure(Figure::NanosPerEvent), (200.0, Some(false)));
        assert_eq!(figure(Figure::SimulatedPerCpuSecond), (2_000.0, Some(true)));
        assert_eq!(figure(Figure::TraceOverheadPercent), (20.0, Some(true)));
        let untraced = Measured { cpu_untraced: None, ..measured };
        assert!((untraced.cost() - 0.030).abs() < 1e-9, "60 ms for two runs");
    }
}
