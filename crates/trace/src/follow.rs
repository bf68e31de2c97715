use sim::{CpuId, Nanos, TaskId};

use crate::{Doing, Event, EventKind, PrevState, TaskState};

/// What every CPU and every task does, by the events so far.
#[derive(Clone, Debug)]
pub struct Follower {
    now: Nanos,
    running: Vec<TaskId>,
    tasks: Vec<Doing>,
    /// For a task that is woken before it has left its CPU: what it does once it has.
    after_switch: Vec<Option<Doing>>,
}

/// What an event changes. Events that change nothing of this are not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A task does something else, or does it elsewhere.
    Task {
        /// The task.
        task: TaskId,
        /// What it did until now.
        before: Doing,
        /// What it does from now on.
        now: Doing,
    },
    /// A CPU runs another task.
    Cpu {
        /// The CPU.
        cpu: CpuId,
        /// The task that it ran until now, or [`Event::NO_TASK`].
        before: TaskId,
        /// The task that it runs from now on, or [`Event::NO_TASK`].
        now: TaskId,
    },
}

/// The changes of one event: a switch has the most, two tasks and the CPU.
#[derive(Default)]
struct Changes {
    list: [Option<Change>; 3],
    count: usize,
}

impl Changes {
    fn push(&mut self, change: Change) {
        self.list[self.count] = Some(change);
        self.count += 1;
    }
}

impl Follower {
    /// A machine before the first event of a run.
    pub fn new(cpus: usize, tasks: usize) -> Follower {
        let unborn = Doing { state: TaskState::Unborn, cpu: CpuId(0) };
        Follower {
            now: Nanos::ZERO,
            running: vec![Event::NO_TASK; cpus],
            tasks: vec![unborn; tasks],
            after_switch: vec![None; tasks],
        }
    }

    /// Follows the next event of the run and tells what it changes: a task that leaves a CPU before the one that takes it,
    /// and that before the CPU.
    pub fn follow(&mut self, event: &Event) -> impl Iterator<Item = Change> + use<> {
        let mut changes = Changes::default();
        self.now = event.at;
        self.event(event, &mut changes);
        changes.list.into_iter().flatten()
    }

    fn event(&mut self, event: &Event, changes: &mut Changes) {
        let Event { task, cpu, .. } = *event;
        match event.kind {
            // One that is woken before it has left its queue gets no further event: it never slept.
            EventKind::Waking if self.tasks[task.index()].state == TaskState::Running => {}
            EventKind::Waking | EventKind::Placed => {
                self.runnable(task, Doing { state: TaskState::Waking, cpu }, changes);
            }
            EventKind::Fork | EventKind::Wakeup => {
                self.runnable(task, Doing { state: TaskState::Waiting, cpu }, changes);
            }
            EventKind::Migrate => {
                let doing = self.tasks[task.index()];
                if doing.state == TaskState::Waiting || doing.state == TaskState::Waking {
                    self.now_does(task, Doing { cpu, ..doing }, changes);
                }
            }
            EventKind::Switch => self.switch(event, changes),
            EventKind::Exit
            | EventKind::QueueLength
            | EventKind::Balance
            | EventKind::UtilRefused
            | EventKind::Decision
            | EventKind::TickPreempt
            | EventKind::WakePreempt
            | EventKind::Mark
            | EventKind::Frequency
            | EventKind::Idle => {}
        }
    }

    /// A task is on its way to a run queue or on it. One that has not left its CPU yet runs on until it has.
    fn runnable(&mut self, task: TaskId, doing: Doing, changes: &mut Changes) {
        if self.tasks[task.index()].state == TaskState::Running {
            self.after_switch[task.index()] = Some(doing);
        } else {
            self.now_does(task, doing, changes);
        }
    }

    fn switch(&mut self, event: &Event, changes: &mut Changes) {
        let Event { task: next, cpu, args: [prev, _], .. } = *event;
        let prev = TaskId(prev);
        if prev != Event::NO_TASK && prev != next {
            let woken = self.after_switch[prev.index()].take();
            let left = |state| Doing { state, cpu };
            let doing = match event.detail {
                detail if detail == PrevState::Preempted as u8 => left(TaskState::Waiting),
                detail if detail == PrevState::Dead as u8 => left(TaskState::Dead),
                _ => woken.unwrap_or(left(TaskState::Sleeping)),
            };
            self.now_does(prev, doing, changes);
        }
        if next != Event::NO_TASK {
            self.after_switch[next.index()] = None;
            self.now_does(next, Doing { state: TaskState::Running, cpu }, changes);
        }
        let before = std::mem::replace(&mut self.running[cpu.index()], next);
        if before != next {
            changes.push(Change::Cpu { cpu, before, now: next });
        }
    }

    fn now_does(&mut self, task: TaskId, now: Doing, changes: &mut Changes) {
        let before = std::mem::replace(&mut self.tasks[task.index()], now);
        if before != now {
            changes.push(Change::Task { task, before, now });
        }
    }

    /// The moment of the last event.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// The task that a CPU runs, or [`Event::NO_TASK`].
    pub fn running(&self, cpu: CpuId) -> TaskId {
        self.running[cpu.index()]
    }

    /// What a task does.
    pub fn doing(&self, task: TaskId) -> Doing {
        self.tasks[task.index()]
    }

    /// Whether a task was woken before it has left its CPU: it leaves it and has to wait.
    pub fn is_woken_early(&self, task: TaskId) -> bool {
        self.after_switch[task.index()].is_some()
    }

    /// How many CPUs there are.
    pub fn cpu_count(&self) -> usize {
        self.running.len()
    }

    /// How many tasks there are.
    pub fn task_count(&self) -> usize {
        self.tasks.len()
    }
}
