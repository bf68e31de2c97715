use std::fmt::Write as _;
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sim::StableHasher;

use crate::args::Args;
use crate::shell::{files_below, say};
use crate::split::cut_site;

/// What a hosted page may do: run its own scripts and modules, and nothing from elsewhere. Nothing leaves the page.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self' data: blob:; font-src 'self'; worker-src 'self'; connect-src 'self'; manifest-src 'self'; \
    base-uri 'none'; form-action 'none'";

/// The service worker: keeps every file of one build, answers from it first, and leaves when the next build is ready.
const SERVICE_WORKER: &str = include_str!("service_worker.js");

/// A service worker that removes what an earlier hosted build at the same address left behind.
const RETIRE: &str = include_str!("retire_worker.js");

/// `cargo xtask pwa`: Trunk's last step, or one's own for a folder.
pub(crate) fn command(mut args: Args) -> Result<()> {
    let given = args.positional().map(PathBuf::from);
    args.finish()?;
    let folder = match given {
        Some(folder) => folder,
        None => std::env::var_os("TRUNK_STAGING_DIR").map(PathBuf::from).context("which folder?")?,
    };
    if std::env::var("TRUNK_PROFILE").is_ok_and(|profile| profile == "debug") {
        return retire(&folder);
    }
    cut_site(&folder)?;
    finish(&folder)
}

/// A page under development is never kept: a stale one would hide every change.
pub(crate) fn retire(folder: &Path) -> Result<()> {
    fs::write(folder.join("sw.js"), RETIRE).context("cannot write sw.js")
}

/// Names the build by its content, adds the policy, and writes the service worker.
pub(crate) fn finish(folder: &Path) -> Result<()> {
    let index = folder.join("index.html");
    let html = fs::read_to_string(&index).with_context(|| format!("cannot read {}", index.display()))?;
    let files: Vec<String> = files_below(folder)?.into_iter().filter(|file| file != "sw.js").collect();
    let build = build_id(folder, &files)?;
    fs::write(&index, hosted(&html, &build)?)?;
    fs::write(folder.join("sw.js"), service_worker(&build, &files))?;
    say(format!("build {build}: {} files work without a network after the first visit", files.len()));
    Ok(())
}

/// Twelve hexadecimal digits that change when any file does.
fn build_id(folder: &Path, files: &[String]) -> Result<String> {
    let mut hasher = StableHasher::default();
    for file in files {
        let content = fs::read(folder.join(file)).with_context(|| format!("cannot read {file}"))?;
        hasher.write(file.as_bytes());
        hasher.write_u64(content.len() as u64);
        hasher.write(&content);
    }
    Ok(format!("{:012x}", hasher.finish() >> 16))
}

fn hosted(html: &str, build: &str) -> Result<String> {
    if html.contains("runqueue-build") {
        bail!("this page was finished before; build it anew");
    }
    let head = html.find("<head>").context("index.html has no <head>")? + "<head>".len();
    let mut page = html[..head].to_owned();
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "\n    <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\
         \n    <meta name=\"runqueue-build\" content=\"{build}\">"
    );
    // Files without a hash of what is in them in their name get the build as query, so that no cache mixes two builds.
    let mut rest = html[head..].to_owned();
    for end in ["boot.js\"", ".wasm\""] {
        rest = rest.replace(end, &format!("{}?v={build}\"", end.trim_end_matches('"')));
    }
    page.push_str(&rest);
    Ok(page)
}

fn service_worker(build: &str, files: &[String]) -> String {
    let list: Vec<String> = files.iter().map(|file| format!("  {file:?},\n")).collect();
    SERVICE_WORKER.replace("{build}", build).replace("{files}\n", &list.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hosted_page_names_its_build_and_policy() {
        let page = hosted("<html><head><script src=\"./boot.js\"></script></head></html>", "abc").unwrap();
        assert!(page.contains("<meta name=\"runqueue-build\" content=\"abc\">"), "{page}");
        assert!(page.contains("default-src 'none'"), "{page}");
        assert!(page.contains("src=\"./boot.js?v=abc\""), "{page}");
        assert!(hosted(&page, "abc").is_err(), "finishing twice would nest the policy");
    }

    #[test]
    fn the_service_worker_lists_every_file() {
        let text = service_worker("abc", &["app.js".to_owned(), "index.html".to_owned()]);
        assert!(text.contains("\"abc\"") && text.contains("  \"app.js\",\n  \"index.html\",\n"), "{text}");
        assert!(!text.contains("{files}") && !text.contains("{build}"), "{text}");
    }
}
