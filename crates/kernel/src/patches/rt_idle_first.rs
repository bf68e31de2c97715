//! sched/rt: avoid contend with CFS task (J. Wu, October 2019).
//!
//! A waking real-time task looks for another CPU only where the task that runs on its previous CPU is a real-time task
//! too. Where a fair task runs there, it preempts that one, even if every other CPU idles: to the real-time class a CPU
//! that idles and one that runs a fair task are the same.
//! The patch makes every real-time task that may move look for an idle CPU first: its previous one, then the first one
//! of the lowest sched domain around it.

use crate::patch::FormInfo;
use crate::{Availability, Era, Hunk, Patch, PatchInfo};

/// The condition under which a waking task looks for another CPU at all.
pub const SELECT_TASK_RQ: Hunk =
    Hunk { patch: Patch::RtIdleFirst, index: 0, file: "kernel/sched/rt.c", function: "select_task_rq_rt" };

/// The previous CPU is taken if it idles. It is the CPU that base takes too; the patch only asks before it looks further.
pub const FIND_LOWEST_PREV: Hunk =
    Hunk { patch: Patch::RtIdleFirst, index: 1, file: "kernel/sched/rt.c", function: "find_lowest_rq" };

/// Else the first idle CPU is taken: of the lowest domain, or of the whole machine in the first version.
pub const FIND_LOWEST_IDLE: Hunk =
    Hunk { patch: Patch::RtIdleFirst, index: 2, file: "kernel/sched/rt.c", function: "find_lowest_rq" };

/// What a reader must know of this patch.
pub const INFO: PatchInfo = PatchInfo {
    slug: "rt-idle-first",
    title: "sched/rt: avoid contend with CFS task",
    author: "Jing-Ting Wu (MediaTek)",
    date: "2019-10-14",
    message_id: "1571036948-25034-2-git-send-email-jing-ting.wu@mediatek.com",
    status: "not merged; shipped by vendors in similar forms",
    summary: "A waking real-time task goes to an idle CPU near its previous one instead of preempting \
              the fair task that runs there.",
    preset: "android-launch",
    forms: &[
        FormInfo {
            name: "v2",
            summary: "An idle previous CPU, then the first idle CPU of the lowest domain around it.",
        },
        FormInfo { name: "v1", summary: "The first version: the first idle CPU of the whole machine." },
    ],
    hunks: &[&SELECT_TASK_RQ, &FIND_LOWEST_PREV, &FIND_LOWEST_IDLE],
};

/// Where the patch has a meaning. The code that it edits is older than every era here and hardly changed until v5.5.
pub(crate) const fn availability(era: Era) -> Availability {
    match era {
        Era::V5_4 | Era::V5_4Rework => Availability::Native,
        Era::V3_3 | Era::V5_10 | Era::V6_1 | Era::V6_6 | Era::V6_12 | Era::V6_18 => Availability::Ported,
    }
}
