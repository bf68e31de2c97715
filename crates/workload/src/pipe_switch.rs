//! Pairs of threads that pass a token to and fro over two pipes (`context1` of UnixBench).

use sim::{Nanos, Stream, TaskId};

use crate::pipe::{Pipe, Transport};
use crate::{FutexId, Op, ThreadInfo, Work};

/// How many pairs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Spec {
    /// Pairs that run at once.
    pub copies: u16,
}

/// Pairs that run. An operation is a round trip of a token, which is two switches.
#[derive(Clone, Debug, Hash)]
pub struct PipeSwitch {
    threads: Vec<ThreadInfo>,
    programs: Vec<Program>,
    /// Two a pair: to its second thread, and back to its first.
    pipes: Vec<Pipe>,
    round_trips: u64,
}

/// CPU time of a read or of a write up to the wake-up, which is charged by the machine: it varies by a quarter. Not
/// calibrated: an assumption for a server.
const CALL_NS: u64 = 1_000;
/// See [`CALL_NS`].
const VARIATION_PCT: u32 = 25;

/// Names the random streams of what a call takes.
const CALL: u64 = 0x7069_7065;

#[derive(Clone, Debug, Hash)]
struct Program {
    step: Step,
    from: usize,
    to: usize,
    /// Whether it is the first of its pair, which counts.
    counts: bool,
    cost: Stream,
}

/// What a thread does next.
#[derive(Clone, Copy, Debug, Hash)]
enum Step {
    Take,
    Taken,
    Write,
    Put,
    Wake,
}

impl PipeSwitch {
    /// The pairs of a specification; the first thread of each has the token.
    pub fn new(spec: &Spec, seed: u64) -> PipeSwitch {
        let copies = u32::from(spec.copies);
        let threads = (0..2 * copies).map(|thread| ThreadInfo {
            name: format!("ctx-{}-{}", thread / 2, ["a", "b"][(thread % 2) as usize]),
            nice: 0,
            group: (thread / 2) as u16,
            starts_at_boot: true,
            ..ThreadInfo::default()
        });
        let programs = (0..2 * copies).map(|thread| {
            let first = thread % 2 == 0;
            let (to_second, to_first) = ((thread / 2 * 2) as usize, (thread / 2 * 2 + 1) as usize);
            Program {
                step: if first { Step::Write } else { Step::Take },
                from: if first { to_first } else { to_second },
                to: if first { to_second } else { to_first },
                counts: first,
                cost: Stream::new(seed, u64::from(thread), CALL),
            }
        });
        let pipe = |pipe| Pipe::new(Transport::Pipe, FutexId(2 * pipe), FutexId(2 * pipe + 1));
        PipeSwitch {
            threads: threads.collect(),
            programs: programs.collect(),
            pipes: (0..2 * copies).map(pipe).collect(),
            round_trips: 0,
        }
    }

    /// The two threads of each pair.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// Two words a pipe.
    pub fn futex_count(&self) -> usize {
        2 * self.pipes.len()
    }

    /// Round trips so far.
    pub fn work(&self) -> Work {
        Work { operations: self.round_trips, since: Some(Nanos::ZERO), done_at: None }
    }

    /// The next operation.
    pub fn resume(&mut self, thread: TaskId, _now: Nanos) -> Op {
        let program = &mut self.programs[thread.index()];
        loop {
            match program.step {
                Step::Take => {
                    let pipe = &mut self.pipes[program.from];
                    if !pipe.take() {
                        return pipe.wait_to_take();
                    }
                    program.step = Step::Taken;
                    return Op::Compute(call(&mut program.cost));
                }
                Step::Taken => {
                    self.round_trips += u64::from(program.counts);
                    program.step = Step::Write;
                }
                Step::Write => {
                    program.step = Step::Put;
                    return Op::Compute(call(&mut program.cost));
                }
                Step::Put => {
                    let has_room = self.pipes[program.to].put();
                    debug_assert!(has_room, "a pair has one token");
                    program.step = Step::Wake;
                }
                Step::Wake => {
                    program.step = Step::Take;
                    if let Some(op) = self.pipes[program.to].wake_reader() {
                        return op;
                    }
                }
            }
        }
    }
}

fn call(stream: &mut Stream) -> Nanos {
    Nanos(stream.jitter(CALL_NS, VARIATION_PCT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WakeProfile;

    #[test]
    fn a_token_goes_to_and_fro() {
        let mut pairs = PipeSwitch::new(&Spec { copies: 2 }, 1);
        assert_eq!((pairs.threads().len(), pairs.futex_count()), (4, 8));
        let (a, b) = (TaskId(2), TaskId(3));
        let mut next = |thread| pairs.resume(thread, Nanos::ZERO);
        let wait = |futex| Op::FutexWait { futex: FutexId(futex), expected: 0 };
        let wake = |futex| Op::FutexWake { futex: FutexId(futex), profile: WakeProfile::Sync };
        let call = |op| matches!(op, Op::Compute(span) if (750..=1_250).contains(&span.0));
        assert_eq!(next(b), wait(4));
        assert!(call(next(a)), "it writes");
        assert_eq!(next(a), wake(4));
        assert_eq!(next(a), wait(6));
        assert!(call(next(b)) && call(next(b)), "it reads and writes");
        assert_eq!(next(b), wake(6));
        assert!(call(next(a)), "it reads");
        assert!(call(next(a)), "and starts over");
        assert_eq!(next(b), wait(4));
        assert_eq!(pairs.work().operations, 1);
    }
}
