//! The sweep of one number: a button that begins it, the chart that grows, and the table that stands in for it.

use std::collections::BTreeMap;
use std::rc::Rc;

use yew::prelude::*;

use super::frame::{Panel, blank, progress};
use super::{chart_box, chart_size};
use crate::band::Band;
use crate::charts::{SweepChart, SweepPoint, SweepSeries, Tone, share_words, sweep_chart};
use crate::columns::Scope;
use crate::controls::Button;
use crate::markup::{Cell, Table, el, said};
use crate::orders::{Order, Orders, click};
use crate::part::{Frame, framed};
use crate::state::BandStatus;
use crate::sweep::{SEEDS, Sweep};
use crate::text;

/// What the sweep is shown from.
#[derive(Clone, PartialEq)]
pub(crate) struct SweepView {
    /// The sweep that the scenario offers; none where it offers none, and then there is no panel.
    pub(crate) sweep: Option<Sweep>,
    /// The columns: their names and looks.
    pub(crate) columns: Vec<(AttrValue, Tone)>,
    /// The runs of each value.
    pub(crate) bands: Rc<BTreeMap<u64, Band>>,
    /// How it stands.
    pub(crate) status: BandStatus,
    /// Whether an interval is chosen, to which runs of many seeds cannot be restricted.
    pub(crate) scope: Scope,
    /// Where orders go.
    pub(crate) orders: Orders,
}

/// See the module.
pub(crate) fn sweep_panel(view: &SweepView) -> Html {
    let Some(sweep) = &view.sweep else { return Html::default() };
    let state = match &view.status {
        BandStatus::Waiting => "empty",
        BandStatus::UnderWay => "loading",
        BandStatus::Done => "full",
        BandStatus::Stopped => "stopped",
        BandStatus::Failed(_) => "error",
    };
    let mut parts = Vec::new();
    match &view.status {
        BandStatus::Waiting => parts.push(blank(&text::sweep_offer(sweep.label(), ends(sweep), SEEDS))),
        BandStatus::Failed(message) => {
            let words = vec![said("strong", "", text::FAILED), said("span", "", message)];
            parts.push(el("div", &[("class", "blank error")], words));
        }
        _ => {}
    }
    parts.push(how_far(view, sweep));
    let chart = chart(view, sweep);
    if chart.series.iter().any(|series| !series.points.is_empty()) {
        parts.push(framed(chart, draw));
    }
    Panel { id: "sweep", title: text::SWEEP, note: &view.scope.note(text::SWEEP_NOTE), state }.html(parts)
}

fn ends(sweep: &Sweep) -> (u64, u64) {
    (sweep.values.first().copied().unwrap_or(0), sweep.values.last().copied().unwrap_or(0))
}

fn how_far(view: &SweepView, sweep: &Sweep) -> Html {
    let done: usize = view.bands.values().map(|band| band.runs(0)).sum();
    let words = text::sweep_progress(done, sweep.runs());
    let start = |label| {
        Button::small(label, "sweep-start").class("primary").html(click(&view.orders, Order::StartSweep))
    };
    let button = match &view.status {
        BandStatus::Waiting | BandStatus::Stopped => start(text::SWEEP_START),
        BandStatus::UnderWay => {
            Button::small(text::CANCEL, "sweep-stop").html(click(&view.orders, Order::StopSweep))
        }
        BandStatus::Done => return said("p", "help", &text::sweep_done(SEEDS)),
        BandStatus::Failed(_) => start(text::TRY_AGAIN),
    };
    let said_words = match &view.status {
        BandStatus::Stopped => text::sweep_stopped(&words),
        BandStatus::UnderWay => words.clone(),
        _ => String::new(),
    };
    let mut parts = vec![said("span", "", &said_words), button];
    if view.status == BandStatus::UnderWay {
        parts.push(progress(Some(done as f64 / sweep.runs().max(1) as f64), &words));
    }
    let done = done.to_string();
    let attributes = [("class", "progress-row"), ("data-testid", "sweep-progress"), ("data-done", &*done)];
    el("div", &attributes, parts)
}

fn chart(view: &SweepView, sweep: &Sweep) -> SweepChart {
    let series = |(column, (name, tone)): (usize, &(AttrValue, Tone))| SweepSeries {
        name: name.clone(),
        tone: *tone,
        points: view
            .bands
            .iter()
            .filter_map(|(value, band)| point(*value, &band.values_of(column, sweep.metric)?))
            .collect(),
    };
    let (groups, cpus) = sweep.full;
    SweepChart {
        values: sweep.values.clone(),
        series: view.columns.iter().enumerate().map(series).collect(),
        mark: (cpus as f64 / groups as f64, text::sweep_mark(groups, cpus)),
    }
}

fn point(value: u64, shares: &[f64]) -> Option<SweepPoint> {
    let seeds = shares.len();
    let ends = shares.iter().copied().map(|share| (share, share));
    let (low, high) = ends.reduce(|(low, high), (share, _)| (low.min(share), high.max(share)))?;
    let mean = shares.iter().sum::<f64>() / seeds as f64;
    Some(SweepPoint { value, mean: 100.0 * mean, low: 100.0 * low, high: 100.0 * high, seeds })
}

fn draw(chart: &SweepChart, frame: &Frame) -> Html {
    let marked = || chart.values.iter().position(|value| chart.mark.0 <= *value as f64);
    let selected = frame.selected.or_else(marked).filter(|index| *index < chart.values.len());
    let frame = Frame { selected, ..frame.clone() };
    let size = chart_size(frame.width, 900.0);
    let mut parts = vec![sweep_chart(chart, &frame, size, text::SWEEP_LABEL)];
    if let Some(value) = selected.and_then(|index| chart.values.get(index)) {
        parts.push(readout(chart, *value));
    }
    parts.push(table(chart));
    chart_box(&frame, parts)
}

fn at(series: &SweepSeries, value: u64) -> Option<&SweepPoint> {
    series.points.iter().find(|point| point.value == value)
}

fn readout(chart: &SweepChart, value: u64) -> Html {
    let mut table = Table { class: "readout wraps", ..Table::default() };
    table.head = vec![text::sweep_value(value).into(), text::SWEEP_MEAN.into(), text::SWEEP_ENDS.into()];
    for series in &chart.series {
        let mut row = vec![Cell::toned(&series.name, series.tone)];
        row.extend(cells(at(series, value)));
        table.rows.push(row);
    }
    table.html()
}

fn cells(point: Option<&SweepPoint>) -> [Cell; 2] {
    let Some(point) = point else { return [text::NOT_YET.into(), text::NOT_YET.into()] };
    [share_words(point.mean).into(), text::from_to(&share_words(point.low), &share_words(point.high)).into()]
}

fn table(chart: &SweepChart) -> Html {
    let mut table = Table { testid: "sweep-table".to_owned(), ..Table::default() };
    table.head.push(text::SWEEP_THREADS.into());
    for series in &chart.series {
        table.head.push(Cell::toned(&series.name, series.tone));
        table.head.push(Cell::toned(&text::band_heading(&series.name), series.tone));
    }
    for value in &chart.values {
        let mut row = vec![Cell::from(value.to_string())];
        row.extend(chart.series.iter().flat_map(|series| cells(at(series, *value))));
        table.rows.push(row);
    }
    table.folded(text::AS_TABLE)
}
