//! The words for work conservation: who waits, and who idles meanwhile.

use crate::format::{count, nanos};

pub(crate) const WORK: &str = "Who waits, and who idles meanwhile";
pub(crate) const WORK_NOTE: &str = "work conservation";
pub(crate) const NO_TRACE: &str =
    "This run was made without its events, so nobody knows who waited for whom. Run it again.";

pub(crate) const WASTE: &str = "Threads that wait although a CPU idles";
pub(crate) const WASTE_HELP: &str = "A thread waits behind another one while a CPU that it may use has nothing to do. \
     The height is how many threads do so, on average; the causes lie on one another.";
pub(crate) const WASTE_LABEL: &str = "Threads that wait although a CPU idles, over the time of the run, by cause, one row \
     for each column. The table below has the sums.";
/// Why they wait, from the lowest band to the highest.
pub(crate) const WASTE_CAUSES: [&str; 4] = [
    "the idle CPUs are all in other caches",
    "the balancer looked at it and left it for its size",
    "its wake-up put it there",
    "it was preempted, created or moved there",
];
pub(crate) const QUEUES_OVER_TIME: &str = "How many threads want to run";
pub(crate) const QUEUES_LABEL: &str = "Threads that want to run on the whole machine, on average, over the time of the run, \
     one row for each column.";
pub(crate) const LONGEST_QUEUE: &str = "The longest run queue of a CPU";
pub(crate) const LONGEST_QUEUE_LABEL: &str = "The longest run queue of a CPU, the running thread included, over the time of \
     the run, one row for each column.";

pub(crate) const WAITS: &str = "How long threads wait, by what began it";
pub(crate) const WAITS_LABEL: &str = "Median, 99th percentile and longest of every sort of wait for each column, on one \
     logarithmic axis. The table below has the values.";
pub(crate) const WAITS_KEY: [&str; 3] = ["median", "99th percentile", "longest"];
/// The sorts of waits.
pub(crate) const WAIT_SORTS: [&str; 4] = [
    "woken, and kept on their CPU",
    "woken, and moved to another CPU",
    "preempted",
    "created, or moved while they ran",
];
pub(crate) const WAIT_HEADINGS: [&str; 5] = ["how often", "median", "95th", "99th", "longest"];

pub(crate) const SUMS: &str = "Sums over all threads";
pub(crate) const RUN_DELAY: &str = "Waited for a CPU in all (run delay)";
pub(crate) const AFTER_PREEMPTION: &str = "of it after preemptions";
pub(crate) const BESIDE_IDLE: &str = "of it although a CPU idled";
pub(crate) const BALANCE_SCORE: &str = "Load-balance score (0 is perfect)";
pub(crate) const BALANCE_SCORE_HELP: &str = "The load-balance score is how far the loads of the CPUs are from those of a \
     greedy assignment: the mean over time of the squared distances, the load of the machine being 1024.";

pub(crate) const WAITERS: &str = "Who waited most";
pub(crate) const WAITER_HEADINGS: [&str; 6] =
    ["Thread", "Longest wait", "Waited", "While a CPU idled", "After preemptions", "Times"];
pub(crate) const NO_WAITERS: &str = "No thread waited.";

/// The sentence of the panel: for each column its name, how long threads waited in all, and how long although a CPU idled.
pub(crate) fn waste(columns: &[(&str, f64, f64)]) -> String {
    let column = |(name, waited, wasted): &(&str, f64, f64)| {
        if *waited <= 0.0 {
            return format!("{name}: no thread waited.");
        }
        let waited = nanos(*waited).text();
        if *wasted <= 0.0 {
            return format!("{name}: threads waited {waited} in all, and never although a CPU idled.");
        }
        format!(
            "{name}: threads waited {waited} in all, {} of it although a CPU idled.",
            nanos(*wasted).text()
        )
    };
    columns.iter().map(column).collect::<Vec<_>>().join(" ")
}

/// The caption of the table of a column's waiters.
pub(crate) fn waiters_of(column: &str, shown: usize, all: usize) -> String {
    if shown < all {
        format!("{column}: the {shown} of {} threads that waited most", count(all as u64))
    } else {
        column.to_owned()
    }
}

/// What the button on a longest wait does, for those who do not see where it is.
pub(crate) fn show_longest(task: &str, waited: &str) -> String {
    format!("Show the longest wait of {task} in the timeline: {waited}")
}

/// The mean of what is over time.
pub(crate) fn on_average(value: &str) -> String {
    format!("on average {value}")
}

/// The most of what is over time.
pub(crate) fn at_most(value: u32) -> String {
    format!("at most {value}")
}
