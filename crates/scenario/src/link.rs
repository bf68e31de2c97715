//! Links: a scenario in the fragment of an address.
//!
//! `#1/PRESET?KEY=VALUE&…~CHECK` for a preset with differences, `#1.PACKED~CHECK` for anything else, where PACKED is
//! base64url of raw deflate, with the dictionary of link version 1, of the scenario's JSON without its version.
//! This grammar is kept for ever; see `docs/adr/0002-link-codec.md`.

mod check;
mod packed;
mod percent;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::diff::differences;
use crate::problem::{Problem, in_lines, nearest, one_of};
use crate::{Preset, Scenario};
use check::CheckError;
use packed::UnpackError;

/// The version of the grammar that this build writes.
const VERSION: u32 = 1;

/// The longest link that is read, in bytes.
const MAX_LINK: usize = 1 << 20;

/// The longest readable link that is preferred to a packed one, in characters: what mail clients and chats take.
const COMFORTABLE: usize = 500;

/// What a link holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The scenario.
    pub scenario: Scenario,
    /// How the sender looked at it: time cursor, selection, open panel, trace hashes, by names of the page's own.
    pub view: BTreeMap<String, String>,
}

/// Why a link cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// It is no link of ours.
    #[error(
        "This is not a link to a scenario: one starts with #{VERSION}/ or #{VERSION}. behind the page's address."
    )]
    NotALink,
    /// Its end is missing.
    #[error(
        "The link is cut short: its end, ~ and four characters, is missing. Copy the whole link, also where it runs \
         over several lines. If you wrote it by hand, put a ~ behind it."
    )]
    Cut,
    /// Its check value is another one.
    #[error(
        "The link was changed or lost a part after it was made: its check value does not fit. Copy it again. \
         If you changed it by hand, replace what stands behind the last ~ by nothing."
    )]
    Damaged,
    /// Its version is not known.
    #[error(
        "The link has version {version}, which is newer than this page. Reload the page, or open the link where it was made."
    )]
    Newer {
        /// Its version.
        version: String,
    },
    /// It names no preset.
    #[error("There is no preset {name:?}. Did you mean {}?", one_of(nearest))]
    UnknownPreset {
        /// What it names.
        name: String,
        /// What it may mean.
        nearest: Vec<&'static str>,
    },
    /// It would unpack to too much.
    #[error("The link holds more than 1 MiB, which no scenario needs. It is not opened.")]
    TooLarge,
    /// Its scenario has problems.
    #[error("The link's scenario cannot be run.\n{}", in_lines(problems))]
    Invalid {
        /// All of them.
        problems: Vec<Problem>,
    },
}

/// The member of a packed scenario that holds the view.
const VIEW: &str = "view";

/// What stands before the name of a view value in a readable link.
const VIEW_PREFIX: &str = "view.";

/// The name of a readable link's value that holds a column.
const COLUMN: &str = "column";

impl Link {
    /// A link to a scenario, without a view.
    pub fn new(scenario: Scenario) -> Link {
        Link { scenario, view: BTreeMap::new() }
    }

    /// The fragment, with its `#`.
    pub fn encode(&self) -> String {
        let readable = self.readable();
        let body = match &readable {
            Some(readable) if readable.len() <= COMFORTABLE => readable.clone(),
            _ => {
                let packed = self.packed();
                readable.filter(|readable| readable.len() <= packed.len()).unwrap_or(packed)
            }
        };
        format!("#{body}~{}", check::value(&body))
    }

    /// The link of a fragment, with or without `#`, or of a whole address.
    pub fn decode(text: &str) -> Result<Link, LinkError> {
        let text = text.trim();
        if MAX_LINK < text.len() {
            return Err(LinkError::TooLarge);
        }
        let fragment = text.split_once('#').map_or(text, |(_, fragment)| fragment);
        let digits = fragment.len() - fragment.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (version, rest) = fragment.split_at(digits);
        match version.parse::<u32>() {
            Ok(VERSION) => {}
            Ok(0) => return Err(LinkError::NotALink),
            Err(_) if version.is_empty() => return Err(LinkError::NotALink),
            Ok(_) | Err(_) => {
                return Err(LinkError::Newer { version: version.chars().take(20).collect() });
            }
        }
        let is_readable = match rest.bytes().next() {
            Some(b'/') => true,
            Some(b'.') => false,
            None => return Err(LinkError::Cut),
            Some(_) => return Err(LinkError::NotALink),
        };
        let body = check::verified(fragment).map_err(|error| match error {
            CheckError::Missing => LinkError::Cut,
            CheckError::Wrong => LinkError::Damaged,
        })?;
        let body = &body[version.len() + 1..];
        if is_readable { Link::from_readable(body) } else { Link::from_packed(body) }
    }

    /// `1/PRESET?…`, where the scenario comes from a preset.
    fn readable(&self) -> Option<String> {
        let preset = Preset::find(&self.scenario.preset)?;
        let differences = differences(&preset.scenario, &self.scenario);
        let settings = differences.settings.iter().map(|(key, value)| (key.clone(), value.clone()));
        let columns =
            differences.columns.iter().flatten().map(|column| (COLUMN.to_owned(), column.to_spec()));
        let view = self.view.iter().map(|(name, value)| (format!("{VIEW_PREFIX}{name}"), value.clone()));
        let pairs: Vec<String> = settings
            .chain(columns)
            .chain(view)
            .map(|(key, value)| format!("{}={}", percent::encoded_key(&key), percent::encoded_value(&value)))
            .collect();
        let mark = if pairs.is_empty() { "" } else { "?" };
        Some(format!("{VERSION}/{}{mark}{}", preset.name, pairs.join("&")))
    }

    fn from_readable(body: &str) -> Result<Link, LinkError> {
        let (name, query) = body.split_once('?').unwrap_or((body, ""));
        let name = percent::decoded(name).ok_or(LinkError::Damaged)?;
        let mut scenario = Scenario::from_preset(&name).ok_or_else(|| LinkError::UnknownPreset {
            nearest: nearest(&name, Preset::all().iter().map(|preset| preset.name)),
            name: name.chars().take(80).collect(),
        })?;
        let mut settings = Vec::new();
        let mut columns = Vec::new();
        let mut view = BTreeMap::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let key = percent::decoded(key).ok_or(LinkError::Damaged)?;
            let value = percent::decoded(value).ok_or(LinkError::Damaged)?;
            if let Some(name) = key.strip_prefix(VIEW_PREFIX) {
                view.insert(name.to_owned(), value);
            } else if key == COLUMN {
                columns.push(value);
            } else {
                settings.push((key, value));
            }
        }
        let settings = settings.iter().map(|(key, value): &(String, String)| (key.as_str(), value.as_str()));
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        scenario.apply(settings, &columns).map_err(|problems| LinkError::Invalid { problems })?;
        Ok(Link { scenario, view })
    }

    /// `1.PACKED`.
    fn packed(&self) -> String {
        let mut object = self.scenario.to_object();
        if !self.view.is_empty() {
            object.insert(VIEW.to_owned(), json!(self.view));
        }
        format!("{VERSION}.{}", packed::pack(Value::Object(object).to_string().as_bytes()))
    }

    fn from_packed(body: &str) -> Result<Link, LinkError> {
        let bytes = packed::unpack(body).map_err(|error| match error {
            UnpackError::TooLarge => LinkError::TooLarge,
            UnpackError::Damaged => LinkError::Damaged,
        })?;
        let mut value: Value = serde_json::from_slice(&bytes).map_err(|_| LinkError::Damaged)?;
        let view = value.as_object_mut().and_then(|object| object.remove(VIEW)).unwrap_or_else(|| json!({}));
        let view = serde_json::from_value(view).map_err(|_| LinkError::Damaged)?;
        let scenario = Scenario::from_value(&value).map_err(|problems| LinkError::Invalid { problems })?;
        Ok(Link { scenario, view })
    }
}

#[cfg(test)]
mod tests;
