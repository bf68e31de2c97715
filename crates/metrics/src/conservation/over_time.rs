use sim::Nanos;

/// A bin of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkBin {
    /// Runnable tasks of the machine, running or waiting, on average.
    pub runnable: f64,
    /// The longest run queue of a CPU, the running task included.
    pub longest_queue: u32,
    /// Tasks that waited while only CPUs of other caches idled, on average.
    pub idle_elsewhere: f64,
    /// Tasks that waited beside an idle CPU because the balancer had left them, on average.
    pub refused: f64,
    /// Tasks that waited beside an idle CPU because of their wake-up, on average.
    pub stacked: f64,
    /// Tasks that waited beside an idle CPU for another reason, on average.
    pub other: f64,
}

/// What holds for a while.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) runnable: u32,
    pub(super) longest: u32,
    /// Whether one of the following is not 0.
    pub(super) has_waste: bool,
    pub(super) idle_elsewhere: u32,
    pub(super) refused: u32,
    pub(super) stacked: u32,
    pub(super) other: u32,
}

/// Levels added up over equal bins.
#[derive(Clone, Debug)]
pub(super) struct OverTime {
    from: u64,
    bin_ns: u64,
    /// Above this many, neighbours are joined.
    most: usize,
    bins: Vec<Sum>,
    /// The end of the last bin.
    end: u64,
}

/// Levels times nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    runnable: u64,
    longest: u32,
    idle_elsewhere: u64,
    refused: u64,
    stacked: u64,
    other: u64,
}

/// The most bins of a span whose end is not known.
const MOST_GROWING: usize = 1024;

/// Their first width, in nanoseconds.
const FIRST_GROWING: u64 = 1_024;

impl OverTime {
    /// From the start of a run on, in bins that become wider the longer it lasts.
    pub(super) fn growing() -> OverTime {
        OverTime { from: 0, bin_ns: FIRST_GROWING, most: MOST_GROWING, bins: Vec::new(), end: 0 }
    }

    pub(super) fn fixed(from: Nanos, to: Nanos, bins: u32) -> OverTime {
        let bin_ns = to.saturating_sub(from).0.div_ceil(u64::from(bins.max(1))).max(1);
        OverTime { from: from.0, bin_ns, most: usize::MAX, bins: Vec::new(), end: from.0 }
    }

    /// A level holds from a moment until another; both go only forward.
    pub(super) fn add(&mut self, from: u64, to: u64, level: Level) {
        let mut at = from;
        while at < to {
            while self.end <= at {
                self.begin_bin();
            }
            let until = self.end.min(to);
            if let Some(bin) = self.bins.last_mut() {
                bin.add(level, until - at);
            }
            at = until;
        }
    }

    fn begin_bin(&mut self) {
        if self.bins.len() == self.most {
            self.join_neighbours();
        }
        self.bins.push(Sum::default());
        self.end = self.from.saturating_add((self.bins.len() as u64).saturating_mul(self.bin_ns));
    }

    fn join_neighbours(&mut self) {
        self.bin_ns *= 2;
        self.bins = self.bins.chunks(2).map(|pair| pair.iter().fold(Sum::default(), Sum::joined)).collect();
    }

    /// The width of a bin, and the bins up to a moment.
    pub(super) fn finish(&self, end: u64) -> (Nanos, Vec<WorkBin>) {
        let bins = self.bins.iter().enumerate().map(|(position, sum)| {
            let start = self.from + position as u64 * self.bin_ns;
            sum.mean(self.bin_ns.min(end.saturating_sub(start)).max(1))
        });
        (Nanos(self.bin_ns), bins.collect())
    }
}

impl Sum {
    fn add(&mut self, level: Level, lasted: u64) {
        self.runnable += u64::from(level.runnable) * lasted;
        self.longest = self.longest.max(level.longest);
        if level.has_waste {
            self.idle_elsewhere += u64::from(level.idle_elsewhere) * lasted;
            self.refused += u64::from(level.refused) * lasted;
            self.stacked += u64::from(level.stacked) * lasted;
            self.other += u64::from(level.other) * lasted;
        }
    }

    fn joined(self, other: &Sum) -> Sum {
        Sum {
            runnable: self.runnable + other.runnable,
            longest: self.longest.max(other.longest),
            idle_elsewhere: self.idle_elsewhere + other.idle_elsewhere,
            refused: self.refused + other.refused,
            stacked: self.stacked + other.stacked,
            other: self.other + other.other,
        }
    }

    fn mean(&self, lasted: u64) -> WorkBin {
        let mean = |sum: u64| sum as f64 / lasted as f64;
        WorkBin {
            runnable: mean(self.runnable),
            longest_queue: self.longest,
            idle_elsewhere: mean(self.idle_elsewhere),
            refused: mean(self.refused),
            stacked: mean(self.stacked),
            other: mean(self.other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(runnable: u32) -> Level {
        Level { runnable, longest: runnable, ..Level::default() }
    }

    #[test]
    fn a_level_is_spread_over_the_bins_that_it_touches() {
        let mut time = OverTime::fixed(Nanos(100), Nanos(200), 4);
        time.add(100, 110, level(0));
        time.add(110, 160, level(2));
        time.add(160, 200, level(1));
        let (bin, bins) = time.finish(200);
        assert_eq!(bin, Nanos(25));
        let runnable: Vec<f64> = bins.iter().map(|bin| bin.runnable).collect();
        assert_eq!(runnable, [1.2, 2.0, 1.4, 1.0]);
        assert_eq!(bins.iter().map(|bin| bin.longest_queue).collect::<Vec<_>>(), [2, 2, 2, 1]);
    }

    #[test]
    fn a_span_that_grows_keeps_its_sums() {
        let mut time = OverTime::growing();
        for step in 0..10_000 {
            time.add(step * 5_000, (step + 1) * 5_000, level(1 + step as u32 % 2));
        }
        let (bin, bins) = time.finish(50_000_000);
        assert!(512 <= bins.len() && bins.len() <= 1024, "{}", bins.len());
        let sum: f64 = bins[..bins.len() - 1].iter().map(|own| own.runnable * bin.0 as f64).sum();
        let last = 50_000_000 - (bins.len() as u64 - 1) * bin.0;
        let sum = sum + bins[bins.len() - 1].runnable * last as f64;
        assert!((sum - 75_000_000.0).abs() < 1.0, "{sum}");
    }

    #[test]
    fn a_span_of_nothing_has_no_bins() {
        assert_eq!(OverTime::fixed(Nanos(5), Nanos(5), 10).finish(5).1, []);
    }
}
