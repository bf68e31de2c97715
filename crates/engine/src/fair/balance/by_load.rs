//! The balancer of v5.4, which compares loads.

use rules::balance::by_load::{self, LoadClass, LoadGroup, Start, StartCpu, StartGroup};
use rules::balance::{CpuState, GroupStats, Idlest, Imbalance};
use sim::TaskId;
use topology::Group;
use trace::explain::Check;

use super::LbEnv;
use crate::engine::Engine;
use crate::explain::{StepExt, step};
use crate::fair::idlest::{Measure, StartGroups};
use crate::fair::select_cpu::domain_view;
use crate::task::TaskState;

impl Engine {
    /// Kernel: fair.c find_busiest_group(), v5.4.
    pub(super) fn busiest_group_by_load(
        &mut self,
        env: &LbEnv<'_>,
        groups: &[GroupStats],
    ) -> Option<Imbalance> {
        let view = domain_view(env.domain);
        let CpuState { load, h_nr_running, .. } = self.cpu_state(env.dst);
        let dst_load_per_task = load.checked_div(u64::from(h_nr_running)).unwrap_or(0);
        let found = by_load::find_busiest_group(&view, groups, env.idle, dst_load_per_task);
        if self.explains() {
            for (group, stats) in env.domain.groups.iter().zip(groups) {
                self.explain_group_by_load(env, group, &LoadGroup::of(&view, stats));
            }
            self.explain(|_| {
                let asked = step(Check::BusiestGroup, found.imbalance.is_some())
                    .value("verdict", found.verdict as i64)
                    .value("avg_load", found.avg_load as i64);
                match found.imbalance {
                    None => asked,
                    Some(imbalance) => asked
                        .value("group", imbalance.group as i64)
                        .value("migration_type", imbalance.migration as i64)
                        .value("imbalance", imbalance.imbalance),
                }
            });
        }
        found.imbalance
    }

    fn explain_group_by_load(&mut self, env: &LbEnv<'_>, group: &Group, stats: &LoadGroup<'_>) {
        /// What follows the types of later balancers in the numbers of explanations.
        const OTHER: i64 = 6;
        let class = match stats.class {
            LoadClass::Other => OTHER,
            LoadClass::MisfitTask => rules::balance::GroupType::MisfitTask as i64,
            LoadClass::Imbalanced => rules::balance::GroupType::Imbalanced as i64,
            LoadClass::Overloaded => rules::balance::GroupType::Overloaded as i64,
        };
        let sums = stats.sums;
        self.explain(|_| {
            step(Check::GroupStats, group.cpus.contains(env.dst))
                .of_cpu(group.balance_cpu)
                .value("group_weight", i64::from(sums.weight))
                .value("group_type", class)
                .value("sum_nr_running", i64::from(sums.h_nr_running))
                .value("idle_cpus", i64::from(sums.idle_cpus))
                .value("group_util", sums.util as i64)
                .value("group_capacity", sums.capacity as i64)
                .value("group_load", sums.load as i64)
                .value("avg_load", stats.avg_load as i64)
                .value("load_per_task", stats.load_per_task as i64)
        });
    }

    /// The group in which a task starts, by load, as a position among the candidates; one that runs already is left
    /// out of what its CPU uses.
    ///
    /// Kernel: fair.c find_idlest_group(), v5.4.
    /// Differs: nothing.
    pub(crate) fn idlest_group_by_load(&mut self, groups: StartGroups<'_>, task: TaskId) -> Option<Idlest> {
        let group_loads = |at: &usize| {
            let mut loads = StartGroup::default();
            for cpu in groups.domain.groups[*at].cpus.iter() {
                let cfs = &self.rqs[cpu.index()].cfs;
                let CpuState { capacity, util, .. } = self.cpu_state_without(cpu, task);
                let (runnable_load, load) = (cfs.cpu_load(), cfs.avg.load_avg);
                loads.add(&StartCpu { runnable_load, load, capacity, util });
            }
            loads
        };
        let loads: Vec<StartGroup> = groups.candidates.iter().map(group_loads).collect();
        let se = &self.tasks[task.index()].se;
        // A task that is forked has used nothing yet.
        let new = !se.on_rq && self.tasks[task.index()].state != TaskState::Waking;
        let util = (!new).then_some(se.avg.util_avg);
        let start = by_load::find_idlest_group(&domain_view(groups.domain), &loads, groups.local, util);
        if self.explains() {
            self.explain_start_by_load(groups, &loads, &start);
        }
        start.idlest
    }

    fn explain_start_by_load(&mut self, groups: StartGroups<'_>, loads: &[StartGroup], start: &Start) {
        for (position, seen) in loads.iter().enumerate() {
            let group = &groups.domain.groups[groups.candidates[position]];
            self.explain(|_| {
                step(Check::StartGroup, Some(position) == groups.local)
                    .of_cpu(group.balance_cpu)
                    .value("group_weight", i64::from(group.weight))
                    .value("runnable_load", seen.scaled(seen.runnable_load) as i64)
                    .value("avg_load", seen.scaled(seen.load) as i64)
                    .value("spare_cap", seen.most_spare as i64)
                    .value("group_capacity", seen.capacity as i64)
            });
        }
        let by_spare: [Measure<'_>; 1] = [("spare_cap", "this_spare_cap", &|at| loads[at].most_spare as i64)];
        let by_load: [Measure<'_>; 2] = [
            ("runnable_load", "this_runnable_load", &|at| loads[at].scaled(loads[at].runnable_load) as i64),
            ("avg_load", "this_avg_load", &|at| loads[at].scaled(loads[at].load) as i64),
        ];
        let measures: &[Measure<'_>] = if start.by_spare { &by_spare } else { &by_load };
        self.explain_idlest_group(groups, start.idlest, start.other, measures);
    }
}
