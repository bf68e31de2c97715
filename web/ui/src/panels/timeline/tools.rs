//! The buttons and fields of the timeline.

use yew::prelude::*;

use super::caption::{Caption, Shown};
use super::{Held, TimelineView};
use crate::controls::{Button, Icon, Segments};
use crate::inspection::Parting;
use crate::markup::{el, plain, said};
use crate::orders::{Order, Orders, click};
use crate::state::Action;
use crate::text;
use crate::timeline::{Controller, Kept, LaneKind, LensChange, Level, PAGE, SPEED_STEPS, speed_of};

/// The most threads that are offered while somebody types.
const MOST_MATCHES: usize = 40;
/// The id of the list of threads.
const TASK_LIST: &str = "timeline-tasks";

fn act(controller: &Held, what: fn(&Controller)) -> Callback<MouseEvent> {
    let controller = controller.clone();
    Callback::from(move |_: MouseEvent| {
        if let Some(controller) = &*controller {
            what(controller);
        }
    })
}

fn words(controller: &Held, label: &str, testid: &'static str, what: fn(&Controller)) -> Html {
    Button::small(label, testid).html(act(controller, what))
}

fn group(class: &str, label: &str, parts: Vec<Html>) -> Html {
    el("div", &[("class", class), ("role", "group"), ("aria-label", label)], parts)
}

/// The buttons that move the view.
pub(super) fn tools(controller: &Held, orders: &Orders, is_comparison: bool) -> Html {
    let picture =
        |label, shown, testid, what| Button::picture(shown, label, testid).html(act(controller, what));
    let parting = Button::small(text::FIRST_DIVERGENCE, "divergence-first").enabled(is_comparison);
    let tools = vec![
        parting.html(click(orders, Order::Part(Parting::First))),
        words(controller, text::PREVIOUS_WAIT, "wait-previous", |controller| controller.step(false)),
        words(controller, text::NEXT_WAIT, "wait-next", |controller| controller.step(true)),
        words(controller, text::LONGEST, "wait-longest", Controller::go_to_longest),
        said("span", "spacer", ""),
        picture(text::EARLIER, Icon::Left, "earlier", |controller| controller.pan(-0.3)),
        picture(text::LATER, Icon::Right, "later", |controller| controller.pan(0.3)),
        picture(text::ZOOM_IN, Icon::Plus, "zoom-in", |controller| controller.zoom(0.5, 0.5)),
        picture(text::ZOOM_OUT, Icon::Minus, "zoom-out", |controller| controller.zoom(0.5, 2.0)),
        words(controller, text::FIT, "fit", Controller::fit),
        words(controller, text::BRUSH_VIEW, "brush-view", Controller::brush_view),
    ];
    group("timeline-tools", text::TIMELINE, tools)
}

fn change(change: LensChange) -> Order {
    Order::Act(Action::Lens(change))
}

/// The controls for what the lanes are.
pub(super) fn lens(
    controller: &Held,
    view: &TimelineView,
    caption: &Caption,
    shown: &Shown,
    runs: &[Kept],
) -> Html {
    let (lens, orders) = (&view.lens, &view.orders);
    let kinds = [("cpus", text::LANES_CPUS, true), ("tasks", text::LANES_TASKS, true)];
    let kind_of = |value: &str| if value == "tasks" { LaneKind::Tasks } else { LaneKind::Cpus };
    let chosen = if lens.kind == LaneKind::Tasks { "tasks" } else { "cpus" };
    let kind = Segments { name: "timeline-lanes", label: text::LANES, class: "segments small", chosen };
    let mut parts = vec![labelled(
        text::LANES,
        kind.html(&kinds, orders, &|value| change(LensChange::Kind(kind_of(value)))),
    )];
    match lens.kind {
        LaneKind::Cpus => parts.extend(folds(view, runs)),
        LaneKind::Tasks => parts.extend(pages(view, runs)),
    }
    let mut arrows = vec![toggle(
        orders,
        (text::ARROWS_WAKEUPS, "arrows-wakeups"),
        lens.has_wakeups,
        change(LensChange::Wakeups(!lens.has_wakeups)),
    )];
    if lens.kind == LaneKind::Cpus {
        arrows.push(toggle(
            orders,
            (text::ARROWS_MOVES, "arrows-moves"),
            lens.has_moves,
            change(LensChange::Moves(!lens.has_moves)),
        ));
    }
    parts.push(labelled(text::LANE_ARROWS, el("span", &[("class", "toggles")], arrows)));
    parts.push(search(controller, view, caption, shown, runs));
    group("timeline-lens", text::LENS, parts)
}

fn labelled(label: &str, control: Html) -> Html {
    el("div", &[("class", "labelled")], vec![said("span", "help", label), control])
}

fn toggle(orders: &Orders, (label, testid): (&'static str, &'static str), is_on: bool, order: Order) -> Html {
    let onclick = click(orders, order);
    let class = if is_on { "small pressed" } else { "small" };
    html! {
        <button type="button" {class} aria-pressed={is_on.to_string()} data-testid={testid} {onclick}>{ label }</button>
    }
}

/// Which level of the machine is folded: none where the machine has no levels.
fn folds(view: &TimelineView, runs: &[Kept]) -> Option<Html> {
    let has = |level: Level| {
        let spans = || runs.iter().flat_map(|kept| &kept.summary.domains);
        spans().any(|span| span.level == level.key() && 1 < span.lanes)
    };
    let mut choices = vec![("none", text::FOLD_NOTHING, true)];
    // From the innermost: each choice leaves fewer lanes.
    let levels = Level::ALL.into_iter().rev().filter(|level| has(*level));
    choices.extend(levels.map(|level| (level.key(), text::level_groups(level.key()), true)));
    if choices.len() < 2 {
        return None;
    }
    let chosen = view.lens.folded.map_or("none", Level::key);
    let segments = Segments { name: "timeline-fold", label: text::FOLD, class: "segments small", chosen };
    let order = |value: &str| change(LensChange::FoldAll(Level::of(value)));
    Some(labelled(text::FOLD, segments.html(&choices, &view.orders, &order)))
}

/// Which threads have lanes, where there are too many for all.
fn pages(view: &TimelineView, runs: &[Kept]) -> Option<Html> {
    let all = runs.iter().map(|kept| kept.summary.tasks.len()).max().filter(|all| PAGE < *all)?;
    let page = view.lens.page(all);
    let last = (all - 1) / PAGE;
    let go = |to: usize| click(&view.orders, change(LensChange::Page(to)));
    let words = text::threads_shown(page * PAGE + 1, all.min((page + 1) * PAGE), all);
    let parts = vec![
        Button::picture(Icon::Left, text::THREADS_BEFORE, "threads-before")
            .enabled(0 < page)
            .html(go(page.saturating_sub(1))),
        el("span", &[("data-testid", "threads-shown")], vec![plain(&words)]),
        Button::picture(Icon::Right, text::THREADS_AFTER, "threads-after")
            .enabled(page < last)
            .html(go((page + 1).min(last))),
    ];
    Some(el("div", &[("class", "labelled")], parts))
}

/// The thread that somebody means: of that name, or else the first one with it in its name.
fn found(query: &str, runs: &[Kept]) -> Option<u32> {
    let tasks = &runs.first()?.summary.tasks;
    let query = query.trim().to_lowercase();
    let exact = tasks.iter().find(|task| task.name.to_lowercase() == query);
    let part = || tasks.iter().find(|task| !query.is_empty() && task.name.to_lowercase().contains(&query));
    exact.or_else(part).map(|task| task.id)
}

/// A field for the name of a thread with a list of those that match; Enter goes to its next slice.
fn search(controller: &Held, view: &TimelineView, caption: &Caption, shown: &Shown, runs: &[Kept]) -> Html {
    let oninput = {
        let shown = shown.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<web_sys::HtmlInputElement>() {
                shown.change(|now, _| now.query = input.value());
            }
        })
    };
    let onkeydown = {
        let (controller, shown, orders) = (controller.clone(), shown.clone(), view.orders.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.key() != "Enter" {
                return;
            }
            event.prevent_default();
            let (task, is_empty) = {
                let (now, runs) = &*shown.latest.borrow();
                (found(&now.query, runs), now.query.trim().is_empty())
            };
            match (task, &*controller) {
                (Some(task), Some(controller)) => controller.follow(task),
                (None, _) if is_empty => orders.emit(change(LensChange::Task(None))),
                _ => shown.change(|now, _| now.say(text::SEARCH_NOBODY)),
            }
        })
    };
    let tasks = runs.first().map_or(&[][..], |kept| &kept.summary.tasks);
    let query = caption.query.to_lowercase();
    let matches = tasks.iter().filter(|task| task.name.to_lowercase().contains(&query)).take(MOST_MATCHES);
    let options = matches.map(|task| el("option", &[("value", &task.name)], Vec::new())).collect();
    let field = html! {
        <input type="search" id="timeline-search" list={TASK_LIST} autocomplete="off" spellcheck="false"
            placeholder={text::SEARCH_HINT} value={caption.query.clone()} data-testid="timeline-search"
            {oninput} {onkeydown} />
    };
    let mut parts = vec![
        el("label", &[("for", "timeline-search"), ("class", "help")], vec![plain(text::SEARCH)]),
        field,
        el("datalist", &[("id", TASK_LIST)], options),
    ];
    if let Some(task) = view.lens.task {
        let name = tasks.get(task as usize).map_or("?", |task| &*task.name);
        parts.push(el("strong", &[("data-testid", "timeline-followed")], vec![plain(name)]));
        parts.push(words(controller, text::NEXT_SLICE, "next-slice", Controller::next_slice));
        let nobody = Button::picture(Icon::Close, text::UNFOLLOW, "unfollow");
        parts.push(nobody.html(click(&view.orders, change(LensChange::Task(None)))));
    }
    el("div", &[("class", "labelled search")], parts)
}

/// The bar that plays the run.
pub(super) fn play_bar(controller: &Held, caption: &Caption, shown: &Shown) -> Html {
    let is_playing = caption.played.is_some_and(|(_, is_playing)| is_playing);
    let play = Button::small(if is_playing { text::PAUSE } else { text::PLAY }, "play")
        .with_picture(if is_playing { Icon::Pause } else { Icon::Play });
    let oninput = {
        let (controller, shown) = (controller.clone(), shown.clone());
        Callback::from(move |event: InputEvent| {
            let value = event.target_dyn_into::<web_sys::HtmlInputElement>().map(|input| input.value());
            if let Some(step) = value.and_then(|value| value.parse().ok()) {
                shown.change(|now, _| now.speed = step);
                if let Some(controller) = &*controller {
                    controller.set_speed(step);
                }
            }
        })
    };
    let speed = text::play_speed(speed_of(caption.speed));
    let slider = html! {
        <input type="range" id="play-speed" min="0" max={SPEED_STEPS.to_string()} value={caption.speed.to_string()}
            aria-valuetext={speed.clone()} data-testid="play-speed" {oninput} />
    };
    let mut parts = vec![
        play.html(act(controller, Controller::toggle_play)),
        words(controller, text::PLAY_EVENT, "play-event", |controller| controller.play_to_next(false)),
        words(controller, text::PLAY_DECISION, "play-decision", |controller| controller.play_to_next(true)),
        el("label", &[("for", "play-speed"), ("class", "help")], vec![plain(text::PLAY_SPEED)]),
        slider,
        el("span", &[("class", "speed"), ("data-testid", "play-speed-words")], vec![plain(&speed)]),
    ];
    if let Some((at, _)) = caption.played {
        let words_at = text::played_to(at);
        parts.push(el("span", &[("class", "played"), ("data-testid", "played")], vec![plain(&words_at)]));
        parts.push(words(controller, text::PLAY_STOP, "play-stop", Controller::stop_play));
    }
    parts.push(said("p", "help", text::PLAY_HINT));
    group("play-bar", text::PLAY_BAR, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::fixtures::runs;
    use std::rc::Rc;

    #[test]
    fn a_thread_is_found_by_its_name_or_a_part_of_it() {
        let kept = runs().map(|summary| Kept { worker: 0, summary: Rc::new(summary) }).to_vec();
        assert_eq!(found("task-2", &kept), Some(2));
        assert_eq!(found(" TASK-3 ", &kept), Some(3));
        assert_eq!(found("-1", &kept), Some(1));
        assert_eq!(found("nobody", &kept), None);
        assert_eq!(found("", &kept), None);
        assert_eq!(found("task-2", &[]), None);
    }
}
