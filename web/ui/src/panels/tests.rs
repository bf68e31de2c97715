//! Every panel in every state, as the text that a browser would get. `UPDATE_EXPECT=1` writes the snapshots anew.

use std::rc::Rc;

use expect_test::{ExpectFile, expect_file};
use protocol::RunSummary;
use yew::LocalServerRenderer;
use yew::prelude::*;

use super::fixtures::{of, results, run, runs, scenario};
use super::{
    EditorView, HeadlineView, OutputView, PanelState, SeedsView, SwitchView, distribution_panel,
    editor_panel, figures_panel, headline_panel, output_panel, percentiles_panel, seeds_panel, switch,
    switch_panel,
};
use crate::columns::{Results, Scope};
use crate::state::{Action, BandStatus, State};

#[derive(Properties, PartialEq)]
struct ShownProps {
    shown: Html,
}

#[component]
fn Shown(props: &ShownProps) -> Html {
    props.shown.clone()
}

/// The HTML, one element a line so that a difference can be read.
pub(crate) fn html(shown: Html) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let rendered = tokio::task::LocalSet::new().block_on(&runtime, async {
        LocalServerRenderer::<Shown>::with_props(ShownProps { shown }).hydratable(false).render().await
    });
    rendered.replace("><", ">\n<")
}

pub(crate) fn check(shown: Html, expected: ExpectFile) {
    expected.assert_eq(&html(shown));
}

/// A result panel's states other than full: where there are no results the panels differ in their heading only.
pub(super) fn check_waiting(id: &str, panel: impl Fn(PanelState<Results>) -> Html) {
    let loading = html(panel(PanelState::Loading(Some(0.43), "Simulating".into())));
    assert!(
        loading.contains(&format!("id=\"{id}\"")) && loading.contains("data-state=\"loading\""),
        "{loading}"
    );
    assert!(loading.contains("value=\"0.430\""), "{loading}");
    let empty = html(panel(PanelState::Empty("nothing here".into())));
    assert!(empty.contains("data-state=\"empty\"") && empty.contains("nothing here"), "{empty}");
    let error = html(panel(PanelState::Error("it broke".into())));
    assert!(error.contains("data-state=\"error\"") && error.contains("it broke"), "{error}");
    let stale = html(panel(PanelState::Stale(results())));
    let full = html(panel(PanelState::Full(results())));
    assert_eq!(
        stale.replace("data-state=\"stale\"", "data-state=\"full\""),
        full,
        "only dimmed by the style sheet"
    );
}

pub(super) fn headline(results: PanelState<Results>) -> Html {
    headline_panel(&headline_view(results))
}

fn headline_view(results: PanelState<Results>) -> HeadlineView {
    HeadlineView {
        title: "schbench on a HiKey 620".into(),
        summary: "What the preset shows.",
        setting: "HiKey 620, Linux v5.10".into(),
        results,
        progress: None,
        orders: Callback::noop(),
    }
}

#[test]
fn headline_in_every_state() {
    check_waiting("headline", headline);
    check(headline(PanelState::Full(results())), expect_file!["../../snapshots/headline_full.html"]);
    check(
        headline(PanelState::Empty("cancelled".into())),
        expect_file!["../../snapshots/headline_empty.html"],
    );
    check(
        headline(PanelState::Error("out of memory".into())),
        expect_file!["../../snapshots/headline_error.html"],
    );
    let loading = HeadlineView {
        progress: Some((0.43, "Simulating: 43 %".into())),
        ..headline_view(PanelState::Loading(Some(0.43), "Simulating: 43 %".into()))
    };
    check(headline_panel(&loading), expect_file!["../../snapshots/headline_loading.html"]);
}

#[test]
fn a_run_that_was_stopped_at_its_limit_says_so() {
    let [base, patched] = runs();
    let stopped = of([RunSummary { out_of_budget: true, ..base }, patched]);
    assert!(html(headline(PanelState::Full(stopped))).contains("out-of-budget"));
    assert!(!html(headline(PanelState::Full(results()))).contains("out-of-budget"));
}

#[test]
fn percentiles_in_every_state() {
    check_waiting("percentiles", |results| percentiles_panel(&results));
    check(
        percentiles_panel(&PanelState::Full(results())),
        expect_file!["../../snapshots/percentiles_full.html"],
    );
}

#[test]
fn distribution_in_every_state() {
    check_waiting("distribution", |results| distribution_panel(&results));
    check(
        distribution_panel(&PanelState::Full(results())),
        expect_file!["../../snapshots/distribution_full.html"],
    );
}

#[test]
fn latency_panels_without_latencies_say_why() {
    let silent = |column, name: &str| RunSummary { percentiles: Vec::new(), ..run(column, name, [1.0; 8]) };
    let none = || PanelState::Full(of([silent(0, "base"), silent(1, "patched")]));
    let shown = html(percentiles_panel(&none()));
    assert!(shown.contains("data-state=\"empty\"") && shown.contains(crate::text::NO_LATENCIES), "{shown}");
    let shown = html(distribution_panel(&none()));
    assert!(shown.contains(crate::text::NO_LATENCIES), "{shown}");
    let shown = html(headline(none()));
    assert!(shown.contains(crate::text::NO_LATENCIES), "{shown}");
}

#[test]
fn figures_in_every_state() {
    check_waiting("figures", |results| figures_panel(&results));
    check(figures_panel(&PanelState::Full(results())), expect_file!["../../snapshots/figures_full.html"]);
}

pub(super) fn output(results: PanelState<Results>) -> Html {
    output_panel(&OutputView {
        results,
        command: "runqueue run hikey-schbench".to_owned(),
        wanted: 200,
        copied: None,
        orders: Callback::noop(),
    })
}

#[test]
fn output_in_every_state() {
    check_waiting("output", output);
    check(output(PanelState::Full(results())), expect_file!["../../snapshots/output_full.html"]);
    let silent = runs().map(|run| RunSummary { text: String::new(), ..run });
    let shown = html(output(PanelState::Full(of(silent))));
    assert!(shown.contains("data-state=\"empty\"") && shown.contains(crate::text::NO_TEXT), "{shown}");
}

fn switched(form: &str, results: PanelState<Results>) -> Html {
    let mut scenario = scenario();
    scenario.set("columns.patched.patches.llc-spread", form).unwrap();
    switch_panel(&SwitchView { scenario: Rc::new(scenario), results, orders: Callback::noop() })
}

#[test]
fn switch_in_every_state() {
    check(
        switched("merged", PanelState::Full(results())),
        expect_file!["../../snapshots/switch_merged.html"],
    );
    let off = html(switched("off", PanelState::Full(results())));
    assert!(off.contains(&crate::text::off_help("patched")), "{off}");
    let mut pair = scenario();
    pair.columns.retain(|column| column.name != "pre-rework");
    pair.set("columns.patched.patches.llc-spread", "off").unwrap();
    let results = PanelState::Full(results());
    let off = html(switch_panel(&SwitchView { scenario: Rc::new(pair), results, orders: Callback::noop() }));
    assert!(off.contains(crate::text::OFF_HELP), "{off}");
    let loading = html(switched("shift", PanelState::Loading(None, "Starting".into())));
    assert!(
        loading.contains("data-state=\"loading\"") && !loading.contains("hunk-base-0"),
        "it can be switched meanwhile"
    );
}

#[test]
fn the_switch_sets_the_last_column_or_else_the_scenario() {
    let patch = kernel::Patch::LlcSpread;
    assert_eq!(switch::switch_key(&scenario(), patch), "columns.patched.patches.llc-spread");
    let mut single = scenario();
    single.columns.truncate(1);
    assert_eq!(switch::switch_key(&single, patch), "patches.llc-spread");
}

fn seeds(status: BandStatus, done: usize) -> Html {
    seeds_panel(&SeedsView {
        seed: "1".into(),
        problems: Vec::new(),
        wanted: 200,
        done,
        status,
        scope: Scope::Whole,
        orders: Callback::noop(),
    })
}

#[test]
fn seeds_in_every_state() {
    check(seeds(BandStatus::UnderWay, 60), expect_file!["../../snapshots/seeds_loading.html"]);
    check(seeds(BandStatus::Done, 200), expect_file!["../../snapshots/seeds_full.html"]);
    let stopped = html(seeds(BandStatus::Stopped, 60));
    assert!(stopped.contains("data-state=\"stopped\"") && stopped.contains("band-start"), "{stopped}");
    let failed = html(seeds(BandStatus::Failed("it broke".to_owned()), 0));
    assert!(failed.contains("data-state=\"error\"") && failed.contains("it broke"), "{failed}");
    let waiting = html(seeds(BandStatus::Waiting, 0));
    assert!(waiting.contains("data-state=\"empty\""), "{waiting}");
}

fn editor(state: &State) -> String {
    html(editor_panel(&EditorView {
        scenario: Rc::clone(&state.scenario),
        faults: Rc::clone(&state.faults),
        can_undo: state.history.can_undo(),
        can_redo: state.history.can_redo(),
        orders: Callback::noop(),
    }))
}

#[test]
fn the_editor_has_a_field_for_every_key_that_applies() {
    let state = State::new(scenario());
    let shown = editor(&state);
    for key in scenario::keys::KEYS.iter().filter(|key| key.applies(&state.scenario)) {
        let is_elsewhere = key.group == scenario::keys::Group::Patches || key.name == "seed";
        assert_eq!(shown.contains(&format!("id=\"field-{}\"", key.name)), !is_elsewhere, "{}", key.name);
    }
}

#[test]
fn a_field_says_what_is_wrong_and_what_the_preset_has() {
    let edit =
        |key: &str, text: &str| Action::Edit { key: key.to_owned(), text: text.to_owned(), at_ms: 0.0 };
    let state = [edit("workload.threads", "many"), edit("workload.sleep_us", "1000")]
        .into_iter()
        .fold(Rc::new(State::new(scenario())), Reducible::reduce);
    let shown = editor(&state);
    assert!(shown.contains("data-state=\"error\""), "{shown}");
    let field = |key: &str| {
        let fields: Vec<&str> = shown.split("data-testid=\"field-").collect();
        fields.iter().find(|field| field.starts_with(&format!("{key}\""))).unwrap().to_string()
    };
    expect_file!["../../snapshots/field_fault.html"].assert_eq(&field("workload.threads"));
    expect_file!["../../snapshots/field_changed.html"].assert_eq(&field("workload.sleep_us"));
}
