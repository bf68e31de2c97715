//! The words of the command line.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use session::ExportFormat;

use crate::seeds::SeedRange;

/// Runqueue: the Linux CPU scheduler as a deterministic simulator, one kernel patch at a time.
///
/// Exit status: 0 done, 1 a check failed, 2 bad input.
#[derive(Debug, Parser)]
#[command(name = "runqueue", version, propagate_version = true)]
pub(crate) struct Cli {
    /// Print one JSON document instead of tables.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the presets.
    Presets,
    /// Run every column of a scenario once.
    Run(RunArgs),
    /// Run every column of a scenario under many seeds.
    Compare(CompareArgs),
    /// Write a run in a format that other tools read.
    ///
    /// `--column NAME`, without keys, picks a column; otherwise a trace is of the first, and results are of all.
    Export(ExportArgs),
    /// Check the model's rules against reference vectors.
    CheckVectors {
        /// A directory of vector files; files that are not known are named and left out.
        directory: PathBuf,
    },
    /// Measure the speed of the benchmark scenarios beside their bars.
    Bench(BenchArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
    /// The seed; without it that of the scenario.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Print what the program itself prints, too.
    #[arg(long)]
    pub(crate) text: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
    /// The seeds, both ends included: 1..200.
    #[arg(long, value_name = "A..B")]
    pub(crate) seeds: SeedRange,
    /// How many runs at a time; without it one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
    /// The format.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) format: ExportFormat,
    /// The seed; without it that of the scenario.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// The file to write; without it standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

fn format_parser() -> impl TypedValueParser<Value = ExportFormat> {
    PossibleValuesParser::new(ExportFormat::ALL.map(ExportFormat::name))
        .map(|name| ExportFormat::find(&name).expect("the parser lets only names of formats pass"))
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ScenarioArgs {
    /// The name of a preset, a scenario file, or a link.
    #[arg(value_name = "PRESET|FILE|LINK")]
    pub(crate) source: String,
    /// Set a key of the scenario in every column: workload.threads=3. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// A column and the keys that are set in it: old:kernel.hz=1000,patches.llc-spread=off. Replaces the columns of the
    /// scenario; may be repeated.
    #[arg(long = "column", value_name = "NAME:KEY=VALUE[,KEY=VALUE…]")]
    pub(crate) column: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Only scenarios whose name contains this.
    #[arg(long, value_name = "WORD")]
    pub(crate) only: Option<String>,
    /// How many times each is run; the fastest counts.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) repeat: u16,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn the_definition_of_the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
