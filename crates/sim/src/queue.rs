use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::Nanos;

/// The order of events at one instant; a lower class comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventClass(pub u8);

/// Events in the order of (time, class, order of insertion).
///
/// Nothing is ever removed but from the front: a holder that no longer wants an event remembers a generation number
/// and ignores the event when it comes.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    heap: BinaryHeap<Entry<E>>,
    next_seq: u64,
}

#[derive(Clone, Debug)]
struct Entry<E> {
    at: Nanos,
    class: EventClass,
    seq: u64,
    event: E,
}

impl<E> Entry<E> {
    fn key(&self) -> (Nanos, EventClass, u64) {
        (self.at, self.class, self.seq)
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Entry<E> {
    /// Reversed, so that the earliest entry is at the top of the heap.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        EventQueue { heap: BinaryHeap::new(), next_seq: 0 }
    }
}

impl<E> EventQueue<E> {
    /// Adds an event.
    pub fn push(&mut self, at: Nanos, class: EventClass, event: E) {
        let seq = self.next_seq;
        self.next_seq += 1;
        self.heap.push(Entry { at, class, seq, event });
    }

    /// Takes the earliest event.
    pub fn pop(&mut self) -> Option<(Nanos, E)> {
        self.heap.pop().map(|entry| (entry.at, entry.event))
    }

    /// The time of the earliest event.
    pub fn next_at(&self) -> Option<Nanos> {
        self.heap.peek().map(|entry| entry.at)
    }

    /// How many events wait, forgotten ones included.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether no event waits.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// The waiting events in the order in which they would come, for hashing and inspection.
    pub fn in_order(&self) -> Vec<(Nanos, EventClass, &E)> {
        let mut entries: Vec<&Entry<E>> = self.heap.iter().collect();
        entries.sort_by_key(|entry| entry.key());
        entries.into_iter().map(|entry| (entry.at, entry.class, &entry.event)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_time_then_class_then_insertion() {
        let mut queue = EventQueue::default();
        queue.push(Nanos(5), EventClass(1), "e");
        queue.push(Nanos(5), EventClass(0), "b");
        queue.push(Nanos(5), EventClass(0), "c");
        queue.push(Nanos(1), EventClass(9), "a");
        queue.push(Nanos(5), EventClass(0), "d");
        let order: Vec<&str> = queue.in_order().into_iter().map(|(_, _, event)| *event).collect();
        assert_eq!(order, ["a", "b", "c", "d", "e"]);
        assert_eq!(queue.next_at(), Some(Nanos(1)));
        let popped: Vec<&str> = std::iter::from_fn(|| queue.pop().map(|(_, event)| event)).collect();
        assert_eq!(popped, order);
        assert!(queue.is_empty());
    }
}
