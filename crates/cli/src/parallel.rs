//! Independent jobs on several threads.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The results of `count` jobs in the order of their numbers, computed by `threads` threads. Which thread does which job
/// is left to chance, so a job may depend on its number only.
pub(crate) fn map<T: Send>(count: usize, threads: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let progress = Progress::new(count);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if count <= number {
                return done;
            }
            done.push((number, job(number)));
            progress.one_more();
        }
    };
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let handles: Vec<_> = (0..threads.min(count)).map(|_| scope.spawn(work)).collect();
        handles
            .into_iter()
            .flat_map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    progress.end();
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// A line on the terminal that counts; silent where messages go to a file.
struct Progress {
    total: usize,
    done: AtomicUsize,
    shown: bool,
}

impl Progress {
    fn new(total: usize) -> Progress {
        Progress { total, done: AtomicUsize::new(0), shown: std::io::stderr().is_terminal() }
    }

    fn one_more(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let step = (self.total / 100).max(1);
        if self.shown && done.is_multiple_of(step) {
            // Progress is a courtesy: a terminal that went away is no reason to stop.
            let _ = write!(std::io::stderr(), "\r{done} of {} runs", self.total);
        }
    }

    fn end(&self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_their_numbers() {
        for threads in [1, 2, 7] {
            assert_eq!(
                map(20, threads, |number| number * number),
                (0..20).map(|n| n * n).collect::<Vec<_>>()
            );
        }
        assert!(map(0, 4, |number| number).is_empty());
    }
}
