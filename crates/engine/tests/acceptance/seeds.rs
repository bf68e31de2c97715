//! Which seeds a statistical test sees.

use sim::Stream;

/// The seeds of every commit: one list for all tests, which no calibration ever used.
const COMMITTED: std::ops::Range<u64> = 9_020_000..9_020_200;

/// How many seeds the long form takes.
const SLOW_COUNT: usize = 1_000;

/// How many of them tests see whose runs are long, at every commit and in the long form.
const FEW: (usize, usize) = (20, 100);

/// The committed seeds, or in the long form fresh ones that follow from the commit.
pub(crate) fn seeds() -> Vec<u64> {
    if std::env::var_os("RUNQUEUE_SLOW").is_none() {
        return COMMITTED.collect();
    }
    let origin = std::env::var("RUNQUEUE_SLOW_SEED").expect("the long form names where its seeds come from");
    let mut stream = Stream::new(sim::stable_hash(origin.as_str()), 0, 0);
    let seeds: Vec<u64> = (0..SLOW_COUNT).map(|_| u64::from(stream.next_u32())).collect();
    println!("{SLOW_COUNT} seeds from {origin}: {} {} {} …", seeds[0], seeds[1], seeds[2]);
    seeds
}

/// The first of the seeds, for tests whose runs are long.
pub(crate) fn few_seeds() -> Vec<u64> {
    let (at_commit, slow) = FEW;
    let count = if std::env::var_os("RUNQUEUE_SLOW").is_none() { at_commit } else { slow };
    seeds().into_iter().take(count).collect()
}

/// How many launches a test sees of each kind, at every commit and in the long form.
const LAUNCHES: (usize, usize) = (60, 200);

/// The first of the seeds, for launches.
pub(crate) fn launch_seeds() -> Vec<u64> {
    let (at_commit, slow) = LAUNCHES;
    let count = if std::env::var_os("RUNQUEUE_SLOW").is_none() { at_commit } else { slow };
    seeds().into_iter().take(count).collect()
}
