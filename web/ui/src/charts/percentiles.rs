//! Percentiles of the wake-up latency, one line a column, on a logarithmic axis.

use yew::prelude::*;

use super::axis::{Plot, Side, latency};
use super::svg::{label, line, path, picture, target};
use super::{Tone, marker, patterns, polyline, spread};
use crate::part::Frame;
use crate::scale::{LinearScale, LogScale};

/// A column as a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PercentileSeries {
    /// The column's name.
    pub(crate) name: AttrValue,
    /// Its look.
    pub(crate) tone: Tone,
    /// Its points by rising percentile.
    pub(crate) points: Vec<PercentilePoint>,
}

/// One percentile of one column. All values in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PercentilePoint {
    /// Which, as it is called: `p99.5`.
    pub(crate) rank: AttrValue,
    /// The value of this seed.
    pub(crate) value: f64,
    /// The middle 95 % of seeds and their median, once known.
    pub(crate) band: Option<(f64, f64, f64)>,
    /// What the patch's author measured.
    pub(crate) published: Option<f64>,
}

/// Below this width in CSS pixels labels get shorter.
const NARROW: f64 = 440.0;

struct Geometry {
    plot: Plot,
    is_narrow: bool,
    x: LinearScale,
    y: LogScale,
}

/// Draws the columns.
pub(crate) fn percentile_chart(
    series: &[PercentileSeries],
    frame: &Frame,
    (width, height): (f64, f64),
    words: &str,
) -> Html {
    let geometry = Geometry::new(series, width, height);
    let mut parts = vec![patterns("percentiles")];
    latency(Side::Left, geometry.plot, &geometry.y, &mut parts);
    ranks(series, frame.selected, &geometry, &mut parts);
    for series in series {
        ribbon(series, &geometry, &mut parts);
    }
    for series in series {
        markers(series, &geometry, &mut parts);
    }
    names(series, &geometry, &mut parts);
    targets(series, &geometry, frame, &mut parts);
    picture("chart", width, height, words, parts)
}

impl Geometry {
    fn new(series: &[PercentileSeries], width: f64, height: f64) -> Geometry {
        let is_narrow = width < NARROW;
        // Names stand right of the lines where there is room, else above their ends.
        let longest = series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
        let margin = if is_narrow { 4.0 } else { 12.0 + 8.0 * longest as f64 };
        let plot = Plot { left: 54.0, right: width - margin, top: 12.0, bottom: height - 28.0 };
        let values = series.iter().flat_map(|series| &series.points).flat_map(|point| {
            let (low, _, high) = point.band.unwrap_or((point.value, point.value, point.value));
            [point.value, low, high, point.published.unwrap_or(point.value)]
        });
        let y = LogScale::covering(values, (20.0, 200.0), (plot.bottom, plot.top));
        // Ranks stand at equal distances: to scale, those that everybody reads would be crowded into a corner.
        let last = series.iter().map(|series| series.points.len()).max().unwrap_or(0).saturating_sub(1);
        let x = LinearScale::new((0.0, last.max(1) as f64), (plot.left + 18.0, plot.right - 18.0));
        Geometry { plot, is_narrow, x, y }
    }

    fn at(&self, index: usize, value: f64) -> (f64, f64) {
        (self.x.at(index as f64), self.y.at(value))
    }
}

fn ranks(series: &[PercentileSeries], selected: Option<usize>, geometry: &Geometry, into: &mut Vec<Html>) {
    let plot = geometry.plot;
    for (index, point) in series.first().iter().flat_map(|series| &series.points).enumerate() {
        let x = geometry.x.at(index as f64);
        let is_selected = selected == Some(index);
        if is_selected {
            into.push(line("cursor", (x, plot.top), (x, plot.bottom)));
        }
        let words = if geometry.is_narrow { point.rank.trim_start_matches('p') } else { &point.rank };
        let class = if is_selected { "tick selected" } else { "tick" };
        into.push(label(class, (x, plot.bottom + 18.0), "middle", words));
    }
}

fn ribbon(series: &PercentileSeries, geometry: &Geometry, into: &mut Vec<Html>) {
    let banded: Vec<(usize, (f64, f64, f64))> =
        series.points.iter().enumerate().filter_map(|(index, point)| Some((index, point.band?))).collect();
    if banded.len() < 2 {
        return;
    }
    let upper = banded.iter().map(|(index, (_, _, high))| geometry.at(*index, *high));
    let lower = banded.iter().rev().map(|(index, (low, _, _))| geometry.at(*index, *low));
    let outline = polyline(upper.chain(lower)) + "Z";
    let median = polyline(banded.iter().map(|(index, (_, median, _))| geometry.at(*index, *median)));
    into.push(path(&series.tone.with("band"), &outline, &series.tone.fill("percentiles")));
    into.push(path(&series.tone.with("median"), &median, ""));
}

/// What was published under what was simulated.
fn markers(series: &PercentileSeries, geometry: &Geometry, into: &mut Vec<Html>) {
    for (index, point) in series.points.iter().enumerate() {
        if let Some(published) = point.published {
            into.push(marker(series.tone, geometry.at(index, published), 8.0, true));
        }
    }
    let places: Vec<(f64, f64)> =
        series.points.iter().enumerate().map(|(index, point)| geometry.at(index, point.value)).collect();
    into.push(path(&series.tone.with("line"), &polyline(places.iter().copied()), ""));
    into.extend(places.iter().map(|place| marker(series.tone, *place, 4.5, false)));
}

fn names(series: &[PercentileSeries], geometry: &Geometry, into: &mut Vec<Html>) {
    let plot = geometry.plot;
    let (x, anchor) =
        if geometry.is_narrow { (plot.right - 4.0, "end") } else { (plot.right + 4.0, "start") };
    let wanted: Vec<f64> = series
        .iter()
        .map(|series| series.points.last().map_or(plot.bottom, |point| geometry.y.at(point.value)))
        .map(|y| match geometry.is_narrow {
            false => y,
            // Above the line, or below one that runs along the top.
            true if y < plot.top + 24.0 => y + 20.0,
            true => y - 18.0,
        })
        .collect();
    for (series, y) in series.iter().zip(spread(&wanted, 16.0, plot.bottom)) {
        into.push(label(&series.tone.with("name"), (x, y + 4.0), anchor, &series.name));
    }
}

fn targets(series: &[PercentileSeries], geometry: &Geometry, frame: &Frame, into: &mut Vec<Html>) {
    let plot = geometry.plot;
    let cell = (geometry.x.at(1.0) - geometry.x.at(0.0)).max(1.0);
    for index in 0..series.first().map_or(0, |series| series.points.len()) {
        let left = geometry.x.at(index as f64) - cell / 2.0;
        let sides = [left, plot.top, cell, plot.bottom - plot.top + 26.0];
        into.push(target(sides, index, false, &frame.onselect));
    }
}
