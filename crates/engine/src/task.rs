use rules::invariance::Work;
use rules::load_weight::LoadWeight;
use rules::pelt::Pelt;
use sim::{CpuId, Stream, TaskId};
use topology::CpuSet;
use workload::{FutexId, Policy, ThreadInfo, WakeProfile};

/// A thread as the scheduler sees it (`task_struct`).
#[derive(Clone, Debug, Hash)]
pub(crate) struct Task {
    pub(crate) id: TaskId,
    pub(crate) state: TaskState,
    /// How it is scheduled.
    pub(crate) policy: Policy,
    /// `p->prio` of the kernel, where less is more: 0 to 98 for real-time priorities 99 to 1, 100 to 139 for nice levels.
    pub(crate) prio: u8,
    /// `p->cpus_ptr`: the CPUs on which it may run; never empty.
    pub(crate) allowed: CpuSet,
    /// `task_cpu()`: where it runs, waits or last ran.
    pub(crate) cpu: CpuId,
    /// Whether a CPU still executes on its stack: while it runs and until the switch away from it is complete.
    pub(crate) on_cpu: bool,
    pub(crate) se: SchedEntity,
    pub(crate) util_est: UtilEst,
    pub(crate) wakee: WakeeHistory,
    /// `rt.time_slice`: ticks of its turn that a `SCHED_RR` task has used.
    pub(crate) rr_ticks_used: u32,
    /// What the last placement of a real-time task left aside.
    pub(crate) rt_placement: RtPlacement,
    /// How long real-time tasks had run on its CPU when a fair task began to wait there.
    pub(crate) behind_rt_from: u64,
    /// How long a fair task has waited while real-time tasks ran on its CPU.
    pub(crate) behind_rt_ns: u64,
    /// `recent_used_cpu`.
    pub(crate) recent_used_cpu: CpuId,
    /// Whether a wake list carries it to another CPU than its last.
    pub(crate) wake_list_migrated: bool,
    /// When it began to wait for a CPU.
    pub(crate) waiting_since: u64,
    /// What it is doing in its program.
    pub(crate) stage: Stage,
    /// CPU time left in the stage, unless the stage ends by the clock; of a computation, time at full speed.
    pub(crate) left_ns: u64,
    /// Parts of a nanosecond beyond that, of a computation.
    pub(crate) left_parts: u32,
    /// Whether it has woken somebody and goes on to its next wait whoever wants its CPU ([`WakeProfile::Call`]).
    pub(crate) goes_on: bool,
    /// When this turn on the CPU began, for what is left of the stage.
    pub(crate) turn_started: u64,
    /// Cancels timers of earlier sleeps.
    pub(crate) timer_generation: u32,
    pub(crate) streams: TaskStreams,
}

/// Whether a real-time task was put on a CPU that runs a fair one although an allowed CPU idled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct RtPlacement {
    /// Somewhere on the machine.
    pub(crate) idle_anywhere: bool,
    /// In the lowest domain of its previous CPU.
    pub(crate) idle_in_domain: bool,
}

/// Whether a task wants to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TaskState {
    /// Not yet created.
    New,
    /// On a run queue.
    Runnable,
    /// Asleep.
    Sleeping,
    /// A wake-up has chosen a CPU and the task is on its way there.
    Waking,
    /// Ended.
    Dead,
}

/// The part of a task that the fair class schedules (`sched_entity`).
#[derive(Clone, Debug, Hash)]
pub(crate) struct SchedEntity {
    pub(crate) load: LoadWeight,
    pub(crate) vruntime: u64,
    pub(crate) exec_start: u64,
    pub(crate) sum_exec_runtime: u64,
    pub(crate) prev_sum_exec_runtime: u64,
    pub(crate) on_rq: bool,
    pub(crate) avg: Pelt,
}

/// `struct util_est` of a task.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(crate) struct UtilEst {
    pub(crate) enqueued: u64,
    pub(crate) ewma: u64,
}

/// Whom a task wakes, for `wake_wide()`.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(crate) struct WakeeHistory {
    pub(crate) last_wakee: Option<TaskId>,
    pub(crate) flips: u32,
    pub(crate) decay_at: u64,
}

/// Where a thread is in its program's current operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    /// Ask the program for the next operation.
    Resume,
    /// Computing for what is left.
    Compute,
    /// Reading the clock until it shows this time.
    Spin { until: u64 },
    /// In `FUTEX_WAKE` before the placement.
    WakeEntry { futex: FutexId, profile: WakeProfile },
    /// In `FUTEX_WAKE` after the placement.
    WakeExit,
    /// In a wait before the dequeue. `woken` if a wake-up came meanwhile.
    BlockEntry { woken: bool },
    /// In a sleep before the timer is armed.
    SleepEntry { until: Option<u64>, duration: u64 },
    /// Asleep in a wait or a sleep.
    Blocked,
    /// On the way back from a wait to the program.
    WaitReturn,
    /// Creating a thread.
    Fork { child: TaskId },
    /// Executing another program, until the stopper has taken over to move the task.
    Exec { to: CpuId },
}

/// The streams of the costs that a task pays, one each.
#[derive(Clone, Debug, Hash)]
pub(crate) struct TaskStreams {
    pub(crate) wake_pre: Stream,
    pub(crate) wake_way: Stream,
    pub(crate) wake_post: Stream,
    pub(crate) wait_return: Stream,
    pub(crate) post_path: Stream,
    pub(crate) block_path: Stream,
    pub(crate) sleep_entry: Stream,
    pub(crate) fork: Stream,
    pub(crate) exec: Stream,
}

/// The first stream purpose of the engine's own draws; workloads use lower ones.
const ENGINE_PURPOSES: u64 = 1 << 16;

impl TaskStreams {
    /// The streams of one task.
    pub(crate) fn new(seed: u64, task: TaskId) -> TaskStreams {
        let stream = |purpose| Stream::new(seed, u64::from(task.0), ENGINE_PURPOSES + purpose);
        TaskStreams {
            wake_pre: stream(0),
            wake_way: stream(1),
            wake_post: stream(2),
            wait_return: stream(3),
            post_path: stream(4),
            block_path: stream(5),
            sleep_entry: stream(6),
            fork: stream(7),
            exec: stream(8),
        }
    }
}

/// What a task is by its creator's will.
struct Nature {
    policy: Policy,
    prio: u8,
    allowed: CpuSet,
    load: LoadWeight,
}

/// Kernel: core.c normal_prio(), v3.3…v6.18, without the deadline class.
fn prio_of(thread: &ThreadInfo) -> u8 {
    match thread.policy {
        Policy::Normal => (120 + i16::from(thread.nice)) as u8,
        Policy::Fifo(rt_priority) | Policy::RoundRobin(rt_priority) => 99 - rt_priority.clamp(1, 99),
    }
}

impl Task {
    /// A thread that does not exist yet.
    pub(crate) fn new(id: TaskId, thread: &ThreadInfo, machine: CpuSet, seed: u64) -> Task {
        let asked: Option<CpuSet> = thread.allowed.as_ref().map(|cpus| cpus.iter().copied().collect());
        let allowed = asked.map(|cpus| cpus.and(&machine)).filter(|cpus| !cpus.is_empty());
        let nature = Nature {
            policy: thread.policy,
            prio: prio_of(thread),
            allowed: allowed.unwrap_or(machine),
            load: LoadWeight::of_nice(thread.nice),
        };
        Task::unborn(id, nature, TaskStreams::new(seed, id))
    }

    /// `nr_cpus_allowed == 1`: it can never move.
    pub(crate) fn is_pinned(&self) -> bool {
        self.allowed.len() == 1
    }

    /// Whether a fork may start it: it is new, or it has ended and no CPU executes on its stack any more.
    pub(crate) fn can_start(&self) -> bool {
        match self.state {
            TaskState::New => true,
            TaskState::Dead => !self.on_cpu,
            TaskState::Runnable | TaskState::Sleeping | TaskState::Waking => false,
        }
    }

    /// The next thread of this id, which knows nothing of the last one. Streams go on, old timers stay cancelled, and CPU
    /// time is counted for the id.
    pub(crate) fn renew(&mut self) {
        let nature =
            Nature { policy: self.policy, prio: self.prio, allowed: self.allowed, load: self.se.load };
        let unborn = Task::unborn(self.id, nature, self.streams.clone());
        let se = SchedEntity { sum_exec_runtime: self.se.sum_exec_runtime, ..unborn.se };
        let behind_rt_ns = self.behind_rt_ns;
        *self = Task { se, behind_rt_ns, timer_generation: self.timer_generation, ..unborn };
    }

    /// What is left of a computation.
    pub(crate) fn compute_left(&self) -> Work {
        Work { ns: self.left_ns, parts: self.left_parts }
    }

    fn unborn(id: TaskId, nature: Nature, streams: TaskStreams) -> Task {
        let Nature { policy, prio, allowed, load } = nature;
        Task {
            id,
            state: TaskState::New,
            policy,
            prio,
            allowed,
            cpu: CpuId(0),
            on_cpu: false,
            se: SchedEntity {
                load,
                vruntime: 0,
                exec_start: 0,
                sum_exec_runtime: 0,
                prev_sum_exec_runtime: 0,
                on_rq: false,
                avg: Pelt::default(),
            },
            util_est: UtilEst::default(),
            wakee: WakeeHistory::default(),
            rr_ticks_used: 0,
            rt_placement: RtPlacement::default(),
            behind_rt_from: 0,
            behind_rt_ns: 0,
            recent_used_cpu: CpuId(0),
            wake_list_migrated: false,
            waiting_since: 0,
            stage: Stage::Resume,
            left_ns: 0,
            left_parts: 0,
            goes_on: false,
            turn_started: 0,
            timer_generation: 0,
            streams,
        }
    }
}

impl SchedEntity {
    /// `se_weight()`: the weight in the units of load averages.
    pub(crate) fn scaled_weight(&self) -> u64 {
        rules::load_weight::scale_down(self.load.weight)
    }
}
