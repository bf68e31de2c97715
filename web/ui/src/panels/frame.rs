//! The frame of a panel: its heading, and a body for each of the states that it can be in.

use yew::prelude::*;

use crate::format::fixed;
use crate::markup::{el, plain, said};
use crate::text;

/// What a panel has to show.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PanelState<T> {
    /// It is being computed for the first time: how far, from 0 to 1, where that is known, and in words.
    Loading(Option<f64>, AttrValue),
    /// There is nothing to show, and why.
    Empty(AttrValue),
    /// It cannot be shown, and why.
    Error(AttrValue),
    /// It is there.
    Full(T),
    /// What was there before is still there while the next is being computed.
    Stale(T),
}

impl<T> PanelState<T> {
    /// The name of the state for style sheet and tests.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            PanelState::Loading(..) => "loading",
            PanelState::Empty(_) => "empty",
            PanelState::Error(_) => "error",
            PanelState::Full(_) => "full",
            PanelState::Stale(_) => "stale",
        }
    }

    /// The same state of something made from the content; empty where nothing can be made from it.
    pub(crate) fn and_then<U>(&self, make: impl FnOnce(&T) -> Result<U, AttrValue>) -> PanelState<U> {
        match self {
            PanelState::Loading(fraction, words) => PanelState::Loading(*fraction, words.clone()),
            PanelState::Empty(words) => PanelState::Empty(words.clone()),
            PanelState::Error(words) => PanelState::Error(words.clone()),
            PanelState::Full(content) => make(content).map_or_else(PanelState::Empty, PanelState::Full),
            PanelState::Stale(content) => make(content).map_or_else(PanelState::Empty, PanelState::Stale),
        }
    }

    /// Whether it is being computed for the first time.
    pub(crate) fn is_loading(&self) -> bool {
        matches!(self, PanelState::Loading(..))
    }

    /// The content, where there is any.
    pub(crate) fn content(&self) -> Option<&T> {
        match self {
            PanelState::Full(content) | PanelState::Stale(content) => Some(content),
            _ => None,
        }
    }

    /// The body of the panel.
    pub(crate) fn body(&self, full: impl FnOnce(&T) -> Html) -> Html {
        match self {
            PanelState::Loading(fraction, words) => loading(*fraction, words),
            PanelState::Empty(words) => blank(words),
            PanelState::Error(words) => {
                let parts = vec![said("strong", "", text::FAILED), said("span", "", words)];
                el("div", &[("class", "blank error")], parts)
            }
            PanelState::Full(content) | PanelState::Stale(content) => full(content),
        }
    }
}

fn loading(fraction: Option<f64>, words: &str) -> Html {
    el("div", &[("class", "blank")], vec![said("span", "", words), progress(fraction, words)])
}

/// Words where there is nothing to show.
pub(crate) fn blank(words: &str) -> Html {
    el("div", &[("class", "blank")], vec![said("span", "", words)])
}

/// A bar that says how far something is, from 0 to 1, where that is known.
pub(crate) fn progress(fraction: Option<f64>, words: &str) -> Html {
    let value = fraction.map_or(String::new(), |fraction| fixed(fraction.clamp(0.0, 1.0), 3));
    el("progress", &[("max", "1"), ("value", &value), ("aria-label", words)], Vec::new())
}

/// A section of the page with a heading.
pub(crate) struct Panel<'a> {
    /// Its id; its heading has the same with `-title` behind it.
    pub(crate) id: &'a str,
    /// The heading.
    pub(crate) title: &'a str,
    /// What stands beside the heading.
    pub(crate) note: &'a str,
    /// The name of the state that it is in.
    pub(crate) state: &'a str,
}

impl Panel<'_> {
    /// Draws it around its content.
    pub(crate) fn html(&self, content: Vec<Html>) -> Html {
        let title_id = format!("{}-title", self.id);
        let mut head = vec![el("h2", &[("id", &title_id)], vec![plain(self.title)])];
        if !self.note.is_empty() {
            head.push(said("span", "panel-note", self.note));
        }
        let mut parts = vec![el("div", &[("class", "panel-head")], head)];
        parts.extend(content);
        let attributes = [
            ("class", "panel"),
            ("id", self.id),
            ("data-testid", self.id),
            ("data-state", self.state),
            ("aria-labelledby", &title_id),
        ];
        el("section", &attributes, parts)
    }
}
