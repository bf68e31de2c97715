//! The first thing on the page: what the patch changes, in one sentence and two numbers.

use yew::prelude::*;

use super::{PanelState, no_latencies};
use crate::charts::{RangeStrip, StripRow, Tone, marker};
use crate::columns::{ColumnView, Results};
use crate::controls::use_width;
use crate::format::micros;
use crate::text;

/// Properties of [`HeadlinePanel`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// What people call the scenario.
    pub(crate) title: AttrValue,
    /// The preset's explanation.
    pub(crate) summary: AttrValue,
    /// The machine and kernel in words.
    pub(crate) setting: AttrValue,
    /// The seed.
    pub(crate) seed: u64,
    /// The runs.
    pub(crate) results: PanelState<Results>,
    /// How far a run is that replaces what is shown, in words.
    #[prop_or_default]
    pub(crate) progress: Option<(f64, AttrValue)>,
    /// Ends what is under way.
    pub(crate) oncancel: Callback<MouseEvent>,
    /// Runs it again.
    pub(crate) onretry: Callback<MouseEvent>,
}

/// See the module.
#[component]
pub(crate) fn HeadlinePanel(props: &Props) -> Html {
    let state = &props.results;
    let sentence = match state {
        PanelState::Full(results) | PanelState::Stale(results) => sentence(results, &props.title),
        _ => props.title.to_string(),
    };
    html! {
        <header class="panel headline" id="headline" data-testid="headline" data-state={state.name()}
            aria-labelledby="headline-title">
            <p class="eyebrow">{ text::joined(&props.title, &props.setting) }</p>
            <h1 id="headline-title">{ sentence }</h1>
            { state.body(|results| figures(props, results)) }
            { budget(state) }
            { retry(props) }
            { under_way(props) }
            <details class="story">
                <summary>{ text::STORY }</summary>
                <p>{ props.summary.clone() }</p>
                { story(state) }
            </details>
        </header>
    }
}

/// Whether what is shown is only the first part of a run.
fn budget(state: &PanelState<Results>) -> Html {
    let (PanelState::Full(results) | PanelState::Stale(results)) = state else { return Html::default() };
    if !results.columns.iter().any(|column| column.summary.out_of_budget) {
        return Html::default();
    }
    html! { <p class="notice bad" data-testid="out-of-budget">{ text::OUT_OF_BUDGET }</p> }
}

fn sentence(results: &Results, title: &str) -> String {
    let headline = results.headline();
    let value = |column: Option<&ColumnView>| column.and_then(|column| column.summary.metric(headline.key));
    match (value(results.columns.first()), value(results.columns.last())) {
        (Some(base), Some(subject)) if results.has_latencies() => {
            text::verdict(headline.slowest, base, subject, results.is_patched)
        }
        _ => text::no_verdict(title),
    }
}

fn story(state: &PanelState<Results>) -> Html {
    let (PanelState::Full(results) | PanelState::Stale(results)) = state else { return Html::default() };
    let patches = results.preset.map_or(&[][..], |preset| preset.0.patches);
    patches
        .iter()
        .filter_map(|patch| text::story(patch.slug()))
        .flatten()
        .map(|paragraph| html! { <p>{ *paragraph }</p> })
        .collect()
}

fn figures(props: &Props, results: &Results) -> Html {
    if let Some(reason) = no_latencies(&results.columns) {
        return html! { <div class="blank"><span>{ reason }</span></div> };
    }
    let rows: Vec<StripRow> = results.columns.iter().map(|column| strip_row(results, column)).collect();
    html! {
        <div class="verdict fades" data-headline={results.headline().key}>
            { for results.columns.iter().map(|column| column_figure(results, column, props.seed)) }
            <Strip {rows} name={text::latency_name(results.headline().name)} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct StripProps {
    rows: Vec<StripRow>,
    name: AttrValue,
}

/// The strip with its key, as wide as there is room.
#[component]
fn Strip(props: &StripProps) -> Html {
    let node = use_node_ref();
    let width = use_width(&node, 460.0);
    html! {
        <div ref={node} class="chart-box">
            <p class="panel-note"><abbr title={text::LATENCY_HELP}>{ props.name.clone() }</abbr></p>
            <RangeStrip rows={props.rows.clone()} {width} label={text::STRIP_LABEL} />
            { key() }
        </div>
    }
}

fn strip_row(results: &Results, column: &ColumnView) -> StripRow {
    let key = results.headline().key;
    StripRow {
        name: column.name.clone(),
        tone: column.tone,
        value: column.summary.metric(key).unwrap_or(0.0),
        band: results.spread(column, key).map(|spread| (spread.low, spread.median, spread.high)),
        published: results.published(column, key),
    }
}

fn column_figure(results: &Results, column: &ColumnView, seed: u64) -> Html {
    let key = results.headline().key;
    let value = micros(column.summary.metric(key).unwrap_or(0.0));
    let spread = results.spread(column, key);
    let published = results.published(column, key);
    html! {
        <div class={classes!("figure", column.tone.class())} data-testid={format!("figure-{}", column.name)}
            data-trace-hash={column.summary.trace_hash.clone()} data-seed={seed.to_string()}>
            <p class="figure-name">{ swatch(column.tone) }{ column.name.clone() }</p>
            <p class="panel-note">{ column.what.clone() }</p>
            <p class="big"><span>{ value.number.clone() }</span><span class="unit">{ format!("\u{202f}{}", value.unit) }</span></p>
            <dl class="facts">
                <dt>{ spread.map_or(text::BAND.to_owned(), |spread| text::band_of(spread.runs)) }</dt>
                <dd>{ spread.map_or(text::NOT_YET.to_owned(), |spread| text::interval(spread.low, spread.high)) }</dd>
                <dt>{ text::MEDIAN }</dt>
                <dd>{ spread.map_or(text::NOT_YET.to_owned(), |spread| micros(spread.median).text()) }</dd>
                if let Some(published) = published {
                    <dt>{ text::PUBLISHED }</dt>
                    <dd>{ micros(published).text() }</dd>
                }
            </dl>
        </div>
    }
}

fn swatch(tone: Tone) -> Html {
    html! {
        <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">{ marker(tone, (7.0, 7.0), 5.5, false) }</svg>
    }
}

fn key() -> Html {
    html! {
        <p class="key">
            <span>
                <svg width="14" height="14" aria-hidden="true">{ marker(Tone::Base, (7.0, 7.0), 4.5, false) }</svg>
                { text::KEY_SEED }
            </span>
            <span>
                <svg class="tone-base" width="22" height="14" aria-hidden="true">
                    <rect class="band pattern-ground" x="1" y="2" width="20" height="10" rx="3" />
                    <path class="median-key" d="M11 2v10" />
                </svg>
                { text::KEY_BAND }
            </span>
            <span>
                <svg width="18" height="18" aria-hidden="true">{ marker(Tone::Base, (9.0, 9.0), 7.5, true) }</svg>
                { text::KEY_PUBLISHED }
            </span>
        </p>
    }
}

fn retry(props: &Props) -> Html {
    let label = match &props.results {
        PanelState::Error(_) => text::TRY_AGAIN,
        PanelState::Empty(_) => text::RUN_AGAIN,
        _ => return Html::default(),
    };
    html! {
        <p><button type="button" class="primary" onclick={props.onretry.clone()} data-testid="retry">{ label }</button></p>
    }
}

fn under_way(props: &Props) -> Html {
    let is_under_way = matches!(props.results, PanelState::Loading(..) | PanelState::Stale(_));
    let Some((fraction, words)) = props.progress.as_ref().filter(|_| is_under_way) else {
        return Html::default();
    };
    html! {
        <div class="progress-row appears-late">
            <span>{ words.clone() }</span>
            <button type="button" class="small" onclick={props.oncancel.clone()} data-testid="cancel-run">{ text::CANCEL }</button>
            <progress max="1" value={crate::format::fixed(*fraction, 3)} aria-label={words.clone()} />
        </div>
    }
}
