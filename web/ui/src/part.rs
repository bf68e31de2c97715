//! Parts of the page that are made again only when what they are made from has changed.

use std::any::Any;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// What a part is drawn into.
#[derive(Clone, PartialEq)]
pub(crate) struct Frame {
    /// The element whose width is measured, if the part wants that.
    pub(crate) node: NodeRef,
    /// The width of that element in CSS pixels, once known.
    pub(crate) width: Option<f64>,
    /// What is selected in the part, by its position.
    pub(crate) selected: Option<usize>,
    /// Called with what somebody points at.
    pub(crate) onselect: Callback<usize>,
}

/// Something that a part of the page is made from.
trait Source {
    /// Whether the part would look the same.
    fn is_same(&self, other: &dyn Source) -> bool;
    /// For [`Source::is_same`].
    fn as_any(&self) -> &dyn Any;
    /// Makes the part.
    fn draw(&self, frame: &Frame) -> Html;
}

struct Made<T> {
    from: T,
    by: fn(&T) -> Html,
}

struct Framed<T> {
    from: T,
    by: fn(&T, &Frame) -> Html,
}

impl<T: PartialEq + 'static> Source for Made<T> {
    fn is_same(&self, other: &dyn Source) -> bool {
        other.as_any().downcast_ref::<Made<T>>().is_some_and(|other| other.from == self.from)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn draw(&self, _frame: &Frame) -> Html {
        (self.by)(&self.from)
    }
}

impl<T: PartialEq + 'static> Source for Framed<T> {
    fn is_same(&self, other: &dyn Source) -> bool {
        other.as_any().downcast_ref::<Framed<T>>().is_some_and(|other| other.from == self.from)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn draw(&self, frame: &Frame) -> Html {
        (self.by)(&self.from, frame)
    }
}

#[derive(Properties)]
struct Props {
    source: Rc<dyn Source>,
}

impl PartialEq for Props {
    fn eq(&self, other: &Props) -> bool {
        self.source.is_same(&*other.source)
    }
}

#[component]
fn Part(props: &Props) -> Html {
    let node = use_node_ref();
    let state = use_state_eq(|| (None::<f64>, None::<usize>));
    // Measuring and pointing come from outside of drawing: each changes what the other has left.
    let latest = use_mut_ref(|| *state);
    *latest.borrow_mut() = *state;
    {
        let (node, latest, set) = (node.clone(), Rc::clone(&latest), state.setter());
        use_change((), move || {
            watch(&node, move |width| {
                latest.borrow_mut().0 = Some(width);
                set.set(*latest.borrow());
            })
        });
    }
    let onselect = {
        let set = state.setter();
        Callback::from(move |index| {
            latest.borrow_mut().1 = Some(index);
            set.set(*latest.borrow());
        })
    };
    let (width, selected) = *state;
    props.source.draw(&Frame { node, width, selected, onselect })
}

/// Tells the width of an element, where there is one, now and whenever it changes.
fn watch(node: &NodeRef, told: impl Fn(f64) + 'static) -> Undo {
    let element = node.cast::<Element>()?;
    let measure: Box<dyn FnMut()> = {
        let element = element.clone();
        Box::new(move || {
            let found = element.get_bounding_client_rect().width().floor();
            if 0.0 < found {
                told(found);
            }
        })
    };
    let handler = Closure::<dyn FnMut()>::wrap(measure);
    // It tells once as soon as it watches.
    let observer = ResizeObserver::new(handler.as_ref().unchecked_ref()).ok()?;
    observer.observe(&element);
    Some(Box::new(move || {
        observer.disconnect();
        drop(handler);
    }))
}

/// A part of the page that is made again only when what it is made from has changed.
pub(crate) fn memo<T: PartialEq + 'static>(from: T, by: fn(&T) -> Html) -> Html {
    part(Rc::new(Made { from, by }))
}

/// The same for a part that depends on the room that it has and on what is selected in it.
pub(crate) fn framed<T: PartialEq + 'static>(from: T, by: fn(&T, &Frame) -> Html) -> Html {
    part(Rc::new(Framed { from, by }))
}

fn part(source: Rc<dyn Source>) -> Html {
    html! { <Part {source} /> }
}

/// What undoes an effect.
pub(crate) type Undo = Option<Box<dyn FnOnce()>>;

trait Same {
    fn is_same(&self, other: &dyn Any) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<T: PartialEq + 'static> Same for T {
    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| other == self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct Cause(Box<dyn Same>);

impl PartialEq for Cause {
    fn eq(&self, other: &Cause) -> bool {
        self.0.is_same((*other.0).as_any())
    }
}

/// Runs `effect` after drawing whenever `on` is another than before; what it returns is run before the next time. The
/// framework's own hook would be compiled anew for every type.
#[hook]
pub(crate) fn use_change<T: PartialEq + 'static>(on: T, effect: impl FnOnce() -> Undo + 'static) {
    use_boxed_change(Cause(Box::new(on)), Box::new(effect));
}

#[hook]
fn use_boxed_change(on: Cause, effect: Box<dyn FnOnce() -> Undo>) {
    use_effect_with(on, move |_| {
        let undo = effect();
        move || {
            if let Some(undo) = undo {
                undo();
            }
        }
    });
}
