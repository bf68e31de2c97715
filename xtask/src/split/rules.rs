use anyhow::{Context, Result, bail};

/// Which functions can wait until the first chart stands, by parts of their names. Read from `web/later.txt`.
pub(super) struct Rules {
    lines: Vec<Rule>,
}

struct Rule {
    part: String,
    is_later: bool,
}

impl Rules {
    /// Reads lines of `later PART` and `first PART`.
    pub(super) fn parse(text: &str) -> Result<Rules> {
        let mut lines = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (word, part) =
                line.split_once(' ').with_context(|| format!("{line:?} names no functions"))?;
            let is_later = match word {
                "later" => true,
                "first" => false,
                _ => bail!("{line:?} begins neither with `later` nor with `first`"),
            };
            lines.push(Rule { part: part.trim().to_owned(), is_later });
        }
        Ok(Rules { lines })
    }

    /// What the last line says that names a part of this name; a function that no line names is not held back.
    pub(super) fn may_wait(&self, name: &str) -> bool {
        let name = without_hashes(name);
        self.lines.iter().rev().find(|rule| name.contains(&rule.part)).is_some_and(|rule| rule.is_later)
    }
}

/// A name without the hashes of crates, which change with the compiler: `ui[162e12ee]::app::App` is `ui::app::App`.
pub(super) fn without_hashes(name: &str) -> String {
    let mut short = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(start) = rest.find('[') {
        short.push_str(&rest[..start]);
        let length = rest[start..].find(']').map_or(0, |end| end + 1);
        let hash = rest[start..start + length].trim_matches(['[', ']']);
        if 8 <= hash.len() && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            rest = &rest[start + length..];
        } else {
            short.push('[');
            rest = &rest[start + 1..];
        }
    }
    short + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_go_and_other_brackets_stay() {
        let name =
            "<alloc[3ca501edff3f0c7c]::vec::Vec<[u8; 4]> as core[c5930c85a12de822]::ops::Drop>::drop[1]";
        assert_eq!(without_hashes(name), "<alloc::vec::Vec<[u8; 4]> as core::ops::Drop>::drop[1]");
        assert_eq!(without_hashes("an [open one"), "an [open one");
    }

    #[test]
    fn the_last_line_that_fits_decides() {
        let rules = Rules::parse("# panels\nlater ui::panels::\nfirst ui::panels::headline\n").unwrap();
        assert!(rules.may_wait("ui[162e12eefb2e472b]::panels::sweep::draw"));
        assert!(!rules.may_wait("ui[162e12eefb2e472b]::panels::headline::draw_strip"));
        assert!(!rules.may_wait("ui[162e12eefb2e472b]::app::page"));
    }

    #[test]
    fn a_line_that_says_nothing_is_named() {
        assert!(Rules::parse("later").is_err());
        assert!(Rules::parse("never ui::").is_err());
    }
}
