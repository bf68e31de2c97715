use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::shell::{cargo, command as program, output, run, say, target_dir};
use crate::{bindgen, wasm_opt};

/// The newest Trunk that our compiler can build; without its default features it needs no TLS and cannot download.
const VERSION: &str = "0.21.14";

/// `cargo xtask setup-trunk`.
pub(crate) fn command(args: Args) -> Result<()> {
    args.finish()?;
    if installed() {
        say(format!("trunk {VERSION} is there"));
    } else {
        say(format!("compiling trunk {VERSION} (about four minutes on two cores)"));
        run(&mut install())?;
    }
    link_helpers()?;
    say(format!("now: PATH={}:$PATH trunk build --release", bin_dir().display()));
    Ok(())
}

/// An installation that goes on while other things are done.
pub(crate) struct BackgroundInstall {
    child: Option<Child>,
}

impl BackgroundInstall {
    /// Starts it, gently, unless it was done before.
    pub(crate) fn start() -> Result<BackgroundInstall> {
        if installed() {
            return Ok(BackgroundInstall { child: None });
        }
        say(format!("compiling trunk {VERSION} in the background; its messages are in {}", log().display()));
        fs::create_dir_all(tools_dir())?;
        let file = fs::File::create(log())?;
        let install = install();
        let mut gentle = program("nice");
        gentle.args(["-n", "19"]).arg(install.get_program()).args(install.get_args()).args(["--jobs", "1"]);
        for (name, value) in install.get_envs() {
            gentle.env(name, value.unwrap_or_default());
        }
        let child = gentle.stdout(Stdio::null()).stderr(file).spawn().context("cannot start nice")?;
        Ok(BackgroundInstall { child: Some(child) })
    }

    /// Waits for the end, and returns Trunk ready to be given its arguments.
    pub(crate) fn wait(&mut self) -> Result<Command> {
        if let Some(mut child) = self.child.take() {
            say("waiting for trunk to be compiled");
            if !child.wait()?.success() {
                bail!("trunk could not be compiled:\n{}", fs::read_to_string(log()).unwrap_or_default());
            }
        }
        link_helpers()?;
        let mut trunk = program(bin_dir().join("trunk"));
        let path = std::env::var("PATH").unwrap_or_default();
        trunk.env("PATH", format!("{}:{path}", bin_dir().display()));
        Ok(trunk)
    }
}

impl Drop for BackgroundInstall {
    /// An installation that nobody waits for is ended with the tests, which would else leave it running.
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn tools_dir() -> PathBuf {
    target_dir().join("tools")
}

fn bin_dir() -> PathBuf {
    tools_dir().join("bin")
}

fn log() -> PathBuf {
    tools_dir().join("trunk.log")
}

fn installed() -> bool {
    let trunk = bin_dir().join("trunk");
    trunk.exists()
        && output(program(trunk).arg("--version")).is_ok_and(|text| text.trim() == format!("trunk {VERSION}"))
}

fn install() -> Command {
    let mut install = cargo();
    install
        .args(["install", "trunk", "--version", VERSION, "--locked", "--no-default-features", "--debug"])
        .arg("--root")
        .arg(tools_dir())
        .arg("--target-dir")
        .arg(tools_dir().join("build"))
        .env("CARGO_PROFILE_DEV_DEBUG", "0");
    install
}

/// Puts beside Trunk the helpers that it looks for: both are this program, which looks at the name it is called by.
/// So their versions are those of the lock files, and Trunk never has to download.
fn link_helpers() -> Result<()> {
    let this = std::env::current_exe().context("this program has no path")?;
    ["wasm-bindgen", "wasm-opt"].iter().try_for_each(|name| link(&this, &bin_dir().join(name)))
}

/// Does the work of a helper when called by its name.
pub(crate) fn as_helper(name: &str, arguments: &[String]) -> Option<Result<()>> {
    match Path::new(name).file_stem()?.to_str()? {
        "wasm-bindgen" => Some(bindgen::command(arguments)),
        "wasm-opt" => Some(wasm_opt::command(arguments)),
        _ => None,
    }
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> Result<()> {
    if to.symlink_metadata().is_ok() {
        fs::remove_file(to)?;
    }
    std::os::unix::fs::symlink(from, to).with_context(|| format!("cannot link {}", to.display()))
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) -> Result<()> {
    let to = to.with_extension(std::env::consts::EXE_EXTENSION);
    fs::copy(from, &to).with_context(|| format!("cannot copy to {}", to.display()))?;
    Ok(())
}
