//! Reading rows, and counting those that agree.

use std::fmt::{Debug, Display};
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::de::DeserializeOwned;

use crate::Disagreement;

/// The largest load, utilisation or capacity that is read. Real ones are far below; with this limit no product of
/// two of them overflows.
pub(crate) const AMOUNT: RangeInclusive<u64> = 0..=1 << 31;

/// The largest number of tasks or CPUs that is read.
pub(crate) const COUNT: RangeInclusive<u32> = 0..=1 << 20;

/// The largest raw weight that is read.
pub(crate) const WEIGHT: RangeInclusive<u64> = 0..=1 << 48;

/// What a row's check finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreed {
    /// The row is reproduced.
    Same,
    /// The row is reproduced, and base and patched differ on it.
    BaseAndPatchedDiffer,
}

/// Why a row is not reproduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) expected: String,
    pub(crate) got: String,
}

/// What the rows of a file came to.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) rows: u64,
    pub(crate) agreeing: u64,
    pub(crate) differing: u64,
    pub(crate) first_disagreement: Option<Disagreement>,
}

/// One line of a table.
pub(crate) struct Row<'a> {
    header: &'a [&'a str],
    cells: Vec<&'a str>,
}

/// Checks each line below the header of a comma-separated table.
pub(crate) fn csv(content: &str, mut check: impl FnMut(&Row<'_>) -> Result<Agreed, Problem>) -> Tally {
    let mut lines = content.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    let mut tally = Tally::default();
    for line in lines {
        let row = Row { header: &header, cells: line.split(',').collect() };
        tally.add(row.is_complete().and_then(|()| check(&row)));
    }
    tally.finish()
}

/// Checks each line as a JSON object.
pub(crate) fn json_lines<T: DeserializeOwned>(
    content: &str,
    mut check: impl FnMut(&T) -> Result<Agreed, Problem>,
) -> Tally {
    let mut tally = Tally::default();
    for line in content.lines() {
        let row = serde_json::from_str(line)
            .map_err(|error| Problem { expected: "a readable object".to_owned(), got: error.to_string() });
        tally.add(row.and_then(|row| check(&row)));
    }
    tally.finish()
}

/// Whether our answer is the expected one.
pub(crate) fn same<T: PartialEq + Debug>(expected: &T, got: &T) -> Result<Agreed, Problem> {
    if expected == got {
        return Ok(Agreed::Same);
    }
    Err(Problem { expected: format!("{expected:?}"), got: format!("{got:?}") })
}

/// Whether both our answers, base and patched, are the expected ones.
pub(crate) fn same_pair<T: PartialEq + Debug>(expected: &[T; 2], got: &[T; 2]) -> Result<Agreed, Problem> {
    same(expected, got)?;
    Ok(if got[0] == got[1] { Agreed::Same } else { Agreed::BaseAndPatchedDiffer })
}

/// Whether a number is one that our functions are made for.
pub(crate) fn within<T: PartialOrd + Display>(
    name: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<T, Problem> {
    if range.contains(&value) {
        return Ok(value);
    }
    Err(Problem {
        expected: format!("{name} from {} to {}", range.start(), range.end()),
        got: value.to_string(),
    })
}

impl Tally {
    fn add(&mut self, outcome: Result<Agreed, Problem>) {
        self.rows += 1;
        match outcome {
            Ok(agreed) => {
                self.agreeing += 1;
                self.differing += u64::from(agreed == Agreed::BaseAndPatchedDiffer);
            }
            Err(problem) => {
                let row = self.rows;
                self.first_disagreement.get_or_insert(Disagreement {
                    row,
                    expected: problem.expected,
                    got: problem.got,
                });
            }
        }
    }

    /// A file without rows proves nothing, which is said like a disagreement.
    fn finish(mut self) -> Tally {
        if self.rows == 0 {
            self.first_disagreement = Some(Disagreement {
                row: 0,
                expected: "at least one row".to_owned(),
                got: "none".to_owned(),
            });
        }
        self
    }
}

impl<'a> Row<'a> {
    fn is_complete(&self) -> Result<(), Problem> {
        same(&self.header.len(), &self.cells.len()).map(|_| ()).map_err(|problem| Problem {
            expected: format!("{} columns", problem.expected),
            got: format!("{} columns", problem.got),
        })
    }

    /// The text in a column.
    pub(crate) fn text(&self, name: &str) -> Result<&'a str, Problem> {
        let position = self.header.iter().position(|column| *column == name);
        position.and_then(|position| self.cells.get(position)).copied().ok_or_else(|| Problem {
            expected: format!("a column {name}"),
            got: format!("columns {}", self.header.join(",")),
        })
    }

    /// The number in a column.
    pub(crate) fn number<T: FromStr>(&self, name: &str) -> Result<T, Problem> {
        parse(name, self.text(name)?)
    }

    /// The number in a column, if it is one that our functions are made for.
    pub(crate) fn within<T: FromStr + PartialOrd + Display>(
        &self,
        name: &str,
        range: RangeInclusive<T>,
    ) -> Result<T, Problem> {
        within(name, self.number(name)?, range)
    }

    /// The 0 or 1 in a column.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Problem> {
        Ok(self.within(name, 0..=1u8)? == 1)
    }

    /// The numbers in a column, separated by semicolons.
    pub(crate) fn numbers<T: FromStr>(&self, name: &str) -> Result<Vec<T>, Problem> {
        self.text(name)?.split(';').map(|text| parse(name, text)).collect()
    }
}

fn parse<T: FromStr>(name: &str, text: &str) -> Result<T, Problem> {
    text.parse().map_err(|_| Problem { expected: format!("a number for {name}"), got: format!("{text:?}") })
}
