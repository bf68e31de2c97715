#![allow(clippy::needless_raw_string_hashes, reason = "snapshots are written so by their updater")]

use expect_test::{Expect, expect};
use std::fmt::Write;

use super::*;

/// Four cores of two threads under one cache, numbered as x86 firmware does: all first threads, then all second.
fn threads_numbered_apart() -> Topology {
    let side_by_side = Topology::regular(1, 1, 4, 2).cpus;
    let (first, second): (Vec<_>, Vec<_>) =
        side_by_side.into_iter().enumerate().partition(|(position, _)| position % 2 == 0);
    Topology { cpus: first.into_iter().chain(second).map(|(_, cpu)| cpu).collect(), performance: Vec::new() }
}

fn with_capacities(mut topology: Topology, capacities: &[u32]) -> Topology {
    for (cpu, capacity) in topology.cpus.iter_mut().zip(capacities) {
        cpu.capacity = *capacity;
    }
    topology
}

fn show_set(set: &CpuSet) -> String {
    let mut ranges: Vec<(u16, u16)> = Vec::new();
    for cpu in set.iter() {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == cpu.0 => *last = cpu.0,
            _ => ranges.push((cpu.0, cpu.0)),
        }
    }
    let show = |(first, last): &(u16, u16)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(show).collect::<Vec<_>>().join(",")
}

fn show_flags(flags: DomainFlags) -> String {
    let names = [
        (flags.shares_capacity, "capacity"),
        (flags.shares_llc, "llc"),
        (flags.prefer_sibling, "prefer_sibling"),
        (flags.asym_capacity, "asym"),
        (flags.wake_affine, "affine"),
        (flags.balance_newidle, "newidle"),
        (flags.balance_fork, "fork"),
        (flags.numa, "numa"),
        (flags.serialize, "serialize"),
    ];
    names.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect::<Vec<_>>().join(" ")
}

fn show_cpu(domains: &Domains, cpu: usize) -> String {
    let mut text = format!(
        "CPU{cpu}: llc {} id {} smt {}\n",
        show_set(&domains.llc_span[cpu]),
        domains.llc_id[cpu].0,
        show_set(&domains.smt_span[cpu]),
    );
    for domain in &domains.by_cpu[cpu] {
        let groups: Vec<String> = domain
            .groups
            .iter()
            .map(|group| {
                assert_eq!(group.weight as usize, group.cpus.len());
                assert_eq!(Some(group.balance_cpu), group.cpus.lowest());
                format!("[{}]", show_set(&group.cpus))
            })
            .collect();
        writeln!(
            text,
            "  {} {} ({}) pct {} tries {} interval {}..{} child_prefers_sibling {}\n    {}\n    {}",
            domain.level.name(),
            show_set(&domain.span),
            domain.span_weight,
            domain.imbalance_pct,
            domain.cache_nice_tries,
            domain.min_interval_ms,
            domain.max_interval_ms,
            domain.child_prefers_sibling,
            show_flags(domain.flags),
            groups.join(" "),
        )
        .unwrap();
    }
    text
}

fn check(topology: &Topology, cpus: &[usize], expected: &Expect) {
    let domains = build_domains(topology);
    check_invariants(topology, &domains);
    let mut text = format!("{} CPUs, asymmetric {}\n", topology.len(), domains.asymmetric);
    for cpu in cpus {
        text += &show_cpu(&domains, *cpu);
    }
    expected.assert_eq(&text);
}

/// What holds on every machine.
fn check_invariants(topology: &Topology, domains: &Domains) {
    for cpu in topology.ids() {
        let chain = &domains.by_cpu[cpu.index()];
        let mut below: CpuSet = [cpu].into_iter().collect();
        for domain in chain {
            assert!(below.is_subset(&domain.span) && below != domain.span, "each domain adds CPUs");
            assert!(2 <= domain.groups.len(), "a domain divides something");
            assert!(domain.groups[0].cpus.contains(cpu), "the ring starts at the local group");
            assert_eq!(domain.groups[0].cpus, below, "the local group is the child's span");
            let covered: u32 = domain.groups.iter().map(|group| group.weight).sum();
            assert_eq!(covered, domain.span_weight, "groups do not overlap");
            assert!(domain.groups.iter().all(|group| group.cpus.is_subset(&domain.span)));
            below = domain.span;
        }
        assert_eq!(below.len(), topology.len(), "the highest domain spans the machine");
        assert!(domains.llc_span[cpu.index()].contains(cpu));
        assert!(domains.smt_span[cpu.index()].is_subset(&domains.llc_span[cpu.index()]));
    }
}

#[test]
fn hikey_620_has_a_level_of_clusters_above_its_caches() {
    check(
        &Topology::regular(1, 2, 4, 1),
        &[0, 6],
        &expect![[r#"
            8 CPUs, asymmetric false
            CPU0: llc 0-3 id 0 smt 0
              MC 0-3 (4) pct 117 tries 1 interval 4..8 child_prefers_sibling false
                llc prefer_sibling affine newidle fork
                [0] [1] [2] [3]
              DIE 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling true
                prefer_sibling affine newidle fork
                [0-3] [4-7]
            CPU6: llc 4-7 id 4 smt 6
              MC 4-7 (4) pct 117 tries 1 interval 4..8 child_prefers_sibling false
                llc prefer_sibling affine newidle fork
                [6] [7] [4] [5]
              DIE 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling true
                prefer_sibling affine newidle fork
                [4-7] [0-3]
        "#]],
    );
}

#[test]
fn one_cache_of_eight_has_one_level() {
    check(
        &Topology::regular(1, 1, 8, 1),
        &[3],
        &expect![[r#"
        8 CPUs, asymmetric false
        CPU3: llc 0-7 id 0 smt 3
          MC 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling false
            llc prefer_sibling affine newidle fork
            [3] [4] [5] [6] [7] [0] [1] [2]
    "#]],
    );
}

#[test]
fn smt_machine_of_forty_cpus_has_cores_as_groups() {
    check(
        &Topology::regular(1, 1, 20, 2),
        &[0, 39],
        &expect![[r#"
        40 CPUs, asymmetric false
        CPU0: llc 0-39 id 0 smt 0-1
          SMT 0-1 (2) pct 110 tries 0 interval 2..4 child_prefers_sibling false
            capacity llc prefer_sibling affine newidle fork
            [0] [1]
          MC 0-39 (40) pct 117 tries 1 interval 40..80 child_prefers_sibling true
            llc prefer_sibling affine newidle fork
            [0-1] [2-3] [4-5] [6-7] [8-9] [10-11] [12-13] [14-15] [16-17] [18-19] [20-21] [22-23] [24-25] [26-27] [28-29] [30-31] [32-33] [34-35] [36-37] [38-39]
        CPU39: llc 0-39 id 0 smt 38-39
          SMT 38-39 (2) pct 110 tries 0 interval 2..4 child_prefers_sibling false
            capacity llc prefer_sibling affine newidle fork
            [39] [38]
          MC 0-39 (40) pct 117 tries 1 interval 40..80 child_prefers_sibling true
            llc prefer_sibling affine newidle fork
            [38-39] [0-1] [2-3] [4-5] [6-7] [8-9] [10-11] [12-13] [14-15] [16-17] [18-19] [20-21] [22-23] [24-25] [26-27] [28-29] [30-31] [32-33] [34-35] [36-37]
    "#]],
    );
}

#[test]
fn threads_may_be_numbered_apart() {
    check(
        &threads_numbered_apart(),
        &[1, 5],
        &expect![[r#"
        8 CPUs, asymmetric false
        CPU1: llc 0-7 id 0 smt 1,5
          SMT 1,5 (2) pct 110 tries 0 interval 2..4 child_prefers_sibling false
            capacity llc prefer_sibling affine newidle fork
            [1] [5]
          MC 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling true
            llc prefer_sibling affine newidle fork
            [1,5] [2,6] [3,7] [0,4]
        CPU5: llc 0-7 id 0 smt 1,5
          SMT 1,5 (2) pct 110 tries 0 interval 2..4 child_prefers_sibling false
            capacity llc prefer_sibling affine newidle fork
            [5] [1]
          MC 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling true
            llc prefer_sibling affine newidle fork
            [1,5] [2,6] [3,7] [0,4]
    "#]],
    );
}

#[test]
fn two_sockets_have_a_level_of_nodes_and_none_of_dies() {
    check(
        &Topology::regular(2, 1, 2, 2),
        &[5],
        &expect![[r#"
        8 CPUs, asymmetric false
        CPU5: llc 4-7 id 4 smt 4-5
          SMT 4-5 (2) pct 110 tries 0 interval 2..4 child_prefers_sibling false
            capacity llc prefer_sibling affine newidle fork
            [5] [4]
          MC 4-7 (4) pct 117 tries 1 interval 4..8 child_prefers_sibling true
            llc prefer_sibling affine newidle fork
            [4-5] [6-7]
          NUMA 0-7 (8) pct 117 tries 2 interval 8..16 child_prefers_sibling true
            affine newidle fork numa serialize
            [4-7] [0-3]
    "#]],
    );
}

#[test]
fn two_sockets_of_two_caches_have_every_level() {
    check(
        &Topology::regular(2, 2, 2, 2),
        &[6],
        &expect![[r#"
        16 CPUs, asymmetric false
        CPU6: llc 4-7 id 4 smt 6-7
          SMT 6-7 (2) pct 110 tries 0 interval 2..4 child_prefers_sibling false
            capacity llc prefer_sibling affine newidle fork
            [6] [7]
          MC 4-7 (4) pct 117 tries 1 interval 4..8 child_prefers_sibling true
            llc prefer_sibling affine newidle fork
            [6-7] [4-5]
          DIE 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling true
            prefer_sibling affine newidle fork
            [4-7] [0-3]
          NUMA 0-15 (16) pct 117 tries 2 interval 16..32 child_prefers_sibling true
            affine newidle fork numa serialize
            [0-7] [8-15]
    "#]],
    );
}

#[test]
fn one_cpu_has_no_domain() {
    check(
        &Topology::regular(1, 1, 1, 1),
        &[0],
        &expect![[r#"
        1 CPUs, asymmetric false
        CPU0: llc 0 id 0 smt 0
    "#]],
    );
}

#[test]
fn one_core_of_two_threads_keeps_the_lowest_level() {
    check(
        &Topology::regular(1, 1, 1, 2),
        &[1],
        &expect![[r#"
        2 CPUs, asymmetric false
        CPU1: llc 0-1 id 0 smt 0-1
          SMT 0-1 (2) pct 110 tries 0 interval 2..4 child_prefers_sibling false
            capacity llc prefer_sibling affine newidle fork
            [1] [0]
    "#]],
    );
}

#[test]
fn a_cache_for_each_cpu_leaves_only_the_die() {
    check(
        &Topology::regular(1, 4, 1, 1),
        &[2],
        &expect![[r#"
        4 CPUs, asymmetric false
        CPU2: llc 2 id 2 smt 2
          DIE 0-3 (4) pct 117 tries 1 interval 4..8 child_prefers_sibling false
            prefer_sibling affine newidle fork
            [2] [3] [0] [1]
    "#]],
    );
}

#[test]
fn big_little_clusters_do_not_prefer_siblings() {
    let hikey960 = with_capacities(Topology::regular(1, 2, 4, 1), &[462, 462, 462, 462]);
    check(
        &hikey960,
        &[0, 4],
        &expect![[r#"
        8 CPUs, asymmetric true
        CPU0: llc 0-3 id 0 smt 0
          MC 0-3 (4) pct 117 tries 1 interval 4..8 child_prefers_sibling false
            llc affine newidle fork
            [0] [1] [2] [3]
          DIE 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling false
            prefer_sibling asym affine newidle fork
            [0-3] [4-7]
        CPU4: llc 4-7 id 4 smt 4
          MC 4-7 (4) pct 117 tries 1 interval 4..8 child_prefers_sibling false
            llc affine newidle fork
            [4] [5] [6] [7]
          DIE 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling false
            prefer_sibling asym affine newidle fork
            [4-7] [0-3]
    "#]],
    );
}

#[test]
fn big_and_little_in_one_cache_make_the_cache_level_asymmetric() {
    let dynamiq = with_capacities(Topology::regular(1, 1, 8, 1), &[372, 372, 372, 372, 372, 372]);
    check(
        &dynamiq,
        &[0],
        &expect![[r#"
        8 CPUs, asymmetric true
        CPU0: llc 0-7 id 0 smt 0
          MC 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling false
            llc prefer_sibling asym affine newidle fork
            [0] [1] [2] [3] [4] [5] [6] [7]
    "#]],
    );
}

#[test]
fn the_asymmetric_level_is_the_one_where_every_cpu_sees_the_biggest() {
    let one_mixed = with_capacities(Topology::regular(1, 2, 2, 1), &[1024, 400, 400, 400]);
    let domains = build_domains(&one_mixed);
    check_invariants(&one_mixed, &domains);
    for chain in &domains.by_cpu {
        let flags: Vec<bool> = chain.iter().map(|domain| domain.flags.asym_capacity).collect();
        assert_eq!(flags, [false, true]);
    }
    let both_mixed = with_capacities(Topology::regular(1, 2, 2, 1), &[1024, 400, 1024, 400]);
    for chain in build_domains(&both_mixed).by_cpu {
        let flags: Vec<bool> = chain.iter().map(|domain| domain.flags.asym_capacity).collect();
        assert_eq!(flags, [true, false]);
        assert!(chain[1].child_prefers_sibling, "only the child of the asymmetric level loses it");
    }
}

#[test]
fn asymmetric_nodes_clear_only_the_level_that_is_left_out() {
    // The kernel clears the flag on DIE, which is then left out because it spans what MC spans; MC keeps its own.
    let nodes = with_capacities(Topology::regular(2, 1, 2, 1), &[1024, 1024, 512, 512]);
    let domains = build_domains(&nodes);
    let levels: Vec<&str> = domains.by_cpu[0].iter().map(|domain| domain.level.name()).collect();
    assert_eq!(levels, ["MC", "NUMA"]);
    assert!(domains.by_cpu[0][1].flags.asym_capacity);
    assert!(domains.by_cpu[0][1].child_prefers_sibling);
}

#[test]
fn every_regular_machine_keeps_the_invariants() {
    for (packages, llcs, cores, threads) in [
        (1, 1, 1, 1),
        (1, 1, 1, 4),
        (1, 3, 1, 2),
        (2, 1, 1, 1),
        (2, 2, 1, 1),
        (4, 2, 8, 4),
        (3, 1, 5, 2),
        (1, 1, 256, 1),
    ] {
        let topology = Topology::regular(packages, llcs, cores, threads);
        check_invariants(&topology, &build_domains(&topology));
    }
}

#[test]
fn no_cpu_at_all_is_no_panic() {
    let domains = build_domains(&Topology { cpus: Vec::new(), performance: Vec::new() });
    assert!(domains.by_cpu.is_empty() && !domains.asymmetric);
}

#[test]
fn devices_are_asymmetric_where_a_domain_first_sees_both_kinds() {
    let machine = |name| crate::MachinePreset::find(name).unwrap().topology();
    check(
        &machine("mtk-2p6"),
        &[0, 7],
        &expect![[r#"
        8 CPUs, asymmetric true
        CPU0: llc 0-7 id 0 smt 0
          MC 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling false
            llc prefer_sibling asym affine newidle fork
            [0] [1] [2] [3] [4] [5] [6] [7]
        CPU7: llc 0-7 id 0 smt 7
          MC 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling false
            llc prefer_sibling asym affine newidle fork
            [7] [0] [1] [2] [3] [4] [5] [6]
    "#]],
    );
    check(
        &machine("mtk-2p6-2c"),
        &[0, 7],
        &expect![[r#"
        8 CPUs, asymmetric true
        CPU0: llc 0-5 id 0 smt 0
          MC 0-5 (6) pct 117 tries 1 interval 6..12 child_prefers_sibling false
            llc affine newidle fork
            [0] [1] [2] [3] [4] [5]
          DIE 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling false
            prefer_sibling asym affine newidle fork
            [0-5] [6-7]
        CPU7: llc 6-7 id 6 smt 7
          MC 6-7 (2) pct 117 tries 1 interval 2..4 child_prefers_sibling false
            llc affine newidle fork
            [7] [6]
          DIE 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling false
            prefer_sibling asym affine newidle fork
            [6-7] [0-5]
    "#]],
    );
    check(
        &machine("hikey960"),
        &[0, 7],
        &expect![[r#"
        8 CPUs, asymmetric true
        CPU0: llc 0-3 id 0 smt 0
          MC 0-3 (4) pct 117 tries 1 interval 4..8 child_prefers_sibling false
            llc affine newidle fork
            [0] [1] [2] [3]
          DIE 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling false
            prefer_sibling asym affine newidle fork
            [0-3] [4-7]
        CPU7: llc 4-7 id 4 smt 7
          MC 4-7 (4) pct 117 tries 1 interval 4..8 child_prefers_sibling false
            llc affine newidle fork
            [7] [4] [5] [6]
          DIE 0-7 (8) pct 117 tries 1 interval 8..16 child_prefers_sibling false
            prefer_sibling asym affine newidle fork
            [4-7] [0-3]
    "#]],
    );
}
