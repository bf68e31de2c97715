//! The tasks that waited most, with the way to their longest wait.

use yew::prelude::*;

use super::{Work, WorkColumn};
use crate::chain::Subject;
use crate::format::nanos;
use crate::inspection::Study;
use crate::markup::{el, plain, said};
use crate::orders::{Orders, act};
use crate::state::Action;
use crate::text;
use crate::timeline::caption::task_name;

/// How many tasks of a column are listed.
const LISTED: usize = 8;

/// A table for each column.
pub(super) fn waiters(work: &Work, orders: &Orders) -> Html {
    let tables = work.0.iter().map(|column| table(column, orders)).collect();
    el("div", &[("class", "waiting-threads")], tables)
}

fn table(column: &WorkColumn, orders: &Orders) -> Html {
    let tasks = &column.work().tasks;
    let mut order: Vec<usize> =
        (0..tasks.run_delay_ns.len()).filter(|task| 0.0 < tasks.run_delay_ns[*task]).collect();
    let all = order.len();
    order.sort_by(|one, other| tasks.run_delay_ns[*other].total_cmp(&tasks.run_delay_ns[*one]));
    order.truncate(LISTED);
    let caption = text::waiters_of(&column.name, order.len(), all);
    let heading = |words: &&str| el("th", &[("scope", "col")], vec![plain(words)]);
    let head = el("tr", &[], text::WAITER_HEADINGS.iter().map(heading).collect());
    let rows: Vec<Html> = order.into_iter().map(|task| row(column, task, orders)).collect();
    let body = if rows.is_empty() {
        let cell = el("td", &[("colspan", "6")], vec![plain(text::NO_WAITERS)]);
        vec![el("tr", &[], vec![cell])]
    } else {
        rows
    };
    let parts = vec![el("thead", &[], vec![head]), el("tbody", &[], body)];
    let testid = format!("waiters-{}", column.name);
    let table = el("table", &[("class", "wraps waiters"), ("data-testid", &testid)], parts);
    let attributes = [("class", "scroll"), ("tabindex", "0"), ("role", "group"), ("aria-label", &*caption)];
    let parts = vec![said("h4", column.tone.toned(), &caption), el("div", &attributes, vec![table])];
    el("div", &[], parts)
}

fn row(column: &WorkColumn, task: usize, orders: &Orders) -> Html {
    let tasks = &column.work().tasks;
    let name = task_name(&column.summary, task as u32);
    let time = |ns: f64| said("td", "", &nanos(ns).text());
    let cells = vec![
        el("th", &[("scope", "row")], vec![plain(name)]),
        el("td", &[], vec![longest(column, task, name, orders)]),
        time(tasks.run_delay_ns[task]),
        time(tasks.while_idle_ns[task]),
        time(tasks.preemption_ns[task]),
        said("td", "", &tasks.waits[task].to_string()),
    ];
    el("tr", &[], cells)
}

fn longest(column: &WorkColumn, task: usize, name: &str, orders: &Orders) -> Html {
    let tasks = &column.work().tasks;
    let (from, waited) = (tasks.longest_from_ns[task], tasks.longest_ns[task]);
    let words = nanos(waited).text();
    let subject = Subject { column: column.index, task: task as u32, at_ns: (from + waited / 2.0) as u64 };
    let show = Action::Study(Study::Show(subject, (from, from + waited)));
    html! {
        <button type="button" class="small" aria-label={text::show_longest(name, &words)} data-testid="waiter-longest"
            onclick={act(orders, show)}>{ words }</button>
    }
}
