//! Every value of a scenario by its name: one table that serves the command line, links, files, validation and the
//! form of the page.

mod field;
mod launch;
mod table;
mod value;

use std::sync::LazyLock;

use crate::presets::columns_beside;
use crate::problem::{Problem, nearest, one_of};
use crate::validate::{validate, without_repetitions};
use crate::{Column, Scenario};
use field::Field;
pub(crate) use value::Value;

/// Every key, in the order in which a form shows them and in which they are applied: a key that decides which others
/// there are stands before them.
pub static KEYS: LazyLock<Vec<Key>> = LazyLock::new(table::keys);

/// A value of a scenario that has a name.
#[derive(Debug)]
pub struct Key {
    /// The name, with a dot between group and rest, such as `kernel.hz`.
    pub name: String,
    /// What it is, in plain words.
    pub label: &'static str,
    /// What it does, in a sentence or two.
    pub help: &'static str,
    /// The unit of its numbers, or nothing.
    pub unit: &'static str,
    /// Where a form shows it.
    pub group: Group,
    /// What values it takes.
    pub kind: Kind,
    /// Whether columns may differ in it.
    pub per_column: bool,
    /// Where it is kept.
    field: Field,
}

/// The parts of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The machine.
    Machine,
    /// The kernel and its numbers.
    Kernel,
    /// The patches.
    Patches,
    /// What runs.
    Workload,
    /// What things cost.
    Costs,
    /// Seed, limits and title.
    Run,
}

/// What values a key takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Integer(Integer),
    /// One of several words.
    Choice(Vec<Choice>),
    /// `on` or `off`.
    Flag,
    /// Whole numbers with commas between them; `4x462` stands for four times 462.
    List(List),
    /// Any text on one line.
    Text {
        /// The most characters.
        longest: usize,
    },
}

/// A whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// The smallest.
    pub min: u64,
    /// The biggest.
    pub max: u64,
    /// The part of the range that a slider should cover.
    pub usual: (u64, u64),
    /// The step of a slider. Any number of the range is a valid value.
    pub step: u64,
    /// Whether it may be `auto` instead: what the kernel sets for the machine.
    pub automatic: bool,
}

/// A list of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    /// The smallest number.
    pub min: i64,
    /// The biggest number.
    pub max: i64,
    /// The most numbers.
    pub longest: u32,
    /// Whether there may be none.
    pub may_be_empty: bool,
}

/// One of several words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The word.
    pub value: &'static str,
    /// What a form shows.
    pub label: &'static str,
    /// What it means, in one sentence.
    pub help: &'static str,
}

impl Group {
    /// Every group, in the order of a form.
    pub const ALL: [Group; 6] =
        [Group::Machine, Group::Kernel, Group::Patches, Group::Workload, Group::Costs, Group::Run];

    /// What a form shows.
    pub const fn title(self) -> &'static str {
        match self {
            Group::Machine => "Machine",
            Group::Kernel => "Kernel",
            Group::Patches => "Patches",
            Group::Workload => "Workload",
            Group::Costs => "Costs",
            Group::Run => "Run",
        }
    }
}

impl Key {
    /// The key of a name, or a problem that lists the nearest ones.
    pub fn find(name: &str) -> Result<&'static Key, Problem> {
        KEYS.iter().find(|key| key.name == name).ok_or_else(|| {
            let near = nearest(name, KEYS.iter().map(|key| key.name.as_str()));
            Problem::new(
                name,
                "a key of the scenario",
                "an unknown key",
                format!("did you mean {}?", one_of(&near)),
            )
        })
    }

    /// Whether there is a key of a name.
    pub(crate) fn is_known(name: &str) -> bool {
        Key::position(name) < KEYS.len()
    }

    /// Where a name stands in the table; unknown ones at its end.
    pub(crate) fn position(name: &str) -> usize {
        KEYS.iter().position(|key| key.name == name).unwrap_or(KEYS.len())
    }

    /// The value in a scenario; nothing where the scenario has no such value, because it runs another workload.
    pub fn get(&self, scenario: &Scenario) -> Option<String> {
        self.read(scenario).map(|value| value.to_string())
    }

    /// Whether a scenario has such a value.
    pub fn applies(&self, scenario: &Scenario) -> bool {
        self.field.read(scenario).is_some()
    }

    /// What the value is where nobody has changed it: that of the scenario's preset. Where the preset runs another
    /// workload, that of this workload.
    pub fn default_value(&self, scenario: &Scenario) -> Option<String> {
        let mut origin = scenario.origin();
        origin.workload = origin.workload.of_same_kind_as(&scenario.workload);
        self.get(&origin)
    }

    /// Sets the value from text. Values outside the range of the key are refused; whether the values fit each other
    /// is for [`validate`](crate::validate) to say.
    pub fn set(&self, scenario: &mut Scenario, text: &str) -> Result<(), Problem> {
        let value = self.parse(text)?;
        if !self.applies(scenario) {
            let kind = scenario.workload.kind_name();
            return Err(Problem::new(
                self.name.as_str(),
                "a key of the workload that runs",
                format!("a key that {kind} does not have"),
                "set workload.kind to the workload that you mean, or leave the key out",
            ));
        }
        self.field.write(scenario, value);
        Ok(())
    }

    /// Why a choice cannot be taken in a scenario, if it cannot: what a form says beside a disabled entry.
    pub fn unavailable(&self, scenario: &Scenario, choice: &Choice) -> Option<String> {
        self.field.unavailable(scenario, choice.value)
    }

    /// The value in a scenario.
    pub(crate) fn read(&self, scenario: &Scenario) -> Option<Value> {
        self.field.read(scenario)
    }

    /// Reads a value of this key.
    pub(crate) fn parse(&self, text: &str) -> Result<Value, Problem> {
        let value = self.kind.parse(text).ok_or_else(|| self.problem(text))?;
        self.check(&value).map_or(Ok(value), Err)
    }

    /// What is wrong with a value of this key by itself.
    pub(crate) fn check(&self, value: &Value) -> Option<Problem> {
        (!self.kind.allows(value)).then(|| self.problem(&value.to_string()))
    }

    fn problem(&self, found: &str) -> Problem {
        Problem::new(self.name.as_str(), self.kind.describe(self.unit), found, self.kind.remedy(found))
    }
}

impl Scenario {
    /// The value of a key, or of `columns.NAME.KEY`: in a column what the column runs with.
    pub fn get(&self, key: &str) -> Option<String> {
        if let Some((column, key)) = split_column_key(key) {
            let position = self.columns.iter().position(|candidate| candidate.name == column)?;
            return Key::find(key).ok()?.get(&self.resolved(position));
        }
        Key::find(key).ok()?.get(self)
    }

    /// Sets the value of a key for all columns, also for those that had one of their own, or of `columns.NAME.KEY`
    /// for one of them. A column that stands beside the compared ones for what it sets itself goes when that is set for
    /// all of them.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), Problem> {
        let Some((name, column_key)) = split_column_key(key) else {
            Key::find(key)?.set(self, value)?;
            let beside = columns_beside(&self.preset);
            self.columns
                .retain(|column| column.get(key).is_none() || !beside.contains(&column.name.as_str()));
            self.columns.iter_mut().for_each(|column| column.unset(key));
            return Ok(());
        };
        match self.columns.iter_mut().find(|column| column.name == name) {
            Some(column) => column.set(column_key, value),
            None => Err(crate::column::unknown_column(key, name, &self.columns)),
        }
    }

    /// Makes all changes that a command line or a link asks for: values for all columns first, then other columns in
    /// place of those that are there (each written `NAME:KEY=VALUE,KEY=VALUE…`; none keeps them), then values of
    /// single columns. Changes nothing where the outcome cannot be run, and says everything that is wrong.
    pub fn apply<'a>(
        &mut self,
        settings: impl IntoIterator<Item = (&'a str, &'a str)>,
        columns: &[&str],
    ) -> Result<(), Vec<Problem>> {
        let (of_columns, shared): (Vec<_>, Vec<_>) =
            settings.into_iter().partition(|(key, _)| split_column_key(key).is_some());
        let mut changed = self.clone();
        let mut problems = changed.set_all(shared);
        let replaced =
            if columns.is_empty() { Ok(()) } else { changed.replace_columns(columns.iter().copied()) };
        match replaced {
            Ok(()) => problems.extend(changed.set_all(of_columns)),
            Err(of_specs) => {
                // That a column is unknown because it could not be read has been said; its values can still be wrong.
                let named =
                    of_columns.into_iter().filter_map(|(key, value)| Some((split_column_key(key)?, value)));
                let wrong =
                    named.filter_map(|((name, key), value)| Column::named(name).set(key, value).err());
                problems.extend(of_specs.into_iter().chain(wrong).take(MAX_PROBLEMS));
            }
        }
        problems.extend(validate(&changed));
        if problems.is_empty() {
            *self = changed;
            Ok(())
        } else {
            Err(without_repetitions(problems))
        }
    }

    /// Sets several values, in the order of the key table whatever the order given, and returns all problems.
    /// What could be set is set.
    pub fn set_all<'a>(&mut self, settings: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Problem> {
        let mut settings: Vec<(&str, &str)> = settings.into_iter().collect();
        settings.sort_by_key(|(key, _)| Key::position(key));
        settings
            .into_iter()
            .filter_map(|(key, value)| self.set(key, value).err())
            .take(MAX_PROBLEMS)
            .collect()
    }
}

/// The most problems that are listed: input may be a megabyte of unknown keys.
pub(crate) const MAX_PROBLEMS: usize = 100;

/// Column and key of `columns.NAME.KEY`.
fn split_column_key(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix("columns.")?.split_once('.')
}

#[cfg(test)]
mod tests;
