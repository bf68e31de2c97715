use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Object, Reflect, Uint8Array};
use protocol::{BadMessage, ExportOrder, ExportReply, MESSAGE, PART};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, ErrorEvent, MessageEvent, Worker};
use yew::Callback;

use crate::bridge::open_worker;
use crate::text::NO_WORKER;

/// A file that is being made by a worker of its own, which ends with this.
pub(super) struct Writing {
    worker: Worker,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(ErrorEvent)>,
}

/// What comes of it.
#[derive(Clone, Debug)]
pub(super) enum Told {
    /// So many bytes are there.
    Written(u64),
    /// The file, and the columns of which it tells only a part.
    Done(Blob, Vec<String>),
    /// There is none, and why.
    Failed(String),
}

impl Writing {
    /// Starts a worker and gives it the order as soon as it listens.
    pub(super) fn begin(order: ExportOrder, told: Callback<Told>) -> Result<Writing, String> {
        let worker = open_worker("exporter_loader.js")?;
        let parts = Rc::new(RefCell::new((Array::new(), 0)));
        let message = {
            let (worker, told) = (worker.clone(), told.clone());
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                let heard = hear(&event.data(), &worker, &order, &mut parts.borrow_mut());
                if let Some(heard) = heard.unwrap_or_else(|message| Some(Told::Failed(message))) {
                    told.emit(heard);
                }
            })
        };
        let error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            // A script that cannot be fetched gives an event without a message.
            let said = event.message();
            told.emit(Told::Failed(if said.is_empty() { NO_WORKER.to_owned() } else { said }));
        });
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        Ok(Writing { worker, _message: message, _error: error })
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

fn hear(
    envelope: &JsValue,
    worker: &Worker,
    order: &ExportOrder,
    (parts, written): &mut (Array, u64),
) -> Result<Option<Told>, String> {
    let bytes = |name: &str| Reflect::get(envelope, &name.into()).ok()?.dyn_into::<Uint8Array>().ok();
    let reply = bytes(MESSAGE).ok_or(BadMessage).and_then(|bytes| ExportReply::from_bytes(&bytes.to_vec()));
    let reply = reply.map_err(|error| error.to_string())?;
    Ok(match reply {
        ExportReply::Ready => {
            let envelope = Object::new();
            let bytes = order.to_bytes().map_err(|error| error.to_string())?;
            Reflect::set(&envelope, &MESSAGE.into(), &Uint8Array::from(bytes.as_slice()))
                .and_then(|_| worker.post_message(&envelope))
                .map_err(|_| NO_WORKER.to_owned())?;
            None
        }
        ExportReply::Part => {
            if let Some(part) = bytes(PART) {
                *written += u64::from(part.length());
                parts.push(&part);
            }
            Some(Told::Written(*written))
        }
        ExportReply::Done { cut_columns } => {
            let file = Blob::new_with_u8_array_sequence(parts).map_err(|_| NO_WORKER.to_owned())?;
            Some(Told::Done(file, cut_columns))
        }
        ExportReply::Failed { message } => Some(Told::Failed(message)),
    })
}
