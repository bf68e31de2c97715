//! Aligned tables for people.

use std::fmt;

/// Rows under a heading: the first column is text, the others are aligned to the right as numbers are.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    /// How many columns from the left are text.
    text_columns: usize,
}

impl Table {
    /// A table with its heading, of whose columns the first so many are text.
    pub(crate) fn new<S: Into<String>>(text_columns: usize, heading: impl IntoIterator<Item = S>) -> Table {
        Table { rows: vec![heading.into_iter().map(Into::into).collect()], text_columns }
    }

    /// Adds a row.
    pub(crate) fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        (0..columns).map(width).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let gap = " ".repeat(width - cell.chars().count());
                let separator = if column == 0 { "" } else { "  " };
                let cell =
                    if column < self.text_columns { format!("{cell}{gap}") } else { format!("{gap}{cell}") };
                line += separator;
                line += &cell;
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A number with a fixed count of decimals.
pub(crate) fn number(value: f64, decimals: u8) -> String {
    format!("{value:.*}", usize::from(decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_aligned_to_the_left_and_numbers_to_the_right() {
        let mut table = Table::new(1, ["metric", "base", "patched"]);
        table.row(["p50_us", "33", "34"]);
        table.row(["µs", "14288", "94"]);
        let expected = "metric   base  patched\np50_us     33       34\nµs      14288       94\n";
        assert_eq!(table.to_string(), expected);
    }

    #[test]
    fn numbers_keep_their_decimals() {
        assert_eq!(number(14_288.0, 0), "14288");
        assert_eq!(number(1.5, 3), "1.500");
    }
}
