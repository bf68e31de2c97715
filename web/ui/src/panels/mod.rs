//! The panels of the page. Each takes its content as a value and shows every state that this can be in.

mod causes;
mod columns;
mod conservation;
mod distribution;
mod divergence;
mod editor;
mod figures;
mod frame;
mod headline;
mod inspector;
mod launch;
mod output;
mod percentiles;
mod race;
mod seeds;
mod sweep;
mod switch;
mod timeline;

pub(crate) use causes::{CausesView, causes_panel};
pub(crate) use columns::{DIFFERENCE, FROM};
pub(crate) use conservation::{WorkView, work_of, work_panel};
pub(crate) use distribution::distribution_panel;
pub(crate) use divergence::{DivergenceView, divergence_panel};
pub(crate) use editor::{EditorView, editor_panel};
pub(crate) use figures::figures_panel;
pub(crate) use frame::{Panel, PanelState};
pub(crate) use headline::{HeadlineView, headline_panel};
pub(crate) use inspector::{InspectorView, inspector_panel};
pub(crate) use launch::{LaunchView, launch_panel};
pub(crate) use output::{OutputView, output_panel};
pub(crate) use percentiles::percentiles_panel;
pub(crate) use seeds::{SeedsView, seeds_panel};
pub(crate) use sweep::{SweepView, sweep_panel};
pub(crate) use switch::{SwitchView, switch_panel};
pub(crate) use timeline::{TimelineView, timeline_panel};

use crate::columns::{ColumnView, Results, Scope, yardstick};
use crate::format::{fixed, micros};
use crate::part::Frame;
use crate::text;
use yew::prelude::*;

/// A figure in its unit.
pub(crate) fn figure(value: f64, info: &protocol::MetricInfo) -> String {
    if info.unit == "µs" {
        return micros(value).text();
    }
    let number = fixed(value, u32::from(info.decimals));
    if info.unit.is_empty() { number } else { format!("{number}{}{}", crate::format::THIN, info.unit) }
}

/// How wide and high a chart is in a width; `usual` until that is known.
fn chart_size(width: Option<f64>, usual: f64) -> (f64, f64) {
    let width = width.unwrap_or(usual);
    (width, if width < 420.0 { 260.0 } else { 320.0 })
}

/// The element that says how wide a chart may be, around it.
fn chart_box(frame: &Frame, parts: Vec<Html>) -> Html {
    html! { <div ref={frame.node.clone()} class="chart-box fades">{ parts.into_iter().collect::<Html>() }</div> }
}

/// Why a column's latencies cannot be shown, if they cannot.
fn no_latencies(results: &Results) -> Option<AttrValue> {
    let columns = &results.columns;
    if columns.iter().all(|column| column.summary.percentiles.is_empty()) {
        let yardstick = yardstick(columns.iter().map(|column| &*column.summary));
        return Some(yardstick.map_or(text::NO_LATENCIES, |yardstick| yardstick.elsewhere).into());
    }
    let is_empty = |column: &&ColumnView| column.summary.samples.latency_us.is_empty();
    if let Scope::Part(brush) = results.scope {
        // A column without any would stand beside the others as if it had waited for nothing.
        let column = columns.iter().find(is_empty)?;
        return Some(text::no_samples_in(&column.name, brush.from_ns, brush.to_ns).into());
    }
    columns.iter().all(|column| is_empty(&column)).then(|| text::NO_SAMPLES.into())
}

/// What stands beside the heading of a panel about results.
fn note(state: &PanelState<Results>, usual: &'static str) -> String {
    state.content().map_or_else(|| usual.to_owned(), |results| results.scope.note(usual))
}

#[cfg(test)]
mod comparison_tests;
#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
pub(crate) mod tests;
