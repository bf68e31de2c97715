//! Project chores: `cargo xtask play` builds and opens the page, `cargo xtask test` runs every check.

mod args;
mod bindgen;
mod docs;
mod index;
mod page;
mod play;
mod pwa;
mod serve;
mod shell;
mod size;
mod split;
mod test;
mod tidy;
mod trunk;
mod wasm_opt;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::args::Args;

const HELP: &str = "\
cargo xtask COMMAND

  play  [--release] [--port N] [--no-open] [--watch]
                       build the page, serve it on 127.0.0.1 and open it
  test  [--slow] [--only STEP] [--trunk]
                       run every check; installs the browsers that it needs, or says how to
  build [--release] [--out DIR]
                       build the page into a folder (target/play by default)
  serve DIR [--port N] [--base /SUB/PATH/]
                       serve a folder on 127.0.0.1
  tidy                 rules of the house that no compiler checks (part of test)
  docs                 write the generated documents
  size [DIR]           weigh a built page against its budget
  setup-trunk          compile the pinned Trunk into target/tools, with the helpers that it needs
  pwa [DIR]            finish a built page for hosting (Trunk calls it): policy, offline use
";

fn main() -> ExitCode {
    let mut arguments = std::env::args();
    let name = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    let outcome = match trunk::as_helper(&name, &rest) {
        Some(done) => done.map(|()| ExitCode::SUCCESS),
        None => run(rest),
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
        "test" => return test::command(args),
        "build" => page::command(args)?,
        "serve" => serve::command(args)?,
        "tidy" => tidy::command(args)?,
        "docs" => docs::command(args)?,
        "size" => size::command(args)?,
        "setup-trunk" => trunk::command(args)?,
        "pwa" => pwa::command(args)?,
        "help" | "--help" | "-h" => print!("{HELP}"),
        unknown => bail!("there is no command {unknown:?}\n\n{HELP}"),
    }
    Ok(ExitCode::SUCCESS)
}
