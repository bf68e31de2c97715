//! Sends what the page wants simulated to the workers and what they answer back into the state.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use protocol::{
    AnswerBody, DecisionFilter, DecisionPoint, Explained, PlannedColumn, RequestBody, RunKey, RunOptions,
};
use scenario::Scenario;
use yew::Callback;

use crate::band::{Band, jobs};
use crate::bridge::{Pool, Ticket};
use crate::chain::Subject;
use crate::inspection::{Found, Study};
use crate::state::{Action, BandStatus};
use crate::text;
use crate::timeline::Kept;

/// How many complete bands are remembered, for going back and forth between scenarios.
const REMEMBERED: usize = 12;

/// See the module. Clones share it.
#[derive(Clone)]
pub(crate) struct Driver(Rc<RefCell<Inner>>);

struct Inner {
    pool: Pool,
    act: Callback<Action>,
    runs: Vec<Ticket>,
    band: BandJob,
    remembered: VecDeque<(String, Rc<Band>)>,
    // Grows with every question about decisions: only the answer to the last one is heard.
    asked: u32,
    // The same for divergences.
    parted: Option<Ticket>,
}

/// A question about decisions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking {
    /// The revision of the runs.
    pub(crate) revision: u32,
    /// The column that is asked about, by its position.
    pub(crate) column: usize,
    /// Whether somebody goes forward in time.
    pub(crate) is_forward: bool,
    /// Which decisions.
    pub(crate) filter: DecisionFilter,
}

/// Why there is no answer.
fn failure(body: AnswerBody) -> String {
    match body {
        AnswerBody::Failed(failure) => failure.message,
        _ => text::NO_ANSWER.to_owned(),
    }
}

#[derive(Default)]
struct BandJob {
    key: String,
    columns: Vec<PlannedColumn>,
    left: VecDeque<(u64, u32)>,
    under_way: Vec<(Ticket, u64)>,
    next_job: u64,
}

impl PartialEq for Driver {
    fn eq(&self, other: &Driver) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Driver {
    /// A driver that has nothing to do yet.
    pub(crate) fn new(pool: Pool, act: Callback<Action>) -> Driver {
        Driver(Rc::new(RefCell::new(Inner {
            pool,
            act,
            runs: Vec::new(),
            band: BandJob::default(),
            remembered: VecDeque::new(),
            asked: 0,
            parted: None,
        })))
    }

    /// Runs every column of a scenario, each on a worker of its own where there are as many. What was under way for
    /// an earlier revision is cancelled.
    pub(crate) fn run(&self, revision: u32, scenario: &Scenario) {
        self.cancel_runs();
        let (pool, act) = self.parts();
        let tickets = (0..scenario.columns.len()).map(|column| {
            let worker = column % pool.len();
            let act = act.clone();
            let answers = Callback::from(move |body| match body {
                AnswerBody::Progress(progress) => act.emit(Action::RunProgress(revision, column, progress)),
                AnswerBody::RunDone(summary) => {
                    act.emit(Action::RunDone(revision, column, worker, Rc::new(*summary)));
                }
                AnswerBody::Failed(failure) => act.emit(Action::RunFailed(revision, failure)),
                AnswerBody::Cancelled => act.emit(Action::RunCancelled(revision)),
                _ => {}
            });
            let request = RequestBody::Run {
                column: Box::new(PlannedColumn::new(scenario, column)),
                run: RunKey(column as u32),
                options: RunOptions { keep_trace: true, audit_hunks: true },
            };
            pool.ask(worker, request, answers)
        });
        let tickets: Vec<Ticket> = tickets.collect();
        self.0.borrow_mut().runs = tickets;
    }

    /// Ends the runs that are under way.
    pub(crate) fn cancel_runs(&self) {
        let (pool, _) = self.parts();
        let tickets = std::mem::take(&mut self.0.borrow_mut().runs);
        for ticket in tickets {
            pool.cancel(ticket);
        }
    }

    /// Computes the band that `key` names, or takes it out of memory.
    pub(crate) fn band(&self, key: &str, scenario: &Scenario, wanted: u32) {
        self.stop_band(None);
        let (pool, act) = self.parts();
        let known =
            self.0.borrow().remembered.iter().find(|(known, _)| known == key).map(|(_, band)| band.clone());
        if let Some(band) = known {
            act.emit(Action::BandStart(key.to_owned(), band));
            act.emit(Action::BandEnd(key.to_owned(), BandStatus::Done));
            return;
        }
        act.emit(Action::BandStart(key.to_owned(), Rc::default()));
        {
            let mut inner = self.0.borrow_mut();
            key.clone_into(&mut inner.band.key);
            inner.band.columns = PlannedColumn::all(scenario);
            inner.band.left = jobs(wanted, pool.len()).into();
        }
        for worker in 0..pool.len() {
            self.next_job(worker);
        }
    }

    /// Ends the band that is under way, and says so if a status is given.
    pub(crate) fn stop_band(&self, status: Option<BandStatus>) {
        let (pool, act) = self.parts();
        let (key, tickets) = {
            let mut inner = self.0.borrow_mut();
            inner.band.left.clear();
            let key = std::mem::take(&mut inner.band.key);
            (key, std::mem::take(&mut inner.band.under_way))
        };
        for (ticket, _) in tickets {
            pool.cancel(ticket);
        }
        if let Some(status) = status.filter(|_| !key.is_empty()) {
            act.emit(Action::BandEnd(key, status));
        }
    }

    /// The key of the band that is under way; empty where there is none.
    pub(crate) fn band_under_way(&self) -> String {
        self.0.borrow().band.key.clone()
    }

    /// Starts the workers again that were given up.
    pub(crate) fn revive(&self) {
        let (pool, _) = self.parts();
        pool.revive();
    }

    /// Keeps a complete band.
    pub(crate) fn remember(&self, key: &str, band: &Rc<Band>) {
        let remembered = &mut self.0.borrow_mut().remembered;
        remembered.retain(|(known, _)| known != key);
        remembered.push_back((key.to_owned(), Rc::clone(band)));
        if REMEMBERED < remembered.len() {
            remembered.pop_front();
        }
    }

    /// Gives a worker the next seeds, or ends the band where there are none left.
    fn next_job(&self, worker: usize) {
        let (pool, act) = self.parts();
        let (key, job, request) = {
            let mut inner = self.0.borrow_mut();
            let band = &mut inner.band;
            let Some((first_seed, count)) = band.left.pop_front() else {
                if band.under_way.is_empty() && !band.key.is_empty() {
                    let key = std::mem::take(&mut band.key);
                    drop(inner);
                    act.emit(Action::BandEnd(key, BandStatus::Done));
                }
                return;
            };
            band.next_job += 1;
            let request = RequestBody::Seeds { columns: band.columns.clone(), first_seed, count };
            (band.key.clone(), band.next_job, request)
        };
        let this = self.clone();
        let answers = Callback::from(move |body| match body {
            AnswerBody::SeedRows(rows) => act.emit(Action::BandRows(key.clone(), rows)),
            AnswerBody::SeedsDone if this.job_is_over(job) => this.next_job(worker),
            AnswerBody::Failed(failure) if this.job_is_over(job) => {
                this.stop_band(Some(BandStatus::Failed(failure.message)));
            }
            _ => {}
        });
        let ticket = pool.ask(worker, request, answers);
        self.0.borrow_mut().band.under_way.push((ticket, job));
    }

    /// Takes a job off the list; false where it belongs to a band that was stopped.
    fn job_is_over(&self, job: u64) -> bool {
        let under_way = &mut self.0.borrow_mut().band.under_way;
        let before = under_way.len();
        under_way.retain(|(_, other)| *other != job);
        under_way.len() < before
    }

    /// Looks for a divergence of the first column and another one, counted from 0, and opens its decisions in the run of
    /// the first column.
    pub(crate) fn diverge(
        &self,
        revision: u32,
        scenario: &Scenario,
        base: &Kept,
        (column, nth): (usize, u32),
    ) {
        let columns = Box::new([PlannedColumn::new(scenario, 0), PlannedColumn::new(scenario, column)]);
        let (pool, act) = self.parts();
        act.emit(Action::Study(Study::Seek(nth)));
        let before = self.0.borrow_mut().parted.take();
        if let Some(ticket) = before {
            pool.cancel(ticket);
        }
        let (this, base) = (self.clone(), base.clone());
        let answers = Callback::from(move |body: AnswerBody| {
            let mut at_ns = None;
            let found = match body {
                AnswerBody::Divergence(Some(view)) => {
                    at_ns = Some(view.at_ns);
                    Found::This(Rc::from(view))
                }
                AnswerBody::Divergence(None) if nth == 0 => Found::Nothing(text::NEVER_PART),
                AnswerBody::Divergence(None) => Found::Nothing(text::NO_MORE_PARTINGS),
                // Another one was asked for meanwhile.
                AnswerBody::Cancelled => return,
                body if body.is_final() => Found::Failed(failure(body)),
                _ => return,
            };
            act.emit(Action::Found(revision, Study::Parted(found)));
            if let Some(at_ns) = at_ns {
                let asking =
                    Asking { revision, column: 0, is_forward: true, filter: DecisionFilter::default() };
                this.explain(asking, &base, at_ns);
            }
        });
        let request = RequestBody::Divergence { columns, seed: scenario.seed, nth };
        let ticket = pool.ask(column % pool.len(), request, answers);
        self.0.borrow_mut().parted = Some(ticket);
    }

    /// Opens what was decided at the first instant with a decision after a moment, or at the last one before it.
    pub(crate) fn step(&self, asking: Asking, kept: &Kept, from_ns: u64) {
        let (this, again) = (self.clone(), kept.clone());
        let Asking { is_forward, filter, .. } = asking;
        let request =
            RequestBody::NextDecision { run: kept.summary.run, from_ns, forward: is_forward, filter };
        self.ask(asking, kept, request, move |body| match body {
            AnswerBody::Decision(Some(point)) => {
                this.explain(asking, &again, point.at_ns);
                None
            }
            AnswerBody::Decision(None) if is_forward => Some(Found::Nothing(text::NO_LATER)),
            AnswerBody::Decision(None) => Some(Found::Nothing(text::NO_EARLIER)),
            body => Some(Found::Failed(failure(body))),
        });
    }

    /// Asks for the cause of what a task does, and opens the decision behind it.
    pub(crate) fn cause(&self, revision: u32, kept: &Kept, subject: Subject) {
        let (pool, act) = self.parts();
        act.emit(Action::Study(Study::AskCause));
        let (this, again) = (self.clone(), kept.clone());
        let answers = Callback::from(move |body: AnswerBody| {
            let mut decision = None;
            let found = match body {
                AnswerBody::Cause(Some(view)) => {
                    decision = view.decision;
                    Found::This(Rc::from(view))
                }
                AnswerBody::Cause(None) => Found::Nothing(text::NO_CAUSE),
                body if body.is_final() => Found::Failed(failure(body)),
                _ => return,
            };
            act.emit(Action::Found(revision, Study::Caused(found)));
            if let Some(point) = decision {
                this.open_cause(revision, &again, (subject.column, point));
            }
        });
        let request = RequestBody::Cause { run: kept.summary.run, task: subject.task, at_ns: subject.at_ns };
        pool.ask(kept.worker, request, answers);
    }

    /// Opens a decision that a cause names, of a column.
    pub(crate) fn open_cause(&self, revision: u32, kept: &Kept, (column, point): (usize, DecisionPoint)) {
        let (_, act) = self.parts();
        let asking = Asking { revision, column, is_forward: true, filter: DecisionFilter::default() };
        self.explain(asking, kept, point.at_ns);
        act.emit(Action::Study(Study::Expect(point)));
    }

    /// Opens what was decided at an instant.
    pub(crate) fn explain(&self, asking: Asking, kept: &Kept, at_ns: u64) {
        let request = RequestBody::Explain { run: kept.summary.run, at_ns, filter: asking.filter };
        self.ask(asking, kept, request, |body| match body {
            AnswerBody::Explained(found) if found.decisions.is_empty() => {
                Some(Found::Nothing(text::NOTHING_AT))
            }
            AnswerBody::Explained(found) => Some(Found::This(Rc::new(found))),
            body => Some(Found::Failed(failure(body))),
        });
    }

    /// Asks about a run; an answer is heard unless something else was asked meanwhile.
    fn ask(
        &self,
        asking: Asking,
        kept: &Kept,
        request: RequestBody,
        read: impl Fn(AnswerBody) -> Option<Found<Rc<Explained>>> + 'static,
    ) {
        let (pool, act) = self.parts();
        let asked = {
            let mut inner = self.0.borrow_mut();
            inner.asked += 1;
            inner.asked
        };
        act.emit(Action::Study(Study::Open(asking.column)));
        let this = self.clone();
        let answers = Callback::from(move |body: AnswerBody| {
            if !body.is_final() || this.0.borrow().asked != asked {
                return;
            }
            if let Some(found) = read(body) {
                act.emit(Action::Found(asking.revision, Study::Opened(found, asking.is_forward)));
            }
        });
        pool.ask(kept.worker, request, answers);
    }

    fn parts(&self) -> (Pool, Callback<Action>) {
        let inner = self.0.borrow();
        (inner.pool.clone(), inner.act.clone())
    }
}
