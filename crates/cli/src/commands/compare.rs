use std::thread;

use metrics::{Band, PairedBand};
use scenario::Scenario;
use serde::Serialize;
use session::{MetricInfo, RunOptions};

use crate::args::CompareArgs;
use crate::backend::{self, Outcome};
use crate::failure::CheckFailed;
use crate::output::{Document, MetricsObject, print, print_json};
use crate::parallel;
use crate::table::{Table, number};

/// Runs every column of a scenario under many seeds.
pub(crate) fn compare(args: &CompareArgs, json: bool) -> anyhow::Result<()> {
    let scenario = backend::load(&args.scenario)?;
    let name = backend::name_of(&scenario, &args.scenario);
    backend::checked_seed(args.seeds.last())?;
    let seeds: Vec<u64> = args.seeds.iter().collect();
    let threads =
        args.jobs.map_or_else(|| thread::available_parallelism().map_or(1, Into::into), usize::from);
    let outcomes = run_all(&scenario, &seeds, threads);
    let columns = scenario.columns.len();
    let by_column: Vec<Vec<&Outcome>> =
        (0..columns).map(|column| outcomes.iter().skip(column).step_by(columns).collect()).collect();
    if json {
        print_json(&document(name, &scenario, &by_column))?;
    } else {
        print(&text(name, &scenario, &by_column))?;
    }
    let cut = outcomes.iter().filter(|outcome| outcome.out_of_budget).count();
    if 0 < cut {
        let budget = scenario.run.max_events;
        return Err(CheckFailed(format!(
            "{cut} of {} runs were ended early by the budget of {budget} events",
            outcomes.len()
        ))
        .into());
    }
    Ok(())
}

/// Every column under every seed: for each seed all columns, before the next seed begins.
pub(super) fn run_all(scenario: &Scenario, seeds: &[u64], threads: usize) -> Vec<Outcome> {
    let columns = scenario.columns.len();
    parallel::map(seeds.len() * columns, threads, |number| {
        backend::run(scenario, number % columns, seeds[number / columns], RunOptions::default())
    })
}

#[derive(Serialize)]
struct ColumnDocument<'a> {
    name: &'a str,
    runs: Vec<RunDocument<'a>>,
}

#[derive(Serialize)]
struct RunDocument<'a> {
    seed: u64,
    trace_hash: &'a str,
    metrics: MetricsObject<'a>,
}

fn document<'a>(
    name: &'a str,
    scenario: &'a Scenario,
    by_column: &[Vec<&'a Outcome>],
) -> Document<'a, ColumnDocument<'a>> {
    let run = |outcome: &&'a Outcome| RunDocument {
        seed: outcome.seed,
        trace_hash: &outcome.trace_hash,
        metrics: MetricsObject(&outcome.metrics),
    };
    let columns = scenario.columns.iter().zip(by_column).map(|(column, outcomes)| ColumnDocument {
        name: &column.name,
        runs: outcomes.iter().map(run).collect(),
    });
    Document::new(name, columns)
}

/// One line a figure: for each column the median with the central 95 % of runs, and how the first column stands to the
/// last.
fn text(name: &str, scenario: &Scenario, by_column: &[Vec<&Outcome>]) -> String {
    let Some(first) = by_column.first().and_then(|outcomes| outcomes.first()) else { return String::new() };
    let runs = by_column.first().map_or(0, Vec::len);
    let mut heading = vec![name.to_owned(), "unit".to_owned()];
    for column in &scenario.columns {
        heading.extend([format!("{} median", column.name), "95 % of runs".to_owned()]);
    }
    if let [base, .., last] = scenario.columns.as_slice() {
        heading.push(format!("{} / {}", base.name, last.name));
    }
    let mut table = Table::new(2, heading);
    for metric in &first.metrics {
        let info = &metric.info;
        let values: Vec<Vec<f64>> = by_column.iter().map(|outcomes| values_of(outcomes, &info.key)).collect();
        table.row(row(info, &values));
    }
    format!("{runs} runs of each column; the last figure is the median of the ratios seed by seed\n\n{table}")
}

fn values_of(outcomes: &[&Outcome], key: &str) -> Vec<f64> {
    outcomes.iter().filter_map(|outcome| outcome.metric(key)).collect()
}

fn row(info: &MetricInfo, values: &[Vec<f64>]) -> Vec<String> {
    let mut row = vec![info.key.clone(), info.unit.clone()];
    for of_column in values {
        match Band::of(of_column) {
            Some(band) => {
                row.push(number(band.median, info.decimals));
                row.push(format!(
                    "{}..{}",
                    number(band.low, info.decimals),
                    number(band.high, info.decimals)
                ));
            }
            None => row.extend([String::new(), String::new()]),
        }
    }
    if let [base, .., last] = values {
        // A ratio over the seeds alone whose divisor is not 0 would speak of a selection.
        let ratio =
            PairedBand::of(base, last).and_then(|paired| paired.ratio).filter(|of| of.runs == base.len());
        row.push(ratio.map_or_else(String::new, |ratio| number(ratio.median, 2)));
    }
    row
}
