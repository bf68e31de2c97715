//! Axes that the charts share.

use yew::prelude::*;

use super::svg::{label, line};
use crate::format::micros;
use crate::scale::LogScale;

/// The plot area in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// The latency axis of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Along the bottom, with lines up through the plot.
    Below,
    /// Along the left, with lines across the plot.
    Left,
}

/// A latency axis.
pub(super) fn latency(side: Side, plot: Plot, scale: &LogScale, into: &mut Vec<Html>) {
    for tick in scale.ticks() {
        let at = scale.at(tick.value);
        let class = if tick.is_decade { "grid decade" } else { "grid" };
        let (from, to, place, anchor) = match side {
            // A label at the end of the axis would be cut in its middle.
            Side::Below if plot.right - 8.0 < at => {
                ((at, plot.top), (at, plot.bottom), (plot.right + 12.0, plot.bottom + 16.0), "end")
            }
            Side::Below => ((at, plot.top), (at, plot.bottom), (at, plot.bottom + 16.0), "middle"),
            Side::Left => ((plot.left, at), (plot.right, at), (plot.left - 8.0, at + 4.0), "end"),
        };
        into.push(line(class, from, to));
        if tick.is_decade {
            into.push(label("tick", place, anchor, &micros(tick.value).text()));
        }
    }
}
