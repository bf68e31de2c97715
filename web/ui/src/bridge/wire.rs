//! How messages cross between page and worker: see the documentation of the `protocol` crate.

use js_sys::{Array, Float32Array, Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use protocol::{Answer, Column, KIND, MESSAGE, Request};
use wasm_bindgen::{JsCast, JsValue};

/// A request as the object to post.
pub(crate) fn encode(request: &Request) -> Result<JsValue, String> {
    let bytes = request.to_bytes().map_err(|error| error.to_string())?;
    let envelope = Object::new();
    set(&envelope, KIND, &request.body.kind().into())?;
    set(&envelope, MESSAGE, &Uint8Array::from(bytes.as_slice()))?;
    Ok(envelope.into())
}

/// The answer in a posted object, its columns put back.
pub(crate) fn decode(envelope: &JsValue) -> Result<Answer, String> {
    let bytes =
        Reflect::get(envelope, &MESSAGE.into()).ok().and_then(|bytes| bytes.dyn_into::<Uint8Array>().ok());
    let bytes = bytes.ok_or_else(|| "not a message of a worker".to_owned())?;
    let mut answer = Answer::from_bytes(&bytes.to_vec()).map_err(|error| error.to_string())?;
    let Some(envelope) = envelope.dyn_ref::<Object>() else {
        return Ok(answer);
    };
    for entry in Object::entries(envelope) {
        let entry: Array = entry.unchecked_into();
        let Some(name) = entry.get(0).as_string().filter(|name| name != MESSAGE && name != KIND) else {
            continue;
        };
        let column = column(&entry.get(1)).ok_or_else(|| format!("{name} is not a column"))?;
        answer.body.set_column(&name, column).map_err(|error| error.to_string())?;
    }
    Ok(answer)
}

fn column(value: &JsValue) -> Option<Column> {
    if let Some(values) = value.dyn_ref::<Float32Array>() {
        return Some(Column::F32(values.to_vec()));
    }
    if let Some(values) = value.dyn_ref::<Uint32Array>() {
        return Some(Column::U32(values.to_vec()));
    }
    if let Some(values) = value.dyn_ref::<Uint8Array>() {
        return Some(Column::U8(values.to_vec()));
    }
    value.dyn_ref::<Float64Array>().map(|values| Column::F64(values.to_vec()))
}

fn set(object: &Object, name: &str, value: &JsValue) -> Result<(), String> {
    Reflect::set(object, &name.into(), value).map(|_| ()).map_err(|_| format!("cannot set {name}"))
}
