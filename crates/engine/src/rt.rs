//! The real-time class: queues by priority, what a tick or a wake-up does to them, and who runs next.
//!
//! Where tasks go is in `rt/select.rs`, how CPUs hand them to each other in `rt/push_pull.rs`, what keeps them from
//! starving everybody else in `rt/bandwidth.rs`.

mod bandwidth;
mod push_pull;
mod select;

use rules::pelt::Pelt;
use rules::rt::MAX_RT_PRIO;
use sim::{CpuId, TaskId};
use trace::EventKind;
use trace::explain::{About, Check, Outcome};
use workload::Policy;

use crate::engine::Engine;
use crate::explain::{StepExt, step};

/// The real-time class's queue of a CPU (`struct rt_rq`).
#[derive(Clone, Debug, Hash)]
pub(crate) struct RtRq {
    /// Every queued task, the running one among them, by priority and within one in the order of the kernel's list.
    pub(crate) queue: Vec<RtEntry>,
    pub(crate) curr: Option<TaskId>,
    /// `pushable_tasks`: queued tasks that do not run and may run elsewhere, by priority, equal ones first come first.
    pub(crate) pushable: Vec<TaskId>,
    /// A push has been queued for the end of the switch under way.
    pub(crate) push_queued: bool,
    /// How long real-time tasks have run in this period, as of the last charge.
    pub(crate) rt_time: u64,
    /// How long they may.
    pub(crate) rt_runtime: u64,
    /// They may not run until the period ends.
    pub(crate) throttled: bool,
    /// `rq->avg_rt`: how much of the CPU real-time tasks take.
    pub(crate) avg: Pelt,
    /// How long a real-time task has been the current one, up to the last switch away from one.
    ran_ns: u64,
    /// Since when one is.
    running_since: Option<u64>,
}

/// A queued task with its priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RtEntry {
    pub(crate) prio: u8,
    pub(crate) task: TaskId,
}

impl RtRq {
    pub(crate) fn new(rt_runtime_ns: u64, clock_pelt: u64) -> RtRq {
        RtRq {
            queue: Vec::new(),
            curr: None,
            pushable: Vec::new(),
            push_queued: false,
            rt_time: 0,
            rt_runtime: rt_runtime_ns,
            throttled: false,
            avg: Pelt { last_update_time: clock_pelt, ..Pelt::default() },
            ran_ns: 0,
            running_since: None,
        }
    }

    /// `highest_prio.curr`.
    pub(crate) fn highest_prio(&self) -> u8 {
        self.queue.first().map_or(MAX_RT_PRIO, |entry| entry.prio)
    }

    /// `sched_rt_runnable()`: some task is queued and may run.
    pub(crate) fn is_runnable(&self) -> bool {
        !self.throttled && !self.queue.is_empty()
    }

    /// How many tasks count as runnable (`nr_running`): none while the queue is throttled.
    pub(crate) fn counted(&self) -> u32 {
        if self.throttled { 0 } else { self.queue.len() as u32 }
    }

    /// Up to `now`, how long a real-time task has been the current one.
    pub(crate) fn ran_until(&self, now: u64) -> u64 {
        self.ran_ns + self.running_since.map_or(0, |since| now - since)
    }

    /// Another task becomes the current one.
    pub(crate) fn note_switch(&mut self, now: u64, to_rt: bool) {
        self.ran_ns = self.ran_until(now);
        self.running_since = to_rt.then_some(now);
    }

    fn insert_last(&mut self, entry: RtEntry) {
        let at = self.queue.partition_point(|queued| queued.prio <= entry.prio);
        self.queue.insert(at, entry);
    }

    fn insert_first(&mut self, entry: RtEntry) {
        let at = self.queue.partition_point(|queued| queued.prio < entry.prio);
        self.queue.insert(at, entry);
    }

    fn take_out(&mut self, task: TaskId) -> Option<RtEntry> {
        let at = self.queue.iter().position(|entry| entry.task == task)?;
        Some(self.queue.remove(at))
    }

    fn forget_pushable(&mut self, task: TaskId) {
        self.pushable.retain(|pushable| *pushable != task);
    }

    /// How many tasks of a priority are queued.
    fn count_of(&self, prio: u8) -> usize {
        self.queue.iter().filter(|entry| entry.prio == prio).count()
    }
}

impl Engine {
    /// Charges the running real-time task for the time since it was last charged; a queue that has used up its time is
    /// throttled.
    ///
    /// Kernel: rt.c update_curr_rt(), v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn update_curr_rt(&mut self, cpu: CpuId, now: u64) {
        if self.charge_rt(cpu, now) && self.rt_runtime_exceeded(cpu) {
            self.resched_curr(cpu);
        }
    }

    /// The charge alone: what a tick does that cannot throttle. Whether there was anything to charge.
    fn charge_rt(&mut self, cpu: CpuId, now: u64) -> bool {
        let rt = &mut self.rqs[cpu.index()].rt;
        let Some(curr) = rt.curr else { return false };
        let se = &mut self.tasks[curr.index()].se;
        debug_assert!(se.exec_start <= now, "{curr} was charged beyond now");
        let delta_exec = now - se.exec_start;
        se.exec_start = now;
        se.sum_exec_runtime += delta_exec;
        rt.rt_time += delta_exec;
        0 < delta_exec
    }

    /// Brings the average of the time that real-time tasks take up to date.
    ///
    /// Kernel: pelt.c update_rt_rq_load_avg(), v4.19…v6.18.
    /// Differs: nothing.
    pub(crate) fn update_rt_rq_load_avg(&mut self, cpu: CpuId, now: u64, running: bool) {
        let rq = &mut self.rqs[cpu.index()];
        let clock = rq.clock_pelt(now);
        rq.rt.avg.update_queue(clock, u64::from(running), u32::from(running), running);
    }

    /// Puts a task on the queue of a CPU, behind those of its priority.
    ///
    /// Kernel: rt.c enqueue_task_rt() and enqueue_rt_entity(), v5.4…v6.1.
    /// Differs: no groups.
    pub(crate) fn enqueue_task_rt(&mut self, cpu: CpuId, task: TaskId) {
        let prio = self.tasks[task.index()].prio;
        let rt = &mut self.rqs[cpu.index()].rt;
        rt.insert_last(RtEntry { prio, task });
        let counted = !rt.throttled;
        self.tasks[task.index()].se.on_rq = true;
        self.enqueue_pushable_task(cpu, task);
        self.update_rt_overload(cpu);
        self.start_rt_bandwidth();
        if counted {
            self.add_nr_running(cpu);
        }
        self.cpufreq_update_util(cpu);
    }

    /// Takes a task off the queue of its CPU.
    ///
    /// Kernel: rt.c dequeue_task_rt() and dequeue_rt_entity(), v5.4…v6.1.
    /// Differs: no groups.
    pub(crate) fn dequeue_task_rt(&mut self, cpu: CpuId, task: TaskId) {
        self.update_curr_rt(cpu, self.now);
        let rt = &mut self.rqs[cpu.index()].rt;
        let taken = rt.take_out(task);
        debug_assert!(taken.is_some(), "{task} is not on the queue of {cpu}");
        rt.forget_pushable(task);
        let counted = !rt.throttled;
        self.tasks[task.index()].se.on_rq = false;
        self.update_rt_overload(cpu);
        if counted {
            self.sub_nr_running(cpu);
        }
        self.cpufreq_update_util(cpu);
    }

    fn enqueue_pushable_task(&mut self, cpu: CpuId, task: TaskId) {
        let entity = &self.tasks[task.index()];
        if entity.is_pinned() || self.rqs[cpu.index()].rt.curr == Some(task) {
            return;
        }
        let prio = entity.prio;
        let tasks = &self.tasks;
        let pushable = &mut self.rqs[cpu.index()].rt.pushable;
        pushable.retain(|pushable| *pushable != task);
        let at = pushable.partition_point(|pushable| tasks[pushable.index()].prio <= prio);
        pushable.insert(at, task);
    }

    /// The first task of the highest priority; the queue must not be empty.
    ///
    /// Kernel: rt.c pick_next_task_rt(), v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn pick_next_task_rt(&mut self, cpu: CpuId) -> Option<TaskId> {
        let RtEntry { prio, task } = *self.rqs[cpu.index()].rt.queue.first()?;
        self.explain_begins(About::Pick);
        self.explain(|engine| {
            let waiting = engine.rqs[cpu.index()].rt.queue.len() as i64;
            step(Check::RtPriority, true)
                .of_task(task)
                .value("prio", i64::from(prio))
                .value("rt_nr_running", waiting)
        });
        self.explain_ends(cpu, Some(task), Outcome::Task(task));
        Some(task)
    }

    /// Makes a queued task the running one, and queues a push of those that wait behind it.
    ///
    /// Kernel: rt.c set_next_task_rt(), v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn set_next_task_rt(&mut self, cpu: CpuId, task: TaskId) {
        let now = self.now;
        let follows_rt = self.rqs[cpu.index()].curr.is_some_and(|prev| self.tasks[prev.index()].is_rt());
        if !follows_rt {
            self.update_rt_rq_load_avg(cpu, now, false);
        }
        self.tasks[task.index()].se.exec_start = now;
        let rt = &mut self.rqs[cpu.index()].rt;
        rt.forget_pushable(task);
        rt.curr = Some(task);
        rt.push_queued = !rt.pushable.is_empty();
    }

    /// The running real-time task stops; it keeps its place in the queue if it still wants to run.
    ///
    /// Kernel: rt.c put_prev_task_rt(), v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn put_prev_task_rt(&mut self, cpu: CpuId) {
        let now = self.now;
        let Some(task) = self.rqs[cpu.index()].rt.curr else { return };
        self.update_curr_rt(cpu, now);
        self.update_rt_rq_load_avg(cpu, now, true);
        self.rqs[cpu.index()].rt.curr = None;
        if self.tasks[task.index()].se.on_rq {
            self.enqueue_pushable_task(cpu, task);
        }
    }

    /// The tick of the running real-time task: round-robin ones may have had their turn.
    ///
    /// Kernel: rt.c task_tick_rt(), v5.4…v6.1.
    /// Differs: no limit on the time that a task may run without sleeping (`RLIMIT_RTTIME`).
    pub(crate) fn task_tick_rt(&mut self, cpu: CpuId, now: u64) {
        let Some(curr) = self.rqs[cpu.index()].rt.curr else { return };
        self.update_curr_rt(cpu, now);
        self.update_rt_rq_load_avg(cpu, now, true);
        if !self.count_rr_tick(curr) {
            return;
        }
        let prio = self.tasks[curr.index()].prio;
        let rt = &mut self.rqs[cpu.index()].rt;
        if rt.count_of(prio) < 2 {
            return;
        }
        if let Some(entry) = rt.take_out(curr) {
            rt.insert_last(entry);
        }
        self.explain_begins(About::TickPreempt);
        self.explain(|engine| {
            let slice = engine.config.kernel.tunables.rr_timeslice_ns as i64;
            step(Check::Slice, true).of_task(curr).value("delta_exec", slice).value("ideal_runtime", slice)
        });
        self.explain_ends(cpu, Some(curr), Outcome::Answer(true));
        self.counters.tick_preemptions += 1;
        self.emit(EventKind::TickPreempt, cpu, curr, [0, 0], 0);
        self.rqs[cpu.index()].need_resched = true;
    }

    /// A tick in which only clocks and averages move.
    pub(crate) fn replay_tick_rt(&mut self, cpu: CpuId, curr: TaskId, at: u64) {
        self.charge_rt(cpu, at);
        self.update_rt_rq_load_avg(cpu, at, true);
        self.count_rr_tick(curr);
    }

    /// Counts a tick of a round-robin task; true when its slice is used up and the next one begins.
    fn count_rr_tick(&mut self, task: TaskId) -> bool {
        if !matches!(self.tasks[task.index()].policy, Policy::RoundRobin(_)) {
            return false;
        }
        let whole = self.rr_slice_ticks();
        let entity = &mut self.tasks[task.index()];
        entity.rr_ticks_used += 1;
        let used_up = whole <= entity.rr_ticks_used;
        if used_up {
            entity.rr_ticks_used = 0;
        }
        used_up
    }

    /// `sched_rr_timeslice`, in ticks.
    fn rr_slice_ticks(&self) -> u32 {
        (self.config.kernel.tunables.rr_timeslice_ns / self.config.tick_ns).max(1) as u32
    }

    /// A lower bound on the next tick that takes the CPU from the running real-time task or throttles its queue.
    pub(crate) fn next_rt_tick(&self, cpu: CpuId, curr: TaskId) -> u64 {
        let rq = &self.rqs[cpu.index()];
        let entity = &self.tasks[curr.index()];
        let mut needed = self.throttle_tick(cpu, curr);
        if matches!(entity.policy, Policy::RoundRobin(_)) && 2 <= rq.rt.count_of(entity.prio) {
            let left = self.rr_slice_ticks().saturating_sub(entity.rr_ticks_used);
            needed = needed.min(rq.ticks.done + u64::from(left));
        }
        needed
    }

    /// Whether a real-time task that was just queued takes the CPU from another one.
    ///
    /// Kernel: rt.c check_preempt_curr_rt() and check_preempt_equal_prio(), v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn check_preempt_curr_rt(&mut self, cpu: CpuId, task: TaskId, curr: TaskId) {
        let (prio, curr_prio) = (self.tasks[task.index()].prio, self.tasks[curr.index()].prio);
        let makes_room = prio == curr_prio && !self.rqs[cpu.index()].need_resched && {
            // The running task could go elsewhere and the new one could not.
            self.has_lower_cpu(curr) && !self.has_lower_cpu(task)
        };
        self.explain_priorities(cpu, task, curr, prio < curr_prio || makes_room);
        if makes_room {
            let rt = &mut self.rqs[cpu.index()].rt;
            if let Some(entry) = rt.take_out(task) {
                rt.insert_first(entry);
            }
        } else if curr_prio <= prio {
            return;
        }
        if !self.rqs[cpu.index()].need_resched {
            self.counters.wakeup_preemptions += 1;
            self.emit(EventKind::WakePreempt, cpu, task, [curr.0, 0], 0);
        }
        self.resched_curr(cpu);
    }
}
