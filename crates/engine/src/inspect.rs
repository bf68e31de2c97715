//! What a CPU and its queue look like at a moment, and what the machine would do under another kernel. For whoever
//! watches; nothing that happens depends on it.

use std::sync::Arc;

use kernel::Kernel;
use rules::load_weight::calc_delta_fair;
use sim::{CpuId, TaskId};
use topology::CpuSet;

use crate::engine::Engine;

/// A CPU and its queue at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuInspection {
    /// The CPU.
    pub cpu: CpuId,
    /// The task that it executes.
    pub running: Option<TaskInspection>,
    /// The tasks that wait for it: real-time ones in their order, then fair ones by their virtual run time.
    pub waiting: Vec<TaskInspection>,
    /// Tasks that other CPUs woke for it and that are not queued yet.
    pub wake_list: Vec<TaskId>,
    /// `nr_running`: runnable tasks, the running one included.
    pub nr_running: u32,
    /// What `idle_cpu()` says.
    pub is_idle: bool,
    /// `cpu_capacity`: what interrupts and real-time tasks leave of it for fair tasks, as the balancer last knew it.
    pub capacity: u64,
    /// `min_vruntime` of the queue in nanoseconds.
    pub min_vruntime: u64,
    /// `load_avg` of the queue.
    pub load_avg: u64,
    /// `runnable_avg` of the queue.
    pub runnable_avg: u64,
    /// `util_avg` of the queue, in parts of 1024.
    pub util_avg: u64,
    /// `util_est` of the queue, in parts of 1024.
    pub util_est: u64,
    /// Its domains, lowest first.
    pub domains: Vec<DomainInspection>,
}

/// A runnable task at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskInspection {
    /// The task.
    pub task: TaskId,
    /// Its real-time priority, 1 to 99; none of a fair task.
    pub rt_priority: Option<u8>,
    /// Its virtual run time relative to the queue's `min_vruntime`, in nanoseconds; 0 of a real-time task.
    pub vruntime: i64,
    /// Its weight: 1024 for nice 0.
    pub weight: u64,
    /// `load_avg`.
    pub load_avg: u64,
    /// `util_avg`, in parts of 1024.
    pub util_avg: u64,
    /// `util_est`, in parts of 1024.
    pub util_est: u64,
}

/// What a CPU remembers of one of its domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DomainInspection {
    /// The kernel's name of its level.
    pub name: &'static str,
    /// The CPUs in it.
    pub span: CpuSet,
    /// `nr_balance_failed`.
    pub nr_balance_failed: u32,
    /// `balance_interval` in milliseconds.
    pub balance_interval_ms: u32,
}

impl Engine {
    /// Every CPU as it is now, its ticks up to now replayed. The averages are as old as the kernel's would be, from the
    /// last tick or queue change; the running task's virtual run time is that of now. What happens stays the same.
    pub fn inspect(&mut self) -> Vec<CpuInspection> {
        self.sync_all();
        (0..self.rqs.len()).map(|cpu| self.inspect_cpu(CpuId(cpu as u16))).collect()
    }

    fn inspect_cpu(&self, cpu: CpuId) -> CpuInspection {
        let rq = &self.rqs[cpu.index()];
        let cfs = &rq.cfs;
        let running = self.current_of_class(cpu).filter(|curr| self.tasks[curr.index()].se.on_rq);
        let waiting_rt = rq.rt.queue.iter().map(|entry| entry.task).filter(|task| Some(*task) != rq.rt.curr);
        let waiting = waiting_rt.chain(cfs.tree.iter().map(|entry| entry.task));
        let domains = self.config.domains.by_cpu[cpu.index()].iter().zip(&rq.domains);
        CpuInspection {
            cpu,
            running: running.map(|task| self.inspect_task(cpu, task)),
            waiting: waiting.map(|task| self.inspect_task(cpu, task)).collect(),
            wake_list: rq.flushing.iter().chain(&rq.wake_list).copied().collect(),
            nr_running: rq.nr_running,
            is_idle: rq.is_idle(),
            capacity: rq.cpu_capacity,
            min_vruntime: cfs.min_vruntime,
            load_avg: cfs.avg.load_avg,
            runnable_avg: cfs.avg.runnable_avg,
            util_avg: cfs.avg.util_avg,
            util_est: cfs.util_est_enqueued,
            domains: domains
                .map(|(domain, state)| DomainInspection {
                    name: domain.level.name(),
                    span: domain.span,
                    nr_balance_failed: state.nr_balance_failed,
                    balance_interval_ms: state.balance_interval_ms,
                })
                .collect(),
        }
    }

    fn inspect_task(&self, cpu: CpuId, task: TaskId) -> TaskInspection {
        let rq = &self.rqs[cpu.index()];
        let entity = &self.tasks[task.index()];
        let runs = rq.cfs.curr == Some(task);
        // What update_curr() would add: it is called where a decision needs it, not by the clock.
        let ran = if runs { self.now.saturating_sub(entity.se.exec_start) } else { 0 };
        let vruntime = entity.se.vruntime.wrapping_add(calc_delta_fair(ran, &entity.se.load));
        TaskInspection {
            task,
            rt_priority: entity.is_rt().then(|| 99 - entity.prio),
            vruntime: if entity.is_rt() { 0 } else { vruntime.wrapping_sub(rq.cfs.min_vruntime) as i64 },
            weight: entity.se.scaled_weight(),
            load_avg: entity.se.avg.load_avg,
            util_avg: entity.se.avg.util_avg,
            util_est: entity.util_est.value(),
        }
    }

    /// The weights of all tasks by their ids: 1024 for nice 0.
    pub fn task_weights(&self) -> Vec<u64> {
        self.tasks.iter().map(|task| task.se.scaled_weight()).collect()
    }

    /// Gives the machine another kernel from this moment on, whose ticks must be as long as those of the old one: what
    /// if the patch had been applied right now? Returns whether that could be done.
    pub fn switch_kernel(&mut self, kernel: &Kernel) -> bool {
        if kernel.era != self.config.kernel.era || kernel.tunables.hz != self.config.kernel.tunables.hz {
            return false;
        }
        // What the ticks so far did, they did under the old kernel.
        self.sync_all();
        Arc::make_mut(&mut self.config).kernel = kernel.clone();
        for cpu in 0..self.rqs.len() {
            self.mark_dirty(CpuId(cpu as u16));
        }
        true
    }
}
