//! Pointer, wheel and keys over the timeline.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{
    AddEventListenerOptions, Event, HtmlCanvasElement, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent,
};

use protocol::EventSort;

use super::controller::Controller;
use super::view::View;
use crate::browser;

/// A pointer that moves less than this was a tap.
const TAP: f64 = 4.0;
/// How long a finger rests until it is told what is under it.
const LONG_PRESS_MS: i32 = 500;
/// How much one step of the wheel zooms.
const WHEEL: f64 = 0.0022;

/// What is listened to. A long press must not open the browser's menu.
const NAMES: [&str; 8] = [
    "pointerdown",
    "pointermove",
    "pointerup",
    "pointercancel",
    "pointerleave",
    "wheel",
    "dblclick",
    "contextmenu",
];

/// The listeners of a canvas; they end when this is dropped.
pub(crate) struct Listeners {
    canvas: HtmlCanvasElement,
    handlers: Vec<(&'static str, Handler)>,
}

type Handler = Closure<dyn FnMut(Event)>;

/// Whoever points at a canvas. Clones share it.
#[derive(Clone)]
struct Hand {
    canvas: HtmlCanvasElement,
    controller: Controller,
    fingers: Rc<RefCell<Fingers>>,
}

#[derive(Default)]
struct Fingers {
    /// Pointers that are down: id and where.
    down: Vec<(i32, f64, f64)>,
    drag: Option<Drag>,
    /// Grows with every press and release, so that a long press that is over is not heard.
    serial: u32,
    /// Whether the last one was a finger.
    is_touch: bool,
}

#[derive(Clone, Copy)]
struct Drag {
    start: (f64, f64),
    view: View,
    in_overview: bool,
    has_moved: bool,
    /// Where the interval begins that is being pulled up, with Shift.
    brush: Option<f64>,
    /// The distance between two fingers at the start.
    pinch: Option<f64>,
}

/// Listens to everything that points at a canvas. The framework's own listeners cannot keep the page from scrolling.
pub(crate) fn listen(canvas: &HtmlCanvasElement, controller: &Controller) -> Listeners {
    let hand = Hand { canvas: canvas.clone(), controller: controller.clone(), fingers: Rc::default() };
    let mut listeners = Listeners { canvas: canvas.clone(), handlers: Vec::new() };
    for name in NAMES {
        let hand = hand.clone();
        let handler = Closure::<dyn FnMut(Event)>::new(move |event: Event| hand.heard(name, &event));
        let options = AddEventListenerOptions::new();
        options.set_passive(false);
        let _ = listeners.canvas.add_event_listener_with_callback_and_add_event_listener_options(
            name,
            handler.as_ref().unchecked_ref(),
            &options,
        );
        listeners.handlers.push((name, handler));
    }
    listeners
}

impl Drop for Listeners {
    fn drop(&mut self) {
        for (name, handler) in &self.handlers {
            let _ = self.canvas.remove_event_listener_with_callback(name, handler.as_ref().unchecked_ref());
        }
    }
}

impl Hand {
    fn heard(&self, name: &str, event: &Event) {
        if name == "contextmenu" {
            if self.fingers.borrow().is_touch {
                event.prevent_default();
            }
        } else if let Some(pointer) = event.dyn_ref::<PointerEvent>() {
            let place = (f64::from(pointer.offset_x()), f64::from(pointer.offset_y()));
            match name {
                "pointerdown" if pointer.button() == 0 => self.press(pointer, place),
                "pointermove" => self.moved(pointer, place),
                "pointerup" => self.release(pointer, place, false),
                "pointercancel" => self.release(pointer, place, true),
                "pointerleave" if self.fingers.borrow().down.is_empty() && is_mouse(pointer) => {
                    self.controller.hover(None);
                }
                _ => {}
            }
        } else if let Some(wheel) = event.dyn_ref::<WheelEvent>() {
            turn(wheel, &self.controller);
        } else if let Some(mouse) = event.dyn_ref::<MouseEvent>() {
            let share = self.controller.layout().share(f64::from(mouse.offset_x()));
            if 0.0 <= share {
                self.controller.zoom(share.min(1.0), 0.35);
            }
        }
    }

    fn press(&self, pointer: &PointerEvent, place: (f64, f64)) {
        let _ = self.canvas.set_pointer_capture(pointer.pointer_id());
        let in_overview = self.controller.layout().is_in_overview(place.1);
        let is_brush = pointer.shift_key();
        {
            let mut fingers = self.fingers.borrow_mut();
            fingers.is_touch = !is_mouse(pointer);
            fingers.down.retain(|(id, ..)| *id != pointer.pointer_id());
            fingers.down.push((pointer.pointer_id(), place.0, place.1));
            let brush = is_brush.then(|| moment_at(&self.controller, place));
            fingers.begin(&self.controller, Drag { brush, ..Drag::at(place, in_overview, &self.controller) });
        }
        if in_overview && !is_brush {
            centre(&self.controller, place.0);
        }
        if !is_mouse(pointer) {
            self.await_long_press(place);
        }
    }

    /// A finger that rests is told what is under it, and is no tap.
    fn await_long_press(&self, place: (f64, f64)) {
        let (hand, serial) = (self.clone(), self.fingers.borrow().serial);
        browser::after(LONG_PRESS_MS, move || {
            let rests = {
                let mut fingers = hand.fingers.borrow_mut();
                let is_same = fingers.serial == serial;
                match fingers.drag.as_mut().filter(|drag| is_same && !drag.has_moved && !drag.in_overview) {
                    Some(drag) => {
                        drag.has_moved = true;
                        // From now on the finger points instead of moving the view.
                        drag.brush = None;
                        fingers.drag = None;
                        true
                    }
                    None => false,
                }
            };
            if rests {
                hand.controller.hover(Some(place));
            }
        });
    }

    fn moved(&self, pointer: &PointerEvent, place: (f64, f64)) {
        let mut fingers = self.fingers.borrow_mut();
        if let Some(down) = fingers.down.iter_mut().find(|(id, ..)| *id == pointer.pointer_id()) {
            (down.1, down.2) = place;
        }
        let (now, spread) = (fingers.middle().unwrap_or(place), fingers.spread());
        let Some(drag) = fingers.drag.as_mut() else {
            drop(fingers);
            self.controller.hover(Some(place));
            return;
        };
        let by = (now.0 - drag.start.0, now.1 - drag.start.1);
        if TAP < by.0.abs() || TAP < by.1.abs() || drag.pinch.is_some() {
            drag.has_moved = true;
        }
        if !drag.has_moved {
            return;
        }
        let drag = *drag;
        drop(fingers);
        self.drag(drag, place, by.0, spread);
    }

    fn drag(&self, drag: Drag, place: (f64, f64), by: f64, spread: Option<f64>) {
        let controller = &self.controller;
        let _ = self.canvas.class_list().add_1("dragging");
        if let Some(start) = drag.brush {
            controller.pull_brush(start, moment_at(controller, place), false);
        } else if drag.in_overview {
            centre(controller, place.0);
        } else {
            let (layout, end) = (controller.layout(), controller.end());
            let share = by / layout.time_width();
            let view = match drag.pinch.zip(spread) {
                // What was between the fingers stays there, wherever they go.
                Some((before, now)) => {
                    let middle = layout.share(drag.start.0).clamp(0.0, 1.0);
                    drag.view.zoomed(middle, before / now.max(1.0), end)
                }
                None => drag.view,
            };
            controller.look_at(view.panned(-share, end));
        }
    }

    fn release(&self, pointer: &PointerEvent, place: (f64, f64), is_cancelled: bool) {
        let ended = {
            let mut fingers = self.fingers.borrow_mut();
            fingers.down.retain(|(id, ..)| *id != pointer.pointer_id());
            let drag = fingers.drag.take();
            if let Some((x, y)) = fingers.middle() {
                // The finger that is left goes on from here, and is no tap.
                let drag = Drag { has_moved: true, ..Drag::at((x, y), false, &self.controller) };
                fingers.begin(&self.controller, drag);
                return;
            }
            fingers.serial += 1;
            drag
        };
        let _ = self.canvas.class_list().remove_1("dragging");
        match ended {
            Some(Drag { brush: Some(start), has_moved: true, .. }) => {
                self.controller.pull_brush(start, moment_at(&self.controller, place), true);
            }
            Some(Drag { has_moved: false, .. }) if !is_cancelled && !self.controller.press_gutter(place) => {
                self.controller.hover(Some(place));
                self.controller.choose(Some(place));
            }
            _ => {}
        }
    }
}

fn is_mouse(pointer: &PointerEvent) -> bool {
    pointer.pointer_type() == "mouse"
}

impl Drag {
    fn at(start: (f64, f64), in_overview: bool, controller: &Controller) -> Drag {
        Drag { start, view: controller.view(), in_overview, has_moved: false, brush: None, pinch: None }
    }
}

impl Fingers {
    /// Begins a drag of the fingers that are down.
    fn begin(&mut self, controller: &Controller, drag: Drag) {
        self.serial += 1;
        let pinch = self.spread();
        let start = self.middle().unwrap_or(drag.start);
        self.drag = Some(Drag { start, pinch, view: controller.view(), ..drag });
    }

    fn spread(&self) -> Option<f64> {
        match self.down[..] {
            [(_, x0, y0), (_, x1, y1)] => Some((x1 - x0).hypot(y1 - y0)),
            _ => None,
        }
    }

    /// The middle of the fingers that are down.
    fn middle(&self) -> Option<(f64, f64)> {
        let count = self.down.len() as f64;
        let sum = self.down.iter().fold((0.0, 0.0), |sum, (_, x, y)| (sum.0 + x, sum.1 + y));
        (0.0 < count).then_some((sum.0 / count, sum.1 / count))
    }
}

/// The moment at a place: of the whole run in the overview, of the view elsewhere.
fn moment_at(controller: &Controller, (x, y): (f64, f64)) -> f64 {
    let layout = controller.layout();
    let share = layout.share(x).clamp(0.0, 1.0);
    if layout.is_in_overview(y) { share * controller.end() } else { controller.view().at(share) }
}

/// Puts the middle of the view where somebody points in the overview.
fn centre(controller: &Controller, x: f64) {
    let end = controller.end();
    let moment = controller.layout().share(x).clamp(0.0, 1.0) * end;
    let view = controller.view();
    let by = (moment - view.middle()) / view.span();
    controller.look_at(view.panned(by, end));
}

/// With Ctrl the wheel zooms; sideways, or with Shift, it moves; else the page scrolls.
fn turn(wheel: &WheelEvent, controller: &Controller) {
    let layout = controller.layout();
    let sideways =
        if wheel.shift_key() && wheel.delta_x() == 0.0 { wheel.delta_y() } else { wheel.delta_x() };
    if wheel.ctrl_key() || wheel.meta_key() {
        wheel.prevent_default();
        let share = layout.share(f64::from(wheel.offset_x())).clamp(0.0, 1.0);
        controller.zoom(share, (wheel.delta_y() * WHEEL).exp());
    } else if wheel.delta_y().abs() < sideways.abs() || wheel.shift_key() {
        wheel.prevent_default();
        controller.pan(sideways / layout.time_width());
    }
}

/// A key pressed while the timeline has the focus; whether it meant something.
pub(crate) fn key(event: &KeyboardEvent, controller: &Controller) -> bool {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return false;
    }
    let step = if event.shift_key() { 0.5 } else { 0.1 };
    match event.key().as_str() {
        "ArrowLeft" => controller.pan(-step),
        "ArrowRight" => controller.pan(step),
        "+" | "=" => controller.zoom(0.5, 0.6),
        "-" | "_" => controller.zoom(0.5, 1.0 / 0.6),
        "0" | "Home" => controller.fit(),
        "Enter" => controller.choose(None),
        "b" => controller.brush_here(),
        "ArrowDown" => controller.walk_rows(true),
        "ArrowUp" => controller.walk_rows(false),
        "f" => controller.fold_row(false),
        "F" => controller.fold_row(true),
        "t" => controller.other_kind(),
        "e" => controller.walk(true, EventSort::Any),
        "E" => controller.walk(false, EventSort::Any),
        "u" => controller.walk(true, EventSort::Wakeup),
        "U" => controller.walk(false, EventSort::Wakeup),
        "s" => controller.walk(true, EventSort::Start),
        "S" => controller.walk(false, EventSort::Start),
        " " => controller.toggle_play(),
        "Escape" if controller.clear_brush() => {}
        _ => return false,
    }
    event.prevent_default();
    true
}
