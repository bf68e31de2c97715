use engine::{Engine, Options, RunState};
use kernel::Era;
use protocol::{ExportFormat, PlannedColumn};
use scenario::Scenario;
use sim::{Nanos, TaskId};
use trace::export::{Ftrace, Names, Perfetto, TaskName, Writer};
use workload::WorkloadSpec;

/// Exports one column of a valid scenario in one go.
pub fn export_column(scenario: &Scenario, column: usize, seed: u64, format: ExportFormat) -> Vec<u8> {
    let mut job = ExportJob::new(scenario, column, seed, format);
    while !job.step(u64::MAX) {}
    job.take_bytes()
}

/// An export that is worked on in steps: the run is made anew, and its events are written as they come, so that a long
/// one takes no more memory than a short one. How it is stepped changes no byte.
#[derive(Debug)]
pub struct ExportJob {
    engine: Engine,
    writer: Box<dyn Writer>,
    state: RunState,
    bytes: Vec<u8>,
}

/// The most events between two looks at what the engine has logged.
const EVENTS_A_STEP: u64 = 1 << 16;

impl ExportJob {
    /// An export of one column of a valid scenario before the first event of its run.
    pub fn new(scenario: &Scenario, column: usize, seed: u64, format: ExportFormat) -> ExportJob {
        let mut planned = PlannedColumn::new(scenario, column);
        planned.setup.seed = seed;
        ExportJob::planned(&planned, format)
    }

    /// An export before the first event of the run.
    pub fn planned(planned: &PlannedColumn, format: ExportFormat) -> ExportJob {
        let engine = Engine::new(&planned.setup, Options { keep_events: true, ..Options::default() });
        let names = names(planned, &engine);
        let writer: Box<dyn Writer> = match format {
            ExportFormat::Perfetto => Box::new(Perfetto::new(names)),
            ExportFormat::Ftrace => Box::new(Ftrace::new(names)),
        };
        ExportJob { engine, writer, state: RunState::Running, bytes: Vec::new() }
    }

    /// Processes at most so many events; whether the export is complete.
    pub fn step(&mut self, max_events: u64) -> bool {
        let mut left = max_events;
        while self.state == RunState::Running && 0 < left {
            let share = left.min(EVENTS_A_STEP);
            let progress = self.engine.run(Nanos::NEVER, share);
            left -= share;
            self.state = progress.state;
            self.writer.follow(&self.engine.take_events(), &mut self.bytes);
            if self.state != RunState::Running {
                self.writer.finish(progress.now, &mut self.bytes);
            }
        }
        self.state != RunState::Running
    }

    /// What was written since this was last asked. All of it together is the file.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Whether the event budget ended the run, so that the file tells only a part of it.
    pub fn is_part(&self) -> bool {
        self.state == RunState::OutOfBudget
    }
}

fn names(planned: &PlannedColumn, engine: &Engine) -> Names {
    let setup = &planned.setup;
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

/// The program of which all tasks are threads; nothing where each is a process of its own.
fn program(workload: &WorkloadSpec) -> Option<&'static str> {
    match workload {
        WorkloadSpec::Schbench(_) => Some("schbench"),
        WorkloadSpec::Hogs(_)
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
