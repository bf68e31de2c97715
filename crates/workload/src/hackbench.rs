//! The hackbench benchmark: groups in which every sender writes to every receiver (`model/smt-and-cgroups.md` section 5).

#[cfg(test)]
mod tests;

use sim::{Nanos, Stream, TaskId};

use crate::pipe::{Pipe, Transport};
use crate::{FutexId, Op, ThreadInfo, WakeProfile, Work};

/// A hackbench that runs.
///
/// Kernel: none; it is a program in user space.
/// Differs: threads say that they are ready by a counter in place of a pipe of their own, and main waits for the last
/// one alone to end; both lie outside or at the very edges of what is timed.
#[derive(Clone, Debug, Hash)]
pub struct Hackbench {
    spec: Spec,
    threads: Vec<ThreadInfo>,
    main: MainStep,
    /// The threads other than main, in the order of their ids.
    programs: Vec<Program>,
    /// One a receiver.
    pipes: Vec<Pipe>,
    /// Threads other than main that are ready to start.
    ready: u32,
    started_at: Option<Nanos>,
    /// Threads other than main that have not ended.
    left: u32,
    done_at: Option<Nanos>,
    messages: u64,
}

/// The options of hackbench.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Spec {
    /// `-g`: groups.
    pub groups: u16,
    /// `-f`: senders of a group, and as many receivers.
    pub fds: u16,
    /// `-l`: messages that each sender writes to each receiver of its group.
    pub loops: u32,
    /// `-p` for pipes.
    pub transport: Transport,
}

/// CPU time of a sender for one message, from and below: the loop and the write up to the wake-up. Not calibrated: an
/// assumption for a server, from `model/smt-and-cgroups.md` section 5.
const SEND_NS: (u32, u32) = (500, 1_000);
/// CPU time of a receiver for one message, from and below. Not calibrated, as [`SEND_NS`].
const RECEIVE_NS: (u32, u32) = (1_000, 2_000);

impl Spec {
    /// The messages of a run.
    pub fn messages(&self) -> u64 {
        u64::from(self.groups) * u64::from(self.fds) * u64::from(self.fds) * u64::from(self.loops)
    }

    /// The CPU time that all threads need together, wake-ups and switches left out: the mean of what messages take.
    pub fn mean_cpu_time(&self) -> Nanos {
        let message_ns = (SEND_NS.0 + SEND_NS.1 + RECEIVE_NS.0 + RECEIVE_NS.1) / 2;
        Nanos(self.messages() * u64::from(message_ns))
    }
}

/// Names the random streams of what a message takes.
const MESSAGE: u64 = 0x6861_636b;

/// Where main waits, until all are ready and until all have ended.
const MAIN: FutexId = FutexId(0);
/// Where all others wait for the start.
const START: FutexId = FutexId(1);

#[derive(Clone, Copy, Debug, Hash)]
enum MainStep {
    Create { position: u32 },
    AwaitReady,
    Start { left: u32 },
    AwaitEnd,
}

#[derive(Clone, Debug, Hash)]
struct Program {
    role: Role,
    step: Step,
    /// The first pipe of the group for a sender, the own one for a receiver.
    pipe: usize,
    /// Messages that it has written or read.
    done: u64,
    cost: Stream,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    Sender,
    Receiver,
}

/// What a thread other than main does next.
#[derive(Clone, Copy, Debug, Hash)]
enum Step {
    Ready,
    AwaitStart,
    Next,
    /// Only senders; `waited` if it found no room before.
    Put {
        waited: bool,
    },
    /// Only senders: the reader is woken, once a message.
    Wake {
        waited: bool,
    },
    /// Only senders: the message is delivered.
    Sent {
        waited: bool,
    },
    /// Only receivers: writers that may go on are woken.
    Admit,
    End,
    Exit,
}

impl Hackbench {
    /// The benchmark before `main`.
    pub fn new(spec: &Spec, seed: u64) -> Hackbench {
        let main = ThreadInfo {
            name: "hackbench".to_owned(),
            nice: 0,
            group: 0,
            starts_at_boot: true,
            ..ThreadInfo::default()
        };
        let mut hackbench = Hackbench {
            spec: spec.clone(),
            threads: vec![main],
            main: MainStep::Create { position: 0 },
            programs: Vec::new(),
            pipes: Vec::new(),
            ready: 0,
            started_at: None,
            left: 0,
            done_at: None,
            messages: 0,
        };
        for group in 0..spec.groups {
            hackbench.declare_group(group, seed);
        }
        hackbench.left = hackbench.programs.len() as u32;
        hackbench
    }

    fn declare_group(&mut self, group: u16, seed: u64) {
        let first = self.pipes.len();
        for position in 0..self.spec.fds {
            let pipe = self.pipes.len();
            let words = 2 * pipe as u32;
            self.pipes.push(Pipe::new(self.spec.transport, FutexId(2 + words), FutexId(3 + words)));
            self.declare(format!("rcv-{group}-{position}"), group, Role::Receiver, pipe, seed);
        }
        for position in 0..self.spec.fds {
            self.declare(format!("snd-{group}-{position}"), group, Role::Sender, first, seed);
        }
    }

    fn declare(&mut self, name: String, group: u16, role: Role, pipe: usize, seed: u64) {
        let cost = Stream::new(seed, self.threads.len() as u64, MESSAGE);
        self.threads.push(ThreadInfo {
            name,
            nice: 0,
            group: group + 1,
            starts_at_boot: false,
            ..ThreadInfo::default()
        });
        self.programs.push(Program { role, step: Step::Ready, pipe, done: 0, cost });
    }

    /// Main is thread 0; then of each group the receivers followed by the senders.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// The options.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The next operation.
    pub fn resume(&mut self, thread: TaskId, now: Nanos) -> Op {
        match thread.index().checked_sub(1) {
            None => self.resume_main(now),
            Some(position) => self.resume_thread(position),
        }
    }

    /// One word for main, one for the start, and two a pipe.
    pub fn futex_count(&self) -> usize {
        2 + 2 * self.pipes.len()
    }

    /// Whether main has seen that all have ended.
    pub fn is_finished(&self) -> bool {
        self.done_at.is_some()
    }

    /// The messages that were read, and from when to when.
    pub fn work(&self) -> Work {
        Work { operations: self.messages, since: self.started_at, done_at: self.done_at }
    }

    /// Messages that each thread writes or reads.
    fn share(&self) -> u64 {
        u64::from(self.spec.fds) * u64::from(self.spec.loops)
    }

    fn resume_main(&mut self, now: Nanos) -> Op {
        let others = self.programs.len() as u32;
        loop {
            match self.main {
                MainStep::Create { position } if position < others => {
                    self.main = MainStep::Create { position: position + 1 };
                    return Op::Fork(TaskId(1 + position));
                }
                MainStep::Create { .. } => self.main = MainStep::AwaitReady,
                MainStep::AwaitReady if self.ready < others => return WAIT_AS_MAIN,
                MainStep::AwaitReady => {
                    self.started_at = Some(now);
                    self.main = MainStep::Start { left: others };
                }
                MainStep::Start { left: 0 } => self.main = MainStep::AwaitEnd,
                MainStep::Start { left } => {
                    self.main = MainStep::Start { left: left - 1 };
                    return Op::FutexWake { futex: START, profile: WakeProfile::Sync };
                }
                MainStep::AwaitEnd if 0 < self.left => return WAIT_AS_MAIN,
                MainStep::AwaitEnd => {
                    self.done_at = Some(now);
                    return Op::Exit;
                }
            }
        }
    }

    fn resume_thread(&mut self, position: usize) -> Op {
        loop {
            let step = self.programs[position].step;
            match step {
                Step::Ready => {
                    self.programs[position].step = Step::AwaitStart;
                    self.ready += 1;
                    if self.ready == self.programs.len() as u32 {
                        return WAKE_MAIN;
                    }
                }
                Step::AwaitStart => {
                    self.programs[position].step = Step::Next;
                    if self.started_at.is_none() {
                        return Op::FutexWait { futex: START, expected: 0 };
                    }
                }
                Step::End => {
                    self.programs[position].step = Step::Exit;
                    self.left -= 1;
                    if self.left == 0 {
                        return WAKE_MAIN;
                    }
                }
                Step::Exit => return Op::Exit,
                Step::Next | Step::Put { .. } | Step::Wake { .. } | Step::Sent { .. } | Step::Admit => {
                    let op = match self.programs[position].role {
                        Role::Sender => self.send(position, step),
                        Role::Receiver => self.receive(position, step),
                    };
                    if let Some(op) = op {
                        return op;
                    }
                }
            }
        }
    }

    /// One step of a sender; nothing where it takes no time.
    fn send(&mut self, position: usize, step: Step) -> Option<Op> {
        let share = self.share();
        let program = &mut self.programs[position];
        let receiver = (program.done % u64::from(self.spec.fds)) as usize;
        let pipe = &mut self.pipes[program.pipe + receiver];
        match step {
            Step::Put { waited } => {
                if !pipe.put() {
                    program.step = Step::Put { waited: true };
                    return Some(pipe.wait_to_put());
                }
                program.step = Step::Wake { waited };
                None
            }
            Step::Wake { waited } => {
                program.step = Step::Sent { waited };
                pipe.wake_reader()
            }
            Step::Sent { waited } => {
                program.step = Step::Next;
                program.done += 1;
                if waited { pipe.wake_next_writer() } else { None }
            }
            _ if program.done == share => {
                program.step = Step::End;
                None
            }
            _ => {
                program.step = Step::Put { waited: false };
                Some(Op::Compute(uniform(&mut program.cost, SEND_NS)))
            }
        }
    }

    /// One step of a receiver; nothing where it takes no time.
    fn receive(&mut self, position: usize, step: Step) -> Option<Op> {
        let share = self.share();
        let program = &mut self.programs[position];
        let pipe = &mut self.pipes[program.pipe];
        if let Step::Admit = step {
            let op = pipe.wake_owed_writer();
            if op.is_none() {
                program.step = Step::Next;
            }
            return op;
        }
        if program.done == share {
            program.step = Step::End;
            return None;
        }
        if !pipe.take() {
            return Some(pipe.wait_to_take());
        }
        program.done += 1;
        program.step = Step::Admit;
        self.messages += 1;
        Some(Op::Compute(uniform(&mut program.cost, RECEIVE_NS)))
    }
}

const WAIT_AS_MAIN: Op = Op::FutexWait { futex: MAIN, expected: 0 };
const WAKE_MAIN: Op = Op::FutexWake { futex: MAIN, profile: WakeProfile::Post };

/// A time of `from` and more and below `to`, in nanoseconds.
fn uniform(stream: &mut Stream, (from, to): (u32, u32)) -> Nanos {
    Nanos(u64::from(from + stream.below(to - from)))
}
