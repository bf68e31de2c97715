//! A lesson as it is seen: the list, or one screen with the way to the others.

use std::rc::Rc;

use ::lesson::{Chart, Entry, Lesson, Screen};
use scenario::Scenario;
use yew::prelude::*;

use super::blocks::blocks;
use super::hooks::HEADING;
use super::place::Place;
use super::reading::{Reading, Turn};
use super::words::Reader;
use crate::columns::Results;
use crate::controls::{Button, Icon};
use crate::markup::{el, plain, said};
use crate::orders::{Order, Orders, click};
use crate::panels::PanelState;
use crate::text;

/// What a lesson's page is made from.
#[derive(Clone, PartialEq)]
pub(crate) struct LessonView {
    /// What is open.
    pub(crate) reading: Reading,
    /// The scenario in force.
    pub(crate) scenario: Rc<Scenario>,
    /// Its runs.
    pub(crate) results: PanelState<Results>,
    /// Where orders go.
    pub(crate) orders: Orders,
}

/// The panels of the page that a lesson can show.
pub(crate) struct Panels<'a> {
    /// A chart.
    pub(crate) chart: &'a dyn Fn(Chart) -> Html,
    /// The inspector.
    pub(crate) inspector: &'a dyn Fn() -> Html,
}

/// The page of a lesson, or of the list.
pub(crate) fn lesson_page(view: &LessonView, panels: &Panels<'_>) -> Html {
    let reading = &view.reading;
    let (state, parts) = if reading.place.id.is_empty() {
        (reading.index.name(), list(view))
    } else {
        (
            reading.lesson.name(),
            reading.lesson.content().map_or_else(|| waiting(view), |lesson| screen(view, lesson, panels)),
        )
    };
    let attributes = [
        ("class", "lesson"),
        ("id", "main"),
        ("tabindex", "-1"),
        ("data-testid", "lesson"),
        ("data-state", state),
    ];
    el("main", &attributes, parts)
}

fn heading(words: &str) -> Html {
    el("h1", &[("id", HEADING), ("tabindex", "-1"), ("data-testid", "lesson-title")], vec![plain(words)])
}

fn playground(orders: &Orders, words: &str) -> Html {
    Button::small(words, "lesson-leave").class("quiet").html(click(orders, Order::Lesson(Turn::Leave)))
}

fn list(view: &LessonView) -> Vec<Html> {
    let index = &view.reading.index;
    let mut parts = vec![
        el("div", &[("class", "lesson-top")], vec![playground(&view.orders, text::TO_PLAYGROUND)]),
        heading(text::LESSONS),
        said("p", "prose", text::LESSONS_WHAT),
        index.body(|entries| {
            let cards = entries.iter().map(|entry| card(view, entry)).collect();
            el("ul", &[("class", "lesson-list")], cards)
        }),
    ];
    parts.extend(retry(view, matches!(index, PanelState::Error(_))));
    parts
}

fn card(view: &LessonView, entry: &Entry) -> Html {
    let place = Place { variant: view.reading.place.variant, ..Place::new(&entry.id) };
    let open = Button::small(&entry.title, "lesson-open").class("lesson-link");
    let parts = vec![
        el("h2", &[], vec![open.html(click(&view.orders, Order::Lesson(Turn::Go(place))))]),
        said("p", "", &entry.summary),
        said("p", "help", &text::minutes(entry.minutes)),
    ];
    el("li", &[], parts)
}

/// What is seen before a lesson is there, or instead of it.
fn waiting(view: &LessonView) -> Vec<Html> {
    let lesson = &view.reading.lesson;
    let mut parts = vec![top(view, None), heading(text::LESSON), lesson.body(|_| Html::default())];
    parts.extend(retry(view, matches!(lesson, PanelState::Error(_))));
    parts
}

fn retry(view: &LessonView, has_failed: bool) -> Option<Html> {
    let button = Button::small(text::TRY_AGAIN, "lesson-retry");
    has_failed.then(|| button.html(click(&view.orders, Order::Lesson(Turn::Retry))))
}

/// The way out, the name of the lesson, and how far it is.
fn top(view: &LessonView, lesson: Option<(&Lesson, usize)>) -> Html {
    let all = Button::small(text::ALL_LESSONS, "lesson-all").class("quiet");
    let mut parts = vec![
        all.html(click(&view.orders, Order::Lesson(Turn::Go(Place::default())))),
        playground(&view.orders, text::OPEN_PLAYGROUND),
    ];
    if let Some((lesson, shown)) = lesson {
        let dots = (0..lesson.screens.len()).map(|screen| dot(view, lesson, (screen, shown)));
        let list = el("ol", &[("class", "dots")], dots.collect());
        parts.push(el("nav", &[("aria-label", text::SCREENS)], vec![list]));
    }
    el("div", &[("class", "lesson-top")], parts)
}

fn dot(view: &LessonView, lesson: &Lesson, (screen, shown): (usize, usize)) -> Html {
    let onclick = click(&view.orders, Order::Lesson(Turn::Go(view.reading.place.at(screen))));
    let label = text::screen_of(screen + 1, lesson.screens.len(), &lesson.screens[screen].title);
    let class = if screen < shown { "done" } else { "" };
    let button = html! {
        <button type="button" {class} aria-label={label.clone()} title={label} {onclick}
            aria-current={(screen == shown).then_some("step")}>{ screen + 1 }</button>
    };
    el("li", &[], vec![button])
}

fn screen(view: &LessonView, lesson: &Rc<Lesson>, panels: &Panels<'_>) -> Vec<Html> {
    let Some((shown, screen)) = view.reading.screen() else { return Vec::new() };
    let reader = Reader { lesson, results: &view.results, blanks: &[], id: "" };
    let mut parts = vec![
        top(view, Some((lesson, shown))),
        said("p", "eyebrow", &text::eyebrow(&lesson.title, shown + 1, lesson.screens.len())),
        heading(&screen.title),
    ];
    parts.push(running(view));
    let key = format!("{}-{shown}", lesson.id);
    parts.push(html! {
        <div class="lesson-body" key={key}>
            { blocks(view, &screen.blocks, panels, reader).into_iter().collect::<Html>() }
        </div>
    });
    parts.push(turning(view, lesson, (shown, screen)));
    parts
}

/// That the figures are on their way, or why they do not come. It always has its place among its neighbours, which
/// would else be made anew, and lose the focus, whenever it comes or goes.
fn running(view: &LessonView) -> Html {
    match &view.results {
        PanelState::Full(_) => Html::default(),
        PanelState::Stale(_) => said("p", "help running", text::SIMULATING),
        other => el("div", &[("class", "running")], vec![other.body(|_| Html::default())]),
    }
}

/// To the previous screen and to the next one.
fn turning(view: &LessonView, lesson: &Lesson, (shown, _): (usize, &Screen)) -> Html {
    let last = lesson.screens.len() - 1;
    let go = |screen: usize| click(&view.orders, Order::Lesson(Turn::Go(view.reading.place.at(screen))));
    let back = Button { class: "", ..Button::small(text::BACK, "lesson-back") }
        .with_picture(Icon::Left)
        .enabled(0 < shown);
    let mut parts = vec![back.html(go(shown.saturating_sub(1))), said("span", "help", text::ARROWS)];
    parts.push(if shown < last {
        let next = Button::small(text::NEXT, "lesson-next").with_picture(Icon::Right).class("primary");
        next.html(go(shown + 1))
    } else {
        Button::small(text::OPEN_PLAYGROUND, "lesson-end")
            .class("primary")
            .html(click(&view.orders, Order::Lesson(Turn::Leave)))
    });
    el("nav", &[("class", "turning"), ("aria-label", text::TURNING)], parts)
}
