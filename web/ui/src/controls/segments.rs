//! A choice of a few, all of which are seen.

use yew::prelude::*;

use crate::orders::{Order, Orders, picked};

/// A choice of a few.
pub(crate) struct Segments<'a> {
    /// The name of the group, unique in the page.
    pub(crate) name: &'a str,
    /// What is chosen here.
    pub(crate) label: &'a str,
    /// Its class.
    pub(crate) class: &'static str,
    /// The value that is chosen.
    pub(crate) chosen: &'a str,
}

impl Segments<'_> {
    /// Draws the choices: value, words, and whether it can be chosen; `order` says what choosing a value means.
    pub(crate) fn html(
        &self,
        choices: &[(&str, &str, bool)],
        orders: &Orders,
        order: &dyn Fn(&str) -> Order,
    ) -> Html {
        let one = |(value, words, is_possible): &(&str, &str, bool)| {
            let is_chosen = *value == self.chosen;
            let class = match (is_chosen, is_possible) {
                (true, _) => "chosen",
                (false, true) => "",
                (false, false) => "impossible",
            };
            html! {
                <label {class} key={(*value).to_owned()}>
                    <input type="radio" name={self.name.to_owned()} value={(*value).to_owned()} checked={is_chosen}
                        disabled={!is_possible} data-testid={format!("{}-{value}", self.name)}
                        onchange={picked(orders, order(value))} />
                    { *words }
                </label>
            }
        };
        html! {
            <div class={self.class} role="radiogroup" aria-label={self.label.to_owned()}>
                { for choices.iter().map(one) }
            </div>
        }
    }
}
