use crate::keys::{Key, MAX_PROBLEMS};
use crate::problem::{Problem, nearest, one_of};

/// One of the runs that are compared: a name, and the values in which it differs from the others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Column {
    /// Its name: small letters, digits, `-` and `_`.
    pub name: String,
    /// Keys and values in the order of the key table.
    settings: Vec<(String, String)>,
}

/// The most columns that a scenario may have.
pub const MAX_COLUMNS: usize = 8;

/// The longest name of a column.
const MAX_NAME: usize = 32;

impl Column {
    /// A column that differs in nothing yet.
    pub fn named(name: &str) -> Column {
        Column { name: name.to_owned(), settings: Vec::new() }
    }

    /// The column of `NAME:KEY=VALUE,KEY=VALUE…`, as the command line takes it. A piece between commas that has no
    /// `=` goes on with the value before it, so that lists can be values.
    pub fn parse(text: &str) -> Result<Column, Vec<Problem>> {
        let (name, settings) = text.split_once(':').unwrap_or((text, ""));
        let mut column = Column::named(name);
        let mut problems: Vec<Problem> = column.name_problem().into_iter().collect();
        let mut pairs: Vec<(&str, String)> = Vec::new();
        for piece in settings.split(',').filter(|_| !settings.is_empty()) {
            match (piece.split_once('='), pairs.last_mut()) {
                (Some((key, value)), _) => pairs.push((key, value.to_owned())),
                (None, Some((_, value))) => {
                    value.push(',');
                    value.push_str(piece);
                }
                (None, None) => problems.push(Problem::new(
                    format!("columns.{name}"),
                    "KEY=VALUE pairs with commas between them",
                    piece,
                    "write it as NAME:KEY=VALUE,KEY=VALUE",
                )),
            }
        }
        problems
            .extend(pairs.iter().filter_map(|(key, value)| column.set(key, value).err()).take(MAX_PROBLEMS));
        if problems.is_empty() { Ok(column) } else { Err(problems) }
    }

    /// The keys in which it differs, with their values, in the order in which they are applied.
    pub fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settings.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// The value that it sets a key to, if it does.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.settings().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Sets a key to a value in this column.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), Problem> {
        let path = format!("columns.{}.{key}", self.name);
        let found = Key::find(key).map_err(|problem| problem.at(&path))?;
        if !found.per_column {
            return Err(Problem::new(
                path,
                "a key that columns may differ in",
                key,
                format!("set {key} for all columns together"),
            ));
        }
        let value = found.parse(value).map_err(|problem| problem.at(&path))?.to_string();
        self.settings.retain(|(name, _)| *name != found.name);
        self.settings.push((found.name.clone(), value));
        // A key that decides which others there are stands before them in the table and must be applied first.
        self.settings.sort_by_key(|(name, _)| Key::position(name));
        Ok(())
    }

    /// Lets a key be what it is for all columns.
    pub fn unset(&mut self, key: &str) {
        self.settings.retain(|(name, _)| name != key);
    }

    /// As the command line takes it.
    pub fn to_spec(&self) -> String {
        let settings: Vec<String> = self.settings().map(|(key, value)| format!("{key}={value}")).collect();
        if settings.is_empty() { self.name.clone() } else { format!("{}:{}", self.name, settings.join(",")) }
    }

    /// What is wrong with its name.
    pub(crate) fn name_problem(&self) -> Option<Problem> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        let right = !self.name.is_empty() && self.name.len() <= MAX_NAME && self.name.chars().all(allowed);
        (!right).then(|| {
            Problem::new(
                "columns",
                format!("column names of 1 to {MAX_NAME} small letters, digits, - and _"),
                &self.name,
                "give the column such a name, for example base or patched",
            )
        })
    }
}

/// That there is no column of a name.
pub(crate) fn unknown_column(path: &str, name: &str, columns: &[Column]) -> Problem {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    Problem::new(
        path,
        format!("one of the columns {}", one_of(&names)),
        name,
        format!("did you mean {}?", one_of(&nearest(name, names))),
    )
}

#[cfg(test)]
mod tests;
