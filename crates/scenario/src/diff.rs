use crate::keys::{KEYS, MAX_PROBLEMS};
use crate::{Column, Link, Preset, Problem, Scenario};

/// How a scenario differs from another one, as the command line takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences {
    /// Keys and values, in the order of the key table; those of single columns at the end.
    pub(crate) settings: Vec<(String, String)>,
    /// The columns where they cannot be told by settings, because there are others or one sets less.
    pub(crate) columns: Option<Vec<Column>>,
}

/// What must be set in `from` to make it `to`.
pub(crate) fn differences(from: &Scenario, to: &Scenario) -> Differences {
    let mut current = from.clone();
    let mut found = Differences::default();
    for key in KEYS.iter() {
        // One key may decide the values of later ones, so each step starts from what the steps before have made.
        let Some(wanted) = key.get(to).filter(|wanted| key.get(&current).as_ref() != Some(wanted)) else {
            continue;
        };
        // A value out of range is passed on as it is: whoever reads it will say what is wrong with it.
        let _ = current.set(&key.name, &wanted);
        found.settings.push((key.name.clone(), wanted));
    }
    // Values for all columns have taken those of single columns away.
    match column_settings(&current.columns, &to.columns) {
        Some(settings) => found.settings.extend(settings),
        None => found.columns = Some(to.columns.clone()),
    }
    found
}

/// The settings that turn some columns into others, if there are any.
fn column_settings(from: &[Column], to: &[Column]) -> Option<Vec<(String, String)>> {
    let same_names = from.len() == to.len() && from.iter().zip(to).all(|(a, b)| a.name == b.name);
    let keeps_all = |(a, b): (&Column, &Column)| a.settings().all(|(key, _)| b.get(key).is_some());
    if !same_names || !from.iter().zip(to).all(keeps_all) {
        return None;
    }
    let mut settings = Vec::new();
    for (a, b) in from.iter().zip(to) {
        for (key, value) in b.settings().filter(|(key, value)| a.get(key) != Some(value)) {
            settings.push((format!("columns.{}.{key}", b.name), value.to_owned()));
        }
    }
    Some(settings)
}

impl Scenario {
    /// The arguments that make a preset this scenario on the command line: `--set KEY=VALUE` and, where its columns
    /// are others, `--column NAME:KEY=VALUE,…`. Empty for a preset as it is.
    pub fn set_arguments(&self) -> Vec<String> {
        let differences = differences(&self.origin(), self);
        let settings = differences.settings.iter().map(|(key, value)| ("--set", format!("{key}={value}")));
        let columns = differences.columns.iter().flatten().map(|column| ("--column", column.to_spec()));
        settings.chain(columns).flat_map(|(option, argument)| [option.to_owned(), argument]).collect()
    }

    /// The command that runs this scenario natively, ready to paste into a shell.
    pub fn equivalent_command(&self) -> String {
        if Preset::find(&self.preset).is_none() {
            return format!("runqueue run {}", shell_quoted(&Link::new(self.clone()).encode()));
        }
        let mut words = vec![format!("runqueue run {}", shell_quoted(&self.preset))];
        words.extend(self.set_arguments().iter().map(|argument| shell_quoted(argument)));
        words.join(" ")
    }

    /// Replaces the columns by others, each written `NAME:KEY=VALUE,KEY=VALUE…`. Leaves them where one is wrong.
    pub fn replace_columns<'a>(
        &mut self,
        specs: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), Vec<Problem>> {
        let mut columns = Vec::new();
        let mut problems = Vec::new();
        for spec in specs.into_iter().take(MAX_PROBLEMS) {
            match Column::parse(spec) {
                Ok(column) => columns.push(column),
                Err(found) => problems.extend(found),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        self.columns = columns;
        Ok(())
    }
}

/// A word as a POSIX shell takes it literally.
fn shell_quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:/=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
