use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};

use crate::args::Args;
use crate::bindgen::{Loading, generate};
use crate::index::{Asset, Program, file_name, process};
use crate::pwa;
use crate::shell::{cargo, command as program_at, output, root, run, say, seconds, target_dir};
use crate::split::cut_site;

/// The target of everything that runs in the browser.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// How the page is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Quick to build: the engine optimised, the page not.
    Dev,
    /// Small and fast.
    Release,
}

impl Profile {
    pub(crate) fn from_args(args: &mut Args) -> Profile {
        if args.flag("--release") { Profile::Release } else { Profile::Dev }
    }

    const fn folder(self) -> &'static str {
        match self {
            Profile::Dev => "debug",
            Profile::Release => "release",
        }
    }
}

/// `cargo xtask build`.
pub(crate) fn command(mut args: Args) -> Result<()> {
    let profile = Profile::from_args(&mut args);
    let out = args.option("--out")?.unwrap_or_else(default_out);
    args.finish()?;
    build(profile, &out)?;
    if profile == Profile::Release { pwa::finish(&out) } else { pwa::retire(&out) }
}

/// Where the page is put when nobody says where.
pub(crate) fn default_out() -> PathBuf {
    target_dir().join("play")
}

/// Builds the page into a folder, without Node and without Trunk.
pub(crate) fn build(profile: Profile, out: &Path) -> Result<()> {
    let start = Instant::now();
    add_wasm_target()?;
    let index = root().join("web/index.html");
    let html = fs::read_to_string(&index).with_context(|| format!("cannot read {}", index.display()))?;
    let (page, assets) = process(&html)?;
    compile(profile, &assets)?;
    say("making the JavaScript beside the modules");
    let fresh = out.with_extension("new");
    empty(&fresh)?;
    bind(profile, &assets, &fresh)?;
    for asset in &assets {
        copy(asset, &fresh)?;
    }
    fs::write(fresh.join("index.html"), page)?;
    if profile == Profile::Release {
        cut_site(&fresh)?;
    }
    // Replaced only now, so that a failed build leaves the last good page being served.
    empty(out)?;
    fs::rename(&fresh, out).with_context(|| format!("cannot write {}", out.display()))?;
    say(format!("the page is in {} after {}", out.display(), seconds(start.elapsed())));
    Ok(())
}

fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// Asks rustup for the target's standard library unless it is there.
pub(crate) fn add_wasm_target() -> Result<()> {
    let folder = output(program_at("rustc").args(["--print", "target-libdir", "--target", WASM]))?;
    if Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    say(format!("adding the target {WASM}"));
    run(program_at("rustup").args(["target", "add", WASM]))
        .with_context(|| format!("the standard library for {WASM} is missing; install it and try again"))
}

fn compile(profile: Profile, assets: &[Asset]) -> Result<()> {
    say("compiling the page and its worker (the first time takes a minute or two)");
    let mut cargo = cargo();
    cargo.args(["build", "-p", "web", "--target", WASM]);
    for (program, _) in programs(assets) {
        cargo.args(["--bin", &program.bin]);
    }
    if profile == Profile::Release {
        cargo.arg("--release");
    }
    run(&mut cargo)
}

fn programs(assets: &[Asset]) -> impl Iterator<Item = (&Program, Loading)> {
    assets.iter().filter_map(|asset| match asset {
        Asset::App(program) => Some((program, Loading::Module)),
        Asset::Worker(program) => Some((program, Loading::Script)),
        _ => None,
    })
}

fn bind(profile: Profile, assets: &[Asset], out: &Path) -> Result<()> {
    let built = target_dir().join(WASM).join(profile.folder());
    thread::scope(|scope| {
        let running: Vec<_> = programs(assets)
            .map(|(program, loading)| {
                let wasm = built.join(format!("{}.wasm", program.bin));
                scope.spawn(move || generate(&wasm, out, &program.bin, loading))
            })
            .collect();
        running.into_iter().try_for_each(|thread| {
            thread.join().map_err(|_| anyhow!("the generator of the JavaScript panicked"))?
        })
    })
}

fn copy(asset: &Asset, out: &Path) -> Result<()> {
    let web = root().join("web");
    match asset {
        Asset::App(_) | Asset::Worker(_) => Ok(()),
        Asset::Style(path) | Asset::Icon(path) => copy_file(&web.join(path), &out.join(file_name(path))),
        Asset::File(from, to) => copy_file(&web.join(from), &out.join(to).join(file_name(from))),
        Asset::Folder(from, to) => {
            let to = if to.is_empty() { file_name(from) } else { to };
            copy_folder(&web.join(from), &out.join(to))
        }
    }
}

fn copy_file(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            copy_file(&entry.path(), &target)?;
        }
    }
    Ok(())
}
