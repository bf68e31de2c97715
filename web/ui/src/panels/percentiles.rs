//! The percentiles of every column: picture, readout and table.

use yew::prelude::*;

use super::{Panel, PanelState, no_latencies, percentile_name, rank};
use crate::charts::{PercentileChart, PercentilePoint, PercentileSeries};
use crate::columns::{ColumnView, Results};
use crate::controls::use_width;
use crate::format::micros;
use crate::text;

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
    series.first()?.points.iter().position(|point| (point.percentile - 99.0).abs() < 1e-9)
}

/// The columns as lines.
pub(crate) fn series(results: &Results) -> Vec<PercentileSeries> {
    let point = |column: &ColumnView, percentile: &protocol::Percentile| PercentilePoint {
        percentile: rank(percentile),
        value: percentile.value_us,
        band: results.spread(column, &percentile.key).map(|spread| (spread.low, spread.median, spread.high)),
        published: results.published(column, &percentile.key),
    };
    results
        .columns
        .iter()
        .map(|column| PercentileSeries {
            name: column.name.clone(),
            tone: column.tone,
            points: column.summary.percentiles.iter().map(|percentile| point(column, percentile)).collect(),
        })
        .collect()
}

fn readout(series: &[PercentileSeries], index: usize) -> Html {
    let percentile =
        series.first().and_then(|series| series.points.get(index)).map_or(0.0, |point| point.percentile);
    html! {
        <div class="readout">
            <span class="readout-title">{ percentile_name(percentile) }</span>
            { for series.iter().filter_map(|series| Some((series, series.points.get(index)?))).map(|(series, point)| html! {
                <span class={series.tone.class()}>
                    <b>{ series.name.clone() }{ " " }{ micros(point.value).text() }</b>
                    { for point.band.map(|(low, _, high)| format!(" · {} {}", text::BAND, text::interval(low, high))) }
                    { for point.published.map(|us| format!(" · {} {}", text::PUBLISHED, micros(us).text())) }
                </span>
            }) }
        </div>
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
            <div class="scroll">
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
                                <th scope="row">{ percentile_name(series[0].points[index].percentile) }</th>
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
