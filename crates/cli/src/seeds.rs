//! Ranges of seeds.

use std::str::FromStr;

/// Seeds from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeedRange {
    first: u64,
    last: u64,
}

/// More seeds than anybody waits for; a bound so that a slip of the finger is a message.
const MOST_SEEDS: u64 = 1_000_000;

impl SeedRange {
    pub(crate) fn iter(self) -> impl Iterator<Item = u64> {
        self.first..=self.last
    }

    pub(crate) fn last(self) -> u64 {
        self.last
    }
}

impl FromStr for SeedRange {
    type Err = String;

    fn from_str(text: &str) -> Result<SeedRange, String> {
        let ends = text.split_once("..").and_then(|(first, last)| {
            let last = last.strip_prefix('=').unwrap_or(last);
            Some(SeedRange { first: first.trim().parse().ok()?, last: last.trim().parse().ok()? })
        });
        match ends {
            None => Err("expected two whole numbers, both included, as in 1..200".to_owned()),
            Some(SeedRange { first, last }) if last < first => {
                Err(format!("the last seed, {last}, is below the first, {first}; write {last}..{first}"))
            }
            Some(SeedRange { first, last }) if MOST_SEEDS <= last - first => {
                Err(format!("these are more than {MOST_SEEDS} seeds; ask for fewer at a time"))
            }
            Some(range) => Ok(range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<u64>, String> {
        text.parse().map(|range: SeedRange| range.iter().collect())
    }

    #[test]
    fn both_ends_are_included() {
        assert_eq!(parse("1..3"), Ok(vec![1, 2, 3]));
        assert_eq!(parse("7..7"), Ok(vec![7]));
        assert_eq!(parse("1..=2"), Ok(vec![1, 2]), "as in Rust, where = says the same");
        assert_eq!(parse("18446744073709551615..18446744073709551615"), Ok(vec![u64::MAX]));
    }

    #[test]
    fn a_wrong_range_says_what_to_write() {
        for text in ["", "3", "..", "1..", "a..b", "-1..2", "1...3"] {
            assert_eq!(
                parse(text).unwrap_err(),
                "expected two whole numbers, both included, as in 1..200",
                "{text}"
            );
        }
        assert_eq!(parse("5..2").unwrap_err(), "the last seed, 2, is below the first, 5; write 2..5");
        assert!(parse("0..1000000").unwrap_err().contains("ask for fewer"));
    }
}
