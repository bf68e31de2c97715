//! The percentiles of every column: picture, readout and table.

use yew::prelude::*;

use super::frame::Panel;
use super::{PanelState, chart_box, chart_size, no_latencies, note};
use crate::charts::{PercentilePoint, PercentileSeries, percentile_chart};
use crate::columns::{ColumnView, Results, Scope};
use crate::format::micros;
use crate::markup::{Cell, Table};
use crate::part::{Frame, framed};
use crate::text;

/// The figure that ends the line of percentiles.
const LARGEST: &str = "max_us";

/// See the module.
pub(crate) fn percentiles_panel(results: &PanelState<Results>) -> Html {
    let state = results.and_then(|results| no_latencies(results).map_or_else(|| Ok(Shown::of(results)), Err));
    let body = state.body(|shown| framed(shown.clone(), chart));
    Panel {
        id: "percentiles",
        title: text::PERCENTILES,
        note: &note(results, text::PERCENTILES_NOTE),
        state: state.name(),
    }
    .html(vec![body])
}

/// What is drawn.
#[derive(Clone, PartialEq)]
struct Shown {
    series: Vec<PercentileSeries>,
    /// Whether there can be bands over seeds, at once or later.
    has_bands: bool,
}

impl Shown {
    fn of(results: &Results) -> Shown {
        Shown { series: series(results), has_bands: !matches!(results.scope, Scope::Part(_)) }
    }
}

fn chart(shown: &Shown, frame: &Frame) -> Html {
    let series = &shown.series;
    let points = series.iter().map(|series| series.points.len()).min().unwrap_or(0);
    let starred = || series.first()?.points.iter().position(|point| point.rank == "p99");
    let selected = frame.selected.or_else(starred).filter(|index| *index < points);
    let frame = Frame { selected, ..frame.clone() };
    let size = chart_size(frame.width, 620.0);
    let mut parts = vec![percentile_chart(series, &frame, size, text::PERCENTILES_LABEL)];
    parts.extend(selected.map(|index| readout(shown, index)));
    parts.push(table(series, points));
    chart_box(&frame, parts)
}

/// The columns as lines: the percentiles that the benchmark prints, and the largest latency.
fn series(results: &Results) -> Vec<PercentileSeries> {
    let point = |column: &ColumnView, rank: String, key: &str, value: f64| PercentilePoint {
        rank: rank.into(),
        value,
        band: results.spread(column, key).map(|spread| (spread.low, spread.median, spread.high)),
        published: results.published(column, key),
    };
    let line = |column: &ColumnView| {
        let mut points = Vec::new();
        for percentile in &column.summary.percentiles {
            let rank = percentile.label.trim_end_matches('0').trim_end_matches('.');
            points.push(point(column, format!("p{rank}"), &percentile.key, percentile.value_us));
        }
        let largest = column.summary.metric(LARGEST);
        points.extend(largest.map(|value| point(column, text::LARGEST.to_owned(), LARGEST, value)));
        PercentileSeries { name: column.name.clone(), tone: column.tone, points }
    };
    results.columns.iter().map(line).collect()
}

fn readout(Shown { series, has_bands }: &Shown, index: usize) -> Html {
    let has_published = series.iter().any(|series| series.points[index].published.is_some());
    let mut table = Table { class: "readout wraps", ..Table::default() };
    let rank = series.first().map_or("", |series| &series.points[index].rank);
    table.head = vec![rank.into(), text::KEY_SEED.into()];
    if *has_bands {
        table.head.push(text::BAND.into());
    }
    if has_published {
        table.head.push(text::PUBLISHED.into());
    }
    for series in series {
        let mut row = vec![Cell::toned(&series.name, series.tone)];
        cells(&series.points[index], *has_bands, has_published, &mut row);
        table.rows.push(row);
    }
    table.html()
}

fn table(series: &[PercentileSeries], points: usize) -> Html {
    let has_bands = series.iter().any(|series| series.points.iter().any(|point| point.band.is_some()));
    let has_published =
        |series: &PercentileSeries| series.points.iter().any(|point| point.published.is_some());
    let mut table = Table { testid: "percentiles-table".to_owned(), ..Table::default() };
    table.head.push(text::PERCENTILE.into());
    for series in series {
        table.head.push(Cell::toned(&series.name, series.tone));
        if has_bands {
            table.head.push(Cell::toned(&text::band_heading(&series.name), series.tone));
        }
        if has_published(series) {
            table.head.push(Cell::toned(&text::published_heading(&series.name), series.tone));
        }
    }
    for index in 0..points {
        let mut row = vec![Cell::from(&*series[0].points[index].rank)];
        for series in series {
            cells(&series.points[index], has_bands, has_published(series), &mut row);
        }
        table.rows.push(row);
    }
    table.folded(text::AS_TABLE)
}

fn cells(point: &PercentilePoint, has_bands: bool, has_published: bool, into: &mut Vec<Cell>) {
    into.push(micros(point.value).text().into());
    if has_bands {
        let band = point.band.map(|(low, _, high)| text::interval(low, high));
        into.push(band.unwrap_or_else(|| text::NOT_YET.to_owned()).into());
    }
    if has_published {
        into.push(point.published.map_or(String::new(), |us| micros(us).text()).into());
    }
}
