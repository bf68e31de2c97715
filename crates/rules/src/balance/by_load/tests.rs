use super::*;
use crate::balance::GroupFlags;

/// A cache of several CPUs, each a group of its own.
const MC: DomainView = DomainView {
    shares_llc: true,
    shares_capacity: false,
    asym_capacity: false,
    numa: false,
    child_prefers_sibling: false,
    imbalance_pct: 117,
};
/// Two clusters.
const DIE: DomainView =
    DomainView { shares_llc: false, child_prefers_sibling: true, imbalance_pct: 125, ..MC };

/// A CPU with so many tasks of nice 0 that always want to run.
fn cpu(tasks: u32) -> CpuState {
    CpuState {
        nr_running: tasks,
        h_nr_running: tasks,
        load: 1024 * u64::from(tasks),
        util: 1024 * u64::from(tasks.min(1)),
        capacity: 1024,
        capacity_orig: 1024,
        idle: tasks == 0,
        ..CpuState::default()
    }
}

/// Groups of such CPUs, the first one local.
fn groups(domain: &DomainView, tasks: &[&[u32]]) -> Vec<GroupStats> {
    let group = |(position, tasks): (usize, &&[u32])| {
        let mut sums = GroupStats::start(tasks.len() as u32);
        tasks.iter().for_each(|tasks| sums.add(&cpu(*tasks)));
        sums.finish(domain, GroupFlags { local: position == 0, imbalanced: false });
        sums
    };
    tasks.iter().enumerate().map(group).collect()
}

fn find(domain: &DomainView, tasks: &[&[u32]], idle: CpuIdleType) -> (Verdict, Option<(usize, i64)>) {
    let found = find_busiest_group(domain, &groups(domain, tasks), idle, 0);
    (found.verdict, found.imbalance.map(|imbalance| (imbalance.group, imbalance.imbalance)))
}

#[test]
fn an_idle_cpu_takes_from_one_with_two_tasks() {
    // 2048 there, 0 here, 1024 on average: min(1024 × 1024, 1024 × 1024) / 1024 is one task.
    for idle in [CpuIdleType::Idle, CpuIdleType::NewlyIdle] {
        assert_eq!(find(&MC, &[&[0], &[2]], idle), (Verdict::Forced, Some((1, 1024))));
    }
}

#[test]
fn a_busy_cpu_takes_where_loads_differ_by_more_than_the_threshold() {
    // 1024 here, 2048 there, 1536 on average; 512 is less than a task, and moving one would only turn it round:
    // 2048 + 1024 < 1024 + 2 × 1024 is false, so that it counts as enough.
    assert_eq!(find(&MC, &[&[1], &[2]], CpuIdleType::NotIdle), (Verdict::Unequal, Some((1, 1024))));
    // 3 and 4 tasks: 4 × 100 is more than 3 × 117. The imbalance is half a task, and a task moved one too many:
    // 4096 + 1024 < 3072 + 2 × 1024 is false again.
    assert_eq!(find(&MC, &[&[3], &[4]], CpuIdleType::NotIdle), (Verdict::Unequal, Some((1, 1024))));
    // 6 and 7 tasks: 700 is not more than 702.
    assert_eq!(find(&MC, &[&[6], &[7]], CpuIdleType::NotIdle), (Verdict::WithinThreshold, None));
}

#[test]
fn equal_loads_are_balanced() {
    assert_eq!(find(&MC, &[&[1], &[1]], CpuIdleType::NotIdle).0, Verdict::LocalIsBusier);
    assert_eq!(find(&MC, &[&[2], &[3], &[1]], CpuIdleType::NotIdle).0, Verdict::LocalAboveAverage);
    assert_eq!(find(&MC, &[&[0], &[0]], CpuIdleType::Idle).0, Verdict::NobodyBusy);
}

#[test]
fn an_idle_cpu_leaves_a_lone_task_of_a_group_that_is_as_idle() {
    // A task of another class runs beside the CFS task: that one CPU counts one CFS task and is not overloaded.
    assert_eq!(find(&MC, &[&[0], &[1]], CpuIdleType::Idle), (Verdict::IdleCpusAlike, None));
    // Newly idle CPUs do not count idle CPUs: the load differs, and 1024 + 1024 ≥ 0 + 2 × 1024 moves a task.
    assert_eq!(find(&MC, &[&[0], &[1]], CpuIdleType::NewlyIdle), (Verdict::Unequal, Some((1, 1024))));
    // Two idle CPUs more than over there are enough.
    assert_eq!(find(&MC, &[&[0, 0], &[1, 1]], CpuIdleType::Idle).0, Verdict::Unequal);
    assert_eq!(find(&MC, &[&[0, 1], &[1, 1]], CpuIdleType::Idle).0, Verdict::IdleCpusAlike);
}

#[test]
fn siblings_are_filled_evenly_where_there_is_room() {
    // Three tasks in one cluster of four, one in the other: no cluster is overloaded by itself.
    let tasks: [&[u32]; 2] = [&[1, 0, 0, 0], &[1, 1, 1, 0]];
    assert_eq!(find(&DIE, &tasks, CpuIdleType::Idle), (Verdict::Forced, Some((1, 1024))));
    // 768 there, 256 here, 512 on average: 256 × 4096 / 1024 is one task.
    let apart = DomainView { child_prefers_sibling: false, ..DIE };
    assert_eq!(find(&apart, &tasks, CpuIdleType::Idle), (Verdict::Unequal, Some((1, 1024))));
    // With a task less to spread they count as even.
    assert_eq!(find(&DIE, &[&[1, 0, 0, 0], &[1, 1, 0, 0]], CpuIdleType::Idle).0, Verdict::IdleCpusAlike);
}

#[test]
fn of_overloaded_groups_the_one_with_more_load_is_busiest() {
    let sums = groups(&MC, &[&[0], &[2], &[3], &[3]]);
    assert_eq!(pick_busiest(&MC, &sums).map(|(position, _)| position), Some(2), "the first of equals");
    let (_, busiest) = pick_busiest(&MC, &sums).unwrap();
    assert_eq!((busiest.class, busiest.avg_load, busiest.load_per_task), (LoadClass::Overloaded, 3072, 1024));
}

#[test]
fn no_cpu_is_left_idle_where_all_are_overloaded() {
    // 5 and 2 tasks: the average is 3584, so 1536 could go; above capacity are 4 tasks, which is no limit.
    assert_eq!(find(&MC, &[&[2], &[5]], CpuIdleType::NotIdle), (Verdict::Unequal, Some((1, 1536))));
    // Light tasks: two here and three there of load 100, which use their CPUs up. The busiest one is 50 above the
    // average, which is less than a task; a task moved would be one too many.
    let light = |tasks: u32| CpuState { load: 100 * u64::from(tasks), ..cpu(tasks) };
    let group = |tasks| {
        let mut sums = GroupStats::start(1);
        sums.add(&light(tasks));
        sums
    };
    let found = find_busiest_group(&MC, &[group(2), group(3)], CpuIdleType::NotIdle, 0);
    assert_eq!(found.imbalance.map(|imbalance| imbalance.imbalance), Some(100));
}

#[test]
fn a_small_imbalance_is_one_task_where_that_helps() {
    let sums = groups(&MC, &[&[1], &[1]]);
    let group = |position: usize, avg_load, load_per_task| LoadGroup {
        avg_load,
        load_per_task,
        ..LoadGroup::of(&MC, &sums[position])
    };
    // 600 + 500 ≥ 200 + 1 × 500, because the busiest tasks are the heavier ones.
    assert_eq!(fix_small_imbalance(&group(0, 200, 200), &group(1, 600, 500), 0, 7), 500);
    // Equal ones need a gap of a whole task: 600 + 300 < 400 + 2 × 300, and the capacity used says no as well:
    // now 300 + 300, then min(300, 300) + min(300, 700).
    assert_eq!(fix_small_imbalance(&group(0, 400, 300), &group(1, 600, 300), 0, 7), 7);
    // A group of light tasks has room in its capacity: now 400 + 100, then min(400, 50) + min(900, 500).
    assert_eq!(fix_small_imbalance(&group(0, 100, 900), &group(1, 450, 400), 0, 7), 400);
}

#[test]
fn an_empty_local_group_counts_the_tasks_of_its_cpu() {
    let sums = groups(&MC, &[&[0], &[1]]);
    let (local, busiest) = (LoadGroup::of(&MC, &sums[0]), LoadGroup::of(&MC, &sums[1]));
    // 1024 + 1024 ≥ 0 + 2 × 1024.
    assert_eq!(fix_small_imbalance(&local, &busiest, 0, 0), 1024);
    // Some load is left from a task that has just gone: 1024 + 1024 < 10 + 2 × 1024. Capacity used: now 1024 + 0,
    // then 0 + 0, as nothing of this CPU's own says how much a task here would use.
    let lately = LoadGroup { avg_load: 10, ..local };
    assert_eq!(fix_small_imbalance(&lately, &busiest, 0, 0), 0);
}

#[test]
fn affinity_makes_a_group_imbalanced_and_its_tasks_count_as_no_more_than_the_average() {
    let mut sums = groups(&MC, &[&[0], &[1]]);
    sums[1].imbalanced = true;
    let found = find_busiest_group(&MC, &sums, CpuIdleType::Idle, 0);
    // 512 on average is what is moved at most, and as much as a task counts.
    assert_eq!((found.verdict, found.avg_load), (Verdict::Forced, 512));
    assert_eq!(found.imbalance.map(|imbalance| imbalance.imbalance), Some(512));
}

#[test]
fn a_misfit_is_moved_whatever_the_loads_where_there_is_a_bigger_cpu_with_room() {
    let domain = DomainView { asym_capacity: true, ..MC };
    let group = |capacity, tasks, misfit_load, local| {
        let mut sums = GroupStats::start(1);
        sums.add(&CpuState { capacity, util: capacity * u64::from(tasks), misfit_load, ..cpu(tasks) });
        sums.finish(&domain, GroupFlags { local, imbalanced: false });
        sums
    };
    let sums = [group(1024, 0, 0, true), group(462, 1, 700, false)];
    let found = find_busiest_group(&domain, &sums, CpuIdleType::Idle, 0);
    assert_eq!(found.verdict, Verdict::Forced);
    let imbalance = found.imbalance.unwrap();
    assert_eq!(imbalance.migration, MigrationType::Misfit);
    // The average is 1024 × 1024 / 1486 = 705; 705 × 1024 / 1024 here, (2269 − 705) × 462 / 1024 = 705 there; a task
    // has 1024, and a task less there leaves nothing: one task is moved.
    assert_eq!(imbalance.imbalance, 1024);
    let alike = [group(462, 0, 0, true), group(462, 1, 700, false)];
    assert_eq!(find_busiest_group(&domain, &alike, CpuIdleType::Idle, 0).verdict, Verdict::NobodyBusy);
}

#[test]
fn the_source_is_the_cpu_with_most_load_for_its_capacity() {
    let wanted = |imbalance| Imbalance { group: 1, migration: MigrationType::Load, imbalance };
    let source = |imbalance, cpus: &[CpuState]| {
        find_busiest_queue(&MC, &wanted(imbalance), 1024, cpus.iter().enumerate())
    };
    assert_eq!(source(1024, &[cpu(1), cpu(2), cpu(2)]), Some(1));
    assert_eq!(source(1023, &[cpu(1)]), None, "a lone task that is more than is to be moved");
    let beside_rt = CpuState { nr_running: 2, ..cpu(1) };
    assert_eq!(source(1023, &[beside_rt]), Some(0), "a task of another class is no reason to stay");
    let reduced = CpuState { capacity: 800, ..cpu(1) };
    assert_eq!(source(1023, &[cpu(1), reduced]), Some(1), "interrupts slow it");
    assert_eq!(source(9, &[cpu(0)]), None, "no load, no source");
}
