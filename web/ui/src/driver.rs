//! Sends what the page wants simulated to the workers and what they answer back into the state.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use protocol::{AnswerBody, PlannedColumn, RequestBody, RunKey, RunOptions};
use scenario::Scenario;
use yew::Callback;

use crate::band::{Band, jobs};
use crate::bridge::{Pool, Ticket};
use crate::state::{Action, BandStatus};

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

    fn parts(&self) -> (Pool, Callback<Action>) {
        let inner = self.0.borrow();
        (inner.pool.clone(), inner.act.clone())
    }
}
