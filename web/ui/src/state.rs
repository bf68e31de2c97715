//! The state of the page and every way in which it changes.

use std::rc::Rc;

use protocol::{Failure, Progress, RunSummary, SeedRows};
use scenario::keys::{KEYS, Key};
use scenario::{Preset, Problem, Scenario, validate};
use yew::Reducible;

use crate::band::{Band, SEED_RANGE, SEEDS};
use crate::history::History;
use crate::inspection::{Inspection, Study};
use crate::interval::{Interval, PartWork};
use crate::lesson::{self, Reading, Turn};
use crate::sweep::{SweepEvent, SweepState};
use crate::timeline::{Brush, Kept, Lens, LensChange};
use crate::{compare, text};

/// How often runs are started again by themselves after their worker was lost.
const MOST_LOSSES: u32 = 2;

/// Everything that the page shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    /// The scenario in force: the last one that can be run.
    pub(crate) scenario: Rc<Scenario>,
    /// Grows whenever the scenario in force changes, and whenever it is to be run again.
    pub(crate) revision: u32,
    /// What a band of the scenario in force is called: the scenario without its seed, and how many seeds.
    pub(crate) key: Rc<str>,
    /// What was before.
    pub(crate) history: History,
    /// What was typed but cannot be, by key.
    pub(crate) faults: Rc<Faults>,
    /// Something to tell the user.
    pub(crate) notice: Option<Notice>,
    /// What the engine calls its version, once a worker has said so.
    pub(crate) engine_version: Option<String>,
    /// How often a worker was lost together with finished runs.
    losses: u32,
    /// Why nothing can be simulated at all.
    pub(crate) broken: Option<String>,
    /// The runs of this seed.
    pub(crate) runs: Runs,
    /// The runs of many seeds.
    pub(crate) band: BandState,
    /// The runs of a sweep.
    pub(crate) sweep: SweepState,
    /// What is looked at closely.
    pub(crate) inspection: Inspection,
    /// The lesson, or the list of lessons, that is open in place of the playground.
    pub(crate) lesson: Option<Reading>,
    /// The interval that the charts show alone; none where they show the whole run.
    pub(crate) brush: Option<Brush>,
    /// What is known of it.
    pub(crate) interval: Interval,
    /// How the timeline is looked at; it stays while scenarios change.
    pub(crate) lens: Lens,
}

/// The values that were typed but cannot be, by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Faults(Vec<(String, Fault)>);

impl Faults {
    /// The fault of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Fault> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, fault)| fault)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    fn insert(&mut self, key: &str, fault: Fault) {
        self.remove(key);
        self.0.push((key.to_owned(), fault));
    }

    fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name != key);
    }
}

/// A value that was typed but cannot be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// As it was typed.
    pub(crate) text: String,
    /// Everything that is wrong with it.
    pub(crate) problems: Vec<Problem>,
}

/// Something to tell the user.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Notice {
    /// What happened, in a few words.
    pub(crate) title: String,
    /// What to know about it.
    pub(crate) body: String,
    /// Single points.
    pub(crate) points: Vec<String>,
    /// Whether something went wrong.
    pub(crate) is_bad: bool,
}

/// The runs of this seed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Runs {
    /// The newest complete set, one for each column.
    pub(crate) kept: Rc<Vec<Kept>>,
    /// The scenario that it is a run of.
    pub(crate) scenario: Rc<Scenario>,
    /// The name of the band that belongs to it.
    pub(crate) key: Rc<str>,
    /// What has arrived of the next set.
    arriving: Vec<Option<Kept>>,
    /// How far the columns under way are.
    progress: Vec<Option<Progress>>,
    /// What came instead of the set of the present revision.
    pub(crate) end: RunEnd,
}

/// How the present revision stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum RunEnd {
    /// It is being run.
    #[default]
    UnderWay,
    /// It is complete.
    Done,
    /// The user has cancelled it.
    Cancelled,
    /// It cannot be run.
    Failed(Failure),
}

/// The runs of many seeds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BandState {
    /// The runs so far.
    pub(crate) band: Rc<Band>,
    /// What they are runs of: see [`State::key`].
    pub(crate) key: String,
    /// How many seeds are wanted.
    pub(crate) wanted: u32,
    /// How it stands.
    pub(crate) status: BandStatus,
}

/// How a band stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BandStatus {
    /// Not begun.
    Waiting,
    /// Being computed.
    UnderWay,
    /// Complete.
    Done,
    /// Stopped by the user.
    Stopped,
    /// It cannot be computed.
    Failed(String),
}

/// What can happen.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// A value was typed or chosen: the key, or `columns.NAME.KEY`.
    Edit {
        /// The key.
        key: String,
        /// The value as text.
        text: String,
        /// When, to tell the steps of undo apart.
        at_ms: f64,
    },
    /// A field is to be as the preset has it.
    ResetField(String),
    /// The scenario is to be as the preset has it.
    Reset,
    /// Another preset is to be shown.
    StartFrom(&'static Preset),
    /// A scenario came from a link.
    Load(Box<Scenario>),
    /// One more column: a copy of the one of a name that differs in a key.
    AddColumn {
        /// The name of the column that is copied.
        from: String,
        /// The key.
        key: String,
    },
    /// One column fewer, by its position.
    RemoveColumn(usize),
    /// A column is to have no value of its own for a key.
    UnsetColumn(usize, String),
    /// One step back.
    Undo,
    /// One step forth.
    Redo,
    /// Run the scenario in force again.
    RunAgain,
    /// Something to tell, or nothing more.
    Notice(Option<Notice>),
    /// A worker listens.
    EngineReady(String),
    /// A worker was lost, and with it the runs that it kept.
    WorkerLost(String),
    /// Nothing can be simulated.
    EngineBroken(String),
    /// A column is under way.
    RunProgress(u32, usize, Progress),
    /// A column is done: revision, column, which worker keeps it, what it says.
    RunDone(u32, usize, usize, Rc<RunSummary>),
    /// A column cannot be run.
    RunFailed(u32, Failure),
    /// The runs were cancelled.
    RunCancelled(u32),
    /// How many seeds are wanted.
    BandSize(u32),
    /// The computation of a band begins, with what was kept of it before.
    BandStart(String, Rc<Band>),
    /// Some runs of a band are done.
    BandRows(String, SeedRows),
    /// A band ends.
    BandEnd(String, BandStatus),
    /// Something happens to the sweep of a name.
    Sweep(String, SweepEvent),
    /// The charts are to show this interval alone, or the whole run.
    Brush(Option<Brush>),
    /// How the tasks of a column waited in an interval: revision, column, and what.
    PartWork(u32, usize, PartWork),
    /// Something happens to the lesson that is open.
    Lesson(Turn),
    /// The timeline is to be looked at in another way.
    Lens(LensChange),
    /// Something is to be looked at closely.
    Study(Study),
    /// What came of that: revision, and what.
    Found(u32, Study),
}

impl State {
    /// The page as it opens with a scenario that can be run.
    pub(crate) fn new(scenario: Scenario) -> State {
        let scenario = Rc::new(scenario);
        let key = band_key(&scenario, SEEDS);
        State {
            revision: 1,
            losses: 0,
            history: History::default(),
            faults: Rc::default(),
            notice: None,
            engine_version: None,
            broken: None,
            runs: Runs {
                kept: Rc::default(),
                scenario: Rc::clone(&scenario),
                key: Rc::clone(&key),
                arriving: Vec::new(),
                progress: Vec::new(),
                end: RunEnd::UnderWay,
            },
            key,
            scenario,
            sweep: SweepState::default(),
            band: BandState {
                band: Rc::default(),
                key: String::new(),
                wanted: SEEDS,
                status: BandStatus::Waiting,
            },
            inspection: Inspection::default(),
            lesson: None,
            brush: None,
            interval: Interval::default(),
            lens: Lens::default(),
        }
    }

    /// The preset of the scenario, if it has one.
    pub(crate) fn preset(&self) -> Option<&'static Preset> {
        Preset::find(&self.scenario.preset)
    }

    /// The band of the runs that are shown, if it is that which there is.
    pub(crate) fn shown_band(&self) -> Option<&Rc<Band>> {
        (*self.band.key == *self.runs.key).then_some(&self.band.band)
    }

    fn edit(&mut self, key: &str, text: &str, at_ms: Option<f64>) {
        let mut faults = (*self.faults).clone();
        let before = Rc::clone(&self.scenario);
        let mut trial = (*before).clone();
        match try_set(&mut trial, key, text) {
            Ok(()) => {
                faults.remove(key);
                self.scenario = Rc::new(trial);
            }
            Err(problems) => {
                faults.insert(key, Fault { text: text.to_owned(), problems });
            }
        }
        // What did not fit before may fit now.
        for (key, fault) in faults.clone().0 {
            let mut trial = (*self.scenario).clone();
            match try_set(&mut trial, &key, &fault.text) {
                Ok(()) => {
                    self.scenario = Rc::new(trial);
                    faults.remove(&key);
                }
                Err(problems) => {
                    faults.insert(&key, Fault { problems, ..fault });
                }
            }
        }
        self.faults = Rc::new(faults);
        if self.scenario != before {
            self.history.push(&before, key, at_ms);
            self.changed();
        }
    }

    fn replace(&mut self, scenario: Scenario, field: &str) {
        self.faults = Rc::default();
        if scenario != *self.scenario {
            let before = std::mem::replace(&mut self.scenario, Rc::new(scenario));
            self.history.push(&before, field, None);
            self.changed();
        }
    }

    /// A link leads to the playground, also from within a lesson.
    fn load(&mut self, scenario: Scenario) {
        self.lesson = None;
        self.replace(scenario, "link");
    }

    fn turn(&mut self, turn: Turn) {
        let wanted = lesson::turn(&mut self.lesson, &mut self.inspection, self.revision, turn);
        if let Some(scenario) = wanted {
            self.replace(scenario, "lesson");
        }
    }

    fn replace_where(&mut self, changed: Option<Scenario>) {
        if let Some(scenario) = changed {
            self.replace(scenario, "columns");
        }
    }

    fn travel(&mut self, scenario: Option<Rc<Scenario>>) {
        if let Some(scenario) = scenario {
            self.scenario = scenario;
            self.faults = Rc::default();
            self.changed();
        }
    }

    fn changed(&mut self) {
        self.revision += 1;
        self.key = band_key(&self.scenario, self.band.wanted);
        self.runs.begin();
        self.inspection = self.inspection.for_other_runs();
        if let Some(open) = &mut self.lesson {
            open.prediction = lesson::Prediction::default();
        }
        self.brush = None;
        self.interval = Interval::default();
    }

    fn worker_lost(&mut self, message: String) {
        // A run under way fails by itself. Finished ones are run again to show their timelines, but not for ever:
        // looking at them may be what ended the worker.
        if self.runs.end == RunEnd::Done && self.losses < MOST_LOSSES {
            self.losses += 1;
            self.notice = Some(Notice {
                title: text::RESTARTED.to_owned(),
                body: message,
                points: Vec::new(),
                is_bad: true,
            });
            self.changed();
        }
    }

    fn reset_field(&mut self, key: &str) {
        let mut faults = (*self.faults).clone();
        faults.remove(key);
        self.faults = Rc::new(faults);
        let value = Key::find(key).ok().and_then(|key| key.default_value(&self.scenario));
        if let Some(value) = value {
            self.edit(key, &value, None);
        }
    }

    fn run_done(&mut self, column: usize, kept: Kept) {
        let columns = self.scenario.columns.len();
        let runs = &mut self.runs;
        runs.arriving.resize(columns, None);
        if let Some(place) = runs.arriving.get_mut(column) {
            *place = Some(kept);
        }
        if runs.arriving.iter().all(Option::is_some) {
            // All at once, so that no picture compares columns of different scenarios.
            runs.kept = Rc::new(std::mem::take(&mut runs.arriving).into_iter().flatten().collect());
            runs.scenario = Rc::clone(&self.scenario);
            runs.key = Rc::clone(&self.key);
            runs.progress.clear();
            runs.end = RunEnd::Done;
        }
    }

    /// Hears what comes before the first chart; all the rest may be loaded after that.
    fn hear_first(&mut self, action: Action) {
        match action {
            Action::EngineReady(version) => self.engine_version = Some(version),
            Action::RunProgress(revision, column, progress) if revision == self.revision => {
                self.runs.progressed(self.scenario.columns.len(), column, progress);
            }
            Action::RunDone(revision, column, worker, summary) if revision == self.revision => {
                self.run_done(column, Kept { worker, summary });
            }
            action => self.act(action),
        }
    }

    #[inline(never)]
    fn act(&mut self, action: Action) {
        match action {
            Action::Edit { key, text, at_ms } => self.edit(&key, &text, Some(at_ms)),
            Action::ResetField(key) => self.reset_field(&key),
            Action::Reset => self.replace(self.scenario.origin(), "reset"),
            Action::StartFrom(preset) => self.replace(preset.scenario.clone(), "preset"),
            Action::Load(scenario) => self.load(*scenario),
            Action::AddColumn { from, key } => {
                self.replace_where(compare::added(&self.scenario, &from, &key));
            }
            Action::RemoveColumn(column) => self.replace_where(compare::without(&self.scenario, column)),
            Action::UnsetColumn(column, key) => {
                self.replace_where(compare::unset(&self.scenario, column, &key));
            }
            Action::Undo => {
                let scenario = self.history.undo(&self.scenario);
                self.travel(scenario);
            }
            Action::Redo => {
                let scenario = self.history.redo(&self.scenario);
                self.travel(scenario);
            }
            Action::RunAgain => {
                self.broken = None;
                self.changed();
            }
            Action::Notice(notice) => self.notice = notice,
            Action::WorkerLost(message) => self.worker_lost(message),
            Action::EngineBroken(message) => self.broken = Some(message),
            Action::Brush(brush) => {
                self.brush = brush;
                self.interval.restrict(brush, &self.runs.kept);
            }
            Action::Lesson(turn) => self.turn(turn),
            Action::Lens(change) => self.lens.hear(change),
            Action::Study(study) => self.inspection.hear(study),
            answer => self.hear(answer),
        }
    }

    /// What was computed has come.
    fn hear(&mut self, answer: Action) {
        match answer {
            Action::RunFailed(revision, failure) if revision == self.revision => {
                self.runs.end = RunEnd::Failed(failure);
            }
            Action::RunCancelled(revision) if revision == self.revision => self.runs.end = RunEnd::Cancelled,
            Action::BandSize(wanted) => {
                self.band.wanted = wanted.clamp(SEED_RANGE.0, SEED_RANGE.1);
                self.key = band_key(&self.scenario, self.band.wanted);
                self.runs.key = band_key(&self.runs.scenario, self.band.wanted);
            }
            Action::BandStart(key, band) => {
                self.band.key = key;
                self.band.band = band;
                self.band.status = BandStatus::UnderWay;
            }
            Action::BandRows(key, rows) if key == self.band.key => {
                Rc::make_mut(&mut self.band.band).add(&rows);
            }
            Action::BandEnd(key, status) if key == self.band.key => self.band.status = status,
            Action::Sweep(name, event) => self.sweep.hear(name, event),
            Action::PartWork(revision, column, part) if revision == self.revision && self.brush.is_some() => {
                self.interval.summed_up(column, part);
            }
            Action::Found(revision, study) if revision == self.revision => self.inspection.hear(study),
            // What belongs to an earlier revision or another band comes too late.
            _ => {}
        }
    }
}

impl Runs {
    fn begin(&mut self) {
        self.arriving.clear();
        self.progress.clear();
        self.end = RunEnd::UnderWay;
    }

    fn progressed(&mut self, columns: usize, column: usize, progress: Progress) {
        self.progress.resize(columns, None);
        if let Some(place) = self.progress.get_mut(column) {
            *place = Some(progress);
        }
    }

    /// How far all columns together are: the mean of their fractions and the sum of their events.
    pub(crate) fn progress(&self) -> Option<(f64, u64)> {
        let known: Vec<&Progress> = self.progress.iter().flatten().collect();
        let done = self.arriving.iter().flatten().count() as f64;
        let columns = self.progress.len().max(self.arriving.len());
        if known.is_empty() || columns == 0 {
            return None;
        }
        let under_way = self
            .progress
            .iter()
            .enumerate()
            .filter(|(column, _)| self.arriving.get(*column).is_none_or(Option::is_none))
            .filter_map(|(_, progress)| progress.as_ref());
        let fraction = (done + under_way.map(|progress| progress.fraction).sum::<f64>()) / columns as f64;
        Some((fraction, known.iter().map(|progress| progress.events).sum()))
    }
}

/// The name of a band. The title and the seed change nothing in it.
fn band_key(scenario: &Scenario, wanted: u32) -> Rc<str> {
    let scenario = Scenario { seed: 1, title: String::new(), ..scenario.clone() };
    format!("{wanted}×{}", crate::link::encode(&scenario)).into()
}

/// Sets a value if the scenario can still be run with it.
fn try_set(scenario: &mut Scenario, key: &str, text: &str) -> Result<(), Vec<Problem>> {
    let text = text.trim();
    if !compare::renamed(scenario, key, text) {
        scenario.set(key, text).map_err(|problem| vec![problem])?;
    }
    let problems = validate(scenario);
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// How many keys of a group differ from the preset.
pub(crate) fn changes_in(scenario: &Scenario, group: scenario::keys::Group) -> usize {
    KEYS.iter()
        .filter(|key| key.group == group && key.applies(scenario))
        .filter(|key| key.get(scenario) != key.default_value(scenario))
        .count()
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<State>, action: Action) -> Rc<State> {
        let mut state = (*self).clone();
        state.hear_first(action);
        Rc::new(state)
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
