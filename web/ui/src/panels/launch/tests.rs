use std::rc::Rc;

use expect_test::expect_file;
use protocol::{Metric, RunSummary, SeedRow, SeedRows};

use super::*;
use crate::band::Band;
use crate::panels::fixtures::{counted, of};
use crate::panels::tests::{check, html};

/// The figures of a launch: key, label, unit, and the values of two columns.
const FIGURES: [(&str, &str, &str, [f64; 2]); 7] = [
    ("launch_ms", "Launch time", "ms", [1325.0, 1220.0]),
    ("main_wait_rt_ms", "Waiting behind real-time threads", "ms", [69.0, 6.0]),
    ("main_wait_fair_ms", "Waiting behind other threads", "ms", [42.0, 40.0]),
    ("main_running_ms", "Main thread running", "ms", [880.0, 878.0]),
    ("main_sleeping_ms", "Sleeping", "ms", [334.0, 296.0]),
    ("avoidable_rt_preemptions", "Avoidable pre-emptions", "", [249.0, 0.0]),
    ("sf_frame_ms", "SurfaceFlinger frame", "ms", [8.4, 12.1]),
];

fn launched(column: u32, name: &str) -> RunSummary {
    let metric = |(key, label, unit, values): &(&str, &str, &str, [f64; 2])| Metric {
        info: MetricInfo {
            key: (*key).to_owned(),
            label: (*label).to_owned(),
            unit: (*unit).to_owned(),
            decimals: 1,
        },
        value: values[column as usize],
    };
    RunSummary { metrics: FIGURES.iter().map(metric).collect(), ..counted(column, name, 1.0) }
}

/// Two columns with thirty launches each, the later ones of which take longer.
fn launches() -> Results {
    let runs = [launched(0, "base"), launched(1, "patched")];
    let row = |(column, run): (u32, &RunSummary), seed: u64| SeedRow {
        column,
        seed,
        trace_hash: String::new(),
        values: run.metrics.iter().map(|metric| metric.value * (0.99 + 0.001 * seed as f64)).collect(),
    };
    let mut band = Band::default();
    band.add(&SeedRows {
        metrics: runs[0].metrics.iter().map(|metric| metric.info.clone()).collect(),
        rows: (1..=30).flat_map(|seed| (0..).zip(&runs).map(move |run| row(run, seed))).collect(),
    });
    Results { band: Some(Rc::new(band)), ..of(runs) }
}

fn view(results: PanelState<Results>) -> LaunchView {
    LaunchView {
        results,
        app: "weibo".to_owned(),
        apps: vec![("weibo", "weibo"), ("weixin", "weixin")],
        preset: "android-launch".to_owned(),
        orders: Callback::noop(),
    }
}

#[test]
fn a_launch_is_divided_into_what_its_main_thread_did() {
    check(launch_panel(&view(PanelState::Full(launches()))), expect_file!["../../../snapshots/launch.html"]);
}

#[test]
fn without_many_seeds_this_one_is_shown() {
    let shown = html(launch_panel(&view(PanelState::Full(Results { band: None, ..launches() }))));
    assert!(shown.contains(">249.0</td>"), "{shown}");
}

#[test]
fn runs_that_tell_nothing_of_a_main_thread_say_so() {
    let counted = of([counted(0, "base", 1.0), counted(1, "patched", 2.0)]);
    let shown = html(launch_panel(&view(PanelState::Full(counted))));
    assert!(shown.contains("data-state=\"empty\"") && shown.contains(text::NOTHING), "{shown}");
    let waiting = html(launch_panel(&view(PanelState::Loading(Some(0.5), "Simulating".into()))));
    assert!(waiting.contains("data-state=\"loading\""), "{waiting}");
    let broken = html(launch_panel(&view(PanelState::Error("it broke".into()))));
    assert!(broken.contains("it broke"), "{broken}");
}

#[test]
fn only_a_scenario_that_launches_has_the_panel() {
    let scenario = Scenario::from_preset("hikey-schbench").unwrap();
    assert!(LaunchView::of(&scenario, &PanelState::Empty("".into()), &Callback::noop()).is_none());
}
