//! Every figure and counter of the runs, as a table.

use protocol::RunSummary;
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
            <div class="fades">{ props.results.body(table) }</div>
        </Panel>
    }
}

fn table(results: &Results) -> Html {
    let columns = &results.columns;
    let first = columns.first().map(|column| &column.summary);
    let metrics = first.map_or(&[][..], |summary| &summary.metrics);
    let counters = first.map_or(&[][..], |summary| &summary.counters);
    let row = |label: &str, cell: &dyn Fn(&ColumnView) -> String| {
        html! {
            <tr>
                <th scope="row">{ label.to_owned() }</th>
                { for columns.iter().map(|column| html! { <td>{ cell(column) }</td> }) }
            </tr>
        }
    };
    let metric = |info: &protocol::MetricInfo| {
        row(&info.label, &|column| {
            column.summary.metric(&info.key).map_or(String::new(), |value| figure(value, info))
        })
    };
    let counter = |wanted: &protocol::Counter| {
        row(&wanted.label, &|column| counter_value(&column.summary, &wanted.key))
    };
    html! {
        <>
            { for columns.iter().filter(|column| column.summary.out_of_budget).take(1).map(|_| html! {
                <p class="notice bad">{ text::OUT_OF_BUDGET }</p>
            }) }
            <div class="scroll">
                <table data-testid="figures-table">
                    <thead><tr>
                        <th scope="col">{ text::FIGURE }</th>
                        { for columns.iter().map(|column| html! {
                            <th scope="col" class={classes!("toned", column.tone.class())}>{ column.name.clone() }</th>
                        }) }
                    </tr></thead>
                    <tbody>
                        { for metrics.iter().map(|known| metric(&known.info)) }
                        { for counters.iter().map(counter) }
                        { row(text::EVENTS, &|column| count(column.summary.events)) }
                        { row(text::WALL_TIME, &|column| nanos(column.summary.wall_ms * 1e6).text()) }
                        <tr>
                            <th scope="row">{ text::TRACE_HASH }</th>
                            { for columns.iter().map(|column| html! {
                                <td class="mono" data-testid={format!("hash-{}", column.name)}
                                    data-trace-hash={column.summary.trace_hash.clone()}>
                                    { column.summary.trace_hash.clone() }
                                </td>
                            }) }
                        </tr>
                    </tbody>
                </table>
            </div>
            <p class="help">{ text::TRACE_HASH_HELP }</p>
        </>
    }
}

fn counter_value(summary: &RunSummary, key: &str) -> String {
    let Some(counter) = summary.counters.iter().find(|counter| counter.key == key) else {
        return String::new();
    };
    if key.ends_with("_ns") { nanos(counter.value as f64).text() } else { count(counter.value) }
}
