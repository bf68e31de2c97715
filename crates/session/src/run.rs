use engine::{Engine, Options, RunState};
use protocol::{MetricInfo, PlannedColumn, Progress, RunOptions, RunSummary, SeedRow};
use scenario::{Scenario, Setup};
use sim::Nanos;
use workload::WorkloadSpec;

use crate::snapshots::Snapshots;
use crate::summary;

/// Runs one column of a valid scenario to its end.
pub fn run_column(scenario: &Scenario, column: usize, seed: u64, options: RunOptions) -> RunSummary {
    let mut job = RunJob::new(scenario, column, seed, options);
    while !job.step(u64::MAX) {}
    job.summary()
}

/// Runs one column of a valid scenario to its end for its figures only, which is quicker and takes less memory.
/// The row's values belong to the infos, in this order.
pub fn run_seed(scenario: &Scenario, column: usize, seed: u64) -> (Vec<MetricInfo>, SeedRow) {
    let mut job = RunJob::new(scenario, column, seed, RunOptions::default());
    while !job.step(u64::MAX) {}
    job.figures()
}

/// A run that is worked on in steps. How it is stepped changes nothing of what happens.
#[derive(Clone, Debug)]
pub struct RunJob {
    pub(crate) planned: PlannedColumn,
    pub(crate) options: RunOptions,
    pub(crate) engine: Engine,
    pub(crate) state: RunState,
    events: u64,
    now: Nanos,
    snapshots: Option<Snapshots>,
}

impl RunJob {
    /// A run of one column of a valid scenario before its first event.
    pub fn new(scenario: &Scenario, column: usize, seed: u64, options: RunOptions) -> RunJob {
        let mut planned = PlannedColumn::new(scenario, column);
        planned.setup.seed = seed;
        RunJob::planned(planned, options)
    }

    /// A run before its first event.
    pub fn planned(planned: PlannedColumn, options: RunOptions) -> RunJob {
        let watch = Options {
            keep_events: options.keep_trace,
            audit_hunks: options.audit_hunks,
            ..Options::default()
        };
        RunJob {
            engine: Engine::new(&planned.setup, watch),
            planned,
            options,
            state: RunState::Running,
            events: 0,
            now: Nanos::ZERO,
            snapshots: options.keep_trace.then(Snapshots::default),
        }
    }

    /// Processes at most so many events; whether the run is over.
    pub fn step(&mut self, max_events: u64) -> bool {
        let mut left = max_events;
        while self.state == RunState::Running && 0 < left {
            let until_snapshot = self.snapshots.as_ref().map_or(u64::MAX, |kept| kept.due_in(self.events));
            let before = self.events;
            self.run(Nanos::NEVER, left.min(until_snapshot));
            left -= self.events - before;
            if let Some(snapshots) = &mut self.snapshots
                && snapshots.due_in(self.events) == 0
            {
                snapshots.keep(self.now, self.events, &mut self.engine);
            }
        }
        self.is_over()
    }

    /// Works on until a moment; whether the run is over.
    pub fn run_until(&mut self, until: Nanos) -> bool {
        self.run(until, u64::MAX);
        self.is_over()
    }

    fn run(&mut self, until: Nanos, max_events: u64) {
        let progress = self.engine.run(until, max_events);
        self.events = progress.events;
        self.now = progress.now;
        self.state = progress.state;
    }

    /// Whether the run is over.
    pub fn is_over(&self) -> bool {
        self.state != RunState::Running
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        let of_time = self.now.0 as f64 / expected_end(self.setup()).0.max(1) as f64;
        let of_budget = self.events as f64 / self.setup().max_events.max(1) as f64;
        let fraction = if self.is_over() { 1.0 } else { of_time.max(of_budget).min(1.0) };
        Progress { fraction, now_ns: self.now.0, events: self.events }
    }

    /// Everything that is shown of the run so far but its timeline.
    pub fn summary(&self) -> RunSummary {
        summary::of(self)
    }

    /// The figures of the run so far.
    pub fn figures(&self) -> (Vec<MetricInfo>, SeedRow) {
        let metrics = summary::metrics(self.setup(), &self.engine, self.now);
        let values = metrics.iter().map(|metric| metric.value).collect();
        let infos = metrics.into_iter().map(|metric| metric.info).collect();
        (
            infos,
            SeedRow {
                column: self.planned.column,
                seed: self.setup().seed,
                trace_hash: self.trace_hash(),
                values,
            },
        )
    }

    /// The hash of everything that happened so far, 16 hexadecimal digits.
    pub fn trace_hash(&self) -> String {
        format!("{:016x}", self.engine.trace_hash())
    }

    /// What is run.
    pub(crate) fn setup(&self) -> &Setup {
        &self.planned.setup
    }

    /// How many events were processed so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// How far simulated time has come.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// The run as it was at a moment, ready to go on: from the last snapshot before it. `None` without snapshots.
    pub fn restored(&self, at: Nanos) -> Option<RunJob> {
        let snapshots = self.snapshots.as_ref()?;
        let options = RunOptions { keep_trace: false, ..self.options };
        let mut job = RunJob::planned(self.planned.clone(), options);
        if let Some(snapshot) = snapshots.before(at) {
            job.engine = snapshot.engine.clone();
            job.events = snapshot.events;
            job.now = snapshot.now;
        }
        job.run_until(at);
        Some(job)
    }
}

/// When the run will end, as far as its setup tells; only for progress.
fn expected_end(setup: &Setup) -> Nanos {
    match &setup.workload {
        WorkloadSpec::Schbench(spec) => {
            let last_spin = Nanos::from_micros(u64::from(spec.think_us));
            setup.until.min(Nanos::from_secs(u64::from(spec.runtime_s)) + last_spin)
        }
        WorkloadSpec::Hogs(_) | WorkloadSpec::Periodic(_) => setup.until,
    }
}
