//! The way to scenarios and runs: what the arguments name, and what a run of it gives.

use std::path::Path;
use std::time::{Duration, Instant};

use scenario::keys::Key;
use scenario::{Column, MAX_SEED, Preset, Problem, Scenario};
use session::{Metric, Refusal, RunJob, RunOptions};

use crate::args::ScenarioArgs;
use crate::failure::BadInput;

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) seed: u64,
    pub(crate) trace_hash: String,
    pub(crate) events: u64,
    pub(crate) simulated: Duration,
    pub(crate) wall: Duration,
    pub(crate) metrics: Vec<Metric>,
    /// What the program printed; empty where it prints nothing.
    pub(crate) text: String,
    /// Whether the event budget ended the run.
    pub(crate) out_of_budget: bool,
}

impl Outcome {
    /// A figure by its key.
    pub(crate) fn metric(&self, key: &str) -> Option<f64> {
        self.metrics.iter().find(|metric| metric.info.key == key).map(|metric| metric.value)
    }
}

/// Runs one column of a valid scenario. The time is that of the engine, without reading its figures.
pub(crate) fn run(scenario: &Scenario, column: usize, seed: u64, options: RunOptions) -> Outcome {
    let started = Instant::now();
    let mut job = RunJob::new(scenario, column, seed, options);
    while !job.step(u64::MAX) {}
    let wall = started.elapsed();
    let summary = job.summary();
    Outcome {
        seed: summary.seed,
        trace_hash: summary.trace_hash,
        events: summary.events,
        simulated: Duration::from_nanos(summary.simulated_ns),
        wall,
        metrics: summary.metrics,
        text: summary.text,
        out_of_budget: summary.out_of_budget,
    }
}

/// What keys of a single column start with.
const OF_COLUMN: &str = "columns.";

/// The scenario that the arguments name, with their changes, ready to run; or everything that is wrong with it.
pub(crate) fn load(args: &ScenarioArgs) -> Result<Scenario, BadInput> {
    let mut problems = Vec::new();
    let columns = read_columns(&args.column, &mut problems);
    let columns_are_known = problems.is_empty();
    let mut settings = split_settings(&args.set, &mut problems);
    let mut scenario = match read_source(&args.source) {
        Ok(scenario) => scenario,
        Err(of_source) => {
            // Which values are right depends on the scenario, but a key that does not exist is wrong in any.
            let keys = settings.iter().filter(|(key, _)| !key.starts_with(OF_COLUMN));
            let unknown = keys.filter_map(|(key, _)| Key::find(key).err()).map(|problem| problem.to_string());
            return Err(BadInput {
                problems: of_source.into_iter().chain(problems).chain(unknown).collect(),
            });
        }
    };
    if !args.column.is_empty() {
        scenario.columns = columns;
    }
    if !columns_are_known {
        // A setting of a column that could not be read would be called wrong for that alone.
        settings.retain(|(key, _)| !key.starts_with(OF_COLUMN));
    }
    problems.extend(lines(&scenario.set_all(settings)));
    if problems.is_empty() {
        problems.extend(lines(&scenario::validate(&scenario)));
    }
    if problems.is_empty() { Ok(scenario) } else { Err(BadInput { problems }) }
}

/// What people call a scenario: its preset, else its title, else what was asked for.
pub(crate) fn name_of<'a>(scenario: &'a Scenario, args: &'a ScenarioArgs) -> &'a str {
    let names = [scenario.preset.as_str(), scenario.title.as_str()];
    names.into_iter().find(|name| !name.is_empty()).unwrap_or(&args.source)
}

/// A seed that every reader of links and of JSON keeps exactly.
pub(crate) fn checked_seed(seed: u64) -> Result<u64, BadInput> {
    if seed <= MAX_SEED {
        return Ok(seed);
    }
    Err(BadInput::one(format!("seed: expected 0 to {MAX_SEED}, found {seed}; take a smaller one")))
}

fn read_source(source: &str) -> Result<Scenario, Vec<String>> {
    let path = Path::new(source);
    if Preset::find(source).is_none() && path.exists() {
        return match std::fs::read_to_string(path) {
            Ok(text) => {
                session::read_scenario(&text).map_err(|refusal| reasons(&refusal, &format!("{source}: ")))
            }
            Err(error) => Err(vec![format!("{source} cannot be read: {error}")]),
        };
    }
    let is_link = source.contains('#') || source.starts_with(|c: char| c.is_ascii_digit());
    match session::read_scenario(source) {
        Err(_) if !is_link => Err(vec![unknown_source(source)]),
        read => read.map_err(|refusal| reasons(&refusal, "")),
    }
}

fn reasons(refusal: &Refusal, start: &str) -> Vec<String> {
    if refusal.problems.is_empty() {
        return vec![format!("{start}{}", refusal.message)];
    }
    refusal.problems.iter().map(|problem| format!("{start}{problem}")).collect()
}

fn unknown_source(source: &str) -> String {
    let presets = Preset::all().iter().map(|preset| preset.name);
    let nearest = scenario::nearest(source, presets).join(", ");
    format!("{source:?} is neither a preset nor a file nor a link; the nearest presets are {nearest}")
}

fn split_settings<'a>(set: &'a [String], problems: &mut Vec<String>) -> Vec<(&'a str, &'a str)> {
    let mut settings = Vec::new();
    for text in set {
        match text.split_once('=') {
            Some((key, value)) => settings.push((key.trim(), value.trim())),
            None => problems.push(format!("--set {text}: expected KEY=VALUE, as in kernel.hz=1000")),
        }
    }
    settings
}

fn read_columns(specs: &[String], problems: &mut Vec<String>) -> Vec<Column> {
    let mut columns = Vec::new();
    for spec in specs {
        match Column::parse(spec) {
            Ok(column) => columns.push(column),
            Err(of_column) => problems.extend(lines(&of_column)),
        }
    }
    columns
}

fn lines(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(Problem::to_string).collect()
}
