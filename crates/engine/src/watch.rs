//! Where the time of one thread goes while it matters: of an application's main thread during its launch.

use sim::{CpuId, TaskId};
use trace::{EventKind, PrevState};
use workload::{Policy, Workload};

use crate::engine::{Counters, Engine};

/// Where a thread's time went, in nanoseconds: the parts add up to the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadTimes {
    /// Before it was created, and after its end.
    pub absent_ns: u64,
    /// On a CPU, the switch to it included.
    pub running_ns: u64,
    /// Runnable while a real-time thread had its CPU.
    pub behind_rt_ns: u64,
    /// Runnable while a fair thread had its CPU.
    pub behind_fair_ns: u64,
    /// Runnable while its CPU was idle or on the way to it.
    pub waking_ns: u64,
    /// Asleep until I/O is complete.
    pub io_ns: u64,
    /// Asleep for any other reason.
    pub sleeping_ns: u64,
}

/// A thread that is watched from a moment on.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    task: TaskId,
    /// What was counted until then.
    counters: Counters,
    times: ThreadTimes,
    since: u64,
    doing: Doing,
    /// The part to which its time is added.
    part: Part,
    /// Whether it was woken before it has left its CPU.
    is_woken_early: bool,
}

/// What the watched thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Absent,
    Running,
    Waiting { cpu: CpuId },
    Io,
    Sleeping,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Absent,
    Running,
    BehindRt,
    BehindFair,
    Waking,
    Io,
    Sleeping,
}

impl ThreadTimes {
    fn part(&mut self, part: Part) -> &mut u64 {
        match part {
            Part::Absent => &mut self.absent_ns,
            Part::Running => &mut self.running_ns,
            Part::BehindRt => &mut self.behind_rt_ns,
            Part::BehindFair => &mut self.behind_fair_ns,
            Part::Waking => &mut self.waking_ns,
            Part::Io => &mut self.io_ns,
            Part::Sleeping => &mut self.sleeping_ns,
        }
    }
}

impl Engine {
    /// Where the time of a launch's main thread has gone since the launch began; nothing before, and for other workloads.
    pub fn main_thread_times(&self) -> Option<ThreadTimes> {
        let watch = self.watch.as_ref()?;
        let mut times = watch.times;
        *times.part(watch.part) += self.now - watch.since;
        Some(times)
    }

    /// What had been counted when the launch began; nothing before, and for other workloads.
    pub fn counters_at_launch(&self) -> Option<&Counters> {
        self.watch.as_ref().map(|watch| &watch.counters)
    }

    /// The launch has begun: from now on its main thread, which does not exist yet, is watched.
    pub(crate) fn watch(&mut self, task: TaskId) {
        self.watch = Some(Box::new(Watch {
            task,
            counters: self.counters.clone(),
            times: ThreadTimes::default(),
            since: self.now,
            doing: Doing::Absent,
            part: Part::Absent,
            is_woken_early: false,
        }));
    }

    /// Follows an event, where some thread is watched. What a CPU executes has been brought up to date before.
    pub(crate) fn watch_event(&mut self, kind: EventKind, cpu: CpuId, task: TaskId, prev: u32, detail: u8) {
        let Some(mut watch) = self.watch.take() else { return };
        let concerns = task == watch.task
            || kind == EventKind::Switch && (prev == watch.task.0 || watch.doing == Doing::Waiting { cpu });
        if concerns {
            *watch.times.part(watch.part) += self.now - watch.since;
            watch.since = self.now;
            self.watch_change(&mut watch, kind, cpu, task, detail);
            watch.part = self.part_of(&watch);
        }
        self.watch = Some(watch);
    }

    fn watch_change(&self, watch: &mut Watch, kind: EventKind, cpu: CpuId, task: TaskId, detail: u8) {
        let is_of_it = task == watch.task;
        match kind {
            // Until it has left its CPU it runs on, whatever is planned for it.
            EventKind::Waking | EventKind::Placed | EventKind::Wakeup if watch.doing == Doing::Running => {
                watch.is_woken_early = true;
            }
            EventKind::Fork | EventKind::Waking | EventKind::Placed | EventKind::Wakeup => {
                watch.doing = Doing::Waiting { cpu };
            }
            EventKind::Migrate if matches!(watch.doing, Doing::Waiting { .. }) => {
                watch.doing = Doing::Waiting { cpu };
            }
            EventKind::Switch if is_of_it => {
                watch.doing = Doing::Running;
                watch.is_woken_early = false;
            }
            EventKind::Switch if watch.doing == Doing::Running => {
                watch.doing = match detail {
                    detail if detail == PrevState::Dead as u8 => Doing::Absent,
                    detail if detail == PrevState::Preempted as u8 => Doing::Waiting { cpu },
                    _ if watch.is_woken_early => Doing::Waiting { cpu },
                    _ if self.is_in_io(watch.task) => Doing::Io,
                    _ => Doing::Sleeping,
                };
            }
            _ => {}
        }
    }

    fn is_in_io(&self, task: TaskId) -> bool {
        match &self.workload {
            Workload::Launch(launch) => launch.is_in_io(task),
            _ => false,
        }
    }

    fn part_of(&self, watch: &Watch) -> Part {
        match watch.doing {
            Doing::Absent => Part::Absent,
            Doing::Running => Part::Running,
            Doing::Io => Part::Io,
            Doing::Sleeping => Part::Sleeping,
            Doing::Waiting { cpu } => match self.rqs[cpu.index()].curr {
                Some(curr) if curr != watch.task => {
                    let is_fair = self.workload.threads()[curr.index()].policy == Policy::Normal;
                    if is_fair { Part::BehindFair } else { Part::BehindRt }
                }
                _ => Part::Waking,
            },
        }
    }
}
