use std::collections::{BTreeMap, VecDeque};

use super::*;

const SPEC: Spec = Spec { groups: 2, fds: 3, loops: 50, transport: Transport::Socket };

/// A machine with a CPU for each thread: computing and waking take no time, one step at a time in turn.
struct Machine {
    hackbench: Hackbench,
    runnable: VecDeque<TaskId>,
    waiting: BTreeMap<FutexId, VecDeque<TaskId>>,
    /// Threads that ended, in order.
    ended: Vec<TaskId>,
    sync_wakes: u32,
    computed: u64,
}

impl Machine {
    fn new(spec: &Spec) -> Machine {
        Machine {
            hackbench: Hackbench::new(spec, 1),
            runnable: VecDeque::from([TaskId(0)]),
            waiting: BTreeMap::new(),
            ended: Vec::new(),
            sync_wakes: 0,
            computed: 0,
        }
    }

    /// Runs until nobody is runnable. `order` takes the next thread from either end of the queue.
    fn run(&mut self, mut order: impl FnMut() -> bool) {
        let mut at = 0;
        while let Some(thread) = if order() { self.runnable.pop_back() } else { self.runnable.pop_front() } {
            at += 1;
            let op = self.hackbench.resume(thread, Nanos(at));
            match op {
                Op::Compute(span) => self.computed += span.0,
                Op::Fork(child) => self.runnable.push_back(child),
                Op::FutexWake { futex, profile } => {
                    self.sync_wakes += u32::from(profile == WakeProfile::Sync);
                    let woken = self.waiting.get_mut(&futex).and_then(VecDeque::pop_front);
                    self.runnable.extend(woken);
                }
                Op::FutexWait { futex, expected: 0 } => {
                    self.waiting.entry(futex).or_default().push_back(thread);
                    continue;
                }
                Op::Exit => {
                    self.ended.push(thread);
                    continue;
                }
                op => panic!("{thread} asked for {op:?}"),
            }
            self.runnable.push_back(thread);
        }
    }
}

#[test]
fn every_message_is_read_once_and_everybody_ends_in_any_order() {
    for transport in [Transport::Pipe, Transport::Socket] {
        for pattern in 0..64u32 {
            let spec = Spec { transport, ..SPEC };
            let mut machine = Machine::new(&spec);
            let mut turn = 0;
            machine.run(|| {
                turn += 1;
                pattern >> (turn % 6) & 1 == 1
            });
            let messages = 2 * 3 * 3 * 50;
            assert_eq!(machine.hackbench.work().operations, messages, "{transport:?} {pattern}");
            assert_eq!(machine.ended.len(), machine.hackbench.threads().len(), "{transport:?} {pattern}");
            let main = machine.ended.iter().position(|thread| *thread == TaskId(0));
            // The last one may be on its way out when main sees that it has done its share.
            assert!(Some(machine.ended.len() - 2) <= main, "main sees the end of the others");
            assert!(machine.hackbench.is_finished());
            let mean = machine.computed / messages;
            // 0.75 µs to send and 1.5 µs to receive.
            assert!((2_150..2_350).contains(&mean), "{mean} ns a message");
        }
    }
}

#[test]
fn the_clock_starts_when_all_are_ready() {
    let mut machine = Machine::new(&SPEC);
    machine.run(|| false);
    let Work { since: Some(since), done_at: Some(done_at), .. } = machine.hackbench.work() else {
        panic!("it has begun and is done")
    };
    // Each of the twelve threads was created and has said that it is ready.
    assert!(Nanos(24) <= since && since < done_at);
}

#[test]
fn senders_wait_for_room() {
    // Receivers get no turn before their group's sockets are full.
    let mut machine = Machine::new(&Spec { groups: 1, fds: 1, loops: 300, transport: Transport::Socket });
    machine.run(|| true);
    assert_eq!(machine.hackbench.work().operations, 300);
    // The start wakes two; a full socket of 100 is emptied to 25 before its sender goes on.
    assert!((4..=12).contains(&machine.sync_wakes), "{} wake-ups", machine.sync_wakes);
}

#[test]
fn ids_go_by_group_with_receivers_first() {
    let hackbench = Hackbench::new(&SPEC, 1);
    let names: Vec<&str> = hackbench.threads().iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names.len(), 13);
    assert_eq!((names[0], names[1], names[4], names[7]), ("hackbench", "rcv-0-0", "snd-0-0", "rcv-1-0"));
    assert_eq!(hackbench.futex_count(), 2 + 2 * 6);
}
