//! Panels that compare more than two columns, and programs that count what they do.

use std::rc::Rc;

use expect_test::expect_file;
use protocol::{Metric, MetricInfo, RunSummary, SeedRow, SeedRows};
use scenario::Scenario;
use yew::prelude::*;

use super::fixtures::{counting, of, run};
use super::tests::{check, headline, html};
use super::{EditorView, editor_panel};
use super::{
    PanelState, SweepView, SwitchView, distribution_panel, figures_panel, percentiles_panel, sweep_panel,
    switch_panel,
};
use crate::band::Band;
use crate::charts::Tone;
use crate::columns::{Results, Scope};
use crate::state::{Action, BandStatus, State};
use crate::sweep::Sweep;
use crate::text;

/// A run of the virtual machine that met the window so often.
fn raced(column: u32, name: &str, tail_us: f64, hits: f64) -> RunSummary {
    let mut run = run(column, name, [9.0, 12.0, 14.0, 15.0, 26.0, tail_us, tail_us, tail_us]);
    let info = |key: &str| MetricInfo {
        key: key.to_owned(),
        label: key.to_owned(),
        unit: String::new(),
        decimals: 0,
    };
    run.metrics.push(Metric { info: info("race_hits"), value: hits });
    run.metrics.push(Metric { info: info("wake_list_wakeups"), value: 15_974.0 });
    run.hunks.clear();
    run
}

fn three() -> Results {
    of([raced(0, "base", 9072.0, 600.0), raced(1, "revert", 35.0, 0.0), raced(2, "patched", 24.0, 0.0)])
}

fn virtual_machine() -> Scenario {
    Scenario::from_preset("vm32-schbench").unwrap()
}

fn switch(scenario: Scenario, results: PanelState<Results>) -> Html {
    switch_panel(&SwitchView { scenario: Rc::new(scenario), results, orders: Callback::noop() })
}

#[test]
fn three_columns_stand_side_by_side_in_every_panel() {
    let full = || PanelState::Full(three());
    check(headline(full()), expect_file!["../../snapshots/headline_three.html"]);
    for shown in
        [percentiles_panel(&full()), distribution_panel(&full()), figures_panel(&full()), headline(full())]
    {
        let shown = html(shown);
        for (name, tone) in [("base", "tone-base"), ("revert", "tone-other"), ("patched", "tone-subject")] {
            assert!(shown.contains(name) && shown.contains(tone), "{name} {shown}");
        }
    }
}

#[test]
fn the_switch_counts_wake_ups_that_met_the_window() {
    let shown = switch(virtual_machine(), PanelState::Full(three()));
    check(shown, expect_file!["../../snapshots/switch_race.html"]);
    let early = Results { band: None, ..three() };
    let shown = html(switch(virtual_machine(), PanelState::Full(early)));
    assert!(shown.contains(text::NOT_YET), "without a band there is the count of this seed: {shown}");
    assert!(shown.contains("data-testid=\"race-base\">600</td>"), "{shown}");
    let loading = html(switch(virtual_machine(), PanelState::Loading(None, "Starting".into())));
    assert!(!loading.contains("race-table"), "{loading}");
    let elsewhere = Scenario::from_preset("hikey-schbench").unwrap();
    let shown = html(switch(elsewhere, PanelState::Full(three())));
    assert!(!shown.contains("race-table"), "nobody asks for it there: {shown}");
}

#[test]
fn a_patch_that_a_kernel_cannot_have_is_shown_disabled_with_the_reason() {
    let of_era = |era: &str| {
        let mut scenario = Scenario::from_preset("hikey-schbench").unwrap();
        scenario.set("columns.patched.patches.llc-spread", "off").unwrap();
        scenario.set("columns.base.patches.llc-spread", "off").unwrap();
        scenario.set("kernel.era", era).unwrap();
        html(switch(scenario, PanelState::Loading(None, "Starting".into())))
    };
    for era in ["v5.10", "v6.1"] {
        let possible = of_era(era);
        assert!(!possible.contains("disabled") && !possible.contains("Not possible"), "{era}: {possible}");
    }
    let impossible = of_era("v5.4");
    assert!(impossible.contains("Not possible on v5.4: its load balancer compares loads"), "{impossible}");
    let merged = impossible.split("<label").find(|label| label.contains("value=\"merged\"")).unwrap();
    assert!(merged.contains("class=\"impossible\"") && merged.contains("disabled"), "{merged}");
    let off = impossible.split("<label").find(|label| label.contains("value=\"off\"")).unwrap();
    assert!(!off.contains("disabled"), "off is always possible: {off}");
}

#[test]
fn switching_a_patch_off_says_whom_that_concerns() {
    let mut scenario = virtual_machine();
    scenario.set("columns.patched.patches.ttwu-pending", "off").unwrap();
    let shown = html(switch(scenario, PanelState::Full(three())));
    assert!(shown.contains(&text::off_help("patched")), "{shown}");
}

fn swept(status: BandStatus, values: &[u64]) -> Html {
    let info = MetricInfo {
        key: "share_over_1ms".to_owned(),
        label: String::new(),
        unit: String::new(),
        decimals: 5,
    };
    let row = |column: u32, seed: u64, value: u64| SeedRow {
        column,
        seed,
        trace_hash: String::new(),
        // Nothing below as many threads as CPUs, something there, much above.
        values: vec![if value < 16 {
            0.0
        } else {
            (value - 15) as f64 * (seed as f64) / (1000.0 + 9000.0 * f64::from(column))
        }],
    };
    let band = |value: u64| {
        let mut band = Band::default();
        let rows = (1..=5).flat_map(|seed| (0..3).map(move |column| row(column, seed, value))).collect();
        band.add(&SeedRows { metrics: vec![info.clone()], rows });
        (value, band)
    };
    let names = ["base", "revert", "patched"].into_iter().enumerate();
    sweep_panel(&SweepView {
        sweep: Sweep::of(&virtual_machine()),
        columns: names.map(|(index, name)| (name.into(), Tone::of(index, 3))).collect(),
        bands: Rc::new(values.iter().map(|value| band(*value)).collect()),
        status,
        scope: Scope::Whole,
        orders: Callback::noop(),
    })
}

#[test]
fn the_sweep_in_every_state() {
    let all: Vec<u64> = (8..=18).collect();
    check(swept(BandStatus::Done, &all), expect_file!["../../snapshots/sweep_full.html"]);
    check(swept(BandStatus::Waiting, &[]), expect_file!["../../snapshots/sweep_empty.html"]);
    let early = html(swept(BandStatus::UnderWay, &all[..3]));
    assert!(early.contains("data-state=\"loading\"") && early.contains("sweep-stop"), "{early}");
    assert!(
        early.contains("data-done=\"15\"") && early.contains("sweep-table"),
        "what is there is drawn: {early}"
    );
    let stopped = html(swept(BandStatus::Stopped, &all[..3]));
    assert!(stopped.contains("data-state=\"stopped\"") && stopped.contains("sweep-start"), "{stopped}");
    let failed = html(swept(BandStatus::Failed("it broke".to_owned()), &[]));
    assert!(failed.contains("data-state=\"error\"") && failed.contains("it broke"), "{failed}");
}

#[test]
fn where_nothing_can_be_swept_there_is_no_panel() {
    let view = SweepView {
        sweep: None,
        columns: Vec::new(),
        bands: Rc::default(),
        status: BandStatus::Waiting,
        scope: Scope::Whole,
        orders: Callback::noop(),
    };
    assert_eq!(html(sweep_panel(&view)), "");
}

fn edited(actions: impl IntoIterator<Item = Action>) -> State {
    let state = actions.into_iter().fold(Rc::new(State::new(virtual_machine())), Reducible::reduce);
    (*state).clone()
}

fn columns_of(state: &State) -> String {
    let shown = html(editor_panel(&EditorView {
        scenario: Rc::clone(&state.scenario),
        faults: Rc::clone(&state.faults),
        can_undo: false,
        can_redo: false,
        orders: Callback::noop(),
    }));
    let from = shown.find("<details class=\"group\"").unwrap();
    let length = shown[from..].find("</details>").unwrap();
    shown[from..from + length].to_owned()
}

fn rename(column: usize, name: &str) -> Action {
    Action::Edit { key: format!("rename.{column}"), text: name.to_owned(), at_ms: 0.0 }
}

#[test]
fn columns_are_added_named_and_removed_in_the_editor() {
    let add = Action::AddColumn { from: "base".to_owned(), key: "kernel.hz".to_owned() };
    let state = edited([add, rename(1, "ticks")]);
    assert_eq!(state.revision, 3, "each step is run");
    expect_file!["../../snapshots/editor_columns.html"].assert_eq(&columns_of(&state));
    let back = edited([rename(1, "other"), Action::RemoveColumn(0), Action::Undo, Action::Undo]);
    assert_eq!(back.scenario, Rc::new(virtual_machine()));
    let one = edited([Action::RemoveColumn(0), Action::RemoveColumn(0), Action::RemoveColumn(0)]);
    assert_eq!(one.scenario.columns.len(), 1, "the last one stays");
    assert_eq!(one.revision, 3);
}

#[test]
fn a_column_name_that_cannot_be_says_why_and_changes_nothing() {
    for wrong in ["patched", "Two words", ""] {
        let state = edited([rename(0, wrong)]);
        assert_eq!(state.revision, 1, "{wrong}");
        let shown = columns_of(&state);
        assert!(shown.contains("aria-invalid=\"true\"") && shown.contains("role=\"alert\""), "{shown}");
        assert!(shown.contains("open=\"open\""), "the group opens: {shown}");
    }
    assert!(edited([rename(0, "patched"), rename(0, "plain")]).faults.is_empty());
}

/// Throughputs that change by so many per cent, give or take one in every other seed.
fn changing(percent: f64, give_or_take: f64) -> Results {
    let base: Vec<f64> = (0..40).map(|seed| 1_000_000.0 + 1000.0 * f64::from(seed)).collect();
    let factor = |seed: usize| {
        1.0 + (percent + if seed.is_multiple_of(2) { give_or_take } else { -give_or_take }) / 100.0
    };
    let patched: Vec<f64> = base.iter().enumerate().map(|(seed, per_s)| per_s * factor(seed)).collect();
    counting([("base", &base), ("patched", &patched)])
}

#[test]
fn a_program_that_counts_what_it_does_has_its_throughput_as_headline() {
    check(
        headline(PanelState::Full(changing(0.1, 1.0))),
        expect_file!["../../snapshots/headline_throughput.html"],
    );
    let said = |results| html(headline(PanelState::Full(results))).replace('\u{202f}', " ");
    assert!(said(changing(-8.0, 1.0)).contains("throughput falls by 8 %"));
    assert!(said(changing(8.0, 1.0)).contains("throughput rises by 8 %"));
    assert!(said(changing(0.0, 20.0)).contains("cannot tell"));
    assert!(said(changing(0.0, 0.0)).contains("exactly the same"));
    let early = said(Results { band: None, ..changing(1.0, 1.0) });
    assert!(early.contains("This seed: 1 M/s in base") && early.contains(text::CHANGE_WAITS), "{early}");
}

#[test]
fn latency_panels_of_such_a_program_say_where_to_look() {
    for shown in [percentiles_panel, distribution_panel] {
        let shown = html(shown(&PanelState::Full(changing(0.1, 1.0))));
        assert!(shown.contains("data-state=\"empty\""), "{shown}");
        assert!(shown.contains(text::NO_LATENCIES_BUT_THROUGHPUT), "{shown}");
    }
}
