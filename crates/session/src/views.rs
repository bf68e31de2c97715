//! Decisions and machines as plain data with names.

use engine::Engine;
use kernel::Patch;
use protocol::{
    BalanceReason, BalanceView, CpuInspection, DecisionKind, DecisionView, DomainInspection, EventView,
    FormAnswer, HunkAnswers, OutcomeView, StepView, TaskInspection, TaskName, ValueView,
};
use sim::TaskId;
use trace::explain::{self, About, Check, Explanation, Outcome, Step};
use trace::{Event, EventKind};

/// The names of a run's tasks.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    tasks: Vec<String>,
    /// For each CPU the names of its domains, lowest first.
    domains: Vec<Vec<&'static str>>,
}

impl Names {
    pub(crate) fn of(engine: &Engine, cpus: &[engine::CpuInspection]) -> Names {
        let threads = engine.workload().threads().iter();
        let domains = cpus.iter().map(|cpu| cpu.domains.iter().map(|domain| domain.name).collect());
        Names { tasks: threads.map(|thread| thread.name.clone()).collect(), domains: domains.collect() }
    }

    pub(crate) fn task(&self, task: TaskId) -> TaskName {
        TaskName { id: task.0, name: self.tasks.get(task.index()).cloned().unwrap_or_default() }
    }

    pub(crate) fn decision(&self, explanation: &Explanation) -> DecisionView {
        let cpu = explanation.cpu.0;
        let balance = match explanation.about {
            About::Balance { level, reason } => {
                let domains = self.domains.get(usize::from(cpu));
                let domain = domains.and_then(|domains| domains.get(usize::from(level))).copied();
                Some(BalanceView {
                    level,
                    domain: domain.unwrap_or_default().to_owned(),
                    reason: match reason {
                        explain::BalanceReason::NewlyIdle => BalanceReason::NewlyIdle,
                        explain::BalanceReason::Idle => BalanceReason::Idle,
                        explain::BalanceReason::Busy => BalanceReason::Busy,
                    },
                })
            }
            _ => None,
        };
        DecisionView {
            at_ns: explanation.at.0,
            cpu,
            task: explanation.task.map(|task| self.task(task)),
            kind: kind_of(explanation.about),
            balance,
            steps: explanation.steps.iter().map(|step| self.step(step)).collect(),
            outcome: match explanation.outcome {
                Outcome::Cpu(cpu) => OutcomeView::Cpu(cpu.0),
                Outcome::Task(task) => OutcomeView::Task(self.task(task)),
                Outcome::Moved(count) => OutcomeView::Moved(count),
                Outcome::Answer(yes) => OutcomeView::Answer(yes),
            },
        }
    }

    fn step(&self, step: &Step) -> StepView {
        let hunk = (step.check == Check::Hunk).then(|| hunk_answers(step)).flatten();
        let kernel_function = match &hunk {
            Some(hunk) => [hunk.function.as_str(), "()"].concat(),
            None => step.check.kernel_function().to_owned(),
        };
        // What a hunk's values say, its answers say in words.
        let values = if hunk.is_some() { &[] } else { step.values.as_slice() };
        StepView {
            check: step.check.key().to_owned(),
            kernel_function,
            yes: step.yes,
            cpu: step.cpu.map(|cpu| cpu.0),
            task: step.task.map(|task| self.task(task)),
            values: values.iter().map(|(name, value)| named_value(name, *value)).collect(),
            hunk,
        }
    }

    pub(crate) fn cpu(&self, cpu: &engine::CpuInspection) -> CpuInspection {
        CpuInspection {
            cpu: cpu.cpu.0,
            running: cpu.running.map(|task| self.inspected(&task)),
            waiting: cpu.waiting.iter().map(|task| self.inspected(task)).collect(),
            wake_list: cpu.wake_list.iter().map(|task| self.task(*task)).collect(),
            nr_running: cpu.nr_running,
            is_idle: cpu.is_idle,
            min_vruntime: cpu.min_vruntime,
            load_avg: cpu.load_avg,
            runnable_avg: cpu.runnable_avg,
            util_avg: cpu.util_avg,
            util_est: cpu.util_est,
            domains: (0_u8..)
                .zip(&cpu.domains)
                .map(|(level, domain)| DomainInspection {
                    level,
                    name: domain.name.to_owned(),
                    span: domain.span.iter().map(|cpu| cpu.0).collect(),
                    nr_balance_failed: domain.nr_balance_failed,
                    balance_interval_ms: domain.balance_interval_ms,
                })
                .collect(),
        }
    }

    fn inspected(&self, task: &engine::TaskInspection) -> TaskInspection {
        TaskInspection {
            task: self.task(task.task),
            vruntime_ns: task.vruntime,
            weight: task.weight,
            load_avg: task.load_avg,
            util_avg: task.util_avg,
            util_est: task.util_est,
        }
    }

    pub(crate) fn event(&self, event: &Event) -> EventView {
        let [first, second] = event.args.map(i64::from);
        let detail = i64::from(event.detail);
        let values: Vec<(&str, i64)> = match event.kind {
            EventKind::Fork | EventKind::Waking => vec![("this_cpu", first)],
            EventKind::Placed => vec![("prev_cpu", first), ("this_cpu", second), ("wake_list", detail)],
            EventKind::Wakeup | EventKind::QueueLength => vec![("nr_running", first)],
            EventKind::Migrate => vec![("orig_cpu", first), ("reason", detail)],
            EventKind::Switch => vec![("left_waiting", second), ("prev_state", detail)],
            EventKind::Balance if event.args[0] == u32::MAX => vec![("imbalance", second)],
            EventKind::Balance => {
                let (level, reason, outcome) = (detail >> 5, detail >> 3 & 3, detail & 7);
                let parts = [("src_cpu", first), ("imbalance", second), ("level", level)];
                parts.into_iter().chain([("reason", reason), ("outcome", outcome)]).collect()
            }
            EventKind::UtilRefused => vec![("task_util_est", first), ("imbalance", second)],
            EventKind::Decision => vec![("hunk", first), ("differing_forms", second)],
            EventKind::Mark => vec![("mark", detail), ("value", first)],
            EventKind::Frequency => vec![("khz", first)],
            EventKind::Idle => vec![("state", detail), ("exit_ns", first)],
            EventKind::Exit | EventKind::TickPreempt | EventKind::WakePreempt => Vec::new(),
        };
        EventView {
            at_ns: event.at.0,
            kind: event_key(event.kind).to_owned(),
            cpu: event.cpu.0,
            task: (event.task != Event::NO_TASK).then(|| self.task(event.task)),
            values: values.into_iter().map(|(name, value)| named_value(name, value)).collect(),
        }
    }
}

fn named_value(name: &str, value: i64) -> ValueView {
    ValueView { name: name.to_owned(), value }
}

/// What every form of the patch at a hunk answered.
fn hunk_answers(step: &Step) -> Option<HunkAnswers> {
    let value = |wanted: &str| step.values.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    let (hunk, differing, in_force) = (value("hunk")?, value("differing_forms")?, value("form_in_force")?);
    let patch = *Patch::ALL.get(usize::try_from(hunk / 256).ok()?)?;
    let info = patch.info();
    let hunk = info.hunks.iter().find(|known| i64::from(known.index) == hunk % 256)?;
    let forms = info.forms.iter().enumerate();
    let in_force = usize::try_from(in_force - 1).ok().and_then(|form| info.forms.get(form));
    Some(HunkAnswers {
        patch: patch.slug().to_owned(),
        index: hunk.index,
        file: hunk.file.to_owned(),
        function: hunk.function.to_owned(),
        answers: forms
            .map(|(position, form)| FormAnswer {
                form: form.name.to_owned(),
                differs: differing >> position & 1 == 1,
            })
            .collect(),
        in_force: in_force.map_or("base", |form| form.name).to_owned(),
    })
}

/// What was decided, without the particulars.
pub(crate) const fn kind_of(about: About) -> DecisionKind {
    match about {
        About::Placement => DecisionKind::Placement,
        About::Birth => DecisionKind::Birth,
        About::Balance { .. } => DecisionKind::Balance,
        About::Pick => DecisionKind::Pick,
        About::WakePreempt => DecisionKind::WakePreempt,
        About::TickPreempt => DecisionKind::TickPreempt,
        About::RtPush => DecisionKind::RtPush,
        About::RtPull => DecisionKind::RtPull,
    }
}

/// The name of a kind of events between worker and page.
const fn event_key(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Fork => "fork",
        EventKind::Exit => "exit",
        EventKind::Waking => "waking",
        EventKind::Placed => "placed",
        EventKind::Wakeup => "wakeup",
        EventKind::Migrate => "migrate",
        EventKind::Switch => "switch",
        EventKind::QueueLength => "queue_length",
        EventKind::Balance => "balance",
        EventKind::UtilRefused => "util_refused",
        EventKind::Decision => "decision",
        EventKind::TickPreempt => "tick_preempt",
        EventKind::WakePreempt => "wake_preempt",
        EventKind::Mark => "mark",
        EventKind::Frequency => "frequency",
        EventKind::Idle => "idle",
    }
}
