use std::collections::BTreeMap;

use kernel::Patch;

use super::Source;
use super::scanner::{code_only, without_tests};

/// Where hunks are declared, one module a patch.
const DECLARED: &str = "crates/kernel/src/patches/";
/// Where they act.
const ACTING: [&str; 2] = ["crates/rules/src/", "crates/engine/src/"];

/// Every hunk acts at exactly one place, by `decide` or `applied`, and is listed by its patch.
pub(super) fn problems(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut declared_by_patch = BTreeMap::new();
    let acting: Vec<(&str, String)> = sources
        .iter()
        .filter(|source| ACTING.iter().any(|folder| source.path.starts_with(folder)))
        .map(|source| (source.path.as_str(), without_tests(&code_only(&source.text)).to_owned()))
        .collect();
    for source in sources {
        let Some(module) = source.path.strip_prefix(DECLARED).and_then(|file| file.strip_suffix(".rs"))
        else {
            continue;
        };
        let hunks = declared(&code_only(&source.text));
        declared_by_patch.insert(module.replace('_', "-"), hunks.len());
        for hunk in hunks {
            let places = places(&acting, &format!("{module}::{hunk}"));
            if places.len() != 1 {
                problems.push(format!(
                    "{}: hunk {module}::{hunk} must act at exactly one place, it acts at {}: {}",
                    source.path,
                    places.len(),
                    places.join(", ")
                ));
            }
        }
    }
    for patch in Patch::ALL {
        let listed = patch.info().hunks.len();
        let declared = declared_by_patch.get(patch.slug()).copied().unwrap_or(0);
        if listed != declared {
            problems.push(format!("{patch}: {declared} hunks are declared, its information lists {listed}"));
        }
    }
    problems
}

fn declared(code: &str) -> Vec<String> {
    let names = code.match_indices("pub const ").filter_map(|(start, prefix)| {
        let (name, after) = code[start + prefix.len()..].split_once(':')?;
        after.trim_start().starts_with("Hunk ").then(|| name.trim().to_owned())
    });
    names.collect()
}

/// The files, once for each call, that hand the hunk to `decide` or `applied`.
fn places<'a>(acting: &[(&'a str, String)], hunk: &str) -> Vec<&'a str> {
    let mut places = Vec::new();
    for (path, code) in acting {
        for (position, _) in code.match_indices(hunk) {
            let longer_name =
                code[position + hunk.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            let statement = code[..position].rfind([';', '{', '}']).map_or(0, |start| start + 1);
            let before = &code[statement..position];
            if !longer_name && ["decide(", "applied("].iter().any(|call| before.contains(call)) {
                places.push(*path);
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_count() {
        let code = "use llc_spread::A; fn f() { k.decide(audit, &llc_spread::A, 1, [2]); k.applied(&llc_spread::AB, [true]); }";
        let acting = [("f.rs", code.to_owned())];
        assert_eq!(places(&acting, "llc_spread::A"), ["f.rs"]);
        assert_eq!(places(&acting, "llc_spread::B"), [""; 0]);
    }

    #[test]
    fn declarations_are_found() {
        let code = "pub const A: Hunk =\n Hunk { };\npub const INFO: PatchInfo = PatchInfo { };";
        assert_eq!(declared(code), ["A"]);
    }
}
