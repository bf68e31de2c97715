use serde::{Deserialize, Serialize};

use crate::column::bulk;
use crate::{RunKey, WorkConservation};

/// Everything that the page shows of one run but its timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// The key under which the worker keeps the run.
    pub run: RunKey,
    /// The position of the column in the scenario.
    pub column: u32,
    /// The name of the column.
    pub column_name: String,
    /// The seed.
    pub seed: u64,
    /// The version of the engine; with scenario and seed it names the run.
    pub engine_version: String,
    /// The hash of everything that happened, 16 hexadecimal digits; equal natively and in every browser.
    pub trace_hash: String,
    /// How many events the engine processed.
    pub events: u64,
    /// How much time was simulated.
    pub simulated_ns: u64,
    /// How long the run took on this machine; only for show.
    pub wall_ms: f64,
    /// Whether the event budget ended the run early, so that the figures are those of a part.
    pub out_of_budget: bool,
    /// What is kept of its events, from which lanes, facts and tables are made.
    pub trace: TraceKept,
    /// The figures, in the order in which the page shows them.
    pub metrics: Vec<Metric>,
    /// The latency percentiles in ascending order; empty where the workload records no latencies.
    pub percentiles: Vec<Percentile>,
    /// Every recorded latency.
    pub samples: Samples,
    /// The recorded latencies in the buckets of the benchmark.
    pub histogram: Histogram,
    /// The places that patches edit, where they were counted.
    pub hunks: Vec<HunkView>,
    /// What was counted.
    pub counters: Vec<Counter>,
    /// How long tasks waited, why, and whether a CPU idled meanwhile, over the whole run; empty without the trace.
    pub work: WorkConservation,
    /// What the program printed, byte for byte; empty where it prints nothing.
    pub text: String,
    /// Every thread, by its id.
    pub tasks: Vec<TaskView>,
    /// The CPUs, one a lane, in the order in which lanes are shown: by package, last-level cache, core and number.
    pub cpus: Vec<CpuView>,
    /// The levels of the machine over the lanes, from the outermost to the innermost; levels that divide nothing are
    /// left out.
    pub domains: Vec<DomainSpan>,
    /// By number of CPU the names of its idle states from the shallowest; empty where no CPU has more than one, or no
    /// event was kept that tells which one is entered.
    pub idle_states: Vec<Vec<String>>,
}

/// What is kept of the events of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TraceKept {
    /// Nothing, because nobody asked for it.
    #[default]
    Nothing,
    /// Every event.
    Events,
    /// There were too many events to keep: only who ran and waited when, without the arrows of wake-ups.
    Intervals,
    /// There was too much even for that: the same, but views end at this moment.
    Part {
        /// The moment.
        until_ns: u64,
    },
}

/// One figure of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// What it is.
    pub info: MetricInfo,
    /// Its value in its unit.
    pub value: f64,
}

/// What a figure is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricInfo {
    /// Its name in the output of the command line: `p99_us`.
    pub key: String,
    /// Its name on the page: `99th percentile`.
    pub label: String,
    /// Its unit; empty for a count.
    pub unit: String,
    /// How many decimals are worth showing.
    pub decimals: u8,
}

/// A latency percentile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Percentile {
    /// The key of the metric that holds it: `p995_us`.
    pub key: String,
    /// Its rank as the benchmark prints it: `99.5`.
    pub label: String,
    /// Its value in microseconds.
    pub value_us: f64,
}

/// Recorded latencies in the order of time; all columns are equally long.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// Column: the latency in microseconds.
    #[serde(skip)]
    pub latency_us: Vec<f32>,
    /// Column: when it was recorded, in milliseconds from the start of the run.
    #[serde(skip)]
    pub at_ms: Vec<f32>,
    /// Column: the task.
    #[serde(skip)]
    pub task: Vec<u32>,
    /// Column: 1 if it comes from a wake-up, 0 if from the shutdown of the benchmark.
    #[serde(skip)]
    pub from_wakeup: Vec<u8>,
}

/// Counts of latencies: the occupied buckets in ascending order; all columns are equally long.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Column: the smallest latency of the bucket in microseconds.
    #[serde(skip)]
    pub from_us: Vec<u32>,
    /// Column: the largest latency of the bucket in microseconds.
    #[serde(skip)]
    pub to_us: Vec<u32>,
    /// Column: how many latencies are in the bucket.
    #[serde(skip)]
    pub count: Vec<u32>,
}

/// A place in the kernel source that a patch edits, and what happened there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HunkView {
    /// The name of the patch: `llc-spread`.
    pub patch: String,
    /// Its position in the patch, from 0.
    pub index: u8,
    /// The kernel's file.
    pub file: String,
    /// The kernel's function.
    pub function: String,
    /// The form that was in force, or `off`.
    pub active: String,
    /// How often it was reached.
    pub asked: u64,
    /// For each form of the patch, how often it answers otherwise than the kernel without the patch.
    pub would_change: Vec<FormChange>,
}

/// How often a form of a patch would answer otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormChange {
    /// The name of the form.
    pub form: String,
    /// How often.
    pub count: u64,
}

/// Something that was counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counter {
    /// Its name: `newidle_pulls`; a time ends in `_ns`.
    pub key: String,
    /// Its name on the page.
    pub label: String,
    /// How much.
    pub value: u64,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskView {
    /// Its id.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Which threads belong together, for colours.
    pub group: u16,
    /// Its nice level, -20 to 19.
    pub nice: i8,
}

/// A CPU.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuView {
    /// Its number.
    pub cpu: u16,
    /// Its core, numbered over the whole machine.
    pub core: u16,
    /// Its last-level cache, numbered over the whole machine.
    pub llc: u16,
    /// Its package, numbered over the whole machine.
    pub package: u16,
    /// Its capacity, 1 to 1024.
    pub capacity: u32,
}

/// Lanes side by side that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainSpan {
    /// How deep the level is, 0 the outermost that is shown.
    pub depth: u8,
    /// What it is: `package`, `llc` or `core`.
    pub level: String,
    /// Its number over the whole machine.
    pub index: u16,
    /// The first lane.
    pub first_lane: u32,
    /// How many lanes.
    pub lanes: u32,
}

bulk!(RunSummary {
    "latency_us" => samples.latency_us,
    "at_ms" => samples.at_ms,
    "sample_task" => samples.task,
    "from_wakeup" => samples.from_wakeup,
    "bucket_from_us" => histogram.from_us,
    "bucket_to_us" => histogram.to_us,
    "bucket_count" => histogram.count,
    "task_ran_ns" => work.tasks.ran_ns,
    "task_run_delay_ns" => work.tasks.run_delay_ns,
    "task_preemption_ns" => work.tasks.preemption_ns,
    "task_while_idle_ns" => work.tasks.while_idle_ns,
    "task_waits" => work.tasks.waits,
    "task_longest_ns" => work.tasks.longest_ns,
    "task_longest_from_ns" => work.tasks.longest_from_ns,
    "runnable" => work.over_time.runnable,
    "longest_queue" => work.over_time.longest_queue,
    "idle_elsewhere" => work.over_time.idle_elsewhere,
    "refused" => work.over_time.refused,
    "stacked" => work.over_time.stacked,
    "other" => work.over_time.other,
});

impl RunSummary {
    /// The value of a figure by its key.
    pub fn metric(&self, key: &str) -> Option<f64> {
        self.metrics.iter().find(|metric| metric.info.key == key).map(|metric| metric.value)
    }
}
