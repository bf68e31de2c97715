use std::hash::{Hash, Hasher};
use std::sync::Arc;

use kernel::{Hunk, Kernel};
use rules::balance::GroupStats;
use scenario::{CostTable, IdleState, Setup};
use sim::{CpuId, EventClass, EventQueue, Nanos, StableHasher, TaskId};
use topology::{CpuSet, Domains};
use trace::Trace;
use workload::Workload;

use crate::audit::HunkAudit;
use crate::core::cpufreq::FreqPolicy;
use crate::explain::Explainer;
use crate::fair::energy::PerfDomain;
use crate::fair::nohz::Nohz;
use crate::rq::Rq;
use crate::stats::{LlcState, WaitWhileIdle};
use crate::task::Task;
use crate::watch::Watch;

/// A machine that runs.
///
/// A clone is a snapshot: it continues exactly as the original would.
#[derive(Clone, Debug)]
pub struct Engine {
    pub(crate) config: Arc<Config>,
    pub(crate) options: Options,
    pub(crate) now: u64,
    pub(crate) events: u64,
    finished: bool,
    queue: EventQueue<MachineEvent>,
    pub(crate) rqs: Vec<Rq>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) llcs: Vec<LlcState>,
    pub(crate) nohz: Nohz,
    /// `rd->overload`: some CPU may have more than one task.
    pub(crate) rd_overload: bool,
    /// `rd->overutilized`: some CPU has little of its capacity to spare.
    pub(crate) rd_overutilized: bool,
    /// The frequency domains, in the order of [`Config::performance`].
    pub(crate) policies: Vec<FreqPolicy>,
    /// CPUs with two or more runnable tasks.
    pub(crate) overloaded_cpus: u32,
    /// Last-level caches with two or more busy CPUs.
    pub(crate) busy_llcs: u32,
    /// CPUs that real-time tasks leave much less of than they could do.
    pub(crate) reduced_cpus: u32,
    /// `rd->rto_mask`: CPUs with real-time tasks to give away.
    pub(crate) rt_overloaded: CpuSet,
    /// Whether the end of a period of real-time throttling is to come.
    pub(crate) rt_period_active: bool,
    /// The tasks that wait at each futex, first come first.
    pub(crate) futex_waiters: Vec<Vec<TaskId>>,
    pub(crate) workload: Workload,
    /// The CPU that executes the code under way, so that it needs no interrupt to see its own flags.
    pub(crate) this_cpu: Option<CpuId>,
    /// The CPU whose tick is under way.
    pub(crate) tick_cursor: Option<CpuId>,
    /// The index of the next tick that is in the event queue.
    pub(crate) armed_tick: u64,
    /// CPUs whose next needed tick must be computed anew.
    pub(crate) dirty: Vec<CpuId>,
    pub(crate) wait_while_idle: WaitWhileIdle,
    pub(crate) marks_seen: MarksSeen,
    pub(crate) watch: Option<Box<Watch>>,
    pub(crate) trace: Trace,
    pub(crate) counters: Counters,
    pub(crate) audit: HunkAudit,
    pub(crate) scratch: Scratch,
    pub(crate) explainer: Explainer,
}

/// How a run is watched; none of it changes what happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Keep the events, not only their hash.
    pub keep_events: bool,
    /// Execute every tick as an event instead of replaying the idle ones lazily; the trace hash is the same.
    pub every_tick: bool,
    /// Count and record what every form of every patch would answer at its hunks.
    pub audit_hunks: bool,
    /// Check the whole state after every event. Slow; for tests.
    pub check_invariants: bool,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub now: Nanos,
    /// Events processed so far.
    pub events: u64,
    /// Whether more is to come.
    pub state: RunState,
}

/// Whether more is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Call [`Engine::run`] again.
    Running,
    /// The workload ended, or the run's time is over.
    Finished,
    /// The setup's event budget is used up.
    OutOfBudget,
}

/// How often a hunk was reached, and what its forms would have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HunkCount {
    /// The hunk.
    pub hunk: &'static Hunk,
    /// How often it was reached.
    pub asked: u64,
    /// How often each form, in the order of the patch's forms, answers otherwise than base.
    pub would_change: [u64; 8],
}

/// What was counted during a run. Spans of time in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counters {
    /// Context switches.
    pub switches: u64,
    /// Wake-ups that were placed by the wake-up path.
    pub wakeups: u64,
    /// Wake-ups that were enqueued on a CPU that already had a runnable task.
    pub stacked_wakeups: u64,
    /// Wake-ups that went through a wake list.
    pub wake_list_wakeups: u64,
    /// Wake-ups that were sent to a CPU that looked idle while its wake list was being enqueued.
    pub race_hits: u64,
    /// Wake-ups that preempted the running task.
    pub wakeup_preemptions: u64,
    /// Reschedules asked for by the tick.
    pub tick_preemptions: u64,
    /// Tasks pulled by a CPU that ran out of work.
    pub newidle_pulls: u64,
    /// Tasks pulled by idle CPUs, or on their behalf.
    pub idle_pulls: u64,
    /// Tasks pulled by busy CPUs.
    pub busy_pulls: u64,
    /// Tasks pushed by the stopper.
    pub active_pushes: u64,
    /// Tasks that moved when they executed another program.
    pub exec_moves: u64,
    /// Tasks that `detach_tasks` left because of their utilisation.
    pub util_refusals: u64,
    /// Time during which some task waited while an allowed CPU of its last-level cache idled.
    pub wait_while_idle_ns: u64,
    /// Sum over tasks of the time spent runnable but not running.
    pub wait_sum_ns: u64,
    /// Wake-ups of real-time tasks.
    pub rt_wakeups: u64,
    /// Fair tasks that lost their CPU to a real-time task that woke or was born there.
    pub rt_preempts_fair: u64,
    /// Of these, how many while an idle CPU was allowed to the real-time task.
    pub rt_avoidable: u64,
    /// Of these, how many while one idled in the lowest sched domain of its previous CPU.
    pub rt_avoidable_in_domain: u64,
    /// Moves of real-time tasks, at wake-ups and by push and pull.
    pub rt_migrations: u64,
    /// Real-time tasks that a CPU pushed to another one.
    pub rt_pushes: u64,
    /// Real-time tasks that a CPU pulled.
    pub rt_pulls: u64,
    /// Placements of real-time tasks on an idle CPU.
    pub rt_idle_picks: u64,
    /// Queues whose real-time tasks had used up their time.
    pub rt_throttles: u64,
    /// Wake-ups of fair tasks that were enqueued where a real-time task ran or waited.
    pub fair_wakeups_behind_rt: u64,
    /// Fair tasks that the balancer took from behind a real-time task.
    pub fair_pulls_from_behind_rt: u64,
    /// Sum over fair tasks of the time that they waited while a real-time task ran on their CPU.
    pub wait_behind_rt_ns: u64,
}

/// What a run never changes.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) kernel: Kernel,
    pub(crate) costs: CostTable,
    pub(crate) domains: Domains,
    /// For each CPU its capacity, and what interrupts leave of it.
    pub(crate) capacity_orig: Vec<u64>,
    pub(crate) capacity: Vec<u64>,
    /// Its performance domains; none where powers are not known.
    pub(crate) performance: Vec<PerfDomain>,
    /// For each CPU the position of its performance domain; empty where there are none.
    pub(crate) perf_of_cpu: Vec<usize>,
    /// Whether wake-ups look at energy while no CPU is full.
    pub(crate) eas: bool,
    /// What interrupts leave of a CPU, in parts of 1024.
    pub(crate) irq_free: u64,
    /// For each CPU the position of its last-level cache among [`Engine::llcs`].
    pub(crate) llc_index: Vec<usize>,
    /// For each CPU its idle states, or one list for all.
    pub(crate) idle_states: Vec<Vec<IdleState>>,
    pub(crate) tick_ns: u64,
    until: u64,
    max_events: u64,
}

/// What can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MachineEvent {
    /// A tick that may matter to some CPU.
    Tick { index: u64 },
    /// The current stage of the executing task is complete.
    StageEnd { cpu: CpuId, generation: u32 },
    /// A switch or a newidle balance is complete.
    PhaseEnd { cpu: CpuId, generation: u32 },
    /// An inter-processor interrupt arrives.
    Kick { cpu: CpuId },
    /// The handler of the wake list has come to the enqueue.
    WakeListFlush { cpu: CpuId },
    /// A timer expires.
    Timer { cpu: CpuId, task: TaskId, generation: u32, idle_exited: bool },
    /// A kicked idle CPU has come to its balance.
    IdleBalance { cpu: CpuId },
    /// The stopper runs.
    Stopper { cpu: CpuId },
    /// A period of real-time throttling ends.
    RtPeriod,
    /// A change of frequency takes effect.
    Frequency { domain: usize },
    /// A thread that exists from the start begins.
    Boot { task: TaskId },
}

/// Ticks come first at an instant: they are the same for every CPU.
const CLASS_TICK: EventClass = EventClass(0);
const CLASS_OTHER: EventClass = EventClass(1);

/// How much of what a program has noted is in the log.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MarksSeen {
    pub(crate) batches: usize,
    pub(crate) samples: usize,
}

/// Buffers that are empty between events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) groups: Vec<GroupStats>,
    pub(crate) detached: Vec<TaskId>,
}

impl Engine {
    /// A machine before its first event.
    pub fn new(setup: &Setup, options: Options) -> Engine {
        let config = Arc::new(Config::new(setup));
        let workload = Workload::new(&setup.workload, setup.seed);
        let policies = FreqPolicy::of_machine(&config);
        let rqs: Vec<Rq> = setup.topology.ids().map(|cpu| Rq::new(&config, cpu, setup.seed)).collect();
        let machine = CpuSet::first(setup.topology.len());
        let tasks: Vec<Task> = workload
            .threads()
            .iter()
            .enumerate()
            .map(|(id, thread)| Task::new(TaskId(id as u32), thread, machine, setup.seed))
            .collect();
        let llcs = 1 + config.llc_index.iter().copied().max().unwrap_or(0);
        let futexes = workload.futex_count();
        let mut engine = Engine {
            config,
            options,
            now: 0,
            events: 0,
            finished: false,
            queue: EventQueue::default(),
            rqs,
            tasks,
            llcs: vec![LlcState::default(); llcs],
            nohz: Nohz::default(),
            rd_overload: false,
            rd_overutilized: false,
            policies,
            overloaded_cpus: 0,
            busy_llcs: 0,
            reduced_cpus: 0,
            rt_overloaded: CpuSet::default(),
            rt_period_active: false,
            futex_waiters: vec![Vec::new(); futexes],
            workload,
            this_cpu: None,
            tick_cursor: None,
            armed_tick: u64::MAX,
            dirty: Vec::new(),
            wait_while_idle: WaitWhileIdle::default(),
            marks_seen: MarksSeen::default(),
            watch: None,
            trace: Trace::new(options.keep_events),
            counters: Counters::default(),
            audit: HunkAudit::new(options.audit_hunks),
            scratch: Scratch::default(),
            explainer: Explainer::default(),
        };
        engine.boot();
        engine
    }

    /// Every CPU idles, and the threads that exist from the start are created on CPU 0.
    fn boot(&mut self) {
        self.init_frequencies();
        for cpu in 0..self.rqs.len() {
            self.rqs[cpu].cfs.watch_load(self.config.kernel.tunables.load_signal);
            let llc = self.config.llc_index[cpu];
            self.llcs[llc].nr_busy_cpus += 1;
            self.llcs[llc].nr_idle_scan += 1;
        }
        self.busy_llcs = self.llcs.iter().filter(|llc| 2 <= llc.nr_busy_cpus).count() as u32;
        for cpu in 0..self.rqs.len() {
            let cpu = CpuId(cpu as u16);
            self.account_waits(cpu);
            self.enter_idle(cpu);
        }
        let threads = self.workload.threads().iter().enumerate();
        let starts: Vec<(u64, TaskId)> = threads
            .filter(|(_, thread)| thread.starts_at_boot)
            .map(|(id, thread)| (thread.boot_at.0, TaskId(id as u32)))
            .collect();
        for (at, task) in starts {
            self.push(at, MachineEvent::Boot { task });
        }
    }

    /// Runs until a moment, until `max_events` more events are processed, or until the run ends.
    pub fn run(&mut self, until: Nanos, max_events: u64) -> Progress {
        let until = until.0.min(self.config.until);
        let budget = self.events.saturating_add(max_events);
        while !self.finished {
            let Some(at) = self.queue.next_at() else { break };
            if until < at.0 {
                break;
            }
            if self.config.max_events <= self.events {
                return self.progress(RunState::OutOfBudget);
            }
            if budget <= self.events {
                return self.progress(RunState::Running);
            }
            self.step();
        }
        if self.finished || self.queue.is_empty() || self.config.until <= until {
            self.finish();
            return self.progress(RunState::Finished);
        }
        self.now = self.now.max(until);
        self.progress(RunState::Running)
    }

    /// Runs to the end.
    pub fn run_to_end(&mut self) -> Progress {
        self.run(Nanos::NEVER, u64::MAX)
    }

    fn step(&mut self) {
        let Some((at, event)) = self.queue.pop() else { return };
        debug_assert!(self.now <= at.0, "time ran backwards");
        self.now = at.0;
        self.events += 1;
        match event {
            MachineEvent::Tick { index } => self.tick(index),
            MachineEvent::StageEnd { cpu, generation } => {
                if self.rqs[cpu.index()].generation == generation {
                    self.stage_ends(cpu);
                }
            }
            MachineEvent::PhaseEnd { cpu, generation } => {
                if self.rqs[cpu.index()].generation == generation {
                    self.phase_ends(cpu);
                }
            }
            MachineEvent::Kick { cpu } => self.kick_arrives(cpu),
            MachineEvent::WakeListFlush { cpu } => self.flush_wake_list(cpu),
            MachineEvent::Timer { cpu, task, generation, idle_exited } => {
                self.timer_expires(cpu, task, generation, idle_exited);
            }
            MachineEvent::IdleBalance { cpu } => self.nohz_idle_balance(cpu),
            MachineEvent::Stopper { cpu } => self.stopper_runs(cpu),
            MachineEvent::RtPeriod => self.rt_period_ends(),
            MachineEvent::Frequency { domain } => self.frequency_changes(domain),
            MachineEvent::Boot { task } => {
                let boot_cpu = self.workload.threads()[task.index()].boot_cpu;
                self.wake_up_new_task(CpuId(0), task, boot_cpu);
            }
        }
        self.arm_ticks();
        if self.workload.is_finished() {
            self.finished = true;
        }
        if self.options.check_invariants {
            self.check_invariants();
        }
    }

    fn finish(&mut self) {
        if !self.finished && self.config.until != u64::MAX {
            self.now = self.now.max(self.config.until);
        }
        self.finished = true;
    }

    fn progress(&self, state: RunState) -> Progress {
        Progress { now: Nanos(self.now), events: self.events, state }
    }

    pub(crate) fn push(&mut self, at: u64, event: MachineEvent) {
        debug_assert!(self.now <= at, "{event:?} lies in the past");
        // What would come after the end never comes; kept, the ends of endless computations would pile up.
        if at <= self.config.until {
            self.queue.push(Nanos(at), CLASS_OTHER, event);
        }
    }

    pub(crate) fn push_tick(&mut self, at: u64, event: MachineEvent) {
        debug_assert!(self.now <= at, "{event:?} would come in the past");
        self.queue.push(Nanos(at), CLASS_TICK, event);
    }

    /// `jiffies`: the ticks since boot.
    pub(crate) fn jiffies(&self) -> u64 {
        self.now / self.config.tick_ns
    }

    /// A clone without the events so far, which would make snapshots of long runs too big. It goes on exactly as the
    /// original does, to the same hashes, and keeps the events from here on.
    pub fn snapshot(&mut self) -> Engine {
        let events = self.trace.take_events();
        let copy = self.copy();
        self.trace.restore_events(events);
        copy
    }

    /// A clone whose code is there once: it is long, and every visitor of the page loads it.
    #[inline(never)]
    pub fn copy(&self) -> Engine {
        self.clone()
    }

    /// Takes the kept events out, to make room for those to come.
    pub fn take_events(&mut self) -> Vec<trace::Event> {
        self.trace.take_events()
    }

    /// What happened so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// What was counted so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The hunks that were reached, where [`Options::audit_hunks`] is on.
    pub fn hunk_counts(&self) -> Vec<HunkCount> {
        self.audit.counts()
    }

    /// The programs and what they recorded.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// The CPU time that each task has had, in nanoseconds, in the order of their ids.
    pub fn cpu_times(&mut self) -> Vec<u64> {
        self.sync_all();
        self.tasks.iter().map(|task| task.se.sum_exec_runtime).collect()
    }

    /// How long each task has waited while a real-time task ran on its CPU, in nanoseconds, in the order of their ids.
    /// A wait that lasts still is part of it.
    pub fn waits_behind_rt(&self) -> Vec<u64> {
        self.tasks.iter().map(|task| task.behind_rt_ns + self.behind_rt_now(task)).collect()
    }

    /// The hash of every event so far: equal for equal runs, however they were stepped.
    pub fn trace_hash(&self) -> u64 {
        self.trace.hash()
    }

    /// The hash of the whole state: equal for equal runs at the same moment, whether their ticks were executed or
    /// replayed.
    pub fn state_hash(&mut self) -> u64 {
        self.sync_all();
        let mut hasher = StableHasher::default();
        self.now.hash(&mut hasher);
        self.rqs.hash(&mut hasher);
        self.tasks.hash(&mut hasher);
        self.llcs.hash(&mut hasher);
        self.nohz.hash(&mut hasher);
        self.policies.hash(&mut hasher);
        (self.rd_overload, self.rd_overutilized, self.overloaded_cpus, self.busy_llcs).hash(&mut hasher);
        (self.reduced_cpus, self.rt_overloaded, self.rt_period_active).hash(&mut hasher);
        self.futex_waiters.hash(&mut hasher);
        self.workload.hash(&mut hasher);
        self.counters.hash(&mut hasher);
        self.trace.hash().hash(&mut hasher);
        for (at, class, event) in self.queue.in_order() {
            if !matches!(event, MachineEvent::Tick { .. }) {
                (at, class, event).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// The events that are still to come, in their order.
    #[cfg(test)]
    pub(crate) fn waiting_events(&self) -> impl Iterator<Item = MachineEvent> {
        self.queue.in_order().into_iter().map(|(_, _, event)| *event)
    }

    pub(crate) fn sync_all(&mut self) {
        for cpu in 0..self.rqs.len() {
            self.sync_ticks(CpuId(cpu as u16));
        }
    }
}

/// The domains of the machine, with what the era says of them.
fn domains_of(setup: &Setup) -> Domains {
    let mut domains = topology::build_domains(&setup.topology);
    domains.set_wide_imbalance_pct(setup.kernel.tunables.wide_imbalance_pct);
    domains
}

impl Config {
    fn new(setup: &Setup) -> Config {
        let domains = domains_of(setup);
        // The lowest CPU of a cache stands for it.
        let mut caches: Vec<CpuId> = setup.topology.ids().collect();
        caches.retain(|cpu| domains.llc_id[cpu.index()] == *cpu);
        let index_of = |id: &CpuId| caches.iter().position(|cache| cache == id).unwrap_or(0);
        let capacity_orig: Vec<u64> = setup.topology.cpus.iter().map(|cpu| u64::from(cpu.capacity)).collect();
        let scaled = |orig: &u64| rules::balance::scale_rt_capacity(*orig, 0, u64::from(setup.capacity));
        let performance = PerfDomain::of_machine(&setup.topology);
        Config {
            kernel: setup.kernel.clone(),
            costs: setup.costs.clone(),
            capacity: capacity_orig.iter().map(scaled).collect(),
            irq_free: u64::from(setup.capacity),
            llc_index: domains.llc_id.iter().map(index_of).collect(),
            eas: setup.kernel.tunables.eas && domains.asymmetric && !setup.topology.performance.is_empty(),
            perf_of_cpu: setup.topology.ids().filter_map(|cpu| perf_domain_of(&performance, cpu)).collect(),
            performance,
            capacity_orig,
            domains,
            idle_states: setup.idle_states.clone(),
            tick_ns: setup.kernel.tunables.tick_ns(),
            until: setup.until.0,
            max_events: setup.max_events,
        }
    }

    /// `cpus_share_cache()`.
    pub(crate) fn shares_cache(&self, one: CpuId, other: CpuId) -> bool {
        self.domains.llc_id[one.index()] == self.domains.llc_id[other.index()]
    }

    /// The position of the domain that spans a CPU's last-level cache (`sd_llc`), if it has one.
    pub(crate) fn llc_domain(&self, cpu: CpuId) -> Option<usize> {
        self.domains.by_cpu[cpu.index()].iter().rposition(|domain| domain.flags.shares_llc)
    }
}

fn perf_domain_of(performance: &[PerfDomain], cpu: CpuId) -> Option<usize> {
    performance.iter().position(|domain| domain.span.contains(cpu))
}
