//! Where a wakee goes: an idle CPU that shares the target's last-level cache, or the target itself.
//!
//! Two searches stand side by side: `two_passes` up to v5.10 and `one_pass` from v5.11 on.

mod limit;
mod one_pass;
mod two_passes;

use kernel::{IdleSearch, Tunables};
use sim::CpuId;

pub use limit::{sis_prop_limit, sis_util_nr_idle_scan};

/// What the search can ask about the machine. It asks in the order of the kernel and no more than it needs.
pub trait IdleView {
    /// `available_idle_cpu()`: whether the CPU counts as idle, see [`idle_cpu`].
    fn is_idle(&self, cpu: CpuId) -> bool;

    /// Whether the wakee may run on the CPU.
    fn allows(&self, cpu: CpuId) -> bool;

    /// `cpus_share_cache()`: whether the two CPUs share a last-level cache; a CPU does so with itself.
    fn shares_cache(&self, one: CpuId, other: CpuId) -> bool;

    /// The CPUs that share a last-level cache with `start`: ascending from `start`, which comes first, then from the
    /// lowest up to it.
    fn llc_wrapped(&self, start: CpuId) -> impl Iterator<Item = CpuId>;

    /// The hardware threads of the CPU's core in ascending order, the CPU itself among them.
    fn siblings(&self, cpu: CpuId) -> impl Iterator<Item = CpuId>;

    /// `asym_fits_capacity()`: whether the wakee fits the CPU; always where CPUs are alike.
    fn fits(&self, _cpu: CpuId) -> bool {
        true
    }

    /// What a search for an idle CPU of enough capacity finds, where CPUs differ and such a search takes the place of the
    /// scan of the cache.
    fn idle_capacity(&self) -> Option<Option<CpuId>> {
        None
    }

    /// How many CPUs the scan may look at: [`sis_prop_limit`], [`sis_util_nr_idle_scan`] or `u32::MAX`; 0 leaves the
    /// scan out. Asked at most once, and only when the search comes to its scan.
    fn scan_limit(&self) -> u32;
}

/// What is known of a wake-up before the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WakeupFacts {
    /// The CPU that `wake_affine()` or its absence has chosen; the search stays in its last-level cache.
    pub target: CpuId,
    /// The CPU on which the wakee last ran.
    pub prev: CpuId,
    /// The wakee's `recent_used_cpu`.
    pub recent_used: CpuId,
    /// `has_idle_cores` of the target's cache; never set on a machine without SMT.
    pub has_idle_core: bool,
}

/// What the search found, and what it leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Where the wakee goes.
    pub cpu: CpuId,
    /// The wakee's `recent_used_cpu` from now on.
    pub recent_used: CpuId,
    /// `has_idle_cores` of the target's cache from now on.
    pub has_idle_core: bool,
    /// How many CPUs the scan looked at.
    pub scanned: u32,
    /// Whether the cost of the scan goes into the average that `SIS_PROP` uses.
    pub averages_cost: bool,
}

/// An idle CPU that shares a last-level cache with the target, or the target where none is found.
///
/// Kernel: fair.c select_idle_sibling(), v5.10…v6.1
/// Differs: no per-CPU kernel threads, no `SCHED_IDLE` tasks.
#[inline]
pub fn select_idle_sibling<V: IdleView>(tunables: &Tunables, view: &V, wakeup: WakeupFacts) -> Selection {
    match tunables.idle_search {
        IdleSearch::TwoPasses => two_passes::search(view, wakeup),
        IdleSearch::OnePass => one_pass::search(view, wakeup, tunables.sis_prop),
    }
}

/// What decides whether a CPU counts as idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuOccupancy {
    /// Whether it executes its idle task.
    pub runs_idle_task: bool,
    /// How many tasks are runnable on it.
    pub nr_running: u32,
    /// `ttwu_pending`: whether a task may be on its way by the wake list.
    pub ttwu_pending: bool,
}

/// Whether a CPU has nothing to do and nothing on its way.
///
/// Kernel: core.c idle_cpu(), v5.8…v6.18
/// Differs: nothing.
#[inline]
pub fn idle_cpu(cpu: CpuOccupancy) -> bool {
    cpu.runs_idle_task && cpu.nr_running == 0 && !cpu.ttwu_pending
}

/// Whether all other threads of a CPU's core are idle, so that the core is once the CPU is.
///
/// Kernel: fair.c __update_idle_core(), v4.8…v6.18
/// Differs: only the answer; that of a core with one thread is yes.
#[inline]
pub fn rest_of_core_is_idle<V: IdleView>(view: &V, cpu: CpuId) -> bool {
    view.siblings(cpu).all(|sibling| sibling == cpu || view.is_idle(sibling))
}

impl Selection {
    /// The target, with nothing changed.
    fn target(wakeup: WakeupFacts) -> Selection {
        Selection {
            cpu: wakeup.target,
            recent_used: wakeup.recent_used,
            has_idle_core: wakeup.has_idle_core,
            scanned: 0,
            averages_cost: false,
        }
    }
}

/// The target or the previous CPU, if idle; these two are taken whether the wakee is allowed there or not, because
/// callers pass allowed ones.
#[inline]
fn target_or_prev<V: IdleView>(view: &V, wakeup: WakeupFacts) -> Option<CpuId> {
    let WakeupFacts { target, prev, .. } = wakeup;
    if view.is_idle(target) && view.fits(target) {
        return Some(target);
    }
    let prev_will_do =
        prev != target && view.shares_cache(prev, target) && view.is_idle(prev) && view.fits(prev);
    prev_will_do.then_some(prev)
}

/// Whether the CPU that the wakee used before its previous one will do.
#[inline]
fn recent_used_is_idle<V: IdleView>(view: &V, wakeup: WakeupFacts) -> bool {
    let WakeupFacts { target, prev, recent_used, .. } = wakeup;
    recent_used != prev
        && recent_used != target
        && view.shares_cache(recent_used, target)
        && view.is_idle(recent_used)
        && view.allows(recent_used)
        && view.fits(recent_used)
}

/// Kernel: fair.c select_idle_smt(), v4.8…v6.18
/// Differs: nothing.
#[inline]
fn idle_sibling<V: IdleView>(view: &V, cpu: CpuId) -> Option<CpuId> {
    view.siblings(cpu).find(|sibling| view.allows(*sibling) && view.is_idle(*sibling))
}

/// Whether no other allowed thread of the CPU's core comes before it when CPUs are visited from number `start` on.
#[inline]
fn is_first_of_core<V: IdleView>(view: &V, cpu: CpuId, start: u16) -> bool {
    // Numbers below the start wrap to the far end, as the visit does.
    let place = |cpu: CpuId| cpu.0.wrapping_sub(start);
    view.siblings(cpu).all(|sibling| place(cpu) <= place(sibling) || !view.allows(sibling))
}

/// What a scan came to.
struct Scan {
    found: Option<CpuId>,
    scanned: u32,
    /// Whether the limit ended it.
    cut_off: bool,
}

/// The first idle one of the allowed CPUs in the given order, of which at most `limit` are looked at.
#[inline]
fn scan<V: IdleView>(view: &V, order: impl Iterator<Item = CpuId>, limit: u32) -> Scan {
    let mut scanned = 0;
    for cpu in order {
        if !view.allows(cpu) {
            continue;
        }
        if scanned == limit {
            return Scan { found: None, scanned, cut_off: true };
        }
        scanned += 1;
        if view.is_idle(cpu) {
            return Scan { found: Some(cpu), scanned, cut_off: false };
        }
    }
    Scan { found: None, scanned, cut_off: false }
}

#[cfg(test)]
mod tests;
