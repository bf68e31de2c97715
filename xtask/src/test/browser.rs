use std::path::Path;
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

/// The page as it is hosted can be built, and weighs what it may.
pub(super) fn site(context: &mut Context) -> Result<Outcome> {
    let too_large = size::problems(context.site()?)?;
    for problem in &too_large {
        say(problem);
    }
    Ok(Outcome::Ran(Counts { passed: usize::from(too_large.is_empty()), failed: too_large.len() }))
}

/// Every browser test on the hosted page.
pub(super) fn chromium(context: &mut Context) -> Result<Outcome> {
    if let Err(reason) = context.browser_tools() {
        return Ok(Outcome::NotRun(reason));
    }
    counted(&mut playwright(context.site()?)?).map(Outcome::Ran)
}

/// The hosted page in the other engine.
pub(super) fn firefox(context: &mut Context) -> Result<Outcome> {
    if let Err(reason) = context.browser_tools() {
        return Ok(Outcome::NotRun(reason));
    }
    let mut test = command("node");
    test.arg("firefox.mjs");
    counted(&mut prepared(test, context.site()?)?).map(Outcome::Ran)
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

    /// The folder of the hosted page, built once: with Trunk where it is wanted, else by ourselves.
    fn site(&mut self) -> Result<&Path> {
        if self.site.is_none() {
            let out = root().join("dist");
            // The optimiser for size comes with the npm packages; without it the page is only larger.
            let _ = self.browser_tools();
            if let Some(trunk) = &mut self.trunk {
                run(trunk.wait()?.args(["build", "--release"]))?;
            } else {
                build(Profile::Release, &out)?;
                pwa::finish(&out)?;
            }
            self.site = Some(out);
        }
        self.site.as_deref().context("the hosted page was just built")
    }
}

fn playwright(page: &Path) -> Result<Command> {
    let mut test = command(root().join("e2e/node_modules/.bin/playwright"));
    test.arg("test");
    prepared(test, page)
}

/// Serves the page twice, at the root and below a path, and tells the tests where.
fn prepared(mut test: Command, page: &Path) -> Result<Command> {
    let Some(chromium) = tools::chromium() else { bail!("Chromium is missing") };
    // Chosen among all crates, so that it is built from what the unit tests were built from.
    run(cargo().args(["build", "--workspace", "--bin", "runqueue"]))?;
    test.current_dir(root().join("e2e"))
        .env("RUNQUEUE_URL", serve(page, "/")?)
        .env("RUNQUEUE_SUBPATH_URL", serve(page, "/a/b/c/")?)
        .env("RUNQUEUE_PAGE", page)
        .env("RUNQUEUE_LATER", target_dir().join("later"))
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
