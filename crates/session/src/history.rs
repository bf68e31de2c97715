//! The way back into a kept run: its state just before any instant, and its events, whether they were kept or not.

use protocol::TraceKept;
use sim::Nanos;
use trace::Event;

use crate::RunJob;
use crate::store::StoredRun;

/// How many events of the engine are replayed at most for one question, where their log was too long to keep: all of a
/// long run would take as long as the run.
const MOST_REPLAYED: u64 = 1 << 20;

const NO_TRACE: &str = "This run was made without its trace.";
const TOO_FAR: &str = "There is none near: this run has too many events to look through all of them.";

/// The events between two snapshots.
#[derive(Debug, Default)]
pub(crate) struct Window {
    from: Nanos,
    to: Nanos,
    events: Vec<Event>,
}

impl StoredRun {
    /// The run just before an instant, ready to go on.
    pub(crate) fn replayed_to(&self, at: Nanos) -> Result<RunJob, &'static str> {
        self.job.just_before(at, &mut self.nearby.borrow_mut()).ok_or(NO_TRACE)
    }

    /// The first event after an instant of which something holds.
    pub(crate) fn first_after(
        &self,
        from: Nanos,
        test: impl Fn(&Event) -> bool,
    ) -> Result<Option<Event>, &'static str> {
        let after = |event: &&Event| from < event.at && test(event);
        if self.job.trace_kept() == TraceKept::Events {
            let events = self.job.engine.trace().events();
            let start = events.partition_point(|event| event.at <= from);
            return Ok(events[start..].iter().find(after).copied());
        }
        let (bounds, most) = self.bounds()?;
        let first = bounds.partition_point(|bound| *bound <= from).saturating_sub(1);
        for (looked, pair) in bounds[first..].windows(2).enumerate() {
            if looked == most {
                return Err(TOO_FAR);
            }
            let found = self.in_window(pair[0], pair[1], |events| events.iter().find(after).copied())?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The last event before an instant of which something holds.
    pub(crate) fn last_before(
        &self,
        to: Nanos,
        test: impl Fn(&Event) -> bool,
    ) -> Result<Option<Event>, &'static str> {
        let before = |event: &&Event| event.at < to && test(event);
        if self.job.trace_kept() == TraceKept::Events {
            let events = self.job.engine.trace().events();
            let end = events.partition_point(|event| event.at < to);
            return Ok(events[..end].iter().rfind(before).copied());
        }
        let (bounds, most) = self.bounds()?;
        let last = bounds.partition_point(|bound| *bound < to);
        for (looked, pair) in bounds[..(last + 1).min(bounds.len())].windows(2).rev().enumerate() {
            if looked == most {
                return Err(TOO_FAR);
            }
            let found = self.in_window(pair[0], pair[1], |events| events.iter().rfind(before).copied())?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The moments between which the run is replayed: its start, its snapshots and its end. And how many of these windows
    /// may be replayed for one question.
    fn bounds(&self) -> Result<(Vec<Nanos>, usize), &'static str> {
        let snapshots = self.job.snapshots().ok_or(NO_TRACE)?;
        let end = Nanos(self.job.now().0 + 1);
        let mut bounds: Vec<Nanos> =
            [Nanos::ZERO].into_iter().chain(snapshots.moments()).chain([end]).collect();
        bounds.dedup();
        Ok((bounds, (MOST_REPLAYED / snapshots.spacing()).max(1) as usize))
    }

    /// Looks through the events from one moment to just before another, replayed unless they are those of last time.
    fn in_window(
        &self,
        from: Nanos,
        to: Nanos,
        look: impl Fn(&[Event]) -> Option<Event>,
    ) -> Result<Option<Event>, &'static str> {
        let mut window = self.window.borrow_mut();
        if (window.from, window.to) != (from, to) {
            let mut job = self.replayed_to(from)?;
            job.engine.take_events();
            job.run_until(Nanos(to.0 - 1));
            *window = Window { from, to, events: job.engine.take_events() };
        }
        Ok(look(&window.events))
    }
}

#[cfg(test)]
mod tests {
    use protocol::{DecisionFilter, DecisionKind, PlannedColumn, RunKey, RunOptions};
    use scenario::Scenario;

    use super::*;
    use crate::recording::Limits;

    fn recorded(limits: Limits) -> StoredRun {
        let mut scenario = Scenario::from_preset("hikey-schbench").unwrap();
        for (key, value) in
            [("workload.runtime_s", "1"), ("workload.think_us", "900"), ("workload.sleep_us", "400")]
        {
            scenario.set(key, value).unwrap();
        }
        let options = RunOptions { keep_trace: true, audit_hunks: false };
        let mut job = RunJob::limited(PlannedColumn::new(&scenario, 0), options, limits);
        while !job.step(1_000) {}
        StoredRun::new(job)
    }

    #[test]
    fn events_that_were_not_kept_are_found_all_the_same() {
        let whole = recorded(Limits::default());
        let thinned = recorded(Limits { events: 500, ..Limits::default() });
        assert_eq!(thinned.job.trace_kept(), TraceKept::Intervals);
        assert!(3 < thinned.job.snapshots().unwrap().moments().count(), "several windows");
        let end = whole.job.now().0;
        for kind in [DecisionKind::Placement, DecisionKind::Balance, DecisionKind::TickPreempt] {
            let filter = DecisionFilter { kind: Some(kind), ..DecisionFilter::default() };
            for part in 0..=12 {
                let from = end * part / 12;
                for forward in [true, false] {
                    let expected = whole.next_decision(from, forward, filter);
                    assert_eq!(thinned.next_decision(from, forward, filter), expected, "{kind:?} {from}");
                }
            }
        }
        let point = whole.next_decision(end / 2, true, DecisionFilter::default()).unwrap().unwrap();
        let explain = |run: &StoredRun| run.explain(RunKey(0), point.at_ns, DecisionFilter::default());
        assert_eq!(explain(&thinned), explain(&whole));
        for task in 0..11 {
            assert_eq!(thinned.cause(task, end / 2), whole.cause(task, end / 2), "{task}");
        }
        assert_eq!(thinned.job.work(), whole.job.work());
        assert!(whole.work(0, end, 10).is_ok());
        assert!(thinned.work(0, end, 10).unwrap_err().contains("over the whole run"));
    }

    #[test]
    fn a_run_without_its_trace_says_so() {
        let mut job =
            RunJob::new(&Scenario::from_preset("hikey-schbench").unwrap(), 0, 1, RunOptions::default());
        while !job.step(u64::MAX) {}
        let run = StoredRun::new(job);
        assert_eq!(run.explain(RunKey(0), 5, DecisionFilter::default()), Err(NO_TRACE));
        assert_eq!(run.next_decision(5, true, DecisionFilter::default()), Err(NO_TRACE));
    }
}
