//! How messages cross between page and worker: see the documentation of the `protocol` crate.

use js_sys::{Array, ArrayBuffer, Float32Array, Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use protocol::{Answer, BadMessage, ColumnRef, KIND, MESSAGE, Request};
use wasm_bindgen::{JsCast, JsValue};

/// The request in a posted object.
pub(crate) fn decode(envelope: &JsValue) -> Result<Request, String> {
    let bytes =
        Reflect::get(envelope, &MESSAGE.into()).ok().and_then(|bytes| bytes.dyn_into::<Uint8Array>().ok());
    let bytes = bytes.ok_or_else(|| BadMessage.to_string())?;
    Request::from_bytes(&bytes.to_vec()).map_err(|error| error.to_string())
}

/// An answer as the object to post, and the buffers to transfer with it.
///
/// Everything is copied once, out of the memory of the module, which can never be transferred itself.
pub(crate) fn encode(answer: &Answer) -> Result<(JsValue, Array), String> {
    let message = Uint8Array::from(answer.to_bytes().map_err(|error| error.to_string())?.as_slice());
    let envelope = Object::new();
    let transfer = Array::new();
    set(&envelope, KIND, &answer.body.kind().into())?;
    set(&envelope, MESSAGE, &message)?;
    transfer.push(&message.buffer());
    for (name, column) in answer.body.columns() {
        // An empty column arrives as what it is when it is left out.
        if !column.is_empty() {
            let (array, buffer) = typed_array(column);
            set(&envelope, name, &array)?;
            transfer.push(&buffer);
        }
    }
    Ok((envelope.into(), transfer))
}

fn typed_array(column: ColumnRef<'_>) -> (JsValue, ArrayBuffer) {
    match column {
        ColumnRef::F32(values) => {
            let array = Float32Array::from(values);
            (array.clone().into(), array.buffer())
        }
        ColumnRef::F64(values) => {
            let array = Float64Array::from(values);
            (array.clone().into(), array.buffer())
        }
        ColumnRef::U32(values) => {
            let array = Uint32Array::from(values);
            (array.clone().into(), array.buffer())
        }
        ColumnRef::U8(values) => {
            let array = Uint8Array::from(values);
            (array.clone().into(), array.buffer())
        }
    }
}

fn set(object: &Object, name: &str, value: &JsValue) -> Result<(), String> {
    Reflect::set(object, &name.into(), value).map(|_| ()).map_err(|_| format!("cannot set {name}"))
}
