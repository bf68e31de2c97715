//! What the picture of the timeline means: every state has a shape or a pattern of its own beside its colour.

use yew::prelude::*;

use crate::charts::{path, rect, sign};
use crate::markup::{el, plain};
use crate::text;
use crate::timeline::{DEPTHS, LaneKind, Lens};

const WHOLE: [f64; 4] = [0.0, 0.0, 26.0, 12.0];

/// Draws the key to what is shown now, of machines whose CPUs have so many idle states at most.
pub(super) fn key(lens: &Lens, has_folded: bool, idle_states: usize) -> Html {
    let mut items = match lens.kind {
        LaneKind::Cpus => vec![
            item(vec![rect("swatch-run", WHOLE, 0.0, "")], text::KEY_RUNNING),
            item(idle(1), text::KEY_IDLE),
            item(hatched(WHOLE), text::KEY_WAITING),
            item(dotted(), text::KEY_WASTED),
        ],
        LaneKind::Tasks => vec![
            item(vec![rect("swatch-run", WHOLE, 0.0, "")], text::KEY_TASK_RUNNING),
            item(hatched([0.0, 4.0, 26.0, 8.0]), text::KEY_TASK_WAITING),
            item(vec![rect("swatch-idle", [0.0, 9.0, 26.0, 3.0], 0.0, "")], text::KEY_BLOCKED),
        ],
    };
    if lens.kind == LaneKind::Cpus {
        // Of two states the deeper one is the deepest.
        let words = &text::KEY_DEPTHS[usize::from(idle_states == 2)..];
        let deeper = (2..=idle_states.min(DEPTHS + 1)).zip(words);
        items.splice(2..2, deeper.map(|(lines, words)| item(idle(lines), words)));
    }
    if has_folded {
        items.push(item(vec![rect("swatch-group", [0.0, 6.0, 26.0, 6.0], 0.0, "")], text::KEY_GROUP));
    }
    if lens.task.is_some() && lens.kind == LaneKind::Cpus {
        let framed = vec![
            rect("swatch-run", WHOLE, 0.0, ""),
            rect("swatch-followed", [1.0, 1.0, 24.0, 10.0], 0.0, ""),
        ];
        items.push(item(framed, text::KEY_FOLLOWED));
    }
    if lens.has_wakeups {
        items.push(item(vec![path("swatch-arrow", "M13 1v10M10 7l3 4 3-4", "")], text::KEY_ARROW));
    }
    if lens.has_moves && lens.kind == LaneKind::Cpus {
        let shapes =
            vec![path("swatch-arrow", "M13 0v3M13 5v3", ""), path("swatch-head", "M10 7l3 5 3-5z", "")];
        items.push(item(shapes, text::KEY_MOVE));
    }
    el("div", &[("class", "swatches")], items)
}

fn item(shapes: Vec<Html>, words: &str) -> Html {
    el("span", &[], vec![sign(26.0, 12.0, shapes), plain(words)])
}

/// The lines of an idle CPU, one for each step of depth.
fn idle(lines: usize) -> Vec<Html> {
    let deeper =
        (1..lines).map(|step| rect("swatch-group", [0.0, 9.0 - 4.0 * step as f64, 26.0, 1.0], 0.0, ""));
    std::iter::once(rect("swatch-idle", [0.0, 9.0, 26.0, 3.0], 0.0, "")).chain(deeper).collect()
}

fn hatched(place: [f64; 4]) -> Vec<Html> {
    let [_, top, ..] = place;
    let d = if top == 0.0 {
        "M-2 14L14 -2M4 14L20 -2M10 14L26 -2M16 14L32 -2"
    } else {
        "M0 12L8 4M6 12L14 4M12 12L20 4M18 12L26 4"
    };
    vec![rect("swatch-wait-ground", place, 0.0, ""), path("swatch-wait", d, "")]
}

fn dotted() -> Vec<Html> {
    let mut shapes = vec![rect("swatch-wasted-ground", WHOLE, 0.0, "")];
    for (column, row) in [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (3, 1)] {
        let place = [f64::from(2 + 6 * column), f64::from(2 + 6 * row), 2.0, 2.0];
        shapes.push(rect("swatch-wasted", place, 0.0, ""));
    }
    shapes
}
