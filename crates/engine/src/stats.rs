//! Sums over time: how long tasks waited, and how long they did so while a CPU idled.

use sim::{CpuId, TaskId};

use crate::engine::Engine;
use crate::task::Task;

/// What is shared within a last-level cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct LlcState {
    /// `nr_busy_cpus` of `sched_domain_shared`: CPUs that are not tickless idle.
    pub(crate) nr_busy_cpus: u32,
    /// `has_idle_cores` of `sched_domain_shared`.
    pub(crate) has_idle_cores: bool,
    /// `nr_idle_scan` of `sched_domain_shared`: how many CPUs an idle search may look at under `SIS_UTIL`. It starts
    /// with all CPUs of the cache, as an idle machine has it; the kernel's starts with 0 and is that by the end of boot.
    pub(crate) nr_idle_scan: u32,
    /// Runnable tasks that are not executed.
    pub(crate) waiting: u32,
    /// Idle CPUs.
    pub(crate) idle: u32,
}

/// What a CPU last contributed to the sums of its cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CpuWaits {
    pub(crate) waiting: u32,
    pub(crate) idle: bool,
}

/// Since when some cache has had a waiting task and an idle CPU at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct WaitWhileIdle {
    /// How many caches are in that state.
    pub(crate) llcs: u32,
    /// Since when there has been at least one.
    pub(crate) since: u64,
}

impl Engine {
    /// A fair task begins to wait on a CPU.
    pub(crate) fn wait_begins(&mut self, cpu: CpuId, task: TaskId) {
        self.tasks[task.index()].behind_rt_from = self.rqs[cpu.index()].rt.ran_until(self.now);
    }

    /// It has waited.
    pub(crate) fn wait_ends(&mut self, cpu: CpuId, task: TaskId) {
        let ran = self.rqs[cpu.index()].rt.ran_until(self.now);
        let entity = &mut self.tasks[task.index()];
        let behind = ran - entity.behind_rt_from;
        entity.behind_rt_ns += behind;
        self.counters.wait_behind_rt_ns += behind;
    }

    /// What a wait that lasts still adds.
    pub(crate) fn behind_rt_now(&self, task: &Task) -> u64 {
        let rq = &self.rqs[task.cpu.index()];
        let waits = task.se.on_rq && !task.is_rt() && rq.cfs.curr != Some(task.id);
        if waits { rq.rt.ran_until(self.now) - task.behind_rt_from } else { 0 }
    }

    /// Must follow every change of what a CPU executes or queues: brings the sums of its cache up to date.
    pub(crate) fn account_waits(&mut self, cpu: CpuId) {
        let rq = &self.rqs[cpu.index()];
        // What runs on although its queue was just throttled does not count as runnable.
        let curr = if rq.rt.throttled { rq.cfs.curr } else { rq.rt.curr.or(rq.cfs.curr) };
        let executes = curr.is_some_and(|curr| self.tasks[curr.index()].se.on_rq);
        let now = CpuWaits { waiting: rq.nr_running - u32::from(executes), idle: rq.is_idle() };
        let was = std::mem::replace(&mut self.rqs[cpu.index()].waits, now);
        if was == now {
            return;
        }
        let llc = &mut self.llcs[self.config.llc_index[cpu.index()]];
        let before = llc.waits_while_idle();
        llc.waiting = llc.waiting + now.waiting - was.waiting;
        llc.idle = llc.idle + u32::from(now.idle) - u32::from(was.idle);
        let after = llc.waits_while_idle();
        if before == after {
            return;
        }
        if after {
            if self.wait_while_idle.llcs == 0 {
                self.wait_while_idle.since = self.now;
            }
            self.wait_while_idle.llcs += 1;
        } else {
            self.wait_while_idle.llcs -= 1;
            if self.wait_while_idle.llcs == 0 {
                self.counters.wait_while_idle_ns += self.now - self.wait_while_idle.since;
            }
        }
    }
}

impl LlcState {
    fn waits_while_idle(&self) -> bool {
        0 < self.waiting && 0 < self.idle
    }
}
