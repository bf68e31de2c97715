//! The editor, made from the table of keys: whatever a scenario can say has a field here without being named here.

use std::rc::Rc;

use kernel::Tunables;
use scenario::keys::{Choice, Group, KEYS, Key, Kind};
use scenario::{Preset, Purpose, Scenario};
use yew::prelude::*;

use super::columns::columns_group;
use super::frame::Panel;
use crate::controls::{Button, Entry, FieldView, Icon, field, select};
use crate::markup::{el, plain, said};
use crate::orders::{Order, Orders, act, chosen};
use crate::state::{Action, Faults, changes_in};
use crate::text;

/// What the editor is made from.
#[derive(Clone, PartialEq)]
pub(crate) struct EditorView {
    /// The scenario in force.
    pub(crate) scenario: Rc<Scenario>,
    /// What was typed but cannot be.
    pub(crate) faults: Rc<Faults>,
    /// Whether there is something to undo.
    pub(crate) can_undo: bool,
    /// Whether there is something to redo.
    pub(crate) can_redo: bool,
    /// Where orders go.
    pub(crate) orders: Orders,
}

/// Fields that have a place of their own elsewhere on the page.
const ELSEWHERE: [&str; 1] = ["seed"];

/// See the module.
pub(crate) fn editor_panel(view: &EditorView) -> Html {
    let state = if view.faults.is_empty() { "full" } else { "error" };
    let mut parts = vec![presets(view), tools(view)];
    if !view.faults.is_empty() {
        let attributes = [("class", "wrong"), ("role", "status"), ("data-testid", "faults")];
        parts.push(el("p", &attributes, vec![plain(&text::faults(view.faults.len()))]));
    }
    parts.push(columns_group(view));
    let groups = Group::ALL.into_iter().filter(|group| *group != Group::Patches);
    parts.extend(groups.map(|group| fields(view, group)));
    Panel { id: "editor", title: text::EDITOR, note: text::EDITOR_NOTE, state }.html(parts)
}

fn tools(view: &EditorView) -> Html {
    let tools = vec![
        Button::small(text::UNDO, "undo")
            .with_picture(Icon::Undo)
            .enabled(view.can_undo)
            .html(act(&view.orders, Action::Undo)),
        Button::small(text::REDO, "redo")
            .with_picture(Icon::Redo)
            .enabled(view.can_redo)
            .html(act(&view.orders, Action::Redo)),
        Button::small(text::RESET, "reset").html(act(&view.orders, Action::Reset)),
    ];
    el("div", &[("class", "editor-tools")], tools)
}

fn presets(view: &EditorView) -> Html {
    let offered = Preset::all().iter().filter(|preset| preset.purpose == Purpose::Page);
    let mut options: Vec<(&str, &str, bool)> =
        offered.map(|preset| (preset.name, preset.title, true)).collect();
    let current = view.scenario.preset.as_str();
    let preset = Preset::find(current);
    if !options.iter().any(|(name, ..)| *name == current) {
        options.insert(0, (current, preset.map_or(text::OWN_SCENARIO, |preset| preset.title), true));
    }
    let onchange = chosen(&view.orders, |name| Some(Order::Act(Action::StartFrom(Preset::find(&name)?))));
    let label = el("label", &[("for", "preset")], vec![plain(text::START_FROM)]);
    let summary = preset.map_or("", |preset| preset.summary);
    let parts = vec![
        el("div", &[("class", "field-top")], vec![label]),
        select(("preset", "preset"), current, &options, onchange),
        el("p", &[("class", "help"), ("id", "preset-help")], vec![plain(summary)]),
    ];
    el("div", &[("class", "field preset-field")], parts)
}

fn fields(view: &EditorView, group: Group) -> Html {
    let scenario = &view.scenario;
    let mut changed = vec![plain(group.title())];
    let changes = changes_in(scenario, group);
    if 0 < changes {
        changed.push(said("span", "count", &text::changes(changes)));
    }
    let keys = KEYS
        .iter()
        .filter(|key| key.group == group && key.applies(scenario) && !ELSEWHERE.contains(&key.name.as_str()));
    let has_fault = KEYS.iter().any(|key| key.group == group && view.faults.get(&key.name).is_some());
    let fields = keys.map(|key| field(&field_view(view, key), &view.orders)).collect();
    let parts = vec![el("summary", &[], changed), el("div", &[("class", "fields")], fields)];
    let is_open = if group == Group::Workload || has_fault { "open" } else { "" };
    let testid = format!("group-{}", group.title());
    el("details", &[("class", "group"), ("open", is_open), ("data-testid", &testid)], parts)
}

fn field_view(view: &EditorView, key: &'static Key) -> FieldView {
    let scenario = &view.scenario;
    let fault = view.faults.get(&key.name);
    let value = key.get(scenario).unwrap_or_default();
    let preset_value = key.default_value(scenario).filter(|preset| *preset != value);
    FieldView {
        name: key.name.clone().into(),
        label: key.label.into(),
        help: key.help.into(),
        unit: key.unit.into(),
        entry: entry(scenario, key),
        value: fault.map_or(value.clone(), |fault| fault.text.clone()).into(),
        preset_value: preset_value.map(AttrValue::from),
        problems: fault.map_or_else(Vec::new, |fault| {
            let told = |problem: &scenario::Problem| text::problem(&problem.expected, &problem.remedy).into();
            fault.problems.iter().map(told).collect()
        }),
        remarks: remarks(scenario, key, &value),
    }
}

/// How a key is entered in a scenario.
pub(super) fn entry(scenario: &Scenario, key: &Key) -> Entry {
    let unavailable = |value: &str| match &key.kind {
        Kind::Choice(choices) => choices
            .iter()
            .find(|choice| choice.value == value)
            .is_some_and(|choice| key.unavailable(scenario, choice).is_some()),
        _ => false,
    };
    Entry::of(key, unavailable, automatic(scenario, &key.name))
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
