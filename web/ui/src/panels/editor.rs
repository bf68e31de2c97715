//! The editor, made from the table of keys: whatever a scenario can say has a field here without being named here.

use std::collections::BTreeMap;
use std::rc::Rc;

use kernel::Tunables;
use scenario::keys::{Choice, Group, KEYS, Key, Kind};
use scenario::{Preset, Purpose, Scenario};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::Panel;
use crate::controls::{Entry, Field, FieldView, Icon, icon};
use crate::state::{Fault, changes_in};
use crate::text;

/// Properties of [`EditorPanel`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The scenario in force.
    pub(crate) scenario: Rc<Scenario>,
    /// What was typed but cannot be.
    pub(crate) faults: Rc<BTreeMap<String, Fault>>,
    /// Whether there is something to undo.
    pub(crate) can_undo: bool,
    /// Whether there is something to redo.
    pub(crate) can_redo: bool,
    /// Called with name and value of a field that changes.
    pub(crate) onedit: Callback<(AttrValue, String)>,
    /// Called with the name of a field that is to be as in the preset.
    pub(crate) onresetfield: Callback<AttrValue>,
    /// One step back.
    pub(crate) onundo: Callback<MouseEvent>,
    /// One step forth.
    pub(crate) onredo: Callback<MouseEvent>,
    /// All as in the preset.
    pub(crate) onreset: Callback<MouseEvent>,
    /// Another preset.
    pub(crate) onpreset: Callback<&'static Preset>,
}

/// Fields that have a place of their own elsewhere on the page.
const ELSEWHERE: [&str; 1] = ["seed"];

/// See the module.
#[component]
pub(crate) fn EditorPanel(props: &Props) -> Html {
    let state = if props.faults.is_empty() { "full" } else { "error" };
    let groups = Group::ALL.into_iter().filter(|group| *group != Group::Patches);
    html! {
        <Panel id="editor" title={text::EDITOR} note={text::EDITOR_NOTE} {state}>
            { presets(props) }
            <div class="editor-tools">
                <button type="button" class="small" onclick={props.onundo.clone()} disabled={!props.can_undo}
                    data-testid="undo">{ icon(Icon::Undo) }{ text::UNDO }</button>
                <button type="button" class="small" onclick={props.onredo.clone()} disabled={!props.can_redo}
                    data-testid="redo">{ icon(Icon::Redo) }{ text::REDO }</button>
                <button type="button" class="small" onclick={props.onreset.clone()} title={text::RESET_HELP}
                    data-testid="reset">{ text::RESET }</button>
            </div>
            if !props.faults.is_empty() {
                <p class="wrong" role="status" data-testid="faults">{ text::faults(props.faults.len()) }</p>
            }
            { for groups.map(|group| fields(props, group)) }
        </Panel>
    }
}

fn presets(props: &Props) -> Html {
    let offered = || Preset::all().iter().filter(|preset| preset.purpose == Purpose::Page);
    let onchange = {
        let onpreset = props.onpreset.clone();
        Callback::from(move |event: Event| {
            let select = event.target_dyn_into::<HtmlSelectElement>();
            if let Some(preset) = select.and_then(|select| Preset::find(&select.value())) {
                onpreset.emit(preset);
            }
        })
    };
    let current = &props.scenario.preset;
    let is_offered = offered().any(|preset| preset.name == *current);
    let summary = Preset::find(current).map(|preset| preset.summary);
    html! {
        <div class="field preset-field">
            <div class="field-top"><label for="preset">{ text::START_FROM }</label></div>
            <select id="preset" data-testid="preset" {onchange}>
                if !is_offered {
                    <option selected=true value="">{ Preset::find(current).map_or(text::OWN_SCENARIO, |preset| preset.title) }</option>
                }
                { for offered().map(|preset| html! {
                    <option value={preset.name} selected={preset.name == current}>{ preset.title }</option>
                }) }
            </select>
            { for summary.map(|summary| html! { <p class="help">{ summary }</p> }) }
        </div>
    }
}

fn fields(props: &Props, group: Group) -> Html {
    let keys = KEYS.iter().filter(|key| {
        key.group == group && key.applies(&props.scenario) && !ELSEWHERE.contains(&key.name.as_str())
    });
    let changes = changes_in(&props.scenario, group);
    let faults = KEYS.iter().filter(|key| key.group == group && props.faults.contains_key(&key.name)).count();
    html! {
        <details class="group" open={group == Group::Workload || 0 < faults} data-testid={format!("group-{}", group.title())}>
            <summary>
                { group.title() }
                if 0 < changes { <span class="count">{ text::changes(changes) }</span> }
            </summary>
            <div class="fields">
                { for keys.map(|key| html! {
                    <Field key={key.name.clone()} view={view(props, key)} onedit={props.onedit.clone()}
                        onreset={props.onresetfield.clone()} />
                }) }
            </div>
        </details>
    }
}

fn view(props: &Props, key: &'static Key) -> FieldView {
    let scenario = &props.scenario;
    let fault = props.faults.get(&key.name);
    let value = key.get(scenario).unwrap_or_default();
    let preset_value = key.default_value(scenario).filter(|preset| *preset != value);
    let unavailable = |value: &str| match &key.kind {
        Kind::Choice(choices) => choices
            .iter()
            .find(|choice| choice.value == value)
            .is_some_and(|choice| key.unavailable(scenario, choice).is_some()),
        _ => false,
    };
    FieldView {
        name: key.name.clone().into(),
        label: key.label.into(),
        help: key.help.into(),
        unit: key.unit.into(),
        entry: Entry::of(key, unavailable, automatic(scenario, &key.name)),
        value: fault.map_or(value.clone(), |fault| fault.text.clone()).into(),
        preset_value: preset_value.map(AttrValue::from),
        problems: fault.map_or_else(Vec::new, |fault| {
            let told = |problem: &scenario::Problem| text::problem(&problem.expected, &problem.remedy).into();
            fault.problems.iter().map(told).collect()
        }),
        remarks: remarks(scenario, key, &value),
    }
}

/// What a choice means, why others cannot be taken, and which columns have their own value.
fn remarks(scenario: &Scenario, key: &Key, value: &str) -> Vec<AttrValue> {
    let mut remarks: Vec<AttrValue> = Vec::new();
    if let Kind::Choice(choices) = &key.kind {
        remarks
            .extend(choices.iter().filter(|choice| choice.value == value).map(|choice| choice.help.into()));
        let impossible: Vec<(&Choice, String)> =
            choices.iter().filter_map(|choice| Some((choice, key.unavailable(scenario, choice)?))).collect();
        if let Some((_, reason)) = impossible.first() {
            let labels: Vec<&str> = impossible.iter().map(|(choice, _)| choice.label).collect();
            remarks.push(text::unavailable(&labels, reason).into());
        }
    }
    for column in &scenario.columns {
        if let Some(own) = column.get(&key.name) {
            remarks.push(text::own_value(&column.name, own).into());
        }
    }
    remarks
}

/// What the kernel sets a number to on the scenario's machine.
fn automatic(scenario: &Scenario, key: &str) -> Option<u64> {
    let cpus = scenario.machine.topology().len() as u32;
    let tunables = Tunables::for_era(scenario.kernel.era, cpus, scenario.kernel.hz);
    match key {
        "kernel.latency_ns" => Some(tunables.latency_ns),
        "kernel.min_granularity_ns" => Some(tunables.min_granularity_ns),
        "kernel.wakeup_granularity_ns" => Some(tunables.wakeup_granularity_ns),
        _ => None,
    }
}
