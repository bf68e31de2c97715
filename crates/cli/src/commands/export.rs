use std::fs::File;
use std::io::{IsTerminal, Write, stdout};
use std::path::Path;

use anyhow::Context;
use scenario::Scenario;
use session::{ExportFormat, ExportJob, ExportOrder};

use crate::args::{ExportArgs, ScenarioArgs};
use crate::backend;
use crate::failure::{BadInput, CheckFailed};

/// Events between two writes.
const EVENTS_A_WRITE: u64 = 1 << 16;

/// Writes a run in a format that other tools read.
pub(crate) fn export(args: &ExportArgs) -> anyhow::Result<()> {
    let (arguments, picked) = split_columns(&args.scenario);
    let scenario = backend::load(&arguments)?;
    let seed = backend::checked_seed(args.seed.unwrap_or(scenario.seed))?;
    let column = column(&scenario, picked.as_deref())?;
    let mut sink = sink(args.output.as_deref(), args.format)?;
    let mut job = ExportJob::new(ExportOrder::new(&scenario, column, seed, args.format));
    loop {
        let is_complete = job.step(EVENTS_A_WRITE);
        sink.write_all(&job.take_bytes()).with_context(|| destination(args.output.as_deref()))?;
        if is_complete {
            break;
        }
    }
    sink.flush()?;
    if !job.cut_columns().is_empty() {
        let (cut, budget) = (job.cut_columns().join(", "), scenario.run.max_events);
        let message =
            format!("{cut}: ended early by the budget of {budget} events, so the file tells a part");
        return Err(CheckFailed(message).into());
    }
    if column.is_none() && args.format.is_trace() && 1 < scenario.columns.len() {
        let names = names(&scenario);
        eprintln!("exported column {} of {}; --column NAME picks another", names[0], names.join(", "));
    }
    Ok(())
}

/// The arguments of the scenario without the `--column` that only names one, and that name.
fn split_columns(args: &ScenarioArgs) -> (ScenarioArgs, Option<String>) {
    let (defined, named): (Vec<String>, Vec<String>) =
        args.column.iter().cloned().partition(|column| column.contains(':'));
    (ScenarioArgs { column: defined, ..args.clone() }, named.into_iter().next_back())
}

fn column(scenario: &Scenario, picked: Option<&str>) -> Result<Option<usize>, BadInput> {
    let Some(picked) = picked else { return Ok(None) };
    let names = names(scenario);
    let found = names.iter().position(|name| *name == picked);
    found.map(Some).ok_or_else(|| {
        BadInput::one(format!("--column {picked}: there is no such column; there are {}", names.join(", ")))
    })
}

fn names(scenario: &Scenario) -> Vec<&str> {
    scenario.columns.iter().map(|column| column.name.as_str()).collect()
}

fn sink(output: Option<&Path>, format: ExportFormat) -> anyhow::Result<Box<dyn Write>> {
    if let Some(path) = output {
        let file = File::create(path)
            .map_err(|error| BadInput::one(format!("{} cannot be written: {error}", path.display())))?;
        return Ok(Box::new(file));
    }
    if !format.is_text() && stdout().is_terminal() {
        let (name, extension) = (format.name(), format.extension());
        let message = format!(
            "{name} is no text for a terminal; write it to a file with -o run.{extension}, or pipe it on"
        );
        return Err(BadInput::one(message).into());
    }
    Ok(Box::new(stdout().lock()))
}

fn destination(output: Option<&Path>) -> String {
    output.map_or_else(|| "standard output".to_owned(), |path| path.display().to_string())
}
