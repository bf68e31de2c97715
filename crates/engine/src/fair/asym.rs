//! Machines whose CPUs differ in capacity: tasks that do not fit, and where a waking one looks for room.

use kernel::AsymWakeup;
use rules::balance::fits_capacity;
use rules::capacity::{self, Candidate, WakeCapacities};
use sim::{CpuId, TaskId};
use trace::explain::Check;

use crate::engine::{Config, Engine};
use crate::explain::{StepExt, step};

impl Config {
    /// `sd_asym_cpucapacity`: the position of a CPU's lowest domain that sees CPUs of different capacity.
    pub(crate) fn asym_domain(&self, cpu: CpuId) -> Option<usize> {
        self.domains.by_cpu[cpu.index()].iter().position(|domain| domain.flags.asym_capacity)
    }
}

impl Engine {
    /// `capacity_of()`: what interrupts and other classes leave of a CPU for fair tasks.
    pub(crate) fn capacity_of(&self, cpu: CpuId) -> u64 {
        self.rqs[cpu.index()].cpu_capacity
    }

    /// `rd->max_cpu_capacity`: that of the biggest CPU.
    fn max_cpu_capacity(&self) -> u64 {
        self.config.capacity.iter().copied().max().unwrap_or(0)
    }

    /// Whether a task fits a capacity, with a fifth to spare.
    ///
    /// Kernel: fair.c task_fits_capacity(), v4.20…v6.0.
    /// Differs: nothing without uclamp.
    pub(crate) fn task_fits_capacity(&self, task: TaskId, capacity: u64) -> bool {
        fits_capacity(self.tasks[task.index()].util_est(), capacity)
    }

    /// A fair task, or none, is about to run on a CPU: whether it fits is noted for the balancer.
    ///
    /// Kernel: fair.c update_misfit_status(), v4.20…v6.18.
    /// Differs: nothing.
    #[inline]
    pub(crate) fn update_misfit_status(&mut self, cpu: CpuId, task: Option<TaskId>) {
        if self.config.domains.asymmetric {
            self.note_misfit(cpu, task);
        }
    }

    #[inline(never)]
    fn note_misfit(&mut self, cpu: CpuId, task: Option<TaskId>) {
        let spares_pinned = self.config.kernel.tunables.misfit_spares_pinned;
        let load = task
            .map(|task| &self.tasks[task.index()])
            .filter(|task| !(spares_pinned && task.allowed.len() == 1))
            .map_or(0, |task| capacity::misfit_load(task.util_est(), self.capacity_of(cpu), task.h_load()));
        self.rqs[cpu.index()].misfit_task_load = load;
    }

    /// Whether the misfit task of a busy CPU is a reason to kick an idle one, and whether that is the only one left to
    /// ask for: where CPUs differ, tasks are not spread for the sake of caches.
    ///
    /// Kernel: fair.c nohz_balancer_kick(), v4.20…v6.18.
    /// Differs: nothing.
    pub(crate) fn misfit_kicks(&self, cpu: CpuId) -> Option<bool> {
        let level = self.config.asym_domain(cpu)?;
        let pct = self.config.domains.by_cpu[cpu.index()][level].imbalance_pct;
        Some(capacity::misfit_wants_help(&self.cpu_state(cpu), self.max_cpu_capacity(), pct))
    }

    /// What a wakee that has slept needs, where its CPU must fit it.
    ///
    /// Kernel: fair.c select_idle_sibling(), the part before its first CPU, v5.7…v6.1.
    /// Differs: nothing.
    pub(crate) fn need_of_wakee(&mut self, task: TaskId) -> Option<u64> {
        let looks = self.config.kernel.tunables.asym_wakeup == AsymWakeup::IdleCapacity;
        if !self.config.domains.asymmetric || !looks {
            return None;
        }
        self.sync_entity_load_avg(task);
        Some(self.tasks[task.index()].util_est())
    }

    /// `SD_BALANCE_WAKE`: whether a wakee that is not for the fast path takes the way of a new task.
    ///
    /// Kernel: topology.c sd_init(), v4.9…v5.6.
    /// Differs: nothing.
    pub(crate) fn wakes_into_idlest_group(&self) -> bool {
        let tunables = &self.config.kernel.tunables;
        self.config.domains.asymmetric && tunables.asym_wakeup == AsymWakeup::IdlestGroup
    }

    /// Whether a wakee must look beyond the two CPUs between which it would choose, since it does not fit the smaller one.
    ///
    /// Kernel: fair.c wake_cap(), v4.9…v5.6.
    /// Differs: nothing.
    pub(crate) fn wake_cap(&mut self, task: TaskId, this_cpu: CpuId, prev_cpu: CpuId) -> bool {
        if !self.wakes_into_idlest_group() {
            return false;
        }
        self.sync_entity_load_avg(task);
        let orig = &self.config.capacity_orig;
        let capacities = WakeCapacities {
            this: orig[this_cpu.index()],
            prev: orig[prev_cpu.index()],
            max: self.max_cpu_capacity(),
        };
        let util = self.tasks[task.index()].util_est();
        let looks_further = capacity::wake_cap(capacities, util);
        self.explain(|_| {
            step(Check::FitsCapacity, !looks_further)
                .of_cpu(if capacities.this < capacities.prev { this_cpu } else { prev_cpu })
                .value("task_util_est", util as i64)
                .value("capacity_of", capacities.this.min(capacities.prev) as i64)
        });
        looks_further
    }
}

/// The CPUs of the domain that sees different capacities, from the target on.
pub(crate) fn candidates<'a>(
    config: &'a Config,
    target: CpuId,
    idle: impl Fn(CpuId) -> bool + 'a,
    capacity_of: impl Fn(CpuId) -> u64 + 'a,
) -> Option<impl Iterator<Item = Candidate> + 'a> {
    let level = config.asym_domain(target)?;
    let span = &config.domains.by_cpu[target.index()][level].span;
    let candidate = move |cpu| Candidate { cpu, idle: idle(cpu), capacity: capacity_of(cpu) };
    Some(span.iter_wrapped(target).map(candidate))
}
