//! What stands around the panels: header, footer, notices and dialogs.

use web_sys::{HtmlDialogElement, HtmlInputElement};
use yew::prelude::*;

use crate::charts::{rect, sign};
use crate::controls::{Button, Copied, Icon, Segments, copy_button};
use crate::lesson::{Place, Turn};
use crate::markup::{el, plain, said};
use crate::orders::{Order, Orders, Window, act, click};
use crate::state::{Action, Notice};
use crate::text;

/// The head of the page.
pub(crate) fn header((theme, orders): &(AttrValue, Orders)) -> Html {
    let choices = text::THEMES.map(|(value, label)| (value, label, true));
    let themes = Segments { name: "theme", label: text::THEME, class: "segments small", chosen: theme }.html(
        &choices,
        orders,
        &|value| Order::Theme(value.to_owned().into()),
    );
    let open = |window| click(orders, Order::Open(Some(window)));
    let help = html! {
        <button type="button" aria-label={text::HELP} title={text::HELP} onclick={open(Window::Help)}
            data-testid="help-open">{ "?" }</button>
    };
    let share = Button::small(text::SHARE, "share-open").class("primary").with_picture(Icon::Link);
    let export = Button::small(text::export::OPEN, "export-open").class("").html(open(Window::Export));
    let lessons = Button::small(text::LESSONS, "lessons-open").class("");
    let lessons = lessons.html(click(orders, Order::Lesson(Turn::Go(Place::default()))));
    let tools = vec![lessons, themes, help, export, share.html(open(Window::Share))];
    let parts = vec![
        el("span", &[("class", "brand")], vec![mark(), plain(text::NAME)]),
        said("span", "tagline", text::TAGLINE),
        el("div", &[("class", "tools")], tools),
    ];
    el("div", &[("class", "top"), ("role", "banner")], parts)
}

fn mark() -> Html {
    let bar = |class, x, y, width| rect(class, [x, y, width, 5.5], 1.5, "");
    let bars = vec![
        bar("mark-a", 1.0, 3.0, 14.0),
        bar("mark-b", 16.5, 3.0, 8.5),
        bar("mark-c", 1.0, 10.2, 8.0),
        bar("mark-c", 10.5, 10.2, 14.5),
        bar("mark-d", 1.0, 17.5, 19.0),
    ];
    sign(26.0, 26.0, bars)
}

/// The foot of the page, with the version of the engine; empty until that is known.
pub(crate) fn footer(version: &str) -> Html {
    let section = |(title, words)| el("section", &[], vec![said("h2", "", title), said("p", "", words)]);
    let mut parts: Vec<Html> = text::FOOT.map(section).into();
    if !version.is_empty() {
        let attributes = [("class", "mono"), ("data-testid", "engine-version")];
        parts.push(el("p", &attributes, vec![plain(&text::engine_version(version))]));
    }
    el("footer", &[("class", "foot")], parts)
}

/// Something to tell the user.
pub(crate) fn notice_bar(notice: &Notice, orders: &Orders) -> Html {
    let Notice { title, body, points, is_bad } = notice;
    let mut words = vec![said("strong", "", &format!("{title}. ")), said("span", "", body)];
    if !points.is_empty() {
        words.push(el("ul", &[], points.iter().map(|point| said("li", "", point)).collect()));
    }
    let close = Button::small(text::DISMISS, "dismiss").html(act(orders, Action::Notice(None)));
    let class = if *is_bad { "notice bad" } else { "notice" };
    let attributes = [("class", class), ("role", "alert"), ("data-testid", "notice")];
    el("div", &attributes, vec![el("div", &[], words), close])
}

/// The dialogs, of which the browser shows one at a time: the page says which.
pub(crate) fn dialogs(address: &str, copied: &Copied, files: Html, orders: &Orders) -> Html {
    let files = dialog(Window::Export, text::export::TITLE, vec![files], orders);
    [share(address, copied, orders), help(orders), files].into_iter().collect()
}

/// The browser's own element keeps the focus inside and closes on Escape.
fn dialog(window: Window, title: &str, body: Vec<Html>, orders: &Orders) -> Html {
    let id = window.id();
    let title_id = format!("{id}-title");
    let close = Button::picture(Icon::Close, text::CLOSE, "close").class("quiet");
    let head = vec![
        el("h2", &[("id", &title_id)], vec![plain(title)]),
        close.html(click(orders, Order::Open(None))),
    ];
    let content =
        vec![el("div", &[("class", "dialog-head")], head), el("div", &[("class", "dialog-body")], body)];
    let onclose = {
        let orders = orders.clone();
        Callback::from(move |_: Event| orders.emit(Order::Closed))
    };
    // A click beside the content hits the dialog itself.
    let onclick = {
        let orders = orders.clone();
        Callback::from(move |event: MouseEvent| {
            if event.target_dyn_into::<HtmlDialogElement>().is_some() {
                orders.emit(Order::Open(None));
            }
        })
    };
    html! {
        <dialog {id} data-testid={id} aria-labelledby={title_id} {onclose} {onclick}>
            { el("div", &[("class", "dialog-inner")], content) }
        </dialog>
    }
}

fn share(address: &str, copied: &Copied, orders: &Orders) -> Html {
    let onfocus = Callback::from(|event: FocusEvent| {
        if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
            field.select();
        }
    });
    let link = html! {
        <input type="text" readonly=true value={address.to_owned()} aria-label={text::SHARE_FIELD} {onfocus}
            data-testid="share-link" />
    };
    let field = vec![link, copy_button(address, text::SHARE_FIELD, copied, orders)];
    let body = vec![
        said("p", "", text::SHARE_WHAT),
        el("div", &[("class", "share-field")], field),
        said("p", "help", text::PRIVACY),
    ];
    dialog(Window::Share, text::SHARE_TITLE, body, orders)
}

fn help(orders: &Orders) -> Html {
    let mut list = Vec::new();
    for (keys, what) in text::SHORTCUTS.iter().chain(text::TIMELINE_SHORTCUTS) {
        let keys = keys.iter().flat_map(|key| [said("kbd", "", key), plain(" ")]);
        list.push(el("dt", &[], keys.collect()));
        list.push(said("dd", "", what));
    }
    dialog(Window::Help, text::HELP, vec![el("dl", &[("class", "shortcuts")], list)], orders)
}
