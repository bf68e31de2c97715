//! A share against the number that was swept, one line a column, on a logarithmic axis with a place for nothing.

use yew::prelude::*;

use super::axis::Plot;
use super::svg::{label, line, path, picture, target};
use super::{Tone, marker, polyline, spread};
use crate::format::percents;
use crate::part::Frame;
use crate::scale::{LinearScale, LogScale};

/// A column as a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SweepSeries {
    /// The column's name.
    pub(crate) name: AttrValue,
    /// Its look.
    pub(crate) tone: Tone,
    /// Its points by rising value.
    pub(crate) points: Vec<SweepPoint>,
}

/// What the seeds of one value say of a column, in per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SweepPoint {
    /// The value of the number that is swept.
    pub(crate) value: u64,
    /// The mean over the seeds.
    pub(crate) mean: f64,
    /// The seed with the least.
    pub(crate) low: f64,
    /// The seed with the most.
    pub(crate) high: f64,
    /// How many seeds there are.
    pub(crate) seeds: usize,
}

/// Everything that the chart is drawn from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SweepChart {
    /// All values, also those that are still to be run.
    pub(crate) values: Vec<u64>,
    /// The columns.
    pub(crate) series: Vec<SweepSeries>,
    /// A value that is marked, between others perhaps, and why.
    pub(crate) mark: (f64, String),
}

/// Between the lowest share of the axis and the place of nothing.
const GAP: f64 = 22.0;

struct Geometry {
    plot: Plot,
    x: LinearScale,
    y: LogScale,
}

/// Draws the lines.
pub(crate) fn sweep_chart(
    chart: &SweepChart,
    frame: &Frame,
    (width, height): (f64, f64),
    words: &str,
) -> Html {
    let geometry = Geometry::new(chart, width, height);
    let plot = geometry.plot;
    let mut parts = Vec::new();
    shares(&geometry, &mut parts);
    let x = geometry.x.at(chart.mark.0);
    parts.push(line("mark", (x, plot.top), (x, plot.bottom)));
    let (anchor, beside) =
        if x < f64::midpoint(plot.left, plot.right) { ("start", 6.0) } else { ("end", -6.0) };
    parts.push(label("remark", (x + beside, plot.top + 10.0), anchor, &chart.mark.1));
    for series in &chart.series {
        draw_series(series, &geometry, &mut parts);
    }
    let wanted: Vec<f64> = chart.series.iter().map(|series| geometry.end(series)).collect();
    for (series, y) in chart.series.iter().zip(spread(&wanted, 16.0, plot.bottom)) {
        parts.push(label(&series.tone.with("name"), (plot.right + 6.0, y + 4.0), "start", &series.name));
    }
    let cell = (plot.right - plot.left) / chart.values.len().max(1) as f64;
    // Where numbers would touch each other only some of them are written, and the one that is selected.
    let every = if cell < 20.0 { 2 } else { 1 };
    for (index, value) in chart.values.iter().enumerate() {
        let x = geometry.x.at(*value as f64);
        let is_selected = frame.selected == Some(index);
        let class = if is_selected { "tick selected" } else { "tick" };
        if is_selected
            || index % every == 0 && frame.selected.is_none_or(|other| every <= other.abs_diff(index))
        {
            parts.push(label(class, (x, plot.bottom + 18.0), "middle", &value.to_string()));
        }
        let sides = [x - cell / 2.0, plot.top, cell, plot.bottom - plot.top + 26.0];
        parts.push(target(sides, index, is_selected, &frame.onselect));
    }
    picture("chart", width, height, words, parts)
}

impl Geometry {
    fn new(chart: &SweepChart, width: f64, height: f64) -> Geometry {
        let longest = chart.series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
        let plot =
            Plot { left: 58.0, right: width - 14.0 - 8.0 * longest as f64, top: 8.0, bottom: height - 28.0 };
        let values = chart.series.iter().flat_map(|series| &series.points);
        let values = values.flat_map(|point| [point.low, point.mean, point.high]);
        let y = LogScale::covering(values, (0.1, 1.0), (plot.bottom - GAP, plot.top));
        let ends = (chart.values.first().copied().unwrap_or(0), chart.values.last().copied().unwrap_or(1));
        let x = LinearScale::new((ends.0 as f64, ends.1 as f64), (plot.left + 18.0, plot.right - 18.0));
        Geometry { plot, x, y }
    }

    /// Where a share is drawn; nothing has a place of its own, which a logarithm does not know.
    fn at(&self, value: u64, share: f64) -> (f64, f64) {
        let y = if 0.0 < share { self.y.at(share) } else { self.plot.bottom };
        (self.x.at(value as f64), y)
    }

    /// Where the line of a column ends.
    fn end(&self, series: &SweepSeries) -> f64 {
        series.points.last().map_or(self.plot.bottom, |point| self.at(point.value, point.mean).1)
    }
}

fn shares(geometry: &Geometry, into: &mut Vec<Html>) {
    let plot = geometry.plot;
    for tick in geometry.y.ticks().iter().filter(|tick| tick.is_decade) {
        let y = geometry.y.at(tick.value);
        into.push(line("grid decade", (plot.left, y), (plot.right, y)));
        into.push(label("tick", (plot.left - 8.0, y + 4.0), "end", &share_words(tick.value)));
    }
    into.push(line("axis", (plot.left, plot.bottom), (plot.right, plot.bottom)));
    into.push(label("tick", (plot.left - 8.0, plot.bottom + 4.0), "end", &share_words(0.0)));
}

fn draw_series(series: &SweepSeries, geometry: &Geometry, into: &mut Vec<Html>) {
    for point in series.points.iter().filter(|point| point.low < point.high) {
        let (low, high) = (geometry.at(point.value, point.low), geometry.at(point.value, point.high));
        into.push(line(&series.tone.with("whisker"), low, high));
    }
    let places: Vec<(f64, f64)> =
        series.points.iter().map(|point| geometry.at(point.value, point.mean)).collect();
    into.push(path(&series.tone.with("line"), &polyline(places.iter().copied()), ""));
    into.extend(places.iter().map(|place| marker(series.tone, *place, 4.5, false)));
}

/// A share in per cent, however small.
pub(crate) fn share_words(share: f64) -> String {
    if 0.0 < share && share < 0.0095 {
        return format!("{}{}%", crate::format::fixed(share, 3), crate::format::THIN);
    }
    percents(share)
}
