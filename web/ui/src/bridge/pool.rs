//! The workers: each a copy of the engine with its own memory, started once and replaced when it is lost.

use std::cell::RefCell;
use std::rc::Rc;

use protocol::{Answer, AnswerBody, Request, RequestBody};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Url, Worker};
use yew::Callback;

use super::ledger::Ledger;
use super::wire;
use crate::{browser, text};

/// More than this many workers take memory without making the page quicker.
const MOST_WORKERS: usize = 4;
/// A worker that is lost this often in a row is not worth starting again.
const MOST_LOSSES: u32 = 3;
/// How long a worker may take to load before it is given up.
const LOADING_MS: i32 = 30_000;
/// How long a worker may take to honour a cancellation before it is replaced.
const PATIENCE_MS: i32 = 2000;

/// Names a request of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// Which worker has it.
    pub(crate) worker: usize,
    id: u32,
}

/// What the pool as a whole tells the page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PoolEvent {
    /// A worker listens. Runs that an earlier worker in its place kept are gone.
    Ready {
        /// The version of its engine.
        engine_version: String,
    },
    /// A worker was lost and is being replaced.
    Lost {
        /// Which.
        worker: usize,
        /// What it said last.
        message: String,
    },
    /// Workers cannot be started, so nothing can be simulated.
    Broken {
        /// Why.
        message: String,
    },
}

/// The workers of the page. Clones share them.
#[derive(Clone)]
pub(crate) struct Pool {
    slots: Rc<Vec<RefCell<Slot>>>,
    events: Callback<PoolEvent>,
}

/// Starts a worker by its script, which is of the same build as the page.
pub(crate) fn open_worker(script: &str) -> Result<Worker, String> {
    let file = match browser::meta("runqueue-build") {
        Some(build) => format!("{script}?{build}"),
        None => script.to_owned(),
    };
    let url = Url::new_with_base(&file, &browser::base_uri()).map_err(|_| text::NO_WORKER.to_owned())?;
    Worker::new(&url.href()).map_err(|_| text::NO_WORKER.to_owned())
}

struct Slot {
    worker: Option<Worker>,
    ledger: Ledger<Callback<AnswerBody>>,
    losses: u32,
    // Dropped together with the worker that calls them.
    handlers: Option<Handlers>,
}

struct Handlers {
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(ErrorEvent)>,
}

impl PartialEq for Pool {
    fn eq(&self, other: &Pool) -> bool {
        Rc::ptr_eq(&self.slots, &other.slots)
    }
}

impl Pool {
    /// Starts as many workers as this machine has use for.
    pub(crate) fn start(events: Callback<PoolEvent>) -> Pool {
        let count = browser::cpus().clamp(1, MOST_WORKERS);
        let slot =
            || RefCell::new(Slot { worker: None, ledger: Ledger::default(), losses: 0, handlers: None });
        let pool = Pool { slots: Rc::new((0..count).map(|_| slot()).collect()), events };
        for worker in 0..count {
            pool.spawn(worker);
        }
        pool
    }

    /// How many workers there are.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Asks a worker; `answers` hears every answer, the last of which is final.
    pub(crate) fn ask(&self, worker: usize, body: RequestBody, answers: Callback<AnswerBody>) -> Ticket {
        let (id, request) = self.slots[worker].borrow_mut().ledger.open(body, answers);
        self.post(worker, request);
        Ticket { worker, id }
    }

    /// Ends a request. Its last answer still comes, within [`PATIENCE_MS`] at the latest.
    pub(crate) fn cancel(&self, ticket: Ticket) {
        let (request, told) = self.slots[ticket.worker].borrow_mut().ledger.cancel(ticket.id);
        if let Some((answers, body)) = told {
            answers.emit(body);
        }
        if request.is_none() {
            return;
        }
        self.post(ticket.worker, request);
        let pool = self.clone();
        browser::after(PATIENCE_MS, move || {
            if pool.slots[ticket.worker].borrow().ledger.is_open(ticket.id) {
                pool.replace(ticket.worker, text::WORKER_DID_NOT_STOP);
            }
        });
    }

    /// Starts the workers again that were given up.
    pub(crate) fn revive(&self) {
        for worker in 0..self.len() {
            let is_gone = {
                let mut slot = self.slots[worker].borrow_mut();
                slot.losses = 0;
                slot.worker.is_none()
            };
            if is_gone {
                self.spawn(worker);
            }
        }
    }

    fn post(&self, worker: usize, request: Option<Request>) {
        let Some(request) = request else { return };
        let posted = wire::encode(&request).and_then(|message| {
            let slot = self.slots[worker].borrow();
            let port = slot.worker.as_ref().ok_or_else(|| text::NO_WORKER.to_owned())?;
            port.post_message(&message).map_err(|_| text::NO_WORKER.to_owned())
        });
        if let Err(message) = posted {
            self.replace(worker, &message);
        }
    }

    fn spawn(&self, worker: usize) {
        match self.start_worker(worker) {
            Ok((port, handlers)) => {
                let mut slot = self.slots[worker].borrow_mut();
                slot.worker = Some(port);
                slot.handlers = Some(handlers);
                drop(slot);
                self.watch_loading(worker);
            }
            Err(message) => self.events.emit(PoolEvent::Broken { message }),
        }
    }

    /// Gives a worker up that does not say that it listens.
    fn watch_loading(&self, worker: usize) {
        let losses = self.slots[worker].borrow().losses;
        let pool = self.clone();
        browser::after(LOADING_MS, move || {
            let is_stuck = {
                let slot = pool.slots[worker].borrow();
                slot.losses == losses && slot.worker.is_some() && !slot.ledger.is_ready()
            };
            if is_stuck {
                pool.replace(worker, text::NO_WORKER);
            }
        });
    }

    fn start_worker(&self, worker: usize) -> Result<(Worker, Handlers), String> {
        let port = open_worker("worker_loader.js")?;
        let pool = self.clone();
        let message =
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                match wire::decode(&event.data()) {
                    Ok(answer) => pool.hear(worker, answer),
                    Err(error) => pool.replace(worker, &text::bad_answer(&error)),
                }
            });
        let pool = self.clone();
        let error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            // A script that cannot be fetched gives an event without a message.
            let said = event.message();
            pool.replace(worker, if said.is_empty() { text::NO_WORKER } else { &said });
        });
        port.set_onmessage(Some(message.as_ref().unchecked_ref()));
        port.set_onerror(Some(error.as_ref().unchecked_ref()));
        Ok((port, Handlers { _message: message, _error: error }))
    }

    fn hear(&self, worker: usize, answer: Answer) {
        if let AnswerBody::Ready { engine_version } = answer.body {
            let kept = self.slots[worker].borrow_mut().ledger.ready();
            for request in kept {
                self.post(worker, Some(request));
            }
            self.events.emit(PoolEvent::Ready { engine_version });
            return;
        }
        let is_lost = matches!(&answer.body, AnswerBody::Failed(failure) if failure.worker_lost);
        let waits = {
            let mut slot = self.slots[worker].borrow_mut();
            if !is_lost {
                slot.losses = 0;
            }
            slot.ledger.answered(&answer)
        };
        let said = match &answer.body {
            AnswerBody::Failed(failure) if is_lost => Some(failure.message.clone()),
            _ => None,
        };
        if let Some(waits) = waits {
            waits.emit(answer.body);
        }
        if let Some(message) = said {
            self.replace(worker, &message);
        }
    }

    /// Ends a worker and starts another in its place.
    fn replace(&self, worker: usize, message: &str) {
        let (told, losses, handlers) = {
            let mut slot = self.slots[worker].borrow_mut();
            if let Some(port) = slot.worker.take() {
                port.set_onmessage(None);
                port.set_onerror(None);
                port.terminate();
            }
            slot.losses += 1;
            (slot.ledger.lost(message), slot.losses, slot.handlers.take())
        };
        // This may run inside one of the handlers, which must outlive its own call.
        browser::after(0, move || drop(handlers));
        if losses < MOST_LOSSES {
            self.spawn(worker);
            self.events.emit(PoolEvent::Lost { worker, message: message.to_owned() });
        } else {
            self.events.emit(PoolEvent::Broken { message: message.to_owned() });
        }
        for (waits, body) in told {
            waits.emit(body);
        }
    }
}
