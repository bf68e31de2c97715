//! Where a task starts. No reference vectors exist for this; the cases follow model/wakeup-and-balance.md.

use kernel::{Era, Tunables};
use rules::balance::{CpuState, DomainView, GroupStats, Idlest, WakeupFlags, find_idlest_group};

const CLUSTERS: DomainView = DomainView {
    shares_llc: false,
    shares_capacity: false,
    asym_capacity: false,
    numa: false,
    child_prefers_sibling: true,
    imbalance_pct: 117,
};

/// A group of one CPU for each entry, which is its number of runnable tasks of full weight and utilisation.
fn group(domain: &DomainView, tasks: &[u32]) -> GroupStats {
    let mut stats = GroupStats::start(tasks.len() as u32);
    for nr_running in tasks {
        let amount = 1024 * u64::from(*nr_running);
        stats.add(&CpuState {
            nr_running: *nr_running,
            h_nr_running: *nr_running,
            load: amount,
            util: amount.min(1024),
            runnable: amount,
            capacity: 1024,
            capacity_orig: 1024,
            misfit_load: 0,
            idle: *nr_running == 0,
        });
    }
    stats.finish_for_wakeup(domain, WakeupFlags { task_fits: true, imbalanced: false });
    stats
}

fn v5_10() -> Tunables {
    Tunables::for_era(Era::V5_10, 8, 250)
}

fn choose(domain: &DomainView, groups: &[&[u32]]) -> Option<Idlest> {
    let groups: Vec<GroupStats> = groups.iter().map(|tasks| group(domain, tasks)).collect();
    find_idlest_group(&v5_10(), domain, &groups, Some(0))
}

#[test]
fn the_group_with_most_idle_cpus_wins_and_a_tie_stays_here() {
    assert_eq!(choose(&CLUSTERS, &[&[1, 0], &[0, 0]]), Some(Idlest::Group(1)));
    assert_eq!(choose(&CLUSTERS, &[&[1, 0], &[0, 1]]), Some(Idlest::Local));
    assert_eq!(choose(&CLUSTERS, &[&[1, 1], &[1, 0], &[0, 0]]), Some(Idlest::Group(2)));
}

#[test]
fn of_equally_idle_groups_the_less_used_one_wins() {
    let mut groups = [&[1, 1][..], &[1, 0], &[1, 0]].map(|tasks| group(&CLUSTERS, tasks));
    groups[2].util -= 1;
    assert_eq!(find_idlest_group(&v5_10(), &CLUSTERS, &groups, Some(0)), Some(Idlest::Group(2)));
}

#[test]
fn a_less_busy_kind_of_group_wins() {
    assert_eq!(choose(&CLUSTERS, &[&[2, 1], &[1, 1]]), Some(Idlest::Group(1)));
    assert_eq!(choose(&CLUSTERS, &[&[1, 1], &[2, 1]]), Some(Idlest::Local));
}

#[test]
fn overloaded_groups_are_left_only_for_a_clear_difference() {
    // 1536 against 1536 and 2048 for each CPU: 17 % is not enough, a third more is.
    assert_eq!(choose(&CLUSTERS, &[&[2, 1], &[2, 1]]), Some(Idlest::Local));
    assert_eq!(choose(&CLUSTERS, &[&[2, 2], &[2, 1]]), Some(Idlest::Group(1)));
    assert_eq!(choose(&CLUSTERS, &[&[4, 4, 4, 4, 4, 4], &[4, 4, 4, 4, 4, 3]]), Some(Idlest::Local));
}

#[test]
fn a_node_with_an_idle_cpu_keeps_its_tasks() {
    let nodes = DomainView { numa: true, ..CLUSTERS };
    assert_eq!(choose(&nodes, &[&[1, 0], &[0, 0]]), Some(Idlest::Local));
    assert_eq!(choose(&nodes, &[&[1, 1], &[0, 0]]), Some(Idlest::Group(1)));
}

#[test]
fn a_task_that_may_not_run_here_goes_to_the_idlest_other_group() {
    let groups = [&[2, 2][..], &[1, 0]].map(|tasks| group(&CLUSTERS, tasks));
    assert_eq!(find_idlest_group(&v5_10(), &CLUSTERS, &groups, None), Some(Idlest::Group(1)));
    assert_eq!(find_idlest_group(&v5_10(), &CLUSTERS, &groups[..1], Some(0)), Some(Idlest::Local));
    assert_eq!(find_idlest_group(&v5_10(), &CLUSTERS, &[], None), None);
}

#[test]
fn a_task_too_big_for_small_cpus_goes_to_big_ones() {
    let uneven = DomainView { asym_capacity: true, ..CLUSTERS };
    let mut little = group(&uneven, &[0, 0]);
    little.max_capacity = 462;
    little.finish_for_wakeup(&uneven, WakeupFlags { task_fits: false, imbalanced: false });
    let big = group(&uneven, &[1, 0]);
    assert_eq!(find_idlest_group(&v5_10(), &uneven, &[little, big], Some(0)), Some(Idlest::Group(1)));
}

#[test]
fn the_first_rework_neither_breaks_ties_by_utilisation_nor_compares_loads() {
    let first = Tunables::for_era(Era::V5_4Rework, 8, 250);
    let mut groups = [&[1, 1][..], &[1, 0], &[1, 0]].map(|tasks| group(&CLUSTERS, tasks));
    groups[2].util -= 1;
    assert_eq!(find_idlest_group(&first, &CLUSTERS, &groups, Some(0)), Some(Idlest::Group(1)));
    let overloaded = [&[4, 4][..], &[2, 2]].map(|tasks| group(&CLUSTERS, tasks));
    assert_eq!(find_idlest_group(&first, &CLUSTERS, &overloaded, Some(0)), Some(Idlest::Local));
    assert_eq!(find_idlest_group(&v5_10(), &CLUSTERS, &overloaded, Some(0)), Some(Idlest::Group(1)));
}
