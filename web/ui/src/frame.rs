//! What stands around the panels: header, footer, notices and dialogs.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::charts::{rect, sign};
use crate::controls::{Button, CopyButton, Dialog, Icon, Segments};
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
    let tools = vec![themes, help, share.html(open(Window::Share))];
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

/// The dialog with the link.
pub(crate) fn share_dialog(is_open: bool, address: String, orders: &Orders) -> Html {
    let onfocus = Callback::from(|event: FocusEvent| {
        if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
            field.select();
        }
    });
    html! {
        <Dialog id="share" title={text::SHARE_TITLE} {is_open} orders={orders.clone()}>
            { said("p", "", text::SHARE_WHAT) }
            <div class="share-field">
                <input type="text" readonly=true value={address.clone()} aria-label={text::SHARE_FIELD} {onfocus}
                    data-testid="share-link" />
                <CopyButton text={address} what={text::SHARE_FIELD} />
            </div>
            { said("p", "help", text::PRIVACY) }
        </Dialog>
    }
}

/// The dialog that says what the keys do.
pub(crate) fn help_dialog(is_open: bool, orders: &Orders) -> Html {
    let mut list = Vec::new();
    for (keys, what) in &text::SHORTCUTS {
        let keys = keys.iter().flat_map(|key| [said("kbd", "", key), plain(" ")]);
        list.push(el("dt", &[], keys.collect()));
        list.push(said("dd", "", what));
    }
    html! {
        <Dialog id="help" title={text::HELP} {is_open} orders={orders.clone()}>
            { el("dl", &[("class", "shortcuts")], list) }
        </Dialog>
    }
}
