//! Percentiles of the wake-up latency, one line a column, on a logarithmic axis.

use yew::prelude::*;

use super::axis::{Plot, latency_left};
use super::{Tone, marker, patterns, polyline, spread};
use crate::format::coordinate;
use crate::scale::{LinearScale, LogScale};

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
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PercentilePoint {
    /// Which, as it is called: `p99.5`.
    pub(crate) rank: AttrValue,
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

/// Below this width in CSS pixels labels get shorter.
const NARROW: f64 = 440.0;

struct Geometry {
    plot: Plot,
    is_narrow: bool,
    x: LinearScale,
    y: LogScale,
}

/// See the module.
#[component]
pub(crate) fn PercentileChart(props: &Props) -> Html {
    let geometry = geometry(props);
    let Geometry { plot, .. } = geometry;
    let ranks: Vec<AttrValue> = props
        .series
        .first()
        .map(|series| series.points.iter().map(|point| point.rank.clone()).collect())
        .unwrap_or_default();
    html! {
        <svg class="chart" role="img" aria-label={props.label.clone()} width={coordinate(props.width)}
            height={coordinate(props.height)}
            viewBox={format!("0 0 {} {}", coordinate(props.width), coordinate(props.height))}>
            { patterns("percentiles") }
            { latency_left(plot, &geometry.y) }
            { columns(&ranks, props.selected, &geometry) }
            { for props.series.iter().map(|series| ribbon(series, &geometry)) }
            { for props.series.iter().map(|series| published(series, &geometry)) }
            { for props.series.iter().map(|series| line(series, &geometry)) }
            { names(&props.series, &geometry) }
            { targets(ranks.len(), &geometry, &props.onselect) }
        </svg>
    }
}

fn geometry(props: &Props) -> Geometry {
    let is_narrow = props.width < NARROW;
    // Names stand right of the lines where there is room, else above their ends.
    let longest = props.series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
    let margin = if is_narrow { 4.0 } else { 12.0 + 8.0 * longest as f64 };
    let plot = Plot { left: 54.0, right: props.width - margin, top: 12.0, bottom: props.height - 28.0 };
    let points = props.series.iter().flat_map(|series| &series.points);
    let values = points.clone().flat_map(|point| {
        let (low, _, high) = point.band.unwrap_or((point.value, point.value, point.value));
        [point.value, low, high, point.published.unwrap_or(point.value)]
    });
    let y = LogScale::covering(values, (20.0, 200.0), (plot.bottom, plot.top));
    // Ranks stand at equal distances: to scale, those that everybody reads would be crowded into a corner.
    let last = props.series.iter().map(|series| series.points.len()).max().unwrap_or(0).saturating_sub(1);
    Geometry {
        plot,
        is_narrow,
        x: LinearScale::new((0.0, last.max(1) as f64), (plot.left + 18.0, plot.right - 18.0)),
        y,
    }
}

impl Geometry {
    fn at(&self, index: usize, value: f64) -> (f64, f64) {
        (self.x.at(index as f64), self.y.at(value))
    }
}

fn columns(ranks: &[AttrValue], selected: Option<usize>, geometry: &Geometry) -> Html {
    let plot = geometry.plot;
    ranks
        .iter()
        .enumerate()
        .map(|(index, rank)| {
            let x = coordinate(geometry.x.at(index as f64));
            let is_selected = selected == Some(index);
            let label = if geometry.is_narrow { rank.trim_start_matches('p') } else { rank };
            html! {
                <>
                    if is_selected {
                        <line class="cursor" x1={x.clone()} x2={x.clone()} y1={coordinate(plot.top)}
                            y2={coordinate(plot.bottom)} />
                    }
                    <text class={classes!("tick", is_selected.then_some("selected"))} {x}
                        y={coordinate(plot.bottom + 18.0)} text-anchor="middle">{ label.to_owned() }</text>
                </>
            }
        })
        .collect()
}

fn ribbon(series: &PercentileSeries, geometry: &Geometry) -> Html {
    let banded: Vec<(usize, (f64, f64, f64))> =
        series.points.iter().enumerate().filter_map(|(index, point)| Some((index, point.band?))).collect();
    if banded.len() < 2 {
        return Html::default();
    }
    let upper = banded.iter().map(|(index, (_, _, high))| geometry.at(*index, *high));
    let lower = banded.iter().rev().map(|(index, (low, _, _))| geometry.at(*index, *low));
    let outline = polyline(upper.chain(lower)) + "Z";
    let median = polyline(banded.iter().map(|(index, (_, median, _))| geometry.at(*index, *median)));
    html! {
        <>
            <path class={classes!("band", series.tone.class())}
                fill={format!("url(#{})", series.tone.pattern_id("percentiles"))} d={outline} />
            <path class={classes!("median", series.tone.class())} d={median} />
        </>
    }
}

fn line(series: &PercentileSeries, geometry: &Geometry) -> Html {
    let points = series.points.iter().enumerate();
    let places: Vec<(f64, f64)> = points.map(|(index, point)| geometry.at(index, point.value)).collect();
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
        .enumerate()
        .filter_map(|(index, point)| Some(geometry.at(index, point.published?)))
        .map(|place| marker(series.tone, place, 8.0, true))
        .collect()
}

fn names(series: &[PercentileSeries], geometry: &Geometry) -> Html {
    let ends: Vec<f64> = series
        .iter()
        .map(|series| series.points.last().map_or(geometry.plot.bottom, |point| geometry.y.at(point.value)))
        .collect();
    let plot = geometry.plot;
    let (x, anchor) =
        if geometry.is_narrow { (plot.right - 4.0, "end") } else { (plot.right + 4.0, "start") };
    // Above the line, or below one that runs along the top.
    let above = |y: f64| if y < plot.top + 24.0 { y + 20.0 } else { y - 18.0 };
    let wanted: Vec<f64> = ends.iter().map(|y| if geometry.is_narrow { above(*y) } else { *y }).collect();
    let placed = spread(&wanted, 16.0, plot.bottom);
    series
        .iter()
        .zip(placed)
        .map(|(series, y)| {
            html! {
                <text class={classes!("name", series.tone.class())} x={coordinate(x)} y={coordinate(y + 4.0)}
                    text-anchor={anchor}>{ series.name.clone() }</text>
            }
        })
        .collect()
}

fn targets(ranks: usize, geometry: &Geometry, onselect: &Callback<usize>) -> Html {
    let plot = geometry.plot;
    let cell = (geometry.x.at(1.0) - geometry.x.at(0.0)).max(1.0);
    (0..ranks)
        .map(|index| {
            let middle = geometry.x.at(index as f64);
            let choose = {
                let onselect = onselect.clone();
                move || onselect.emit(index)
            };
            let onpointerenter = {
                let choose = choose.clone();
                Callback::from(move |_: PointerEvent| choose())
            };
            let onclick = Callback::from(move |_: MouseEvent| choose());
            html! {
                <rect class="target" x={coordinate(middle - cell / 2.0)} width={coordinate(cell)}
                    y={coordinate(plot.top)} height={coordinate(plot.bottom - plot.top + 26.0)} {onpointerenter}
                    {onclick} />
            }
        })
        .collect()
}
