//! How the wake-up latencies are distributed: one row of bars a column over a shared logarithmic axis.

use yew::prelude::*;

use super::axis::{Plot, latency_below};
use super::{Tone, patterns};
use crate::format::coordinate;
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

    /// How many of the weighted latencies fall into each bin.
    pub(crate) fn fill(&self, latencies: impl IntoIterator<Item = (f64, u64)>) -> Vec<u64> {
        let mut bins = vec![0; self.count];
        for (latency, weight) in latencies {
            bins[self.index(latency)] += weight;
        }
        bins
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

/// Properties of [`DistributionChart`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The bins of every row.
    pub(crate) bins: LogBins,
    /// The rows from top to bottom.
    pub(crate) rows: Vec<DistributionRow>,
    /// The width in CSS pixels.
    pub(crate) width: f64,
    /// The height in CSS pixels.
    pub(crate) height: f64,
    /// What the picture says, for those who do not see it.
    pub(crate) label: AttrValue,
    /// The bin that is read out below the chart.
    #[prop_or_default]
    pub(crate) selected: Option<usize>,
    /// Called with the bin under the pointer.
    #[prop_or_default]
    pub(crate) onselect: Callback<usize>,
}

/// See the module.
#[component]
pub(crate) fn DistributionChart(props: &Props) -> Html {
    let plot = Plot { left: 12.0, right: props.width - 12.0, top: 4.0, bottom: props.height - 28.0 };
    let ends = (props.bins.start, props.bins.ends(props.bins.count - 1).1);
    let scale = LogScale::new(ends, (plot.left, plot.right));
    let row_height = (plot.bottom - plot.top) / props.rows.len().max(1) as f64;
    let most = props.rows.iter().flat_map(|row| &row.counts).copied().max().unwrap_or(0).max(1);
    html! {
        <svg class="chart" role="img" aria-label={props.label.clone()} width={coordinate(props.width)}
            height={coordinate(props.height)}
            viewBox={format!("0 0 {} {}", coordinate(props.width), coordinate(props.height))}>
            { patterns("distribution") }
            { latency_below(plot, &scale) }
            { for props.rows.iter().enumerate().map(|(index, row)| {
                let floor = plot.top + row_height * (index as f64 + 1.0);
                let room = Plot { top: floor - row_height + 26.0, bottom: floor, ..plot };
                draw_row(row, props.bins, &scale, room, most)
            }) }
            { targets(props, &scale, plot) }
        </svg>
    }
}

fn draw_row(row: &DistributionRow, bins: LogBins, scale: &LogScale, room: Plot, most: u64) -> Html {
    let bars = row.counts.iter().enumerate().filter(|(_, count)| 0 < **count).map(|(bin, count)| {
        let (low, high) = bins.ends(bin);
        let (left, right) = (scale.at(low), scale.at(high));
        // A single wake-up in a crowd must stay visible: it is the tail that the page is about.
        let height = ((*count as f64 / most as f64) * (room.bottom - room.top)).max(4.0);
        html! {
            <rect class={classes!("bar", row.tone.class())} fill={format!("url(#{})", row.tone.pattern_id("distribution"))}
                x={coordinate(left + 0.5)} width={coordinate((right - left - 1.0).max(1.0))}
                y={coordinate(room.bottom - height)} height={coordinate(height)} />
        }
    });
    html! {
        <g>
            <line class="axis" x1={coordinate(room.left)} x2={coordinate(room.right)} y1={coordinate(room.bottom)}
                y2={coordinate(room.bottom)} />
            { for bars }
            <text class={classes!("name", row.tone.class())} x={coordinate(room.left + 2.0)}
                y={coordinate(room.top - 8.0)}>{ row.name.clone() }</text>
            <text class="remark" x={coordinate(room.right - 2.0)} y={coordinate(room.top - 8.0)} text-anchor="end">
                { row.remark.clone() }
            </text>
        </g>
    }
}

fn targets(props: &Props, scale: &LogScale, plot: Plot) -> Html {
    (0..props.bins.count)
        .map(|bin| {
            let (low, high) = props.bins.ends(bin);
            let (left, right) = (scale.at(low), scale.at(high));
            let choose = {
                let onselect = props.onselect.clone();
                move || onselect.emit(bin)
            };
            let onpointerenter = {
                let choose = choose.clone();
                Callback::from(move |_: PointerEvent| choose())
            };
            let onclick = Callback::from(move |_: MouseEvent| choose());
            html! {
                <rect class={classes!("target", (props.selected == Some(bin)).then_some("selected"))}
                    x={coordinate(left)} width={coordinate(right - left)} y={coordinate(plot.top)}
                    height={coordinate(plot.bottom - plot.top)} {onpointerenter} {onclick} />
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_every_latency_exactly_once() {
        let latencies = [7.0, 31.0, 52.0, 83.0, 4152.0, 14_276.0];
        let bins = LogBins::covering(latencies, 8);
        let counts = bins.fill(latencies.map(|latency| (latency, 1)));
        assert_eq!(counts.iter().sum::<u64>(), 6);
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
