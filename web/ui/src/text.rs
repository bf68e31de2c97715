//! Every word that the page itself says. What presets, keys and patches are called is said by their own crates.

use crate::columns::{Contrast, Headline};
use crate::format::{THIN, count, factor, micros, percent};

pub(crate) const NAME: &str = "Runqueue";
pub(crate) const TAGLINE: &str =
    "What a patch to the Linux CPU scheduler changes, simulated in your browser.";
pub(crate) const SKIP: &str = "Skip to the results";
pub(crate) const PRIVACY: &str = "Nothing leaves this page: it simulates here, and a link keeps its scenario behind the #, \
                           which browsers do not send to servers.";

mod cause;
mod comparison;
mod decision;
pub(crate) mod export;
mod glossary;
mod interval;
pub(crate) mod launch;
mod lesson;
mod timeline;
mod work;
pub(crate) use cause::*;
pub(crate) use comparison::*;
pub(crate) use decision::*;
pub(crate) use glossary::*;
pub(crate) use interval::*;
pub(crate) use lesson::*;
pub(crate) use timeline::*;
pub(crate) use work::*;

// The frame.
pub(crate) const THEME: &str = "Colours";
pub(crate) const THEMES: [(&str, &str); 3] = [("auto", "Auto"), ("light", "Light"), ("dark", "Dark")];
pub(crate) const SHARE: &str = "Share";
pub(crate) const SHARE_TITLE: &str = "Share this scenario";
pub(crate) const SHARE_WHAT: &str =
    "This link opens the page with the same machine, kernel, patches, workload and seed.";
pub(crate) const SHARE_FIELD: &str = "Link";
pub(crate) const COPY: &str = "Copy";
pub(crate) const COPIED: &str = "Copied";
pub(crate) const COPY_FAILED: &str = "Select and copy by hand";
pub(crate) const CLOSE: &str = "Close";
pub(crate) const HELP: &str = "Keyboard shortcuts";
pub(crate) const DISMISS: &str = "Dismiss";

/// Keys, and what for.
pub(crate) type Shortcut = (&'static [&'static str], &'static str);

/// What the keys of the whole page do.
pub(crate) const SHORTCUTS: &[Shortcut] = &[
    (&["?"], "show this help"),
    (&["Ctrl", "Z"], "undo the last change of the scenario"),
    (&["Ctrl", "Shift", "Z"], "redo it"),
    (&["d"], "show where the runs part; again: the next place (Shift and d: the one before)"),
    (
        &["c"],
        "go to the cause of the wait or decision that is shown; again: to the cause of that (Shift and c: back)",
    ),
];

// The engine.
pub(crate) const WORKER_DID_NOT_STOP: &str =
    "The simulation did not stop when it was asked to, so it was ended.";
pub(crate) const NO_WORKER: &str = "The simulator could not be started: its file did not load.";
const BROKEN: &str = "The simulator does not run here";
const BROKEN_REMEDY: &str =
    "Reload the page. If that does not help, the browser may be too old or block WebAssembly or workers.";
pub(crate) const RESTARTED: &str = "The simulator stopped and was started again.";
pub(crate) const TRY_AGAIN: &str = "Try again";

/// Why nothing can be simulated, and what to do.
pub(crate) fn broken(message: &str) -> String {
    format!("{BROKEN}: {} {BROKEN_REMEDY}", sentence(message))
}

/// An answer of a worker that cannot be read.
pub(crate) fn bad_answer(error: &str) -> String {
    format!(
        "Page and simulator do not understand each other ({error}). Reload the page to get both from one version."
    )
}

// States of panels.
pub(crate) const STARTING: &str = "Starting the simulator";
/// Of a panel whose code is still being loaded.
pub(crate) const COMING: &str = "Loading the rest of the page…";
pub(crate) const SIMULATING: &str = "Simulating";
pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const CANCELLED: &str = "The simulation was cancelled.";
pub(crate) const RUN_AGAIN: &str = "Run it";
pub(crate) const NO_LATENCIES: &str =
    "This program records no latencies. The timeline and the figures below show what it did.";
pub(crate) const NO_LATENCIES_BUT_THROUGHPUT: &str =
    "This program records no latencies. How much it does in a second stands at the top of the page.";
pub(crate) const NO_SAMPLES: &str =
    "No wake-up was recorded in this run. Let it run longer, or let the workers think less.";
pub(crate) const NO_TEXT: &str = "This workload prints nothing.";
pub(crate) const FAILED: &str = "This could not be simulated";
pub(crate) const OUT_OF_BUDGET: &str = "The run was stopped at its event limit, so these figures are those of its first part. Raise the limit under Run, or make the scenario smaller.";

/// Words with a full stop, unless they end by themselves.
fn sentence(words: &str) -> String {
    if words.ends_with(['.', '?', '!']) { words.to_owned() } else { format!("{words}.") }
}

/// How far a run is.
pub(crate) fn progress(fraction: f64, events: u64) -> String {
    format!("{}, {} events", percent(fraction.clamp(0.0, 1.0)), count(events))
}

/// The same after what is being done.
pub(crate) fn simulating(fraction: f64, events: u64) -> String {
    format!("{SIMULATING}: {}", progress(fraction, events))
}

/// A machine without a name.
pub(crate) fn custom_machine(cpus: usize) -> String {
    if cpus == 1 { "a machine of 1 CPU".to_owned() } else { format!("a machine of {cpus} CPUs") }
}

/// Machine and kernel in a line.
pub(crate) fn setting(machine: &str, era: &str, hz: u32) -> String {
    format!("{machine}, Linux {era}, HZ{THIN}{hz}")
}

// The headline.
pub(crate) const LATENCY_HELP: &str = "From the moment a thread is woken until its program runs again. p99: of 100 wake-ups, 99 are at least this quick.";

/// What a headline can be about.
pub(crate) const HEADLINES: [Headline; 4] = [
    Headline { key: "p99_us", name: "p99", slowest: "the slowest 1\u{202f}% of wake\u{2011}ups" },
    Headline { key: "p995_us", name: "p99.5", slowest: "the slowest 0.5\u{202f}% of wake\u{2011}ups" },
    Headline { key: "p999_us", name: "p99.9", slowest: "the slowest 0.1\u{202f}% of wake\u{2011}ups" },
    Headline { key: "max_us", name: "max", slowest: "the slowest wake\u{2011}ups of all" },
];

/// The name of the figure that the headline is about.
pub(crate) fn latency_name(figure: &str) -> String {
    format!("{figure} wake-up latency")
}
pub(crate) const BAND: &str = "95 % of seeds";
pub(crate) const MEDIAN: &str = "median seed";
pub(crate) const PUBLISHED: &str = "published";
pub(crate) const NOT_YET: &str = "…";
pub(crate) const STORY: &str = "What happens here, in plain words";
pub(crate) const WITHOUT_PATCH: &str = "without the patch";

pub(crate) const WITH_PATCH: &str = "with the patch";

/// A column that has a patch which the scenario is not about.
pub(crate) fn with_other(patch: &str) -> String {
    format!("with {patch}")
}

/// A column that lacks a patch which its kernel was released with.
pub(crate) fn without_other(patch: &str) -> String {
    format!("without {patch}")
}

/// A value that sets a column apart.
pub(crate) fn setting_of(label: &str, value: &str) -> String {
    format!("{label}: {value}")
}

/// What a column has that the page's patches can do: `merged form`.
pub(crate) fn with_form(form: &str) -> String {
    format!("with the patch, form “{form}”")
}

/// The sentence that the page begins with: the first and the last column, their latencies in microseconds.
pub(crate) fn verdict(slowest: &str, base: (&str, f64), subject: (&str, f64), contrast: Contrast) -> String {
    let (from, to) = (micros(base.1).text(), micros(subject.1).text());
    if contrast == Contrast::Nothing {
        return format!("Without the patch, {slowest} take {from} or more.");
    }
    let with = between(base.0, subject.0, contrast);
    let ratio = if subject.1 <= 0.0 { f64::INFINITY } else { base.1 / subject.1 };
    match (contrast, ratio) {
        (Contrast::Patch, ratio) if (0.8..1.25).contains(&ratio) => {
            format!("Here the patch changes little: {slowest} take {to} or more with it, {from} without.")
        }
        (_, ratio) if (0.8..1.25).contains(&ratio) => {
            format!("{with}, {slowest} change little: {from} or more before, {to} after.")
        }
        (_, ratio) if 1.0 < ratio => format!("{with}, {slowest} drop from {from} to {to}."),
        _ => format!("{with}, {slowest} rise from {from} to {to}."),
    }
}

/// What is compared, for the beginning of a sentence.
fn between(base: &str, subject: &str, contrast: Contrast) -> String {
    if contrast == Contrast::Patch {
        "With the patch".to_owned()
    } else {
        format!("From {base} to {subject}")
    }
}

/// The same for a workload without latencies.
pub(crate) fn no_verdict(title: &str) -> String {
    format!("{title}: see the timeline for what the threads do.")
}

/// How much better or worse, for the announcement to screen readers.
pub(crate) fn announce(figure: &str, columns: &[(String, f64)]) -> String {
    let mut parts: Vec<String> =
        columns.iter().map(|(name, us)| format!("{name} {}", micros(*us).text())).collect();
    if let [first, .., last] = columns
        && 0.0 < last.1
        && 0.0 < first.1
    {
        let (higher, lower, word) =
            if last.1 < first.1 { (first.1, last.1, "lower") } else { (last.1, first.1, "higher") };
        parts.push(format!("{} times {word}", factor(higher, lower)));
    }
    format!("New result, {}: {}.", latency_name(figure), parts.join(", "))
}

/// Low and high end.
pub(crate) fn interval(low: f64, high: f64) -> String {
    let (low, high) = (micros(low), micros(high));
    if low.unit == high.unit {
        format!("{}{THIN}–{THIN}{}", low.number, high.text())
    } else {
        format!("{} – {}", low.text(), high.text())
    }
}

/// Two things on one line.
pub(crate) fn joined(first: &str, second: &str) -> String {
    format!("{first} · {second}")
}

/// The headline figure of each column, for where the headline is out of sight.
pub(crate) fn in_short(figure: &str, columns: &[(String, f64)]) -> String {
    let parts: Vec<String> =
        columns.iter().map(|(name, us)| format!("{name} {}", micros(*us).text())).collect();
    format!("{figure}: {}", parts.join(" → "))
}

/// Two figures with their units.
pub(crate) fn from_to(low: &str, high: &str) -> String {
    if low == high { low.to_owned() } else { format!("{low} – {high}") }
}

/// Which seeds a band is made of.
pub(crate) fn band_of(runs: usize) -> String {
    format!("95{THIN}% of {} seeds", count(runs as u64))
}

pub(crate) const STRIP_LABEL: &str = "The wake-up latency of the headline for each column, on a logarithmic axis: the band over many seeds, this seed and the published figure.";
pub(crate) const KEY_SEED: &str = "this seed";
pub(crate) const KEY_BAND: &str = "middle 95 % of seeds, with their median";
pub(crate) const KEY_PUBLISHED: &str = "published by the patch’s author";

/// What happens in a scenario that shows a patch, in plain words.
pub(crate) fn story(slug: &str) -> Option<&'static [&'static str]> {
    match slug {
        "llc-spread" => Some(&[
            "Eight workers on eight CPUs each spin for a second, report, and sleep until their message thread wakes \
             them again. The CPUs form two clusters of four that share a cache. To wake its four workers, a message \
             thread needs a CPU too: one worker finds its place taken, moves over, and now and then two workers end \
             up on one CPU.",
            "A moment later the message thread goes to sleep, and its CPU has nothing to do. It looks for work. The \
             kernel without the patch asks how much utilisation it may pull: a whole CPU’s worth, less the little \
             that interrupts use. The waiting worker has been spinning, so it counts as a whole CPU. It is just too \
             big, and stays where it is until the other worker’s time slice ends: 12 ms, rounded up to the next \
             tick.",
            "The patch counts tasks instead wherever CPUs share a cache. Two there, none here: move one. What was \
             a wait of milliseconds takes microseconds.",
        ]),
        "ttwu-pending" => Some(&[
            "Two message threads wake sixteen workers each, one after the other, on 32 CPUs. To wake a worker on an idle \
             CPU that shares the cache, the waker only puts it on that CPU’s wake list and sets a flag: somebody is on \
             the way. The CPU notices, takes its wake list and puts the worker on its queue.",
            "The kernel without the patch clears the flag first and queues the worker afterwards. In between lies less \
             than a microsecond in which the CPU looks idle: no flag, nothing queued. The waker is at its next worker \
             by then. If that worker asks in this window, it is sent to the same CPU.",
            "Now two workers share a CPU, each of which wants to spin for 30 ms, and the CPU that was left over went \
             idle long ago, so that it does not look for work. The second worker waits until somebody else comes by, or \
             for a whole time slice: up to 13 ms.",
            "The patch clears the flag after the worker is queued, so that there is no window. The column “revert” never \
             had one, because there the waker queues the worker itself; but that makes every wake-up slower.",
        ]),
        _ => None,
    }
}

// The patch switch.
pub(crate) const SWITCH: &str = "The patch";
pub(crate) const OTHER_PATCHES: &str = "Other patches, to be tried on this scenario";
pub(crate) const OFF: &str = "Off";
pub(crate) const OFF_HELP: &str = "Both columns run the kernel without the patch.";

/// The last column has no patch, and more than two are compared, or others have it.
pub(crate) fn off_help(column: &str) -> String {
    format!("Column {column} runs the kernel without the patch.")
}

pub(crate) const RACE: &str = "Wake-ups that met the window";
pub(crate) const RACE_HELP: &str = "The window is the moment between the clearing of a CPU’s flag and the queueing of the \
     thread that was on its way there. A wake-up that looks at the CPU in this moment takes it for idle and puts a \
     second thread there.";
pub(crate) const RACE_OF: &str = "Wake-ups handed over to idle CPUs";
pub(crate) const MAIL: &str = "Read the mail";
pub(crate) const HUNKS: &str = "Where the patch edits the kernel, and what it decided there";
pub(crate) const HUNK_PLACE: &str = "Place";
pub(crate) const NOT_REACHED: &str = "never asked";

/// Who, when, and what became of it.
pub(crate) fn patch_origin(author: &str, date: &str, status: &str) -> String {
    format!("{author}, {date}; {status}.")
}

/// How often a place was reached and how often the patch answers otherwise.
pub(crate) fn hunk_count(asked: u64, changed: u64, is_active: bool) -> String {
    if asked == 0 {
        return NOT_REACHED.to_owned();
    }
    let times = if asked == 1 { "once".to_owned() } else { format!("{} times", count(asked)) };
    let verb = if is_active { "changed" } else { "would change" };
    format!("asked {times}, {verb} {}", count(changed))
}

/// Why a patch cannot be switched in this kernel.
pub(crate) fn impossible(era: &str, reason: &str) -> String {
    format!("Not possible on {era}: {reason}.")
}

// Charts.
pub(crate) const PERCENTILES: &str = "Percentiles";
pub(crate) const PERCENTILES_NOTE: &str = "wake-up latency, logarithmic";
pub(crate) const DISTRIBUTION: &str = "Distribution";
pub(crate) const DISTRIBUTION_NOTE: &str = "number of wake-ups by latency";
pub(crate) const AS_TABLE: &str = "Show as a table";
pub(crate) const LARGEST: &str = "max";
pub(crate) const BIN_HINT: &str = "Point at a bar to read it.";
pub(crate) const ALL_FIGURES: &str = "Show every figure and counter";
pub(crate) const SCROLLS: &str = "Table, scrolls sideways";
pub(crate) const PERCENTILE: &str = "Percentile";
pub(crate) const LATENCY: &str = "Latency";
pub(crate) const PERCENTILES_LABEL: &str = "Wake-up latency by percentile for each column, with bands over many seeds and published figures. The table below has the values.";
pub(crate) const DISTRIBUTION_LABEL: &str =
    "How many wake-ups of each column had which latency. The table below has the values.";

/// The heading of a band in a table.
pub(crate) fn band_heading(name: &str) -> String {
    format!("{name}, seeds")
}

/// The heading of published figures in a table.
pub(crate) fn published_heading(name: &str) -> String {
    format!("{name}, published")
}

/// How many of the samples waited long.
pub(crate) fn long_remark(long: u64, all: u64) -> String {
    format!("{} of {} took 1{THIN}ms or longer", count(long), count(all))
}

/// What a chosen bin holds.
pub(crate) fn bin(low: f64, high: f64) -> String {
    format!("Wake-ups from {} to {}", micros(low).text(), micros(high).text())
}

/// How many wake-ups of a column are in a bin.
pub(crate) fn in_bin(column: &str, number: u64) -> String {
    if number == 1 { format!("{column}: 1 wake-up") } else { format!("{column}: {} wake-ups", count(number)) }
}

// The editor.
pub(crate) const EDITOR: &str = "Scenario";
pub(crate) const UNDO: &str = "Undo";
pub(crate) const REDO: &str = "Redo";
pub(crate) const RESET: &str = "Reset to preset";
pub(crate) const START_FROM: &str = "Start from";
pub(crate) const AUTOMATIC: &str = "as the kernel sets it";
pub(crate) const EDITOR_NOTE: &str = "Every change runs at once.";

pub(crate) const OWN_SCENARIO: &str = "A scenario of your own";

/// Choices that cannot be taken now.
pub(crate) fn unavailable(labels: &[&str], reason: &str) -> String {
    sentence(&format!("Not to be chosen here: {} ({reason})", labels.join(", ")))
}

/// A column that has its own value.
pub(crate) fn own_value(column: &str, value: &str) -> String {
    format!("Column {column} has its own value: {value}.")
}

/// A field that differs from the preset, and what it is there.
pub(crate) fn changed_from(value: &str) -> String {
    if value.is_empty() { "undo, was empty".to_owned() } else { format!("undo, was {value}") }
}

/// How many fields of a group differ from the preset.
pub(crate) fn changes(number: usize) -> String {
    if number == 1 { "1 change".to_owned() } else { format!("{number} changes") }
}

/// How many values keep the typed scenario from running.
pub(crate) fn faults(number: usize) -> String {
    let values = if number == 1 { "1 value is" } else { &format!("{number} values are") };
    format!("{values} not possible; the last possible scenario is shown.")
}

/// A problem with a value.
pub(crate) fn problem(expected: &str, remedy: &str) -> String {
    sentence(&format!("Expected {expected}; {remedy}"))
}

// Seeds.
pub(crate) const SEEDS: &str = "Seeds";
pub(crate) const SEED: &str = "Seed";
pub(crate) const SEED_HELP: &str =
    "One seed is one run. All columns share it, so that they differ only by the patch.";
pub(crate) const PREVIOUS_SEED: &str = "Previous seed";
pub(crate) const NEXT_SEED: &str = "Next seed";
pub(crate) const NEW_SEED: &str = "New seed";
pub(crate) const BAND_SIZE: &str = "Seeds in the band";
pub(crate) const BAND_HELP: &str = "The band is computed in the background, from seed 1 on.";
pub(crate) const STOP: &str = "Stop";
pub(crate) const START_BAND: &str = "Compute";

/// How far the band is.
pub(crate) fn band_progress(done: usize, wanted: u32) -> String {
    format!("{} of {} seeds", count(done as u64), count(u64::from(wanted)))
}

/// The band is complete.
pub(crate) fn band_done(done: usize) -> String {
    format!("{} seeds", count(done as u64))
}

// Output and figures.
pub(crate) const OUTPUT: &str = "What the program printed";
pub(crate) const COMMAND: &str = "The same on the command line";
pub(crate) const COMPARE_COMMAND: &str = "The band on the command line";
pub(crate) const FIGURES: &str = "All figures of this seed";
pub(crate) const FIGURE: &str = "Figure";
pub(crate) const EVENTS: &str = "Events simulated";
pub(crate) const WALL_TIME: &str = "Time that the simulation took here";
pub(crate) const TRACE_HASH: &str = "Trace hash";
pub(crate) const TRACE_HASH_HELP: &str = "The hash of everything that happened. The same scenario and seed give the same hash in every browser and on the command line.";

/// The command that computes the band, from the one that runs the scenario.
pub(crate) fn compare_command(run: &str, wanted: u32) -> String {
    format!("{} --seeds 1..{wanted}", run.replacen("runqueue run", "runqueue compare", 1))
}

// Links.
pub(crate) const LINK_REFUSED: &str = "This link could not be opened";
pub(crate) const LINK_KEPT: &str = "The page keeps the scenario that it had.";
pub(crate) const LINK_SCENARIO_REFUSED: &str = "Its scenario cannot be run.";
pub(crate) const ENGINE_CHANGED: &str = "The simulator has changed since this link was made";
pub(crate) const ENGINE_CHANGED_BODY: &str =
    "The same scenario now gives another run. This is what the sender saw and what it is now:";

/// A problem with the place that it is at.
pub(crate) fn problem_at(path: &str, expected: &str, found: &str, remedy: &str) -> String {
    sentence(&format!("{path}: expected {expected}, found {found}; {remedy}"))
}

/// A headline figure then and now.
pub(crate) fn then_and_now(column: &str, then: f64, now: f64) -> String {
    format!("{column}: {} then, {} now", micros(then).text(), micros(now).text())
}

/// The version of the engine, for the foot of the page.
pub(crate) fn engine_version(version: &str) -> String {
    format!("Engine {version}")
}

// The footer.
pub(crate) const FOOT: [(&str, &str); 4] = [
    (
        "What this is",
        "A deterministic simulation of the Linux CPU scheduler, written in Rust, running in your browser. It decides \
         as the kernel’s fair and real-time classes and its load balancer decide, event by event. Nothing on this page \
         is recorded or scripted.",
    ),
    (
        "What the model leaves out",
        "Deadline threads, cgroups, caches and memory, and interrupts and daemons other than as a constant loss of \
         capacity. Microsecond costs are calibrated on the published medians, the work of a launch on its published \
         time before the patch. Millisecond tails and what the patches change are not calibrated, they emerge.",
    ),
    ("Privacy", PRIVACY),
    (
        "Licence",
        "MIT or Apache-2.0, at your choice. Not affiliated with the Linux kernel project, the Linux Foundation or \
         the authors of the patches. Linux is a trademark of Linus Torvalds.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        text.replace(THIN, " ")
    }

    #[test]
    fn the_verdict_says_which_way_it_went() {
        let slowest = HEADLINES[0].slowest;
        let said =
            |base, subject| plain(&verdict(slowest, ("base", base), ("patched", subject), Contrast::Patch));
        assert_eq!(
            said(14_640.0, 83.0),
            "With the patch, the slowest 1 % of wake\u{2011}ups drop from 14.6 ms to 83 µs."
        );
        assert!(said(83.0, 14_640.0).contains("rise from 83 µs to 14.6 ms"));
        assert!(said(50.0, 52.0).contains("changes little"));
        assert!(said(50.0, 0.0).contains("drop"), "nothing measured is less than something");
        let other = |contrast| plain(&verdict(slowest, ("direct", 14.0), ("list", 7.0), contrast));
        assert!(other(Contrast::Nothing).starts_with("Without the patch"));
        assert!(
            other(Contrast::Values)
                .starts_with("From direct to list, the slowest 1 % of wake\u{2011}ups drop")
        );
    }

    #[test]
    fn the_announcement_compares_first_and_last() {
        let said = announce("p99", &[("base".to_owned(), 14_640.0), ("patched".to_owned(), 83.0)]);
        assert_eq!(
            plain(&said),
            "New result, p99 wake-up latency: base 14.6 ms, patched 83 µs, 176 times lower."
        );
    }

    #[test]
    fn intervals_name_their_unit_once_where_it_is_one() {
        assert_eq!(plain(&interval(75.0, 94.0)), "75 – 94 µs");
        assert_eq!(plain(&interval(75.0, 7800.0)), "75 µs – 7.8 ms");
    }

    #[test]
    fn counters_say_would_change_only_while_the_patch_is_off() {
        assert_eq!(hunk_count(1204, 17, false), "asked 1204 times, would change 17");
        assert_eq!(hunk_count(1, 0, true), "asked once, changed 0");
        assert_eq!(hunk_count(0, 0, true), "never asked");
    }
}
