use super::stats::CpuState;
use super::{DomainView, MigrationType};

/// What a source is chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceCriteria {
    /// What is to be moved.
    pub migration: MigrationType,
    /// How much of it.
    pub imbalance: i64,
    /// Capacity of the CPU that pulls.
    pub dst_capacity: u64,
    /// Utilisation is taken only where another fair task waits: `util_needs_waiting`.
    pub util_needs_waiting: bool,
}

/// The CPU of the busiest group to pull from, by the index given with it; the first of equals.
///
/// Kernel: fair.c find_busiest_queue(), v5.5…v5.10
/// Differs: NUMA balancing does not restrict the choice.
#[inline]
pub fn find_busiest_queue<'a>(
    domain: &DomainView,
    criteria: &SourceCriteria,
    cpus: impl IntoIterator<Item = (usize, &'a CpuState)>,
) -> Option<usize> {
    let mut busiest: Option<(usize, &CpuState)> = None;
    for (index, cpu) in cpus {
        if is_source(domain, criteria, cpu) && is_busier(criteria.migration, cpu, busiest.map(|(_, cpu)| cpu))
        {
            busiest = Some((index, cpu));
        }
    }
    busiest.map(|(index, _)| index)
}

/// Whether a CPU has something that may be pulled.
#[inline]
fn is_source(domain: &DomainView, criteria: &SourceCriteria, cpu: &CpuState) -> bool {
    // A lone task on a bigger CPU is better off there.
    if domain.asym_capacity && criteria.dst_capacity < cpu.capacity && cpu.h_nr_running == 1 {
        return false;
    }
    match criteria.migration {
        // A lone task that is more than is to be moved stays, unless interrupts or other classes slow it.
        MigrationType::Load => {
            cpu.h_nr_running != 1
                || cpu.load <= criteria.imbalance as u64
                || capacity_is_reduced(domain.imbalance_pct, cpu)
        }
        MigrationType::Util => 1 < cpu.h_nr_running || !criteria.util_needs_waiting,
        MigrationType::Task | MigrationType::Misfit => true,
    }
}

/// Whether a CPU is busier than the best one so far; without one it must be busy at all.
#[inline]
fn is_busier(migration: MigrationType, cpu: &CpuState, best: Option<&CpuState>) -> bool {
    match migration {
        MigrationType::Load => {
            let (best_load, best_capacity) = best.map_or((0, 1), |best| (best.load, best.capacity));
            best_load.wrapping_mul(cpu.capacity) < cpu.load.wrapping_mul(best_capacity)
        }
        MigrationType::Util => best.map_or(0, |best| best.util) < cpu.util,
        MigrationType::Task => best.map_or(0, |best| best.h_nr_running) < cpu.h_nr_running,
        MigrationType::Misfit => best.map_or(0, |best| best.misfit_load) < cpu.misfit_load,
    }
}

/// Whether interrupts and other classes take more of a CPU than the domain tolerates.
///
/// Kernel: fair.c check_cpu_capacity(), v4.1…v6.18
/// Differs: nothing.
#[inline]
pub const fn capacity_is_reduced(imbalance_pct: u32, cpu: &CpuState) -> bool {
    cpu.capacity * (imbalance_pct as u64) < cpu.capacity_orig * 100
}

/// What interrupts and real-time tasks leave of a CPU. `rt_util` is the average of the time that real-time tasks run,
/// `irq_free` what interrupts leave, both in parts of 1024.
///
/// Kernel: fair.c scale_rt_capacity(), v4.19…v6.18
/// Differs: no deadline class and no thermal pressure; interrupts are a constant.
#[inline]
pub const fn scale_rt_capacity(capacity_orig: u64, rt_util: u64, irq_free: u64) -> u64 {
    let free = capacity_orig.saturating_sub(rt_util) * irq_free / 1024;
    if free == 0 { 1 } else { free }
}
