//! The first thing on the page: what the patch changes, in one sentence and two numbers.

use yew::prelude::*;

use super::frame::{blank, progress};
use super::{PanelState, chart_box, no_latencies, note};
use crate::band::Spread;
use crate::charts::{
    Bar, ChangeRow, StripRow, Tone, bars_chart, change_strip, marker, path, range_strip, rect, sign,
};
use crate::columns::{ColumnView, LAUNCH, Results, Scope, Yardstick};
use crate::controls::Button;
use crate::format::{Quantity, THIN, micros, signed_percent};
use crate::markup::{el, plain, said};
use crate::orders::{Order, Orders, click};
use crate::part::{Frame, framed};
use crate::text;

/// What the headline is made from.
#[derive(Clone, PartialEq)]
pub(crate) struct HeadlineView {
    /// What people call the scenario.
    pub(crate) title: String,
    /// The preset's explanation.
    pub(crate) summary: &'static str,
    /// The machine and kernel in words.
    pub(crate) setting: String,
    /// The runs.
    pub(crate) results: PanelState<Results>,
    /// How far a run is that replaces what is shown: its fraction and words.
    pub(crate) progress: Option<(f64, String)>,
    /// Where orders go.
    pub(crate) orders: Orders,
}

/// See the module.
pub(crate) fn headline_panel(view: &HeadlineView) -> Html {
    let state = &view.results;
    let sentence = state.content().map_or(view.title.clone(), |results| sentence(results, &view.title));
    let scope = note(state, "");
    let mut parts = vec![
        said("p", "eyebrow", &text::joined(&view.title, &view.setting)),
        if scope.is_empty() { Html::default() } else { said("p", "scope", &scope) },
        el("h1", &[("id", "headline-title"), ("class", "fades")], vec![plain(&sentence)]),
        state.body(figures),
    ];
    if state
        .content()
        .is_some_and(|results| results.columns.iter().any(|column| column.summary.out_of_budget))
    {
        let attributes = [("class", "notice bad"), ("data-testid", "out-of-budget")];
        parts.push(el("p", &attributes, vec![plain(text::OUT_OF_BUDGET)]));
    }
    parts.extend(retry(view));
    parts.extend(under_way(view));
    parts.push(story(view));
    let attributes = [
        ("class", "panel headline"),
        ("id", "headline"),
        ("data-testid", "headline"),
        ("data-state", state.name()),
        ("aria-labelledby", "headline-title"),
    ];
    el("header", &attributes, parts)
}

fn sentence(results: &Results, title: &str) -> String {
    let (Some(first), Some(last)) = (results.columns.first(), results.columns.last()) else {
        return text::no_verdict(title);
    };
    let headline = results.headline();
    let yardstick = results.yardstick();
    let key = yardstick.map_or(headline.key, |yardstick| yardstick.key);
    let (base, subject) = (first.summary.metric(key), last.summary.metric(key));
    let Some((base, subject)) = base.zip(subject) else { return text::no_verdict(title) };
    let (base, subject) = ((&*first.name, base), (&*last.name, subject));
    match yardstick {
        Some(yardstick) => {
            let paired = results.paired(last, key);
            text::figure_verdict(yardstick, base, subject, results.contrast, paired)
        }
        None if results.has_latencies() => text::verdict(headline.slowest, base, subject, results.contrast),
        None => text::no_verdict(title),
    }
}

fn story(view: &HeadlineView) -> Html {
    let mut parts = vec![said("summary", "", text::STORY), said("p", "", view.summary)];
    let preset = view.results.content().and_then(|results| results.preset);
    for patch in preset.map_or(&[][..], |preset| preset.0.patches) {
        parts.extend(
            text::story(patch.slug()).into_iter().flatten().map(|paragraph| said("p", "", paragraph)),
        );
    }
    el("details", &[("class", "story")], parts)
}

fn figures(results: &Results) -> Html {
    if let Some(yardstick) = results.yardstick() {
        return measured(results, yardstick);
    }
    if let Some(reason) = no_latencies(results) {
        return blank(&reason);
    }
    let headline = results.headline();
    let mut parts: Vec<Html> =
        results.columns.iter().map(|column| latency_figure(results, column, headline.key)).collect();
    let strip = Strip {
        rows: results.columns.iter().map(|column| strip_row(results, column, headline.key)).collect(),
        name: text::latency_name(headline.name),
    };
    parts.push(framed(strip, draw_strip));
    el("div", &[("class", "verdict fades"), ("data-headline", headline.key)], parts)
}

#[derive(PartialEq)]
struct Strip {
    rows: Vec<StripRow>,
    name: String,
}

fn draw_strip(strip: &Strip, frame: &Frame) -> Html {
    let name = el("abbr", &[("title", text::LATENCY_HELP)], vec![plain(&strip.name)]);
    let parts = vec![
        el("p", &[("class", "panel-note")], vec![name]),
        range_strip(&strip.rows, frame.width.unwrap_or(460.0), text::STRIP_LABEL),
        key(),
    ];
    chart_box(frame, parts)
}

fn strip_row(results: &Results, column: &ColumnView, key: &str) -> StripRow {
    StripRow {
        name: column.name.clone(),
        tone: column.tone,
        value: column.summary.metric(key).unwrap_or(0.0),
        band: results.spread(column, key).map(|spread| (spread.low, spread.median, spread.high)),
        published: results.published(column, key),
    }
}

fn latency_figure(results: &Results, column: &ColumnView, key: &str) -> Html {
    let value = micros(column.summary.metric(key).unwrap_or(0.0));
    if let Scope::Part(_) = results.scope {
        let count = column.summary.samples.latency_us.len();
        return column_figure(column, &value, &[(text::IN_PART.to_owned(), count.to_string())]);
    }
    let spread = results.spread(column, key);
    let mut facts = seeds_facts(spread, &|spread| text::interval(spread.low, spread.high), micros);
    facts.extend(
        results
            .published(column, key)
            .map(|published| (text::PUBLISHED.to_owned(), micros(published).text())),
    );
    column_figure(column, &value, &facts)
}

/// What many seeds say of a figure.
fn seeds_facts(
    spread: Option<Spread>,
    interval: &dyn Fn(Spread) -> String,
    number: fn(f64) -> Quantity,
) -> Vec<(String, String)> {
    let not_yet = || text::NOT_YET.to_owned();
    vec![
        (
            spread.map_or_else(|| text::BAND.to_owned(), |spread| text::band_of(spread.runs)),
            spread.map_or_else(not_yet, interval),
        ),
        (text::MEDIAN.to_owned(), spread.map_or_else(not_yet, |spread| number(spread.median).text())),
    ]
}

/// A column with one big number and some facts about it.
fn column_figure(column: &ColumnView, value: &Quantity, facts: &[(String, String)]) -> Html {
    let facts =
        facts.iter().flat_map(|(what, value)| [said("dt", "", what), said("dd", "", value)]).collect();
    let swatch = sign(14.0, 14.0, vec![marker(column.tone, (7.0, 7.0), 5.5, false)]);
    let parts = vec![
        el("p", &[("class", "figure-name")], vec![swatch, plain(&column.name)]),
        said("p", "panel-note", &column.what),
        el(
            "p",
            &[("class", "big")],
            vec![said("span", "", &value.number), said("span", "unit", &format!("{THIN}{}", value.unit))],
        ),
        el("dl", &[("class", "facts")], facts),
    ];
    let attributes = [
        ("class", column.tone.figure()),
        ("data-testid", &*format!("figure-{}", column.name)),
        ("data-trace-hash", &column.summary.trace_hash),
        ("data-seed", &column.summary.seed.to_string()),
    ];
    el("div", &attributes, parts)
}

/// What the runs come down to, and by how much that changes from the first column to the others.
fn measured(results: &Results, yardstick: &'static Yardstick) -> Html {
    let Yardstick { key, number, .. } = *yardstick;
    let figure = |column: &ColumnView| {
        let spread = results.spread(column, key);
        let interval =
            |spread: Spread| text::from_to(&number(spread.low).text(), &number(spread.high).text());
        let mut facts = seeds_facts(spread, &interval, number);
        let paired = results.paired(column, key).filter(|_| 0 < column.index);
        facts.extend(paired.map(|paired| (text::CHANGE.to_owned(), signed_percent(paired.mean))));
        let published = results.published(column, key);
        facts.extend(published.map(|published| (text::PUBLISHED.to_owned(), number(published).text())));
        column_figure(column, &number(column.summary.metric(key).unwrap_or(0.0)), &facts)
    };
    let mut parts: Vec<Html> = results.columns.iter().map(figure).collect();
    if *yardstick == LAUNCH {
        let bar = |column: &ColumnView| Bar {
            name: column.name.clone(),
            tone: column.tone,
            value: column.summary.metric(key).unwrap_or(0.0),
            mean: results.mean(column, key),
            published: results.published(column, key),
        };
        parts.push(framed(Bars(results.columns.iter().map(bar).collect()), draw_bars));
    } else {
        let rows = results.columns.iter().skip(1).filter_map(|column| {
            Some(ChangeRow {
                name: column.name.clone(),
                tone: column.tone,
                change: results.paired(column, key)?,
            })
        });
        parts.push(framed(Changes { yardstick, rows: rows.collect() }, draw_changes));
    }
    el("div", &[("class", "verdict fades"), ("data-headline", key)], parts)
}

/// What the bars are made from.
#[derive(Clone, PartialEq)]
struct Bars(Vec<Bar>);

fn draw_bars(Bars(bars): &Bars, frame: &Frame) -> Html {
    let name = el("abbr", &[("title", text::LAUNCH_HELP)], vec![plain(LAUNCH.name)]);
    let item = |picture: Html, words: &str| el("span", &[], vec![picture, plain(words)]);
    let whisker = vec![path("interval", "M2 7h18M2 3v8M20 3v8", "")];
    let items = vec![
        item(sign(22.0, 14.0, whisker), text::MEAN_KEY),
        item(sign(14.0, 14.0, vec![marker(Tone::Base, (7.0, 7.0), 4.5, false)]), text::KEY_SEED),
        item(sign(18.0, 18.0, vec![marker(Tone::Base, (9.0, 9.0), 7.5, true)]), text::KEY_PUBLISHED),
    ];
    let parts = vec![
        el("p", &[("class", "panel-note")], vec![name]),
        bars_chart(bars, frame.width.unwrap_or(460.0), LAUNCH.number, text::BARS_LABEL),
        el("p", &[("class", "key tone-base")], items),
    ];
    chart_box(frame, parts)
}

/// What the strip of changes is made from.
#[derive(Clone, PartialEq)]
struct Changes {
    yardstick: &'static Yardstick,
    rows: Vec<ChangeRow>,
}

fn draw_changes(Changes { yardstick, rows }: &Changes, frame: &Frame) -> Html {
    let name = text::joined(yardstick.name, text::CHANGE);
    let name = el("abbr", &[("title", yardstick.help)], vec![plain(&name)]);
    let mut parts = vec![el("p", &[("class", "panel-note")], vec![name])];
    if rows.is_empty() {
        parts.push(said("p", "help", text::CHANGE_WAITS));
    } else {
        parts.push(change_strip(rows, frame.width.unwrap_or(460.0), text::CHANGE_LABEL));
        let item = |picture: Html, words: &str| el("span", &[], vec![picture, plain(words)]);
        let zone = vec![rect("small-change", [1.0, 2.0, 20.0, 10.0], 0.0, "")];
        let mark = vec![marker(Tone::Subject, (7.0, 7.0), 4.5, false)];
        let items = vec![
            item(sign(14.0, 14.0, mark), text::CHANGE_KEY),
            item(sign(22.0, 14.0, zone), text::SMALL_KEY),
        ];
        parts.push(el("p", &[("class", "key tone-subject")], items));
        for row in rows {
            let words = text::joined(&row.name, &text::change_interval(row.change));
            parts.push(said("p", "visually-hidden", &words));
        }
    }
    chart_box(frame, parts)
}

fn key() -> Html {
    let item = |picture: Html, words: &str| el("span", &[], vec![picture, plain(words)]);
    let band = vec![
        rect("band pattern-ground", [1.0, 2.0, 20.0, 10.0], 3.0, ""),
        path("median-key", "M11 2v10", ""),
    ];
    let items = vec![
        item(sign(14.0, 14.0, vec![marker(Tone::Base, (7.0, 7.0), 4.5, false)]), text::KEY_SEED),
        item(sign(22.0, 14.0, band), text::KEY_BAND),
        item(sign(18.0, 18.0, vec![marker(Tone::Base, (9.0, 9.0), 7.5, true)]), text::KEY_PUBLISHED),
    ];
    el("p", &[("class", "key tone-base")], items)
}

fn retry(view: &HeadlineView) -> Option<Html> {
    let words = match &view.results {
        PanelState::Error(_) => text::TRY_AGAIN,
        PanelState::Empty(_) => text::RUN_AGAIN,
        _ => return None,
    };
    let button = Button::small(words, "retry").class("primary").html(click(&view.orders, Order::Retry));
    Some(el("p", &[], vec![button]))
}

fn under_way(view: &HeadlineView) -> Option<Html> {
    let is_under_way = matches!(view.results, PanelState::Loading(..) | PanelState::Stale(_));
    let (fraction, words) = view.progress.as_ref().filter(|_| is_under_way)?;
    let parts = vec![
        said("span", "", words),
        Button::small(text::CANCEL, "cancel-run").html(click(&view.orders, Order::Cancel)),
        progress(Some(*fraction), words),
    ];
    Some(el("div", &[("class", "progress-row appears-late")], parts))
}
