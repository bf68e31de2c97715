//! The frame of a chart: it measures the room, keeps what is selected, and draws again only when something changes.

use std::any::Any;
use std::rc::Rc;

use yew::prelude::*;

use crate::controls::use_width;

/// What a chart is drawn into.
#[derive(Clone, PartialEq)]
pub(crate) struct Frame {
    /// The width in CSS pixels.
    pub(crate) width: f64,
    /// What is selected, by its position.
    pub(crate) selected: Option<usize>,
    /// Called with what somebody points at.
    pub(crate) onselect: Callback<usize>,
}

/// Data together with the function that draws it.
trait Draw {
    fn is_same(&self, other: &dyn Draw) -> bool;
    fn as_any(&self) -> &dyn Any;
    fn draw(&self, frame: &Frame) -> Html;
}

struct Drawn<T> {
    data: T,
    by: fn(&T, &Frame) -> Html,
}

impl<T: PartialEq + 'static> Draw for Drawn<T> {
    fn is_same(&self, other: &dyn Draw) -> bool {
        other.as_any().downcast_ref::<Drawn<T>>().is_some_and(|other| other.data == self.data)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn draw(&self, frame: &Frame) -> Html {
        (self.by)(&self.data, frame)
    }
}

#[derive(Properties)]
struct Props {
    drawn: Rc<dyn Draw>,
    until_known: f64,
}

impl PartialEq for Props {
    fn eq(&self, other: &Props) -> bool {
        self.drawn.is_same(&*other.drawn)
    }
}

#[component]
fn Chart(props: &Props) -> Html {
    let node = use_node_ref();
    let width = use_width(&node, props.until_known);
    let selected = use_state_eq(|| None::<usize>);
    let onselect = {
        let selected = selected.setter();
        Callback::from(move |index| selected.set(Some(index)))
    };
    let frame = Frame { width, selected: *selected, onselect };
    html! { <div ref={node} class="chart-box fades">{ props.drawn.draw(&frame) }</div> }
}

/// A chart of `data`, drawn by `by`; `until_known` wide until there is room to measure.
pub(crate) fn charted<T: PartialEq + 'static>(data: T, until_known: f64, by: fn(&T, &Frame) -> Html) -> Html {
    let drawn: Rc<dyn Draw> = Rc::new(Drawn { data, by });
    html! { <Chart {drawn} {until_known} /> }
}
