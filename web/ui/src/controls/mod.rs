//! Controls that several parts of the page use.

mod copy_button;
mod dialog;
mod field;
mod icon;
mod segments;
mod width;

use yew::prelude::*;

pub(crate) use copy_button::CopyButton;
pub(crate) use dialog::Dialog;
pub(crate) use field::{Entry, FieldView, field, select, wrong};
pub(crate) use icon::{Icon, icon};
pub(crate) use segments::Segments;
pub(crate) use width::use_width;

/// A button.
pub(crate) struct Button<'a> {
    /// What it says; on a button with a picture alone what it would say.
    pub(crate) words: &'a str,
    /// Its class.
    pub(crate) class: &'static str,
    /// For tests.
    pub(crate) testid: &'static str,
    /// Its picture.
    pub(crate) picture: Option<Icon>,
    /// Whether its words are seen.
    pub(crate) has_words: bool,
    /// Whether it can be pressed.
    pub(crate) is_enabled: bool,
}

impl<'a> Button<'a> {
    /// A small button with words.
    pub(crate) fn small(words: &'a str, testid: &'static str) -> Button<'a> {
        Button { words, class: "small", testid, picture: None, has_words: true, is_enabled: true }
    }

    /// The same with a picture before its words.
    pub(crate) fn with_picture(self, picture: Icon) -> Button<'a> {
        Button { picture: Some(picture), ..self }
    }

    /// A button with a picture instead of words.
    pub(crate) fn picture(picture: Icon, words: &'a str, testid: &'static str) -> Button<'a> {
        Button { picture: Some(picture), has_words: false, ..Button::small(words, testid) }
    }

    /// The same in another class.
    pub(crate) fn class(self, class: &'static str) -> Button<'a> {
        Button { class, ..self }
    }

    /// The same, pressed only where there is something to do.
    pub(crate) fn enabled(self, is_enabled: bool) -> Button<'a> {
        Button { is_enabled, ..self }
    }

    /// Draws it.
    pub(crate) fn html(&self, onclick: Callback<MouseEvent>) -> Html {
        let label = (!self.has_words).then(|| AttrValue::from(self.words.to_owned()));
        html! {
            <button type="button" class={self.class} aria-label={label.clone()} title={label} data-testid={self.testid}
                disabled={!self.is_enabled} {onclick}>
                { for self.picture.map(icon) }
                if self.has_words { { self.words } }
            </button>
        }
    }
}
