//! From a wait to its cause, and from there to the cause of that.

use protocol::{CauseKind, CauseNext, CauseView, DecisionFilter, DecisionKind, DecisionPoint};
use sim::{CpuId, Nanos, TaskId};
use trace::{BalanceOutcome, Event, EventKind, MigrateReason, PrevState, TaskState, Timeline};

use crate::inspect::point_of;
use crate::store::StoredRun;
use crate::views::Names;

/// The most refusals that are named.
const MOST_REFUSALS: usize = 16;

/// What brought a task to where it is, before it has names.
struct Link {
    how: CauseKind,
    decision: Option<DecisionPoint>,
    next: Option<(TaskId, Nanos)>,
}

impl StoredRun {
    /// Why a task waits, or runs where it does, one step back.
    pub(crate) fn cause(&self, task: u32, at_ns: u64) -> Result<Option<CauseView>, &'static str> {
        let timeline = self.timeline()?;
        if timeline.task_count() <= task as usize {
            return Err("The run has no such task.");
        }
        let at = Nanos(at_ns).min(timeline.end());
        let task = TaskId(task);
        let moment = timeline.task_at(task, at);
        let cpu = moment.doing.cpu;
        let link = match moment.doing.state {
            TaskState::Waiting => self.why_waits(timeline, task, moment.since, at)?,
            TaskState::Running | TaskState::Waking => self.why_here(timeline, task, at)?,
            TaskState::Unborn | TaskState::Sleeping | TaskState::Dead => return Ok(None),
        };
        let refusals = if moment.doing.state == TaskState::Waiting {
            self.refusals(task, moment.since, at)?
        } else {
            Vec::new()
        };
        let names = Names::of(&self.job.engine, &[]);
        Ok(Some(CauseView {
            task: names.task(task),
            at_ns: at.0,
            cpu: cpu.0,
            how: link.how,
            decision: link.decision,
            refusals,
            next: link.next.map(|(task, at)| CauseNext { task: names.task(task), at_ns: at.0 }),
        }))
    }

    /// Why a task has waited since a moment on the CPU on which it waits now.
    fn why_waits(
        &self,
        timeline: &Timeline,
        task: TaskId,
        since: Nanos,
        at: Nanos,
    ) -> Result<Link, &'static str> {
        let began = |event: &Event| match event.kind {
            EventKind::Wakeup | EventKind::Fork => event.task == task,
            EventKind::Migrate => event.task == task && since <= event.at && !is_wakeup(event),
            EventKind::Switch => event.args[0] == task.0 && event.detail == PrevState::Preempted as u8,
            _ => false,
        };
        let Some(event) = self.last_until(at, began)? else {
            return Ok(Link { how: CauseKind::Born, decision: None, next: None });
        };
        match event.kind {
            EventKind::Switch => self.why_preempted(&event, task),
            EventKind::Migrate => Ok(Link {
                how: CauseKind::Moved,
                decision: self.mover(&event)?,
                next: occupant(timeline, event.cpu, event.at, task),
            }),
            EventKind::Fork => Ok(Link {
                how: CauseKind::Born,
                decision: point_of(&event, DecisionFilter::default()),
                next: occupant(timeline, event.cpu, event.at, task),
            }),
            _ => {
                let placed = |event: &Event| event.kind == EventKind::Placed && event.task == task;
                let placed = self.last_until(event.at, placed)?;
                let occupant = occupant(timeline, event.cpu, event.at, task);
                let next = if occupant.is_some() { occupant } else { self.waker(task, event.at)? };
                let decision = placed.and_then(|placed| point_of(&placed, DecisionFilter::default()));
                Ok(Link { how: CauseKind::Stacked, decision, next })
            }
        }
    }

    /// What took the CPU from a task, which left it with a given switch.
    fn why_preempted(&self, switch: &Event, task: TaskId) -> Result<Link, &'static str> {
        let took = |event: &Event| match event.kind {
            EventKind::WakePreempt => event.args[0] == task.0,
            EventKind::TickPreempt => event.task == task,
            _ => false,
        };
        let event = self.last_until(switch.at, took)?;
        let successor = (switch.task != Event::NO_TASK).then_some((switch.task, switch.at));
        let (how, next) = match event {
            Some(event) if event.kind == EventKind::WakePreempt => {
                (CauseKind::WakePreempted, Some((event.task, event.at)))
            }
            _ => (CauseKind::TickPreempted, successor),
        };
        Ok(Link { how, decision: event.and_then(|event| point_of(&event, DecisionFilter::default())), next })
    }

    /// What brought a task to the CPU that it has.
    fn why_here(&self, timeline: &Timeline, task: TaskId, at: Nanos) -> Result<Link, &'static str> {
        let brought = |event: &Event| {
            event.task == task
                && match event.kind {
                    EventKind::Placed | EventKind::Fork => true,
                    EventKind::Migrate => !is_wakeup(event),
                    _ => false,
                }
        };
        let Some(event) = self.last_until(at, brought)? else {
            return Ok(Link { how: CauseKind::BornHere, decision: None, next: None });
        };
        let own_point = point_of(&event, DecisionFilter::default());
        Ok(match event.kind {
            EventKind::Placed => {
                Link { how: CauseKind::PlacedHere, decision: own_point, next: self.waker(task, event.at)? }
            }
            EventKind::Fork => {
                let parent_cpu = CpuId(event.args[0] as u16);
                Link {
                    how: CauseKind::BornHere,
                    decision: own_point,
                    next: occupant(timeline, parent_cpu, event.at, task),
                }
            }
            _ => Link {
                how: CauseKind::BalancedHere,
                decision: self.mover(&event)?,
                // It waited elsewhere until then.
                next: event.at.0.checked_sub(1).map(|before| (task, Nanos(before))),
            },
        })
    }

    /// The task that woke another, if it was one and not an interrupt on an idle CPU.
    fn waker(&self, task: TaskId, at: Nanos) -> Result<Option<(TaskId, Nanos)>, &'static str> {
        let waking = |event: &Event| event.kind == EventKind::Waking && event.task == task;
        let event = self.last_until(at, waking)?;
        let waker = event.map(|event| (TaskId(event.args[1]), event.at));
        Ok(waker.filter(|(waker, _)| *waker != Event::NO_TASK))
    }

    /// The decision that moved a task: the balance attempt of that moment, or the one that had started the stopper.
    fn mover(&self, migrate: &Event) -> Result<Option<DecisionPoint>, &'static str> {
        let filter = DecisionFilter { task: Some(migrate.task.0), ..DecisionFilter::default() };
        if let Some(point) = point_of(migrate, filter) {
            return Ok(Some(point));
        }
        if migrate.detail == MigrateReason::Exec as u8 {
            return Ok(None);
        }
        let started = |event: &Event| {
            event.kind == EventKind::Balance
                && event.cpu == migrate.cpu
                && event.detail & 7 == BalanceOutcome::ActiveStarted as u8
        };
        let task = Some(migrate.task.0);
        let event = self.last_until(migrate.at, started)?;
        Ok(event.map(|event| DecisionPoint {
            at_ns: event.at.0,
            kind: DecisionKind::Balance,
            cpu: event.cpu.0,
            task,
        }))
    }

    /// The balance attempts that left a task, from a moment until another, the last ones first.
    fn refusals(&self, task: TaskId, since: Nanos, until: Nanos) -> Result<Vec<DecisionPoint>, &'static str> {
        let filter = DecisionFilter { task: Some(task.0), ..DecisionFilter::default() };
        let mut refusals = Vec::new();
        let mut before = Nanos(until.0 + 1);
        while refusals.len() < MOST_REFUSALS {
            let refused = |event: &Event| {
                event.at < since || (event.kind == EventKind::UtilRefused && event.task == task)
            };
            match self.last_before(before, refused)? {
                Some(event) if since <= event.at => {
                    refusals.extend(point_of(&event, filter));
                    before = event.at;
                }
                _ => break,
            }
        }
        Ok(refusals)
    }

    /// The last event up to a moment, the moment itself included, of which something holds.
    fn last_until(&self, at: Nanos, test: impl Fn(&Event) -> bool) -> Result<Option<Event>, &'static str> {
        self.last_before(Nanos(at.0 + 1), test)
    }
}

/// Who had a CPU at a moment, other than the task that is asked about.
fn occupant(timeline: &Timeline, cpu: CpuId, at: Nanos, task: TaskId) -> Option<(TaskId, Nanos)> {
    let running = timeline.running(cpu).at(at);
    (running != Event::NO_TASK && running != task).then_some((running, at))
}

/// Whether a task moved as part of its wake-up, which is told by the placement.
fn is_wakeup(migrate: &Event) -> bool {
    migrate.detail == MigrateReason::Wakeup as u8
}
