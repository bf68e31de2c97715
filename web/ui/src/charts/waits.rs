//! How long tasks wait, by sort of wait: one line a column from the median to the longest, over a shared logarithmic axis.

use yew::prelude::*;

use super::axis::{Plot, Side, latency};
use super::svg::{label, line, picture};
use super::{Tone, marker};
use crate::scale::LogScale;

/// Waits of one sort.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WaitSort {
    /// What they are.
    pub(crate) name: &'static str,
    /// The columns.
    pub(crate) rows: Vec<WaitRow>,
}

/// Waits of one sort in one column, in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WaitRow {
    /// The column's name.
    pub(crate) name: AttrValue,
    /// Its look.
    pub(crate) tone: Tone,
    /// How many there are.
    pub(crate) count: u64,
    /// The median, the 99th percentile and the longest.
    pub(crate) values: [f64; 3],
}

const ROW: f64 = 22.0;
const HEAD: f64 = 24.0;

/// Draws the sorts from top to bottom.
pub(crate) fn waits_chart(sorts: &[WaitSort], width: f64, words: &str) -> Html {
    let rows = || sorts.iter().flat_map(|sort| &sort.rows);
    let longest = rows().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let height = sorts.iter().map(|sort| HEAD + ROW * sort.rows.len() as f64).sum();
    let plot = Plot { left: 14.0 + 8.0 * longest as f64, right: width - 12.0, top: 0.0, bottom: height };
    let values = rows().filter(|row| 0 < row.count).flat_map(|row| row.values);
    let scale = LogScale::covering(values, (1.0, 100.0), (plot.left, plot.right));
    let mut parts = Vec::new();
    latency(Side::Below, plot, &scale, &mut parts);
    let mut top = 0.0;
    for sort in sorts {
        parts.push(label("remark", (0.0, top + 16.0), "", sort.name));
        top += HEAD;
        for row in &sort.rows {
            draw_row(row, &scale, top + ROW / 2.0, &mut parts);
            top += ROW;
        }
    }
    picture("chart", width, height + 22.0, words, parts)
}

fn draw_row(row: &WaitRow, scale: &LogScale, y: f64, into: &mut Vec<Html>) {
    into.push(label(&row.tone.with("name"), (0.0, y + 4.5), "", &row.name));
    if row.count == 0 {
        return;
    }
    let [median, high, longest] = row.values.map(|value| scale.at(value));
    into.push(line(&row.tone.with("whisker"), (median, y), (longest, y)));
    into.push(line(&row.tone.with("high"), (high, y - 6.0), (high, y + 6.0)));
    into.push(marker(row.tone, (longest, y), 5.0, true));
    into.push(marker(row.tone, (median, y), 5.0, false));
}
