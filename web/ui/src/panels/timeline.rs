//! The timeline with its buttons, its caption and the table that stands in for it.

mod caption;
mod key;
mod tables;
#[cfg(test)]
mod tests;
mod tools;

use std::rc::Rc;

use protocol::{RunSummary, TraceKept};
use web_sys::{HtmlCanvasElement, KeyboardEvent};
use yew::prelude::*;

use self::caption::{Caption, Shown};
use super::PanelState;
use super::frame::Panel;
use crate::bridge::Pool;
use crate::chain::Subject;
use crate::inspection::{Focus, Parting, Study};
use crate::markup::said;
use crate::orders::{Moment, Order, Orders};
use crate::part::{Frame, framed, use_change};
use crate::state::Action;
use crate::timeline::{self, Brush, Controller, Kept, Lens, Row, Told};
use crate::{browser, format, text};

/// What the timeline is made from.
#[derive(Clone, PartialEq)]
pub(crate) struct TimelineView {
    /// The workers that keep the runs; none where there is no browser.
    pub(crate) pool: Option<Pool>,
    /// The runs.
    pub(crate) runs: PanelState<Rc<Vec<Kept>>>,
    /// The theme, whose change recolours the canvas.
    pub(crate) theme: AttrValue,
    /// The span that a link asks for, to begin with.
    pub(crate) span: Option<(f64, f64)>,
    /// Called with the span in view when somebody has moved it.
    pub(crate) onspan: Callback<(f64, f64)>,
    /// The interval that the charts show alone.
    pub(crate) brush: Option<Brush>,
    /// How it is looked at.
    pub(crate) lens: Lens,
    /// Where it is to look.
    pub(crate) focus: Option<Focus>,
    /// Where orders go.
    pub(crate) orders: Orders,
}

/// See the module.
pub(crate) fn timeline_panel(view: &TimelineView) -> Html {
    let mut parts = Vec::new();
    for kept in view.runs.content().into_iter().flat_map(|runs| runs.iter()) {
        parts.extend(thinned(&kept.summary).map(|words| said("p", "help", &words)));
    }
    parts.push(view.runs.body(|runs| {
        let view = TimelineView { runs: PanelState::Full(Rc::clone(runs)), ..view.clone() };
        framed(view, |view, frame| {
            let runs = view.runs.content().map_or_else(Rc::default, Rc::clone);
            html! { <Lanes view={view.clone()} {runs} frame={frame.clone()} /> }
        })
    }));
    Panel { id: "timeline", title: text::TIMELINE, note: text::TIMELINE_NOTE, state: view.runs.name() }
        .html(parts)
}

/// What is missing of a run that was too long to keep whole.
fn thinned(summary: &RunSummary) -> Option<String> {
    match summary.trace {
        TraceKept::Events => None,
        TraceKept::Intervals => Some(text::thinned(&summary.column_name)),
        TraceKept::Part { until_ns } => {
            Some(text::kept_until(&summary.column_name, &format::seconds(until_ns as f64, 1)))
        }
        TraceKept::Nothing => Some(text::not_kept(&summary.column_name)),
    }
}

#[derive(Properties, PartialEq)]
struct LanesProps {
    view: TimelineView,
    runs: Rc<Vec<Kept>>,
    frame: Frame,
}

/// The controller, where there is a browser.
type Held = Rc<Option<Controller>>;

#[component]
fn Lanes(props: &LanesProps) -> Html {
    let canvas_node = use_node_ref();
    let caption = use_state_eq(Caption::default);
    let latest = use_mut_ref(|| (Caption::default(), Rc::clone(&props.runs)));
    latest.borrow_mut().1 = Rc::clone(&props.runs);
    let shown = Shown { latest, set: caption.setter() };
    let controller: Held = use_memo((), |()| {
        let (shown, onspan, orders) = (shown.clone(), props.view.onspan.clone(), props.view.orders.clone());
        let told = Callback::from(move |told: Told| {
            match &told {
                Told::Chosen(column, row, moment) => {
                    orders.emit(Order::Inspect(chosen(*column, *row, *moment)));
                    return;
                }
                Told::Moved(view, is_by_hand) => {
                    if *is_by_hand {
                        onspan.emit((view.from, view.to));
                    }
                    shown.moved(*view);
                    return;
                }
                Told::Brushed(brush) => orders.emit(Order::Act(Action::Brush(*brush))),
                Told::Lens(change) => orders.emit(Order::Act(Action::Lens(*change))),
                Told::Wait(wait, _) => {
                    orders.emit(Order::Act(Action::Study(Study::PointOut(Subject::of(wait)))));
                }
                _ => {}
            }
            shown.change(|now, runs| now.hear(told, runs));
        });
        props.view.pool.clone().map(|pool| Controller::new(pool, told))
    });
    use_canvas(&controller, &canvas_node, props);
    tables::use_tables(&caption, &shown, props);
    let onkeydown = {
        let controller = Rc::clone(&controller);
        Callback::from(move |event: KeyboardEvent| {
            if let Some(controller) = &*controller {
                timeline::key(&event, controller);
            }
        })
    };
    html! {
        <>
            { tools::tools(&controller, &props.view.orders, 1 < props.runs.len()) }
            { tools::lens(&controller, &props.view, &caption, &shown, &props.runs) }
            <div ref={props.frame.node.clone()} class="timeline-box fades">
                <canvas ref={canvas_node} id="timeline-canvas" data-testid="timeline-canvas" tabindex="0"
                    role="application" aria-roledescription={text::TIMELINE} aria-label={text::TIMELINE_LABEL}
                    {onkeydown} />
            </div>
            { tools::play_bar(&controller, &caption, &shown) }
            { caption.html(&props.view) }
            { key::key(&props.view.lens, has_folded(&props.view.lens, &props.runs), idle_states(&props.runs)) }
            { tables::tables(&caption, &shown, &props.runs) }
        </>
    }
}

/// How many idle states a CPU has at most.
fn idle_states(runs: &[Kept]) -> usize {
    runs.iter().flat_map(|kept| &kept.summary.idle_states).map(Vec::len).max().unwrap_or(0)
}

/// Whether a lane stands for several CPUs.
fn has_folded(lens: &Lens, runs: &[Kept]) -> bool {
    runs.iter().any(|kept| lens.rows(&kept.summary).iter().any(|row| matches!(row, Row::Group(..))))
}

/// What somebody wants to know the decisions about.
fn chosen(column: usize, row: Option<Row>, moment: f64) -> Moment {
    let (cpu, task) = match row {
        Some(Row::Cpu(_, cpu)) => (Some(cpu), None),
        Some(Row::Task(task)) => (None, Some(task)),
        Some(Row::Group(..)) | None => (None, None),
    };
    Moment { column, at_ns: moment as u64, cpu, task }
}

/// What the canvas depends on.
#[derive(Clone, PartialEq)]
struct Drawn {
    runs: Rc<Vec<Kept>>,
    width: u32,
    theme: AttrValue,
    focus: Option<Focus>,
    brush: Option<Brush>,
    lens: Lens,
}

impl Drawn {
    /// Draws what has changed since `before`.
    fn draw(
        &self,
        before: Option<Drawn>,
        controller: &Controller,
        canvas: HtmlCanvasElement,
        span: Option<(f64, f64)>,
    ) {
        let before = before.as_ref();
        if before.is_none_or(|before| before.lens != self.lens) {
            controller.set_lens(&self.lens);
        }
        if before.is_none_or(|before| before.runs != self.runs) {
            controller.begin_at(span);
            controller.show(&self.runs);
        }
        if before.is_none_or(|before| before.width != self.width) {
            controller.attach(canvas, f64::from(self.width));
        }
        if before.is_some_and(|before| before.theme != self.theme) {
            controller.recolour();
        }
        if before.map_or(self.focus.is_some(), |before| before.focus != self.focus) {
            controller.focus(self.focus);
        }
        if before.map_or(self.brush.is_some(), |before| before.brush != self.brush) {
            controller.show_brush(self.brush);
        }
    }
}

/// Keeps the canvas in step with runs, width and theme, and listens to pointer and keys.
#[hook]
fn use_canvas(controller: &Held, node: &NodeRef, props: &LanesProps) {
    {
        let (controller, node, span) = (Rc::clone(controller), node.clone(), props.view.span);
        let width = props.frame.width.unwrap_or(900.0) as u32;
        let (theme, focus, brush) = (props.view.theme.clone(), props.view.focus, props.view.brush);
        let lens = props.view.lens.clone();
        let now = Drawn { runs: Rc::clone(&props.runs), width, theme, focus, brush, lens };
        let before = use_mut_ref(|| None::<Drawn>);
        use_change(now.clone(), move || {
            let before = before.borrow_mut().replace(now.clone());
            let canvas = node.cast::<HtmlCanvasElement>();
            if let Some((controller, canvas)) = (*controller).as_ref().zip(canvas) {
                now.draw(before, controller, canvas, span);
            }
            None
        });
    }
    let (controller, node, orders) = (Rc::clone(controller), node.clone(), props.view.orders.clone());
    use_change((), move || {
        let canvas = node.cast::<HtmlCanvasElement>();
        let pointer =
            (*controller).as_ref().zip(canvas).map(|(held, canvas)| timeline::listen(&canvas, held));
        // The keys that go from wait to wait work on the whole page, except where somebody types.
        let keys = browser::listen("keydown", move |event| {
            let (Some(controller), Some(key)) = (&*controller, browser::plain_key(&event)) else { return };
            match key.as_str() {
                "n" => controller.step(true),
                "p" => controller.step(false),
                "w" => controller.go_to_longest(),
                "d" => orders.emit(Order::Part(Parting::Onward)),
                "D" => orders.emit(Order::Part(Parting::Previous)),
                "." => orders.emit(Order::Step(true, controller.view().middle() as u64)),
                "," => orders.emit(Order::Step(false, controller.view().middle() as u64)),
                _ => {}
            }
        });
        Some(Box::new(move || drop((pointer, keys))))
    });
}
