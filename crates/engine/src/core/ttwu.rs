//! Waking up: choosing a CPU, getting the task onto its queue, and the wake list between CPUs.

use kernel::patches::ttwu_pending;
use sim::{CpuId, TaskId};
use trace::explain::{About, Check, Outcome};
use trace::{Event, EventKind, MigrateReason};

use crate::engine::{Engine, MachineEvent};
use crate::explain::{StepExt, step};
use crate::fair::Enqueue;
use crate::rq::Phase;
use crate::task::{Stage, TaskState};

/// How a wake-up reached its queue, which decides what it costs the waker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WakeWay {
    /// The waker enqueued the task on another CPU itself.
    Direct,
    /// The task went to a wake list or stayed on the waker's CPU.
    ListOrLocal,
}

/// The task that wakes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waker {
    pub(crate) task: TaskId,
    /// `WF_SYNC`: it says that it is about to sleep.
    pub(crate) sync: bool,
}

impl Engine {
    /// Wakes a task from `this_cpu`, on which `waker` runs, or an interrupt.
    ///
    /// Kernel: core.c try_to_wake_up(), v5.4…v6.1.
    /// Differs: who must wait for the wakee to leave its CPU has done so before; see `spins_until`.
    pub(crate) fn try_to_wake_up(&mut self, task: TaskId, this_cpu: CpuId, waker: Option<Waker>) -> WakeWay {
        let prev_cpu = self.tasks[task.index()].cpu;
        let waker_arg = waker.map_or(Event::NO_TASK, |waker| waker.task);
        self.emit(EventKind::Waking, prev_cpu, task, [u32::from(this_cpu.0), waker_arg.0], 0);
        self.counters.wakeups += 1;
        self.counters.rt_wakeups += u64::from(self.tasks[task.index()].is_rt());
        if self.tasks[task.index()].se.on_rq {
            // It has not left its queue yet: it will find itself woken.
            self.tasks[task.index()].stage = Stage::BlockEntry { woken: true };
            return WakeWay::ListOrLocal;
        }
        self.tasks[task.index()].state = TaskState::Waking;
        self.begin_return(task);
        if self.tasks[task.index()].on_cpu && self.queues_on_wake_list(prev_cpu, this_cpu, true) {
            self.explain_begins(About::Placement);
            self.explain(|engine| {
                step(Check::WakeList, true)
                    .of_cpu(prev_cpu)
                    .value("on_cpu", 1)
                    .value("nr_running", i64::from(engine.rqs[prev_cpu.index()].nr_running))
            });
            self.explain_ends(this_cpu, Some(task), Outcome::Cpu(prev_cpu));
            self.emit(EventKind::Placed, prev_cpu, task, [u32::from(prev_cpu.0), u32::from(this_cpu.0)], 1);
            self.wake_list_push(prev_cpu, task, false);
            return WakeWay::ListOrLocal;
        }
        debug_assert!(!self.tasks[task.index()].on_cpu, "{task} still has a CPU's stack");
        self.explain_begins(About::Placement);
        let cpu = self.select_task_rq(task, prev_cpu, this_cpu, waker);
        let listed = cpu != this_cpu && self.queues_on_wake_list(cpu, this_cpu, false);
        self.explain(|engine| {
            step(Check::WakeList, listed)
                .of_cpu(cpu)
                .value("shares_cache", i64::from(engine.config.shares_cache(cpu, this_cpu)))
                .value("nr_running", i64::from(engine.rqs[cpu.index()].nr_running))
        });
        self.explain_ends(this_cpu, Some(task), Outcome::Cpu(cpu));
        let args = [u32::from(prev_cpu.0), u32::from(this_cpu.0)];
        self.emit(EventKind::Placed, cpu, task, args, u8::from(listed));
        let target = &self.rqs[cpu.index()];
        if target.is_idle() && !target.flushing.is_empty() {
            self.counters.race_hits += 1;
        }
        let migrated = cpu != prev_cpu;
        if migrated {
            self.migrate_waking_task(task, cpu);
        }
        if listed {
            self.wake_list_push(cpu, task, migrated);
            return WakeWay::ListOrLocal;
        }
        self.ttwu_do_activate(cpu, task, migrated);
        if cpu == this_cpu { WakeWay::ListOrLocal } else { WakeWay::Direct }
    }

    /// The CPU for a waking task, as its class chooses, if it may run there.
    ///
    /// Kernel: core.c select_task_rq(), v5.4…v6.1.
    /// Differs: nothing.
    fn select_task_rq(
        &mut self,
        task: TaskId,
        prev_cpu: CpuId,
        this_cpu: CpuId,
        waker: Option<Waker>,
    ) -> CpuId {
        if self.tasks[task.index()].is_pinned() {
            return self.allowed_cpu(task, prev_cpu);
        }
        let cpu = if self.tasks[task.index()].is_rt() {
            self.select_task_rq_rt(task, this_cpu)
        } else {
            self.select_task_rq_fair(task, prev_cpu, this_cpu, waker).cpu
        };
        self.allowed_cpu(task, cpu)
    }

    /// The same for a task that starts on `this_cpu`: a new one, or one that executes another program.
    ///
    /// Kernel: core.c select_task_rq() with SD_BALANCE_FORK or SD_BALANCE_EXEC, v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn select_task_rq_fork(&mut self, task: TaskId, this_cpu: CpuId) -> CpuId {
        self.explain(|engine| {
            let entity = &engine.tasks[task.index()];
            let asked = step(Check::AllowedCpus, entity.is_pinned()).of_task(task);
            let asked = asked.value("nr_cpus_allowed", entity.allowed.len() as i64);
            entity.allowed.lowest().into_iter().fold(asked, StepExt::of_cpu)
        });
        if self.tasks[task.index()].is_pinned() {
            return self.allowed_cpu(task, this_cpu);
        }
        let cpu = match (self.tasks[task.index()].is_rt(), self.tasks[task.index()].se.on_rq) {
            (false, _) => self.find_idlest_cpu(this_cpu, task),
            (true, false) => self.select_task_rq_rt(task, this_cpu),
            // The real-time class keeps a task that executes another program where it is.
            (true, true) => this_cpu,
        };
        self.allowed_cpu(task, cpu)
    }

    /// The CPU, or the lowest allowed one where the task may not run on it.
    ///
    /// Kernel: core.c select_fallback_rq(), v3.3…v6.1.
    /// Differs: the nodes of a machine are one.
    fn allowed_cpu(&self, task: TaskId, cpu: CpuId) -> CpuId {
        let allowed = &self.tasks[task.index()].allowed;
        if allowed.contains(cpu) { cpu } else { allowed.lowest().unwrap_or(cpu) }
    }

    /// Until when a waker must spin because the wakee's last CPU has not finished switching away from it, if so.
    ///
    /// Kernel: core.c try_to_wake_up(), the wait for `on_cpu`, v3.3…v6.18.
    /// Differs: the waker looks again when the phase of that CPU ends, not at once.
    pub(crate) fn spins_until(&self, task: TaskId, this_cpu: CpuId) -> Option<u64> {
        let entity = &self.tasks[task.index()];
        if !entity.on_cpu || entity.se.on_rq || self.queues_on_wake_list(entity.cpu, this_cpu, true) {
            return None;
        }
        match self.rqs[entity.cpu.index()].phase {
            Phase::Balancing { until } | Phase::Switching { until, .. } => Some(until),
            Phase::Idle | Phase::Running => None,
        }
    }

    /// Whether a wake-up goes through the target's wake list.
    ///
    /// Kernel: core.c ttwu_queue() and ttwu_queue_cond(), v5.4…v6.18.
    /// Differs: nothing.
    fn queues_on_wake_list(&self, cpu: CpuId, this_cpu: CpuId, wakee_on_cpu: bool) -> bool {
        let tunables = &self.config.kernel.tunables;
        // A wakee that is still descheduling is waited for where it cannot be queued behind that.
        let must_wait = wakee_on_cpu && !tunables.ttwu_queue_on_cpu;
        if !tunables.ttwu_queue || cpu == this_cpu || must_wait {
            return false;
        }
        if !self.config.shares_cache(cpu, this_cpu) {
            return true;
        }
        let nr_running = self.rqs[cpu.index()].nr_running;
        (wakee_on_cpu && nr_running <= tunables.ttwu_queue_on_cpu_limit)
            || (tunables.ttwu_queue_idle && nr_running == 0)
    }

    /// Kernel: core.c ttwu_queue_remote() and __ttwu_queue_wakelist(), v5.4…v6.1. Before v5.8 there is no flag: a wake list
    /// that is not empty says the same, from here to where the handler takes it.
    pub(crate) fn wake_list_push(&mut self, cpu: CpuId, task: TaskId, migrated: bool) {
        self.counters.wake_list_wakeups += 1;
        self.tasks[task.index()].wake_list_migrated = migrated;
        let rq = &mut self.rqs[cpu.index()];
        rq.ttwu_pending = true;
        let first = rq.wake_list.is_empty();
        rq.wake_list.push(task);
        // Whoever comes second relies on the interrupt of the first.
        if first {
            self.send_kick(cpu);
        }
        self.account_waits(cpu);
    }

    /// The handler of the wake list has begun: the flag is cleared, the enqueue follows after the window.
    ///
    /// Kernel: core.c sched_ttwu_pending(), v5.4…v6.18; what the patch moves stands at its two hunks. Before v5.8 taking the
    /// whole list is what makes the CPU look idle.
    /// Differs: nothing.
    pub(crate) fn flush_wake_list_begins(&mut self, cpu: CpuId) {
        let rq = &mut self.rqs[cpu.index()];
        if rq.wake_list.is_empty() {
            return;
        }
        if !rq.flushing.is_empty() {
            // The handler still runs, with interrupts off: this one follows it.
            rq.irq_pending = true;
            return;
        }
        rq.flushing = std::mem::take(&mut rq.wake_list);
        if !self.config.kernel.applied(&ttwu_pending::CLEAR_EARLY, [true]) {
            rq.ttwu_pending = false;
        }
        let costs = &self.config.costs;
        let tunables = &self.config.kernel.tunables;
        // What lies unused for longer than the kernel calls hot has left the caches.
        let idle_for = if rq.is_resting() { self.now - rq.idle_since } else { 0 };
        let cold = tunables.migration_cost_ns <= idle_for;
        let window = if cold { costs.window } else { costs.window_hot.min(costs.window) };
        let delay = rq.streams.window.jitter(window.0, costs.jitter_pct);
        self.account_waits(cpu);
        self.push(self.now + delay, MachineEvent::WakeListFlush { cpu });
    }

    /// The tasks of the wake list are enqueued.
    pub(crate) fn flush_wake_list(&mut self, cpu: CpuId) {
        self.this_cpu = Some(cpu);
        let queued = std::mem::take(&mut self.rqs[cpu.index()].flushing);
        for task in queued {
            let migrated = self.tasks[task.index()].wake_list_migrated;
            self.ttwu_do_activate(cpu, task, migrated);
        }
        if self.config.kernel.applied(&ttwu_pending::CLEAR_LATE, [true]) {
            let rq = &mut self.rqs[cpu.index()];
            // Without a flag of its own a wake list that has filled again speaks for itself.
            rq.ttwu_pending = !self.config.kernel.tunables.ttwu_pending_flag && !rq.wake_list.is_empty();
            self.account_waits(cpu);
        }
        self.this_cpu = None;
        self.handle_pending_irqs(cpu);
    }

    /// Enqueues a waking task and lets it preempt.
    ///
    /// Kernel: core.c ttwu_do_activate() and ttwu_do_wakeup(), v5.8…v6.1.
    /// Differs: nothing.
    fn ttwu_do_activate(&mut self, cpu: CpuId, task: TaskId, migrated: bool) {
        self.sync_ticks(cpu);
        if 0 < self.rqs[cpu.index()].nr_running {
            self.counters.stacked_wakeups += 1;
        }
        self.tasks[task.index()].state = TaskState::Runnable;
        self.tasks[task.index()].waiting_since = self.now;
        let rq = &self.rqs[cpu.index()];
        let behind_rt = !self.tasks[task.index()].is_rt() && rq.rt.is_runnable();
        self.counters.fair_wakeups_behind_rt += u64::from(behind_rt);
        let how = if migrated { Enqueue::WakeupMigrated } else { Enqueue::Wakeup };
        self.enqueue_task(cpu, task, how);
        let nr_running = self.rqs[cpu.index()].nr_running;
        self.emit(EventKind::Wakeup, cpu, task, [nr_running, 0], 0);
        self.check_preempt_curr(cpu, task);
        self.task_woken_rt(cpu, task);
        let rq = &mut self.rqs[cpu.index()];
        if let Some(idle_since) = rq.idle_stamp.take() {
            let most = 2 * rq.max_idle_balance_cost;
            update_avg(&mut rq.avg_idle, self.now - idle_since);
            rq.avg_idle = rq.avg_idle.min(most);
        }
    }

    /// A waking task leaves its last CPU's queue for another's.
    ///
    /// Kernel: core.c set_task_cpu() and fair.c migrate_task_rq_fair(), v5.4…v6.1.
    /// Differs: nothing.
    fn migrate_waking_task(&mut self, task: TaskId, to: CpuId) {
        let from = self.tasks[task.index()].cpu;
        self.sync_ticks(from);
        if !self.tasks[task.index()].is_rt() {
            let min_vruntime = self.rqs[from.index()].cfs.min_vruntime;
            self.remove_entity_load_avg(task);
            let se = &mut self.tasks[task.index()].se;
            se.vruntime = se.vruntime.wrapping_sub(min_vruntime);
            se.avg.last_update_time = 0;
            se.exec_start = 0;
        }
        self.tasks[task.index()].cpu = to;
        self.emit(EventKind::Migrate, to, task, [u32::from(from.0), 0], MigrateReason::Wakeup as u8);
    }

    /// Starts a new thread, created by the task that runs on `this_cpu`. It may be the next one of an id whose last
    /// thread has ended. `at` is where it starts, where that is not left to the placement.
    ///
    /// Kernel: core.c wake_up_new_task() and sched_fork(), v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn wake_up_new_task(&mut self, this_cpu: CpuId, child: TaskId, at: Option<CpuId>) {
        debug_assert!(self.tasks[child.index()].can_start(), "{child} exists already");
        if self.tasks[child.index()].state == TaskState::Dead {
            self.tasks[child.index()].renew();
        }
        self.sync_ticks(this_cpu);
        self.tasks[child.index()].cpu = this_cpu;
        let is_rt = self.tasks[child.index()].is_rt();
        if !is_rt {
            self.task_fork_fair(this_cpu, child);
        }
        self.explain_begins(About::Birth);
        let cpu = match at {
            Some(cpu) => self.allowed_cpu(child, cpu),
            None => self.select_task_rq_fork(child, this_cpu),
        };
        self.explain_ends(this_cpu, Some(child), Outcome::Cpu(cpu));
        self.sync_ticks(cpu);
        let entity = &mut self.tasks[child.index()];
        entity.cpu = cpu;
        entity.recent_used_cpu = cpu;
        entity.state = TaskState::Runnable;
        entity.waiting_since = self.now;
        self.emit(EventKind::Fork, cpu, child, [u32::from(this_cpu.0), 0], 0);
        self.update_queue_avg(cpu, self.now);
        if !is_rt {
            self.post_init_entity_util_avg(cpu, child);
        }
        self.enqueue_task(cpu, child, Enqueue::Move);
        self.check_preempt_curr(cpu, child);
        self.task_woken_rt(cpu, child);
    }

    /// A timer that a task armed on `cpu` expires there.
    pub(crate) fn timer_expires(&mut self, cpu: CpuId, task: TaskId, generation: u32, idle_exited: bool) {
        if self.tasks[task.index()].timer_generation != generation {
            return;
        }
        let rq = &self.rqs[cpu.index()];
        let later = match rq.phase {
            Phase::Balancing { until } | Phase::Switching { until, .. } => Some((until, idle_exited)),
            Phase::Idle if !idle_exited && 0 < rq.idle_exit_ns => Some((self.now + rq.idle_exit_ns, true)),
            _ => self.spins_until(task, cpu).map(|until| (until, idle_exited)),
        };
        if let Some((at, idle_exited)) = later {
            self.push(at, MachineEvent::Timer { cpu, task, generation, idle_exited });
            return;
        }
        self.this_cpu = Some(cpu);
        let waker = self.rqs[cpu.index()].curr.map(|task| Waker { task, sync: false });
        self.try_to_wake_up(task, cpu, waker);
        self.this_cpu = None;
        if self.rqs[cpu.index()].need_resched {
            self.schedule(cpu);
        }
    }
}

/// `update_avg()`: moves an average by an eighth of the difference.
pub(crate) fn update_avg(average: &mut u64, sample: u64) {
    let difference = sample as i64 - *average as i64;
    *average = (*average as i64 + difference / 8) as u64;
}
