use crate::balance::{DomainView, Idlest};

/// A group as a task that starts sees it, without that task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartGroup {
    /// Sum of the loads of queued tasks.
    pub runnable_load: u64,
    /// Sum of the loads with those of sleeping tasks.
    pub load: u64,
    /// Sum of the CPUs' capacities.
    pub capacity: u64,
    /// The most capacity that a CPU of it has to spare.
    pub most_spare: u64,
}

impl StartGroup {
    /// Adds a CPU of the group.
    ///
    /// Kernel: fair.c find_idlest_group() and capacity_spare_without(), v4.20…v5.4
    /// Differs: nothing.
    pub fn add(&mut self, cpu: &StartCpu) {
        self.runnable_load += cpu.runnable_load;
        self.load += cpu.load;
        self.capacity += cpu.capacity;
        self.most_spare = self.most_spare.max(cpu.capacity.saturating_sub(cpu.util));
    }

    /// A load of the group for each 1024 of its capacity.
    pub fn scaled(&self, load: u64) -> u64 {
        super::average_load(load, self.capacity)
    }
}

/// A CPU as a task that starts sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartCpu {
    /// Load of queued tasks.
    pub runnable_load: u64,
    /// Load with that of sleeping tasks.
    pub load: u64,
    /// `capacity_of()`.
    pub capacity: u64,
    /// Utilisation without the task that starts.
    pub util: u64,
}

/// Where a task starts, and by what comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The group; none where there is none at all.
    pub idlest: Option<Idlest>,
    /// The best of the other groups, with which the local one was compared.
    pub other: Option<usize>,
    /// Spare capacity decided, and not load.
    pub by_spare: bool,
}

/// The group whose loads are least, with those loads for each 1024 of capacity.
#[derive(Clone, Copy)]
struct Least {
    group: Option<usize>,
    runnable_load: u64,
    load: u64,
}

/// Where a task that is forked or executed starts: the local group unless another one is clearly better.
///
/// `local` is the position of the group of this CPU, if the task may run there; groups in which it may not run are
/// left out. `task_util` is the task's utilisation; a task that is forked has none yet.
///
/// Kernel: fair.c find_idlest_group(), v4.20…v5.4
/// Differs: nothing.
pub fn find_idlest_group(
    domain: &DomainView,
    groups: &[StartGroup],
    local: Option<usize>,
    task_util: Option<u64>,
) -> Start {
    if let Some(task_util) = task_util
        && let Some(start) = by_spare_capacity(domain, groups, local, task_util)
    {
        return start;
    }
    let least = least_loaded(domain, groups, local);
    let there = least.group.map(Idlest::Group);
    let idlest = match local.and_then(|position| groups.get(position)) {
        None => there,
        Some(here) => there.filter(|_| is_clearly_less(domain, here, &least)).or(Some(Idlest::Local)),
    };
    Start { idlest, other: least.group, by_spare: false }
}

/// Half of the domain's threshold, in percent.
fn imbalance_scale(domain: &DomainView) -> u64 {
    100 + u64::from(domain.imbalance_pct.saturating_sub(100)) / 2
}

/// The part of a nice-0 task by which loads may differ.
fn imbalance(domain: &DomainView) -> u64 {
    1024 * u64::from(domain.imbalance_pct.saturating_sub(100)) / 100
}

/// A group with room for at least half of the task, the local one first; none where there is none.
fn by_spare_capacity(
    domain: &DomainView,
    groups: &[StartGroup],
    local: Option<usize>,
    task_util: u64,
) -> Option<Start> {
    let (mut most, mut most_spare) = (None, 0);
    for (position, group) in groups.iter().enumerate() {
        if Some(position) != local && most_spare < group.most_spare {
            (most, most_spare) = (Some(position), group.most_spare);
        }
    }
    let here = local.and_then(|position| groups.get(position)).map_or(0, |group| group.most_spare);
    let fits = |spare: u64| task_util / 2 < spare;
    let stays = fits(here) && most_spare * 100 < here * imbalance_scale(domain);
    let goes = most.filter(|_| fits(most_spare)).map(Idlest::Group);
    let idlest = if stays { Idlest::Local } else { goes? };
    Some(Start { idlest: Some(idlest), other: most, by_spare: true })
}

/// The group that carries least: by what is queued, and where that is close by what sleeps too.
fn least_loaded(domain: &DomainView, groups: &[StartGroup], local: Option<usize>) -> Least {
    let mut least = Least { group: None, runnable_load: u64::MAX, load: u64::MAX };
    for (position, group) in groups.iter().enumerate() {
        if Some(position) == local {
            continue;
        }
        let (runnable_load, load) = (group.scaled(group.runnable_load), group.scaled(group.load));
        if runnable_load + imbalance(domain) < least.runnable_load {
            least = Least { group: Some(position), runnable_load, load };
        } else if runnable_load < least.runnable_load.saturating_add(imbalance(domain))
            && load.saturating_mul(imbalance_scale(domain)) < least.load.saturating_mul(100)
        {
            // What is queued in the group that it replaces goes on to be what others are measured by.
            least = Least { group: Some(position), load, ..least };
        }
    }
    least
}

/// Whether the other group carries less than the local one, by more than the thresholds.
fn is_clearly_less(domain: &DomainView, here: &StartGroup, there: &Least) -> bool {
    let (runnable_load, load) = (here.scaled(here.runnable_load), here.scaled(here.load));
    let margin = imbalance(domain);
    // Across nodes the difference must be there even when this node is nearly empty.
    if domain.numa && runnable_load <= there.runnable_load.saturating_add(margin) {
        return false;
    }
    if runnable_load + margin < there.runnable_load {
        return false;
    }
    let close = runnable_load < there.runnable_load.saturating_add(margin);
    !(close && load * 100 < there.load.saturating_mul(imbalance_scale(domain)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIE: DomainView = DomainView {
        shares_llc: false,
        shares_capacity: false,
        asym_capacity: false,
        numa: false,
        child_prefers_sibling: true,
        imbalance_pct: 125,
    };

    /// A group of four CPUs with so many queued tasks of nice 0, and load of so many that sleep.
    fn group(queued: u64, asleep: u64) -> StartGroup {
        let mut group = StartGroup::default();
        for cpu in 0..4 {
            let is_busy = cpu < queued;
            group.add(&StartCpu {
                runnable_load: if is_busy { 1024 } else { 0 },
                load: if is_busy { 1024 } else { 0 } + if cpu < asleep { 1024 } else { 0 },
                capacity: 1024,
                util: if is_busy { 1024 } else { 0 },
            });
        }
        group
    }

    fn forks(groups: &[StartGroup]) -> Option<Idlest> {
        find_idlest_group(&DIE, groups, Some(0), None).idlest
    }

    #[test]
    fn a_new_task_stays_where_loads_are_alike() {
        assert_eq!(forks(&[group(1, 1), group(1, 1)]), Some(Idlest::Local), "51200 < 112 × 512");
        assert_eq!(forks(&[group(0, 0), group(0, 0)]), Some(Idlest::Group(1)), "0 < 0 is false");
        // As much is queued here as there: what sleeps decides.
        assert_eq!(forks(&[group(1, 0), group(1, 1)]), Some(Idlest::Local), "25600 < 112 × 512");
        assert_eq!(forks(&[group(1, 1), group(1, 0)]), Some(Idlest::Group(1)), "51200 < 112 × 256 is false");
        // One task more on four CPUs is a load of 256, which is not below the threshold of 256.
        assert_eq!(forks(&[group(1, 0), group(0, 1)]), Some(Idlest::Group(1)));
    }

    #[test]
    fn a_new_task_goes_where_clearly_less_is_queued() {
        assert_eq!(forks(&[group(2, 0), group(0, 4)]), Some(Idlest::Group(1)), "512 is not below 0 + 256");
        assert_eq!(forks(&[group(0, 4), group(2, 0)]), Some(Idlest::Local), "0 + 256 is below 512");
        assert_eq!(forks(&[group(3, 0), group(2, 0), group(0, 0)]), Some(Idlest::Group(2)));
    }

    #[test]
    fn of_close_groups_the_one_with_less_that_sleeps_is_least() {
        assert_eq!(forks(&[group(4, 0), group(1, 2), group(1, 0)]), Some(Idlest::Group(2)));
        assert_eq!(forks(&[group(4, 0), group(1, 0), group(1, 2)]), Some(Idlest::Group(1)));
    }

    #[test]
    fn a_node_is_left_only_for_a_real_difference() {
        let numa = DomainView { numa: true, ..DIE };
        let groups = [group(1, 0), group(0, 0)];
        assert_eq!(find_idlest_group(&numa, &groups, Some(0), None).idlest, Some(Idlest::Local));
    }

    #[test]
    fn a_task_that_executes_looks_for_spare_capacity_first() {
        let execs = |groups: &[StartGroup], util| find_idlest_group(&DIE, groups, Some(0), Some(util)).idlest;
        // Both have an idle CPU: 1024 × 112 here against 1024 × 100 there.
        assert_eq!(execs(&[group(3, 0), group(0, 0)], 1024), Some(Idlest::Local));
        assert_eq!(execs(&[group(4, 0), group(0, 0)], 1024), Some(Idlest::Group(1)));
        // Nobody has any: load decides, as for a new task.
        assert_eq!(execs(&[group(4, 0), group(4, 0)], 1024), Some(Idlest::Local));
    }

    #[test]
    fn without_a_local_group_the_least_loaded_one_it_is() {
        assert_eq!(
            find_idlest_group(&DIE, &[group(2, 0), group(0, 0)], None, None).idlest,
            Some(Idlest::Group(1))
        );
        assert_eq!(find_idlest_group(&DIE, &[group(2, 0)], Some(0), None).idlest, Some(Idlest::Local));
        assert_eq!(find_idlest_group(&DIE, &[], None, None).idlest, None);
    }
}
