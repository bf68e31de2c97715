//! A sweep: one whole number of the scenario runs through a range, a few seeds each, and one figure of every column is
//! drawn against it.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use protocol::{AnswerBody, PlannedColumn, RequestBody, SeedRows};
use scenario::keys::Key;
use scenario::{Scenario, WorkloadChoice, validate};
use yew::Callback;

use crate::band::Band;
use crate::bridge::{Pool, Ticket};
use crate::state::{Action, BandStatus};

/// How many seeds are run at each value.
pub(crate) const SEEDS: u32 = 5;
/// The most values of a sweep.
const MOST_VALUES: u64 = 12;

/// What is swept and what is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sweep {
    /// The key that runs through the values.
    pub(crate) key: &'static str,
    /// The figure that is drawn: a share, from 0 to 1.
    pub(crate) metric: &'static str,
    /// The values, rising.
    pub(crate) values: Vec<u64>,
    /// Where there are as many threads as CPUs: how many groups of threads, and how many CPUs.
    pub(crate) full: (u64, u64),
}

impl Sweep {
    /// The sweep that a scenario offers: schbench with fewer and more workers than the machine has CPUs.
    pub(crate) fn of(scenario: &Scenario) -> Option<Sweep> {
        let WorkloadChoice::Schbench(spec) = &scenario.workload else { return None };
        let cpus = scenario.machine.topology().len() as u64;
        let groups = u64::from(spec.message_threads).max(1);
        let middle = cpus / groups;
        let (first, last) = ((middle / 2).max(1), middle + (middle / 8).max(1));
        let step = (last - first).div_ceil(MOST_VALUES - 1).max(1);
        let values = (first..=last).step_by(step as usize).collect();
        let sweep = Sweep { key: "workload.threads", metric: "share_over_1ms", values, full: (groups, cpus) };
        sweep.values.iter().all(|value| sweep.at(scenario, *value).is_some()).then_some(sweep)
    }

    /// The scenario with a value, if it can be run.
    fn at(&self, scenario: &Scenario, value: u64) -> Option<Scenario> {
        let mut changed = Scenario { seed: 1, title: String::new(), ..scenario.clone() };
        changed.set(self.key, &value.to_string()).ok()?;
        validate(&changed).is_empty().then_some(changed)
    }

    /// The name of the sweep of a scenario: what it says but for the seed, the title and the number that is swept.
    pub(crate) fn name(&self, scenario: &Scenario) -> Option<String> {
        Some(crate::link::encode(&self.at(scenario, *self.values.first()?)?))
    }

    /// What people call the number.
    pub(crate) fn label(&self) -> &'static str {
        Key::find(self.key).map_or(self.key, |key| key.label)
    }

    /// How many runs of all columns there are.
    pub(crate) fn runs(&self) -> usize {
        self.values.len() * SEEDS as usize
    }

    /// The jobs: one seed of each value first, so that the whole curve shows soon, then the others.
    fn jobs(&self) -> VecDeque<Job> {
        let first = self.values.iter().map(|value| Job { value: *value, first_seed: 1, count: 1 });
        let rest = self.values.iter().map(|value| Job { value: *value, first_seed: 2, count: SEEDS - 1 });
        first.chain(rest).collect()
    }
}

/// Some seeds of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Job {
    value: u64,
    first_seed: u64,
    count: u32,
}

/// What has been run of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SweepState {
    /// The name of the sweep.
    pub(crate) name: String,
    /// The runs of each value.
    pub(crate) bands: Rc<BTreeMap<u64, Band>>,
    /// How it stands.
    pub(crate) status: BandStatus,
}

impl Default for SweepState {
    fn default() -> SweepState {
        SweepState { name: String::new(), bands: Rc::default(), status: BandStatus::Waiting }
    }
}

/// What happens to a sweep.
#[derive(Clone, Debug)]
pub(crate) enum SweepEvent {
    /// It begins.
    Start,
    /// Some runs of a value are done.
    Rows(u64, SeedRows),
    /// It ends.
    End(BandStatus),
}

impl SweepState {
    /// Takes in what has happened to the sweep of a name.
    pub(crate) fn hear(&mut self, name: String, event: SweepEvent) {
        match event {
            SweepEvent::Start => {
                *self = SweepState { name, status: BandStatus::UnderWay, bands: Rc::default() }
            }
            // What belongs to an earlier sweep comes too late.
            _ if name != self.name => {}
            SweepEvent::Rows(value, rows) => {
                Rc::make_mut(&mut self.bands).entry(value).or_default().add(&rows);
            }
            SweepEvent::End(status) => self.status = status,
        }
    }
}

/// Sends the runs of a sweep to the workers. Clones share it.
#[derive(Clone)]
pub(crate) struct Sweeper(Rc<RefCell<Inner>>);

struct Inner {
    pool: Pool,
    act: Callback<Action>,
    name: String,
    /// Grows with every start: answers to an earlier one are not heard.
    round: u64,
    scenarios: BTreeMap<u64, Vec<PlannedColumn>>,
    left: VecDeque<Job>,
    under_way: Vec<(Ticket, Job)>,
}

impl PartialEq for Sweeper {
    fn eq(&self, other: &Sweeper) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Sweeper {
    /// A sweeper that has nothing to do yet.
    pub(crate) fn new(pool: Pool, act: Callback<Action>) -> Sweeper {
        Sweeper(Rc::new(RefCell::new(Inner {
            pool,
            act,
            name: String::new(),
            round: 0,
            scenarios: BTreeMap::new(),
            left: VecDeque::new(),
            under_way: Vec::new(),
        })))
    }

    /// Runs the sweep of a scenario, if it offers one.
    pub(crate) fn start(&self, scenario: &Scenario) {
        self.stop(BandStatus::Stopped);
        let Some(sweep) = Sweep::of(scenario) else { return };
        let Some(name) = sweep.name(scenario) else { return };
        let planned = sweep
            .values
            .iter()
            .filter_map(|value| Some((*value, PlannedColumn::all(&sweep.at(scenario, *value)?))));
        let (workers, act) = {
            let mut inner = self.0.borrow_mut();
            inner.name.clone_from(&name);
            inner.round += 1;
            inner.scenarios = planned.collect();
            inner.left = sweep.jobs();
            (inner.pool.len(), inner.act.clone())
        };
        act.emit(Action::Sweep(name, SweepEvent::Start));
        for worker in 0..workers {
            self.next_job(worker);
        }
    }

    /// Ends the sweep that is under way.
    pub(crate) fn stop(&self, status: BandStatus) {
        let (pool, act, name, tickets) = {
            let mut inner = self.0.borrow_mut();
            inner.left.clear();
            let name = std::mem::take(&mut inner.name);
            (inner.pool.clone(), inner.act.clone(), name, std::mem::take(&mut inner.under_way))
        };
        for (ticket, _) in tickets {
            pool.cancel(ticket);
        }
        if !name.is_empty() {
            act.emit(Action::Sweep(name, SweepEvent::End(status)));
        }
    }

    /// Ends the sweep that is under way unless it is that of a scenario.
    pub(crate) fn keep_only(&self, scenario: &Scenario) {
        let name = Sweep::of(scenario).and_then(|sweep| sweep.name(scenario));
        let is_other = name.as_deref() != Some(self.0.borrow().name.as_str());
        if is_other {
            self.stop(BandStatus::Stopped);
        }
    }

    /// Gives a worker the next job, or ends the sweep where there is none left.
    fn next_job(&self, worker: usize) {
        let (pool, act, name, (round, job), columns) = {
            let mut inner = self.0.borrow_mut();
            let Some(job) = inner.left.pop_front() else {
                let is_over = inner.under_way.is_empty() && !inner.name.is_empty();
                drop(inner);
                if is_over {
                    self.stop(BandStatus::Done);
                }
                return;
            };
            let columns = inner.scenarios.get(&job.value).cloned().unwrap_or_default();
            (inner.pool.clone(), inner.act.clone(), inner.name.clone(), (inner.round, job), columns)
        };
        let this = self.clone();
        let answers = Callback::from(move |body| match body {
            AnswerBody::SeedRows(rows) if this.is_under_way(round) => {
                act.emit(Action::Sweep(name.clone(), SweepEvent::Rows(job.value, rows)));
            }
            AnswerBody::SeedsDone if this.job_is_over(round, job) => this.next_job(worker),
            AnswerBody::Failed(failure) if this.job_is_over(round, job) => {
                this.stop(BandStatus::Failed(failure.message));
            }
            _ => {}
        });
        let request = RequestBody::Seeds { columns, first_seed: job.first_seed, count: job.count };
        let ticket = pool.ask(worker, request, answers);
        self.0.borrow_mut().under_way.push((ticket, job));
    }

    /// Takes a job off the list; false where it belongs to a sweep that was stopped.
    fn job_is_over(&self, round: u64, job: Job) -> bool {
        if !self.is_under_way(round) {
            return false;
        }
        let mut inner = self.0.borrow_mut();
        let before = inner.under_way.len();
        inner.under_way.retain(|(_, other)| *other != job);
        inner.under_way.len() < before
    }

    /// Whether a start is the last one, and its sweep has not ended.
    fn is_under_way(&self, round: u64) -> bool {
        let inner = self.0.borrow();
        inner.round == round && !inner.name.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{MetricInfo, SeedRow};

    fn preset(name: &str) -> Scenario {
        Scenario::from_preset(name).unwrap()
    }

    #[test]
    fn the_sweep_of_the_virtual_machine_goes_from_8_to_18() {
        let sweep = Sweep::of(&preset("vm32-schbench")).unwrap();
        assert_eq!(sweep.values, (8..=18).collect::<Vec<u64>>());
        assert_eq!(sweep.full, (2, 32), "16 threads of each of two groups fill 32 CPUs");
        assert_eq!(Sweep::of(&preset("hikey-schbench")).unwrap().values, [2, 3, 4, 5]);
        assert_eq!(Sweep::of(&preset("vm32-hackbench")), None);
        assert!(Sweep::of(&preset("cpu104-schbench")).unwrap().values.len() <= MOST_VALUES as usize);
    }

    #[test]
    fn what_is_swept_does_not_change_the_name_and_everything_else_does() {
        let start = preset("vm32-schbench");
        let sweep = Sweep::of(&start).unwrap();
        let name = |key: &str, value: &str| {
            let mut scenario = start.clone();
            scenario.set(key, value).unwrap();
            sweep.name(&scenario).unwrap()
        };
        let same = sweep.name(&start).unwrap();
        assert_eq!(name("workload.threads", "9"), same);
        assert_eq!(name("seed", "9"), same);
        assert_ne!(name("kernel.hz", "250"), same);
    }

    #[test]
    fn every_value_is_run_with_every_seed_once_and_the_curve_shows_first() {
        let sweep = Sweep::of(&preset("vm32-schbench")).unwrap();
        let jobs = sweep.jobs();
        assert!(jobs.iter().take(11).all(|job| job.count == 1), "{jobs:?}");
        for value in &sweep.values {
            let of_value = jobs.iter().filter(|job| job.value == *value);
            let seeds: Vec<u64> =
                of_value.flat_map(|job| job.first_seed..job.first_seed + u64::from(job.count)).collect();
            assert_eq!(seeds, (1..=u64::from(SEEDS)).collect::<Vec<u64>>());
        }
        assert_eq!(sweep.runs(), 55);
    }

    #[test]
    fn rows_of_another_sweep_are_not_mixed_in() {
        let rows = || SeedRows {
            metrics: vec![MetricInfo {
                key: "share_over_1ms".to_owned(),
                label: String::new(),
                unit: String::new(),
                decimals: 5,
            }],
            rows: vec![SeedRow { column: 0, seed: 1, trace_hash: String::new(), values: vec![0.25] }],
        };
        let mut state = SweepState::default();
        let mut hear = |name: &str, event| state.hear(name.to_owned(), event);
        hear("a", SweepEvent::Start);
        hear("b", SweepEvent::Rows(8, rows()));
        hear("a", SweepEvent::Rows(9, rows()));
        hear("b", SweepEvent::End(BandStatus::Done));
        assert_eq!(state.bands.len(), 1);
        assert_eq!(state.status, BandStatus::UnderWay);
        assert_eq!(state.bands[&9].values_of(0, "share_over_1ms"), Some(vec![0.25]));
        state.hear("a".to_owned(), SweepEvent::End(BandStatus::Stopped));
        assert_eq!(state.status, BandStatus::Stopped);
    }
}
