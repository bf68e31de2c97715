//! What goes wrong, and the exit status that says so.

use std::fmt;
use std::io::ErrorKind;
use std::process::ExitCode;

/// Input that cannot be used; every reason has a line of its own. Exit status 2.
#[derive(Debug)]
pub(crate) struct BadInput {
    pub(crate) problems: Vec<String>,
}

/// A check that ran and did not pass. Exit status 1.
#[derive(Debug)]
pub(crate) struct CheckFailed(pub(crate) String);

impl BadInput {
    pub(crate) fn one(problem: impl Into<String>) -> BadInput {
        BadInput { problems: vec![problem.into()] }
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problems.join("\n"))
    }
}

impl std::error::Error for BadInput {}

impl fmt::Display for CheckFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CheckFailed {}

/// Shows an error once, in words, and turns it into the exit status.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    let pipe_closed =
        error.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == ErrorKind::BrokenPipe);
    if pipe_closed {
        // The reader has seen enough, as `head` does.
        return ExitCode::SUCCESS;
    }
    if let Some(input) = error.downcast_ref::<BadInput>() {
        for problem in &input.problems {
            eprintln!("error: {problem}");
        }
        return ExitCode::from(2);
    }
    eprintln!("error: {error:#}");
    ExitCode::from(1)
}
