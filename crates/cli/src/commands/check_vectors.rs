use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use vectors::FileReport;

use crate::failure::{BadInput, CheckFailed};
use crate::output::{print, print_json};
use crate::table::Table;

/// Checks every vector file of a directory that is known.
pub(crate) fn check_vectors(directory: &Path, json: bool) -> anyhow::Result<()> {
    let mut reports = Vec::new();
    let mut unknown = Vec::new();
    for path in files_of(directory)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !vectors::known_files().contains(&name.as_str()) {
            unknown.push(name);
            continue;
        }
        let content = fs::read_to_string(&path)
            .map_err(|error| BadInput::one(format!("{} cannot be read: {error}", path.display())))?;
        reports.extend(vectors::check(&name, &content));
    }
    if !unknown.is_empty() {
        eprintln!("not checked, because no function here answers for them: {}", unknown.join(", "));
    }
    if reports.is_empty() {
        let known = vectors::known_files().join(", ");
        let problem =
            format!("{} holds no vector file that is known; those are {known}", directory.display());
        return Err(BadInput::one(problem).into());
    }
    if json {
        print_json(&reports.iter().map(document).collect::<Vec<_>>())?;
    } else {
        print(&text(&reports))?;
    }
    check_agreement(&reports)
}

fn files_of(directory: &Path) -> Result<Vec<PathBuf>, BadInput> {
    let unreadable = |error| BadInput::one(format!("{} cannot be read: {error}", directory.display()));
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[derive(Serialize)]
struct FileDocument<'a> {
    file: &'a str,
    rows: u64,
    agreeing: u64,
    first_disagreement: Option<DisagreementDocument<'a>>,
    /// Rows to which the base kernel and the patched one answer differently, where a file holds both.
    #[serde(skip_serializing_if = "Option::is_none")]
    base_patched_differ: Option<u64>,
}

#[derive(Serialize)]
struct DisagreementDocument<'a> {
    row: u64,
    expected: &'a str,
    got: &'a str,
}

fn document(report: &FileReport) -> FileDocument<'_> {
    FileDocument {
        file: report.file,
        rows: report.rows,
        agreeing: report.agreeing,
        first_disagreement: report.first_disagreement.as_ref().map(|first| DisagreementDocument {
            row: first.row,
            expected: &first.expected,
            got: &first.got,
        }),
        base_patched_differ: report.base_patched_differ,
    }
}

fn text(reports: &[FileReport]) -> String {
    let mut table = Table::new(1, ["file", "rows", "agreeing", "base and patched differ"]);
    for report in reports {
        let differ = report.base_patched_differ.map_or_else(String::new, |rows| rows.to_string());
        table.row([report.file.to_owned(), report.rows.to_string(), report.agreeing.to_string(), differ]);
    }
    let disagreement = |report: &FileReport| {
        let first = report.first_disagreement.as_ref()?;
        let (row, expected, got) = (first.row, &first.expected, &first.got);
        Some(format!("\n{}, row {row}:\n  expected {expected}\n  got      {got}\n", report.file))
    };
    let disagreements: Vec<String> = reports.iter().filter_map(disagreement).collect();
    format!("{table}{}", disagreements.concat())
}

/// A file without rows proves nothing, so it does not pass.
fn check_agreement(reports: &[FileReport]) -> anyhow::Result<()> {
    let fails = |report: &&FileReport| report.rows == 0 || report.agreeing < report.rows;
    let failing: Vec<&str> = reports.iter().filter(fails).map(|report| report.file).collect();
    if failing.is_empty() {
        return Ok(());
    }
    Err(CheckFailed(format!("not every row agrees, or there is none: {}", failing.join(", "))).into())
}
