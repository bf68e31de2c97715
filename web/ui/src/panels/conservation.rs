//! Work conservation: who waited and why, and whether a CPU idled meanwhile.

mod waiters;

use std::rc::Rc;

use protocol::{RunSummary, WaitStats, WorkConservation};
use yew::prelude::*;

use super::frame::Panel;
use super::{PanelState, chart_box};
use crate::charts::{
    OverTime, TimeRow, Tone, WaitRow, WaitSort, band_swatch, line, marker, over_time_chart, sign, waits_chart,
};
use crate::columns::Results;
use crate::format::{nanos, significant};
use crate::interval::PartWork;
use crate::markup::{Cell, Table, el, plain, said};
use crate::orders::Orders;
use crate::part::{Frame, framed};
use crate::text;
use crate::timeline::Brush;

/// What the panel is made from.
#[derive(Clone, PartialEq)]
pub(crate) struct WorkView {
    /// What there is to show.
    pub(crate) shown: PanelState<Work>,
    /// Where orders go.
    pub(crate) orders: Orders,
}

/// The columns of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Work(pub(crate) Rc<Vec<WorkColumn>>);

/// How tasks waited in one column.
#[derive(Clone, Debug)]
pub(crate) struct WorkColumn {
    /// Its position.
    pub(crate) index: usize,
    /// Its name.
    pub(crate) name: AttrValue,
    /// Its look.
    pub(crate) tone: Tone,
    /// The whole run.
    pub(crate) summary: Rc<RunSummary>,
    /// An interval of it, if one is chosen.
    pub(crate) part: Option<Rc<WorkConservation>>,
}

impl PartialEq for WorkColumn {
    fn eq(&self, other: &WorkColumn) -> bool {
        // Neither ever changes once it is there.
        let is_same_part = match (&self.part, &other.part) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_same_part
            && Rc::ptr_eq(&self.summary, &other.summary)
            && self.name == other.name
            && self.tone == other.tone
    }
}

impl WorkColumn {
    /// How tasks waited.
    fn work(&self) -> &WorkConservation {
        self.part.as_deref().unwrap_or(&self.summary.work)
    }
}

/// What the panel shows of results: of the whole runs, or of the interval as soon as that has been added up.
pub(crate) fn work_of(
    results: &PanelState<Results>,
    brush: Option<Brush>,
    parts: &[Option<PartWork>],
) -> PanelState<Work> {
    let whole = results.and_then(|results| {
        let columns = results.columns.iter().map(|column| WorkColumn {
            index: column.index,
            name: column.name.clone(),
            tone: column.tone,
            summary: Rc::clone(&column.summary),
            part: None,
        });
        let columns: Vec<WorkColumn> = columns.collect();
        if columns.iter().any(|column| column.work().to_ns == 0) {
            return Err(text::NO_TRACE.into());
        }
        Ok(Work(Rc::new(columns)))
    });
    match (&whole, brush) {
        (PanelState::Full(work), Some(brush)) => restricted(work, brush, parts),
        _ => whole,
    }
}

fn restricted(work: &Work, brush: Brush, parts: &[Option<PartWork>]) -> PanelState<Work> {
    let known: Vec<&PartWork> = parts.iter().flatten().collect();
    if let Some(Err(message)) = known.iter().map(|part| &part.work).find(|work| work.is_err()) {
        return PanelState::Error(message.clone().into());
    }
    // All of one interval, so that no picture compares different ones.
    let shown = known.first().map(|part| part.brush);
    if known.len() < work.0.len() || known.iter().any(|part| Some(part.brush) != shown) {
        return PanelState::Loading(None, text::SUMMING_UP.into());
    }
    let columns = work.0.iter().zip(&known).map(|(column, part)| {
        let part = part.work.as_ref().ok().map(Rc::clone);
        WorkColumn { part, ..column.clone() }
    });
    let work = Work(Rc::new(columns.collect()));
    // An interval that only grows is that of a run that is being played: what was there a moment ago is no old picture.
    if shown.is_some_and(|shown| shown.from_ns == brush.from_ns) {
        PanelState::Full(work)
    } else {
        PanelState::Stale(work)
    }
}

/// See the module.
pub(crate) fn work_panel(view: &WorkView) -> Html {
    let body = view.shown.body(|work| full(work, &view.orders));
    let part = view.shown.content().and_then(|work| work.0.first()?.part.as_ref());
    let note =
        part.map_or_else(|| text::WORK_NOTE.to_owned(), |part| text::part_of_run(part.from_ns, part.to_ns));
    Panel { id: "work", title: text::WORK, note: &note, state: view.shown.name() }.html(vec![body])
}

fn full(work: &Work, orders: &Orders) -> Html {
    let sums: Vec<(&str, f64, f64)> = work
        .0
        .iter()
        .map(|column| {
            let wasted = column.work().wait_while_idle.total_ns() as f64;
            (column.name.as_str(), run_delay(column.work()), wasted)
        })
        .collect();
    let parts = vec![
        el("p", &[("class", "parting"), ("data-testid", "work-sentence")], vec![plain(&text::waste(&sums))]),
        said("h3", "", text::WASTE),
        framed(waste(work), draw_over_time),
        causes_key(),
        said("p", "help", text::WASTE_HELP),
        said("h3", "", text::WAITS),
        framed(sorts(work), |sorts, frame| draw_waits(sorts, frame)),
        waits_key(),
        waits_table(work).folded(text::AS_TABLE),
        said("h3", "", text::QUEUES_OVER_TIME),
        framed(queues(work), draw_over_time),
        said("h3", "", text::LONGEST_QUEUE),
        framed(longest_queues(work), draw_over_time),
        said("h3", "", text::SUMS),
        sums_table(work).scrolling(),
        said("p", "help", text::BALANCE_SCORE_HELP),
        said("h3", "", text::WAITERS),
        waiters::waiters(work, orders),
    ];
    el("div", &[("class", "fades work")], parts)
}

fn run_delay(work: &WorkConservation) -> f64 {
    work.tasks.run_delay_ns.iter().sum()
}

fn draw_over_time(chart: &OverTime, frame: &Frame) -> Html {
    chart_box(frame, vec![over_time_chart(chart, frame.width.unwrap_or(900.0))])
}

fn draw_waits(sorts: &[WaitSort], frame: &Frame) -> Html {
    chart_box(frame, vec![waits_chart(sorts, frame.width.unwrap_or(900.0), text::WAITS_LABEL)])
}

/// The bands of a row and its remark.
type Bands = (Vec<Vec<f32>>, String);

/// Rows over time, one a column.
fn over_time(work: &Work, words: &'static str, row: &dyn Fn(&WorkConservation) -> Bands) -> OverTime {
    let rows = work.0.iter().map(|column| {
        let (bands, remark) = row(column.work());
        let bin_ns = column.work().over_time.bin_ns as f64;
        TimeRow { name: column.name.clone(), tone: column.tone, remark, bin_ns, bands }
    });
    // All columns are drawn from the start of the earliest to the end of the latest, so that their axes are locked.
    let from = work.0.iter().map(|column| column.work().from_ns).min().unwrap_or(0);
    let to = work.0.iter().map(|column| column.work().to_ns).max().unwrap_or(1);
    OverTime { rows: rows.collect(), span: (from as f64, to as f64), words }
}

fn waste(work: &Work) -> OverTime {
    over_time(work, text::WASTE_LABEL, &|work| {
        let bins = &work.over_time;
        let bands = [&bins.idle_elsewhere, &bins.refused, &bins.stacked, &bins.other];
        let total = nanos(work.wait_while_idle.total_ns() as f64).text();
        (bands.map(Clone::clone).into(), total)
    })
}

fn queues(work: &Work) -> OverTime {
    over_time(work, text::QUEUES_LABEL, &|work| {
        let runnable = &work.over_time.runnable;
        let mean = runnable.iter().map(|value| f64::from(*value)).sum::<f64>() / runnable.len().max(1) as f64;
        (vec![runnable.clone()], text::on_average(&significant(mean)))
    })
}

fn longest_queues(work: &Work) -> OverTime {
    over_time(work, text::LONGEST_QUEUE_LABEL, &|work| {
        let lengths = &work.over_time.longest_queue;
        let most = lengths.iter().copied().max().unwrap_or(0);
        (vec![lengths.iter().map(|length| *length as f32).collect()], text::at_most(most))
    })
}

fn causes_key() -> Html {
    let item = |(band, words): (usize, &&str)| el("span", &[], vec![band_swatch(band), plain(words)]);
    el("div", &[("class", "swatches")], text::WASTE_CAUSES.iter().enumerate().map(item).collect())
}

/// The sorts of waits of a run, in the order of their names.
fn stats(work: &WorkConservation) -> [&WaitStats; 4] {
    [&work.wakeup_kept, &work.wakeup_moved, &work.preemption, &work.other]
}

/// The sorts that there are in any column.
fn present(work: &Work) -> impl Iterator<Item = (usize, &'static str)> + '_ {
    let is_there = |sort: usize| work.0.iter().any(|column| 0 < stats(column.work())[sort].count);
    text::WAIT_SORTS.into_iter().enumerate().filter(move |(sort, _)| is_there(*sort))
}

fn sorts(work: &Work) -> Vec<WaitSort> {
    let sort = |(sort, name): (usize, &'static str)| {
        let rows = work.0.iter().map(|column| {
            let stats = stats(column.work())[sort];
            let values = [stats.p50_ns, stats.p99_ns, stats.max_ns].map(|ns| ns as f64 / 1e3);
            WaitRow { name: column.name.clone(), tone: column.tone, count: stats.count, values }
        });
        WaitSort { name, rows: rows.collect() }
    };
    present(work).map(sort).collect()
}

fn waits_key() -> Html {
    let tone = Tone::Base;
    let shapes = [
        marker(tone, (7.0, 7.0), 4.5, false),
        line("high tone-base", (7.0, 1.0), (7.0, 13.0)),
        marker(tone, (7.0, 7.0), 4.5, true),
    ];
    let item =
        |(shape, words): (Html, &str)| el("span", &[], vec![sign(14.0, 14.0, vec![shape]), plain(words)]);
    el("p", &[("class", "key tone-base")], shapes.into_iter().zip(text::WAITS_KEY).map(item).collect())
}

fn waits_table(work: &Work) -> Table {
    let mut table = Table { testid: "waits-table".to_owned(), ..Table::default() };
    table.head.push(text::WAITS.into());
    for column in &*work.0 {
        for heading in text::WAIT_HEADINGS {
            table.head.push(Cell::toned(&format!("{}, {heading}", column.name), column.tone));
        }
    }
    for (sort, name) in present(work) {
        let mut row = vec![Cell::from(name)];
        for column in &*work.0 {
            let stats = stats(column.work())[sort];
            row.push(crate::format::count(stats.count).into());
            let values = [stats.p50_ns, stats.p95_ns, stats.p99_ns, stats.max_ns];
            row.extend(values.map(|ns| Cell::from(nanos(ns as f64).text())));
        }
        table.rows.push(row);
    }
    table
}

fn sums_table(work: &Work) -> Table {
    let mut table = Table { class: "wraps", testid: "work-table".to_owned(), ..Table::default() };
    table.head.push(text::FIGURE.into());
    table.head.extend(work.0.iter().map(|column| Cell::toned(&column.name, column.tone)));
    let mut row = |name: &str, class, value: &dyn Fn(&WorkConservation) -> String| {
        let cells = work.0.iter().map(|column| Cell::from(value(column.work())));
        table.rows.push(std::iter::once(Cell { class, ..Cell::from(name) }).chain(cells).collect());
    };
    let time = |ns: f64| nanos(ns).text();
    row(text::RUN_DELAY, "", &|work| time(run_delay(work)));
    row(text::AFTER_PREEMPTION, "inner", &|work| time(work.tasks.preemption_ns.iter().sum()));
    row(text::BESIDE_IDLE, "inner", &|work| time(work.wait_while_idle.total_ns() as f64));
    for (cause, name) in text::WASTE_CAUSES.into_iter().enumerate() {
        row(name, "inner-most", &|work| {
            let waits = work.wait_while_idle;
            let causes = [waits.idle_elsewhere_ns, waits.refused_ns, waits.stacked_ns, waits.other_ns];
            time(causes[cause] as f64)
        });
    }
    row(text::BALANCE_SCORE, "", &|work| significant(work.load_balance_score));
    table
}

#[cfg(test)]
mod tests;
