//! Axes that the charts share.

use yew::prelude::*;

use crate::format::{coordinate, micros};
use crate::scale::LogScale;

/// The plot area in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// A latency axis along the bottom, with lines up through the plot.
pub(super) fn latency_below(plot: Plot, scale: &LogScale) -> Html {
    let (top, bottom) = (coordinate(plot.top), coordinate(plot.bottom));
    scale
        .ticks()
        .into_iter()
        .map(|tick| {
            let x = coordinate(scale.at(tick.value));
            let class = if tick.is_decade { "grid decade" } else { "grid" };
            html! {
                <>
                    <line {class} x1={x.clone()} x2={x.clone()} y1={top.clone()} y2={bottom.clone()} />
                    if tick.is_decade {
                        <text class="tick" {x} y={coordinate(plot.bottom + 16.0)} text-anchor="middle">
                            { micros(tick.value).text() }
                        </text>
                    }
                </>
            }
        })
        .collect()
}

/// A latency axis along the left, with lines across the plot.
pub(super) fn latency_left(plot: Plot, scale: &LogScale) -> Html {
    let (left, right) = (coordinate(plot.left), coordinate(plot.right));
    scale
        .ticks()
        .into_iter()
        .map(|tick| {
            let y = scale.at(tick.value);
            let class = if tick.is_decade { "grid decade" } else { "grid" };
            html! {
                <>
                    <line {class} x1={left.clone()} x2={right.clone()} y1={coordinate(y)} y2={coordinate(y)} />
                    if tick.is_decade {
                        <text class="tick" x={coordinate(plot.left - 8.0)} y={coordinate(y + 4.0)} text-anchor="end">
                            { micros(tick.value).text() }
                        </text>
                    }
                </>
            }
        })
        .collect()
}
