//! `llc-spread` on the HiKey 620: B1 to B11 and the falsifiers (i) to (vi).

use kernel::Patch;
use metrics::Rank;
use scenario::Scenario;

use crate::runs::{
    Run, assert_same_figures, at_least, at_most, figure, mean_within, median_within, over_seeds,
    quantile_within, scenario,
};

const PRESET: &str = "hikey-schbench";
/// Columns of the preset.
const BASE: usize = 0;
const PRE_REWORK: usize = 1;
const PATCHED: usize = 2;

/// A slice, in microseconds: 24 ms for two tasks, rounded up to a tick of 4 ms, and 0.1 ms for the batch before it.
const SLICE_US: std::ops::RangeInclusive<f64> = 12_000.0..=16_100.0;

fn both(settings: &[(&str, &str)]) -> (Vec<Run>, Vec<Run>) {
    let scenario = scenario(PRESET, settings);
    (over_seeds(&scenario, BASE), over_seeds(&scenario, PATCHED))
}

fn rank(runs: &[Run], rank: Rank) -> Vec<f64> {
    figure(runs, |run| run.printed(rank))
}

#[test]
fn b1_medians_are_those_of_the_board() {
    let (base, patched) = both(&[]);
    for (column, runs) in [("base", &base), ("patched", &patched)] {
        median_within(&rank(runs, Rank::P50), 27.0, 39.0, &format!("{column} p50"));
        median_within(&rank(runs, Rank::P75), 38.0, 52.0, &format!("{column} p75"));
        median_within(&rank(runs, Rank::P90), 44.0, 60.0, &format!("{column} p90"));
    }
    let ratios: Vec<f64> = base
        .iter()
        .zip(&patched)
        .map(|(base, patched)| patched.printed(Rank::P50) / base.printed(Rank::P50))
        .collect();
    median_within(&ratios, 0.9, 1.25, "patched p50 over base p50");
}

#[test]
fn b2_to_b5_base_waits_for_a_slice() {
    let base = over_seeds(&scenario(PRESET, &[]), BASE);
    for run in &base {
        let printed = run.percentiles();
        assert_eq!(printed[4..], [printed[4]; 3], "80 samples have one largest");
        let max = run.samples.iter().map(|sample| sample.latency_us).max().expect("a run has samples");
        let bucket = metrics::Bucket::of(max);
        assert_eq!(printed[4], bucket.value_us, "p99 is the bucket of the largest latency, {max} µs");
    }
    let p99 = rank(&base, Rank::P99);
    at_least(0.95, &base, "B3 base p99 is a slice", |run| SLICE_US.contains(&run.printed(Rank::P99)));
    median_within(&p99, 14_000.0, 15_200.0, "B3 base p99");
    quantile_within(0.025, &p99, 0.0, 14_288.0, "B3 published p99 above the low end");
    quantile_within(0.975, &p99, 14_288.0, f64::INFINITY, "B3 published p99 below the high end");
    let p95 = rank(&base, Rank::P95);
    median_within(&p95, 300.0, 4_000.0, "B4 base p95");
    quantile_within(0.025, &p95, 0.0, 60.0, "B4 base p95, low end");
    quantile_within(0.975, &p95, 7_000.0, f64::INFINITY, "B4 base p95, high end");
    mean_within(&figure(&base, |run| run.wakes_from(1_000).len() as f64), 3.0, 6.0, "B5 long wakes of a run");
    let by_slice = |run: &Run| {
        let long = run.wakes_from(1_000).len();
        run.wakes_from(12_000).len() as f64 / long.max(1) as f64
    };
    let with_long: Vec<f64> =
        base.iter().filter(|run| !run.wakes_from(1_000).is_empty()).map(by_slice).collect();
    mean_within(&with_long, 0.35, 0.65, "B5 share of long wakes that end by slice");
}

#[test]
fn b6_patched_never_waits_for_a_slice() {
    let patched = over_seeds(&scenario(PRESET, &[]), PATCHED);
    at_least(1.0, &patched, "B6 patched p95 below 100 µs", |run| run.printed(Rank::P95) < 100.0);
    at_least(0.75, &patched, "B6 patched p99 in 70 to 110 µs", |run| {
        (70.0..=110.0).contains(&run.printed(Rank::P99))
    });
    at_most(0.05, &patched, "B6 patched p99 of 12 ms", |run| 12_000.0 <= run.printed(Rank::P99));
    // Falsifier (vi): the wake-up path must still stack tasks; what mends it is the balancer.
    mean_within(
        &figure(&patched, |run| run.counters.stacked_wakeups as f64),
        1.0,
        80.0,
        "(vi) stacked wake-ups",
    );
    mean_within(&figure(&patched, |run| run.counters.newidle_pulls as f64), 1.0, 40.0, "(vi) newidle pulls");
}

#[test]
fn b7_the_tail_shrinks_a_hundredfold() {
    let (base, patched) = both(&[]);
    let ratios: Vec<f64> = base
        .iter()
        .zip(&patched)
        .map(|(base, patched)| base.printed(Rank::P99) / patched.printed(Rank::P99))
        .collect();
    median_within(&ratios, 100.0, f64::INFINITY, "B7 base p99 over patched p99");
}

#[test]
fn b8_with_a_tick_of_a_millisecond_the_slice_is_thirteen() {
    let base = over_seeds(&scenario(PRESET, &[("kernel.hz", "1000")]), BASE);
    at_least(0.95, &base, "B8 base p99 at HZ 1000", |run| {
        (12_000.0..=13_100.0).contains(&run.printed(Rank::P99))
    });
    let longest = figure(&base, |run| run.printed(Rank::P999));
    assert!(longest.iter().all(|us| *us <= 13_200.0), "no wait outlasts slice and tick");
}

#[test]
fn b9_a_short_sleep_leaves_only_the_longest_wait() {
    let base = over_seeds(&scenario(PRESET, &[("workload.sleep_us", "1000")]), BASE);
    at_least(0.90, &base, "B9 base p95 below 100 µs", |run| run.printed(Rank::P95) < 100.0);
    at_least(0.85, &base, "B9 base p99 of 12 ms", |run| 12_000.0 <= run.printed(Rank::P99));
}

#[test]
fn b10_the_base_balancer_refuses_for_utilisation() {
    let (base, patched) = both(&[]);
    mean_within(
        &figure(&base, |run| run.counters.util_refusals as f64),
        20.0,
        f64::INFINITY,
        "B10 base refusals",
    );
    mean_within(&figure(&patched, |run| run.counters.util_refusals as f64), 0.0, 1.0, "B10 patched refusals");
}

#[test]
fn b11_with_a_cpu_to_spare_the_patch_does_not_matter() {
    let (base, patched) = both(&[("workload.threads", "3")]);
    assert_same_figures(&base, &patched, "B11");
    for (base, patched) in base.iter().zip(&patched) {
        assert!(base.wakes_from(100).is_empty(), "B11: nothing waits at t = 3");
        if base.hunks.iter().all(|hunk| hunk.would_change[0] == 0) {
            assert_eq!(base.trace_hash, patched.trace_hash, "a patch that changes no answer changes nothing");
        }
    }
}

#[test]
fn falsifier_i_what_refuses_is_utilisation() {
    for settings in [[("kernel.capacity", "3000")], [("kernel.util_test", "off")]] {
        let (base, patched) = both(&settings);
        assert_same_figures(&base, &patched, settings[0].0);
    }
}

#[test]
fn falsifier_ii_what_mends_is_the_newidle_balance() {
    let patched = over_seeds(&scenario(PRESET, &[("kernel.newidle", "off")]), PATCHED);
    median_within(&rank(&patched, Rank::P99), 12_000.0, 16_100.0, "(ii) patched p99 without newidle");
}

#[test]
fn falsifier_iii_a_short_slice_caps_the_wait() {
    let base = over_seeds(
        &scenario(PRESET, &[("kernel.min_granularity_ns", "3000000"), ("kernel.latency_ns", "6000000")]),
        BASE,
    );
    for run in &base {
        // A slice of 3 ms and a tick of 4 ms, and the batch before the wait as everywhere.
        let longest = run.samples.iter().map(|sample| sample.latency_us).max();
        assert!(longest <= Some(7_100), "(iii) waited {longest:?} µs");
    }
    at_least(0.5, &base, "(iii) base still has a tail", |run| 1_000.0 <= run.printed(Rank::P99));
}

#[test]
fn falsifier_iv_a_search_by_utilisation_leaves_no_tail_to_mend() {
    // The balancer is that of the base column: without the patch, which v6.1 has.
    let scenario = scenario(PRESET, &[("kernel.era", "v6.1")]);
    assert_eq!(scenario.resolved(BASE).patch_value(Patch::LlcSpread), "off");
    let base = over_seeds(&scenario, BASE);
    let long: usize = base.iter().map(|run| run.wakes_from(1_000).len()).sum();
    let wakes: usize = base.iter().map(|run| run.wakes_from(0).len()).sum();
    println!("(iv) {long} of {wakes} wake-ups take 1 ms or more");
    assert!(long * 200 < wakes, "(iv) {long} of {wakes} wake-ups take 1 ms or more");
}

#[test]
fn falsifier_v_nothing_waits_longer_than_slice_and_tick() {
    for run in over_seeds(&scenario(PRESET, &[]), BASE) {
        let longest = run.samples.iter().map(|sample| sample.latency_us).max();
        assert!(longest <= Some(16_200), "(v) waited {longest:?} µs");
    }
}

/// V7 of `model/ground-truth.md`: what a real v5.10 kernel did in an emulated guest, by the same command.
#[test]
fn v7_base_and_patched_part_as_on_a_real_kernel() {
    let (base, patched) = both(&[]);
    at_least(5.0 / 6.0, &base, "V7 base p99 in 8 to 16 ms", |run| {
        (8_000.0..=16_000.0).contains(&run.printed(Rank::P99))
    });
    at_least(5.0 / 6.0, &patched, "V7 patched p99 below 1 ms", |run| run.printed(Rank::P99) < 1_000.0);
    let wasted = |runs: &[Run]| figure(runs, |run| run.counters.wait_while_idle_ns as f64);
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        metrics::quantile(&values, 0.5)
    };
    let (base, patched) = (median(wasted(&base)), median(wasted(&patched)));
    println!("V7 waiting beside an idle CPU: {base} ns base, {patched} ns patched (medians)");
    assert!(3.0 * patched <= base, "V7: {base} ns in base, {patched} ns patched");
}

/// The rival form of the thread that this board cannot tell from the merged one, and the one that helps less.
#[test]
fn rival_forms_do_what_the_thread_said() {
    let form = |name: &str| -> Scenario {
        let mut scenario = scenario(PRESET, &[]);
        scenario.columns[PATCHED].set("patches.llc-spread", name).expect("the form exists");
        scenario
    };
    let merged = over_seeds(&form("merged"), PATCHED);
    let group_weight = over_seeds(&form("group_weight"), PATCHED);
    at_least(0.75, &group_weight, "group_weight p99 in 70 to 110 µs", |run| {
        (70.0..=110.0).contains(&run.printed(Rank::P99))
    });
    let tail = |runs: &[Run]| figure(runs, |run| run.wakes_from(1_000).len() as f64).iter().sum::<f64>();
    let shift = over_seeds(&form("shift"), PATCHED);
    assert!(tail(&merged) * 10.0 < tail(&shift), "the shift form helps less");
}

/// The mail repairs a regression: the kernel before the rework of the balancer leaves nobody waiting for a slice, and
/// the rework on that same kernel does.
#[test]
fn the_rework_brought_the_wait() {
    let before = over_seeds(&scenario(PRESET, &[]), PRE_REWORK);
    median_within(&rank(&before, Rank::P50), 27.0, 39.0, "pre-rework p50");
    median_within(&rank(&before, Rank::P95), 0.0, 100.0, "pre-rework p95");
    median_within(&rank(&before, Rank::P99), 0.0, 150.0, "pre-rework p99");
    mean_within(
        &figure(&before, |run| run.wakes_from(1_000).len() as f64),
        0.0,
        1.0,
        "pre-rework long wakes",
    );
    let mut reworked = scenario(PRESET, &[]);
    reworked.columns[PRE_REWORK].set("kernel.era", "v5.4-rework").expect("the era can be run");
    let reworked = over_seeds(&reworked, PRE_REWORK);
    median_within(&rank(&reworked, Rank::P99), 12_000.0, 17_000.0, "reworked p99");
    let long = figure(&reworked, |run| run.wakes_from(1_000).len() as f64);
    mean_within(&long, 3.0, 6.0, "reworked long wakes, as many as in v5.10");
}
