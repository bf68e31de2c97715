use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use miniz_oxide::deflate::compress_to_vec;

use crate::args::Args;
use crate::shell::{extension, files_below, root, say};

/// Bytes of header and checksum that gzip puts around deflate.
const GZIP_FRAME: usize = 18;

/// One part of the first load, with what it should weigh and the most that it may, compressed, in bytes.
///
/// Where the goal is not reached the limit is a ratchet: what the part weighed when it was last looked at, and a little.
/// It only ever goes down. See `docs/adr/0005-what-the-page-weighs.md`.
struct Budget {
    what: &'static str,
    goal: usize,
    limit: usize,
    holds: fn(&str) -> bool,
}

/// The glue is what wasm-bindgen writes: a script a module.
const BUDGETS: [Budget; 4] = [
    Budget {
        what: "page module",
        goal: 160_000,
        limit: 244_000,
        holds: |file| file.starts_with("app") && file.ends_with("_bg.wasm"),
    },
    Budget { what: "worker module", goal: 140_000, limit: 151_000, holds: |file| file == "worker_bg.wasm" },
    Budget {
        what: "glue",
        goal: 15_000,
        limit: 11_000,
        holds: |file| extension(file) == "js" && (file.starts_with("app") || file == "worker.js"),
    },
    // Lessons, what makes files, and the later parts are fetched when somebody wants them.
    Budget {
        what: "first load",
        goal: 350_000,
        limit: 421_000,
        holds: |file| {
            !file.ends_with("_later.wasm")
                && !["lessons/", "exporter"].iter().any(|later| file.starts_with(later))
        },
    },
];

/// `cargo xtask size`.
pub(crate) fn command(mut args: Args) -> Result<()> {
    let folder = args.positional().map_or_else(|| root().join("dist"), PathBuf::from);
    args.finish()?;
    let problems = problems(&folder)?;
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    Ok(())
}

/// Which budgets of a built page are broken. Says what each part weighs.
pub(crate) fn problems(folder: &Path) -> Result<Vec<String>> {
    let mut weighed = Vec::new();
    for file in files_below(folder)? {
        let content = fs::read(folder.join(&file)).with_context(|| format!("cannot read {file}"))?;
        weighed.push((file, compress_to_vec(&content, 9).len() + GZIP_FRAME));
    }
    let mut problems = Vec::new();
    for budget in BUDGETS {
        let parts: Vec<usize> =
            weighed.iter().filter(|(file, _)| (budget.holds)(file)).map(|(_, bytes)| *bytes).collect();
        let bytes: usize = parts.iter().sum();
        let over = if budget.goal < bytes { ", over its goal" } else { "" };
        say(format!("{}: {bytes} bytes compressed (goal {}){over}", budget.what, budget.goal));
        if parts.is_empty() {
            problems.push(format!("{} has no {}", folder.display(), budget.what));
        } else if budget.limit < bytes {
            problems.push(format!(
                "{} weighs {bytes} bytes compressed, at most {} are allowed",
                budget.what, budget.limit
            ));
        }
    }
    Ok(problems)
}
