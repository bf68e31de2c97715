//! A field of the editor, made from a key of the scenario.

use scenario::keys::{Integer, Key, Kind};
use yew::prelude::*;

use crate::markup::{el, plain, said};
use crate::orders::{Orders, act, chosen, edit, ticked, typed};
use crate::state::Action;
use crate::{format, text};

/// What a field shows. Made from key and scenario, so that the field is a pure function of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldView {
    /// The name of the key.
    pub(crate) name: AttrValue,
    /// What it is.
    pub(crate) label: AttrValue,
    /// What it does.
    pub(crate) help: AttrValue,
    /// The unit of its numbers.
    pub(crate) unit: AttrValue,
    /// How it is entered.
    pub(crate) entry: Entry,
    /// The value, or what was typed where that cannot be.
    pub(crate) value: AttrValue,
    /// What the preset says, where that is something else.
    pub(crate) preset_value: Option<AttrValue>,
    /// What is wrong with the value.
    pub(crate) problems: Vec<AttrValue>,
    /// What else is to be known: columns that differ in it, choices that cannot be taken.
    pub(crate) remarks: Vec<AttrValue>,
}

/// How a value is entered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    /// A number, with a slider over the usual part of its range.
    Number {
        /// The ends of the slider.
        usual: (u64, u64),
        /// Its step.
        step: u64,
        /// What the kernel sets, where it may.
        automatic: Option<u64>,
    },
    /// One of several words: value, label, and whether it can be taken.
    Choice(Vec<(AttrValue, AttrValue, bool)>),
    /// On or off.
    Flag,
    /// Text.
    Text,
}

impl Entry {
    /// How values of a key are entered. `automatic` is what the kernel sets for the machine.
    pub(crate) fn of(key: &Key, unavailable: impl Fn(&str) -> bool, automatic: Option<u64>) -> Entry {
        match &key.kind {
            Kind::Integer(Integer { usual, step, automatic: may_be_automatic, .. }) => Entry::Number {
                usual: *usual,
                step: *step,
                automatic: may_be_automatic.then(|| automatic.unwrap_or(usual.1)),
            },
            Kind::Choice(choices) => Entry::Choice(
                choices
                    .iter()
                    .map(|choice| (choice.value.into(), choice.label.into(), !unavailable(choice.value)))
                    .collect(),
            ),
            Kind::Flag => Entry::Flag,
            Kind::List(_) | Kind::Text { .. } => Entry::Text,
        }
    }
}

/// What the kernel chooses is called this in scenarios.
const AUTOMATIC: &str = "auto";

/// Draws a field.
pub(crate) fn field(view: &FieldView, orders: &Orders) -> Html {
    let id = format!("field-{}", view.name);
    let is_flag = view.entry == Entry::Flag;
    let is_wide = is_flag || matches!(view.entry, Entry::Text | Entry::Choice(_));
    let entry = match &view.entry {
        Entry::Number { usual, step, automatic } => number(view, orders, &id, (*usual, *step, *automatic)),
        Entry::Choice(choices) => choice(view, orders, &id, choices),
        Entry::Flag => flag(view, orders, &id),
        Entry::Text => text_box(view, orders, &id, false),
    };
    let mut parts = Vec::new();
    let undo = view.preset_value.as_ref().map(|value| undo(view, orders, value));
    if is_flag {
        parts.extend([el("div", &[("class", "field-row wide")], vec![entry])].into_iter().chain(undo));
    } else {
        let mut top = vec![label(view, &id)];
        top.extend(long_reading(view).map(|reading| said("span", "reading", &reading)));
        top.extend(undo);
        parts.push(el("div", &[("class", "field-top")], top));
        parts.push(el(
            "div",
            &[("class", if is_wide { "field-row wide" } else { "field-row" })],
            vec![entry],
        ));
    }
    parts.push(notes(view, &id));
    el("div", &[("class", "field"), ("data-testid", &id)], parts)
}

fn label(view: &FieldView, id: &str) -> Html {
    let class = if view.preset_value.is_some() { "changed" } else { "" };
    el("label", &[("for", id), ("class", class)], vec![plain(&view.label)])
}

/// What is wrong, what else is to be known, and what the field is for.
fn notes(view: &FieldView, id: &str) -> Html {
    let wrong = view.problems.iter().map(|problem| wrong(problem));
    let remarks = view
        .remarks
        .iter()
        .chain([&view.help])
        .filter(|remark| !remark.is_empty())
        .map(|remark| said("p", "help", remark));
    el("div", &[("id", &format!("{id}-help"))], wrong.chain(remarks).collect())
}

/// What is wrong with a value.
pub(crate) fn wrong(problem: &str) -> Html {
    el("p", &[("class", "wrong"), ("role", "alert")], vec![plain(problem)])
}

fn undo(view: &FieldView, orders: &Orders, value: &str) -> Html {
    let words = text::changed_from(&shortened(value, &view.unit));
    let onclick = act(orders, Action::ResetField(view.name.to_string()));
    html! {
        <button type="button" class="quiet undo-field" {onclick} aria-label={format!("{}: {words}", view.label)}>
            { words.clone() }
        </button>
    }
}

fn number(
    view: &FieldView,
    orders: &Orders,
    id: &str,
    (usual, step, automatic): ((u64, u64), u64, Option<u64>),
) -> Html {
    let is_automatic = automatic.is_some() && view.value == AUTOMATIC;
    let shown = if is_automatic { automatic } else { view.value.parse().ok() };
    html! {
        <>
            // The number beside it is the labelled control; the slider is a second way to it.
            <input type="range" min={usual.0.to_string()} max={usual.1.to_string()} step={step.to_string()}
                value={shown.unwrap_or(usual.0).to_string()} aria-label={view.label.clone()} disabled={is_automatic}
                aria-valuetext={shown.map(|number| reading(number, &view.unit))} oninput={typed(orders, &view.name)} />
            { text_box(view, orders, id, is_automatic) }
            if let Some(kernel_value) = automatic {
                { automatic_box(view, orders, id, kernel_value) }
            }
        </>
    }
}

fn automatic_box(view: &FieldView, orders: &Orders, id: &str, kernel_value: u64) -> Html {
    let onchange = ticked(orders, &view.name, AUTOMATIC.to_owned(), kernel_value.to_string());
    tick_box(&format!("{id}-auto"), view.value == AUTOMATIC, onchange, said("span", "", text::AUTOMATIC))
}

fn flag(view: &FieldView, orders: &Orders, id: &str) -> Html {
    let onchange = ticked(orders, &view.name, "on".to_owned(), "off".to_owned());
    let class = if view.preset_value.is_some() { "changed" } else { "" };
    tick_box(id, view.value == "on", onchange, said("span", class, &view.label))
}

fn tick_box(id: &str, checked: bool, onchange: Callback<Event>, words: Html) -> Html {
    html! {
        <label class="check"><input type="checkbox" id={id.to_owned()} {checked} {onchange} />{ words }</label>
    }
}

fn text_box(view: &FieldView, orders: &Orders, id: &str, is_disabled: bool) -> Html {
    let is_number = matches!(view.entry, Entry::Number { .. });
    let unit = if is_number { view.unit.clone() } else { AttrValue::default() };
    html! {
        <span class={if unit.is_empty() { "with-unit" } else { "with-unit has-unit" }}>
            <input type="text" id={id.to_owned()} value={view.value.clone()} disabled={is_disabled}
                inputmode={if is_number { "numeric" } else { "text" }} autocomplete="off" spellcheck="false"
                aria-invalid={(!view.problems.is_empty()).then_some("true")} aria-describedby={format!("{id}-help")}
                oninput={typed(orders, &view.name)} />
            if !unit.is_empty() {
                <span class="unit" aria-hidden="true">{ unit }</span>
            }
        </span>
    }
}

fn choice(view: &FieldView, orders: &Orders, id: &str, choices: &[(AttrValue, AttrValue, bool)]) -> Html {
    let name = view.name.clone();
    let onchange = chosen(orders, move |value| Some(edit(&name, value)));
    let options = choices
        .iter()
        .map(|(value, label, is_possible)| (&**value, &**label, *is_possible))
        .collect::<Vec<(&str, &str, bool)>>();
    select((id, ""), &view.value, &options, onchange)
}

/// A list to choose from: value, words, and whether it can be chosen.
pub(crate) fn select(
    (id, testid): (&str, &str),
    value: &str,
    options: &[(&str, &str, bool)],
    onchange: Callback<Event>,
) -> Html {
    let option = |(other, words, is_possible): &(&str, &str, bool)| {
        html! {
            <option value={(*other).to_owned()} selected={*other == value} disabled={!is_possible}>{ *words }</option>
        }
    };
    html! {
        <select id={id.to_owned()} data-testid={testid.to_owned()} aria-describedby={format!("{id}-help")} {onchange}>
            { for options.iter().map(option) }
        </select>
    }
}

/// A number as people read it: long ones of time in the bigger unit.
pub(crate) fn reading(number: u64, unit: &str) -> String {
    match unit {
        "ns" => format::nanos(number as f64).text(),
        "µs" => format::micros(number as f64).text(),
        "" => format::count(number),
        unit => format!("{} {unit}", format::count(number)),
    }
}

/// The reading of a number that is hard to read as it is entered.
fn long_reading(view: &FieldView) -> Option<String> {
    let Entry::Number { automatic, .. } = &view.entry else { return None };
    let number = if view.value == AUTOMATIC { (*automatic)? } else { view.value.parse().ok()? };
    let is_time = view.unit == "ns" || view.unit == "µs";
    (is_time && 1000 <= number).then(|| reading(number, &view.unit))
}

fn shortened(value: &str, unit: &str) -> String {
    match value.parse::<u64>() {
        Ok(number) if unit == "ns" || unit == "µs" => reading(number, unit),
        _ if 24 < value.chars().count() => format!("{}…", value.chars().take(22).collect::<String>()),
        _ => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_are_read_in_bigger_units() {
        let plain = |number, unit| reading(number, unit).replace(format::THIN, " ");
        assert_eq!(plain(24_000_000, "ns"), "24 ms");
        assert_eq!(plain(1_000_000, "µs"), "1 s");
        assert_eq!(plain(8, "threads"), "8 threads");
    }

    #[test]
    fn long_texts_are_shortened() {
        assert_eq!(shortened("1x0", ""), "1x0");
        assert!(shortened(&"1,".repeat(40), "").chars().count() < 25);
    }
}
