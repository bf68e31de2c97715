//! Work conservation: how long tasks waited, why, and whether a CPU idled meanwhile.

mod balance_score;
mod over_time;
mod waits;

use sim::{CpuId, Nanos, TaskId};
use trace::{Change, Event, EventKind, Follower, TaskState};

use balance_score::BalanceScore;
pub use over_time::WorkBin;
use over_time::{Level, OverTime};
use waits::WaitHistogram;
pub use waits::WaitStats;

/// How long tasks waited, why, and whether a CPU idled meanwhile, in a span of time of a run.
///
/// A task waits while it is runnable and another task has its CPU, or its CPU is on the way to it. It waits *while a CPU
/// idles* only as long as another task has its own: who is on the way to a free CPU is not kept from anything. A CPU
/// idles while it runs nothing and nothing is queued there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkConservation {
    /// The start of the span.
    pub from: Nanos,
    /// The end of the span.
    pub to: Nanos,
    /// Wake-up latency, from `sched_waking` to the CPU, where the wake-up kept the task on its CPU.
    pub wakeup_kept: WaitStats,
    /// The same where the wake-up moved the task.
    pub wakeup_moved: WaitStats,
    /// Waits that began with a preemption.
    pub preemption: WaitStats,
    /// All other waits: of new tasks.
    pub other: WaitStats,
    /// Time that tasks waited while a CPU idled, summed over the tasks, by its cause.
    pub wait_while_idle: WaitWhileIdle,
    /// The mean over time of LinSched's load-balance score (`balance_score.rs`).
    pub load_balance_score: f64,
    /// Every task, by its id.
    pub tasks: Vec<TaskWork>,
    /// How wide a bin of `over_time` is.
    pub bin: Nanos,
    /// The span in equal bins; the last one can be cut short by the end.
    pub over_time: Vec<WorkBin>,
}

/// Time that tasks waited while a CPU idled, in nanoseconds. A moment of a wait has one cause: the first that holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitWhileIdle {
    /// The idle CPUs are all in other last-level caches than the task's.
    pub idle_elsewhere_ns: u64,
    /// The balancer looked at the task during this wait and left it for its utilisation.
    pub refused_ns: u64,
    /// The wake-up of the task put it there.
    pub stacked_ns: u64,
    /// Everything else: it was preempted, or created there.
    pub other_ns: u64,
}

/// How a task spent its time, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskWork {
    /// Running.
    pub ran_ns: u64,
    /// Runnable without running: its run delay.
    pub run_delay_ns: u64,
    /// The part of its run delay that came after preemptions.
    pub preemption_ns: u64,
    /// The part of its run delay in which another task had its CPU and an allowed CPU idled.
    pub while_idle_ns: u64,
    /// How often it waited.
    pub waits: u32,
    /// Its longest wait.
    pub longest_ns: u64,
    /// When that began: within the span that is looked at, the first one where several are equally long.
    pub longest_from_ns: u64,
}

/// What is looked at: a part of a run, and how finely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// The whole run, whose end is not known yet, in 512 to 1024 bins.
    Whole,
    /// From a moment to another, in so many bins.
    Part {
        /// The start.
        from: Nanos,
        /// The end.
        to: Nanos,
        /// How many bins.
        bins: u32,
    },
}

/// Follows events as they come and adds up.
#[derive(Clone, Debug)]
pub struct WorkBuilder {
    follower: Follower,
    from: u64,
    to: u64,
    now: u64,
    caches: Caches,
    queues: Queues,
    tasks: Vec<TaskBook>,
    /// For each CPU the tasks that wait for it.
    waiters: Vec<Vec<TaskId>>,
    wait_while_idle: WaitWhileIdle,
    kept: WaitHistogram,
    moved: WaitHistogram,
    preempted: WaitHistogram,
    other: WaitHistogram,
    score: BalanceScore,
    over_time: OverTime,
}

/// What is known of a task while it is followed.
#[derive(Clone, Copy, Debug, Default)]
struct TaskBook {
    work: TaskWork,
    origin: Origin,
    /// The last `sched_waking`.
    waking_at: u64,
    /// Whether that wake-up moved it.
    moved: bool,
    waits_since: u64,
    runs_since: u64,
    /// Whether the balancer has left it during this wait.
    refused: bool,
    /// While another task has its CPU: the clocks of its cache when it was last asked.
    stuck_at: Option<CacheClock>,
}

/// How a wait began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Origin {
    #[default]
    Birth,
    Wakeup,
    Preemption,
}

/// For how long an idle CPU was there. It stands still while no task is stuck.
#[derive(Clone, Copy, Debug, Default)]
struct CacheClock {
    here_ns: u64,
    elsewhere_ns: u64,
}

/// Idle CPUs and stuck tasks by last-level cache.
#[derive(Clone, Debug)]
struct Caches {
    of_cpu: Vec<usize>,
    clocks: Vec<CacheClock>,
    idle: Vec<u32>,
    idle_cpus: u32,
    /// Tasks that are stuck, by why: refused, stacked, other.
    stuck: Vec<[u32; 3]>,
    stuck_tasks: u32,
}

/// The lengths of the run queues.
#[derive(Clone, Debug)]
struct Queues {
    nr_running: Vec<u32>,
    is_idle: Vec<bool>,
    /// How many queues there are of each length.
    of_length: Vec<u32>,
    longest: u32,
    runnable: u32,
}

const REFUSED: usize = 0;
const STACKED: usize = 1;
const OTHER: usize = 2;

impl WorkBuilder {
    /// A builder before the first event of a run, on a machine with the given last-level cache for each CPU, of tasks
    /// with the given weights.
    pub fn new(llc_by_cpu: &[u16], weights: &[u64], span: Span) -> WorkBuilder {
        let cpus = llc_by_cpu.len();
        let (from, to, over_time) = match span {
            Span::Whole => (0, u64::MAX, OverTime::growing()),
            Span::Part { from, to, bins } => (from.0, to.0, OverTime::fixed(from, to, bins)),
        };
        WorkBuilder {
            follower: Follower::new(cpus, weights.len()),
            from,
            to,
            now: from,
            caches: Caches::new(llc_by_cpu),
            queues: Queues::new(cpus),
            tasks: vec![TaskBook::default(); weights.len()],
            waiters: vec![Vec::new(); cpus],
            wait_while_idle: WaitWhileIdle::default(),
            kept: WaitHistogram::default(),
            moved: WaitHistogram::default(),
            preempted: WaitHistogram::default(),
            other: WaitHistogram::default(),
            score: BalanceScore::new(cpus, weights),
            over_time,
        }
    }

    /// Follows the next events of the run.
    pub fn follow(&mut self, events: &[Event]) {
        for event in events {
            self.event(event);
        }
    }

    /// The sums of a run that is over, or was followed, until `end`.
    pub fn finish(mut self, end: Nanos) -> WorkConservation {
        let end = end.0.min(self.to);
        self.advance(end);
        for task in (0..self.tasks.len()).map(|task| TaskId(task as u32)) {
            match self.follower.doing(task).state {
                TaskState::Waiting => self.wait_ends(task, end),
                TaskState::Running => self.run_ends(task, end),
                TaskState::Unborn | TaskState::Sleeping | TaskState::Waking | TaskState::Dead => {}
            }
        }
        let (bin, over_time) = self.over_time.finish(end);
        WorkConservation {
            from: Nanos(self.from),
            to: Nanos(end.max(self.from)),
            wakeup_kept: self.kept.stats(),
            wakeup_moved: self.moved.stats(),
            preemption: self.preempted.stats(),
            other: self.other.stats(),
            wait_while_idle: self.wait_while_idle,
            load_balance_score: self.score.mean(),
            tasks: self.tasks.iter().map(|book| book.work).collect(),
            bin,
            over_time,
        }
    }

    fn event(&mut self, event: &Event) {
        self.advance(event.at.0);
        match event.kind {
            EventKind::Waking => self.tasks[event.task.index()].waking_at = event.at.0,
            EventKind::Placed => {
                self.tasks[event.task.index()].moved = u32::from(event.cpu.0) != event.args[0];
            }
            EventKind::UtilRefused => self.refused(event.task),
            EventKind::QueueLength => {
                self.queues.set_length(event.cpu, event.args[0]);
                self.look_whether_idle(event.cpu);
            }
            _ => {}
        }
        for change in self.follower.follow(event) {
            self.change(event, change);
        }
    }

    fn change(&mut self, event: &Event, change: Change) {
        match change {
            Change::Task { task, before, now } => {
                match before.state {
                    TaskState::Waiting => {
                        self.unstick(task, before.cpu);
                        self.waiters[before.cpu.index()].retain(|waiter| *waiter != task);
                        if now.state != TaskState::Waiting {
                            self.wait_ends(task, event.at.0);
                        }
                    }
                    TaskState::Running => self.run_ends(task, event.at.0),
                    TaskState::Unborn | TaskState::Sleeping | TaskState::Waking | TaskState::Dead => {}
                }
                match now.state {
                    TaskState::Waiting => {
                        if before.state != TaskState::Waiting {
                            self.wait_begins(task, event);
                        }
                        self.waiters[now.cpu.index()].push(task);
                        self.stick_if_kept(task, now.cpu);
                    }
                    TaskState::Running => self.tasks[task.index()].runs_since = event.at.0,
                    TaskState::Unborn | TaskState::Sleeping | TaskState::Waking | TaskState::Dead => {}
                }
                self.score.change(task, before, now);
            }
            Change::Cpu { cpu, before, now } => {
                if before == Event::NO_TASK || now == Event::NO_TASK {
                    for at in 0..self.waiters[cpu.index()].len() {
                        let waiter = self.waiters[cpu.index()][at];
                        self.unstick(waiter, cpu);
                        self.stick_if_kept(waiter, cpu);
                    }
                    self.look_whether_idle(cpu);
                }
            }
        }
    }

    /// Time goes on, and everything stays as it is meanwhile.
    fn advance(&mut self, at: u64) {
        let at = at.min(self.to);
        if at <= self.now {
            return;
        }
        let lasted = at - self.now;
        let mut level =
            Level { runnable: self.queues.runnable, longest: self.queues.longest, ..Level::default() };
        if 0 < self.caches.stuck_tasks && 0 < self.caches.idle_cpus {
            level.has_waste = true;
            self.caches.advance(lasted, &mut level);
        }
        self.over_time.add(self.now, at, level);
        self.score.advance(lasted);
        self.now = at;
    }

    fn wait_begins(&mut self, task: TaskId, event: &Event) {
        let book = &mut self.tasks[task.index()];
        book.waits_since = event.at.0;
        book.refused = false;
        book.origin = match event.kind {
            EventKind::Fork => Origin::Birth,
            EventKind::Switch if event.detail == trace::PrevState::Preempted as u8 => Origin::Preemption,
            _ => Origin::Wakeup,
        };
    }

    fn wait_ends(&mut self, task: TaskId, at: u64) {
        self.settle(task);
        let (from, to) = (self.from, self.to);
        let book = &mut self.tasks[task.index()];
        if at <= from && book.waits_since < from {
            return;
        }
        let since = |start: u64| at.min(to) - start.max(from);
        let waited = since(book.waits_since);
        book.work.run_delay_ns += waited;
        book.work.waits += 1;
        if book.work.longest_ns < waited {
            book.work.longest_ns = waited;
            book.work.longest_from_ns = book.waits_since.max(from);
        }
        match book.origin {
            Origin::Wakeup if book.moved => self.moved.add(since(book.waking_at)),
            Origin::Wakeup => self.kept.add(since(book.waking_at)),
            Origin::Preemption => {
                book.work.preemption_ns += waited;
                self.preempted.add(waited);
            }
            Origin::Birth => self.other.add(waited),
        }
    }

    fn run_ends(&mut self, task: TaskId, at: u64) {
        let book = &mut self.tasks[task.index()];
        book.work.ran_ns += at.min(self.to).saturating_sub(book.runs_since.max(self.from));
    }

    /// The balancer has looked at a task and left it.
    fn refused(&mut self, task: TaskId) {
        let cpu = self.follower.doing(task).cpu;
        let was_stuck = self.tasks[task.index()].stuck_at.is_some();
        self.unstick(task, cpu);
        self.tasks[task.index()].refused = true;
        if was_stuck {
            self.stick_if_kept(task, cpu);
        }
    }

    /// Another task may have the CPU of a waiting one.
    fn stick_if_kept(&mut self, task: TaskId, cpu: CpuId) {
        if self.follower.running(cpu) == Event::NO_TASK {
            return;
        }
        let cache = self.caches.of_cpu[cpu.index()];
        let book = &mut self.tasks[task.index()];
        book.stuck_at = Some(self.caches.clocks[cache]);
        self.caches.stuck[cache][book.reason()] += 1;
        self.caches.stuck_tasks += 1;
    }

    fn unstick(&mut self, task: TaskId, cpu: CpuId) {
        self.settle_in(task, self.caches.of_cpu[cpu.index()]);
        let book = &mut self.tasks[task.index()];
        if book.stuck_at.take().is_some() {
            self.caches.stuck[self.caches.of_cpu[cpu.index()]][book.reason()] -= 1;
            self.caches.stuck_tasks -= 1;
        }
    }

    fn settle(&mut self, task: TaskId) {
        self.settle_in(task, self.caches.of_cpu[self.follower.doing(task).cpu.index()]);
    }

    /// Books the time since a stuck task was last asked.
    fn settle_in(&mut self, task: TaskId, cache: usize) {
        let book = &mut self.tasks[task.index()];
        let Some(stuck_at) = &mut book.stuck_at else { return };
        let clock = self.caches.clocks[cache];
        let here = clock.here_ns - stuck_at.here_ns;
        let elsewhere = clock.elsewhere_ns - stuck_at.elsewhere_ns;
        *stuck_at = clock;
        book.work.while_idle_ns += here + elsewhere;
        self.wait_while_idle.idle_elsewhere_ns += elsewhere;
        match book.reason() {
            REFUSED => self.wait_while_idle.refused_ns += here,
            STACKED => self.wait_while_idle.stacked_ns += here,
            _ => self.wait_while_idle.other_ns += here,
        }
    }

    /// Whether a CPU runs nothing and has nothing queued.
    fn look_whether_idle(&mut self, cpu: CpuId) {
        let is_idle =
            self.follower.running(cpu) == Event::NO_TASK && self.queues.nr_running[cpu.index()] == 0;
        if std::mem::replace(&mut self.queues.is_idle[cpu.index()], is_idle) != is_idle {
            self.caches.idle_changed(cpu, is_idle);
        }
    }
}

impl TaskBook {
    /// Why the task is where it is, as a position in [`Caches::stuck`].
    fn reason(&self) -> usize {
        match self.origin {
            _ if self.refused => REFUSED,
            Origin::Wakeup => STACKED,
            Origin::Birth | Origin::Preemption => OTHER,
        }
    }
}

impl Caches {
    fn new(llc_by_cpu: &[u16]) -> Caches {
        let of_cpu: Vec<usize> = llc_by_cpu.iter().map(|llc| usize::from(*llc)).collect();
        let count = of_cpu.iter().max().map_or(0, |last| last + 1);
        let mut idle = vec![0; count];
        for cache in &of_cpu {
            idle[*cache] += 1;
        }
        Caches {
            clocks: vec![CacheClock::default(); count],
            stuck: vec![[0; 3]; count],
            idle,
            idle_cpus: of_cpu.len() as u32,
            stuck_tasks: 0,
            of_cpu,
        }
    }

    fn idle_changed(&mut self, cpu: CpuId, is_idle: bool) {
        let idle = &mut self.idle[self.of_cpu[cpu.index()]];
        if is_idle {
            *idle += 1;
            self.idle_cpus += 1;
        } else {
            *idle -= 1;
            self.idle_cpus -= 1;
        }
    }

    /// Time goes on while some CPU idles and some task is stuck.
    fn advance(&mut self, lasted: u64, level: &mut Level) {
        for ((clock, idle), stuck) in self.clocks.iter_mut().zip(&self.idle).zip(&self.stuck) {
            if 0 < *idle {
                clock.here_ns += lasted;
                level.refused += stuck[REFUSED];
                level.stacked += stuck[STACKED];
                level.other += stuck[OTHER];
            } else {
                clock.elsewhere_ns += lasted;
                level.idle_elsewhere += stuck.iter().sum::<u32>();
            }
        }
    }
}

impl Queues {
    fn new(cpus: usize) -> Queues {
        Queues {
            nr_running: vec![0; cpus],
            is_idle: vec![true; cpus],
            of_length: vec![cpus as u32],
            longest: 0,
            runnable: 0,
        }
    }

    fn set_length(&mut self, cpu: CpuId, length: u32) {
        let before = std::mem::replace(&mut self.nr_running[cpu.index()], length);
        self.runnable = self.runnable - before + length;
        self.of_length[before as usize] -= 1;
        if self.of_length.len() <= length as usize {
            self.of_length.resize(length as usize + 1, 0);
        }
        self.of_length[length as usize] += 1;
        self.longest = self.longest.max(length);
        while 0 < self.longest && self.of_length[self.longest as usize] == 0 {
            self.longest -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
