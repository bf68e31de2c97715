mod report;
mod tables;

use std::collections::VecDeque;

use engine::{Engine, Options, RunState};
use kernel::Era;
use protocol::{ExportFormat, ExportOrder, PlannedColumn, RunOptions, RunSummary};
use scenario::Setup;
use sim::{Nanos, TaskId};
use topology::Domain;
use trace::export::{
    Chrome, CompactCsv, DomainName, Ftrace, Names, Perfetto, Schedstat, TaskName, Timehist, Writer,
};
use workload::WorkloadSpec;

use crate::RunJob;

/// Exports in one go.
pub fn export(order: ExportOrder) -> Vec<u8> {
    let mut job = ExportJob::new(order);
    while !job.step(u64::MAX) {}
    job.take_bytes()
}

/// An export that is worked on in steps. How it is stepped changes no byte, and neither does the machine that it is made
/// on.
///
/// The runs are made anew, since an order names them completely; the events of a trace are written as they come, so that
/// a long run takes no more memory than a short one.
#[derive(Debug)]
pub struct ExportJob {
    work: Work,
    bytes: Vec<u8>,
    /// The columns whose runs the event budget has ended.
    cut: Vec<String>,
}

#[derive(Debug)]
enum Work {
    Trace(Box<TraceWork>),
    Results(Box<ResultsWork>),
    Done,
}

/// A run whose events are written as they come.
#[derive(Debug)]
struct TraceWork {
    column: String,
    engine: Engine,
    writer: Box<dyn Writer>,
}

/// Runs whose results are written when all are over.
#[derive(Debug)]
struct ResultsWork {
    order: ExportOrder,
    /// Those not yet begun.
    left: VecDeque<PlannedColumn>,
    current: Option<RunJob>,
    done: Vec<RunSummary>,
}

/// Makes the writer of a format.
type MakeWriter = fn(&Setup, Names) -> Box<dyn Writer>;

/// How traces of a format are written; nothing for what is no trace.
fn writer_of(format: ExportFormat) -> Option<MakeWriter> {
    let writer: MakeWriter = match format {
        ExportFormat::Perfetto => |_, names| Box::new(Perfetto::new(names)),
        ExportFormat::Ftrace => |_, names| Box::new(Ftrace::new(names)),
        ExportFormat::Csv => |_, names| Box::new(CompactCsv::new(&names)),
        ExportFormat::Chrome => |_, names| Box::new(Chrome::new(names)),
        ExportFormat::Timehist => |_, names| Box::new(Timehist::new(names)),
        ExportFormat::Schedstat => {
            |setup, names| Box::new(Schedstat::new(&names, domains(setup), setup.kernel.tunables.hz))
        }
        ExportFormat::Metrics | ExportFormat::Report => return None,
    };
    Some(writer)
}

/// The most events between two looks at what the engine has logged.
const EVENTS_A_STEP: u64 = 1 << 16;

/// What results are made of: figures, and what patches would have changed.
const RESULTS: RunOptions = RunOptions { keep_trace: false, audit_hunks: true };

impl ExportJob {
    /// An export before the first event of its runs. Of a trace's columns the first is taken.
    pub fn new(order: ExportOrder) -> ExportJob {
        let mut columns: VecDeque<PlannedColumn> = order.columns.iter().cloned().collect();
        let work = match (columns.pop_front(), writer_of(order.format)) {
            (Some(first), Some(writer)) => Work::Trace(Box::new(TraceWork::new(first, writer))),
            (Some(first), None) => {
                let current = Some(RunJob::planned(first, RESULTS));
                Work::Results(Box::new(ResultsWork { order, left: columns, current, done: Vec::new() }))
            }
            (None, _) => Work::Done,
        };
        ExportJob { work, bytes: Vec::new(), cut: Vec::new() }
    }

    /// Processes at most so many events; whether the export is complete.
    pub fn step(&mut self, max_events: u64) -> bool {
        let mut left = max_events;
        while 0 < left {
            let share = left.min(EVENTS_A_STEP);
            left -= share;
            let is_over = match &mut self.work {
                Work::Trace(work) => work.step(share, &mut self.bytes, &mut self.cut),
                Work::Results(work) => work.step(share, &mut self.bytes, &mut self.cut),
                Work::Done => return true,
            };
            if is_over {
                self.work = Work::Done;
            }
        }
        matches!(self.work, Work::Done)
    }

    /// What was written since this was last asked. All of it together is the file.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// The columns whose runs the event budget has ended, so that the file tells only a part of them.
    pub fn cut_columns(&self) -> &[String] {
        &self.cut
    }
}

impl TraceWork {
    fn new(planned: PlannedColumn, writer: MakeWriter) -> TraceWork {
        let engine = Engine::new(&planned.setup, Options { keep_events: true, ..Options::default() });
        let writer = writer(&planned.setup, names(&planned.setup, &engine));
        TraceWork { column: planned.name, engine, writer }
    }

    fn step(&mut self, max_events: u64, out: &mut Vec<u8>, cut: &mut Vec<String>) -> bool {
        let progress = self.engine.run(Nanos::NEVER, max_events);
        self.writer.follow(&self.engine.take_events(), out);
        if progress.state == RunState::Running {
            return false;
        }
        self.writer.finish(progress.now, out);
        if progress.state == RunState::OutOfBudget {
            cut.push(self.column.clone());
        }
        true
    }
}

impl ResultsWork {
    fn step(&mut self, max_events: u64, out: &mut Vec<u8>, cut: &mut Vec<String>) -> bool {
        if let Some(job) = &mut self.current
            && !job.step(max_events)
        {
            return false;
        }
        if let Some(job) = self.current.take() {
            let summary = job.summary();
            if summary.out_of_budget {
                cut.push(summary.column_name.clone());
            }
            self.done.push(summary);
        }
        self.current = self.left.pop_front().map(|planned| RunJob::planned(planned, RESULTS));
        if self.current.is_some() {
            return false;
        }
        let text = if self.order.format == ExportFormat::Report {
            report::report(&self.order.origin, &self.done)
        } else {
            tables::metrics_csv(&self.done)
        };
        out.extend_from_slice(text.as_bytes());
        true
    }
}

fn names(setup: &Setup, engine: &Engine) -> Names {
    let program = program(&setup.workload);
    let threads = engine.workload().threads().iter().zip(0..);
    let tasks = threads.map(|(thread, id)| TaskName {
        comm: thread.name.clone(),
        prio: (120 + i16::from(thread.nice)) as u8,
        leader: TaskId(if program.is_some() { 0 } else { id }),
        command: program.map_or_else(|| thread.name.clone(), str::to_owned),
    });
    Names {
        kernel_release: kernel_release(setup.kernel.era),
        cpus: setup.topology.len() as u16,
        tasks: tasks.collect(),
    }
}

fn domains(setup: &Setup) -> Vec<Vec<DomainName>> {
    let named = |domain: &Domain| DomainName {
        name: domain.level.name().to_owned(),
        cpus: domain.span.iter().collect(),
    };
    let by_cpu = topology::build_domains(&setup.topology).by_cpu;
    by_cpu.iter().map(|of_cpu| of_cpu.iter().map(named).collect()).collect()
}

/// The program of which all tasks are threads; nothing where each is a process of its own.
fn program(workload: &WorkloadSpec) -> Option<&'static str> {
    match workload {
        WorkloadSpec::Schbench(_) => Some("schbench"),
        // Those of the application are, but not those of the system.
        WorkloadSpec::Launch(_)
        | WorkloadSpec::Hogs(_)
        | WorkloadSpec::Mix(_)
        | WorkloadSpec::Periodic(_)
        | WorkloadSpec::Hackbench(_)
        | WorkloadSpec::PipeSwitch(_)
        | WorkloadSpec::Spawn(_)
        | WorkloadSpec::Execl(_) => None,
    }
}

/// The release by which readers know how task states are numbered. Traces are written in the numbers that hold since
/// v4.14, so an older kernel is named as that one.
fn kernel_release(era: Era) -> String {
    let release = match era {
        Era::V3_3 => "4.14",
        Era::V5_4 | Era::V5_4Rework => "5.4",
        Era::V5_10 => "5.10",
        Era::V6_1 => "6.1",
        Era::V6_6 => "6.6",
        Era::V6_12 => "6.12",
        Era::V6_18 => "6.18",
    };
    format!("{release}.0-runqueue")
}
