//! The strip under the headline: for each column the band over many seeds, this seed and the published figure, on
//! one logarithmic axis.

use yew::prelude::*;

use super::axis::{Plot, Side, latency};
use super::svg::{label, line, picture, rect};
use super::{Tone, marker, patterns};
use crate::scale::LogScale;

/// A row of the strip. All values in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StripRow {
    /// The column's name.
    pub(crate) name: AttrValue,
    /// Its look.
    pub(crate) tone: Tone,
    /// The value of this seed.
    pub(crate) value: f64,
    /// The middle 95 % of seeds and their median, once known.
    pub(crate) band: Option<(f64, f64, f64)>,
    /// What the patch's author measured.
    pub(crate) published: Option<f64>,
}

const ROW: f64 = 34.0;

/// Draws the rows from top to bottom.
pub(crate) fn range_strip(rows: &[StripRow], width: f64, words: &str) -> Html {
    let longest = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let left = 14.0 + 8.0 * longest as f64;
    let plot = Plot { left, right: width - 12.0, top: 6.0, bottom: 6.0 + ROW * rows.len() as f64 };
    let values = rows.iter().flat_map(|row| {
        let (low, _, high) = row.band.unwrap_or((row.value, row.value, row.value));
        [row.value, low, high, row.published.unwrap_or(row.value)]
    });
    let scale = LogScale::covering(values, (20.0, 200.0), (plot.left, plot.right));
    let mut parts = vec![patterns("strip")];
    latency(Side::Below, plot, &scale, &mut parts);
    for (index, row) in rows.iter().enumerate() {
        draw_row(row, &scale, plot.top + ROW * (index as f64 + 0.5), &mut parts);
    }
    picture("chart strip", width, plot.bottom + 24.0, words, parts)
}

fn draw_row(row: &StripRow, scale: &LogScale, y: f64, into: &mut Vec<Html>) {
    into.push(label(&row.tone.with("name"), (0.0, y + 4.5), "", &row.name));
    if let Some((low, median, high)) = row.band {
        let (left, right) = (scale.at(low), scale.at(high));
        let sides = [left - 1.0, y - 8.0, (right - left).max(1.0) + 2.0, 16.0];
        into.push(rect(&row.tone.with("band"), sides, 3.0, &row.tone.fill("strip")));
        let x = scale.at(median);
        into.push(line(&row.tone.with("median"), (x, y - 8.0), (x, y + 8.0)));
    }
    if let Some(published) = row.published {
        into.push(marker(row.tone, (scale.at(published), y), 8.5, true));
    }
    into.push(marker(row.tone, (scale.at(row.value), y), 5.0, false));
}
