//! A button that copies text and says whether that worked.

use yew::prelude::*;

use super::{Icon, icon};
use crate::{browser, text};

/// How long the answer stands on the button.
const ANSWER_MS: i32 = 2500;

/// Properties of [`CopyButton`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// What is copied.
    pub(crate) text: AttrValue,
    /// What it is, for those who do not see what the button stands beside.
    pub(crate) what: AttrValue,
}

/// See the module.
#[component]
pub(crate) fn CopyButton(props: &Props) -> Html {
    let answer = use_state_eq(|| None::<bool>);
    let onclick = {
        let (answer, text) = (answer.clone(), props.text.clone());
        Callback::from(move |_: MouseEvent| {
            let answer = answer.clone();
            browser::copy(&text, move |worked| {
                answer.set(Some(worked));
                browser::after(ANSWER_MS, move || answer.set(None));
            });
        })
    };
    let (picture, words) = match *answer {
        None => (Icon::Copy, text::COPY),
        Some(true) => (Icon::Done, text::COPIED),
        Some(false) => (Icon::Close, text::COPY_FAILED),
    };
    html! {
        <button type="button" class="small" {onclick}>
            { icon(picture) }
            <span aria-live="polite">{ words }</span>
            <span class="visually-hidden">{ props.what.clone() }</span>
        </button>
    }
}
