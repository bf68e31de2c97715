//! How the wake-up latencies are distributed: one row of bars a column over a shared logarithmic axis.

use yew::prelude::*;

use super::axis::{Plot, Side, latency};
use super::svg::{label, line, picture, rect, target};
use super::{Tone, patterns};
use crate::part::Frame;
use crate::scale::LogScale;

/// Bins of equal width on a logarithmic axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LogBins {
    /// The lower end of the first bin in microseconds.
    pub(crate) start: f64,
    /// How many bins make a power of ten.
    pub(crate) per_decade: u32,
    /// How many bins there are.
    pub(crate) count: usize,
}

impl LogBins {
    /// The bins, `per_decade` of them to each power of ten, that hold every latency.
    pub(crate) fn covering(latencies: impl IntoIterator<Item = f64>, per_decade: u32) -> LogBins {
        let (low, high) = latencies
            .into_iter()
            .filter(|value| 0.0 < *value)
            .fold((10.0_f64, 100.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let first = (low.log10() * f64::from(per_decade) + 1e-9).floor();
        let last = (high.log10() * f64::from(per_decade) + 1e-9).floor();
        LogBins {
            start: 10_f64.powf(first / f64::from(per_decade)),
            per_decade,
            count: (last - first) as usize + 1,
        }
    }

    /// The bin that a latency falls into.
    pub(crate) fn index(&self, latency: f64) -> usize {
        let position = (latency.max(self.start) / self.start).log10() * f64::from(self.per_decade);
        ((position + 1e-9) as usize).min(self.count - 1)
    }

    /// The ends of a bin.
    pub(crate) fn ends(&self, bin: usize) -> (f64, f64) {
        let end = |bin: usize| self.start * 10_f64.powf(bin as f64 / f64::from(self.per_decade));
        (end(bin), end(bin + 1))
    }
}

/// A column's bars.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DistributionRow {
    /// The column's name.
    pub(crate) name: AttrValue,
    /// Its look.
    pub(crate) tone: Tone,
    /// How many wake-ups fall into each bin.
    pub(crate) counts: Vec<u64>,
    /// A remark at the right end of the row, such as how many waited long.
    pub(crate) remark: AttrValue,
}

/// Draws the rows from top to bottom.
pub(crate) fn distribution_chart(
    bins: LogBins,
    rows: &[DistributionRow],
    frame: &Frame,
    (width, height): (f64, f64),
    words: &str,
) -> Html {
    let plot = Plot { left: 12.0, right: width - 12.0, top: 4.0, bottom: height - 28.0 };
    let scale = LogScale::new((bins.start, bins.ends(bins.count - 1).1), (plot.left, plot.right));
    let row_height = (plot.bottom - plot.top) / rows.len().max(1) as f64;
    let most = rows.iter().flat_map(|row| &row.counts).copied().max().unwrap_or(0).max(1);
    let mut parts = vec![patterns("distribution")];
    latency(Side::Below, plot, &scale, &mut parts);
    for (index, row) in rows.iter().enumerate() {
        let floor = plot.top + row_height * (index as f64 + 1.0);
        let room = Plot { top: floor - row_height + 26.0, bottom: floor, ..plot };
        draw_row(row, bins, &scale, (room, most), &mut parts);
    }
    for bin in 0..bins.count {
        let (left, right) = sides(bins, bin, &scale);
        let sides = [left, plot.top, right - left, plot.bottom - plot.top];
        parts.push(target(sides, bin, frame.selected == Some(bin), &frame.onselect));
    }
    picture("chart", width, height, words, parts)
}

fn sides(bins: LogBins, bin: usize, scale: &LogScale) -> (f64, f64) {
    let (low, high) = bins.ends(bin);
    (scale.at(low), scale.at(high))
}

fn draw_row(
    row: &DistributionRow,
    bins: LogBins,
    scale: &LogScale,
    (room, most): (Plot, u64),
    into: &mut Vec<Html>,
) {
    into.push(line("axis", (room.left, room.bottom), (room.right, room.bottom)));
    for (bin, count) in row.counts.iter().enumerate().filter(|(_, count)| 0 < **count) {
        let (left, right) = sides(bins, bin, scale);
        // A single wake-up in a crowd must stay visible: it is the tail that the page is about.
        let height = ((*count as f64 / most as f64) * (room.bottom - room.top)).max(4.0);
        let sides = [left + 0.5, room.bottom - height, (right - left - 1.0).max(1.0), height];
        into.push(rect(&row.tone.with("bar"), sides, 0.0, &row.tone.fill("distribution")));
    }
    into.push(label(&row.tone.with("name"), (room.left + 2.0, room.top - 8.0), "", &row.name));
    into.push(label("remark", (room.right - 2.0, room.top - 8.0), "end", &row.remark));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_every_latency_exactly_once() {
        let latencies = [7.0, 31.0, 52.0, 83.0, 4152.0, 14_276.0];
        let bins = LogBins::covering(latencies, 8);
        assert!(latencies.map(|latency| bins.index(latency)).iter().all(|bin| *bin < bins.count));
        for latency in latencies {
            let (low, high) = bins.ends(bins.index(latency));
            assert!(low <= latency * 1.000_001 && latency < high, "{latency} in {low}..{high}");
        }
    }

    #[test]
    fn nothing_recorded_still_makes_an_axis() {
        let bins = LogBins::covering([], 8);
        assert!(bins.ends(0).0 <= 10.0 && 100.0 <= bins.ends(bins.count - 1).1);
    }
}
