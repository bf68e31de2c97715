//! Project chores: `cargo xtask play` builds and opens the page, `cargo xtask test` runs every check.

mod args;
mod bindgen;
mod index;
mod page;
mod play;
mod serve;
mod shell;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::args::Args;

const HELP: &str = "\
cargo xtask COMMAND

  play  [--release] [--port N] [--no-open] [--watch]
                       build the page, serve it on 127.0.0.1 and open it
  build [--release] [--out DIR]
                       build the page into a folder (target/play by default)
  serve DIR [--port N] [--base /SUB/PATH/]
                       serve a folder on 127.0.0.1
";

fn main() -> ExitCode {
    let mut arguments = std::env::args();
    let name = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    let outcome = if bindgen::is_called_as_wasm_bindgen(&name) {
        bindgen::command(&rest).map(|()| ExitCode::SUCCESS)
    } else {
        run(rest)
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}

fn run(mut arguments: Vec<String>) -> Result<ExitCode> {
    let command = if arguments.is_empty() { "help".to_owned() } else { arguments.remove(0) };
    let args = Args::new(arguments);
    match command.as_str() {
        "play" => play::command(args)?,
        "build" => page::command(args)?,
        "serve" => serve::command(args)?,
        "help" | "--help" | "-h" => print!("{HELP}"),
        unknown => bail!("there is no command {unknown:?}\n\n{HELP}"),
    }
    Ok(ExitCode::SUCCESS)
}
