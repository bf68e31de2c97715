//! The schbench benchmark of 2016 and of 2019–2020 (`model/wakeup-and-balance.md` section 1).
//!
//! Both generations have one protocol and differ in what they print. What a system call takes is charged by the machine
//! between the operation that is returned and the next call of `resume`; only the cost of a post without a call stands here.

#[cfg(test)]
mod tests;

use sim::{Nanos, Stream, TaskId};

use crate::{FutexId, Op, ThreadInfo, WakeProfile};

/// A schbench that runs.
///
/// Kernel: none; it is a program in user space. Written from `model/wakeup-and-balance.md` section 1.3.
/// Differs: threads exit instead of being joined, which no latency can show; a post without a system call takes 1 µs.
#[derive(Clone, Debug, Hash)]
pub struct Schbench {
    spec: Spec,
    threads: Vec<ThreadInfo>,
    programs: Vec<Program>,
    /// One word a thread other than main; see [`Schbench::futex_of`].
    words: Vec<u32>,
    stopping: bool,
    /// Threads that have not exited, those that are not yet created included.
    alive: usize,
    samples: Vec<Sample>,
    batches: Vec<Batch>,
    batch_members: Vec<TaskId>,
}

/// The options of schbench.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Spec {
    /// Which version.
    pub generation: Generation,
    /// `-m`: message threads.
    pub message_threads: u16,
    /// `-t`: workers of each message thread.
    pub worker_threads: u16,
    /// `-s`: sleep of the message thread in microseconds; a random part of up to a quarter is added.
    pub sleep_us: u32,
    /// `-c`: spin of a worker in microseconds of wall clock.
    pub think_us: u32,
    /// `-r`: run time in seconds.
    pub runtime_s: u32,
}

/// Which output the benchmark prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Generation {
    /// May 2016: percentiles with four decimals.
    Y2016,
    /// August 2019 to January 2020: percentiles with one decimal.
    Y2019,
}

/// One recorded latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sample {
    /// The worker.
    pub worker: TaskId,
    /// When it was recorded.
    pub at: Nanos,
    /// The value that its clock showed, in microseconds; never 0.
    pub latency_us: u64,
    /// Whether it comes from a wake-up rather than from the shutdown.
    pub from_wakeup: bool,
}

/// One walk of a message thread over the workers that wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Batch {
    /// The message thread.
    pub message: TaskId,
    /// Its only clock read: the moment from which the latency of every member counts.
    pub at: Nanos,
    /// How many workers it wakes.
    pub members: u32,
    first_member: u32,
}

/// The word of a thread that waits, or is about to.
const BLOCKED: u32 = 0;
/// The word of a thread that was told to run.
const RUNNING: u32 = 1;

/// Names the random streams of the message threads' sleeps.
const SLEEP_JITTER: u64 = 0x7363_6862;

/// What a worker's post takes where the message thread is told already and no call is made: two clock reads, the push
/// and the failed swap, on cache lines that other CPUs wrote last. Assumed, on every machine.
///
/// It shows in one place only: at the shutdown all finishers of a group but the first record this time, and with 0 they
/// would record nothing, where section 1.5 counts a sample of every worker.
const POST_WITHOUT_CALL: Nanos = Nanos::from_micros(1);

/// Batches are kept for inspection only, so their memory has a bound: later members are not kept.
const KEPT_BATCH_MEMBERS: usize = 1 << 20;

#[derive(Clone, Debug, Hash)]
enum Program {
    Main(MainStep),
    Message(Message),
    Worker(Worker),
}

/// What main does next.
#[derive(Clone, Copy, Debug, Hash)]
enum MainStep {
    Create { position: u16 },
    Sleep { start_us: u64 },
    Post { position: u16 },
}

#[derive(Clone, Debug, Hash)]
struct Message {
    step: MessageStep,
    /// Workers that wait to be woken; the newest is the last.
    list: Vec<TaskId>,
    /// What is left of the list that was taken; it is emptied from its end.
    batch: Vec<TaskId>,
    jitter: Stream,
}

/// What a message thread does next.
#[derive(Clone, Copy, Debug, Hash)]
enum MessageStep {
    Create { position: u16 },
    TakeList,
    Walk { stamp_us: u64, last: bool },
    Wait,
}

#[derive(Clone, Copy, Debug, Hash)]
struct Worker {
    step: WorkerStep,
    message: TaskId,
    wake_time_us: u64,
}

/// What a worker does next.
#[derive(Clone, Copy, Debug, Hash)]
enum WorkerStep {
    Spin,
    Post,
    Posted,
    Wait,
}

impl Schbench {
    /// The benchmark before `main`.
    pub fn new(spec: &Spec, seed: u64) -> Schbench {
        let mut schbench = Schbench {
            spec: spec.clone(),
            threads: Vec::new(),
            programs: Vec::new(),
            words: Vec::new(),
            stopping: false,
            alive: 0,
            samples: Vec::new(),
            batches: Vec::new(),
            batch_members: Vec::new(),
        };
        schbench.declare("schbench".to_owned(), 0, Program::Main(MainStep::Create { position: 0 }));
        for position in 0..spec.message_threads {
            schbench.declare_group(position, seed);
        }
        schbench.alive = schbench.threads.len();
        schbench.words = vec![BLOCKED; schbench.threads.len() - 1];
        schbench
    }

    fn declare_group(&mut self, position: u16, seed: u64) {
        let message = self.message_thread(position);
        let group = position + 1;
        let program = Message {
            step: MessageStep::Create { position: 0 },
            list: Vec::new(),
            batch: Vec::new(),
            jitter: Stream::new(seed, u64::from(message.0), SLEEP_JITTER),
        };
        self.declare(format!("msg-{position}"), group, Program::Message(program));
        for worker in 0..self.spec.worker_threads {
            let program = Worker { step: WorkerStep::Spin, message, wake_time_us: 0 };
            self.declare(format!("wrk-{position}-{worker}"), group, Program::Worker(program));
        }
    }

    fn declare(&mut self, name: String, group: u16, program: Program) {
        self.threads.push(ThreadInfo {
            name,
            nice: 0,
            group,
            starts_at_boot: self.threads.is_empty(),
            ..ThreadInfo::default()
        });
        self.programs.push(program);
    }

    /// Main is thread 0; then each message thread followed by its workers.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// The options.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The next operation.
    pub fn resume(&mut self, thread: TaskId, now: Nanos) -> Op {
        match self.programs[thread.index()] {
            Program::Main(step) => self.resume_main(thread, step, now),
            Program::Message(Message { step, .. }) => self.resume_message(thread, step, now),
            Program::Worker(worker) => self.resume_worker(thread, worker, now),
        }
    }

    /// The value of a futex word.
    pub fn futex_value(&self, futex: FutexId) -> u32 {
        self.words[futex.0 as usize]
    }

    /// One word a message thread and worker.
    pub fn futex_count(&self) -> usize {
        self.words.len()
    }

    /// Whether every thread has exited.
    pub fn is_finished(&self) -> bool {
        self.alive == 0
    }

    /// What was recorded so far, in the order of time.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// The walks of the message threads that found somebody to wake, in the order of time.
    pub fn batches(&self) -> &[Batch] {
        &self.batches
    }

    /// The workers of a batch in the order in which they are woken: the last to ask comes first.
    pub fn members(&self, batch: &Batch) -> &[TaskId] {
        let first = batch.first_member as usize;
        &self.batch_members[first..first + batch.members as usize]
    }

    /// The id of a message thread.
    pub fn message_thread(&self, position: u16) -> TaskId {
        TaskId(1 + u32::from(position) * (1 + u32::from(self.spec.worker_threads)))
    }

    fn resume_main(&mut self, thread: TaskId, step: MainStep, now: Nanos) -> Op {
        let mut step = step;
        loop {
            match step {
                MainStep::Create { position } if position < self.spec.message_threads => {
                    self.set_main(thread, MainStep::Create { position: position + 1 });
                    return Op::Fork(self.message_thread(position));
                }
                MainStep::Create { .. } => {
                    self.set_main(thread, MainStep::Sleep { start_us: now.as_micros() });
                    return Op::Sleep(Nanos::from_secs(u64::from(self.spec.runtime_s)));
                }
                MainStep::Sleep { start_us } => {
                    if now.as_micros() < start_us + u64::from(self.spec.runtime_s) * 1_000_000 {
                        return Op::Sleep(Nanos::from_secs(1));
                    }
                    self.stopping = true;
                    step = MainStep::Post { position: 0 };
                }
                MainStep::Post { position } if position < self.spec.message_threads => {
                    step = MainStep::Post { position: position + 1 };
                    let posted = self.post(self.message_thread(position), WakeProfile::Post);
                    if let Some(op) = posted {
                        self.set_main(thread, step);
                        return op;
                    }
                }
                MainStep::Post { .. } => return self.exit(),
            }
        }
    }

    fn set_main(&mut self, thread: TaskId, step: MainStep) {
        self.programs[thread.index()] = Program::Main(step);
    }

    fn resume_message(&mut self, thread: TaskId, step: MessageStep, now: Nanos) -> Op {
        let mut step = step;
        loop {
            match step {
                MessageStep::Create { position } if position < self.spec.worker_threads => {
                    self.message_mut(thread).step = MessageStep::Create { position: position + 1 };
                    return Op::Fork(TaskId(thread.0 + 1 + u32::from(position)));
                }
                MessageStep::Create { .. } => step = MessageStep::TakeList,
                MessageStep::TakeList => {
                    self.set_word(thread, BLOCKED);
                    self.take_list(thread, now);
                    step = MessageStep::Walk { stamp_us: now.as_micros(), last: false };
                }
                MessageStep::Walk { stamp_us, last } => match self.message_mut(thread).batch.pop() {
                    Some(worker) => {
                        self.worker_mut(worker).wake_time_us = stamp_us;
                        if let Some(op) = self.post(worker, WakeProfile::Batch) {
                            self.message_mut(thread).step = step;
                            return op;
                        }
                    }
                    None if last => return self.exit(),
                    None if self.stopping => {
                        self.take_list(thread, now);
                        step = MessageStep::Walk { stamp_us: now.as_micros(), last: true };
                    }
                    None => step = MessageStep::Wait,
                },
                MessageStep::Wait => {
                    if let Some(op) = self.wait(thread) {
                        self.message_mut(thread).step = MessageStep::Wait;
                        return op;
                    }
                    self.message_mut(thread).step = MessageStep::TakeList;
                    return Op::Sleep(self.draw_sleep(thread));
                }
            }
        }
    }

    /// Takes the whole list of a message thread; what is pushed from now on belongs to the next walk.
    fn take_list(&mut self, thread: TaskId, now: Nanos) {
        let Program::Message(message) = &mut self.programs[thread.index()] else {
            unreachable!("only message threads take lists")
        };
        debug_assert!(message.batch.is_empty(), "a walk ends with an empty batch");
        std::mem::swap(&mut message.list, &mut message.batch);
        let members = message.batch.len();
        if 0 < members && self.batch_members.len() + members <= KEPT_BATCH_MEMBERS {
            let first_member = self.batch_members.len() as u32;
            self.batches.push(Batch { message: thread, at: now, members: members as u32, first_member });
            self.batch_members.extend(message.batch.iter().rev());
        }
    }

    /// `usleep`'s argument: the option plus a uniform part of up to a quarter of it, whole microseconds.
    fn draw_sleep(&mut self, thread: TaskId) -> Nanos {
        let sleep_us = self.spec.sleep_us;
        let extra_us = self.message_mut(thread).jitter.below(sleep_us / 4);
        Nanos::from_micros(u64::from(sleep_us) + u64::from(extra_us))
    }

    fn resume_worker(&mut self, thread: TaskId, worker: Worker, now: Nanos) -> Op {
        let mut step = worker.step;
        loop {
            match step {
                WorkerStep::Spin => {
                    if self.stopping {
                        return self.exit();
                    }
                    self.worker_mut(thread).step = WorkerStep::Post;
                    return Op::SpinUntil(self.spin_end(now));
                }
                WorkerStep::Post => {
                    self.set_word(thread, BLOCKED);
                    self.worker_mut(thread).wake_time_us = now.as_micros();
                    self.message_mut(worker.message).list.push(thread);
                    self.worker_mut(thread).step = WorkerStep::Posted;
                    let posted = self.post(worker.message, WakeProfile::Post);
                    return posted.unwrap_or(Op::Compute(POST_WITHOUT_CALL));
                }
                WorkerStep::Posted if self.stopping => {
                    self.record(thread, now, false);
                    step = WorkerStep::Spin;
                }
                WorkerStep::Posted => step = WorkerStep::Wait,
                WorkerStep::Wait => {
                    if let Some(op) = self.wait(thread) {
                        self.worker_mut(thread).step = step;
                        return op;
                    }
                    self.record(thread, now, true);
                    step = WorkerStep::Spin;
                }
            }
        }
    }

    /// The first moment at which a clock of whole microseconds shows more than `think_us` since now.
    fn spin_end(&self, now: Nanos) -> Nanos {
        Nanos::from_micros(now.as_micros() + u64::from(self.spec.think_us) + 1)
    }

    fn record(&mut self, worker: TaskId, now: Nanos, from_wakeup: bool) {
        let latency_us = now.as_micros().saturating_sub(self.worker_mut(worker).wake_time_us);
        if 0 < latency_us {
            self.samples.push(Sample { worker, at: now, latency_us, from_wakeup });
        }
    }

    /// Tells a thread to run; the system call is due only if its word changed, and then even if nobody waits.
    fn post(&mut self, thread: TaskId, profile: WakeProfile) -> Option<Op> {
        let changed = self.compare_and_swap(thread, BLOCKED, RUNNING);
        changed.then_some(Op::FutexWake { futex: Self::futex_of(thread), profile })
    }

    /// Takes the word back if the thread was told to run; otherwise the wait that is due.
    fn wait(&mut self, thread: TaskId) -> Option<Op> {
        let told = self.compare_and_swap(thread, RUNNING, BLOCKED);
        (!told).then_some(Op::FutexWait { futex: Self::futex_of(thread), expected: BLOCKED })
    }

    fn compare_and_swap(&mut self, thread: TaskId, expected: u32, new: u32) -> bool {
        let word = &mut self.words[Self::futex_of(thread).0 as usize];
        let equal = *word == expected;
        if equal {
            *word = new;
        }
        equal
    }

    fn set_word(&mut self, thread: TaskId, value: u32) {
        self.words[Self::futex_of(thread).0 as usize] = value;
    }

    /// The word of a message thread or worker: main, thread 0, has none.
    fn futex_of(thread: TaskId) -> FutexId {
        FutexId(thread.0 - 1)
    }

    fn exit(&mut self) -> Op {
        self.alive -= 1;
        Op::Exit
    }

    fn message_mut(&mut self, thread: TaskId) -> &mut Message {
        match &mut self.programs[thread.index()] {
            Program::Message(message) => message,
            _ => unreachable!("{thread} is not a message thread"),
        }
    }

    fn worker_mut(&mut self, thread: TaskId) -> &mut Worker {
        match &mut self.programs[thread.index()] {
            Program::Worker(worker) => worker,
            _ => unreachable!("{thread} is not a worker"),
        }
    }
}
