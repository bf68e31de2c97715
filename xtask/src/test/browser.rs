use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context as _, Result, bail};

use super::counts::{Counts, counted};
use super::{Context, Outcome, tools};
use crate::page::{Profile, build, default_out};
use crate::serve::Server;
use crate::shell::{cargo, command, root, run, say, target_dir};
use crate::{pwa, size};

/// Smoke test of what a visitor's first command builds.
pub(super) fn play(context: &mut Context) -> Result<Outcome> {
    let out = default_out();
    build(Profile::Dev, &out)?;
    if let Err(reason) = context.browser_tools() {
        return Ok(Outcome::NotRun(reason));
    }
    counted(playwright(&out)?.args(["--grep", "@smoke"])).map(Outcome::Ran)
}

/// Every browser test on the page as it is hosted.
pub(super) fn hosted(context: &mut Context) -> Result<Outcome> {
    let out = build_hosted(context)?;
    let too_large = size::problems(&out)?;
    for problem in &too_large {
        say(problem);
    }
    let mut counts = Counts { passed: usize::from(too_large.is_empty()), failed: too_large.len() };
    if let Err(reason) = context.browser_tools() {
        return Ok(Outcome::NotRun(reason));
    }
    let tests = counted(&mut playwright(&out)?)?;
    counts.passed += tests.passed;
    counts.failed += tests.failed;
    Ok(Outcome::Ran(counts))
}

/// The same page in the other engine.
pub(super) fn firefox(context: &mut Context) -> Result<Outcome> {
    if let Err(reason) = context.browser_tools() {
        return Ok(Outcome::NotRun(reason));
    }
    let out = hosted_folder();
    if !out.join("index.html").exists() {
        build_hosted(context)?;
    }
    let mut test = command("node");
    test.arg("firefox.mjs");
    counted(&mut prepared(test, &out)?).map(Outcome::Ran)
}

impl Context {
    /// Makes ready what browser tests need, once.
    fn browser_tools(&mut self) -> Result<(), String> {
        self.browser_tools
            .get_or_insert_with(|| {
                tools::prepare()?;
                if tools::node_is_usable() { Ok(()) } else { Err("Node.js is older than 18".to_owned()) }
            })
            .clone()
    }
}

fn hosted_folder() -> PathBuf {
    root().join("dist")
}

/// With Trunk where it is wanted, else by ourselves: both give the same site.
fn build_hosted(context: &mut Context) -> Result<PathBuf> {
    let out = hosted_folder();
    if let Some(trunk) = &mut context.trunk {
        // The optimiser for size comes with the npm packages; without it the page is only larger.
        let _ = context.browser_tools.get_or_insert_with(tools::prepare);
        run(trunk.wait()?.args(["build", "--release"]))?;
    } else {
        build(Profile::Release, &out)?;
        pwa::finish(&out)?;
    }
    Ok(out)
}

fn playwright(page: &Path) -> Result<Command> {
    let mut test = command(root().join("e2e/node_modules/.bin/playwright"));
    test.arg("test");
    prepared(test, page)
}

/// Serves the page twice, at the root and below a path, and tells the tests where.
fn prepared(mut test: Command, page: &Path) -> Result<Command> {
    let Some(chromium) = tools::chromium() else { bail!("Chromium is missing") };
    run(cargo().args(["build", "-p", "cli"]))?;
    test.current_dir(root().join("e2e"))
        .env("RUNQUEUE_URL", serve(page, "/")?)
        .env("RUNQUEUE_SUBPATH_URL", serve(page, "/a/b/c/")?)
        .env("RUNQUEUE_PAGE", page)
        .env("RUNQUEUE_CLI", target_dir().join("debug/runqueue"))
        .env("RUNQUEUE_XTASK", std::env::current_exe().context("this program has no path")?)
        .env("RUNQUEUE_CHROMIUM", chromium);
    if let Some(firefox) = tools::firefox() {
        test.env("RUNQUEUE_FIREFOX", firefox);
    }
    Ok(test)
}

fn serve(page: &Path, base: &str) -> Result<String> {
    let server = Server::bind(page.to_owned(), Some(0), base)?;
    let url = server.url()?;
    thread::spawn(move || server.run());
    Ok(url)
}
