//! Where the time of an application's launch goes: what its main thread does, what else the patch changes, and other
//! applications and machines one click away.

use protocol::MetricInfo;
use scenario::{Preset, Scenario};
use yew::prelude::*;

use super::frame::Panel;
use super::{PanelState, chart_box, figure, note};
use crate::charts::{Part, PartedBar, part_swatch, parted_chart};
use crate::columns::{ColumnView, LAUNCH, Results};
use crate::controls::{Button, Segments};
use crate::format::percents;
use crate::markup::{Cell, Table, el, plain, said};
use crate::orders::{Orders, act, edit};
use crate::part::{Frame, framed};
use crate::state::Action;
use crate::text::launch as text;

/// The key of the scenario that says which application is launched.
const APP: &str = "workload.app";

/// Where the page leads from a launch.
const ELSEWHERE: [&str; 3] = ["android-launch", "android-launch-2c", "android-launch-hikey960"];

/// What the panel is made from.
#[derive(Clone, PartialEq)]
pub(crate) struct LaunchView {
    /// The runs.
    pub(crate) results: PanelState<Results>,
    /// The application that is launched, of those that can be.
    pub(crate) app: String,
    /// The applications: name in the scenario, and what people call it.
    pub(crate) apps: Vec<(&'static str, &'static str)>,
    /// The preset that the scenario started from.
    pub(crate) preset: String,
    /// Where orders go.
    pub(crate) orders: Orders,
}

impl LaunchView {
    /// The view of a scenario that launches an application; nothing for any other.
    pub(crate) fn of(
        scenario: &Scenario,
        results: &PanelState<Results>,
        orders: &Orders,
    ) -> Option<LaunchView> {
        let key = scenario::keys::Key::find(APP).ok().filter(|key| key.applies(scenario))?;
        let scenario::keys::Kind::Choice(choices) = &key.kind else { return None };
        Some(LaunchView {
            results: results.clone(),
            app: key.get(scenario)?,
            apps: choices.iter().map(|choice| (choice.value, choice.label)).collect(),
            preset: scenario.preset.clone(),
            orders: orders.clone(),
        })
    }
}

/// See the module.
pub(crate) fn launch_panel(view: &LaunchView) -> Html {
    let state = view.results.and_then(|results| {
        if parts(results).is_empty() { Err(text::NOTHING.into()) } else { Ok(results.clone()) }
    });
    let apps: Vec<_> = view.apps.iter().map(|(value, label)| (*value, *label, true)).collect();
    let apps = Segments { name: "launch-app", label: text::APP, class: "segments", chosen: &view.app }.html(
        &apps,
        &view.orders,
        &|value| edit(APP, value.to_owned()),
    );
    let body = state.body(|results| {
        let parts = vec![
            framed(results.clone(), breakdown),
            side_effects(results).scrolling(),
            said("p", "help", text::SIDE_EFFECTS_HELP),
        ];
        el("div", &[("class", "launch fades")], parts)
    });
    let mut elsewhere = vec![said("span", "", text::ELSEWHERE)];
    for preset in ELSEWHERE.iter().filter_map(|name| Preset::find(name)) {
        if preset.name != view.preset {
            let button = Button::small(preset.title, "launch-elsewhere");
            elsewhere.push(button.html(act(&view.orders, Action::StartFrom(preset))));
        }
    }
    let parts = vec![apps, body, el("p", &[("class", "launch-elsewhere")], elsewhere)];
    Panel { id: "launch", title: text::TITLE, note: &note(&state, text::NOTE), state: state.name() }
        .html(parts)
}

/// What the main thread's time is divided into.
fn parts(results: &Results) -> Vec<&MetricInfo> {
    let first = results.columns.first();
    let infos = first.into_iter().flat_map(|column| column.summary.metrics.iter().map(|metric| &metric.info));
    let mut parts: Vec<_> =
        infos.filter(|info| info.key.starts_with("main_") && info.key.ends_with("_ms")).collect();
    // Work first, then what keeps it from running, so that bars can be compared from their left ends.
    parts.sort_by_key(|info| info.key != "main_running_ms");
    parts
}

/// A figure of a column: the mean of many seeds, or this seed's as long as there are too few.
fn typical(results: &Results, column: &ColumnView, key: &str) -> f64 {
    let this = column.summary.metric(key).unwrap_or(0.0);
    results.mean(column, key).map_or(this, |mean| mean.value)
}

/// How a part of the main thread's time looks.
fn look_of(key: &str) -> Part {
    match key {
        "main_running_ms" => Part::Running,
        "main_wait_rt_ms" => Part::Waiting,
        "main_wait_fair_ms" => Part::Queued,
        _ => Part::Asleep,
    }
}

fn breakdown(results: &Results, frame: &Frame) -> Html {
    let infos = parts(results);
    let bar = |column: &ColumnView| PartedBar {
        name: column.name.clone(),
        tone: column.tone,
        parts: infos.iter().map(|info| (look_of(&info.key), typical(results, column, &info.key))).collect(),
    };
    let bars: Vec<PartedBar> = results.columns.iter().map(bar).collect();
    let key =
        infos.iter().map(|info| el("span", &[], vec![part_swatch(look_of(&info.key)), plain(&info.label)]));
    let mut table = Table { caption: text::BREAKDOWN.to_owned(), ..Table::default() };
    table.head.push(Cell::default());
    table.head.extend(results.columns.iter().map(|column| Cell::toned(&column.name, column.tone)));
    for info in &infos {
        let share = |column: &ColumnView| {
            let value = typical(results, column, &info.key);
            let all = typical(results, column, LAUNCH.key).max(f64::MIN_POSITIVE);
            Cell::from(text::of_launch(&(LAUNCH.number)(value).text(), &percents(100.0 * value / all)))
        };
        let cells = results.columns.iter().map(share);
        table.rows.push(std::iter::once(Cell::from(&*info.label)).chain(cells).collect());
    }
    let width = frame.width.unwrap_or(700.0);
    let parts = vec![
        parted_chart(&bars, width, LAUNCH.number, text::BREAKDOWN_LABEL),
        el("p", &[("class", "key")], key.collect()),
        table.folded(text::BREAKDOWN),
    ];
    chart_box(frame, parts)
}

/// A mean in the figure's unit: with one decimal, since it is none of a single run.
fn rounded(value: f64, info: &MetricInfo) -> String {
    figure(value, &MetricInfo { decimals: 1, ..info.clone() })
}

/// Everything else that the patch is said to change, or is blamed for.
fn side_effects(results: &Results) -> Table {
    let mut table = Table {
        class: "wraps",
        testid: "launch-effects".to_owned(),
        caption: text::SIDE_EFFECTS.to_owned(),
        ..Table::default()
    };
    table.head.push(Cell::default());
    table.head.extend(results.columns.iter().map(|column| Cell::toned(&column.name, column.tone)));
    let first = results.columns.first();
    let infos = first.into_iter().flat_map(|column| column.summary.metrics.iter().map(|metric| &metric.info));
    for info in infos.filter(|info| text::EFFECTS.contains(&&*info.key)) {
        let cell = |column: &ColumnView| {
            let words = match results.mean(column, &info.key) {
                Some(mean) => text::mean(&rounded(mean.value, info), &rounded(mean.high - mean.value, info)),
                None => column.summary.metric(&info.key).map_or(String::new(), |value| figure(value, info)),
            };
            Cell { words, testid: format!("launch-{}-{}", info.key, column.name), ..Cell::default() }
        };
        let cells = results.columns.iter().map(cell);
        table.rows.push(std::iter::once(Cell::from(&*info.label)).chain(cells).collect());
    }
    table
}

#[cfg(test)]
mod tests;
