//! The timeline in every state that a browser can be sent.

use std::rc::Rc;

use expect_test::expect_file;
use yew::prelude::*;

use super::caption::{Caption, Shown};
use super::*;
use crate::panels::fixtures::runs;
use crate::panels::tests::{check, html};
use crate::timeline::{LaneKind, LensChange, Level};

fn kept() -> Rc<Vec<Kept>> {
    Rc::new(runs().map(|summary| Kept { worker: 0, summary: Rc::new(summary) }).to_vec())
}

fn view(runs: PanelState<Rc<Vec<Kept>>>) -> TimelineView {
    TimelineView {
        pool: None,
        runs,
        theme: "light".into(),
        span: None,
        onspan: Callback::noop(),
        brush: None,
        lens: Lens::default(),
        focus: None,
        orders: Callback::noop(),
    }
}

fn looked(changes: impl IntoIterator<Item = LensChange>) -> TimelineView {
    let mut view = view(PanelState::Full(kept()));
    changes.into_iter().for_each(|change| view.lens.hear(change));
    view
}

#[test]
fn timeline_in_every_state() {
    let panel = |runs| timeline_panel(&view(runs));
    check(panel(PanelState::Full(kept())), expect_file!["../../../snapshots/timeline_full.html"]);
    for (state, name) in [
        (PanelState::Loading(None, "Starting".into()), "loading"),
        (PanelState::Empty("cancelled".into()), "empty"),
        (PanelState::Error("it broke".into()), "error"),
        (PanelState::Stale(kept()), "stale"),
    ] {
        let shown = html(panel(state));
        assert!(shown.contains(&format!("data-state=\"{name}\"")), "{shown}");
    }
}

#[test]
fn an_interval_stands_under_the_canvas_with_the_way_back() {
    let brush = Some(Brush { from_ns: 1_000_000_000, to_ns: 1_150_000_000 });
    let shown = html(timeline_panel(&TimelineView { brush, ..looked([]) }));
    assert!(
        shown.contains(&text::brushed(1_000_000_000, 1_150_000_000)) && shown.contains("brush-clear"),
        "{shown}"
    );
}

#[test]
fn a_folded_level_is_chosen_and_explained() {
    let shown = html(timeline_panel(&looked([LensChange::FoldAll(Some(Level::Llc))])));
    assert!(shown.contains(text::KEY_GROUP), "{shown}");
    let plain = html(timeline_panel(&looked([])));
    assert!(!plain.contains(text::KEY_GROUP));
    assert!(
        plain.contains("timeline-fold-llc") && !plain.contains("timeline-fold-core"),
        "what the machine has"
    );
}

/// The timeline of a machine whose CPUs have idle states of these names.
fn asleep(states: &[&str]) -> String {
    let runs = runs().map(|mut summary| {
        summary.idle_states = vec![states.iter().map(|state| (*state).to_owned()).collect()];
        Kept { worker: 0, summary: Rc::new(summary) }
    });
    html(timeline_panel(&TimelineView { runs: PanelState::Full(Rc::new(runs.to_vec())), ..looked([]) }))
}

#[test]
fn the_key_tells_how_deep_cpus_sleep_only_where_there_is_a_choice() {
    let [deeper, deepest] = text::KEY_DEPTHS;
    let has = |shown: &str| [shown.contains(deeper), shown.contains(deepest)];
    assert_eq!(has(&html(timeline_panel(&looked([])))), [false, false]);
    assert_eq!(has(&asleep(&["WFI"])), [false, false]);
    assert_eq!(has(&asleep(&["WFI", "OFF"])), [false, true]);
    let shown = asleep(&["WFI", "CPU_SLEEP", "CLUSTER_SLEEP"]);
    assert_eq!(has(&shown), [true, true]);
    let lines = |words: &str| {
        let item = shown.split("<span>").find(|item| item.contains(words)).unwrap_or_default();
        item.matches("<rect").count()
    };
    assert_eq!(
        [lines(">idle<"), lines(deeper), lines(deepest)],
        [1, 2, 3],
        "one line for each step of depth"
    );
}

#[test]
fn threads_have_lanes_a_key_of_their_own_and_one_of_them_is_followed() {
    let changes = [LensChange::Kind(LaneKind::Tasks), LensChange::Task(Some(2)), LensChange::Wakeups(false)];
    check(timeline_panel(&looked(changes)), expect_file!["../../../snapshots/timeline_threads.html"]);
}

#[test]
fn many_threads_are_shown_page_by_page() {
    let many = runs().map(|mut summary| {
        summary.tasks =
            (0..100).map(|id| protocol::TaskView { id, name: format!("t{id}"), group: 0, nice: 0 }).collect();
        Kept { worker: 0, summary: Rc::new(summary) }
    });
    let changes = [LensChange::Kind(LaneKind::Tasks), LensChange::Page(2)];
    let view = TimelineView { runs: PanelState::Full(Rc::new(many.to_vec())), ..looked(changes) };
    let shown = html(timeline_panel(&view));
    assert!(shown.contains("97\u{202f}–\u{202f}100 of 100"), "{shown}");
    assert!(!html(timeline_panel(&looked(changes))).contains("threads-shown"), "four threads need no pages");
}

#[derive(Properties, PartialEq)]
struct BarProps {
    told: Vec<Told>,
}

/// The bar after the timeline has told something.
#[component]
fn Bar(props: &BarProps) -> Html {
    let state = use_state_eq(Caption::default);
    let latest = use_mut_ref(|| (Caption::default(), kept()));
    let shown = Shown { latest, set: state.setter() };
    let mut caption = Caption::default();
    for told in &props.told {
        caption.hear(told.clone(), &kept());
    }
    html! {
        <>
            { tools::play_bar(&Rc::new(None), &caption, &shown) }
            { caption.html(&looked([])) }
        </>
    }
}

fn bar(told: Vec<Told>) -> String {
    html(html! { <Bar {told} /> })
}

#[test]
fn the_bar_plays_pauses_and_says_so_once() {
    let idle = bar(Vec::new());
    assert!(idle.contains(text::PLAY_HINT) && !idle.contains("play-stop"), "{idle}");
    assert!(idle.contains("10\u{202f}ms of the run a second"), "{idle}");
    let playing = bar(vec![Told::Played(Some(1e9), true), Told::Played(Some(1.25e9), true)]);
    assert!(playing.contains(text::PAUSE) && playing.contains("at 1.250000\u{202f}s"), "{playing}");
    assert!(playing.contains(text::PLAYING));
    let paused = vec![Told::Played(Some(1e9), true), Told::Played(Some(1.5e9), false)];
    check(html! { <Bar told={paused} /> }, expect_file!["../../../snapshots/timeline_paused.html"]);
}

#[test]
fn an_event_that_was_gone_to_is_told_with_its_column() {
    let event = protocol::EventView {
        at_ns: 1_000_000_000,
        kind: "waking".to_owned(),
        cpu: 3,
        task: Some(protocol::TaskName { id: 2, name: "task-2".to_owned() }),
        values: Vec::new(),
    };
    let shown = bar(vec![Told::Walked(Some((1, event)))]);
    let words = "patched, 1.000000000\u{202f}s: task-2 is about to be woken for CPU\u{202f}3.";
    assert!(shown.contains(words), "{shown}");
    assert!(bar(vec![Told::Walked(None)]).contains(text::NO_FURTHER_EVENT));
}
