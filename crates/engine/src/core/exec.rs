//! Executing another program: the one moment at which a running task has no cache to lose, so it may move.

use sim::{CpuId, TaskId};
use trace::explain::{About, Outcome};
use trace::{EventKind, MigrateReason};

use crate::engine::Engine;
use crate::fair::{Dequeue, Enqueue};
use crate::task::Stage;

impl Engine {
    /// A running task executes another program: it looks for the idlest CPU. False if it stays where it is, which takes
    /// no time beyond what its program charges.
    ///
    /// Kernel: core.c sched_exec(), v3.3…v6.18.
    /// Differs: nothing.
    pub(crate) fn sched_exec(&mut self, cpu: CpuId, task: TaskId) -> bool {
        self.explain_begins(About::Birth);
        let to = self.select_task_rq_fork(task, cpu);
        self.explain_ends(cpu, Some(task), Outcome::Cpu(to));
        if to == cpu {
            return false;
        }
        let costs = &self.config.costs;
        let entity = &mut self.tasks[task.index()];
        entity.stage = Stage::Exec { to };
        entity.left_ns = entity.streams.exec.jitter(costs.context_switch.0, costs.jitter_pct);
        true
    }

    /// The stopper of its CPU has taken over from a task that executes another program, and moves it.
    ///
    /// Kernel: core.c migration_cpu_stop(), __migrate_task() and move_queued_task(), v4.3…v6.1.
    /// Differs: the switch to the stopper has been charged to the task; the CPU that it leaves picks anew without a
    /// newidle balance, as after every stopper here.
    pub(crate) fn move_running_task(&mut self, cpu: CpuId, task: TaskId, to: CpuId) {
        debug_assert_ne!(cpu, to, "{task} is there already");
        self.counters.exec_moves += 1;
        // On the new CPU its program goes on.
        self.tasks[task.index()].stage = Stage::Resume;
        self.sync_ticks(cpu);
        self.sync_ticks(to);
        self.put_prev_task_fair(cpu);
        self.dequeue_task_fair(cpu, task, Dequeue::Move);
        self.detach_entity_load_avg(cpu, task);
        let entity = &mut self.tasks[task.index()];
        entity.se.avg.last_update_time = 0;
        entity.se.exec_start = 0;
        entity.cpu = to;
        self.enqueue_task_fair(to, task, Enqueue::Move);
        self.check_preempt_curr(to, task);
        self.rqs[cpu.index()].need_resched = false;
        self.switch_to_next(cpu);
        // Only now, so that a reader of the log sees a waiting task move.
        self.emit(EventKind::Migrate, to, task, [u32::from(cpu.0), 0], MigrateReason::Exec as u8);
    }
}
