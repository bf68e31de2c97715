//! Idle CPUs without ticks: who knows of them, and who balances for them.

use rules::balance::CpuIdleType;
use sim::CpuId;
use topology::CpuSet;

use crate::engine::Engine;
use crate::fair::update_cfs_rq_load_avg;
use crate::rq::Phase;

/// What the machine knows of its tickless idle CPUs (`nohz` in fair.c).
#[derive(Clone, Debug, Default, Hash)]
pub(crate) struct Nohz {
    /// CPUs that stopped their tick and have not had a busy tick since.
    pub(crate) idle_cpus: CpuSet,
    /// The jiffy from which an idle balance may be kicked.
    pub(crate) next_balance: u64,
    /// Whether some idle CPU's averages hold load of tasks that left.
    pub(crate) has_blocked: bool,
    /// The jiffy from which that load is updated again.
    pub(crate) next_blocked: u64,
}

/// Blocked load of idle CPUs is updated this often, in milliseconds.
const BLOCKED_PERIOD_MS: u64 = 32;

impl Engine {
    /// A CPU has switched to the idle task and stops its tick.
    ///
    /// Kernel: fair.c nohz_balance_enter_idle(), v4.17…v6.1.
    /// Differs: the tick stops at once, whatever the expected idle time.
    pub(crate) fn enter_idle(&mut self, cpu: CpuId) {
        self.choose_idle_state(cpu);
        self.update_idle_core(cpu);
        let rq = &mut self.rqs[cpu.index()];
        rq.idle_since = self.now;
        rq.has_blocked_load = true;
        self.nohz.has_blocked = true;
        if !rq.nohz_tick_stopped {
            rq.nohz_tick_stopped = true;
            self.nohz.idle_cpus.insert(cpu);
            let llc = self.config.llc_index[cpu.index()];
            self.llcs[llc].nr_busy_cpus -= 1;
            self.busy_llcs -= u32::from(self.llcs[llc].nr_busy_cpus == 1);
        }
    }

    /// The first tick after an idle span.
    ///
    /// Kernel: fair.c nohz_balance_exit_idle(), v4.17…v6.1.
    /// Differs: nothing.
    fn nohz_balance_exit_idle(&mut self, cpu: CpuId) {
        let rq = &mut self.rqs[cpu.index()];
        if rq.nohz_tick_stopped {
            rq.nohz_tick_stopped = false;
            self.nohz.idle_cpus.remove(cpu);
            let llc = self.config.llc_index[cpu.index()];
            self.llcs[llc].nr_busy_cpus += 1;
            self.busy_llcs += u32::from(self.llcs[llc].nr_busy_cpus == 2);
        }
    }

    /// A busy CPU's tick kicks an idle CPU to balance for all idle ones.
    ///
    /// Kernel: fair.c nohz_balancer_kick(), v5.4…v5.10.
    /// Differs: nothing.
    pub(crate) fn nohz_balancer_kick(&mut self, cpu: CpuId, jiffies: u64) {
        self.nohz_balance_exit_idle(cpu);
        if !self.would_kick(cpu, jiffies) {
            return;
        }
        let idle_cpus = self.nohz.idle_cpus;
        let Some(target) = idle_cpus.iter().find(|cpu| self.rqs[cpu.index()].is_idle()) else { return };
        self.nohz.next_balance = jiffies + 1;
        if !self.rqs[target.index()].balance_kicked {
            self.rqs[target.index()].balance_kicked = true;
            self.send_kick(target);
        }
    }

    /// Whether the tick of a busy CPU at this jiffy would look for an idle CPU to kick.
    pub(crate) fn would_kick(&self, cpu: CpuId, jiffies: u64) -> bool {
        if self.nohz.idle_cpus.is_empty() || jiffies < self.nohz.next_balance {
            return false;
        }
        let rq = &self.rqs[cpu.index()];
        if 2 <= rq.nr_running || (rq.capacity_reduced && 1 <= rq.cfs.nr_running) {
            return true;
        }
        if self.config.domains.asymmetric
            && let Some(kicks) = self.misfit_kicks(cpu)
        {
            return kicks;
        }
        1 < self.llcs[self.config.llc_index[cpu.index()]].nr_busy_cpus
    }

    /// Whether any busy CPU's tick could kick. A superset of [`Engine::would_kick`] for arming ticks.
    pub(crate) fn kick_is_possible(&self) -> bool {
        !self.nohz.idle_cpus.is_empty()
            && (0 < self.overloaded_cpus || 0 < self.busy_llcs || 0 < self.reduced_cpus)
    }

    /// A kicked idle CPU balances for every idle CPU whose balance is due, itself last.
    ///
    /// Kernel: fair.c nohz_idle_balance() and run_rebalance_domains(), v5.10…v6.1.
    /// Differs: the order among the other CPUs is that of their numbers in both eras.
    pub(crate) fn nohz_idle_balance(&mut self, this_cpu: CpuId) {
        let rq = &self.rqs[this_cpu.index()];
        if !rq.is_idle() || rq.need_resched || rq.phase != Phase::Idle {
            return;
        }
        self.this_cpu = Some(this_cpu);
        let jiffies = self.jiffies();
        let mut next_balance = jiffies + 60 * u64::from(self.config.kernel.tunables.hz);
        let mut updated = false;
        let mut has_blocked = false;
        let mut aborted = false;
        self.nohz.has_blocked = false;
        for cpu in self.nohz.idle_cpus.iter() {
            if cpu == this_cpu || !self.rqs[cpu.index()].is_idle() {
                continue;
            }
            if self.rqs[this_cpu.index()].need_resched {
                // It has got work itself.
                has_blocked = true;
                aborted = true;
                break;
            }
            has_blocked |= self.update_nohz_stats(cpu, true);
            if self.rqs[cpu.index()].next_balance <= jiffies {
                self.rebalance_domains(cpu, CpuIdleType::Idle);
            }
            if self.rqs[cpu.index()].next_balance < next_balance {
                next_balance = self.rqs[cpu.index()].next_balance;
                updated = true;
            }
        }
        if !aborted {
            self.update_blocked_averages(this_cpu);
            has_blocked |= self.rqs[this_cpu.index()].has_blocked_load;
            let gated = self.config.kernel.tunables.nohz_own_balance_gated;
            if !gated || self.rqs[this_cpu.index()].next_balance <= jiffies {
                self.rebalance_domains(this_cpu, CpuIdleType::Idle);
            }
            if gated && self.rqs[this_cpu.index()].next_balance < next_balance {
                next_balance = self.rqs[this_cpu.index()].next_balance;
                updated = true;
            }
            self.nohz.next_blocked = jiffies + self.blocked_period();
        }
        self.nohz.has_blocked |= has_blocked;
        if updated {
            // Of the other CPUs only: this one's own next balance does not bring the kick forward.
            self.nohz.next_balance = next_balance;
        }
        self.this_cpu = None;
        if self.rqs[this_cpu.index()].need_resched {
            self.schedule(this_cpu);
        }
    }

    /// A busy CPU's own periodic balance.
    ///
    /// Kernel: fair.c run_rebalance_domains(), v5.10.
    /// Differs: nothing.
    pub(crate) fn run_rebalance_domains(&mut self, cpu: CpuId) {
        self.update_blocked_averages(cpu);
        self.rebalance_domains(cpu, CpuIdleType::NotIdle);
    }

    /// A CPU that is about to idle without looking for work updates the blocked load of the idle CPUs.
    ///
    /// Kernel: fair.c nohz_newidle_balance(), v4.17…v5.11.
    /// Differs: it takes no time.
    pub(crate) fn nohz_newidle_balance(&mut self, this_cpu: CpuId) {
        let jiffies = self.jiffies();
        let migration_cost = self.config.kernel.tunables.migration_cost_ns;
        let idle_enough = migration_cost <= self.rqs[this_cpu.index()].avg_idle;
        if !idle_enough || !self.nohz.has_blocked || jiffies < self.nohz.next_blocked {
            return;
        }
        let mut has_blocked = false;
        for cpu in self.nohz.idle_cpus.iter() {
            if cpu != this_cpu && self.rqs[cpu.index()].is_idle() {
                has_blocked |= self.update_nohz_stats(cpu, true);
            }
        }
        self.update_blocked_averages(this_cpu);
        has_blocked |= self.rqs[this_cpu.index()].has_blocked_load;
        self.nohz.has_blocked = has_blocked;
        self.nohz.next_blocked = jiffies + self.blocked_period();
    }

    /// Decays the averages of an idle CPU, at most once a jiffy unless forced. Whether load is left.
    ///
    /// Kernel: fair.c update_nohz_stats(), v4.17…v5.11.
    /// Differs: nothing.
    pub(crate) fn update_nohz_stats(&mut self, cpu: CpuId, force: bool) -> bool {
        let jiffies = self.jiffies();
        let rq = &self.rqs[cpu.index()];
        if !rq.has_blocked_load || !self.nohz.idle_cpus.contains(cpu) {
            return false;
        }
        if !force && jiffies <= rq.last_blocked_load_update {
            return true;
        }
        self.update_blocked_averages(cpu);
        self.rqs[cpu.index()].has_blocked_load
    }

    /// Kernel: fair.c update_blocked_averages(), v4.19…v6.1, with one level: fair and real-time load.
    pub(crate) fn update_blocked_averages(&mut self, cpu: CpuId) {
        self.sync_ticks(cpu);
        let jiffies = self.jiffies();
        let rq = &mut self.rqs[cpu.index()];
        rq.last_blocked_load_update = jiffies;
        let clock = rq.clock_pelt(self.now);
        let decayed = update_cfs_rq_load_avg(&mut rq.cfs, clock);
        let runs_rt = rq.curr.is_some_and(|curr| self.tasks[curr.index()].is_rt());
        self.update_rt_rq_load_avg(cpu, self.now, runs_rt);
        let rq = &mut self.rqs[cpu.index()];
        let avg = &rq.cfs.avg;
        if avg.load_avg == 0 && avg.util_avg == 0 && rq.rt.avg.util_avg == 0 {
            rq.has_blocked_load = false;
        }
        if decayed {
            self.cpufreq_update_util(cpu);
        }
    }

    fn blocked_period(&self) -> u64 {
        (BLOCKED_PERIOD_MS * u64::from(self.config.kernel.tunables.hz)).div_ceil(1_000)
    }
}
