//! Every figure and counter of the runs, as a table.

use protocol::{MetricInfo, RunSummary};
use yew::prelude::*;

use super::{Panel, PanelState, figure};
use crate::columns::{ColumnView, Results};
use crate::format::{count, nanos};
use crate::text;

/// Properties of [`FiguresPanel`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The runs.
    pub(crate) results: PanelState<Results>,
}

/// See the module.
#[component]
pub(crate) fn FiguresPanel(props: &Props) -> Html {
    html! {
        <Panel id="figures" title={text::FIGURES} state={props.results.name()}>
            <div class="fades">{ props.results.body(|results| html! {
                <details>
                    <summary>{ text::ALL_FIGURES }</summary>
                    { table(results) }
                    <p class="help">{ text::TRACE_HASH_HELP }</p>
                </details>
            }) }</div>
        </Panel>
    }
}

fn table(results: &Results) -> Html {
    let columns = &results.columns;
    let first = columns.first().map(|column| &column.summary);
    let metrics = first.map_or(&[][..], |summary| &summary.metrics);
    // Some counters are figures as well.
    let is_metric = |label: &str| metrics.iter().any(|metric| metric.info.label == label);
    let counters = first.map_or(&[][..], |summary| &summary.counters);
    let counters = counters.iter().filter(|counter| !is_metric(&counter.label));
    html! {
        <div class="scroll" tabindex="0" role="group" aria-label={text::SCROLLS}>
            <table data-testid="figures-table">
                <thead><tr>
                    <th scope="col">{ text::FIGURE }</th>
                    { for columns.iter().map(|column| html! {
                        <>
                            <th scope="col" class={classes!("toned", column.tone.class())}>{ column.name.clone() }</th>
                            if results.band.is_some() {
                                <th scope="col">{ text::band_heading(&column.name) }</th>
                            }
                        </>
                    }) }
                </tr></thead>
                <tbody>
                    { for metrics.iter().map(|known| row(results, &known.info.label, |column| metric(results, column, &known.info))) }
                    { for counters.map(|known| row(results, &known.label, |column| (counter(&column.summary, &known.key), None))) }
                    { row(results, text::EVENTS, |column| (count(column.summary.events), None)) }
                    { row(results, text::WALL_TIME, |column| (nanos(column.summary.wall_ms * 1e6).text(), None)) }
                    { hashes(results) }
                </tbody>
            </table>
        </div>
    }
}

/// A row: for each column the value of this seed and, where there is one, the band.
fn row(results: &Results, label: &str, cell: impl Fn(&ColumnView) -> (String, Option<String>)) -> Html {
    html! {
        <tr>
            <th scope="row">{ label.to_owned() }</th>
            { for results.columns.iter().map(|column| {
                let (value, band) = cell(column);
                html! {
                    <>
                        <td>{ value }</td>
                        if results.band.is_some() {
                            <td class="soft">{ band.unwrap_or_default() }</td>
                        }
                    </>
                }
            }) }
        </tr>
    }
}

fn metric(results: &Results, column: &ColumnView, info: &MetricInfo) -> (String, Option<String>) {
    let value = column.summary.metric(&info.key).map_or(String::new(), |value| figure(value, info));
    let band = results.spread(column, &info.key);
    (value, band.map(|band| text::from_to(&figure(band.low, info), &figure(band.high, info))))
}

fn counter(summary: &RunSummary, key: &str) -> String {
    let Some(counter) = summary.counters.iter().find(|counter| counter.key == key) else {
        return String::new();
    };
    if key.ends_with("_ns") { nanos(counter.value as f64).text() } else { count(counter.value) }
}

fn hashes(results: &Results) -> Html {
    html! {
        <tr>
            <th scope="row">{ text::TRACE_HASH }</th>
            { for results.columns.iter().map(|column| html! {
                <>
                    <td class="mono" data-testid={format!("hash-{}", column.name)}
                        data-trace-hash={column.summary.trace_hash.clone()}>{ column.summary.trace_hash.clone() }</td>
                    if results.band.is_some() { <td /> }
                </>
            }) }
        </tr>
    }
}
