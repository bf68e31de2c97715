use super::Source;
use super::scanner::{code_only, line_of};

/// The most lines that a file may have.
const FILE_LINES: usize = 800;
/// The most lines that a function may have, from its signature to its closing brace.
const FUNCTION_LINES: usize = 70;

pub(super) fn problems(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for source in sources.iter().filter(|source| source.is_rust()) {
        let lines = source.text.lines().count();
        if FILE_LINES < lines {
            problems.push(format!("{}: {lines} lines, at most {FILE_LINES} are allowed", source.path));
        }
        for function in functions(&code_only(&source.text)) {
            if FUNCTION_LINES < function.lines {
                problems.push(format!(
                    "{}:{}: function {} has {} lines, at most {FUNCTION_LINES} are allowed",
                    source.path, function.line, function.name, function.lines
                ));
            }
        }
    }
    problems
}

struct Function<'a> {
    name: &'a str,
    line: usize,
    lines: usize,
}

/// The functions with a body in a text without comments and strings.
fn functions(code: &str) -> Vec<Function<'_>> {
    let mut functions = Vec::new();
    for (start, _) in code.match_indices("fn ") {
        if code[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let after = &code[start + 3..];
        let name = &after[..after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len())];
        if let (false, Some(length)) = (name.is_empty(), body_end(&code[start..])) {
            let line = line_of(code, start);
            functions.push(Function { name, line, lines: line_of(code, start + length) - line + 1 });
        }
    }
    functions
}

/// Where the body of the function at the start of a text ends; nothing for a declaration without a body.
fn body_end(code: &str) -> Option<usize> {
    let mut round = 0_i32;
    let mut curly = 0_i32;
    for (position, c) in code.char_indices() {
        match c {
            '(' | '[' => round += 1,
            ')' | ']' => round -= 1,
            ';' if round == 0 && curly == 0 => return None,
            '{' => curly += 1,
            '}' => {
                curly -= 1;
                if curly == 0 && round == 0 {
                    return Some(position);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(&str, usize)> {
        functions(text).into_iter().map(|function| (function.name, function.lines)).collect()
    }

    #[test]
    fn functions_end_at_their_own_brace() {
        let text = "fn a() {\n  if x {\n  }\n}\ntrait T {\n  fn b(&self, x: [u8; 2]);\n  fn c() { }\n}\n";
        assert_eq!(lines(text), [("a", 4), ("c", 1)]);
    }

    #[test]
    fn function_pointers_are_no_functions() {
        assert_eq!(lines("type F = fn (u8) -> u8;"), []);
    }

    #[test]
    fn long_ones_are_named() {
        let text = format!("fn long() {{\n{}}}\n", "x();\n".repeat(FUNCTION_LINES));
        let source = Source { path: "a.rs".to_owned(), text };
        let problems = problems(&[source]);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].contains("function long has 72 lines"), "{problems:?}");
    }
}
