//! The real-time class and `rt-idle-first`: what must be the same to the bit, and what must differ and how.

#[path = "rt/cases.rs"]
mod cases;
#[path = "rt/real_kernels.rs"]
mod real_kernels;

use cases::{fifo, hogs, periodic, run, setup, waking};
use engine::{Engine, Options};
use kernel::Era;
use scenario::{Scenario, Setup};
use sim::{CpuId, Nanos};
use topology::Topology;
use trace::EventKind;
use workload::Policy;
use workload::mix::{Group, Pattern, Spec};

const FORMS: [&str; 3] = ["off", "v2", "v1"];

fn hikey() -> Topology {
    Topology::regular(1, 2, 4, 1)
}

/// Three real-time tasks of different priority over fair ones, with CPUs to spare.
fn mixed(policies: [Policy; 3]) -> Spec {
    let [a, b, c] = policies;
    let mut groups = vec![
        Group { policy: a, ..periodic(2, 800, 10_000) },
        Group { policy: b, ..periodic(2, 1_200, 17_000) },
        Group { policy: c, ..periodic(2, 600, 7_000) },
    ];
    groups.extend((0..8).map(|thread| periodic(1, 900 + 170 * thread, 2_300 + 430 * thread)));
    Spec { groups }
}

fn hashes(topology: &Topology, spec: &Spec, forms: &[&str]) -> Vec<u64> {
    let hash = |form: &&str| {
        let setup = setup(Era::V5_10, topology.clone(), spec.clone(), form);
        run(&Setup { until: Nanos::from_secs(2), ..setup }).trace_hash()
    };
    forms.iter().map(hash).collect()
}

#[test]
fn without_real_time_tasks_the_patch_changes_nothing() {
    let all = hashes(&hikey(), &mixed([Policy::Normal; 3]), &FORMS);
    assert!(all.iter().all(|hash| *hash == all[0]), "{all:x?}");
    let schbench = |form: &str| {
        let mut scenario = Scenario::from_preset("hikey-schbench").expect("the preset exists");
        scenario.set("patches.rt-idle-first", form).expect("v5.10 has a port");
        run(&scenario.setup(0)).trace_hash()
    };
    assert_eq!(schbench("off"), schbench("v2"));
}

#[test]
fn where_every_real_time_task_is_bound_to_one_cpu_the_patch_changes_nothing() {
    let mut spec = mixed([fifo(50), fifo(45), fifo(40)]);
    for (position, group) in spec.groups.iter_mut().take(3).enumerate() {
        group.allowed = Some(vec![CpuId(position as u16)]);
    }
    let all = hashes(&hikey(), &spec, &FORMS);
    assert!(all.iter().all(|hash| *hash == all[0]), "{all:x?}");
}

/// Two wake-ups of one CPU within a switch are told apart by the patched kernel alone, so there is one task a CPU.
#[test]
fn where_every_cpu_is_busy_and_priorities_are_equal_the_patch_changes_nothing() {
    let mut groups: Vec<Group> =
        (0..8).map(|cpu| Group { allowed: Some(vec![CpuId(cpu)]), ..hogs(1) }).collect();
    let boot_cpu = Some(CpuId(0));
    groups.extend((0..4).map(|thread| Group {
        policy: fifo(50),
        boot_cpu: boot_cpu.map(|cpu| CpuId(cpu.0 + thread)),
        ..periodic(1, 700 + 300 * u64::from(thread), 9_000 + 1_000 * u64::from(thread))
    }));
    let all = hashes(&hikey(), &Spec { groups: groups.clone() }, &FORMS);
    assert!(all.iter().all(|hash| *hash == all[0]), "{all:x?}");
    // The identity says something: with idle CPUs the same tasks part.
    groups.drain(2..8);
    let alone = hashes(&hikey(), &Spec { groups }, &FORMS);
    assert_ne!(alone[0], alone[1]);
}

#[test]
fn on_one_domain_both_versions_are_the_same_and_on_two_they_are_not() {
    let spec = mixed([fifo(50), fifo(45), fifo(40)]);
    let flat = hashes(&Topology::regular(1, 1, 8, 1), &spec, &FORMS);
    assert_eq!(flat[1], flat[2]);
    assert_ne!(flat[0], flat[1]);
    let two = hashes(&hikey(), &spec, &FORMS);
    assert_ne!(two[1], two[2]);
}

#[test]
fn no_fair_task_is_preempted_while_an_allowed_cpu_of_the_domain_idles() {
    let spec = mixed([fifo(50), fifo(45), fifo(40)]);
    let counters = FORMS.map(|form| {
        let setup = setup(Era::V5_10, hikey(), spec.clone(), form);
        let setup = Setup { until: Nanos::from_secs(4), ..setup };
        let options = Options { check_invariants: true, ..Options::default() };
        let mut engine = Engine::new(&setup, options);
        engine.run_to_end();
        engine.counters().clone()
    });
    let [base, v2, v1] = &counters;
    assert!(100 < base.rt_avoidable_in_domain, "{base:?}");
    assert!(base.rt_avoidable_in_domain <= base.rt_avoidable && base.rt_avoidable <= base.rt_preempts_fair);
    assert_eq!((v2.rt_avoidable_in_domain, v1.rt_avoidable), (0, 0));
    assert!(0 < v2.rt_avoidable, "the patch never looks beyond the domain");
    assert!(base.rt_idle_picks < v2.rt_idle_picks);
    assert!(v2.wait_behind_rt_ns < base.wait_behind_rt_ns);
}

/// A real-time task wakes where a less important one runs, and another CPU of the domain idles.
#[test]
fn of_two_real_time_tasks_base_moves_the_loser_and_the_patch_the_wakee() {
    let spec = Spec {
        groups: vec![
            Group { policy: fifo(50), ..periodic(4, 600, 5_000) },
            Group { policy: fifo(40), ..periodic(6, 2_000, 11_000) },
        ],
    };
    for (form, stays) in [("off", true), ("v2", false)] {
        let setup = setup(Era::V5_10, Topology::regular(1, 1, 4, 1), spec.clone(), form);
        let seeds = (1..=6).map(|seed| Setup { seed, ..setup.clone() });
        let cases: Vec<_> = seeds
            .flat_map(|setup| waking(&run(&setup), &setup.topology))
            .filter(|wakeup| wakeup.prev_prio.is_some_and(|prio| wakeup.prio < prio) && wakeup.idle_in_domain)
            .collect();
        assert!(10 < cases.len(), "{form}: {} conflicts", cases.len());
        for wakeup in cases {
            assert_eq!(wakeup.cpu == wakeup.prev_cpu, stays, "{form}: {wakeup:?}");
            assert_eq!(wakeup.loser_moves, stays, "{form}: {wakeup:?}");
        }
    }
}

/// On SMT the lowest domain is a core: the patch looks at the sibling and at nobody else.
#[test]
fn on_smt_the_patch_moves_to_the_sibling_only() {
    let spec = Spec {
        groups: vec![Group { policy: fifo(50), ..periodic(3, 800, 9_000) }, periodic(16, 2_000, 4_700)],
    };
    let mut moved = [0, 0];
    for (position, form) in ["off", "v2"].into_iter().enumerate() {
        let setup = setup(Era::V5_10, Topology::regular(1, 1, 6, 2), spec.clone(), form);
        let siblings: Vec<_> = topology::build_domains(&setup.topology).smt_span;
        for seed in 1..=6 {
            let setup = Setup { seed, ..setup.clone() };
            for wakeup in waking(&run(&setup), &setup.topology) {
                // A real-time task on the previous CPU sends it away in base too.
                if wakeup.prev_prio.is_none() {
                    assert!(siblings[wakeup.prev_cpu.index()].contains(wakeup.cpu), "{form}: {wakeup:?}");
                    moved[position] += u32::from(wakeup.cpu != wakeup.prev_cpu);
                }
            }
        }
    }
    assert_eq!(moved[0], 0);
    assert!(10 < moved[1], "{moved:?}");
}

#[test]
fn round_robin_takes_turns_of_a_tenth_of_a_second_and_fifo_does_not() {
    let on_one = |policy| Group { policy, allowed: Some(vec![CpuId(0)]), ..hogs(3) };
    let switches = |policy| {
        let base = setup(Era::V5_10, hikey(), Spec { groups: vec![on_one(policy)] }, "off");
        let mut setup = Setup { until: Nanos::from_millis(950), ..base };
        setup.kernel.tunables.rt_runtime_ns = setup.kernel.tunables.rt_period_ns;
        let engine = run(&setup);
        let to = engine.trace().events().iter().filter(|event| event.kind == EventKind::Switch);
        to.map(|event| (event.at.as_micros() / 1_000, event.task.0)).collect::<Vec<_>>()
    };
    let turns = switches(Policy::RoundRobin(7));
    let order: Vec<u32> = turns.iter().map(|(_, task)| *task).collect();
    assert_eq!(order, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]);
    assert!(turns[1..].iter().enumerate().all(|(turn, (ms, _))| *ms == 100 * (turn as u64 + 1)), "{turns:?}");
    assert_eq!(switches(fifo(7)).len(), 1, "the first one keeps the CPU");
}

#[test]
fn a_real_time_hog_leaves_fifty_milliseconds_a_second_unless_cpus_share() {
    let spec = Spec {
        groups: vec![
            Group { policy: fifo(1), allowed: Some(vec![CpuId(0)]), ..hogs(1) },
            Group { allowed: Some(vec![CpuId(0)]), ..hogs(1) },
        ],
    };
    for (share, throttles, fair_ms) in [(true, 0, 0), (false, 5, 250)] {
        let base = setup(Era::V5_10, Topology::regular(1, 1, 8, 1), spec.clone(), "off");
        let mut setup = Setup { until: Nanos::from_secs(5), ..base };
        setup.kernel.tunables.rt_runtime_share = share;
        let mut engine = run(&setup);
        assert_eq!(engine.counters().rt_throttles, throttles, "share: {share}");
        let fair = engine.cpu_times()[1] / 1_000_000;
        // A tick more or less for every period.
        assert!(fair.abs_diff(fair_ms) <= 4 * throttles, "share: {share}, {fair} ms");
    }
}

/// What a fair task waits while a real-time one has its CPU is known apart from other waits.
#[test]
fn waits_behind_real_time_tasks_are_counted_apart() {
    let cpu0 = Some(vec![CpuId(0)]);
    let spec = Spec {
        groups: vec![
            Group { policy: fifo(5), allowed: cpu0.clone(), ..periodic(1, 2_000, 10_000) },
            Group { allowed: cpu0, ..hogs(2) },
        ],
    };
    let engine = run(&Setup { until: Nanos::from_secs(2), ..setup(Era::V5_10, hikey(), spec, "off") });
    let waits = engine.waits_behind_rt();
    assert_eq!(waits[0], 0);
    for hog in [waits[1], waits[2]] {
        let expected = 2 * 200_000_000;
        assert!(hog.abs_diff(expected) < expected / 20, "{hog} ns of about {expected}");
    }
    assert!(waits[1] + waits[2] < engine.counters().wait_sum_ns, "they wait for each other too");
}

#[test]
fn a_cpu_that_real_time_tasks_use_has_less_capacity_for_fair_ones() {
    let spec = Spec {
        groups: vec![
            Group { policy: fifo(5), allowed: Some(vec![CpuId(2)]), ..periodic(1, 5_000, 10_000) },
            hogs(12),
        ],
    };
    let mut engine = run(&setup(Era::V5_10, hikey(), spec, "off"));
    let capacity: Vec<u64> = engine.inspect().iter().map(|cpu| cpu.capacity).collect();
    assert!((400..650).contains(&capacity[2]), "{capacity:?}");
    assert!((0..8).filter(|cpu| *cpu != 2).all(|cpu| 1_000 < capacity[cpu]), "{capacity:?}");
}

/// Seven hogs on eight CPUs, and a real-time task that wakes under one of them and runs for 400 ms.
#[test]
fn a_hog_behind_a_long_real_time_run_waits_in_the_old_balancer_and_not_with_the_patch() {
    let long = Pattern::Periodic {
        run: Nanos::from_millis(400),
        period: Nanos::from_secs(9),
        phase: Some(Nanos::from_millis(1_003)),
    };
    let groups = vec![
        Group { boot_cpu: Some(CpuId(0)), ..hogs(7) },
        Group { policy: fifo(10), boot_cpu: Some(CpuId(3)), ..Group::new(1, long) },
    ];
    let worst_ms = |era, form| {
        let setup = setup(era, Topology::regular(1, 1, 8, 1), Spec { groups: groups.clone() }, form);
        // A CPU of which interrupts take a part has no room for a hog by utilisation, which is another patch's matter.
        let engine = run(&Setup { until: Nanos::from_millis(1_500), capacity: 1_024, ..setup });
        let worst = engine.waits_behind_rt().into_iter().max().unwrap_or(0) as f64 / 1e6;
        println!("{era} {form}: {worst} ms");
        worst
    };
    assert!(300.0 <= worst_ms(Era::V5_4, "off"), "nobody comes for it");
    for era in [Era::V5_4, Era::V5_4Rework] {
        // It waits for the moment in which both threads begin, and never again.
        assert!(worst_ms(era, "v2") < 0.1 && worst_ms(era, "v1") < 0.1);
    }
}
