//! What holds over the time of a run: one row of stacked bands a column, all rows over the same axes.

use yew::prelude::*;

use super::axis::Plot;
use super::svg::{label, line, path, picture, rect};
use super::{Tone, polyline};
use crate::format::{THIN, coordinate, seconds, significant};
use crate::markup::el;
use crate::scale::LinearScale;
use crate::text::decimals_of_step;

/// A column's bands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TimeRow {
    /// The column's name.
    pub(crate) name: AttrValue,
    /// Its look.
    pub(crate) tone: Tone,
    /// A remark at the right end of the row.
    pub(crate) remark: String,
    /// How wide a bin is, in nanoseconds.
    pub(crate) bin_ns: f64,
    /// The bands from the lowest to the highest, a value a bin.
    pub(crate) bands: Vec<Vec<f32>>,
}

/// Everything that the chart is drawn from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OverTime {
    /// The columns.
    pub(crate) rows: Vec<TimeRow>,
    /// From when to when, in nanoseconds.
    pub(crate) span: (f64, f64),
    /// The chart in words.
    pub(crate) words: &'static str,
}

/// How high a row is.
const ROW: f64 = 74.0;
/// What of it is above the bands.
const HEAD: f64 = 22.0;
/// How many bands have a look of their own.
const LOOKS: usize = 4;

/// Draws the rows from top to bottom.
pub(crate) fn over_time_chart(chart: &OverTime, width: f64) -> Html {
    let height = ROW * chart.rows.len() as f64;
    let plot = Plot { left: 40.0, right: width - 12.0, top: 0.0, bottom: height };
    let x = LinearScale::new(chart.span, (plot.left, plot.right));
    let most = chart.rows.iter().map(TimeRow::highest).fold(0.0, f64::max);
    let most = if 0.0 < most { most } else { 1.0 };
    let mut parts = vec![patterns()];
    moments(&x, chart.span, plot, &mut parts);
    for (index, row) in chart.rows.iter().enumerate() {
        let floor = ROW * (index as f64 + 1.0) - 6.0;
        let y = LinearScale::new((0.0, most), (floor, floor - ROW + HEAD + 6.0));
        draw_row(row, chart.span.0, (&x, &y), plot, &mut parts);
        parts.push(label("tick", (plot.left - 6.0, y.at(most) + 8.0), "end", &highest(most)));
        parts.push(label("tick", (plot.left - 6.0, floor), "end", "0"));
    }
    picture("chart", width, height + 22.0, chart.words, parts)
}

impl TimeRow {
    /// The bands up to each of them, added up.
    fn sums(&self) -> Vec<Vec<f64>> {
        let bins = self.bands.iter().map(Vec::len).max().unwrap_or(0);
        let mut so_far = vec![0.0; bins];
        let add = |band: &Vec<f32>| {
            for (sum, value) in so_far.iter_mut().zip(band) {
                *sum += f64::from(*value);
            }
            so_far.clone()
        };
        self.bands.iter().map(add).collect()
    }

    fn highest(&self) -> f64 {
        self.sums().pop().into_iter().flatten().fold(0.0, f64::max)
    }
}

/// The end of an axis: whole where it is more than one.
fn highest(most: f64) -> String {
    if most < 1.0 { significant(most) } else { coordinate(most) }
}

fn moments(x: &LinearScale, span: (f64, f64), plot: Plot, into: &mut Vec<Html>) {
    let ticks = x.ticks(((plot.right - plot.left) / 110.0) as usize);
    let step = ticks.windows(2).next().map_or(span.1 - span.0, |pair| pair[1] - pair[0]);
    let decimals = decimals_of_step(step);
    for tick in ticks {
        let at = x.at(tick);
        into.push(line("grid", (at, plot.top), (at, plot.bottom)));
        let (place, anchor) =
            if plot.right - 24.0 < at { (plot.right + 12.0, "end") } else { (at, "middle") };
        let words = format!("{}{THIN}s", seconds(tick, decimals));
        into.push(label("tick", (place, plot.bottom + 16.0), anchor, &words));
    }
}

fn draw_row(
    row: &TimeRow,
    from: f64,
    (x, y): (&LinearScale, &LinearScale),
    plot: Plot,
    into: &mut Vec<Html>,
) {
    let floor = y.at(0.0);
    // What is higher is drawn first and covered from below.
    for (band, sums) in
        row.sums().iter().enumerate().rev().filter(|(_, sums)| sums.iter().any(|sum| 0.0 < *sum))
    {
        let mut corners = vec![(x.at(from), floor)];
        let mut before = 0.0;
        for (bin, sum) in sums.iter().enumerate() {
            // Most of a run is alike.
            if sum.to_bits() != f64::to_bits(before) {
                let at = x.at(from + bin as f64 * row.bin_ns);
                corners.extend([(at, y.at(before)), (at, y.at(*sum))]);
                before = *sum;
            }
        }
        let end = x.at(from + sums.len() as f64 * row.bin_ns).min(plot.right);
        corners.extend([(end, y.at(before)), (end, floor)]);
        let (class, fill) = look(row, band);
        into.push(path(&class, &(polyline(corners) + "Z"), &fill));
    }
    into.push(line("axis", (plot.left, floor), (plot.right, floor)));
    let head = floor - ROW + 6.0 + 14.0;
    into.push(label(&row.tone.with("name"), (plot.left + 2.0, head), "", &row.name));
    into.push(label("remark", (plot.right - 2.0, head), "end", &row.remark));
}

/// One band alone has the colour of its column; several have looks of their own.
fn look(row: &TimeRow, band: usize) -> (String, String) {
    if row.bands.len() == 1 {
        (row.tone.with("level"), String::new())
    } else {
        (format!("cause cause-{band}"), format!("url(#cause-{band})"))
    }
}

/// A sample of a band for the key.
pub(crate) fn band_swatch(band: usize) -> Html {
    super::sign(
        26.0,
        12.0,
        vec![rect(
            &format!("cause cause-{band}"),
            [0.5, 0.5, 25.0, 11.0],
            0.0,
            &format!("url(#cause-{band})"),
        )],
    )
}

/// What tells the bands apart besides their colours.
fn patterns() -> Html {
    let inks = ["M1 1h2v2h-2z", "", "M-1 6L6 -1", "M-1 2.5h7M2.5 -1v7"];
    let pattern = |band: usize| {
        let (id, class) = (format!("cause-{band}"), format!("cause-{band}"));
        let attributes = [
            ("id", &*id),
            ("class", &class),
            ("width", "5"),
            ("height", "5"),
            ("patternUnits", "userSpaceOnUse"),
        ];
        let ground = rect("cause-ground", [0.0, 0.0, 5.0, 5.0], 0.0, "");
        el("pattern", &attributes, vec![ground, path("cause-ink", inks[band], "")])
    };
    el("defs", &[], (0..LOOKS).map(pattern).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_lie_on_one_another() {
        let row = TimeRow {
            name: "base".into(),
            tone: Tone::Base,
            remark: String::new(),
            bin_ns: 10.0,
            bands: vec![vec![1.0, 0.0], vec![0.5, 2.0]],
        };
        assert_eq!(row.sums(), [vec![1.0, 0.0], vec![1.5, 2.0]]);
        assert!((row.highest() - 2.0).abs() < 1e-9);
        assert!(TimeRow { bands: Vec::new(), ..row }.highest() < 1e-9, "nothing is no height");
    }
}
