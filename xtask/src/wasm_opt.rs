use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::args::Args;
use crate::shell::{command as program, output, root, run};

/// Makes a module smaller by the `wasm-opt` of the npm packages, and drops its names; false without the packages,
/// where it stays as it is, which only costs bytes. Others are not looked for: Debian's writes modules that crash.
pub(crate) fn optimise(from: &Path, to: &Path, level: &str) -> Result<bool> {
    let Some(optimiser) = installed() else { return Ok(false) };
    // Copies of one generic function have names alike; side by side they compress better.
    run(program(optimiser)
        .args([&format!("-O{level}"), "--reorder-functions-by-name"])
        .arg(from)
        .arg("-o")
        .arg(to))?;
    Ok(true)
}

/// Serves the part of wasm-opt's command line that Trunk uses. It only copies: the names of the functions are still
/// needed, by the last step, which cuts the module in two and then optimises both parts.
pub(crate) fn command(arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|argument| argument == "--version") {
        match installed() {
            Some(optimiser) => print!("{}", output(program(optimiser).arg("--version"))?),
            None => println!("wasm-opt version 0 (xtask without npm packages)"),
        }
        return Ok(());
    }
    let level = arguments.iter().find(|argument| argument.starts_with("-O")).cloned().unwrap_or_default();
    let mut args = Args::new(arguments.to_vec());
    let to: PathBuf = args.option("--output")?.context("--output is missing")?;
    let from = args.positional().map(PathBuf::from).context("the module is missing")?;
    args.flag(&level);
    args.finish()?;
    if from != to {
        fs::copy(&from, &to).with_context(|| format!("cannot write {}", to.display()))?;
    }
    Ok(())
}

fn installed() -> Option<PathBuf> {
    let path = root().join("e2e/node_modules/.bin/wasm-opt");
    path.exists().then_some(path)
}
