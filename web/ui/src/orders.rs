//! What people want of the page, and the handlers that say so. One callback carries all of it and never changes, so
//! that a part of the page is not made again for the sake of its handlers.

use protocol::DecisionPoint;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::controls::Copied;
use crate::inspection::Parting;
use crate::lesson::Turn;
use crate::state::Action;

/// Something that somebody wants.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    /// A change of the state.
    Act(Action),
    /// A key of the scenario, or `columns.NAME.KEY`, is to have this value.
    Edit(String, String),
    /// End the runs that are under way.
    Cancel,
    /// Run again, with workers that are alive.
    Retry,
    /// Stop the band.
    StopBand,
    /// Begin the band again.
    StartBand,
    /// One more column, made as the lists of the editor say.
    AddColumn,
    /// Begin the sweep.
    StartSweep,
    /// Stop the sweep.
    StopSweep,
    /// Open a dialog, or close the one that is open.
    Open(Option<Window>),
    /// The browser has closed the dialog.
    Closed,
    /// Choose the colours.
    Theme(AttrValue),
    /// The rest of the page is loaded now: show it.
    Whole,
    /// The browser prefers dark colours now, or no longer does.
    Scheme(bool),
    /// Copy words to the clipboard.
    Copy(AttrValue),
    /// This was copied, or it is long enough ago.
    Copied(Copied),
    /// Show where the runs part.
    Part(Parting),
    /// Show where the first column and this one part.
    PartFrom(usize),
    /// Open what was decided at a moment.
    Inspect(Moment),
    /// Go to the next decision, or to the previous one; from the moment in nanoseconds where none is open yet.
    Step(bool, u64),
    /// Something in a lesson.
    Lesson(Turn),
    /// Open the same moment of another column.
    InspectColumn(usize),
    /// Go to the cause of what was pointed out last, or of the last cause.
    Cause,
    /// Go one cause back.
    CauseBack,
    /// Open a decision that a cause names.
    OpenCause(DecisionPoint),
}

/// A moment of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The column, by its position.
    pub(crate) column: usize,
    /// The moment in nanoseconds.
    pub(crate) at_ns: u64,
    /// The CPU that is meant, if one is.
    pub(crate) cpu: Option<u16>,
    /// The thread that is meant, if one is.
    pub(crate) task: Option<u32>,
}

/// A dialog of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    /// The link.
    Share,
    /// The shortcuts.
    Help,
    /// Files.
    Export,
}

impl Window {
    /// The id of its element.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Window::Share => "share",
            Window::Help => "help",
            Window::Export => "export",
        }
    }
}

/// Where orders go.
pub(crate) type Orders = Callback<Order>;

/// An order by a click.
pub(crate) fn click(orders: &Orders, order: Order) -> Callback<MouseEvent> {
    let orders = orders.clone();
    Callback::from(move |_| orders.emit(order.clone()))
}

/// A click that changes the state.
pub(crate) fn act(orders: &Orders, action: Action) -> Callback<MouseEvent> {
    click(orders, Order::Act(action))
}

/// A value of the scenario is to be this.
pub(crate) fn edit(key: &str, text: String) -> Order {
    Order::Edit(key.to_owned(), text)
}

/// What is typed, or where a slider is moved, becomes the value of a key.
pub(crate) fn typed(orders: &Orders, key: &AttrValue) -> Callback<InputEvent> {
    let (orders, key) = (orders.clone(), key.clone());
    Callback::from(move |event: InputEvent| {
        if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
            orders.emit(edit(&key, input.value()));
        }
    })
}

/// What was typed becomes the value of a key as soon as the field is left.
pub(crate) fn committed(orders: &Orders, key: String) -> Callback<Event> {
    let orders = orders.clone();
    Callback::from(move |event: Event| {
        if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
            orders.emit(edit(&key, input.value()));
        }
    })
}

/// What is chosen from a list is ordered by `order`.
pub(crate) fn chosen(orders: &Orders, order: impl Fn(String) -> Option<Order> + 'static) -> Callback<Event> {
    let orders = orders.clone();
    on_choice(Box::new(move |value| {
        if let Some(order) = order(value) {
            orders.emit(order);
        }
    }))
}

fn on_choice(told: Box<dyn Fn(String)>) -> Callback<Event> {
    Callback::from(move |event: Event| {
        if let Some(select) = event.target_dyn_into::<HtmlSelectElement>() {
            told(select.value());
        }
    })
}

/// A tick sets a key to one text, its absence to another.
pub(crate) fn ticked(orders: &Orders, key: &AttrValue, on: String, off: String) -> Callback<Event> {
    let (orders, key) = (orders.clone(), key.clone());
    Callback::from(move |event: Event| {
        let is_ticked = event.target_dyn_into::<HtmlInputElement>().is_some_and(|input| input.checked());
        orders.emit(edit(&key, if is_ticked { on.clone() } else { off.clone() }));
    })
}

/// A choice of a few that is taken: `order` where it is.
pub(crate) fn picked(orders: &Orders, order: Order) -> Callback<Event> {
    let orders = orders.clone();
    Callback::from(move |event: Event| {
        if event.target_dyn_into::<HtmlInputElement>().is_some_and(|input| input.checked()) {
            orders.emit(order.clone());
        }
    })
}

/// A click that sets a key.
pub(crate) fn set(
    orders: &Orders,
    key: &'static str,
    text: impl Fn() -> String + 'static,
) -> Callback<MouseEvent> {
    let orders = orders.clone();
    let text: Box<dyn Fn() -> String> = Box::new(text);
    Callback::from(move |_| orders.emit(edit(key, text())))
}
