//! What a reader has open, and every way in which that changes.

use std::rc::Rc;

use lesson::{Index, Lesson, Question, Screen};
use protocol::{DecisionKind, Lanes, OutcomeView};
use scenario::Scenario;
use yew::AttrValue;

use super::place::Place;
use crate::inspection::{Found, Inspection};
use crate::panels::PanelState;
use crate::text;

/// What a reader has open.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading {
    /// Where he is.
    pub(crate) place: Place,
    /// The list of lessons.
    pub(crate) index: PanelState<Rc<Index>>,
    /// The lesson.
    pub(crate) lesson: PanelState<Rc<Lesson>>,
    /// What he predicts.
    pub(crate) prediction: Prediction,
    /// What a reader has typed as his number and not yet committed, which a page that is drawn anew must not take away.
    pub(crate) typed: Option<String>,
    /// Whether what was typed as his number is none.
    pub(crate) is_mistyped: bool,
}

/// What a reader predicts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prediction {
    /// What is asked.
    pub(crate) question: PanelState<Rc<Question>>,
    /// What the CPUs do around the moment.
    pub(crate) lanes: Option<Rc<Lanes>>,
    /// What he says.
    pub(crate) choice: Option<u16>,
    /// Whether the answer is shown.
    pub(crate) is_revealed: bool,
}

/// What can happen to it.
#[derive(Clone, Debug)]
pub(crate) enum Turn {
    /// Go to a place.
    Go(Place),
    /// Back to the playground.
    Leave,
    /// The list of lessons is there, or not.
    Listed(Result<Rc<Index>, String>),
    /// A lesson is there, or not.
    Loaded(Result<Rc<Lesson>, String>),
    /// The question is found, or not; of which revision.
    Asked(u32, Found<Rc<Question>>),
    /// The lanes around it, of which revision.
    Drawn(u32, Rc<Lanes>),
    /// The reader says this.
    Choose(u16),
    /// The answer is to be shown.
    Reveal,
    /// A number is being typed.
    Type(String),
    /// What was typed as the reader's number is none.
    Mistyped,
    /// What was not loaded is to be asked for again.
    Retry,
}

/// The choice that stands for “takes it”, and the one for “leaves it”.
pub(crate) const TAKES: u16 = 1;
pub(crate) const LEAVES: u16 = 0;

impl Default for Prediction {
    fn default() -> Prediction {
        Prediction {
            question: PanelState::Loading(None, text::SEEKING_QUESTION.into()),
            lanes: None,
            choice: None,
            is_revealed: false,
        }
    }
}

impl Prediction {
    /// The choice that the engine has made.
    pub(crate) fn truth(&self) -> Option<u16> {
        let question = self.question.content()?;
        Some(match question.decision()?.outcome {
            OutcomeView::Cpu(cpu) => cpu,
            OutcomeView::Moved(0) | OutcomeView::Answer(false) => LEAVES,
            OutcomeView::Moved(_) | OutcomeView::Answer(true) | OutcomeView::Task(_) => TAKES,
        })
    }

    /// What can be chosen.
    pub(crate) fn choices(&self) -> Vec<u16> {
        let Some(question) = self.question.content() else { return Vec::new() };
        match question.decision().map(|decision| decision.kind) {
            Some(DecisionKind::Placement) => question.moment.cpus.iter().map(|cpu| cpu.cpu).collect(),
            _ => vec![TAKES, LEAVES],
        }
    }

    /// Whether CPUs are what is chosen from.
    pub(crate) fn is_about_cpus(&self) -> bool {
        let decision = self.question.content().and_then(|question| question.decision());
        decision.is_some_and(|decision| decision.kind == DecisionKind::Placement)
    }
}

impl Reading {
    /// What is open at a place before anything is loaded.
    pub(crate) fn new(place: Place) -> Reading {
        Reading {
            place,
            index: PanelState::Loading(None, text::FETCHING.into()),
            lesson: PanelState::Loading(None, text::FETCHING.into()),
            prediction: Prediction::default(),
            typed: None,
            is_mistyped: false,
        }
    }

    /// The screen that is shown; one that the lesson does not have is its last one.
    pub(crate) fn screen(&self) -> Option<(usize, &Screen)> {
        let screens = &self.lesson.content()?.screens;
        let shown = self.place.screen.min(screens.len().saturating_sub(1));
        Some((shown, screens.get(shown)?))
    }

    /// What is simulated for the screen.
    fn scenario(&self) -> Option<Scenario> {
        let (_, screen) = self.screen()?;
        let seed = self.place.variant.filter(|_| screen.predict().is_some());
        Some(Scenario { seed: seed.unwrap_or(screen.scenario.seed), ..screen.scenario.clone() })
    }

    fn go(&mut self, place: Place) {
        if place.id != self.place.id {
            let index = self.index.clone();
            *self = Reading { index, ..Reading::new(place.clone()) };
        }
        self.typed = None;
        self.is_mistyped = false;
        self.prediction = Prediction::default();
        self.place = place;
    }

    /// Shows the answer, and the decision in the inspector, in the column that it is made in.
    fn reveal(&mut self, inspection: &mut Inspection) {
        let found = self.prediction.question.content().cloned();
        let column = self.column();
        if let (Some(question), Some(column)) = (found, column) {
            self.prediction.is_revealed = true;
            inspection.open(column);
            inspection.opened(Found::This(Rc::new(question.moment.clone())), true);
            inspection.chosen = question.chosen;
        }
    }

    /// The column in which the screen's prediction is made, by its position.
    pub(crate) fn column(&self) -> Option<usize> {
        let (_, screen) = self.screen()?;
        let name = &screen.predict()?.column;
        screen.scenario.columns.iter().position(|column| column.name == *name)
    }
}

/// Something happens; what is to be simulated then, if that is to change.
pub(crate) fn turn(
    reading: &mut Option<Reading>,
    inspection: &mut Inspection,
    revision: u32,
    turn: Turn,
) -> Option<Scenario> {
    match (turn, reading.as_mut()) {
        (Turn::Go(place), Some(open)) => {
            open.go(place);
            return open.scenario();
        }
        (Turn::Go(place), None) => *reading = Some(Reading::new(place)),
        (Turn::Leave, _) => *reading = None,
        (Turn::Listed(index), Some(open)) => {
            open.index = match index {
                Ok(index) if index.is_empty() => PanelState::Empty(text::NO_LESSONS.into()),
                Ok(index) => PanelState::Full(index),
                Err(message) => PanelState::Error(message.into()),
            };
        }
        (Turn::Loaded(Ok(lesson)), Some(open)) if lesson.id == open.place.id => {
            open.lesson = PanelState::Full(lesson);
            return open.scenario();
        }
        (Turn::Loaded(Err(message)), Some(open)) => open.lesson = PanelState::Error(message.into()),
        (Turn::Asked(asked, found), Some(open)) if asked == revision => {
            open.prediction.question = match found {
                Found::This(question) => PanelState::Full(question),
                Found::Nothing(why) => PanelState::Empty(why.into()),
                Found::Failed(message) => PanelState::Error(AttrValue::from(message)),
            };
        }
        (Turn::Drawn(drawn, lanes), Some(open)) if drawn == revision => open.prediction.lanes = Some(lanes),
        (Turn::Choose(choice), Some(open)) if !open.prediction.is_revealed => {
            open.prediction.choice = Some(choice);
        }
        (Turn::Reveal, Some(open)) if !open.prediction.is_revealed => open.reveal(inspection),
        (Turn::Type(typed), Some(open)) => open.typed = Some(typed),
        (Turn::Mistyped, Some(open)) => open.is_mistyped = true,
        (Turn::Retry, Some(open)) => *open = Reading::new(open.place.clone()),
        // What belongs to another revision or lesson, or to a lesson that was left, comes too late.
        _ => {}
    }
    None
}
