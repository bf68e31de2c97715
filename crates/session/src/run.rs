use engine::{Engine, Options, RunState};
use protocol::{MetricInfo, PlannedColumn, Progress, RunOptions, RunSummary, SeedRow, TraceKept};
use scenario::{Scenario, Setup};
use sim::Nanos;
use trace::Timeline;
use workload::WorkloadSpec;

use crate::recording::{Limits, Recording};
use crate::snapshots::{Nearby, Snapshot, Snapshots};
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
    /// What is remembered of the events, where they are wanted.
    recording: Option<Recording>,
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
        RunJob::limited(planned, options, Limits::default())
    }

    pub(crate) fn limited(planned: PlannedColumn, options: RunOptions, limits: Limits) -> RunJob {
        let engine = Engine::new(&planned.setup, watch(options));
        let recording = || Recording::new(&planned.setup.topology, &engine.task_weights(), limits);
        RunJob {
            recording: options.keep_trace.then(recording),
            engine,
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
            self.record_events();
            if let Some(snapshots) = &mut self.snapshots
                && snapshots.due_in(self.events) == 0
            {
                snapshots.keep(self.now, self.events, &mut self.engine);
            }
        }
        self.is_over()
    }

    fn record_events(&mut self) {
        if let Some(recording) = &mut self.recording {
            recording.follow(self.engine.trace().events());
            if recording.is_too_much(self.engine.trace().events()) {
                recording.thin(&self.engine.take_events(), self.now);
            }
        }
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

    /// What is kept of its events.
    pub(crate) fn trace_kept(&self) -> TraceKept {
        self.recording.as_ref().map_or(TraceKept::Nothing, Recording::kept)
    }

    /// The sums over the events, where they are wanted.
    pub(crate) fn work(&self) -> Option<metrics::WorkConservation> {
        Some(self.recording.as_ref()?.work(self.engine.trace().events(), self.now))
    }

    /// The views over time, where all the events were kept.
    pub(crate) fn timeline(&self) -> Option<Timeline> {
        Some(self.recording.as_ref()?.timeline(self.engine.trace().events(), self.now))
    }

    /// The views over time, where there were too many events to keep.
    pub(crate) fn take_timeline(&mut self) -> Option<Timeline> {
        let now = self.now;
        self.recording.as_mut()?.take_timeline(self.engine.trace().events(), now)
    }

    /// How much memory its events and views take, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.recording.as_ref().map_or(0, |recording| recording.weight(self.engine.trace().events()))
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
        let mut job = self.resumed(self.snapshots.as_ref()?.before(at));
        job.run_until(at);
        Some(job)
    }

    /// The run just before an instant: all that was before it has happened, and nothing of the instant itself. Copies
    /// along the way are kept in `nearby`, so that the next question about the neighbourhood is answered sooner.
    /// `None` without snapshots.
    pub(crate) fn just_before(&self, at: Nanos, nearby: &mut Nearby) -> Option<RunJob> {
        let snapshots = self.snapshots.as_ref()?;
        let spacing = snapshots.spacing_nearby();
        let mut job = self.resumed(nearby.closest(snapshots.before(at), at));
        // At the start even the events of the first instant are still to come.
        let Some(until) = at.0.checked_sub(1).map(Nanos) else { return Some(job) };
        loop {
            let before = job.events;
            job.run(until, spacing);
            if job.events < before + spacing {
                return Some(job);
            }
            nearby.keep(job.now, job.events, &mut job.engine);
        }
    }

    /// A copy of the run that goes on from a snapshot, or from the start. It keeps the events from there on, where the
    /// run keeps any, and no snapshots.
    fn resumed(&self, snapshot: Option<&Snapshot>) -> RunJob {
        let (engine, events, now) = match snapshot {
            Some(snapshot) => (snapshot.engine.copy(), snapshot.events, snapshot.now),
            None => (Engine::new(self.setup(), watch(self.options)), 0, Nanos::ZERO),
        };
        RunJob {
            planned: self.planned.clone(),
            options: self.options,
            engine,
            state: RunState::Running,
            events,
            now,
            snapshots: None,
            recording: None,
        }
    }

    pub(crate) fn snapshots(&self) -> Option<&Snapshots> {
        self.snapshots.as_ref()
    }
}

/// How the engine is watched.
fn watch(options: RunOptions) -> Options {
    Options { keep_events: options.keep_trace, audit_hunks: options.audit_hunks, ..Options::default() }
}

/// When the run will end, as far as its setup tells; only for progress.
pub(crate) fn expected_end(setup: &Setup) -> Nanos {
    match &setup.workload {
        WorkloadSpec::Schbench(spec) => {
            let last_spin = Nanos::from_micros(u64::from(spec.think_us));
            setup.until.min(Nanos::from_secs(u64::from(spec.runtime_s)) + last_spin)
        }
        // All CPUs at work, without wake-ups and switches: it takes somewhat longer.
        WorkloadSpec::Hackbench(spec) => {
            setup.until.min(Nanos(spec.mean_cpu_time().0 / setup.topology.len() as u64))
        }
        // The longest launch takes about so long.
        WorkloadSpec::Launch(_) => setup.until.min(Nanos::from_millis(1_800)),
        _ => setup.until,
    }
}

#[cfg(test)]
mod tests {
    use protocol::Lanes;

    use super::*;
    use crate::store::StoredRun;

    fn recorded(limits: Limits) -> (TraceKept, Lanes, u64) {
        let mut scenario = Scenario::from_preset("hikey-schbench").unwrap();
        for (key, value) in [("workload.runtime_s", "1"), ("workload.think_us", "5000")] {
            scenario.set(key, value).unwrap();
        }
        let options = RunOptions { keep_trace: true, audit_hunks: false };
        let mut job = RunJob::limited(PlannedColumn::new(&scenario, 0), options, limits);
        while !job.step(100) {}
        let (kept, end) = (job.trace_kept(), job.now().0);
        let rows = protocol::LaneRows::Cpus { folded: Vec::new() };
        let lanes = StoredRun::new(job).lanes(0, end, 2_000, &rows).unwrap();
        (kept, lanes, end)
    }

    #[test]
    fn too_many_events_become_intervals_that_look_the_same() {
        let (kept, whole, _) = recorded(Limits::default());
        assert_eq!(kept, TraceKept::Events);
        let (kept, mut thinned, _) = recorded(Limits { events: 500, ..Limits::default() });
        assert_eq!(kept, TraceKept::Intervals);
        thinned.arrows = whole.arrows.clone();
        assert_eq!(thinned, whole);
    }

    #[test]
    fn too_many_intervals_end_the_views_early() {
        let (kept, lanes, end) = recorded(Limits { events: 500, pieces: 2_000 });
        let TraceKept::Part { until_ns } = kept else { panic!("{kept:?}") };
        assert!(0 < until_ns && until_ns < end);
        let right = lanes.x1.iter().copied().fold(0.0, f32::max);
        let expected = 2_000.0 * until_ns as f32 / end as f32;
        assert!((right - expected).abs() < 0.1, "{right} and {expected}");
    }
}
