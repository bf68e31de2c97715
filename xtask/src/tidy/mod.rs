//! Rules of the house that no compiler checks. Each check returns its problems in words.

mod dependencies;
mod hunks;
mod lengths;
mod purity;
mod scanner;
mod words;

use std::fs;

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::docs;
use crate::shell::{command as program, extension, output, root, say};

/// A file of the project: its path from the top, and its text.
struct Source {
    path: String,
    text: String,
}

/// `cargo xtask tidy`.
pub(crate) fn command(args: Args) -> Result<()> {
    args.finish()?;
    let problems = problems()?;
    for problem in &problems {
        eprintln!("{problem}");
    }
    if !problems.is_empty() {
        bail!("{} problems", problems.len());
    }
    say("tidy");
    Ok(())
}

/// Everything that is not as it should be.
pub(crate) fn problems() -> Result<Vec<String>> {
    let sources = sources()?;
    let mut problems = dependencies::problems()?;
    problems.extend(lengths::problems(&sources));
    problems.extend(hunks::problems(&sources));
    problems.extend(purity::problems(&sources));
    problems.extend(words::problems(&sources));
    problems.extend(docs::problems());
    Ok(problems)
}

/// The text files that are, or are about to be, in the project's history.
fn sources() -> Result<Vec<Source>> {
    let listed = output(program("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]))?;
    let mut sources = Vec::new();
    for path in listed.lines() {
        let full = root().join(path);
        // A file may be deleted and the deletion not yet committed.
        if full.is_file() {
            let bytes = fs::read(&full).with_context(|| format!("cannot read {path}"))?;
            // What is not text (pictures, compressed vectors) holds no words.
            if let Ok(text) = String::from_utf8(bytes) {
                sources.push(Source { path: path.to_owned(), text });
            }
        }
    }
    Ok(sources)
}

impl Source {
    fn is_rust(&self) -> bool {
        extension(&self.path) == "rs"
    }
}
