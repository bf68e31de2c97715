//! Elements made by functions rather than by the macro: what the page has hundreds of is then compiled once.

use yew::prelude::*;
use yew::virtual_dom::{VTag, VText};

use crate::text;

/// An element. Attributes without a value are left out.
pub(crate) fn el(tag: &'static str, attributes: &[(&'static str, &str)], children: Vec<Html>) -> Html {
    let mut element = VTag::new(tag);
    for (name, value) in attributes {
        if !value.is_empty() {
            element.add_attribute(name, (*value).to_owned());
        }
    }
    element.add_children(children);
    element.into()
}

/// An element that has a class and holds words.
pub(crate) fn said(tag: &'static str, class: &str, words: &str) -> Html {
    el(tag, &[("class", class)], vec![plain(words)])
}

/// Words.
pub(crate) fn plain(words: &str) -> Html {
    VText::new(words.to_owned()).into()
}

/// Words that the glossary explains as a button that opens the explanation; any others as they are.
pub(crate) fn explained(words: &str, name: &str) -> Html {
    let Some(place) = text::term_of(name) else { return plain(words) };
    let target = term_id(place);
    let attributes = [("type", "button"), ("class", "term-link"), ("popovertarget", &*target)];
    el(
        "button",
        &attributes,
        vec![plain(words), said("span", "visually-hidden", &format!(" ({})", text::EXPLAINED))],
    )
}

/// The id of what a term of the glossary means.
pub(crate) fn term_id(place: usize) -> String {
    format!("term-{place}")
}

/// A cell of a [`Table`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cell {
    /// What it says.
    pub(crate) words: String,
    /// Its class.
    pub(crate) class: &'static str,
    /// For tests.
    pub(crate) testid: String,
}

impl From<String> for Cell {
    fn from(words: String) -> Cell {
        Cell { words, ..Cell::default() }
    }
}

impl From<&str> for Cell {
    fn from(words: &str) -> Cell {
        words.to_owned().into()
    }
}

impl Cell {
    /// The heading of a column of the comparison, in its colour.
    pub(crate) fn toned(words: &str, tone: crate::charts::Tone) -> Cell {
        Cell { words: words.to_owned(), class: tone.toned(), testid: String::new() }
    }
}

/// A table: every row begins with its heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    /// Its class.
    pub(crate) class: &'static str,
    /// For tests.
    pub(crate) testid: String,
    /// What it is, where no heading says so.
    pub(crate) caption: String,
    /// The headings of the columns.
    pub(crate) head: Vec<Cell>,
    /// The rows.
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// The table as it is.
    pub(crate) fn html(&self) -> Html {
        let mut parts = Vec::new();
        if !self.caption.is_empty() {
            parts.push(said("caption", "", &self.caption));
        }
        let head = self.head.iter().map(|cell| cell.html("th", "col")).collect();
        parts.push(el("thead", &[], vec![el("tr", &[], head)]));
        let row = |cells: &Vec<Cell>| {
            let cell = |(position, cell): (usize, &Cell)| {
                if position == 0 { cell.html("th", "row") } else { cell.html("td", "") }
            };
            el("tr", &[], cells.iter().enumerate().map(cell).collect())
        };
        parts.push(el("tbody", &[], self.rows.iter().map(row).collect()));
        el("table", &[("class", self.class), ("data-testid", &self.testid)], parts)
    }

    /// The table in a frame that scrolls sideways where it is too wide.
    pub(crate) fn scrolling(&self) -> Html {
        let attributes =
            [("class", "scroll"), ("tabindex", "0"), ("role", "group"), ("aria-label", text::SCROLLS)];
        el("div", &attributes, vec![self.html()])
    }

    /// The table behind a word that opens it.
    pub(crate) fn folded(&self, summary: &str) -> Html {
        el("details", &[], vec![said("summary", "", summary), self.scrolling()])
    }
}

impl Cell {
    fn html(&self, tag: &'static str, scope: &str) -> Html {
        let attributes = [("scope", scope), ("class", self.class), ("data-testid", &self.testid)];
        let words = if tag == "th" { explained(&self.words, &self.words) } else { plain(&self.words) };
        el(tag, &attributes, vec![words])
    }
}
