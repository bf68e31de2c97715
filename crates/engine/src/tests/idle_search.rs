use scenario::{Scenario, Setup};
use sim::{CpuId, Nanos, TaskId};

use crate::core::ttwu::Waker;
use crate::{Engine, Options};

/// Eight workers that spin on the eight CPUs of two clusters.
fn all_busy(era: &str) -> Engine {
    let mut scenario = Scenario::from_preset("hikey-schbench").expect("the preset exists");
    scenario.set("kernel.era", era).expect("the era can be run");
    let mut engine = Engine::new(&Setup { seed: 6, ..scenario.setup(0) }, Options::default());
    engine.run(Nanos::from_millis(900), u64::MAX);
    assert!(engine.rqs.iter().all(|rq| !rq.is_idle()), "the workers spin");
    engine
}

#[test]
fn a_cache_may_be_searched_whole_until_it_is_known_to_be_busy() {
    let mut scenario = Scenario::from_preset("hikey-schbench").expect("the preset exists");
    scenario.set("kernel.era", "v6.1").expect("the era can be run");
    let engine = Engine::new(&scenario.setup(0), Options::default());
    let limits: Vec<u32> = engine.llcs.iter().map(|llc| llc.nr_idle_scan).collect();
    assert_eq!(limits, [4, 4]);
}

#[test]
fn sis_util_looks_at_as_many_cpus_as_the_cache_says() {
    let mut engine = all_busy("v6.1");
    for limit in [4, 3, 1, 0] {
        engine.llcs[0].nr_idle_scan = limit;
        engine.llcs[1].nr_idle_scan = 2;
        let placement = engine.select_idle_sibling(TaskId(2), CpuId(0), CpuId(0), CpuId(5));
        assert_eq!((placement.cpu, placement.scanned), (CpuId(0), limit), "the target's cache counts");
    }
    assert_eq!(engine.rqs[0].domains[0].avg_scan_cost, 0, "no cost is averaged without SIS_PROP");
}

#[test]
fn who_forgets_the_recently_used_cpu_depends_on_the_era() {
    let (waker, wakee) = (TaskId(3), TaskId(2));
    for (era, expected) in [("v5.10", [CpuId(1), CpuId(6)]), ("v6.1", [CpuId(5), CpuId(0)])] {
        let mut engine = all_busy(era);
        engine.tasks[waker.index()].recent_used_cpu = CpuId(5);
        engine.tasks[wakee.index()].recent_used_cpu = CpuId(6);
        let by = Waker { task: waker, sync: false };
        engine.select_task_rq_fair(wakee, CpuId(0), CpuId(1), Some(by));
        let recent = [waker, wakee].map(|task| engine.tasks[task.index()].recent_used_cpu);
        assert_eq!(recent, expected, "{era}: the waker's and the wakee's, which finds no idle CPU");
    }
}
