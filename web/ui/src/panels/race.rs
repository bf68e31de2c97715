//! How many wake-ups met the window that the patch `ttwu-pending` closes.

use yew::prelude::*;

use super::figure;
use crate::columns::{ColumnView, Results};
use crate::markup::{Cell, Table, el, said};
use crate::text;

/// The figure that counts them.
const RACE: &str = "race_hits";
/// The wake-ups that could.
const HANDED_OVER: &str = "wake_list_wakeups";

/// The count of every column with its band over seeds; nothing where the runs do not count it.
pub(super) fn race_table(results: &Results) -> Option<Html> {
    let info = |key: &str| {
        let run = &results.columns.first()?.summary;
        run.metrics.iter().find(|metric| metric.info.key == key).map(|metric| &metric.info)
    };
    let race = info(RACE)?;
    let mut table = Table {
        class: "fades wraps",
        testid: "race-table".to_owned(),
        caption: text::RACE.to_owned(),
        ..Table::default()
    };
    table.head.push(Cell::default());
    table.head.extend(results.columns.iter().map(|column| Cell::toned(&column.name, column.tone)));
    let this_seed = |column: &ColumnView| {
        let words = column.summary.metric(RACE).map_or(String::new(), |value| figure(value, race));
        Cell { words, testid: format!("race-{}", column.name), ..Cell::default() }
    };
    let not_yet = || text::NOT_YET.to_owned();
    let band = |column: &ColumnView| {
        let spread = results.spread(column, RACE);
        spread
            .map_or_else(not_yet, |band| text::from_to(&figure(band.low, race), &figure(band.high, race)))
            .into()
    };
    let median = |column: &ColumnView| {
        results.spread(column, RACE).map_or_else(not_yet, |band| figure(band.median, race)).into()
    };
    row(results, text::KEY_SEED, &mut table, &this_seed);
    row(results, text::BAND, &mut table, &band);
    row(results, text::MEDIAN, &mut table, &median);
    if let Some(info) = info(HANDED_OVER) {
        let all = |column: &ColumnView| {
            column.summary.metric(HANDED_OVER).map_or(String::new(), |value| figure(value, info)).into()
        };
        row(results, text::RACE_OF, &mut table, &all);
    }
    Some(el("div", &[("class", "race")], vec![table.scrolling(), said("p", "help", text::RACE_HELP)]))
}

fn row(results: &Results, label: &str, table: &mut Table, cell: &dyn Fn(&ColumnView) -> Cell) {
    let cells = results.columns.iter().map(cell);
    table.rows.push(std::iter::once(Cell::from(label)).chain(cells).collect());
}
