//! The engine in a web worker: a session behind messages.
//!
//! Everything that decides anything is in [`session::Session`], which is tested natively.
//! Here messages are unpacked, work is cut into slices so that a cancellation is heard in between, and answers are
//! posted with their columns transferred.

mod pace;
mod wire;

use std::cell::{Cell, RefCell};
use std::panic::PanicHookInfo;

use protocol::{Answer, AnswerBody, Failure};
use session::Session;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent};

use crate::pace::Pace;

thread_local! {
    // A worker has one thread, and its handlers take no arguments of ours.
    static SESSION: RefCell<Session> = RefCell::new(Session::new());
    /// The request that is worked on, for whoever must report a panic.
    static CURRENT: Cell<u32> = const { Cell::new(0) };
    /// After a panic the memory cannot be trusted: nothing is done any more.
    static IS_LOST: Cell<bool> = const { Cell::new(false) };
}

/// Makes the worker listen, and says so.
pub fn start() {
    std::panic::set_hook(Box::new(report_panic));
    let scope = scope();
    match MessageChannel::new() {
        Ok(channel) => listen(&scope, &channel),
        Err(error) => return tell_failure(0, format!("this browser cannot pace work: {error:?}")),
    }
    post(&Session::ready());
}

fn listen(scope: &DedicatedWorkerGlobalScope, channel: &MessageChannel) {
    let again = channel.port2();
    // A message to ourselves comes after those that the page has sent meanwhile, and at once otherwise.
    let pace = Pace::new(scope.performance(), move || {
        // Posting `null` to an open port cannot fail.
        let _ = again.post_message(&JsValue::NULL);
    });
    let work_pace = pace.clone();
    let work = Closure::<dyn FnMut()>::new(move || work_on(&work_pace));
    channel.port1().set_onmessage(Some(work.as_ref().unchecked_ref()));
    let hear = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| hear(&event, &pace));
    scope.set_onmessage(Some(hear.as_ref().unchecked_ref()));
    // Both live as long as the worker.
    work.forget();
    hear.forget();
}

/// Takes one request.
fn hear(event: &MessageEvent, pace: &Pace) {
    if IS_LOST.get() {
        return;
    }
    let request = match wire::decode(&event.data()) {
        Ok(request) => request,
        Err(message) => return tell_failure(0, message),
    };
    CURRENT.set(request.id);
    SESSION.with_borrow_mut(|session| {
        session.handle(request).iter().for_each(post);
        if session.has_work() {
            pace.ask_for_slice();
        }
    });
}

/// Works for one slice.
fn work_on(pace: &Pace) {
    pace.slice_begins();
    if IS_LOST.get() {
        return;
    }
    SESSION.with_borrow_mut(|session| {
        CURRENT.set(session.current().unwrap_or(0));
        let answers = session.work(&|| pace.now_ms(), pace.slice_end_ms());
        answers.iter().for_each(post);
        if pace.is_time_to_report() {
            session.report().iter().for_each(post);
        }
        if session.has_work() {
            pace.ask_for_slice();
        }
    });
}

/// Posts an answer. One that cannot be packed is a fault of ours, which is told instead.
fn post(answer: &Answer) {
    let posted = wire::encode(answer).and_then(|(message, transfer)| {
        scope().post_message_with_transfer(&message, &transfer).map_err(|error| format!("{error:?}"))
    });
    if let Err(message) = posted {
        tell_failure(answer.id, format!("the worker could not pack its answer: {message}"));
    }
}

fn tell_failure(id: u32, message: String) {
    let failure = Failure { message, worker_lost: false };
    if let Ok((message, _)) = wire::encode(&Answer { id, body: AnswerBody::Failed(failure) }) {
        // Nobody is left to tell where even this fails.
        let _ = scope().post_message(&message);
    }
}

fn report_panic(info: &PanicHookInfo<'_>) {
    if IS_LOST.replace(true) {
        return;
    }
    let failure = Failure { message: format!("The engine failed: {info}"), worker_lost: true };
    if let Ok((message, _)) = wire::encode(&Answer { id: CURRENT.get(), body: AnswerBody::Failed(failure) }) {
        // Nobody is left to tell where even this fails.
        let _ = scope().post_message(&message);
    }
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}
