//! Where a task is put when it wakes.

use std::cell::RefCell;

use kernel::IdleSearch;
use kernel::patches::ttwu_pending;
use rules::balance::DomainView;
use rules::select_idle::{self, IdleView, WakeupFacts, sis_prop_limit};
use rules::wake_affine::{self, AffineTarget, IdleFacts, WeightFacts};
use sim::{CpuId, TaskId};
use topology::CpuSet;
use trace::explain::Check;

use crate::core::ttwu::{Waker, update_avg};
use crate::engine::{Config, Engine};
use crate::explain::{StepExt, step};
use crate::fair::asym;
use crate::rq::Rq;

/// The CPU chosen for a waking task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placement {
    pub(crate) cpu: CpuId,
    /// How many CPUs the idle search looked at.
    pub(crate) scanned: u32,
}

/// The two CPUs between which a wake-up chooses, and the waker where it says that it is about to sleep.
#[derive(Clone, Copy, Debug)]
struct Ends {
    this_cpu: CpuId,
    prev_cpu: CpuId,
    sync: Option<TaskId>,
}

/// `wake_wide()` halves its counts this often.
const WAKEE_DECAY_NS: u64 = 1_000_000_000;

impl Engine {
    /// The CPU for a waking task.
    ///
    /// Kernel: fair.c `select_task_rq_fair()` with `SD_BALANCE_WAKE`, v5.10.
    /// Differs: nothing.
    pub(crate) fn select_task_rq_fair(
        &mut self,
        task: TaskId,
        prev_cpu: CpuId,
        this_cpu: CpuId,
        by: Option<Waker>,
    ) -> Placement {
        let waker = by.map(|by| by.task);
        self.record_wakee(task, this_cpu, waker);
        if let Some(cpu) = self.find_energy_efficient_cpu(task, prev_cpu) {
            return Placement { cpu, scanned: 0 };
        }
        let wide = self.wake_wide(task, this_cpu, waker);
        self.explain(|_| step(Check::WakeWide, wide).of_task(task));
        let affine = !wide && !self.wake_cap(task, this_cpu, prev_cpu);
        let want_affine = affine && self.tasks[task.index()].allowed.contains(this_cpu);
        if !want_affine && self.wakes_into_idlest_group() {
            return Placement { cpu: self.find_idlest_cpu(this_cpu, task), scanned: 0 };
        }
        let mut target = prev_cpu;
        if want_affine && this_cpu != prev_cpu {
            let config = self.config.clone();
            let shared = config.domains.by_cpu[this_cpu.index()]
                .iter()
                .find(|domain| domain.flags.wake_affine && domain.span.contains(prev_cpu));
            if let Some(domain) = shared {
                let sync = by.filter(|by| by.sync).map(|by| by.task);
                let ends = Ends { this_cpu, prev_cpu, sync };
                target = self.wake_affine(domain.imbalance_pct, task, ends);
            }
        }
        let placement = self.select_idle_sibling(task, prev_cpu, target, this_cpu);
        if want_affine
            && self.config.kernel.tunables.idle_search == IdleSearch::TwoPasses
            && let Some(waker) = waker
        {
            self.tasks[waker.index()].recent_used_cpu = this_cpu;
        }
        placement
    }

    /// Kernel: fair.c record_wakee(), v3.12…v6.18.
    fn record_wakee(&mut self, task: TaskId, this_cpu: CpuId, waker: Option<TaskId>) {
        let now = self.now;
        let history = match waker {
            Some(waker) => &mut self.tasks[waker.index()].wakee,
            None => &mut self.rqs[this_cpu.index()].idle_wakee,
        };
        if history.decay_at + WAKEE_DECAY_NS < now {
            history.flips >>= 1;
            history.decay_at = now;
        }
        if history.last_wakee != Some(task) {
            history.last_wakee = Some(task);
            history.flips += 1;
        }
    }

    /// Whether waker and wakee have so many partners that pulling them together would hurt.
    ///
    /// Kernel: fair.c wake_wide(), v4.3…v6.18.
    /// Differs: nothing.
    fn wake_wide(&self, task: TaskId, this_cpu: CpuId, waker: Option<TaskId>) -> bool {
        let waker_flips = match waker {
            Some(waker) => self.tasks[waker.index()].wakee.flips,
            None => self.rqs[this_cpu.index()].idle_wakee.flips,
        };
        let wakee_flips = self.tasks[task.index()].wakee.flips;
        let factor = self.config.domains.llc_span[this_cpu.index()].len() as u32;
        let (most, least) = (waker_flips.max(wakee_flips), waker_flips.min(wakee_flips));
        factor <= least && least * factor <= most
    }

    /// The waker's CPU or the wakee's previous one.
    ///
    /// Kernel: fair.c wake_affine(), v4.15…v6.1.
    /// Differs: nothing.
    fn wake_affine(&mut self, imbalance_pct: u32, task: TaskId, ends: Ends) -> CpuId {
        let Ends { this_cpu, prev_cpu, sync } = ends;
        self.sync_ticks(this_cpu);
        self.sync_ticks(prev_cpu);
        let idle = IdleFacts {
            share_cache: self.config.shares_cache(this_cpu, prev_cpu),
            this_idle: self.rqs[this_cpu.index()].is_idle(),
            prev_idle: self.rqs[prev_cpu.index()].is_idle(),
            sync: sync.is_some(),
            this_nr_running: self.rqs[this_cpu.index()].nr_running,
        };
        let weight = || WeightFacts {
            this_load: self.rqs[this_cpu.index()].cfs.cpu_load(),
            prev_load: self.rqs[prev_cpu.index()].cfs.cpu_load(),
            task_load: self.tasks[task.index()].h_load(),
            sync_current_load: sync.map(|waker| self.tasks[waker.index()].h_load()),
            this_capacity: self.rqs[this_cpu.index()].cpu_capacity,
            prev_capacity: self.rqs[prev_cpu.index()].cpu_capacity,
            imbalance_pct,
        };
        let choice = wake_affine::wake_affine(&self.config.kernel.tunables, &idle, weight);
        let pulled = choice == AffineTarget::This;
        self.explain(|engine| {
            step(Check::WakeAffine, pulled)
                .of_cpu(this_cpu)
                .value("this_cpu", i64::from(this_cpu.0))
                .value("prev_cpu", i64::from(prev_cpu.0))
                .value("share_cache", i64::from(idle.share_cache))
                .value("this_idle", i64::from(idle.this_idle))
                .value("prev_idle", i64::from(idle.prev_idle))
                .value("this_load", engine.rqs[this_cpu.index()].cfs.cpu_load() as i64)
                .value("prev_load", engine.rqs[prev_cpu.index()].cfs.cpu_load() as i64)
                .value("task_load", engine.tasks[task.index()].h_load() as i64)
        });
        if pulled { this_cpu } else { prev_cpu }
    }

    /// An idle CPU that shares a cache with the target, or the target.
    ///
    /// Kernel: fair.c select_idle_sibling(), v5.10…v6.1.
    /// Differs: no per-CPU kernel threads; the cost of the scan that is averaged is the number of CPUs looked at times a
    /// constant.
    pub(crate) fn select_idle_sibling(
        &mut self,
        task: TaskId,
        prev: CpuId,
        target: CpuId,
        this_cpu: CpuId,
    ) -> Placement {
        let llc = self.config.llc_index[target.index()];
        let wakeup = WakeupFacts {
            target,
            prev,
            recent_used: self.tasks[task.index()].recent_used_cpu,
            has_idle_core: self.llcs[llc].has_idle_cores,
        };
        let need = self.need_of_wakee(task);
        let view = self.search_view(this_cpu, target, self.tasks[task.index()].allowed);
        let view = SearchView { need, ..view };
        let selection = select_idle::select_idle_sibling(&self.config.kernel.tunables, &view, wakeup);
        let asked = view.asked.map_or_else(Vec::new, RefCell::into_inner);
        self.explain_search(&asked);
        self.tasks[task.index()].recent_used_cpu = selection.recent_used;
        self.llcs[llc].has_idle_cores = selection.has_idle_core;
        if selection.averages_cost
            && let Some(domain) = self.config.llc_domain(this_cpu)
        {
            let cost = u64::from(selection.scanned) * self.config.costs.scan_per_cpu.0;
            update_avg(&mut self.rqs[this_cpu.index()].domains[domain].avg_scan_cost, cost);
        }
        Placement { cpu: selection.cpu, scanned: selection.scanned }
    }

    /// Notes that a core of the cache has become idle as a whole.
    ///
    /// Kernel: fair.c __update_idle_core(), v4.8…v6.1.
    /// Differs: a core with one thread on a machine with SMT does not count.
    pub(crate) fn update_idle_core(&mut self, cpu: CpuId) {
        if self.config.domains.smt_span[cpu.index()].len() < 2 {
            return;
        }
        let anybody = self.config.domains.smt_span[cpu.index()];
        if select_idle::rest_of_core_is_idle(&self.search_view(cpu, cpu, anybody), cpu) {
            self.llcs[self.config.llc_index[cpu.index()]].has_idle_cores = true;
        }
    }

    fn search_view(&self, this_cpu: CpuId, target: CpuId, allowed: CpuSet) -> SearchView<'_> {
        let nr_idle_scan = self.llcs[self.config.llc_index[target.index()]].nr_idle_scan;
        let asked = self.explains().then(RefCell::default);
        SearchView {
            config: &self.config,
            rqs: &self.rqs,
            this_cpu,
            target,
            allowed,
            nr_idle_scan,
            need: None,
            asked,
        }
    }

    /// The questions of an idle search, as they were asked.
    fn explain_search(&mut self, asked: &[Asked]) {
        for question in asked {
            self.explain(|engine| match *question {
                Asked::Idle { cpu, idle } => {
                    let rq = &engine.rqs[cpu.index()];
                    step(Check::CpuIdle, idle)
                        .of_cpu(cpu)
                        .value("nr_running", i64::from(rq.nr_running))
                        .value("ttwu_pending", i64::from(rq.ttwu_pending))
                }
                Asked::Fits { cpu, capacity, need } => {
                    step(Check::FitsCapacity, rules::balance::fits_capacity(need, capacity))
                        .of_cpu(cpu)
                        .value("task_util_est", need as i64)
                        .value("capacity_of", capacity as i64)
                }
                Asked::Limit { limit } => step(Check::ScanLimit, 0 < limit).value("nr", i64::from(limit)),
            });
            if let Asked::Idle { cpu, .. } = *question
                && self.is_between_clear_and_enqueue(cpu)
            {
                // The patch moves a statement, which is no question of its own: this is the one that it answers.
                let hunk = &ttwu_pending::CLEAR_LATE;
                let active = self.config.kernel.patches.form(hunk.patch);
                self.explain_hunk(hunk.patch as u32 * 256 + u32::from(hunk.index), 1, active);
            }
        }
    }

    /// Whether a CPU's wake list is on its way to its otherwise empty queue: it looks idle where the flag was cleared
    /// before the enqueue, and busy where that comes after it.
    fn is_between_clear_and_enqueue(&self, cpu: CpuId) -> bool {
        let rq = &self.rqs[cpu.index()];
        rq.curr.is_none() && rq.nr_running == 0 && rq.wake_list.is_empty() && !rq.flushing.is_empty()
    }
}

/// The machine as the idle search sees it.
struct SearchView<'a> {
    config: &'a Config,
    rqs: &'a [Rq],
    this_cpu: CpuId,
    target: CpuId,
    allowed: CpuSet,
    nr_idle_scan: u32,
    /// The wakee's estimated utilisation, where CPUs differ and it must fit.
    need: Option<u64>,
    /// What the search has asked, where somebody wants to know.
    asked: Option<RefCell<Vec<Asked>>>,
}

/// A question of the idle search with its answer.
enum Asked {
    Idle { cpu: CpuId, idle: bool },
    Fits { cpu: CpuId, capacity: u64, need: u64 },
    Limit { limit: u32 },
}

impl SearchView<'_> {
    fn note(&self, question: Asked) {
        if let Some(asked) = &self.asked {
            asked.borrow_mut().push(question);
        }
    }
}

impl IdleView for SearchView<'_> {
    fn is_idle(&self, cpu: CpuId) -> bool {
        let idle = self.rqs[cpu.index()].is_idle();
        self.note(Asked::Idle { cpu, idle });
        idle
    }

    fn allows(&self, cpu: CpuId) -> bool {
        self.allowed.contains(cpu)
    }

    fn shares_cache(&self, one: CpuId, other: CpuId) -> bool {
        self.config.shares_cache(one, other)
    }

    fn llc_wrapped(&self, start: CpuId) -> impl Iterator<Item = CpuId> {
        self.config.domains.llc_span[start.index()].iter_wrapped(start)
    }

    fn siblings(&self, cpu: CpuId) -> impl Iterator<Item = CpuId> {
        self.config.domains.smt_span[cpu.index()].iter()
    }

    fn fits(&self, cpu: CpuId) -> bool {
        let Some(need) = self.need else { return true };
        let capacity = self.rqs[cpu.index()].cpu_capacity;
        self.note(Asked::Fits { cpu, capacity, need });
        rules::balance::fits_capacity(need, capacity)
    }

    fn idle_capacity(&self) -> Option<Option<CpuId>> {
        let need = self.need?;
        let idle = |cpu| self.allows(cpu) && self.is_idle(cpu);
        let capacity_of = |cpu: CpuId| self.rqs[cpu.index()].cpu_capacity;
        let cpus = asym::candidates(self.config, self.target, idle, capacity_of)?;
        Some(rules::capacity::select_idle_capacity(cpus, need))
    }

    /// Where the target's cache has no domain, as that of one CPU, there is nothing to look at; nor is there for a
    /// waking CPU without one under `SIS_PROP`, which has no average of its own.
    fn scan_limit(&self) -> u32 {
        let limit = self.scan_limit_of_era();
        self.note(Asked::Limit { limit });
        limit
    }
}

impl SearchView<'_> {
    fn scan_limit_of_era(&self) -> u32 {
        let tunables = &self.config.kernel.tunables;
        if self.config.llc_domain(self.target).is_none() {
            return 0;
        }
        if tunables.sis_util {
            return self.nr_idle_scan;
        }
        let Some(domain) = self.config.llc_domain(self.this_cpu) else { return 0 };
        if !tunables.sis_prop {
            return u32::MAX;
        }
        let rq = &self.rqs[self.this_cpu.index()];
        let weight = self.config.domains.llc_span[self.target.index()].len() as u32;
        sis_prop_limit(rq.avg_idle, rq.domains[domain].avg_scan_cost, weight)
    }
}

/// What the balance rules need to know of a domain.
pub(crate) fn domain_view(domain: &topology::Domain) -> DomainView {
    DomainView {
        shares_llc: domain.flags.shares_llc,
        shares_capacity: domain.flags.shares_capacity,
        asym_capacity: domain.flags.asym_capacity,
        numa: domain.flags.numa,
        child_prefers_sibling: domain.child_prefers_sibling,
        imbalance_pct: domain.imbalance_pct,
    }
}
