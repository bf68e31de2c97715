//! What the timeline says.

use protocol::{TaskFact, TaskState};

use super::Shortcut;
use crate::format::{THIN, count, moment, nanos};

pub(crate) const TIMELINE: &str = "Timeline";
pub(crate) const TIMELINE_NOTE: &str = "all runs, same seed, same axis";
pub(crate) const TIMELINE_LABEL: &str = "Timeline of every CPU or thread for each column. Left and right move, plus and minus zoom, 0 shows the whole run, up and down go from lane to lane, n and p from one long wait to the next, e and u and s to the next event, wake-up and slice, f folds, t shows threads instead of CPUs, Space plays, Enter opens what was decided, b begins and ends an interval that the charts are restricted to, Escape clears it. The table below lists what is in view.";
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
/// One line more for every deeper state.
pub(crate) const KEY_DEPTHS: [&str; 2] = ["idle in a deeper state", "idle in the deepest state"];
pub(crate) const KEY_WAITING: &str = "a thread waits for this CPU";
pub(crate) const KEY_WASTED: &str = "idle although a thread waits in the same cache";
pub(crate) const KEY_ARROW: &str = "wake-up";
pub(crate) const KEY_MOVE: &str = "move to another CPU";
pub(crate) const KEY_TASK_RUNNING: &str = "runs, with its CPU";
pub(crate) const KEY_TASK_WAITING: &str = "waits for a CPU";
pub(crate) const KEY_BLOCKED: &str = "sleeps";
pub(crate) const KEY_GROUP: &str = "folded: share of its CPUs that are busy";
pub(crate) const KEY_FOLLOWED: &str = "the followed thread";
/// What the keys do in the timeline.
pub(crate) const TIMELINE_SHORTCUTS: &[Shortcut] = &[
    (&["n"], "go to the next long wait"),
    (&["p"], "go to the previous long wait"),
    (&["w"], "go to the longest wait"),
    (&["←", "→"], "in the timeline: move (with Shift: half a screen)"),
    (&["+", "−"], "in the timeline: zoom"),
    (&["0"], "in the timeline: show the whole run (also Home)"),
    (&["↑", "↓"], "in the timeline: go to the lane above or below"),
    (
        &["f"],
        "in the timeline: fold the CPUs around that lane, or open them (with Shift: the outermost group)",
    ),
    (&["t"], "in the timeline: lanes of threads, or of CPUs"),
    (
        &["e"],
        "in the timeline: go to the next event, of the followed thread if there is one (with Shift: the previous one)",
    ),
    (&["u"], "the same for wake-ups"),
    (&["s"], "the same for slices of running"),
    (
        &[".", ","],
        "inspector: go to the next or the previous decision, of the followed thread if there is one",
    ),
    (&["Enter"], "in the timeline: open what was decided last in that lane, or in the middle"),
    (&["Space"], "in the timeline: play the run, or pause"),
    (
        &["b"],
        "in the timeline: begin an interval that the charts are restricted to; again: end it (Escape clears it)",
    ),
    (&["Shift", "drag"], "over the timeline: pull up such an interval"),
    (&["Ctrl", "wheel"], "over the timeline: zoom around the pointer; Shift and wheel: move"),
    (&["long press"], "on a touch screen: tells what a lane shows; two fingers move and zoom"),
];

pub(crate) const LENS: &str = "How to look at the timeline";
pub(crate) const LANES: &str = "Lanes";
pub(crate) const LANES_CPUS: &str = "CPUs";
pub(crate) const LANES_TASKS: &str = "Threads";
pub(crate) const FOLD: &str = "Fold";
pub(crate) const FOLD_NOTHING: &str = "every CPU";
pub(crate) const LANE_ARROWS: &str = "Arrows";
pub(crate) const ARROWS_WAKEUPS: &str = "wake-ups";
pub(crate) const ARROWS_MOVES: &str = "moves";
pub(crate) const SEARCH: &str = "Follow a thread";
pub(crate) const SEARCH_HINT: &str = "its name";
pub(crate) const SEARCH_NOBODY: &str = "No thread has this name.";
pub(crate) const NEXT_SLICE: &str = "Its next slice";
pub(crate) const UNFOLLOW: &str = "Follow nobody";
pub(crate) const THREADS_BEFORE: &str = "Threads before these";
pub(crate) const THREADS_AFTER: &str = "Threads after these";
pub(crate) const NO_FURTHER_EVENT: &str = "There is no further one.";
pub(crate) const PLAY_BAR: &str = "Play";
pub(crate) const PLAY: &str = "Play";
pub(crate) const PAUSE: &str = "Pause";
pub(crate) const PLAY_EVENT: &str = "To the next event";
pub(crate) const PLAY_DECISION: &str = "To the next decision";
pub(crate) const PLAY_STOP: &str = "Show the whole run";
pub(crate) const PLAY_SPEED: &str = "Speed";
pub(crate) const PLAY_HINT: &str =
    "The run is computed already; playing shows it, and the charts of it, as if it went on.";
pub(crate) const PLAYING: &str = "Playing.";

/// What the groups of a level are called together.
pub(crate) fn level_groups(level: &str) -> &'static str {
    match level {
        "package" => "packages",
        "llc" => "caches",
        _ => "cores",
    }
}

/// Which threads have lanes.
pub(crate) fn threads_shown(from: usize, to: usize, all: usize) -> String {
    format!("{from}{THIN}–{THIN}{to} of {}", count(all as u64))
}

/// Who is followed, for those who do not see the lanes change.
pub(crate) fn following(name: &str) -> String {
    format!("Following {name}.")
}

/// How fast a run is played, in nanoseconds of simulated time a second.
pub(crate) fn play_speed(ns_per_second: f64) -> String {
    format!("{} of the run a second", nanos(ns_per_second).text())
}

/// Up to when a run is played.
pub(crate) fn played_to(at_ns: f64) -> String {
    format!("at {}{THIN}s", crate::format::seconds(at_ns, 6))
}

/// Playing stands still.
pub(crate) fn paused_at(at_ns: f64) -> String {
    format!("Paused {}.", played_to(at_ns))
}

/// What somebody has gone to.
pub(crate) fn walked_to(column: &str, event: &str) -> String {
    format!("{column}, {event}.")
}

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
        "core" => format!("core{THIN}{index}"),
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
    idle_state: Option<&str>,
    waiting: &[(String, f64)],
) -> String {
    let what = match (running, idle_state) {
        (Some((task, since)), _) => format!("runs {task} since {}", nanos(since).text()),
        (None, Some(state)) => format!("is idle, {}", idle_state_in_words(state)),
        (None, None) => "is idle".to_owned(),
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

/// What an idle state does to a CPU, by the name that the machine's description gives it.
fn idle_state_in_words(name: &str) -> String {
    match name {
        "WFI" => "waiting for an interrupt (WFI)".to_owned(),
        "RETENTION" => "powered just enough to keep its registers (RETENTION)".to_owned(),
        "CPU_SLEEP" | "OFF" => format!("CPU powered down ({name})"),
        "CLUSTER_SLEEP" => "powered down with its cluster (CLUSTER_SLEEP)".to_owned(),
        other => other.to_owned(),
    }
}

/// What a folded group of CPUs does at a moment: how many are busy, how many there are, and how many threads wait.
pub(crate) fn under_group(column: &str, at: &str, group: &str, [busy, all, waiting]: [usize; 3]) -> String {
    let is = if busy == 1 { "is" } else { "are" };
    let waits = match waiting {
        0 => "nobody waits".to_owned(),
        1 => "1 thread waits".to_owned(),
        many => format!("{many} threads wait"),
    };
    format!("{column}, {at}: in {group} {busy} of {all} CPUs {is} busy, {waits}.")
}

/// What a thread does at a moment, and for how long it has, in nanoseconds.
pub(crate) fn under_task(column: &str, at: &str, name: &str, fact: &TaskFact, since_ns: f64) -> String {
    let on = fact.cpu.map_or_else(|| "a CPU".to_owned(), cpu);
    let since = nanos(since_ns).text();
    let what = match fact.state {
        TaskState::Unborn => "is not there yet".to_owned(),
        TaskState::Dead => "has ended".to_owned(),
        TaskState::Running => format!("runs on {on} since {since}"),
        TaskState::Waiting => format!("waits for {on} since {since}"),
        TaskState::Waking => format!("was woken and is on its way to {on} since {since}"),
        TaskState::Sleeping => format!("sleeps since {since}"),
    };
    format!("{column}, {at}: {name} {what}.")
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
    fn an_idle_state_is_said_in_words_before_its_name() {
        let said = |state| plain(&under("base", "1 s", 0, None, Some(state), &[]));
        assert_eq!(said("WFI"), "base, 1 s: CPU 0 is idle, waiting for an interrupt (WFI).");
        assert_eq!(said("OFF"), "base, 1 s: CPU 0 is idle, CPU powered down (OFF).");
        assert_eq!(said("C6"), "base, 1 s: CPU 0 is idle, C6.");
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
