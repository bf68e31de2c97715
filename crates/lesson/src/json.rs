//! Reading JSON strictly: what is not known is refused, and every complaint names its place.

use std::fmt;

use serde_json::{Map, Value};

use crate::words::Words;

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The place: `screens[2].title`.
    pub place: String,
    /// What is expected there.
    pub message: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { place, message } = self;
        if place.is_empty() { out.write_str(message) } else { write!(out, "{place}: {message}") }
    }
}

/// A result of reading.
pub(crate) type Read<T> = Result<T, Wrong>;

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    place: String,
    value: &'a Value,
}

/// The members of an object, all of which are known.
pub(crate) struct Members<'a> {
    place: String,
    members: &'a Map<String, Value>,
}

/// The value of a text.
pub(crate) fn value_of(text: &str) -> Read<Value> {
    serde_json::from_str(text).map_err(|error| Wrong {
        place: format!("line {} column {}", error.line(), error.column()),
        message: "this is not JSON".to_owned(),
    })
}

impl<'a> Node<'a> {
    /// A whole file.
    pub(crate) fn root(value: &'a Value) -> Node<'a> {
        Node { place: String::new(), value }
    }

    /// A complaint about this place.
    pub(crate) fn wrong<T>(&self, message: &str) -> Read<T> {
        Err(Wrong { place: self.place.clone(), message: message.to_owned() })
    }

    /// The object here, which has no members but these.
    pub(crate) fn object(&self, known: &[&str]) -> Read<Members<'a>> {
        let Value::Object(members) = self.value else { return self.wrong("an object in braces is expected") };
        match members.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => self.wrong(&format!("{name:?} is not known here; known are {}", known.join(", "))),
            None => Ok(Members { place: self.place.clone(), members }),
        }
    }

    /// The only member of the object here: its name and value.
    pub(crate) fn only(&self) -> Read<(&'a str, Node<'a>)> {
        match self.value {
            Value::Object(members) if members.len() == 1 => {
                let (name, value) = members.iter().next().unwrap_or_else(|| unreachable!("it has one"));
                Ok((name, Node { place: joined(&self.place, name), value }))
            }
            _ => self.wrong("an object with one member is expected"),
        }
    }

    /// The elements of the list here.
    pub(crate) fn list(&self) -> Read<Vec<Node<'a>>> {
        let Value::Array(elements) = self.value else { return self.wrong("a list in brackets is expected") };
        let node = |(index, value)| Node { place: format!("{}[{index}]", self.place), value };
        Ok(elements.iter().enumerate().map(node).collect())
    }

    /// The names and values of the object here, whatever they are.
    pub(crate) fn entries(&self) -> Read<Vec<(&'a str, Node<'a>)>> {
        let Value::Object(members) = self.value else { return self.wrong("an object in braces is expected") };
        let node = |(name, value): (&'a String, &'a Value)| {
            (name.as_str(), Node { place: joined(&self.place, name), value })
        };
        Ok(members.iter().map(node).collect())
    }

    /// The string here, which is neither empty nor markup nor an address.
    pub(crate) fn text(&self) -> Read<&'a str> {
        let Value::String(text) = self.value else { return self.wrong("a text in quotes is expected") };
        let forbidden = ["<", ">", "&", "://", "www.", "javascript:"];
        match forbidden.iter().find(|what| text.contains(**what)) {
            _ if text.trim().is_empty() => self.wrong("this text is empty"),
            Some(what) => {
                self.wrong(&format!("{what:?} stands for markup or an address, which a lesson has not"))
            }
            None => Ok(text),
        }
    }

    /// The text here with what is written inside of it.
    pub(crate) fn words(&self) -> Read<Words> {
        let text = self.text()?;
        Words::parse(text).or_else(|message| self.wrong(&message))
    }

    /// The whole number here.
    pub(crate) fn number(&self) -> Read<u64> {
        self.value.as_u64().map_or_else(|| self.wrong("a whole number is expected"), Ok)
    }

    /// The value itself.
    pub(crate) fn value(&self) -> &'a Value {
        self.value
    }
}

impl<'a> Members<'a> {
    /// A member that may be missing.
    pub(crate) fn find(&self, name: &str) -> Option<Node<'a>> {
        self.members.get(name).map(|value| Node { place: joined(&self.place, name), value })
    }

    /// A member that must be there.
    pub(crate) fn get(&self, name: &str) -> Read<Node<'a>> {
        self.find(name)
            .ok_or_else(|| Wrong { place: self.place.clone(), message: format!("{name:?} is missing") })
    }
}

fn joined(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}
