//! The strip under the headline: for each column the band over many seeds, this seed and the published figure, on
//! one logarithmic axis.

use yew::prelude::*;

use super::axis::{Plot, latency_below};
use super::{Tone, marker, patterns};
use crate::format::coordinate;
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

/// Properties of [`RangeStrip`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The rows from top to bottom.
    pub(crate) rows: Vec<StripRow>,
    /// The width in CSS pixels.
    pub(crate) width: f64,
    /// What the picture says, for those who do not see it.
    pub(crate) label: AttrValue,
}

const ROW: f64 = 34.0;

/// See the module.
#[component]
pub(crate) fn RangeStrip(props: &Props) -> Html {
    let longest = props.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let left = 14.0 + 8.0 * longest as f64;
    let plot =
        Plot { left, right: props.width - 12.0, top: 6.0, bottom: 6.0 + ROW * props.rows.len() as f64 };
    let values = props.rows.iter().flat_map(|row| {
        let band = row.band.map_or([row.value; 2], |(low, _, high)| [low, high]);
        [row.value, band[0], band[1], row.published.unwrap_or(row.value)]
    });
    let scale = LogScale::covering(values, (20.0, 200.0), (plot.left, plot.right));
    let height = plot.bottom + 24.0;
    html! {
        <svg class="chart strip" role="img" aria-label={props.label.clone()} width={coordinate(props.width)}
            height={coordinate(height)}
            viewBox={format!("0 0 {} {}", coordinate(props.width), coordinate(height))}>
            { patterns("strip") }
            { latency_below(plot, &scale) }
            { for props.rows.iter().enumerate().map(|(index, row)| draw_row(row, &scale, plot.top + ROW * (index as f64 + 0.5))) }
        </svg>
    }
}

fn draw_row(row: &StripRow, scale: &LogScale, y: f64) -> Html {
    let band = row.band.map(|(low, median, high)| {
        let (left, right) = (scale.at(low), scale.at(high));
        let x = coordinate(scale.at(median));
        html! {
            <>
                <rect class={classes!("band", row.tone.class())} fill={format!("url(#{})", row.tone.pattern_id("strip"))}
                    x={coordinate(left - 1.0)} width={coordinate((right - left).max(1.0) + 2.0)}
                    y={coordinate(y - 8.0)} height="16" rx="3" />
                <line class={classes!("median", row.tone.class())} x1={x.clone()} x2={x} y1={coordinate(y - 8.0)}
                    y2={coordinate(y + 8.0)} />
            </>
        }
    });
    html! {
        <g>
            <text class={classes!("name", row.tone.class())} x="0" y={coordinate(y + 4.5)}>{ row.name.clone() }</text>
            { for band }
            if let Some(published) = row.published {
                { marker(row.tone, (scale.at(published), y), 8.5, true) }
            }
            { marker(row.tone, (scale.at(row.value), y), 5.0, false) }
        </g>
    }
}
