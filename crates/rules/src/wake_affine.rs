//! Whether a wakee is pulled toward the CPU that wakes it or stays where it was.

use kernel::Tunables;

/// Which of the two CPUs a wakee is sent to; the idle search starts there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AffineTarget {
    /// The CPU that wakes.
    This,
    /// The CPU on which the wakee last ran.
    Prev,
}

/// What the idle rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "four independent facts of one moment")]
pub struct IdleFacts {
    /// Whether the two CPUs share a last-level cache.
    pub share_cache: bool,
    /// Whether the waking CPU is idle: an interrupt wakes.
    pub this_idle: bool,
    /// Whether the previous CPU is idle.
    pub prev_idle: bool,
    /// Whether the waker is about to sleep.
    pub sync: bool,
    /// Runnable tasks on the waking CPU.
    pub this_nr_running: u32,
}

/// What the weight rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightFacts {
    /// Load of the waking CPU.
    pub this_load: u64,
    /// Load of the previous CPU, which still contains the wakee's.
    pub prev_load: u64,
    /// Load of the wakee.
    pub task_load: u64,
    /// Load of the waker where it is about to sleep, so that it can be left out.
    pub sync_current_load: Option<u64>,
    /// Capacity of the waking CPU.
    pub this_capacity: u64,
    /// Capacity of the previous CPU.
    pub prev_capacity: u64,
    /// The domain's imbalance threshold in percent.
    pub imbalance_pct: u32,
}

/// The CPU that both rules together send a wakee to; without a verdict it is the previous one.
///
/// Kernel: fair.c wake_affine(), v4.16…v6.18
/// Differs: nothing.
#[inline]
pub fn wake_affine(
    tunables: &Tunables,
    idle: &IdleFacts,
    weight: impl FnOnce() -> WeightFacts,
) -> AffineTarget {
    let by_idle = if tunables.wake_affine_idle { wake_affine_idle(idle) } else { None };
    let by_either = match by_idle {
        None if tunables.wake_affine_weight => wake_affine_weight(&weight(), tunables.wake_affine_bias),
        verdict => verdict,
    };
    by_either.unwrap_or(AffineTarget::Prev)
}

/// The idle rule: an idle CPU of the two, preferably the previous one; a waker that goes to sleep leaves its own.
///
/// Kernel: fair.c wake_affine_idle(), v5.10…v6.18
/// Differs: nothing.
#[inline]
pub fn wake_affine_idle(facts: &IdleFacts) -> Option<AffineTarget> {
    if facts.this_idle && facts.share_cache {
        return Some(if facts.prev_idle { AffineTarget::Prev } else { AffineTarget::This });
    }
    if facts.sync && facts.this_nr_running == 1 {
        return Some(AffineTarget::This);
    }
    facts.prev_idle.then_some(AffineTarget::Prev)
}

/// The weight rule: the waking CPU where it would carry less load for its capacity even with the wakee.
/// `biased` leaves the previous CPU half of the domain's imbalance threshold.
///
/// Kernel: fair.c wake_affine_weight(), v4.16…v6.18
/// Differs: nothing.
#[inline]
pub fn wake_affine_weight(facts: &WeightFacts, biased: bool) -> Option<AffineTarget> {
    // Signed 64 bits that wrap, as in the kernel: the previous load without the wakee may be below zero.
    let mut this_load = facts.this_load as i64;
    if let Some(current_load) = facts.sync_current_load {
        if this_load < current_load as i64 {
            return Some(AffineTarget::This);
        }
        this_load -= current_load as i64;
    }
    let mut this_load = this_load.wrapping_add(facts.task_load as i64);
    let mut prev_load = (facts.prev_load as i64).wrapping_sub(facts.task_load as i64);
    if biased {
        this_load = this_load.wrapping_mul(100);
        prev_load = prev_load.wrapping_mul(100 + (i64::from(facts.imbalance_pct) - 100) / 2);
    }
    this_load = this_load.wrapping_mul(facts.prev_capacity as i64);
    prev_load = prev_load.wrapping_mul(facts.this_capacity as i64);
    // A waker that goes to sleep wins a tie, which costs it nothing.
    prev_load = prev_load.wrapping_add(i64::from(facts.sync_current_load.is_some()));
    (this_load < prev_load).then_some(AffineTarget::This)
}

#[cfg(test)]
mod tests {
    use kernel::Era;

    use super::*;

    const BUSY: IdleFacts =
        IdleFacts { share_cache: true, this_idle: false, prev_idle: false, sync: false, this_nr_running: 1 };
    const EVEN: WeightFacts = WeightFacts {
        this_load: 0,
        prev_load: 1024,
        task_load: 512,
        sync_current_load: None,
        this_capacity: 1024,
        prev_capacity: 1024,
        imbalance_pct: 117,
    };

    #[test]
    fn the_weight_rule_is_asked_only_without_an_idle_verdict() {
        let tunables = Tunables::for_era(Era::V5_10, 8, 250);
        let idle = IdleFacts { prev_idle: true, ..BUSY };
        let never = || -> WeightFacts { panic!("the idle rule has decided") };
        assert_eq!(wake_affine(&tunables, &idle, never), AffineTarget::Prev);
        assert_eq!(wake_affine(&tunables, &BUSY, || EVEN), AffineTarget::This);
    }

    #[test]
    fn each_rule_can_be_switched_off() {
        let mut tunables = Tunables::for_era(Era::V5_10, 8, 250);
        let interrupt = IdleFacts { this_idle: true, ..BUSY };
        let heavy = || WeightFacts { this_load: 4096, ..EVEN };
        assert_eq!(wake_affine(&tunables, &interrupt, heavy), AffineTarget::This);
        tunables.wake_affine_idle = false;
        assert_eq!(wake_affine(&tunables, &interrupt, heavy), AffineTarget::Prev);
        tunables.wake_affine_weight = false;
        assert_eq!(wake_affine(&tunables, &BUSY, || EVEN), AffineTarget::Prev);
    }

    #[test]
    fn equal_loads_are_decided_by_the_bias() {
        assert_eq!(wake_affine_weight(&EVEN, true), Some(AffineTarget::This));
        assert_eq!(wake_affine_weight(&EVEN, false), None);
    }
}
