//! Controls that several parts of the page use.

mod field;
mod icon;
mod segments;

use yew::prelude::*;

use crate::markup::{el, plain, said};
use crate::orders::{Order, Orders, click};
use crate::text;

pub(crate) use field::{Entry, FieldView, field, reading, select, wrong};
pub(crate) use icon::{Icon, icon};
pub(crate) use segments::Segments;

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

/// What became of what was copied last: the words, and whether that worked.
pub(crate) type Copied = Option<(AttrValue, bool)>;

/// A button that copies words and says whether that worked. `what` says what they are to those who do not see what the
/// button stands beside.
pub(crate) fn copy_button(words: &str, what: &str, copied: &Copied, orders: &Orders) -> Html {
    let answer = copied.as_ref().filter(|(copied, _)| copied == words).map(|(_, worked)| *worked);
    let (picture, said_words) = match answer {
        None => (Icon::Copy, text::COPY),
        Some(true) => (Icon::Done, text::COPIED),
        Some(false) => (Icon::Close, text::COPY_FAILED),
    };
    let words = AttrValue::from(words.to_owned());
    let onclick = click(orders, Order::Copy(words));
    html! {
        <button type="button" class="small" {onclick}>
            { icon(picture) }
            { el("span", &[("aria-live", "polite")], vec![plain(said_words)]) }
            { said("span", "visually-hidden", what) }
        </button>
    }
}
