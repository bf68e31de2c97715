//! Every panel in every state, as the text that a browser would get. `UPDATE_EXPECT=1` writes the snapshots anew.

use std::rc::Rc;

use expect_test::{ExpectFile, expect_file};
use protocol::RunSummary;
use yew::LocalServerRenderer;
use yew::prelude::*;

use super::fixtures::{of, results, run, runs, scenario};
use super::{
    PanelState, band, distribution, editor, figures, headline, output, percentiles, switch, timeline,
};
use crate::columns::Results;
use crate::state::{Action, BandStatus, State};
use crate::timeline::Kept;

/// The HTML of a component, one element a line so that a difference can be read.
fn html<C: BaseComponent>(props: C::Properties) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let rendered = tokio::task::LocalSet::new().block_on(&runtime, async {
        LocalServerRenderer::<C>::with_props(props).hydratable(false).render().await
    });
    rendered.replace("><", ">\n<")
}

fn check<C: BaseComponent>(props: C::Properties, expected: ExpectFile) {
    expected.assert_eq(&html::<C>(props));
}

/// A result panel's states other than full: where there are no results the panels differ in their heading only.
fn check_waiting<C: BaseComponent>(id: &str, props: impl Fn(PanelState<Results>) -> C::Properties) {
    let loading = html::<C>(props(PanelState::Loading(Some(0.43), "Simulating".into())));
    assert!(
        loading.contains(&format!("id=\"{id}\"")) && loading.contains("data-state=\"loading\""),
        "{loading}"
    );
    assert!(loading.contains("value=\"0.43\""), "{loading}");
    let empty = html::<C>(props(PanelState::Empty("nothing here".into())));
    assert!(empty.contains("data-state=\"empty\"") && empty.contains("nothing here"), "{empty}");
    let error = html::<C>(props(PanelState::Error("it broke".into())));
    assert!(error.contains("data-state=\"error\"") && error.contains("it broke"), "{error}");
    let stale = html::<C>(props(PanelState::Stale(results())));
    let full = html::<C>(props(PanelState::Full(results())));
    assert_eq!(
        stale.replace("data-state=\"stale\"", "data-state=\"full\""),
        full,
        "only dimmed by the style sheet"
    );
}

fn headline_props(results: PanelState<Results>) -> headline::Props {
    headline::Props {
        title: "schbench on a HiKey 620".into(),
        summary: "What the preset shows.".into(),
        setting: "HiKey 620, Linux v5.10".into(),
        seed: 1,
        results,
        progress: None,
        oncancel: Callback::noop(),
        onretry: Callback::noop(),
    }
}

#[test]
fn headline_in_every_state() {
    check_waiting::<super::HeadlinePanel>("headline", headline_props);
    let full = headline_props(PanelState::Full(results()));
    check::<super::HeadlinePanel>(full, expect_file!["../../snapshots/headline_full.html"]);
    let cancelled = headline_props(PanelState::Empty("cancelled".into()));
    check::<super::HeadlinePanel>(cancelled, expect_file!["../../snapshots/headline_empty.html"]);
    let failed = headline_props(PanelState::Error("out of memory".into()));
    check::<super::HeadlinePanel>(failed, expect_file!["../../snapshots/headline_error.html"]);
    let loading = headline::Props {
        progress: Some((0.43, "Simulating: 43 %".into())),
        ..headline_props(PanelState::Loading(Some(0.43), "Simulating: 43 %".into()))
    };
    check::<super::HeadlinePanel>(loading, expect_file!["../../snapshots/headline_loading.html"]);
}

#[test]
fn a_run_that_was_stopped_at_its_limit_says_so() {
    let [base, patched] = runs();
    let stopped = of([RunSummary { out_of_budget: true, ..base }, patched]);
    assert!(
        html::<super::HeadlinePanel>(headline_props(PanelState::Full(stopped))).contains("out-of-budget")
    );
    assert!(
        !html::<super::HeadlinePanel>(headline_props(PanelState::Full(results()))).contains("out-of-budget")
    );
}

#[test]
fn percentiles_in_every_state() {
    let props = |results| percentiles::Props { results };
    check_waiting::<super::PercentilesPanel>("percentiles", props);
    let full = props(PanelState::Full(results()));
    check::<super::PercentilesPanel>(full, expect_file!["../../snapshots/percentiles_full.html"]);
}

#[test]
fn distribution_in_every_state() {
    let props = |results| distribution::Props { results };
    check_waiting::<super::DistributionPanel>("distribution", props);
    let full = props(PanelState::Full(results()));
    check::<super::DistributionPanel>(full, expect_file!["../../snapshots/distribution_full.html"]);
}

#[test]
fn latency_panels_without_latencies_say_why() {
    let silent = |column, name: &str| RunSummary { percentiles: Vec::new(), ..run(column, name, [1.0; 8]) };
    let none = || PanelState::Full(of([silent(0, "base"), silent(1, "patched")]));
    let shown = html::<super::PercentilesPanel>(percentiles::Props { results: none() });
    assert!(shown.contains("data-state=\"empty\"") && shown.contains(crate::text::NO_LATENCIES), "{shown}");
    let shown = html::<super::DistributionPanel>(distribution::Props { results: none() });
    assert!(shown.contains(crate::text::NO_LATENCIES), "{shown}");
    let shown = html::<super::HeadlinePanel>(headline_props(none()));
    assert!(shown.contains(crate::text::NO_LATENCIES), "{shown}");
}

#[test]
fn figures_in_every_state() {
    let props = |results| figures::Props { results };
    check_waiting::<super::FiguresPanel>("figures", props);
    check::<super::FiguresPanel>(
        props(PanelState::Full(results())),
        expect_file!["../../snapshots/figures_full.html"],
    );
}

#[test]
fn output_in_every_state() {
    let props = |results| output::Props { results, command: "runqueue run hikey-schbench".into() };
    check_waiting::<super::OutputPanel>("output", props);
    check::<super::OutputPanel>(
        props(PanelState::Full(results())),
        expect_file!["../../snapshots/output_full.html"],
    );
    let silent = runs().map(|run| RunSummary { text: String::new(), ..run });
    let shown = html::<super::OutputPanel>(props(PanelState::Full(of(silent))));
    assert!(shown.contains("data-state=\"empty\"") && shown.contains(crate::text::NO_TEXT), "{shown}");
}

fn switch_props(form: &str, results: PanelState<Results>) -> switch::Props {
    let mut scenario = scenario();
    scenario.set("columns.patched.patches.llc-spread", form).unwrap();
    switch::Props { scenario: Rc::new(scenario), results, onedit: Callback::noop() }
}

#[test]
fn switch_in_every_state() {
    let full = switch_props("merged", PanelState::Full(results()));
    check::<super::SwitchPanel>(full, expect_file!["../../snapshots/switch_merged.html"]);
    let off = html::<super::SwitchPanel>(switch_props("off", PanelState::Full(results())));
    assert!(off.contains(crate::text::OFF_HELP), "{off}");
    let loading =
        html::<super::SwitchPanel>(switch_props("shift", PanelState::Loading(None, "Starting".into())));
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

#[test]
fn timeline_in_every_state() {
    let kept = || Rc::new(runs().map(|summary| Kept { worker: 0, summary: Rc::new(summary) }).to_vec());
    let props = |runs| timeline::Props {
        pool: None,
        runs,
        theme: "light".into(),
        span: None,
        onspan: Callback::noop(),
    };
    check::<super::TimelinePanel>(
        props(PanelState::Full(kept())),
        expect_file!["../../snapshots/timeline_full.html"],
    );
    for (state, name) in [
        (PanelState::Loading(None, "Starting".into()), "loading"),
        (PanelState::Empty("cancelled".into()), "empty"),
        (PanelState::Error("it broke".into()), "error"),
        (PanelState::Stale(kept()), "stale"),
    ] {
        let shown = html::<super::TimelinePanel>(props(state));
        assert!(shown.contains(&format!("data-state=\"{name}\"")), "{shown}");
    }
}

fn seeds_props(status: BandStatus, done: usize) -> band::Props {
    band::Props {
        seed: "1".into(),
        problems: Vec::new(),
        wanted: 200,
        done,
        status,
        onseed: Callback::noop(),
        onwanted: Callback::noop(),
        onstop: Callback::noop(),
        onstart: Callback::noop(),
    }
}

#[test]
fn seeds_in_every_state() {
    let under_way = seeds_props(BandStatus::UnderWay, 60);
    check::<super::SeedsPanel>(under_way, expect_file!["../../snapshots/seeds_loading.html"]);
    check::<super::SeedsPanel>(
        seeds_props(BandStatus::Done, 200),
        expect_file!["../../snapshots/seeds_full.html"],
    );
    let stopped = html::<super::SeedsPanel>(seeds_props(BandStatus::Stopped, 60));
    assert!(stopped.contains("data-state=\"stopped\"") && stopped.contains("band-start"), "{stopped}");
    let failed = html::<super::SeedsPanel>(seeds_props(BandStatus::Failed("it broke".to_owned()), 0));
    assert!(failed.contains("data-state=\"error\"") && failed.contains("it broke"), "{failed}");
    let waiting = html::<super::SeedsPanel>(seeds_props(BandStatus::Waiting, 0));
    assert!(waiting.contains("data-state=\"empty\""), "{waiting}");
}

fn editor_props(state: &State) -> editor::Props {
    editor::Props {
        scenario: Rc::clone(&state.scenario),
        faults: Rc::clone(&state.faults),
        can_undo: state.history.can_undo(),
        can_redo: state.history.can_redo(),
        onedit: Callback::noop(),
        onresetfield: Callback::noop(),
        onundo: Callback::noop(),
        onredo: Callback::noop(),
        onreset: Callback::noop(),
        onpreset: Callback::noop(),
    }
}

#[test]
fn the_editor_has_a_field_for_every_key_that_applies() {
    let state = State::new(scenario());
    let shown = html::<super::EditorPanel>(editor_props(&state));
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
    let shown = html::<super::EditorPanel>(editor_props(&state));
    assert!(shown.contains("data-state=\"error\""), "{shown}");
    let field = |key: &str| {
        let fields: Vec<&str> = shown.split("data-testid=\"field-").collect();
        fields.iter().find(|field| field.starts_with(&format!("{key}\""))).unwrap().to_string()
    };
    expect_file!["../../snapshots/field_fault.html"].assert_eq(&field("workload.threads"));
    expect_file!["../../snapshots/field_changed.html"].assert_eq(&field("workload.sleep_us"));
}
