//! A field of the editor, made from a key of the scenario.

use scenario::keys::{Integer, Key, Kind};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

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

/// Properties of [`Field`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// What to show.
    pub(crate) view: FieldView,
    /// Called with name and text when somebody changes the value.
    pub(crate) onedit: Callback<(AttrValue, String)>,
    /// Called with the name when it is to be as in the preset.
    pub(crate) onreset: Callback<AttrValue>,
}

/// What the kernel chooses is called this in scenarios.
const AUTOMATIC: &str = "auto";

/// See the module.
#[component]
pub(crate) fn Field(props: &Props) -> Html {
    let view = &props.view;
    let id = format!("field-{}", view.name);
    let undo = view.preset_value.as_ref().map(|value| {
        let (onreset, name) = (props.onreset.clone(), view.name.clone());
        let onclick = Callback::from(move |_: MouseEvent| onreset.emit(name.clone()));
        html! {
            <button type="button" class="quiet undo-field" {onclick}
                aria-label={format!("{}: {}", view.label, text::changed_from(value))}>
                { text::changed_from(&shortened(value, &view.unit)) }
            </button>
        }
    });
    let is_wide = matches!(view.entry, Entry::Text | Entry::Choice(_));
    html! {
        <div class="field" data-testid={format!("field-{}", view.name)}>
            if view.entry != Entry::Flag {
                <div class="field-top">
                    <label for={id.clone()} class={classes!(undo.is_some().then_some("changed"))}>{ view.label.clone() }</label>
                    { for long_reading(view).map(|reading| html! { <span class="reading">{ reading }</span> }) }
                    { for undo.clone() }
                </div>
            }
            <div class={classes!("field-row", (is_wide || view.entry == Entry::Flag).then_some("wide"))}>
                { entry(props, &id) }
            </div>
            if view.entry == Entry::Flag {
                { for undo }
            }
            <div id={format!("{id}-help")}>
                { for view.problems.iter().map(|problem| html! { <p class="wrong" role="alert">{ problem.clone() }</p> }) }
                { for view.remarks.iter().map(|remark| html! { <p class="help">{ remark.clone() }</p> }) }
                <p class="help">{ view.help.clone() }</p>
            </div>
        </div>
    }
}

fn entry(props: &Props, id: &str) -> Html {
    match &props.view.entry {
        Entry::Number { usual, step, automatic } => number(props, id, *usual, *step, *automatic),
        Entry::Choice(choices) => choice(props, id, choices),
        Entry::Flag => flag(props, id),
        Entry::Text => text_box(props, id, false),
    }
}

fn edit(props: &Props) -> impl Fn(String) + 'static {
    let (onedit, name) = (props.onedit.clone(), props.view.name.clone());
    move |text| onedit.emit((name.clone(), text))
}

fn number(props: &Props, id: &str, usual: (u64, u64), step: u64, automatic: Option<u64>) -> Html {
    let view = &props.view;
    let is_automatic = automatic.is_some() && view.value == AUTOMATIC;
    let shown = if is_automatic { automatic } else { view.value.parse().ok() };
    let oninput = {
        let edit = edit(props);
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                edit(input.value());
            }
        })
    };
    html! {
        <>
            // The number beside it is the labelled control; the slider is a second way to it.
            <input type="range" min={usual.0.to_string()} max={usual.1.to_string()} step={step.to_string()}
                value={shown.unwrap_or(usual.0).to_string()} aria-label={view.label.clone()} disabled={is_automatic}
                aria-valuetext={shown.map(|number| reading(number, &view.unit))} {oninput} />
            { text_box(props, id, is_automatic) }
            if let Some(kernel_value) = automatic {
                { automatic_box(props, id, is_automatic, kernel_value) }
            }
        </>
    }
}

fn automatic_box(props: &Props, id: &str, is_automatic: bool, kernel_value: u64) -> Html {
    let edit = edit(props);
    let onchange = Callback::from(move |event: Event| {
        let is_checked = event.target_dyn_into::<HtmlInputElement>().is_some_and(|input| input.checked());
        edit(if is_checked { AUTOMATIC.to_owned() } else { kernel_value.to_string() });
    });
    let id = format!("{id}-auto");
    html! {
        <span class="check">
            <input type="checkbox" id={id.clone()} checked={is_automatic} {onchange} />
            <label for={id}>{ text::AUTOMATIC }</label>
        </span>
    }
}

fn text_box(props: &Props, id: &str, is_disabled: bool) -> Html {
    let view = &props.view;
    let is_number = matches!(view.entry, Entry::Number { .. });
    let oninput = {
        let edit = edit(props);
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                edit(input.value());
            }
        })
    };
    let unit = if is_number { view.unit.clone() } else { AttrValue::default() };
    html! {
        <span class={classes!("with-unit", (!unit.is_empty()).then_some("has-unit"))}>
            <input type="text" id={id.to_owned()} value={view.value.clone()} disabled={is_disabled}
                inputmode={if is_number { "numeric" } else { "text" }} autocomplete="off" spellcheck="false"
                aria-invalid={(!view.problems.is_empty()).then_some("true")} aria-describedby={format!("{id}-help")}
                {oninput} />
            if !unit.is_empty() {
                <span class="unit" aria-hidden="true">{ unit }</span>
            }
        </span>
    }
}

fn choice(props: &Props, id: &str, choices: &[(AttrValue, AttrValue, bool)]) -> Html {
    let view = &props.view;
    let onchange = {
        let edit = edit(props);
        Callback::from(move |event: Event| {
            if let Some(select) = event.target_dyn_into::<HtmlSelectElement>() {
                edit(select.value());
            }
        })
    };
    html! {
        <select id={id.to_owned()} {onchange} aria-describedby={format!("{id}-help")}>
            { for choices.iter().map(|(value, label, is_possible)| html! {
                <option value={value.clone()} selected={*value == view.value} disabled={!is_possible}>
                    { label.clone() }
                </option>
            }) }
        </select>
    }
}

fn flag(props: &Props, id: &str) -> Html {
    let view = &props.view;
    let edit = edit(props);
    let onchange = Callback::from(move |event: Event| {
        let is_checked = event.target_dyn_into::<HtmlInputElement>().is_some_and(|input| input.checked());
        edit(if is_checked { "on" } else { "off" }.to_owned());
    });
    html! {
        <span class="check">
            <input type="checkbox" id={id.to_owned()} checked={view.value == "on"} {onchange}
                aria-describedby={format!("{id}-help")} />
            <label for={id.to_owned()} class={classes!(view.preset_value.is_some().then_some("changed"))}>{ view.label.clone() }</label>
        </span>
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
