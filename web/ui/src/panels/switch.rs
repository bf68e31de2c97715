//! The switch of each patch: its forms, what they do, and what they decided.

use std::rc::Rc;

use kernel::{Availability, Form, Patch};
use protocol::HunkView;
use scenario::{Preset, Scenario};
use yew::prelude::*;

use super::{Panel, PanelState};
use crate::columns::{ColumnView, Results};
use crate::controls::{Segment, Segments};
use crate::text;

/// Properties of [`SwitchPanel`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The scenario in force.
    pub(crate) scenario: Rc<Scenario>,
    /// The runs, for what was counted.
    pub(crate) results: PanelState<Results>,
    /// Called with a key and a value.
    pub(crate) onedit: Callback<(String, String)>,
}

/// See the module.
#[component]
pub(crate) fn SwitchPanel(props: &Props) -> Html {
    let (subjects, others): (Vec<Patch>, Vec<Patch>) =
        Patch::ALL.into_iter().partition(|patch| is_subject(&props.scenario, *patch));
    let state = props.results.name();
    html! {
        <Panel id="patch" title={text::SWITCH} note={subjects.first().map_or("", |patch| patch.info().title)} {state}>
            { for subjects.iter().map(|patch| one(props, *patch, true)) }
            if !others.is_empty() {
                <details class="others">
                    <summary>{ text::OTHER_PATCHES }</summary>
                    { for others.iter().map(|patch| one(props, *patch, false)) }
                </details>
            }
        </Panel>
    }
}

/// Whether a scenario is about a patch: its preset says so, or its columns differ in it.
fn is_subject(scenario: &Scenario, patch: Patch) -> bool {
    let values = (0..scenario.columns.len()).map(|column| scenario.resolved(column).patch_value(patch));
    let values: Vec<&str> = values.collect();
    let differs = values.windows(2).any(|pair| pair[0] != pair[1]);
    differs || Preset::find(&scenario.preset).is_some_and(|preset| preset.patches.contains(&patch))
}

/// The key by which the last column's form of a patch is set.
pub(crate) fn switch_key(scenario: &Scenario, patch: Patch) -> String {
    match scenario.columns.last().filter(|_| 1 < scenario.columns.len()) {
        Some(column) => format!("columns.{}.patches.{}", column.name, patch.slug()),
        None => format!("patches.{}", patch.slug()),
    }
}

fn one(props: &Props, patch: Patch, is_subject: bool) -> Html {
    let info = patch.info();
    let last = props.scenario.resolved(props.scenario.columns.len() - 1);
    let chosen = last.patch_value(patch);
    let era = last.kernel.era;
    let availability = patch.availability(era);
    let is_possible = !matches!(availability, Availability::Impossible(_));
    let off = Segment { value: "off".into(), label: text::OFF.into(), is_possible: true };
    let forms = info.forms.iter().map(|form| Segment {
        value: form.name.into(),
        label: form.name.into(),
        is_possible,
    });
    let segments: Vec<Segment> = std::iter::once(off).chain(forms).collect();
    let help = match (availability, info.forms.iter().find(|form| form.name == chosen)) {
        (Availability::Impossible(reason), _) => text::impossible(era.name(), reason),
        (_, Some(form)) => form.summary.to_owned(),
        (_, None) => text::OFF_HELP.to_owned(),
    };
    let onchoose = {
        let (onedit, key) = (props.onedit.clone(), switch_key(&props.scenario, patch));
        Callback::from(move |value: AttrValue| onedit.emit((key.clone(), value.to_string())))
    };
    html! {
        <div class="switch-panel" key={info.slug}>
            if !is_subject {
                <h3>{ info.title }</h3>
            }
            <div class="switch-row">
                <Segments name={info.slug} label={info.title} {segments} {chosen} {onchoose} />
                <p aria-live="polite">{ help }</p>
            </div>
            <p class="panel-note">
                { info.summary }{ " " }{ text::patch_origin(info.author, info.date, info.status) }{ " " }
                <a href={format!("https://lore.kernel.org/r/{}", info.message_id)} rel="noreferrer">{ text::MAIL }</a>
            </p>
            { counters(props, patch, chosen, is_subject) }
        </div>
    }
}

fn counters(props: &Props, patch: Patch, chosen: &str, is_subject: bool) -> Html {
    let (PanelState::Full(results) | PanelState::Stale(results)) = &props.results else {
        return Html::default();
    };
    let columns = &results.columns;
    let hunks = patch.info().hunks.iter().filter(|hunk| {
        // A place that only a rival form edits would be a row of noughts for all others.
        columns.iter().any(|column| {
            find(column, patch, hunk.index)
                .is_some_and(|view| 0 < changed(view, shown_form(view, chosen)) || hunk.index == 0)
        })
    });
    html! {
        <div class="scroll" tabindex="0" role="group" aria-label={text::SCROLLS}>
            <table class="fades wraps">
                <caption>{ text::HUNKS }</caption>
                <thead><tr>
                    <th scope="col">{ text::HUNK_PLACE }</th>
                    { for columns.iter().map(|column| html! {
                        <th scope="col" class={classes!("toned", column.tone.class())}>{ column.name.clone() }</th>
                    }) }
                </tr></thead>
                <tbody>
                    { for hunks.map(|hunk| html! {
                        <tr>
                            <th scope="row"><code>{ format!("{}()", hunk.function) }</code></th>
                            { for columns.iter().map(|column| cell(column, patch, hunk.index, chosen, is_subject)) }
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

fn cell(column: &ColumnView, patch: Patch, hunk: u8, chosen: &str, is_subject: bool) -> Html {
    let scope = if is_subject { String::new() } else { format!("{}-", patch.slug()) };
    let words = find(column, patch, hunk).map_or(text::NOT_YET.to_owned(), |view| {
        text::hunk_count(view.asked, changed(view, shown_form(view, chosen)), view.active != "off")
    });
    html! { <td data-testid={format!("hunk-{scope}{}-{hunk}", column.name)}>{ words }</td> }
}

fn find(column: &ColumnView, patch: Patch, hunk: u8) -> Option<&HunkView> {
    column.summary.hunks.iter().find(|view| view.patch == patch.slug() && view.index == hunk)
}

/// The form whose answers are counted: the one in force, else the one that is chosen for the last column, else the
/// first.
fn shown_form<'a>(view: &'a HunkView, chosen: &'a str) -> &'a str {
    let first = Form(0);
    match (view.active.as_str(), chosen) {
        ("off", "off") => view.would_change.get(usize::from(first.0)).map_or("", |change| &change.form),
        ("off", chosen) => chosen,
        (active, _) => active,
    }
}

fn changed(view: &HunkView, form: &str) -> u64 {
    view.would_change.iter().find(|change| change.form == form).map_or(0, |change| change.count)
}
