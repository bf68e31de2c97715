//! Questions about single moments of a kept run: what was decided, where the next decision is, and why a task waits.

use protocol::{
    DecisionFilter, DecisionKind, DecisionPoint, EventFilter, EventSort, EventView, Explained, RunKey,
};
use sim::{Nanos, TaskId};
use trace::explain::{Explanation, Outcome};
use trace::{Event, EventKind, MigrateReason};

use crate::store::StoredRun;
use crate::views::{Names, kind_of};

impl StoredRun {
    /// What was decided at an instant, taken apart, and the machine that the decisions found.
    pub(crate) fn explain(
        &self,
        run: RunKey,
        at_ns: u64,
        filter: DecisionFilter,
    ) -> Result<Explained, &'static str> {
        let at = Nanos(at_ns).min(self.job.now());
        let mut job = self.replayed_to(at)?;
        let cpus = job.engine.inspect();
        let names = Names::of(&job.engine, &cpus);
        job.engine.explain_decisions(true);
        job.run_until(at);
        let explanations = job.engine.take_explanations();
        let wanted = explanations.iter().filter(|explanation| is_wanted(explanation, filter));
        Ok(Explained {
            run,
            at_ns: at.0,
            decisions: wanted.map(|explanation| names.decision(explanation)).collect(),
            cpus: cpus.iter().map(|cpu| names.cpu(cpu)).collect(),
        })
    }

    /// Where the next decision after a moment is, or the last one before it.
    pub(crate) fn next_decision(
        &self,
        from_ns: u64,
        forward: bool,
        filter: DecisionFilter,
    ) -> Result<Option<DecisionPoint>, &'static str> {
        let from = Nanos(from_ns);
        let is_wanted = |event: &Event| point_of(event, filter).is_some();
        let found =
            if forward { self.first_after(from, is_wanted)? } else { self.last_before(from, is_wanted)? };
        Ok(found.and_then(|event| point_of(&event, filter)))
    }

    /// What happens next after a moment, or happened last before it.
    pub(crate) fn next_event(
        &self,
        from_ns: u64,
        forward: bool,
        filter: EventFilter,
    ) -> Result<Option<EventView>, &'static str> {
        let from = Nanos(from_ns);
        let is_wanted = |event: &Event| is_told(event, filter);
        let found =
            if forward { self.first_after(from, is_wanted)? } else { self.last_before(from, is_wanted)? };
        Ok(found.map(|event| Names::of(&self.job.engine, &[]).event(&event)))
    }
}

fn is_wanted(explanation: &Explanation, filter: DecisionFilter) -> bool {
    let of_kind = filter.kind.is_none_or(|kind| kind == kind_of(explanation.about));
    let of_cpu = filter.cpu.is_none_or(|cpu| {
        explanation.cpu.0 == cpu || matches!(explanation.outcome, Outcome::Cpu(chosen) if chosen.0 == cpu)
    });
    let of_task = filter.task.is_none_or(|task| {
        explanation.task == Some(TaskId(task))
            || explanation.steps.iter().any(|step| step.task == Some(TaskId(task)))
    });
    of_kind && of_cpu && of_task
}

/// Whether an event is one of those that are gone through.
fn is_told(event: &Event, filter: EventFilter) -> bool {
    let of_sort = match filter.sort {
        // Lengths of queues and idle states follow from the others, and what hunks answered is no event of the machine.
        EventSort::Any => event.kind != EventKind::QueueLength && !event.kind.is_remark(),
        EventSort::Wakeup => event.kind == EventKind::Waking,
        EventSort::Start => event.kind == EventKind::Switch && event.task != Event::NO_TASK,
    };
    let is_left = filter.sort == EventSort::Any && event.kind == EventKind::Switch;
    let of_task =
        filter.task.is_none_or(|task| event.task == TaskId(task) || (is_left && event.args[0] == task));
    of_sort && of_task
}

/// The decision that an event tells of, if it tells of one that is looked for.
pub(crate) fn point_of(event: &Event, filter: DecisionFilter) -> Option<DecisionPoint> {
    let has_task = event.task != Event::NO_TASK;
    let (kind, stands_for_all) = match event.kind {
        EventKind::Placed => (DecisionKind::Placement, true),
        EventKind::Fork => (DecisionKind::Birth, true),
        EventKind::Balance => (DecisionKind::Balance, true),
        // An attempt has one event of its own; these say whom it was about.
        EventKind::UtilRefused => (DecisionKind::Balance, false),
        EventKind::Migrate if is_balance(event.detail) => (DecisionKind::Balance, false),
        EventKind::Migrate if event.detail == MigrateReason::RtPush as u8 => (DecisionKind::RtPush, true),
        EventKind::Migrate if event.detail == MigrateReason::RtPull as u8 => (DecisionKind::RtPull, true),
        EventKind::Switch if has_task => (DecisionKind::Pick, true),
        EventKind::WakePreempt => (DecisionKind::WakePreempt, true),
        EventKind::TickPreempt => (DecisionKind::TickPreempt, true),
        _ => return None,
    };
    let of_task = match filter.task {
        Some(task) => event.task == TaskId(task),
        None => stands_for_all,
    };
    let matches = of_task
        && filter.kind.is_none_or(|wanted| wanted == kind)
        && filter.cpu.is_none_or(|cpu| cpu == event.cpu.0);
    let task = has_task.then_some(event.task.0);
    matches.then_some(DecisionPoint { at_ns: event.at.0, kind, cpu: event.cpu.0, task })
}

/// Whether a task moved at the very moment of the balance attempt that moved it.
fn is_balance(reason: u8) -> bool {
    [MigrateReason::NewIdle, MigrateReason::Idle, MigrateReason::Busy]
        .iter()
        .any(|known| *known as u8 == reason)
}
