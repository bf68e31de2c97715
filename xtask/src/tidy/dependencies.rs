use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell::{cargo, output, root};

/// Which crates of this workspace each crate may know. Tests may know more: they are not on the way to the page.
const ALLOWED: [(&str, &[&str]); 19] = [
    ("sim", &[]),
    ("kernel", &[]),
    ("topology", &["sim"]),
    ("trace", &["sim"]),
    ("workload", &["sim"]),
    ("rules", &["sim", "kernel"]),
    ("scenario", &["sim", "topology", "kernel", "workload"]),
    ("engine", &["sim", "topology", "kernel", "scenario", "trace", "workload", "rules"]),
    ("metrics", &["sim", "trace", "workload"]),
    ("vectors", &["sim", "kernel", "rules"]),
    ("protocol", &["scenario"]),
    ("lesson", &["protocol", "scenario"]),
    (
        "session",
        &[
            "sim", "topology", "kernel", "scenario", "trace", "workload", "rules", "engine", "metrics",
            "vectors", "protocol",
        ],
    ),
    ("cli", &["session", "scenario", "protocol", "metrics", "vectors"]),
    ("ui", &["lesson", "protocol", "scenario", "kernel", "topology"]),
    ("web-exporter", &["session", "protocol"]),
    ("web-worker", &["session", "protocol"]),
    ("web", &["ui", "web-exporter", "web-worker"]),
    ("xtask", &["kernel", "sim"]),
];

/// What belongs to the browser, and therefore only under `web/`.
const BROWSER_ONLY: [&str; 8] = [
    "wasm-bindgen",
    "wasm-bindgen-futures",
    "js-sys",
    "web-sys",
    "yew",
    "serde-wasm-bindgen",
    "getrandom",
    "gloo",
];

pub(super) fn problems() -> Result<Vec<String>> {
    let text = output(cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&text).context("cargo metadata printed no JSON")?;
    let licences = fs::read_to_string(root().join("deny.toml")).context("cannot read deny.toml")?;
    let allowed = allowed_licences(&licences);
    let rules: BTreeMap<&str, &[&str]> = ALLOWED.into_iter().collect();
    let mut problems = Vec::new();
    for package in array(&metadata, "packages") {
        if package["source"].is_null() {
            problems.extend(check(package, &rules));
        } else if !licence_is_allowed(text_of(package, "license"), &allowed) {
            let licence = text_of(package, "license");
            problems.push(format!("{}: licence {licence:?} is not in deny.toml", text_of(package, "name")));
        }
    }
    Ok(problems)
}

fn check(package: &Value, rules: &BTreeMap<&str, &[&str]>) -> Vec<String> {
    let name = text_of(package, "name");
    let Some(allowed) = rules.get(name) else {
        return vec![format!("{name}: say in tidy which crates it may know")];
    };
    let in_browser = text_of(package, "manifest_path").contains("/web/");
    let mut problems = Vec::new();
    for dependency in array(package, "dependencies") {
        let other = text_of(dependency, "name");
        let ours = dependency["source"].is_null();
        if ours && dependency["kind"].is_null() && !allowed.contains(&other) {
            problems.push(format!("{name} must not know {other}; it may know {}", allowed.join(", ")));
        }
        if !in_browser && BROWSER_ONLY.contains(&other) {
            problems.push(format!("{name} must not use {other}, which belongs under web/"));
        }
    }
    problems
}

/// The list `allow = […]` of deny.toml, so that cargo-deny and this check cannot disagree.
fn allowed_licences(text: &str) -> Vec<&str> {
    let list = text.split_once("\nallow = [").and_then(|(_, after)| after.split_once(']'));
    list.map_or("", |(list, _)| list).split('"').skip(1).step_by(2).collect()
}

/// Whether a licence expression can be fulfilled with allowed licences: all parts of an AND, one of an OR.
fn licence_is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let plain = expression.replace('/', " OR ").replace(['(', ')'], "");
    let fulfilled = |part: &str| part.split(" OR ").any(|licence| allowed.contains(&licence.trim()));
    plain.split(" AND ").all(fulfilled)
}

fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_one(name: &str, folder: &str, dependency: &str, ours: bool) -> Vec<String> {
        let source = if ours { Value::Null } else { "registry".into() };
        let package = serde_json::json!({
            "name": name,
            "manifest_path": format!("x/{folder}/{name}/Cargo.toml"),
            "dependencies": [{ "name": dependency, "source": source, "kind": null }],
        });
        check(&package, &ALLOWED.into_iter().collect())
    }

    #[test]
    fn the_page_must_not_know_the_engine() {
        assert_eq!(check_one("ui", "web", "engine", true).len(), 1);
        assert_eq!(check_one("ui", "web", "protocol", true), [""; 0]);
    }

    #[test]
    fn browser_crates_stay_under_web() {
        assert_eq!(check_one("engine", "crates", "js-sys", false).len(), 1);
        assert_eq!(check_one("ui", "web", "js-sys", false), [""; 0]);
    }

    #[test]
    fn a_new_crate_needs_a_rule() {
        assert_eq!(check_one("fresh", "crates", "sim", true).len(), 1);
    }

    #[test]
    fn licence_expressions_are_understood() {
        let allowed = allowed_licences("[licenses]\nallow = [\n  \"MIT\",\n  \"Unicode-3.0\",\n]\n");
        assert_eq!(allowed, ["MIT", "Unicode-3.0"]);
        assert!(licence_is_allowed("MIT OR Apache-2.0", &allowed));
        assert!(licence_is_allowed("Apache-2.0/MIT", &allowed));
        assert!(licence_is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0", &allowed));
        assert!(!licence_is_allowed("MIT AND Apache-2.0", &allowed));
        assert!(!licence_is_allowed("", &allowed));
    }
}
