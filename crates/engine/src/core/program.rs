//! The stages of a thread's operations: where its time goes in user and kernel mode.

use sim::{CpuId, Nanos, TaskId};
use trace::{Event, EventKind};
use workload::launch::Launch;
use workload::{FutexId, Op, Policy, WakeProfile, Workload};

use crate::core::ttwu::{WakeWay, Waker};
use crate::engine::{Engine, MachineEvent, MarksSeen};
use crate::rq::Phase;
use crate::task::{Stage, TaskState};

impl Engine {
    /// The stage of the task that a CPU executes is complete.
    pub(crate) fn stage_ends(&mut self, cpu: CpuId) {
        let Some(task) = self.rqs[cpu.index()].curr else { return };
        self.this_cpu = Some(cpu);
        self.tasks[task.index()].left_ns = 0;
        self.tasks[task.index()].left_parts = 0;
        match self.tasks[task.index()].stage {
            Stage::Resume | Stage::Compute | Stage::Spin { .. } | Stage::WakeExit | Stage::WaitReturn => {
                self.next_operation(cpu, task);
            }
            Stage::WakeEntry { futex, profile } => self.wake_placed(cpu, task, futex, profile),
            Stage::BlockEntry { woken } => self.block(cpu, task, woken),
            Stage::SleepEntry { until, duration } => self.arm_sleep(cpu, task, until, duration),
            Stage::Fork { child } => self.fork(cpu, task, child),
            Stage::Exec { to } if to != cpu => self.move_running_task(cpu, task, to),
            // The balancer has been faster.
            Stage::Exec { .. } => self.next_operation(cpu, task),
            Stage::Blocked => debug_assert!(false, "{task} executes while it is blocked"),
        }
        let rq = &self.rqs[cpu.index()];
        let goes_on = self.tasks[task.index()].goes_on;
        if rq.need_resched && !goes_on && rq.phase == Phase::Running && rq.curr == Some(task) {
            self.schedule(cpu);
        } else if rq.phase == Phase::Running && rq.curr == Some(task) {
            self.continue_current(cpu);
        }
        self.this_cpu = None;
    }

    /// Asks the program what it does next. Operations that take no time are done at once.
    fn next_operation(&mut self, cpu: CpuId, task: TaskId) {
        /// More steps without time than this mean a program that never lets time pass.
        const STEPS: u32 = 100_000;
        for _ in 0..STEPS {
            let op = self.workload.resume(task, Nanos(self.now));
            self.emit_marks(cpu, task);
            if self.begin_operation(cpu, task, op) {
                return;
            }
        }
        // Such a program is ended rather than simulated for ever.
        self.exit(cpu, task);
    }

    /// Begins an operation; false if it is complete at once.
    fn begin_operation(&mut self, cpu: CpuId, task: TaskId, op: Op) -> bool {
        let costs = &self.config.costs;
        let jitter = costs.jitter_pct;
        let entity = &mut self.tasks[task.index()];
        // A waker goes on to its next wait; when it computes once more, another task may take its CPU.
        entity.goes_on &=
            matches!(op, Op::FutexWake { .. } | Op::FutexWait { .. } | Op::Sleep(_) | Op::SleepUntil(_));
        let streams = &mut entity.streams;
        let (stage, left) = match op {
            Op::Compute(span) => (Stage::Compute, span.0),
            Op::SpinUntil(until) if until.0 <= self.now => return false,
            Op::SpinUntil(until) => (Stage::Spin { until: until.0 }, 0),
            Op::FutexWake { futex, profile } => {
                let cost = match profile {
                    WakeProfile::Batch | WakeProfile::Sync => {
                        streams.wake_pre.jitter(costs.wake_pre.0, jitter)
                    }
                    WakeProfile::Post | WakeProfile::Call => {
                        streams.post_path.jitter(costs.post_path.0, jitter)
                    }
                };
                (Stage::WakeEntry { futex, profile }, cost)
            }
            Op::FutexWait { futex, expected } => {
                if self.workload.futex_value(futex) != expected {
                    return false;
                }
                self.futex_waiters[futex.0 as usize].push(task);
                let cost = streams.block_path.jitter(costs.block_path.0, jitter);
                (Stage::BlockEntry { woken: false }, cost)
            }
            Op::Sleep(duration) => {
                let cost = streams.sleep_entry.jitter(costs.sleep_entry.0, jitter);
                (Stage::SleepEntry { until: None, duration: duration.0 }, cost)
            }
            Op::SleepUntil(until) if until.0 <= self.now => return false,
            Op::SleepUntil(until) => {
                let cost = streams.sleep_entry.jitter(costs.sleep_entry.0, jitter);
                (Stage::SleepEntry { until: Some(until.0), duration: 0 }, cost)
            }
            Op::Fork(child) => (Stage::Fork { child }, streams.fork.jitter(costs.fork.0, jitter)),
            Op::Exit => {
                self.exit(cpu, task);
                return true;
            }
            Op::Exec => return self.sched_exec(cpu, task),
        };
        entity.stage = stage;
        entity.left_ns = left;
        true
    }

    /// The waker has come to the placement: the wake-up happens now, the rest of the call follows.
    fn wake_placed(&mut self, cpu: CpuId, task: TaskId, futex: FutexId, profile: WakeProfile) {
        let first = self.futex_waiters[futex.0 as usize].first();
        if let Some(until) = first.and_then(|wakee| self.spins_until(*wakee, cpu)) {
            self.tasks[task.index()].left_ns = until - self.now;
            return;
        }
        let waiters = &mut self.futex_waiters[futex.0 as usize];
        let way = if waiters.is_empty() {
            None
        } else {
            let wakee = waiters.remove(0);
            let sync = profile == WakeProfile::Sync;
            Some(self.try_to_wake_up(wakee, cpu, Some(Waker { task, sync })))
        };
        if matches!(profile, WakeProfile::Post | WakeProfile::Call) {
            let entity = &mut self.tasks[task.index()];
            entity.stage = Stage::WakeExit;
            entity.goes_on = profile == WakeProfile::Call;
            return;
        }
        let costs = &self.config.costs;
        let entity = &mut self.tasks[task.index()];
        let way_cost = match way {
            None => 0,
            Some(WakeWay::Direct) => entity.streams.wake_way.jitter(costs.wake_direct.0, costs.jitter_pct),
            Some(WakeWay::ListOrLocal) => entity.streams.wake_way.jitter(costs.wake_list.0, costs.jitter_pct),
        };
        entity.stage = Stage::WakeExit;
        entity.left_ns = way_cost + entity.streams.wake_post.jitter(costs.wake_post.0, costs.jitter_pct);
    }

    /// The end of a wait's entry: asleep, unless somebody was faster.
    fn block(&mut self, cpu: CpuId, task: TaskId, woken: bool) {
        if woken {
            self.begin_return(task);
            return;
        }
        let entity = &mut self.tasks[task.index()];
        entity.stage = Stage::Blocked;
        entity.state = TaskState::Sleeping;
        entity.goes_on = false;
        self.schedule(cpu);
    }

    /// The timer of a sleep is armed; the way to the dequeue follows.
    fn arm_sleep(&mut self, cpu: CpuId, task: TaskId, until: Option<u64>, duration: u64) {
        let costs = &self.config.costs;
        let entity = &mut self.tasks[task.index()];
        // Timers of real-time threads have no slack.
        let slack = if entity.policy == Policy::Normal { costs.timer_slack.0 } else { 0 };
        // Who was preempted on the way here may be late: then it expires at once.
        let expires = (until.unwrap_or(self.now + duration) + slack).max(self.now);
        entity.timer_generation += 1;
        entity.stage = Stage::BlockEntry { woken: false };
        entity.left_ns = entity.streams.block_path.jitter(costs.block_path.0, costs.jitter_pct);
        let event =
            MachineEvent::Timer { cpu, task, generation: entity.timer_generation, idle_exited: false };
        self.push(expires, event);
    }

    /// A wake-up has brought a task out of its wait: what is left is the way back to its program.
    pub(crate) fn begin_return(&mut self, task: TaskId) {
        let costs = &self.config.costs;
        let entity = &mut self.tasks[task.index()];
        entity.stage = Stage::WaitReturn;
        entity.left_ns = entity.streams.wait_return.jitter(costs.wait_return.0, costs.jitter_pct);
    }

    /// The child is complete and starts, unless the last thread of its id still has to leave the CPU on which it ended.
    ///
    /// Kernel: fork.c kernel_clone(), v3.3…v6.18.
    /// Differs: the kernel takes a new task every time and never waits for an old one. Programs take ids in turn, so
    /// that this happens only where a fork costs nearly nothing.
    fn fork(&mut self, cpu: CpuId, task: TaskId, child: TaskId) {
        if self.tasks[child.index()].can_start() {
            self.wake_up_new_task(cpu, child, None);
            self.next_operation(cpu, task);
        } else {
            self.tasks[task.index()].left_ns = self.config.costs.context_switch.0.max(1);
        }
    }

    fn exit(&mut self, cpu: CpuId, task: TaskId) {
        self.tasks[task.index()].state = TaskState::Dead;
        self.tasks[task.index()].stage = Stage::Blocked;
        self.emit(EventKind::Exit, cpu, task, [0, 0], 0);
        self.schedule(cpu);
    }

    /// What the program itself has to tell: batches taken and latencies recorded since the last look.
    fn emit_marks(&mut self, cpu: CpuId, task: TaskId) {
        let schbench = match &self.workload {
            Workload::Schbench(schbench) => schbench,
            Workload::Launch(_) => return self.emit_launch_marks(cpu, task),
            _ => return,
        };
        let mut mark = |detail, args| {
            self.trace.push(Event { at: Nanos(self.now), args, task, cpu, kind: EventKind::Mark, detail });
        };
        for batch in &schbench.batches()[self.marks_seen.batches..] {
            mark(0, [batch.members, 0]);
        }
        for sample in &schbench.samples()[self.marks_seen.samples..] {
            let latency_us = sample.latency_us.min(u64::from(u32::MAX)) as u32;
            mark(1, [latency_us, u32::from(sample.from_wakeup)]);
        }
        self.marks_seen = MarksSeen { batches: schbench.batches().len(), samples: schbench.samples().len() };
    }

    /// A launch has begun, or its first frame is on the display.
    fn emit_launch_marks(&mut self, cpu: CpuId, task: TaskId) {
        let Workload::Launch(launch) = &self.workload else { return };
        let (launched_at, displayed_at) = (launch.launched_at(), launch.displayed_at());
        if self.watch.is_none() && launched_at.is_some() {
            self.emit(EventKind::Mark, cpu, task, [0, 0], 2);
            self.watch(Launch::MAIN);
        }
        if displayed_at == Some(Nanos(self.now)) {
            self.emit(EventKind::Mark, cpu, task, [0, 0], 3);
        }
    }
}
