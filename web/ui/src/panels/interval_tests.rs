//! Panels that are restricted to an interval, and what the others say of themselves meanwhile.

use std::rc::Rc;

use expect_test::expect_file;
use protocol::{RunSummary, WorkConservation};
use yew::prelude::*;

use super::fixtures::runs;
use super::tests::{check, headline, html, output};
use super::{PanelState, WorkView, distribution_panel, figures_panel, percentiles_panel, work_of, work_panel};
use crate::columns::{Results, restricted, results};
use crate::interval::PartWork;
use crate::state::{Action, State};
use crate::text;
use crate::timeline::Brush;

const BRUSH: Brush = Brush { from_ns: 1_000_000_000, to_ns: 2_100_000_000 };

/// The HiKey after its runs, restricted to an interval.
fn opened(brush: Brush) -> Rc<State> {
    let mut state = Rc::new(State::new(super::fixtures::scenario()));
    for (column, run) in runs().into_iter().enumerate() {
        state = state.reduce(Action::RunDone(1, column, 0, Rc::new(run)));
    }
    state.reduce(Action::Brush(Some(brush)))
}

fn part(brush: Brush) -> PanelState<Results> {
    let state = opened(brush);
    restricted(&state, &results(&state))
}

#[test]
fn charts_show_the_interval_and_say_so() {
    let shown = html(percentiles_panel(&part(BRUSH)));
    assert!(shown.contains("from 1.000\u{202f}s to 2.100\u{202f}s of the run"), "{shown}");
    assert!(!shown.contains(text::BAND) && !shown.contains(text::PUBLISHED), "they are of whole runs: {shown}");
    check(headline(part(BRUSH)), expect_file!["../../snapshots/headline_part.html"]);
    let shown = html(distribution_panel(&part(BRUSH)));
    assert!(shown.contains("1 of 2 took 1\u{202f}ms or longer"), "{shown}");
    let figures = html(figures_panel(&part(BRUSH)));
    assert!(figures.contains(text::FIGURES_OF_PART) && !figures.contains(text::TRACE_HASH), "{figures}");
}

#[test]
fn a_column_without_wakeups_in_the_interval_is_not_shown_as_if_it_never_waited() {
    let shown = html(percentiles_panel(&part(Brush { from_ns: 5, to_ns: 9 })));
    assert!(shown.contains("data-state=\"empty\"") && shown.contains("base recorded no wake-up from"), "{shown}");
}

#[test]
fn what_cannot_be_restricted_says_so() {
    let state = opened(BRUSH);
    assert!(html(output(results(&state))).contains(text::UNRESTRICTED));
    let whole = state.reduce(Action::Brush(None));
    assert!(!html(output(results(&whole))).contains(text::UNRESTRICTED));
}

fn work(state: &State) -> Html {
    let shown = work_of(&results(state), state.brush, &state.interval.works);
    work_panel(&WorkView { shown, orders: Callback::noop() })
}

fn summed(column: usize, brush: Brush) -> Action {
    let work = WorkConservation { from_ns: brush.from_ns, to_ns: brush.to_ns, ..runs()[column].work.clone() };
    Action::PartWork(1, column, PartWork { brush, work: Ok(Rc::new(work)) })
}

#[test]
fn waits_of_the_interval_are_shown_as_soon_as_all_columns_have_them() {
    let mut state = opened(BRUSH);
    assert!(html(work(&state)).contains(text::SUMMING_UP));
    state = state.reduce(summed(0, BRUSH));
    assert!(html(work(&state)).contains("data-state=\"loading\""), "one column alone is no comparison");
    state = state.reduce(summed(1, BRUSH));
    let full = html(work(&state));
    assert!(full.contains("data-state=\"full\"") && full.contains("to 2.100\u{202f}s of the run"), "{full}");
    // While it grows what was there stays; elsewhere it is old.
    let grown = state.clone().reduce(Action::Brush(Some(Brush { to_ns: 3_000_000_000, ..BRUSH })));
    assert!(html(work(&grown)).contains("data-state=\"full\""));
    let other = state.clone().reduce(Action::Brush(Some(Brush { from_ns: 2_000_000_000, ..BRUSH })));
    assert!(html(work(&other)).contains("data-state=\"stale\""));
    let broken = PartWork { brush: BRUSH, work: Err("too many events".to_owned()) };
    let broken = state.reduce(Action::PartWork(1, 1, broken));
    assert!(html(work(&broken)).contains("too many events"));
}

#[test]
fn sums_of_other_runs_come_too_late() {
    let state = opened(BRUSH).reduce(Action::RunAgain);
    assert_eq!(state.brush, None);
    let late = state.reduce(summed(0, BRUSH));
    assert!(late.interval.works.is_empty() && late.interval.runs.is_none());
}

#[test]
fn runs_that_record_no_latencies_keep_their_figures() {
    let mut state = Rc::new(State::new(super::fixtures::scenario()));
    for (column, name) in ["base", "patched"].into_iter().enumerate() {
        let run: RunSummary = super::fixtures::counted(column as u32, name, 100.0);
        state = state.reduce(Action::RunDone(1, column, 0, Rc::new(run)));
    }
    state = state.reduce(Action::Brush(Some(BRUSH)));
    let shown = html(headline(restricted(&state, &results(&state))));
    assert!(shown.contains(text::UNRESTRICTED) && shown.contains("100"), "{shown}");
}
