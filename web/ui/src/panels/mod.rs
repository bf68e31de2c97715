//! The panels of the page. Each takes its content as a value and shows every state that this can be in.

mod band;
mod distribution;
mod editor;
mod figures;
mod frame;
mod headline;
mod output;
mod percentiles;
mod switch;
mod timeline;

pub(crate) use band::SeedsPanel;
pub(crate) use distribution::DistributionPanel;
pub(crate) use editor::EditorPanel;
pub(crate) use figures::FiguresPanel;
pub(crate) use frame::{Panel, PanelState};
pub(crate) use headline::HeadlinePanel;
pub(crate) use output::OutputPanel;
pub(crate) use percentiles::PercentilesPanel;
pub(crate) use switch::SwitchPanel;
pub(crate) use timeline::TimelinePanel;

use crate::columns::ColumnView;
use crate::format::{fixed, micros};
use crate::text;
use yew::AttrValue;

/// A figure in its unit.
fn figure(value: f64, info: &protocol::MetricInfo) -> String {
    if info.unit == "µs" {
        return micros(value).text();
    }
    let number = fixed(value, u32::from(info.decimals));
    if info.unit.is_empty() { number } else { format!("{number}{}{}", crate::format::THIN, info.unit) }
}

/// Why a column's latencies cannot be shown, if they cannot.
fn no_latencies(columns: &[ColumnView]) -> Option<AttrValue> {
    if columns.iter().all(|column| column.summary.percentiles.is_empty()) {
        return Some(text::NO_LATENCIES.into());
    }
    let is_empty = columns.iter().all(|column| column.summary.samples.latency_us.is_empty());
    is_empty.then(|| text::NO_SAMPLES.into())
}

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;
