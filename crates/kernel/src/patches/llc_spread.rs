//! sched/fair: ensure tasks spreading in LLC during LB (V. Guittot, November 2020).
//!
//! When an idle CPU looks for work and finds an overloaded group, the balancer sizes the pull by spare utilisation.
//! A task that has been spinning has a utilisation of a whole CPU, which never fits into what is a little less than
//! a whole CPU, so the idle CPU stays idle while the task waits behind another one.
//! Inside a last-level cache the patch counts tasks instead.

use crate::patch::FormInfo;
use crate::{Availability, Era, Hunk, Patch, PatchInfo};

/// The condition under which spare utilisation is filled.
pub const CALCULATE_IMBALANCE: Hunk =
    Hunk { patch: Patch::LlcSpread, index: 0, file: "kernel/sched/fair.c", function: "calculate_imbalance" };

/// The test of a task's utilisation against what is left to move (only the `shift` form edits it).
pub const DETACH_TASKS: Hunk =
    Hunk { patch: Patch::LlcSpread, index: 1, file: "kernel/sched/fair.c", function: "detach_tasks" };

/// What a reader must know of this patch.
pub const INFO: PatchInfo = PatchInfo {
    slug: "llc-spread",
    title: "sched/fair: ensure tasks spreading in LLC during LB",
    author: "Vincent Guittot (Linaro)",
    date: "2020-11-02",
    message_id: "20201102102457.28808-1-vincent.guittot@linaro.org",
    status: "merged as 16b0a7a1a0af in v5.10-rc4",
    summary: "Inside a last-level cache an idle CPU counts tasks instead of filling spare utilisation, \
              so that it takes a waiting task even when that task looks too big.",
    preset: "hikey-schbench",
    forms: &[
        FormInfo { name: "merged", summary: "Count tasks wherever the domain shares a last-level cache." },
        FormInfo {
            name: "group_weight",
            summary: "An earlier form: count tasks only when the busiest group is a single CPU.",
        },
        FormInfo {
            name: "shift",
            summary: "Another form: keep filling utilisation, but halve a task's utilisation with each failure.",
        },
    ],
    hunks: &[&CALCULATE_IMBALANCE, &DETACH_TASKS],
};

/// Where the patch has a meaning. The balancer that it edits came with v5.5.
pub(crate) const fn availability(era: Era) -> Availability {
    match era {
        Era::V3_3 | Era::V5_4 => {
            Availability::Impossible("its load balancer compares loads and never fills spare utilisation")
        }
        Era::V5_4Rework | Era::V5_10 => Availability::Native,
        Era::V6_1 | Era::V6_6 | Era::V6_12 | Era::V6_18 => Availability::Merged,
    }
}
