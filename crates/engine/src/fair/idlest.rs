//! Where a task starts: down the domains, each time into the idlest group, and what was compared on the way.

use kernel::Balancer;
use rules::balance::{CpuState, GroupStats, Idlest, WakeupFlags, idlest_other_group};
use sim::{CpuId, TaskId};
use topology::{CpuSet, Domain, Group};
use trace::explain::Check;

use crate::engine::Engine;
use crate::explain::{StepExt, step};
use crate::fair::select_cpu::domain_view;
use crate::task::{Task, TaskState};

/// The groups of a domain in which a task may start.
#[derive(Clone, Copy)]
pub(crate) struct StartGroups<'a> {
    pub(crate) domain: &'a Domain,
    /// Positions of the groups in which it may run.
    pub(crate) candidates: &'a [usize],
    /// The position of this CPU's group among the candidates, if it is one.
    pub(crate) local: Option<usize>,
}

/// A value by which groups are compared: its name for the better one of the others, its name for the local one, and
/// what each candidate has.
pub(crate) type Measure<'a> = (&'static str, &'static str, &'a dyn Fn(usize) -> i64);

impl Engine {
    /// The CPU for a new thread, for one that executes another program, or up to v5.6 for one that wakes and fits neither
    /// its CPU nor the waker's: down the domains, each time into the idlest group. What it is part of already leaves it
    /// out.
    ///
    /// Kernel: fair.c select_task_rq_fair() with SD_BALANCE_FORK, _EXEC or _WAKE, find_idlest_cpu(), v5.4…v5.10.
    /// Differs: nothing.
    pub(crate) fn find_idlest_cpu(&mut self, this_cpu: CpuId, task: TaskId) -> CpuId {
        let config = self.config.clone();
        let allowed = self.tasks[task.index()].allowed;
        let mut cpu = this_cpu;
        let mut level = config.domains.by_cpu[this_cpu.index()].iter().rposition(|sd| sd.flags.balance_fork);
        while let Some(at) = level {
            let domain = &config.domains.by_cpu[cpu.index()][at];
            self.explain_domain(domain, cpu, task);
            if !domain.span.intersects(&allowed) {
                break;
            }
            for other in domain.span.iter() {
                self.sync_ticks(other);
            }
            let weight = domain.span_weight;
            if let Some(group) = self.find_idlest_group(domain, task) {
                cpu = self.find_idlest_group_cpu(&domain.groups[group], cpu, &allowed);
                self.explain_idlest_cpu(&domain.groups[group], &allowed, cpu);
            }
            // Go on in the widest domain of the new CPU that is narrower than this one.
            level = config.domains.by_cpu[cpu.index()]
                .iter()
                .rposition(|sd| sd.flags.balance_fork && sd.span_weight < weight);
        }
        cpu
    }

    /// The position of the group to start in, unless that is the local one; of those in which the task may run.
    fn find_idlest_group(&mut self, domain: &Domain, task: TaskId) -> Option<usize> {
        let allowed = &self.tasks[task.index()].allowed;
        let candidates: Vec<usize> =
            (0..domain.groups.len()).filter(|at| domain.groups[*at].cpus.intersects(allowed)).collect();
        let local = candidates.iter().position(|at| *at == 0);
        let groups = StartGroups { domain, candidates: &candidates, local };
        let idlest = match self.config.kernel.tunables.balancer {
            Balancer::ByLoad => self.idlest_group_by_load(groups, task),
            Balancer::ByGroupType => self.idlest_group_by_type(groups, task),
        };
        match idlest? {
            Idlest::Local => None,
            Idlest::Group(position) => Some(candidates[position]),
        }
    }

    fn idlest_group_by_type(&mut self, groups: StartGroups<'_>, task: TaskId) -> Option<Idlest> {
        let view = domain_view(groups.domain);
        let group_stats = |at: &usize| {
            let group = &groups.domain.groups[*at];
            let mut stats = GroupStats::start(group.weight);
            for member in group.cpus.iter() {
                stats.add(&self.cpu_state_without(member, task));
            }
            stats.finish_for_wakeup(
                &view,
                WakeupFlags {
                    task_fits: self.task_fits_capacity(task, stats.max_capacity),
                    imbalanced: false,
                },
            );
            stats
        };
        let stats: Vec<GroupStats> = groups.candidates.iter().map(group_stats).collect();
        let tunables = &self.config.kernel.tunables;
        let idlest = rules::balance::find_idlest_group(tunables, &view, &stats, groups.local);
        if self.explains() {
            self.explain_groups_by_type(groups, &stats, idlest);
        }
        idlest
    }

    fn explain_groups_by_type(
        &mut self,
        groups: StartGroups<'_>,
        stats: &[GroupStats],
        idlest: Option<Idlest>,
    ) {
        for (position, seen) in stats.iter().enumerate() {
            let group = &groups.domain.groups[groups.candidates[position]];
            self.explain(|_| {
                step(Check::StartGroup, Some(position) == groups.local)
                    .of_cpu(group.balance_cpu)
                    .value("group_weight", i64::from(seen.weight))
                    .value("group_type", seen.group_type as i64)
                    .value("sum_nr_running", i64::from(seen.nr_running))
                    .value("idle_cpus", i64::from(seen.idle_cpus))
                    .value("group_util", seen.util as i64)
                    .value("group_capacity", seen.capacity as i64)
                    .value("avg_load", seen.avg_load as i64)
            });
        }
        let other = idlest_other_group(&self.config.kernel.tunables, stats, groups.local);
        let measures: [Measure<'_>; 4] = [
            ("group_type", "this_group_type", &|at| stats[at].group_type as i64),
            ("idle_cpus", "this_idle_cpus", &|at| i64::from(stats[at].idle_cpus)),
            ("avg_load", "this_avg_load", &|at| stats[at].avg_load as i64),
            ("max_capacity", "this_max_capacity", &|at| stats[at].max_capacity as i64),
        ];
        self.explain_idlest_group(groups, idlest, other, &measures);
    }

    /// Whether another group than the local one was chosen, and by what the two were compared.
    pub(crate) fn explain_idlest_group(
        &mut self,
        groups: StartGroups<'_>,
        idlest: Option<Idlest>,
        other: Option<usize>,
        measures: &[Measure<'_>],
    ) {
        self.explain(|_| {
            let mut asked = step(Check::IdlestGroup, matches!(idlest, Some(Idlest::Group(_))))
                .value("imbalance_pct", i64::from(groups.domain.imbalance_pct));
            if let Some(other) = other {
                asked = asked.of_cpu(groups.domain.groups[groups.candidates[other]].balance_cpu);
            }
            for (of_other, of_local, measure) in measures {
                let other = other.map(|at| (*of_other, measure(at)));
                let local = groups.local.map(|at| (*of_local, measure(at)));
                asked.values.extend(other.into_iter().chain(local));
            }
            asked
        });
    }

    /// A domain is come to: whether the task may run in it, and how many of its groups are compared.
    fn explain_domain(&mut self, domain: &Domain, cpu: CpuId, task: TaskId) {
        self.explain(|engine| {
            let allowed = &engine.tasks[task.index()].allowed;
            let compared = domain.groups.iter().filter(|group| group.cpus.intersects(allowed)).count();
            step(Check::StartDomain, domain.span.intersects(allowed))
                .of_cpu(cpu)
                .of_task(task)
                .value("span_weight", i64::from(domain.span_weight))
                .value("allowed_cpus", domain.span.and(allowed).len() as i64)
                .value("groups", domain.groups.len() as i64)
                .value("compared_groups", compared as i64)
        });
    }

    /// Which CPUs of the chosen group idle, and by what the chosen one was preferred.
    fn explain_idlest_cpu(&mut self, group: &Group, allowed: &CpuSet, chosen: CpuId) {
        if !self.explains() {
            return;
        }
        let members = group.cpus.and(allowed);
        // A group of one CPU leaves nothing to ask.
        for cpu in members.iter().filter(|_| 1 < group.weight) {
            self.explain(|engine| {
                let rq = &engine.rqs[cpu.index()];
                step(Check::CpuIdle, rq.is_idle())
                    .of_cpu(cpu)
                    .value("nr_running", i64::from(rq.nr_running))
                    .value("ttwu_pending", i64::from(rq.ttwu_pending))
                    .value("exit_latency", rq.idle_exit_ns as i64)
                    .value("idle_stamp", rq.idle_stamp.unwrap_or(0) as i64)
                    .value("cpu_load", rq.cfs.cpu_load() as i64)
            });
        }
        self.explain(|engine| {
            let rq = &engine.rqs[chosen.index()];
            let idle = || members.iter().map(|cpu| &engine.rqs[cpu.index()]).filter(|rq| rq.is_idle());
            let as_shallow = idle().filter(|other| other.idle_exit_ns == rq.idle_exit_ns).count();
            step(Check::IdlestCpu, group.weight == 1 || rq.is_idle())
                .of_cpu(chosen)
                .value("group_weight", i64::from(group.weight))
                .value("allowed_cpus", members.len() as i64)
                .value("idle_cpus", idle().count() as i64)
                .value("as_shallow", as_shallow as i64)
                .value("exit_latency", rq.idle_exit_ns as i64)
                .value("cpu_load", rq.cfs.cpu_load() as i64)
        });
    }

    /// What a CPU carries besides a task that starts, which runs already where it executes another program.
    pub(crate) fn cpu_state_without(&self, cpu: CpuId, task: TaskId) -> CpuState {
        let mut state = self.cpu_state(cpu);
        let entity = &self.tasks[task.index()];
        if entity.cpu == cpu && (entity.se.on_rq || entity.state == TaskState::Waking) {
            self.leave_out(task, &mut state);
        }
        state
    }

    /// What a CPU would carry without the task that it runs.
    ///
    /// Kernel: fair.c cpu_load_without(), cpu_runnable_without(), cpu_util_without() and idle_cpu_without(), v5.7…v6.1.
    /// Differs: nothing.
    fn leave_out(&self, task: TaskId, state: &mut CpuState) {
        let Task { cpu, se, util_est, .. } = &self.tasks[task.index()];
        let rq = &self.rqs[cpu.index()];
        let util = rq.cfs.avg.util_avg.saturating_sub(se.avg.util_avg);
        // What slept there is part of the averages, but not queued.
        let estimate = if se.on_rq { util_est.value() } else { 0 };
        let estimated = rq.cfs.util_est_enqueued.saturating_sub(estimate);
        state.nr_running -= u32::from(se.on_rq);
        state.h_nr_running -= u32::from(se.on_rq);
        state.load = state.load.saturating_sub(se.avg.load_avg);
        state.runnable = state.runnable.saturating_sub(se.avg.runnable_avg);
        state.util = util.max(estimated).min(state.capacity_orig);
        state.idle = state.nr_running == 0 && !rq.ttwu_pending;
    }

    /// Kernel: fair.c find_idlest_group_cpu(), v5.10.
    /// Differs: nothing; equally deep idle states prefer the one entered last.
    fn find_idlest_group_cpu(&self, group: &Group, this_cpu: CpuId, allowed: &CpuSet) -> CpuId {
        if group.weight == 1 {
            return group.cpus.lowest().unwrap_or(this_cpu);
        }
        let mut latest: Option<(u64, u64, CpuId)> = None;
        let mut least_loaded = (u64::MAX, this_cpu);
        for cpu in group.cpus.and(allowed).iter() {
            let rq = &self.rqs[cpu.index()];
            if rq.is_idle() {
                let since = rq.idle_stamp.unwrap_or(0);
                let better = match latest {
                    None => true,
                    Some((exit, stamp, _)) => {
                        rq.idle_exit_ns < exit || (rq.idle_exit_ns == exit && stamp < since)
                    }
                };
                if better {
                    latest = Some((rq.idle_exit_ns, since, cpu));
                }
            } else if latest.is_none() && rq.cfs.cpu_load() < least_loaded.0 {
                least_loaded = (rq.cfs.cpu_load(), cpu);
            }
        }
        latest.map_or(least_loaded.1, |(_, _, cpu)| cpu)
    }
}
