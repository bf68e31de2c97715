//! Threads that execute another program again and again (`execl` of UnixBench).

use sim::{Nanos, Stream, TaskId};

use crate::{Op, ThreadInfo, Work};

/// How many threads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Spec {
    /// Threads that run at once.
    pub copies: u16,
}

/// Threads that run. An operation is an executed program.
#[derive(Clone, Debug, Hash)]
pub struct Execl {
    threads: Vec<ThreadInfo>,
    programs: Vec<Program>,
    executed: u64,
}

/// CPU time of the call until the kernel looks for a CPU: it has opened the file. Not calibrated: an assumption for a
/// server.
const OPEN_NS: u64 = 50_000;
/// CPU time from there until the new program calls again: a new address space, the start of the program. Not calibrated.
const LOAD_NS: u64 = 200_000;
/// How far both vary.
const VARIATION_PCT: u32 = 25;

/// Names the random streams of what threads compute.
const COMPUTE: u64 = 0x6578_6563;

#[derive(Clone, Debug, Hash)]
struct Program {
    step: Step,
    cost: Stream,
}

/// What a thread does next.
#[derive(Clone, Copy, Debug, Hash)]
enum Step {
    Open,
    Exec,
    Load,
    Loaded,
}

impl Execl {
    /// The threads of a specification.
    pub fn new(spec: &Spec, seed: u64) -> Execl {
        let thread = |copy| ThreadInfo {
            name: format!("execl-{copy}"),
            nice: 0,
            group: copy,
            starts_at_boot: true,
            ..ThreadInfo::default()
        };
        let program = |copy| Program { step: Step::Open, cost: Stream::new(seed, u64::from(copy), COMPUTE) };
        Execl {
            threads: (0..spec.copies).map(thread).collect(),
            programs: (0..spec.copies).map(program).collect(),
            executed: 0,
        }
    }

    /// The threads.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// Programs that were executed so far.
    pub fn work(&self) -> Work {
        Work { operations: self.executed, since: Some(Nanos::ZERO), done_at: None }
    }

    /// The next operation.
    pub fn resume(&mut self, thread: TaskId, _now: Nanos) -> Op {
        let Program { step, cost } = &mut self.programs[thread.index()];
        let mut compute = |span| Op::Compute(Nanos(cost.jitter(span, VARIATION_PCT)));
        if let Step::Loaded = *step {
            self.executed += 1;
            *step = Step::Open;
        }
        let (op, next) = match *step {
            Step::Open | Step::Loaded => (compute(OPEN_NS), Step::Exec),
            Step::Exec => (Op::Exec, Step::Load),
            Step::Load => (compute(LOAD_NS), Step::Loaded),
        };
        *step = next;
        op
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_opens_executes_and_loads() {
        let mut execl = Execl::new(&Spec { copies: 1 }, 1);
        let mut spans = Vec::new();
        for _ in 0..4 {
            for exec in [false, true, false] {
                match execl.resume(TaskId(0), Nanos::ZERO) {
                    Op::Compute(span) if !exec => spans.push(span),
                    Op::Exec if exec => {}
                    op => panic!("{op:?}"),
                }
            }
        }
        assert_eq!(execl.work().operations, 3, "the fourth is still being loaded");
        assert!(spans.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
