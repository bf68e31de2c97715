//! Throttling: real-time tasks leave a part of every period to others.

use sim::{CpuId, TaskId};

use crate::engine::{Engine, MachineEvent};

impl Engine {
    /// Whether real-time tasks are limited at all.
    fn limits_rt(&self) -> bool {
        let tunables = &self.config.kernel.tunables;
        tunables.rt_runtime_ns < tunables.rt_period_ns
    }

    /// Periods are counted while real-time tasks are about.
    ///
    /// Kernel: rt.c start_rt_bandwidth(), v5.4…v6.1.
    /// Differs: the first expiry, which finds nothing to do, is left out.
    pub(crate) fn start_rt_bandwidth(&mut self) {
        if !self.rt_period_active && self.limits_rt() {
            self.rt_period_active = true;
            self.push(self.now + self.config.kernel.tunables.rt_period_ns, MachineEvent::RtPeriod);
        }
    }

    /// A lower bound on the tick at which the queue is throttled, if nothing else changes.
    pub(super) fn throttle_tick(&self, cpu: CpuId, curr: TaskId) -> u64 {
        let rt = &self.rqs[cpu.index()].rt;
        if !self.limits_rt() || self.config.kernel.tunables.rt_period_ns <= rt.rt_runtime {
            return u64::MAX;
        }
        let left = rt.rt_runtime.saturating_sub(rt.rt_time);
        (self.tasks[curr.index()].se.exec_start + left) / self.config.tick_ns
    }

    /// Whether a queue has used up its time, and if so throttles it.
    ///
    /// Kernel: rt.c sched_rt_runtime_exceeded(), v5.4…v6.1.
    /// Differs: nothing.
    pub(super) fn rt_runtime_exceeded(&mut self, cpu: CpuId) -> bool {
        let period = self.config.kernel.tunables.rt_period_ns;
        let rt = &self.rqs[cpu.index()].rt;
        if rt.throttled {
            return true;
        }
        if !self.limits_rt() || period <= rt.rt_runtime {
            return false;
        }
        self.balance_runtime(cpu);
        let rt = &self.rqs[cpu.index()].rt;
        if rt.rt_time <= rt.rt_runtime {
            return false;
        }
        self.counters.rt_throttles += 1;
        let counted = rt.counted();
        self.rqs[cpu.index()].rt.throttled = true;
        for _ in 0..counted {
            self.sub_nr_running(cpu);
        }
        true
    }

    /// Borrows from every other CPU its share of what that one has to spare.
    ///
    /// Kernel: rt.c balance_runtime() and do_balance_runtime(), v5.4…v6.1.
    /// Differs: nothing.
    fn balance_runtime(&mut self, cpu: CpuId) {
        let period = self.config.kernel.tunables.rt_period_ns;
        let rt = &self.rqs[cpu.index()].rt;
        if !self.config.kernel.tunables.rt_runtime_share || rt.rt_time <= rt.rt_runtime {
            return;
        }
        let weight = self.rqs.len() as u64;
        for other in 0..self.rqs.len() {
            let other = CpuId(other as u16);
            if other == cpu {
                continue;
            }
            // What the other one has used is known as of its last tick.
            self.sync_ticks(other);
            let wanted = period - self.rqs[cpu.index()].rt.rt_runtime;
            let lender = &mut self.rqs[other.index()].rt;
            let lent = (lender.rt_runtime.saturating_sub(lender.rt_time) / weight).min(wanted);
            lender.rt_runtime -= lent;
            self.rqs[cpu.index()].rt.rt_runtime += lent;
            self.mark_dirty(other);
            if lent == wanted {
                break;
            }
        }
    }

    /// A period ends: every CPU has its time again.
    ///
    /// Kernel: rt.c do_sched_rt_period_timer(), v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn rt_period_ends(&mut self) {
        let mut idle = true;
        for cpu in 0..self.rqs.len() {
            let cpu = CpuId(cpu as u16);
            self.sync_ticks(cpu);
            if self.rqs[cpu.index()].rt.throttled {
                self.balance_runtime(cpu);
            }
            let rt = &mut self.rqs[cpu.index()].rt;
            rt.rt_time = rt.rt_time.saturating_sub(rt.rt_runtime);
            let freed = rt.throttled && rt.rt_time < rt.rt_runtime;
            idle &= rt.rt_time == 0 && rt.queue.is_empty();
            if freed {
                self.unthrottle(cpu);
            }
            self.mark_dirty(cpu);
        }
        self.rt_period_active = !idle;
        if !idle {
            self.push(self.now + self.config.kernel.tunables.rt_period_ns, MachineEvent::RtPeriod);
        }
    }

    /// Kernel: rt.c sched_rt_rq_enqueue(), v5.4…v6.1.
    fn unthrottle(&mut self, cpu: CpuId) {
        self.rqs[cpu.index()].rt.throttled = false;
        for _ in 0..self.rqs[cpu.index()].rt.counted() {
            self.add_nr_running(cpu);
        }
        self.account_waits(cpu);
        let rq = &self.rqs[cpu.index()];
        let curr_prio = rq.curr.map_or(u8::MAX, |curr| self.tasks[curr.index()].prio);
        if rq.rt.is_runnable() && rq.rt.highest_prio() < curr_prio {
            self.resched_curr(cpu);
        }
    }
}
