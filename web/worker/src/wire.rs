//! How messages cross between page and worker: see the documentation of the `protocol` crate.

use js_sys::{Array, ArrayBuffer, Float32Array, Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use protocol::{Answer, ColumnRef, MESSAGE, Request};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

/// The request in a posted object.
pub(crate) fn decode(envelope: &JsValue) -> Result<Request, String> {
    let message = Reflect::get(envelope, &MESSAGE.into()).map_err(|_| "not an object".to_owned())?;
    serde_wasm_bindgen::from_value(message).map_err(|error| error.to_string())
}

/// An answer as the object to post, and the buffers to transfer with it.
///
/// Columns are copied once, out of the memory of the module, which can never be transferred itself.
pub(crate) fn encode(answer: &Answer) -> Result<(JsValue, Array), String> {
    let message = answer.serialize(&Serializer::json_compatible()).map_err(|error| error.to_string())?;
    let envelope = Object::new();
    let transfer = Array::new();
    set(&envelope, MESSAGE, &message)?;
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
