//! The completely fair scheduler up to v6.5: slices, placement, preemption and the choice of the next entity.

use kernel::Tunables;

use crate::load_weight::{LoadWeight, calc_delta, calc_delta_fair, least_delta_for};

/// One level of the hierarchy, seen from an entity upward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceLevel {
    /// Entities on the queue of this level.
    pub nr_running: u32,
    /// Sum of the weights on that queue.
    pub load: LoadWeight,
    /// Raw weight of the entity on this level.
    pub se_weight: u64,
    /// Whether the entity is on that queue, and so counted in the two above.
    pub se_on_rq: bool,
}

/// Why an entity is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// It is new: it owes a slice.
    Initial,
    /// It wakes: it is credited part of its sleep.
    Wakeup,
}

/// An entity as the choice of the next one sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entity {
    /// The caller's name for it.
    pub id: u32,
    /// Virtual runtime in ns; wraps.
    pub vruntime: u64,
    /// Its weight.
    pub load: LoadWeight,
}

/// What the choice of the next entity looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PickInput {
    /// The entity of least vruntime in the tree.
    pub leftmost: Option<Entity>,
    /// The one after it in the tree.
    pub second: Option<Entity>,
    /// The current entity, which is not in the tree, if it still wants to run.
    pub curr: Option<Entity>,
    /// The buddy that a wake-up or a yield wants to run next.
    pub next: Option<Entity>,
    /// The buddy that was preempted by a wake-up.
    pub last: Option<Entity>,
    /// The entity that yielded.
    pub skip: Option<u32>,
}

/// How long an entity may run before another one's turn comes, in ns.
///
/// `levels[0]` is the entity's own, the last one the root queue. `root_h_nr_running` counts the tasks of the whole
/// hierarchy and is used under `ALT_PERIOD` only.
///
/// Kernel: fair.c sched_slice(), v3.3…v6.5
/// Differs: nothing.
#[inline]
pub fn sched_slice(tunables: &Tunables, root_h_nr_running: u32, levels: &[SliceLevel]) -> u64 {
    let Some(own) = levels.first() else { return tunables.latency_ns };
    let counted = if tunables.alt_period { root_h_nr_running } else { own.nr_running };
    let mut slice = sched_period(tunables, counted + u32::from(!own.se_on_rq));
    for level in levels {
        let mut load = level.load;
        if !level.se_on_rq {
            load.add(level.se_weight);
        }
        slice = calc_delta(slice, level.se_weight, &load);
    }
    if tunables.base_slice { slice.max(tunables.min_granularity_ns) } else { slice }
}

/// The slice in virtual time: what a new entity owes, in ns.
///
/// Kernel: fair.c sched_vslice(), v3.3…v6.5
/// Differs: nothing.
#[inline]
pub fn sched_vslice(
    tunables: &Tunables,
    root_h_nr_running: u32,
    levels: &[SliceLevel],
    se: &LoadWeight,
) -> u64 {
    calc_delta_fair(sched_slice(tunables, root_h_nr_running, levels), se)
}

/// The time in which each of `nr_running` entities runs once, in ns.
///
/// Kernel: fair.c __sched_period(), v3.3…v6.5
/// Differs: nothing.
#[inline]
pub fn sched_period(tunables: &Tunables, nr_running: u32) -> u64 {
    if tunables.nr_latency < nr_running {
        u64::from(nr_running) * tunables.min_granularity_ns
    } else {
        tunables.latency_ns
    }
}

/// The vruntime with which an entity enters a queue. `vslice` is read for new entities only.
///
/// Kernel: fair.c place_entity(), v3.3…v6.1
/// Differs: the later guard against sleeps so long that vruntime wraps is not here.
#[inline]
pub fn place_entity(
    tunables: &Tunables,
    placement: Placement,
    min_vruntime: u64,
    se_vruntime: u64,
    vslice: u64,
) -> u64 {
    let placed = match placement {
        Placement::Initial if tunables.start_debit => min_vruntime.wrapping_add(vslice),
        Placement::Initial => min_vruntime,
        Placement::Wakeup => {
            let credit = tunables.latency_ns >> u32::from(tunables.gentle_fair_sleepers);
            min_vruntime.wrapping_sub(credit)
        }
    };
    // Never backward: a short sleep must not gain time.
    if vruntime_before(se_vruntime, placed) { placed } else { se_vruntime }
}

/// Whether the tick asks for a reschedule. The caller asks only where more than one entity is queued.
///
/// `delta_exec` is what the current entity ran since it was picked; `curr_minus_leftmost` how far its vruntime is
/// ahead of the leftmost one's. All in ns.
///
/// Kernel: fair.c check_preempt_tick(), v3.3…v6.5
/// Differs: nothing.
#[inline]
pub fn check_preempt_tick(
    tunables: &Tunables,
    ideal_runtime: u64,
    delta_exec: u64,
    curr_minus_leftmost: i64,
) -> bool {
    if ideal_runtime < delta_exec {
        return true;
    }
    // Guards against a task that missed its turn by a narrow margin and would be preempted right after a switch.
    if delta_exec < tunables.min_granularity_ns {
        return false;
    }
    0 <= curr_minus_leftmost && ideal_runtime < curr_minus_leftmost as u64
}

/// How much longer `curr` must run, at the least, before [`check_preempt_tick`] can answer true if nothing else
/// changes, in ns. Never later than the truth: vruntime that is added in many small steps only lags behind.
///
/// Ours: tells which ticks cannot matter.
#[inline]
pub fn next_tick_preempt_ns(
    tunables: &Tunables,
    ideal_runtime: u64,
    delta_exec: u64,
    curr_minus_leftmost: i64,
    curr: &LoadWeight,
) -> u64 {
    let beyond = ideal_runtime.saturating_add(1);
    let slice_over = beyond.saturating_sub(delta_exec);
    let granularity_over = tunables.min_granularity_ns.saturating_sub(delta_exec);
    if slice_over <= granularity_over {
        return slice_over;
    }
    let lead_missing = (i128::from(beyond) - i128::from(curr_minus_leftmost)).max(0);
    let lead_missing = u64::try_from(lead_missing).unwrap_or(u64::MAX);
    slice_over.min(granularity_over.max(least_delta_for(lead_missing, curr)))
}

/// Compares a running entity with one that wakes: -1 where the wakee is not behind, 1 where it is so far behind that
/// it preempts, else 0. `vdiff` is the running one's vruntime minus the wakee's, in ns; `se` the wakee's weight.
///
/// Kernel: fair.c wakeup_preempt_entity(), v3.3…v6.5
/// Differs: nothing.
#[inline]
pub fn wakeup_preempt_entity(tunables: &Tunables, vdiff: i64, se: &LoadWeight) -> i32 {
    if vdiff <= 0 {
        return -1;
    }
    i32::from(calc_delta_fair(tunables.wakeup_granularity_ns, se) < vdiff as u64)
}

/// The entity to run next: the leftmost one, unless a buddy or a yield says otherwise and that is not too unfair.
///
/// Panics where there is neither a leftmost nor a current entity: an empty queue has no next one.
///
/// Kernel: fair.c pick_next_entity(), v5.10…v6.5
/// Differs: the caller clears the buddies.
#[inline]
pub fn pick_next_entity(tunables: &Tunables, input: &PickInput) -> u32 {
    let left =
        earlier(input.curr, input.leftmost).expect("a queue that is asked for its next entity has one");
    let fair_enough = |se: &Entity| {
        let vdiff = se.vruntime.wrapping_sub(left.vruntime) as i64;
        wakeup_preempt_entity(tunables, vdiff, &left.load) < 1
    };
    let buddy = input.next.filter(fair_enough).or_else(|| input.last.filter(fair_enough));
    if let Some(buddy) = buddy {
        return buddy.id;
    }
    if input.skip == Some(left.id) {
        let is_curr = input.curr.is_some_and(|curr| curr.id == left.id);
        let second = if is_curr { input.leftmost } else { earlier(input.curr, input.second) };
        if let Some(second) = second.filter(fair_enough) {
            return second.id;
        }
    }
    left.id
}

/// The current entity if it is before the one in the tree, or alone.
#[inline]
fn earlier(curr: Option<Entity>, queued: Option<Entity>) -> Option<Entity> {
    match (curr, queued) {
        (Some(curr), Some(queued)) => {
            Some(if vruntime_before(curr.vruntime, queued.vruntime) { curr } else { queued })
        }
        (curr, queued) => queued.or(curr),
    }
}

/// Whether one vruntime is before another: by the sign of the difference, because vruntimes wrap.
///
/// Kernel: fair.c entity_before(), v3.3…v6.18
/// Differs: nothing.
#[inline]
pub const fn vruntime_before(a: u64, b: u64) -> bool {
    (a.wrapping_sub(b) as i64) < 0
}

#[cfg(test)]
mod tests {
    use kernel::Era;
    use sim::Stream;

    use super::*;

    fn tunables() -> Tunables {
        Tunables::for_era(Era::V5_10, 8, 250)
    }

    fn entity(id: u32, vruntime: u64) -> Entity {
        Entity { id, vruntime, load: LoadWeight::of_nice(0) }
    }

    /// The least extra runtime at which the tick preempts, by trying each.
    fn brute_force(t: &Tunables, ideal: u64, delta_exec: u64, lead: i64, curr: &LoadWeight) -> u64 {
        (0..=ideal)
            .find(|extra| {
                let lead = lead + calc_delta_fair(*extra, curr) as i64;
                check_preempt_tick(t, ideal, delta_exec + extra, lead)
            })
            .unwrap_or(ideal + 1)
    }

    #[test]
    fn the_next_tick_preemption_is_exact_for_one_step_and_early_for_many() {
        let mut random = Stream::new(1, 2, 3);
        let mut by_lead = 0;
        for _ in 0..4000 {
            // Small figures so that each nanosecond can be tried.
            let t = Tunables { min_granularity_ns: u64::from(random.below(60)), ..tunables() };
            let curr = LoadWeight::of_nice(random.below(40) as i8 - 20);
            let ideal = u64::from(random.below(120));
            let delta_exec = u64::from(random.below(200));
            let lead = i64::from(random.below(300)) - 150;
            let bound = next_tick_preempt_ns(&t, ideal, delta_exec, lead, &curr);
            let truth = brute_force(&t, ideal, delta_exec, lead, &curr);
            assert_eq!(bound, truth, "{t:?} {ideal} {delta_exec} {lead} {curr:?}");
            by_lead += u32::from(bound + delta_exec <= ideal);

            let (mut ran, mut stepped_lead) = (0, lead);
            while !check_preempt_tick(&t, ideal, delta_exec + ran, stepped_lead) {
                let step = 1 + u64::from(random.below(9));
                ran += step;
                stepped_lead += calc_delta_fair(step, &curr) as i64;
            }
            assert!(bound <= ran, "the bound {bound} is not later than {ran}");
        }
        assert!(500 < by_lead, "both reasons for a preemption occur: {by_lead} by lead");
    }

    #[test]
    fn the_bound_holds_at_real_sizes() {
        let mut random = Stream::new(4, 5, 6);
        let t = tunables();
        for _ in 0..20_000 {
            let curr = LoadWeight::of_nice(random.below(40) as i8 - 20);
            let ideal = u64::from(random.below(30_000_000));
            let delta_exec = u64::from(random.below(30_000_000));
            let lead = i64::from(random.below(80_000_000)) - 40_000_000;
            let bound = next_tick_preempt_ns(&t, ideal, delta_exec, lead, &curr);
            let at = |extra| {
                check_preempt_tick(&t, ideal, delta_exec + extra, lead + calc_delta_fair(extra, &curr) as i64)
            };
            assert!(at(bound), "it preempts at the bound");
            assert!(bound == 0 || !at(bound - 1), "and not before");
        }
    }

    #[test]
    fn extreme_leads_do_not_overflow() {
        for lead in [i64::MIN, -1, 0, i64::MAX] {
            for ideal in [0, u64::MAX] {
                next_tick_preempt_ns(&tunables(), ideal, 0, lead, &LoadWeight::of_nice(-20));
            }
        }
    }

    #[test]
    fn two_equal_tasks_on_eight_cpus_share_24_ms() {
        let level =
            SliceLevel { nr_running: 2, load: LoadWeight::new(2 << 20), se_weight: 1 << 20, se_on_rq: true };
        let slice = sched_slice(&tunables(), 2, &[level]);
        assert!((11_999_980..=12_000_000).contains(&slice), "{slice} ns is 12 ms but for rounding");
    }

    #[test]
    fn vruntimes_are_compared_across_the_wrap() {
        let input = PickInput {
            leftmost: Some(entity(1, u64::MAX - 5)),
            second: Some(entity(2, 10)),
            curr: Some(entity(3, 4)),
            ..PickInput::default()
        };
        assert_eq!(pick_next_entity(&tunables(), &input), 1);
        assert_eq!(pick_next_entity(&tunables(), &PickInput { skip: Some(1), ..input }), 3);
        assert_eq!(place_entity(&tunables(), Placement::Wakeup, 5, u64::MAX - 3, 0), u64::MAX - 3);
    }

    #[test]
    fn a_sleeper_is_credited_half_the_latency_or_all_of_it() {
        let gentle = tunables();
        let generous = Tunables { gentle_fair_sleepers: false, ..tunables() };
        assert_eq!(place_entity(&gentle, Placement::Wakeup, 100_000_000, 0, 0), 88_000_000);
        assert_eq!(place_entity(&generous, Placement::Wakeup, 100_000_000, 0, 0), 76_000_000);
    }
}
