use std::fmt;

use sim::{CpuId, Nanos, TaskId};

use super::ftrace::state_letter;
use super::names::{comm, pid};
use super::text::{micros, put};
use super::tracepoints::{SwitchState, Tracepoint, Tracepoints, What};
use super::{Names, Writer};
use crate::{Event, EventKind};

/// Writes the JSON that Chrome's trace viewer made known, which many viewers of slices read.
///
/// A row for each CPU with the tasks that it runs, a row for each task with where it runs and how long it waits, arrows
/// from wakers to those they wake, and how many tasks each CPU has. Times are microseconds from the start of the run.
#[derive(Debug)]
pub struct Chrome {
    names: Names,
    tracepoints: Tracepoints,
    rows: Rows,
    started: bool,
}

/// What is open in each row.
#[derive(Debug)]
struct Rows {
    cpus: Vec<Option<Running>>,
    tasks: Vec<TaskRow>,
    /// How many arrows there are.
    arrows: u64,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    task: TaskId,
    since: Nanos,
}

#[derive(Clone, Copy, Debug, Default)]
struct TaskRow {
    running: Option<(CpuId, Nanos)>,
    waiting_since: Option<Nanos>,
    /// The arrow that ends where the task runs next.
    arrow: Option<u64>,
}

/// The groups of rows.
const CPUS: u32 = 1;
const TASKS: u32 = 2;

impl Chrome {
    /// A writer before the first event.
    pub fn new(names: Names) -> Chrome {
        let rows = Rows {
            cpus: vec![None; usize::from(names.cpus)],
            tasks: vec![TaskRow::default(); names.tasks.len()],
            arrows: 0,
        };
        Chrome { tracepoints: Tracepoints::new(&names), names, rows, started: false }
    }

    /// The names of the rows, and their order.
    fn start(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        out.extend_from_slice(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
        put(out, format_args!("{}", name_of("process_name", CPUS, 0, "CPUs")));
        put(out, format_args!(",\n{}", name_of("process_name", TASKS, 0, "Tasks")));
        for cpu in 0..self.names.cpus {
            let name = format!("CPU {cpu}");
            put(out, format_args!(",\n{}", name_of("thread_name", CPUS, u32::from(cpu), &name)));
            put(out, format_args!(",\n{}", order_of(CPUS, u32::from(cpu))));
        }
        for (task, name) in (0..).map(TaskId).zip(&self.names.tasks) {
            put(out, format_args!(",\n{}", name_of("thread_name", TASKS, pid(task), comm(&name.comm))));
            put(out, format_args!(",\n{}", order_of(TASKS, pid(task))));
        }
    }
}

impl Writer for Chrome {
    fn follow(&mut self, events: &[Event], out: &mut Vec<u8>) {
        self.start(out);
        let (names, rows) = (&self.names, &mut self.rows);
        for event in events {
            self.tracepoints.follow(&[*event], &mut |point| rows.follow(names, &point, out));
            if event.kind == EventKind::QueueLength {
                put_length(out, event);
            }
        }
    }

    fn finish(&mut self, end: Nanos, out: &mut Vec<u8>) {
        self.start(out);
        let (names, rows) = (&self.names, &mut self.rows);
        self.tracepoints.finish(&mut |point| rows.follow(names, &point, out));
        for cpu in 0..rows.cpus.len() {
            rows.leave_cpu(names, CpuId(cpu as u16), end, "", out);
        }
        for task in (0..rows.tasks.len()).map(|task| TaskId(task as u32)) {
            rows.stops_running(task, end, out);
            rows.stops_waiting(task, end, out);
        }
        out.extend_from_slice(b"\n]}\n");
    }
}

impl Rows {
    fn follow(&mut self, names: &Names, point: &Tracepoint, out: &mut Vec<u8>) {
        let Tracepoint { at, cpu, current: waker, .. } = *point;
        match point.what {
            What::Waking { task, .. } => self.wakes(waker, task, at, out),
            What::WakeupNew { task, .. } => {
                self.wakes(waker, task, at, out);
                self.tasks[task.index()].waiting_since = Some(at);
            }
            What::Wakeup { task, .. } => {
                let row = &mut self.tasks[task.index()];
                // One that has not left its CPU waits only from then on, if at all.
                if row.running.is_none() {
                    row.waiting_since = Some(at);
                }
            }
            What::Switch { prev, state, next } => {
                if prev != Event::NO_TASK {
                    self.leave_cpu(names, cpu, at, state_letter(state), out);
                    self.left(prev, cpu, state, at, out);
                }
                if next != Event::NO_TASK {
                    self.cpus[cpu.index()] = Some(Running { task: next, since: at });
                    self.begins(next, cpu, at, out);
                }
            }
            What::Fork { .. }
            | What::Exit { .. }
            | What::Migrate { .. }
            | What::Frequency { .. }
            | What::Idle { .. } => {}
        }
    }

    /// An arrow begins in the waker's slice; an idle CPU has none.
    fn wakes(&mut self, waker: TaskId, task: TaskId, at: Nanos, out: &mut Vec<u8>) {
        if waker == Event::NO_TASK || self.tasks[task.index()].running.is_some() {
            return;
        }
        self.arrows += 1;
        self.tasks[task.index()].arrow = Some(self.arrows);
        put(out, format_args!(",\n{}", Arrow { ph: "\"s\"", id: self.arrows, task: waker, at }));
    }

    fn leave_cpu(&mut self, names: &Names, cpu: CpuId, at: Nanos, state: &str, out: &mut Vec<u8>) {
        let Some(Running { task, since }) = self.cpus[cpu.index()].take() else { return };
        let name = names.of(task, cpu);
        put(
            out,
            format_args!(
                ",\n{{\"ph\":\"X\",\"pid\":{CPUS},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":{},\"cat\":\"sched\",\"args\":{{\"pid\":{},\"prio\":{},\"end_state\":\"{state}\"}}}}",
                cpu.0,
                micros(since),
                micros(at - since),
                Quoted(&name.comm),
                name.pid,
                name.prio,
            ),
        );
    }

    fn left(&mut self, task: TaskId, cpu: CpuId, state: SwitchState, at: Nanos, out: &mut Vec<u8>) {
        // It may run elsewhere already.
        if self.tasks[task.index()].running.is_none_or(|(runs_on, _)| runs_on != cpu) {
            return;
        }
        self.stops_running(task, at, out);
        if state == SwitchState::Preempted || state == SwitchState::Runnable {
            self.tasks[task.index()].waiting_since = Some(at);
        }
    }

    fn begins(&mut self, task: TaskId, cpu: CpuId, at: Nanos, out: &mut Vec<u8>) {
        self.stops_running(task, at, out);
        self.stops_waiting(task, at, out);
        let row = &mut self.tasks[task.index()];
        row.running = Some((cpu, at));
        if let Some(id) = row.arrow.take() {
            put(out, format_args!(",\n{}", Arrow { ph: "\"f\",\"bp\":\"e\"", id, task, at }));
        }
    }

    fn stops_running(&mut self, task: TaskId, at: Nanos, out: &mut Vec<u8>) {
        if let Some((cpu, since)) = self.tasks[task.index()].running.take() {
            let name = format!("running on CPU {}", cpu.0);
            put_task_slice(out, task, since, at, &name);
        }
    }

    fn stops_waiting(&mut self, task: TaskId, at: Nanos, out: &mut Vec<u8>) {
        if let Some(since) = self.tasks[task.index()].waiting_since.take() {
            put_task_slice(out, task, since, at, "waiting");
        }
    }
}

fn put_task_slice(out: &mut Vec<u8>, task: TaskId, since: Nanos, until: Nanos, name: &str) {
    let (tid, ts, dur) = (pid(task), micros(since), micros(until - since));
    put(
        out,
        format_args!(
            ",\n{{\"ph\":\"X\",\"pid\":{TASKS},\"tid\":{tid},\"ts\":{ts},\"dur\":{dur},\"name\":\"{name}\",\"cat\":\"task\"}}"
        ),
    );
}

/// How many tasks a CPU has from now on.
fn put_length(out: &mut Vec<u8>, event: &Event) {
    let (at, cpu, tasks) = (micros(event.at), event.cpu.0, event.args[0]);
    put(
        out,
        format_args!(",\n{{\"ph\":\"C\",\"pid\":{CPUS},\"ts\":{at},\"name\":\"runnable on CPU {cpu}\","),
    );
    put(out, format_args!("\"args\":{{\"tasks\":{tasks}}}}}"));
}

/// One end of an arrow in the row of a task.
struct Arrow {
    ph: &'static str,
    id: u64,
    task: TaskId,
    at: Nanos,
}

impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ph, id, tid, ts) = (self.ph, self.id, pid(self.task), micros(self.at));
        write!(f, "{{\"ph\":{ph},\"pid\":{TASKS},\"tid\":{tid},\"ts\":{ts},\"id\":{id},")?;
        f.write_str("\"name\":\"wake-up\",\"cat\":\"wakeup\"}")
    }
}

fn name_of(what: &str, group: u32, row: u32, name: &str) -> String {
    let name = Quoted(name);
    format!("{{\"ph\":\"M\",\"pid\":{group},\"tid\":{row},\"name\":\"{what}\",\"args\":{{\"name\":{name}}}}}")
}

fn order_of(group: u32, row: u32) -> String {
    format!(
        "{{\"ph\":\"M\",\"pid\":{group},\"tid\":{row},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{row}}}}}"
    )
}

/// Text as a JSON string.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c < ' ' => write!(f, "\\u{:04x}", u32::from(c))?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_as_json_wants_it() {
        assert_eq!(Quoted("a \"b\" \\ \n é").to_string(), r#""a \"b\" \\ \u000a é""#);
    }
}
