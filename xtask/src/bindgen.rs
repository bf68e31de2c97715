use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::args::Args;

/// How the JavaScript beside a module is loaded.
#[derive(Clone, Copy)]
pub(crate) enum Loading {
    /// As a JavaScript module: the page.
    Module,
    /// By `importScripts`: the worker.
    Script,
}

/// Writes `NAME.js` and `NAME_bg.wasm` for a module that cargo has built.
pub(crate) fn generate(wasm: &Path, out: &Path, name: &str, loading: Loading) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).out_name(name).typescript(false);
    match loading {
        Loading::Module => bindgen.web(true)?,
        Loading::Script => bindgen.no_modules(true)?,
    };
    bindgen.generate(out).with_context(|| format!("cannot make the JavaScript for {}", wasm.display()))?;
    let script = out.join(format!("{name}.js"));
    let text = fs::read_to_string(&script).with_context(|| format!("cannot read {}", script.display()))?;
    fs::write(&script, without_comments(&text)).with_context(|| format!("cannot write {}", script.display()))
}

/// The same script without indentation, empty lines and lines of comment: a seventh of what it weighs compressed.
/// A script in which a string runs over several lines is left alone.
fn without_comments(script: &str) -> String {
    if script.lines().any(|line| line.matches('`').count() % 2 == 1) {
        return script.to_owned();
    }
    let is_code =
        |line: &&str| !line.is_empty() && !["//", "/*", "*"].iter().any(|mark| line.starts_with(mark));
    let lines: Vec<&str> = script.lines().map(str::trim).filter(is_code).collect();
    lines.join("\n") + "\n"
}

/// Serves the part of wasm-bindgen's command line that Trunk uses.
pub(crate) fn command(arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|argument| argument == "--version" || argument == "-V") {
        println!("wasm-bindgen {}", wasm_bindgen_shared::version());
        return Ok(());
    }
    let mut args = Args::new(arguments.to_vec());
    let out: PathBuf = args.option("--out-dir")?.context("--out-dir is missing")?;
    let name: String = args.option("--out-name")?.context("--out-name is missing")?;
    let loading = match args.option::<String>("--target")?.as_deref() {
        Some("web") => Loading::Module,
        Some("no-modules") => Loading::Script,
        other => bail!("--target {} is not supported here", other.unwrap_or("(missing)")),
    };
    args.flag("--no-typescript");
    let wasm = args.positional().context("the module is missing")?;
    args.finish()?;
    fs::create_dir_all(&out)?;
    generate(Path::new(&wasm), &out, &name, loading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go() {
        let script =
            "/**\n * What it does.\n */\nfunction f() {\n    // why\n    return 2 * 3; // stays\n}\n";
        assert_eq!(without_comments(script), "function f() {\nreturn 2 * 3; // stays\n}\n");
    }

    #[test]
    fn strings_over_several_lines_are_left_alone() {
        let script = "const a = `\n  // not a comment`;\n";
        assert_eq!(without_comments(script), script);
    }
}
