//! The words for chains of causes.

use protocol::{CauseKind, CauseNext, CauseView, DecisionKind, DecisionPoint};

use super::{cpu, instant};

pub(crate) const CAUSES: &str = "Why does it wait?";
pub(crate) const CAUSES_NOTE: &str = "from a wait to its cause, and to the cause of that";
pub(crate) const CAUSES_HINT: &str =
    "Point out a wait first: press w for the longest one, n for the next one, or open a decision.";
pub(crate) const ASKING_CAUSE: &str = "Looking for the cause";
pub(crate) const WHY: &str = "Why? (c)";
pub(crate) const WHY_THAT: &str = "And why that? (c)";
pub(crate) const CAUSE_BACK: &str = "One cause back (Shift and c)";
pub(crate) const CHAIN_ENDS: &str = "This is where the chain begins: nobody else had a part in it.";
pub(crate) const NO_CAUSE: &str =
    "At that moment the thread neither waits nor runs, so there is nothing to explain.";

/// What a chain begins with.
pub(crate) fn asked_about(task: &str, at_ns: u64) -> String {
    format!(": {task} at {}", instant(at_ns))
}

/// How a thread came to wait, or to run, where it does.
pub(crate) fn cause(view: &CauseView) -> String {
    let (name, here) = (&view.task.name, cpu(view.cpu));
    let words = match view.how {
        CauseKind::Stacked => format!("{name} waits for {here}, because its wake-up put it on a CPU in use."),
        CauseKind::Born => format!("{name} waits for {here}, because it was created on a CPU in use."),
        CauseKind::WakePreempted => {
            format!("{name} waits for {here}, because a thread that woke up took the CPU from it.")
        }
        CauseKind::TickPreempted => {
            format!("{name} waits for {here}, because its time was up: the tick took the CPU from it.")
        }
        CauseKind::Moved => format!("{name} waits for {here}, because it was moved to a CPU in use."),
        CauseKind::PlacedHere => format!("{name} has {here}, because its wake-up chose that CPU."),
        CauseKind::BalancedHere => format!("{name} has {here}, because it was moved there."),
        CauseKind::BornHere => format!("{name} has {here}, because it began there."),
    };
    let times = match view.refusals.len() {
        0 => return words,
        1 => "once".to_owned(),
        // Not all of them are named.
        times if times < 16 => format!("{times} times"),
        times => format!("at least {times} times"),
    };
    format!("{words} Since then the balancer looked at it {times} and left it there.")
}

/// Who comes next in the chain.
pub(crate) fn cause_next(view: &CauseView, next: &CauseNext) -> String {
    let name = &next.task.name;
    match view.how {
        CauseKind::WakePreempted => format!("← {name} woke up there"),
        CauseKind::TickPreempted => format!("← {name} was next"),
        CauseKind::Stacked | CauseKind::Born | CauseKind::Moved => {
            format!("← {name} had the CPU, or woke it")
        }
        CauseKind::PlacedHere => format!("← {name} woke it"),
        CauseKind::BalancedHere => format!("← {name} had waited elsewhere"),
        CauseKind::BornHere => format!("← {name} was there when it began"),
    }
}

/// The button that opens the decision of a cause.
pub(crate) fn open_decision(point: &DecisionPoint) -> String {
    let what = match point.kind {
        DecisionKind::Placement => "Open the placement",
        DecisionKind::Birth => "Open the start",
        DecisionKind::Balance => "Open the balance attempt",
        DecisionKind::Pick => "Open the pick",
        DecisionKind::WakePreempt => "Open the wake-up preemption",
        DecisionKind::TickPreempt => "Open the tick",
        DecisionKind::RtPush => "Open the push",
        DecisionKind::RtPull => "Open the pull",
    };
    format!("{what} at {}", instant(point.at_ns))
}

/// The button that opens a balance attempt which left the thread.
pub(crate) fn open_refusal(point: &DecisionPoint) -> String {
    format!("Open the refusal at {}", instant(point.at_ns))
}
