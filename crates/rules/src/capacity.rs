//! Where CPUs differ in capacity: whether a task fits, and what follows if it does not.

use sim::CpuId;

use crate::balance::{CpuState, MigrationType, capacity_is_reduced, fits_capacity};

/// The load that a CPU notes for its running task: that of a task which does not fit it, else 0.
///
/// `util_est` is the task's estimated utilisation, `capacity` that of the CPU as interrupts and other classes leave it.
///
/// Kernel: fair.c update_misfit_status(), v4.20…v6.18
/// Differs: a misfit without load counts 1, as from v5.10 on.
#[inline]
pub const fn misfit_load(util_est: u64, capacity: u64, h_load: u64) -> u64 {
    if fits_capacity(util_est, capacity) {
        0
    } else if h_load == 0 {
        1
    } else {
        h_load
    }
}

/// Whether a CPU with a misfit task should get help: a bigger CPU exists, or its own capacity is used by others.
/// `max_capacity` is that of the machine's biggest CPU (`rd->max_cpu_capacity`).
///
/// Kernel: fair.c check_misfit_status(), v4.20…v6.18
/// Differs: nothing.
#[inline]
pub const fn misfit_wants_help(cpu: &CpuState, max_capacity: u64, imbalance_pct: u32) -> bool {
    cpu.misfit_load != 0 && (cpu.capacity_orig < max_capacity || capacity_is_reduced(imbalance_pct, cpu))
}

/// A CPU of the domain that sees CPUs of different capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The CPU.
    pub cpu: CpuId,
    /// Whether it is idle.
    pub idle: bool,
    /// `capacity_of()`.
    pub capacity: u64,
}

/// The first idle CPU that a task fits, else the idle one of most capacity. `cpus` begin with the target and wrap.
///
/// Kernel: fair.c select_idle_capacity(), v5.7…v6.1
/// Differs: nothing without uclamp.
pub fn select_idle_capacity(cpus: impl IntoIterator<Item = Candidate>, util_est: u64) -> Option<CpuId> {
    let mut best: Option<Candidate> = None;
    for candidate in cpus.into_iter().filter(|candidate| candidate.idle) {
        if fits_capacity(util_est, candidate.capacity) {
            return Some(candidate.cpu);
        }
        if best.map_or(0, |best| best.capacity) < candidate.capacity {
            best = Some(candidate);
        }
    }
    best.map(|best| best.cpu)
}

/// The capacities between which a wake-up decides: of the waker's CPU, of the previous one, and of the biggest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WakeCapacities {
    /// `capacity_orig_of()` the waker's CPU.
    pub this: u64,
    /// `capacity_orig_of()` the wakee's previous CPU.
    pub prev: u64,
    /// `rd->max_cpu_capacity`.
    pub max: u64,
}

/// Whether a wake-up must look beyond the caches of the waker's CPU and the previous one, since the wakee does not fit
/// the smaller of the two.
///
/// Kernel: fair.c wake_cap(), v4.9…v5.6
/// Differs: nothing.
#[inline]
pub const fn wake_cap(capacities: WakeCapacities, util_est: u64) -> bool {
    let WakeCapacities { this, prev, max } = capacities;
    let min = if this < prev { this } else { prev };
    // Less than an eighth apart they count as alike.
    max >> 3 <= max.saturating_sub(min) && !fits_capacity(util_est, min)
}

/// The two ends of a balance attempt that has moved nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveEnds<'a> {
    /// The CPU to take from.
    pub src: &'a CpuState,
    /// `capacity_of()` the CPU that pulls.
    pub dst_capacity: u64,
    /// Whether that one is idle, or about to be.
    pub dst_idle: bool,
}

/// Whether the running task is worth pushing to the CPU that pulls, however few attempts have failed.
///
/// Kernel: fair.c voluntary_active_balance() and need_active_balance(), v4.20…v6.18
/// Differs: `SD_ASYM_PACKING` is not known: no machine here has it.
#[inline]
pub fn voluntary_active_balance(ends: &ActiveEnds<'_>, migration: MigrationType, imbalance_pct: u32) -> bool {
    let ActiveEnds { src, dst_capacity, dst_idle } = *ends;
    // A lone task whose CPU is used by interrupts or other classes.
    let squeezed = dst_idle
        && src.h_nr_running == 1
        && capacity_is_reduced(imbalance_pct, src)
        && src.capacity * u64::from(imbalance_pct) < dst_capacity * 100;
    squeezed || migration == MigrationType::Misfit
}

#[cfg(test)]
mod tests {
    use super::*;

    const LITTLE: u64 = 462;

    #[test]
    fn a_task_fits_with_a_fifth_to_spare() {
        // 462 × 1024 / 1280 = 369.6.
        assert_eq!((misfit_load(369, LITTLE, 700), misfit_load(370, LITTLE, 700)), (0, 700));
        assert_eq!(misfit_load(1_000, LITTLE, 0), 1);
        assert_eq!((misfit_load(819, 1024, 9), misfit_load(820, 1024, 9)), (0, 9));
    }

    #[test]
    fn a_misfit_on_the_biggest_cpu_needs_no_help_unless_others_use_the_cpu() {
        let cpu = |capacity, capacity_orig| CpuState {
            misfit_load: 5,
            capacity,
            capacity_orig,
            ..CpuState::default()
        };
        assert!(misfit_wants_help(&cpu(462, 462), 1024, 117));
        assert!(!misfit_wants_help(&cpu(1024, 1024), 1024, 117));
        assert!(misfit_wants_help(&cpu(800, 1024), 1024, 117));
        assert!(!misfit_wants_help(&CpuState { misfit_load: 0, ..cpu(462, 462) }, 1024, 117));
    }

    #[test]
    fn the_first_idle_cpu_that_fits_is_taken_or_the_biggest_idle_one() {
        let candidate = |cpu, idle, capacity| Candidate { cpu: CpuId(cpu), idle, capacity };
        let cpus = [
            candidate(3, true, 462),
            candidate(4, false, 1024),
            candidate(5, true, 1024),
            candidate(6, true, 1024),
            candidate(0, true, 462),
        ];
        assert_eq!(select_idle_capacity(cpus, 100), Some(CpuId(3)));
        assert_eq!(select_idle_capacity(cpus, 500), Some(CpuId(5)));
        assert_eq!(select_idle_capacity(cpus, 900), Some(CpuId(5)), "the first of the biggest");
        assert_eq!(select_idle_capacity(cpus.map(|cpu| Candidate { idle: false, ..cpu }), 1), None);
    }

    #[test]
    fn wake_ups_look_further_only_where_capacities_differ_much() {
        let capacities = |this, prev| WakeCapacities { this, prev, max: 1024 };
        assert!(wake_cap(capacities(1024, 462), 400));
        assert!(!wake_cap(capacities(1024, 462), 300));
        assert!(!wake_cap(capacities(1024, 1024), 1_000));
        assert!(!wake_cap(capacities(900, 1024), 1_000), "an eighth apart or less");
    }

    #[test]
    fn misfits_and_squeezed_tasks_are_pushed_at_once() {
        let src = CpuState { h_nr_running: 1, capacity: 700, capacity_orig: 1024, ..CpuState::default() };
        let ends = ActiveEnds { src: &src, dst_capacity: 1024, dst_idle: true };
        assert!(voluntary_active_balance(&ends, MigrationType::Load, 117));
        assert!(!voluntary_active_balance(&ActiveEnds { dst_idle: false, ..ends }, MigrationType::Load, 117));
        assert!(!voluntary_active_balance(
            &ActiveEnds { dst_capacity: 800, ..ends },
            MigrationType::Load,
            117
        ));
        let whole = CpuState { capacity: 1021, ..src };
        let ends = ActiveEnds { src: &whole, ..ends };
        assert!(!voluntary_active_balance(&ends, MigrationType::Load, 117));
        assert!(voluntary_active_balance(&ends, MigrationType::Misfit, 117));
    }
}
