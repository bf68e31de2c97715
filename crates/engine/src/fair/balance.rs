//! Load balancing: who calls it, what one attempt does, and how tasks move.

mod by_group_type;
mod by_load;

use kernel::Balancer;
use rules::balance::{
    self, CpuIdleType, CpuState, Detach, DetachCandidate, DetachScan, Failures, GroupFlags, GroupStats,
    Imbalance, MigrationType, SourceCriteria,
};
use rules::capacity::{ActiveEnds, voluntary_active_balance};
use sim::{CpuId, TaskId};
use topology::{CpuSet, Domain};
use trace::explain::{About, BalanceReason, Check, Outcome};
use trace::{BalanceOutcome, Event, EventKind, MigrateReason};

use crate::engine::Engine;
use crate::explain::{StepExt, step};
use crate::fair::select_cpu::domain_view;
use crate::fair::{Dequeue, Enqueue};

/// What one attempt at one domain came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// How many tasks moved.
    pub(crate) moved: u32,
    /// Whether this CPU is the one to balance the next domain too.
    pub(crate) goes_on: bool,
}

/// The domain whose balance is attempted, and as what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LbEnv<'a> {
    pub(crate) dst: CpuId,
    pub(crate) level: usize,
    domain: &'a Domain,
    pub(crate) idle: CpuIdleType,
    /// The CPUs that are still looked at: without those all of whose tasks turned out to be bound elsewhere.
    cpus: CpuSet,
}

/// What became of the tasks of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Detached {
    moved: u32,
    /// `LBF_ALL_PINNED`: none of those looked at may run on the destination.
    all_pinned: bool,
}

impl Engine {
    /// What the balancer sees of a CPU. Its ticks must have been replayed.
    pub(crate) fn cpu_state(&self, cpu: CpuId) -> CpuState {
        let rq = &self.rqs[cpu.index()];
        let capacity_orig = self.config.capacity_orig[cpu.index()];
        CpuState {
            nr_running: rq.nr_running,
            h_nr_running: rq.cfs.nr_running,
            load: rq.cfs.cpu_load(),
            util: rq.cfs.avg.util_avg.max(rq.cfs.util_est_enqueued).min(capacity_orig),
            // 0 where tasks that wait do not count yet.
            runnable: if self.config.kernel.tunables.group_counts_waiting {
                rq.cfs.avg.runnable_avg
            } else {
                0
            },
            capacity: rq.cpu_capacity,
            capacity_orig,
            misfit_load: rq.misfit_task_load,
            idle: rq.is_idle(),
        }
    }

    /// Whether a CPU that is about to idle looks for work first; if not, its next periodic balance is brought forward.
    ///
    /// Kernel: fair.c newidle_balance(), the part before the domains, v5.8…v6.1.
    /// Differs: nothing.
    pub(crate) fn newidle_balance_begins(&mut self, cpu: CpuId) -> bool {
        let tunables = &self.config.kernel.tunables;
        if !tunables.newidle_balance {
            // As if the call were not there: what it does besides pulling is gone too.
            return false;
        }
        let by_cost = tunables.newidle_gate_by_cost;
        let migration_cost = tunables.migration_cost_ns;
        let now = self.now;
        let rq = &mut self.rqs[cpu.index()];
        if tunables.newidle_sees_pending && rq.ttwu_pending {
            return false;
        }
        rq.idle_stamp = Some(now);
        let lowest_cost = rq.domains.first().map_or(0, |domain| domain.max_newidle_lb_cost);
        let worth_it = if by_cost { lowest_cost } else { migration_cost };
        if rq.avg_idle < worth_it || !self.rd_overload {
            if !rq.domains.is_empty() {
                let next = self.next_balance_of(cpu, 0, false);
                self.bring_forward_next_balance(cpu, next);
            }
            self.nohz_newidle_balance(cpu);
            return false;
        }
        true
    }

    /// A CPU that has run out of work pulls what it can, from the nearest domain upward.
    ///
    /// Kernel: fair.c newidle_balance(), v5.8…v6.1.
    /// Differs: it sees every domain as it stands at the beginning, before its cost has passed, and each domain counts
    /// an equal part of the cost.
    pub(crate) fn newidle_balance(&mut self, cpu: CpuId) {
        let config = self.config.clone();
        let domains = &config.domains.by_cpu[cpu.index()];
        self.this_cpu = Some(cpu);
        self.update_blocked_averages(cpu);
        let domain_cost = config.costs.newidle_balance.0 / domains.len().max(1) as u64;
        let mut curr_cost = 0;
        let mut next = u64::MAX;
        let mut pulled = 0;
        for (level, domain) in domains.iter().enumerate() {
            let rq = &self.rqs[cpu.index()];
            if rq.avg_idle < curr_cost + rq.domains[level].max_newidle_lb_cost {
                next = next.min(self.next_balance_of(cpu, level, false));
                break;
            }
            if domain.flags.balance_newidle {
                pulled = self.load_balance(cpu, level, CpuIdleType::NewlyIdle).moved;
                let state = &mut self.rqs[cpu.index()].domains[level];
                state.max_newidle_lb_cost = state.max_newidle_lb_cost.max(domain_cost);
                curr_cost += domain_cost;
            }
            next = next.min(self.next_balance_of(cpu, level, false));
            let rq = &self.rqs[cpu.index()];
            let sees_pending = config.kernel.tunables.newidle_sees_pending && rq.ttwu_pending;
            if 0 < pulled || 0 < rq.nr_running || sees_pending {
                break;
            }
        }
        let rq = &mut self.rqs[cpu.index()];
        rq.max_idle_balance_cost = rq.max_idle_balance_cost.max(curr_cost);
        if 0 < rq.nr_running {
            rq.idle_stamp = None;
        }
        self.bring_forward_next_balance(cpu, next);
        self.this_cpu = None;
    }

    /// The jiffy at which a domain is next due, if nothing is pulled.
    fn next_balance_of(&self, cpu: CpuId, level: usize, busy: bool) -> u64 {
        let state = &self.rqs[cpu.index()].domains[level];
        state.last_balance + self.sd_balance_interval(cpu, level, busy)
    }

    fn bring_forward_next_balance(&mut self, cpu: CpuId, next: u64) {
        let rq = &mut self.rqs[cpu.index()];
        rq.next_balance = rq.next_balance.min(next);
        self.mark_dirty(cpu);
    }

    /// The jiffies between two balances of a domain.
    ///
    /// Kernel: fair.c get_sd_balance_interval(), v5.4…v6.18.
    /// Differs: nothing.
    pub(crate) fn sd_balance_interval(&self, cpu: CpuId, level: usize, busy: bool) -> u64 {
        let tunables = &self.config.kernel.tunables;
        let mut interval_ms = u64::from(self.rqs[cpu.index()].domains[level].balance_interval_ms);
        if busy {
            interval_ms *= u64::from(tunables.busy_factor);
        }
        let hz = u64::from(tunables.hz);
        let mut jiffies = (interval_ms * hz).div_ceil(1_000);
        if busy && tunables.busy_interval_out_of_step {
            // Not in step with the balance of another domain.
            jiffies = jiffies.saturating_sub(1);
        }
        jiffies.clamp(1, (hz * self.rqs.len() as u64 / 10).max(1))
    }

    /// Balances those domains of a CPU that are due.
    ///
    /// Kernel: fair.c rebalance_domains(), v5.10.
    /// Differs: nothing.
    pub(crate) fn rebalance_domains(&mut self, cpu: CpuId, idle: CpuIdleType) {
        let config = self.config.clone();
        let jiffies = self.jiffies();
        let mut idle = idle;
        let mut busy = idle != CpuIdleType::Idle;
        let mut goes_on = true;
        let mut need_decay = false;
        let mut max_cost = 0;
        let mut next_balance = jiffies + 60 * u64::from(config.kernel.tunables.hz);
        let mut update = false;
        for level in 0..config.domains.by_cpu[cpu.index()].len() {
            let hz = u64::from(config.kernel.tunables.hz);
            let state = &mut self.rqs[cpu.index()].domains[level];
            if state.next_decay_max_lb_cost < jiffies {
                // About 1 % a second.
                state.max_newidle_lb_cost = state.max_newidle_lb_cost * 253 / 256;
                state.next_decay_max_lb_cost = jiffies + hz;
                need_decay = true;
            }
            max_cost += state.max_newidle_lb_cost;
            if !goes_on {
                if need_decay {
                    continue;
                }
                break;
            }
            if self.next_balance_of(cpu, level, busy) <= jiffies {
                let attempt = self.load_balance(cpu, level, idle);
                goes_on = attempt.goes_on;
                if 0 < attempt.moved {
                    // What was idle may be busy now, and the other way round.
                    let is_idle = self.rqs[cpu.index()].is_idle();
                    idle = if is_idle { CpuIdleType::Idle } else { CpuIdleType::NotIdle };
                    busy = !is_idle;
                }
                self.rqs[cpu.index()].domains[level].last_balance = jiffies;
            }
            let due = self.next_balance_of(cpu, level, busy);
            if due < next_balance {
                next_balance = due;
                update = true;
            }
        }
        let rq = &mut self.rqs[cpu.index()];
        if need_decay {
            rq.max_idle_balance_cost = config.kernel.tunables.migration_cost_ns.max(max_cost);
        }
        if update {
            rq.next_balance = next_balance;
            if idle == CpuIdleType::Idle {
                self.nohz.next_balance = self.nohz.next_balance.min(next_balance);
            }
        }
        self.mark_dirty(cpu);
    }

    /// One balance attempt at one domain, to the benefit of `dst`.
    ///
    /// Kernel: fair.c load_balance(), v5.10.
    /// Differs: a task that is bound to other CPUs of the local group is left there (`LBF_DST_PINNED`), and the parent
    /// domain does not learn that affinity kept this one unbalanced.
    pub(crate) fn load_balance(&mut self, dst: CpuId, level: usize, idle: CpuIdleType) -> Attempt {
        self.explain_begins(About::Balance { level: level as u8, reason: reason_of(idle) });
        let attempt = self.attempt_balance(dst, level, idle);
        self.explain_ends(dst, None, Outcome::Moved(attempt.moved));
        attempt
    }

    fn attempt_balance(&mut self, dst: CpuId, level: usize, idle: CpuIdleType) -> Attempt {
        let config = self.config.clone();
        let domain = &config.domains.by_cpu[dst.index()][level];
        let mut env = LbEnv { dst, level, domain, idle, cpus: domain.span };
        let ours = self.should_we_balance(&env);
        self.explain(|_| step(Check::ShouldBalance, ours).of_cpu(dst));
        if !ours {
            return Attempt { moved: 0, goes_on: false };
        }
        let (imbalance, src, moved) = loop {
            let Some((imbalance, src)) = self.find_source(&env) else {
                self.note_balanced(&env);
                return Attempt { moved: 0, goes_on: true };
            };
            if self.rqs[src.index()].nr_running <= 1 {
                break (imbalance, src, 0);
            }
            let Detached { moved, all_pinned } = self.detach_and_attach(&env, &imbalance, src);
            if !all_pinned {
                break (imbalance, src, moved);
            }
            // Again without the queue from which nothing may come.
            env.cpus.remove(src);
            if env.cpus.is_subset(&domain.groups[0].cpus) {
                self.rqs[dst.index()].domains[level].nr_balance_failed = 0;
                return self.note_pinned(&env);
            }
        };
        self.conclude_balance(&env, imbalance, src, moved)
    }

    /// What an attempt that found a source leaves behind; where nothing moved the stopper may have to push.
    fn conclude_balance(&mut self, env: &LbEnv<'_>, imbalance: Imbalance, src: CpuId, moved: u32) -> Attempt {
        let LbEnv { dst, level, idle, .. } = *env;
        let mut outcome = if 0 < moved { BalanceOutcome::Moved } else { BalanceOutcome::Nothing };
        let (mut active, mut voluntary) = (false, false);
        if moved == 0 {
            if idle != CpuIdleType::NewlyIdle {
                self.rqs[dst.index()].domains[level].nr_balance_failed += 1;
            }
            voluntary = self.may_push_voluntarily(env, src, imbalance.migration);
            let pushes = voluntary || self.has_failed_enough(env, imbalance.migration);
            self.explain(|engine| {
                let state = &engine.rqs[dst.index()].domains[level];
                step(Check::ActiveBalance, pushes)
                    .of_cpu(src)
                    .value("nr_balance_failed", i64::from(state.nr_balance_failed))
                    .value("cache_nice_tries", i64::from(env.domain.cache_nice_tries))
            });
            if pushes {
                if self.current_is_bound_elsewhere(src, dst) {
                    return self.note_pinned(env);
                }
                active = self.start_active_balance(env, src, voluntary);
                if active {
                    outcome = BalanceOutcome::ActiveStarted;
                }
            }
        } else {
            self.rqs[dst.index()].domains[level].nr_balance_failed = 0;
        }
        let state = &mut self.rqs[dst.index()].domains[level];
        if !active || voluntary {
            state.balance_interval_ms = env.domain.min_interval_ms;
        } else if state.balance_interval_ms < env.domain.max_interval_ms {
            state.balance_interval_ms *= 2;
        }
        let amount = imbalance.imbalance.clamp(0, i64::from(u32::MAX)) as u32;
        self.emit_balance(env, u32::from(src.0), amount, outcome);
        Attempt { moved, goes_on: true }
    }

    /// Affinity kept an attempt from moving anything.
    ///
    /// Kernel: fair.c load_balance() from out_all_pinned, v5.10.
    /// Differs: nothing.
    fn note_pinned(&mut self, env: &LbEnv<'_>) -> Attempt {
        /// `MAX_PINNED_INTERVAL` in milliseconds: pinned tasks need not be found again soon.
        const MAX_PINNED_INTERVAL_MS: u32 = 512;
        let state = &mut self.rqs[env.dst.index()].domains[env.level];
        if env.idle != CpuIdleType::NewlyIdle && state.balance_interval_ms < MAX_PINNED_INTERVAL_MS {
            state.balance_interval_ms *= 2;
        }
        Attempt { moved: 0, goes_on: true }
    }

    fn current_is_bound_elsewhere(&self, src: CpuId, dst: CpuId) -> bool {
        self.rqs[src.index()].curr.is_some_and(|curr| !self.tasks[curr.index()].allowed.contains(dst))
    }

    /// Kernel: fair.c should_we_balance(), v5.10…v6.1: any newly idle CPU, else the first idle CPU of the local group, else
    /// the group's own balancing CPU.
    fn should_we_balance(&self, env: &LbEnv<'_>) -> bool {
        if env.idle == CpuIdleType::NewlyIdle {
            let rq = &self.rqs[env.dst.index()];
            let sees_pending = self.config.kernel.tunables.newidle_sees_pending;
            return !(sees_pending && (0 < rq.nr_running || rq.ttwu_pending));
        }
        let local = &env.domain.groups[0];
        let first_idle = local.cpus.iter().find(|cpu| self.rqs[cpu.index()].is_idle());
        first_idle.unwrap_or(local.balance_cpu) == env.dst
    }

    /// The busiest queue and what to move from it.
    fn find_source(&mut self, env: &LbEnv<'_>) -> Option<(Imbalance, CpuId)> {
        let balancer = self.config.kernel.tunables.balancer;
        let mut groups = std::mem::take(&mut self.scratch.groups);
        groups.clear();
        self.update_sd_lb_stats(env, &mut groups);
        // As long as no CPU is full, tasks are where wake-ups put them to save energy.
        let energy_aware = self.energy_aware();
        if self.config.eas {
            self.explain(|_| step(Check::Overutilized, !energy_aware));
        }
        let imbalance = match balancer {
            _ if energy_aware => None,
            Balancer::ByLoad => self.busiest_group_by_load(env, &groups),
            Balancer::ByGroupType => self.busiest_group_by_type(env, &groups),
        };
        self.scratch.groups = groups;
        let imbalance = imbalance?;
        let cpus: Vec<(usize, CpuState)> = env.domain.groups[imbalance.group]
            .cpus
            .and(&env.cpus)
            .iter()
            .map(|cpu| (cpu.index(), self.cpu_state(cpu)))
            .collect();
        let (view, dst_capacity) = (domain_view(env.domain), self.capacity_of(env.dst));
        let candidates = cpus.iter().map(|(cpu, state)| (*cpu, state));
        let busiest = match balancer {
            Balancer::ByLoad => {
                balance::by_load::find_busiest_queue(&view, &imbalance, dst_capacity, candidates)
            }
            Balancer::ByGroupType => {
                let Imbalance { migration, imbalance, .. } = imbalance;
                let util_needs_waiting = self.config.kernel.tunables.util_needs_waiting;
                let criteria = SourceCriteria { migration, imbalance, dst_capacity, util_needs_waiting };
                balance::find_busiest_queue(&view, &criteria, candidates)
            }
        };
        self.explain(|_| {
            let found = step(Check::SourceQueue, busiest.is_some());
            busiest.map_or(found.clone(), |cpu| found.of_cpu(CpuId(cpu as u16)))
        });
        let busiest = busiest?;
        Some((imbalance, CpuId(busiest as u16)))
    }

    /// Kernel: fair.c update_sd_lb_stats(), v5.4…v5.10.
    fn update_sd_lb_stats(&mut self, env: &LbEnv<'_>, groups: &mut Vec<GroupStats>) {
        let view = domain_view(env.domain);
        self.update_group_capacity(env);
        let refreshes_blocked = env.idle == CpuIdleType::NewlyIdle && self.nohz.has_blocked;
        for (position, group) in env.domain.groups.iter().enumerate() {
            let mut stats = GroupStats::start(group.weight);
            for cpu in group.cpus.and(&env.cpus).iter() {
                self.sync_ticks(cpu);
                if refreshes_blocked {
                    self.update_nohz_stats(cpu, false);
                }
                stats.add(&self.cpu_state(cpu));
            }
            stats.finish(&view, GroupFlags { local: position == 0, imbalanced: false });
            groups.push(stats);
        }
        let sees_all = env.level + 1 == self.config.domains.by_cpu[env.dst.index()].len();
        if sees_all {
            // Only the widest domain sees every CPU.
            self.rd_overload = groups.iter().any(|stats| stats.overload);
        }
        self.note_overutilized(&env.domain.span.and(&env.cpus), sees_all);
        self.update_idle_cpu_scan(env, groups);
    }

    /// Remembers for the idle search how much of the cache is used.
    ///
    /// Kernel: fair.c update_idle_cpu_scan(), v6.0…v6.18.
    /// Differs: nothing.
    fn update_idle_cpu_scan(&mut self, env: &LbEnv<'_>, groups: &[GroupStats]) {
        let spans_cache = self.config.llc_domain(env.dst) == Some(env.level);
        if !self.config.kernel.tunables.sis_util || env.idle == CpuIdleType::NewlyIdle || !spans_cache {
            return;
        }
        let sum_util = groups.iter().map(|stats| stats.util).sum();
        let (weight, pct) = (env.domain.span_weight, env.domain.imbalance_pct);
        let llc = self.config.llc_index[env.dst.index()];
        self.llcs[llc].nr_idle_scan = rules::select_idle::sis_util_nr_idle_scan(sum_util, weight, pct);
    }

    fn note_balanced(&mut self, env: &LbEnv<'_>) {
        let state = &mut self.rqs[env.dst.index()].domains[env.level];
        state.nr_balance_failed = 0;
        if env.idle != CpuIdleType::NewlyIdle && state.balance_interval_ms < env.domain.max_interval_ms {
            state.balance_interval_ms *= 2;
        }
    }

    fn detach_candidate(&self, src: CpuId, task: TaskId) -> DetachCandidate {
        let entity = &self.tasks[task.index()];
        DetachCandidate {
            h_load: entity.h_load(),
            util_est: entity.util_est(),
            fits: self.task_fits_capacity(task, self.capacity_of(src)),
        }
    }

    /// Moves tasks from the source's queue until the imbalance is filled.
    ///
    /// Kernel: fair.c detach_tasks(), can_migrate_task() and attach_tasks(), v5.10.
    /// Differs: see [`Engine::load_balance`] for affinity.
    fn detach_and_attach(&mut self, env: &LbEnv<'_>, imbalance: &Imbalance, src: CpuId) -> Detached {
        let config = self.config.clone();
        let failed = self.rqs[env.dst.index()].domains[env.level].nr_balance_failed;
        self.sync_ticks(src);
        self.update_curr(src, self.now);
        let queued = self.rqs[src.index()].nr_running;
        let (migration, amount) = (imbalance.migration, imbalance.imbalance);
        let failures = Failures { count: failed, tolerated: env.domain.cache_nice_tries };
        let mut scan = DetachScan::start(&config.kernel, migration, amount, env.idle, failures, queued);
        let mut detached = std::mem::take(&mut self.scratch.detached);
        detached.clear();
        let mut all_pinned = true;
        while scan.wants_another(self.rqs[src.index()].nr_running) {
            let Some(&task) = self.rqs[src.index()].cfs.tasks.last() else { break };
            let may_move = self.can_migrate_task(env, task, failed);
            all_pinned &= !self.tasks[task.index()].allowed.contains(env.dst);
            self.explain(|engine| {
                let rq = &engine.rqs[src.index()];
                let since = engine.now - engine.tasks[task.index()].se.exec_start;
                step(Check::CanMigrate, may_move)
                    .of_task(task)
                    .value("task_running", i64::from(rq.cfs.curr == Some(task)))
                    .value("since_exec_start", since as i64)
                    .value("nr_balance_failed", i64::from(failed))
            });
            if !may_move {
                self.rqs[src.index()].cfs.move_to_front(task);
                continue;
            }
            let candidate = self.detach_candidate(src, task);
            let left = scan.imbalance_left();
            let answer = scan.offer(&config.kernel, &mut self.audit, candidate);
            self.explain(|_| {
                step(Check::Detach, answer == Detach::Take)
                    .of_task(task)
                    .value("migration_type", migration as i64)
                    .value("imbalance", left)
                    .value("task_h_load", candidate.h_load as i64)
                    .value("task_util_est", candidate.util_est as i64)
            });
            self.flush_decisions(env.dst);
            match answer {
                Detach::Take => {
                    self.detach_task(src, task);
                    detached.push(task);
                }
                Detach::Skip { by_util } => {
                    if by_util {
                        self.counters.util_refusals += 1;
                        let args = [candidate.util_est as u32, scan.imbalance_left().max(0) as u32];
                        self.emit(EventKind::UtilRefused, env.dst, task, args, 0);
                    }
                    self.rqs[src.index()].cfs.move_to_front(task);
                }
            }
        }
        self.attach_tasks(env, &detached, src);
        let moved = detached.len() as u32;
        self.scratch.detached = detached;
        Detached { moved, all_pinned }
    }

    fn attach_tasks(&mut self, env: &LbEnv<'_>, detached: &[TaskId], src: CpuId) {
        let reason = match env.idle {
            CpuIdleType::NewlyIdle => MigrateReason::NewIdle,
            CpuIdleType::Idle => MigrateReason::Idle,
            CpuIdleType::NotIdle => MigrateReason::Busy,
        };
        for &task in detached {
            self.attach_task(env.dst, task, src, reason);
        }
    }

    /// Kernel: fair.c can_migrate_task() and task_hot(), v5.10: allowed there, and neither running nor, before repeated
    /// failures, hot.
    fn can_migrate_task(&self, env: &LbEnv<'_>, task: TaskId, failed: u32) -> bool {
        let entity = &self.tasks[task.index()];
        if !entity.allowed.contains(env.dst) || self.rqs[entity.cpu.index()].cfs.curr == Some(task) {
            return false;
        }
        let cfs = &self.rqs[entity.cpu.index()].cfs;
        // A domain of hardware threads shares every cache.
        let shares_all = env.domain.flags.shares_capacity && self.config.kernel.tunables.threads_share_caches;
        let is_hot = !shares_all
            && ((0 < self.rqs[env.dst.index()].nr_running
                && (cfs.next == Some(task) || cfs.last == Some(task)))
                || self.now - entity.se.exec_start < self.config.kernel.tunables.migration_cost_ns);
        !is_hot || env.domain.cache_nice_tries < failed
    }

    /// Takes a task off its queue on the way to another.
    ///
    /// Kernel: fair.c detach_task() and migrate_task_rq_fair(), v5.10.
    /// Differs: nothing.
    fn detach_task(&mut self, src: CpuId, task: TaskId) {
        self.dequeue_task_fair(src, task, Dequeue::Move);
        self.detach_entity_load_avg(src, task);
        let entity = &mut self.tasks[task.index()];
        entity.se.avg.last_update_time = 0;
        entity.se.exec_start = 0;
    }

    fn attach_task(&mut self, dst: CpuId, task: TaskId, src: CpuId, reason: MigrateReason) {
        let counter = match reason {
            MigrateReason::NewIdle => &mut self.counters.newidle_pulls,
            MigrateReason::Idle => &mut self.counters.idle_pulls,
            MigrateReason::Active => &mut self.counters.active_pushes,
            _ => &mut self.counters.busy_pulls,
        };
        *counter += 1;
        let behind_rt = self.rqs[src.index()].rt.is_runnable();
        self.counters.fair_pulls_from_behind_rt += u64::from(behind_rt);
        self.sync_ticks(dst);
        self.tasks[task.index()].cpu = dst;
        let rq = &self.rqs[src.index()];
        if !(rq.active_balance_voluntary && rq.curr == Some(task)) {
            self.emit(EventKind::Migrate, dst, task, [u32::from(src.0), 0], reason as u8);
        }
        self.enqueue_task_fair(dst, task, Enqueue::Move);
        self.check_preempt_curr(dst, task);
    }

    /// Kernel: fair.c voluntary_active_balance(), v4.20…v5.11, and its part of need_active_balance(), …v6.1.
    /// Differs: nothing.
    fn may_push_voluntarily(&self, env: &LbEnv<'_>, src: CpuId, migration: MigrationType) -> bool {
        let ends = ActiveEnds {
            src: &self.cpu_state(src),
            dst_capacity: self.capacity_of(env.dst),
            dst_idle: env.idle != CpuIdleType::NotIdle,
        };
        voluntary_active_balance(&ends, migration, env.domain.imbalance_pct)
    }

    /// Kernel: fair.c need_active_balance(), v5.10…v6.1, after the voluntary reasons.
    fn has_failed_enough(&self, env: &LbEnv<'_>, migration: MigrationType) -> bool {
        let failed = self.rqs[env.dst.index()].domains[env.level].nr_balance_failed;
        let counted =
            !self.config.kernel.tunables.active_balance_counts_tasks || migration == MigrationType::Task;
        counted && env.domain.cache_nice_tries + 2 < failed
    }

    fn start_active_balance(&mut self, env: &LbEnv<'_>, src: CpuId, voluntary: bool) -> bool {
        let started = self.rqs[src.index()].active_balance.is_none();
        if started {
            self.rqs[src.index()].active_balance = Some(env.dst);
            self.rqs[src.index()].active_balance_voluntary = voluntary;
            let costs = &self.config.costs;
            let rq = &mut self.rqs[src.index()];
            let kick = rq.streams.kick.jitter(costs.kick_busy.0, costs.jitter_pct);
            let switch = rq.streams.context_switch.jitter(costs.context_switch.0, costs.jitter_pct);
            self.push(self.now + kick + switch, crate::engine::MachineEvent::Stopper { cpu: src });
        }
        // We have kicked it once; the next failure is not the first.
        self.rqs[env.dst.index()].domains[env.level].nr_balance_failed = env.domain.cache_nice_tries + 1;
        started
    }

    /// The stopper on `src` pushes the least recently picked task that may move. Where the
    /// reason is a voluntary one and the task was executed, it is for the caller to log that it moved, when the CPU has
    /// switched away from it.
    ///
    /// Kernel: fair.c active_load_balance_cpu_stop() and detach_one_task(), v5.10.
    /// Differs: a lone task is pushed only for a voluntary reason. The kernel counts the stopper and would push it after
    /// repeated failures, too.
    pub(crate) fn active_load_balance(&mut self, src: CpuId, dst: CpuId) {
        let rq = &self.rqs[src.index()];
        if rq.nr_running <= u32::from(!rq.active_balance_voluntary) {
            return;
        }
        let config = self.config.clone();
        let found = config.domains.by_cpu[dst.index()]
            .iter()
            .enumerate()
            .find(|(_, domain)| domain.span.contains(src));
        let Some((level, domain)) = found else { return };
        let env = LbEnv { dst, level, domain, idle: CpuIdleType::Idle, cpus: domain.span };
        let failed = self.rqs[dst.index()].domains[level].nr_balance_failed;
        let queued = self.rqs[src.index()].cfs.tasks.clone();
        let chosen = queued.iter().rev().copied().find(|task| self.can_migrate_task(&env, *task, failed));
        if let Some(task) = chosen {
            self.this_cpu = Some(src);
            self.detach_task(src, task);
            self.attach_task(dst, task, src, MigrateReason::Active);
            self.rqs[dst.index()].domains[level].nr_balance_failed = 0;
            self.this_cpu = None;
        }
    }

    fn emit_balance(&mut self, env: &LbEnv<'_>, src: u32, imbalance: u32, outcome: BalanceOutcome) {
        let detail = (env.level as u8) * 32 + reason_of(env.idle) as u8 * 8 + outcome as u8;
        self.emit(EventKind::Balance, env.dst, Event::NO_TASK, [src, imbalance], detail);
    }
}

/// Why a CPU balances.
const fn reason_of(idle: CpuIdleType) -> BalanceReason {
    match idle {
        CpuIdleType::NewlyIdle => BalanceReason::NewlyIdle,
        CpuIdleType::Idle => BalanceReason::Idle,
        CpuIdleType::NotIdle => BalanceReason::Busy,
    }
}
