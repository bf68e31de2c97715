//! The chain of causes of a wait: each link with the decision that made it, and the way on and back.

use std::rc::Rc;

use protocol::{CauseView, DecisionPoint};
use yew::prelude::*;

use super::PanelState;
use super::frame::Panel;
use crate::chain::Chain;
use crate::charts::Tone;
use crate::controls::Button;
use crate::markup::{el, plain, said};
use crate::orders::{Order, Orders, click};
use crate::text;
use crate::timeline::Kept;
use crate::timeline::caption::task_name;

/// The most refusals of a link that are offered for opening.
const REFUSALS: usize = 3;

/// What the panel is made from.
#[derive(Clone, PartialEq)]
pub(crate) struct CausesView {
    /// The chain.
    pub(crate) chain: Chain,
    /// The runs.
    pub(crate) runs: Rc<Vec<Kept>>,
    /// Where orders go.
    pub(crate) orders: Orders,
}

/// See the module.
pub(crate) fn causes_panel(view: &CausesView) -> Html {
    let Chain { subject, links, is_asking, error, .. } = &view.chain;
    let state: PanelState<()> = match (error, subject) {
        (Some(message), _) if links.is_empty() => PanelState::Error(message.clone().into()),
        (_, None) => PanelState::Empty(text::CAUSES_HINT.into()),
        _ if *is_asking && links.is_empty() => PanelState::Loading(None, text::ASKING_CAUSE.into()),
        _ if *is_asking => PanelState::Stale(()),
        _ => PanelState::Full(()),
    };
    let parts = vec![pager(view), state.body(|()| full(view))];
    Panel { id: "causes", title: text::CAUSES, note: text::CAUSES_NOTE, state: state.name() }.html(parts)
}

fn pager(view: &CausesView) -> Html {
    let chain = &view.chain;
    let button = |words, testid, is_enabled, order| {
        Button::small(words, testid).enabled(is_enabled).html(click(&view.orders, order))
    };
    let can_ask = chain.question().is_some() && !chain.is_asking;
    let words = if chain.links.is_empty() { text::WHY } else { text::WHY_THAT };
    let parts = vec![
        button(words, "cause-next", can_ask, Order::Cause),
        button(text::CAUSE_BACK, "cause-back", !chain.links.is_empty(), Order::CauseBack),
    ];
    el("div", &[("class", "pager"), ("role", "group"), ("aria-label", text::CAUSES)], parts)
}

fn full(view: &CausesView) -> Html {
    let chain = &view.chain;
    let Some(subject) = chain.subject else { return Html::default() };
    let tone = Tone::of(subject.column, view.runs.len());
    let run = view.runs.get(subject.column).map(|kept| &kept.summary);
    let column = run.map_or("", |run| run.column_name.as_str());
    let name = run.map_or("?", |run| task_name(run, subject.task));
    let place = vec![said("span", tone.toned(), column), plain(&text::asked_about(name, subject.at_ns))];
    let mut parts = vec![el("p", &[("class", "decision-place")], place)];
    if !chain.links.is_empty() {
        let links = chain.links.iter().map(|found| link(found, &view.orders)).collect();
        let attributes = [("class", "causes"), ("data-testid", "causes-chain"), ("aria-live", "polite")];
        parts.push(el("ol", &attributes, links));
    }
    let note = chain.error.as_deref().unwrap_or(chain.note);
    let attributes = [("class", "help"), ("data-testid", "causes-note"), ("role", "status")];
    parts.push(el("p", &attributes, vec![plain(note)]));
    el("div", &[("class", "fades")], parts)
}

fn link(found: &Rc<CauseView>, orders: &Orders) -> Html {
    let mut parts = vec![said("p", "", &text::cause(found))];
    let open = |words: &str, point: DecisionPoint| {
        Button::small(words, "cause-open").html(click(orders, Order::OpenCause(point)))
    };
    let mut buttons: Vec<Html> =
        found.decision.iter().map(|point| open(&text::open_decision(point), *point)).collect();
    let refusals = found.refusals.iter().take(REFUSALS);
    buttons.extend(refusals.map(|point| open(&text::open_refusal(point), *point)));
    if !buttons.is_empty() {
        parts.push(el("p", &[("class", "cause-tools")], buttons));
    }
    parts.extend(found.next.as_ref().map(|next| said("p", "cause-next", &text::cause_next(found, next))));
    el("li", &[], parts)
}

#[cfg(test)]
mod tests;
