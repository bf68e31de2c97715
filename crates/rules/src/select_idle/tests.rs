use std::cell::Cell;

use kernel::Era;

use super::*;

/// A machine as text: one letter a CPU, `i` where it is idle; caches of `llc` CPUs, cores of `smt`.
struct Drawn<'a> {
    cpus: &'a str,
    llc: u16,
    smt: u16,
    forbidden: &'a [u16],
    limit: u32,
    limit_asked: Cell<u32>,
}

impl IdleView for Drawn<'_> {
    fn is_idle(&self, cpu: CpuId) -> bool {
        self.cpus.as_bytes()[cpu.index()] == b'i'
    }

    fn allows(&self, cpu: CpuId) -> bool {
        !self.forbidden.contains(&cpu.0)
    }

    fn shares_cache(&self, one: CpuId, other: CpuId) -> bool {
        one.0 / self.llc == other.0 / self.llc
    }

    fn llc_wrapped(&self, start: CpuId) -> impl Iterator<Item = CpuId> {
        let first = start.0 / self.llc * self.llc;
        (start.0..first + self.llc).chain(first..start.0).map(CpuId)
    }

    fn siblings(&self, cpu: CpuId) -> impl Iterator<Item = CpuId> {
        let first = cpu.0 / self.smt * self.smt;
        (first..first + self.smt).map(CpuId)
    }

    fn scan_limit(&self) -> u32 {
        self.limit_asked.set(self.limit_asked.get() + 1);
        self.limit
    }
}

/// One cache and, unless told otherwise, one thread a core and no limit.
fn drawn(cpus: &str) -> Drawn<'_> {
    let llc = cpus.len() as u16;
    Drawn { cpus, llc, smt: 1, forbidden: &[], limit: u32::MAX, limit_asked: Cell::new(0) }
}

/// A wakee whose target is its previous CPU 0, and that was on another cache before.
const AT_0: WakeupFacts =
    WakeupFacts { target: CpuId(0), prev: CpuId(0), recent_used: CpuId(0), has_idle_core: false };

fn select(era: Era, view: &Drawn<'_>, wakeup: WakeupFacts) -> Selection {
    select_idle_sibling(&Tunables::for_era(era, 32, 250), view, wakeup)
}

fn both(view: &Drawn<'_>, wakeup: WakeupFacts) -> [u16; 2] {
    [Era::V5_10, Era::V6_1].map(|era| select(era, view, wakeup).cpu.0)
}

#[test]
fn a_cpu_with_a_task_on_its_way_is_not_idle() {
    let idle = CpuOccupancy { runs_idle_task: true, nr_running: 0, ttwu_pending: false };
    assert!(idle_cpu(idle));
    assert!(!idle_cpu(CpuOccupancy { ttwu_pending: true, ..idle }));
    assert!(!idle_cpu(CpuOccupancy { nr_running: 1, ..idle }));
    assert!(!idle_cpu(CpuOccupancy { runs_idle_task: false, ..idle }));
}

#[test]
fn the_target_and_the_previous_cpu_come_first_and_change_nothing() {
    let wakeup = WakeupFacts { target: CpuId(2), prev: CpuId(3), recent_used: CpuId(1), has_idle_core: true };
    for era in [Era::V5_10, Era::V6_1] {
        for (cpus, cpu) in [("iiii", 2), ("iiri", 3)] {
            let view = drawn(cpus);
            let selection = select(era, &view, wakeup);
            assert_eq!(selection, Selection { cpu: CpuId(cpu), ..Selection::target(wakeup) }, "{era:?}");
            assert_eq!(
                view.limit_asked.get(),
                0,
                "the limit costs a division, so it is not asked for nothing"
            );
        }
    }
}

#[test]
fn a_previous_cpu_of_another_cache_is_not_taken() {
    let wakeup = WakeupFacts { prev: CpuId(2), recent_used: CpuId(3), ..AT_0 };
    assert_eq!(both(&Drawn { llc: 2, ..drawn("rrii") }, wakeup), [0, 0]);
}

#[test]
fn the_recently_used_cpu_is_replaced_only_when_used_in_two_passes() {
    let wakeup = WakeupFacts { prev: CpuId(1), recent_used: CpuId(2), ..AT_0 };
    let recent = |era, cpus| {
        let selection = select(era, &drawn(cpus), wakeup);
        (selection.cpu.0, selection.recent_used.0)
    };
    assert_eq!(recent(Era::V5_10, "rrii"), (2, 1));
    assert_eq!(recent(Era::V6_1, "rrii"), (2, 1));
    assert_eq!(recent(Era::V5_10, "rrri"), (3, 2));
    assert_eq!(recent(Era::V6_1, "rrri"), (3, 1));
    assert_eq!(recent(Era::V6_1, "rrrr"), (0, 1), "also where nothing is found");
}

#[test]
fn a_forbidden_cpu_is_found_by_neither_search() {
    let wakeup = WakeupFacts { prev: CpuId(1), recent_used: CpuId(2), ..AT_0 };
    let view = Drawn { forbidden: &[2, 3], ..drawn("rriii") };
    assert_eq!(both(&view, wakeup), [4, 4]);
    let smt = Drawn { smt: 2, forbidden: &[3], ..drawn("rrri") };
    assert_eq!(both(&smt, WakeupFacts { prev: CpuId(2), ..AT_0 }), [0, 0]);
    let core = WakeupFacts { has_idle_core: true, ..AT_0 };
    let smt = Drawn { smt: 2, forbidden: &[2], ..drawn("rrii") };
    assert_eq!(both(&smt, core), [3, 3], "a core is entered by an allowed thread");
}

#[test]
fn the_limit_counts_the_target_first_in_two_passes_and_last_in_one() {
    let limited = |limit| Drawn { limit, ..drawn("rriri") };
    let found = |era, limit| {
        let selection = select(era, &limited(limit), AT_0);
        (selection.cpu.0, selection.scanned, selection.averages_cost)
    };
    assert_eq!(found(Era::V5_10, 2), (0, 2, false), "the limit ends it, which leaves the average alone");
    assert_eq!(found(Era::V5_10, 3), (2, 3, true));
    assert_eq!(found(Era::V6_1, 1), (0, 1, false));
    assert_eq!(found(Era::V6_1, 2), (2, 2, false), "without SIS_PROP nothing is averaged");
    let full = Drawn { limit: 5, ..drawn("rrrrr") };
    let selection = select(Era::V5_10, &full, AT_0);
    assert_eq!(
        (selection.scanned, selection.averages_cost),
        (5, true),
        "all were looked at within the limit"
    );
}

#[test]
fn sis_prop_averages_the_cost_of_one_pass_too() {
    let mut tunables = Tunables::for_era(Era::V6_1, 32, 250);
    tunables.sis_prop = true;
    assert!(select_idle_sibling(&tunables, &drawn("rri"), AT_0).averages_cost);
    let core = Drawn { smt: 2, ..drawn("rrii") };
    let wakeup = WakeupFacts { has_idle_core: true, ..AT_0 };
    assert!(!select_idle_sibling(&tunables, &core, wakeup).averages_cost, "a search for a core is not");
}

#[test]
fn without_a_scan_the_hint_of_an_idle_core_stays_in_one_pass() {
    let wakeup = WakeupFacts { has_idle_core: true, ..AT_0 };
    let view = Drawn { smt: 2, limit: 0, ..drawn("rrii") };
    let selection = select(Era::V6_1, &view, wakeup);
    assert_eq!(selection, Selection::target(wakeup), "an idle core is there and not looked for");
    assert_eq!(select(Era::V5_10, &view, wakeup).cpu, CpuId(2), "the limit is that of CPUs in two passes");
}

#[test]
fn a_search_for_a_core_in_vain_clears_the_hint_and_takes_the_first_idle_cpu() {
    let wakeup = WakeupFacts { target: CpuId(4), prev: CpuId(4), recent_used: CpuId(4), has_idle_core: true };
    let view = Drawn { smt: 2, limit: 1, ..drawn("irrirrri") };
    let found = |era| {
        let selection = select(era, &view, wakeup);
        (selection.cpu.0, selection.has_idle_core, selection.scanned)
    };
    assert_eq!(found(Era::V5_10), (4, false, 1), "the scan that follows is limited");
    // All four threads of the first two cores, the last of them idle; from then on a core's first busy thread ends it.
    assert_eq!(found(Era::V6_1), (7, false, 7), "one pass remembers what it saw, unlimited");
}

#[test]
fn an_idle_core_is_preferred_to_an_idle_cpu_on_the_way() {
    let wakeup = WakeupFacts { has_idle_core: true, ..AT_0 };
    let view = Drawn { smt: 2, ..drawn("rrriiiii") };
    for era in [Era::V5_10, Era::V6_1] {
        let selection = select(era, &view, wakeup);
        assert_eq!((selection.cpu.0, selection.has_idle_core), (4, true), "{era:?}");
    }
    assert_eq!(both(&view, AT_0), [3, 3], "without the hint the first idle CPU will do");
}

#[test]
fn a_sibling_of_the_previous_cpu_comes_before_the_scan_in_one_pass_only() {
    let wakeup = WakeupFacts { prev: CpuId(4), recent_used: CpuId(4), ..AT_0 };
    let view = Drawn { smt: 2, ..drawn("rrirri") };
    assert_eq!(both(&view, wakeup), [2, 5]);
    let elsewhere = Drawn { llc: 4, smt: 2, ..drawn("rrirriii") };
    assert_eq!(both(&elsewhere, wakeup), [2, 2], "not from another cache");
}

#[test]
fn a_sibling_of_the_target_comes_last_in_two_passes() {
    let wakeup = WakeupFacts { target: CpuId(3), prev: CpuId(3), ..AT_0 };
    let view = Drawn { smt: 2, limit: 1, ..drawn("rrir") };
    let selection = select(Era::V5_10, &view, wakeup);
    assert_eq!((selection.cpu.0, selection.scanned), (2, 1));
}

#[test]
fn each_core_is_visited_once() {
    let view = Drawn { smt: 4, ..drawn("rrrrrrrr") };
    let wakeup = WakeupFacts { target: CpuId(2), prev: CpuId(2), recent_used: CpuId(2), has_idle_core: true };
    assert_eq!(select(Era::V6_1, &view, wakeup).scanned, 8);
    let order: Vec<u16> = (0..8).filter(|cpu| is_first_of_core(&view, CpuId(*cpu), 3)).collect();
    assert_eq!(order, [3, 4], "from CPU 3 on its core's other threads are all behind it");
}

#[test]
fn the_rest_of_a_core_does_not_include_the_cpu_itself() {
    let view = Drawn { smt: 2, ..drawn("riri") };
    assert!(rest_of_core_is_idle(&view, CpuId(0)));
    assert!(!rest_of_core_is_idle(&view, CpuId(1)));
    assert!(rest_of_core_is_idle(&drawn("r"), CpuId(0)));
}
