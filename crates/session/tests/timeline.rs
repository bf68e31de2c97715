//! The views of events against what the engine itself counts of the same run.

use engine::{Engine, Options};
use scenario::Scenario;
use sim::{CpuId, Nanos};
use trace::{Event, EventKind, Timeline};

struct Run {
    engine: Engine,
    timeline: Timeline,
    cpus: Vec<CpuId>,
    llcs: Vec<u16>,
}

fn run(preset: &str, settings: &[(&str, &str)], seed: u64) -> Run {
    let mut scenario = Scenario::from_preset(preset).unwrap();
    for (key, value) in settings {
        scenario.set(key, value).unwrap();
    }
    let mut setup = scenario.setup(0);
    setup.seed = seed;
    let mut engine = Engine::new(&setup, Options { keep_events: true, ..Options::default() });
    let end = engine.run_to_end().now;
    let llcs: Vec<u16> = setup.topology.cpus.iter().map(|cpu| cpu.llc).collect();
    let tasks = engine.workload().threads().len();
    let timeline = Timeline::new(engine.trace().events(), end, &llcs, tasks);
    Run { engine, timeline, cpus: setup.topology.ids().collect(), llcs }
}

fn runs() -> Vec<Run> {
    vec![
        run("hikey-schbench", &[], 1),
        run(
            "hikey-schbench",
            &[("workload.think_us", "900"), ("workload.sleep_us", "400"), ("workload.runtime_s", "1")],
            2,
        ),
        run("smt40-schbench", &[("workload.runtime_s", "2")], 3),
        run("hogs-4cpu", &[("workload.runtime_s", "2")], 4),
    ]
}

#[test]
fn tasks_wait_where_the_queues_say_that_tasks_wait() {
    for Run { engine, timeline, .. } in runs() {
        let mut compared = 0;
        // At a switch the engine says how many tasks it leaves waiting. Several things may happen at one moment, so
        // that only the last word of a moment on a CPU can be compared.
        let events = engine.trace().events();
        for (position, event) in
            events.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Switch)
        {
            let same_moment = events[position + 1..].iter().take_while(|later| later.at == event.at);
            if same_moment.clone().next().is_none() {
                assert_eq!(u32::from(timeline.waiting(event.cpu).at(event.at)), event.args[1], "{event:?}");
                compared += 1;
            }
        }
        assert!(20 < compared);
    }
}

#[test]
fn slices_are_as_many_as_switches_to_tasks() {
    for Run { engine, timeline, .. } in runs() {
        let events = engine.trace().events().iter();
        let switches = events.filter(|event| event.kind == EventKind::Switch && event.task != Event::NO_TASK);
        assert_eq!(timeline.slice_count(Nanos::ZERO, timeline.end()), switches.count());
    }
}

#[test]
fn waiting_adds_up_to_what_the_engine_counts() {
    for Run { engine, timeline, .. } in runs() {
        let tasks = (0..timeline.task_count() as u32).map(sim::TaskId);
        let waited: u64 = tasks.clone().map(|task| timeline.task_at(task, timeline.end()).waited.0).sum();
        // The engine counts a wait when it ends.
        let under_way: u64 = tasks
            .map(|task| timeline.task_at(task, timeline.end()))
            .filter(|moment| moment.doing.state == trace::TaskState::Waiting)
            .map(|moment| (timeline.end() - moment.since).0)
            .sum();
        assert_eq!(waited - under_way, engine.counters().wait_sum_ns);
    }
}

#[test]
fn wasted_time_is_what_the_engine_counts_as_waiting_beside_an_idle_cpu() {
    for Run { engine, timeline, cpus, llcs } in runs() {
        let mut moments: Vec<Nanos> = cpus
            .iter()
            .flat_map(|cpu| {
                let running = timeline.running(*cpu).pieces().map(|piece| piece.from);
                running.chain(timeline.waiting(*cpu).pieces().map(|piece| piece.from)).collect::<Vec<_>>()
            })
            .collect();
        moments.sort_unstable();
        moments.dedup();
        moments.push(timeline.end());
        let is_wasted = |at: Nanos| {
            let idle = |cpu: &CpuId| timeline.running(*cpu).at(at) == Event::NO_TASK;
            let stuck = |cpu: &CpuId| !idle(cpu) && 0 < timeline.waiting(*cpu).at(at);
            cpus.iter().filter(|cpu| stuck(cpu)).any(|stuck| {
                cpus.iter().any(|other| llcs[other.index()] == llcs[stuck.index()] && idle(other))
            })
        };
        let spans = moments.windows(2).filter(|pair| is_wasted(pair[0]));
        let wasted: u64 = spans.map(|pair| (pair[1] - pair[0]).0).sum();
        let counted = engine.counters().wait_while_idle_ns;
        // A CPU that is about to idle, or to stop idling, counts some microseconds sooner or later in one of the two.
        let slack = counted / 20 + 10_000;
        assert!(wasted.abs_diff(counted) <= slack, "{wasted} and {counted} differ by more than {slack}");
    }
}
