use std::collections::BTreeSet;

use scenario::{Scenario, Setup};
use sim::{CpuId, Nanos, TaskId};
use trace::{Event, EventKind, MigrateReason};

use crate::rq::Phase;
use crate::task::TaskState;
use crate::{Engine, Options, RunState};

fn setup(settings: &[(&str, &str)], seed: u64) -> Setup {
    let mut scenario = Scenario::from_preset("hikey-schbench").expect("the preset exists");
    for (key, value) in settings {
        scenario.set(key, value).expect("the key takes this value");
    }
    Setup { seed, ..scenario.setup(0) }
}

/// Runs event by event and shows the machine after each, with the events that it logged.
fn watch(setup: &Setup, mut see: impl FnMut(&Engine, &[Event])) {
    let mut engine = Engine::new(setup, Options { keep_events: true, ..Options::default() });
    let mut seen = 0;
    while engine.run(Nanos::NEVER, 1).state == RunState::Running {
        see(&engine, &engine.trace().events()[seen..]);
        seen = engine.trace().events().len();
    }
}

#[test]
fn every_cpu_has_its_own_copy_of_a_domains_counters() {
    let mut distinct = BTreeSet::new();
    watch(&setup(&[], 1), |engine, _| {
        distinct.insert(engine.rqs.iter().map(|rq| rq.domains[0].nr_balance_failed).max());
        let failed = engine.rqs.iter().filter(|rq| 0 < rq.domains[0].nr_balance_failed).count();
        // A CPU that fails alone does not count for its neighbours.
        assert!(failed < engine.rqs.len());
    });
    assert!(1 < distinct.len(), "no attempt ever failed: {distinct:?}");
}

#[test]
fn a_cpu_in_newidle_balance_is_neither_idle_nor_a_target() {
    let mut balances = 0;
    watch(&setup(&[], 2), |engine, events| {
        for rq in engine.rqs.iter().filter(|rq| matches!(rq.phase, Phase::Balancing { .. })) {
            balances += 1;
            assert!(rq.curr.is_some(), "the task that went to sleep is still current");
            assert!(!rq.is_idle());
            for event in events.iter().filter(|event| event.kind == EventKind::Placed) {
                let prev = CpuId(event.args[0] as u16);
                assert!(event.cpu != rq.cpu || prev == rq.cpu, "the idle search found a balancing CPU");
            }
        }
    });
    assert!(0 < balances, "no newidle balance was seen");
}

#[test]
fn newidle_looks_at_the_overload_flag_before_it_looks_at_cpus() {
    let mut engine = Engine::new(&setup(&[], 3), Options::default());
    engine.run(Nanos::from_millis(900), u64::MAX);
    let cpu = CpuId(2);
    let idle_enough = engine.config.kernel.tunables.migration_cost_ns;
    for (overload, avg_idle, begins) in
        [(false, idle_enough, false), (true, idle_enough, true), (true, idle_enough - 1, false)]
    {
        engine.rd_overload = overload;
        engine.rqs[cpu.index()].avg_idle = avg_idle;
        assert_eq!(engine.newidle_balance_begins(cpu), begins, "overload {overload}, idle for {avg_idle}");
    }
}

#[test]
fn a_second_wake_up_to_a_pending_cpu_rides_on_the_first_kick() {
    let mut engine = Engine::new(&setup(&[], 1), Options { keep_events: true, ..Options::default() });
    engine.run(Nanos::from_millis(900), u64::MAX);
    let target = CpuId(5);
    let kicks = |engine: &Engine| {
        engine
            .waiting_events()
            .filter(|event| *event == crate::engine::MachineEvent::Kick { cpu: target })
            .count()
    };
    let before = kicks(&engine);
    let sleeping: Vec<_> = (0..engine.tasks.len())
        .filter(|task| engine.tasks[*task].state != TaskState::Dead)
        .map(|task| engine.tasks[task].id)
        .collect();
    engine.wake_list_push(target, sleeping[0], false);
    assert_eq!(kicks(&engine), before + 1);
    engine.wake_list_push(target, sleeping[1], false);
    assert_eq!(kicks(&engine), before + 1, "the second needs no interrupt of its own");
    assert_eq!(engine.rqs[target.index()].wake_list, sleeping[..2]);
    assert!(engine.rqs[target.index()].ttwu_pending);
}

#[test]
fn a_migrating_wakee_leaves_its_old_queue_at_that_queues_next_update() {
    let mut migrations = 0;
    watch(&setup(&[], 4), |engine, events| {
        let wake_migrations = events
            .iter()
            .filter(|event| event.kind == EventKind::Migrate && event.detail == MigrateReason::Wakeup as u8);
        for event in wake_migrations {
            let from = &engine.rqs[event.args[0] as usize];
            let task = &engine.tasks[event.task.index()];
            if task.state == TaskState::Waking {
                // On a wake list: away from its old queue, not yet on the new one.
                assert_eq!(task.se.exec_start, 0, "it can never be cache-hot");
                assert_eq!(task.se.avg.last_update_time, 0, "it must be attached where it arrives");
                assert!(0 < from.cfs.removed.count, "its load is still in the old queue's sums");
                migrations += 1;
            }
        }
    });
    assert!(0 < migrations, "no wakee went through a wake list");
}

#[test]
fn a_balanced_task_forgets_when_it_last_ran() {
    let mut pulls = 0;
    watch(&setup(&[], 1), |engine, events| {
        for event in events.iter().filter(|event| event.kind == EventKind::Migrate && event.detail != 0) {
            let task = &engine.tasks[event.task.index()];
            let picked = engine.rqs[event.cpu.index()].cfs.curr == Some(event.task);
            assert!(picked || task.se.exec_start == 0 || event.detail == MigrateReason::Fork as u8);
            pulls += 1;
        }
    });
    assert!(0 < pulls, "nothing was pulled");
}

#[test]
fn ticks_are_aligned_on_all_cpus() {
    let setup = setup(&[], 5);
    let tick_ns = setup.kernel.tunables.tick_ns();
    let mut preempted = 0;
    watch(&setup, |_, events| {
        for event in events.iter().filter(|event| event.kind == EventKind::TickPreempt) {
            assert_eq!(event.at.0 % tick_ns, 0, "a tick of {} came at {}", event.cpu, event.at);
            preempted += 1;
        }
    });
    assert!(0 < preempted, "no tick preempted anything");
}

#[test]
fn the_message_thread_preempts_a_spinning_worker() {
    let runs: Vec<u64> = (1..21)
        .map(|seed| {
            let mut engine = Engine::new(&setup(&[], seed), Options::default());
            engine.run_to_end();
            engine.counters().wakeup_preemptions
        })
        .collect();
    let mean = runs.iter().sum::<u64>() / 20;
    // About 17 a run in the model that the mechanism was tested on.
    assert!((10..=30).contains(&mean), "{runs:?}");
}

#[test]
fn the_least_idle_search_looks_at_three_cpus() {
    // A scan so dear that the idle time allows the floor only: four, of which the kernel looks at three.
    let dear = setup(&[("costs.scan_per_cpu_ns", "20000")], 6);
    let mut engine = Engine::new(&dear, Options::default());
    engine.run(Nanos::from_millis(900), u64::MAX);
    for rq in &mut engine.rqs {
        rq.domains[0].avg_scan_cost = 1_000_000;
    }
    let looked_at = |engine: &mut Engine| {
        let placement = engine.select_idle_sibling(TaskId(2), CpuId(0), CpuId(0), CpuId(0));
        assert_eq!(placement.cpu, CpuId(0), "eight workers spin on eight CPUs");
        placement.scanned
    };
    assert_eq!(looked_at(&mut engine), 3);
    for rq in &mut engine.rqs {
        rq.domains[0].avg_scan_cost = 250;
    }
    assert_eq!(looked_at(&mut engine), 4, "at a realistic cost all of the cluster is looked at");
}
