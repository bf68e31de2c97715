//! A pipe or a pair of sockets between threads: how much it holds, who waits at its ends, and whom to wake.

use crate::{FutexId, Op, WakeProfile};

/// What carries messages from thread to thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Transport {
    /// A pipe of sixteen pages.
    Pipe,
    /// A pair of connected stream sockets.
    Socket,
}

/// One direction between one reader and any number of writers. Messages have one size, so that only their number counts.
///
/// Kernel: pipe.c pipe_write() and pipe_read(), v5.5…v6.18; af_unix.c unix_stream_sendmsg() and its reader.
/// Differs: no writer finds room before the waiting ones are told of it, which holds for full pipes and not for sockets.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Pipe {
    transport: Transport,
    /// Where the reader waits.
    reader: FutexId,
    /// Where writers wait.
    writer: FutexId,
    /// Messages in it.
    held: u32,
    /// It was filled and has not been emptied enough since.
    full: bool,
    /// Readers that wait and that nobody has begun to wake.
    waiting_readers: u32,
    /// Writers that wait and that nobody has begun to wake.
    waiting_writers: u32,
    /// How many of them the reader owes a wake-up.
    owed: u32,
}

impl Transport {
    /// How many messages of 100 bytes fit: forty on each of sixteen pages, or what the default send buffer admits
    /// (`model/smt-and-cgroups.md` section 5 says about 100).
    const fn capacity(self) -> u32 {
        match self {
            Transport::Pipe => 640,
            Transport::Socket => 100,
        }
    }

    /// A full one wakes writers when it holds no more than this: a page has become free, or three quarters of the
    /// buffer.
    const fn room_again_at(self) -> u32 {
        match self {
            Transport::Pipe => 600,
            Transport::Socket => 25,
        }
    }
}

impl Pipe {
    /// An empty one, with the words at which its two sides wait.
    pub(crate) fn new(transport: Transport, reader: FutexId, writer: FutexId) -> Pipe {
        Pipe {
            transport,
            reader,
            writer,
            held: 0,
            full: false,
            waiting_readers: 0,
            waiting_writers: 0,
            owed: 0,
        }
    }

    /// Puts a message in; false where there is no room.
    pub(crate) fn put(&mut self) -> bool {
        if self.full {
            return false;
        }
        self.held += 1;
        self.full = self.held == self.transport.capacity();
        true
    }

    /// Takes a message out; false where there is none.
    pub(crate) fn take(&mut self) -> bool {
        if self.held == 0 {
            return false;
        }
        self.held -= 1;
        if self.full && self.held <= self.transport.room_again_at() {
            self.full = false;
            // One writer at a pipe, who tells the next; all at a socket.
            self.owed = match self.transport {
                Transport::Pipe => self.waiting_writers.min(1),
                Transport::Socket => self.waiting_writers,
            };
        }
        true
    }

    /// The wait of a reader that found nothing.
    pub(crate) fn wait_to_take(&mut self) -> Op {
        self.waiting_readers += 1;
        Op::FutexWait { futex: self.reader, expected: 0 }
    }

    /// The wait of a writer that found no room.
    pub(crate) fn wait_to_put(&mut self) -> Op {
        self.waiting_writers += 1;
        Op::FutexWait { futex: self.writer, expected: 0 }
    }

    /// What a writer does for a reader that waits.
    pub(crate) fn wake_reader(&mut self) -> Option<Op> {
        self.waiting_readers = self.waiting_readers.checked_sub(1)?;
        Some(Op::FutexWake { futex: self.reader, profile: WakeProfile::Sync })
    }

    /// What a reader that made room does, as often as it returns something.
    pub(crate) fn wake_owed_writer(&mut self) -> Option<Op> {
        self.owed = self.owed.checked_sub(1)?;
        self.wake_writer()
    }

    /// What a writer that had to wait does for the next one, if there is room for it.
    pub(crate) fn wake_next_writer(&mut self) -> Option<Op> {
        let tells_the_next = self.transport == Transport::Pipe && !self.full;
        if tells_the_next { self.wake_writer() } else { None }
    }

    fn wake_writer(&mut self) -> Option<Op> {
        self.waiting_writers = self.waiting_writers.checked_sub(1)?;
        Some(Op::FutexWake { futex: self.writer, profile: WakeProfile::Sync })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READER: FutexId = FutexId(4);
    const WRITER: FutexId = FutexId(5);

    fn filled(transport: Transport) -> Pipe {
        let mut pipe = Pipe::new(transport, READER, WRITER);
        for _ in 0..transport.capacity() {
            assert!(pipe.put());
        }
        assert!(!pipe.put(), "it is full");
        pipe
    }

    const fn wake(futex: FutexId) -> Op {
        Op::FutexWake { futex, profile: WakeProfile::Sync }
    }

    #[test]
    fn a_reader_is_woken_once_and_only_if_it_waits() {
        let mut pipe = Pipe::new(Transport::Pipe, READER, WRITER);
        assert!(!pipe.take());
        assert_eq!(pipe.wait_to_take(), Op::FutexWait { futex: READER, expected: 0 });
        assert!(pipe.put() && pipe.put());
        assert_eq!(pipe.wake_reader(), Some(wake(READER)));
        assert_eq!(pipe.wake_reader(), None, "the second writer finds nobody to wake");
        assert!(pipe.take() && pipe.take() && !pipe.take());
    }

    #[test]
    fn a_full_pipe_admits_one_writer_who_tells_the_next() {
        let mut pipe = filled(Transport::Pipe);
        for _ in 0..3 {
            pipe.wait_to_put();
        }
        for _ in 0..39 {
            assert!(pipe.take() && pipe.wake_owed_writer().is_none(), "its first page is not yet free");
            assert!(!pipe.put());
        }
        assert!(pipe.take());
        assert_eq!((pipe.wake_owed_writer(), pipe.wake_owed_writer()), (Some(wake(WRITER)), None));
        assert!(pipe.put());
        assert_eq!(pipe.wake_next_writer(), Some(wake(WRITER)));
        for _ in 0..39 {
            assert!(pipe.put());
        }
        assert_eq!(pipe.wake_next_writer(), None, "the third has no room");
    }

    #[test]
    fn a_full_socket_admits_all_writers_when_three_quarters_are_free() {
        let mut socket = filled(Transport::Socket);
        socket.wait_to_put();
        socket.wait_to_put();
        for _ in 0..74 {
            assert!(socket.take() && socket.wake_owed_writer().is_none());
        }
        assert!(socket.take());
        let woken = [socket.wake_owed_writer(), socket.wake_owed_writer(), socket.wake_owed_writer()];
        assert_eq!(woken, [Some(wake(WRITER)), Some(wake(WRITER)), None]);
        assert_eq!(socket.wake_next_writer(), None);
    }
}
