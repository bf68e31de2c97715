use kernel::patches::llc_spread;
use kernel::{Audit, Balancer, Kernel, LoadMargin};

use super::{CpuIdleType, MigrationType};

/// A task that could be pulled: affinity, cache heat and a current task are the caller's matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetachCandidate {
    /// `task_h_load()`: its share of the CPU's load.
    pub h_load: u64,
    /// `task_util_est()`: its estimated utilisation, 0 to 1024.
    pub util_est: u64,
    /// Whether it fits the CPU on which it is.
    pub fits: bool,
}

/// How often attempts at a domain have failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Failures {
    /// `nr_balance_failed`: in a row.
    pub count: u32,
    /// `cache_nice_tries`: for so many of them tasks are left where they are hot.
    pub tolerated: u32,
}

/// Whether a task is pulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detach {
    /// It is; what is left to move has been reduced.
    Take,
    /// It is not.
    Skip {
        /// Because its utilisation is more than is left to move.
        by_util: bool,
    },
}

/// One walk over the tasks of a source, from the least recently picked one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetachScan {
    migration: MigrationType,
    idle: CpuIdleType,
    failures: Failures,
    imbalance: i64,
    tries_left: u32,
    detached: u32,
    full: bool,
}

impl DetachScan {
    /// A walk that is to move `imbalance`, over a source with `src_nr_running` tasks.
    ///
    /// Kernel: fair.c load_balance(), detach_tasks(), v5.4…v5.10
    /// Differs: the lock is not dropped between tasks.
    #[inline]
    pub fn start(
        kernel: &Kernel,
        migration: MigrationType,
        imbalance: i64,
        idle: CpuIdleType,
        failures: Failures,
        src_nr_running: u32,
    ) -> DetachScan {
        DetachScan {
            migration,
            idle,
            failures,
            imbalance,
            tries_left: kernel.tunables.nr_migrate.min(src_nr_running),
            detached: 0,
            full: false,
        }
    }

    /// Whether another task is looked at, given how many tasks of all classes the source has now. Uses up a try.
    ///
    /// Kernel: fair.c detach_tasks(), v5.4…v5.10
    /// Differs: nothing.
    #[inline]
    pub fn wants_another(&mut self, src_nr_running: u32) -> bool {
        // An idle CPU must not take a source's last task: the source would do likewise, for ever.
        let would_empty = self.idle != CpuIdleType::NotIdle && src_nr_running <= 1;
        if self.full || self.imbalance <= 0 || would_empty || self.tries_left == 0 {
            return false;
        }
        self.tries_left -= 1;
        true
    }

    /// Offers a task that may migrate.
    ///
    /// Kernel: fair.c detach_tasks(), v5.4…v5.10
    /// Differs: nothing.
    #[inline]
    pub fn offer(&mut self, kernel: &Kernel, audit: &mut dyn Audit, task: DetachCandidate) -> Detach {
        let answer = detach_accepts(kernel, audit, self.migration, &mut self.imbalance, task, self.failures);
        if answer == Detach::Take {
            self.detached += 1;
            // A preemptible kernel keeps the time short in which a CPU with nothing to do holds locks.
            self.full = kernel.tunables.preemption && self.idle == CpuIdleType::NewlyIdle;
        }
        answer
    }

    /// What is left to move; below 0 where the last task was more.
    #[inline]
    pub const fn imbalance_left(&self) -> i64 {
        self.imbalance
    }

    /// How many tasks were taken.
    #[inline]
    pub const fn detached(&self) -> u32 {
        self.detached
    }
}

/// Whether a task is pulled, and what is left to move after it.
///
/// Kernel: fair.c detach_tasks(), v5.4…v5.10
/// Differs: `util_test` off, an experiment of ours, lets utilisation refuse nothing.
#[inline]
pub fn detach_accepts(
    kernel: &Kernel,
    audit: &mut dyn Audit,
    migration: MigrationType,
    imbalance: &mut i64,
    task: DetachCandidate,
    failures: Failures,
) -> Detach {
    let migration = match kernel.tunables.balancer {
        // Whatever the reason, load is what is moved.
        Balancer::ByLoad => MigrationType::Load,
        Balancer::ByGroupType => migration,
    };
    let amount = match migration {
        MigrationType::Load => {
            let load = counted_load(kernel.tunables.load_margin, task.h_load);
            if load_refuses(kernel.tunables.load_margin, load, *imbalance, failures) {
                return Detach::Skip { by_util: false };
            }
            load
        }
        MigrationType::Util => {
            let util = task.util_est as i64;
            if util_refuses(kernel, audit, util, *imbalance, failures.count) {
                return Detach::Skip { by_util: true };
            }
            util
        }
        MigrationType::Task => 1,
        MigrationType::Misfit => {
            if task.fits {
                return Detach::Skip { by_util: false };
            }
            *imbalance
        }
    };
    *imbalance -= amount;
    Detach::Take
}

/// A task's load as it counts: one that has next to none would never fill an imbalance, which was seen late (v5.10).
#[inline]
fn counted_load(margin: LoadMargin, h_load: u64) -> i64 {
    match margin {
        LoadMargin::Half | LoadMargin::HalfUntilFailures => h_load as i64,
        LoadMargin::HalvedByFailures => h_load.max(1) as i64,
    }
}

/// Whether a task's load is too much more than is left to move.
#[inline]
fn load_refuses(margin: LoadMargin, load: i64, imbalance: i64, failures: Failures) -> bool {
    match margin {
        LoadMargin::Half => imbalance < load / 2,
        LoadMargin::HalfUntilFailures => imbalance < load / 2 && failures.count <= failures.tolerated,
        LoadMargin::HalvedByFailures => imbalance < shr_bound(load, failures.count),
    }
}

/// Whether a task's utilisation is more than is left to move.
#[inline]
fn util_refuses(
    kernel: &Kernel,
    audit: &mut dyn Audit,
    util: i64,
    imbalance: i64,
    nr_balance_failed: u32,
) -> bool {
    if !kernel.tunables.util_test {
        return false;
    }
    let base = imbalance < util;
    let shifted = imbalance < shr_bound(util, nr_balance_failed);
    kernel.decide(audit, &llc_spread::DETACH_TASKS, base, [base, base, shifted])
}

/// A value halved with each failure, by at most 63 bits.
///
/// Kernel: sched.h shr_bound(), v5.10…v6.18
/// Differs: nothing.
#[inline]
const fn shr_bound(value: i64, shift: u32) -> i64 {
    value >> if shift < 63 { shift } else { 63 }
}

#[cfg(test)]
mod tests {
    use kernel::{Era, Patch, SilentAudit};

    use super::*;

    const SPINNER: DetachCandidate = DetachCandidate { h_load: 1024, util_est: 1024, fits: true };

    fn kernel(form: &str) -> Kernel {
        let mut kernel = Kernel::released(Era::V5_10, 8, 250);
        kernel.patches.set(Era::V5_10, Patch::LlcSpread, form).expect("v5.10 has the patch");
        kernel
    }

    fn offer(kernel: &Kernel, nr_balance_failed: u32) -> (Detach, i64) {
        let mut imbalance = 1020;
        let answer = detach_accepts(
            kernel,
            &mut SilentAudit,
            MigrationType::Util,
            &mut imbalance,
            SPINNER,
            Failures { count: nr_balance_failed, tolerated: 1 },
        );
        (answer, imbalance)
    }

    #[test]
    fn a_spinner_never_fits_into_a_little_less_than_a_cpu() {
        for form in ["off", "merged", "group_weight"] {
            assert_eq!(offer(&kernel(form), 5), (Detach::Skip { by_util: true }, 1020), "{form}");
        }
    }

    #[test]
    fn the_shift_form_gives_way_after_a_failure() {
        assert_eq!(offer(&kernel("shift"), 0), (Detach::Skip { by_util: true }, 1020));
        assert_eq!(offer(&kernel("shift"), 1), (Detach::Take, -4));
    }

    #[test]
    fn without_the_test_utilisation_refuses_nothing() {
        let mut kernel = kernel("off");
        kernel.tunables.util_test = false;
        assert_eq!(offer(&kernel, 0), (Detach::Take, -4));
    }

    #[test]
    fn a_newidle_pull_takes_one_task_of_a_preemptible_kernel() {
        for (preemption, wanted) in [(true, 1), (false, 3)] {
            let mut kernel = kernel("off");
            kernel.tunables.preemption = preemption;
            let none = Failures::default();
            let mut scan =
                DetachScan::start(&kernel, MigrationType::Task, 9, CpuIdleType::NewlyIdle, none, 4);
            let mut left = 4;
            while scan.wants_another(left) {
                scan.offer(&kernel, &mut SilentAudit, SPINNER);
                left -= 1;
            }
            assert_eq!(scan.detached(), wanted, "an idle CPU leaves the source one task");
        }
    }

    #[test]
    fn how_much_a_load_may_exceed_depends_on_the_era_and_on_failures() {
        let takes = |era, imbalance: i64, count| {
            let kernel = Kernel::released(era, 8, 250);
            let failures = Failures { count, tolerated: 1 };
            let mut left = imbalance;
            let load = MigrationType::Load;
            let answer = detach_accepts(&kernel, &mut SilentAudit, load, &mut left, SPINNER, failures);
            assert_eq!(imbalance - left, if answer == Detach::Take { 1024 } else { 0 });
            answer == Detach::Take
        };
        // Half of 1024 is the limit, and failures do not move it before the rework.
        assert!(takes(Era::V5_4, 512, 0) && !takes(Era::V5_4, 511, 0) && !takes(Era::V5_4, 511, 9));
        assert!(!takes(Era::V5_4Rework, 511, 1) && takes(Era::V5_4Rework, 1, 2));
        assert!(!takes(Era::V5_10, 1023, 0) && takes(Era::V5_10, 512, 1) && !takes(Era::V5_10, 511, 1));
    }

    #[test]
    fn before_the_rework_a_misfit_is_moved_by_its_load_too() {
        let kernel = Kernel::released(Era::V5_4, 8, 250);
        let misfit = MigrationType::Misfit;
        let mut left = 600;
        let answer =
            detach_accepts(&kernel, &mut SilentAudit, misfit, &mut left, SPINNER, Failures::default());
        assert_eq!((answer, left), (Detach::Take, -424), "it fits, but nobody asks");
    }
}
