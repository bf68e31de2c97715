use std::fs;
use std::path::PathBuf;

use crate::shell::{command, find_program, has, root, run, say};

/// A program that tests need, with the names under which it is found and the Debian package that has it.
struct Tool {
    what: &'static str,
    programs: &'static [&'static str],
    package: &'static str,
}

const CHROMIUM: Tool = Tool {
    what: "Chromium",
    programs: &["chromium", "chromium-browser", "google-chrome"],
    package: "chromium",
};
const FIREFOX: Tool = Tool { what: "Firefox", programs: &["firefox-esr", "firefox"], package: "firefox-esr" };
const NODE: Tool = Tool { what: "Node.js", programs: &["node"], package: "nodejs" };
const NPM: Tool = Tool { what: "npm", programs: &["npm"], package: "npm" };

/// Where Chromium is, if it could be had.
pub(super) fn chromium() -> Option<PathBuf> {
    CHROMIUM.find()
}

/// Where Firefox is, if it could be had.
pub(super) fn firefox() -> Option<PathBuf> {
    FIREFOX.find()
}

impl Tool {
    fn find(&self) -> Option<PathBuf> {
        self.programs.iter().find_map(|program| find_program(program))
    }
}

/// Installs the browsers, Node and the locked npm packages where they are missing; says what could not be had.
pub(super) fn prepare() -> Result<(), String> {
    let missing: Vec<&Tool> =
        [&CHROMIUM, &FIREFOX, &NODE, &NPM].into_iter().filter(|tool| tool.find().is_none()).collect();
    if !missing.is_empty() {
        install(&missing)?;
    }
    npm_packages()
}

fn install(missing: &[&Tool]) -> Result<(), String> {
    let packages: Vec<&str> = missing.iter().map(|tool| tool.package).collect();
    let names: Vec<&str> = missing.iter().map(|tool| tool.what).collect();
    let remedy = format!(
        "missing: {}; install on Debian by `sudo apt-get install --no-install-recommends {}`",
        names.join(", "),
        packages.join(" ")
    );
    if find_program("apt-get").is_none() || !is_root() {
        return Err(remedy);
    }
    say(format!("installing {} (Debian packages {})", names.join(", "), packages.join(" ")));
    let mut apt = command("apt-get");
    apt.args(["install", "-y", "-qq", "--no-install-recommends"]).args(&packages);
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    run(command("apt-get").args(["update", "-qq"]))
        .and_then(|()| run(&mut apt))
        .map_err(|error| format!("{error:#}; {remedy}"))
}

fn is_root() -> bool {
    command("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

/// Runs `npm ci` unless the folder was made from this very lock file.
fn npm_packages() -> Result<(), String> {
    let folder = root().join("e2e");
    let stamp = folder.join("node_modules/.runqueue-lock");
    let lock = fs::read(folder.join("package-lock.json")).map_err(|error| error.to_string())?;
    if fs::read(&stamp).is_ok_and(|known| known == lock) {
        return Ok(());
    }
    say("installing the locked npm packages of e2e");
    let mut npm = command("npm");
    npm.args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder);
    run(&mut npm).map_err(|error| format!("{error:#}; it needs a network and npm"))?;
    fs::write(stamp, lock).map_err(|error| error.to_string())
}

/// Whether this Node is new enough for the test runner.
pub(super) fn node_is_usable() -> bool {
    has(command("node")
        .args(["-e", "process.exit(Number(process.versions.node.split('.')[0]) < 18 ? 1 : 0)"]))
}
