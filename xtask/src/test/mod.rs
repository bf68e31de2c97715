//! `cargo xtask test`: every check of the project, with a plain closing line.

mod browser;
mod counts;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use self::counts::{Counts, counted};
use crate::args::Args;
use crate::page::{WASM, add_wasm_target};
use crate::shell::{cargo, output, say, seconds};
use crate::trunk::BackgroundInstall;
use crate::{shell, tidy};

/// What a step ended with.
enum Outcome {
    Ran(Counts),
    /// What is missing, and how to get it.
    NotRun(String),
}

/// What the steps share.
struct Context {
    /// The long form of the statistical tests.
    slow: bool,
    /// The pinned Trunk being installed, where the page is built with it.
    trunk: Option<BackgroundInstall>,
    /// Why the browser tests cannot run, once that has been found out.
    browser_tools: Option<Result<(), String>>,
    /// Where the hosted page is, once it has been built.
    site: Option<PathBuf>,
}

struct Step {
    name: &'static str,
    what: &'static str,
    run: fn(&mut Context) -> Result<Outcome>,
}

struct Row {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

const STEPS: [Step; 12] = [
    Step { name: "format", what: "the sources are formatted", run: format },
    Step { name: "tidy", what: "rules of the house that no compiler checks", run: tidy },
    Step { name: "lint", what: "clippy on every crate", run: lint },
    Step { name: "lint-wasm", what: "clippy on what runs in the browser", run: lint_wasm },
    Step { name: "unit", what: "unit and integration tests", run: unit },
    Step { name: "vectors", what: "the reference vectors as a wasm module", run: vectors_in_wasm },
    Step { name: "doctest", what: "examples in the documentation", run: doctest },
    Step { name: "docs", what: "the documentation builds without a warning", run: docs },
    Step { name: "play", what: "the page as `cargo xtask play` builds it, in Chromium", run: browser::play },
    Step { name: "site", what: "the page as it is hosted, and what it weighs", run: browser::site },
    Step { name: "chromium", what: "every browser test on the hosted page", run: browser::chromium },
    Step { name: "firefox", what: "the hosted page in Firefox", run: browser::firefox },
];

/// The steps that look at the hosted page.
const SITE_STEPS: [&str; 3] = ["site", "chromium", "firefox"];

/// The exit code for "what ran is green, but not everything ran".
const NOT_RUN: u8 = 3;

/// `cargo xtask test`.
pub(crate) fn command(mut args: Args) -> Result<ExitCode> {
    let slow = args.flag("--slow");
    let with_trunk = args.flag("--trunk") || std::env::var_os("CI").is_some();
    let only: Option<String> = args.option("--only")?;
    args.finish()?;
    let wanted = |step: &&Step| only.as_deref().is_none_or(|name| step.name == name);
    if !STEPS.iter().any(|step| wanted(&step)) {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        bail!("--only takes one of {}", names.join(", "));
    }
    let needs_trunk = with_trunk && STEPS.iter().filter(wanted).any(|step| SITE_STEPS.contains(&step.name));
    let trunk = needs_trunk.then(BackgroundInstall::start).transpose()?;
    let mut context = Context { slow, trunk, browser_tools: None, site: None };
    let rows: Vec<Row> = STEPS.iter().filter(wanted).map(|step| perform(step, &mut context)).collect();
    Ok(report(&rows))
}

fn perform(step: &Step, context: &mut Context) -> Row {
    say(format!("{}: {}", step.name, step.what));
    let start = Instant::now();
    let outcome = (step.run)(context).unwrap_or_else(|error| {
        say(format!("{} failed: {error:#}", step.name));
        Outcome::Ran(Counts { passed: 0, failed: 1 })
    });
    Row { name: step.name, outcome, took: start.elapsed() }
}

fn report(rows: &[Row]) -> ExitCode {
    let mut total = Counts::default();
    let mut missing = false;
    println!();
    for row in rows {
        let took = seconds(row.took);
        match &row.outcome {
            Outcome::Ran(counts) => {
                total.passed += counts.passed;
                total.failed += counts.failed;
                let verdict = if counts.failed == 0 { "ok" } else { "FAILED" };
                println!(
                    "{:10} {verdict:8} {:5} passed {:4} failed  {took}",
                    row.name, counts.passed, counts.failed
                );
            }
            Outcome::NotRun(reason) => {
                missing = true;
                println!("{:10} NOT RUN  {reason}", row.name);
            }
        }
    }
    println!("\n{} passed, {} failed", total.passed, total.failed);
    match (total.failed, missing) {
        (0, false) => ExitCode::SUCCESS,
        (0, true) => ExitCode::from(NOT_RUN),
        _ => ExitCode::FAILURE,
    }
}

fn format(_: &mut Context) -> Result<Outcome> {
    counted(cargo().args(["fmt", "--all", "--check"])).map(Outcome::Ran)
}

fn tidy(_: &mut Context) -> Result<Outcome> {
    let problems = tidy::problems()?;
    for problem in &problems {
        say(problem);
    }
    Ok(Outcome::Ran(Counts { passed: usize::from(problems.is_empty()), failed: problems.len() }))
}

fn lint(_: &mut Context) -> Result<Outcome> {
    counted(cargo().args(["clippy", "--workspace", "--all-targets", "--keep-going", "--", "-D", "warnings"]))
        .map(Outcome::Ran)
}

fn lint_wasm(_: &mut Context) -> Result<Outcome> {
    add_wasm_target()?;
    let packages = ["clippy", "-p", "web", "-p", "ui", "-p", "web-worker", "--target", WASM, "--keep-going"];
    counted(cargo().args(packages).args(["--", "-D", "warnings"])).map(Outcome::Ran)
}

/// Integers of other widths are where wasm could differ.
fn vectors_in_wasm(_: &mut Context) -> Result<Outcome> {
    if !tools::node_is_usable() {
        return Ok(Outcome::NotRun("Node.js is missing or older than 18".to_owned()));
    }
    add_wasm_target()?;
    shell::run(cargo().args(["build", "-p", "vectors", "--example", "agree", "--target", WASM]))?;
    let module = shell::target_dir().join(WASM).join("debug/examples/agree.wasm");
    counted(shell::command("node").arg("e2e/vectors.mjs").arg(module)).map(Outcome::Ran)
}

fn unit(context: &mut Context) -> Result<Outcome> {
    let nextest = shell::has(cargo().args(["nextest", "--version"]));
    let mut tests = cargo();
    if nextest {
        tests.args(["nextest", "run", "--workspace", "--no-fail-fast"]);
    } else {
        say("cargo-nextest is not here: using cargo test");
        tests.args(["test", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast"]);
    }
    if context.slow {
        let seed = commit_seed()?;
        say(format!("the long form: fresh seeds from RUNQUEUE_SLOW_SEED={seed}"));
        tests.env("RUNQUEUE_SLOW", "1").env("RUNQUEUE_SLOW_SEED", seed.to_string());
    }
    counted(&mut tests).map(Outcome::Ran)
}

/// A seed that is new with each commit and the same for everyone who tests that commit.
fn commit_seed() -> Result<u32> {
    let commit = output(shell::command("git").args(["rev-parse", "HEAD"]))?;
    let digits = commit.get(..8).unwrap_or_default();
    Ok(u32::from_str_radix(digits, 16)?)
}

fn doctest(_: &mut Context) -> Result<Outcome> {
    counted(cargo().args(["test", "--workspace", "--doc"])).map(Outcome::Ran)
}

fn docs(_: &mut Context) -> Result<Outcome> {
    let mut docs = cargo();
    docs.args(["doc", "--workspace", "--no-deps", "--keep-going"]).env("RUSTDOCFLAGS", "-D warnings");
    counted(&mut docs).map(Outcome::Ran)
}
