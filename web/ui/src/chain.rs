//! From a wait to its cause, and from there to the cause of that.

use std::rc::Rc;

use protocol::{CauseView, DecisionKind, DecisionPoint, DecisionView, OutcomeView};

use crate::inspection::Found;
use crate::text;
use crate::timeline::Wait;

/// A task at a moment of a run: what a cause can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// The column, by its position.
    pub(crate) column: usize,
    /// The task.
    pub(crate) task: u32,
    /// The moment in nanoseconds.
    pub(crate) at_ns: u64,
}

impl Subject {
    /// A wait of the timeline. Its middle is asked about: whoever is woken with many others waits a little before it is
    /// on a queue.
    pub(crate) fn of(wait: &Wait) -> Subject {
        Subject { column: wait.run, task: wait.task, at_ns: f64::midpoint(wait.from, wait.to) as u64 }
    }
}

/// Causes, each that of the one before.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chain {
    /// Where they begin; none as long as nothing was pointed out.
    pub(crate) subject: Option<Subject>,
    /// The causes so far.
    pub(crate) links: Vec<Rc<CauseView>>,
    /// Whether the next one is being asked for.
    pub(crate) is_asking: bool,
    /// Why it could not be found out.
    pub(crate) error: Option<String>,
    /// Something to say about the last step.
    pub(crate) note: &'static str,
}

impl Chain {
    /// The chain of something that was pointed out. It stays where that is its beginning already.
    pub(crate) fn begin(&mut self, subject: Subject) {
        if self.subject != Some(subject) {
            *self = Chain { subject: Some(subject), ..Chain::default() };
        }
    }

    /// What to ask next.
    pub(crate) fn question(&self) -> Option<Subject> {
        let subject = self.subject?;
        match self.links.last() {
            None => Some(subject),
            Some(last) => {
                let next = last.next.as_ref()?;
                Some(Subject { task: next.task.id, at_ns: next.at_ns, ..subject })
            }
        }
    }

    /// The next cause is being asked for.
    pub(crate) fn ask(&mut self) {
        self.is_asking = true;
        self.note = "";
        self.error = None;
    }

    /// It is there, or not.
    pub(crate) fn found(&mut self, found: Found<Rc<CauseView>>) {
        self.is_asking = false;
        match found {
            Found::This(view) => {
                self.note = if view.next.is_none() { text::CHAIN_ENDS } else { "" };
                self.links.push(view);
            }
            Found::Nothing(why) => self.note = why,
            Found::Failed(message) => self.error = Some(message),
        }
    }

    /// One cause back.
    pub(crate) fn back(&mut self) {
        self.links.pop();
        self.is_asking = false;
        self.note = "";
        self.error = None;
    }

    /// The moment of the last cause, or of what the chain begins with.
    pub(crate) fn at_ns(&self) -> Option<u64> {
        let of_link = |link: &Rc<CauseView>| link.decision.map_or(link.at_ns, |decision| decision.at_ns);
        self.links.last().map(of_link).or(self.subject.map(|subject| subject.at_ns))
    }
}

/// Whether this is the decision that a cause names.
pub(crate) fn is_at(decision: &DecisionView, point: &DecisionPoint) -> bool {
    let is_same = match decision.kind {
        DecisionKind::Balance => decision.cpu == point.cpu,
        _ => task_of(decision) == point.task,
    };
    decision.kind == point.kind && is_same
}

/// The task whose cause can be asked for where a decision is open: the one that it is about, that it chose, or that it
/// looked at last.
pub(crate) fn task_of(decision: &DecisionView) -> Option<u32> {
    let chosen = match &decision.outcome {
        OutcomeView::Task(task) => Some(task),
        _ => None,
    };
    let looked_at = decision.steps.iter().rev().find_map(|step| step.task.as_ref());
    decision.task.as_ref().or(chosen).or(looked_at).map(|task| task.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{CauseKind, CauseNext, TaskName};

    fn link(next: Option<u32>) -> Rc<CauseView> {
        let name = |id| TaskName { id, name: format!("w{id}") };
        Rc::new(CauseView {
            task: name(7),
            at_ns: 900,
            cpu: 2,
            how: CauseKind::Stacked,
            decision: Some(DecisionPoint {
                at_ns: 800,
                kind: DecisionKind::Placement,
                cpu: 2,
                task: Some(7),
            }),
            refusals: Vec::new(),
            next: next.map(|id| CauseNext { task: name(id), at_ns: 800 }),
        })
    }

    #[test]
    fn each_cause_asks_for_the_next_until_there_is_none() {
        let mut chain = Chain::default();
        assert_eq!(chain.question(), None, "nothing was pointed out");
        let subject = Subject { column: 1, task: 7, at_ns: 900 };
        chain.begin(subject);
        assert_eq!(chain.question(), Some(subject));
        chain.ask();
        chain.found(Found::This(link(Some(4))));
        assert_eq!(chain.question(), Some(Subject { column: 1, task: 4, at_ns: 800 }));
        chain.begin(subject);
        assert_eq!(chain.links.len(), 1, "it is the same wait");
        chain.found(Found::This(link(None)));
        assert_eq!((chain.question(), chain.note), (None, text::CHAIN_ENDS));
        chain.back();
        assert_eq!(chain.question(), Some(Subject { column: 1, task: 4, at_ns: 800 }));
        chain.back();
        assert_eq!((chain.question(), chain.at_ns()), (Some(subject), Some(900)));
        chain.begin(Subject { task: 8, ..subject });
        assert_eq!(chain.question().map(|subject| subject.task), Some(8));
    }

    #[test]
    fn what_could_not_be_found_out_leaves_the_chain_as_it_is() {
        let mut chain = Chain::default();
        chain.begin(Subject { column: 0, task: 7, at_ns: 900 });
        chain.found(Found::This(link(Some(4))));
        chain.ask();
        chain.found(Found::Failed("gone".to_owned()));
        assert_eq!((chain.links.len(), chain.error.as_deref(), chain.is_asking), (1, Some("gone"), false));
        chain.ask();
        assert_eq!(chain.error, None);
    }
}
