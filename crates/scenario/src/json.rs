//! Scenarios as JSON: the keys of the key table as nested objects, values that are those of the preset left out.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::diff::differences;
use crate::keys::{Key, Kind, MAX_PROBLEMS};
use crate::problem::{Problem, in_lines};
use crate::validate::{unknown_preset, validate, without_repetitions};
use crate::{Column, Preset, Scenario};

/// The biggest file that is read, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The member of an object that holds the value of the object's own key, such as `machine` beside `machine.cores`.
const OWN_VALUE: &str = "name";

impl Scenario {
    /// The scenario of a file, or everything that is wrong with it.
    pub fn from_json(text: &str) -> Result<Scenario, Vec<Problem>> {
        if MAX_BYTES < text.len() {
            return Err(vec![Problem::new(
                "the file",
                format!("at most {MAX_BYTES} bytes"),
                format!("{} bytes", text.len()),
                "check that this is a scenario",
            )]);
        }
        let value: Value = serde_json::from_str(text).map_err(|error| {
            vec![Problem::new(
                format!("line {} column {}", error.line(), error.column()),
                "JSON",
                error.to_string(),
                "check commas, quotes and brackets around this place",
            )]
        })?;
        Scenario::from_value(&value)
    }

    /// This scenario as a file.
    pub fn to_json(&self) -> String {
        let mut object = self.to_object();
        object.insert("version".to_owned(), json!(Scenario::VERSION));
        format!("{:#}\n", Value::Object(object))
    }

    /// The scenario of a JSON value.
    pub(crate) fn from_value(value: &Value) -> Result<Scenario, Vec<Problem>> {
        let Value::Object(object) = value else {
            return Err(vec![Problem::new(
                "the file",
                "an object in braces",
                value.to_string(),
                "start with { and name at least the preset",
            )]);
        };
        let version_problem = object.get("version").and_then(version_problem);
        let is_newer = version_problem.is_some();
        let mut problems: Vec<Problem> = version_problem.into_iter().collect();

        let mut scenario = origin(object.get("preset"), &mut problems);
        let mut settings = Vec::new();
        for (name, value) in
            object.iter().filter(|(name, _)| !["version", "preset", "columns"].contains(&name.as_str()))
        {
            flatten(name, value, &mut settings, &mut problems);
        }
        // What a newer version has added is no mistake of the file: the version itself has been named.
        settings.retain(|(key, _)| !is_newer || Key::is_known(key));
        problems.extend(scenario.set_all(settings.iter().map(|(key, value)| (key.as_str(), value.as_str()))));
        if let Some(columns) = object.get("columns") {
            scenario.columns = read_columns(columns, &mut problems);
        }
        problems.extend(validate(&scenario));
        let problems = without_repetitions(problems);
        if problems.is_empty() { Ok(scenario) } else { Err(problems) }
    }

    /// This scenario as a JSON object without its version.
    pub(crate) fn to_object(&self) -> Map<String, Value> {
        let differences = differences(&self.origin(), self);
        let mut object = Map::new();
        if !self.preset.is_empty() {
            object.insert("preset".to_owned(), json!(self.preset));
        }
        let of_columns = |(key, _): &&(String, String)| key.starts_with("columns.");
        if differences.columns.is_some() || differences.settings.iter().any(|pair| of_columns(&pair)) {
            object.insert("columns".to_owned(), self.columns.iter().map(write_column).collect());
        }
        for (key, value) in differences.settings.iter().filter(|pair| !of_columns(pair)) {
            let (group, rest) = key.split_once('.').unwrap_or((key, ""));
            let slot = object.entry(group).or_insert_with(|| json!({}));
            match (rest, slot) {
                ("", slot) => *slot = json!({ OWN_VALUE: typed(key, value) }),
                (rest, Value::Object(members)) => {
                    members.insert(rest.to_owned(), typed(key, value));
                }
                (_, _) => {}
            }
        }
        // An object that says nothing but its own value is written as that value.
        for value in object.values_mut() {
            if let Value::Object(members) = value
                && members.len() == 1
                && let Some(own) = members.get_mut(OWN_VALUE)
            {
                *value = own.take();
            }
        }
        object
    }
}

/// That a version is not one that this build reads.
fn version_problem(version: &Value) -> Option<Problem> {
    let known = version.as_u64().is_some_and(|version| (1..=u64::from(Scenario::VERSION)).contains(&version));
    let newer = version.as_u64().is_some_and(|version| u64::from(Scenario::VERSION) < version);
    let remedy = if newer {
        "open it with a newer Runqueue; reloading the page may fetch one"
    } else {
        "leave the version out"
    };
    let newest = Scenario::VERSION;
    (!known).then(|| Problem::new("version", format!("{newest} or older"), version.to_string(), remedy))
}

/// The scenario that a file starts from.
fn origin(preset: Option<&Value>, problems: &mut Vec<Problem>) -> Scenario {
    match preset {
        None => Scenario::default(),
        Some(Value::String(name)) if name.is_empty() => Scenario::default(),
        Some(Value::String(name)) if Preset::find(name).is_some() => {
            Scenario::from_preset(name).unwrap_or_default()
        }
        Some(Value::String(name)) => {
            problems.push(unknown_preset(name));
            Scenario::default()
        }
        Some(other) => {
            problems.push(unknown_preset(&other.to_string()));
            Scenario::default()
        }
    }
}

/// The columns of a file. Where one is wrong it is left out and the problem noted.
fn read_columns(value: &Value, problems: &mut Vec<Problem>) -> Vec<Column> {
    let shape = |path: String, found: &Value| {
        Problem::new(
            path,
            r#"a list of objects such as {"name": "base", "set": {"kernel.hz": 1000}}"#,
            found.to_string(),
            "write the columns in this way",
        )
    };
    let Value::Array(list) = value else {
        problems.push(shape("columns".to_owned(), value));
        return vec![Column::named("base")];
    };
    let mut columns = Vec::new();
    for (position, item) in list.iter().enumerate().take(MAX_PROBLEMS) {
        let Some(name) = item.get("name").and_then(Value::as_str) else {
            problems.push(shape(format!("columns[{position}]"), item));
            continue;
        };
        let mut column = Column::named(name);
        for (member, value) in item.as_object().into_iter().flatten() {
            match (member.as_str(), value) {
                ("name", _) => {}
                ("set", Value::Object(settings)) => {
                    for (key, value) in settings.iter().take(MAX_PROBLEMS) {
                        let set = scalar(value).map(|value| column.set(key, &value));
                        match set {
                            Some(result) => problems.extend(result.err()),
                            None => problems.push(no_value(&format!("columns.{name}.{key}"), value)),
                        }
                    }
                }
                _ => problems.push(shape(format!("columns[{position}].{member}"), value)),
            }
        }
        columns.push(column);
    }
    columns
}

fn write_column(column: &Column) -> Value {
    let set: Map<String, Value> =
        column.settings().map(|(key, value)| (key.to_owned(), typed(key, value))).collect();
    if set.is_empty() { json!({ "name": column.name }) } else { json!({ "name": column.name, "set": set }) }
}

/// Turns nested objects into keys with dots.
fn flatten(path: &str, value: &Value, settings: &mut Vec<(String, String)>, problems: &mut Vec<Problem>) {
    if MAX_PROBLEMS < problems.len() {
        return;
    }
    if let Value::Object(members) = value {
        for (name, member) in members {
            let inner = if name == OWN_VALUE { path.to_owned() } else { format!("{path}.{name}") };
            flatten(&inner, member, settings, problems);
        }
        return;
    }
    match scalar(value) {
        Some(text) => settings.push((path.to_owned(), text)),
        None => problems.push(no_value(path, value)),
    }
}

/// A value as text: lists with commas, booleans as `on` and `off`.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(on) => Some(if *on { "on" } else { "off" }.to_owned()),
        Value::Array(items) if items.iter().all(|item| !item.is_array()) => {
            items.iter().map(scalar).collect::<Option<Vec<_>>>().map(|items| items.join(","))
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn no_value(path: &str, found: &Value) -> Problem {
    Problem::new(
        path,
        "a number, a word in quotes, true or false",
        found.to_string(),
        "write such a value or leave it out",
    )
}

/// The value of a key as JSON has it.
fn typed(key: &str, text: &str) -> Value {
    let kind = Key::find(key).map(|key| &key.kind);
    match (kind, text.parse::<u64>()) {
        (Ok(Kind::Flag), _) => Value::Bool(text == "on"),
        (Ok(Kind::Integer(_) | Kind::Choice(_)), Ok(number)) => json!(number),
        _ => json!(text),
    }
}

impl Serialize for Scenario {
    /// As in a file.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_object().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Scenario {
    /// As from a file; all problems become one message.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scenario, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Scenario::from_value(&value).map_err(|problems| serde::de::Error::custom(in_lines(&problems)))
    }
}

#[cfg(test)]
mod tests;
