//! Every state of the panel, and what it says of runs that differ.

use expect_test::expect_file;
use protocol::{RunSummary, WorkConservation};
use yew::Callback;

use super::super::PanelState;
use super::super::fixtures::{of, results, runs};
use super::super::tests::{check, check_waiting, html};
use super::{WorkView, work_of, work_panel};
use crate::columns::Results;
use crate::text;

fn panel(results: &PanelState<Results>) -> yew::Html {
    work_panel(&WorkView { shown: work_of(results, None, &[]), orders: Callback::noop() })
}

#[test]
fn work_in_every_state() {
    check_waiting("work", |results| panel(&results));
    check(panel(&PanelState::Full(results())), expect_file!["../../../snapshots/work_full.html"]);
}

#[test]
fn a_run_without_its_events_says_so() {
    let [base, patched] = runs();
    let silent = RunSummary { work: WorkConservation::default(), ..patched };
    let shown = html(panel(&PanelState::Full(of([base, silent]))));
    assert!(shown.contains("data-state=\"empty\"") && shown.contains(text::NO_TRACE), "{shown}");
}

#[test]
fn charts_of_all_columns_have_the_same_axes() {
    let shown = html(panel(&PanelState::Full(results())));
    // The base has the highest band, and both rows are drawn up to it.
    assert_eq!(shown.matches(">0.6</text>").count(), 2, "{shown}");
    assert!(!shown.contains(text::WAIT_SORTS[3]), "sorts that there are not in any column are left out");
    assert!(shown.contains("Show the longest wait of task-2 in the timeline: 14.6"), "{shown}");
}
