//! Energy-aware placement on machines whose CPUs differ, while no CPU is full.

use rules::balance::fits_capacity;
use rules::energy::{self, CpuRoom, PerfRoom, PerfState, Usage};
use sim::{CpuId, TaskId};
use topology::{CpuSet, Topology};
use trace::explain::Check;

use crate::engine::Engine;
use crate::explain::{StepExt, step};

/// A performance domain of the machine.
#[derive(Clone, Debug)]
pub(crate) struct PerfDomain {
    pub(crate) span: CpuSet,
    /// The capacity of its CPUs at the highest frequency.
    pub(crate) capacity: u64,
    /// Its table, in ascending order.
    pub(crate) states: Vec<PerfState>,
    /// What a busy CPU takes at each of these, in µW.
    pub(crate) microwatts: Vec<u64>,
    /// How long a change of frequency takes, and how far apart two are at least, in nanoseconds.
    pub(crate) transition_ns: u64,
    pub(crate) rate_limit_ns: u64,
}

impl PerfDomain {
    /// Those of a machine.
    pub(crate) fn of_machine(topology: &Topology) -> Vec<PerfDomain> {
        let domain = |domain: &topology::PerfDomain| PerfDomain {
            span: domain.span(),
            capacity: u64::from(topology.cpus[usize::from(domain.first_cpu)].capacity),
            states: PerfState::table(domain.opps.iter().map(|opp| (opp.khz, opp.microwatts))),
            microwatts: domain.opps.iter().map(|opp| u64::from(opp.microwatts)).collect(),
            transition_ns: domain.transition_ns,
            rate_limit_ns: rules::cpufreq::rate_limit_ns(domain.transition_ns),
        };
        topology.performance.iter().map(domain).collect()
    }
}

impl Engine {
    /// Whether wake-ups look at energy: the machine has a table of powers, its CPUs differ, and none is full.
    ///
    /// Kernel: topology.c build_perf_domains() and fair.c sched_energy_enabled(), v5.0…v6.1.
    /// Differs: the kernel also wants the governor schedutil; here a fixed frequency will do.
    pub(crate) fn energy_aware(&self) -> bool {
        self.config.eas && !self.rd_overutilized
    }

    /// `cpu_util()`: utilisation of the fair class or its estimate, at most the CPU's capacity.
    fn cpu_util(&self, cpu: CpuId) -> u64 {
        let cfs = &self.rqs[cpu.index()].cfs;
        cfs.avg.util_avg.max(cfs.util_est_enqueued).min(self.config.capacity_orig[cpu.index()])
    }

    /// Whether a CPU has less than a fifth of its capacity to spare.
    ///
    /// Kernel: fair.c cpu_overutilized(), v5.0…v6.1.
    /// Differs: nothing without uclamp.
    pub(crate) fn cpu_overutilized(&self, cpu: CpuId) -> bool {
        self.config.eas && !fits_capacity(self.cpu_util(cpu), self.capacity_of(cpu))
    }

    /// A CPU has more to do: if it is full, energy is not looked at until a balance finds that none is.
    ///
    /// Kernel: fair.c update_overutilized_status(), v5.0…v6.1.
    /// Differs: nothing.
    #[inline]
    pub(crate) fn update_overutilized_status(&mut self, cpu: CpuId) {
        if self.config.eas && !self.rd_overutilized && self.cpu_overutilized(cpu) {
            self.rd_overutilized = true;
        }
    }

    /// A balance has looked at the CPUs of a domain, which may be the whole machine.
    ///
    /// Kernel: fair.c update_sd_lb_stats(), its part on overutilisation, v5.0…v6.1.
    /// Differs: nothing.
    pub(crate) fn note_overutilized(&mut self, span: &CpuSet, is_root: bool) {
        if !self.config.eas {
            return;
        }
        let found = span.iter().any(|cpu| self.cpu_overutilized(cpu));
        self.rd_overutilized = if is_root { found } else { self.rd_overutilized || found };
    }

    /// The CPU on which a waking task takes the least power; none where energy is not looked at.
    ///
    /// Kernel: fair.c find_energy_efficient_cpu(), v5.4…v5.10.
    /// Differs: see the rule.
    pub(crate) fn find_energy_efficient_cpu(&mut self, task: TaskId, prev: CpuId) -> Option<CpuId> {
        if !self.config.eas {
            return None;
        }
        let overutilized = self.rd_overutilized;
        self.explain(|_| step(Check::Overutilized, overutilized));
        if overutilized {
            return None;
        }
        for cpu in 0..self.rqs.len() {
            self.sync_ticks(CpuId(cpu as u16));
        }
        self.sync_entity_load_avg(task);
        if self.tasks[task.index()].util_est() == 0 {
            return Some(prev);
        }
        let config = self.config.clone();
        let room = |domain: &'_ PerfDomain| domain.span.iter().map(|cpu| self.cpu_room(cpu, task)).collect();
        let domains: Vec<PerfRoom<'_>> = config
            .performance
            .iter()
            .map(|domain| PerfRoom { states: &domain.states, capacity: domain.capacity, cpus: room(domain) })
            .collect();
        let choice = energy::find_energy_efficient_cpu(&domains, prev, config.kernel.tunables.eas_margin);
        for (cpu, delta) in &choice.candidates {
            self.explain(|_| {
                step(Check::Energy, *cpu == choice.cpu).of_cpu(*cpu).value("energy_delta", *delta as i64)
            });
        }
        Some(choice.cpu)
    }

    /// What a task finds on a CPU.
    ///
    /// Kernel: fair.c cpu_util_next(), v5.0…v5.10.
    /// Differs: nothing.
    fn cpu_room(&self, cpu: CpuId, task: TaskId) -> CpuRoom {
        let entity = &self.tasks[task.index()];
        let cfs = &self.rqs[cpu.index()].cfs;
        let util = entity.se.avg.util_avg;
        let (without, with) = if entity.cpu == cpu {
            (cfs.avg.util_avg.saturating_sub(util), cfs.avg.util_avg)
        } else {
            (cfs.avg.util_avg, cfs.avg.util_avg + util)
        };
        let most = self.config.capacity_orig[cpu.index()];
        let estimated = cfs.util_est_enqueued;
        let usage = |fair: u64| self.usage(cpu, fair.min(most));
        CpuRoom {
            cpu,
            allowed: entity.allowed.contains(cpu),
            capacity: self.capacity_of(cpu),
            without: usage(without.max(estimated)),
            with: usage(with.max(estimated + entity.util_est.value())),
        }
    }

    /// What a CPU is used for, where the fair class uses so much of it.
    pub(crate) fn usage(&self, cpu: CpuId, fair: u64) -> Usage {
        let rt = &self.rqs[cpu.index()].rt;
        Usage { fair, rt: rt.avg.util_avg, rt_runnable: rt.is_runnable() }
    }
}
