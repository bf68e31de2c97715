//! Undo and redo of what the user does to the scenario.

use std::rc::Rc;

use scenario::Scenario;

/// Changes of one field that follow each other within this time are one step: a slider that is dragged.
const ONE_STEP_MS: f64 = 800.0;
/// The most steps that are kept.
const MOST_STEPS: usize = 200;

/// The scenarios before and after the one in force.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct History {
    past: Vec<Rc<Scenario>>,
    future: Vec<Rc<Scenario>>,
    last: Option<(String, f64)>,
}

impl History {
    /// `now` was replaced because somebody changed `field` at `at_ms`; without a time it is a step of its own.
    pub(crate) fn push(&mut self, now: &Rc<Scenario>, field: &str, at_ms: Option<f64>) {
        let goes_on = self
            .last
            .as_ref()
            .zip(at_ms)
            .is_some_and(|((last, then), at_ms)| last == field && at_ms - then < ONE_STEP_MS);
        self.last = at_ms.map(|at_ms| (field.to_owned(), at_ms));
        self.future.clear();
        if goes_on && !self.past.is_empty() {
            return;
        }
        self.past.push(Rc::clone(now));
        if MOST_STEPS < self.past.len() {
            self.past.remove(0);
        }
    }

    /// The scenario before `now`.
    pub(crate) fn undo(&mut self, now: &Rc<Scenario>) -> Option<Rc<Scenario>> {
        let before = self.past.pop()?;
        self.future.push(Rc::clone(now));
        self.last = None;
        Some(before)
    }

    /// The scenario that was undone last.
    pub(crate) fn redo(&mut self, now: &Rc<Scenario>) -> Option<Rc<Scenario>> {
        let after = self.future.pop()?;
        self.past.push(Rc::clone(now));
        self.last = None;
        Some(after)
    }

    /// Whether there is anything to undo.
    pub(crate) fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is anything to redo.
    pub(crate) fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_seed(seed: u64) -> Rc<Scenario> {
        Rc::new(Scenario { seed, ..Scenario::default() })
    }

    #[test]
    fn a_dragged_slider_is_one_step() {
        let mut history = History::default();
        let seeds: Vec<_> = (1..5).map(with_seed).collect();
        history.push(&seeds[0], "seed", Some(0.0));
        history.push(&seeds[1], "seed", Some(100.0));
        history.push(&seeds[2], "seed", Some(200.0));
        assert_eq!(history.undo(&seeds[3]), Some(seeds[0].clone()));
        assert!(!history.can_undo());
        assert_eq!(history.redo(&seeds[0]), Some(seeds[3].clone()));
    }

    #[test]
    fn another_field_or_a_pause_begins_a_new_step() {
        let mut history = History::default();
        let seeds: Vec<_> = (1..5).map(with_seed).collect();
        history.push(&seeds[0], "seed", Some(0.0));
        history.push(&seeds[1], "kernel.hz", Some(100.0));
        history.push(&seeds[2], "kernel.hz", Some(5000.0));
        assert_eq!(history.undo(&seeds[3]), Some(seeds[2].clone()));
        assert_eq!(history.undo(&seeds[2]), Some(seeds[1].clone()));
        assert_eq!(history.undo(&seeds[1]), Some(seeds[0].clone()));
        assert_eq!(history.undo(&seeds[0]), None);
    }

    #[test]
    fn a_change_after_undo_forgets_what_was_undone() {
        let mut history = History::default();
        let seeds: Vec<_> = (1..4).map(with_seed).collect();
        history.push(&seeds[0], "seed", Some(0.0));
        history.undo(&seeds[1]);
        assert!(history.can_redo());
        history.push(&seeds[0], "seed", Some(10.0));
        assert!(!history.can_redo());
        assert!(history.can_undo(), "even if it is the same field within the time of one step");
    }
}
