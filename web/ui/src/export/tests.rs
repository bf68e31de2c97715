use expect_test::expect_file;

use super::*;
use crate::panels::tests::{check, html};

fn shown(choice: &Choice, pictures: &[(&str, bool)]) -> Html {
    let scenario = Scenario::from_preset("vm32-schbench").unwrap();
    let (format, column) = (Callback::noop(), Callback::noop());
    files(&scenario, choice, pictures, Handlers { format, column, deeds: &Callback::noop() })
}

#[test]
fn a_trace_is_of_a_column() {
    let choice = Choice { column: 2, ..Choice::default() };
    check(
        shown(&choice, &[("Latency", true), ("Timeline", false)]),
        expect_file!["../../snapshots/export.html"],
    );
}

#[test]
fn results_are_of_all_columns_and_there_may_be_no_picture() {
    let report = html(shown(&Choice { format: ExportFormat::Report, ..Choice::default() }, &[]));
    assert!(!report.contains("data-testid=\"export-column\""), "{report}");
    assert!(report.contains(text::NO_PICTURES), "{report}");
}

#[test]
fn every_progress_is_told() {
    let told = |progress| html(shown(&Choice { progress, ..Choice::default() }, &[]));
    let busy = told(Progress::UnderWay(2_500_000));
    assert!(busy.contains("Writing: 2.5\u{202f}MB so far.") && busy.contains("export-stop"), "{busy}");
    let saved = told(Progress::Saved("a.txt".to_owned(), 999, vec!["base".to_owned()]));
    assert!(
        saved.contains("Saved a.txt, 999\u{202f}B. The limit of events ended the run of base early"),
        "{saved}"
    );
    let failed = told(Progress::Failed("It broke.".to_owned()));
    assert!(failed.contains("field-error") && failed.contains("could not be made. It broke."), "{failed}");
}

#[test]
fn a_file_is_named_by_what_it_is_of() {
    let scenario = Scenario { seed: 7, ..Scenario::from_preset("vm32-schbench").unwrap() };
    let named = |format, column| file_name(&scenario, &Choice { format, column, ..Choice::default() });
    assert_eq!(named(ExportFormat::Perfetto, 1), "runqueue-vm32-schbench-revert-seed7.pftrace");
    assert_eq!(named(ExportFormat::Report, 1), "runqueue-vm32-schbench-seed7.md");
}
