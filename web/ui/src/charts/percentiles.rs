//! Percentiles of the wake-up latency, one line a column, on a logarithmic axis.

use yew::prelude::*;

use super::axis::{Plot, latency_left};
use super::{Tone, marker, patterns, polyline, spread};
use crate::format::coordinate;
use crate::scale::{LinearScale, LogScale, nines};

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PercentilePoint {
    /// Which, 0 to 100.
    pub(crate) percentile: f64,
    /// The value of this seed.
    pub(crate) value: f64,
    /// The middle 95 % of seeds and their median, once known.
    pub(crate) band: Option<(f64, f64, f64)>,
    /// What the patch's author measured.
    pub(crate) published: Option<f64>,
}

/// Properties of [`PercentileChart`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The columns.
    pub(crate) series: Vec<PercentileSeries>,
    /// The width in CSS pixels.
    pub(crate) width: f64,
    /// The height in CSS pixels.
    pub(crate) height: f64,
    /// What the picture says, for those who do not see it.
    pub(crate) label: AttrValue,
    /// The position of the percentile that is read out below the chart.
    #[prop_or_default]
    pub(crate) selected: Option<usize>,
    /// Called with the position of the percentile under the pointer.
    #[prop_or_default]
    pub(crate) onselect: Callback<usize>,
}

struct Geometry {
    plot: Plot,
    x: LinearScale,
    y: LogScale,
}

/// See the module.
#[component]
pub(crate) fn PercentileChart(props: &Props) -> Html {
    let geometry = geometry(props);
    let Geometry { plot, .. } = geometry;
    let percentiles: Vec<f64> = props
        .series
        .first()
        .map(|series| series.points.iter().map(|point| point.percentile).collect())
        .unwrap_or_default();
    html! {
        <svg class="chart" role="img" aria-label={props.label.clone()} width={coordinate(props.width)}
            height={coordinate(props.height)}
            viewBox={format!("0 0 {} {}", coordinate(props.width), coordinate(props.height))}>
            { patterns("percentiles") }
            { latency_left(plot, &geometry.y) }
            { columns(&percentiles, props.selected, &geometry) }
            { for props.series.iter().map(|series| ribbon(series, &geometry)) }
            { for props.series.iter().map(|series| published(series, &geometry)) }
            { for props.series.iter().map(|series| line(series, &geometry)) }
            { names(&props.series, &geometry) }
            { targets(&percentiles, &geometry, &props.onselect) }
        </svg>
    }
}

fn geometry(props: &Props) -> Geometry {
    let plot = Plot { left: 58.0, right: props.width - 70.0, top: 12.0, bottom: props.height - 28.0 };
    let points = props.series.iter().flat_map(|series| &series.points);
    let values = points.clone().flat_map(|point| {
        let (low, _, high) = point.band.unwrap_or((point.value, point.value, point.value));
        [point.value, low, high, point.published.unwrap_or(point.value)]
    });
    let y = LogScale::covering(values, (20.0, 200.0), (plot.bottom, plot.top));
    let ends = points.fold((f64::MAX, f64::MIN), |ends, point| {
        let at = nines(point.percentile);
        (ends.0.min(at), ends.1.max(at))
    });
    Geometry { plot, x: LinearScale::new(ends, (plot.left + 14.0, plot.right - 14.0)), y }
}

impl Geometry {
    fn at(&self, percentile: f64, value: f64) -> (f64, f64) {
        (self.x.at(nines(percentile)), self.y.at(value))
    }

    /// Half the room between neighbouring percentiles on each side.
    fn cell(&self, percentiles: &[f64], index: usize) -> (f64, f64) {
        let here = self.x.at(nines(percentiles[index]));
        let left = index
            .checked_sub(1)
            .map_or(self.plot.left, |before| f64::midpoint(self.x.at(nines(percentiles[before])), here));
        let right = percentiles
            .get(index + 1)
            .map_or(self.plot.right, |after| f64::midpoint(self.x.at(nines(*after)), here));
        (left, right)
    }
}

fn columns(percentiles: &[f64], selected: Option<usize>, geometry: &Geometry) -> Html {
    let plot = geometry.plot;
    percentiles
        .iter()
        .enumerate()
        .map(|(index, percentile)| {
            let x = geometry.x.at(nines(*percentile));
            let is_selected = selected == Some(index);
            html! {
                <>
                    if is_selected {
                        <line class="cursor" x1={coordinate(x)} x2={coordinate(x)} y1={coordinate(plot.top)}
                            y2={coordinate(plot.bottom)} />
                    }
                    <text class={classes!("tick", is_selected.then_some("selected"))} x={coordinate(x)}
                        y={coordinate(plot.bottom + 18.0)} text-anchor="middle">
                        { percentile_name(*percentile) }
                    </text>
                </>
            }
        })
        .collect()
}

/// `p99.5`, and `p50` without a point.
pub(crate) fn percentile_name(percentile: f64) -> String {
    format!("p{}", coordinate(percentile))
}

fn ribbon(series: &PercentileSeries, geometry: &Geometry) -> Html {
    let banded: Vec<(f64, (f64, f64, f64))> =
        series.points.iter().filter_map(|point| Some((point.percentile, point.band?))).collect();
    if banded.len() < 2 {
        return Html::default();
    }
    let upper = banded.iter().map(|(percentile, (_, _, high))| geometry.at(*percentile, *high));
    let lower = banded.iter().rev().map(|(percentile, (low, _, _))| geometry.at(*percentile, *low));
    let outline = polyline(upper.chain(lower)) + "Z";
    let median =
        polyline(banded.iter().map(|(percentile, (_, median, _))| geometry.at(*percentile, *median)));
    html! {
        <>
            <path class={classes!("band", series.tone.class())}
                fill={format!("url(#{})", series.tone.pattern_id("percentiles"))} d={outline} />
            <path class={classes!("median", series.tone.class())} d={median} />
        </>
    }
}

fn line(series: &PercentileSeries, geometry: &Geometry) -> Html {
    let places: Vec<(f64, f64)> =
        series.points.iter().map(|point| geometry.at(point.percentile, point.value)).collect();
    html! {
        <g>
            <path class={classes!("line", series.tone.class())} d={polyline(places.iter().copied())} />
            { for places.iter().map(|place| marker(series.tone, *place, 4.5, false)) }
        </g>
    }
}

fn published(series: &PercentileSeries, geometry: &Geometry) -> Html {
    series
        .points
        .iter()
        .filter_map(|point| Some(geometry.at(point.percentile, point.published?)))
        .map(|place| marker(series.tone, place, 8.0, true))
        .collect()
}

fn names(series: &[PercentileSeries], geometry: &Geometry) -> Html {
    let ends: Vec<f64> = series
        .iter()
        .map(|series| series.points.last().map_or(geometry.plot.bottom, |point| geometry.y.at(point.value)))
        .collect();
    let placed = spread(&ends, 16.0, geometry.plot.bottom);
    series
        .iter()
        .zip(placed)
        .map(|(series, y)| {
            html! {
                <text class={classes!("name", series.tone.class())} x={coordinate(geometry.plot.right + 2.0)}
                    y={coordinate(y + 4.0)}>{ series.name.clone() }</text>
            }
        })
        .collect()
}

fn targets(percentiles: &[f64], geometry: &Geometry, onselect: &Callback<usize>) -> Html {
    (0..percentiles.len())
        .map(|index| {
            let (left, right) = geometry.cell(percentiles, index);
            let choose = { let onselect = onselect.clone(); move || onselect.emit(index) };
            let onpointerenter = { let choose = choose.clone(); Callback::from(move |_: PointerEvent| choose()) };
            let onclick = Callback::from(move |_: MouseEvent| choose());
            html! {
                <rect class="target" x={coordinate(left)} width={coordinate(right - left)}
                    y={coordinate(geometry.plot.top)}
                    height={coordinate(geometry.plot.bottom - geometry.plot.top + 26.0)} {onpointerenter} {onclick} />
            }
        })
        .collect()
}
