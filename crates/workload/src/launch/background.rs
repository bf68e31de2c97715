//! What runs on a phone all the time, in the fair class.

use sim::{Nanos, Stream};

use super::rt_set::Parts;

/// Threads that wake up now and then: period in milliseconds and CPU time in microseconds, both medians
/// (`model/rt-and-launch.md` section 4.5).
pub(super) const PERIODIC: [(u64, u64); 5] = [(20, 400), (33, 1_500), (50, 900), (8, 120), (100, 5_000)];

const PERIODIC_SIGMA: u32 = 500;
const PERIOD_JITTER_PCT: u32 = 40;

const ANIMATION_NS: u64 = 700_000;
const ANIMATION_SIGMA: u32 = 400;

/// When a periodic thread wakes up, and what it then does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Visits {
    pub(super) at: Vec<Nanos>,
    pub(super) run: Vec<Nanos>,
}

/// The visits of a periodic thread until a moment.
pub(super) fn visits((period_ms, run_us): (u64, u64), until: Nanos, mut stream: Stream) -> Visits {
    let period = period_ms * 1_000_000;
    let mut at = Nanos(u64::from(stream.below(period as u32)));
    let mut visits = Visits { at: Vec::new(), run: Vec::new() };
    while at < until {
        visits.at.push(at);
        visits.run.push(Nanos(stream.lognormal(run_us * 1_000, PERIODIC_SIGMA)));
        at += Nanos(stream.jitter(period, PERIOD_JITTER_PCT));
    }
    visits
}

/// What the animation thread does in each frame.
pub(super) fn animation(frames: usize, mut stream: Stream) -> Parts {
    let run = || stream.lognormal(ANIMATION_NS, ANIMATION_SIGMA).min(u64::from(u32::MAX)) as u32;
    Parts::single(std::iter::repeat_with(run).take(frames).collect())
}
