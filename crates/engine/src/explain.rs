//! Takes decisions apart while somebody watches; costs nothing while nobody does, and never changes what happens.

use kernel::Form;
use sim::{CpuId, Nanos, TaskId};
use trace::explain::{About, Check, Explanation, Outcome, Step};

use crate::engine::Engine;

/// The explanations so far, and the decisions that are being made: one can lie within another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Explainer {
    enabled: bool,
    open: Vec<(About, Vec<Step>)>,
    closed: Vec<Explanation>,
}

impl Engine {
    /// Begins or ends taking decisions apart. What happens stays the same.
    pub fn explain_decisions(&mut self, enabled: bool) {
        self.explainer.enabled = enabled;
        // A patch's forms are asked at its hunks only while somebody counts them.
        self.audit.explain(enabled);
    }

    /// The decisions since the last call, in the order in which they were completed.
    pub fn take_explanations(&mut self) -> Vec<Explanation> {
        std::mem::take(&mut self.explainer.closed)
    }

    pub(crate) fn explains(&self) -> bool {
        self.explainer.enabled
    }

    /// A decision begins: checks belong to it until it ends.
    pub(crate) fn explain_begins(&mut self, about: About) {
        if self.explainer.enabled {
            self.explainer.open.push((about, Vec::new()));
        }
    }

    /// The decision that began last is made.
    pub(crate) fn explain_ends(&mut self, cpu: CpuId, task: Option<TaskId>, outcome: Outcome) {
        if !self.explainer.enabled {
            return;
        }
        let Some((about, steps)) = self.explainer.open.pop() else { return };
        self.explainer.closed.push(Explanation { at: Nanos(self.now), cpu, task, about, steps, outcome });
    }

    /// A check was made.
    pub(crate) fn explain(&mut self, step: impl FnOnce(&Engine) -> Step) {
        if self.explainer.enabled && !self.explainer.open.is_empty() {
            let step = step(self);
            if let Some((_, steps)) = self.explainer.open.last_mut() {
                steps.push(step);
            }
        }
    }

    /// A hunk was reached: what each form answers.
    pub(crate) fn explain_hunk(&mut self, hunk: u32, differing: u8, active: Option<Form>) {
        let in_force = active.map_or(0, |form| i64::from(form.0) + 1);
        let changed = active.is_some_and(|form| differing >> form.0 & 1 == 1);
        self.explain(|_| {
            step(Check::Hunk, changed)
                .value("hunk", i64::from(hunk))
                .value("differing_forms", i64::from(differing))
                .value("form_in_force", in_force)
        });
    }
}

/// A check with its answer.
pub(crate) fn step(check: Check, yes: bool) -> Step {
    Step { check, yes, cpu: None, task: None, values: Vec::new() }
}

/// What a check was asked of, and what it saw.
pub(crate) trait StepExt {
    fn of_cpu(self, cpu: CpuId) -> Step;
    fn of_task(self, task: TaskId) -> Step;
    fn value(self, name: &'static str, value: i64) -> Step;
}

impl StepExt for Step {
    fn of_cpu(mut self, cpu: CpuId) -> Step {
        self.cpu = Some(cpu);
        self
    }

    fn of_task(mut self, task: TaskId) -> Step {
        self.task = Some(task);
        self
    }

    fn value(mut self, name: &'static str, value: i64) -> Step {
        self.values.push((name, value));
        self
    }
}
