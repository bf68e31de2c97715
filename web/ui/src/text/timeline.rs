//! What the timeline says.

use crate::format::{THIN, count, moment, nanos};

pub(crate) const TIMELINE: &str = "Timeline";
pub(crate) const TIMELINE_NOTE: &str = "all runs, same seed, same axis";
pub(crate) const TIMELINE_LABEL: &str = "Timeline of every CPU for each column. Arrow keys move, plus and minus zoom, 0 shows the whole run, n and p go from one long wait to the next, d goes to where the runs part, Enter opens what was decided in the middle, b begins and ends an interval that the charts are restricted to, Escape clears it. The table below lists what is in view.";
pub(crate) const EARLIER: &str = "Earlier";
pub(crate) const LATER: &str = "Later";
pub(crate) const ZOOM_IN: &str = "Zoom in";
pub(crate) const ZOOM_OUT: &str = "Zoom out";
pub(crate) const FIT: &str = "Whole run";
pub(crate) const LONGEST: &str = "Longest wait";
pub(crate) const NEXT_WAIT: &str = "Next long wait";
pub(crate) const PREVIOUS_WAIT: &str = "Previous long wait";
pub(crate) const HOVER_HINT: &str = "Point at a lane to see what its CPU does and who waits for it.";
pub(crate) const NO_LONG_WAIT: &str = "The longest waits are marked in the overview at the top.";
pub(crate) const KEY_RUNNING: &str = "running, one colour a thread";
pub(crate) const KEY_IDLE: &str = "idle";
pub(crate) const KEY_WAITING: &str = "a thread waits for this CPU";
pub(crate) const KEY_WASTED: &str = "idle although a thread waits in the same cache";
pub(crate) const KEY_ARROW: &str = "wake-up";
pub(crate) const BRUSH_VIEW: &str = "Restrict charts to this view";
pub(crate) const BRUSH_CLEAR: &str = "Show the whole run again";
pub(crate) const TABLE_OF_VIEW: &str = "Show what is in view as a table";
pub(crate) const TABLE_HEADINGS: [&str; 6] = ["From", "To", "CPU", "Thread", "Waited before", "Ended by"];
pub(crate) const ENDED_BY: [&str; 4] = ["preemption", "sleep", "exit", "end of the run"];

/// Which interval the charts show alone, in nanoseconds.
pub(crate) fn brushed(from_ns: u64, to_ns: u64) -> String {
    let span = (to_ns - from_ns) as f64;
    let (from, to) = (moment(from_ns as f64, span), moment(to_ns as f64, span));
    format!("The charts show {from} to {to} alone ({}).", nanos(span).text())
}

/// An interval begins at this moment.
pub(crate) fn brush_begun(at: &str) -> String {
    format!("The interval begins at {at}. Press b again where it is to end, or Escape.")
}

/// A run that was too long to keep every event.
pub(crate) fn thinned(column: &str) -> String {
    format!(
        "{column}: there were too many events to keep them all; who ran and waited is exact, wake-up arrows are left out."
    )
}

/// A run of which only a part is kept.
pub(crate) fn kept_until(column: &str, seconds: &str) -> String {
    format!(
        "{column}: there was too much to keep it all; the timeline ends at {seconds}{THIN}s, the figures do not."
    )
}

/// A run of which nothing is kept.
pub(crate) fn not_kept(column: &str) -> String {
    format!("{column}: this run was not kept, so there is nothing to draw.")
}

/// A CPU.
pub(crate) fn cpu(number: u16) -> String {
    format!("CPU{THIN}{number}")
}

/// A level of the machine.
pub(crate) fn domain(level: &str, index: u16) -> String {
    match level {
        "llc" => format!("LLC{THIN}{index}"),
        "package" => format!("Pkg{THIN}{index}"),
        _ => format!("{level}{THIN}{index}"),
    }
}

/// How many decimals tell the ticks of an axis apart. The step in nanoseconds.
pub(crate) fn decimals_of_step(step: f64) -> usize {
    let mut decimals = 0;
    let mut unit = 1e9;
    while step < unit * 0.999 && decimals < 9 {
        unit /= 10.0;
        decimals += 1;
    }
    decimals
}

/// What is pointed out: who waits where behind whom, and who could have helped.
pub(crate) fn wait(
    column: &str,
    task: &str,
    wait_ns: f64,
    place: Option<(u16, Option<&str>)>,
    idle: &IdleCpus,
) -> String {
    let long = nanos(wait_ns).text();
    let Some((cpu_number, running)) = place else {
        return format!("{column}: {task} came to run {long} after it was woken.");
    };
    let behind = running.map_or(String::new(), |name| format!(" behind {name}"));
    let here = format!("{column}: {task} waits {long} on {}{behind}", cpu(cpu_number));
    match (&idle.beside[..], &idle.elsewhere[..]) {
        ([], []) => format!("{here}."),
        ([], [far, ..]) => format!("{here}. {} is idle, but under another cache.", cpu(*far)),
        ([one], _) => format!("{here}, although {} of the same cache is idle.", cpu(*one)),
        ([first, ..], _) => {
            let number = idle.beside.len();
            format!("{here}, although {number} CPUs of the same cache are idle, {} among them.", cpu(*first))
        }
    }
}

/// CPUs that are idle while a task waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IdleCpus {
    /// Under the same last-level cache.
    pub(crate) beside: Vec<u16>,
    /// Under others.
    pub(crate) elsewhere: Vec<u16>,
}

/// What a CPU does at a moment.
pub(crate) fn under(
    column: &str,
    at: &str,
    cpu_number: u16,
    running: Option<(&str, f64)>,
    waiting: &[(String, f64)],
) -> String {
    let what = match running {
        Some((task, since)) => format!("runs {task} since {}", nanos(since).text()),
        None => "is idle".to_owned(),
    };
    let mut words = format!("{column}, {at}: {} {what}", cpu(cpu_number));
    for (position, (task, since)) in waiting.iter().take(3).enumerate() {
        let joint = if position == 0 { "; waiting: " } else { ", " };
        words += joint;
        words += task;
        words += " since ";
        words += &nanos(*since).text();
    }
    if 3 < waiting.len() {
        words += " and ";
        words += &(waiting.len() - 3).to_string();
        words += " more";
    }
    words.push('.');
    words
}

/// How many rows of a table are shown.
pub(crate) fn rows_shown(column: &str, shown: usize, total: u32) -> String {
    if (shown as u32) < total {
        format!(
            "{column}: the first {} of {} slices in view; zoom in to see the others",
            count(shown as u64),
            count(u64::from(total))
        )
    } else {
        format!("{column}: {} slices in view", count(u64::from(total)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(words: &str) -> String {
        words.replace(THIN, " ")
    }

    #[test]
    fn an_axis_has_as_many_decimals_as_its_step_needs() {
        assert_eq!([5e9, 1e9, 5e8, 1e8, 2e6, 5e3, 1e3].map(decimals_of_step), [0, 0, 1, 1, 3, 6, 6]);
    }

    #[test]
    fn a_wait_names_who_could_have_helped() {
        let beside = IdleCpus { beside: vec![1], elsewhere: vec![7] };
        let said = wait("base", "worker 3", 14.2e6, Some((2, Some("worker 1"))), &beside);
        assert_eq!(
            plain(&said),
            "base: worker 3 waits 14.2 ms on CPU 2 behind worker 1, although CPU 1 of the same cache is idle."
        );
        let far =
            wait("base", "w", 1e6, Some((2, None)), &IdleCpus { elsewhere: vec![7], ..IdleCpus::default() });
        assert!(plain(&far).ends_with("CPU 7 is idle, but under another cache."), "{far}");
        assert!(plain(&wait("base", "w", 1e6, None, &beside)).contains("1 ms after it was woken"));
    }
}
