//! What the mail of `ttwu-pending` calls unchanged: hackbench and tests of UnixBench, on the 32-CPU virtual machine.
//!
//! What their calls cost is assumed and not calibrated, so that these tests say by how much the patch changes a
//! throughput and not what it is. The mail has no figures. Unchanged is: the 95 % interval of the paired change lies
//! within ±2 %, and 0 is no worse a value for it than the seed rule allows, which is the 99.9 % interval. Two cases are
//! not unchanged, and stand here as they are.

use engine::{Counters, Engine, Options, RunState};
use metrics::{Band, Interval, RunFacts, RunMetrics};
use scenario::{Scenario, Setup};

use crate::runs::scenario;
use crate::seeds::seeds;

/// Columns of the presets.
const BASE: usize = 0;
const PATCHED: usize = 1;

/// By how much the patch changes a throughput, seed by seed.
struct Change {
    what: String,
    /// In percent of base.
    mean: f64,
    /// Where the mean over all seeds lies, with a confidence of 95 %.
    likely: Interval,
    /// The same with 99.9 %.
    certain: Interval,
    /// Whether no seed had any difference at all.
    is_nothing: bool,
    base: Vec<Counters>,
    patched: Vec<Counters>,
}

/// The numbers of seeds that tests take, with the 97.5 % quantile of Student's distribution for each.
#[derive(Clone, Copy)]
enum Seeds {
    Twelve,
    Thirty,
    Hundred,
}

impl Seeds {
    fn count_and_quantile(self) -> (usize, f64) {
        match self {
            Seeds::Twelve => (12, 2.201),
            Seeds::Thirty => (30, 2.045),
            Seeds::Hundred => (100, 1.984),
        }
    }
}

/// One run to its end: its throughput and what was counted.
fn run(scenario: &Scenario, column: usize, seed: u64) -> (f64, Counters) {
    let mut engine = Engine::new(&Setup { seed, ..scenario.setup(column) }, Options::default());
    let progress = engine.run_to_end();
    assert_eq!(progress.state, RunState::Finished);
    let work = engine.workload().work().expect("the workload counts what it does");
    let facts = RunFacts { simulated_ns: progress.now.0, ..RunFacts::default() };
    let throughput = RunMetrics::of_work(&work, &facts).get("throughput_per_s").expect("work has one");
    assert!(0.0 < throughput, "something was done");
    (throughput, engine.counters().clone())
}

fn change(preset: &str, settings: &[(&str, &str)], count: Seeds) -> Change {
    let scenario = scenario(preset, settings);
    let (count, student) = count.count_and_quantile();
    let mut percents = Vec::new();
    let (mut base, mut patched) = (Vec::new(), Vec::new());
    for seed in seeds().into_iter().take(count) {
        let [before, after] = [BASE, PATCHED].map(|column| run(&scenario, column, seed));
        percents.push((after.0 - before.0) / before.0 * 100.0);
        base.push(before.1);
        patched.push(after.1);
    }
    let Band { mean, mean_interval: certain, .. } = Band::of(&percents).expect("there are runs");
    let squares: f64 = percents.iter().map(|percent| (percent - mean) * (percent - mean)).sum();
    let half = student * (squares / (count - 1) as f64 / count as f64).sqrt();
    let likely = Interval { from: mean - half, to: mean + half };
    let what = format!("{preset} {settings:?}");
    println!("{what}: {mean:.3} %, 95 % {:.3} to {:.3}, {count} seeds", likely.from, likely.to);
    let is_nothing = percents.iter().all(|percent| *percent == 0.0);
    Change { what, mean, likely, certain, is_nothing, base, patched }
}

fn sum(counters: &[Counters], of: fn(&Counters) -> u64) -> u64 {
    counters.iter().map(of).sum()
}

impl Change {
    fn assert_within(&self, from: f64, to: f64) {
        let Change { what, mean, likely, .. } = self;
        let is_within = from <= likely.from && likely.to <= to;
        assert!(is_within, "{what}: {mean:.3} % in {likely:?}, not within {from} to {to}");
    }

    fn assert_unchanged(&self) {
        self.assert_within(-2.0, 2.0);
        assert!(self.certain.contains(0.0), "{}: {:?} % is not nothing", self.what, self.certain);
    }

    /// That the patch had something to do: base wakes into windows, and patched does not.
    fn assert_has_races(&self) {
        assert!(0 < sum(&self.base, |counters| counters.race_hits), "{}: nothing raced", self.what);
        assert_eq!(sum(&self.patched, |counters| counters.race_hits), 0, "{}", self.what);
    }
}

#[test]
fn alone_no_test_of_unixbench_changes_at_all() {
    for (preset, settings) in [
        ("vm32-context1", [("workload.copies", "1"), ("workload.runtime_ms", "100")]),
        ("vm32-spawn", [("workload.copies", "1"), ("workload.runtime_ms", "100")]),
        ("vm32-execl", [("workload.copies", "1"), ("workload.runtime_ms", "300")]),
        // Who executes programs wakes nobody, however many do.
        ("vm32-execl", [("workload.copies", "32"), ("workload.runtime_ms", "100")]),
        ("vm32-execl", [("workload.copies", "48"), ("workload.runtime_ms", "100")]),
    ] {
        let change = change(preset, &settings, Seeds::Thirty);
        assert!(change.is_nothing, "{}: {} %", change.what, change.mean);
    }
}

#[test]
fn pipe_switches_are_unchanged_with_a_pair_for_each_cpu() {
    let change = change("vm32-context1", &[], Seeds::Thirty);
    change.assert_has_races();
    change.assert_unchanged();
}

#[test]
fn hackbench_over_pipes_is_unchanged() {
    let change = change("vm32-hackbench", &[("workload.transport", "pipe")], Seeds::Hundred);
    change.assert_has_races();
    change.assert_unchanged();
}

#[test]
fn hackbench_over_sockets_is_unchanged_when_it_lasts_longer_than_by_default() {
    let change = change("vm32-hackbench", &[("workload.loops", "1000")], Seeds::Twelve);
    change.assert_has_races();
    change.assert_unchanged();
}

/// Not what the mail says. The default options last 40 ms here. In base, tasks that race into one CPU wait for each
/// other; more messages have arrived when a receiver gets its turn, so that fewer wake-ups carry them all.
#[test]
fn hackbench_over_sockets_loses_a_little_in_its_first_forty_milliseconds() {
    let change = change("vm32-hackbench", &[], Seeds::Thirty);
    change.assert_has_races();
    // -1.4 %, 95 % from -2.2 to -0.5: a little beyond what is called unchanged above.
    change.assert_within(-3.0, 0.0);
    let wakeups = |counters: &[Counters]| sum(counters, |counters| counters.wakeups);
    assert!(wakeups(&change.base) < wakeups(&change.patched), "{}", change.what);
}

/// Not what the mail says either: parents and children that race into one CPU wait for each other, and nothing makes up
/// for it.
#[test]
fn process_creation_gains_a_little_with_a_parent_for_each_cpu() {
    let change = change("vm32-spawn", &[("workload.runtime_ms", "100")], Seeds::Thirty);
    change.assert_has_races();
    change.assert_within(0.0, 3.0);
    assert!(!change.certain.contains(0.0), "{}: it may be unchanged after all", change.what);
    let wasted = |counters: &[Counters]| sum(counters, |counters| counters.wait_while_idle_ns);
    assert!(wasted(&change.patched) < wasted(&change.base), "{}", change.what);
}
