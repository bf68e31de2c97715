//! What reading a lesson does outside of the page's state: files are fetched, decisions are looked for, keys are heard,
//! and the address is kept in step.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use ::lesson::{Lesson, Next, Quest, Question, parse_index};
use protocol::{AnswerBody, LaneRows, RequestBody};
use yew::prelude::*;

use super::reading::{Reading, Turn};
use crate::bridge::Pool;
use crate::inspection::Found;
use crate::orders::{Order, Orders};
use crate::part::use_change;
use crate::state::{Action, RunEnd, State};
use crate::timeline::Kept;
use crate::{browser, text};

/// How many pixels wide the lanes around a moment are asked for; they are drawn in whatever width there is.
const LANES_PX: u32 = 1000;
/// The element that the focus goes to when the screen changes.
pub(super) const HEADING: &str = "lesson-heading";
/// The element that says how a prediction came out.
pub(super) const VERDICT: &str = "lesson-verdict";

/// Carries out what a reader wants, and puts it into the address where it belongs.
pub(crate) fn carry_out(state: &UseReducerHandle<State>, turn: Turn) {
    match &turn {
        Turn::Go(place) => {
            let is_same_screen = state
                .lesson
                .as_ref()
                .is_some_and(|open| open.place.at(0) == place.at(0) && open.place.screen == place.screen);
            if is_same_screen {
                return;
            }
            browser::push_fragment(&place.fragment());
        }
        Turn::Leave => browser::push_fragment(&crate::link::encode(&state.scenario)),
        Turn::Reveal => {
            browser::after(0, || browser::focus(VERDICT));
        }
        _ => {}
    }
    state.dispatch(Action::Lesson(turn));
}

/// Keeps files, questions, keys and the focus in step with what is open.
#[hook]
pub(crate) fn use_lesson(state: &UseReducerHandle<State>, pool: &Pool, orders: &Orders) {
    let act = {
        let orders = orders.clone();
        Callback::from(move |turn| orders.emit(Order::Act(Action::Lesson(turn))))
    };
    let open = state.lesson.as_ref();
    use_files(open, &act);
    use_question(state, pool, &act);
    use_arrival(open);
    use_keys(open, orders);
}

/// Fetches the list or the lesson where it is not there yet.
#[hook]
fn use_files(open: Option<&Reading>, act: &Callback<Turn>) {
    let is_missing = open.is_some_and(|open| {
        let id = &open.place.id;
        if id.is_empty() { open.index.is_loading() } else { open.lesson.is_loading() }
    });
    let wanted = open.filter(|_| is_missing).map(|open| open.place.id.clone());
    let act = act.clone();
    use_change(wanted.clone(), move || {
        let id = wanted?;
        let name = if id.is_empty() { "index" } else { &id };
        // Only hosted builds have a name; in those it keeps an old file from standing in for a new one.
        let build = browser::meta("runqueue-build").map_or(String::new(), |build| format!("?v={build}"));
        browser::fetch(&format!("lessons/{name}.json{build}"), move |fetched| {
            act.emit(loaded(&id, fetched));
        });
        None
    });
}

/// What a file turns out to be.
fn loaded(id: &str, fetched: Result<String, u16>) -> Turn {
    let read = fetched.map_err(|status| text::not_fetched(id, status));
    if id.is_empty() {
        let index =
            read.and_then(|file| parse_index(&file).map_err(|wrong| text::bad_file(&wrong.to_string())));
        return Turn::Listed(index.map(Rc::new));
    }
    let lesson = read.and_then(|file| {
        let lesson = Lesson::parse(&file).map_err(|wrong| text::bad_file(&wrong.to_string()))?;
        if lesson.id == id { Ok(lesson) } else { Err(text::bad_file(text::OTHER_ID)) }
    });
    Turn::Loaded(lesson.map(Rc::new))
}

/// Looks for what is asked as soon as the run is there, then for what the CPUs do around it.
#[hook]
fn use_question(state: &UseReducerHandle<State>, pool: &Pool, act: &Callback<Turn>) {
    let open = state.lesson.as_ref();
    let predict = open.and_then(|open| open.screen()?.1.predict().cloned());
    let is_ready = state.runs.end == RunEnd::Done && predict.is_some();
    let place = open.map(|open| open.place.clone());
    let kept = open.and_then(Reading::column).and_then(|column| state.runs.kept.get(column).cloned());
    let (pool, act, revision) = (pool.clone(), act.clone(), state.revision);
    use_change((is_ready, revision, place), move || {
        let (predict, kept) = (predict.filter(|_| is_ready)?, kept?);
        let (quest, first) = Quest::begin(&predict.find, &kept.summary);
        let search = Search {
            pool,
            kept,
            quest: Rc::new(RefCell::new(quest)),
            window_us: predict.window_us,
            revision,
            act,
            is_over: Rc::default(),
        };
        let is_over = Rc::clone(&search.is_over);
        search.go_on(first);
        Some(Box::new(move || is_over.set(true)))
    });
}

/// A search that is under way. Clones share it.
#[derive(Clone)]
struct Search {
    pool: Pool,
    kept: Kept,
    quest: Rc<RefCell<Quest>>,
    window_us: (u64, u64),
    revision: u32,
    act: Callback<Turn>,
    // Set once the reader is elsewhere: another screen can ask something else of the same run.
    is_over: Rc<Cell<bool>>,
}

impl Search {
    fn go_on(&self, next: Next) {
        let found = match next {
            Next::Ask(body) => {
                let this = self.clone();
                self.ask(body, move |answer| {
                    let next = this.quest.borrow_mut().hear(answer);
                    this.go_on(next);
                });
                return;
            }
            Next::Found(question) => {
                self.draw(&question);
                Found::This(Rc::from(question))
            }
            Next::Nothing => Found::Nothing(text::NO_QUESTION),
            Next::Failed(message) => Found::Failed(message),
        };
        self.act.emit(Turn::Asked(self.revision, found));
    }

    fn draw(&self, question: &Question) {
        let (before, after) = self.window_us;
        let from_ns = question.at_ns.saturating_sub(before * 1000);
        let to_ns = question.at_ns + after * 1000;
        let this = self.clone();
        let rows = LaneRows::Cpus { folded: Vec::new() };
        let body =
            RequestBody::Lanes { run: self.kept.summary.run, from_ns, to_ns, width_px: LANES_PX, rows };
        self.ask(body, move |answer| {
            if let AnswerBody::Lanes(lanes) = answer {
                this.act.emit(Turn::Drawn(this.revision, Rc::new(lanes)));
            }
        });
    }

    fn ask(&self, body: RequestBody, heard: impl Fn(AnswerBody) + 'static) {
        let is_over = Rc::clone(&self.is_over);
        let answers = Callback::from(move |answer: AnswerBody| {
            if answer.is_final() && !is_over.get() {
                heard(answer);
            }
        });
        self.pool.ask(self.kept.worker, body, answers);
    }
}

/// Where the reader arrives: the title of the page, and after the first screen the focus.
#[hook]
fn use_arrival(open: Option<&Reading>) {
    let title = open.map(|open| match open.screen() {
        Some((_, screen)) => text::page_title(&screen.title),
        None => text::page_title(text::LESSONS),
    });
    let heading =
        open.map(|open| (open.place.id.clone(), open.place.screen, open.lesson.content().is_some()));
    let before = use_mut_ref(|| None::<Option<(String, usize, bool)>>);
    use_change((title.clone(), heading.clone()), move || {
        browser::set_title(title.as_deref().unwrap_or(text::PAGE_TITLE));
        let before = before.borrow_mut().replace(heading.clone());
        let is_first = before.is_none();
        if let Some(heading) = heading.filter(|_| !is_first) {
            // The same screen whose lesson has just arrived is no other place.
            let is_other =
                before.flatten().is_none_or(|before| (&before.0, before.1) != (&heading.0, heading.1));
            if is_other {
                browser::focus(HEADING);
                browser::scroll_to_top();
            }
        }
        None
    });
}

/// Arrow keys go from screen to screen; digits and letters answer a question.
#[hook]
fn use_keys(open: Option<&Reading>, orders: &Orders) {
    let open = open.cloned();
    let orders = orders.clone();
    use_change(open.clone(), move || {
        let open = open?;
        let keys = browser::listen("keydown", move |event| {
            if let Some(turn) = browser::plain_key(&event).and_then(|key| key_turn(&open, &key)) {
                event.prevent_default();
                orders.emit(Order::Lesson(turn));
            }
        });
        Some(Box::new(move || drop(keys)))
    });
}

/// What a key means on the screen that is open.
pub(super) fn key_turn(open: &Reading, key: &str) -> Option<Turn> {
    let (shown, _) = open.screen()?;
    let last = open.lesson.content()?.screens.len() - 1;
    let choices = open.prediction.choices();
    let choice = match (open.prediction.is_about_cpus(), key) {
        (true, digit) => digit.parse::<u16>().ok(),
        (false, "y") => Some(super::reading::TAKES),
        (false, "n") => Some(super::reading::LEAVES),
        _ => None,
    };
    match key {
        "ArrowRight" if shown < last => Some(Turn::Go(open.place.at(shown + 1))),
        "ArrowLeft" if 0 < shown => Some(Turn::Go(open.place.at(shown - 1))),
        "r" if !choices.is_empty() && !open.prediction.is_revealed => Some(Turn::Reveal),
        _ => choice.filter(|choice| choices.contains(choice)).map(Turn::Choose),
    }
}
