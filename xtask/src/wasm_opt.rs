use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::args::Args;
use crate::shell::{command as program, output, root, run};

/// Makes a module smaller by the `wasm-opt` of the npm packages; without them it stays as it is, which only costs
/// bytes. Others are not looked for: Debian's writes modules that crash.
pub(crate) fn optimise(from: &Path, to: &Path, level: &str) -> Result<()> {
    match installed() {
        // Copies of one generic function have names alike; side by side they compress better.
        Some(optimiser) => run(program(optimiser)
            .args([&format!("-O{level}"), "--reorder-functions-by-name"])
            .arg(from)
            .arg("-o")
            .arg(to)),
        None if from == to => Ok(()),
        None => fs::copy(from, to).map(|_| ()).with_context(|| format!("cannot write {}", to.display())),
    }
}

/// Serves the part of wasm-opt's command line that Trunk uses.
pub(crate) fn command(arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|argument| argument == "--version") {
        match installed() {
            Some(optimiser) => print!("{}", output(program(optimiser).arg("--version"))?),
            None => println!("wasm-opt version 0 (xtask without npm packages)"),
        }
        return Ok(());
    }
    let level = arguments.iter().find_map(|argument| argument.strip_prefix("-O")).unwrap_or("s").to_owned();
    let mut args = Args::new(arguments.to_vec());
    let to: PathBuf = args.option("--output")?.context("--output is missing")?;
    let from = args.positional().map(PathBuf::from).context("the module is missing")?;
    args.flag(&format!("-O{level}"));
    args.finish()?;
    optimise(&from, &to, &level)
}

fn installed() -> Option<PathBuf> {
    let path = root().join("e2e/node_modules/.bin/wasm-opt");
    path.exists().then_some(path)
}
