//! The percentiles of every column: picture, readout and table.

use yew::prelude::*;

use super::{Panel, PanelState, no_latencies};
use crate::charts::{PercentileChart, PercentilePoint, PercentileSeries};
use crate::columns::{ColumnView, Results};
use crate::controls::use_width;
use crate::format::micros;
use crate::text;

/// The figure that ends the line of percentiles.
const LARGEST: &str = "max_us";

/// Properties of [`PercentilesPanel`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The runs.
    pub(crate) results: PanelState<Results>,
}

/// See the module.
#[component]
pub(crate) fn PercentilesPanel(props: &Props) -> Html {
    let node = use_node_ref();
    let width = use_width(&node, 620.0);
    let chosen = use_state_eq(|| None::<usize>);
    let onselect = {
        let chosen = chosen.clone();
        Callback::from(move |index| chosen.set(Some(index)))
    };
    let state = props
        .results
        .and_then(|results| no_latencies(&results.columns).map_or_else(|| Ok(series(results)), Err));
    html! {
        <Panel id="percentiles" title={text::PERCENTILES} note={text::PERCENTILES_NOTE} state={state.name()}>
            <div ref={node} class="chart-box fades">
                { state.body(|series| {
                    let selected = (*chosen).or_else(|| headline_position(series)).filter(|index| *index < points(series));
                    html! {
                        <>
                            <PercentileChart series={series.clone()} {width} height={chart_height(width)}
                                label={text::PERCENTILES_LABEL} {selected} {onselect} />
                            { for selected.map(|index| readout(series, index)) }
                            { table(series) }
                        </>
                    }
                }) }
            </div>
        </Panel>
    }
}

fn chart_height(width: f64) -> f64 {
    if width < 420.0 { 260.0 } else { 320.0 }
}

fn points(series: &[PercentileSeries]) -> usize {
    series.iter().map(|series| series.points.len()).min().unwrap_or(0)
}

fn headline_position(series: &[PercentileSeries]) -> Option<usize> {
    series.first()?.points.iter().position(|point| point.rank == "p99")
}

/// The columns as lines: the percentiles that the benchmark prints, and the largest latency.
fn series(results: &Results) -> Vec<PercentileSeries> {
    let point = |column: &ColumnView, rank: AttrValue, key: &str, value: f64| PercentilePoint {
        rank,
        value,
        band: results.spread(column, key).map(|spread| (spread.low, spread.median, spread.high)),
        published: results.published(column, key),
    };
    let line = |column: &ColumnView| {
        let percentiles = column.summary.percentiles.iter();
        let mut points: Vec<PercentilePoint> = percentiles
            .map(|percentile| {
                let rank = percentile.label.trim_end_matches('0').trim_end_matches('.');
                point(column, format!("p{rank}").into(), &percentile.key, percentile.value_us)
            })
            .collect();
        points.extend(
            column.summary.metric(LARGEST).map(|value| point(column, text::LARGEST.into(), LARGEST, value)),
        );
        PercentileSeries { name: column.name.clone(), tone: column.tone, points }
    };
    results.columns.iter().map(line).collect()
}

fn readout(series: &[PercentileSeries], index: usize) -> Html {
    let rank = series.first().and_then(|series| series.points.get(index)).map(|point| point.rank.clone());
    let points = series.iter().filter_map(|series| Some((series, series.points.get(index)?)));
    let has_published = points.clone().any(|(_, point)| point.published.is_some());
    html! {
        <table class="readout wraps">
            <thead><tr>
                <th scope="col">{ rank.unwrap_or_default() }</th>
                <th scope="col">{ text::KEY_SEED }</th>
                <th scope="col">{ text::BAND }</th>
                if has_published { <th scope="col">{ text::PUBLISHED }</th> }
            </tr></thead>
            <tbody>
                { for points.map(|(series, point)| html! {
                    <tr>
                        <th scope="row" class={classes!("toned", series.tone.class())}>{ series.name.clone() }</th>
                        { cells(point, true, has_published) }
                    </tr>
                }) }
            </tbody>
        </table>
    }
}

fn table(series: &[PercentileSeries]) -> Html {
    let has_bands = series.iter().any(|series| series.points.iter().any(|point| point.band.is_some()));
    let has_published =
        |series: &PercentileSeries| series.points.iter().any(|point| point.published.is_some());
    let heading = |series: &PercentileSeries, words: AttrValue| {
        html! { <th scope="col" class={classes!("toned", series.tone.class())}>{ words }</th> }
    };
    html! {
        <details>
            <summary>{ text::AS_TABLE }</summary>
            <div class="scroll" tabindex="0" role="group" aria-label={text::SCROLLS}>
                <table data-testid="percentiles-table">
                    <thead><tr>
                        <th scope="col">{ text::PERCENTILE }</th>
                        { for series.iter().map(|series| html! {
                            <>
                                { heading(series, series.name.clone()) }
                                if has_bands { { heading(series, text::band_heading(&series.name).into()) } }
                                if has_published(series) { { heading(series, text::published_heading(&series.name).into()) } }
                            </>
                        }) }
                    </tr></thead>
                    <tbody>
                        { for (0..points(series)).map(|index| html! {
                            <tr>
                                <th scope="row">{ series[0].points[index].rank.clone() }</th>
                                { for series.iter().map(|series| cells(&series.points[index], has_bands, has_published(series))) }
                            </tr>
                        }) }
                    </tbody>
                </table>
            </div>
        </details>
    }
}

fn cells(point: &PercentilePoint, has_bands: bool, has_published: bool) -> Html {
    html! {
        <>
            <td>{ micros(point.value).text() }</td>
            if has_bands {
                <td>{ point.band.map_or(text::NOT_YET.to_owned(), |(low, _, high)| text::interval(low, high)) }</td>
            }
            if has_published {
                <td>{ point.published.map_or(String::new(), |us| micros(us).text()) }</td>
            }
        </>
    }
}
