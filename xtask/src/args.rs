use std::str::FromStr;

use anyhow::{Result, anyhow, bail};

/// The arguments of one command, taken out one by one so that what is left over is an error.
pub(crate) struct Args {
    rest: Vec<String>,
}

impl Args {
    pub(crate) fn new(rest: Vec<String>) -> Args {
        Args { rest }
    }

    /// Whether a flag such as `--release` was given.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.rest.len();
        self.rest.retain(|argument| argument != name);
        self.rest.len() < before
    }

    /// The value of an option such as `--port 8080` or `--port=8080`.
    pub(crate) fn option<T: FromStr>(&mut self, name: &str) -> Result<Option<T>> {
        let with_value = format!("{name}=");
        let Some(position) =
            self.rest.iter().position(|argument| argument == name || argument.starts_with(&with_value))
        else {
            return Ok(None);
        };
        let argument = self.rest.remove(position);
        let text = match argument.strip_prefix(&with_value) {
            Some(value) => value.to_owned(),
            None if position < self.rest.len() => self.rest.remove(position),
            None => bail!("{name} needs a value"),
        };
        text.parse().map(Some).map_err(|_| anyhow!("{text:?} is not a value for {name}"))
    }

    /// The next argument that is not a flag.
    pub(crate) fn positional(&mut self) -> Option<String> {
        let position = self.rest.iter().position(|argument| !argument.starts_with('-'))?;
        Some(self.rest.remove(position))
    }

    /// Fails when something was given that nobody took.
    pub(crate) fn finish(self) -> Result<()> {
        match self.rest.first() {
            None => Ok(()),
            Some(argument) => bail!("unknown argument {argument:?}; see `cargo xtask help`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> Args {
        Args::new(text.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn options_are_taken_in_both_spellings() {
        let mut both = args("--port 1 --out=a dir");
        assert_eq!(both.option::<u16>("--port").unwrap(), Some(1));
        assert_eq!(both.option::<String>("--out").unwrap().as_deref(), Some("a"));
        assert_eq!(both.positional().as_deref(), Some("dir"));
        both.finish().unwrap();
    }

    #[test]
    fn what_nobody_takes_is_an_error() {
        let mut wrong = args("--relese");
        assert!(!wrong.flag("--release"));
        assert!(wrong.finish().unwrap_err().to_string().contains("--relese"));
    }

    #[test]
    fn bad_values_name_their_option() {
        assert!(args("--port x").option::<u16>("--port").unwrap_err().to_string().contains("--port"));
        assert!(args("--port").option::<u16>("--port").unwrap_err().to_string().contains("needs a value"));
    }
}
