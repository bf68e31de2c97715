//! The order of the classes: real-time before fair before idle.

use rules::rt::MAX_RT_PRIO;
use sim::{CpuId, TaskId};
use trace::explain::{About, Check, Outcome};

use crate::engine::Engine;
use crate::explain::{StepExt, step};
use crate::fair::{Dequeue, Enqueue};
use crate::rq::Phase;
use crate::task::Task;

impl Task {
    /// `rt_task()`: of the real-time class.
    pub(crate) fn is_rt(&self) -> bool {
        self.prio < MAX_RT_PRIO
    }
}

impl Engine {
    /// Puts a task on the queue of a CPU. Ticks of the CPU must have been replayed.
    pub(crate) fn enqueue_task(&mut self, cpu: CpuId, task: TaskId, how: Enqueue) {
        if self.tasks[task.index()].is_rt() {
            self.enqueue_task_rt(cpu, task);
        } else {
            self.enqueue_task_fair(cpu, task, how);
        }
    }

    /// Takes a task off the queue of its CPU.
    pub(crate) fn dequeue_task(&mut self, cpu: CpuId, task: TaskId, how: Dequeue) {
        if self.tasks[task.index()].is_rt() {
            self.dequeue_task_rt(cpu, task);
        } else {
            self.dequeue_task_fair(cpu, task, how);
        }
    }

    /// The task that its class counts as running on a CPU; none while it balances and where it idles.
    pub(crate) fn current_of_class(&self, cpu: CpuId) -> Option<TaskId> {
        let rq = &self.rqs[cpu.index()];
        rq.rt.curr.or(rq.cfs.curr)
    }

    /// Puts the running task back among the waiting ones, if it still wants to run.
    pub(crate) fn put_prev_task(&mut self, cpu: CpuId) {
        self.put_prev_task_rt(cpu);
        self.put_prev_task_fair(cpu);
    }

    /// Makes a queued task the running one.
    pub(crate) fn set_next_task(&mut self, cpu: CpuId, task: TaskId) {
        if self.tasks[task.index()].is_rt() {
            self.set_next_task_rt(cpu, task);
        } else {
            self.set_next_task_fair(cpu, task);
        }
    }

    /// Chooses who runs next; none for the idle task.
    ///
    /// Kernel: core.c pick_next_task(), v5.4…v6.1.
    /// Differs: no deadline class; the stopper is no task here.
    pub(crate) fn pick_next_task(&mut self, cpu: CpuId) -> Option<TaskId> {
        let rq = &self.rqs[cpu.index()];
        if rq.rt.is_runnable() {
            return self.pick_next_task_rt(cpu);
        }
        (0 < rq.cfs.nr_running).then(|| self.pick_next_entity(cpu))
    }

    /// Whether a task that was just queued takes the CPU: a higher class does, within a class its rules decide.
    ///
    /// Kernel: core.c check_preempt_curr(), v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn check_preempt_curr(&mut self, cpu: CpuId, task: TaskId) {
        let rq = &self.rqs[cpu.index()];
        if matches!(rq.phase, Phase::Balancing { .. }) {
            // The balance will find the task when it ends.
            return;
        }
        let Some(curr) = rq.curr else {
            self.resched_curr(cpu);
            return;
        };
        match (self.tasks[task.index()].is_rt(), self.tasks[curr.index()].is_rt()) {
            (false, false) => self.check_preempt_wakeup(cpu, task),
            (false, true) => {}
            (true, false) => self.preempt_fair(cpu, task, curr),
            (true, true) => self.check_preempt_curr_rt(cpu, task, curr),
        }
    }

    /// A real-time task takes the CPU from a fair one.
    fn preempt_fair(&mut self, cpu: CpuId, task: TaskId, curr: TaskId) {
        self.explain_priorities(cpu, task, curr, true);
        self.note_rt_preempts_fair(cpu, task, curr);
        self.resched_curr(cpu);
    }

    pub(crate) fn explain_priorities(&mut self, cpu: CpuId, task: TaskId, curr: TaskId, preempts: bool) {
        self.explain_begins(About::WakePreempt);
        self.explain(|engine| {
            step(Check::RtPriority, preempts)
                .of_task(curr)
                .value("prio", i64::from(engine.tasks[task.index()].prio))
                .value("curr_prio", i64::from(engine.tasks[curr.index()].prio))
        });
        self.explain_ends(cpu, Some(task), Outcome::Answer(preempts));
    }
}
