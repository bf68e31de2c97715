use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::Result;

use crate::args::Args;
use crate::page::{Profile, build, default_out};
use crate::pwa;
use crate::serve::Server;
use crate::shell::{command as program, root, say};

/// What `--watch` looks at.
const SOURCES: [&str; 4] = ["crates", "web", "public", "Cargo.lock"];

/// `cargo xtask play`.
pub(crate) fn command(mut args: Args) -> Result<()> {
    let profile = Profile::from_args(&mut args);
    let port = args.option("--port")?;
    let stay_here = args.flag("--no-open");
    let watch = args.flag("--watch");
    args.finish()?;
    let out = default_out();
    build(profile, &out)?;
    pwa::retire(&out)?;
    let server = Server::bind(out.clone(), port, "/")?;
    let url = server.url()?;
    say(format!("serving {url} (stop with Ctrl+C)"));
    if !stay_here {
        open(&url);
    }
    if watch {
        thread::spawn(move || rebuild_on_change(profile, &out));
    }
    server.run();
    Ok(())
}

/// Opens the page in the user's browser, where there is one.
fn open(url: &str) {
    if cfg!(target_os = "linux")
        && std::env::var_os("DISPLAY").is_none()
        && std::env::var_os("WAYLAND_DISPLAY").is_none()
    {
        say("there is no screen here: open the address in a browser");
        return;
    }
    let mut opener = if cfg!(target_os = "macos") {
        program("open")
    } else if cfg!(windows) {
        let mut shell = program("cmd");
        shell.args(["/C", "start", ""]);
        shell
    } else {
        program("xdg-open")
    };
    match opener.arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn() {
        Ok(_) => say("opening it in your browser"),
        Err(_) => say("no browser could be started: open the address yourself"),
    }
}

fn rebuild_on_change(profile: Profile, out: &Path) {
    let mut built = newest_source();
    loop {
        thread::sleep(Duration::from_millis(500));
        let newest = newest_source();
        if built < newest {
            built = newest;
            match build(profile, out).and_then(|()| pwa::retire(out)) {
                Ok(()) => say("rebuilt: reload the page"),
                Err(error) => say(format!("{error:#}")),
            }
        }
    }
}

fn newest_source() -> Option<SystemTime> {
    SOURCES.iter().filter_map(|path| newest(&root().join(path))).max()
}

/// When the newest file below a path was changed. Files that vanish while we look are not there.
fn newest(path: &Path) -> Option<SystemTime> {
    if path.is_dir() {
        let entries = fs::read_dir(path).ok()?;
        return entries.filter_map(|entry| newest(&entry.ok()?.path())).max();
    }
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
