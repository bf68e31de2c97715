//! Files for other tools, for papers and for mails: what the dialog for them offers, and how it is made.

mod picture;
mod writing;

use std::cell::RefCell;
use std::rc::Rc;

use protocol::{ExportFormat, ExportOrder};
use scenario::Scenario;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use self::picture::Picture;
use self::writing::{Told, Writing};
use crate::controls::{Button, select};
use crate::markup::{el, plain, said};
use crate::part::use_change;
use crate::text::export as text;
use crate::{browser, format};

/// What is being made, or was.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Progress {
    /// Nothing was asked for.
    #[default]
    Idle,
    /// So many bytes are written.
    UnderWay(u64),
    /// A file was handed to the browser: its name, its bytes, and the columns of which it tells only a part.
    Saved(String, u64, Vec<String>),
    /// There is no file, and why.
    Failed(String),
}

/// What the dialog shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    /// The format.
    pub(crate) format: ExportFormat,
    /// The column of a trace, by its position.
    pub(crate) column: usize,
    /// What became of the last order.
    pub(crate) progress: Progress,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice { format: ExportFormat::Perfetto, column: 0, progress: Progress::Idle }
    }
}

/// What somebody does in the dialog.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Deed {
    Save,
    Stop,
    /// A picture by its position, as PNG or as SVG.
    Picture(usize, bool),
}

/// Where deeds are done. Answers come later than the drawing that asked for them.
#[derive(Clone)]
struct Desk {
    latest: Rc<RefCell<Choice>>,
    shown: UseStateSetter<Choice>,
    writing: Rc<RefCell<Option<Writing>>>,
}

impl Desk {
    fn change(&self, change: impl FnOnce(&mut Choice)) {
        change(&mut self.latest.borrow_mut());
        self.shown.set(self.latest.borrow().clone());
    }

    fn progress(&self, progress: Progress) {
        self.change(|choice| choice.progress = progress);
    }

    /// Orders the chosen file.
    fn save(&self, scenario: &Scenario) {
        let choice = self.latest.borrow().clone();
        self.progress(Progress::UnderWay(0));
        let (desk, name) = (self.clone(), file_name(scenario, &choice));
        let told = Callback::from(move |told| match told {
            Told::Written(bytes) => desk.progress(Progress::UnderWay(bytes)),
            Told::Done(file, cut) => {
                browser::save(&file, &name);
                desk.progress(Progress::Saved(name.clone(), file.size() as u64, cut));
                desk.stop();
            }
            Told::Failed(message) => {
                desk.progress(Progress::Failed(message));
                desk.stop();
            }
        });
        match Writing::begin(order(scenario, &choice), told) {
            Ok(begun) => *self.writing.borrow_mut() = Some(begun),
            Err(message) => self.progress(Progress::Failed(message)),
        }
    }

    /// Ends the worker. This may be called by one of its own handlers, which must outlive the call.
    fn stop(&self) {
        let writing = self.writing.take();
        browser::after(0, move || drop(writing));
    }

    fn save_picture(&self, picture: Option<&Picture>, is_png: bool) {
        let Some(picture) = picture else { return };
        let desk = self.clone();
        let name = format!("runqueue-{}.{}", picture.slug(), if is_png { "png" } else { "svg" });
        picture.make(is_png, move |file| {
            let Some(file) = file else {
                return desk.progress(Progress::Failed(text::NO_PICTURE.to_owned()));
            };
            browser::save(&file, &name);
            desk.progress(Progress::Saved(name, file.size() as u64, Vec::new()));
        });
    }
}

#[derive(Properties, PartialEq)]
struct Props {
    scenario: Rc<Scenario>,
    is_open: bool,
}

/// The content of the dialog. Whenever it opens it looks which pictures the page shows.
pub(crate) fn export_body(scenario: &Rc<Scenario>, is_open: bool) -> Html {
    html! { <Files scenario={Rc::clone(scenario)} {is_open} /> }
}

#[component]
fn Files(props: &Props) -> Html {
    let choice = use_state_eq(Choice::default);
    let pictures = use_state(|| Rc::new(Vec::<Picture>::new()));
    let desk = Desk {
        latest: use_mut_ref(Choice::default),
        shown: choice.setter(),
        writing: use_mut_ref(|| None::<Writing>),
    };
    {
        let (is_open, pictures) = (props.is_open, pictures.setter());
        use_change(is_open, move || {
            if is_open {
                pictures.set(Rc::new(picture::all()));
            }
            None
        });
    }
    let deeds = {
        let (desk, scenario, pictures) = (desk.clone(), Rc::clone(&props.scenario), Rc::clone(&pictures));
        Callback::from(move |deed| match deed {
            Deed::Save => desk.save(&scenario),
            Deed::Stop => {
                desk.stop();
                desk.progress(Progress::Idle);
            }
            Deed::Picture(which, is_png) => desk.save_picture(pictures.get(which), is_png),
        })
    };
    let chosen = |change: fn(&mut Choice, &str)| {
        let desk = desk.clone();
        Callback::from(move |event: Event| {
            if let Some(list) = event.target_dyn_into::<HtmlSelectElement>() {
                desk.change(|choice| change(choice, &list.value()));
            }
        })
    };
    let format = chosen(|choice, name| choice.format = ExportFormat::find(name).unwrap_or(choice.format));
    let column = chosen(|choice, place| choice.column = place.parse().unwrap_or(choice.column));
    let titles: Vec<(&str, bool)> =
        pictures.iter().map(|picture| (picture.title.as_str(), picture.is_drawing())).collect();
    files(&props.scenario, &choice, &titles, Handlers { format, column, deeds: &deeds })
}

/// What the controls of the dialog call.
struct Handlers<'a> {
    format: Callback<Event>,
    column: Callback<Event>,
    deeds: &'a Callback<Deed>,
}

/// The dialog's content as a function of what is chosen. Of each picture its title, and whether it is drawn in lines
/// that an SVG can hold.
fn files(scenario: &Scenario, choice: &Choice, pictures: &[(&str, bool)], handlers: Handlers<'_>) -> Html {
    let do_it = |deed: Deed| handlers.deeds.reform(move |_: MouseEvent| deed);
    let formats: Vec<(&str, &str, bool)> =
        ExportFormat::ALL.iter().map(|format| (format.name(), format.label(), true)).collect();
    let columns: Vec<String> = (0..scenario.columns.len()).map(|column| column.to_string()).collect();
    let columns: Vec<(&str, &str, bool)> = columns
        .iter()
        .zip(&scenario.columns)
        .map(|(place, column)| (place.as_str(), column.name.as_str(), true))
        .collect();
    let chosen_column = choice.column.min(columns.len().saturating_sub(1)).to_string();
    let is_busy = matches!(choice.progress, Progress::UnderWay(_));
    let list = |id: &'static str, words: &str, value: &str, options: &[_], onchange: &Callback<Event>| {
        let label = el("label", &[("for", id)], vec![plain(words)]);
        let list = select((id, id), value, options, onchange.clone());
        el("div", &[("class", "export-field")], vec![label, list])
    };
    let mut fields =
        vec![list("export-format", text::FORMAT, choice.format.name(), &formats, &handlers.format)];
    if choice.format.is_trace() {
        fields.push(list("export-column", text::COLUMN, &chosen_column, &columns, &handlers.column));
    }
    let save = Button::small(text::SAVE, "export-save").class("primary").enabled(!is_busy);
    fields.push(save.html(do_it(Deed::Save)));
    if is_busy {
        fields.push(Button::small(text::STOP, "export-stop").html(do_it(Deed::Stop)));
    }
    let mut parts = vec![
        el("p", &[("id", "export-column-help")], vec![plain(text::WHAT)]),
        el("div", &[("class", "export-fields")], fields),
        el(
            "p",
            &[("class", "help"), ("id", "export-format-help")],
            vec![plain(text::format_help(choice.format))],
        ),
        progress(&choice.progress),
        said("h3", "", text::PICTURES),
    ];
    if pictures.is_empty() {
        parts.push(said("p", "help", text::NO_PICTURES));
    }
    let row = |(which, (title, is_drawing)): (usize, &(&str, bool))| {
        let mut row = vec![said("span", "", title)];
        let button = |words, testid, is_png| {
            let named = vec![Button::small(words, testid).html(do_it(Deed::Picture(which, is_png)))];
            el("span", &[("role", "group"), ("aria-label", title)], named)
        };
        if *is_drawing {
            row.push(button("SVG", "export-svg", false));
        }
        row.push(button("PNG", "export-png", true));
        el("li", &[], row)
    };
    parts.push(el("ul", &[("class", "export-pictures")], pictures.iter().enumerate().map(row).collect()));
    parts.push(said("p", "help", text::PRIVATE));
    parts.into_iter().collect()
}

fn progress(progress: &Progress) -> Html {
    let (class, words) = match progress {
        Progress::Idle => ("help", String::new()),
        Progress::UnderWay(bytes) => ("help", text::under_way(&format::bytes(*bytes))),
        Progress::Saved(name, bytes, cut) => ("help", text::saved(name, &format::bytes(*bytes), cut)),
        Progress::Failed(message) => ("field-error", text::failed(message)),
    };
    let attributes = [("class", class), ("role", "status"), ("data-testid", "export-status")];
    el("p", &attributes, vec![plain(&words)])
}

fn order(scenario: &Scenario, choice: &Choice) -> ExportOrder {
    let column =
        choice.format.is_trace().then(|| choice.column.min(scenario.columns.len().saturating_sub(1)));
    ExportOrder::new(scenario, column, scenario.seed, choice.format)
}

/// What the file is called: what it is of, and its seed.
fn file_name(scenario: &Scenario, choice: &Choice) -> String {
    let preset = if scenario.preset.is_empty() { "scenario" } else { &scenario.preset };
    let column = match scenario.columns.get(choice.column).filter(|_| choice.format.is_trace()) {
        Some(column) => format!("-{}", column.name),
        None => String::new(),
    };
    let (seed, extension) = (scenario.seed, choice.format.extension());
    format!("runqueue-{preset}{column}-seed{seed}.{extension}")
}

#[cfg(test)]
mod tests;
