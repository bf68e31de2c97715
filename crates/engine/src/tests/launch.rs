//! What the engine measures of a launch.

use scenario::Scenario;
use sim::Nanos;
use workload::Workload;

use crate::{Engine, Options, RunState};

fn launch(settings: &[(&str, &str)], options: Options) -> Engine {
    let mut scenario = Scenario::default();
    for (key, value) in [("machine", "mtk-2p6"), ("workload.kind", "launch"), ("costs", "phone")] {
        scenario.set(key, value).expect("the key takes this value");
    }
    for (key, value) in settings {
        scenario.set(key, value).expect("the key takes this value");
    }
    let mut engine = Engine::new(&scenario.setup(0), options);
    assert_eq!(engine.run_to_end().state, RunState::Finished);
    engine
}

fn launch_time(engine: &Engine) -> Nanos {
    let Workload::Launch(launch) = engine.workload() else { panic!("it runs a launch") };
    launch.launch_time().expect("its first frame was shown")
}

#[test]
fn the_parts_of_the_main_threads_time_add_up_to_the_launch() {
    for app in ["weibo", "weixin", "alipay"] {
        let options = Options { check_invariants: true, ..Options::default() };
        let engine = launch(&[("workload.app", app), ("seed", "3")], options);
        let times = engine.main_thread_times().expect("a launch is watched");
        let parts = [
            times.absent_ns,
            times.running_ns,
            times.behind_rt_ns,
            times.behind_fair_ns,
            times.waking_ns,
            times.io_ns,
            times.sleeping_ns,
        ];
        assert_eq!(parts.iter().sum::<u64>(), launch_time(&engine).0, "{app}: {times:?}");
        assert!(0 < times.io_ns && 0 < times.sleeping_ns && 0 < times.absent_ns, "{app}: {times:?}");
        assert!(launch_time(&engine).0 / 2 < times.running_ns, "{app}: {times:?}");
    }
}

#[test]
fn where_nothing_is_real_time_nothing_waits_behind_it() {
    let engine = launch(&[("workload.rt_priorities", "fair"), ("workload.hogs", "on")], Options::default());
    let times = engine.main_thread_times().expect("a launch is watched");
    assert_eq!(times.behind_rt_ns, 0);
    // A thread of nice 0 on every CPU is in the way now and then.
    assert!(0 < times.behind_fair_ns, "{times:?}");
}

#[test]
fn only_a_launch_is_watched() {
    let mut engine = Engine::new(&Scenario::default().setup(0), Options::default());
    engine.run(Nanos::from_secs(1), u64::MAX);
    assert_eq!((engine.main_thread_times(), engine.counters_at_launch()), (None, None));
}
