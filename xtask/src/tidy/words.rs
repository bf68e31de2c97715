use super::Source;

/// What must not stand in any file, with the reason. Written in two halves, so that this file does not hold them.
const FORBIDDEN: [(&str, &str, &str); 8] = [
    ("/ro", "ot/", "a path of one machine"),
    ("/wo", "rk/", "a path of one machine"),
    ("/ho", "me/", "a path of one machine"),
    ("art", "ifactory", "the host of a package mirror"),
    ("TO", "DO", "unfinished work belongs into an issue"),
    ("FIX", "ME", "unfinished work belongs into an issue"),
    ("#[ig", "nore", "a test that does not run shows nothing"),
    ("GPL-", "2.0", "no source under this licence was used"),
];

/// The only places from which locked packages may come.
const CARGO_SOURCE: &str = "registry+https://github.com/rust-lang/crates.io-index";
const NPM_SOURCE: &str = "https://registry.npmjs.org/";

pub(super) fn problems(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for source in sources {
        let lock = if source.path.ends_with("Cargo.lock") {
            Some(("source = \"", CARGO_SOURCE))
        } else if source.path.ends_with("package-lock.json") {
            Some(("\"resolved\": \"", NPM_SOURCE))
        } else {
            None
        };
        for (number, line) in source.text.lines().enumerate() {
            let place = format!("{}:{}", source.path, number + 1);
            if let Some((key, allowed)) = lock {
                let address = line.trim_start().strip_prefix(key);
                if address.is_some_and(|address| !address.starts_with(allowed)) {
                    problems.push(format!("{place}: an unusual download address"));
                }
                continue;
            }
            for (first, second, reason) in FORBIDDEN {
                let word = format!("{first}{second}");
                if line.contains(&word) {
                    problems.push(format!("{place}: {word}: {reason}"));
                }
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<String> {
        problems(&[Source { path: path.to_owned(), text: text.to_owned() }])
    }

    #[test]
    fn forbidden_words_are_named_with_their_line() {
        let found = check("a.md", &format!("fine\nsee {}x\n", FORBIDDEN[1].0.to_owned() + FORBIDDEN[1].1));
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("a.md:2"), "{found:?}");
    }

    #[test]
    fn locks_name_only_the_usual_sources() {
        assert_eq!(check("Cargo.lock", &format!("source = \"{CARGO_SOURCE}\"\n")), [""; 0]);
        assert_eq!(check("Cargo.lock", "source = \"git+https://example.org/x\"\n").len(), 1);
        assert_eq!(
            check("e2e/package-lock.json", "  \"resolved\": \"https://example.org/x.tgz\",\n").len(),
            1
        );
    }
}
