//! `ttwu-pending` on the 32-CPU virtual machine: C1 to C11, and what would show that the mechanism is another one.

use std::sync::LazyLock;

use metrics::{Band, Rank};

use crate::runs::{
    Run, assert_same_figures, at_least, figure, mean_within, median_within, over_few_seeds, scenario,
};

const PRESET: &str = "vm32-schbench";
/// Columns of the preset.
const BASE: usize = 0;
const REVERT: usize = 1;
const PATCHED: usize = 2;

/// The columns of the preset, which most tests look at.
static COLUMNS: LazyLock<[Vec<Run>; 3]> = LazyLock::new(|| [BASE, REVERT, PATCHED].map(|at| column(at, &[])));

/// The base column without a window.
static WITHOUT_WINDOW: LazyLock<Vec<Run>> = LazyLock::new(|| column(BASE, &[("costs.window_ns", "0")]));

/// Up to here wake-ups wait for the waker only, and what follows is the tail.
const BODY: [Rank; 4] = [Rank::P50, Rank::P75, Rank::P90, Rank::P95];

fn column(at: usize, settings: &[(&str, &str)]) -> Vec<Run> {
    over_few_seeds(&scenario(PRESET, settings), at)
}

/// The costs at which the model's own sweep of the window was made: a waker that is quick to block.
fn quick_to_block(at: usize, window_ns: &str) -> Vec<Run> {
    column(
        at,
        &[("costs.window_ns", window_ns), ("costs.block_path_ns", "700"), ("costs.kick_idle_ns", "600")],
    )
}

fn rank(runs: &[Run], rank: Rank) -> Vec<f64> {
    figure(runs, |run| run.printed(rank))
}

fn mean_share(runs: &[Run]) -> f64 {
    figure(runs, Run::share_over_1ms).iter().sum::<f64>() / runs.len() as f64
}

#[test]
fn c1_most_wake_ups_are_as_fast_with_the_patch_as_without() {
    let [base, _, patched] = &*COLUMNS;
    for (at, (least, most)) in BODY.into_iter().zip([(7.0, 11.0), (10.0, 14.0), (13.0, 17.0), (14.0, 20.0)]) {
        median_within(&rank(base, at), least, most, &format!("C1 base {at:?}"));
        median_within(&rank(patched, at), least, most, &format!("C1 patched {at:?}"));
        // The band speaks of distributions: a run whose tail reaches down to its p95 is rare, but there is one.
        let apart = |(base, patched): (&Run, &Run)| patched.printed(at) - base.printed(at);
        let differences: Vec<f64> = base.iter().zip(patched).map(apart).collect();
        median_within(&differences, -1.0, 1.0, &format!("C1 patched less base {at:?}"));
        let equal = differences.iter().filter(|difference| difference.abs() <= 1.0).count();
        let fewest = metrics::fewest_passing(0.95, differences.len());
        assert!(fewest <= equal, "C1 {at:?}: only {equal} of {} runs are equal", differences.len());
    }
}

#[test]
fn c2_the_revert_is_slower_for_all_and_has_no_tail() {
    let [base, revert, _] = &*COLUMNS;
    for at in BODY {
        let ratios: Vec<f64> =
            base.iter().zip(revert).map(|(base, revert)| revert.printed(at) / base.printed(at)).collect();
        median_within(&ratios, 1.25, 1.6, &format!("C2 revert over base at {at:?}"));
    }
    at_least(0.95, revert, "C2 revert p99.9 below 1 ms", |run| run.printed(Rank::P999) < 1_000.0);
    assert!(revert.iter().all(|run| run.counters.race_hits == 0), "nothing goes through a wake list");
}

#[test]
fn c3_the_last_percent_begins_where_one_stack_was_mended() {
    let [base, revert, patched] = &*COLUMNS;
    for (name, runs) in [("base", base), ("revert", revert), ("patched", patched)] {
        median_within(&rank(runs, Rank::P99), 22.0, 34.0, &format!("C3 {name} p99"));
    }
    let highest = |runs: &[Run]| Band::of(&rank(runs, Rank::P99)).expect("there are runs").median;
    assert!(
        highest(base) < highest(revert) && highest(patched) < highest(revert),
        "C3 the revert's is highest"
    );
}

#[test]
fn c4_to_c6_base_has_a_tail_of_slices() {
    let base = &COLUMNS[BASE];
    at_least(0.95, base, "C4 base share of 1 ms and more", |run| {
        (0.0025..=0.012).contains(&run.share_over_1ms())
    });
    at_least(0.90, base, "C5 base p99.9 is a slice", |run| {
        (12_000.0..=13_100.0).contains(&run.printed(Rank::P999))
    });
    at_least(0.95, base, "C6 base p99.5", |run| (22.0..=12_500.0).contains(&run.printed(Rank::P995)));
    for run in base.iter().filter(|run| 0.005 < run.share_over_1ms()) {
        assert!(1_000.0 < run.printed(Rank::P995), "C6: p99.5 {} µs", run.printed(Rank::P995));
    }
}

#[test]
fn c5_a_slice_ends_at_a_tick() {
    let base = column(BASE, &[("kernel.hz", "250")]);
    at_least(0.90, &base, "C5 base p99.9 at HZ 250", |run| {
        (12_000.0..=16_100.0).contains(&run.printed(Rank::P999))
    });
    // With ticks of 1 ms no slice lasts so long.
    median_within(&rank(&base, Rank::P999), 13_100.0, 16_100.0, "C5 base p99.9 depends on HZ");
}

#[test]
fn c7_patched_has_no_tail() {
    let patched = &COLUMNS[PATCHED];
    at_least(0.95, patched, "C7 patched p99.5 and p99.9", |run| {
        run.printed(Rank::P995) <= 35.0 && run.printed(Rank::P999) <= 35.0
    });
    mean_within(&figure(patched, Run::share_over_1ms), 0.0, 0.0006, "C7 patched share of 1 ms and more");
}

#[test]
fn c8_with_cpus_to_spare_the_patch_does_not_matter() {
    for threads in ["15", "14", "12", "8"] {
        let [base, patched] = [BASE, PATCHED].map(|at| column(at, &[("workload.threads", threads)]));
        assert_same_figures(&base, &patched, &format!("C8, t = {threads}"));
        for run in base.iter().chain(&patched) {
            assert!(run.max_us() < 40, "C8, t = {threads}: {} µs", run.max_us());
        }
    }
}

#[test]
fn c9_without_a_window_there_is_no_tail() {
    let shares = figure(&WITHOUT_WINDOW, Run::share_over_1ms);
    mean_within(&shares, 0.0, 0.0003, "C9 base share of 1 ms and more");
    assert!(mean_share(&WITHOUT_WINDOW) < 0.0003);
}

#[test]
fn c10_a_longer_window_makes_a_bigger_tail() {
    let shares = ["250", "500", "800", "1200"].map(|window| mean_share(&quick_to_block(BASE, window)));
    println!("C10 shares by window, quick to block: {shares:?}");
    assert!(shares.is_sorted_by(|shorter, longer| shorter < longer), "C10: {shares:?}");
    let at_1us = mean_share(&column(BASE, &[("costs.window_ns", "1000")]));
    let at_0 = mean_share(&WITHOUT_WINDOW);
    println!("C10 shares at the preset's costs: {at_1us} at 1 µs, {at_0} without a window");
    assert!(3.0 * at_0 <= at_1us, "C10: {at_1us} at 1 µs, {at_0} without a window");
}

#[test]
fn c10_short_windows_already_have_the_effect() {
    for window in ["500", "800"] {
        let [base, patched] = [BASE, PATCHED].map(|at| quick_to_block(at, window));
        for (base, patched) in base.iter().zip(&patched) {
            let (base, patched) = (base.share_over_1ms(), patched.share_over_1ms());
            assert!(patched < base, "window {window} ns: {base} in base, {patched} in patched");
        }
        assert!(0.0025 <= mean_share(&base), "window {window} ns");
    }
}

#[test]
fn c11_base_wakes_into_the_window_and_patched_never_does() {
    let [base, _, patched] = &*COLUMNS;
    assert!(base.iter().all(|run| 0 < run.counters.race_hits));
    assert!(patched.iter().all(|run| run.counters.race_hits == 0));
    let hits = figure(base, |run| run.counters.race_hits as f64);
    println!("C11 wake-ups into the window: {:?}", Band::of(&hits));
}

/// A stack that is mended costs what the newidle balance takes, so that a quicker one leaves no bigger tail.
#[test]
fn a_quicker_newidle_balance_leaves_no_bigger_tail() {
    let of =
        |runs: &[Run]| Band::of(&figure(runs, Run::share_over_1ms)).expect("there are runs").mean_interval;
    let patched = &COLUMNS[PATCHED];
    for newidle_ns in ["3000", "0"] {
        let quicker = column(PATCHED, &[("costs.newidle_balance_ns", newidle_ns)]);
        for (patched, quicker) in patched.iter().zip(&quicker) {
            for at in [Rank::P99, Rank::P995, Rank::P999] {
                let (patched, quicker) = (patched.printed(at), quicker.printed(at));
                assert!(quicker < patched, "newidle {newidle_ns} ns, {at:?}: {quicker} and {patched} µs");
            }
        }
        println!(
            "shares at a newidle balance of {newidle_ns} ns {:?}, of 6000 ns {:?}",
            of(&quicker),
            of(patched)
        );
        assert!(of(&quicker).from <= of(patched).to, "newidle {newidle_ns} ns");
    }
}
