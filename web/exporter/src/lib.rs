//! Exports in a worker of their own, which the page starts when somebody wants a file and ends when it has it.
//!
//! The writers of other tools' formats would make the worker that simulates heavier by a third, and few visitors need
//! them. An order names its runs completely, so this worker makes them anew; that takes as long as the first time.

use std::panic::PanicHookInfo;

use js_sys::{Array, Object, Reflect, Uint8Array};
use protocol::{BadMessage, ExportOrder, ExportReply, MESSAGE, PART};
use session::ExportJob;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// Events between two parts: a few megabytes of the wordiest format.
const EVENTS_A_PART: u64 = 1 << 16;

/// Makes the worker listen, and says so.
pub fn start() {
    std::panic::set_hook(Box::new(report_panic));
    let hear = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| match order(&event.data()) {
        Ok(order) => carry_out(order),
        Err(error) => tell(&ExportReply::Failed { message: error.to_string() }, None),
    });
    scope().set_onmessage(Some(hear.as_ref().unchecked_ref()));
    // It lives as long as the worker.
    hear.forget();
    tell(&ExportReply::Ready, None);
}

fn order(envelope: &JsValue) -> Result<ExportOrder, BadMessage> {
    let bytes = Reflect::get(envelope, &MESSAGE.into()).map_err(|_| BadMessage)?;
    let bytes = bytes.dyn_into::<Uint8Array>().map_err(|_| BadMessage)?;
    ExportOrder::from_bytes(&bytes.to_vec())
}

/// Makes the file in one go: whoever no longer wants it ends the worker.
fn carry_out(order: ExportOrder) {
    let mut job = ExportJob::new(order);
    loop {
        let is_complete = job.step(EVENTS_A_PART);
        let bytes = job.take_bytes();
        if !bytes.is_empty() {
            tell(&ExportReply::Part, Some(&bytes));
        }
        if is_complete {
            break;
        }
    }
    tell(&ExportReply::Done { cut_columns: job.cut_columns().to_vec() }, None);
}

/// Posts a reply, with a part of the file beside it.
fn tell(reply: &ExportReply, part: Option<&[u8]>) {
    let Ok(bytes) = reply.to_bytes() else { return };
    let envelope = Object::new();
    let transfer = Array::new();
    let put = |name: &str, bytes: &[u8]| {
        // Copied once, out of the memory of the module, which can never be transferred itself.
        let array = Uint8Array::from(bytes);
        transfer.push(&array.buffer());
        Reflect::set(&envelope, &name.into(), &array).is_ok()
    };
    if put(MESSAGE, &bytes) && part.is_none_or(|part| put(PART, part)) {
        // Nobody is left to tell where even this fails.
        let _ = scope().post_message_with_transfer(&envelope, &transfer);
    }
}

fn report_panic(info: &PanicHookInfo<'_>) {
    tell(&ExportReply::Failed { message: format!("The export failed: {info}") }, None);
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}
