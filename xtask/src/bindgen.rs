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
    bindgen.generate(out).with_context(|| format!("cannot make the JavaScript for {}", wasm.display()))
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
