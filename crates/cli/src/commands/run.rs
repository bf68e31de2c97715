use scenario::Scenario;
use serde::Serialize;
use session::{MetricInfo, RunOptions};

use crate::args::RunArgs;
use crate::backend::{self, Outcome};
use crate::failure::CheckFailed;
use crate::output::{Document, MetricsObject, print, print_json};
use crate::table::{Table, number};

/// Runs every column of a scenario once.
pub(crate) fn run(args: &RunArgs, json: bool) -> anyhow::Result<()> {
    let scenario = backend::load(&args.scenario)?;
    let name = backend::name_of(&scenario, &args.scenario);
    let seed = backend::checked_seed(args.seed.unwrap_or(scenario.seed))?;
    let run = |column| backend::run(&scenario, column, seed, RunOptions::default());
    let outcomes: Vec<Outcome> = (0..scenario.columns.len()).map(run).collect();
    if json {
        print_json(&document(name, &scenario, &outcomes))?;
    } else {
        print(&text(name, &scenario, &outcomes, args.text))?;
    }
    check_finished(&scenario, &outcomes)
}

#[derive(Serialize)]
struct ColumnDocument<'a> {
    name: &'a str,
    seed: u64,
    trace_hash: &'a str,
    events: u64,
    wall_ms: f64,
    metrics: MetricsObject<'a>,
}

fn document<'a>(
    name: &'a str,
    scenario: &'a Scenario,
    outcomes: &'a [Outcome],
) -> Document<'a, ColumnDocument<'a>> {
    let columns = scenario.columns.iter().zip(outcomes).map(|(column, outcome)| ColumnDocument {
        name: &column.name,
        seed: outcome.seed,
        trace_hash: &outcome.trace_hash,
        events: outcome.events,
        wall_ms: outcome.wall.as_secs_f64() * 1e3,
        metrics: MetricsObject(&outcome.metrics),
    });
    Document::new(name, columns)
}

fn text(name: &str, scenario: &Scenario, outcomes: &[Outcome], with_program_text: bool) -> String {
    let names = scenario.columns.iter().map(|column| column.name.as_str());
    let mut table = Table::new(1, std::iter::once(name).chain(names.clone()));
    table.row(line("seed", outcomes, |outcome| outcome.seed.to_string()));
    table.row(line("trace hash", outcomes, |outcome| outcome.trace_hash.clone()));
    table.row(line("events", outcomes, |outcome| outcome.events.to_string()));
    table.row(line("run took (ms)", outcomes, |outcome| number(outcome.wall.as_secs_f64() * 1e3, 1)));
    for metric in outcomes.first().into_iter().flat_map(|first| &first.metrics) {
        let info = &metric.info;
        table.row(line(&label(info), outcomes, |outcome| {
            outcome.metric(&info.key).map_or_else(String::new, |value| number(value, info.decimals))
        }));
    }
    let printed = names.zip(outcomes).filter(|(_, outcome)| with_program_text && !outcome.text.is_empty());
    let printed: Vec<String> = printed.map(|(name, outcome)| format!("\n{name}\n{}", outcome.text)).collect();
    format!("{table}{}", printed.concat())
}

fn line(label: &str, outcomes: &[Outcome], cell: impl Fn(&Outcome) -> String) -> Vec<String> {
    std::iter::once(label.to_owned()).chain(outcomes.iter().map(cell)).collect()
}

fn label(info: &MetricInfo) -> String {
    if info.unit.is_empty() { info.label.clone() } else { format!("{} ({})", info.label, info.unit) }
}

/// A run that its event budget ended is no whole run: its figures are shown, but the command has not succeeded.
fn check_finished(scenario: &Scenario, outcomes: &[Outcome]) -> anyhow::Result<()> {
    let columns = scenario.columns.iter().zip(outcomes).filter(|(_, outcome)| outcome.out_of_budget);
    let cut: Vec<&str> = columns.map(|(column, _)| column.name.as_str()).collect();
    if cut.is_empty() {
        return Ok(());
    }
    let budget = scenario.run.max_events;
    let message = format!(
        "{}: ended early by the budget of {budget} events, so its figures are those of a part",
        cut.join(", ")
    );
    Err(CheckFailed(message).into())
}
