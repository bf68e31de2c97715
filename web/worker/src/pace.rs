use std::cell::Cell;
use std::rc::Rc;

use web_sys::Performance;

/// How long a slice of work takes: short enough that a cancellation feels immediate.
const SLICE_MS: f64 = 8.0;

/// Time between two reports of progress.
const REPORT_MS: f64 = 50.0;

/// When to work and when to report. Clones share it.
#[derive(Clone)]
pub(crate) struct Pace {
    shared: Rc<Shared>,
}

struct Shared {
    /// `None` in a scope without a clock, where slices end with their first step.
    clock: Option<Performance>,
    ask_again: Box<dyn Fn()>,
    is_slice_asked: Cell<bool>,
    last_report_ms: Cell<f64>,
}

impl Pace {
    /// `ask_again` must bring about a call of [`Pace::slice_begins`], after what the page has sent meanwhile.
    pub(crate) fn new(clock: Option<Performance>, ask_again: impl Fn() + 'static) -> Pace {
        let ask_again = Box::new(ask_again);
        let (is_slice_asked, last_report_ms) = (Cell::new(false), Cell::new(0.0));
        Pace { shared: Rc::new(Shared { clock, ask_again, is_slice_asked, last_report_ms }) }
    }

    /// Asks for a slice, unless one is on its way.
    pub(crate) fn ask_for_slice(&self) {
        if !self.shared.is_slice_asked.replace(true) {
            (self.shared.ask_again)();
        }
    }

    /// The slice that was asked for has come.
    pub(crate) fn slice_begins(&self) {
        self.shared.is_slice_asked.set(false);
    }

    /// The time in milliseconds.
    pub(crate) fn now_ms(&self) -> f64 {
        self.shared.clock.as_ref().map_or(0.0, Performance::now)
    }

    /// When a slice that begins now ends.
    pub(crate) fn slice_end_ms(&self) -> f64 {
        self.now_ms() + if self.shared.clock.is_some() { SLICE_MS } else { 0.0 }
    }

    /// Whether a report is due; if so it counts as made.
    pub(crate) fn is_time_to_report(&self) -> bool {
        let now = self.now_ms();
        let is_due = REPORT_MS <= now - self.shared.last_report_ms.get();
        if is_due {
            self.shared.last_report_ms.set(now);
        }
        is_due
    }
}
