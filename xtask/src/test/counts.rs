use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result};

use crate::shell::show;

/// How many tests of a step passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: usize,
    pub(super) failed: usize,
}

/// Runs a command, shows what it prints, and counts the tests in it. A command that names no tests counts as one.
pub(super) fn counted(command: &mut Command) -> Result<Counts> {
    let shown = show(command);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{shown}`"))?;
    let out = child.stdout.take().context("no output")?;
    let err = child.stderr.take().context("no error output")?;
    let from_out = thread::spawn(move || count_lines(out, std::io::stdout()));
    let from_err = thread::spawn(move || count_lines(err, std::io::stderr()));
    let status = child.wait().with_context(|| format!("`{shown}` was lost"))?;
    let mut counts = Counts::default();
    for half in [from_out, from_err] {
        let half = half.join().unwrap_or_default();
        counts.passed += half.passed;
        counts.failed += half.failed;
    }
    if !status.success() && counts.failed == 0 {
        counts.failed = 1;
    } else if counts == Counts::default() {
        counts.passed = 1;
    }
    Ok(counts)
}

fn count_lines(from: impl Read, mut to: impl Write) -> Counts {
    let mut counts = Counts::default();
    let mut reader = BufReader::new(from);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|length| 0 < length) {
        let found = count_line(&String::from_utf8_lossy(&line));
        counts.passed += found.passed;
        counts.failed += found.failed;
        // Where nobody reads our output any more, counting still goes on.
        let _ = to.write_all(&line).and_then(|()| to.flush());
        line.clear();
    }
    counts
}

/// Reads the closing lines of cargo's test harness, of nextest and of Playwright.
fn count_line(line: &str) -> Counts {
    let plain = without_colours(line);
    // Nextest repeats the output of a failed test, indented; what stands there was counted once already.
    let of_cargo = plain.starts_with("test result: ");
    let plain = plain.trim();
    let closing = of_cargo || plain.starts_with("Summary [");
    let playwright = plain.split_once(' ').filter(|(number, rest)| {
        number.parse::<usize>().is_ok()
            && ["passed", "failed", "flaky", "did not run"].iter().any(|word| {
                rest.strip_prefix(word).is_some_and(|after| after.is_empty() || after.starts_with(" ("))
            })
    });
    if !closing && playwright.is_none() {
        return Counts::default();
    }
    Counts {
        passed: number_before(plain, "passed"),
        failed: ["failed", "flaky", "did not run", "timed out"]
            .into_iter()
            .map(|word| number_before(plain, word))
            .sum(),
    }
}

fn number_before(line: &str, word: &str) -> usize {
    let Some(position) = line.find(&format!(" {word}")) else { return 0 };
    line[..position].rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn without_colours(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some(start) = rest.find("\u{1b}[") {
        plain.push_str(&rest[..start]);
        let end = rest[start..].find('m').map_or(rest.len(), |length| start + length + 1);
        rest = &rest[end..];
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_counted() {
        let cases = [
            ("test result: ok. 10 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out", 10, 0),
            ("test result: FAILED. 3 passed; 2 failed; 0 ignored", 3, 2),
            ("     Summary [   0.132s] 8 tests run: 7 passed (1 slow), 1 failed, 0 skipped", 7, 1),
            (
                "\u{1b}[32;1m     Summary\u{1b}[0m [   0.1s] \u{1b}[1m5\u{1b}[0m tests run: \u{1b}[1m5\u{1b}[0m passed",
                5,
                0,
            ),
            ("  12 passed (8.1s)", 12, 0),
            ("  1 failed", 0, 1),
            ("  2 did not run", 0, 2),
        ];
        for (line, passed, failed) in cases {
            assert_eq!(count_line(line), Counts { passed, failed }, "{line}");
        }
    }

    #[test]
    fn other_lines_are_not() {
        for line in
            ["test a_test_that_passed ... ok", "running 3 tests", "3 passed by our house yesterday", ""]
        {
            assert_eq!(count_line(line), Counts::default(), "{line}");
        }
    }
}
