//! How CPUs hand real-time tasks to each other: whoever has too many pushes, whoever runs out of them pulls.

use sim::{CpuId, TaskId};
use trace::explain::{About, Check, Outcome};
use trace::{EventKind, MigrateReason};

use crate::engine::Engine;
use crate::explain::{StepExt, step};

impl Engine {
    /// Notes whether a CPU has real-time tasks to give away (`rt_overload`).
    ///
    /// Kernel: rt.c update_rt_migration(), v5.4…v6.1.
    /// Differs: nothing.
    pub(super) fn update_rt_overload(&mut self, cpu: CpuId) {
        let queue = &self.rqs[cpu.index()].rt.queue;
        let migratory = queue.iter().any(|entry| !self.tasks[entry.task.index()].is_pinned());
        if 1 < queue.len() && migratory {
            self.rt_overloaded.insert(cpu);
        } else {
            self.rt_overloaded.remove(cpu);
        }
    }

    /// A task was woken onto a CPU that does not run it at once: it may run elsewhere.
    ///
    /// Kernel: rt.c task_woken_rt(), v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn task_woken_rt(&mut self, cpu: CpuId, task: TaskId) {
        let rq = &self.rqs[cpu.index()];
        let entity = &self.tasks[task.index()];
        if !entity.is_rt() || rq.curr == Some(task) || rq.need_resched || entity.is_pinned() {
            return;
        }
        let Some(curr) = rq.curr.map(|curr| &self.tasks[curr.index()]).filter(|curr| curr.is_rt()) else {
            return;
        };
        if curr.is_pinned() || curr.prio <= entity.prio {
            self.push_rt_tasks(cpu);
        }
    }

    /// Pushes tasks away until none can go.
    ///
    /// Kernel: rt.c push_rt_tasks(), v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn push_rt_tasks(&mut self, cpu: CpuId) {
        while self.push_rt_task(cpu) {}
    }

    /// Pushes the best task that waits on a CPU to one that runs something less important.
    ///
    /// Kernel: rt.c push_rt_task() and find_lock_lowest_rq(), v5.4…v5.10.
    /// Differs: no lock is ever dropped, so one try is as good as three.
    fn push_rt_task(&mut self, cpu: CpuId) -> bool {
        if !self.rt_overloaded.contains(cpu) {
            return false;
        }
        let rq = &self.rqs[cpu.index()];
        let Some(&task) = rq.rt.pushable.first() else { return false };
        let prio = self.tasks[task.index()].prio;
        let curr_prio = rq.curr.map_or(u8::MAX, |curr| self.tasks[curr.index()].prio);
        if prio < curr_prio {
            self.resched_curr(cpu);
            return false;
        }
        self.explain_begins(About::RtPush);
        let this_cpu = self.this_cpu.unwrap_or(cpu);
        let found = self.find_lowest_rq(task, this_cpu);
        let target = found.filter(|to| *to != cpu && prio < self.rqs[to.index()].rt.highest_prio());
        self.explain_ends(cpu, Some(task), Outcome::Cpu(target.unwrap_or(cpu)));
        let Some(target) = target else { return false };
        self.counters.rt_pushes += 1;
        self.move_rt_task(task, target, MigrateReason::RtPush);
        self.resched_curr(target);
        true
    }

    /// A CPU whose real-time work has become less important takes what waits elsewhere and is more important.
    ///
    /// Kernel: rt.c balance_rt() and pull_rt_task(), v5.4…v6.1.
    /// Differs: the CPU scans the others itself; the kernel asks them one after another to push (`RT_PUSH_IPI`), which
    /// takes a few microseconds.
    pub(crate) fn pull_rt_task(&mut self, this_cpu: CpuId, prev_prio: u8) {
        let only_this = self.rt_overloaded.len() == 1 && self.rt_overloaded.contains(this_cpu);
        let lowered = prev_prio < self.rqs[this_cpu.index()].rt.highest_prio();
        if !lowered || self.rt_overloaded.is_empty() || only_this {
            return;
        }
        for src in self.rt_overloaded.iter().filter(|src| *src != this_cpu) {
            let highest = self.rqs[this_cpu.index()].rt.highest_prio();
            let rq = &self.rqs[src.index()];
            let may_come = |task: &&TaskId| self.tasks[task.index()].allowed.contains(this_cpu);
            let Some(&task) = rq.rt.pushable.iter().find(may_come) else { continue };
            let prio = self.tasks[task.index()].prio;
            let src_prio = rq.curr.map_or(u8::MAX, |curr| self.tasks[curr.index()].prio);
            // What beats its own CPU's task is about to run there.
            let pulls = prio < highest && src_prio <= prio;
            self.explain_begins(About::RtPull);
            self.explain(|_| {
                step(Check::RtPriority, pulls)
                    .of_cpu(src)
                    .of_task(task)
                    .value("prio", i64::from(prio))
                    .value("highest_prio", i64::from(highest))
                    .value("curr_prio", i64::from(src_prio))
            });
            self.explain_ends(this_cpu, Some(task), Outcome::Moved(u32::from(pulls)));
            if pulls {
                self.counters.rt_pulls += 1;
                self.move_rt_task(task, this_cpu, MigrateReason::RtPull);
            }
        }
    }

    fn move_rt_task(&mut self, task: TaskId, to: CpuId, reason: MigrateReason) {
        let from = self.tasks[task.index()].cpu;
        self.sync_ticks(from);
        self.sync_ticks(to);
        self.dequeue_task_rt(from, task);
        self.tasks[task.index()].cpu = to;
        self.counters.rt_migrations += 1;
        self.emit(EventKind::Migrate, to, task, [u32::from(from.0), 0], reason as u8);
        self.enqueue_task_rt(to, task);
    }
}
