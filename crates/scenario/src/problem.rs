use std::fmt;

/// Something in a scenario that cannot stay as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Problem {
    /// The key that it is about, such as `kernel.hz` or `columns.patched.kernel.hz`, or the place in a file.
    pub path: String,
    /// What would be right.
    pub expected: String,
    /// What is there.
    pub found: String,
    /// What to do about it.
    pub remedy: String,
}

impl Problem {
    pub(crate) fn new(
        path: impl Into<String>,
        expected: impl Into<String>,
        found: impl AsRef<str>,
        remedy: impl Into<String>,
    ) -> Problem {
        Problem {
            path: shorten(&path.into()),
            expected: expected.into(),
            found: shorten(found.as_ref()),
            remedy: remedy.into(),
        }
    }

    /// The same problem at another place.
    pub(crate) fn at(self, path: &str) -> Problem {
        Problem { path: shorten(path), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}; {}", self.path, self.expected, self.found, self.remedy)
    }
}

/// The problems of one input, as one text with a line for each.
pub(crate) fn in_lines(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

/// The longest text that is quoted back: input may be a megabyte of anything.
const LONGEST_QUOTE: usize = 80;

/// A text that can be shown: its beginning, without characters that would break a line.
fn shorten(text: &str) -> String {
    let mut quote: String = text.chars().take(LONGEST_QUOTE).collect();
    if text.chars().nth(LONGEST_QUOTE).is_some() {
        quote.push('…');
    }
    if quote.is_empty() { "nothing".to_owned() } else { quote.replace(char::is_control, "␣") }
}

/// How many near names are suggested.
const SUGGESTIONS: usize = 3;

/// The candidates that look most like a text, the nearest first: what somebody who mistyped it may have meant.
/// A candidate also counts as near where only its last part, behind a dot, is, or where it contains the text.
pub fn nearest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let text: Vec<char> = text.chars().take(LONGEST_QUOTE).map(|c| c.to_ascii_lowercase()).collect();
    let whole_text: String = text.iter().collect();
    let text_tail: Vec<char> = text.rsplit(|c| *c == '.').next().unwrap_or(&[]).to_vec();
    let mut ranked: Vec<(usize, &str)> = candidates
        .into_iter()
        .map(|candidate| {
            let tail = candidate.rsplit('.').next().unwrap_or(candidate);
            let distance = edit_distance(&text, candidate);
            // A right last part under a wrong or missing first one is one mistake, however long the first part is.
            let distance = distance.min(edit_distance(&text_tail, tail) + 1);
            let is_part = 2 < text.len() && candidate.contains(&whole_text);
            (if is_part { distance.min(1) } else { distance }, candidate)
        })
        .collect();
    ranked.sort_unstable();
    ranked.truncate(SUGGESTIONS);
    let best = ranked.first().map_or(0, |(distance, _)| *distance);
    // What is much further away than the nearest was hardly meant.
    ranked.into_iter().filter(|(distance, _)| *distance <= best + 2).map(|(_, candidate)| candidate).collect()
}

/// How many letters must be put in, taken out, changed or swapped with their neighbour to turn one text into another
/// (optimal string alignment).
fn edit_distance(from: &[char], to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut two_back: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let changed = previous[j] + usize::from(a != b);
            let mut best = changed.min(previous[j + 1] + 1).min(row[j] + 1);
            if 0 < i && 0 < j && *a == to[j - 1] && from[i - 1] == *b {
                best = best.min(two_back[j - 1] + 1);
            }
            row.push(best);
        }
        two_back = std::mem::replace(&mut previous, row);
    }
    previous[to.len()]
}

/// A list of names as it is read: `a, b or c`.
pub(crate) fn one_of(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [only] => (*only).to_owned(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &str, b: &str) -> usize {
        edit_distance(&a.chars().collect::<Vec<_>>(), b)
    }

    #[test]
    fn distance_counts_typing_mistakes() {
        assert_eq!(distance("kernel.hz", "kernel.hz"), 0);
        assert_eq!(distance("kernel.zh", "kernel.hz"), 1);
        assert_eq!(distance("kernal.hz", "kernel.hz"), 1);
        assert_eq!(distance("kernel.h", "kernel.hz"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
    }

    #[test]
    fn a_forgotten_or_wrong_group_still_finds_the_key() {
        let keys = ["kernel.hz", "kernel.era", "workload.threads", "seed"];
        assert_eq!(nearest("hz", keys)[0], "kernel.hz");
        assert_eq!(nearest("machine.era", keys)[0], "kernel.era");
        assert_eq!(nearest("worklaod.thread", keys)[0], "workload.threads");
        assert_eq!(nearest("SEED", keys)[0], "seed");
        assert_eq!(nearest("hikey", ["d3-8cpu", "hikey-schbench"])[0], "hikey-schbench");
    }

    #[test]
    fn quotes_are_short_and_on_one_line() {
        let problem = Problem::new("a", "b", "x\ny".repeat(100), "d");
        assert!(!problem.to_string().contains('\n'));
        assert_eq!(problem.found.chars().count(), LONGEST_QUOTE + 1);
        assert_eq!(Problem::new("a", "b", "", "d").found, "nothing");
    }

    #[test]
    fn names_read_as_a_sentence() {
        assert_eq!(one_of(&["a", "b", "c"]), "a, b or c");
        assert_eq!(one_of(&["a"]), "a");
    }
}
