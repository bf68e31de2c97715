//! The search for the decision that a reader is asked to predict.
//!
//! It asks one question after the other of whoever keeps the run: a worker behind the page, a session in a test.

use std::collections::VecDeque;

use protocol::{
    AnswerBody, CauseKind, DecisionFilter, DecisionKind, DecisionPoint, DecisionView, Explained, OutcomeView,
    RequestBody, RunKey, RunSummary, StepView,
};

use crate::format::{Find, Walk};

/// The most decisions that are gone through.
const MOST_STEPS: u32 = 4000;
/// From how many microseconds on a wake-up counts as a wait.
const WAIT_US: f32 = 1000.0;

/// A decision that can be asked for, and the machine that it finds.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// When it is made.
    pub at_ns: u64,
    /// What takes it apart, and nothing beside it.
    pub filter: DecisionFilter,
    /// Everything that was decided there, the decision itself included, and the machine just before.
    pub moment: Explained,
    /// Which of these it is.
    pub chosen: usize,
    /// Who is concerned beside the one that decides, where the lesson looks for that, and on which CPU: for a balance the
    /// task that waits, for a placement the one that runs where the task ran last.
    pub beside: Option<(u16, String)>,
}

/// What comes next in a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// This is to be asked.
    Ask(RequestBody),
    /// It is found.
    Found(Box<Question>),
    /// The run has no such decision.
    Nothing,
    /// The run could not be asked, and why.
    Failed(String),
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Quest {
    run: RunKey,
    find: Find,
    /// The waits that are left to look at, the longest first: their task and a moment within them.
    waits: VecDeque<(u32, u64)>,
    /// How many decisions that fit were found.
    found: u64,
    steps: u32,
    /// The decision that is being looked at.
    at: Option<DecisionPoint>,
}

impl Question {
    /// The decision.
    pub fn decision(&self) -> Option<&DecisionView> {
        self.moment.decisions.get(self.chosen)
    }

    /// The first task that waits on another CPU of the domain behind a running one, where the names of both begin alike.
    fn waiting(&self, name: &str) -> Option<(u16, String)> {
        let decision = self.decision().filter(|decision| decision.kind == DecisionKind::Balance)?;
        let level = decision.balance.as_ref().map_or(0, |balance| balance.level);
        let own = self.moment.cpus.iter().find(|cpu| cpu.cpu == decision.cpu)?;
        let span = &own.domains.get(usize::from(level))?.span;
        let others = self.moment.cpus.iter().filter(|cpu| span.contains(&cpu.cpu) && cpu.cpu != decision.cpu);
        others.into_iter().find_map(|cpu| {
            let running = &cpu.running.as_ref()?.task.name;
            let waiting = &cpu.waiting.first()?.task.name;
            (running.starts_with(name) && waiting.starts_with(name)).then(|| (cpu.cpu, waiting.clone()))
        })
    }

    /// The task that runs where the woken one ran last, if its name begins like this and some other CPU idles, without
    /// which there would be nothing to predict. That CPU is the first that the kernel asks about.
    fn runs_there(&self, name: &str) -> Option<(u16, String)> {
        if !self.moment.cpus.iter().any(|cpu| cpu.is_idle) {
            return None;
        }
        let asked = |step: &&StepView| matches!(step.check.as_str(), "rt_conflict" | "cpu_idle");
        let previous = self.decision()?.steps.iter().find(asked)?.cpu?;
        let there = self.moment.cpus.iter().find(|cpu| cpu.cpu == previous)?;
        let running = &there.running.as_ref()?.task.name;
        running.starts_with(name).then(|| (previous, running.clone()))
    }
}

impl Quest {
    /// A search through a run, and its first question.
    pub fn begin(find: &Find, run: &RunSummary) -> (Quest, Next) {
        let waits = if *find == Find::LongestWait { waits(run) } else { VecDeque::new() };
        let mut quest = Quest { run: run.run, find: find.clone(), waits, found: 0, steps: 0, at: None };
        let first = match &quest.find {
            Find::LongestWait => quest.next_wait(),
            Find::Walk(walk) => {
                let kind = walk.kind;
                quest.ask_after(kind, 0)
            }
        };
        (quest, first)
    }

    /// The last answer has come.
    pub fn hear(&mut self, answer: AnswerBody) -> Next {
        self.steps += 1;
        if MOST_STEPS < self.steps {
            return Next::Nothing;
        }
        match answer {
            AnswerBody::Cause(cause) => {
                let placed = cause.filter(|cause| cause.how == CauseKind::Stacked);
                match placed.and_then(|cause| cause.decision) {
                    Some(point) => self.explain(point),
                    None => self.next_wait(),
                }
            }
            AnswerBody::Decision(Some(point)) => self.explain(point),
            AnswerBody::Explained(moment) => self.weigh(moment),
            AnswerBody::Failed(failure) => Next::Failed(failure.message),
            _ => Next::Nothing,
        }
    }

    fn next_wait(&mut self) -> Next {
        match self.waits.pop_front() {
            Some((task, at_ns)) => Next::Ask(RequestBody::Cause { run: self.run, task, at_ns }),
            None => Next::Nothing,
        }
    }

    fn ask_after(&mut self, kind: DecisionKind, from_ns: u64) -> Next {
        let filter = DecisionFilter { kind: Some(kind), ..DecisionFilter::default() };
        Next::Ask(RequestBody::NextDecision { run: self.run, from_ns, forward: true, filter })
    }

    fn explain(&mut self, point: DecisionPoint) -> Next {
        self.at = Some(point);
        let kind = Some(point.kind);
        // Of a balance the events name the CPU that balances; of a placement the CPU that was chosen, which several
        // tasks can share.
        let filter = match point.kind {
            DecisionKind::Placement => DecisionFilter { kind, task: point.task, cpu: None },
            _ => DecisionFilter { kind, cpu: Some(point.cpu), task: None },
        };
        Next::Ask(RequestBody::Explain { run: self.run, at_ns: point.at_ns, filter })
    }

    fn weigh(&mut self, moment: Explained) -> Next {
        let Some(point) = self.at else { return Next::Nothing };
        let question = asked(&point, moment);
        let walk = match &self.find {
            Find::LongestWait => match question {
                Some(question) => return Next::Found(Box::new(question)),
                None => return self.next_wait(),
            },
            Find::Walk(walk) => walk.clone(),
        };
        if let Some(mut question) = question.filter(|question| walk.fits(question)) {
            self.found += 1;
            if self.found == walk.nth {
                question.beside = walk.beside_of(&question);
                return Next::Found(Box::new(question));
            }
        }
        self.ask_after(walk.kind, point.at_ns)
    }
}

/// The wake-ups of a run that waited, the longest first: the task and the middle of its wait.
fn waits(run: &RunSummary) -> VecDeque<(u32, u64)> {
    let samples = &run.samples;
    let rows = samples.latency_us.iter().zip(&samples.at_ms).zip(&samples.task).zip(&samples.from_wakeup);
    let mut waits: Vec<(f32, u32, u64)> = rows
        .filter(|(((latency, _), _), from_wakeup)| WAIT_US <= **latency && **from_wakeup == 1)
        .map(|(((latency, at), task), _)| {
            let middle = f64::from(*at) * 1e6 - f64::from(*latency) * 500.0;
            (*latency, *task, middle.max(0.0) as u64)
        })
        .collect();
    waits.sort_by(|one, other| other.0.total_cmp(&one.0));
    waits.into_iter().map(|(_, task, middle)| (task, middle)).collect()
}

/// The decision of a moment that a point means. Of the domains that a CPU goes through it is the one in which tasks
/// moved, or in which one was looked at.
fn asked(point: &DecisionPoint, moment: Explained) -> Option<Question> {
    let moved = |decision: &DecisionView| matches!(decision.outcome, OutcomeView::Moved(count) if 0 < count);
    let looked = |decision: &DecisionView| decision.steps.iter().any(|step| step.check == "detach");
    let place = |test: &dyn Fn(&DecisionView) -> bool| moment.decisions.iter().position(test);
    let chosen = place(&moved).or_else(|| place(&looked)).or_else(|| place(&|_| true))?;
    let decision = moment.decisions.get(chosen)?;
    let task = decision.task.as_ref().map(|task| task.id);
    let filter = DecisionFilter {
        kind: Some(decision.kind),
        cpu: (decision.kind != DecisionKind::Placement).then_some(point.cpu),
        task: task.filter(|_| decision.kind == DecisionKind::Placement),
    };
    Some(Question { at_ns: point.at_ns, filter, chosen, moment, beside: None })
}

impl Walk {
    fn fits(&self, question: &Question) -> bool {
        let Some(decision) = question.decision() else { return false };
        let name = decision.task.as_ref().map_or("", |task| &task.name);
        let reason = decision.balance.as_ref().map(|balance| balance.reason);
        let wants_somebody = self.beside.is_some() || self.previous_runs.is_some();
        self.reason.is_none_or(|wanted| reason == Some(wanted))
            && name.starts_with(&self.task)
            // The real-time class asks this of every task that wakes, and no other class does.
            && (!self.is_real_time || decision.steps.iter().any(|step| step.check == "rt_conflict"))
            && (!wants_somebody || self.beside_of(question).is_some())
    }

    /// Who is concerned beside the one that decides.
    fn beside_of(&self, question: &Question) -> Option<(u16, String)> {
        match (&self.beside, &self.previous_runs) {
            (Some(name), _) => question.waiting(name),
            (None, Some(name)) => question.runs_there(name),
            (None, None) => None,
        }
    }
}
