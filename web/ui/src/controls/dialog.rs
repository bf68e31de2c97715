//! A dialog over the page. The browser's own element keeps the focus inside and closes on Escape.

use web_sys::HtmlDialogElement;
use yew::prelude::*;

use super::{Button, Icon};
use crate::orders::{Order, Orders, click};
use crate::text;

/// Properties of [`Dialog`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The id.
    pub(crate) id: &'static str,
    /// The heading.
    pub(crate) title: AttrValue,
    /// Whether it is open.
    pub(crate) is_open: bool,
    /// Where the order to close it goes.
    pub(crate) orders: Orders,
    /// The content.
    pub(crate) children: Html,
}

/// See the module.
#[component]
pub(crate) fn Dialog(props: &Props) -> Html {
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with(props.is_open, move |is_open| {
            if let Some(dialog) = node.cast::<HtmlDialogElement>() {
                if *is_open && !dialog.open() {
                    // It fails only for a dialog that is open or not in the page.
                    let _ = dialog.show_modal();
                } else if !*is_open && dialog.open() {
                    dialog.close();
                }
            }
        });
    }
    let onclose = {
        let (orders, is_open) = (props.orders.clone(), props.is_open);
        Callback::from(move |_: Event| {
            if is_open {
                orders.emit(Order::Open(None));
            }
        })
    };
    // A click beside the content hits the dialog itself.
    let onclick = {
        let (node, orders) = (node.clone(), props.orders.clone());
        Callback::from(move |event: MouseEvent| {
            let hit = event.target_dyn_into::<HtmlDialogElement>();
            if hit.is_some() && hit == node.cast::<HtmlDialogElement>() {
                orders.emit(Order::Open(None));
            }
        })
    };
    let title_id = format!("{}-title", props.id);
    let close = Button::picture(Icon::Close, text::CLOSE, "close").class("quiet");
    html! {
        <dialog ref={node} id={props.id} data-testid={props.id} aria-labelledby={title_id.clone()} {onclose} {onclick}>
            <div class="dialog-inner">
                <div class="dialog-head">
                    <h2 id={title_id}>{ props.title.clone() }</h2>
                    { close.html(click(&props.orders, Order::Open(None))) }
                </div>
                <div class="dialog-body">{ props.children.clone() }</div>
            </div>
        </dialog>
    }
}
