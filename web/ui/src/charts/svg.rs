//! The shapes that charts are made of.

use yew::prelude::*;

use crate::format::coordinate;
use crate::markup::{el, plain};

/// A chart of a size in CSS pixels, with words for those who do not see it.
pub(crate) fn picture(class: &str, width: f64, height: f64, label: &str, children: Vec<Html>) -> Html {
    let (width, height) = (coordinate(width), coordinate(height));
    let view = format!("0 0 {width} {height}");
    let attributes = [
        ("class", class),
        ("role", "img"),
        ("aria-label", label),
        ("width", &width),
        ("height", &height),
        ("viewBox", &view),
    ];
    el("svg", &attributes, children)
}

/// A small picture beside words, passed over by screen readers.
pub(crate) fn sign(width: f64, height: f64, children: Vec<Html>) -> Html {
    let (width, height) = (coordinate(width), coordinate(height));
    let view = format!("0 0 {width} {height}");
    let attributes = [("width", &*width), ("height", &height), ("viewBox", &view), ("aria-hidden", "true")];
    el("svg", &attributes, children)
}

/// A line.
pub(crate) fn line(class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Html {
    let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(coordinate);
    el("line", &[("class", class), ("x1", &x1), ("x2", &x2), ("y1", &y1), ("y2", &y2)], Vec::new())
}

/// A rectangle: left, top, width, height.
pub(crate) fn rect(class: &str, sides: [f64; 4], radius: f64, fill: &str) -> Html {
    let [x, y, width, height] = sides.map(coordinate);
    let radius = if radius == 0.0 { String::new() } else { coordinate(radius) };
    let attributes = [
        ("class", class),
        ("x", &*x),
        ("y", &y),
        ("width", &width),
        ("height", &height),
        ("rx", &radius),
        ("fill", fill),
    ];
    el("rect", &attributes, Vec::new())
}

/// A path.
pub(crate) fn path(class: &str, d: &str, fill: &str) -> Html {
    el("path", &[("class", class), ("d", d), ("fill", fill)], Vec::new())
}

/// A circle.
pub(crate) fn circle(class: &str, (x, y): (f64, f64), radius: f64) -> Html {
    let [x, y, radius] = [x, y, radius].map(coordinate);
    el("circle", &[("class", class), ("cx", &x), ("cy", &y), ("r", &radius)], Vec::new())
}

/// Words at a place; `anchor` says which part of them is there.
pub(crate) fn label(class: &str, (x, y): (f64, f64), anchor: &str, words: &str) -> Html {
    let [x, y] = [x, y].map(coordinate);
    el("text", &[("class", class), ("x", &x), ("y", &y), ("text-anchor", anchor)], vec![plain(words)])
}

/// An invisible rectangle that tells when somebody points at it.
pub(crate) fn target(sides: [f64; 4], index: usize, is_selected: bool, onselect: &Callback<usize>) -> Html {
    let choose = move |onselect: &Callback<usize>| {
        let onselect = onselect.clone();
        move || onselect.emit(index)
    };
    let enter = choose(onselect);
    let press = choose(onselect);
    let [x, y, width, height] = sides.map(|side| AttrValue::from(coordinate(side)));
    html! {
        <rect class={if is_selected { "target selected" } else { "target" }} {x} {y} {width} {height}
            onpointerenter={Callback::from(move |_: PointerEvent| enter())}
            onclick={Callback::from(move |_: MouseEvent| press())} />
    }
}
