use std::fmt::{Arguments, Write};

use protocol::RunSummary;

/// The figures of runs in one table: a line for each figure of each run, so that tables of many exports can be put
/// together.
pub(super) fn metrics_csv(runs: &[RunSummary]) -> String {
    let mut text = String::from("column,seed,trace_hash,metric,unit,value\n");
    for run in runs {
        for metric in &run.metrics {
            let RunSummary { column_name, seed, trace_hash, .. } = run;
            let (key, unit) = (&metric.info.key, &metric.info.unit);
            // The shortest text that is read back as the same number.
            put(&mut text, format_args!("{column_name},{seed},{trace_hash},{key},{unit},{}\n", metric.value));
        }
    }
    text
}

/// Appends formatted text.
pub(super) fn put(text: &mut String, what: Arguments<'_>) {
    let written = text.write_fmt(what);
    debug_assert!(written.is_ok(), "memory takes whatever is written to it");
}
