//! The seed of the runs that are shown, and the many seeds of the band.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::Panel;
use crate::controls::{Icon, icon};
use crate::state::BandStatus;
use crate::{browser, text};

/// Properties of [`SeedsPanel`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The seed, or what was typed for it.
    pub(crate) seed: AttrValue,
    /// What is wrong with it.
    pub(crate) problems: Vec<AttrValue>,
    /// How many seeds are wanted.
    pub(crate) wanted: u32,
    /// How many are done.
    pub(crate) done: usize,
    /// How the band stands.
    pub(crate) status: BandStatus,
    /// Called with another seed.
    pub(crate) onseed: Callback<String>,
    /// Called with another number of seeds.
    pub(crate) onwanted: Callback<u32>,
    /// Stops the band.
    pub(crate) onstop: Callback<MouseEvent>,
    /// Starts it again.
    pub(crate) onstart: Callback<MouseEvent>,
}

/// See the module.
#[component]
pub(crate) fn SeedsPanel(props: &Props) -> Html {
    html! {
        <Panel id="seeds" title={text::SEEDS} state={status_name(&props.status)}>
            <div class="seeds">
                { seed(props) }
                { size(props) }
                { progress(props) }
            </div>
        </Panel>
    }
}

fn status_name(status: &BandStatus) -> &'static str {
    match status {
        BandStatus::Waiting => "empty",
        BandStatus::UnderWay => "loading",
        BandStatus::Done => "full",
        BandStatus::Stopped => "stopped",
        BandStatus::Failed(_) => "error",
    }
}

fn seed(props: &Props) -> Html {
    let current: Option<u64> = props.seed.parse().ok();
    let step = |by: i64| {
        let onseed = props.onseed.clone();
        let target = current.and_then(|seed| seed.checked_add_signed(by));
        Callback::from(move |_: MouseEvent| {
            if let Some(seed) = target {
                onseed.emit(seed.to_string());
            }
        })
    };
    let fresh = {
        let onseed = props.onseed.clone();
        Callback::from(move |_: MouseEvent| onseed.emit(browser::fresh_seed().to_string()))
    };
    let oninput = {
        let onseed = props.onseed.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                onseed.emit(input.value());
            }
        })
    };
    html! {
        <div class="field">
            <div class="field-top"><label for="seed">{ text::SEED }</label></div>
            <div class="stepper">
                <button type="button" aria-label={text::PREVIOUS_SEED} onclick={step(-1)}
                    disabled={current.is_none_or(|seed| seed == 0)} data-testid="seed-previous">{ icon(Icon::Left) }</button>
                <input type="text" id="seed" data-testid="seed" inputmode="numeric" autocomplete="off" value={props.seed.clone()}
                    aria-invalid={(!props.problems.is_empty()).then_some("true")} aria-describedby="seed-help" {oninput} />
                <button type="button" aria-label={text::NEXT_SEED} onclick={step(1)} disabled={current.is_none()}
                    data-testid="seed-next">{ icon(Icon::Right) }</button>
                <button type="button" onclick={fresh} data-testid="seed-new">{ icon(Icon::Die) }{ text::NEW_SEED }</button>
            </div>
            <div id="seed-help">
                { for props.problems.iter().map(|problem| html! { <p class="wrong" role="alert">{ problem.clone() }</p> }) }
                <p class="help">{ text::SEED_HELP }</p>
            </div>
        </div>
    }
}

fn size(props: &Props) -> Html {
    let onchange = {
        let onwanted = props.onwanted.clone();
        Callback::from(move |event: Event| {
            let input = event.target_dyn_into::<web_sys::HtmlSelectElement>();
            if let Some(wanted) = input.and_then(|select| select.value().parse().ok()) {
                onwanted.emit(wanted);
            }
        })
    };
    html! {
        <div class="field">
            <div class="field-top"><label for="band-size">{ text::BAND_SIZE }</label></div>
            <select id="band-size" data-testid="band-size" {onchange}>
                { for [50_u32, 200, 500, 1000].map(|size| html! {
                    <option value={size.to_string()} selected={size == props.wanted}>{ size }</option>
                }) }
            </select>
            <p class="help">{ text::BAND_HELP }</p>
        </div>
    }
}

fn progress(props: &Props) -> Html {
    let words = text::band_progress(props.done, props.wanted);
    let bar = || {
        let share = props.done as f64 / f64::from(props.wanted.max(1));
        html! { <progress max="1" value={crate::format::fixed(share.min(1.0), 3)} aria-label={words.clone()} /> }
    };
    let button = |label: &'static str, onclick: &Callback<MouseEvent>, testid: &'static str| {
        html! { <button type="button" class="small" onclick={onclick.clone()} data-testid={testid}>{ label }</button> }
    };
    html! {
        <div class="progress-row" data-testid="band-progress" data-done={props.done.to_string()}>
            { match &props.status {
                BandStatus::UnderWay => html! {
                    <><span>{ words.clone() }</span>{ button(text::STOP, &props.onstop, "band-stop") }{ bar() }</>
                },
                BandStatus::Done => html! { <><span>{ text::band_done(props.done) }</span><span />{ bar() }</> },
                BandStatus::Waiting => html! { <><span>{ words.clone() }</span><span />{ bar() }</> },
                BandStatus::Stopped => html! {
                    <><span>{ words.clone() }</span>{ button(text::START_BAND, &props.onstart, "band-start") }{ bar() }</>
                },
                BandStatus::Failed(message) => html! {
                    <><span class="wrong">{ message.clone() }</span>{ button(text::TRY_AGAIN, &props.onstart, "band-start") }</>
                },
            } }
        </div>
    }
}
