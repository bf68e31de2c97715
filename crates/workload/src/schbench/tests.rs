use std::collections::{BTreeMap, BTreeSet};

use sim::{EventClass, EventQueue, Nanos, TaskId};

use super::{BLOCKED, Batch, Generation, POST_WITHOUT_CALL, RUNNING, Schbench, Spec};
use crate::{FutexId, Op, WakeProfile};

/// A machine with a CPU for every thread: calls cost a fixed time and nobody ever waits for a CPU.
struct Machine {
    program: Schbench,
    ready: EventQueue<TaskId>,
    waiting: BTreeMap<FutexId, TaskId>,
    /// Threads that are held off their CPU until a moment, whatever they do.
    held: BTreeMap<TaskId, Nanos>,
    ops: Vec<(Nanos, TaskId, Op)>,
}

const WAKE_COST: Nanos = Nanos(2_500);
const WAKE_DELAY: Nanos = Nanos(10_000);
const FORK_COST: Nanos = Nanos(5_000);
const SLACK: Nanos = Nanos(50_000);

impl Machine {
    fn new(spec: &Spec, seed: u64) -> Machine {
        let mut ready = EventQueue::default();
        ready.push(Nanos::ZERO, EventClass(0), TaskId(0));
        let program = Schbench::new(spec, seed);
        Machine { program, ready, waiting: BTreeMap::new(), held: BTreeMap::new(), ops: Vec::new() }
    }

    fn run(&mut self) {
        while let Some((now, thread)) = self.ready.pop() {
            if let Some(until) = self.held.get(&thread).copied()
                && now < until
            {
                self.ready.push(until, EventClass(0), thread);
                continue;
            }
            let op = self.program.resume(thread, now);
            self.ops.push((now, thread, op));
            self.execute(now, thread, op);
        }
    }

    fn execute(&mut self, now: Nanos, thread: TaskId, op: Op) {
        let mut at = |when, thread| self.ready.push(when, EventClass(0), thread);
        match op {
            Op::SpinUntil(end) => at(end.max(now), thread),
            Op::Sleep(span) => at(now + span + SLACK, thread),
            Op::Fork(child) => {
                at(now + FORK_COST, child);
                at(now + FORK_COST, thread);
            }
            Op::FutexWake { futex, .. } => {
                if let Some(waiter) = self.waiting.remove(&futex) {
                    at(now + WAKE_DELAY, waiter);
                }
                at(now + WAKE_COST, thread);
            }
            Op::FutexWait { futex, expected } if self.program.futex_value(futex) == expected => {
                assert_eq!(self.waiting.insert(futex, thread), None, "two waiters on one word");
            }
            Op::FutexWait { .. } => at(now, thread),
            Op::Exit => {}
            Op::Compute(span) => at(now + span, thread),
            Op::SleepUntil(_) | Op::Exec => panic!("schbench never asks for {op:?}"),
        }
    }

    fn ops_of(&self, thread: TaskId) -> Vec<(Nanos, Op)> {
        self.ops.iter().filter(|(_, by, _)| *by == thread).map(|(at, _, op)| (*at, *op)).collect()
    }
}

fn seed_command() -> Spec {
    Spec {
        generation: Generation::Y2019,
        message_threads: 2,
        worker_threads: 4,
        sleep_us: 10_000,
        think_us: 1_000_000,
        runtime_s: 10,
    }
}

fn run(spec: &Spec, seed: u64) -> Machine {
    let mut machine = Machine::new(spec, seed);
    machine.run();
    machine
}

#[test]
fn threads_are_main_then_each_message_thread_with_its_workers() {
    let program = Schbench::new(&seed_command(), 1);
    let names: Vec<&str> = program.threads().iter().map(|thread| thread.name.as_str()).collect();
    let expected = [
        "schbench", "msg-0", "wrk-0-0", "wrk-0-1", "wrk-0-2", "wrk-0-3", "msg-1", "wrk-1-0", "wrk-1-1",
        "wrk-1-2", "wrk-1-3",
    ];
    assert_eq!(names, expected);
    let groups: Vec<u16> = program.threads().iter().map(|thread| thread.group).collect();
    assert_eq!(groups, [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
    assert_eq!(program.threads().iter().filter(|thread| thread.starts_at_boot).count(), 1);
    assert_eq!(program.message_thread(1), TaskId(6));
    assert_eq!(program.futex_count(), 10);
}

#[test]
fn the_longest_names_fit_the_kernels_fifteen_bytes() {
    let spec = Spec { message_threads: 1_000, worker_threads: 64, ..seed_command() };
    let program = Schbench::new(&spec, 1);
    assert!(program.threads().iter().all(|thread| thread.name.len() <= 15));
}

#[test]
fn every_thread_is_created_once_and_ends() {
    let machine = run(&seed_command(), 3);
    let forked: BTreeSet<TaskId> = machine
        .ops
        .iter()
        .filter_map(|(_, _, op)| match op {
            Op::Fork(child) => Some(*child),
            _ => None,
        })
        .collect();
    assert_eq!(forked, (1..=10).map(TaskId).collect());
    let exits = machine.ops.iter().filter(|(_, _, op)| *op == Op::Exit).count();
    assert_eq!(exits, 11);
    assert!(machine.program.is_finished());
    assert!(machine.waiting.is_empty());
}

/// A5: 9 whole cycles of 1 s and 10 to 12.5 ms fit into 10 s, and every worker adds one sample at the shutdown.
#[test]
fn the_seed_command_records_eighty_samples() {
    for seed in 0..50 {
        let machine = run(&seed_command(), seed);
        let samples = machine.program.samples();
        assert_eq!(samples.len(), 80);
        assert_eq!(samples.iter().filter(|sample| !sample.from_wakeup).count(), 8);
        assert!(samples.is_sorted_by_key(|sample| sample.at));
        for worker in (1..=10).map(TaskId).filter(|id| ![1, 6].contains(&id.0)) {
            let of_worker: Vec<_> = samples.iter().filter(|sample| sample.worker == worker).collect();
            assert_eq!(of_worker.len(), 10, "{worker}");
            assert!(!of_worker[9].from_wakeup, "the last sample of {worker} comes from the shutdown");
        }
    }
}

#[test]
fn the_vm_command_records_about_fifteen_thousand_samples() {
    let spec = Spec {
        generation: Generation::Y2016,
        message_threads: 2,
        worker_threads: 16,
        sleep_us: 30_000,
        think_us: 30_000,
        runtime_s: 30,
    };
    let count = run(&spec, 1).program.samples().len();
    assert!((14_900..=15_150).contains(&count), "{count}");
}

/// The worker reads 0 µs at 999 ns, so the first difference above the spin shows one microsecond after it.
#[test]
fn a_spin_ends_at_the_first_clock_value_beyond_the_think_time() {
    let mut program = Schbench::new(&Spec { think_us: 100, ..seed_command() }, 1);
    assert_eq!(program.resume(TaskId(2), Nanos(999)), Op::SpinUntil(Nanos(101_000)));
    assert_eq!(program.resume(TaskId(3), Nanos(1_000)), Op::SpinUntil(Nanos(102_000)));
}

/// A7: being off the CPU neither prolongs a spin nor restarts it.
#[test]
fn a_worker_that_was_off_its_cpu_at_the_end_of_its_spin_posts_as_soon_as_it_runs() {
    let mut program = Schbench::new(&seed_command(), 1);
    let worker = TaskId(2);
    let Op::SpinUntil(end) = program.resume(worker, Nanos::from_millis(3)) else {
        panic!("a worker starts to spin")
    };
    assert_eq!(end, Nanos::from_micros(1_003_001));
    let post = Op::FutexWake { futex: FutexId(0), profile: WakeProfile::Post };
    assert_eq!(program.resume(worker, end + Nanos::from_millis(14)), post);
}

#[test]
fn a_worker_that_starts_late_spins_its_whole_think_time() {
    let mut machine = Machine::new(&seed_command(), 1);
    machine.held.insert(TaskId(2), Nanos::from_millis(14));
    machine.run();
    let ops = machine.ops_of(TaskId(2));
    assert_eq!(ops[0], (Nanos::from_millis(14), Op::SpinUntil(Nanos::from_micros(1_014_001))));
    assert_eq!(ops[1].0, Nanos::from_micros(1_014_001));
}

/// Posts the workers in the given order, all at known moments, and returns the batch that wakes them.
fn batch_after(order: &[u32]) -> (Schbench, Batch, Vec<TaskId>, Vec<Op>) {
    let spec = Spec { message_threads: 1, think_us: 10, ..seed_command() };
    let mut program = Schbench::new(&spec, 1);
    let message = TaskId(1);
    while let Op::Fork(_) = program.resume(message, Nanos(0)) {}
    for worker in order {
        program.resume(TaskId(*worker), Nanos(0));
    }
    for (position, worker) in order.iter().enumerate() {
        let at = Nanos::from_micros(100 + position as u64);
        let mut op = program.resume(TaskId(*worker), at);
        while let Op::FutexWake { .. } | Op::Compute(_) = op {
            op = program.resume(TaskId(*worker), at);
        }
        assert!(matches!(op, Op::FutexWait { expected: BLOCKED, .. }));
    }
    let Op::Sleep(_) = program.resume(message, Nanos::from_micros(200)) else { panic!("woken, it sleeps") };
    let mut wakes = Vec::new();
    let mut now = Nanos::from_micros(12_000);
    loop {
        match program.resume(message, now) {
            wake @ Op::FutexWake { .. } => wakes.push(wake),
            Op::FutexWait { futex, expected } => {
                assert_eq!((futex, expected), (FutexId(0), BLOCKED));
                break;
            }
            other => panic!("unexpected {other:?}"),
        }
        now += Nanos::from_micros(10);
    }
    let batch = program.batches()[0];
    let members = program.members(&batch).to_vec();
    (program, batch, members, wakes)
}

/// A6: newest first, and one clock read for all of them.
#[test]
fn a_batch_is_woken_last_in_first_out_with_one_stamp() {
    let (mut program, batch, members, wakes) = batch_after(&[4, 2, 5, 3]);
    assert_eq!(members, [3, 5, 2, 4].map(TaskId));
    assert_eq!((batch.message, batch.at, batch.members), (TaskId(1), Nanos::from_micros(12_000), 4));
    let profile = WakeProfile::Batch;
    assert_eq!(wakes, [2, 4, 1, 3].map(|word| Op::FutexWake { futex: FutexId(word), profile }));
    // All four run again at one moment: the stamp is the same, so the latencies are.
    for worker in members {
        assert_eq!(program.futex_value(FutexId(worker.0 - 1)), RUNNING);
        program.resume(worker, Nanos(12_055_999));
        assert_eq!(program.futex_value(FutexId(worker.0 - 1)), BLOCKED);
    }
    let latencies: Vec<u64> = program.samples().iter().map(|sample| sample.latency_us).collect();
    assert_eq!(latencies, [55; 4]);
}

#[test]
fn only_the_first_finisher_makes_the_call_and_later_ones_find_the_message_thread_told() {
    let spec = Spec { message_threads: 1, think_us: 10, ..seed_command() };
    let mut program = Schbench::new(&spec, 1);
    let message = TaskId(1);
    while let Op::Fork(_) = program.resume(message, Nanos(0)) {}
    let post = Op::FutexWake { futex: FutexId(0), profile: WakeProfile::Post };
    let wait = |worker: u32| Op::FutexWait { futex: FutexId(worker - 1), expected: BLOCKED };
    for worker in 2..=5 {
        program.resume(TaskId(worker), Nanos(0));
    }
    let now = Nanos::from_micros(11);
    assert_eq!(program.resume(TaskId(2), now), post);
    assert_eq!(
        program.resume(TaskId(3), now),
        Op::Compute(POST_WITHOUT_CALL),
        "the word is RUNNING already: no call"
    );
    assert_eq!(program.resume(TaskId(3), now), wait(3));
    assert!(matches!(program.resume(message, now), Op::Sleep(_)), "it takes the word back and sleeps");
    assert_eq!(
        program.resume(TaskId(4), now),
        post,
        "during the sleep the first call is made although nobody waits"
    );
    assert_eq!(program.resume(TaskId(4), now), wait(4));
    // The walk takes the three of them and forgets the post that came during the sleep.
    for worker in [4, 3, 2] {
        let wake = Op::FutexWake { futex: FutexId(worker - 1), profile: WakeProfile::Batch };
        assert_eq!(program.resume(message, Nanos::from_millis(11)), wake);
    }
    // A poster that comes during the walk makes the wait that follows return at once.
    assert_eq!(program.resume(TaskId(5), Nanos::from_millis(11)), post);
    assert!(matches!(program.resume(message, Nanos::from_millis(11)), Op::Sleep(_)));
    assert_eq!(program.futex_value(FutexId(0)), BLOCKED);
}

#[test]
fn a_worker_that_is_told_before_it_waits_does_not_wait() {
    let spec = Spec { message_threads: 1, worker_threads: 1, think_us: 10, ..seed_command() };
    let mut program = Schbench::new(&spec, 1);
    let (message, worker) = (TaskId(1), TaskId(2));
    while let Op::Fork(_) = program.resume(message, Nanos(0)) {}
    program.resume(worker, Nanos(0));
    assert!(matches!(program.resume(worker, Nanos::from_micros(11)), Op::FutexWake { .. }));
    assert!(matches!(program.resume(message, Nanos::from_micros(12)), Op::Sleep(_)));
    assert!(matches!(program.resume(message, Nanos::from_micros(20)), Op::FutexWake { .. }));
    let next = program.resume(worker, Nanos::from_micros(25));
    assert_eq!(next, Op::SpinUntil(Nanos::from_micros(36)), "its word is RUNNING: it goes on at once");
    assert_eq!(program.samples()[0].latency_us, 5, "counted from the stamp of the batch");
}

#[test]
fn a_latency_of_zero_is_not_recorded() {
    let spec = Spec { message_threads: 1, worker_threads: 1, think_us: 10, ..seed_command() };
    let mut program = Schbench::new(&spec, 1);
    let (message, worker) = (TaskId(1), TaskId(2));
    while let Op::Fork(_) = program.resume(message, Nanos(0)) {}
    program.resume(worker, Nanos(0));
    program.resume(worker, Nanos::from_micros(11));
    program.resume(message, Nanos::from_micros(12));
    program.resume(message, Nanos::from_micros(20));
    program.resume(worker, Nanos(20_999));
    assert_eq!(program.samples(), []);
}

#[test]
fn sleeps_carry_a_jitter_of_up_to_a_quarter_that_is_never_negative() {
    let machine = run(&Spec { runtime_s: 60, ..seed_command() }, 5);
    let sleeps_of = |thread: u32| -> Vec<u64> {
        let sleep = |(_, op): (Nanos, Op)| match op {
            Op::Sleep(span) => Some(span.as_micros()),
            _ => None,
        };
        machine.ops_of(TaskId(thread)).into_iter().filter_map(sleep).collect()
    };
    let first = sleeps_of(1);
    assert!(50 < first.len());
    assert!(first.iter().all(|us| (10_000..12_500).contains(us)));
    assert!(first.iter().any(|us| *us < 10_500) && first.iter().any(|us| 12_000 < *us));
    assert_ne!(first, sleeps_of(6), "each message thread has its own random numbers");
}

#[test]
fn a_worker_count_does_not_shift_the_draws_of_the_first_message_thread() {
    let sleeps = |workers| {
        let machine = run(&Spec { worker_threads: workers, ..seed_command() }, 5);
        let ops = machine.ops_of(TaskId(1));
        let spans =
            ops.into_iter().filter_map(|(_, op)| if let Op::Sleep(span) = op { Some(span) } else { None });
        spans.take(9).collect::<Vec<_>>()
    };
    assert_eq!(sleeps(4), sleeps(3));
}

/// After the flag a worker posts and leaves with the time of its post; the message thread walks twice and leaves.
#[test]
fn the_shutdown_sample_is_the_time_of_the_post() {
    let machine = run(&seed_command(), 2);
    let shutdown = machine.program.samples().iter().filter(|sample| !sample.from_wakeup);
    for sample in shutdown {
        assert!(sample.latency_us <= 3, "{sample:?}");
        assert!(Nanos::from_secs(10) < sample.at);
    }
    for message in [TaskId(1), TaskId(6)] {
        let ops = machine.ops_of(message);
        assert_eq!(ops.last().map(|(_, op)| *op), Some(Op::Exit));
    }
}

#[test]
fn main_sleeps_until_its_clock_shows_the_run_time() {
    let mut program = Schbench::new(&Spec { message_threads: 0, ..seed_command() }, 1);
    let main = TaskId(0);
    assert_eq!(program.resume(main, Nanos(500)), Op::Sleep(Nanos::from_secs(10)));
    assert_eq!(program.resume(main, Nanos::from_millis(9_999)), Op::Sleep(Nanos::from_secs(1)));
    assert_eq!(program.resume(main, Nanos::from_secs(11)), Op::Exit);
    assert!(program.is_finished());
}

#[test]
fn batches_without_members_are_not_kept() {
    let machine = run(&seed_command(), 9);
    assert_eq!(machine.program.batches().iter().filter(|batch| batch.members == 0).count(), 0);
    let woken: u32 = machine.program.batches().iter().map(|batch| batch.members).sum();
    let from_wakeups = machine.program.samples().iter().filter(|sample| sample.from_wakeup).count();
    assert!(from_wakeups as u32 <= woken);
}
