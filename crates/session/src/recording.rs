use metrics::{Span, WorkBuilder, WorkConservation};
use protocol::TraceKept;
use sim::Nanos;
use topology::Topology;
use trace::{Event, Timeline, TimelineBuilder};

/// The most events that are kept of a run: 24 MiB of them.
const MOST_EVENTS: usize = 1 << 20;

/// The most pieces of the views of a run: 112 MiB of them.
const MOST_PIECES: usize = 1 << 23;

/// What a piece takes: 10 to 12 bytes, and its part of the sums.
const BYTES_OF_PIECE: usize = 14;

/// What is remembered of the events of a run that is under way.
///
/// At first all of them. When they become too many they are turned into intervals and dropped.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    limits: Limits,
    llc_by_cpu: Vec<u16>,
    tasks: usize,
    /// Whether events were handed over, so that those that are left are only the last ones.
    is_thinned: bool,
    intervals: Option<TimelineBuilder>,
    /// The sums over the events so far.
    work: WorkBuilder,
    /// How many of the events that are kept they have.
    followed: usize,
    /// When the intervals became too many.
    full_at: Option<Nanos>,
}

/// How much a recording may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) events: usize,
    pub(crate) pieces: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { events: MOST_EVENTS, pieces: MOST_PIECES }
    }
}

impl Recording {
    /// A recording before the first event of a run, of tasks with the given weights.
    pub(crate) fn new(topology: &Topology, weights: &[u64], limits: Limits) -> Recording {
        let llc_by_cpu: Vec<u16> = topology.cpus.iter().map(|cpu| cpu.llc).collect();
        let work = WorkBuilder::new(&llc_by_cpu, weights, Span::Whole);
        let tasks = weights.len();
        Recording {
            limits,
            llc_by_cpu,
            tasks,
            is_thinned: false,
            intervals: None,
            work,
            followed: 0,
            full_at: None,
        }
    }

    /// Whether the events must be handed over.
    pub(crate) fn is_too_much(&self, events: &[Event]) -> bool {
        self.limits.events <= events.len()
    }

    /// Takes notice of the events so far, so that no step has to do it for many.
    pub(crate) fn follow(&mut self, events: &[Event]) {
        self.work.follow(&events[self.followed..]);
        self.followed = events.len();
    }

    /// Takes events over that would be too many to keep.
    pub(crate) fn thin(&mut self, events: &[Event], now: Nanos) {
        self.follow(events);
        self.followed = 0;
        self.is_thinned = true;
        if self.full_at.is_some() {
            return;
        }
        let new = || TimelineBuilder::new(&self.llc_by_cpu, self.tasks);
        let intervals = self.intervals.get_or_insert_with(new);
        intervals.follow(events);
        if self.limits.pieces <= intervals.pieces() {
            self.full_at = Some(now);
        }
    }

    /// What is kept so far.
    pub(crate) fn kept(&self) -> TraceKept {
        match self.full_at {
            Some(at) => TraceKept::Part { until_ns: at.0 },
            None if self.is_thinned => TraceKept::Intervals,
            None => TraceKept::Events,
        }
    }

    /// The sums over the run up to now; `events` are those that were not handed over.
    pub(crate) fn work(&self, events: &[Event], now: Nanos) -> WorkConservation {
        let mut work = self.work.clone();
        work.follow(&events[self.followed..]);
        work.finish(now)
    }

    /// The views of the run, which is over at `end`, from all its events.
    pub(crate) fn timeline(&self, events: &[Event], end: Nanos) -> Timeline {
        Timeline::new(events, end, &self.llc_by_cpu, self.tasks)
    }

    /// The views of the run, which is over at `end`, where its events were too many; `events` are the last ones.
    pub(crate) fn take_timeline(&mut self, events: &[Event], end: Nanos) -> Option<Timeline> {
        let mut intervals = self.intervals.take()?;
        if let Some(at) = self.full_at {
            return Some(intervals.finish(at));
        }
        intervals.follow(events);
        Some(intervals.finish(end))
    }

    /// How much memory it takes with the views that will be made of it, in bytes.
    pub(crate) fn weight(&self, events: &[Event]) -> usize {
        let of_event = size_of::<Event>() + BYTES_OF_PIECE;
        events.len() * of_event + self.intervals.as_ref().map_or(0, TimelineBuilder::pieces) * BYTES_OF_PIECE
    }
}
