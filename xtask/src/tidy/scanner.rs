/// The same text with the content of comments, strings and character literals blanked out, so that brackets and names
/// in what remains are code. Lines stay where they are.
pub(super) fn code_only(text: &str) -> String {
    let mut scanner = Scanner { rest: text, code: String::with_capacity(text.len()) };
    while let Some(first) = scanner.rest.chars().next() {
        scanner.step(first);
    }
    scanner.code
}

struct Scanner<'a> {
    rest: &'a str,
    code: String,
}

impl Scanner<'_> {
    fn step(&mut self, first: char) {
        let after_word = self.code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if self.rest.starts_with("//") {
            self.blank(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.blank(block_comment(self.rest));
        } else if let (false, Some(length)) = (after_word, raw_string(self.rest)) {
            self.blank(length);
        } else if first == '"' {
            self.blank(quoted(self.rest, '"'));
        } else if first == '\'' && is_character(self.rest) {
            self.blank(quoted(self.rest, '\''));
        } else {
            self.code.push(first);
            self.rest = &self.rest[first.len_utf8()..];
        }
    }

    fn blank(&mut self, length: usize) {
        let (gone, rest) = self.rest.split_at(length);
        self.code.extend(gone.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        self.rest = rest;
    }
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut position = 0;
    while position < text.len() {
        if text[position..].starts_with("/*") {
            depth += 1;
            position += 2;
        } else if text[position..].starts_with("*/") {
            depth -= 1;
            position += 2;
            if depth == 0 {
                return position;
            }
        } else {
            position += text[position..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

fn raw_string(text: &str) -> Option<usize> {
    let start = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = start.len() - start.trim_start_matches('#').len();
    start[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let opening = text.len() - start.len() + hashes + 1;
    Some(text[opening..].find(&end).map_or(text.len(), |length| opening + length + end.len()))
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (position, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return position + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Tells `'a'` from the lifetime `'a`.
fn is_character(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    match chars.next() {
        Some('\\') => true,
        Some(_) => chars.next() == Some('\''),
        None => false,
    }
}

/// The part of a file before its unit tests.
pub(super) fn without_tests(code: &str) -> &str {
    code.find("#[cfg(test)]").map_or(code, |start| &code[..start])
}

/// The line, from 1, at a position.
pub(super) fn line_of(text: &str, position: usize) -> usize {
    text[..position].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_is_left() {
        let text = "let a = \"{\\\"\"; // }\nlet b = '{'; /* } /* } */ */ fn f<'a>(x: &'a u8) {}";
        let code = code_only(text);
        assert_eq!(code.len(), text.len());
        assert_eq!(code.matches('{').count(), 1, "{code}");
        assert_eq!(code.matches('}').count(), 1, "{code}");
        assert!(code.contains("fn f<'a>(x: &'a u8) {}"), "{code}");
    }

    #[test]
    fn raw_strings_end_at_their_own_hashes() {
        let code = code_only("x(r#\"a \"}\" b\"#, br\"}\", br##\"}\"##); {");
        assert_eq!(code.matches('}').count(), 0, "{code}");
        assert!(code.ends_with("); {"), "{code}");
    }

    #[test]
    fn words_that_end_in_r_start_no_raw_string() {
        assert_eq!(code_only("for\"x\" y"), "for    y");
    }
}
