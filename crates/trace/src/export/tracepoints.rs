use sim::{CpuId, Nanos, TaskId};

use super::Names;
use crate::{Event, EventKind, MigrateReason, PrevState};

/// One record of the kernel's `sched` trace events, with where and in whose context it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tracepoint {
    pub(crate) at: Nanos,
    /// The CPU that recorded it.
    pub(crate) cpu: CpuId,
    /// The task that ran there, or [`Event::NO_TASK`]. A switch is recorded by the task that is left.
    pub(crate) current: TaskId,
    /// Whether it is known to come from an interrupt.
    pub(crate) in_irq: bool,
    pub(crate) what: What,
}

/// The trace event and its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// `sched_process_fork`.
    Fork { parent: TaskId, child: TaskId },
    /// `sched_wakeup_new`.
    WakeupNew { task: TaskId, target: CpuId },
    /// `sched_process_exit`.
    Exit { task: TaskId },
    /// `sched_waking`; the target is the CPU before placement.
    Waking { task: TaskId, target: CpuId },
    /// `sched_wakeup`.
    Wakeup { task: TaskId, target: CpuId },
    /// `sched_migrate_task`.
    Migrate { task: TaskId, from: CpuId, to: CpuId },
    /// `sched_switch`.
    Switch { prev: TaskId, state: SwitchState, next: TaskId },
    /// `cpu_frequency` of the CPU that records it.
    Frequency { khz: u32 },
    /// `cpu_idle` of the CPU that records it: the state that it enters, or [`LEAVES_IDLE`].
    Idle { state: u32 },
}

/// In `cpu_idle`: the CPU leaves its state.
const LEAVES_IDLE: u32 = u32::MAX;

/// The state in which a switch leaves a task, as `sched_switch` tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SwitchState {
    /// It can go on: the idle task, or one that was woken on its way to sleep.
    Runnable,
    /// It was preempted.
    Preempted,
    /// It sleeps.
    Sleeping,
    /// It is dead.
    Dead,
}

/// Turns the events of a run into what the kernel would have traced.
///
/// The kernel records a wake-up in up to three steps, of which the engine logs the last ones only where there are any: a
/// task that is woken before it has left its run queue is not placed. The kernel still says `sched_wakeup`, so a wake-up is
/// held until the next event shows of which kind it is.
#[derive(Clone, Debug)]
pub(crate) struct Tracepoints {
    running: Vec<TaskId>,
    wakers: Vec<Waker>,
    held: Option<Event>,
    /// For each CPU whether it is in an idle state that the log told of.
    sleeps: Vec<bool>,
}

/// Where the last wake-up of a task came from, and how.
#[derive(Clone, Copy, Debug)]
struct Waker {
    cpu: CpuId,
    in_irq: bool,
    /// Whether the target enqueues the task, in the interrupt that empties its wake list.
    listed: bool,
    /// Whether the task had not left its CPU yet and still has not.
    early: bool,
}

impl Tracepoints {
    pub(crate) fn new(names: &Names) -> Tracepoints {
        let nobody = Waker { cpu: CpuId(0), in_irq: false, listed: false, early: false };
        Tracepoints {
            running: vec![Event::NO_TASK; usize::from(names.cpus)],
            wakers: vec![nobody; names.tasks.len()],
            held: None,
            sleeps: vec![false; usize::from(names.cpus)],
        }
    }

    /// Follows the next events.
    pub(crate) fn follow(&mut self, events: &[Event], each: &mut impl FnMut(Tracepoint)) {
        for event in events {
            // What hunks answered stands anywhere.
            if event.kind == EventKind::Decision {
                continue;
            }
            let is_placed = |waking: &Event| event.kind == EventKind::Placed && event.task == waking.task;
            if let Some(waking) = self.held.take() {
                self.wakes(&waking, is_placed(&waking), each);
            }
            self.event(event, each);
        }
    }

    /// The run is over.
    pub(crate) fn finish(&mut self, each: &mut impl FnMut(Tracepoint)) {
        if let Some(waking) = self.held.take() {
            self.wakes(&waking, false, each);
        }
    }

    fn event(&mut self, event: &Event, each: &mut impl FnMut(Tracepoint)) {
        let Event { at, args, task, cpu, detail, .. } = *event;
        match event.kind {
            EventKind::Fork => {
                let on = CpuId(args[0] as u16);
                let parent = self.running[on.index()];
                // Tasks that are there from the start have no parent.
                if parent != Event::NO_TASK {
                    each(self.record(at, on, false, What::Fork { parent, child: task }));
                }
                each(self.record(at, on, false, What::WakeupNew { task, target: cpu }));
            }
            EventKind::Exit => each(self.record(at, cpu, false, What::Exit { task })),
            EventKind::Waking => self.held = Some(*event),
            EventKind::Placed => self.wakers[task.index()].listed = event.detail == 1,
            EventKind::Wakeup => {
                let waker = self.wakers[task.index()];
                let (on, in_irq) = if waker.listed { (cpu, true) } else { (waker.cpu, waker.in_irq) };
                each(self.record(at, on, in_irq, What::Wakeup { task, target: cpu }));
            }
            EventKind::Migrate => {
                let from = CpuId(args[0] as u16);
                let (on, in_irq) = self.migrated_by(task, from, cpu, event.detail);
                each(self.record(at, on, in_irq, What::Migrate { task, from, to: cpu }));
            }
            EventKind::Switch => self.switches(event, each),
            EventKind::QueueLength
            | EventKind::Balance
            | EventKind::UtilRefused
            | EventKind::Decision
            | EventKind::TickPreempt
            | EventKind::WakePreempt
            | EventKind::Mark => {}
            EventKind::Frequency => each(self.record(at, cpu, false, What::Frequency { khz: args[0] })),
            EventKind::Idle => {
                self.leaves_idle(at, cpu, each);
                self.sleeps[cpu.index()] = true;
                each(self.record(at, cpu, false, What::Idle { state: u32::from(detail) }));
            }
        }
    }

    fn wakes(&mut self, waking: &Event, is_placed: bool, each: &mut impl FnMut(Tracepoint)) {
        let Event { at, args: [waker_cpu, waker], task, cpu: target, .. } = *waking;
        let (cpu, in_irq) = (CpuId(waker_cpu as u16), TaskId(waker) == Event::NO_TASK);
        let early = is_placed && self.running[target.index()] == task;
        self.wakers[task.index()] = Waker { cpu, in_irq, listed: false, early };
        each(self.record(at, cpu, in_irq, What::Waking { task, target }));
        if !is_placed {
            each(self.record(at, cpu, in_irq, What::Wakeup { task, target }));
        }
    }

    /// Where a migration is recorded, and whether in an interrupt: by the waker, by the CPU that pulls, or by the stopper
    /// of the CPU that pushes. An idle CPU that balances on behalf of others is not told apart from them.
    fn migrated_by(&self, task: TaskId, from: CpuId, to: CpuId, reason: u8) -> (CpuId, bool) {
        let is = |one: MigrateReason| reason == one as u8;
        if is(MigrateReason::Wakeup) {
            let waker = self.wakers[task.index()];
            (waker.cpu, waker.in_irq)
        } else if is(MigrateReason::Active) || is(MigrateReason::Exec) || is(MigrateReason::RtPush) {
            (from, false)
        } else {
            (to, false)
        }
    }

    fn switches(&mut self, event: &Event, each: &mut impl FnMut(Tracepoint)) {
        let Event { at, args: [prev, _], task: next, cpu, detail, .. } = *event;
        let prev = TaskId(prev);
        let woken = prev != Event::NO_TASK && std::mem::take(&mut self.wakers[prev.index()].early);
        let state = match detail {
            detail if detail == PrevState::Preempted as u8 && woken => SwitchState::Runnable,
            detail if detail == PrevState::Preempted as u8 => SwitchState::Preempted,
            detail if detail == PrevState::Sleeping as u8 => SwitchState::Sleeping,
            detail if detail == PrevState::Dead as u8 => SwitchState::Dead,
            _ => SwitchState::Runnable,
        };
        self.leaves_idle(at, cpu, each);
        let what = What::Switch { prev, state, next };
        each(Tracepoint { at, cpu, current: prev, in_irq: false, what });
        self.running[cpu.index()] = next;
    }

    /// Where the log told what state a CPU entered, it tells that it leaves it: just before the switch.
    fn leaves_idle(&mut self, at: Nanos, cpu: CpuId, each: &mut impl FnMut(Tracepoint)) {
        if std::mem::take(&mut self.sleeps[cpu.index()]) {
            each(self.record(at, cpu, false, What::Idle { state: LEAVES_IDLE }));
        }
    }

    fn record(&self, at: Nanos, cpu: CpuId, in_irq: bool, what: What) -> Tracepoint {
        Tracepoint { at, cpu, current: self.running[cpu.index()], in_irq, what }
    }
}
