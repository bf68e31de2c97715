use kernel::patches::llc_spread;
use kernel::{Audit, Kernel};

use super::stats::{GroupStats, GroupType, average_load};
use super::{CpuIdleType, DomainView, MigrationType};

/// What to move and from which group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imbalance {
    /// Position of the busiest group in the ring.
    pub group: usize,
    /// What is moved.
    pub migration: MigrationType,
    /// How much of it: load, utilisation or tasks. Above 0.
    pub imbalance: i64,
}

/// What to move, before it is known whether that is anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// What is moved.
    pub migration: MigrationType,
    /// How much of it; 0 means that the domain counts as balanced. Signed as the kernel's `long`.
    pub imbalance: i64,
}

/// The two groups that are compared, and the sums over the domain.
#[derive(Clone, Copy, Debug)]
pub struct SdLbStats<'a> {
    /// The group of the CPU that balances.
    pub local: &'a GroupStats,
    /// The busiest other group.
    pub busiest: &'a GroupStats,
    /// Load of the domain.
    pub total_load: u64,
    /// Capacity of the domain.
    pub total_capacity: u64,
    /// Average load of the domain; known before the amount is sized only where the local group is overloaded.
    pub avg_load: u64,
}

/// Whether and what to pull, given the groups of a domain in ring order, the local one first.
///
/// The caller has made sure that energy-aware scheduling leaves the domain to the balancer.
///
/// Kernel: fair.c find_busiest_group(), v5.5…v5.10
/// Differs: group statistics are an input.
pub fn find_busiest_group(
    kernel: &Kernel,
    audit: &mut dyn Audit,
    domain: &DomainView,
    groups: &[GroupStats],
    idle: CpuIdleType,
) -> Option<Imbalance> {
    let group = pick_busiest(domain, groups)?;
    let mut sds = SdLbStats {
        local: &groups[0],
        busiest: &groups[group],
        total_load: groups.iter().map(|stats| stats.load).sum(),
        total_capacity: groups.iter().map(|stats| stats.capacity).sum(),
        avg_load: 0,
    };
    if is_balanced(domain, idle, &mut sds) {
        return None;
    }
    let amount = calculate_imbalance(kernel, audit, domain, idle, &sds);
    (amount.imbalance != 0).then_some(Imbalance {
        group,
        migration: amount.migration,
        imbalance: amount.imbalance,
    })
}

/// The busiest group that could be relieved, by its position in the ring, if there is one. Position 0 is local.
///
/// Kernel: fair.c update_sd_pick_busiest(), v5.5…v5.10
/// Differs: nothing.
#[inline]
pub fn pick_busiest(domain: &DomainView, groups: &[GroupStats]) -> Option<usize> {
    let (local, others) = groups.split_first()?;
    let mut busiest: Option<usize> = None;
    for (position, group) in others.iter().enumerate() {
        let best = busiest.map(|position| &groups[position]);
        if is_busier(domain, local, group, best) {
            busiest = Some(position + 1);
        }
    }
    busiest
}

/// Whether a group is busier than the best one so far.
#[inline]
fn is_busier(domain: &DomainView, local: &GroupStats, group: &GroupStats, best: Option<&GroupStats>) -> bool {
    if group.h_nr_running == 0 {
        return false;
    }
    if group.group_type == GroupType::MisfitTask
        && (!fits_capacity(group.max_capacity, local.max_capacity) || local.group_type != GroupType::HasSpare)
    {
        return false;
    }
    let best_type = best.map_or(GroupType::HasSpare, |best| best.group_type);
    if group.group_type != best_type {
        return best_type < group.group_type;
    }
    let busier = match (group.group_type, best) {
        (_, None) => true,
        (GroupType::Overloaded | GroupType::FullyBusy, Some(best)) => best.avg_load < group.avg_load,
        (GroupType::Imbalanced | GroupType::AsymPacking, Some(_)) => false,
        (GroupType::MisfitTask, Some(best)) => best.misfit_load <= group.misfit_load,
        (GroupType::HasSpare, Some(best)) => {
            group.idle_cpus < best.idle_cpus
                || (group.idle_cpus == best.idle_cpus && best.nr_running < group.nr_running)
        }
    };
    // One task a CPU on bigger CPUs is well off: moving it here could only slow it.
    let better_off = domain.asym_capacity
        && group.group_type <= GroupType::FullyBusy
        && fits_capacity(local.min_capacity, group.min_capacity);
    busier && !better_off
}

/// Whether a need fits into a capacity with a fifth of it to spare.
///
/// Kernel: fair.c fits_capacity(), v5.4…v6.18
/// Differs: nothing.
#[inline]
pub const fn fits_capacity(need: u64, capacity: u64) -> bool {
    need.wrapping_mul(1280) < capacity.wrapping_mul(1024)
}

/// Whether the busiest group is to be left alone. Notes the average load of the domain where it looks at it.
///
/// Kernel: fair.c find_busiest_group(), v5.5…v5.10
/// Differs: nothing.
#[inline]
fn is_balanced(domain: &DomainView, idle: CpuIdleType, sds: &mut SdLbStats<'_>) -> bool {
    let (local, busiest) = (sds.local, sds.busiest);
    if matches!(busiest.group_type, GroupType::MisfitTask | GroupType::AsymPacking | GroupType::Imbalanced) {
        return false;
    }
    if busiest.group_type < local.group_type {
        return true;
    }
    if local.group_type == GroupType::Overloaded {
        if busiest.avg_load <= local.avg_load {
            return true;
        }
        sds.avg_load = average_load(sds.total_load, sds.total_capacity);
        if sds.avg_load <= local.avg_load
            || busiest.avg_load.wrapping_mul(100)
                <= local.avg_load.wrapping_mul(u64::from(domain.imbalance_pct))
        {
            return true;
        }
    }
    if domain.child_prefers_sibling
        && local.group_type == GroupType::HasSpare
        && local.nr_running + 1 < busiest.nr_running
    {
        return false;
    }
    busiest.group_type != GroupType::Overloaded
        && (idle == CpuIdleType::NotIdle
            || (1 < busiest.weight && local.idle_cpus <= busiest.idle_cpus + 1)
            || busiest.h_nr_running == 1)
}

/// How much of what to move from the busiest group.
///
/// Kernel: fair.c calculate_imbalance(), v5.5…v5.10
/// Differs: has the longterm fix by which a local group above the domain's average pulls no load, as the reference
/// vectors do.
pub fn calculate_imbalance(
    kernel: &Kernel,
    audit: &mut dyn Audit,
    domain: &DomainView,
    idle: CpuIdleType,
    sds: &SdLbStats<'_>,
) -> Amount {
    let busiest = sds.busiest;
    match busiest.group_type {
        GroupType::MisfitTask => return Amount { migration: MigrationType::Misfit, imbalance: 1 },
        GroupType::AsymPacking => return tasks(i64::from(busiest.h_nr_running)),
        GroupType::Imbalanced => return tasks(1),
        GroupType::HasSpare | GroupType::FullyBusy | GroupType::Overloaded => {}
    }
    if sds.local.group_type != GroupType::HasSpare {
        return Amount { migration: MigrationType::Load, imbalance: load_to_move(kernel, sds) };
    }
    let base = GroupType::FullyBusy < busiest.group_type;
    let fill_spare_util = kernel.decide(
        audit,
        &llc_spread::CALCULATE_IMBALANCE,
        base,
        [base && !domain.shares_llc, base && 1 < busiest.weight, base],
    );
    if fill_spare_util { spare_util(sds.local, idle) } else { tasks(tasks_to_move(kernel, domain, sds)) }
}

/// Fills the spare utilisation of the local group. A group that looks full although its CPU is idle takes one task.
#[inline]
fn spare_util(local: &GroupStats, idle: CpuIdleType) -> Amount {
    let imbalance = local.capacity.saturating_sub(local.util) as i64;
    if imbalance == 0 && idle != CpuIdleType::NotIdle {
        return tasks(1);
    }
    Amount { migration: MigrationType::Util, imbalance }
}

/// Half the difference in tasks, or in idle CPUs where groups are of several CPUs that need not be filled evenly.
#[inline]
fn tasks_to_move(kernel: &Kernel, domain: &DomainView, sds: &SdLbStats<'_>) -> i64 {
    let (local, busiest) = (sds.local, sds.busiest);
    let imbalance = if busiest.weight == 1 || domain.child_prefers_sibling {
        busiest.nr_running.saturating_sub(local.nr_running) >> 1
    } else {
        // Unsigned in these kernels: fewer idle CPUs here than there make about 2³¹ tasks. The callers filter that,
        // except for groups of unlike size.
        local.idle_cpus.wrapping_sub(busiest.idle_cpus) >> 1
    };
    // Two tasks that talk to each other are better off on one node.
    if kernel.tunables.numa_leaves_pairs && domain.numa && busiest.nr_running <= 2 {
        0
    } else {
        i64::from(imbalance)
    }
}

/// The load that brings the nearer of the two groups to the domain's average.
#[inline]
fn load_to_move(kernel: &Kernel, sds: &SdLbStats<'_>) -> i64 {
    let (local, busiest) = (sds.local, sds.busiest);
    let (local_avg, domain_avg) = if local.group_type < GroupType::Overloaded {
        let local_avg = average_load(local.load, local.capacity);
        let domain_avg = average_load(sds.total_load, sds.total_capacity);
        // Above the domain's average it is not the one to take more.
        let takes_none = busiest.avg_load <= local_avg || domain_avg <= local_avg;
        if takes_none && kernel.tunables.full_group_compares_load {
            return 0;
        }
        (local_avg, domain_avg)
    } else {
        (local.avg_load, sds.avg_load)
    };
    // Unsigned and wrapping as in the kernel.
    let above = busiest.avg_load.wrapping_sub(domain_avg).wrapping_mul(busiest.capacity);
    let below = domain_avg.wrapping_sub(local_avg).wrapping_mul(local.capacity);
    (above.min(below) / 1024) as i64
}

/// A number of tasks.
#[inline]
const fn tasks(imbalance: i64) -> Amount {
    Amount { migration: MigrationType::Task, imbalance }
}
