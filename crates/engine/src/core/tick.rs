//! Ticks, executed only where they can change a decision.
//!
//! Every busy CPU ticks at the same multiples of the tick length.
//! A tick that only moves clocks and averages is not an event: [`Engine::sync_ticks`] replays it, in the same integer
//! steps, before anybody looks at the CPU.
//! `Rq::tick_needed` is a lower bound on the next tick that may do more; executing one too many changes nothing.
//! One event serves all CPUs, in the order of their numbers.

use sim::CpuId;

use crate::engine::{Engine, MachineEvent};
use crate::rq::Phase;

impl Engine {
    /// The index of the last tick that has happened for a CPU: the tick under way counts for CPUs up to its own.
    fn last_tick_of(&self, cpu: CpuId) -> u64 {
        let index = self.now / self.config.tick_ns;
        match self.tick_cursor {
            Some(cursor) if cursor < cpu => index - 1,
            _ => index,
        }
    }

    /// Replays the ticks of a CPU that were not executed. Must precede any look at its averages or virtual times.
    pub(crate) fn sync_ticks(&mut self, cpu: CpuId) {
        let last = self.last_tick_of(cpu);
        let rq = &self.rqs[cpu.index()];
        if last <= rq.ticks.done {
            return;
        }
        let first = rq.ticks.done + 1;
        self.rqs[cpu.index()].ticks.done = last;
        if !self.rqs[cpu.index()].is_ticking() {
            return;
        }
        self.replay_ticks(cpu, first, last);
    }

    fn replay_ticks(&mut self, cpu: CpuId, first: u64, last: u64) {
        let tick_ns = self.config.tick_ns;
        if let Some(curr) = self.rqs[cpu.index()].rt.curr {
            for index in first..=last {
                self.replay_tick_rt(cpu, curr, index * tick_ns);
            }
            return;
        }
        let Some(curr) = self.rqs[cpu.index()].cfs.curr else { return };
        let nice_0 = self.tasks[curr.index()].se.load.weight == rules::load_weight::NICE_0_LOAD;
        for index in first..=last {
            let at = index * tick_ns;
            // With nice 0 virtual time is time, so many charges are as good as one.
            if !nice_0 || index == last {
                self.update_curr(cpu, at);
            }
            self.update_load_avg(cpu, curr, at);
        }
    }

    /// The tick with this index, on every CPU where it may matter.
    pub(crate) fn tick(&mut self, index: u64) {
        if index != self.armed_tick {
            // A later arming has made this event stale.
            return;
        }
        self.armed_tick = u64::MAX;
        for cpu in 0..self.rqs.len() {
            let cpu = CpuId(cpu as u16);
            self.tick_cursor = Some(cpu);
            let rq = &self.rqs[cpu.index()];
            if !rq.is_ticking() {
                continue;
            }
            // A lower CPU's balance may just have touched this one: what it needs is not known yet.
            let may_matter = rq.ticks.dirty || rq.ticks.needed <= index || self.would_kick(cpu, index);
            if self.options.every_tick || may_matter {
                self.scheduler_tick(cpu, index);
                self.mark_dirty(cpu);
            }
        }
        self.tick_cursor = None;
        for cpu in 0..self.rqs.len() {
            // A reschedule that was asked for happens when the tick's interrupt returns.
            let cpu = CpuId(cpu as u16);
            if self.rqs[cpu.index()].need_resched && self.rqs[cpu.index()].ticks.asked {
                self.rqs[cpu.index()].ticks.asked = false;
                if !self.rqs[cpu.index()].irqs_off() {
                    self.schedule(cpu);
                }
            }
        }
    }

    /// One CPU's tick.
    ///
    /// Kernel: core.c scheduler_tick() and fair.c trigger_load_balance(), v5.4…v6.1.
    /// Differs: the balance softirq takes no time on a busy CPU.
    fn scheduler_tick(&mut self, cpu: CpuId, index: u64) {
        let rq = &self.rqs[cpu.index()];
        debug_assert!(rq.ticks.done < index, "{cpu} has had tick {index}");
        if rq.ticks.done + 1 < index {
            let first = rq.ticks.done + 1;
            self.replay_ticks(cpu, first, index - 1);
        }
        self.rqs[cpu.index()].ticks.done = index;
        let had_asked = self.rqs[cpu.index()].need_resched;
        self.this_cpu = Some(cpu);
        self.task_tick_rt(cpu, self.now);
        self.task_tick_fair(cpu, self.now);
        self.nohz_balancer_kick(cpu, index);
        if self.rqs[cpu.index()].next_balance <= index && self.rqs[cpu.index()].phase == Phase::Running {
            self.run_rebalance_domains(cpu);
        }
        self.this_cpu = None;
        if self.rqs[cpu.index()].need_resched && !had_asked {
            self.rqs[cpu.index()].ticks.asked = true;
        }
    }

    /// After an event: computes anew when the CPUs that it touched need their next tick, and arms it.
    pub(crate) fn arm_ticks(&mut self) {
        let mut earliest = u64::MAX;
        while let Some(cpu) = self.dirty.pop() {
            self.rqs[cpu.index()].ticks.dirty = false;
            let needed = self.next_needed_tick(cpu);
            self.rqs[cpu.index()].ticks.needed = needed;
            earliest = earliest.min(needed);
        }
        if self.armed_tick == u64::MAX {
            // The tick has just run: all CPUs have a say in the next one.
            for rq in &self.rqs {
                if rq.is_ticking() {
                    earliest = earliest.min(rq.ticks.needed);
                }
            }
        }
        let next = self.now / self.config.tick_ns + 1;
        if self.kick_is_possible() {
            earliest = earliest.min(self.nohz.next_balance.max(next));
        }
        if self.options.every_tick {
            earliest = next;
        }
        if earliest < self.armed_tick {
            let earliest = earliest.max(next);
            if earliest < self.armed_tick {
                self.armed_tick = earliest;
                self.push_tick(earliest * self.config.tick_ns, MachineEvent::Tick { index: earliest });
            }
        }
    }

    /// The next tick of a CPU whose handler may do more than move clocks and averages.
    fn next_needed_tick(&self, cpu: CpuId) -> u64 {
        let rq = &self.rqs[cpu.index()];
        if !rq.is_ticking() {
            return u64::MAX;
        }
        let next = self.now / self.config.tick_ns + 1;
        // Where CPUs differ, a tick notes whether the running task still fits, and a tick may change the frequency.
        let notes = self.config.domains.asymmetric || !self.config.performance.is_empty();
        if rq.nohz_tick_stopped || notes {
            return next;
        }
        let mut needed = rq.next_balance.max(next);
        if let Some(curr) = rq.rt.curr {
            needed = needed.min(self.next_rt_tick(cpu, curr).max(next));
        }
        if let Some(curr) = rq.cfs.curr
            && let Some(exec) = self.exec_until_tick_preempt(cpu, curr)
        {
            let from = self.tasks[curr.index()].se.exec_start;
            let at = from.saturating_add(exec);
            needed = needed.min((at / self.config.tick_ns).max(next));
        }
        needed
    }

    /// Notes that an event has touched a CPU's queue.
    pub(crate) fn mark_dirty(&mut self, cpu: CpuId) {
        let rq = &mut self.rqs[cpu.index()];
        if !rq.ticks.dirty {
            rq.ticks.dirty = true;
            self.dirty.push(cpu);
        }
    }
}
