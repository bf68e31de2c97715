//! Where two columns part ways, and what follows from it. What is looked for is defined at
//! [`DivergenceView`](protocol::DivergenceView).

use engine::{Engine, Options, RunState};
use protocol::{Consequence, DivergenceSide, DivergenceView, PlannedColumn, Progress, TaskFate};
use sim::{CpuId, Nanos, TaskId};
use trace::Event;
use trace::divergence::{Fate, Parting, WaitBook, first_difference};
use trace::explain::{Check, Explanation, Outcome};

use crate::run::expected_end;
use crate::views::Names;

/// Events that a step should log on each side.
const EVENTS_A_STEP: usize = 1_000;

/// Events of the engine that a step may take on each side.
const MOST_EVENTS_A_STEP: u64 = 4_000;

/// How long a step is at first; then as long as its events take.
const FIRST_STEP: u64 = 100_000;

/// For how long at most the task is followed: nobody waits longer for a time slice, or a balance.
const FOLLOWED: u64 = 1_000_000_000;

const NEEDS_SAME_SETUP: &str = "These columns differ in more than their kernel: after the first divergence they cannot be \
                                compared any more.";

/// The search for one divergence of two columns, worked on in steps. How it is stepped changes nothing of what it finds.
#[derive(Debug)]
pub struct DivergenceJob {
    columns: Box<[PlannedColumn; 2]>,
    nth: u32,
    /// How many were found and passed.
    passed: u32,
    base: Engine,
    other: Engine,
    /// From when on the other side has its kernel.
    other_from: Nanos,
    /// Whether both runs are over, or one was stopped.
    is_over: bool,
    /// Follows the base.
    waits: WaitBook,
    /// Up to when both sides have come.
    now: Nanos,
    step: u64,
    events: u64,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Seek,
    Follow(Box<Following>),
    Done(Result<Option<Box<DivergenceView>>, &'static str>),
}

/// What was found, and what becomes of the task.
#[derive(Debug)]
struct Following {
    view: DivergenceView,
    task: TaskId,
    fates: [Fate; 2],
    until: Nanos,
}

impl DivergenceJob {
    /// A search before its first step, of a divergence counted from 0.
    pub fn new(mut columns: Box<[PlannedColumn; 2]>, seed: u64, nth: u32) -> DivergenceJob {
        for column in columns.iter_mut() {
            column.setup.seed = seed;
        }
        let [base, other] = columns
            .each_ref()
            .map(|column| Engine::new(&column.setup, Options { keep_events: true, ..Options::default() }));
        let (cpus, tasks) = (columns[0].setup.topology.len(), base.workload().threads().len());
        let tasks = tasks.max(other.workload().threads().len());
        let cpus = cpus.max(columns[1].setup.topology.len());
        let mut job = DivergenceJob {
            waits: WaitBook::new(cpus, tasks),
            columns,
            nth,
            passed: 0,
            base,
            other,
            other_from: Nanos::ZERO,
            is_over: false,
            now: Nanos::ZERO,
            step: FIRST_STEP,
            events: 0,
            stage: Stage::Seek,
        };
        if 0 < nth && !job.differ_in_kernel_only() {
            job.stage = Stage::Done(Err(NEEDS_SAME_SETUP));
        }
        job
    }

    fn differ_in_kernel_only(&self) -> bool {
        let [base, other] = &*self.columns;
        let mut as_base = other.setup.clone();
        as_base.kernel = base.setup.kernel.clone();
        as_base == base.setup && self.base.copy().switch_kernel(&other.setup.kernel)
    }

    /// Works on for a few milliseconds; whether the search is over.
    pub fn step(&mut self) -> bool {
        match std::mem::replace(&mut self.stage, Stage::Seek) {
            // Goes on seeking, unless it finds.
            Stage::Seek => self.seek(),
            Stage::Follow(following) => self.follow(following),
            done @ Stage::Done(_) => self.stage = done,
        }
        matches!(self.stage, Stage::Done(_))
    }

    /// What was found, once the search is over.
    pub fn take_result(&mut self) -> Result<Option<Box<DivergenceView>>, &'static str> {
        match std::mem::replace(&mut self.stage, Stage::Done(Ok(None))) {
            Stage::Done(result) => result,
            Stage::Seek | Stage::Follow(_) => Ok(None),
        }
    }

    /// How far the search has come at most.
    pub fn progress(&self) -> Progress {
        let end = expected_end(&self.columns[0].setup);
        let fraction = (self.now.0 as f64 / end.0.max(1) as f64).min(1.0);
        Progress { fraction, now_ns: self.now.0, events: self.events }
    }

    /// Runs both sides on by a step and compares.
    fn seek(&mut self) {
        let before = [self.base.copy(), self.other.copy()];
        let until = Nanos(self.now.0.saturating_add(self.step));
        let Some(logs) = self.run_both(until) else {
            [self.base, self.other] = before;
            return;
        };
        match first_difference([&logs[0], &logs[1]]) {
            Some(parting) if self.passed < self.nth => self.pass(before, parting),
            Some(parting) => self.found(before, parting),
            None if self.is_over => self.stage = Stage::Done(Ok(None)),
            None => {
                self.waits.follow(&logs[0]);
                self.now = until;
            }
        }
    }

    /// Runs both sides up to a moment; their events since the last time. `None` where that would take long: then the next
    /// step is shorter, and the sides are of no use any more.
    fn run_both(&mut self, until: Nanos) -> Option<[Vec<Event>; 2]> {
        // What happens at one moment cannot be cut.
        let budget = if self.step == 1 { u64::MAX } else { MOST_EVENTS_A_STEP };
        let mut states = [RunState::Running; 2];
        for (engine, state) in [&mut self.base, &mut self.other].into_iter().zip(&mut states) {
            let progress = engine.run(until, budget);
            if progress.state == RunState::Running && progress.now < until {
                self.step = (progress.now.saturating_sub(self.now).0 / 2).max(1);
                return None;
            }
            *state = progress.state;
        }
        self.is_over = states.contains(&RunState::OutOfBudget) || states == [RunState::Finished; 2];
        let logs = [self.base.take_events(), self.other.take_events()];
        let took = logs[0].len().max(logs[1].len());
        self.events += took as u64;
        if took < EVENTS_A_STEP {
            self.step = self.step.saturating_mul(2);
        }
        Some(logs)
    }

    /// Goes on behind a divergence that is not the one looked for.
    fn pass(&mut self, before: [Engine; 2], parting: Parting) {
        let [base, _] = before;
        self.base = base;
        self.base.run(parting.at, u64::MAX);
        self.waits.follow(&self.base.take_events());
        self.other = self.base.copy();
        self.other.switch_kernel(&self.columns[1].setup.kernel);
        self.now = parting.at;
        self.other_from = parting.at;
        self.passed += 1;
    }

    /// Takes the divergence apart and begins to follow what comes of it.
    fn found(&mut self, before: [Engine; 2], parting: Parting) {
        let [mut base, mut other] = before;
        for engine in [&mut base, &mut other] {
            if let Some(until) = parting.at.0.checked_sub(1) {
                engine.run(Nanos(until), u64::MAX);
            }
        }
        self.waits.follow(&base.take_events());
        other.take_events();
        let cpus = base.inspect();
        let names = Names::of(&base, &cpus);
        let explanations = [&mut base, &mut other].map(|engine| {
            engine.explain_decisions(true);
            engine.run(parting.at, u64::MAX);
            engine.explain_decisions(false);
            engine.take_explanations()
        });
        let decisions = first_different([&explanations[0], &explanations[1]]);
        let side = |position: usize| DivergenceSide {
            column: self.columns[position].name.clone(),
            event: parting.events[position].map(|event| names.event(&event)),
            decision: decisions[position].map(|explanation| names.decision(explanation)),
        };
        let view = DivergenceView {
            nth: self.nth,
            at_ns: parting.at.0,
            patched_from_ns: self.other_from.0,
            base: side(0),
            patched: side(1),
            cpus: cpus.iter().map(|cpu| names.cpu(cpu)).collect(),
            consequence: None,
        };
        let Some(task) = concerned(decisions, &parting) else {
            self.stage = Stage::Done(Ok(Some(Box::new(view))));
            return;
        };
        let mut fates = [self.waits.fate(task, parting.at), self.waits.fate(task, parting.at)];
        (self.base, self.other, self.now) = (base, other, parting.at);
        for (fate, engine) in fates.iter_mut().zip([&mut self.base, &mut self.other]) {
            fate.follow(&engine.take_events());
            fate.reach(parting.at);
        }
        let until = Nanos(parting.at.0.saturating_add(FOLLOWED));
        self.stage = Stage::Follow(Box::new(Following { view, task, fates, until }));
    }

    /// Runs both sides on by a step and looks whether the task got its CPU.
    fn follow(&mut self, mut following: Box<Following>) {
        let until = Nanos(self.now.0.saturating_add(self.step).min(following.until.0));
        let before = [self.base.copy(), self.other.copy()];
        let Some(logs) = self.run_both(until) else {
            [self.base, self.other] = before;
            self.stage = Stage::Follow(following);
            return;
        };
        self.now = until;
        for (fate, log) in following.fates.iter_mut().zip(&logs) {
            fate.follow(log);
            fate.reach(until);
        }
        let is_known = following.fates.iter().all(Fate::is_sealed);
        if is_known || self.is_over || following.until <= until {
            let names = Names::of(&self.base, &[]);
            let mut view = following.view;
            view.consequence = Some(consequence(&names, following.task, &following.fates, until));
            self.stage = Stage::Done(Ok(Some(Box::new(view))));
        } else {
            self.stage = Stage::Follow(following);
        }
    }
}

/// The first decision that came out otherwise, on both sides. What the forms of a patch answer is no difference in
/// itself: only which form is in force differs there.
fn first_different(sides: [&[Explanation]; 2]) -> [Option<&Explanation>; 2] {
    let longest = sides[0].len().max(sides[1].len());
    let pairs = (0..longest).map(|position| sides.map(|side| side.get(position)));
    let mut different = pairs.filter(|[base, other]| match (base, other) {
        (Some(base), Some(other)) => is_different(base, other),
        _ => true,
    });
    different.next().unwrap_or([None, None])
}

fn is_different(base: &Explanation, other: &Explanation) -> bool {
    let asked = |explanation: &Explanation| {
        let steps = explanation.steps.iter().filter(|step| step.check != Check::Hunk);
        steps.cloned().collect::<Vec<_>>()
    };
    (base.at, base.cpu, base.task, base.about, base.outcome)
        != (other.at, other.cpu, other.task, other.about, other.outcome)
        || asked(base) != asked(other)
}

/// The task that a divergence is about: the one that one side's balance took and the other's left, or the one that was
/// placed, picked or preempted.
fn concerned(decisions: [Option<&Explanation>; 2], parting: &Parting) -> Option<TaskId> {
    let taken = |explanation: Option<&Explanation>| {
        let steps = explanation.map_or(&[][..], |explanation| &explanation.steps);
        let taken = steps.iter().filter(|step| step.check == Check::Detach && step.yes);
        taken.filter_map(|step| step.task).collect::<Vec<_>>()
    };
    let sides = decisions.map(taken);
    let of_one = sides[1].iter().find(|task| !sides[0].contains(task));
    let of_other = sides[0].iter().find(|task| !sides[1].contains(task));
    let of_decision = || {
        decisions.into_iter().flatten().find_map(|explanation| match explanation.outcome {
            Outcome::Task(task) => Some(task),
            _ => explanation.task,
        })
    };
    let of_event = || {
        let tasks = parting.events.into_iter().flatten().map(|event| event.task);
        tasks.into_iter().find(|task| *task != Event::NO_TASK)
    };
    of_one.or(of_other).copied().or_else(of_decision).or_else(of_event)
}

fn consequence(names: &Names, task: TaskId, fates: &[Fate; 2], until: Nanos) -> Consequence {
    let (longer, shorter) =
        if fates[0].waited() < fates[1].waited() { (&fates[1], &fates[0]) } else { (&fates[0], &fates[1]) };
    let could_have = shorter.cpu();
    let idle_cpu =
        (shorter.waited() < longer.waited() && 0 < longer.idled(could_have).0).then_some(could_have);
    let view = |fate: &Fate| TaskFate {
        waits_since_ns: fate.waits_since().0,
        ran_at_ns: fate.ran_at().map(|at| at.0),
        waited_ns: fate.waited().0,
        cpu: fate.cpu().0,
        idled_ns: idle_cpu.map_or(0, |cpu: CpuId| fate.idled(cpu).0),
    };
    Consequence {
        task: names.task(task),
        base: view(&fates[0]),
        patched: view(&fates[1]),
        idle_cpu: idle_cpu.map(|cpu| cpu.0),
        followed_until_ns: until.0,
    }
}
