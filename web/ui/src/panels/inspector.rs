//! One decision, taken apart: the checks in the order in which they were made, and the machine that they found.

mod beside;
mod checks;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use protocol::{DecisionKind, DecisionView, Explained};
use yew::prelude::*;

use super::frame::Panel;
use crate::charts::Tone;
use crate::controls::{Button, Segments, select};
use crate::inspection::{Inspection, Study};
use crate::markup::{el, plain, said, term_id};
use crate::orders::{Order, Orders, chosen, click};
use crate::state::Action;
use crate::text;

pub(super) use checks::checks;

/// What the panel is made from.
#[derive(Clone, PartialEq)]
pub(crate) struct InspectorView {
    /// What is looked at.
    pub(crate) inspection: Inspection,
    /// The names of the columns that have been run.
    pub(crate) columns: Vec<String>,
    /// Where orders go.
    pub(crate) orders: Orders,
}

/// See the module.
pub(crate) fn inspector_panel(view: &InspectorView) -> Html {
    let moment = &view.inspection.moment;
    let parts = vec![tools(view), summary(view), moment.body(|moment| full(view, moment)), glossary()];
    Panel { id: "inspector", title: text::INSPECTOR, note: text::INSPECTOR_NOTE, state: moment.name() }
        .html(parts)
}

fn tools(view: &InspectorView) -> Html {
    let inspection = &view.inspection;
    let is_open = inspection.moment.content().is_some();
    let step = |words, testid, is_forward| {
        Button::small(words, testid).enabled(is_open).html(click(&view.orders, Order::Step(is_forward, 0)))
    };
    let mut parts = vec![
        step(text::PREVIOUS_DECISION, "decision-previous", false),
        step(text::NEXT_DECISION, "decision-next", true),
        Button::small(text::WHY, "inspector-cause").enabled(is_open).html(click(&view.orders, Order::Cause)),
        kinds(view),
    ];
    if is_open && 1 < view.columns.len() {
        let shown = view.columns.get(inspection.column).map_or("", String::as_str);
        let choices: Vec<(&str, &str, bool)> =
            view.columns.iter().map(|name| (name.as_str(), name.as_str(), true)).collect();
        let columns = view.columns.clone();
        let order = move |value: &str| {
            let column = columns.iter().position(|name| name == value).unwrap_or(0);
            Order::InspectColumn(column)
        };
        let segments =
            Segments { name: "inspect", label: text::COLUMN, class: "segments small", chosen: shown };
        parts.push(segments.html(&choices, &view.orders, &order));
    }
    el("div", &[("class", "pager"), ("role", "group"), ("aria-label", text::INSPECTOR)], parts)
}

/// Which kind of decisions the steps go through.
fn kinds(view: &InspectorView) -> Html {
    let value = view.inspection.kind.map_or("any", DecisionKind::key);
    let options = text::KINDS.map(|(key, words)| (key, words, true));
    let onchange = chosen(&view.orders, |key| {
        let kind = DecisionKind::ALL.into_iter().find(|kind| kind.key() == key);
        Some(Order::Act(Action::Study(Study::Kind(kind))))
    });
    let list = select(("decision-kind", "decision-kind"), value, &options, onchange);
    let label =
        el("span", &[("class", "visually-hidden"), ("id", "decision-kind-help")], vec![plain(text::KIND)]);
    el("label", &[("class", "pager-kind")], vec![label, list])
}

/// What is shown, in a sentence for those who do not see it change.
fn summary(view: &InspectorView) -> Html {
    let column = view.columns.get(view.inspection.column).map_or("", String::as_str);
    let mut words =
        view.inspection.decision().map_or(String::new(), |decision| text::summary(column, decision));
    let mut class = "visually-hidden";
    if !view.inspection.note.is_empty() {
        view.inspection.note.clone_into(&mut words);
        class = "help";
    }
    let attributes =
        [("class", class), ("data-testid", "inspector-summary"), ("role", "status"), ("aria-live", "polite")];
    el("p", &attributes, vec![plain(&words)])
}

fn full(view: &InspectorView, moment: &Rc<Explained>) -> Html {
    let Some(decision) = moment.decisions.get(view.inspection.chosen) else {
        return said("p", "help", text::NOTHING_AT);
    };
    let tone = Tone::of(view.inspection.column, view.columns.len());
    let column = view.columns.get(view.inspection.column).map_or("", String::as_str);
    let all = moment.decisions.len();
    let mut place =
        vec![said("span", tone.toned(), column), plain(" "), plain(&text::instant(decision.at_ns))];
    if 1 < all {
        place.push(plain(&format!(", {}", text::nth_decision(view.inspection.chosen + 1, all))));
    }
    let mut taken_apart = vec![
        el("p", &[("class", "decision-place")], place),
        el(
            "h3",
            &[("class", "decided"), ("data-testid", "decision-title")],
            vec![plain(&text::title(decision))],
        ),
        said("p", "mono soft-line", text::kernel_function(decision)),
        said("h4", "", text::CHECKS),
    ];
    taken_apart.push(if decision.steps.is_empty() {
        said("p", "help", text::NO_CHECKS)
    } else {
        checks(&decision.steps, 1, text::CHECKS)
    });
    taken_apart.push(outcome(decision));
    let parts = vec![
        el("div", &[("class", "taken-apart")], taken_apart),
        el("div", &[("class", "beside")], beside::beside(moment, decision)),
    ];
    el("div", &[("class", "inspection fades")], parts)
}

fn outcome(decision: &DecisionView) -> Html {
    let words = vec![said("span", "outcome-name", text::OUTCOME), plain(&text::outcome(decision))];
    el("p", &[("class", "outcome"), ("data-testid", "decision-outcome")], words)
}

/// The words of the page and what they mean: each is opened by a button here, and by the word where it stands. The browser
/// shows what it means above the page, and takes it away on Escape or when somebody presses elsewhere.
fn glossary() -> Html {
    let button = |(place, (word, _)): (usize, &(&str, &str))| {
        let target = term_id(place);
        el(
            "button",
            &[("type", "button"), ("class", "term-link"), ("popovertarget", &target)],
            vec![plain(word)],
        )
    };
    let meaning = |(place, (word, meaning)): (usize, &(&str, &str))| {
        let id = term_id(place);
        let attributes =
            [("id", &*id), ("class", "meaning"), ("popover", "auto"), ("role", "note"), ("aria-label", word)];
        el("div", &attributes, vec![said("strong", "", word), said("p", "", meaning)])
    };
    let terms: Vec<Html> = text::TERMS.iter().enumerate().map(button).collect();
    let meanings = text::TERMS.iter().enumerate().map(meaning);
    let parts = vec![
        el("h3", &[("id", "glossary-title")], vec![plain(text::GLOSSARY)]),
        el("div", &[("class", "terms")], terms),
        meanings.collect(),
    ];
    el(
        "section",
        &[("class", "glossary"), ("data-testid", "glossary"), ("aria-labelledby", "glossary-title")],
        parts,
    )
}
