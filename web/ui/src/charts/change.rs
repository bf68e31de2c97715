//! Changes in per cent with their intervals, on an axis around 0.

use yew::prelude::*;

use super::axis::Plot;
use super::svg::{label, line, picture, rect};
use super::{Tone, marker, patterns};
use crate::band::Paired;
use crate::format::{THIN, signed_percent};
use crate::scale::LinearScale;

/// A row of the strip.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChangeRow {
    /// The column's name.
    pub(crate) name: AttrValue,
    /// Its look.
    pub(crate) tone: Tone,
    /// How it differs from the first column.
    pub(crate) change: Paired,
}

const ROW: f64 = 40.0;

/// Draws the rows from top to bottom.
pub(crate) fn change_strip(rows: &[ChangeRow], width: f64, words: &str) -> Html {
    let longest = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let left = 14.0 + 8.0 * longest as f64;
    let plot = Plot { left, right: width - 28.0, top: 6.0, bottom: 6.0 + ROW * rows.len() as f64 };
    let reach = rows
        .iter()
        .map(|row| row.change.low.abs().max(row.change.high.abs()))
        .fold(1.5 * Paired::SMALL, f64::max)
        * 1.1;
    let scale = LinearScale::new((-reach, reach), (plot.left, plot.right));
    let mut parts = vec![patterns("change")];
    let (from, to) = (scale.at(-Paired::SMALL), scale.at(Paired::SMALL));
    parts.push(rect("small-change", [from, plot.top, to - from, plot.bottom - plot.top], 0.0, ""));
    for tick in scale.ticks(6) {
        let x = scale.at(tick);
        let class = if tick == 0.0 { "axis" } else { "grid" };
        parts.push(line(class, (x, plot.top), (x, plot.bottom)));
        parts.push(label("tick", (x, plot.bottom + 16.0), "middle", &tick_words(tick)));
    }
    for (index, row) in rows.iter().enumerate() {
        draw_row(row, &scale, plot.top + ROW * (index as f64 + 0.5), &mut parts);
    }
    picture("chart strip", width, plot.bottom + 24.0, words, parts)
}

fn tick_words(tick: f64) -> String {
    if tick == 0.0 { format!("0{THIN}%") } else { signed_percent(tick) }
}

fn draw_row(row: &ChangeRow, scale: &LinearScale, y: f64, into: &mut Vec<Html>) {
    into.push(label(&row.tone.with("name"), (0.0, y + 4.5), "", &row.name));
    let (left, right) = (scale.at(row.change.low), scale.at(row.change.high));
    let sides = [left - 1.0, y - 8.0, right - left + 2.0, 16.0];
    into.push(rect(&row.tone.with("band"), sides, 3.0, &row.tone.fill("change")));
    into.push(marker(row.tone, (scale.at(row.change.mean), y), 5.0, false));
}
