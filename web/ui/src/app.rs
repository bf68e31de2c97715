//! The page as a whole: its frame, its state, and what happens when that changes.

use std::rc::Rc;

use scenario::{Machine, Scenario};
use yew::prelude::*;

use crate::bridge::{Pool, PoolEvent};
use crate::columns::{Headline, RECORDED, headline, results};
use crate::driver::Driver;
use crate::frame::{Footer, Header, HelpDialog, NoticeBar, ShareDialog, use_theme};
use crate::link::{self, Seen};
use crate::panels::{
    DistributionPanel, EditorPanel, FiguresPanel, HeadlinePanel, OutputPanel, PanelState, PercentilesPanel,
    SeedsPanel, SwitchPanel, TimelinePanel,
};
use crate::state::{Action, BandStatus, Notice, RunEnd, State};
use crate::{browser, text};

/// How long the scenario must rest before its band is begun, and before it goes into the address.
const REST_MS: i32 = 250;

/// What only the opening of the page knows.
#[derive(Clone)]
struct Opening {
    scenario: Rc<Scenario>,
    seen: Seen,
    is_embedded: bool,
}

/// See the module.
#[component]
pub(crate) fn App() -> Html {
    let opening = use_memo((), |()| {
        let (scenario, seen, notice) = link::opening(&browser::fragment());
        (Opening { scenario: Rc::new(scenario), seen, is_embedded: browser::query_has("embed") }, notice)
    });
    let state = {
        let opening = Rc::clone(&opening);
        use_reducer(move || {
            let mut state = State::new((*opening.0.scenario).clone());
            state.notice.clone_from(&opening.1);
            state
        })
    };
    let act = {
        let dispatcher = state.dispatcher();
        use_callback((), move |action: Action, ()| dispatcher.dispatch(action))
    };
    let engine = use_memo((), |()| {
        let act = act.clone();
        let pool = Pool::start(Callback::from(move |event| {
            act.emit(match event {
                PoolEvent::Ready { engine_version } => Action::EngineReady(engine_version),
                PoolEvent::Lost { message, .. } => Action::WorkerLost(message),
                PoolEvent::Broken { message } => Action::EngineBroken(message),
            });
        }));
        (pool.clone(), Driver::new(pool, act_of(&state)))
    });
    let (pool, driver) = &*engine;
    use_simulation(&state, driver);
    use_address(&state, &act);
    use_recorded(&state, &act, &opening.0);
    let share = use_state_eq(|| false);
    let help = use_state_eq(|| false);
    use_page_keys(&act, &help);
    let theme = use_theme();
    let span = use_mut_ref(|| None::<(f64, f64)>);
    let onspan = {
        let span = Rc::clone(&span);
        use_callback((), move |moved, ()| *span.borrow_mut() = Some(moved))
    };
    let open = |dialog: &UseStateHandle<bool>, is_open: bool| {
        let dialog = dialog.clone();
        Callback::from(move |()| dialog.set(is_open))
    };
    let address = if *share { shared_address(&state, *span.borrow()) } else { String::new() };
    let figures = headline_figures(&state);
    let announcement = if figures.is_empty() {
        String::new()
    } else {
        text::announce(shown_headline(&state).name, &figures)
    };
    html! {
        <div class={classes!(opening.0.is_embedded.then_some("embed"))}>
            <a class="skip" href="#main" onclick={skip()}>{ text::SKIP }</a>
            <Header theme={theme.choice} ontheme={theme.choose.clone()} onshare={open(&share, true)} onhelp={open(&help, true)} />
            <main class="page" id="main" tabindex="-1">
                { page(&state, &act, driver, pool, &theme.resolved, opening.0.seen.span, onspan) }
            </main>
            <Footer version={state.engine_version.clone().unwrap_or_default()} />
            <ShareDialog is_open={*share} onclose={open(&share, false)} {address} />
            <HelpDialog is_open={*help} onclose={open(&help, false)} />
            <p class="visually-hidden" role="status" aria-live="polite" data-testid="announcement">{ announcement }</p>
        </div>
    }
}

fn act_of(state: &UseReducerHandle<State>) -> Callback<Action> {
    let dispatcher = state.dispatcher();
    Callback::from(move |action| dispatcher.dispatch(action))
}

/// The skip link must not put its own fragment where the scenario is.
fn skip() -> Callback<MouseEvent> {
    Callback::from(|event: MouseEvent| {
        event.prevent_default();
        browser::focus("main");
    })
}

/// Keeps runs and band in step with the scenario in force.
#[hook]
fn use_simulation(state: &UseReducerHandle<State>, driver: &Driver) {
    {
        let (state, driver) = (state.clone(), driver.clone());
        use_effect_with(state.revision, move |revision| {
            if driver.band_under_way() != *state.key {
                driver.stop_band(None);
            }
            driver.run(*revision, &state.scenario);
        });
    }
    {
        let (state, driver) = (state.clone(), driver.clone());
        let wants_band = state.runs.end == RunEnd::Done && *state.band.key != *state.key;
        use_effect_with((wants_band, Rc::clone(&state.key)), move |(wants_band, key)| {
            let timer = wants_band.then(|| {
                let (key, scenario, wanted) = (Rc::clone(key), Rc::clone(&state.scenario), state.band.wanted);
                browser::after(REST_MS, move || driver.band(&key, &scenario, wanted))
            });
            move || {
                if let Some(timer) = timer {
                    timer.clear();
                }
            }
        });
    }
    let (state, driver) = (state.clone(), driver.clone());
    use_effect_with(state.band.status == BandStatus::Done, move |is_done| {
        if *is_done {
            driver.remember(&state.band.key, &state.band.band);
        }
    });
}

/// Keeps the address in step with the scenario, and the scenario with the address when somebody changes that.
#[hook]
fn use_address(state: &UseReducerHandle<State>, act: &Callback<Action>) {
    {
        // The fragment of a link that could not be opened stays, for whoever wants to mend it, until something changes.
        let may_write = state.revision != 1 || state.notice.as_ref().is_none_or(|notice| !notice.is_bad);
        use_effect_with((Rc::clone(&state.scenario), may_write), move |(scenario, may_write)| {
            let timer = may_write.then(|| {
                let scenario = Rc::clone(scenario);
                browser::after(REST_MS, move || browser::replace_fragment(&link::encode(&scenario)))
            });
            move || {
                if let Some(timer) = timer {
                    timer.clear();
                }
            }
        });
    }
    let act = act.clone();
    use_effect_with((), move |()| {
        let listener = browser::listen("hashchange", move |_| match link::decode(&browser::fragment()) {
            None => {}
            Some(Ok((scenario, _))) => {
                act.emit(Action::Notice(None));
                act.emit(Action::Load(Box::new(scenario)));
            }
            Some(Err(notice)) => act.emit(Action::Notice(Some(notice))),
        });
        move || drop(listener)
    });
}

/// Says once where the engine no longer gives what the sender of the link saw.
#[hook]
fn use_recorded(state: &UseReducerHandle<State>, act: &Callback<Action>, opening: &Opening) {
    let (state, act, opening) = (state.clone(), act.clone(), opening.clone());
    use_effect_with(state.runs.end == RunEnd::Done, move |is_done| {
        if !is_done || state.revision != 1 || *state.runs.scenario != *opening.scenario {
            return;
        }
        let runs: Vec<_> = state.runs.kept.iter().map(|kept| &*kept.summary).collect();
        if let Some(notice) = link::changed_since(&opening.seen, &runs, RECORDED) {
            act.emit(Action::Notice(Some(notice)));
        }
    });
}

/// Undo, redo and help.
#[hook]
fn use_page_keys(act: &Callback<Action>, help: &UseStateHandle<bool>) {
    let (act, help) = (act.clone(), help.clone());
    use_effect_with((), move |()| {
        let listener = browser::listen("keydown", move |event| {
            if browser::plain_key(&event).as_deref() == Some("?") {
                help.set(true);
            }
            match browser::control_key(&event) {
                Some(('z', false)) => act.emit(Action::Undo),
                Some(('z', true) | ('y', false)) => act.emit(Action::Redo),
                _ => return,
            }
            event.prevent_default();
        });
        move || drop(listener)
    });
}

fn shared_address(state: &State, span: Option<(f64, f64)>) -> String {
    let seen = if state.runs.end == RunEnd::Done {
        let kept = &state.runs.kept;
        Seen {
            hashes: kept.iter().map(|kept| kept.summary.trace_hash.clone()).collect(),
            headline: kept.iter().filter_map(|kept| kept.summary.metric(RECORDED)).collect(),
            span,
        }
    } else {
        Seen { span, ..Seen::default() }
    };
    browser::address_with(&link::encode_seen(&state.scenario, &seen))
}

/// What the headline is about.
fn shown_headline(state: &State) -> Headline {
    headline(state.runs.kept.iter().map(|kept| &*kept.summary))
}

/// The headline figure of each column; none where there is no such figure.
fn headline_figures(state: &State) -> Vec<(String, f64)> {
    if state.runs.end != RunEnd::Done {
        return Vec::new();
    }
    let key = shown_headline(state).key;
    let figure =
        |kept: &crate::timeline::Kept| Some((kept.summary.column_name.clone(), kept.summary.metric(key)?));
    state.runs.kept.iter().map(figure).collect::<Option<_>>().unwrap_or_default()
}

/// The machine and the kernel in words.
fn setting(scenario: &Scenario) -> String {
    let machine = match &scenario.machine {
        Machine::Named(preset) => preset.title.to_owned(),
        Machine::Custom { shape, .. } => text::custom_machine(shape.cpu_count() as usize),
    };
    text::setting(&machine, scenario.kernel.era.name(), scenario.kernel.hz)
}

fn page(
    state: &UseReducerHandle<State>,
    act: &Callback<Action>,
    driver: &Driver,
    pool: &Pool,
    theme: &AttrValue,
    span: Option<(f64, f64)>,
    onspan: Callback<(f64, f64)>,
) -> Html {
    let found = results(state);
    let runs = match &found {
        PanelState::Stale(_) => PanelState::Stale(Rc::clone(&state.runs.kept)),
        other => other.and_then(|_| Ok(Rc::clone(&state.runs.kept))),
    };
    let edit = {
        let act = act.clone();
        Callback::from(move |(key, text): (String, String)| {
            act.emit(Action::Edit { key, text, at_ms: browser::now_ms() });
        })
    };
    html! {
        <>
            <div class="head">
                { for state.notice.clone().map(|notice| notice_bar(notice, act)) }
                { headline_panel(state, act, driver, &found) }
            </div>
            <div class="results">
                <SwitchPanel scenario={Rc::clone(&state.scenario)} results={found.clone()} onedit={edit.clone()} />
                <div class="pair">
                    <PercentilesPanel results={found.clone()} />
                    <DistributionPanel results={found.clone()} />
                </div>
                <TimelinePanel pool={pool.clone()} {runs} theme={theme.clone()} {span} {onspan} />
                <OutputPanel results={found.clone()} command={state.scenario.equivalent_command()} />
                <FiguresPanel results={found} />
            </div>
            <aside class="side" aria-label={text::EDITOR}>
                <p class="result-bar" aria-hidden="true">{ text::in_short(shown_headline(state).name, &headline_figures(state)) }</p>
                { seeds(state, &edit, act, driver) }
                { editor(state, &edit, act) }
            </aside>
        </>
    }
}

fn notice_bar(notice: Notice, act: &Callback<Action>) -> Html {
    let act = act.clone();
    html! { <NoticeBar {notice} onclose={Callback::from(move |_| act.emit(Action::Notice(None)))} /> }
}

fn headline_panel(
    state: &State,
    act: &Callback<Action>,
    driver: &Driver,
    found: &PanelState<crate::columns::Results>,
) -> Html {
    let progress =
        state.runs.progress().map(|(fraction, events)| (fraction, text::simulating(fraction, events).into()));
    let oncancel = {
        let driver = driver.clone();
        Callback::from(move |_| driver.cancel_runs())
    };
    let onretry = {
        let (act, driver) = (act.clone(), driver.clone());
        Callback::from(move |_| {
            driver.revive();
            act.emit(Action::RunAgain);
        })
    };
    let title = match state.scenario.title.as_str() {
        "" => text::OWN_SCENARIO.to_owned(),
        title => title.to_owned(),
    };
    let summary = state.preset().map_or("", |preset| preset.summary);
    html! {
        <HeadlinePanel {title} {summary} setting={setting(&state.scenario)} seed={state.scenario.seed}
            results={found.clone()} {progress} {oncancel} {onretry} />
    }
}

fn seeds(state: &State, edit: &Callback<(String, String)>, act: &Callback<Action>, driver: &Driver) -> Html {
    let fault = state.faults.get("seed");
    let problems = fault.map_or_else(Vec::new, |fault| {
        fault
            .problems
            .iter()
            .map(|problem| text::problem(&problem.expected, &problem.remedy).into())
            .collect()
    });
    let seed = fault.map_or_else(|| state.scenario.seed.to_string(), |fault| fault.text.clone());
    let onseed = {
        let edit = edit.clone();
        Callback::from(move |text: String| edit.emit(("seed".to_owned(), text)))
    };
    let onwanted = {
        let act = act.clone();
        Callback::from(move |wanted| act.emit(Action::BandSize(wanted)))
    };
    let onstop = {
        let driver = driver.clone();
        Callback::from(move |_| driver.stop_band(Some(BandStatus::Stopped)))
    };
    let onstart = {
        let (driver, key) = (driver.clone(), Rc::clone(&state.key));
        let (scenario, wanted) = (Rc::clone(&state.scenario), state.band.wanted);
        Callback::from(move |_| driver.band(&key, &scenario, wanted))
    };
    let band = state.shown_band();
    let done = band.map_or(0, |band| band.runs(state.scenario.columns.len().saturating_sub(1)));
    html! {
        <SeedsPanel {seed} {problems} wanted={state.band.wanted} {done} status={state.band.status.clone()} {onseed}
            {onwanted} {onstop} {onstart} />
    }
}

fn editor(state: &State, edit: &Callback<(String, String)>, act: &Callback<Action>) -> Html {
    let onedit = {
        let edit = edit.clone();
        Callback::from(move |(name, text): (AttrValue, String)| edit.emit((name.to_string(), text)))
    };
    let button = |action: Action| {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| act.emit(action.clone()))
    };
    let onresetfield = {
        let act = act.clone();
        Callback::from(move |name: AttrValue| act.emit(Action::ResetField(name.to_string())))
    };
    let onpreset = {
        let act = act.clone();
        Callback::from(move |preset| act.emit(Action::StartFrom(preset)))
    };
    html! {
        <EditorPanel scenario={Rc::clone(&state.scenario)} faults={Rc::clone(&state.faults)}
            can_undo={state.history.can_undo()} can_redo={state.history.can_redo()} {onedit} {onresetfield}
            onundo={button(Action::Undo)} onredo={button(Action::Redo)} onreset={button(Action::Reset)} {onpreset} />
    }
}
