//! The search up to v5.10: over the cores, over the CPUs, over the siblings of the target.

use sim::CpuId;

use super::{
    IdleView, Selection, WakeupFacts, idle_sibling, is_first_of_core, recent_used_is_idle, scan,
    target_or_prev,
};

/// The whole search.
///
/// Kernel: fair.c select_idle_sibling(), select_idle_cpu(), v5.10
/// Differs: no per-CPU kernel threads, no `SCHED_IDLE` tasks.
pub(super) fn search<V: IdleView>(view: &V, wakeup: WakeupFacts) -> Selection {
    let target = wakeup.target;
    let mut selection = Selection::target(wakeup);
    if let Some(cpu) = target_or_prev(view, wakeup) {
        return Selection { cpu, ..selection };
    }
    if recent_used_is_idle(view, wakeup) {
        // The previous CPU becomes the candidate of the next wake-up.
        return Selection { cpu: wakeup.recent_used, recent_used: wakeup.prev, ..selection };
    }
    if let Some(found) = view.idle_capacity() {
        return Selection { cpu: found.unwrap_or(target), ..selection };
    }
    if wakeup.has_idle_core {
        if let Some(cpu) = idle_core(view, target) {
            return Selection { cpu, ..selection };
        }
        selection.has_idle_core = false;
    }
    let scan = scan(view, view.llc_wrapped(target), view.scan_limit());
    selection.scanned = scan.scanned;
    // A scan that its limit ends leaves without accounting for its cost.
    selection.averages_cost = !scan.cut_off;
    selection.cpu = scan.found.or_else(|| idle_sibling(view, target)).unwrap_or(target);
    selection
}

/// A core whose threads are all idle.
///
/// Kernel: fair.c select_idle_core(), v4.8…v5.10
/// Differs: nothing.
fn idle_core<V: IdleView>(view: &V, target: CpuId) -> Option<CpuId> {
    view.llc_wrapped(target).find(|core| {
        view.allows(*core)
            && is_first_of_core(view, *core, target.0)
            && view.siblings(*core).all(|thread| view.is_idle(thread))
    })
}
