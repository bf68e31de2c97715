use super::DomainView;

/// A CPU as the balancer sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuState {
    /// Runnable tasks of all classes.
    pub nr_running: u32,
    /// Runnable CFS tasks of the whole hierarchy.
    pub h_nr_running: u32,
    /// `cpu_load()`: average load of the root CFS queue.
    pub load: u64,
    /// `cpu_util()`: utilisation or its estimate, whichever is more, capped at the original capacity.
    pub util: u64,
    /// `cpu_runnable()`: average number of runnable CFS tasks × 1024.
    pub runnable: u64,
    /// `capacity_of()`: what interrupts and other classes leave for CFS, 1 to 1024.
    pub capacity: u64,
    /// `capacity_orig_of()`: what the CPU can do, 1 to 1024.
    pub capacity_orig: u64,
    /// Load of a task that does not fit this CPU, else 0.
    pub misfit_load: u64,
    /// `idle_cpu()`: the idle task runs, nothing is queued or pending.
    pub idle: bool,
}

/// How busy a group is; later ones are busier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupType {
    /// It can take more tasks.
    #[default]
    HasSpare,
    /// It is used up, and its tasks do not compete.
    FullyBusy,
    /// A task does not fit its CPU.
    MisfitTask,
    /// A preferred CPU is idle (`SD_ASYM_PACKING`).
    AsymPacking,
    /// Affinity kept an earlier pass from balancing it.
    Imbalanced,
    /// Its tasks compete.
    Overloaded,
}

/// What is known of a group besides its CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupFlags {
    /// The CPU that balances is in it.
    pub local: bool,
    /// An earlier pass on the level below failed because of affinity.
    pub imbalanced: bool,
}

/// What is known of a group where a task that starts looks for a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WakeupFlags {
    /// The task fits the biggest CPU of the group.
    pub task_fits: bool,
    /// An earlier balance pass on the level below failed because of affinity.
    pub imbalanced: bool,
}

/// The sums over a group and what follows from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupStats {
    /// Sum of the CPUs' load.
    pub load: u64,
    /// Sum of their utilisation.
    pub util: u64,
    /// Sum of their runnable averages.
    pub runnable: u64,
    /// Sum of their capacities.
    pub capacity: u64,
    /// Least capacity of a CPU; `u64::MAX` before the first.
    pub min_capacity: u64,
    /// Most capacity of a CPU.
    pub max_capacity: u64,
    /// Most load of a misfit task, where that counts.
    pub misfit_load: u64,
    /// Load for each 1024 of capacity; 0 where the group is too little busy for it to matter.
    pub avg_load: u64,
    /// Runnable tasks of all classes.
    pub nr_running: u32,
    /// Runnable CFS tasks.
    pub h_nr_running: u32,
    /// CPUs that are idle.
    pub idle_cpus: u32,
    /// CPUs in the group.
    pub weight: u32,
    /// How busy the group is; set by [`GroupStats::finish`].
    pub group_type: GroupType,
    /// An earlier pass on the level below failed because of affinity.
    pub imbalanced: bool,
    /// A CPU has more than one runnable task, or a misfit that counts: a reason for newidle balancing.
    pub overload: bool,
}

impl GroupStats {
    /// Nothing summed yet, for a group of `weight` CPUs.
    #[inline]
    pub const fn start(weight: u32) -> GroupStats {
        GroupStats {
            load: 0,
            util: 0,
            runnable: 0,
            capacity: 0,
            min_capacity: u64::MAX,
            max_capacity: 0,
            misfit_load: 0,
            avg_load: 0,
            nr_running: 0,
            h_nr_running: 0,
            idle_cpus: 0,
            weight,
            group_type: GroupType::HasSpare,
            imbalanced: false,
            overload: false,
        }
    }

    /// Adds a CPU of the group.
    ///
    /// Kernel: fair.c update_sg_lb_stats(), v5.5…v6.18
    /// Differs: capacities are summed here and not kept between passes.
    #[inline]
    pub fn add(&mut self, cpu: &CpuState) {
        self.load += cpu.load;
        self.util += cpu.util;
        self.runnable += cpu.runnable;
        self.capacity += cpu.capacity;
        self.min_capacity = self.min_capacity.min(cpu.capacity);
        self.max_capacity = self.max_capacity.max(cpu.capacity);
        self.nr_running += cpu.nr_running;
        self.h_nr_running += cpu.h_nr_running;
        self.overload |= 1 < cpu.nr_running;
        // An idle CPU has no misfit task, whatever was noted when it was busy.
        if cpu.nr_running == 0 && cpu.idle {
            self.idle_cpus += 1;
        } else {
            self.misfit_load = self.misfit_load.max(cpu.misfit_load);
        }
    }

    /// Classifies the group, after its last CPU was added.
    ///
    /// Kernel: fair.c update_sg_lb_stats(), v5.5…v6.18
    /// Differs: `SD_ASYM_PACKING` is not known: no machine here has it.
    #[inline]
    pub fn finish(&mut self, domain: &DomainView, flags: GroupFlags) {
        if flags.local || !domain.asym_capacity {
            self.misfit_load = 0;
        }
        self.overload |= self.misfit_load != 0;
        self.imbalanced = flags.imbalanced;
        self.group_type = classify(domain.imbalance_pct, self);
        self.avg_load =
            if self.group_type == GroupType::Overloaded { average_load(self.load, self.capacity) } else { 0 };
    }

    /// Classifies the group for a task that starts, after its last CPU was added. The sums leave the task out.
    ///
    /// Kernel: fair.c update_sg_wakeup_stats(), v5.5…v5.10
    /// Differs: nothing.
    #[inline]
    pub fn finish_for_wakeup(&mut self, domain: &DomainView, flags: WakeupFlags) {
        self.misfit_load = u64::from(domain.asym_capacity && !flags.task_fits);
        self.imbalanced = flags.imbalanced;
        self.group_type = classify(domain.imbalance_pct, self);
        self.avg_load = match self.group_type {
            GroupType::Overloaded | GroupType::FullyBusy => average_load(self.load, self.capacity),
            _ => 0,
        };
    }
}

/// How busy a group is.
///
/// Kernel: fair.c group_classify(), v5.5…v6.18
/// Differs: `SD_ASYM_PACKING` is not known: no machine here has it.
#[inline]
pub fn classify(imbalance_pct: u32, group: &GroupStats) -> GroupType {
    if group_is_overloaded(imbalance_pct, group) {
        GroupType::Overloaded
    } else if group.imbalanced {
        GroupType::Imbalanced
    } else if group.misfit_load != 0 {
        GroupType::MisfitTask
    } else if group_has_capacity(imbalance_pct, group) {
        GroupType::HasSpare
    } else {
        GroupType::FullyBusy
    }
}

/// Whether a group can take more tasks.
///
/// Kernel: fair.c group_has_capacity(), v5.9…v6.18
/// Differs: nothing.
#[inline]
pub fn group_has_capacity(imbalance_pct: u32, group: &GroupStats) -> bool {
    group.nr_running < group.weight
        || (!runnable_exceeds(imbalance_pct, group)
            && group.util * u64::from(imbalance_pct) < group.capacity * 100)
}

/// Whether the tasks of a group compete for its capacity.
///
/// Kernel: fair.c group_is_overloaded(), v5.9…v6.18
/// Differs: nothing.
#[inline]
pub fn group_is_overloaded(imbalance_pct: u32, group: &GroupStats) -> bool {
    group.weight < group.nr_running
        && (group.capacity * 100 < group.util * u64::from(imbalance_pct)
            || runnable_exceeds(imbalance_pct, group))
}

/// Whether more tasks wait than the capacity, stretched by the threshold, can hold.
#[inline]
fn runnable_exceeds(imbalance_pct: u32, group: &GroupStats) -> bool {
    group.capacity * u64::from(imbalance_pct) < group.runnable * 100
}

/// Load for each 1024 of capacity. The kernel keeps a capacity at 1 or more.
#[inline]
pub const fn average_load(load: u64, capacity: u64) -> u64 {
    let capacity = if capacity == 0 { 1 } else { capacity };
    load.wrapping_mul(1024) / capacity
}
