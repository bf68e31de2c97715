//! Where the runs part: one sentence, and the decision on both sides next to each other.

use std::rc::Rc;

use protocol::DivergenceSide;
use yew::prelude::*;

use super::PanelState;
use super::frame::Panel;
use super::inspector::checks;
use crate::charts::Tone;
use crate::controls::{Button, Segments};
use crate::inspection::Parting;
use crate::markup::{el, plain, said};
use crate::orders::{Order, Orders, click};
use crate::text;

/// What the panel is made from.
#[derive(Clone, PartialEq)]
pub(crate) struct DivergenceView {
    /// Where the runs part.
    pub(crate) shown: PanelState<Rc<protocol::DivergenceView>>,
    /// Which divergence was asked for last, counted from 0.
    pub(crate) nth: Option<u32>,
    /// The names of the columns that have been run.
    pub(crate) columns: Vec<String>,
    /// The column that the first one is compared with, by its position.
    pub(crate) against: usize,
    /// Where orders go.
    pub(crate) orders: Orders,
}

/// See the module.
pub(crate) fn divergence_panel(view: &DivergenceView) -> Html {
    let mut parts = Vec::new();
    if view.nth.is_some() || 2 < view.columns.len() {
        parts.push(pager(view));
    }
    parts.push(view.shown.body(found));
    Panel { id: "divergence", title: text::DIVERGENCE, note: text::DIVERGENCE_NOTE, state: view.shown.name() }
        .html(parts)
}

fn pager(view: &DivergenceView) -> Html {
    let nth = view.nth.unwrap_or(0);
    let is_at_end = view.shown.content().is_none();
    let button = |words, testid, is_enabled, parting| {
        Button::small(words, testid).enabled(is_enabled).html(click(&view.orders, Order::Part(parting)))
    };
    let mut parts = vec![
        button(text::PREVIOUS_DIVERGENCE, "divergence-previous", 0 < nth, Parting::Previous),
        button(text::NEXT_DIVERGENCE, "divergence-next", !is_at_end, Parting::Next),
    ];
    if !is_at_end {
        parts.push(said("span", "pager-place", &text::nth_divergence(nth)));
    }
    parts.extend(others(view));
    el("div", &[("class", "pager"), ("role", "group"), ("aria-label", text::DIVERGENCE)], parts)
}

/// Which column the first one is compared with, where there is a choice.
fn others(view: &DivergenceView) -> Option<Html> {
    let (base, others) = view.columns.split_first().filter(|(_, others)| 1 < others.len())?;
    let label = text::compare_with(base);
    let chosen = view.columns.get(view.against).map_or("", String::as_str);
    let choices: Vec<(&str, &str, bool)> =
        others.iter().map(|name| (name.as_str(), name.as_str(), true)).collect();
    let columns = view.columns.clone();
    let order =
        move |value: &str| Order::PartFrom(columns.iter().position(|name| name == value).unwrap_or(0));
    let segments = Segments { name: "against", label: &label, class: "segments small", chosen };
    let words = said("span", "pager-place", &label);
    Some([words, segments.html(&choices, &view.orders, &order)].into_iter().collect())
}

fn found(view: &Rc<protocol::DivergenceView>) -> Html {
    let sentence = [
        ("class", "parting"),
        ("data-testid", "divergence-sentence"),
        ("role", "status"),
        ("aria-live", "polite"),
    ];
    let mut parts = vec![el("p", &sentence, vec![plain(&text::divergence(view))])];
    if 0 < view.nth {
        let words = text::what_if(&view.base.column, &view.patched.column, view.patched_from_ns);
        parts.push(said("p", "help", &words));
    }
    let (base, patched) = (steps(&view.base), steps(&view.patched));
    let alike = base.iter().zip(patched).take_while(|(one, other)| one == other).count();
    if view.base.decision.is_some() && view.patched.decision.is_some() {
        parts.push(said("p", "panel-note", &text::alike(alike)));
    }
    let sides = vec![
        side(&view.base, alike, Tone::Base, "divergence-base"),
        side(&view.patched, alike, Tone::Subject, "divergence-patched"),
    ];
    parts.push(el("div", &[("class", "sides")], sides));
    el("div", &[("class", "fades")], parts)
}

fn steps(side: &DivergenceSide) -> &[protocol::StepView] {
    side.decision.as_ref().map_or(&[], |decision| &decision.steps)
}

/// One side: what happened, what was decided, and every check from the first on that came out otherwise.
fn side(side: &DivergenceSide, alike: usize, tone: Tone, testid: &str) -> Html {
    let mut parts = vec![said("h3", tone.toned(), &side.column)];
    match &side.decision {
        Some(decision) => {
            parts.push(said("p", "decided", &text::title(decision)));
            parts.push(said("p", "mono soft-line", text::kernel_function(decision)));
            parts.push(match &decision.steps[alike.min(decision.steps.len())..] {
                [] => said("p", "help", text::REST_ALIKE),
                rest => checks(rest, alike + 1, text::CHECKS),
            });
            let outcome = text::outcome(decision);
            let words = vec![said("span", "outcome-name", text::OUTCOME), plain(&outcome)];
            parts.push(el("p", &[("class", "outcome")], words));
        }
        None => parts.push(said("p", "help", text::NOTHING_DECIDED)),
    }
    let event = side.event.as_ref().map_or_else(|| text::OVER.to_owned(), text::event);
    parts.push(said("p", "help", &event));
    el("section", &[("class", "side-by-side"), ("data-testid", testid), ("aria-label", &side.column)], parts)
}
