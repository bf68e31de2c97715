//! The native runner `runqueue`: presets, single runs, comparisons over seeds, exports, reference vectors and benchmarks.

mod args;
mod backend;
mod commands;
mod cpu_clock;
mod failure;
mod output;
mod parallel;
mod seeds;
mod table;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Presets => commands::presets(cli.json),
        Command::Run(args) => commands::run(args, cli.json),
        Command::Compare(args) => commands::compare(args, cli.json),
        Command::Export(args) => commands::export(args),
        Command::CheckVectors { directory } => commands::check_vectors(directory, cli.json),
        Command::Bench(args) => commands::bench(args, cli.json),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
