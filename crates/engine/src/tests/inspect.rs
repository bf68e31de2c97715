//! A machine that is looked at, and one that gets another kernel on the way.

use scenario::{Scenario, Setup};
use sim::{CpuId, Nanos, TaskId};
use trace::EventKind;

use crate::{Engine, Options, RunState};

fn setup(preset: &str, column: usize) -> Setup {
    Scenario::from_preset(preset).expect("the preset exists").setup(column)
}

#[test]
fn looking_changes_nothing() {
    for preset in ["hikey-schbench", "vm32-schbench"] {
        let mut setup = setup(preset, 0);
        setup.until = Nanos::from_millis(1_200);
        let mut plain = Engine::new(&setup, Options::default());
        plain.run_to_end();
        let mut watched = Engine::new(&setup, Options { check_invariants: true, ..Options::default() });
        let mut at = Nanos::ZERO;
        // Between ticks, at ticks and amid the events of one moment.
        while watched.run(at, 37).state == RunState::Running {
            let before = watched.clone().state_hash();
            let seen = watched.inspect();
            assert_eq!(watched.state_hash(), before);
            assert_eq!(watched.inspect(), seen);
            at += Nanos(9_876_543);
        }
        assert_eq!(watched.trace_hash(), plain.trace_hash(), "{preset}");
        assert_eq!(watched.state_hash(), plain.state_hash(), "{preset}");
    }
}

#[test]
fn a_stacked_queue_is_seen_as_it_is() {
    let setup = setup("hikey-schbench", 0);
    let mut engine = Engine::new(&setup, Options { keep_events: true, ..Options::default() });
    engine.run_to_end();
    let refused = engine.trace().events().iter().find(|event| event.kind == EventKind::UtilRefused);
    let refused = *refused.expect("base refuses");
    let mut again = Engine::new(&setup, Options::default());
    again.run(refused.at.saturating_sub(Nanos(1)), u64::MAX);
    let cpus = again.inspect();
    let holds = |task: TaskId| cpus.iter().find(|cpu| cpu.waiting.iter().any(|waits| waits.task == task));
    let source = holds(refused.task).expect("the refused task waits");
    let runner = source.running.expect("somebody runs instead");
    assert_eq!(source.nr_running as usize, 1 + source.waiting.len());
    assert!(!source.is_idle);
    assert!(source.waiting.is_sorted_by_key(|task| task.vruntime));
    assert!(runner.util_avg <= source.util_avg, "{source:?}");
    assert_eq!(runner.weight, 1024);
    // The refusing CPU is about to idle or does, beside it in the same cache.
    let refusing = &cpus[refused.cpu.index()];
    assert!(refusing.waiting.is_empty());
    let mc = &refusing.domains[0];
    assert_eq!((mc.name, mc.span.len()), ("MC", 4));
    assert!(mc.span.contains(source.cpu));
    assert!(4 <= mc.balance_interval_ms && mc.balance_interval_ms <= 8);
    for (position, cpu) in cpus.iter().enumerate() {
        assert_eq!(cpu.cpu, CpuId(position as u16));
        let queued = usize::from(cpu.running.is_some()) + cpu.waiting.len();
        assert_eq!(queued, cpu.nr_running as usize, "{cpu:?}");
    }
}

#[test]
fn the_running_tasks_virtual_time_goes_on_between_ticks() {
    let setup = setup("hikey-schbench", 0);
    let mut engine = Engine::new(&setup, Options::default());
    let at = |engine: &mut Engine, ms| {
        engine.run(Nanos::from_millis(ms), u64::MAX);
        let cpus = engine.inspect();
        let (base, task) = cpus
            .iter()
            .find_map(|cpu| cpu.running.map(|task| (cpu.min_vruntime, task)))
            .expect("somebody computes");
        (task.task, base.wrapping_add(task.vruntime as u64))
    };
    let (task, first) = at(&mut engine, 500);
    let (same, second) = at(&mut engine, 501);
    assert_eq!(task, same, "it computes for a second");
    assert_eq!(second.wrapping_sub(first), 1_000_000, "nice 0 runs at the speed of the clock");
}

#[test]
fn the_same_kernel_again_changes_nothing_and_a_patch_from_the_start_is_the_patched_run() {
    let (base, patched) = (setup("hikey-schbench", 0), setup("hikey-schbench", 2));
    let hash = |setup: &Setup, switch: Option<(u64, &Setup)>| {
        let mut engine = Engine::new(setup, Options::default());
        if let Some((ms, to)) = switch {
            engine.run(Nanos::from_millis(ms), u64::MAX);
            assert!(engine.switch_kernel(&to.kernel));
        }
        engine.run_to_end();
        engine.trace_hash()
    };
    let own = hash(&base, None);
    assert_eq!(hash(&base, Some((1_234, &base))), own);
    let patched_hash = hash(&patched, None);
    assert_ne!(own, patched_hash);
    assert_eq!(hash(&base, Some((0, &patched))), patched_hash);
    let later = hash(&base, Some((5_000, &patched)));
    assert!(later != own && later != patched_hash, "both halves of the run matter");
}

#[test]
fn a_kernel_of_another_era_is_refused() {
    let mut engine = Engine::new(&setup("hikey-schbench", 0), Options::default());
    assert!(!engine.switch_kernel(&setup("vm32-schbench", 0).kernel));
}
