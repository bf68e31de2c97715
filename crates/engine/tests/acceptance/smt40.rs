//! B12: on an SMT machine the form that looks at the weight of groups does not help.

use crate::runs::{figure, mean_within, over_seeds, scenario};

#[test]
fn b12_groups_of_two_threads_need_the_merged_form() {
    // The published command runs 30 s; 10 s have a third of the wake-ups and the same shares.
    let scenario = scenario("smt40-schbench", &[("workload.runtime_s", "10")]);
    let long = |column| {
        let runs = over_seeds(&scenario, column);
        figure(&runs, |run| run.wakes_from(1_000).len() as f64 / run.samples.len() as f64)
    };
    let (base, group_weight, patched) = (long(0), long(1), long(2));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    println!("B12 long shares: {} {} {}", mean(&base), mean(&group_weight), mean(&patched));
    assert!(0.002 < mean(&base), "base has a tail");
    let ratio = mean(&group_weight) / mean(&base);
    assert!((0.8..=1.2).contains(&ratio), "the group_weight form keeps the tail: {ratio}");
    mean_within(&patched, 0.0, 0.0001, "B12 the merged form removes it");
}
