//! The columns of the editor: their names, the values that set them apart, and one more or one fewer.

use scenario::keys::{KEYS, Key};
use scenario::{Column, MAX_COLUMNS};
use yew::prelude::*;

use super::editor::{EditorView, entry};
use crate::charts::{Tone, marker, sign};
use crate::compare::RENAME;
use crate::controls::{Button, FieldView, Icon, field, select, wrong};
use crate::markup::{el, plain, said};
use crate::orders::{Order, act, click, committed};
use crate::state::{Action, Fault};
use crate::text;

/// The list of columns that can be copied.
pub(crate) const FROM: &str = "column-from";
/// The list of keys that the copy can differ in.
pub(crate) const DIFFERENCE: &str = "column-difference";

/// The group of the editor.
pub(super) fn columns_group(view: &EditorView) -> Html {
    let columns = &view.scenario.columns;
    let count = said("span", "count", &text::columns(columns.len()));
    let mut fields: Vec<Html> =
        columns.iter().enumerate().map(|(index, column)| one(view, index, column)).collect();
    fields.push(another(view));
    let parts = vec![
        el("summary", &[], vec![plain(text::COLUMNS), count]),
        el("div", &[("class", "fields")], fields),
    ];
    let is_open = if (0..columns.len()).any(|index| fault(view, index).is_some()) { "open" } else { "" };
    el("details", &[("class", "group"), ("open", is_open), ("data-testid", "group-Columns")], parts)
}

fn fault(view: &EditorView, index: usize) -> Option<&Fault> {
    view.faults.get(&format!("{RENAME}{index}"))
}

fn told(fault: &Fault) -> impl Iterator<Item = String> + '_ {
    fault.problems.iter().map(|problem| text::problem(&problem.expected, &problem.remedy))
}

fn one(view: &EditorView, index: usize, column: &Column) -> Html {
    let count = view.scenario.columns.len();
    let id = format!("column-{index}");
    let swatch = sign(14.0, 14.0, vec![marker(Tone::of(index, count), (7.0, 7.0), 5.5, false)]);
    let label = el(
        "label",
        &[("for", &id), ("class", "column-label")],
        vec![swatch, plain(&text::column_number(index + 1))],
    );
    let remove = text::remove_column(&column.name);
    let remove = Button::picture(Icon::Close, &remove, "column-remove")
        .enabled(1 < count)
        .html(act(&view.orders, Action::RemoveColumn(index)));
    let fault = fault(view, index);
    let value = fault.map_or(column.name.clone(), |fault| fault.text.clone());
    let onchange = committed(&view.orders, format!("{RENAME}{index}"));
    let name = html! {
        <input type="text" id={id.clone()} data-testid={id.clone()} value={value} autocomplete="off" spellcheck="false"
            aria-invalid={fault.is_some().then_some("true")} aria-describedby={format!("{id}-help")} {onchange} />
    };
    let wrongs = fault.into_iter().flat_map(told).map(|problem| wrong(&problem)).collect();
    let mut parts = vec![
        el("div", &[("class", "field-top")], vec![label]),
        el("div", &[("class", "column-row")], vec![name, remove]),
        el("div", &[("id", &format!("{id}-help"))], wrongs),
    ];
    parts.extend(column.settings().filter_map(|(key, value)| own(view, (index, column), key, value)));
    let class = format!("field column-field {}", Tone::of(index, count).class());
    el("div", &[("class", &class)], parts)
}

/// A value that a column has for itself.
fn own(view: &EditorView, (index, column): (usize, &Column), key: &str, value: &str) -> Option<Html> {
    let key = Key::find(key).ok()?;
    let name = format!("columns.{}.{}", column.name, key.name);
    let fault = view.faults.get(&name);
    let shown = FieldView {
        name: name.into(),
        label: key.label.into(),
        help: AttrValue::default(),
        unit: key.unit.into(),
        entry: entry(&view.scenario.resolved(index), key),
        value: fault.map_or(value.to_owned(), |fault| fault.text.clone()).into(),
        preset_value: None,
        problems: fault.into_iter().flat_map(told).map(AttrValue::from).collect(),
        remarks: Vec::new(),
    };
    let unset = Button::small(text::AS_ALL_COLUMNS, "column-unset")
        .class("quiet small")
        .html(act(&view.orders, Action::UnsetColumn(index, key.name.clone())));
    Some(el("div", &[("class", "own-value")], vec![field(&shown, &view.orders), unset]))
}

/// Where one more column is made.
fn another(view: &EditorView) -> Html {
    let scenario = &view.scenario;
    let names: Vec<(&str, &str, bool)> =
        scenario.columns.iter().map(|column| (column.name.as_str(), column.name.as_str(), true)).collect();
    let last = names.last().map_or("", |(name, ..)| name);
    let keys: Vec<(&Key, String)> = KEYS
        .iter()
        .filter(|key| key.per_column && key.applies(scenario))
        .map(|key| (key, text::joined(key.group.title(), key.label)))
        .collect();
    let options: Vec<(&str, &str, bool)> =
        keys.iter().map(|(key, label)| (key.name.as_str(), label.as_str(), true)).collect();
    let list = |id, words, value: &str, options: &[(&str, &str, bool)]| {
        let label = el("label", &[("for", id)], vec![plain(words)]);
        let list = select((id, id), value, options, Callback::noop());
        el("div", &[("class", "field")], vec![el("div", &[("class", "field-top")], vec![label]), list])
    };
    let has_room = scenario.columns.len() < MAX_COLUMNS;
    let button = Button::small(text::ADD_COLUMN, "column-add")
        .with_picture(Icon::Plus)
        .enabled(has_room)
        .html(click(&view.orders, Order::AddColumn));
    let help = if has_room { text::ADD_COLUMN_HELP } else { text::NO_MORE_COLUMNS };
    let first = options.iter().find(|(name, ..)| name.starts_with("patches.")).map_or("", |(name, ..)| name);
    let parts = vec![
        said("h3", "", text::ANOTHER_COLUMN),
        list(FROM, text::COPY_OF, last, &names),
        list(DIFFERENCE, text::DIFFERING_IN, first, &options),
        el("p", &[], vec![button]),
        el("p", &[("class", "help"), ("id", &format!("{DIFFERENCE}-help"))], vec![plain(help)]),
    ];
    el("div", &[("class", "fields column-another")], parts)
}
