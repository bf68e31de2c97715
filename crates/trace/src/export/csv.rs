use std::collections::BTreeMap;

use sim::{Nanos, TaskId};

use super::ftrace::state_letter;
use super::names::comm;
use super::text::put;
use super::tracepoints::{Tracepoint, Tracepoints, What};
use super::{Names, Writer};
use crate::Event;

/// Writes a compact trace: a line of comma-separated values for each switch, wake-up and move, in whole microseconds
/// from the start of the run. Short enough to be read by people and by a few lines of any script.
#[derive(Debug)]
pub struct CompactCsv {
    labels: Labels,
    tracepoints: Tracepoints,
    started: bool,
}

const HEADER: &str = "t_us,cpu,ev,task,arg1,arg2\n";

/// `name.number` for each task, the number counting tasks of the same name.
#[derive(Debug)]
struct Labels(Vec<String>);

impl CompactCsv {
    /// A writer before the first event.
    pub fn new(names: &Names) -> CompactCsv {
        CompactCsv { labels: Labels::new(names), tracepoints: Tracepoints::new(names), started: false }
    }

    fn start(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.started, true) {
            out.extend_from_slice(HEADER.as_bytes());
        }
    }
}

impl Writer for CompactCsv {
    fn follow(&mut self, events: &[Event], out: &mut Vec<u8>) {
        self.start(out);
        let labels = &self.labels;
        self.tracepoints.follow(events, &mut |point| put_line(labels, &point, out));
    }

    fn finish(&mut self, _end: Nanos, out: &mut Vec<u8>) {
        self.start(out);
        let labels = &self.labels;
        self.tracepoints.finish(&mut |point| put_line(labels, &point, out));
    }
}

impl Labels {
    fn new(names: &Names) -> Labels {
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        let mut label = |name: &str| {
            // What separates fields and lines must not be in one.
            let name: String =
                comm(name).chars().map(|c| if ",\"\r\n".contains(c) { '_' } else { c }).collect();
            let number = seen.entry(name.clone()).or_default();
            let label = format!("{name}.{number}");
            *number += 1;
            label
        };
        Labels(names.tasks.iter().map(|task| label(&task.comm)).collect())
    }

    fn of(&self, task: TaskId) -> &str {
        if task == Event::NO_TASK { "idle" } else { &self.0[task.index()] }
    }
}

fn put_line(labels: &Labels, point: &Tracepoint, out: &mut Vec<u8>) {
    let (time, cpu) = (point.at.as_micros(), point.cpu.0);
    match point.what {
        What::Switch { prev, state, next } => {
            let (prev, state, next) = (labels.of(prev), state_letter(state), labels.of(next));
            put(out, format_args!("{time},{cpu},S,{prev},{state},{next}\n"));
        }
        What::Waking { task, target } => {
            put(out, format_args!("{time},{cpu},W,{},{:03},\n", labels.of(task), target.0));
        }
        What::WakeupNew { task, target } => {
            put(out, format_args!("{time},{cpu},N,{},{:03},\n", labels.of(task), target.0));
        }
        What::Migrate { task, from, to } => {
            put(out, format_args!("{time},{cpu},M,{},{},{}\n", labels.of(task), from.0, to.0));
        }
        What::Fork { .. }
        | What::Exit { .. }
        | What::Wakeup { .. }
        | What::Frequency { .. }
        | What::Idle { .. } => {}
    }
}
