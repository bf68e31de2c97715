//! Pointer, wheel and keys over the timeline.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{
    AddEventListenerOptions, Event, HtmlCanvasElement, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent,
};

use super::controller::Controller;
use super::view::View;

/// A pointer that moves less than this was a tap.
const TAP: f64 = 4.0;
/// How much one step of the wheel zooms.
const WHEEL: f64 = 0.0022;

/// The listeners of a canvas; they end when this is dropped.
pub(crate) struct Listeners {
    canvas: HtmlCanvasElement,
    handlers: Vec<(&'static str, Handler)>,
}

type Handler = Closure<dyn FnMut(Event)>;

#[derive(Default)]
struct Hands {
    /// Pointers that are down: id and where.
    down: Vec<(i32, f64, f64)>,
    drag: Option<Drag>,
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
    let hands = Rc::new(RefCell::new(Hands::default()));
    let mut listeners = Listeners { canvas: canvas.clone(), handlers: Vec::new() };
    let names =
        ["pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "wheel", "dblclick"];
    for name in names {
        let (canvas, controller, hands) = (canvas.clone(), controller.clone(), Rc::clone(&hands));
        let handler = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            heard(name, &event, &canvas, &controller, &mut hands.borrow_mut());
        });
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

fn heard(name: &str, event: &Event, canvas: &HtmlCanvasElement, controller: &Controller, hands: &mut Hands) {
    if let Some(pointer) = event.dyn_ref::<PointerEvent>() {
        let place = (f64::from(pointer.offset_x()), f64::from(pointer.offset_y()));
        match name {
            "pointerdown" if pointer.button() == 0 => hands.press(pointer, place, canvas, controller),
            "pointermove" => hands.moved(pointer, place, canvas, controller),
            "pointerup" | "pointercancel" => hands.release(pointer, place, canvas, controller),
            "pointerleave" if hands.down.is_empty() && pointer.pointer_type() == "mouse" => {
                controller.hover(None);
            }
            _ => {}
        }
    } else if let Some(wheel) = event.dyn_ref::<WheelEvent>() {
        turn(wheel, controller);
    } else if let Some(mouse) = event.dyn_ref::<MouseEvent>() {
        let share = controller.layout().share(f64::from(mouse.offset_x()));
        controller.zoom(share.clamp(0.0, 1.0), 0.35);
    }
}

impl Hands {
    fn press(
        &mut self,
        pointer: &PointerEvent,
        place: (f64, f64),
        canvas: &HtmlCanvasElement,
        controller: &Controller,
    ) {
        self.down.retain(|(id, ..)| *id != pointer.pointer_id());
        self.down.push((pointer.pointer_id(), place.0, place.1));
        let _ = canvas.set_pointer_capture(pointer.pointer_id());
        let in_overview = controller.layout().is_in_overview(place.1);
        self.drag = Some(Drag {
            start: place,
            view: controller.view(),
            in_overview,
            has_moved: false,
            brush: pointer.shift_key().then(|| moment_at(controller, place)),
            pinch: self.spread(),
        });
        if in_overview && !pointer.shift_key() {
            centre(controller, place.0);
        }
    }

    fn moved(
        &mut self,
        pointer: &PointerEvent,
        place: (f64, f64),
        canvas: &HtmlCanvasElement,
        controller: &Controller,
    ) {
        if let Some(down) = self.down.iter_mut().find(|(id, ..)| *id == pointer.pointer_id()) {
            (down.1, down.2) = place;
        }
        let spread = self.spread();
        let Some(drag) = self.drag.as_mut().filter(|_| !self.down.is_empty()) else {
            controller.hover(Some(place));
            return;
        };
        let by = place.0 - drag.start.0;
        if TAP < by.abs() || TAP < (place.1 - drag.start.1).abs() {
            drag.has_moved = true;
        }
        if !drag.has_moved {
            return;
        }
        let _ = canvas.class_list().add_1("dragging");
        if let Some(start) = drag.brush {
            controller.pull_brush(start, moment_at(controller, place), false);
        } else if drag.in_overview {
            centre(controller, place.0);
        } else if let (Some(before), Some(now)) = (drag.pinch, spread) {
            let layout = controller.layout();
            let share = layout.share(drag.start.0).clamp(0.0, 1.0);
            controller.look_at(drag.view.zoomed(share, before / now.max(1.0), controller.end()));
        } else {
            let share = by / controller.layout().time_width();
            controller.look_at(drag.view.panned(-share, controller.end()));
        }
    }

    fn release(
        &mut self,
        pointer: &PointerEvent,
        place: (f64, f64),
        canvas: &HtmlCanvasElement,
        controller: &Controller,
    ) {
        self.down.retain(|(id, ..)| *id != pointer.pointer_id());
        if self.down.is_empty() {
            let _ = canvas.class_list().remove_1("dragging");
            match self.drag.take() {
                Some(Drag { brush: Some(start), has_moved: true, .. }) => {
                    controller.pull_brush(start, moment_at(controller, place), true);
                }
                Some(Drag { has_moved: false, .. }) => {
                    controller.hover(Some(place));
                    controller.choose(Some(place));
                }
                _ => {}
            }
        }
    }

    fn spread(&self) -> Option<f64> {
        match self.down[..] {
            [(_, x0, y0), (_, x1, y1)] => Some((x1 - x0).hypot(y1 - y0)),
            _ => None,
        }
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
        "Escape" if controller.clear_brush() => {}
        _ => return false,
    }
    event.prevent_default();
    true
}
