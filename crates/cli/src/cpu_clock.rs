//! CPU time of the calling thread.

use std::fs;
use std::time::{Duration, Instant};

/// Measures how long a thread computes. On Linux that is the kernel's own account of the thread, which other programs on
/// the machine do not disturb but which is brought up to date at ticks only; elsewhere it is the time that passed.
#[derive(Debug)]
pub(crate) struct CpuClock {
    started: Instant,
    cpu_at_start: Option<Duration>,
}

impl CpuClock {
    pub(crate) fn start() -> CpuClock {
        CpuClock { started: Instant::now(), cpu_at_start: thread_cpu_time() }
    }

    /// CPU time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        match (self.cpu_at_start, thread_cpu_time()) {
            (Some(start), Some(now)) => now.saturating_sub(start),
            _ => self.started.elapsed(),
        }
    }

    /// What is measured, for the heading of a table.
    pub(crate) fn source() -> &'static str {
        if thread_cpu_time().is_some() { "CPU time of the thread" } else { "wall time of one thread" }
    }
}

/// The first number of the file is the time on a CPU in nanoseconds.
fn thread_cpu_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computing_takes_cpu_time() {
        let clock = CpuClock::start();
        let mut sum = 0_u64;
        while clock.elapsed() == Duration::ZERO {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(Duration::ZERO < clock.elapsed());
    }
}
