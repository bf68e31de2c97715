//! The seed of the runs that are shown, and the many seeds of the band.

use yew::prelude::*;

use super::frame::{Panel, progress};
use crate::columns::Scope;
use crate::controls::{Button, Icon, select, wrong};
use crate::markup::{el, plain, said};
use crate::orders::{Order, Orders, chosen, click, edit, set, typed};
use crate::state::{Action, BandStatus};
use crate::{browser, text};

/// How many seeds a band can have.
const SIZES: [&str; 4] = ["50", "200", "500", "1000"];

/// What the seeds are made from.
#[derive(Clone, PartialEq)]
pub(crate) struct SeedsView {
    /// The seed, or what was typed for it.
    pub(crate) seed: String,
    /// What is wrong with it.
    pub(crate) problems: Vec<String>,
    /// How many seeds are wanted.
    pub(crate) wanted: u32,
    /// How many are done.
    pub(crate) done: usize,
    /// How the band stands.
    pub(crate) status: BandStatus,
    /// Whether an interval is chosen, to which runs of many seeds cannot be restricted.
    pub(crate) scope: Scope,
    /// Where orders go.
    pub(crate) orders: Orders,
}

/// See the module.
pub(crate) fn seeds_panel(view: &SeedsView) -> Html {
    let state = match &view.status {
        BandStatus::Waiting => "empty",
        BandStatus::UnderWay => "loading",
        BandStatus::Done => "full",
        BandStatus::Stopped => "stopped",
        BandStatus::Failed(_) => "error",
    };
    let parts = vec![el("div", &[("class", "seeds")], vec![seed(view), size(view), how_far(view)])];
    Panel { id: "seeds", title: text::SEEDS, note: &view.scope.note(""), state }.html(parts)
}

fn labelled(id: &str, label: &str, parts: Vec<Html>) -> Html {
    let label = el("label", &[("for", id)], vec![plain(label)]);
    let mut content = vec![el("div", &[("class", "field-top")], vec![label])];
    content.extend(parts);
    el("div", &[("class", "field")], content)
}

fn seed(view: &SeedsView) -> Html {
    let current: Option<u64> = view.seed.parse().ok();
    let to = |seed: Option<u64>| {
        click(&view.orders, edit("seed", seed.map_or(view.seed.clone(), |seed| seed.to_string())))
    };
    let before = current.and_then(|seed| seed.checked_sub(1));
    let after = current.and_then(|seed| seed.checked_add(1));
    let fresh = set(&view.orders, "seed", || browser::fresh_seed().to_string());
    let stepper = vec![
        Button::picture(Icon::Left, text::PREVIOUS_SEED, "seed-previous")
            .class("")
            .enabled(before.is_some())
            .html(to(before)),
        html! {
            <input type="text" id="seed" data-testid="seed" inputmode="numeric" autocomplete="off"
                value={view.seed.clone()} aria-invalid={(!view.problems.is_empty()).then_some("true")}
                aria-describedby="seed-help" oninput={typed(&view.orders, &AttrValue::Static("seed"))} />
        },
        Button::picture(Icon::Right, text::NEXT_SEED, "seed-next")
            .class("")
            .enabled(after.is_some())
            .html(to(after)),
        Button::small(text::NEW_SEED, "seed-new").class("").with_picture(Icon::Die).html(fresh),
    ];
    let mut notes: Vec<Html> = view.problems.iter().map(|problem| wrong(problem)).collect();
    notes.push(said("p", "help", text::SEED_HELP));
    let parts = vec![el("div", &[("class", "stepper")], stepper), el("div", &[("id", "seed-help")], notes)];
    labelled("seed", text::SEED, parts)
}

fn size(view: &SeedsView) -> Html {
    let onchange = chosen(&view.orders, |value| Some(Order::Act(Action::BandSize(value.parse().ok()?))));
    let options = SIZES.map(|size| (size, size, true));
    let list = select(("band-size", "band-size"), &view.wanted.to_string(), &options, onchange);
    let help = el("p", &[("class", "help"), ("id", "band-size-help")], vec![plain(text::BAND_HELP)]);
    labelled("band-size", text::BAND_SIZE, vec![list, help])
}

fn how_far(view: &SeedsView) -> Html {
    let words = text::band_progress(view.done, view.wanted);
    let button =
        |label: &str, testid, order| Some(Button::small(label, testid).html(click(&view.orders, order)));
    let (said_words, button) = match &view.status {
        BandStatus::UnderWay => (words.clone(), button(text::STOP, "band-stop", Order::StopBand)),
        BandStatus::Done => (text::band_done(view.done), None),
        BandStatus::Waiting => (words.clone(), None),
        BandStatus::Stopped => (words.clone(), button(text::START_BAND, "band-start", Order::StartBand)),
        BandStatus::Failed(message) => {
            (message.clone(), button(text::TRY_AGAIN, "band-start", Order::StartBand))
        }
    };
    let mut parts = vec![said("span", "", &said_words)];
    parts.extend(button);
    parts.push(progress(Some(view.done as f64 / f64::from(view.wanted.max(1))), &words));
    let done = view.done.to_string();
    let attributes = [("class", "progress-row"), ("data-testid", "band-progress"), ("data-done", &done)];
    el("div", &attributes, parts)
}
