//! Every figure and counter of the runs, as a table.

use protocol::{MetricInfo, RunSummary};
use yew::prelude::*;

use super::frame::Panel;
use super::{PanelState, figure, note};
use crate::columns::{ColumnView, Results, Scope};
use crate::format::{count, nanos};
use crate::markup::{Cell, Table, el, said};
use crate::text;

/// See the module.
pub(crate) fn figures_panel(results: &PanelState<Results>) -> Html {
    let body = results.body(|results| {
        let parts = vec![
            said("summary", "", text::ALL_FIGURES),
            table(results).scrolling(),
            said("p", "help", if is_part(results) { text::FIGURES_OF_PART } else { text::TRACE_HASH_HELP }),
        ];
        el("details", &[("class", "fades")], parts)
    });
    Panel { id: "figures", title: text::FIGURES, note: &note(results, ""), state: results.name() }
        .html(vec![body])
}

fn is_part(results: &Results) -> bool {
    matches!(results.scope, Scope::Part(_))
}

fn table(results: &Results) -> Table {
    let mut table = Table { testid: "figures-table".to_owned(), ..Table::default() };
    table.head.push(text::FIGURE.into());
    for column in &*results.columns {
        table.head.push(Cell::toned(&column.name, column.tone));
        if results.band.is_some() {
            table.head.push(text::band_heading(&column.name).into());
        }
    }
    let Some(first) = results.columns.first().map(|column| &column.summary) else { return table };
    for known in &first.metrics {
        row(results, &known.info.label, &mut table, &|column| metric(results, column, &known.info));
    }
    // Some counters are figures as well.
    let is_metric = |label: &str| first.metrics.iter().any(|metric| metric.info.label == label);
    for known in first.counters.iter().filter(|counter| !is_metric(&counter.label)) {
        row(results, &known.label, &mut table, &|column| (counter(&column.summary, &known.key).into(), None));
    }
    if is_part(results) {
        return table;
    }
    row(results, text::EVENTS, &mut table, &|column| (count(column.summary.events).into(), None));
    row(results, text::WALL_TIME, &mut table, &|column| {
        (nanos(column.summary.wall_ms * 1e6).text().into(), None)
    });
    row(results, text::TRACE_HASH, &mut table, &|column| {
        let words = column.summary.trace_hash.clone();
        (Cell { words, class: "mono", testid: format!("hash-{}", column.name) }, None)
    });
    table
}

/// A row: for each column the value of this seed and, where there is one, the band.
fn row(
    results: &Results,
    label: &str,
    table: &mut Table,
    cell: &dyn Fn(&ColumnView) -> (Cell, Option<String>),
) {
    let mut cells = vec![Cell::from(label)];
    for column in &*results.columns {
        let (value, band) = cell(column);
        cells.push(value);
        if results.band.is_some() {
            cells.push(Cell { class: "soft", ..Cell::from(band.unwrap_or_default()) });
        }
    }
    table.rows.push(cells);
}

fn metric(results: &Results, column: &ColumnView, info: &MetricInfo) -> (Cell, Option<String>) {
    let value = column.summary.metric(&info.key).map_or(String::new(), |value| figure(value, info));
    let band = results.spread(column, &info.key);
    (value.into(), band.map(|band| text::from_to(&figure(band.low, info), &figure(band.high, info))))
}

fn counter(summary: &RunSummary, key: &str) -> String {
    let Some(counter) = summary.counters.iter().find(|counter| counter.key == key) else {
        return String::new();
    };
    if key.ends_with("_ns") { nanos(counter.value as f64).text() } else { count(counter.value) }
}
