//! What is in view as rows, for those who do not see the picture or want to know exactly.

use std::rc::Rc;

use protocol::{AnswerBody, RequestBody, RunSummary};
use web_sys::HtmlElement;
use yew::prelude::*;

use super::LanesProps;
use super::caption::{Caption, Shown};
use crate::markup::{Cell, Table, el, said};
use crate::part::use_change;
use crate::timeline::{Kept, caption};
use crate::{browser, format, text};

/// The most rows of the table for one run.
const ROWS: u32 = 200;
/// How long the view must rest before the table is read again.
const REST_MS: i32 = 250;

/// Reads what is in view as rows, while somebody wants to see that.
#[hook]
pub(super) fn use_tables(caption: &Caption, shown: &Shown, props: &LanesProps) {
    let (shown, runs, pool) = (shown.clone(), Rc::clone(&props.runs), props.view.pool.clone());
    let view = caption.view.filter(|_| caption.has_tables);
    use_change((view, Rc::clone(&runs)), move || {
        let (pool, view) = pool.zip(view)?;
        let read = move || {
            shown.change(|now, _| now.tables = vec![None; runs.len()]);
            for (run, kept) in runs.iter().enumerate() {
                let shown = shown.clone();
                let answers = Callback::from(move |body| {
                    if let AnswerBody::Table(table) = body {
                        shown.change(|now, _| {
                            if let Some(place) = now.tables.get_mut(run) {
                                *place = Some(table);
                            }
                        });
                    }
                });
                let (from_ns, to_ns) = (view.from as u64, view.to as u64);
                let request = RequestBody::Table { run: kept.summary.run, from_ns, to_ns, limit: ROWS };
                pool.ask(kept.worker, request, answers);
            }
        };
        Some(browser::after(REST_MS, read).undo())
    });
}

/// What is in view as rows: made only while it is open.
pub(super) fn tables(caption: &Caption, shown: &Shown, runs: &[Kept]) -> Html {
    let ontoggle = {
        let shown = shown.clone();
        Callback::from(move |event: Event| {
            if let Some(details) = event.target_dyn_into::<HtmlElement>() {
                shown.change(|now, _| now.has_tables = details.has_attribute("open"));
            }
        })
    };
    let mut parts = vec![said("summary", "", text::TABLE_OF_VIEW)];
    if caption.has_tables {
        let known = runs.iter().zip(&caption.tables);
        let tables = known.filter_map(|(kept, table)| Some(rows(&kept.summary, table.as_ref()?).html()));
        let attributes = [
            ("class", "timeline-table"),
            ("tabindex", "0"),
            ("role", "group"),
            ("aria-label", text::TABLE_OF_VIEW),
        ];
        parts.push(el("div", &attributes, tables.collect()));
    }
    html! { <details {ontoggle} data-testid="timeline-details">{ parts.into_iter().collect::<Html>() }</details> }
}

fn rows(summary: &RunSummary, found: &protocol::Table) -> Table {
    let shown = found.from_ns.len();
    let moment = |ns: f64| Cell::from(format!("{}{}s", format::seconds(ns, 6), format::THIN));
    let row = |row: usize| {
        vec![
            moment(found.from_ns[row]),
            moment(found.to_ns[row]),
            found.cpu[row].to_string().into(),
            caption::task_name(summary, found.task[row]).into(),
            format::nanos(found.waited_ns[row]).text().into(),
            text::ENDED_BY.get(usize::from(found.ended_by[row])).copied().unwrap_or("").into(),
        ]
    };
    Table {
        class: "",
        testid: format!("timeline-table-{}", summary.column_name),
        caption: text::rows_shown(&summary.column_name, shown, found.total),
        head: text::TABLE_HEADINGS.map(Cell::from).into(),
        rows: (0..shown).map(row).collect(),
    }
}
