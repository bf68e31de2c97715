use super::Source;
use super::scanner::{code_only, line_of, without_tests};

/// Crates whose results must be the same on every machine: no ambient input, no order of hash tables.
const PURE: [&str; 12] = [
    "sim", "topology", "kernel", "scenario", "trace", "workload", "rules", "engine", "metrics", "protocol",
    "vectors", "session",
];
/// Crates that calculate with integers alone.
const INTEGER: [&str; 8] = ["sim", "topology", "kernel", "scenario", "trace", "workload", "rules", "engine"];

/// Ambient input, which would make a run depend on more than its scenario and seed.
const AMBIENT: [&str; 9] = [
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "std::time",
    "Instant::now",
    "SystemTime",
    "HashMap",
];
const FLOATS: [&str; 2] = ["f32", "f64"];

pub(super) fn problems(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for source in sources.iter().filter(|source| source.is_rust()) {
        let Some((krate, file)) =
            source.path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"))
        else {
            continue;
        };
        if file.ends_with("tests.rs") || file.contains("tests/") || !PURE.contains(&krate) {
            continue;
        }
        let code = code_only(&source.text);
        let code = without_tests(&code);
        let floats = if INTEGER.contains(&krate) { &FLOATS[..] } else { &[] };
        for word in AMBIENT.iter().chain(floats) {
            if let Some(position) = find_word(code, word) {
                problems.push(format!(
                    "{}:{}: {word} has no place in {krate}, whose results must not depend on the machine",
                    source.path,
                    line_of(code, position)
                ));
            }
        }
    }
    problems
}

fn find_word(code: &str, word: &str) -> Option<usize> {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).map(|(position, _)| position).find(|position| {
        !code[..*position].ends_with(part_of_name) && !code[position + word.len()..].starts_with(part_of_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> usize {
        problems(&[Source { path: path.to_owned(), text: text.to_owned() }]).len()
    }

    #[test]
    fn clocks_and_floats_are_named() {
        assert_eq!(check("crates/engine/src/a.rs", "use std::time::Instant;"), 1);
        assert_eq!(check("crates/engine/src/a.rs", "let x: f64 = 1.0;"), 1);
        assert_eq!(check("crates/metrics/src/a.rs", "let x: f64 = 1.0;"), 0, "metrics may use floats");
        assert_eq!(
            check("crates/cli/src/main.rs", "std::time::Instant::now()"),
            0,
            "the cli may look at the clock"
        );
    }

    #[test]
    fn tests_and_comments_may_name_them() {
        assert_eq!(
            check("crates/engine/src/a.rs", "// no f64 here\n#[cfg(test)]\nmod t { use std::fs; }"),
            0
        );
        assert_eq!(check("crates/engine/src/a.rs", "let of64 = 1;"), 0);
    }
}
