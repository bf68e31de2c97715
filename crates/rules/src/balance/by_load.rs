//! Load balancing by load, up to v5.4: groups are compared by their load for each unit of capacity, and load is what is
//! moved. Only CFS tasks count.

mod idlest;

pub use idlest::{Start, StartCpu, StartGroup, find_idlest_group};

use super::decide::{Imbalance, fits_capacity};
use super::queue::capacity_is_reduced;
use super::stats::{CpuState, GroupStats, average_load};
use super::{CpuIdleType, DomainView, MigrationType};

/// What kept a balance attempt from going on, or made it go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// No other group has a task that could be taken.
    NobodyBusy,
    /// The local group carries as much load for its capacity as the busiest one.
    LocalIsBusier,
    /// The local group carries as much as the domain does on average.
    LocalAboveAverage,
    /// The balancing CPU idles, but its group has at most one idle CPU more than the busiest one, which is not
    /// overloaded.
    IdleCpusAlike,
    /// The busiest group carries more, by less than the domain's threshold.
    WithinThreshold,
    /// Something is to be moved whatever the loads: the busiest group is overloaded and the local one is not, or
    /// affinity or a misfit task is the reason.
    Forced,
    /// The loads differ enough.
    Unequal,
}

/// How busy a group is; later ones are busier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadClass {
    /// Its tasks have room.
    #[default]
    Other,
    /// A task does not fit its CPU.
    MisfitTask,
    /// Affinity kept an earlier pass from balancing it.
    Imbalanced,
    /// Its tasks compete, or there are so many more of them than here that they count as if they did.
    Overloaded,
}

/// A group as a balancer by load sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadGroup<'a> {
    /// Its sums.
    pub sums: &'a GroupStats,
    /// Load for each 1024 of capacity.
    pub avg_load: u64,
    /// Load of a task on average; 0 where there is none.
    pub load_per_task: u64,
    /// How busy it is.
    pub class: LoadClass,
}

/// What an attempt found, whether or not it moves anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The position of the busiest group in the ring, if there is one.
    pub busiest: Option<usize>,
    /// Load of the domain for each 1024 of its capacity.
    pub avg_load: u64,
    /// Why it goes on or not.
    pub verdict: Verdict,
    /// What to move. None where that is nothing, even with a verdict to go on.
    pub imbalance: Option<Imbalance>,
}

impl<'a> LoadGroup<'a> {
    /// Classifies a group whose sums are complete.
    ///
    /// Kernel: fair.c update_sg_lb_stats() and group_classify(), v4.0…v5.4
    /// Differs: `SD_ASYM_PACKING` is not known: no machine here has it.
    pub fn of(domain: &DomainView, sums: &'a GroupStats) -> LoadGroup<'a> {
        let class = if is_overloaded(domain.imbalance_pct, sums) {
            LoadClass::Overloaded
        } else {
            class_by_flags(sums)
        };
        LoadGroup {
            sums,
            avg_load: average_load(sums.load, sums.capacity),
            load_per_task: sums.load.checked_div(u64::from(sums.h_nr_running)).unwrap_or(0),
            class,
        }
    }

    /// Load that it would take to give one task more to each unit of capacity.
    fn scaled_load_per_task(&self) -> u64 {
        average_load(self.load_per_task, self.sums.capacity)
    }
}

/// Whether a group can take more tasks.
///
/// Kernel: fair.c group_has_capacity(), v4.0…v5.4
/// Differs: nothing.
pub fn has_capacity(imbalance_pct: u32, group: &GroupStats) -> bool {
    group.h_nr_running < group.weight || group.util * u64::from(imbalance_pct) < group.capacity * 100
}

/// Whether the tasks of a group compete for its capacity.
///
/// Kernel: fair.c group_is_overloaded(), v4.0…v5.4
/// Differs: nothing.
pub fn is_overloaded(imbalance_pct: u32, group: &GroupStats) -> bool {
    group.weight < group.h_nr_running && group.capacity * 100 < group.util * u64::from(imbalance_pct)
}

fn class_by_flags(sums: &GroupStats) -> LoadClass {
    if sums.imbalanced {
        LoadClass::Imbalanced
    } else if sums.misfit_load != 0 {
        LoadClass::MisfitTask
    } else {
        LoadClass::Other
    }
}

/// What to pull, given the groups of a domain in ring order, the local one first.
///
/// `dst_load_per_task` is the load of a task on the balancing CPU on average, 0 where there is none.
/// The caller has made sure that energy-aware scheduling leaves the domain to the balancer.
///
/// Kernel: fair.c find_busiest_group(), v5.4
/// Differs: group statistics are an input.
pub fn find_busiest_group(
    domain: &DomainView,
    groups: &[GroupStats],
    idle: CpuIdleType,
    dst_load_per_task: u64,
) -> Found {
    let total_load = groups.iter().map(|group| group.load).sum();
    let total_capacity = groups.iter().map(|group| group.capacity).sum();
    let avg_load = average_load(total_load, total_capacity);
    let nobody = Found { busiest: None, avg_load, verdict: Verdict::NobodyBusy, imbalance: None };
    let Some((position, busiest)) = pick_busiest(domain, groups) else { return nobody };
    let Some(local) = groups.first().map(|local| LoadGroup::of(domain, local)) else { return nobody };
    let verdict = verdict(domain, &local, &busiest, idle, avg_load);
    let goes_on = matches!(verdict, Verdict::Forced | Verdict::Unequal);
    let amount = if goes_on { calculate_imbalance(&local, &busiest, avg_load, dst_load_per_task) } else { 0 };
    let migration = match busiest.class {
        LoadClass::MisfitTask => MigrationType::Misfit,
        LoadClass::Other | LoadClass::Imbalanced | LoadClass::Overloaded => MigrationType::Load,
    };
    let imbalance =
        (amount != 0).then_some(Imbalance { group: position, migration, imbalance: amount as i64 });
    Found { busiest: Some(position), avg_load, verdict, imbalance }
}

/// The busiest group that has load to give, with its position in the ring. Position 0 is local.
///
/// Kernel: fair.c update_sd_lb_stats() and update_sd_pick_busiest(), v5.4
/// Differs: nothing.
pub fn pick_busiest<'a>(domain: &DomainView, groups: &'a [GroupStats]) -> Option<(usize, LoadGroup<'a>)> {
    let (local, others) = groups.split_first()?;
    let local_has_room = has_capacity(domain.imbalance_pct, local);
    let mut best: Option<(usize, LoadGroup<'a>)> = None;
    for (position, sums) in others.iter().enumerate() {
        let mut group = LoadGroup::of(domain, sums);
        // Where tasks are to be spread over siblings, what is more here than there is to move, if there is room.
        if domain.child_prefers_sibling && local_has_room && local.h_nr_running + 1 < sums.h_nr_running {
            group.class = LoadClass::Overloaded;
        }
        if is_busier(domain, local, &group, best.as_ref().map(|(_, best)| best)) {
            best = Some((position + 1, group));
        }
    }
    best.filter(|(_, busiest)| busiest.sums.h_nr_running != 0)
}

fn is_busier(
    domain: &DomainView,
    local: &GroupStats,
    group: &LoadGroup<'_>,
    best: Option<&LoadGroup<'_>>,
) -> bool {
    let cannot_help = !fits_capacity(group.sums.max_capacity, local.max_capacity)
        || !has_capacity(domain.imbalance_pct, local);
    if group.class == LoadClass::MisfitTask && cannot_help {
        return false;
    }
    let (best_class, best_load, best_misfit) =
        best.map_or((LoadClass::Other, 0, 0), |best| (best.class, best.avg_load, best.sums.misfit_load));
    if group.class != best_class {
        return best_class < group.class;
    }
    if group.avg_load <= best_load {
        return false;
    }
    if !domain.asym_capacity {
        return true;
    }
    // One task a CPU on bigger CPUs is well off: moving it here could only slow it.
    let better_off = group.sums.h_nr_running <= group.sums.weight
        && fits_capacity(local.min_capacity, group.sums.min_capacity);
    let lesser_misfit = group.class == LoadClass::MisfitTask && group.sums.misfit_load < best_misfit;
    !better_off && !lesser_misfit
}

fn verdict(
    domain: &DomainView,
    local: &LoadGroup<'_>,
    busiest: &LoadGroup<'_>,
    idle: CpuIdleType,
    avg_load: u64,
) -> Verdict {
    let may_spread = idle != CpuIdleType::NotIdle
        && has_capacity(domain.imbalance_pct, local.sums)
        && busiest.class == LoadClass::Overloaded;
    if may_spread || matches!(busiest.class, LoadClass::Imbalanced | LoadClass::MisfitTask) {
        return Verdict::Forced;
    }
    if busiest.avg_load <= local.avg_load {
        return Verdict::LocalIsBusier;
    }
    if avg_load <= local.avg_load {
        return Verdict::LocalAboveAverage;
    }
    if idle == CpuIdleType::Idle {
        // Where idle CPUs differ by one, moving a task would only move the difference.
        let alike = local.sums.idle_cpus <= busiest.sums.idle_cpus + 1;
        return if busiest.class != LoadClass::Overloaded && alike {
            Verdict::IdleCpusAlike
        } else {
            Verdict::Unequal
        };
    }
    if busiest.avg_load * 100 <= local.avg_load * u64::from(domain.imbalance_pct) {
        Verdict::WithinThreshold
    } else {
        Verdict::Unequal
    }
}

/// How much load to move: as much as brings the nearer of the two groups to the domain's average.
///
/// Kernel: fair.c calculate_imbalance(), v5.4
/// Differs: nothing.
pub fn calculate_imbalance(
    local: &LoadGroup<'_>,
    busiest: &LoadGroup<'_>,
    avg_load: u64,
    dst_load_per_task: u64,
) -> u64 {
    let mut busiest = *busiest;
    if busiest.class == LoadClass::Imbalanced {
        // Averages over its CPUs say little: affinity has put its tasks where they are.
        busiest.load_per_task = busiest.load_per_task.min(avg_load);
    }
    let is_misfit = busiest.class == LoadClass::MisfitTask;
    if !is_misfit && (busiest.avg_load <= avg_load || avg_load <= local.avg_load) {
        return fix_small_imbalance(local, &busiest, dst_load_per_task, 0);
    }
    // Wrapping as in the kernel: a misfit task may be in a group below the average.
    let above_average = busiest.avg_load.wrapping_sub(avg_load);
    let most = above_average.min(load_above_capacity(local, &busiest));
    let pull = most.wrapping_mul(busiest.sums.capacity);
    let push = avg_load.wrapping_sub(local.avg_load).wrapping_mul(local.sums.capacity);
    let mut imbalance = pull.min(push) / 1024;
    if is_misfit {
        imbalance = (imbalance as i64).max(busiest.sums.misfit_load as i64) as u64;
    }
    if imbalance < busiest.load_per_task {
        return fix_small_imbalance(local, &busiest, dst_load_per_task, imbalance);
    }
    imbalance
}

/// What the busiest group carries for each 1024 of capacity beyond one nice-0 task a CPU, where no group has room:
/// moving more would only leave CPUs idle.
fn load_above_capacity(local: &LoadGroup<'_>, busiest: &LoadGroup<'_>) -> u64 {
    /// Load of a task of nice 0 that always wants to run.
    const NICE_0: u64 = 1024;
    if busiest.class != LoadClass::Overloaded || local.class != LoadClass::Overloaded {
        return u64::MAX;
    }
    let capacity = busiest.sums.capacity.max(1);
    match (u64::from(busiest.sums.h_nr_running) * 1024).checked_sub(capacity) {
        None | Some(0) => u64::MAX,
        Some(above) => above * NICE_0 / capacity,
    }
}

/// One task's load where the imbalance is less than that, if moving one helps; else what it was.
///
/// Kernel: fair.c fix_small_imbalance(), v3.3…v5.4
/// Differs: nothing.
pub fn fix_small_imbalance(
    local: &LoadGroup<'_>,
    busiest: &LoadGroup<'_>,
    dst_load_per_task: u64,
    imbalance: u64,
) -> u64 {
    let is_empty = local.sums.h_nr_running == 0;
    let local_per_task = if is_empty { dst_load_per_task } else { local.load_per_task };
    // Tasks heavier than those here leave a greater gap when one of them goes.
    let gap = if !is_empty && local.load_per_task < busiest.load_per_task { 1 } else { 2 };
    let scaled = busiest.scaled_load_per_task();
    if local.avg_load + scaled * gap <= busiest.avg_load + scaled {
        return busiest.load_per_task;
    }
    let used =
        |group: &LoadGroup<'_>, per_task: u64, avg_load: u64| group.sums.capacity * per_task.min(avg_load);
    let now =
        used(busiest, busiest.load_per_task, busiest.avg_load) + used(local, local_per_task, local.avg_load);
    let left_there = busiest.avg_load.checked_sub(scaled).filter(|left| *left != 0);
    let kept = left_there.map_or(0, |left| used(busiest, busiest.load_per_task, left));
    // No more can arrive here than the busiest group has.
    let task = (busiest.load_per_task * 1024).min(busiest.avg_load * busiest.sums.capacity);
    let arrives = task / local.sums.capacity.max(1);
    let moved = kept + used(local, local_per_task, local.avg_load + arrives);
    // More of the machine's capacity would be used.
    if now / 1024 < moved / 1024 { busiest.load_per_task } else { imbalance }
}

/// The CPU of the busiest group to pull from, by the index given with it: the one with most load for its capacity, the
/// first of equals.
///
/// Kernel: fair.c find_busiest_queue(), v5.4
/// Differs: NUMA balancing does not restrict the choice.
pub fn find_busiest_queue<'a>(
    domain: &DomainView,
    imbalance: &Imbalance,
    dst_capacity: u64,
    cpus: impl IntoIterator<Item = (usize, &'a CpuState)>,
) -> Option<usize> {
    let (mut index, mut most_load, mut its_capacity, mut most_misfit) = (None, 0, 1, 0);
    for (candidate, cpu) in cpus {
        if imbalance.migration == MigrationType::Misfit {
            if most_misfit < cpu.misfit_load {
                most_misfit = cpu.misfit_load;
                index = Some(candidate);
            }
            continue;
        }
        // A lone task of any class is left where it is better off, or where it is more than is to be moved.
        let is_alone = cpu.nr_running == 1;
        let better_off = domain.asym_capacity && dst_capacity < cpu.capacity;
        let too_much =
            imbalance.imbalance < cpu.load as i64 && !capacity_is_reduced(domain.imbalance_pct, cpu);
        if is_alone && (better_off || too_much) {
            continue;
        }
        if most_load * cpu.capacity < cpu.load * its_capacity {
            (index, most_load, its_capacity) = (Some(candidate), cpu.load, cpu.capacity);
        }
    }
    index
}

#[cfg(test)]
mod tests;
