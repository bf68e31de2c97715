//! What the page says of several columns and of programs that count what they do.

use super::between;
use crate::band::{Amount, Paired};
use crate::columns::{Contrast, Yardstick};
use crate::format::{THIN, count, percents, signed_percent};

// What runs come down to where there are no latencies.
pub(crate) const THROUGHPUT_HELP: &str = "How often a second the program did what it counts: messages read, round trips, processes created or executed.";
pub(crate) const LAUNCH_HELP: &str =
    "From the tap on the application until its first picture is on the screen; a launch is one seed.";
pub(crate) const NO_LATENCIES_BUT_LAUNCH: &str = "This workload measures how long an application takes to start: see the headline and where the launch time goes.";
pub(crate) const MEAN_KEY: &str = "mean of the seeds, with its 95 % interval";
pub(crate) const BARS_LABEL: &str = "The mean of each column as a bar from zero with its 95 % interval, the value of this seed, and the published one where there is one. The figures beside it say the same.";
pub(crate) const CHANGE: &str = "change";
pub(crate) const CHANGE_KEY: &str = "mean change over pairs of runs with one seed, with its 95 % interval";
pub(crate) const SMALL_KEY: &str = "within ±2 %";
pub(crate) const CHANGE_LABEL: &str = "The change from the first column to each other one in per cent, with its 95 % interval, on an axis around 0. The figures beside it say the same.";
pub(crate) const CHANGE_WAITS: &str =
    "The change is computed from pairs of runs that share a seed, as soon as there are twenty.";

/// The sentence that the page begins with where runs come down to one figure.
pub(crate) fn figure_verdict(
    yardstick: &Yardstick,
    base: (&str, f64),
    subject: (&str, f64),
    contrast: Contrast,
    paired: Option<Paired>,
) -> String {
    let Yardstick { subject: what, verb, number, .. } = yardstick;
    if contrast == Contrast::Nothing {
        return format!("{} {verb} {} without the patch.", base.0, number(base.1).text());
    }
    let Some(paired) = paired else {
        let (from, to) = (number(base.1).text(), number(subject.1).text());
        return format!(
            "This seed: {from} in {}, {to} in {}. More seeds will tell what is chance.",
            base.0, subject.0
        );
    };
    let with = between(base.0, subject.0, contrast);
    let interval = change_interval(paired);
    let pairs = count(paired.pairs as u64);
    match paired.amount() {
        Amount::Same => format!("{with}, {what} is exactly the same in each of {pairs} seeds."),
        Amount::Unchanged => {
            let mean = signed_percent(paired.mean);
            format!("{with}, {what} is unchanged: {mean} (95{THIN}% interval {interval}).")
        }
        Amount::Higher => {
            let mean = percents(paired.mean);
            format!("{with}, {what} rises by {mean} (95{THIN}% interval {interval}).")
        }
        Amount::Lower => {
            let mean = percents(-paired.mean);
            format!("{with}, {what} falls by {mean} (95{THIN}% interval {interval}).")
        }
        Amount::Open => {
            format!("{with}, {what} changes by something between {interval}; {pairs} seeds cannot tell more.")
        }
    }
}

/// The 95 % interval of a change.
pub(crate) fn change_interval(paired: Paired) -> String {
    format!("{} to {}", signed_percent(paired.low), signed_percent(paired.high))
}

/// The figure of each column, for the announcement to screen readers.
pub(crate) fn announce_figure(yardstick: &Yardstick, columns: &[(String, f64)]) -> String {
    format!("New result, {}: {}.", yardstick.name, figures_of(yardstick, columns).join(", "))
}

/// The figure of each column, for where the headline is out of sight.
pub(crate) fn figure_in_short(yardstick: &Yardstick, columns: &[(String, f64)]) -> String {
    format!("{}: {}", yardstick.name, figures_of(yardstick, columns).join(" → "))
}

fn figures_of(yardstick: &Yardstick, columns: &[(String, f64)]) -> Vec<String> {
    columns.iter().map(|(name, value)| format!("{name} {}", (yardstick.number)(*value).text())).collect()
}

// The columns of the editor.
pub(crate) const COLUMNS: &str = "Columns";
pub(crate) const ANOTHER_COLUMN: &str = "One more column";
pub(crate) const COPY_OF: &str = "A copy of";
pub(crate) const DIFFERING_IN: &str = "that differs in";
pub(crate) const ADD_COLUMN: &str = "Add column";
pub(crate) const ADD_COLUMN_HELP: &str =
    "It begins with the next possible value, which can be changed above. The last column stays the last.";
pub(crate) const NO_MORE_COLUMNS: &str = "There can be no more columns than these.";
pub(crate) const AS_ALL_COLUMNS: &str = "as all columns";

/// How many columns are compared.
pub(crate) fn columns(number: usize) -> String {
    if number == 1 { "1 column".to_owned() } else { format!("{number} compared") }
}

/// Which column it is.
pub(crate) fn column_number(number: usize) -> String {
    format!("Name of column {number}")
}

/// What a button does.
pub(crate) fn remove_column(name: &str) -> String {
    format!("Remove column {name}")
}

// The sweep.
pub(crate) const SWEEP: &str = "Close to the number of CPUs";
pub(crate) const SWEEP_NOTE: &str = "share of wake-ups of 1 ms and more, by threads a group";
pub(crate) const SWEEP_START: &str = "Run the sweep";
pub(crate) const SWEEP_MEAN: &str = "mean of seeds";
pub(crate) const SWEEP_ENDS: &str = "lowest to highest seed";
pub(crate) const SWEEP_THREADS: &str = "Threads (-t)";
pub(crate) const SWEEP_LABEL: &str = "The share of wake-ups that took a millisecond or longer against the number of threads, one line a column, from the lowest to the highest seed, with a mark where there are as many workers as CPUs. The table below has the values.";

/// What the sweep would do.
pub(crate) fn sweep_offer(label: &str, (first, last): (u64, u64), seeds: u32) -> String {
    format!(
        "Does it matter only when there are about as many workers as CPUs? This runs every column with {label} from \
         {first} to {last}, {seeds} seeds each."
    )
}

/// How far the sweep is.
pub(crate) fn sweep_progress(done: usize, all: usize) -> String {
    format!("{} of {} runs of every column", count(done as u64), count(all as u64))
}

/// The sweep was stopped.
pub(crate) fn sweep_stopped(progress: &str) -> String {
    format!("Stopped after {progress}.")
}

/// What the complete sweep shows.
pub(crate) fn sweep_done(seeds: u32) -> String {
    format!(
        "Mean of {seeds} seeds, with a line from the lowest to the highest of them. Point at a number to read it."
    )
}

/// What is marked.
pub(crate) fn sweep_mark(groups: u64, cpus: u64) -> String {
    format!("{groups} × t = {cpus} CPUs")
}

/// A value of the sweep.
pub(crate) fn sweep_value(value: u64) -> String {
    format!("t = {value}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::THROUGHPUT;

    fn plain(text: &str) -> String {
        text.replace(THIN, " ")
    }

    #[test]
    fn a_throughput_is_unchanged_changed_or_open() {
        let said = |paired| {
            let (base, patched) = (("base", 1000.0), ("patched", 990.0));
            plain(&figure_verdict(&THROUGHPUT, base, patched, Contrast::Patch, paired))
        };
        let of = |low: f64, high: f64| Some(Paired { mean: f64::midpoint(low, high), low, high, pairs: 200 });
        assert_eq!(
            said(of(-0.4, 0.6)),
            "With the patch, throughput is unchanged: +0.1 % (95 % interval −0.4 % to +0.6 %)."
        );
        assert!(said(of(-9.0, -7.0)).contains("falls by 8 %"), "{}", said(of(-9.0, -7.0)));
        assert!(said(of(0.5, 1.5)).contains("rises by 1 %"), "{}", said(of(0.5, 1.5)));
        assert!(said(of(-5.0, 3.0)).contains("cannot tell"), "{}", said(of(-5.0, 3.0)));
        assert!(said(of(0.0, 0.0)).contains("exactly the same"), "{}", said(of(0.0, 0.0)));
        assert!(said(None).starts_with("This seed: 1 k/s in base, 990 /s in patched."), "{}", said(None));
    }
}
