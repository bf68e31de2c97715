use sim::StableHasher;
use std::hash::Hasher;

use crate::Event;

/// The append-only log of a run, with a hash over every event that was ever appended.
///
/// The hash is kept whether or not the events themselves are.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    events: Vec<Event>,
    appended: u64,
    hasher: StableHasher,
    keeps_events: bool,
}

impl Trace {
    /// An empty log that keeps its events, or only their hash.
    pub fn new(keeps_events: bool) -> Trace {
        Trace { keeps_events, ..Trace::default() }
    }

    /// Appends an event.
    pub fn push(&mut self, event: Event) {
        let kind = u64::from(event.kind as u8) | u64::from(event.detail) << 8 | u64::from(event.cpu.0) << 16;
        self.hasher.word(event.at.0);
        self.hasher.word(kind | u64::from(event.task.0) << 32);
        self.hasher.word(u64::from(event.args[0]) | u64::from(event.args[1]) << 32);
        self.appended += 1;
        if self.keeps_events {
            self.events.push(event);
        }
    }

    /// Keeps a remark of the observer: it is among the events, but not in the hash, since it is there only when
    /// somebody asked for it, or follows from the others and the machine.
    pub fn annotate(&mut self, event: Event) {
        if self.keeps_events {
            self.events.push(event);
        }
    }

    /// Takes the events out, so that the log can be copied without them. Hash and count stay.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Puts back what [`Trace::take_events`] took.
    pub fn restore_events(&mut self, events: Vec<Event>) {
        debug_assert!(self.events.is_empty(), "nothing happens while the events are out");
        self.events = events;
    }

    /// The events, in the order of time; empty where only the hash is kept.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// How many events were appended.
    pub fn appended(&self) -> u64 {
        self.appended
    }

    /// The hash over every event so far.
    pub fn hash(&self) -> u64 {
        self.hasher.finish()
    }
}
