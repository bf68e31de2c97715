use sim::{CpuId, Nanos, TaskId};

use super::text::put;
use super::tracepoints::{SwitchState, Tracepoint, Tracepoints, What};
use super::{CLOCK_START, Names, Writer};
use crate::Event;

/// Writes what `perf sched timehist` prints: a line whenever a task leaves a CPU, with how long it had been away, for
/// how long of that it could have run, and how long it ran. What began before the trace counts as zero.
#[derive(Debug)]
pub struct Timehist {
    names: Names,
    tracepoints: Tracepoints,
    times: Times,
    started: bool,
}

/// The moments from which spans are measured.
#[derive(Debug)]
struct Times {
    /// What runs on each CPU.
    cpus: Vec<Option<Began>>,
    tasks: Vec<Task>,
}

#[derive(Clone, Copy, Debug)]
struct Began {
    at: Nanos,
    /// How long the task had been away, and for how long of that it could have run.
    wait: Nanos,
    delay: Nanos,
}

/// Of a task; nothing while it is unknown.
#[derive(Clone, Copy, Debug, Default)]
struct Task {
    /// When it last left a CPU.
    left: Option<Nanos>,
    /// Since when it could run.
    ready: Option<Nanos>,
    /// Where it runs.
    runs_on: Option<CpuId>,
}

const HEADER: &str = "           time    cpu  task name                       wait time  sch delay   run time
                        [tid/pid]                          (msec)     (msec)     (msec)
--------------- ------  ------------------------------  ---------  ---------  ---------
";

impl Timehist {
    /// A writer before the first event.
    pub fn new(names: Names) -> Timehist {
        let times = Times {
            cpus: vec![None; usize::from(names.cpus)],
            tasks: vec![Task::default(); names.tasks.len()],
        };
        Timehist { tracepoints: Tracepoints::new(&names), names, times, started: false }
    }

    fn start(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.started, true) {
            out.extend_from_slice(HEADER.as_bytes());
        }
    }
}

impl Writer for Timehist {
    fn follow(&mut self, events: &[Event], out: &mut Vec<u8>) {
        self.start(out);
        let (names, times) = (&self.names, &mut self.times);
        self.tracepoints.follow(events, &mut |point| times.follow(names, &point, out));
    }

    fn finish(&mut self, _end: Nanos, out: &mut Vec<u8>) {
        self.start(out);
        let (names, times) = (&self.names, &mut self.times);
        self.tracepoints.finish(&mut |point| times.follow(names, &point, out));
    }
}

impl Times {
    fn follow(&mut self, names: &Names, point: &Tracepoint, out: &mut Vec<u8>) {
        let Tracepoint { at, cpu, .. } = *point;
        match point.what {
            What::Waking { task, .. } | What::WakeupNew { task, .. } | What::Wakeup { task, .. } => {
                let task = &mut self.tasks[task.index()];
                // The first step of a wake-up makes it ready, unless it has not even left its CPU.
                if task.runs_on.is_none() {
                    task.ready = task.ready.or(Some(at));
                }
            }
            What::Switch { prev, state, next } => {
                if let Some(began) = self.cpus[cpu.index()].take() {
                    put_line(out, names, prev, Row { at, cpu, began });
                    self.leaves(prev, at, cpu, state);
                }
                if next != Event::NO_TASK {
                    self.begins(next, at, cpu);
                }
            }
            What::Fork { .. }
            | What::Exit { .. }
            | What::Migrate { .. }
            | What::Frequency { .. }
            | What::Idle { .. } => {}
        }
    }

    fn begins(&mut self, task: TaskId, at: Nanos, cpu: CpuId) {
        let task = &mut self.tasks[task.index()];
        let since = |moment: Option<Nanos>| moment.map_or(Nanos::ZERO, |moment| at.saturating_sub(moment));
        let (wait, delay) = (since(task.left), since(task.ready.take()));
        task.runs_on = Some(cpu);
        self.cpus[cpu.index()] = Some(Began { at, wait, delay });
    }

    fn leaves(&mut self, task: TaskId, at: Nanos, cpu: CpuId, state: SwitchState) {
        let task = &mut self.tasks[task.index()];
        // One that was woken early may have begun elsewhere before it has left here.
        if task.runs_on == Some(cpu) {
            let is_runnable = state == SwitchState::Preempted || state == SwitchState::Runnable;
            *task = Task { left: Some(at), ready: is_runnable.then_some(at), runs_on: None };
        }
    }
}

/// What a line tells.
#[derive(Clone, Copy, Debug)]
struct Row {
    at: Nanos,
    cpu: CpuId,
    began: Began,
}

fn put_line(out: &mut Vec<u8>, names: &Names, task: TaskId, row: Row) {
    let Row { at, cpu, began } = row;
    let time = (CLOCK_START + at).as_micros();
    let time = format!("{}.{:06}", time / 1_000_000, time % 1_000_000);
    let (name, leader) = (names.of(task, cpu), names.of(names.tasks[task.index()].leader, cpu));
    let ids =
        if leader.pid == name.pid { name.pid.to_string() } else { format!("{}/{}", name.pid, leader.pid) };
    let task = format!("{}[{ids}]", name.comm);
    put(out, format_args!("{time:>15} [{:04}]  {task:<30} ", cpu.0));
    for span in [began.wait, began.delay, at - began.at] {
        let micros = span.as_micros();
        put(out, format_args!("{:>6}.{:03} ", micros / 1_000, micros % 1_000));
    }
    out.push(b'\n');
}
