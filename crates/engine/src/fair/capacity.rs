//! What interrupts and real-time tasks leave of a CPU for the fair class.

use rules::balance::{self, CpuIdleType};
use sim::CpuId;

use crate::engine::Engine;
use crate::fair::balance::LbEnv;

impl Engine {
    /// Updates the capacity of the CPU that balances its lowest domain; a newly idle one does so now and then only.
    ///
    /// Kernel: fair.c update_group_capacity() as update_sd_lb_stats() calls it, v4.19…v6.1.
    /// Differs: capacities of groups are summed when they are looked at.
    pub(super) fn update_group_capacity(&mut self, env: &LbEnv<'_>) {
        let jiffies = self.jiffies();
        let rq = &self.rqs[env.dst.index()];
        let due = env.idle != CpuIdleType::NewlyIdle || rq.capacity_next_update <= jiffies;
        if env.level == 0 && due {
            let interval = self.sd_balance_interval(env.dst, 0, false);
            self.rqs[env.dst.index()].capacity_next_update = jiffies + interval;
            self.update_cpu_capacity(env.dst);
        }
    }

    /// Kernel: fair.c update_cpu_capacity() and scale_rt_capacity(), v4.19…v6.1.
    fn update_cpu_capacity(&mut self, cpu: CpuId) {
        let capacity_orig = self.config.capacity_orig[cpu.index()];
        let rt_util = self.rqs[cpu.index()].rt.avg.util_avg;
        let capacity = balance::scale_rt_capacity(capacity_orig, rt_util, self.config.irq_free);
        let lowest = self.config.domains.by_cpu[cpu.index()].first();
        let pct = lowest.map_or(100, |domain| u64::from(domain.imbalance_pct));
        let rq = &mut self.rqs[cpu.index()];
        rq.cpu_capacity = capacity;
        let reduced = capacity * pct < capacity_orig * 100;
        self.reduced_cpus = self.reduced_cpus + u32::from(reduced) - u32::from(rq.capacity_reduced);
        rq.capacity_reduced = reduced;
    }
}
