//! Whether every committed row agrees; the exit code says so. Built for wasm by `cargo xtask test`, since integers of
//! other widths are where a platform could differ.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut files = 0;
    for (name, content) in vectors::committed() {
        let Some(report) = vectors::check(name, &content) else { return ExitCode::FAILURE };
        if report.rows == 0 || report.agreeing != report.rows {
            eprintln!("{name}: {} of {} rows agree", report.agreeing, report.rows);
            return ExitCode::FAILURE;
        }
        files += 1;
    }
    let complete = files == vectors::known_files().len();
    if complete { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
