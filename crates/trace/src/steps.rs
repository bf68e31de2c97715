use sim::Nanos;

/// Pieces in a chunk: few enough to walk at the edges of every pixel, enough that the sums take little memory.
const CHUNK: usize = 16;

/// A value that changes at moments, from the start of a run to its end.
#[derive(Clone, Debug)]
pub struct Steps<T> {
    starts: Vec<Nanos>,
    values: Vec<T>,
    end: Nanos,
}

/// A span of time in which a value stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<T> {
    /// Its start.
    pub from: Nanos,
    /// Its end.
    pub to: Nanos,
    /// The value.
    pub value: T,
}

impl<T: Copy + PartialEq> Steps<T> {
    /// A value that never changes until someone says so.
    pub(crate) fn new(initial: T) -> Steps<T> {
        Steps { starts: vec![Nanos::ZERO], values: vec![initial], end: Nanos::ZERO }
    }

    /// The value changes. Moments come in order; of several changes at one moment only the last one counts, so that
    /// no piece is empty and neighbours differ.
    pub(crate) fn set(&mut self, at: Nanos, value: T) {
        debug_assert!(self.end <= at, "steps come in the order of time");
        self.end = at;
        let last = self.starts.len() - 1;
        if self.starts[last] == at {
            if 0 < last && self.values[last - 1] == value {
                self.starts.pop();
                self.values.pop();
            } else {
                self.values[last] = value;
            }
        } else if self.values[last] != value {
            self.starts.push(at);
            self.values.push(value);
        }
    }

    /// The run ends; a change at that very moment is outside.
    pub(crate) fn finish(&mut self, end: Nanos) {
        debug_assert!(self.end <= end, "nothing happens after the end");
        self.end = end;
        if 1 < self.starts.len() && self.starts.last() == Some(&end) {
            self.starts.pop();
            self.values.pop();
        }
        self.starts.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    /// How many pieces there are; at least one.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The position of the piece in which a moment lies; the last one's for the end and later.
    pub fn position(&self, at: Nanos) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    /// The piece at a position below [`Steps::count`].
    pub fn piece(&self, position: usize) -> Piece<T> {
        let to = self.starts.get(position + 1).copied().unwrap_or(self.end);
        Piece { from: self.starts[position], to, value: self.values[position] }
    }

    /// The value at a moment.
    pub fn at(&self, at: Nanos) -> T {
        self.values[self.position(at)]
    }

    /// The latest value.
    pub(crate) fn last(&self) -> T {
        self.values[self.values.len() - 1]
    }

    /// Every piece.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<T>> + '_ {
        (0..self.count()).map(|position| self.piece(position))
    }

    /// The pieces inside a span of time, cut to it.
    pub(crate) fn pieces_in(&self, from: Nanos, to: Nanos) -> impl Iterator<Item = Piece<T>> + '_ {
        let to = to.min(self.end);
        let first = self.position(from);
        (first..self.count())
            .map(move |position| {
                let piece = self.piece(position);
                Piece { from: piece.from.max(from), to: piece.to.min(to), value: piece.value }
            })
            .take_while(move |piece| piece.from < to)
    }

    /// How many pieces lie, at least in part, inside a span of time.
    pub(crate) fn count_in(&self, from: Nanos, to: Nanos) -> usize {
        let to = to.min(self.end);
        if to <= from { 0 } else { self.starts.partition_point(|start| *start < to) - self.position(from) }
    }
}

/// A sum over pieces.
pub(crate) trait Tally<T>: Default {
    /// What is remembered of a chunk of pieces.
    type Chunk: Clone + std::fmt::Debug;
    /// Adds a value that lasted for some nanoseconds.
    fn add(&mut self, value: T, lasted: u64);
    /// Adds a chunk.
    fn add_chunk(&mut self, chunk: &Self::Chunk);
    /// What is to be remembered of all that was added.
    fn chunk(&self) -> Self::Chunk;
}

/// Steps with a sum over each chunk of pieces, so that long spans are tallied quickly.
#[derive(Clone, Debug)]
pub(crate) struct Chunked<T, S: Tally<T>> {
    pub(crate) steps: Steps<T>,
    chunks: Vec<S::Chunk>,
}

impl<T: Copy + PartialEq, S: Tally<T>> Chunked<T, S> {
    /// Sums up finished steps.
    pub(crate) fn new(steps: Steps<T>) -> Chunked<T, S> {
        let chunks = (0..steps.count() / CHUNK)
            .map(|chunk| {
                let mut tally = S::default();
                for position in chunk * CHUNK..(chunk + 1) * CHUNK {
                    let piece = steps.piece(position);
                    tally.add(piece.value, (piece.to - piece.from).0);
                }
                tally.chunk()
            })
            .collect();
        Chunked { steps, chunks }
    }

    /// Adds what lies in a span of time, which ends at the end of the run at the latest.
    ///
    /// `position` is that of the piece in which `from` lies; it is moved to that of `to`, so that spans side by side
    /// need no search.
    pub(crate) fn tally<A>(&self, position: &mut usize, from: Nanos, to: Nanos, tally: &mut A)
    where
        A: Tally<T, Chunk = S::Chunk>,
    {
        debug_assert!(to <= self.steps.end);
        let mut at = from;
        while at < to {
            let piece = self.steps.piece(*position);
            if at == piece.from && position.is_multiple_of(CHUNK) && *position / CHUNK < self.chunks.len() {
                let last = self.steps.piece(*position + CHUNK - 1);
                if last.to <= to {
                    tally.add_chunk(&self.chunks[*position / CHUNK]);
                    at = last.to;
                    *position = (*position + CHUNK).min(self.steps.count() - 1);
                    continue;
                }
            }
            let until = piece.to.min(to);
            tally.add(piece.value, (until - at).0);
            at = until;
            if piece.to <= to && *position + 1 < self.steps.count() {
                *position += 1;
            }
        }
    }

    /// The sum over one span of time.
    pub(crate) fn total(&self, from: Nanos, to: Nanos) -> S {
        let mut tally = S::default();
        let to = to.min(self.steps.end);
        self.tally(&mut self.steps.position(from), from, to, &mut tally);
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Area(u64);

    impl Tally<u32> for Area {
        type Chunk = u64;
        fn add(&mut self, value: u32, lasted: u64) {
            self.0 += u64::from(value) * lasted;
        }
        fn add_chunk(&mut self, chunk: &u64) {
            self.0 += chunk;
        }
        fn chunk(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn pieces_are_never_empty_and_neighbours_differ() {
        let mut steps = Steps::new(0);
        for (at, value) in [(0, 1), (5, 1), (7, 2), (7, 3), (9, 4), (9, 3), (12, 5)] {
            steps.set(Nanos(at), value);
        }
        steps.finish(Nanos(12));
        let pieces: Vec<(u64, u64, i32)> = steps.pieces().map(|p| (p.from.0, p.to.0, p.value)).collect();
        assert_eq!(pieces, [(0, 7, 1), (7, 12, 3)]);
        assert_eq!(steps.at(Nanos(6)), 1);
        assert_eq!(steps.at(Nanos(7)), 3);
        assert_eq!(steps.at(Nanos(99)), 3);
    }

    #[test]
    fn chunked_sums_equal_plain_ones() {
        let mut steps = Steps::new(7);
        for at in 1..1_000u64 {
            steps.set(Nanos(at * at), (at * 31 % 17) as u32);
        }
        steps.finish(Nanos(1_000_000));
        let chunked: Chunked<u32, Area> = Chunked::new(steps.clone());
        for (from, to) in
            [(0, 1_000_000), (1, 999_999), (4_095, 4_097), (16_384, 65_536), (77, 300_000), (5, 5)]
        {
            let plain: u64 = steps
                .pieces_in(Nanos(from), Nanos(to))
                .map(|piece| u64::from(piece.value) * (piece.to - piece.from).0)
                .sum();
            assert_eq!(chunked.total(Nanos(from), Nanos(to)).0, plain, "{from}..{to}");
        }
        // Spans side by side, with the position handed on.
        let (mut position, mut area) = (0, Area::default());
        for pixel in 0..100 {
            chunked.tally(&mut position, Nanos(pixel * 10_000), Nanos((pixel + 1) * 10_000), &mut area);
        }
        assert_eq!(area.0, chunked.total(Nanos::ZERO, Nanos(1_000_000)).0);
    }
}
