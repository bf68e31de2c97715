use std::fmt;

use sim::Nanos;

use super::names::Named;
use super::text::{put, seconds};
use super::tracepoints::{SwitchState, Tracepoint, Tracepoints, What};
use super::{CLOCK_START, Names, Writer};
use crate::Event;

/// Writes what the kernel's file `trace` shows: one line of text an event.
#[derive(Debug)]
pub struct Ftrace {
    names: Names,
    tracepoints: Tracepoints,
    started: bool,
}

/// The lines by which readers know the format, and a person the columns.
const HEADER: &str = "\
# tracer: nop
#
#                                _-----=> irqs-off
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /
#           TASK-PID     CPU#  |||||    TIMESTAMP     FUNCTION
#              | |         |   |||||        |            |
";

impl Ftrace {
    /// A writer before the first event.
    pub fn new(names: Names) -> Ftrace {
        Ftrace { tracepoints: Tracepoints::new(&names), names, started: false }
    }

    fn start(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.started, true) {
            out.extend_from_slice(HEADER.as_bytes());
        }
    }
}

impl Writer for Ftrace {
    fn follow(&mut self, events: &[Event], out: &mut Vec<u8>) {
        self.start(out);
        let names = &self.names;
        self.tracepoints.follow(events, &mut |point| put(out, format_args!("{}\n", Line { names, point })));
    }

    fn finish(&mut self, _end: Nanos, out: &mut Vec<u8>) {
        self.start(out);
        let names = &self.names;
        self.tracepoints.finish(&mut |point| put(out, format_args!("{}\n", Line { names, point })));
    }
}

struct Line<'a> {
    names: &'a Names,
    point: Tracepoint,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tracepoint { at, cpu, current, in_irq, what } = self.point;
        let Named { comm, pid, .. } = self.names.of(current, cpu);
        let comm = if current == Event::NO_TASK { "<idle>" } else { comm.as_ref() };
        // All of these are recorded under a lock that keeps interrupts off.
        let irq = if in_irq { 'h' } else { '.' };
        let time = seconds(CLOCK_START + at);
        write!(f, "{comm:>16}-{pid:<7} [{:03}] d.{irq}2. {time:>15}: ", cpu.0)?;
        self.fields(f, what)
    }
}

impl Line<'_> {
    fn fields(&self, f: &mut fmt::Formatter<'_>, what: What) -> fmt::Result {
        let of = |task| self.names.of(task, self.point.cpu);
        match what {
            What::Fork { parent, child } => {
                let (parent, child) = (of(parent), of(child));
                write!(f, "sched_process_fork: comm={} pid={} ", parent.comm, parent.pid)?;
                write!(f, "child_comm={} child_pid={}", child.comm, child.pid)
            }
            What::Exit { task } => write!(f, "sched_process_exit: {}", Who(&of(task))),
            What::WakeupNew { task, target } => {
                write!(f, "sched_wakeup_new: {} target_cpu={:03}", Who(&of(task)), target.0)
            }
            What::Waking { task, target } => {
                write!(f, "sched_waking: {} target_cpu={:03}", Who(&of(task)), target.0)
            }
            What::Wakeup { task, target } => {
                write!(f, "sched_wakeup: {} target_cpu={:03}", Who(&of(task)), target.0)
            }
            What::Migrate { task, from, to } => {
                write!(f, "sched_migrate_task: {} orig_cpu={} dest_cpu={}", Who(&of(task)), from.0, to.0)
            }
            What::Frequency { khz } => write!(f, "cpu_frequency: state={khz} cpu_id={}", self.point.cpu.0),
            What::Idle { state } => write!(f, "cpu_idle: state={state} cpu_id={}", self.point.cpu.0),
            What::Switch { prev, state, next } => {
                let (prev, next) = (of(prev), of(next));
                write!(f, "sched_switch: prev_comm={} prev_pid={} ", prev.comm, prev.pid)?;
                write!(f, "prev_prio={} prev_state={} ==> ", prev.prio, state_letter(state))?;
                write!(f, "next_comm={} next_pid={} next_prio={}", next.comm, next.pid, next.prio)
            }
        }
    }
}

/// The fields that most events begin with.
struct Who<'a>(&'a Named<'a>);

impl fmt::Display for Who<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "comm={} pid={} prio={}", self.0.comm, self.0.pid, self.0.prio)
    }
}

/// The letters by which traces tell the state of a task.
pub(crate) const fn state_letter(state: SwitchState) -> &'static str {
    match state {
        SwitchState::Runnable => "R",
        SwitchState::Preempted => "R+",
        SwitchState::Sleeping => "S",
        SwitchState::Dead => "X",
    }
}
