//! The width of an element, for charts that are drawn to measure.

use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// The width in CSS pixels of the element behind a reference, now and whenever it changes; `until_known` before.
#[hook]
pub(crate) fn use_width(node: &NodeRef, until_known: f64) -> f64 {
    let width = use_state_eq(|| until_known);
    {
        let width = width.clone();
        let node = node.clone();
        use_effect_with((), move |()| {
            let watched = node.cast::<Element>().and_then(|element| {
                let measure = {
                    let element = element.clone();
                    move || {
                        let found = element.get_bounding_client_rect().width().floor();
                        if 0.0 < found {
                            width.set(found);
                        }
                    }
                };
                measure();
                let handler = Closure::<dyn FnMut()>::new(measure);
                let observer = ResizeObserver::new(handler.as_ref().unchecked_ref()).ok()?;
                observer.observe(&element);
                Some((observer, handler))
            });
            move || {
                if let Some((observer, _handler)) = watched {
                    observer.disconnect();
                }
            }
        });
    }
    *width
}
