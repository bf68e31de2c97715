//! The timeline with its buttons, its caption and the table that stands in for it.

use std::cell::RefCell;
use std::rc::Rc;

use protocol::{AnswerBody, RequestBody, RunSummary, TraceKept};
use web_sys::{HtmlCanvasElement, HtmlElement, KeyboardEvent};
use yew::prelude::*;

use super::PanelState;
use super::frame::Panel;
use crate::bridge::Pool;
use crate::chain::Subject;
use crate::charts::{path, rect, sign};
use crate::controls::{Button, Icon};
use crate::inspection::{Focus, Parting, Study};
use crate::markup::{Cell, Table, el, plain, said};
use crate::orders::{Moment, Order, Orders, click};
use crate::part::{Frame, framed, use_change};
use crate::state::Action;
use crate::timeline::{self, Brush, Controller, Kept, Told, View, caption};
use crate::{browser, format, text};

/// The most rows of the table for one run.
const ROWS: u32 = 200;
/// How long the view must rest before the table is read again.
const REST_MS: i32 = 250;

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

/// What stands under the canvas.
#[derive(Clone, Default, PartialEq)]
struct Caption {
    /// What is pointed out.
    pointed: Option<String>,
    /// What is under the pointer.
    under: Option<String>,
    /// Where an interval begins whose end is not yet chosen.
    brush_start: Option<String>,
    /// The span in view.
    view: Option<View>,
    /// Whether the table of what is in view is open.
    has_tables: bool,
    /// What it holds.
    tables: Vec<Option<protocol::Table>>,
}

/// The controller, where there is a browser.
type Held = Rc<Option<Controller>>;

/// A caption that changes from outside of drawing.
#[derive(Clone)]
struct Shown {
    latest: Rc<RefCell<(Caption, Rc<Vec<Kept>>)>>,
    set: UseStateSetter<Caption>,
}

impl Shown {
    fn change(&self, change: impl FnOnce(&mut Caption, &[Kept])) {
        let now = {
            let (now, runs) = &mut *self.latest.borrow_mut();
            change(now, runs);
            now.clone()
        };
        self.set.set(now);
    }
}

#[component]
fn Lanes(props: &LanesProps) -> Html {
    let canvas_node = use_node_ref();
    let caption = use_state_eq(Caption::default);
    let latest = use_mut_ref(|| (Caption::default(), Rc::clone(&props.runs)));
    latest.borrow_mut().1 = Rc::clone(&props.runs);
    let shown = Shown { latest, set: caption.setter() };
    let controller: Held = use_memo((), |()| {
        let (shown, onspan, orders) = (shown.clone(), props.view.onspan.clone(), props.view.orders.clone());
        let told = Callback::from(move |told: Told| match told {
            Told::Chosen(column, cpu, moment) => {
                orders.emit(Order::Inspect(Moment { column, at_ns: moment as u64, cpu }));
            }
            Told::Brushed(brush) => {
                shown.change(|now, _| now.brush_start = None);
                orders.emit(Order::Act(Action::Brush(brush)));
            }
            told => {
                if let Told::Wait(wait, _) = &told {
                    orders.emit(Order::Act(Action::Study(Study::PointOut(Subject::of(wait)))));
                }
                shown.change(|now, runs| now.hear(told, runs, &onspan));
            }
        });
        props.view.pool.clone().map(|pool| Controller::new(pool, told))
    });
    use_canvas(&controller, &canvas_node, props);
    use_tables(&caption, &shown, props);
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
            { tools(&controller, &props.view.orders, 1 < props.runs.len()) }
            <div ref={props.frame.node.clone()} class="timeline-box fades">
                <canvas ref={canvas_node} id="timeline-canvas" data-testid="timeline-canvas" tabindex="0"
                    role="application" aria-roledescription={text::TIMELINE} aria-label={text::TIMELINE_LABEL}
                    {onkeydown} />
            </div>
            { caption.html(&props.view) }
            { key() }
            { tables(&caption, &shown, &props.runs) }
        </>
    }
}

impl Caption {
    fn hear(&mut self, told: Told, runs: &[Kept], onspan: &Callback<(f64, f64)>) {
        let summary = |run: usize| runs.get(run).map(|kept| &kept.summary);
        match told {
            Told::Wait(wait, facts) => {
                self.pointed = summary(wait.run).map(|summary| caption::wait(&wait, &facts, summary));
            }
            Told::NoWait => self.pointed = None,
            Told::Under(run, facts, view) => {
                self.under = summary(run).and_then(|summary| caption::under(&facts, summary, &view));
            }
            Told::Nothing => self.under = None,
            Told::Moved(moved, is_by_hand) => {
                self.view = Some(moved);
                if is_by_hand {
                    onspan.emit((moved.from, moved.to));
                }
            }
            Told::BrushBegun(start, view) => {
                self.brush_start = Some(text::brush_begun(&format::moment(start, view.span())));
            }
            // What the page is to do changes nothing here.
            Told::Chosen(..) | Told::Brushed(_) => {}
        }
    }

    fn html(&self, view: &TimelineView) -> Html {
        let pointed = self.pointed.as_deref().unwrap_or(text::NO_LONG_WAIT);
        let under = self.under.as_deref().unwrap_or(text::HOVER_HINT);
        let attributes = [("data-testid", "timeline-wait"), ("aria-live", "polite")];
        let under_attributes = [("class", "under"), ("data-testid", "timeline-under")];
        let parts = vec![
            el("p", &attributes, vec![plain(pointed)]),
            el("p", &under_attributes, vec![plain(under)]),
            self.brush(view),
        ];
        el("div", &[("class", "timeline-caption")], parts)
    }

    /// To which interval the charts are restricted, and the way back.
    fn brush(&self, view: &TimelineView) -> Html {
        let mut parts = Vec::new();
        if let Some(begun) = &self.brush_start {
            parts.push(said("span", "", begun));
        } else if let Some(brush) = view.brush {
            parts.push(said("span", "", &text::brushed(brush.from_ns, brush.to_ns)));
            let clear = Button::small(text::BRUSH_CLEAR, "brush-clear").with_picture(Icon::Close);
            parts.push(clear.html(click(&view.orders, Order::Act(Action::Brush(None)))));
        }
        let attributes = [("class", "brush"), ("data-testid", "timeline-brush"), ("role", "status")];
        el("div", &attributes, parts)
    }
}

/// What the canvas depends on.
#[derive(Clone, PartialEq)]
struct Drawn {
    runs: Rc<Vec<Kept>>,
    width: u32,
    theme: AttrValue,
    focus: Option<Focus>,
    brush: Option<Brush>,
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
        let now = Drawn { runs: Rc::clone(&props.runs), width, theme, focus, brush };
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

/// Reads what is in view as rows, while somebody wants to see that.
#[hook]
fn use_tables(caption: &Caption, shown: &Shown, props: &LanesProps) {
    let (shown, runs, pool) = (shown.clone(), Rc::clone(&props.runs), props.view.pool.clone());
    let view = caption.view.filter(|_| caption.has_tables);
    use_change((view, Rc::clone(&runs)), move || {
        let (pool, view) = pool.zip(view)?;
        let read = move || {
            shown.change(|now, _| now.tables = vec![None; runs.len()]);
            for (run, kept) in runs.iter().enumerate() {
                let shown = shown.clone();
                let answers = Callback::from(move |body| {
                    if let AnswerBody::Table(table) = body {
                        shown.change(|now, _| {
                            if let Some(place) = now.tables.get_mut(run) {
                                *place = Some(table);
                            }
                        });
                    }
                });
                let (from_ns, to_ns) = (view.from as u64, view.to as u64);
                let request = RequestBody::Table { run: kept.summary.run, from_ns, to_ns, limit: ROWS };
                pool.ask(kept.worker, request, answers);
            }
        };
        Some(browser::after(REST_MS, read).undo())
    });
}

fn tools(controller: &Held, orders: &Orders, is_comparison: bool) -> Html {
    let act = |what: fn(&Controller)| {
        let controller = Rc::clone(controller);
        Callback::from(move |_: MouseEvent| {
            if let Some(controller) = &*controller {
                what(controller);
            }
        })
    };
    let picture = |label, shown, testid, what| Button::picture(shown, label, testid).html(act(what));
    let words = |label, testid, what| Button::small(label, testid).html(act(what));
    let parting = Button::small(text::FIRST_DIVERGENCE, "divergence-first").enabled(is_comparison);
    let tools = vec![
        parting.html(click(orders, Order::Part(Parting::First))),
        words(text::PREVIOUS_WAIT, "wait-previous", |controller| controller.step(false)),
        words(text::NEXT_WAIT, "wait-next", |controller| controller.step(true)),
        words(text::LONGEST, "wait-longest", Controller::go_to_longest),
        said("span", "spacer", ""),
        picture(text::EARLIER, Icon::Left, "earlier", |controller| controller.pan(-0.3)),
        picture(text::LATER, Icon::Right, "later", |controller| controller.pan(0.3)),
        picture(text::ZOOM_IN, Icon::Plus, "zoom-in", |controller| controller.zoom(0.5, 0.5)),
        picture(text::ZOOM_OUT, Icon::Minus, "zoom-out", |controller| controller.zoom(0.5, 2.0)),
        words(text::FIT, "fit", Controller::fit),
        words(text::BRUSH_VIEW, "brush-view", Controller::brush_view),
    ];
    el("div", &[("class", "timeline-tools"), ("role", "group"), ("aria-label", text::TIMELINE)], tools)
}

fn key() -> Html {
    let item = |shapes: Vec<Html>, words: &str| el("span", &[], vec![sign(26.0, 12.0, shapes), plain(words)]);
    let whole = [0.0, 0.0, 26.0, 12.0];
    let mut wasted = vec![rect("swatch-wasted-ground", whole, 0.0, "")];
    for (column, row) in [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (3, 1)] {
        let place = [f64::from(2 + 6 * column), f64::from(2 + 6 * row), 2.0, 2.0];
        wasted.push(rect("swatch-wasted", place, 0.0, ""));
    }
    let hatch = path("swatch-wait", "M-2 14L14 -2M4 14L20 -2M10 14L26 -2M16 14L32 -2", "");
    let items = vec![
        item(vec![rect("swatch-run", whole, 0.0, "")], text::KEY_RUNNING),
        item(vec![rect("swatch-idle", [0.0, 9.0, 26.0, 3.0], 0.0, "")], text::KEY_IDLE),
        item(vec![rect("swatch-wait-ground", whole, 0.0, ""), hatch], text::KEY_WAITING),
        item(wasted, text::KEY_WASTED),
        item(vec![path("swatch-arrow", "M13 1v10M10 7l3 4 3-4", "")], text::KEY_ARROW),
    ];
    el("div", &[("class", "swatches")], items)
}

/// What is in view as rows: made only while it is open.
fn tables(caption: &Caption, shown: &Shown, runs: &[Kept]) -> Html {
    let ontoggle = {
        let shown = shown.clone();
        Callback::from(move |event: Event| {
            if let Some(details) = event.target_dyn_into::<HtmlElement>() {
                shown.change(|now, _| now.has_tables = details.has_attribute("open"));
            }
        })
    };
    let mut parts = vec![said("summary", "", text::TABLE_OF_VIEW)];
    if caption.has_tables {
        let known = runs.iter().zip(&caption.tables);
        let tables = known.filter_map(|(kept, table)| Some(rows(&kept.summary, table.as_ref()?).html()));
        let attributes = [
            ("class", "timeline-table"),
            ("tabindex", "0"),
            ("role", "group"),
            ("aria-label", text::TABLE_OF_VIEW),
        ];
        parts.push(el("div", &attributes, tables.collect()));
    }
    html! { <details {ontoggle} data-testid="timeline-details">{ parts.into_iter().collect::<Html>() }</details> }
}

fn rows(summary: &RunSummary, found: &protocol::Table) -> Table {
    let shown = found.from_ns.len();
    let moment = |ns: f64| Cell::from(format!("{}{}s", format::seconds(ns, 6), format::THIN));
    let row = |row: usize| {
        vec![
            moment(found.from_ns[row]),
            moment(found.to_ns[row]),
            found.cpu[row].to_string().into(),
            caption::task_name(summary, found.task[row]).into(),
            format::nanos(found.waited_ns[row]).text().into(),
            text::ENDED_BY.get(usize::from(found.ended_by[row])).copied().unwrap_or("").into(),
        ]
    };
    Table {
        class: "",
        testid: format!("timeline-table-{}", summary.column_name),
        caption: text::rows_shown(&summary.column_name, shown, found.total),
        head: text::TABLE_HEADINGS.map(Cell::from).into(),
        rows: (0..shown).map(row).collect(),
    }
}
