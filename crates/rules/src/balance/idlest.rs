use kernel::Tunables;

use super::DomainView;
use super::stats::{GroupStats, GroupType};

/// The idlest group of a domain for a task that starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Idlest {
    /// None is clearly better than the group of this CPU.
    Local,
    /// Another one, by its position in the slice that was given.
    Group(usize),
}

/// Where a task that is forked or executed starts: the local group unless another one is clearly better.
///
/// `local` is the position of the group of this CPU, if the task may run there. The statistics were finished with
/// [`GroupStats::finish_for_wakeup`] and leave the task itself out. Groups in which the task may not run are left out.
/// None where there is no group at all.
///
/// Kernel: fair.c find_idlest_group(), v5.5…v5.10
/// Differs: NUMA balancing has no preferred node.
pub fn find_idlest_group(
    tunables: &Tunables,
    domain: &DomainView,
    groups: &[GroupStats],
    local: Option<usize>,
) -> Option<Idlest> {
    let idlest = idlest_other_group(tunables, groups, local);
    let Some(local) = local.and_then(|position| groups.get(position)) else {
        return idlest.map(Idlest::Group);
    };
    let better = idlest.filter(|position| is_clearly_better(tunables, domain, local, &groups[*position]));
    Some(better.map_or(Idlest::Local, Idlest::Group))
}

/// The idlest group besides the local one, which is compared with that.
///
/// Kernel: fair.c find_idlest_group(), v5.5…v5.10
/// Differs: nothing.
pub fn idlest_other_group(tunables: &Tunables, groups: &[GroupStats], local: Option<usize>) -> Option<usize> {
    let mut idlest: Option<usize> = None;
    for (position, group) in groups.iter().enumerate() {
        if Some(position) != local && is_idler(tunables, group, idlest.map(|position| &groups[position])) {
            idlest = Some(position);
        }
    }
    idlest
}

/// Whether a group is idler than the best one so far.
///
/// Kernel: fair.c update_pick_idlest(), v5.5…v5.10
/// Differs: nothing.
fn is_idler(tunables: &Tunables, group: &GroupStats, best: Option<&GroupStats>) -> bool {
    let Some(best) = best else { return true };
    if group.group_type != best.group_type {
        return group.group_type < best.group_type;
    }
    match group.group_type {
        GroupType::Overloaded | GroupType::FullyBusy => {
            compared_load(tunables, group) < compared_load(tunables, best)
        }
        GroupType::Imbalanced | GroupType::AsymPacking => false,
        GroupType::MisfitTask => best.max_capacity < group.max_capacity,
        GroupType::HasSpare => {
            let less_used = tunables.idlest_compares_util && group.util < best.util;
            best.idle_cpus < group.idle_cpus || (best.idle_cpus == group.idle_cpus && less_used)
        }
    }
}

/// The average load of a group that is used up. At first it was computed for the other groups by mistake.
fn compared_load(tunables: &Tunables, group: &GroupStats) -> u64 {
    if tunables.idlest_compares_load { group.avg_load } else { 0 }
}

/// Whether the idlest other group is better than the local one by more than the threshold.
fn is_clearly_better(
    tunables: &Tunables,
    domain: &DomainView,
    local: &GroupStats,
    idlest: &GroupStats,
) -> bool {
    if local.group_type != idlest.group_type {
        return idlest.group_type < local.group_type;
    }
    match local.group_type {
        GroupType::Overloaded | GroupType::FullyBusy => {
            let (local_avg, idlest_avg) = (compared_load(tunables, local), compared_load(tunables, idlest));
            let pct = u64::from(domain.imbalance_pct);
            // The part of one nice-0 task that the threshold allows.
            let allowed = 1024 * pct.saturating_sub(100) / 100;
            // Across nodes the difference must be there even when this node is nearly empty.
            let stays_on_node = domain.numa && local_avg <= idlest_avg + allowed;
            !stays_on_node
                && idlest_avg < local_avg + allowed
                && idlest_avg.wrapping_mul(pct) < local_avg.wrapping_mul(100)
        }
        GroupType::Imbalanced | GroupType::AsymPacking => false,
        GroupType::MisfitTask => local.max_capacity < idlest.max_capacity,
        GroupType::HasSpare => {
            let stays_on_node = domain.numa && local.idle_cpus != 0;
            !stays_on_node && local.idle_cpus < idlest.idle_cpus
        }
    }
}
