use metrics::log_bins;
use protocol::{HunkView, Origin, PublishedFigure, RunSummary};

use super::tables::put;

/// A document about runs of one scenario under one seed: where they come from, and everything that came out of them, in
/// tables. It holds nothing that differs from machine to machine.
pub(super) fn report(origin: &Origin, runs: &[RunSummary]) -> String {
    let mut text = String::new();
    head(&mut text, origin, runs);
    figures(&mut text, runs);
    published(&mut text, origin, runs);
    percentiles(&mut text, runs);
    distribution(&mut text, runs);
    hunks(&mut text, runs);
    counters(&mut text, runs);
    printed(&mut text, runs);
    text
}

fn head(text: &mut String, origin: &Origin, runs: &[RunSummary]) {
    put(text, format_args!("# {}\n\n", origin.title));
    put(
        text,
        format_args!("Simulated by Runqueue. One run is one seed: for how far results spread, see many.\n\n"),
    );
    put(text, format_args!("- Link, behind the address of the page: `{}`\n", origin.link));
    put(text, format_args!("- The same on the command line: `{}`\n", origin.command));
    if let Some(run) = runs.first() {
        put(text, format_args!("- Engine {}, seed {}\n", run.engine_version, run.seed));
    }
    let mut table = Table::new(text, "Runs", &["run"], runs);
    table.row(&["trace hash"], |run| format!("`{}`", run.trace_hash));
    table.row(&["events"], |run| run.events.to_string());
    table.row(&["simulated time (s)"], |run| seconds(run.simulated_ns));
    table.row(&["complete"], |run| if run.out_of_budget { "no: out of events" } else { "yes" }.to_owned());
}

fn figures(text: &mut String, runs: &[RunSummary]) {
    let Some(first) = runs.first() else { return };
    let mut table = Table::new(text, "Figures", &["figure", "unit"], runs);
    for metric in &first.metrics {
        let info = &metric.info;
        table.row(&[&info.label, &info.unit], |run| {
            let value = run.metric(&info.key);
            value.map_or_else(String::new, |value| format!("{value:.*}", usize::from(info.decimals)))
        });
    }
}

/// What others measured, beside what came out here.
fn published(text: &mut String, origin: &Origin, runs: &[RunSummary]) {
    let run_of = |figure: &PublishedFigure| runs.iter().find(|run| run.column_name == figure.column);
    let mut source = "";
    for figure in &origin.published {
        let Some(run) = run_of(figure) else { continue };
        if source != figure.source {
            source = &figure.source;
            heading(text, "Published beside simulated");
            put(text, format_args!("Measured by {source}.\n\n"));
            text.push_str("| column | metric | published | simulated |\n|---|---|--:|--:|\n");
        }
        let metric = run.metrics.iter().find(|metric| metric.info.key == figure.metric);
        let simulated = metric.map_or_else(String::new, |metric| {
            let (decimals, unit) = (usize::from(metric.info.decimals), &metric.info.unit);
            format!("{:.decimals$} {unit}", metric.value)
        });
        put_row(text, [&figure.column, &figure.metric, &figure.value, &simulated].map(String::as_str));
    }
}

fn percentiles(text: &mut String, runs: &[RunSummary]) {
    let Some(first) = runs.iter().find(|run| !run.percentiles.is_empty()) else { return };
    let mut table = Table::new(text, "Latency percentiles (µs)", &["percentile"], runs);
    for percentile in &first.percentiles {
        table.row(&[&percentile.label], |run| {
            let found = run.percentiles.iter().find(|other| other.key == percentile.key);
            found.map_or_else(String::new, |found| found.value_us.to_string())
        });
    }
}

/// The values of the chart of latencies: how many of each run lie in each tenth of a decade.
fn distribution(text: &mut String, runs: &[RunSummary]) {
    let latencies =
        |run: &RunSummary| run.samples.latency_us.iter().map(|us| *us as u64).collect::<Vec<u64>>();
    // The bins of all latencies together, so that all runs share them.
    let all = log_bins(runs.iter().flat_map(latencies));
    if all.is_empty() {
        return;
    }
    let by_run: Vec<_> = runs.iter().map(|run| log_bins(latencies(run))).collect();
    let mut table = Table::new(text, "Distribution of latencies", &["from (µs)", "below (µs)"], runs);
    for bin in all.iter().filter(|bin| 0 < bin.count) {
        let below = if bin.below_us == u64::MAX { String::new() } else { bin.below_us.to_string() };
        let mut counts = by_run.iter().map(|bins| {
            bins.iter().find(|own| own.from_us == bin.from_us).map_or(0, |own| own.count).to_string()
        });
        table.row(&[&bin.from_us.to_string(), &below], |_| counts.next().unwrap_or_default());
    }
}

/// What the places that patches edit were asked, and what each form would have changed. Those that no run has reached are
/// left out.
fn hunks(text: &mut String, runs: &[RunSummary]) {
    let Some(first) = runs.first() else { return };
    let is_reached =
        |hunk: &&HunkView| runs.iter().any(|run| in_run(run, hunk).is_some_and(|hunk| 0 < hunk.asked));
    let reached: Vec<&HunkView> = first.hunks.iter().filter(is_reached).collect();
    if reached.is_empty() {
        return;
    }
    let mut table = Table::new(text, "Places that patches edit", &["patch", "place", "what"], runs);
    for hunk in reached {
        let place = format!("{}, `{}` {}()", hunk.index + 1, hunk.file, hunk.function);
        let of = |run: &RunSummary, ask: &dyn Fn(&HunkView) -> String| {
            in_run(run, hunk).map_or_else(String::new, ask)
        };
        table.row(&[&hunk.patch, &place, "in force"], |run| of(run, &|hunk| hunk.active.clone()));
        table.row(&[&hunk.patch, &place, "asked"], |run| of(run, &|hunk| hunk.asked.to_string()));
        for (form, change) in hunk.would_change.iter().enumerate() {
            let what = format!("`{}` would change", change.form);
            table.row(&[&hunk.patch, &place, &what], |run| {
                of(run, &|hunk| hunk.would_change.get(form).map_or(0, |change| change.count).to_string())
            });
        }
    }
}

fn counters(text: &mut String, runs: &[RunSummary]) {
    let Some(first) = runs.first() else { return };
    let mut table = Table::new(text, "Counted", &["what"], runs);
    for counter in &first.counters {
        let is_time = counter.key.ends_with("_ns");
        let label = if is_time { format!("{} (s)", counter.label) } else { counter.label.clone() };
        table.row(&[&label], |run| {
            let found = run.counters.iter().find(|other| other.key == counter.key);
            let value = found.map_or(0, |found| found.value);
            if is_time { seconds(value) } else { value.to_string() }
        });
    }
}

fn printed(text: &mut String, runs: &[RunSummary]) {
    for run in runs.iter().filter(|run| !run.text.is_empty()) {
        heading(text, &format!("What the program printed: {}", run.column_name));
        put(text, format_args!("```text\n{}\n```\n", run.text.trim_end()));
    }
}

/// A table with a column for each run.
struct Table<'a> {
    text: &'a mut String,
    runs: &'a [RunSummary],
}

impl<'a> Table<'a> {
    fn new(text: &'a mut String, title: &str, heads: &[&str], runs: &'a [RunSummary]) -> Table<'a> {
        heading(text, title);
        put_row(text, heads.iter().copied().chain(runs.iter().map(|run| run.column_name.as_str())));
        text.push('|');
        text.push_str(&"---|".repeat(heads.len()));
        text.push_str(&"--:|".repeat(runs.len()));
        text.push('\n');
        Table { text, runs }
    }

    fn row(&mut self, heads: &[&str], mut cell: impl FnMut(&RunSummary) -> String) {
        let cells: Vec<String> = self.runs.iter().map(&mut cell).collect();
        put_row(self.text, heads.iter().copied().chain(cells.iter().map(String::as_str)));
    }
}

fn put_row<'a>(text: &mut String, cells: impl IntoIterator<Item = &'a str>) {
    text.push('|');
    for cell in cells {
        put(text, format_args!(" {} |", cell.replace('|', "\\|")));
    }
    text.push('\n');
}

fn heading(text: &mut String, title: &str) {
    put(text, format_args!("\n## {title}\n\n"));
}

/// A time in seconds, to the microsecond.
fn seconds(ns: u64) -> String {
    format!("{}.{:06}", ns / 1_000_000_000, ns / 1_000 % 1_000_000)
}

/// A place that a patch edits, as a run has it; a kernel that cannot have the patch has none of its places.
fn in_run<'a>(run: &'a RunSummary, hunk: &HunkView) -> Option<&'a HunkView> {
    run.hunks.iter().find(|own| own.patch == hunk.patch && own.index == hunk.index)
}
