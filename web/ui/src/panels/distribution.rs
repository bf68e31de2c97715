//! How the latencies are distributed: picture, readout and table.

use yew::prelude::*;

use super::{Panel, PanelState, no_latencies};
use crate::charts::{DistributionChart, DistributionRow, LogBins, Tone};
use crate::columns::{ColumnView, Results};
use crate::controls::use_width;
use crate::text;

/// From how many microseconds on a wake-up took long.
const LONG_US: u32 = 1000;
/// Bins to a power of ten.
const PER_DECADE: u32 = 10;

/// Properties of [`DistributionPanel`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The runs.
    pub(crate) results: PanelState<Results>,
}

/// The bins and the columns in them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Distribution {
    bins: LogBins,
    rows: Vec<DistributionRow>,
}

/// See the module.
#[component]
pub(crate) fn DistributionPanel(props: &Props) -> Html {
    let node = use_node_ref();
    let width = use_width(&node, 520.0);
    let chosen = use_state_eq(|| None::<usize>);
    let onselect = {
        let chosen = chosen.clone();
        Callback::from(move |bin| chosen.set(Some(bin)))
    };
    let state = props.results.and_then(|results| {
        no_latencies(&results.columns).map_or_else(|| Ok(distribution(&results.columns)), Err)
    });
    html! {
        <Panel id="distribution" title={text::DISTRIBUTION} note={text::DISTRIBUTION_NOTE} state={state.name()}>
            <div ref={node} class="chart-box fades">
                { state.body(|shown| {
                    let selected = (*chosen).filter(|bin| *bin < shown.bins.count);
                    html! {
                        <>
                            <DistributionChart bins={shown.bins} rows={shown.rows.clone()} {width}
                                height={if width < 420.0 { 260.0 } else { 320.0 }}
                                label={text::DISTRIBUTION_LABEL} {selected} {onselect} />
                            { readout(shown, selected) }
                            { table(shown) }
                        </>
                    }
                }) }
            </div>
        </Panel>
    }
}

/// The buckets of the benchmark put into bins of equal width on a logarithmic axis.
pub(crate) fn distribution(columns: &[ColumnView]) -> Distribution {
    let ends = columns.iter().flat_map(|column| {
        let histogram = &column.summary.histogram;
        histogram.from_us.iter().chain(&histogram.to_us).map(|us| f64::from(*us))
    });
    let bins = LogBins::covering(ends, PER_DECADE);
    let rows = columns.iter().map(|column| {
        let histogram = &column.summary.histogram;
        let buckets = || histogram.from_us.iter().zip(&histogram.to_us).zip(&histogram.count);
        let count = |at_least: u32| -> u64 {
            buckets().filter(|((from, _), _)| at_least <= **from).map(|(_, count)| u64::from(*count)).sum()
        };
        DistributionRow {
            name: column.name.clone(),
            tone: column.tone,
            counts: bins.fill(buckets().map(|((from, to), count)| {
                (f64::midpoint(f64::from(*from), f64::from(*to)), u64::from(*count))
            })),
            remark: text::long_remark(count(LONG_US), count(0)).into(),
        }
    });
    Distribution { rows: rows.collect(), bins }
}

fn readout(shown: &Distribution, selected: Option<usize>) -> Html {
    let Some(bin) = selected else {
        return html! { <div class="readout"><span class="readout-title">{ text::BIN_HINT }</span></div> };
    };
    let (low, high) = shown.bins.ends(bin);
    html! {
        <div class="readout">
            <span class="readout-title">{ text::bin(low, high) }</span>
            { for shown.rows.iter().map(|row| html! {
                <span class={row.tone.class()}><b>{ row.name.clone() }{ " " }{ text::wakeups(row.counts[bin]) }</b></span>
            }) }
        </div>
    }
}

fn table(shown: &Distribution) -> Html {
    let heading = |name: &AttrValue, tone: Tone| {
        html! { <th scope="col" class={classes!("toned", tone.class())}>{ name.clone() }</th> }
    };
    let occupied = (0..shown.bins.count).filter(|bin| shown.rows.iter().any(|row| 0 < row.counts[*bin]));
    html! {
        <details>
            <summary>{ text::AS_TABLE }</summary>
            <div class="scroll" tabindex="0" role="group" aria-label={text::SCROLLS}>
                <table data-testid="distribution-table">
                    <thead><tr>
                        <th scope="col">{ text::LATENCY }</th>
                        { for shown.rows.iter().map(|row| heading(&row.name, row.tone)) }
                    </tr></thead>
                    <tbody>
                        { for occupied.map(|bin| {
                            let (low, high) = shown.bins.ends(bin);
                            html! {
                                <tr>
                                    <th scope="row">{ text::interval(low, high) }</th>
                                    { for shown.rows.iter().map(|row| html! { <td>{ row.counts[bin] }</td> }) }
                                </tr>
                            }
                        }) }
                    </tbody>
                </table>
            </div>
        </details>
    }
}
