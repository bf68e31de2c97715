//! What is looked at closely: where two runs part, and the decisions of one moment.

use std::rc::Rc;

use protocol::{
    CauseView, DecisionFilter, DecisionKind, DecisionPoint, DecisionView, DivergenceView, Explained,
};
use yew::AttrValue;

use crate::chain::{Chain, Subject, is_at, task_of};
use crate::panels::PanelState;
use crate::text;

/// What is looked at closely.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inspection {
    /// Where the runs part.
    pub(crate) divergence: PanelState<Rc<DivergenceView>>,
    /// Which divergence was asked for last, counted from 0; none before anybody has asked.
    pub(crate) nth: Option<u32>,
    /// The column that the first one is compared with, by its position; the last one where nobody has chosen.
    pub(crate) against: Option<usize>,
    /// The decisions of a moment.
    pub(crate) moment: PanelState<Rc<Explained>>,
    /// The column that they were made in, by its position.
    pub(crate) column: usize,
    /// Which of them is shown.
    pub(crate) chosen: usize,
    /// Which decisions are gone through.
    pub(crate) kind: Option<DecisionKind>,
    /// Something to say about the last step.
    pub(crate) note: &'static str,
    /// Where the timeline is to look.
    pub(crate) focus: Option<Focus>,
    /// The causes of what was pointed out last.
    pub(crate) chain: Chain,
    /// The decision that is to be shown of the moment that is being opened, because a cause names it.
    pub(crate) expected: Option<DecisionPoint>,
}

/// Where the timeline is to look. Times are nanoseconds of simulated time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Focus {
    /// Grows with every focus, so that asking again for the same one goes back to it.
    serial: u32,
    /// The moment that is marked.
    pub(crate) at_ns: u64,
    /// What is to be in view; none where the view stays as long as the moment is in it.
    pub(crate) span: Option<(f64, f64)>,
}

/// What a step among decisions came to.
#[derive(Clone, Debug)]
pub(crate) enum Found<T> {
    /// This.
    This(T),
    /// There is nothing, and why.
    Nothing(&'static str),
    /// It could not be found out.
    Failed(String),
}

/// What can happen to what is looked at.
#[derive(Clone, Debug)]
pub(crate) enum Study {
    /// The first column is to be compared with this one.
    CompareWith(usize),
    /// It is being looked for where the runs part: which divergence, from 0.
    Seek(u32),
    /// That is over.
    Parted(Found<Rc<DivergenceView>>),
    /// The decisions of a moment of this column are being asked for.
    Open(usize),
    /// They are there, or not; and whether somebody goes forward.
    Opened(Found<Rc<Explained>>, bool),
    /// Another decision of the same moment.
    StepWithin(bool),
    /// Go through decisions of this kind only.
    Kind(Option<DecisionKind>),
    /// The timeline is to show a span of time, because of a wait in it.
    Show(Subject, (f64, f64)),
    /// A wait was pointed out.
    PointOut(Subject),
    /// The cause of what was pointed out, or the cause of the last cause, is being asked for.
    AskCause,
    /// It is there, or not.
    Caused(Found<Rc<CauseView>>),
    /// One cause back.
    CauseBack,
    /// A decision that a cause names is being opened.
    Expect(DecisionPoint),
}

/// Which divergence is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parting {
    /// The first one; where one is shown, the one after it.
    Onward,
    /// The first one.
    First,
    /// The one after that which is shown.
    Next,
    /// The one before it.
    Previous,
}

impl Default for Inspection {
    fn default() -> Inspection {
        Inspection {
            divergence: PanelState::Empty(text::DIVERGENCE_HINT.into()),
            nth: None,
            against: None,
            moment: PanelState::Empty(text::INSPECTOR_HINT.into()),
            column: 0,
            chosen: 0,
            kind: None,
            note: "",
            focus: None,
            chain: Chain::default(),
            expected: None,
        }
    }
}

impl Inspection {
    /// The same before anybody has asked for anything about the next runs.
    pub(crate) fn for_other_runs(&self) -> Inspection {
        Inspection { kind: self.kind, ..Inspection::default() }
    }

    /// Something has happened.
    pub(crate) fn hear(&mut self, study: Study) {
        match study {
            Study::CompareWith(column) => self.compare_with(column),
            Study::Seek(nth) => self.seek(nth),
            Study::Parted(found) => self.parted(found),
            Study::Open(column) => self.open(column),
            Study::Opened(found, is_forward) => self.opened(found, is_forward),
            Study::StepWithin(is_forward) => self.step_within(is_forward),
            Study::Kind(kind) => self.kind = kind,
            Study::Show(subject, span) => {
                self.chain.begin(subject);
                self.look_at(subject.at_ns, Some(span));
            }
            Study::PointOut(subject) => self.chain.begin(subject),
            Study::AskCause => self.chain.ask(),
            Study::Caused(found) => self.caused(found),
            Study::CauseBack => self.cause_back(),
            Study::Expect(point) => self.expected = Some(point),
        }
    }

    /// Whether a divergence is being looked for.
    pub(crate) fn is_seeking(&self) -> bool {
        matches!(self.divergence, PanelState::Loading(..) | PanelState::Stale(_))
    }

    /// Which divergence that is, counted from 0.
    pub(crate) fn wanted(&self, parting: Parting) -> u32 {
        let is_at_end = matches!(self.divergence, PanelState::Empty(_) | PanelState::Error(_));
        match (parting, self.nth) {
            (Parting::First, _) | (_, None) => 0,
            // Behind the last one there is no further one.
            (Parting::Next | Parting::Onward, Some(nth)) => nth + u32::from(!is_at_end),
            (Parting::Previous, Some(nth)) => nth.saturating_sub(1),
        }
    }

    /// Which decisions are gone through.
    pub(crate) fn filter(&self) -> DecisionFilter {
        DecisionFilter { kind: self.kind, ..DecisionFilter::default() }
    }

    /// The moment that is shown.
    pub(crate) fn at_ns(&self) -> Option<u64> {
        self.moment.content().map(|moment| moment.at_ns)
    }

    /// The decision that is shown.
    pub(crate) fn decision(&self) -> Option<&DecisionView> {
        self.moment.content()?.decisions.get(self.chosen)
    }

    /// Goes to the next or the previous decision of the moment that is shown, if there is one.
    pub(crate) fn step_within(&mut self, is_forward: bool) {
        if let Some(next) = self.next_within(is_forward) {
            self.chosen = next;
            self.note = "";
        }
    }

    /// Which decision of the moment that is shown comes next, or came before, of those that are gone through.
    pub(crate) fn next_within(&self, is_forward: bool) -> Option<usize> {
        let moment = self.moment.content()?;
        let is_wanted = |place: &usize| {
            moment.decisions.get(*place).is_some_and(|other| self.kind.is_none_or(|kind| kind == other.kind))
        };
        if is_forward {
            (self.chosen + 1..moment.decisions.len()).find(is_wanted)
        } else {
            (0..self.chosen).rev().find(is_wanted)
        }
    }

    /// The first column is to be compared with this one.
    pub(crate) fn compare_with(&mut self, column: usize) {
        let Inspection { divergence, nth, .. } = Inspection::default();
        self.against = Some(column);
        self.divergence = divergence;
        self.nth = nth;
    }

    /// A divergence is being looked for.
    pub(crate) fn seek(&mut self, nth: u32) {
        self.nth = Some(nth);
        self.divergence = match &self.divergence {
            PanelState::Full(view) | PanelState::Stale(view) => PanelState::Stale(Rc::clone(view)),
            _ => PanelState::Loading(None, text::SEEKING.into()),
        };
    }

    /// The search is over.
    pub(crate) fn parted(&mut self, found: Found<Rc<DivergenceView>>) {
        if let Found::This(view) = &found {
            let at = view.at_ns;
            let fates = view.consequence.iter().flat_map(|followed| [&followed.base, &followed.patched]);
            let (from, to) = fates.fold((at, at), |(from, to), fate| {
                (from.min(fate.waits_since_ns), to.max(fate.waits_since_ns + fate.waited_ns))
            });
            self.look_at(at, Some((from as f64, to as f64)));
        }
        self.divergence = shown(found);
    }

    /// The decisions of a moment are being asked for.
    pub(crate) fn open(&mut self, column: usize) {
        self.column = column;
        self.note = "";
        self.expected = None;
        self.moment = match &self.moment {
            PanelState::Full(moment) | PanelState::Stale(moment) => PanelState::Stale(Rc::clone(moment)),
            _ => PanelState::Loading(None, text::OPENING.into()),
        };
    }

    /// They are there. Of a divergence that decision is shown which came out otherwise; else the first one, or the last
    /// one where somebody goes backward.
    pub(crate) fn opened(&mut self, found: Found<Rc<Explained>>, is_forward: bool) {
        match found {
            Found::This(moment) => {
                let last = moment.decisions.len().saturating_sub(1);
                let parting = self.divergence.content().and_then(|view| {
                    let side = if self.column == 0 { &view.base } else { &view.patched };
                    let decision = side.decision.as_ref()?;
                    moment.decisions.iter().position(|other| other == decision)
                });
                self.chosen = parting.unwrap_or(if is_forward { 0 } else { last });
                self.chain_from(&moment);
                self.look_at(moment.at_ns, None);
                self.moment = PanelState::Full(moment);
            }
            Found::Nothing(why) => match &self.moment {
                PanelState::Full(moment) | PanelState::Stale(moment) => {
                    self.moment = PanelState::Full(Rc::clone(moment));
                    self.note = why;
                }
                _ => self.moment = PanelState::Empty(why.into()),
            },
            Found::Failed(_) => self.moment = shown(found),
        }
    }

    /// The decision that a cause names is shown; any other one is the beginning of a chain of its own.
    fn chain_from(&mut self, moment: &Explained) {
        if let Some(point) = self.expected.take() {
            let named = moment.decisions.iter().position(|decision| is_at(decision, &point));
            self.chosen = named.unwrap_or(self.chosen);
        } else if let Some(task) = moment.decisions.get(self.chosen).and_then(task_of) {
            self.chain.begin(Subject { column: self.column, task, at_ns: moment.at_ns });
        }
    }

    /// The next cause is there, or not.
    fn caused(&mut self, found: Found<Rc<CauseView>>) {
        let is_there = matches!(found, Found::This(_));
        self.chain.found(found);
        if let Some(at_ns) = self.chain.at_ns().filter(|_| is_there) {
            self.look_at(at_ns, None);
        }
    }

    /// One cause back, and to where that was.
    fn cause_back(&mut self) {
        self.chain.back();
        if let Some(at_ns) = self.chain.at_ns() {
            self.look_at(at_ns, None);
        }
    }

    fn look_at(&mut self, at_ns: u64, span: Option<(f64, f64)>) {
        let serial = self.focus.map_or(0, |focus| focus.serial) + 1;
        // A divergence brings its decisions with it; their answer must not undo the span before it is drawn.
        let span =
            span.or_else(|| self.focus.filter(|focus| focus.at_ns == at_ns).and_then(|focus| focus.span));
        self.focus = Some(Focus { serial, at_ns, span });
    }
}

fn shown<T>(found: Found<T>) -> PanelState<T> {
    match found {
        Found::This(content) => PanelState::Full(content),
        Found::Nothing(why) => PanelState::Empty(why.into()),
        Found::Failed(message) => PanelState::Error(AttrValue::from(message)),
    }
}
