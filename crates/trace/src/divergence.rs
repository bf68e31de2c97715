//! Where the logs of two runs part, and what then becomes of a task in each of them.

use sim::{CpuId, Nanos, TaskId};

use crate::{Change, Event, EventKind, Follower, TaskState};

/// Where two logs part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The moment: that of the earlier of the two events.
    pub at: Nanos,
    /// For each log its first event that the other one does not have at this place; none where the log ends.
    pub events: [Option<Event>; 2],
}

/// Compares two logs that both hold everything up to the same moment. Remarks of the observer are not compared: they
/// depend on who watches.
pub fn first_difference(logs: [&[Event]; 2]) -> Option<Parting> {
    let mut sides = logs.map(|log| log.iter().copied().filter(|event| !event.kind.is_remark()));
    loop {
        let events = [sides[0].next(), sides[1].next()];
        if events[0] == events[1] {
            events[0]?;
            continue;
        }
        let at = events.into_iter().flatten().map(|event| event.at).min()?;
        return Some(Parting {
            at,
            events: [telling(events[0], &mut sides[0]), telling(events[1], &mut sides[1])],
        });
    }
}

/// Passes over the bookkeeping of queue lengths, where something more telling follows at the same moment.
fn telling(first: Option<Event>, rest: &mut impl Iterator<Item = Event>) -> Option<Event> {
    let first = first?;
    if first.kind != EventKind::QueueLength {
        return Some(first);
    }
    let mut same_moment = rest.take_while(|event| event.at == first.at);
    Some(same_moment.find(|event| event.kind != EventKind::QueueLength).unwrap_or(first))
}

/// What becomes of one task from a moment on, until it runs, and which CPUs idle meanwhile.
#[derive(Clone, Debug)]
pub struct Fate {
    follower: Follower,
    task: TaskId,
    from: Nanos,
    waits_since: Nanos,
    ran_at: Option<Nanos>,
    /// For each CPU since when it has been idle, if it is.
    idle_since: Vec<Option<Nanos>>,
    idled_ns: Vec<u64>,
    until: Nanos,
}

/// Since when every task has been waiting or on its way to a queue.
#[derive(Clone, Debug)]
pub struct WaitBook {
    follower: Follower,
    since: Vec<Nanos>,
}

impl WaitBook {
    /// A machine before the first event of a run.
    pub fn new(cpus: usize, tasks: usize) -> WaitBook {
        WaitBook { follower: Follower::new(cpus, tasks), since: vec![Nanos::ZERO; tasks] }
    }

    /// Follows the next events of the run.
    pub fn follow(&mut self, events: &[Event]) {
        for event in events {
            for change in self.follower.follow(event) {
                if let Change::Task { task, before, now } = change
                    && is_kept(now.state)
                    && !is_kept(before.state)
                {
                    self.since[task.index()] = event.at;
                }
            }
        }
    }

    /// Begins to follow a task from a moment on, before which all events have been followed, and none later.
    pub fn fate(&self, task: TaskId, from: Nanos) -> Fate {
        let cpus = (0..self.follower.cpu_count()).map(|cpu| CpuId(cpu as u16));
        let idle_since =
            cpus.map(|cpu| (self.follower.running(cpu) == Event::NO_TASK).then_some(from)).collect();
        let state = self.follower.doing(task).state;
        Fate {
            waits_since: if is_kept(state) { self.since[task.index()] } else { from },
            ran_at: None,
            idled_ns: vec![0; self.follower.cpu_count()],
            idle_since,
            follower: self.follower.clone(),
            task,
            from,
            until: from,
        }
    }
}

impl Fate {
    /// Follows the next events.
    pub fn follow(&mut self, events: &[Event]) {
        for event in events {
            if self.is_sealed() {
                return;
            }
            for change in self.follower.follow(event) {
                self.change(event.at, change);
            }
        }
    }

    fn change(&mut self, at: Nanos, change: Change) {
        match change {
            Change::Task { task, before, now } if task == self.task => {
                if is_kept(now.state) && !is_kept(before.state) {
                    self.waits_since = at;
                } else if now.state == TaskState::Running {
                    self.seal(at);
                    self.ran_at = Some(at);
                }
            }
            Change::Task { .. } => {}
            Change::Cpu { cpu, now, .. } => {
                if now == Event::NO_TASK {
                    self.idle_since[cpu.index()] = Some(at);
                } else if let Some(since) = self.idle_since[cpu.index()].take() {
                    self.idled_ns[cpu.index()] += at.0 - since.0;
                }
            }
        }
    }

    /// Everything up to a moment has been followed, and nothing of the moment is left. A task that then still has the CPU
    /// that it had from the start was not kept waiting.
    pub fn reach(&mut self, at: Nanos) {
        if self.is_sealed() {
            return;
        }
        let runs = self.follower.doing(self.task).state == TaskState::Running;
        if runs && !self.follower.is_woken_early(self.task) {
            self.ran_at = Some(self.from);
            self.waits_since = self.from;
            self.seal(self.from);
        }
        self.until = self.until.max(at);
    }

    /// Whether it is known what becomes of the task.
    pub fn is_sealed(&self) -> bool {
        self.ran_at.is_some()
    }

    fn seal(&mut self, at: Nanos) {
        self.until = at;
        for (since, idled) in self.idle_since.iter_mut().zip(&mut self.idled_ns) {
            if let Some(since) = since.take() {
                *idled += at.0.saturating_sub(since.0);
            }
        }
    }

    /// Since when the task waited, the time before the divergence included.
    pub fn waits_since(&self) -> Nanos {
        self.waits_since
    }

    /// When it got a CPU.
    pub fn ran_at(&self) -> Option<Nanos> {
        self.ran_at
    }

    /// How long it waited, as far as it was followed.
    pub fn waited(&self) -> Nanos {
        self.ran_at.unwrap_or(self.until).saturating_sub(self.waits_since)
    }

    /// The CPU on which it ran, or waits.
    pub fn cpu(&self) -> CpuId {
        self.follower.doing(self.task).cpu
    }

    /// How long a CPU idled while the task was followed.
    pub fn idled(&self, cpu: CpuId) -> Nanos {
        let so_far = self.idle_since[cpu.index()].map_or(0, |since| self.until.saturating_sub(since).0);
        Nanos(self.idled_ns[cpu.index()] + so_far)
    }
}

/// Whether a task in this state is kept waiting.
fn is_kept(state: TaskState) -> bool {
    matches!(state, TaskState::Waking | TaskState::Waiting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PrevState;

    const IDLE: u32 = u32::MAX;

    fn event(at: u64, kind: EventKind, cpu: u16, task: u32) -> Event {
        Event { at: Nanos(at), args: [0, 0], task: TaskId(task), cpu: CpuId(cpu), kind, detail: 0 }
    }

    fn switch(at: u64, cpu: u16, prev: u32, next: u32, state: PrevState) -> Event {
        Event { args: [prev, 0], detail: state as u8, ..event(at, EventKind::Switch, cpu, next) }
    }

    #[test]
    fn equal_logs_do_not_part_and_remarks_do_not_count() {
        let log = [event(1, EventKind::Wakeup, 0, 1), event(2, EventKind::Mark, 0, 1)];
        assert_eq!(first_difference([&log, &log]), None);
        let remarked = [log[0], event(1, EventKind::Decision, 0, IDLE), log[1]];
        assert_eq!(first_difference([&log, &remarked]), None);
        assert_eq!(first_difference([&[], &[]]), None);
    }

    #[test]
    fn logs_part_at_the_earlier_of_two_events_or_where_one_ends() {
        let common = event(1, EventKind::Wakeup, 0, 1);
        let (early, late) = (event(5, EventKind::Exit, 0, 1), event(9, EventKind::Exit, 0, 1));
        let parting = first_difference([&[common, late], &[common, early]]).unwrap();
        assert_eq!(parting, Parting { at: Nanos(5), events: [Some(late), Some(early)] });
        let parting = first_difference([&[common], &[common, late]]).unwrap();
        assert_eq!(parting, Parting { at: Nanos(9), events: [None, Some(late)] });
    }

    #[test]
    fn what_is_told_of_a_parting_is_more_than_a_queue_length() {
        let refused = event(5, EventKind::UtilRefused, 1, 3);
        let (length, moved) = (event(5, EventKind::QueueLength, 0, IDLE), event(5, EventKind::Migrate, 1, 3));
        let parting = first_difference([&[refused], &[length, moved]]).unwrap();
        assert_eq!(parting.events, [Some(refused), Some(moved)]);
        let later = event(6, EventKind::Migrate, 1, 3);
        let parting = first_difference([&[refused], &[length, later]]).unwrap();
        assert_eq!(parting.events[1], Some(length), "what comes later is another matter");
    }

    /// CPU 0 runs task 0 with task 1 waiting since 20; CPU 1 idles.
    fn stacked() -> WaitBook {
        let mut book = WaitBook::new(2, 2);
        book.follow(&[
            event(10, EventKind::Wakeup, 0, 0),
            switch(10, 0, IDLE, 0, PrevState::Idle),
            event(20, EventKind::Wakeup, 0, 1),
        ]);
        book
    }

    #[test]
    fn a_task_that_is_left_waits_until_its_cpu_is_free() {
        let mut fate = stacked().fate(TaskId(1), Nanos(50));
        fate.follow(&[event(50, EventKind::UtilRefused, 1, 1)]);
        fate.reach(Nanos(70));
        assert!(!fate.is_sealed());
        assert_eq!((fate.waited(), fate.idled(CpuId(1))), (Nanos(50), Nanos(20)));
        fate.follow(&[switch(90, 0, 0, 1, PrevState::Sleeping), switch(95, 0, 1, 0, PrevState::Preempted)]);
        fate.reach(Nanos(100));
        assert_eq!((fate.waits_since(), fate.ran_at()), (Nanos(20), Some(Nanos(90))));
        assert_eq!((fate.waited(), fate.cpu()), (Nanos(70), CpuId(0)));
        assert_eq!((fate.idled(CpuId(0)), fate.idled(CpuId(1))), (Nanos(0), Nanos(40)));
    }

    #[test]
    fn a_task_that_is_taken_runs_where_it_was_taken_to() {
        let mut fate = stacked().fate(TaskId(1), Nanos(50));
        fate.follow(&[event(50, EventKind::Migrate, 1, 1), switch(53, 1, IDLE, 1, PrevState::Idle)]);
        fate.reach(Nanos(60));
        assert_eq!((fate.waited(), fate.cpu()), (Nanos(33), CpuId(1)));
        assert_eq!(fate.idled(CpuId(1)), Nanos(3));
    }

    #[test]
    fn a_task_that_runs_on_was_not_kept_and_one_that_is_woken_early_is_followed() {
        let mut fate = stacked().fate(TaskId(0), Nanos(50));
        fate.reach(Nanos(50));
        assert_eq!((fate.ran_at(), fate.waited()), (Some(Nanos(50)), Nanos(0)));
        let mut fate = stacked().fate(TaskId(0), Nanos(50));
        fate.follow(&[event(50, EventKind::Waking, 0, 0), event(50, EventKind::Placed, 1, 0)]);
        fate.reach(Nanos(50));
        assert!(!fate.is_sealed(), "it has not left its CPU yet");
        fate.follow(&[switch(55, 0, 0, 1, PrevState::Sleeping), event(56, EventKind::Wakeup, 1, 0)]);
        fate.follow(&[switch(58, 1, IDLE, 0, PrevState::Idle)]);
        assert_eq!((fate.waits_since(), fate.waited(), fate.cpu()), (Nanos(55), Nanos(3), CpuId(1)));
    }
}
