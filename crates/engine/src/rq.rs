use std::hash::{Hash, Hasher};

use kernel::LoadSignal;
use rules::invariance::{PeltClock, work_rate};
use rules::load_weight::LoadWeight;
use rules::pelt::Pelt;
use rules::select_idle::{CpuOccupancy, idle_cpu};
use sim::{CpuId, Stream, TaskId};

use crate::engine::Config;
use crate::rt::RtRq;
use crate::stats::CpuWaits;
use crate::task::{SchedEntity, WakeeHistory};

/// The run queue of a CPU (`struct rq`) and what the CPU is physically doing.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Rq {
    pub(crate) cpu: CpuId,
    /// Runnable tasks, the running one included.
    pub(crate) nr_running: u32,
    /// The task that the CPU executes; none for the idle task.
    ///
    /// During a newidle balance this is still the task that went to sleep: the CPU is not idle yet.
    pub(crate) curr: Option<TaskId>,
    pub(crate) cfs: CfsRq,
    pub(crate) rt: RtRq,
    /// `cpu_capacity`: what interrupts and real-time tasks leave of the CPU, as of its last update.
    pub(crate) cpu_capacity: u64,
    /// The jiffy from which a newly idle CPU updates it too.
    pub(crate) capacity_next_update: u64,
    /// `check_cpu_capacity()`: much less than the CPU could do.
    pub(crate) capacity_reduced: bool,
    pub(crate) phase: Phase,
    /// The clock of the averages.
    pub(crate) pelt_clock: PeltClock,
    /// How fast it computes, in parts of [`FULL_RATE`](rules::invariance::FULL_RATE).
    pub(crate) work_rate: u32,
    /// Cancels the end of earlier phases and stages.
    pub(crate) generation: u32,
    /// `TIF_NEED_RESCHED` of the current task.
    pub(crate) need_resched: bool,
    /// An interrupt arrived while interrupts were off.
    pub(crate) irq_pending: bool,
    /// A nohz balance was asked of this CPU.
    pub(crate) balance_kicked: bool,
    /// `rq->ttwu_pending`; before v5.8 that the wake list is not empty.
    pub(crate) ttwu_pending: bool,
    /// The wake list: tasks that other CPUs queued here.
    pub(crate) wake_list: Vec<TaskId>,
    /// What the handler of the wake list has taken and not yet enqueued.
    pub(crate) flushing: Vec<TaskId>,
    /// To whom the stopper must push a task.
    pub(crate) active_balance: Option<CpuId>,
    /// Whether it must for another reason than repeated failures, so that a lone task is pushed, too.
    pub(crate) active_balance_voluntary: bool,
    /// When the CPU last entered the idle loop.
    pub(crate) idle_since: u64,
    /// When the CPU last became idle, until a task comes.
    pub(crate) idle_stamp: Option<u64>,
    /// A moving average of idle spans.
    pub(crate) avg_idle: u64,
    pub(crate) max_idle_balance_cost: u64,
    /// The jiffy from which a periodic balance is due.
    pub(crate) next_balance: u64,
    /// `nohz_tick_stopped`: in the mask of idle CPUs, until the first busy tick.
    pub(crate) nohz_tick_stopped: bool,
    /// Whether the averages hold load of tasks that left, which must be decayed by somebody.
    pub(crate) has_blocked_load: bool,
    /// The jiffy at which that was last done.
    pub(crate) last_blocked_load_update: u64,
    /// `misfit_task_load`: the load of a running task that does not fit this CPU.
    pub(crate) misfit_task_load: u64,
    pub(crate) ticks: TickBook,
    pub(crate) waits: CpuWaits,
    /// The balancing state of the CPU's domains, lowest first.
    pub(crate) domains: Vec<DomainState>,
    /// How long leaving the current idle state takes.
    pub(crate) idle_exit_ns: u64,
    /// Whom interrupts on the idle CPU wake, for `wake_wide()`.
    pub(crate) idle_wakee: WakeeHistory,
    pub(crate) streams: CpuStreams,
}

/// What a CPU is physically doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    /// In the idle loop, tick stopped.
    Idle,
    /// Executing its current task.
    Running,
    /// In a newidle balance, interrupts off.
    Balancing { until: u64 },
    /// Switching to its current task, interrupts off.
    Switching { from: Option<TaskId>, until: u64 },
}

/// The fair class's queue of a CPU (`struct cfs_rq`).
#[derive(Clone, Debug, Default, Hash)]
pub(crate) struct CfsRq {
    pub(crate) load: LoadWeight,
    pub(crate) nr_running: u32,
    pub(crate) min_vruntime: u64,
    /// The waiting tasks in the order of their virtual run time; equal ones in the order of insertion.
    pub(crate) tree: Vec<TreeEntry>,
    pub(crate) curr: Option<TaskId>,
    pub(crate) next: Option<TaskId>,
    pub(crate) last: Option<TaskId>,
    pub(crate) skip: Option<TaskId>,
    /// Every queued task, the most recently picked or added first (`rq->cfs_tasks`).
    pub(crate) tasks: Vec<TaskId>,
    pub(crate) avg: Pelt,
    /// `runnable_load_avg`, in the place of a load: what only the queued tasks contribute. Kept where the era looks at it.
    pub(crate) runnable_load: Option<Pelt>,
    /// The sum of the queued tasks' estimated utilisation.
    pub(crate) util_est_enqueued: u64,
    pub(crate) removed: Removed,
}

/// Averages of tasks that left by a wake-up migration, to be subtracted at the next update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Removed {
    pub(crate) count: u32,
    pub(crate) load_avg: u64,
    pub(crate) util_avg: u64,
    pub(crate) runnable_avg: u64,
}

/// A waiting task in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TreeEntry {
    pub(crate) vruntime: u64,
    pub(crate) task: TaskId,
}

/// What a CPU remembers of one of its domains; every CPU has its own copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DomainState {
    /// The jiffy of the last balance.
    pub(crate) last_balance: u64,
    /// Milliseconds between balances of an idle CPU.
    pub(crate) balance_interval_ms: u32,
    pub(crate) nr_balance_failed: u32,
    pub(crate) max_newidle_lb_cost: u64,
    /// The jiffy at which that cost is next decayed.
    pub(crate) next_decay_max_lb_cost: u64,
    /// A moving average of the idle search's cost; used at the last-level cache.
    pub(crate) avg_scan_cost: u64,
}

/// Which ticks a CPU has had and needs.
///
/// Not part of the state's hash: it depends on how many ticks were executed rather than replayed, and nothing that
/// happens depends on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TickBook {
    /// The index of the last tick that the CPU has accounted for.
    pub(crate) done: u64,
    /// A lower bound on the next tick whose handler may do more than move clocks and averages.
    pub(crate) needed: u64,
    /// Whether `needed` must be computed anew.
    pub(crate) dirty: bool,
    /// The tick under way asked for a reschedule.
    pub(crate) asked: bool,
}

impl Hash for TickBook {
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}

/// The streams of the costs that a CPU pays, one each.
#[derive(Clone, Debug, Hash)]
pub(crate) struct CpuStreams {
    pub(crate) kick: Stream,
    pub(crate) window: Stream,
    pub(crate) context_switch: Stream,
    pub(crate) newidle: Stream,
    pub(crate) ilb: Stream,
}

/// CPUs draw from entities of their own, above those of tasks.
const CPU_ENTITIES: u64 = 1 << 40;

/// What the clocks of averages show at the start: one period.
const PELT_BOOT: u64 = 1 << 20;

impl Rq {
    /// A CPU before boot: idle, ticking, with the averages that a kernel starts with.
    pub(crate) fn new(config: &Config, cpu: CpuId, seed: u64) -> Rq {
        let domains = &config.domains.by_cpu[cpu.index()];
        let tunables = &config.kernel.tunables;
        let migration_cost_ns = tunables.migration_cost_ns;
        let rate = work_rate(config.capacity_orig[cpu.index()], 1, 1);
        let stream = |purpose| Stream::new(seed, CPU_ENTITIES + u64::from(cpu.0), purpose);
        let domain_state = |domain: &topology::Domain| DomainState {
            last_balance: 0,
            balance_interval_ms: domain.min_interval_ms,
            nr_balance_failed: 0,
            max_newidle_lb_cost: 0,
            next_decay_max_lb_cost: 0,
            avg_scan_cost: 0,
        };
        Rq {
            cpu,
            nr_running: 0,
            curr: None,
            cfs: CfsRq::new(),
            rt: RtRq::new(tunables.rt_runtime_ns, PELT_BOOT),
            cpu_capacity: config.capacity[cpu.index()],
            capacity_next_update: 0,
            capacity_reduced: false,
            phase: Phase::Idle,
            pelt_clock: PeltClock::start(rate),
            work_rate: rate,
            generation: 0,
            need_resched: false,
            irq_pending: false,
            balance_kicked: false,
            ttwu_pending: false,
            wake_list: Vec::new(),
            flushing: Vec::new(),
            active_balance: None,
            active_balance_voluntary: false,
            idle_since: 0,
            idle_stamp: None,
            avg_idle: 2 * migration_cost_ns,
            max_idle_balance_cost: migration_cost_ns,
            next_balance: 0,
            nohz_tick_stopped: false,
            has_blocked_load: false,
            last_blocked_load_update: 0,
            misfit_task_load: 0,
            ticks: TickBook { done: 0, needed: u64::MAX, dirty: false, asked: false },
            waits: CpuWaits::default(),
            domains: domains.iter().map(domain_state).collect(),
            idle_exit_ns: 0,
            idle_wakee: WakeeHistory::default(),
            streams: CpuStreams {
                kick: stream(0),
                window: stream(1),
                context_switch: stream(2),
                newidle: stream(3),
                ilb: stream(4),
            },
        }
    }

    /// `idle_cpu()`: the idle task runs, nothing is queued and nothing is on its way by the wake list.
    ///
    /// Kernel: core.c idle_cpu(), v5.4…v6.18.
    /// Differs: nothing.
    pub(crate) fn is_idle(&self) -> bool {
        idle_cpu(CpuOccupancy {
            runs_idle_task: self.curr.is_none(),
            nr_running: self.nr_running,
            ttwu_pending: self.ttwu_pending,
        })
    }

    /// `rq_clock_pelt()`: the clock of the averages. It starts above 0, which stands for "attached to no queue".
    pub(crate) fn clock_pelt(&self, now: u64) -> u64 {
        self.pelt_clock.read(now) + PELT_BOOT
    }

    /// Another task, or the idle task, is the one that the CPU executes.
    pub(crate) fn set_curr(&mut self, next: Option<TaskId>, now: u64) {
        match (self.curr, next) {
            (None, Some(_)) => self.pelt_clock.begin_busy(now),
            (Some(_), None) => {
                self.pelt_clock.begin_idle(now, self.cfs.avg.util_sum + self.rt.avg.util_sum);
            }
            _ => {}
        }
        self.curr = next;
    }

    /// Whether the CPU has nothing to do, whatever is on its way to it.
    pub(crate) fn is_resting(&self) -> bool {
        self.curr.is_none() && self.nr_running == 0
    }

    /// Whether interrupts are off: what arrives is handled when the phase ends.
    pub(crate) fn irqs_off(&self) -> bool {
        matches!(self.phase, Phase::Balancing { .. } | Phase::Switching { .. })
    }

    /// Whether the CPU takes ticks: every CPU but one in the idle loop.
    pub(crate) fn is_ticking(&self) -> bool {
        self.curr.is_some()
    }
}

impl CfsRq {
    fn new() -> CfsRq {
        let avg = Pelt { last_update_time: PELT_BOOT, ..Pelt::default() };
        CfsRq { min_vruntime: (1u64 << 20).wrapping_neg(), avg, ..CfsRq::default() }
    }

    /// Before the first task: keeps the load that the era looks at.
    pub(crate) fn watch_load(&mut self, signal: LoadSignal) {
        self.runnable_load = match signal {
            LoadSignal::Runnable => Some(self.avg),
            LoadSignal::WithBlocked => None,
        };
    }

    /// The load that placement and balancing look at.
    ///
    /// Kernel: fair.c cpu_runnable_load(), v5.3…v5.4, and cpu_load(), v5.5…v6.18.
    /// Differs: nothing.
    pub(crate) fn cpu_load(&self) -> u64 {
        self.runnable_load.as_ref().map_or(self.avg.load_avg, |runnable| runnable.load_avg)
    }

    /// A task is queued: its load becomes runnable.
    ///
    /// Kernel: fair.c enqueue_runnable_load_avg(), v4.15…v5.6.
    /// Differs: nothing.
    pub(crate) fn enqueue_runnable_load_avg(&mut self, se: &SchedEntity) {
        if let Some(runnable) = &mut self.runnable_load {
            runnable.load_avg += se.avg.load_avg;
            runnable.load_sum += se.scaled_weight() * se.avg.load_sum;
        }
    }

    /// A task leaves the queue: what load it has is blocked, or goes with it.
    ///
    /// Kernel: fair.c dequeue_runnable_load_avg(), v4.15…v5.6.
    /// Differs: nothing.
    pub(crate) fn dequeue_runnable_load_avg(&mut self, se: &SchedEntity) {
        if let Some(runnable) = &mut self.runnable_load {
            runnable.load_avg = runnable.load_avg.saturating_sub(se.avg.load_avg);
            runnable.load_sum = runnable.load_sum.saturating_sub(se.scaled_weight() * se.avg.load_sum);
        }
    }

    /// `__enqueue_entity()`: puts a task into the tree, after those of equal virtual run time.
    pub(crate) fn insert(&mut self, task: TaskId, vruntime: u64) {
        let at = self.tree.partition_point(|entry| (entry.vruntime.wrapping_sub(vruntime) as i64) <= 0);
        self.tree.insert(at, TreeEntry { vruntime, task });
    }

    /// `__dequeue_entity()`: takes a task out of the tree.
    pub(crate) fn remove(&mut self, task: TaskId) {
        let at = self.tree.iter().position(|entry| entry.task == task);
        debug_assert!(at.is_some(), "{task} is not in the tree");
        if let Some(at) = at {
            self.tree.remove(at);
        }
    }

    /// Moves a task to the front of the list of queued tasks.
    pub(crate) fn move_to_front(&mut self, task: TaskId) {
        if let Some(at) = self.tasks.iter().position(|queued| *queued == task) {
            self.tasks[..=at].rotate_right(1);
        }
    }

    /// `clear_buddies()`.
    pub(crate) fn clear_buddies(&mut self, task: TaskId) {
        for buddy in [&mut self.next, &mut self.last, &mut self.skip] {
            if *buddy == Some(task) {
                *buddy = None;
            }
        }
    }
}
