//! The timeline with its buttons, its caption and the table that stands in for it.

use std::rc::Rc;

use protocol::{AnswerBody, RequestBody, RunSummary, Table, TraceKept};
use web_sys::{HtmlCanvasElement, HtmlElement, KeyboardEvent};
use yew::prelude::*;

use super::{Panel, PanelState};
use crate::bridge::Pool;
use crate::charts::Tone;
use crate::controls::{Icon, icon, use_width};
use crate::timeline::{self, Controller, Kept, Told, View, caption};
use crate::{browser, format, text};

/// The most rows of the table for one run.
const ROWS: u32 = 200;
/// How long the view must rest before the table is read again.
const REST_MS: i32 = 250;

/// Properties of [`TimelinePanel`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The workers that keep the runs; none where there is no browser.
    pub(crate) pool: Option<Pool>,
    /// The runs.
    pub(crate) runs: PanelState<Rc<Vec<Kept>>>,
    /// The theme, whose change recolours the canvas.
    pub(crate) theme: AttrValue,
    /// The span that a link asks for, to begin with.
    #[prop_or_default]
    pub(crate) span: Option<(f64, f64)>,
    /// Called with the span in view when somebody has moved it.
    #[prop_or_default]
    pub(crate) onspan: Callback<(f64, f64)>,
}

/// See the module.
#[component]
pub(crate) fn TimelinePanel(props: &Props) -> Html {
    html! {
        <Panel id="timeline" title={text::TIMELINE} note={text::TIMELINE_NOTE} state={props.runs.name()}>
            { props.runs.body(|runs| html! {
                <>
                { for runs.iter().find_map(|kept| thinned(&kept.summary)).map(|words| html! { <p class="help">{ words }</p> }) }
                <Lanes pool={props.pool.clone()} runs={runs.clone()} theme={props.theme.clone()} span={props.span}
                    onspan={props.onspan.clone()} />
                </>
            }) }
        </Panel>
    }
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
    pool: Option<Pool>,
    runs: Rc<Vec<Kept>>,
    theme: AttrValue,
    span: Option<(f64, f64)>,
    onspan: Callback<(f64, f64)>,
}

#[component]
fn Lanes(props: &LanesProps) -> Html {
    let box_node = use_node_ref();
    let canvas_node = use_node_ref();
    let width = use_width(&box_node, 900.0);
    let pointed = use_state_eq(|| None::<(usize, String)>);
    let under = use_state_eq(|| None::<String>);
    let view = use_state_eq(|| None::<View>);
    let runs = use_mut_ref(|| Rc::clone(&props.runs));
    *runs.borrow_mut() = Rc::clone(&props.runs);
    let controller = use_memo(props.pool.clone(), |pool| {
        let (pointed, under, view, onspan) =
            (pointed.clone(), under.clone(), view.clone(), props.onspan.clone());
        let told = Callback::from(move |told: Told| {
            let runs = Rc::clone(&runs.borrow());
            let summary = |run: usize| runs.get(run).map(|kept| &kept.summary);
            match told {
                Told::Wait(wait, facts) => {
                    pointed.set(
                        summary(wait.run).map(|summary| (wait.run, caption::wait(&wait, &facts, summary))),
                    );
                }
                Told::NoWait => pointed.set(None),
                Told::Under(run, facts, view) => {
                    under.set(summary(run).and_then(|summary| caption::under(&facts, summary, &view)));
                }
                Told::Nothing => under.set(None),
                Told::Moved(moved, is_by_hand) => {
                    view.set(Some(moved));
                    if is_by_hand {
                        onspan.emit((moved.from, moved.to));
                    }
                }
            }
        });
        pool.clone().map(|pool| Controller::new(pool, told))
    });
    use_canvas(&controller, &canvas_node, width, props);
    use_wait_keys(&controller);
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
            { tools(&controller) }
            <div ref={box_node} class="timeline-box fades">
                <canvas ref={canvas_node} id="timeline-canvas" data-testid="timeline-canvas" tabindex="0" role="img"
                    aria-label={text::TIMELINE_LABEL} {onkeydown} />
            </div>
            <div class="timeline-caption">
                <p data-testid="timeline-wait" aria-live="polite">
                    { (*pointed).as_ref().map_or(text::NO_LONG_WAIT, |(_, words)| words) }
                </p>
                <p class="under" data-testid="timeline-under">{ (*under).as_deref().unwrap_or(text::HOVER_HINT) }</p>
            </div>
            { key() }
            <LaneTable pool={props.pool.clone()} runs={Rc::clone(&props.runs)} view={*view} />
        </>
    }
}

/// Keeps the canvas in step with runs, width and theme.
#[hook]
fn use_canvas(controller: &Rc<Option<Controller>>, node: &NodeRef, width: f64, props: &LanesProps) {
    {
        let (controller, node, span) = (Rc::clone(controller), node.clone(), props.span);
        use_effect_with(props.runs.clone(), move |runs| {
            if let Some(controller) = &*controller {
                controller.begin_at(span);
                controller.show(runs);
            }
            let _ = node;
        });
    }
    {
        let (controller, node) = (Rc::clone(controller), node.clone());
        use_effect_with(width, move |width| {
            if let (Some(controller), Some(canvas)) = (&*controller, node.cast::<HtmlCanvasElement>()) {
                controller.attach(canvas, *width);
            }
        });
    }
    {
        let controller = Rc::clone(controller);
        use_effect_with(props.theme.clone(), move |_| {
            if let Some(controller) = &*controller {
                controller.recolour();
            }
        });
    }
    let (controller, node) = (Rc::clone(controller), node.clone());
    use_effect_with((), move |()| {
        let canvas = node.cast::<HtmlCanvasElement>();
        let listeners = (*controller)
            .as_ref()
            .zip(canvas)
            .map(|(controller, canvas)| timeline::listen(&canvas, controller));
        move || drop(listeners)
    });
}

/// The keys that go from wait to wait work on the whole page, except where somebody types.
#[hook]
fn use_wait_keys(controller: &Rc<Option<Controller>>) {
    let controller = Rc::clone(controller);
    use_effect_with((), move |()| {
        let listener = browser::listen("keydown", move |event| {
            let (Some(controller), Some(key)) = (&*controller, browser::plain_key(&event)) else { return };
            match key.as_str() {
                "n" => controller.step(true),
                "p" => controller.step(false),
                "w" => controller.go_to_longest(),
                _ => {}
            }
        });
        move || drop(listener)
    });
}

fn tools(controller: &Rc<Option<Controller>>) -> Html {
    let act = |what: fn(&Controller)| {
        let controller = Rc::clone(controller);
        Callback::from(move |_: MouseEvent| {
            if let Some(controller) = &*controller {
                what(controller);
            }
        })
    };
    let picture = |label: &'static str, shown: Icon, testid: &'static str, what: fn(&Controller)| {
        html! {
            <button type="button" class="small" aria-label={label} title={label} onclick={act(what)} data-testid={testid}>
                { icon(shown) }
            </button>
        }
    };
    let words = |label: &'static str, testid: &'static str, what: fn(&Controller)| {
        html! { <button type="button" class="small" onclick={act(what)} data-testid={testid}>{ label }</button> }
    };
    html! {
        <div class="timeline-tools" role="group" aria-label={text::TIMELINE}>
            { words(text::PREVIOUS_WAIT, "wait-previous", |controller| controller.step(false)) }
            { words(text::NEXT_WAIT, "wait-next", |controller| controller.step(true)) }
            { words(text::LONGEST, "wait-longest", Controller::go_to_longest) }
            <span class="spacer" />
            { picture(text::EARLIER, Icon::Left, "earlier", |controller| controller.pan(-0.3)) }
            { picture(text::LATER, Icon::Right, "later", |controller| controller.pan(0.3)) }
            { picture(text::ZOOM_IN, Icon::Plus, "zoom-in", |controller| controller.zoom(0.5, 0.5)) }
            { picture(text::ZOOM_OUT, Icon::Minus, "zoom-out", |controller| controller.zoom(0.5, 2.0)) }
            { words(text::FIT, "fit", Controller::fit) }
        </div>
    }
}

fn key() -> Html {
    let item = |picture: Html, words: &'static str| {
        html! {
            <span>
                <svg width="26" height="12" viewBox="0 0 26 12" aria-hidden="true">{ picture }</svg>
                { words }
            </span>
        }
    };
    html! {
        <div class="swatches">
            { item(html! { <rect class="swatch-run" width="26" height="12" /> }, text::KEY_RUNNING) }
            { item(html! { <rect class="swatch-idle" y="9" width="26" height="3" /> }, text::KEY_IDLE) }
            { item(html! {
                <>
                    <rect class="swatch-wait-ground" width="26" height="12" />
                    <path class="swatch-wait" d="M-2 14L14 -2M4 14L20 -2M10 14L26 -2M16 14L32 -2" />
                </>
            }, text::KEY_WAITING) }
            { item(html! {
                <>
                    <rect class="swatch-wasted-ground" width="26" height="12" />
                    { for (0..4).flat_map(|x| (0..2).map(move |y| html! {
                        <rect class="swatch-wasted" x={(2 + 6 * x).to_string()} y={(2 + 6 * y).to_string()} width="2" height="2" />
                    })) }
                </>
            }, text::KEY_WASTED) }
            { item(html! { <path class="swatch-arrow" d="M13 1v10M10 7l3 4 3-4" /> }, text::KEY_ARROW) }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct TableProps {
    pool: Option<Pool>,
    runs: Rc<Vec<Kept>>,
    view: Option<View>,
}

/// What is in view as rows: read only while it is open.
#[component]
fn LaneTable(props: &TableProps) -> Html {
    let is_open = use_state_eq(|| false);
    let tables = use_state(|| Rc::new(Vec::<Option<Table>>::new()));
    let filling = use_mut_ref(Vec::<Option<Table>>::new);
    {
        let tables = tables.clone();
        let (pool, runs) = (props.pool.clone(), Rc::clone(&props.runs));
        use_effect_with((*is_open, props.view, Rc::clone(&props.runs)), move |(is_open, view, _)| {
            let timer = pool.zip(*view).filter(|_| *is_open).map(|(pool, view)| {
                browser::after(REST_MS, move || {
                    *filling.borrow_mut() = vec![None; runs.len()];
                    for (run, kept) in runs.iter().enumerate() {
                        let (tables, filling) = (tables.clone(), Rc::clone(&filling));
                        let answers = Callback::from(move |body| {
                            if let AnswerBody::Table(table) = body {
                                if let Some(place) = filling.borrow_mut().get_mut(run) {
                                    *place = Some(table);
                                }
                                tables.set(Rc::new(filling.borrow().clone()));
                            }
                        });
                        let (from_ns, to_ns) = (view.from as u64, view.to as u64);
                        pool.ask(
                            kept.worker,
                            RequestBody::Table { run: kept.summary.run, from_ns, to_ns, limit: ROWS },
                            answers,
                        );
                    }
                })
            });
            move || {
                if let Some(timer) = timer {
                    timer.clear();
                }
            }
        });
    }
    let ontoggle = {
        let is_open = is_open.clone();
        Callback::from(move |event: Event| {
            if let Some(details) = event.target_dyn_into::<HtmlElement>() {
                is_open.set(details.has_attribute("open"));
            }
        })
    };
    html! {
        <details {ontoggle} data-testid="timeline-details">
            <summary>{ text::TABLE_OF_VIEW }</summary>
            if *is_open {
                <div class="timeline-table" tabindex="0" role="group" aria-label={text::TABLE_OF_VIEW}>
                    { for props.runs.iter().zip(tables.iter()).enumerate().filter_map(|(run, (kept, table))| {
                        let tone = Tone::of(run, props.runs.len());
                        Some(rows(kept, table.as_ref()?, tone))
                    }) }
                </div>
            }
        </details>
    }
}

fn rows(kept: &Kept, table: &Table, tone: Tone) -> Html {
    let summary = &kept.summary;
    let shown = table.from_ns.len();
    let moment = |ns: f64| format!("{}{}s", format::seconds(ns, 6), format::THIN);
    html! {
        <table data-testid={format!("timeline-table-{}", summary.column_name)}>
            <caption class={tone.class()}>{ text::rows_shown(&summary.column_name, shown, table.total) }</caption>
            <thead><tr>{ for text::TABLE_HEADINGS.map(|heading| html! { <th scope="col">{ heading }</th> }) }</tr></thead>
            <tbody>
                { for (0..shown).map(|row| html! {
                    <tr>
                        <td>{ moment(table.from_ns[row]) }</td>
                        <td>{ moment(table.to_ns[row]) }</td>
                        <td>{ table.cpu[row] }</td>
                        <td>{ caption::task_name(summary, table.task[row]).to_owned() }</td>
                        <td>{ format::nanos(table.waited_ns[row]).text() }</td>
                        <td>{ text::ENDED_BY.get(usize::from(table.ended_by[row])).copied().unwrap_or("") }</td>
                    </tr>
                }) }
            </tbody>
        </table>
    }
}
