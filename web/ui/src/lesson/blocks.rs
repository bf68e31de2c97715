//! The parts of a screen.

use ::lesson::{Asked, Block, Figure, Try};
use scenario::keys::Key;
use yew::prelude::*;

use super::page::{LessonView, Panels};
use super::predict::predict;
use super::words::{Reader, quantity, value};
use crate::controls::Segments;
use crate::markup::{el, said};
use crate::orders::edit;
use crate::panels::PanelState;
use crate::{columns, text};

/// The blocks that are seen: what stands behind a prediction comes after its answer.
pub(super) fn blocks(
    view: &LessonView,
    blocks: &[Block],
    panels: &Panels<'_>,
    reader: Reader<'_>,
) -> Vec<Html> {
    let mut parts = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let id = format!("term-{index}");
        let reader = Reader { id: &id, ..reader };
        let shown = match block {
            Block::Text(words) => el("p", &[("class", "prose")], reader.phrases(words)),
            Block::Note(words) => {
                el("aside", &[("class", "aside")], vec![el("p", &[], reader.phrases(words))])
            }
            Block::Figures(figures) => shown_figures(view, figures),
            Block::Chart(chart) => (panels.chart)(*chart),
            Block::Try(tried) => try_this(view, tried),
            Block::Predict(asked) => predict(view, asked, panels.inspector, reader),
        };
        parts.push(html! { <div class="block" key={index}>{ shown }</div> });
        if matches!(block, Block::Predict(_)) && !view.reading.prediction.is_revealed {
            if index + 1 < blocks.len() {
                parts.push(html! { <p class="help goes-on" key="goes-on">{ text::GOES_ON }</p> });
            }
            break;
        }
    }
    parts
}

/// A key of the scenario, to be set by a button.
fn try_this(view: &LessonView, tried: &Try) -> Html {
    let now = value_of(view, &tried.key).unwrap_or_default();
    let choices: Vec<(&str, &str, bool)> =
        tried.choices.iter().map(|choice| (choice.value.as_str(), choice.label.as_str(), true)).collect();
    let segments = Segments { name: "try", label: &tried.label, class: "segments", chosen: &now };
    let order = |value: &str| edit(&tried.key, value.to_owned());
    let parts = vec![
        said("span", "try-name", text::TRY),
        said("span", "", &tried.label),
        segments.html(&choices, &view.orders, &order),
    ];
    el("div", &[("class", "try"), ("data-testid", "try")], parts)
}

/// What a key is set to in the scenario in force, also where it is that of a column.
fn value_of(view: &LessonView, name: &str) -> Option<String> {
    if let Some(rest) = name.strip_prefix("columns.") {
        let (column, key) = rest.split_once('.')?;
        let position = view.scenario.columns.iter().position(|known| known.name == column)?;
        return Key::find(key).ok()?.get(&view.scenario.resolved(position));
    }
    Key::find(name).ok()?.get(&view.scenario)
}

fn shown_figures(view: &LessonView, figures: &[Figure]) -> Html {
    let parts = figures.iter().map(|figure| shown_figure(&view.results, figure)).collect();
    el("dl", &[("class", "live-figures")], parts)
}

/// A figure with what many seeds say of it, and what was published.
fn shown_figure(results: &PanelState<columns::Results>, figure: &Figure) -> Html {
    let Figure { label, column, metric } = figure;
    let found = results.content();
    let now = found.and_then(|results| value(results, Asked::Run, column, metric));
    let view = found.and_then(|results| results.columns.iter().find(|known| known.name == *column.as_str()));
    let tone = view.map_or("figure", |view| view.tone.figure());
    let class = if matches!(results, PanelState::Stale(_)) { "live stale" } else { "live" };
    let name = format!("{column}.{metric}");
    let big = [("class", "live-value"), ("data-figure", &*name)];
    let mut parts = vec![
        said("dt", "", label),
        el("dd", &big, vec![said("span", class, now.as_deref().unwrap_or(text::NOT_YET))]),
    ];
    if let Some((results, view)) = found.zip(view) {
        parts.extend(facts(results, view, metric).map(|words| said("dd", "help", &words)));
    }
    el("div", &[("class", tone)], parts)
}

fn facts<'a>(
    results: &'a columns::Results,
    view: &'a columns::ColumnView,
    metric: &'a str,
) -> impl Iterator<Item = String> + 'a {
    let info = view.summary.metrics.iter().find(|known| known.info.key == metric).map(|known| &known.info);
    let spread = results.spread(view, metric).zip(info).map(|(spread, info)| {
        text::spread(
            spread.runs,
            &quantity(spread.low, info),
            &quantity(spread.high, info),
            &quantity(spread.median, info),
        )
    });
    let published = results
        .published(view, metric)
        .zip(info)
        .map(|(published, info)| text::published_as(&quantity(published, info)));
    [spread, published].into_iter().flatten()
}
