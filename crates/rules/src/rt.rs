//! Where real-time tasks go: which CPUs run the least important work, and which of them a task is sent to.
//!
//! Priorities are the kernel's `prio`, where less is more: 0 to 98 for real-time priorities 99 to 1, 100 and more for
//! everything else.

use kernel::patches::rt_idle_first;
use kernel::{Audit, Kernel};
use sim::CpuId;

/// `MAX_RT_PRIO`: what a CPU without real-time tasks has as its highest priority.
pub const MAX_RT_PRIO: u8 = 100;

/// What the rules can ask about the machine and about the CPUs that the task may use.
pub trait RtView {
    /// The CPUs on which the task may run, in ascending order.
    fn allowed(&self) -> impl Iterator<Item = CpuId>;

    /// `rt.highest_prio.curr`: the best priority of the real-time tasks queued on a CPU, the running one among them;
    /// [`MAX_RT_PRIO`] where there are none.
    fn highest_prio(&self, cpu: CpuId) -> u8;

    /// What a CPU executes.
    fn current(&self, cpu: CpuId) -> RtCurrent;

    /// `idle_cpu()`.
    fn is_idle(&self, cpu: CpuId) -> bool;

    /// How many sched domains a CPU has.
    fn domain_count(&self, cpu: CpuId) -> usize;

    /// Whether the domain at a position, 0 for the lowest, has `SD_WAKE_AFFINE`.
    fn is_wake_affine(&self, of: CpuId, level: usize) -> bool;

    /// Whether the domain at a position spans a CPU.
    fn spans(&self, of: CpuId, level: usize, cpu: CpuId) -> bool;

    /// `rt_task_fits_capacity()`: whether a CPU is as big as the task wants; always true on symmetric machines and where
    /// the kernel does not ask.
    fn fits(&self, cpu: CpuId) -> bool;
}

/// The task that a CPU executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtCurrent {
    /// Its `prio`; of the idle task [`RtCurrent::IDLE`].
    pub prio: u8,
    /// Whether it may run on one CPU only.
    pub pinned: bool,
}

/// A real-time task that looks for a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtTask {
    /// Its `prio`, below [`MAX_RT_PRIO`].
    pub prio: u8,
    /// Whether it may run on one CPU only.
    pub pinned: bool,
    /// `task_cpu()`: where it is queued or last ran.
    pub cpu: CpuId,
    /// Whether it may run there, which every task may that has not just been bound elsewhere.
    pub may_stay: bool,
    /// The CPU that executes the search.
    pub this_cpu: CpuId,
}

impl RtCurrent {
    /// `MAX_PRIO`: the idle task.
    pub const IDLE: RtCurrent = RtCurrent { prio: 140, pinned: false };

    /// `rt_task()`.
    pub const fn is_rt(self) -> bool {
        self.prio < MAX_RT_PRIO
    }
}

/// The CPU for a real-time task that wakes or is new.
///
/// Kernel: rt.c select_task_rq_rt(), v3.3…v6.1
/// Differs: nothing.
pub fn select_task_rq_rt<V: RtView>(
    kernel: &Kernel,
    audit: &mut dyn Audit,
    view: &V,
    task: &RtTask,
) -> CpuId {
    let current = view.current(task.cpu);
    let conflict = current.is_rt() && (current.pinned || current.prio <= task.prio);
    let migratable = !task.pinned || !task.may_stay;
    let searches = kernel.decide(audit, &rt_idle_first::SELECT_TASK_RQ, conflict, [migratable, migratable]);
    if !searches && view.fits(task.cpu) {
        return task.cpu;
    }
    let Some(target) = find_lowest_rq(kernel, audit, view, task) else { return task.cpu };
    // Where only a bigger CPU was looked for, a small one will not do.
    if !searches && !view.fits(target) {
        return task.cpu;
    }
    if task.prio < view.highest_prio(target) { target } else { task.cpu }
}

/// The CPU that runs the least important work among those that the task may use; none where all run work that is at
/// least as important. Asked at wake-ups and when a CPU pushes a task away.
///
/// Kernel: rt.c find_lowest_rq(), v3.3…v5.10
/// Differs: later kernels take the CPUs of a domain in turn instead of the lowest one (`cpumask_any_and_distribute`).
pub fn find_lowest_rq<V: RtView>(
    kernel: &Kernel,
    audit: &mut dyn Audit,
    view: &V,
    task: &RtTask,
) -> Option<CpuId> {
    if task.pinned {
        return None;
    }
    let mask = cpupri_find(view, task.prio)?;
    let base = lowest_of(view, *task, &mask);
    let prev = mask.contains(&task.cpu) && view.is_idle(task.cpu);
    let idle_prev = if prev { Some(task.cpu) } else { base };
    // Base comes to the same CPU a little later: what it is good for is that no other idle CPU is looked for.
    let found = kernel.decide(audit, &rt_idle_first::FIND_LOWEST_PREV, base, [idle_prev, idle_prev]);
    let idle_in = |everywhere: bool| {
        let near = |cpu: CpuId| 0 < view.domain_count(task.cpu) && view.spans(task.cpu, 0, cpu);
        mask.iter().copied().find(|cpu| view.is_idle(*cpu) && (everywhere || near(*cpu)))
    };
    let rivals = audit.wants_rivals() || kernel.patches.form(rt_idle_first::FIND_LOWEST_IDLE.patch).is_some();
    let [near, anywhere] =
        if prev || !rivals { [found, found] } else { [false, true].map(|all| idle_in(all).or(base)) };
    kernel.decide(audit, &rt_idle_first::FIND_LOWEST_IDLE, found, [near, anywhere])
}

/// What base takes from the set of lowest CPUs.
fn lowest_of<V: RtView>(view: &V, task: RtTask, mask: &[CpuId]) -> Option<CpuId> {
    if mask.contains(&task.cpu) {
        return Some(task.cpu);
    }
    let this_cpu = Some(task.this_cpu).filter(|cpu| mask.contains(cpu));
    for level in 0..view.domain_count(task.cpu) {
        if !view.is_wake_affine(task.cpu, level) {
            continue;
        }
        if let Some(this_cpu) = this_cpu
            && view.spans(task.cpu, level, this_cpu)
        {
            return Some(this_cpu);
        }
        if let Some(best) = mask.iter().find(|cpu| view.spans(task.cpu, level, **cpu)) {
            return Some(*best);
        }
    }
    this_cpu.or(mask.first().copied())
}

/// The allowed CPUs whose best real-time priority is the lowest of all, in ascending order; none where no allowed CPU is
/// below `prio`. CPUs without real-time tasks are all alike, whether they idle or not. Of CPUs that differ in size only
/// fitting ones, where there are any at or above the lowest level.
///
/// Kernel: cpupri.c cpupri_find() and cpupri_find_fitness(), v3.3…v6.1
/// Differs: a scan over CPUs instead of a table of levels, which gives the same set.
pub fn cpupri_find<V: RtView>(view: &V, prio: u8) -> Option<Vec<CpuId>> {
    let below = |cpu: &CpuId| prio < view.highest_prio(*cpu);
    let lowest_level = |fits: &dyn Fn(&CpuId) -> bool| {
        let candidates: Vec<CpuId> = view.allowed().filter(|cpu| below(cpu) && fits(cpu)).collect();
        let level = candidates.iter().map(|cpu| view.highest_prio(*cpu)).max()?;
        Some(candidates.into_iter().filter(|cpu| view.highest_prio(*cpu) == level).collect())
    };
    lowest_level(&|cpu| view.fits(*cpu)).or_else(|| lowest_level(&|_| true))
}
