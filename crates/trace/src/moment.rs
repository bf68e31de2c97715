use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sim::{CpuId, Nanos, TaskId};

use crate::{Doing, Event, TaskState, Timeline};

/// What a task does at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskMoment {
    /// What it does, and where.
    pub doing: Doing,
    /// Since when, whatever the CPU.
    pub since: Nanos,
    /// Until when, whatever the CPU.
    pub until: Nanos,
    /// How long it has run so far.
    pub ran: Nanos,
    /// How long it has waited so far.
    pub waited: Nanos,
}

/// A span of time in which a CPU runs a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Its start.
    pub from: Nanos,
    /// Its end.
    pub to: Nanos,
    /// The CPU.
    pub cpu: CpuId,
    /// The task.
    pub task: TaskId,
    /// How long the task had been runnable when the slice began.
    pub waited: Nanos,
    /// How it ended.
    pub ended_by: EndedBy,
}

/// How a slice ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EndedBy {
    /// The task was preempted.
    Preemption = 0,
    /// The task went to sleep.
    Sleep = 1,
    /// The task ended.
    Exit = 2,
    /// The run ended.
    EndOfRun = 3,
}

impl Timeline {
    /// What a task does at a moment, which is moved into the run where it is outside.
    pub fn task_at(&self, task: TaskId, at: Nanos) -> TaskMoment {
        let line = &self.tasks[task.index()];
        let at = at.min(self.end);
        let (mut first, mut last) = (line.steps.position(at), line.steps.position(at));
        let doing = line.steps.piece(first).value;
        while 0 < first && line.steps.piece(first - 1).value.state == doing.state {
            first -= 1;
        }
        while last + 1 < line.steps.count() && line.steps.piece(last + 1).value.state == doing.state {
            last += 1;
        }
        let spent = line.total(Nanos::ZERO, at);
        TaskMoment {
            doing,
            since: line.steps.piece(first).from,
            until: line.steps.piece(last).to,
            ran: Nanos(spent.ran_ns),
            waited: Nanos(spent.waited_ns),
        }
    }

    /// The tasks that wait for a CPU at a moment with the moment since which they wait, the longest first.
    pub fn waiters_at(&self, cpu: CpuId, at: Nanos) -> Vec<(TaskId, Nanos)> {
        let waits = Doing { state: TaskState::Waiting, cpu };
        let tasks = (0..self.tasks.len()).map(|task| TaskId(task as u32));
        // A heap sorts with a tenth of the code of the standard sort; every visitor of the page loads it.
        let waiters: BinaryHeap<(Nanos, TaskId)> = tasks
            .filter(|task| self.doing(*task).at(at.min(self.end)) == waits)
            .map(|task| (self.task_at(task, at).since, task))
            .collect();
        waiters.into_sorted_vec().into_iter().map(|(since, task)| (task, since)).collect()
    }

    /// How many slices lie, at least in part, in a span of time.
    pub fn slice_count(&self, from: Nanos, to: Nanos) -> usize {
        let slices = |cpu: &crate::timeline::CpuLine| {
            cpu.running.steps.pieces_in(from, to).filter(|piece| piece.value != Event::NO_TASK).count()
        };
        self.cpus.iter().map(slices).sum()
    }

    /// The slices that lie, at least in part, in a span of time, in the order in which they begin; `limit` at most.
    pub fn slices(&self, from: Nanos, to: Nanos, limit: usize) -> Vec<Slice> {
        let to = to.min(self.end);
        let mut next = BinaryHeap::new();
        for cpu in 0..self.cpus.len() {
            self.push_slice(&mut next, cpu, self.cpus[cpu].running.steps.position(from), to);
        }
        let mut slices = Vec::new();
        while slices.len() < limit {
            let Some(Reverse((_, cpu, position))) = next.pop() else { break };
            slices.push(self.slice(cpu, position));
            self.push_slice(&mut next, cpu, position + 1, to);
        }
        slices
    }

    /// Puts the first slice of a CPU from a position on into the queue, if it begins before `to`.
    fn push_slice(
        &self,
        next: &mut BinaryHeap<Reverse<(Nanos, usize, usize)>>,
        cpu: usize,
        position: usize,
        to: Nanos,
    ) {
        let steps = &self.cpus[cpu].running.steps;
        let found = (position..steps.count()).find(|position| steps.piece(*position).value != Event::NO_TASK);
        if let Some(position) = found {
            let start = steps.piece(position).from;
            if start < to {
                next.push(Reverse((start, cpu, position)));
            }
        }
    }

    fn slice(&self, cpu: usize, position: usize) -> Slice {
        let piece = self.cpus[cpu].running.steps.piece(position);
        let doing = self.doing(piece.value);
        let mut began = doing.position(piece.from);
        while 0 < began && doing.piece(began - 1).value.state == TaskState::Waiting {
            began -= 1;
        }
        let ended_by = if self.end <= piece.to {
            EndedBy::EndOfRun
        } else {
            match doing.at(piece.to).state {
                TaskState::Sleeping | TaskState::Waking => EndedBy::Sleep,
                TaskState::Dead => EndedBy::Exit,
                TaskState::Unborn | TaskState::Waiting | TaskState::Running => EndedBy::Preemption,
            }
        };
        let waited = piece.from.saturating_sub(doing.piece(began).from);
        Slice { from: piece.from, to: piece.to, cpu: CpuId(cpu as u16), task: piece.value, waited, ended_by }
    }
}
