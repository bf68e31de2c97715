use sim::{CpuId, Nanos, TaskId};
use trace::{Event, EventKind, MigrateReason, PrevState};

use crate::engine::{Engine, MachineEvent};
use crate::fair::Dequeue;
use crate::rq::Phase;
use crate::task::{Stage, TaskState};

impl Engine {
    /// Leaves the current task: it was preempted, sleeps, or is the idle task.
    ///
    /// Kernel: core.c __schedule(), v3.3…v6.1.
    /// Differs: a newidle balance and the switch take time, during which interrupts wait.
    pub(crate) fn schedule(&mut self, cpu: CpuId) {
        debug_assert!(!self.rqs[cpu.index()].irqs_off(), "{cpu} cannot schedule with interrupts off");
        self.pause_current(cpu);
        self.rqs[cpu.index()].need_resched = false;
        self.mark_dirty(cpu);
        if let Some(prev) = self.rqs[cpu.index()].curr
            && self.tasks[prev.index()].state != TaskState::Runnable
            && self.tasks[prev.index()].se.on_rq
        {
            self.sync_ticks(cpu);
            self.dequeue_task(cpu, prev, Dequeue::Sleep);
            self.put_prev_task(cpu);
            if self.tasks[prev.index()].is_rt() {
                self.pull_rt_task(cpu, self.tasks[prev.index()].prio);
                // Whatever asked for a reschedule meanwhile has it.
                self.rqs[cpu.index()].need_resched = false;
            }
        }
        if 0 < self.rqs[cpu.index()].nr_running {
            self.switch_to_next(cpu);
            return;
        }
        if self.rqs[cpu.index()].curr.is_none() {
            self.rqs[cpu.index()].phase = Phase::Idle;
            return;
        }
        if self.newidle_balance_begins(cpu) {
            self.newidle_balance(cpu);
            let rq = &mut self.rqs[cpu.index()];
            let cost = self.config.costs.newidle_balance.0;
            let until = self.now + rq.streams.newidle.jitter(cost, self.config.costs.jitter_pct);
            rq.phase = Phase::Balancing { until };
            self.push_phase_end(cpu, until);
        } else {
            self.switch_to_next(cpu);
        }
    }

    /// Chooses the next task, or the idle task, and begins the switch to it.
    pub(crate) fn switch_to_next(&mut self, cpu: CpuId) {
        self.sync_ticks(cpu);
        let prev = self.rqs[cpu.index()].curr;
        let next = self.pick_next_task(cpu);
        // The real-time class looks for tasks to push at every pick, of the running task too.
        let looks_anew = next.is_some_and(|next| self.tasks[next.index()].is_rt());
        if self.current_of_class(cpu) != next || looks_anew {
            self.put_prev_task(cpu);
            if let Some(next) = next {
                self.set_next_task(cpu, next);
            }
        }
        if next.is_none_or(|next| !self.tasks[next.index()].is_rt()) {
            self.update_misfit_status(cpu, next);
        }
        self.mark_dirty(cpu);
        if prev == next {
            // Preempted in favour of nobody, or woken before the switch away from it: it goes on at once.
            if let Some(next) = next {
                self.tasks[next.index()].on_cpu = true;
            }
            self.account_waits(cpu);
            self.rqs[cpu.index()].phase = Phase::Running;
            self.continue_current(cpu);
            self.balance_callback(cpu);
            return;
        }
        self.begin_switch(cpu, prev, next);
    }

    fn begin_switch(&mut self, cpu: CpuId, prev: Option<TaskId>, next: Option<TaskId>) {
        let prev_state = match prev {
            None => PrevState::Idle,
            Some(prev) => match self.tasks[prev.index()].state {
                TaskState::Runnable if self.tasks[prev.index()].se.on_rq => PrevState::Preempted,
                TaskState::Dead => PrevState::Dead,
                _ => PrevState::Sleeping,
            },
        };
        if prev_state == PrevState::Preempted
            && let Some(prev) = prev
        {
            self.tasks[prev.index()].waiting_since = self.now;
        }
        if let Some(next) = next {
            let task = &mut self.tasks[next.index()];
            task.on_cpu = true;
            self.counters.wait_sum_ns += self.now - task.waiting_since;
        }
        self.counters.switches += 1;
        self.note_busy(cpu, next.is_some());
        let now = self.now;
        let to_rt = next.is_some_and(|next| self.tasks[next.index()].is_rt());
        let rq = &mut self.rqs[cpu.index()];
        rq.set_curr(next, now);
        rq.rt.note_switch(now, to_rt);
        let cost = self.config.costs.context_switch.0;
        let until = self.now + rq.streams.context_switch.jitter(cost, self.config.costs.jitter_pct);
        rq.phase = Phase::Switching { from: prev, until };
        self.account_waits(cpu);
        let left = self.rqs[cpu.index()].waits.waiting;
        let task_arg = |task: Option<TaskId>| task.unwrap_or(Event::NO_TASK);
        self.emit(EventKind::Switch, cpu, task_arg(next), [task_arg(prev).0, left], prev_state as u8);
        self.push_phase_end(cpu, until);
    }

    /// A newidle balance or a switch is complete.
    pub(crate) fn phase_ends(&mut self, cpu: CpuId) {
        match self.rqs[cpu.index()].phase {
            Phase::Balancing { .. } => self.switch_to_next(cpu),
            Phase::Switching { from, .. } => {
                if let Some(from) = from {
                    // Unless it executes another program, for which it moved: there another CPU has been quicker.
                    let home = self.tasks[from.index()].cpu;
                    self.tasks[from.index()].on_cpu = self.rqs[home.index()].curr == Some(from);
                    if self.tasks[from.index()].state == TaskState::Dead && !self.tasks[from.index()].is_rt()
                    {
                        self.task_dead_fair(from);
                    }
                }
                if self.rqs[cpu.index()].curr.is_some() {
                    self.rqs[cpu.index()].phase = Phase::Running;
                    self.continue_current(cpu);
                } else {
                    self.rqs[cpu.index()].phase = Phase::Idle;
                    self.enter_idle(cpu);
                }
                self.balance_callback(cpu);
                self.handle_pending_irqs(cpu);
            }
            Phase::Idle | Phase::Running => debug_assert!(false, "{cpu} had no phase to end"),
        }
    }

    /// What the pick of a real-time task has left to do after the switch to it.
    ///
    /// Kernel: core.c balance_callback(), v4.2…v6.1.
    /// Differs: nothing.
    fn balance_callback(&mut self, cpu: CpuId) {
        if std::mem::take(&mut self.rqs[cpu.index()].rt.push_queued) {
            let outer = self.this_cpu.replace(cpu);
            self.push_rt_tasks(cpu);
            self.this_cpu = outer;
        }
    }

    /// The current task goes on with its stage, now that it has the CPU.
    pub(crate) fn continue_current(&mut self, cpu: CpuId) {
        let Some(task) = self.rqs[cpu.index()].curr else { return };
        let rate = self.rqs[cpu.index()].work_rate;
        let entity = &mut self.tasks[task.index()];
        entity.turn_started = self.now;
        let end = match entity.stage {
            Stage::Spin { until } => until.max(self.now),
            Stage::Compute => self.now.saturating_add(entity.compute_left().duration(rate)),
            _ => self.now.saturating_add(entity.left_ns),
        };
        let rq = &mut self.rqs[cpu.index()];
        rq.generation += 1;
        let event = MachineEvent::StageEnd { cpu, generation: rq.generation };
        self.push(end, event);
    }

    /// The current task stops executing: what it has done of its stage is kept.
    pub(crate) fn pause_current(&mut self, cpu: CpuId) {
        let rq = &mut self.rqs[cpu.index()];
        rq.generation += 1;
        if rq.phase == Phase::Running
            && let Some(task) = rq.curr
        {
            let entity = &mut self.tasks[task.index()];
            let done = self.now - entity.turn_started;
            if entity.stage == Stage::Compute {
                let left = entity.compute_left().after(done, rq.work_rate);
                (entity.left_ns, entity.left_parts) = (left.ns, left.parts);
            } else {
                entity.left_ns = entity.left_ns.saturating_sub(done);
            }
            entity.turn_started = self.now;
        }
    }

    fn push_phase_end(&mut self, cpu: CpuId, until: u64) {
        let rq = &mut self.rqs[cpu.index()];
        rq.generation += 1;
        let event = MachineEvent::PhaseEnd { cpu, generation: rq.generation };
        self.push(until, event);
    }

    /// The stopper runs on a CPU: it pushes one task to the CPU that asked, and the queue picks anew.
    ///
    /// Kernel: stop_machine's cpu_stopper_thread() around fair.c active_load_balance_cpu_stop(), v3.3…v6.1.
    /// Differs: the stopper's own switch is charged to the delay of the kick.
    pub(crate) fn stopper_runs(&mut self, cpu: CpuId) {
        if let Phase::Balancing { until } | Phase::Switching { until, .. } = self.rqs[cpu.index()].phase {
            self.push(until, MachineEvent::Stopper { cpu });
            return;
        }
        let Some(push_cpu) = self.rqs[cpu.index()].active_balance.take() else { return };
        self.sync_ticks(cpu);
        self.pause_current(cpu);
        self.put_prev_task(cpu);
        let executed = self.rqs[cpu.index()].curr;
        self.active_load_balance(cpu, push_cpu);
        self.rqs[cpu.index()].need_resched = false;
        if executed.is_some() {
            self.switch_to_next(cpu);
        }
        if self.rqs[cpu.index()].active_balance_voluntary
            && let Some(task) = executed.filter(|task| self.tasks[task.index()].cpu != cpu)
        {
            let reason = MigrateReason::Active as u8;
            self.emit(EventKind::Migrate, push_cpu, task, [u32::from(cpu.0), 0], reason);
        }
    }

    /// Moves a task's simulated time along and asks for a reschedule of its CPU.
    ///
    /// Kernel: core.c resched_curr(), v3.3…v6.1.
    /// Differs: nothing.
    pub(crate) fn resched_curr(&mut self, cpu: CpuId) {
        if self.rqs[cpu.index()].need_resched {
            return;
        }
        self.rqs[cpu.index()].need_resched = true;
        if self.this_cpu != Some(cpu) {
            self.send_kick(cpu);
        }
    }

    /// Sends an inter-processor interrupt.
    pub(crate) fn send_kick(&mut self, cpu: CpuId) {
        let rq = &mut self.rqs[cpu.index()];
        let idle = rq.phase == Phase::Idle;
        let cost = if idle { self.config.costs.kick_idle } else { self.config.costs.kick_busy };
        let exit = if idle { rq.idle_exit_ns } else { 0 };
        let delay = rq.streams.kick.jitter(cost.0, self.config.costs.jitter_pct) + exit;
        self.push(self.now + delay, MachineEvent::Kick { cpu });
    }

    /// An inter-processor interrupt arrives.
    pub(crate) fn kick_arrives(&mut self, cpu: CpuId) {
        if self.rqs[cpu.index()].irqs_off() {
            self.rqs[cpu.index()].irq_pending = true;
        } else {
            self.handle_ipi(cpu);
        }
    }

    /// What arrived while interrupts were off.
    pub(crate) fn handle_pending_irqs(&mut self, cpu: CpuId) {
        if self.rqs[cpu.index()].irqs_off() {
            return;
        }
        if std::mem::take(&mut self.rqs[cpu.index()].irq_pending) {
            self.handle_ipi(cpu);
        } else if self.rqs[cpu.index()].need_resched {
            self.schedule(cpu);
        }
    }

    /// The handler of inter-processor interrupts: wake list, balance kick, reschedule.
    fn handle_ipi(&mut self, cpu: CpuId) {
        self.flush_wake_list_begins(cpu);
        let rq = &mut self.rqs[cpu.index()];
        if std::mem::take(&mut rq.balance_kicked) && rq.is_idle() && !rq.need_resched {
            let delay = rq.streams.ilb.jitter(self.config.costs.ilb.0, self.config.costs.jitter_pct);
            self.push(self.now + delay, MachineEvent::IdleBalance { cpu });
        }
        if self.rqs[cpu.index()].need_resched {
            self.schedule(cpu);
        }
    }

    /// A task becomes runnable on a CPU.
    pub(crate) fn add_nr_running(&mut self, cpu: CpuId) {
        let rq = &mut self.rqs[cpu.index()];
        rq.nr_running += 1;
        let nr_running = rq.nr_running;
        if nr_running == 2 {
            self.overloaded_cpus += 1;
            self.rd_overload = true;
        }
        self.account_waits(cpu);
        self.emit(EventKind::QueueLength, cpu, Event::NO_TASK, [nr_running, 0], 0);
        self.mark_dirty(cpu);
    }

    /// A task of a CPU is no longer runnable there.
    pub(crate) fn sub_nr_running(&mut self, cpu: CpuId) {
        let rq = &mut self.rqs[cpu.index()];
        rq.nr_running -= 1;
        let nr_running = rq.nr_running;
        if nr_running == 1 {
            self.overloaded_cpus -= 1;
        }
        self.account_waits(cpu);
        self.emit(EventKind::QueueLength, cpu, Event::NO_TASK, [nr_running, 0], 0);
        self.mark_dirty(cpu);
    }

    /// Logs the decisions at hunks that the last balance met.
    pub(crate) fn flush_decisions(&mut self, cpu: CpuId) {
        for at in 0..self.audit.pending.len() {
            let decision = self.audit.pending[at];
            let hunk = decision.hunk.patch as u32 * 256 + u32::from(decision.hunk.index);
            self.explain_hunk(hunk, decision.differing, decision.active);
            if decision.differing == 0 {
                continue;
            }
            let active = decision.active.map_or(0, |form| form.0 + 1);
            let args = [hunk, u32::from(decision.differing)];
            let (at, task, kind) = (Nanos(self.now), Event::NO_TASK, EventKind::Decision);
            self.trace.annotate(Event { at, args, task, cpu, kind, detail: active });
        }
        self.audit.pending.clear();
    }

    /// Records an event.
    pub(crate) fn emit(&mut self, kind: EventKind, cpu: CpuId, task: TaskId, args: [u32; 2], detail: u8) {
        self.trace.push(Event { at: Nanos(self.now), args, task, cpu, kind, detail });
        if self.watch.is_some() {
            self.watch_event(kind, cpu, task, args[0], detail);
        }
    }
}
