//! How the latencies are distributed: picture, readout and table.

use yew::prelude::*;

use super::frame::Panel;
use super::{PanelState, chart_box, chart_size, no_latencies, note};
use crate::charts::{DistributionRow, LogBins, distribution_chart};
use crate::columns::{ColumnView, Results};
use crate::markup::{Cell, Table, el, said};
use crate::part::{Frame, framed};
use crate::text;

/// From how many microseconds on a wake-up took long.
const LONG_US: u32 = 1000;
/// Bins to a power of ten.
const PER_DECADE: u32 = 10;

/// The bins and the columns in them.
#[derive(Clone, Debug, PartialEq)]
struct Distribution {
    bins: LogBins,
    rows: Vec<DistributionRow>,
}

/// See the module.
pub(crate) fn distribution_panel(results: &PanelState<Results>) -> Html {
    let state = results
        .and_then(|results| no_latencies(results).map_or_else(|| Ok(distribution(&results.columns)), Err));
    let body = state.body(|shown| framed(shown.clone(), chart));
    Panel {
        id: "distribution",
        title: text::DISTRIBUTION,
        note: &note(results, text::DISTRIBUTION_NOTE),
        state: state.name(),
    }
    .html(vec![body])
}

fn chart(shown: &Distribution, frame: &Frame) -> Html {
    let selected = frame.selected.filter(|bin| *bin < shown.bins.count);
    let frame = Frame { selected, ..frame.clone() };
    let size = chart_size(frame.width, 520.0);
    let parts = vec![
        distribution_chart(shown.bins, &shown.rows, &frame, size, text::DISTRIBUTION_LABEL),
        readout(shown, selected),
        table(shown),
    ];
    chart_box(&frame, parts)
}

/// The buckets of the benchmark put into bins of equal width on a logarithmic axis.
fn distribution(columns: &[ColumnView]) -> Distribution {
    let ends = columns.iter().flat_map(|column| {
        let histogram = &column.summary.histogram;
        histogram.from_us.iter().chain(&histogram.to_us).map(|us| f64::from(*us))
    });
    let bins = LogBins::covering(ends, PER_DECADE);
    let row = |column: &ColumnView| {
        let histogram = &column.summary.histogram;
        let mut counts = vec![0; bins.count];
        let (mut long, mut all) = (0, 0);
        for ((from, to), count) in histogram.from_us.iter().zip(&histogram.to_us).zip(&histogram.count) {
            let count = u64::from(*count);
            counts[bins.index(f64::midpoint(f64::from(*from), f64::from(*to)))] += count;
            all += count;
            long += if LONG_US <= *from { count } else { 0 };
        }
        let remark = text::long_remark(long, all).into();
        DistributionRow { name: column.name.clone(), tone: column.tone, counts, remark }
    };
    Distribution { rows: columns.iter().map(row).collect(), bins }
}

fn readout(shown: &Distribution, selected: Option<usize>) -> Html {
    let Some(bin) = selected else {
        return el("div", &[("class", "readout")], vec![said("span", "readout-title", text::BIN_HINT)]);
    };
    let (low, high) = shown.bins.ends(bin);
    let mut parts = vec![said("span", "readout-title", &text::bin(low, high))];
    for row in &shown.rows {
        let words = text::in_bin(&row.name, row.counts[bin]);
        parts.push(said("span", row.tone.toned(), &words));
    }
    el("div", &[("class", "readout")], parts)
}

fn table(shown: &Distribution) -> Html {
    let mut table = Table { testid: "distribution-table".to_owned(), ..Table::default() };
    table.head.push(text::LATENCY.into());
    table.head.extend(shown.rows.iter().map(|row| Cell::toned(&row.name, row.tone)));
    for bin in (0..shown.bins.count).filter(|bin| shown.rows.iter().any(|row| 0 < row.counts[*bin])) {
        let (low, high) = shown.bins.ends(bin);
        let counts = shown.rows.iter().map(|row| Cell::from(row.counts[bin].to_string()));
        table.rows.push(std::iter::once(Cell::from(text::interval(low, high))).chain(counts).collect());
    }
    table.folded(text::AS_TABLE)
}
