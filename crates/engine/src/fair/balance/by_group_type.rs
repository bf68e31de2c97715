//! The balancer from v5.5 on, which compares how busy groups are.

use rules::balance::{self, GroupStats, Imbalance};
use trace::explain::Check;

use super::LbEnv;
use crate::engine::Engine;
use crate::explain::{StepExt, step};
use crate::fair::select_cpu::domain_view;

impl Engine {
    /// Kernel: fair.c find_busiest_group(), v5.5…v6.1.
    pub(super) fn busiest_group_by_type(
        &mut self,
        env: &LbEnv<'_>,
        groups: &[GroupStats],
    ) -> Option<Imbalance> {
        let config = self.config.clone();
        let view = domain_view(env.domain);
        let imbalance = balance::find_busiest_group(&config.kernel, &mut self.audit, &view, groups, env.idle);
        if self.explains() {
            self.explain_groups(env, groups);
        }
        self.flush_decisions(env.dst);
        self.explain(|_| {
            let found = step(Check::BusiestGroup, imbalance.is_some());
            match imbalance {
                None => found,
                Some(imbalance) => found
                    .value("group", imbalance.group as i64)
                    .value("migration_type", imbalance.migration as i64)
                    .value("imbalance", imbalance.imbalance),
            }
        });
        imbalance
    }

    fn explain_groups(&mut self, env: &LbEnv<'_>, groups: &[GroupStats]) {
        for (group, stats) in env.domain.groups.iter().zip(groups) {
            self.explain(|_| {
                step(Check::GroupStats, group.cpus.contains(env.dst))
                    .of_cpu(group.balance_cpu)
                    .value("group_weight", i64::from(stats.weight))
                    .value("group_type", stats.group_type as i64)
                    .value("sum_nr_running", i64::from(stats.nr_running))
                    .value("idle_cpus", i64::from(stats.idle_cpus))
                    .value("group_util", stats.util as i64)
                    .value("group_capacity", stats.capacity as i64)
                    .value("group_load", stats.load as i64)
            });
        }
    }
}
