//! The page as a whole: its state, and what happens when that changes.

use std::cell::RefCell;
use std::rc::Rc;

use ::lesson::Chart;
use scenario::{Machine, Scenario};
use yew::prelude::*;

use crate::bridge::{Pool, PoolEvent};
use crate::charts::Tone;
use crate::columns::{
    Headline, RECORDED, Results, Yardstick, headline, restricted, results, scope_of, yardstick,
};
use crate::controls::Copied;
use crate::driver::{Asking, Driver};
use crate::export::export_body;
use crate::frame::{dialogs, footer, header, notice_bar};
use crate::inspection::Study;
use crate::interval::Surveyor;
use crate::lesson::{self, LessonView, Panels, Place, Reading, Turn};
use crate::link::{self, Seen};
use crate::markup::{el, plain};
use crate::orders::{Moment, Order, Orders, Window};
use crate::panels::{
    CausesView, DIFFERENCE, DivergenceView, EditorView, FROM, HeadlineView, InspectorView, LaunchView,
    OutputView, Panel, PanelState, SeedsView, SweepView, SwitchView, TimelineView, WorkView, causes_panel,
    distribution_panel, divergence_panel, editor_panel, figures_panel, headline_panel, inspector_panel,
    launch_panel, output_panel, percentiles_panel, seeds_panel, sweep_panel, switch_panel, timeline_panel,
    work_of, work_panel,
};
use crate::part::{memo, use_change};
use crate::state::{Action, BandStatus, RunEnd, State};
use crate::sweep::{Sweep, Sweeper};
use crate::{browser, text};

/// How long the scenario must rest before its band is begun, and before it goes into the address.
const REST_MS: i32 = 250;
/// How long a button says that something was copied.
const ANSWER_MS: i32 = 2500;
/// When to look again whether the dialogs are loaded, where somebody wants one before.
const SOON_MS: i32 = 50;
/// The attribute of the root element by which `boot.js` learns that the first chart stands.
const DRAWN: &str = "data-drawn";
/// The one by which it tells that the rest of the page is loaded, and the event that says when.
const WHOLE: &str = "data-whole";
const WHOLE_EVENT: &str = "whole";
/// Where the choice of colours is kept.
const THEME_KEY: &str = "runqueue-theme";

/// What the opening of the page found in the address.
#[derive(Clone)]
struct Opening {
    place: Option<Place>,
    scenario: Scenario,
    seen: Seen,
    notice: Option<crate::state::Notice>,
    is_embedded: bool,
}

/// What only the frame of the page depends on.
#[derive(Clone, PartialEq)]
struct Look {
    /// The colours that the user has chosen: auto, light or dark.
    theme: AttrValue,
    /// Whether the browser prefers dark ones.
    is_dark: bool,
    /// The dialog that is open.
    window: Option<Window>,
    /// What was copied last.
    copied: Copied,
    /// Whether all of the page is loaded, and not only what the first chart needs.
    is_whole: bool,
}

impl Look {
    fn now() -> Look {
        let theme = browser::stored(THEME_KEY).unwrap_or_else(|| "auto".to_owned());
        Look {
            theme: theme.into(),
            is_dark: browser::prefers_dark(),
            window: None,
            copied: None,
            is_whole: browser::root_has(WHOLE),
        }
    }

    /// The colours that are seen.
    fn colours(&self) -> AttrValue {
        match (self.theme.as_str(), self.is_dark) {
            ("light" | "dark", _) => self.theme.clone(),
            (_, true) => AttrValue::Static("dark"),
            (_, false) => AttrValue::Static("light"),
        }
    }
}

/// See the module.
#[component]
pub(crate) fn App() -> Html {
    let opening = use_memo((), |()| {
        let fragment = browser::fragment();
        let place = Place::read(&fragment);
        let (scenario, seen, notice) = link::opening(if place.is_some() { "" } else { &fragment });
        Opening { place, scenario, seen, notice, is_embedded: browser::query_has("embed") }
    });
    let state = {
        let opening = Rc::clone(&opening);
        use_reducer(move || {
            let mut state = State::new(opening.scenario.clone());
            state.notice.clone_from(&opening.notice);
            state.lesson = opening.place.clone().map(Reading::new);
            state
        })
    };
    let engine = use_memo((), |()| start(&state));
    let (pool, driver, sweeper, surveyor) = &*engine;
    let look = use_state_eq(Look::now);
    // Orders are carried out on what is the case when they come, not on what was when their handler was made.
    let latest = use_mut_ref(|| (state.clone(), look.clone()));
    *latest.borrow_mut() = (state.clone(), look.clone());
    let desk = Desk { latest, driver: driver.clone(), sweeper: sweeper.clone() };
    let orders: Orders = use_callback((), move |order: Order, ()| desk.carry_out(order));
    use_simulation(&state, driver, look.is_whole);
    use_sweep(&state, sweeper);
    use_interval(&state, surveyor);
    use_address(&state);
    use_drawn(&state);
    use_recorded(&state, &orders, &opening);
    use_browser(&look, &orders);
    lesson::use_lesson(&state, pool, &orders);
    let span = use_mut_ref(|| None::<(f64, f64)>);
    let onspan = {
        let span = Rc::clone(&span);
        use_callback((), move |moved, ()| *span.borrow_mut() = Some(moved))
    };
    let timeline = TimelineView {
        pool: Some(pool.clone()),
        runs: PanelState::Empty(AttrValue::default()),
        theme: look.colours(),
        span: opening.seen.span,
        onspan,
        focus: state.inspection.focus,
        brush: state.brush,
        lens: state.lens.clone(),
        orders: orders.clone(),
    };
    let windows =
        if look.is_whole { windows(&state, &look, *span.borrow(), &orders) } else { Html::default() };
    let skip = html! { <a class="skip" href="#main" onclick={Callback::from(skip)}>{ text::SKIP }</a> };
    let parts = vec![
        skip,
        memo((look.theme.clone(), orders.clone()), header),
        match &state.lesson {
            Some(reading) if look.is_whole => lesson_view(&state, reading, &orders, timeline),
            Some(_) => {
                el("main", &[("class", "page"), ("id", "main")], vec![coming(("lesson", text::LESSONS))])
            }
            None => page(&state, &orders, timeline, &look),
        },
        memo(state.engine_version.clone().unwrap_or_default(), |version| footer(version)),
        windows,
        announcement(&state),
    ];
    el("div", &[("class", if opening.is_embedded { "embed" } else { "" })], parts)
}

/// The dialogs, one of which may be open.
#[inline(never)]
fn windows(state: &State, look: &Look, span: Option<(f64, f64)>, orders: &Orders) -> Html {
    let is_sharing = look.window == Some(Window::Share);
    let address = if is_sharing { shared_address(state, span) } else { String::new() };
    let files = export_body(&state.scenario, look.window == Some(Window::Export));
    dialogs(&address, &look.copied, files, orders)
}

/// Starts the workers.
fn start(state: &UseReducerHandle<State>) -> (Pool, Driver, Sweeper, Surveyor) {
    let dispatcher = state.dispatcher();
    let pool = Pool::start(Callback::from(move |event| {
        dispatcher.dispatch(match event {
            PoolEvent::Ready { engine_version } => Action::EngineReady(engine_version),
            PoolEvent::Lost { message, .. } => Action::WorkerLost(message),
            PoolEvent::Broken { message } => Action::EngineBroken(message),
        });
    }));
    let dispatcher = state.dispatcher();
    let act = Callback::from(move |action| dispatcher.dispatch(action));
    let sweeper = Sweeper::new(pool.clone(), act.clone());
    let surveyor = Surveyor::new(pool.clone(), act.clone());
    (pool.clone(), Driver::new(pool, act), sweeper, surveyor)
}

/// Where orders are carried out.
#[derive(Clone)]
struct Desk {
    latest: Rc<RefCell<(UseReducerHandle<State>, UseStateHandle<Look>)>>,
    driver: Driver,
    sweeper: Sweeper,
}

impl Desk {
    fn carry_out(&self, order: Order) {
        let (state, look) = self.latest.borrow().clone();
        let driver = &self.driver;
        match order {
            Order::Act(action) => state.dispatch(action),
            Order::Edit(key, text) => state.dispatch(Action::Edit { key, text, at_ms: browser::now_ms() }),
            Order::Cancel => driver.cancel_runs(),
            Order::Retry => {
                driver.revive();
                state.dispatch(Action::RunAgain);
            }
            Order::StopBand => driver.stop_band(Some(BandStatus::Stopped)),
            Order::AddColumn => {
                let (from, key) = (browser::chosen_in(FROM), browser::chosen_in(DIFFERENCE));
                if let (Some(from), Some(key)) = (from, key) {
                    state.dispatch(Action::AddColumn { from, key });
                }
            }
            Order::StartSweep => {
                // Whoever asks for the sweep wants to see it now; the band is there for the asking.
                driver.stop_band(Some(BandStatus::Stopped));
                self.sweeper.start(&state.scenario);
            }
            Order::StopSweep => self.sweeper.stop(BandStatus::Stopped),
            Order::StartBand => driver.band(&state.key, &state.scenario, state.band.wanted),
            Order::Open(window) => self.show(window, &look),
            Order::Closed => look.set(Look { window: None, ..(*look).clone() }),
            Order::Whole => look.set(Look { is_whole: true, ..(*look).clone() }),
            Order::Scheme(is_dark) => look.set(Look { is_dark, ..(*look).clone() }),
            Order::Theme(theme) => {
                browser::store(THEME_KEY, &theme);
                look.set(Look { theme, ..(*look).clone() });
            }
            Order::Copy(words) => self.copy(words),
            Order::Copied(copied) => look.set(Look { copied, ..(*look).clone() }),
            Order::Part(parting) => {
                let last = state.runs.kept.len().saturating_sub(1);
                let column = state.inspection.against.unwrap_or(last);
                if !state.inspection.is_seeking() {
                    self.part(column, state.inspection.wanted(parting));
                }
            }
            Order::PartFrom(column) => {
                state.dispatch(Action::Study(Study::CompareWith(column)));
                self.part(column, 0);
            }
            Order::Lesson(turn) => lesson::carry_out(&state, turn),
            Order::Inspect(moment) => self.inspect(moment),
            Order::Step(is_forward, from_ns) => self.step(is_forward, from_ns),
            Order::InspectColumn(column) => {
                if let Some(at_ns) = state.inspection.at_ns() {
                    self.open(column, at_ns);
                }
            }
            Order::Cause => self.cause(),
            Order::CauseBack => self.cause_back(),
            Order::OpenCause(point) => self.open_cause(point),
        }
    }

    /// Opens a dialog, or closes the one that is open.
    fn show(&self, window: Option<Window>, look: &UseStateHandle<Look>) {
        match (window, look.window) {
            (window, _) if !look.is_whole => {
                let desk = self.clone();
                browser::after(SOON_MS, move || desk.carry_out(Order::Open(window)));
            }
            (Some(window), _) => {
                look.set(Look { window: Some(window), ..(**look).clone() });
                browser::open_dialog(window.id());
            }
            // That it has closed is told by itself, as when it is closed by a key.
            (None, Some(window)) => browser::close_dialog(window.id()),
            (None, None) => {}
        }
    }

    /// Shows where the first run and that of a column part, once there are two of them.
    fn part(&self, column: usize, nth: u32) {
        let (state, _) = self.latest.borrow().clone();
        let is_ready = state.runs.end == RunEnd::Done && 0 < column;
        if let Some(base) = state.runs.kept.first().filter(|_| is_ready) {
            self.driver.diverge(state.revision, &state.runs.scenario, base, (column, nth));
        }
    }

    /// Opens what was decided last up to a moment.
    fn inspect(&self, moment: Moment) {
        let (state, _) = self.latest.borrow().clone();
        let filter =
            protocol::DecisionFilter { cpu: moment.cpu, task: moment.task, ..state.inspection.filter() };
        let asking = Asking { revision: state.revision, column: moment.column, is_forward: false, filter };
        if let Some(kept) = state.runs.kept.get(moment.column).filter(|_| state.runs.end == RunEnd::Done) {
            self.driver.step(asking, kept, moment.at_ns.saturating_add(1));
        }
    }

    /// Goes to the next decision or to the previous one.
    fn step(&self, is_forward: bool, from_ns: u64) {
        let (state, _) = self.latest.borrow().clone();
        let inspection = &state.inspection;
        // Of a thread that is followed only its own decisions are gone through.
        let task = state.lens.task;
        if task.is_none() && inspection.next_within(is_forward).is_some() {
            state.dispatch(Action::Study(Study::StepWithin(is_forward)));
            return;
        }
        let column = inspection.column;
        let filter = protocol::DecisionFilter { task, ..inspection.filter() };
        let asking = Asking { revision: state.revision, column, is_forward, filter };
        if let Some(kept) = state.runs.kept.get(column).filter(|_| state.runs.end == RunEnd::Done) {
            self.driver.step(asking, kept, inspection.at_ns().unwrap_or(from_ns));
        }
    }

    /// Opens every decision of a moment.
    fn open(&self, column: usize, at_ns: u64) {
        let (state, _) = self.latest.borrow().clone();
        let filter = protocol::DecisionFilter::default();
        let asking = Asking { revision: state.revision, column, is_forward: true, filter };
        if let Some(kept) = state.runs.kept.get(column).filter(|_| state.runs.end == RunEnd::Done) {
            self.driver.explain(asking, kept, at_ns);
        }
    }

    /// Goes to the cause of what was pointed out last, or of the last cause.
    fn cause(&self) {
        let (state, _) = self.latest.borrow().clone();
        let chain = &state.inspection.chain;
        let Some(subject) = chain.question().filter(|_| !chain.is_asking) else { return };
        if let Some(kept) = state.runs.kept.get(subject.column).filter(|_| state.runs.end == RunEnd::Done) {
            self.driver.cause(state.revision, kept, subject);
        }
    }

    /// Goes one cause back, and opens the decision that was open then.
    fn cause_back(&self) {
        let (state, _) = self.latest.borrow().clone();
        let links = &state.inspection.chain.links;
        state.dispatch(Action::Study(Study::CauseBack));
        let before = links.len().checked_sub(2).and_then(|before| links[before].decision);
        if let Some(point) = before {
            self.open_cause(point);
        }
    }

    fn open_cause(&self, point: protocol::DecisionPoint) {
        let (state, _) = self.latest.borrow().clone();
        let Some(subject) = state.inspection.chain.subject else { return };
        if let Some(kept) = state.runs.kept.get(subject.column).filter(|_| state.runs.end == RunEnd::Done) {
            self.driver.open_cause(state.revision, kept, (subject.column, point));
        }
    }

    fn copy(&self, words: AttrValue) {
        let desk = self.clone();
        browser::copy(&words.clone(), move |worked| {
            desk.carry_out(Order::Copied(Some((words, worked))));
            browser::after(ANSWER_MS, move || desk.carry_out(Order::Copied(None)));
        });
    }
}

/// The skip link must not put its own fragment where the scenario is.
fn skip(event: MouseEvent) {
    event.prevent_default();
    browser::focus("main");
}

/// Keeps runs and band in step with the scenario in force; the band only where the whole page is there.
#[hook]
fn use_simulation(state: &UseReducerHandle<State>, driver: &Driver, is_whole: bool) {
    {
        let (state, driver) = (state.clone(), driver.clone());
        use_change(state.revision, move || {
            if driver.band_under_way() != *state.key {
                driver.stop_band(Some(BandStatus::Waiting));
            }
            driver.run(state.revision, &state.scenario);
            None
        });
    }
    let (state, driver) = (state.clone(), driver.clone());
    let is_another = *state.band.key != *state.key || state.band.status == BandStatus::Waiting;
    let wants_band = is_whole && state.runs.end == RunEnd::Done && is_another;
    let is_done = state.band.status == BandStatus::Done;
    use_change((wants_band, is_done, Rc::clone(&state.key)), move || {
        if is_done {
            driver.remember(&state.band.key, &state.band.band);
        }
        if !wants_band {
            return None;
        }
        let (key, scenario, wanted) = (Rc::clone(&state.key), Rc::clone(&state.scenario), state.band.wanted);
        Some(browser::after(REST_MS, move || driver.band(&key, &scenario, wanted)).undo())
    });
}

/// Ends a sweep of a scenario that is no longer in force.
#[hook]
fn use_sweep(state: &UseReducerHandle<State>, sweeper: &Sweeper) {
    let (scenario, sweeper) = (Rc::clone(&state.scenario), sweeper.clone());
    use_change(state.revision, move || {
        sweeper.keep_only(&scenario);
        None
    });
}

/// Has the workers add up what happened in the interval that is chosen.
#[hook]
fn use_interval(state: &UseReducerHandle<State>, surveyor: &Surveyor) {
    let (brush, revision, surveyor) = (state.brush, state.revision, surveyor.clone());
    let runs = if state.runs.end == RunEnd::Done { Rc::clone(&state.runs.kept) } else { Rc::default() };
    use_change((brush, revision, runs.len()), move || {
        surveyor.follow(revision, brush, &runs);
        None
    });
}

/// Keeps the address in step with the scenario.
#[hook]
fn use_address(state: &UseReducerHandle<State>) {
    // The fragment of a link that could not be opened stays, for whoever wants to mend it, until something changes.
    // A lesson writes its own address.
    let is_playing = state.lesson.is_none();
    let may_write =
        is_playing && (state.revision != 1 || state.notice.as_ref().is_none_or(|notice| !notice.is_bad));
    let scenario = Rc::clone(&state.scenario);
    use_change((Rc::clone(&scenario), may_write), move || {
        let write = move || browser::replace_fragment(&link::encode(&scenario));
        may_write.then(|| browser::after(REST_MS, write).undo())
    });
}

/// Tells `boot.js` that the first chart stands, or that none is waited for: now the rest of the page may be loaded.
#[hook]
fn use_drawn(state: &UseReducerHandle<State>) {
    let is_drawn = state.runs.end != RunEnd::UnderWay || state.broken.is_some() || state.lesson.is_some();
    use_change(is_drawn, move || {
        if is_drawn {
            browser::set_root_attribute(DRAWN, Some(""));
        }
        None
    });
}

/// Says once where the engine no longer gives what the sender of the link saw.
#[hook]
fn use_recorded(state: &UseReducerHandle<State>, orders: &Orders, opening: &Rc<Opening>) {
    let (state, orders, opening) = (state.clone(), orders.clone(), Rc::clone(opening));
    let is_done = state.runs.end == RunEnd::Done;
    use_change(is_done, move || {
        if !is_done || state.revision != 1 || *state.runs.scenario != opening.scenario {
            return None;
        }
        let runs: Vec<_> = state.runs.kept.iter().map(|kept| &*kept.summary).collect();
        if let Some(notice) = link::changed_since(&opening.seen, &runs, RECORDED) {
            orders.emit(Order::Act(Action::Notice(Some(notice))));
        }
        None
    });
}

/// Keys of the whole page, the address when somebody changes it, and the browser's colours.
#[hook]
fn use_browser(look: &UseStateHandle<Look>, orders: &Orders) {
    let theme = look.theme.clone();
    use_change(theme.clone(), move || {
        browser::set_root_attribute("data-theme", Some(theme.as_str()).filter(|theme| *theme != "auto"));
        None
    });
    let orders = orders.clone();
    use_change((), move || {
        let keys = {
            let orders = orders.clone();
            browser::listen("keydown", move |event| key_pressed(&event, &orders))
        };
        let address = {
            let orders = orders.clone();
            browser::listen("hashchange", move |_| address_changed(&orders))
        };
        let whole = {
            let orders = orders.clone();
            browser::listen(WHOLE_EVENT, move |_| orders.emit(Order::Whole))
        };
        let scheme = {
            let orders = orders.clone();
            browser::listen_to_scheme(move |is_dark| orders.emit(Order::Scheme(is_dark)))
        };
        // A page in one piece is whole before anybody listens.
        if browser::root_has(WHOLE) {
            orders.emit(Order::Whole);
        }
        Some(Box::new(move || drop((keys, address, whole, scheme))))
    });
}

fn key_pressed(event: &web_sys::Event, orders: &Orders) {
    let order = match browser::control_key(event) {
        Some(('z', false)) => Order::Act(Action::Undo),
        Some(('z', true) | ('y', false)) => Order::Act(Action::Redo),
        _ => match browser::plain_key(event).as_deref() {
            Some("?") => Order::Open(Some(Window::Help)),
            Some("c") => Order::Cause,
            Some("C") => Order::CauseBack,
            _ => return,
        },
    };
    event.prevent_default();
    orders.emit(order);
}

fn address_changed(orders: &Orders) {
    let fragment = browser::fragment();
    if let Some(place) = Place::read(&fragment) {
        orders.emit(Order::Act(Action::Lesson(Turn::Go(place))));
        return;
    }
    match link::decode(&fragment) {
        None => orders.emit(Order::Act(Action::Lesson(Turn::Leave))),
        Some(Ok((scenario, _))) => {
            orders.emit(Order::Act(Action::Notice(None)));
            orders.emit(Order::Act(Action::Load(Box::new(scenario))));
        }
        Some(Err(notice)) => orders.emit(Order::Act(Action::Notice(Some(notice)))),
    }
}

fn shared_address(state: &State, span: Option<(f64, f64)>) -> String {
    if let Some(open) = &state.lesson {
        return browser::address_with(&open.place.fragment());
    }
    let mut seen = Seen { span, ..Seen::default() };
    if state.runs.end == RunEnd::Done {
        for kept in &*state.runs.kept {
            seen.hashes.push(kept.summary.trace_hash.clone());
            seen.headline.extend(kept.summary.metric(RECORDED));
        }
    }
    browser::address_with(&link::encode_seen(&state.scenario, &seen))
}

/// What the headline is about.
fn shown_headline(state: &State) -> Headline {
    headline(state.runs.kept.iter().map(|kept| &*kept.summary))
}

/// What the runs come down to, where there are no latencies.
fn shown_yardstick(state: &State) -> Option<&'static Yardstick> {
    yardstick(state.runs.kept.iter().map(|kept| &*kept.summary))
}

/// The headline figure of each column; none where there is no such figure.
fn headline_figures(state: &State) -> Vec<(String, f64)> {
    if state.runs.end != RunEnd::Done {
        return Vec::new();
    }
    let key = shown_yardstick(state).map_or_else(|| shown_headline(state).key, |yardstick| yardstick.key);
    let figure =
        |kept: &crate::timeline::Kept| Some((kept.summary.column_name.clone(), kept.summary.metric(key)?));
    state.runs.kept.iter().map(figure).collect::<Option<_>>().unwrap_or_default()
}

/// The new result for those who do not see the charts change.
fn announcement(state: &State) -> Html {
    let figures = headline_figures(state);
    let words = match (figures.is_empty(), shown_yardstick(state)) {
        (true, _) => String::new(),
        (false, Some(yardstick)) => text::announce_figure(yardstick, &figures),
        (false, None) => text::announce(shown_headline(state).name, &figures),
    };
    let attributes = [
        ("class", "visually-hidden"),
        ("role", "status"),
        ("aria-live", "polite"),
        ("data-testid", "announcement"),
    ];
    el("p", &attributes, vec![plain(&words)])
}

/// The machine and the kernel in words.
fn setting(scenario: &Scenario) -> String {
    let machine = match &scenario.machine {
        Machine::Named(preset) => preset.title.to_owned(),
        Machine::Custom { shape, .. } => text::custom_machine(shape.cpu_count() as usize),
    };
    text::setting(&machine, scenario.kernel.era.name(), scenario.kernel.hz)
}

fn page(state: &State, orders: &Orders, timeline: TimelineView, look: &Look) -> Html {
    let found = results(state);
    let mut head: Vec<Html> = state.notice.iter().map(|notice| notice_bar(notice, orders)).collect();
    let part = restricted(state, &found);
    head.push(memo(headline_view(state, orders, &part), headline_panel));
    let switch =
        SwitchView { scenario: Rc::clone(&state.scenario), results: found.clone(), orders: orders.clone() };
    let mut shown = vec![memo(switch, switch_panel)];
    let figures = headline_figures(state);
    let short = match shown_yardstick(state) {
        Some(yardstick) => text::figure_in_short(yardstick, &figures),
        None => text::in_short(shown_headline(state).name, &figures),
    };
    let bar = el("p", &[("class", "result-bar"), ("aria-hidden", "true")], vec![plain(&short)]);
    let mut side = vec![bar, memo(seeds_view(state, orders), seeds_panel)];
    if look.is_whole {
        shown.extend(below(state, orders, timeline, look, found));
        side.push(memo(editor_view(state, orders), editor_panel));
    } else {
        let pair = [("percentiles", text::PERCENTILES), ("distribution", text::DISTRIBUTION)];
        shown.push(el("div", &[("class", "pair")], pair.map(coming).into()));
        shown.push(coming(("timeline", text::TIMELINE)));
        side.push(coming(("editor", text::EDITOR)));
    }
    let parts = vec![
        el("div", &[("class", "head")], head),
        el("div", &[("class", "results")], shown),
        el("aside", &[("class", "side"), ("aria-label", text::EDITOR)], side),
    ];
    el("main", &[("class", "page"), ("id", "main"), ("tabindex", "-1")], parts)
}

/// A panel whose code is not there yet.
fn coming((id, title): (&str, &str)) -> Html {
    let state = PanelState::<()>::Loading(None, text::COMING.into());
    Panel { id, title, note: "", state: state.name() }.html(vec![state.body(|()| Html::default())])
}

/// The panels below the first screen. They belong to the part of the page that is loaded when the first chart stands, and
/// so does all that only they need: new panels are put here. See `web/later.txt`.
#[inline(never)]
fn below(
    state: &State,
    orders: &Orders,
    timeline: TimelineView,
    look: &Look,
    found: PanelState<Results>,
) -> Vec<Html> {
    let (runs, part) = (shown_runs(state, &found), restricted(state, &found));
    let output = OutputView {
        results: found.clone(),
        command: state.scenario.equivalent_command(),
        wanted: state.band.wanted,
        copied: look.copied.clone(),
        orders: orders.clone(),
    };
    let launch = LaunchView::of(&state.scenario, &found, orders);
    let launch = launch.map_or_else(Html::default, |launch| memo(launch, launch_panel));
    let pair = vec![memo(part.clone(), percentiles_panel), memo(part.clone(), distribution_panel)];
    vec![
        launch,
        el("div", &[("class", "pair")], pair),
        memo(TimelineView { runs, ..timeline }, timeline_panel),
        memo(causes_view(state, orders), causes_panel),
        memo(divergence_view(state, orders), divergence_panel),
        memo(inspector_view(state, orders), inspector_panel),
        memo(
            WorkView { shown: work_of(&found, state.brush, &state.interval.works), orders: orders.clone() },
            work_panel,
        ),
        memo(sweep_view(state, orders), sweep_panel),
        memo(output, output_panel),
        memo(part, figures_panel),
    ]
}

/// A lesson in place of the playground; of the later part, like the panels.
#[inline(never)]
fn lesson_view(state: &State, reading: &Reading, orders: &Orders, timeline: TimelineView) -> Html {
    let found = results(state);
    let view = LessonView {
        reading: reading.clone(),
        scenario: Rc::clone(&state.scenario),
        results: found.clone(),
        orders: orders.clone(),
    };
    let chart = |chart| match chart {
        Chart::Timeline => {
            memo(TimelineView { runs: shown_runs(state, &found), ..timeline.clone() }, timeline_panel)
        }
        Chart::Percentiles => memo(found.clone(), percentiles_panel),
        Chart::Distribution => memo(found.clone(), distribution_panel),
        Chart::Launch => LaunchView::of(&state.scenario, &found, orders)
            .map_or_else(Html::default, |launch| memo(launch, launch_panel)),
    };
    let inspector = || memo(inspector_view(state, orders), inspector_panel);
    lesson::lesson_page(&view, &Panels { chart: &chart, inspector: &inspector })
}

/// The runs that the timeline shows.
fn shown_runs(state: &State, found: &PanelState<Results>) -> PanelState<Rc<Vec<crate::timeline::Kept>>> {
    match found {
        PanelState::Stale(_) => PanelState::Stale(Rc::clone(&state.runs.kept)),
        other => other.and_then(|_| Ok(Rc::clone(&state.runs.kept))),
    }
}

fn headline_view(state: &State, orders: &Orders, found: &PanelState<Results>) -> HeadlineView {
    let progress = state.runs.progress();
    let title =
        Some(state.scenario.title.as_str()).filter(|title| !title.is_empty()).unwrap_or(text::OWN_SCENARIO);
    HeadlineView {
        title: title.to_owned(),
        summary: state.preset().map_or("", |preset| preset.summary),
        setting: setting(&state.scenario),
        results: found.clone(),
        progress: progress.map(|(fraction, events)| (fraction, text::simulating(fraction, events))),
        orders: orders.clone(),
    }
}

fn sweep_view(state: &State, orders: &Orders) -> SweepView {
    let scenario = &state.scenario;
    let sweep = Sweep::of(scenario);
    let name = sweep.as_ref().and_then(|sweep| sweep.name(scenario));
    let is_shown = name.as_deref() == Some(state.sweep.name.as_str());
    let count = scenario.columns.len();
    let columns = scenario.columns.iter().enumerate();
    SweepView {
        sweep,
        columns: columns
            .map(|(index, column)| (column.name.clone().into(), Tone::of(index, count)))
            .collect(),
        scope: scope_of(state),
        bands: if is_shown { Rc::clone(&state.sweep.bands) } else { Rc::default() },
        status: if is_shown { state.sweep.status.clone() } else { BandStatus::Waiting },
        orders: orders.clone(),
    }
}

fn divergence_view(state: &State, orders: &Orders) -> DivergenceView {
    let shown = if state.scenario.columns.len() < 2 {
        PanelState::Empty(text::ONE_COLUMN.into())
    } else {
        state.inspection.divergence.clone()
    };
    let columns: Vec<String> = state.runs.kept.iter().map(|kept| kept.summary.column_name.clone()).collect();
    let against = state.inspection.against.unwrap_or(columns.len().saturating_sub(1));
    DivergenceView { shown, nth: state.inspection.nth, columns, against, orders: orders.clone() }
}

fn causes_view(state: &State, orders: &Orders) -> CausesView {
    CausesView {
        chain: state.inspection.chain.clone(),
        runs: Rc::clone(&state.runs.kept),
        orders: orders.clone(),
    }
}

fn inspector_view(state: &State, orders: &Orders) -> InspectorView {
    InspectorView {
        inspection: state.inspection.clone(),
        columns: state.runs.kept.iter().map(|kept| kept.summary.column_name.clone()).collect(),
        orders: orders.clone(),
    }
}

fn seeds_view(state: &State, orders: &Orders) -> SeedsView {
    let fault = state.faults.get("seed");
    let told = |problem: &scenario::Problem| text::problem(&problem.expected, &problem.remedy);
    let last = state.scenario.columns.len().saturating_sub(1);
    SeedsView {
        seed: fault.map_or_else(|| state.scenario.seed.to_string(), |fault| fault.text.clone()),
        problems: fault.map_or_else(Vec::new, |fault| fault.problems.iter().map(told).collect()),
        wanted: state.band.wanted,
        done: state.shown_band().map_or(0, |band| band.runs(last)),
        status: state.band.status.clone(),
        scope: scope_of(state),
        orders: orders.clone(),
    }
}

#[inline(never)]
fn editor_view(state: &State, orders: &Orders) -> EditorView {
    EditorView {
        scenario: Rc::clone(&state.scenario),
        faults: Rc::clone(&state.faults),
        can_undo: state.history.can_undo(),
        can_redo: state.history.can_redo(),
        orders: orders.clone(),
    }
}
