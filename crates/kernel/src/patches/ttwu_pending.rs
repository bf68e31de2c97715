//! sched: Clear ttwu_pending after enqueue_task (T. Ding, November 2022).
//!
//! A CPU to which a wake-up is on its way is not idle, although nothing runs and nothing is queued there yet: a flag
//! says so.
//! The handler of the wake list cleared the flag first and enqueued the tasks after that; in between the CPU looked
//! idle, and a second wake-up could be sent to it.
//! The patch clears the flag when the tasks are on the queue.

use crate::patch::FormInfo;
use crate::{Availability, Era, Hunk, Patch, PatchInfo};

/// The statement that clears the flag before the tasks are enqueued: the patch takes it away.
pub const CLEAR_EARLY: Hunk =
    Hunk { patch: Patch::TtwuPending, index: 0, file: "kernel/sched/core.c", function: "sched_ttwu_pending" };

/// The statement that clears the flag after the tasks are enqueued: the patch adds it.
pub const CLEAR_LATE: Hunk =
    Hunk { patch: Patch::TtwuPending, index: 1, file: "kernel/sched/core.c", function: "sched_ttwu_pending" };

/// What a reader must know of this patch.
pub const INFO: PatchInfo = PatchInfo {
    slug: "ttwu-pending",
    title: "sched: Clear ttwu_pending after enqueue_task",
    author: "Tianchen Ding (Alibaba)",
    date: "2022-11-04",
    message_id: "Y2TGozI0YZQ7BCxc@chenyu5-mobl1",
    status: "merged as d6962c4fe8f9 in v6.2-rc1",
    summary: "A CPU to which a task is on its way stays marked as busy until the task is on its queue, \
              so that no second task is sent to it because it looks idle.",
    preset: "vm32-schbench",
    forms: &[FormInfo {
        name: "merged",
        summary: "Clear the flag once, when every task of the wake list is on the queue.",
    }],
    hunks: &[&CLEAR_EARLY, &CLEAR_LATE],
};

/// Where the patch has a meaning. The flag came with v5.8. Before, `idle_cpu()` looks at the wake list itself, which the
/// handler empties before it enqueues: the port keeps the CPU busy for as long, at the same place.
pub(crate) const fn availability(era: Era) -> Availability {
    match era {
        Era::V3_3 => Availability::Impossible(
            "a pending wake-up shows as a wake list that is not empty, not as a flag",
        ),
        Era::V5_4 | Era::V5_4Rework => Availability::Ported,
        Era::V5_10 | Era::V6_1 => Availability::Native,
        Era::V6_6 | Era::V6_12 | Era::V6_18 => Availability::Merged,
    }
}
