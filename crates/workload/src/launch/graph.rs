//! The steps of which all threads of a launch are made, and the memory that they share.

use std::collections::VecDeque;

use sim::{Nanos, TaskId};

use crate::{FutexId, Op, WakeProfile};

/// One step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// Compute.
    Run(Nanos),
    /// Sleep until I/O is complete.
    Io(Nanos),
    /// Sleep for another reason.
    Pause(Nanos),
    /// Sleep until a moment.
    Until(Nanos),
    /// Add one to a word and wake who waits for it.
    Signal(Word),
    /// Wait until a word is not 0, and take one.
    Await(Word),
    /// Wait until a word is not 0, and take all: signals that came together count as one.
    AwaitAll(Word),
    /// Ask for a call of the binder pool that takes so much CPU time there, and wait for its end.
    Call(Nanos),
    /// Create a thread.
    Fork(TaskId),
    /// Wait for the next frame to begin.
    AwaitFrame,
    /// The launch begins.
    Launched,
    /// The first frame is ready to be shown.
    QueueBuffer,
}

/// A word of shared memory that counts signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Word(u8);

impl Word {
    pub(super) const ZYGOTE: Word = Word(0);
    /// Foreground workers that are done.
    pub(super) const JOINED: Word = Word(1);
    /// The main thread has handed over to the render thread.
    pub(super) const DRAWN: Word = Word(2);
    pub(super) const GPU: Word = Word(3);
    pub(super) const EVENT_THREAD_APP: Word = Word(4);
    pub(super) const SURFACE_FLINGER: Word = Word(5);
    pub(super) const COMPOSER: Word = Word(6);
    pub(super) const COMPOSED: Word = Word(7);
    pub(super) const COMMIT: Word = Word(8);
    pub(super) const BINDER: Word = Word(9);
    pub(super) const REPLY: Word = Word(10);
    /// The main thread's next frame.
    pub(super) const MAIN_FRAME: Word = Word(11);
    /// The animation thread's next frame.
    pub(super) const ANIMATION_FRAME: Word = Word(12);
    pub(super) const COUNT: usize = 13;
    /// Those who can wait for a frame.
    pub(super) const FRAMES: [Word; 2] = [Word::MAIN_FRAME, Word::ANIMATION_FRAME];

    pub(super) const fn futex(self) -> FutexId {
        FutexId(self.0 as u32)
    }
}

/// What the threads share.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Shared {
    words: [u32; Word::COUNT],
    /// Who of [`Word::FRAMES`] waits for a frame.
    wants_frame: [bool; Word::FRAMES.len()],
    /// Calls that no binder thread has taken yet.
    calls: VecDeque<Nanos>,
    /// The first frame lies in the queue.
    pub(super) buffer_is_queued: bool,
    pub(super) launched_at: Option<Nanos>,
    pub(super) displayed_at: Option<Nanos>,
}

/// What a step comes to.
pub(super) enum Outcome {
    /// It is complete and took no time.
    Done,
    /// The machine does this, and then the step is complete.
    Op(Op),
    /// The machine does this, and then the step is tried again.
    Again(Op),
}

impl Shared {
    /// The value that a waiter compares.
    pub(super) fn word(&self, futex: FutexId) -> u32 {
        self.words.get(futex.0 as usize).copied().unwrap_or(0)
    }

    /// Takes a call that waits in the queue.
    pub(super) fn take_call(&mut self) -> Nanos {
        self.calls.pop_front().unwrap_or(Nanos::ZERO)
    }

    /// Somebody who waits for a frame, who now waits no longer.
    pub(super) fn take_frame_waiter(&mut self) -> Option<Word> {
        let position = self.wants_frame.iter().position(|wants| *wants)?;
        self.wants_frame[position] = false;
        Some(Word::FRAMES[position])
    }

    /// Does a step of a thread whose frames come by `frame_word`.
    pub(super) fn perform(&mut self, step: Step, frame_word: Word, now: Nanos) -> Outcome {
        match step {
            Step::Run(span) => Outcome::Op(Op::Compute(span)),
            Step::Io(span) | Step::Pause(span) => Outcome::Op(Op::Sleep(span)),
            Step::Until(moment) => Outcome::Op(Op::SleepUntil(moment)),
            Step::Fork(child) => Outcome::Op(Op::Fork(child)),
            Step::Signal(word) => Outcome::Op(self.signal(word)),
            Step::Await(word) => self.wait(word, 1),
            Step::AwaitAll(word) => self.wait(word, u32::MAX),
            Step::Call(work) => {
                self.calls.push_back(work);
                Outcome::Op(self.signal(Word::BINDER))
            }
            Step::AwaitFrame => {
                let position = Word::FRAMES.iter().position(|word| *word == frame_word);
                self.wants_frame[position.unwrap_or(0)] = true;
                self.wait(frame_word, 1)
            }
            Step::Launched => {
                self.launched_at = Some(now);
                Outcome::Done
            }
            Step::QueueBuffer => {
                self.buffer_is_queued = true;
                Outcome::Done
            }
        }
    }

    fn signal(&mut self, word: Word) -> Op {
        self.words[usize::from(word.0)] += 1;
        Op::FutexWake { futex: word.futex(), profile: WakeProfile::Call }
    }

    fn wait(&mut self, word: Word, most: u32) -> Outcome {
        let value = &mut self.words[usize::from(word.0)];
        if *value == 0 {
            return Outcome::Again(Op::FutexWait { futex: word.futex(), expected: 0 });
        }
        *value -= most.min(*value);
        Outcome::Done
    }
}
