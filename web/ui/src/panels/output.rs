//! What the program printed, byte for byte, and how to get the same on the command line.

use yew::prelude::*;

use super::frame::Panel;
use super::{PanelState, note};
use crate::columns::{ColumnView, Results};
use crate::controls::{Copied, copy_button};
use crate::markup::{el, plain, said};
use crate::orders::Orders;
use crate::text;

/// What the output is made from.
#[derive(Clone, PartialEq)]
pub(crate) struct OutputView {
    /// The runs.
    pub(crate) results: PanelState<Results>,
    /// The command that does the same natively.
    pub(crate) command: String,
    /// How many seeds the band has.
    pub(crate) wanted: u32,
    /// What was copied last.
    pub(crate) copied: Copied,
    /// Where orders go.
    pub(crate) orders: Orders,
}

/// See the module.
pub(crate) fn output_panel(view: &OutputView) -> Html {
    let state = view.results.and_then(|results| {
        let prints = results.columns.iter().any(|column| !column.summary.text.is_empty());
        if prints { Ok(results.clone()) } else { Err(text::NO_TEXT.into()) }
    });
    let body = state.body(|results| {
        el(
            "div",
            &[("class", "outputs fades")],
            results.columns.iter().map(|column| printed(view, column)).collect(),
        )
    });
    let compare = text::compare_command(&view.command, view.wanted);
    let parts = vec![
        body,
        said("h3", "command-title", text::COMMAND),
        command(view, &view.command, text::COMMAND, "command"),
        command(view, &compare, text::COMPARE_COMMAND, "compare-command"),
    ];
    Panel { id: "output", title: text::OUTPUT, note: &note(&state, ""), state: state.name() }.html(parts)
}

fn printed(view: &OutputView, column: &ColumnView) -> Html {
    let words = &column.summary.text;
    let head = vec![
        said("h3", column.tone.toned(), &column.name),
        copy_button(words, &column.name, &view.copied, &view.orders),
    ];
    let testid = format!("text-{}", column.name);
    let attributes = [("class", "output"), ("tabindex", "0"), ("data-testid", &testid)];
    el(
        "div",
        &[],
        vec![el("div", &[("class", "output-head")], head), el("pre", &attributes, vec![plain(words)])],
    )
}

fn command(view: &OutputView, words: &str, what: &str, testid: &str) -> Html {
    let attributes = [("tabindex", "0"), ("data-testid", testid), ("aria-label", what)];
    el(
        "div",
        &[("class", "command")],
        vec![
            el("code", &attributes, vec![plain(words)]),
            copy_button(words, what, &view.copied, &view.orders),
        ],
    )
}
