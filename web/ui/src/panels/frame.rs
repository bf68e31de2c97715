//! The frame of a panel: its heading, and a body for each of the states that it can be in.

use yew::prelude::*;

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

    /// The body of the panel.
    pub(crate) fn body(&self, full: impl FnOnce(&T) -> Html) -> Html {
        match self {
            PanelState::Loading(fraction, words) => html! {
                <div class="blank">
                    <span>{ words.clone() }</span>
                    <progress max="1" value={fraction.map(|part| crate::format::fixed(part, 2))}
                        aria-label={words.clone()} />
                </div>
            },
            PanelState::Empty(words) => html! { <div class="blank"><span>{ words.clone() }</span></div> },
            PanelState::Error(words) => html! {
                <div class="blank error"><strong>{ text::FAILED }</strong><span>{ words.clone() }</span></div>
            },
            PanelState::Full(content) | PanelState::Stale(content) => full(content),
        }
    }
}

/// Properties of [`Panel`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The id of the panel; its heading has the same with `-title` behind it.
    pub(crate) id: &'static str,
    /// The heading.
    pub(crate) title: AttrValue,
    /// What stands beside the heading.
    #[prop_or_default]
    pub(crate) note: AttrValue,
    /// The name of the state that the panel is in.
    #[prop_or("full")]
    pub(crate) state: &'static str,
    /// The body.
    pub(crate) children: Html,
}

/// A section of the page with a heading.
#[component]
pub(crate) fn Panel(props: &Props) -> Html {
    let title_id = format!("{}-title", props.id);
    html! {
        <section class="panel" id={props.id} data-testid={props.id} data-state={props.state}
            aria-labelledby={title_id.clone()}>
            <div class="panel-head">
                <h2 id={title_id}>{ props.title.clone() }</h2>
                if !props.note.is_empty() {
                    <span class="panel-note">{ props.note.clone() }</span>
                }
            </div>
            { props.children.clone() }
        </section>
    }
}
