use sim::{CpuId, Nanos, TaskId};

use crate::steps::{Chunked, Steps, Tally};
use crate::{Change, Event, EventKind, Follower};

/// What every CPU and every task did in a run: views of its events.
#[derive(Clone, Debug)]
pub struct Timeline {
    pub(crate) end: Nanos,
    pub(crate) cpus: Vec<CpuLine>,
    pub(crate) tasks: Vec<Chunked<Doing, TimeTally>>,
    /// For each last-level cache how many tasks wait on busy CPUs of it.
    pub(crate) stuck: Vec<Chunked<u16, WaitTally>>,
    /// How many tasks wait on the whole machine.
    pub(crate) waiting: Chunked<u16, WaitTally>,
}

/// What one CPU did.
#[derive(Clone, Debug)]
pub(crate) struct CpuLine {
    /// Its last-level cache.
    pub(crate) llc: u16,
    /// The task that runs, or [`Event::NO_TASK`].
    pub(crate) running: Chunked<TaskId, RunTally>,
    /// How many tasks wait for it.
    pub(crate) waiting: Chunked<u16, WaitTally>,
    /// The position of its idle state from the shallowest; 0 while it does not idle.
    pub(crate) depth: Steps<u8>,
}

/// What a task does, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doing {
    /// What it does.
    pub state: TaskState,
    /// The CPU on which it runs or waits or will be queued, or on which it ran last.
    pub cpu: CpuId,
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskState {
    /// It does not exist yet.
    Unborn,
    /// It waits for an event.
    Sleeping,
    /// It was woken and is on its way to a run queue.
    Waking,
    /// It is runnable and waits for a CPU.
    Waiting,
    /// It runs.
    Running,
    /// It has ended.
    Dead,
}

/// How long a CPU was not idle, and for whom.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunTally {
    pub(crate) busy_ns: u64,
    by_task: Vec<(TaskId, u64)>,
}

/// How long CPUs were not idle, whoever ran.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BusyTally {
    pub(crate) busy_ns: u64,
}

/// What is remembered of a chunk of slices. Its longest runner stands for all, so that the longest runner of a span
/// of many chunks is an estimate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunChunk {
    busy_ns: u64,
    longest: Option<(TaskId, u64)>,
}

/// How long somebody waited, and how many at most.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WaitTally {
    pub(crate) waited_ns: u64,
    pub(crate) most: u16,
}

/// How a task spent its time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TimeTally {
    pub(crate) ran_ns: u64,
    pub(crate) waited_ns: u64,
}

impl Timeline {
    /// The views of a run of `tasks` tasks that ended at `end`, on a machine that has the given last-level cache for
    /// each CPU.
    pub fn new(events: &[Event], end: Nanos, llc_by_cpu: &[u16], tasks: usize) -> Timeline {
        let mut builder = TimelineBuilder::new(llc_by_cpu, tasks);
        builder.follow(events);
        builder.finish(end)
    }

    /// The end of the run.
    pub fn end(&self) -> Nanos {
        self.end
    }

    /// How many CPUs there are.
    pub fn cpu_count(&self) -> usize {
        self.cpus.len()
    }

    /// How many tasks there are.
    pub fn task_count(&self) -> usize {
        self.tasks.len()
    }

    /// Which task a CPU runs, or [`Event::NO_TASK`].
    pub fn running(&self, cpu: CpuId) -> &Steps<TaskId> {
        &self.cpus[cpu.index()].running.steps
    }

    /// How many tasks wait for a CPU.
    pub fn waiting(&self, cpu: CpuId) -> &Steps<u16> {
        &self.cpus[cpu.index()].waiting.steps
    }

    /// How deep a CPU sleeps: the position of its idle state from the shallowest, and 0 while it does not idle.
    pub fn idle_depth(&self, cpu: CpuId) -> &Steps<u8> {
        &self.cpus[cpu.index()].depth
    }

    /// What a task does.
    pub fn doing(&self, task: TaskId) -> &Steps<Doing> {
        &self.tasks[task.index()].steps
    }

    /// For how long a CPU idled while a task waited on a busy CPU of the same last-level cache.
    pub fn wasted_ns(&self, cpu: CpuId) -> u64 {
        let line = &self.cpus[cpu.index()];
        let idle = line.running.steps.pieces().filter(|piece| piece.value == Event::NO_TASK);
        idle.map(|piece| self.stuck[usize::from(line.llc)].total(piece.from, piece.to).waited_ns).sum()
    }
}

/// Follows events as they come, so that they need not all be kept.
#[derive(Clone, Debug)]
pub struct TimelineBuilder {
    llc_by_cpu: Vec<u16>,
    follower: Follower,
    running: Vec<Steps<TaskId>>,
    waiting: Vec<Steps<u16>>,
    depths: Vec<Steps<u8>>,
    tasks: Vec<Steps<Doing>>,
    stuck: Vec<Steps<u16>>,
    machine_waiting: Steps<u16>,
}

impl TimelineBuilder {
    /// A builder before the first event of a run.
    pub fn new(llc_by_cpu: &[u16], tasks: usize) -> TimelineBuilder {
        let cpus = llc_by_cpu.len();
        let llcs = llc_by_cpu.iter().max().map_or(0, |llc| usize::from(*llc) + 1);
        let unborn = Doing { state: TaskState::Unborn, cpu: CpuId(0) };
        TimelineBuilder {
            llc_by_cpu: llc_by_cpu.to_vec(),
            follower: Follower::new(cpus, tasks),
            running: vec![Steps::new(Event::NO_TASK); cpus],
            waiting: vec![Steps::new(0); cpus],
            depths: vec![Steps::new(0); cpus],
            tasks: vec![Steps::new(unborn); tasks],
            stuck: vec![Steps::new(0); llcs],
            machine_waiting: Steps::new(0),
        }
    }

    /// Follows the next events of the run.
    pub fn follow(&mut self, events: &[Event]) {
        for event in events {
            if event.kind == EventKind::Idle {
                self.depths[event.cpu.index()].set(event.at, event.detail);
            }
            for change in self.follower.follow(event) {
                self.change(event.at, change);
            }
        }
    }

    /// How many pieces there are, which is what the views take memory for: up to 14 bytes each.
    pub fn pieces(&self) -> usize {
        let running: usize = self.running.iter().map(Steps::count).sum();
        let depths: usize = self.depths.iter().map(Steps::count).sum();
        let waiting: usize = self.waiting.iter().chain(&self.stuck).map(Steps::count).sum();
        let doing: usize = self.tasks.iter().map(Steps::count).sum();
        running + depths + waiting + doing + self.machine_waiting.count()
    }

    fn change(&mut self, at: Nanos, change: Change) {
        match change {
            Change::Task { task, before, now } => {
                self.tasks[task.index()].set(at, now);
                if before.state == TaskState::Waiting {
                    self.waiters_changed(at, before.cpu, |count| count - 1);
                }
                if now.state == TaskState::Waiting {
                    self.waiters_changed(at, now.cpu, |count| count + 1);
                }
            }
            Change::Cpu { cpu, now, .. } => {
                let was_stuck = self.stuck_on(cpu);
                self.running[cpu.index()].set(at, now);
                if self.depths[cpu.index()].last() != 0 {
                    self.depths[cpu.index()].set(at, 0);
                }
                self.stuck_changed(at, cpu, was_stuck);
            }
        }
    }

    fn waiters_changed(&mut self, at: Nanos, cpu: CpuId, change: impl Fn(u16) -> u16) {
        let was_stuck = self.stuck_on(cpu);
        let count = change(self.waiting[cpu.index()].last());
        self.waiting[cpu.index()].set(at, count);
        let machine = change(self.machine_waiting.last());
        self.machine_waiting.set(at, machine);
        self.stuck_changed(at, cpu, was_stuck);
    }

    /// Who waits on an idle CPU is about to run; who waits on a busy one is stuck.
    fn stuck_on(&self, cpu: CpuId) -> u16 {
        if self.running[cpu.index()].last() == Event::NO_TASK { 0 } else { self.waiting[cpu.index()].last() }
    }

    fn stuck_changed(&mut self, at: Nanos, cpu: CpuId, was: u16) {
        let is = self.stuck_on(cpu);
        let llc = &mut self.stuck[usize::from(self.llc_by_cpu[cpu.index()])];
        let count = llc.last() - was + is;
        llc.set(at, count);
    }

    /// The views of a run that ended at `end`, or was followed until then.
    pub fn finish(mut self, end: Nanos) -> Timeline {
        self.machine_waiting.finish(end);
        let cpus = self.running.into_iter().zip(self.waiting).zip(self.depths).zip(self.llc_by_cpu);
        let cpus = cpus
            .map(|(((running, waiting), mut depth), llc)| {
                depth.finish(end);
                let (running, waiting) = (finished(running, end), finished(waiting, end));
                CpuLine { llc, running, waiting, depth }
            })
            .collect();
        Timeline {
            end,
            cpus,
            tasks: self.tasks.into_iter().map(|steps| finished(steps, end)).collect(),
            stuck: self.stuck.into_iter().map(|steps| finished(steps, end)).collect(),
            waiting: Chunked::new(self.machine_waiting),
        }
    }
}

fn finished<T: Copy + PartialEq, S: Tally<T>>(mut steps: Steps<T>, end: Nanos) -> Chunked<T, S> {
    steps.finish(end);
    Chunked::new(steps)
}

impl RunTally {
    /// Who ran longest; of equals the one that ran first.
    pub(crate) fn longest(&self) -> Option<(TaskId, u64)> {
        self.by_task.iter().copied().reduce(|best, other| if best.1 < other.1 { other } else { best })
    }

    pub(crate) fn clear(&mut self) {
        self.busy_ns = 0;
        self.by_task.clear();
    }

    fn credit(&mut self, task: TaskId, lasted: u64) {
        match self.by_task.iter_mut().find(|(known, _)| *known == task) {
            Some((_, sum)) => *sum += lasted,
            None => self.by_task.push((task, lasted)),
        }
    }
}

impl Tally<TaskId> for RunTally {
    type Chunk = RunChunk;

    fn add(&mut self, value: TaskId, lasted: u64) {
        if value != Event::NO_TASK {
            self.busy_ns += lasted;
            self.credit(value, lasted);
        }
    }

    fn add_chunk(&mut self, chunk: &RunChunk) {
        self.busy_ns += chunk.busy_ns;
        if let Some((task, lasted)) = chunk.longest {
            self.credit(task, lasted);
        }
    }

    fn chunk(&self) -> RunChunk {
        RunChunk { busy_ns: self.busy_ns, longest: self.longest() }
    }
}

impl Tally<TaskId> for BusyTally {
    type Chunk = RunChunk;

    fn add(&mut self, value: TaskId, lasted: u64) {
        if value != Event::NO_TASK {
            self.busy_ns += lasted;
        }
    }

    fn add_chunk(&mut self, chunk: &RunChunk) {
        self.busy_ns += chunk.busy_ns;
    }

    fn chunk(&self) -> RunChunk {
        RunChunk { busy_ns: self.busy_ns, longest: None }
    }
}

impl Tally<u16> for WaitTally {
    type Chunk = WaitTally;

    fn add(&mut self, value: u16, lasted: u64) {
        if 0 < value {
            self.waited_ns += lasted;
            self.most = self.most.max(value);
        }
    }

    fn add_chunk(&mut self, chunk: &WaitTally) {
        self.waited_ns += chunk.waited_ns;
        self.most = self.most.max(chunk.most);
    }

    fn chunk(&self) -> WaitTally {
        *self
    }
}

impl Tally<Doing> for TimeTally {
    type Chunk = TimeTally;

    fn add(&mut self, value: Doing, lasted: u64) {
        match value.state {
            TaskState::Running => self.ran_ns += lasted,
            TaskState::Waiting => self.waited_ns += lasted,
            TaskState::Unborn | TaskState::Sleeping | TaskState::Waking | TaskState::Dead => {}
        }
    }

    fn add_chunk(&mut self, chunk: &TimeTally) {
        self.ran_ns += chunk.ran_ns;
        self.waited_ns += chunk.waited_ns;
    }

    fn chunk(&self) -> TimeTally {
        *self
    }
}
