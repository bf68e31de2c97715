//! The switch of each patch: its forms, what they do, and what they decided.

use std::rc::Rc;

use kernel::{Availability, Patch};
use protocol::HunkView;
use scenario::Scenario;
use yew::prelude::*;

use super::PanelState;
use super::frame::Panel;
use super::race::race_table;
use crate::columns::{ColumnView, Results, Scope, is_subject};
use crate::controls::Segments;
use crate::markup::{Cell, Table, el, plain, said};
use crate::orders::{Orders, edit};
use crate::text;

/// What the switches are made from.
#[derive(Clone, PartialEq)]
pub(crate) struct SwitchView {
    /// The scenario in force.
    pub(crate) scenario: Rc<Scenario>,
    /// The runs, for what was counted.
    pub(crate) results: PanelState<Results>,
    /// Where orders go.
    pub(crate) orders: Orders,
}

/// See the module.
pub(crate) fn switch_panel(view: &SwitchView) -> Html {
    let (subjects, others): (Vec<Patch>, Vec<Patch>) =
        Patch::ALL.into_iter().partition(|patch| is_subject(&view.scenario, *patch));
    let mut parts: Vec<Html> = subjects.iter().map(|patch| one(view, *patch, true)).collect();
    if !others.is_empty() {
        let mut folded = vec![said("summary", "", text::OTHER_PATCHES)];
        folded.extend(others.iter().map(|patch| one(view, *patch, false)));
        parts.push(el("details", &[("class", "others")], folded));
    }
    if view.results.content().is_some_and(|results| results.scope != Scope::Whole) {
        parts.push(said("p", "help", text::UNRESTRICTED));
    }
    let note = subjects.first().map_or("", |patch| patch.info().title);
    Panel { id: "patch", title: text::SWITCH, note, state: view.results.name() }.html(parts)
}

/// The key by which the last column's form of a patch is set.
pub(super) fn switch_key(scenario: &Scenario, patch: Patch) -> String {
    match scenario.columns.last().filter(|_| 1 < scenario.columns.len()) {
        Some(column) => format!("columns.{}.patches.{}", column.name, patch.slug()),
        None => format!("patches.{}", patch.slug()),
    }
}

fn one(view: &SwitchView, patch: Patch, is_subject: bool) -> Html {
    let info = patch.info();
    let last = view.scenario.resolved(view.scenario.columns.len() - 1);
    let chosen = last.patch_value(patch);
    let era = last.kernel.era;
    let availability = patch.availability(era);
    let is_possible = !matches!(availability, Availability::Impossible(_));
    let mut choices = vec![("off", text::OFF, true)];
    choices.extend(info.forms.iter().map(|form| (form.name, form.name, is_possible)));
    let help = match (availability, info.forms.iter().find(|form| form.name == chosen)) {
        (Availability::Impossible(reason), _) => text::impossible(era.name(), reason),
        (_, Some(form)) => form.summary.to_owned(),
        (_, None) => off_help(&view.scenario, patch),
    };
    let key = switch_key(&view.scenario, patch);
    let segments = Segments { name: info.slug, label: info.title, class: "segments", chosen }.html(
        &choices,
        &view.orders,
        &|value| edit(&key, value.to_owned()),
    );
    let origin = format!("{} {} ", info.summary, text::patch_origin(info.author, info.date, info.status));
    let address = format!("https://lore.kernel.org/r/{}", info.message_id);
    let mail = el("a", &[("href", &*address), ("rel", "noreferrer")], vec![plain(text::MAIL)]);
    let mut parts = Vec::new();
    if !is_subject {
        parts.push(said("h3", "", info.title));
    }
    let help = el("p", &[("aria-live", "polite")], vec![plain(&help)]);
    parts.push(el("div", &[("class", "switch-row")], vec![segments, help]));
    parts.push(el("p", &[("class", "panel-note")], vec![plain(&origin), mail]));
    parts.extend(view.results.content().and_then(|results| match patch {
        Patch::LlcSpread | Patch::RtIdleFirst => Some(counters(results, patch, chosen, is_subject)),
        // What this patch moves is a statement that decides nothing itself; what comes of it is counted instead.
        Patch::TtwuPending => is_subject.then(|| race_table(results)).flatten(),
    }));
    el("div", &[("class", "switch-panel")], parts)
}

/// Which columns run without a patch that the last one does not have.
fn off_help(scenario: &Scenario, patch: Patch) -> String {
    let is_off = |column| scenario.resolved(column).patch_value(patch) == "off";
    match &scenario.columns[..] {
        [_, _] if is_off(0) => text::OFF_HELP.to_owned(),
        [.., last] => text::off_help(&last.name),
        [] => text::OFF_HELP.to_owned(),
    }
}

fn counters(results: &Results, patch: Patch, chosen: &str, is_subject: bool) -> Html {
    let columns = &results.columns;
    let mut table = Table { class: "fades wraps", caption: text::HUNKS.to_owned(), ..Table::default() };
    table.head.push(text::HUNK_PLACE.into());
    table.head.extend(columns.iter().map(|column| Cell::toned(&column.name, column.tone)));
    for hunk in patch.info().hunks {
        // A place that only a rival form edits would be a row of noughts for all others.
        let is_told = |view: &HunkView| hunk.index == 0 || 0 < changed(view, shown_form(view, chosen));
        if columns.iter().any(|column| find(column, patch, hunk.index).is_some_and(is_told)) {
            let place = Cell { words: format!("{}()", hunk.function), class: "mono", ..Cell::default() };
            let cells = columns.iter().map(|column| cell(column, patch, hunk.index, chosen, is_subject));
            table.rows.push(std::iter::once(place).chain(cells).collect());
        }
    }
    table.scrolling()
}

fn cell(column: &ColumnView, patch: Patch, hunk: u8, chosen: &str, is_subject: bool) -> Cell {
    let scope = if is_subject { String::new() } else { format!("{}-", patch.slug()) };
    // A kernel that cannot have the patch has no such place.
    let words = find(column, patch, hunk).map_or(text::NOT_REACHED.to_owned(), |view| {
        text::hunk_count(view.asked, changed(view, shown_form(view, chosen)), view.active != "off")
    });
    Cell { words, testid: format!("hunk-{scope}{}-{hunk}", column.name), ..Cell::default() }
}

fn find(column: &ColumnView, patch: Patch, hunk: u8) -> Option<&HunkView> {
    column.summary.hunks.iter().find(|view| view.patch == patch.slug() && view.index == hunk)
}

/// The form whose answers are counted: the one in force, else the one that is chosen for the last column, else the
/// first.
fn shown_form<'a>(view: &'a HunkView, chosen: &'a str) -> &'a str {
    match (view.active.as_str(), chosen) {
        ("off", "off") => view.would_change.first().map_or("", |change| &change.form),
        ("off", chosen) => chosen,
        (active, _) => active,
    }
}

fn changed(view: &HunkView, form: &str) -> u64 {
    view.would_change.iter().find(|change| change.form == form).map_or(0, |change| change.count)
}
