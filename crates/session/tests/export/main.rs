//! Exports of real runs, read back and held against what the engine logged.

mod decode;
mod perfetto;
mod spans;
mod texts;

use protocol::{ExportFormat, ExportOrder};
use scenario::Scenario;
use session::{ExportJob, export};
use trace::{Event, Timeline};

/// A run with its events, for exports to be compared with.
struct Run {
    scenario: Scenario,
    events: Vec<Event>,
    /// The names of its tasks.
    names: Vec<String>,
    /// What the engine itself counted.
    counters: engine::Counters,
    timeline: Timeline,
}

impl Run {
    fn new(preset: &str, settings: &[(&str, &str)]) -> Run {
        let mut scenario = Scenario::from_preset(preset).unwrap();
        for (key, value) in settings {
            scenario.set(key, value).unwrap();
        }
        let setup = scenario.setup(0);
        let options = engine::Options { keep_events: true, ..engine::Options::default() };
        let mut engine = engine::Engine::new(&setup, options);
        let end = engine.run_to_end().now;
        let names: Vec<String> =
            engine.workload().threads().iter().map(|thread| thread.name.clone()).collect();
        let llcs: Vec<u16> = setup.topology.cpus.iter().map(|cpu| cpu.llc).collect();
        let events = engine.take_events();
        let timeline = Timeline::new(&events, end, &llcs, names.len());
        Run { events, names, counters: engine.counters().clone(), timeline, scenario }
    }

    fn order(&self, format: ExportFormat) -> ExportOrder {
        ExportOrder::new(&self.scenario, None, self.scenario.seed, format)
    }

    fn export(&self, format: ExportFormat) -> Vec<u8> {
        export(self.order(format))
    }

    fn text(&self, format: ExportFormat) -> String {
        String::from_utf8(self.export(format)).unwrap()
    }

    /// How a task is called in traces, 0 for none.
    fn pid(task: u32) -> u64 {
        if task == Event::NO_TASK.0 { 0 } else { 1000 + u64::from(task) }
    }
}

/// Runs that between them have every kind of event: wake-ups over wake lists and without them, threads that come and go
/// again under their old ids, wake-ups of tasks that have not left their CPU yet, moves at an exec.
fn runs() -> Vec<Run> {
    vec![
        Run::new("hikey-schbench", &[("workload.runtime_s", "2")]),
        Run::new("vm32-hackbench", &[("workload.groups", "2"), ("workload.loops", "20")]),
        Run::new("vm32-spawn", &[("run.max_events", "20000")]),
        Run::new("vm32-execl", &[("workload.copies", "40"), ("run.max_events", "20000")]),
    ]
}

#[test]
fn how_an_export_is_stepped_changes_no_byte() {
    let run = &runs()[0];
    for format in ExportFormat::ALL {
        let mut job = ExportJob::new(run.order(format));
        let mut bytes = Vec::new();
        while !job.step(37) {
            bytes.extend(job.take_bytes());
        }
        bytes.extend(job.take_bytes());
        assert_eq!(job.cut_columns(), [] as [String; 0]);
        assert!(bytes == run.export(format), "{}", format.name());
    }
}

#[test]
fn a_run_that_its_budget_ends_says_so() {
    let run = Run::new("hikey-schbench", &[("run.max_events", "1000")]);
    for (format, cut) in [
        (ExportFormat::Ftrace, ["base"].as_slice()),
        (ExportFormat::Metrics, &["base", "pre-rework", "patched"]),
    ] {
        let mut job = ExportJob::new(run.order(format));
        assert!(!job.step(999) && job.cut_columns().is_empty());
        while !job.step(1) {}
        assert_eq!(job.cut_columns(), cut);
    }
}
