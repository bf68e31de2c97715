//! The fair class: virtual run time, the queue of a CPU, and what a tick or a wake-up does to it.

pub(crate) mod asym;
pub(crate) mod balance;
mod capacity;
pub(crate) mod energy;
pub(crate) mod idlest;
pub(crate) mod nohz;
pub(crate) mod select_cpu;

use rules::cfs::{self, Placement};
use rules::load_weight::calc_delta_fair;
use rules::pelt::LOAD_AVG_MAX;
use sim::{CpuId, TaskId};
use trace::EventKind;
use trace::explain::{About, Check, Outcome};

use crate::engine::Engine;
use crate::explain::{StepExt, step};
use crate::rq::CfsRq;
use crate::task::{SchedEntity, Task, UtilEst};

/// Why a task is put on a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enqueue {
    /// It wakes up on the CPU on which it slept.
    Wakeup,
    /// It wakes up on another CPU.
    WakeupMigrated,
    /// It moves, or is new.
    Move,
}

/// Why a task is taken off a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dequeue {
    /// It goes to sleep.
    Sleep,
    /// It moves to another CPU.
    Move,
}

impl Engine {
    /// Charges the running task for the time since it was last charged.
    ///
    /// Kernel: fair.c update_curr(), v3.3…v6.1.
    /// Differs: nothing.
    pub(crate) fn update_curr(&mut self, cpu: CpuId, now: u64) {
        let cfs = &mut self.rqs[cpu.index()].cfs;
        let Some(curr) = cfs.curr else { return };
        let se = &mut self.tasks[curr.index()].se;
        debug_assert!(se.exec_start <= now, "{curr} was charged beyond now");
        let delta_exec = now - se.exec_start;
        if delta_exec == 0 {
            return;
        }
        se.exec_start = now;
        se.sum_exec_runtime += delta_exec;
        se.vruntime = se.vruntime.wrapping_add(calc_delta_fair(delta_exec, &se.load));
        update_min_vruntime(cfs, Some(se));
    }

    /// Puts a task on the queue of a CPU.
    ///
    /// Kernel: fair.c enqueue_task_fair() and enqueue_entity(), v5.4…v6.1.
    /// Differs: one level, no bandwidth control.
    pub(crate) fn enqueue_task_fair(&mut self, cpu: CpuId, task: TaskId, how: Enqueue) {
        let now = self.now;
        self.util_est_enqueue(cpu, task);
        self.update_curr(cpu, now);
        if how != Enqueue::Wakeup {
            // Away from a queue a virtual run time is relative to that queue's minimum.
            let min_vruntime = self.rqs[cpu.index()].cfs.min_vruntime;
            let se = &mut self.tasks[task.index()].se;
            se.vruntime = se.vruntime.wrapping_add(min_vruntime);
        }
        self.update_load_avg(cpu, task, now);
        let cfs = &mut self.rqs[cpu.index()].cfs;
        let entity = &mut self.tasks[task.index()];
        cfs.enqueue_runnable_load_avg(&entity.se);
        cfs.load.add(entity.se.load.weight);
        cfs.nr_running += 1;
        cfs.tasks.insert(0, task);
        if how != Enqueue::Move {
            let tunables = &self.config.kernel.tunables;
            let (min, own) = (cfs.min_vruntime, entity.se.vruntime);
            entity.se.vruntime = cfs::place_entity(tunables, Placement::Wakeup, min, own, 0);
        }
        entity.se.on_rq = true;
        let vruntime = entity.se.vruntime;
        cfs.insert(task, vruntime);
        self.wait_begins(cpu, task);
        self.add_nr_running(cpu);
        if how != Enqueue::Move {
            self.update_overutilized_status(cpu);
        }
    }

    /// Takes a task off the queue of its CPU.
    ///
    /// Kernel: fair.c dequeue_task_fair() and dequeue_entity(), v5.4…v6.1.
    /// Differs: one level, no bandwidth control.
    pub(crate) fn dequeue_task_fair(&mut self, cpu: CpuId, task: TaskId, how: Dequeue) {
        let now = self.now;
        self.util_est_dequeue(cpu, task);
        self.update_curr(cpu, now);
        self.update_load_avg(cpu, task, now);
        let cfs = &mut self.rqs[cpu.index()].cfs;
        let entity = &mut self.tasks[task.index()];
        cfs.dequeue_runnable_load_avg(&entity.se);
        cfs.clear_buddies(task);
        let waited = cfs.curr != Some(task);
        if waited {
            cfs.remove(task);
        }
        entity.se.on_rq = false;
        cfs.load.sub(entity.se.load.weight);
        cfs.nr_running -= 1;
        if let Some(at) = cfs.tasks.iter().position(|queued| *queued == task) {
            cfs.tasks.remove(at);
        }
        if how == Dequeue::Move {
            entity.se.vruntime = entity.se.vruntime.wrapping_sub(cfs.min_vruntime);
        }
        if waited {
            self.wait_ends(cpu, task);
        }
        self.refresh_min_vruntime(cpu);
        self.sub_nr_running(cpu);
        if how == Dequeue::Sleep {
            self.util_est_update(cpu, task);
        }
    }

    /// Makes a task the running one of its queue.
    ///
    /// Kernel: fair.c set_next_entity() and set_next_task_fair(), v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn set_next_task_fair(&mut self, cpu: CpuId, task: TaskId) {
        let now = self.now;
        if self.tasks[task.index()].se.on_rq {
            self.rqs[cpu.index()].cfs.remove(task);
            self.wait_ends(cpu, task);
            self.update_load_avg(cpu, task, now);
        }
        let cfs = &mut self.rqs[cpu.index()].cfs;
        let se = &mut self.tasks[task.index()].se;
        se.exec_start = now;
        se.prev_sum_exec_runtime = se.sum_exec_runtime;
        cfs.curr = Some(task);
        cfs.move_to_front(task);
    }

    /// Puts the running task back among the waiting ones, if it still wants to run.
    ///
    /// Kernel: fair.c put_prev_entity(), v5.4…v6.1.
    /// Differs: nothing.
    pub(crate) fn put_prev_task_fair(&mut self, cpu: CpuId) {
        let now = self.now;
        let Some(task) = self.rqs[cpu.index()].cfs.curr else { return };
        if self.tasks[task.index()].se.on_rq {
            self.update_curr(cpu, now);
            let vruntime = self.tasks[task.index()].se.vruntime;
            self.rqs[cpu.index()].cfs.insert(task, vruntime);
            self.wait_begins(cpu, task);
            self.update_load_avg(cpu, task, now);
        }
        self.rqs[cpu.index()].cfs.curr = None;
    }

    /// Chooses who runs next; the queue must not be empty.
    ///
    /// Kernel: fair.c pick_next_entity(), v3.3…v6.1.
    /// Differs: nothing.
    pub(crate) fn pick_next_entity(&mut self, cpu: CpuId) -> TaskId {
        let cfs = &self.rqs[cpu.index()].cfs;
        let entity = |task: TaskId| {
            let se = &self.tasks[task.index()].se;
            cfs::Entity { id: task.0, vruntime: se.vruntime, load: se.load }
        };
        let curr = cfs.curr.filter(|curr| self.tasks[curr.index()].se.on_rq);
        let input = cfs::PickInput {
            leftmost: cfs.tree.first().map(|entry| entity(entry.task)),
            second: cfs.tree.get(1).map(|entry| entity(entry.task)),
            curr: curr.map(entity),
            next: cfs.next.map(entity),
            last: cfs.last.map(entity),
            skip: cfs.skip.map(|task| task.0),
        };
        let picked = TaskId(cfs::pick_next_entity(&self.config.kernel.tunables, &input));
        if self.explains() {
            self.explain_pick(cpu, &input, picked);
        }
        self.rqs[cpu.index()].cfs.clear_buddies(picked);
        picked
    }

    fn explain_pick(&mut self, cpu: CpuId, input: &cfs::PickInput, picked: TaskId) {
        self.explain_begins(About::Pick);
        let candidates = [
            (Check::Leftmost, input.leftmost),
            (Check::Leftmost, input.curr),
            (Check::Buddy, input.next),
            (Check::Buddy, input.last),
        ];
        for (check, entity) in candidates {
            if let Some(entity) = entity {
                self.explain(|engine| {
                    let min_vruntime = engine.rqs[cpu.index()].cfs.min_vruntime;
                    let task = TaskId(entity.id);
                    step(check, task == picked)
                        .of_task(task)
                        .value("vruntime", entity.vruntime.wrapping_sub(min_vruntime) as i64)
                });
            }
        }
        self.explain_ends(cpu, Some(picked), Outcome::Task(picked));
    }

    /// The tick of the running task: whether it has had its share.
    ///
    /// Kernel: fair.c task_tick_fair(), entity_tick() and check_preempt_tick(), v3.3…v6.1.
    /// Differs: nothing.
    pub(crate) fn task_tick_fair(&mut self, cpu: CpuId, now: u64) {
        let Some(curr) = self.rqs[cpu.index()].cfs.curr else { return };
        self.update_curr(cpu, now);
        self.update_load_avg(cpu, curr, now);
        self.update_misfit_status(cpu, Some(curr));
        self.update_overutilized_status(cpu);
        let cfs = &self.rqs[cpu.index()].cfs;
        if cfs.nr_running <= 1 {
            return;
        }
        let tunables = &self.config.kernel.tunables;
        let se = &self.tasks[curr.index()].se;
        let delta_exec = se.sum_exec_runtime - se.prev_sum_exec_runtime;
        let leftmost = cfs.tree[0].vruntime;
        let ahead = se.vruntime.wrapping_sub(leftmost) as i64;
        let ideal = self.ideal_runtime(cpu, curr);
        let preempts = cfs::check_preempt_tick(tunables, ideal, delta_exec, ahead);
        if preempts {
            self.explain_begins(About::TickPreempt);
            self.explain(|_| {
                step(Check::Slice, true)
                    .of_task(curr)
                    .value("delta_exec", delta_exec as i64)
                    .value("ideal_runtime", ideal as i64)
                    .value("ahead_of_leftmost", ahead)
            });
            self.explain_ends(cpu, Some(curr), Outcome::Answer(true));
            self.counters.tick_preemptions += 1;
            self.emit(EventKind::TickPreempt, cpu, curr, [0, 0], 0);
            self.rqs[cpu.index()].need_resched = true;
            if ideal < delta_exec {
                // It has had its slice: no favour may bring it back at once.
                self.rqs[cpu.index()].cfs.clear_buddies(curr);
            }
        }
    }

    /// How much more the running task must run before a tick could preempt it, if nothing else changes.
    pub(crate) fn exec_until_tick_preempt(&self, cpu: CpuId, curr: TaskId) -> Option<u64> {
        let cfs = &self.rqs[cpu.index()].cfs;
        let leftmost = cfs.tree.first()?;
        let se = &self.tasks[curr.index()].se;
        let delta_exec = se.sum_exec_runtime - se.prev_sum_exec_runtime;
        let ahead = se.vruntime.wrapping_sub(leftmost.vruntime) as i64;
        let ideal = self.ideal_runtime(cpu, curr);
        Some(cfs::next_tick_preempt_ns(&self.config.kernel.tunables, ideal, delta_exec, ahead, &se.load))
    }

    /// Whether a task that was just enqueued takes the CPU from the running one.
    ///
    /// Kernel: fair.c check_preempt_wakeup(), v5.4…v6.1.
    /// Differs: no batch or idle policies.
    pub(crate) fn check_preempt_wakeup(&mut self, cpu: CpuId, task: TaskId) {
        let now = self.now;
        let rq = &self.rqs[cpu.index()];
        let Some(curr) = rq.cfs.curr else { return };
        if curr == task || rq.need_resched || !self.config.kernel.tunables.wakeup_preemption {
            return;
        }
        let scale = self.config.kernel.tunables.nr_latency <= rq.cfs.nr_running;
        self.update_curr(cpu, now);
        let wakee = &self.tasks[task.index()].se;
        let vdiff = self.tasks[curr.index()].se.vruntime.wrapping_sub(wakee.vruntime) as i64;
        let preempts = cfs::wakeup_preempt_entity(&self.config.kernel.tunables, vdiff, &wakee.load) == 1;
        self.explain_begins(About::WakePreempt);
        self.explain(|engine| {
            step(Check::Granularity, preempts)
                .of_task(curr)
                .value("vdiff", vdiff)
                .value("wakeup_granularity", engine.config.kernel.tunables.wakeup_granularity_ns as i64)
        });
        self.explain_ends(cpu, Some(task), Outcome::Answer(preempts));
        if !preempts {
            return;
        }
        self.counters.wakeup_preemptions += 1;
        self.emit(EventKind::WakePreempt, cpu, task, [curr.0, 0], 0);
        let last_buddy = self.config.kernel.tunables.last_buddy;
        let curr_queued = self.tasks[curr.index()].se.on_rq;
        let cfs = &mut self.rqs[cpu.index()].cfs;
        cfs.next = Some(task);
        if last_buddy && scale && curr_queued {
            cfs.last = Some(curr);
        }
        self.resched_curr(cpu);
    }

    /// The slice of the running task.
    fn ideal_runtime(&self, cpu: CpuId, task: TaskId) -> u64 {
        let cfs = &self.rqs[cpu.index()].cfs;
        let se = &self.tasks[task.index()].se;
        cfs::sched_slice(&self.config.kernel.tunables, cfs.nr_running, &[slice_level(cfs, se)])
    }

    /// The virtual run time of a new task: one slice behind the queue (`task_fork_fair`), relative to the queue.
    ///
    /// Kernel: fair.c task_fork_fair(), v3.3…v6.1.
    /// Differs: `sched_child_runs_first` is off.
    pub(crate) fn task_fork_fair(&mut self, cpu: CpuId, child: TaskId) {
        let now = self.now;
        self.update_curr(cpu, now);
        let cfs = &self.rqs[cpu.index()].cfs;
        let inherited = match cfs.curr {
            Some(curr) => self.tasks[curr.index()].se.vruntime,
            None => cfs.min_vruntime,
        };
        let tunables = &self.config.kernel.tunables;
        let levels = [slice_level(cfs, &self.tasks[child.index()].se)];
        let vslice = cfs::sched_vslice(tunables, cfs.nr_running, &levels, &self.tasks[child.index()].se.load);
        let placed = cfs::place_entity(tunables, Placement::Initial, cfs.min_vruntime, inherited, vslice);
        self.tasks[child.index()].se.vruntime = placed.wrapping_sub(cfs.min_vruntime);
    }

    fn refresh_min_vruntime(&mut self, cpu: CpuId) {
        let cfs = &mut self.rqs[cpu.index()].cfs;
        let curr = cfs.curr.map(|curr| &self.tasks[curr.index()].se).filter(|se| se.on_rq);
        update_min_vruntime(cfs, curr);
    }
}

/// Load averages: of a task, of its queue, and of what left.
impl Engine {
    /// Brings the averages of a task and of its queue up to date; a task that is new to the queue is attached.
    ///
    /// Kernel: fair.c update_load_avg(), v4.17…v6.1.
    /// Differs: one level.
    pub(crate) fn update_load_avg(&mut self, cpu: CpuId, task: TaskId, now: u64) {
        let rq = &mut self.rqs[cpu.index()];
        let clock = rq.clock_pelt(now);
        let cfs = &mut rq.cfs;
        let running = cfs.curr == Some(task);
        let se = &mut self.tasks[task.index()].se;
        if se.avg.last_update_time != 0 {
            let weight = se.scaled_weight();
            se.avg.update_entity(clock, weight, se.on_rq, running);
        }
        let mut changed = update_cfs_rq_load_avg(cfs, clock);
        if se.avg.last_update_time == 0 {
            attach_entity_load_avg(cfs, se);
            changed = true;
        }
        if changed {
            self.cpufreq_update_util(cpu);
        }
    }

    /// Brings the averages of a queue up to date.
    pub(crate) fn update_queue_avg(&mut self, cpu: CpuId, now: u64) {
        let rq = &mut self.rqs[cpu.index()];
        let clock = rq.clock_pelt(now);
        update_cfs_rq_load_avg(&mut rq.cfs, clock);
    }

    /// The averages of a task that has slept, as of its queue's last update.
    ///
    /// Kernel: fair.c sync_entity_load_avg(), v4.12…v6.1.
    /// Differs: nothing.
    pub(crate) fn sync_entity_load_avg(&mut self, task: TaskId) {
        let entity = &mut self.tasks[task.index()];
        let last_update = self.rqs[entity.cpu.index()].cfs.avg.last_update_time;
        let weight = entity.se.scaled_weight();
        entity.se.avg.update_blocked_entity(last_update, weight);
    }

    /// Takes a waking task's averages off the queue that it leaves: at that queue's next update.
    ///
    /// Kernel: fair.c remove_entity_load_avg(), v4.12…v6.1.
    /// Differs: nothing.
    pub(crate) fn remove_entity_load_avg(&mut self, task: TaskId) {
        self.sync_entity_load_avg(task);
        let entity = &self.tasks[task.index()];
        let removed = &mut self.rqs[entity.cpu.index()].cfs.removed;
        removed.count += 1;
        removed.load_avg += entity.se.avg.load_avg;
        removed.util_avg += entity.se.avg.util_avg;
        removed.runnable_avg += entity.se.avg.runnable_avg;
    }

    /// A task that has ended has left its CPU for good: its load leaves too.
    ///
    /// Kernel: fair.c task_dead_fair(), v4.3…v6.18.
    /// Differs: nothing.
    pub(crate) fn task_dead_fair(&mut self, task: TaskId) {
        self.sync_ticks(self.tasks[task.index()].cpu);
        self.remove_entity_load_avg(task);
    }

    /// Takes a moving task's averages off its queue at once.
    ///
    /// Kernel: fair.c detach_entity_cfs_rq() and detach_entity_load_avg(), v4.12…v6.1.
    /// Differs: nothing.
    pub(crate) fn detach_entity_load_avg(&mut self, cpu: CpuId, task: TaskId) {
        let now = self.now;
        self.update_load_avg(cpu, task, now);
        let cfs = &mut self.rqs[cpu.index()].cfs.avg;
        let se = &self.tasks[task.index()].se;
        let weight = se.scaled_weight();
        cfs.load_avg = cfs.load_avg.saturating_sub(se.avg.load_avg);
        cfs.load_sum = cfs.load_sum.saturating_sub(weight * se.avg.load_sum);
        cfs.util_avg = cfs.util_avg.saturating_sub(se.avg.util_avg);
        cfs.util_sum = cfs.util_sum.saturating_sub(se.avg.util_sum);
        cfs.runnable_avg = cfs.runnable_avg.saturating_sub(se.avg.runnable_avg);
        cfs.runnable_sum = cfs.runnable_sum.saturating_sub(se.avg.runnable_sum);
        self.cpufreq_update_util(cpu);
    }

    /// The first averages of a new task: full weight, and half of what its CPU has to spare.
    ///
    /// Kernel: fair.c init_entity_runnable_average() and post_init_entity_util_avg(), v5.7…v6.1.
    /// Differs: nothing.
    pub(crate) fn post_init_entity_util_avg(&mut self, cpu: CpuId, task: TaskId) {
        let capacity = self.config.capacity_orig[cpu.index()];
        let cfs = &self.rqs[cpu.index()].cfs.avg;
        let se = &mut self.tasks[task.index()].se;
        let weight = se.scaled_weight();
        se.avg.load_avg = weight;
        let spare = capacity.saturating_sub(cfs.util_avg) / 2;
        if 0 < spare {
            se.avg.util_avg = match cfs.util_avg {
                0 => spare,
                util => (util * weight / (cfs.load_avg + 1)).min(spare),
            };
        }
        se.avg.runnable_avg = se.avg.util_avg;
    }

    fn util_est_enqueue(&mut self, cpu: CpuId, task: TaskId) {
        if self.config.kernel.tunables.util_est {
            self.rqs[cpu.index()].cfs.util_est_enqueued += self.tasks[task.index()].util_est.value();
        }
    }

    fn util_est_dequeue(&mut self, cpu: CpuId, task: TaskId) {
        if self.config.kernel.tunables.util_est {
            let estimate = self.tasks[task.index()].util_est.value();
            let enqueued = &mut self.rqs[cpu.index()].cfs.util_est_enqueued;
            *enqueued = enqueued.saturating_sub(estimate);
        }
    }

    /// What a task's utilisation was when it went to sleep, remembered for its next activation.
    ///
    /// Kernel: fair.c util_est_update(), v5.5…v6.1.
    /// Differs: the flag that marks an unchanged average is a comparison here.
    fn util_est_update(&mut self, cpu: CpuId, task: TaskId) {
        /// Changes below 1 % of a CPU are ignored.
        const MARGIN: u64 = 1024 / 100;
        let tunables = &self.config.kernel.tunables;
        if !tunables.util_est {
            return;
        }
        let capacity = self.config.capacity_orig[cpu.index()];
        let entity = &mut self.tasks[task.index()];
        let util = entity.se.avg.util_avg;
        let estimate = &mut entity.util_est;
        estimate.enqueued = util;
        if tunables.util_est_fastup && estimate.ewma < util {
            estimate.ewma = util;
            return;
        }
        if util.abs_diff(estimate.ewma) < MARGIN || capacity < util {
            return;
        }
        // A quarter of the difference each time.
        estimate.ewma = (4 * estimate.ewma + util - estimate.ewma) / 4;
    }
}

impl UtilEst {
    /// `_task_util_est()`.
    pub(crate) fn value(&self) -> u64 {
        self.ewma.max(self.enqueued)
    }
}

impl Task {
    /// `task_util_est()`: what the task is expected to need, 0 to 1024.
    pub(crate) fn util_est(&self) -> u64 {
        self.se.avg.util_avg.max(self.util_est.value())
    }

    /// `task_h_load()` with one level: the task's own load.
    pub(crate) fn h_load(&self) -> u64 {
        self.se.avg.load_avg
    }
}

fn slice_level(cfs: &CfsRq, se: &SchedEntity) -> cfs::SliceLevel {
    cfs::SliceLevel {
        nr_running: cfs.nr_running,
        load: cfs.load,
        se_weight: se.load.weight,
        se_on_rq: se.on_rq,
    }
}

/// `min_vruntime` follows the earliest of the running task and the leftmost waiting one, and never goes back.
///
/// Kernel: fair.c update_min_vruntime(), v3.3…v6.1.
/// Differs: nothing.
fn update_min_vruntime(cfs: &mut CfsRq, curr: Option<&SchedEntity>) {
    let before = |a: u64, b: u64| (a.wrapping_sub(b) as i64) < 0;
    let leftmost = cfs.tree.first().map(|entry| entry.vruntime);
    let earliest = match (curr.map(|se| se.vruntime), leftmost) {
        (Some(curr), Some(left)) => Some(if before(left, curr) { left } else { curr }),
        (one, other) => one.or(other),
    };
    if let Some(earliest) = earliest
        && before(cfs.min_vruntime, earliest)
    {
        cfs.min_vruntime = earliest;
    }
}

/// Decays a queue's averages up to what its clock shows, after taking off those of tasks that left.
///
/// Kernel: fair.c update_cfs_rq_load_avg(), v5.7…v5.10.
/// Differs: nothing.
pub(crate) fn update_cfs_rq_load_avg(cfs: &mut CfsRq, clock: u64) -> bool {
    let mut decayed = false;
    if 0 < cfs.removed.count {
        let removed = std::mem::take(&mut cfs.removed);
        let divider = cfs.avg.divider();
        cfs.avg.load_avg = cfs.avg.load_avg.saturating_sub(removed.load_avg);
        cfs.avg.load_sum = cfs.avg.load_sum.saturating_sub(removed.load_avg * divider);
        cfs.avg.util_avg = cfs.avg.util_avg.saturating_sub(removed.util_avg);
        cfs.avg.util_sum = cfs.avg.util_sum.saturating_sub(removed.util_avg * divider);
        cfs.avg.runnable_avg = cfs.avg.runnable_avg.saturating_sub(removed.runnable_avg);
        cfs.avg.runnable_sum = cfs.avg.runnable_sum.saturating_sub(removed.runnable_avg * divider);
        decayed = true;
    }
    let weight = rules::load_weight::scale_down(cfs.load.weight);
    if let Some(runnable) = &mut cfs.runnable_load {
        runnable.update_queue(clock, weight, 0, false);
    }
    decayed | cfs.avg.update_queue(clock, weight, cfs.nr_running, cfs.curr.is_some())
}

/// Adds the averages of a task that is new to the queue.
///
/// Kernel: fair.c attach_entity_load_avg(), v5.7…v6.1.
/// Differs: nothing.
fn attach_entity_load_avg(cfs: &mut CfsRq, se: &mut SchedEntity) {
    let divider = cfs.avg.divider();
    debug_assert!(divider < LOAD_AVG_MAX);
    let weight = se.scaled_weight();
    let avg = &mut se.avg;
    avg.last_update_time = cfs.avg.last_update_time;
    avg.period_contrib = cfs.avg.period_contrib;
    avg.util_sum = avg.util_avg * divider;
    avg.runnable_sum = avg.runnable_avg * divider;
    avg.load_sum = avg.load_avg * divider / weight;
    cfs.avg.load_avg += avg.load_avg;
    cfs.avg.load_sum += weight * avg.load_sum;
    cfs.avg.util_avg += avg.util_avg;
    cfs.avg.util_sum += avg.util_sum;
    cfs.avg.runnable_avg += avg.runnable_avg;
    cfs.avg.runnable_sum += avg.runnable_sum;
}
