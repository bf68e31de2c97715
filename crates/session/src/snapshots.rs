use engine::Engine;
use sim::Nanos;

/// The most snapshots of a run.
const MOST: usize = 64;

/// Events between the first snapshots. Small runs get few: they are replayed faster than a snapshot is found.
const FIRST_SPACING: u64 = 4096;

/// Into how many parts the way between two snapshots is cut when it is walked for a question.
const NEARBY: u64 = 16;

/// Copies of an engine, evenly spaced by events, from which any moment is reached by a short replay.
///
/// When there are too many, every second one is dropped and the spacing doubled.
#[derive(Clone, Debug)]
pub(crate) struct Snapshots {
    spacing: u64,
    kept: Vec<Snapshot>,
}

/// A copy of an engine.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) now: Nanos,
    pub(crate) events: u64,
    pub(crate) engine: Engine,
}

/// Copies from the way between two snapshots: people ask about one moment and then about its neighbours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nearby {
    /// The events before the snapshot from which they were made.
    from_events: u64,
    kept: Vec<Snapshot>,
}

impl Default for Snapshots {
    fn default() -> Snapshots {
        Snapshots { spacing: FIRST_SPACING, kept: Vec::new() }
    }
}

impl Snapshots {
    /// After how many more events the next snapshot is due.
    pub(crate) fn due_in(&self, events: u64) -> u64 {
        let next = self.kept.last().map_or(0, |last| last.events) + self.spacing;
        next.saturating_sub(events)
    }

    /// Keeps a copy.
    pub(crate) fn keep(&mut self, now: Nanos, events: u64, engine: &mut Engine) {
        if self.kept.len() == MOST {
            let mut position = 0;
            self.kept.retain(|_| {
                position += 1;
                position % 2 == 0
            });
            self.spacing *= 2;
            if 0 < self.due_in(events) {
                return;
            }
        }
        self.kept.push(Snapshot { now, events, engine: engine.snapshot() });
    }

    /// The last copy before a moment.
    pub(crate) fn before(&self, at: Nanos) -> Option<&Snapshot> {
        last_before(&self.kept, at)
    }

    /// The moments of the copies.
    pub(crate) fn moments(&self) -> impl Iterator<Item = Nanos> + '_ {
        self.kept.iter().map(|snapshot| snapshot.now)
    }

    /// How many events apart the copies are.
    pub(crate) fn spacing(&self) -> u64 {
        self.spacing
    }

    /// How many events apart copies are that a question keeps on its way.
    pub(crate) fn spacing_nearby(&self) -> u64 {
        self.spacing / NEARBY
    }
}

impl Nearby {
    /// The last copy before a moment that follows a given snapshot, or that snapshot; copies from elsewhere are
    /// forgotten.
    pub(crate) fn closest<'a>(
        &'a mut self,
        snapshot: Option<&'a Snapshot>,
        at: Nanos,
    ) -> Option<&'a Snapshot> {
        let from_events = snapshot.map_or(0, |snapshot| snapshot.events);
        if from_events != self.from_events {
            *self = Nearby { from_events, kept: Vec::new() };
        }
        last_before(&self.kept, at).or(snapshot)
    }

    /// Keeps a copy, unless there is one.
    pub(crate) fn keep(&mut self, now: Nanos, events: u64, engine: &mut Engine) {
        if self.kept.last().is_none_or(|last| last.events < events) {
            self.kept.push(Snapshot { now, events, engine: engine.snapshot() });
        }
    }
}

fn last_before(kept: &[Snapshot], at: Nanos) -> Option<&Snapshot> {
    // A copy at the very moment may have processed only some of the moment's events.
    let position = kept.partition_point(|snapshot| snapshot.now < at);
    position.checked_sub(1).map(|position| &kept[position])
}
