//! Text with what is written inside of it: words that are explained, live figures, names from the kernel.

/// A text in pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(pub Vec<Piece>);

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Plain words.
    Plain(String),
    /// Words that the lesson explains, and under which entry of its terms.
    Term {
        /// The words as they stand in the text.
        shown: String,
        /// The entry.
        term: String,
    },
    /// A figure of a column, as it comes out.
    Figure {
        /// Which of its values.
        asked: Asked,
        /// The name of the column.
        column: String,
        /// The key of the figure: `p99_us`.
        metric: String,
    },
    /// Something that only the question of a prediction knows: `task`, `cpu`.
    Blank(String),
    /// A name of the kernel's, or a command.
    Code(String),
}

/// Which value of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// That of the run of this seed.
    Run,
    /// The median over many seeds.
    Median,
    /// As it was published.
    Published,
}

/// The names of what a question knows.
const BLANKS: [&str; 4] = ["task", "cpu", "from", "other"];

impl Words {
    /// Reads `[words]` and `[words|term]`, `{column.metric}`, `{median column.metric}`, `{published column.metric}`,
    /// `{task}` and `` `code` ``; says what is wrong where one of these is not closed or not known.
    pub(crate) fn parse(text: &str) -> Result<Words, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find(['[', '{', '`']) {
            if 0 < start {
                pieces.push(Piece::Plain(rest[..start].to_owned()));
            }
            let opening = &rest[start..=start];
            let closing = match opening {
                "[" => ']',
                "{" => '}',
                _ => '`',
            };
            let inside = &rest[start + 1..];
            let end = inside.find(closing).ok_or_else(|| format!("{opening:?} is not closed"))?;
            pieces.push(piece(opening, &inside[..end])?);
            rest = &inside[end + 1..];
        }
        if !rest.is_empty() {
            pieces.push(Piece::Plain(rest.to_owned()));
        }
        Ok(Words(pieces))
    }

    /// How many words it has for a reader.
    pub fn count(&self) -> usize {
        let plain = |piece: &Piece| match piece {
            Piece::Plain(text) | Piece::Code(text) => text.clone(),
            Piece::Term { shown, .. } => shown.clone(),
            Piece::Figure { .. } | Piece::Blank(_) => "one".to_owned(),
        };
        let whole: String = self.0.iter().map(plain).collect();
        whole.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
    }
}

fn piece(opening: &str, inside: &str) -> Result<Piece, String> {
    if inside.trim().is_empty() {
        return Err(format!("there is nothing behind {opening:?}"));
    }
    Ok(match opening {
        "[" => {
            let (shown, term) = inside.split_once('|').unwrap_or((inside, inside));
            Piece::Term { shown: shown.to_owned(), term: term.to_owned() }
        }
        "{" => blank(inside)?,
        _ => Piece::Code(inside.to_owned()),
    })
}

fn blank(inside: &str) -> Result<Piece, String> {
    if BLANKS.contains(&inside) {
        return Ok(Piece::Blank(inside.to_owned()));
    }
    let (asked, name) = match inside.split_once(' ') {
        None => (Asked::Run, inside),
        Some(("median", name)) => (Asked::Median, name),
        Some(("published", name)) => (Asked::Published, name),
        Some((other, _)) => return Err(format!("{other:?} is no value of a figure")),
    };
    let (column, metric) = name
        .split_once('.')
        .ok_or_else(|| format!("{inside:?} is no figure: those are written {{column.metric}}"))?;
    Ok(Piece::Figure { asked, column: column.to_owned(), metric: metric.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_into_its_pieces() {
        let words = Words::parse("A [run queue] of {base.p99_us}, [LLC|cache], `detach_tasks()`.").unwrap();
        assert_eq!(words.0.len(), 9);
        assert_eq!(words.0[1], Piece::Term { shown: "run queue".to_owned(), term: "run queue".to_owned() });
        assert_eq!(words.0[5], Piece::Term { shown: "LLC".to_owned(), term: "cache".to_owned() });
        assert_eq!(words.0[7], Piece::Code("detach_tasks()".to_owned()));
        assert_eq!(words.count(), 7);
        let figure = |asked| Piece::Figure { asked, column: "base".to_owned(), metric: "p99_us".to_owned() };
        assert_eq!(words.0[3], figure(Asked::Run));
        assert_eq!(Words::parse("{median base.p99_us}").unwrap().0, [figure(Asked::Median)]);
        assert_eq!(Words::parse("{task}").unwrap().0, [Piece::Blank("task".to_owned())]);
    }

    #[test]
    fn what_is_not_closed_or_not_known_is_refused() {
        for text in ["a [term", "{base.p99_us", "`x", "{p99}", "{worst base.p99_us}", "[]"] {
            assert!(Words::parse(text).is_err(), "{text}");
        }
    }
}
