//! The few pictures of the page. Each stands beside words or on a button that has a label.

use yew::prelude::*;

use crate::charts::path;
use crate::markup::el;

/// A picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Icon {
    /// A cross.
    Close,
    /// Two sheets.
    Copy,
    /// A tick.
    Done,
    /// A chain.
    Link,
    /// An arrow to the left.
    Left,
    /// An arrow to the right.
    Right,
    /// An arrow that turns back.
    Undo,
    /// An arrow that turns forth.
    Redo,
    /// A die.
    Die,
    /// A plus.
    Plus,
    /// A minus.
    Minus,
    /// A triangle that points on.
    Play,
    /// Two bars.
    Pause,
}

/// Draws a picture of 16 pixels that screen readers pass over.
pub(crate) fn icon(icon: Icon) -> Html {
    let d = match icon {
        Icon::Close => "M4 4l8 8M12 4l-8 8",
        Icon::Copy => "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
        Icon::Done => "M3 8.5l3.5 3.5L13 4.5",
        Icon::Link => "M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 014.5 4.5L11.5 9M9 11.5L7.5 13A3 3 0 013 8.5L4.5 7",
        Icon::Left => "M10 3L5 8l5 5",
        Icon::Right => "M6 3l5 5-5 5",
        Icon::Undo => "M3 6.5h6.5a3.5 3.5 0 010 7H6M3 6.5l3-3M3 6.5l3 3",
        Icon::Redo => "M13 6.5H6.5a3.5 3.5 0 000 7H10M13 6.5l-3-3M13 6.5l-3 3",
        Icon::Die => "M3 3h10v10H3zM5.7 5.7h.01M10.3 10.3h.01M8 8h.01M10.3 5.7h.01M5.7 10.3h.01",
        Icon::Plus => "M8 3v10M3 8h10",
        Icon::Minus => "M3 8h10",
        Icon::Play => "M5 3l8 5-8 5z",
        Icon::Pause => "M5.5 3v10M10.5 3v10",
    };
    let attributes = [
        ("width", "16"),
        ("height", "16"),
        ("viewBox", "0 0 16 16"),
        ("class", "icon"),
        ("aria-hidden", "true"),
    ];
    el("svg", &attributes, vec![path("", d, "")])
}
