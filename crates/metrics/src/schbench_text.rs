use std::fmt;

use workload::schbench::{Generation, Sample};

use crate::{Histogram, Percentiles, Rank};

/// What schbench of 2016 or of 2019–2020 prints at its end; the text is byte for byte its own.
///
/// Kernel: none; schbench (`model/wakeup-and-balance.md` section 1.1, `formats.md` section 1.14).
/// Differs: nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchbenchOutput {
    /// Which version printed it.
    pub generation: Generation,
    /// The percentiles.
    pub percentiles: Percentiles,
    /// The last line, which not every quotation has.
    pub extremes: Option<Extremes>,
}

/// The last line of the output, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extremes {
    /// What is printed as the smallest latency: always 0 in both generations, which start from 0 and only lower it.
    pub min_us: u64,
    /// The largest latency as it was, not as its bucket reports it.
    pub max_us: u64,
}

/// Why a text is not the output of schbench.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1; 0 where the text ended too early.
    pub line: usize,
    /// What was expected there.
    pub expected: String,
}

const TITLE: &str = "Latency percentiles (usec)";

impl SchbenchOutput {
    /// The output of a run.
    pub fn of_samples(generation: Generation, samples: &[Sample]) -> SchbenchOutput {
        let histogram = Histogram::of_samples(samples);
        SchbenchOutput {
            generation,
            percentiles: Percentiles::of(&histogram),
            extremes: Some(Extremes { min_us: 0, max_us: histogram.max_us() }),
        }
    }

    /// Reads an output back. Blank lines and white space around a line are ignored, as mails add them.
    pub fn parse(text: &str) -> Result<SchbenchOutput, ParseError> {
        let lines = text.lines().enumerate().map(|(position, line)| (position + 1, line.trim()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty());
        let (number, line) = lines.next().unwrap_or((0, ""));
        if line != TITLE {
            return Err(ParseError::at(number, format!("{TITLE:?}")));
        }
        let mut generation = None;
        let mut values = [0; 7];
        for rank in Rank::ALL {
            let (number, line) = lines.next().unwrap_or((0, ""));
            let found = [Generation::Y2019, Generation::Y2016]
                .into_iter()
                .filter(|known| generation.is_none_or(|fixed| fixed == *known))
                .find_map(|known| Some((known, line.strip_prefix(&row_start(known, rank))?.parse().ok()?)));
            let Some((known, value)) = found else {
                let row = row_start(generation.unwrap_or(Generation::Y2019), rank);
                return Err(ParseError::at(number, format!("\"{row}\" and a whole number")));
            };
            generation = Some(known);
            values[rank as usize] = value;
        }
        let extremes = lines.next().map(|(number, line)| parse_extremes(number, line)).transpose()?;
        if let Some((number, _)) = lines.next() {
            return Err(ParseError::at(number, "the end of the text".to_owned()));
        }
        Ok(SchbenchOutput {
            generation: generation.unwrap_or(Generation::Y2019),
            percentiles: Percentiles::from_values(values),
            extremes,
        })
    }
}

impl fmt::Display for SchbenchOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{TITLE}")?;
        for (rank, value_us) in self.percentiles.iter() {
            writeln!(f, "\t{}{value_us}", row_start(self.generation, rank))?;
        }
        match self.extremes {
            Some(Extremes { min_us, max_us }) => writeln!(f, "\tmin={min_us}, max={max_us}"),
            None => Ok(()),
        }
    }
}

impl ParseError {
    fn at(line: usize, expected: String) -> ParseError {
        ParseError { line, expected }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "the text ends where {} is expected", self.expected),
            line => write!(f, "line {line}: expected {}", self.expected),
        }
    }
}

impl std::error::Error for ParseError {}

/// A row up to its value: the star stands before the 99th percentile.
fn row_start(generation: Generation, rank: Rank) -> String {
    let star = if rank == Rank::P99 { "*" } else { "" };
    let more_decimals = match generation {
        Generation::Y2016 => "000",
        Generation::Y2019 => "",
    };
    format!("{star}{}{more_decimals}th: ", rank.label())
}

fn parse_extremes(number: usize, line: &str) -> Result<Extremes, ParseError> {
    let parse = || {
        let (min, max) = line.strip_prefix("min=")?.split_once(", max=")?;
        Some(Extremes { min_us: min.parse().ok()?, max_us: max.parse().ok()? })
    };
    parse().ok_or_else(|| ParseError::at(number, "\"min=N, max=N\"".to_owned()))
}

#[cfg(test)]
mod tests {
    use sim::{Nanos, TaskId};

    use super::*;

    const HIKEY_BASE: &str = "Latency percentiles (usec)
\t50.0th: 33
\t75.0th: 45
\t90.0th: 51
\t95.0th: 4152
\t*99.0th: 14288
\t99.5th: 14288
\t99.9th: 14288
\tmin=0, max=14276
";

    const HIKEY_PATCHED: &str = "Latency percentiles (usec)
\t50.0th: 34
\t75.0th: 47
\t90.0th: 52
\t95.0th: 78
\t*99.0th: 94
\t99.5th: 94
\t99.9th: 94
\tmin=0, max=94
";

    /// The mail quotes no last line.
    const VM_BASE: &str = "Latency percentiles (usec)
\t50.0000th: 9
\t75.0000th: 12
\t90.0000th: 15
\t95.0000th: 18
\t*99.0000th: 27
\t99.5000th: 3364
\t99.9000th: 12560
";

    /// A3.
    #[test]
    fn published_texts_are_read_and_written_back_byte_for_byte() {
        for text in [HIKEY_BASE, HIKEY_PATCHED, VM_BASE] {
            let output = SchbenchOutput::parse(text).expect("a published text is an output");
            assert_eq!(output.to_string(), text);
        }
        let base = SchbenchOutput::parse(HIKEY_BASE).expect("read above");
        assert_eq!(base.generation, Generation::Y2019);
        assert_eq!(base.percentiles, Percentiles::from_values([33, 45, 51, 4152, 14288, 14288, 14288]));
        assert_eq!(base.extremes, Some(Extremes { min_us: 0, max_us: 14276 }));
        let vm = SchbenchOutput::parse(VM_BASE).expect("read above");
        assert_eq!((vm.generation, vm.extremes), (Generation::Y2016, None));
    }

    #[test]
    fn the_output_of_samples_reports_buckets_but_the_raw_maximum() {
        let sample = |latency_us| Sample { worker: TaskId(2), at: Nanos(0), latency_us, from_wakeup: true };
        let samples: Vec<Sample> = [33; 72].into_iter().chain([14276; 8]).map(sample).collect();
        let text = SchbenchOutput::of_samples(Generation::Y2019, &samples).to_string();
        let expected = "Latency percentiles (usec)\n\t50.0th: 33\n\t75.0th: 33\n\t90.0th: 33\n\t95.0th: 14288\n\
                        \t*99.0th: 14288\n\t99.5th: 14288\n\t99.9th: 14288\n\tmin=0, max=14276\n";
        assert_eq!(text, expected);
        let text = SchbenchOutput::of_samples(Generation::Y2016, &samples).to_string();
        assert!(text.contains("\n\t*99.0000th: 14288\n\t99.5000th: 14288\n"));
    }

    #[test]
    fn what_mails_do_to_white_space_does_not_matter() {
        let quoted = HIKEY_BASE.replace('\t', "        ").replace('\n', "\r\n\n");
        let output = SchbenchOutput::parse(&quoted).expect("only white space differs");
        assert_eq!(output.to_string(), HIKEY_BASE);
    }

    #[test]
    fn a_wrong_text_is_refused_with_its_line() {
        let refused = |text: &str| SchbenchOutput::parse(text).expect_err("the text is wrong").to_string();
        assert_eq!(refused(""), "the text ends where \"Latency percentiles (usec)\" is expected");
        assert_eq!(
            refused(&HIKEY_BASE.replace("95.0th: 4152", "95.0th: much")),
            "line 5: expected \"95.0th: \" and a whole number"
        );
        assert_eq!(
            refused(&VM_BASE.replace("75.0000th", "75.0th")),
            "line 3: expected \"75.0000th: \" and a whole number"
        );
        assert_eq!(refused(&format!("{HIKEY_BASE}more")), "line 10: expected the end of the text");
        assert_eq!(refused(&HIKEY_BASE.replace(", max", "; max")), "line 9: expected \"min=N, max=N\"");
        let cut = HIKEY_BASE.split_once("\t99.9th").expect("it has the row").0;
        assert_eq!(refused(cut), "the text ends where \"99.9th: \" and a whole number is expected");
    }
}
