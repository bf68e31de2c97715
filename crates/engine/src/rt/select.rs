//! Where a real-time task is put, with what the rules ask answered by the machine.

use std::cell::RefCell;

use rules::rt::{self, RtCurrent, RtTask, RtView};
use sim::{CpuId, TaskId};
use topology::CpuSet;
use trace::EventKind;
use trace::explain::Check;

use crate::engine::{Config, Engine};
use crate::explain::{StepExt, step};
use crate::rq::Rq;
use crate::task::{RtPlacement, Task};

/// The bits of a `WakePreempt` event's detail where a real-time task preempts a fair one.
const PREEMPTS_FAIR: u8 = 1;
const IDLE_IN_DOMAIN: u8 = 2;
const IDLE_ANYWHERE: u8 = 4;

impl Engine {
    /// The CPU for a real-time task that wakes or is new.
    ///
    /// Kernel: rt.c select_task_rq_rt(), v5.4…v6.1.
    /// Differs: see [`rules::rt::select_task_rq_rt`].
    pub(crate) fn select_task_rq_rt(&mut self, task: TaskId, this_cpu: CpuId) -> CpuId {
        let cpu = self.tasks[task.index()].cpu;
        let current = self.rt_current(cpu);
        self.explain(|engine| {
            let prio = engine.tasks[task.index()].prio;
            step(Check::RtConflict, current.is_rt() && (current.pinned || current.prio <= prio))
                .of_cpu(cpu)
                .value("prio", i64::from(prio))
                .value("curr_prio", i64::from(current.prio))
                .value("curr_pinned", i64::from(current.pinned))
        });
        let chosen = self.ask_rt_rules(task, this_cpu, |engine, view, request| {
            rt::select_task_rq_rt(&engine.0.kernel, engine.1, view, request)
        });
        self.tasks[task.index()].rt_placement = self.rt_placement(task, cpu, chosen);
        if self.rqs[chosen.index()].is_idle() {
            self.counters.rt_idle_picks += 1;
        }
        if chosen != cpu {
            self.counters.rt_migrations += 1;
        }
        chosen
    }

    /// The CPU to which a waiting real-time task can go.
    pub(super) fn find_lowest_rq(&mut self, task: TaskId, this_cpu: CpuId) -> Option<CpuId> {
        self.ask_rt_rules(task, this_cpu, |engine, view, request| {
            rt::find_lowest_rq(&engine.0.kernel, engine.1, view, request)
        })
    }

    /// Whether some allowed CPU runs something less important than a task.
    pub(super) fn has_lower_cpu(&self, task: TaskId) -> bool {
        let entity = &self.tasks[task.index()];
        !entity.is_pinned() && rt::cpupri_find(&self.rt_view(entity.allowed, None), entity.prio).is_some()
    }

    fn ask_rt_rules<T>(
        &mut self,
        task: TaskId,
        this_cpu: CpuId,
        ask: impl FnOnce((&Config, &mut dyn kernel::Audit), &Machine<'_>, &RtTask) -> T,
    ) -> T {
        let entity = &self.tasks[task.index()];
        let request = RtTask {
            prio: entity.prio,
            pinned: entity.is_pinned(),
            cpu: entity.cpu,
            may_stay: entity.allowed.contains(entity.cpu),
            this_cpu,
        };
        let asked = self.explains().then(RefCell::default);
        let view = Machine {
            config: &self.config,
            rqs: &self.rqs,
            tasks: &self.tasks,
            allowed: entity.allowed,
            asked,
        };
        let answer = ask((&self.config, &mut self.audit), &view, &request);
        if let Some(asked) = view.asked {
            let lowest = rt::cpupri_find(&self.rt_view(self.tasks[task.index()].allowed, None), request.prio);
            self.explain_rt_search(lowest, &asked.into_inner());
        }
        self.flush_decisions(this_cpu);
        answer
    }

    fn explain_rt_search(&mut self, lowest: Option<Vec<CpuId>>, asked: &[(CpuId, bool)]) {
        self.explain(|engine| {
            let first = lowest.as_ref().and_then(|cpus| cpus.first().copied());
            let found = step(Check::LowestCpus, first.is_some())
                .value("cpus", lowest.as_ref().map_or(0, |cpus| cpus.len() as i64));
            match first {
                None => found,
                Some(first) => {
                    let highest = engine.rqs[first.index()].rt.highest_prio();
                    found.of_cpu(first).value("highest_prio", i64::from(highest))
                }
            }
        });
        for (cpu, idle) in asked {
            self.explain(|engine| {
                let rq = &engine.rqs[cpu.index()];
                step(Check::CpuIdle, *idle)
                    .of_cpu(*cpu)
                    .value("nr_running", i64::from(rq.nr_running))
                    .value("ttwu_pending", i64::from(rq.ttwu_pending))
            });
        }
    }

    fn rt_view(&self, allowed: CpuSet, asked: Option<RefCell<Vec<(CpuId, bool)>>>) -> Machine<'_> {
        Machine { config: &self.config, rqs: &self.rqs, tasks: &self.tasks, allowed, asked }
    }

    fn rt_current(&self, cpu: CpuId) -> RtCurrent {
        current_of(&self.rqs, &self.tasks, cpu)
    }

    /// Whether the chosen CPU runs a fair task although an allowed one idles.
    fn rt_placement(&self, task: TaskId, prev: CpuId, chosen: CpuId) -> RtPlacement {
        let curr = self.rqs[chosen.index()].curr;
        if curr.is_none_or(|curr| self.tasks[curr.index()].is_rt()) {
            return RtPlacement::default();
        }
        let allowed = &self.tasks[task.index()].allowed;
        let mut idle = allowed.iter().filter(|cpu| self.rqs[cpu.index()].is_idle()).peekable();
        let lowest = self.config.domains.by_cpu[prev.index()].first();
        RtPlacement {
            idle_anywhere: idle.peek().is_some(),
            idle_in_domain: lowest.is_some_and(|domain| idle.any(|cpu| domain.span.contains(cpu))),
        }
    }

    /// A real-time task was queued where a fair one runs.
    pub(crate) fn note_rt_preempts_fair(&mut self, cpu: CpuId, task: TaskId, curr: TaskId) {
        if self.rqs[cpu.index()].need_resched {
            return;
        }
        let RtPlacement { idle_anywhere, idle_in_domain } =
            std::mem::take(&mut self.tasks[task.index()].rt_placement);
        self.counters.wakeup_preemptions += 1;
        self.counters.rt_preempts_fair += 1;
        self.counters.rt_avoidable += u64::from(idle_anywhere);
        self.counters.rt_avoidable_in_domain += u64::from(idle_in_domain);
        let mut detail = PREEMPTS_FAIR;
        detail |= if idle_in_domain { IDLE_IN_DOMAIN } else { 0 };
        detail |= if idle_anywhere { IDLE_ANYWHERE } else { 0 };
        self.emit(EventKind::WakePreempt, cpu, task, [curr.0, 0], detail);
    }
}

fn current_of(rqs: &[Rq], tasks: &[Task], cpu: CpuId) -> RtCurrent {
    match rqs[cpu.index()].curr {
        None => RtCurrent::IDLE,
        Some(curr) => {
            let curr = &tasks[curr.index()];
            RtCurrent { prio: curr.prio, pinned: curr.is_pinned() }
        }
    }
}

/// The machine as the rules of the real-time class see it.
struct Machine<'a> {
    config: &'a Config,
    rqs: &'a [Rq],
    tasks: &'a [Task],
    allowed: CpuSet,
    /// Which CPUs were asked whether they idle, where somebody wants to know.
    asked: Option<RefCell<Vec<(CpuId, bool)>>>,
}

impl RtView for Machine<'_> {
    fn allowed(&self) -> impl Iterator<Item = CpuId> {
        self.allowed.iter()
    }

    fn highest_prio(&self, cpu: CpuId) -> u8 {
        self.rqs[cpu.index()].rt.highest_prio()
    }

    fn current(&self, cpu: CpuId) -> RtCurrent {
        current_of(self.rqs, self.tasks, cpu)
    }

    fn is_idle(&self, cpu: CpuId) -> bool {
        let idle = self.rqs[cpu.index()].is_idle();
        if let Some(asked) = &self.asked {
            asked.borrow_mut().push((cpu, idle));
        }
        idle
    }

    fn domain_count(&self, cpu: CpuId) -> usize {
        self.config.domains.by_cpu[cpu.index()].len()
    }

    fn is_wake_affine(&self, of: CpuId, level: usize) -> bool {
        self.config.domains.by_cpu[of.index()][level].flags.wake_affine
    }

    fn spans(&self, of: CpuId, level: usize, cpu: CpuId) -> bool {
        self.config.domains.by_cpu[of.index()][level].span.contains(cpu)
    }

    /// Without a `uclamp.min` of its own a real-time task wants the biggest CPU.
    fn fits(&self, cpu: CpuId) -> bool {
        /// The capacity of the biggest CPU.
        const WANTED: u64 = 1024;
        !self.config.kernel.tunables.rt_capacity_aware
            || !self.config.domains.asymmetric
            || WANTED <= self.config.capacity_orig[cpu.index()]
    }
}
