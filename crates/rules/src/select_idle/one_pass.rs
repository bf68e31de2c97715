//! The search from v5.11 on: siblings of the previous CPU, then one pass that looks for a core or for a CPU.

use sim::CpuId;

use super::{
    IdleView, Selection, WakeupFacts, idle_sibling, is_first_of_core, recent_used_is_idle, scan,
    target_or_prev,
};

/// The whole search.
///
/// Kernel: fair.c select_idle_sibling(), select_idle_cpu(), v6.1
/// Differs: no per-CPU kernel threads, no `SCHED_IDLE` tasks.
pub(super) fn search<V: IdleView>(view: &V, wakeup: WakeupFacts, sis_prop: bool) -> Selection {
    let WakeupFacts { target, prev, recent_used, has_idle_core } = wakeup;
    if let Some(cpu) = target_or_prev(view, wakeup) {
        return Selection { cpu, ..Selection::target(wakeup) };
    }
    // From here on the previous CPU is the candidate of the next wake-up, whatever this one comes to.
    let selection = Selection { recent_used: prev, ..Selection::target(wakeup) };
    if recent_used_is_idle(view, wakeup) {
        return Selection { cpu: recent_used, ..selection };
    }
    if let Some(found) = view.idle_capacity() {
        return Selection { cpu: found.unwrap_or(target), ..selection };
    }
    if !has_idle_core
        && view.shares_cache(prev, target)
        && let Some(cpu) = idle_sibling(view, prev)
    {
        return Selection { cpu, ..selection };
    }
    let limit = view.scan_limit();
    if limit == 0 {
        // A cache as busy as that is not searched for a core either, and the hint stays as it is.
        return selection;
    }
    if has_idle_core {
        let pass = idle_core_or_cpu(view, target);
        let cpu = pass.found.unwrap_or(target);
        return Selection { cpu, has_idle_core: pass.is_core, scanned: pass.scanned, ..selection };
    }
    let scan = scan(view, after(view, target), limit);
    Selection {
        cpu: scan.found.unwrap_or(target),
        scanned: scan.scanned,
        averages_cost: sis_prop && !scan.cut_off,
        ..selection
    }
}

/// The CPUs of a CPU's cache from the next one on, itself last.
fn after<V: IdleView>(view: &V, cpu: CpuId) -> impl Iterator<Item = CpuId> {
    view.llc_wrapped(cpu).skip(1).chain(std::iter::once(cpu))
}

/// What a search for a core came to.
struct CorePass {
    found: Option<CpuId>,
    is_core: bool,
    scanned: u32,
}

/// A core whose threads are all idle, or else the first idle CPU on the way. The scan's limit does not hold here.
///
/// Kernel: fair.c select_idle_core() within select_idle_cpu(), v5.11…v6.1
/// Differs: nothing.
fn idle_core_or_cpu<V: IdleView>(view: &V, target: CpuId) -> CorePass {
    let start = target.0.wrapping_add(1);
    let mut first_idle = None;
    let mut scanned = 0;
    for core in after(view, target) {
        if !view.allows(core) || !is_first_of_core(view, core, start) {
            continue;
        }
        let mut all_idle = true;
        for thread in view.siblings(core) {
            scanned += 1;
            if !view.is_idle(thread) {
                all_idle = false;
                if first_idle.is_some() {
                    break;
                }
            } else if first_idle.is_none() && view.allows(thread) {
                first_idle = Some(thread);
            }
        }
        if all_idle {
            return CorePass { found: Some(core), is_core: true, scanned };
        }
    }
    CorePass { found: first_idle, is_core: false, scanned }
}
