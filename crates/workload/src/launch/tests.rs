use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::*;
use crate::Policy;

fn spec(app: App) -> Spec {
    Spec {
        app,
        work_permille: 1_000,
        refresh_hz: 60,
        rt: RtChoice {
            multiplier_pct: 95,
            priorities: Priorities::Phone,
            fast_mixer: false,
            home: vec![CpuId(6), CpuId(7)],
            pinned: false,
            allowed: None,
            surfaceflinger_allowed: None,
        },
        animation: true,
        background: true,
        hogs: Vec::new(),
    }
}

/// Runs a launch on a machine on which every thread has a CPU of its own and no call takes time. The CPU time of each
/// thread, by its name.
fn run_alone(launch: &mut Launch) -> BTreeMap<String, Nanos> {
    let mut ready: BinaryHeap<Reverse<(Nanos, u32)>> = BinaryHeap::new();
    let mut waiters: Vec<Vec<u32>> = vec![Vec::new(); launch.futex_count()];
    let mut cpu_time = BTreeMap::new();
    for (id, thread) in launch.threads().iter().enumerate() {
        cpu_time.insert(thread.name.clone(), Nanos::ZERO);
        if thread.starts_at_boot {
            ready.push(Reverse((Nanos::ZERO, id as u32)));
        }
    }
    while let Some(Reverse((now, id))) = ready.pop() {
        assert!(now < Nanos::from_secs(10), "it ends");
        let op = launch.resume(TaskId(id), now);
        if launch.is_finished() {
            break;
        }
        let again = match op {
            Op::Compute(span) => {
                let name = &launch.threads()[id as usize].name;
                *cpu_time.get_mut(name).expect("every thread is there") += span;
                Some(now + span)
            }
            Op::Sleep(span) => Some(now + span),
            Op::SleepUntil(until) => Some(until.max(now)),
            Op::FutexWake { futex, .. } => {
                if !waiters[futex.0 as usize].is_empty() {
                    ready.push(Reverse((now, waiters[futex.0 as usize].remove(0))));
                }
                Some(now)
            }
            Op::FutexWait { futex, expected } => {
                assert_eq!(launch.futex_value(futex), expected);
                waiters[futex.0 as usize].push(id);
                None
            }
            Op::Fork(child) => {
                ready.push(Reverse((now, child.0)));
                Some(now)
            }
            Op::Exit => None,
            other => panic!("{other:?} is no operation of a launch"),
        };
        if let Some(at) = again {
            ready.push(Reverse((at, id)));
        }
    }
    cpu_time
}

#[test]
fn a_launch_ends_with_its_first_frame_on_the_display() {
    for (app, main_ms) in [(App::Weibo, 848 + 18), (App::Weixin, 350 + 12), (App::Alipay, 404 + 13)] {
        let mut launch = Launch::new(&spec(app), 3);
        let cpu_time = run_alone(&mut launch);
        assert_eq!(launch.launched_at(), Some(Nanos(400_300_000)));
        let time = launch.launch_time().expect("the launch has ended");
        // Own work, waits for I/O, binder and render thread; nobody waits for a CPU.
        let least = Nanos::from_millis(main_ms);
        assert!(least < time && time < Nanos(least.0 * 13 / 10), "{app:?}: {time:?}");
        let of_main = cpu_time["main"];
        assert!(of_main.0.abs_diff(least.0) < 8_000_000, "{app:?}: {of_main:?}");
        let frames = launch.frames();
        assert!(time.0 / 16_666_666 <= frames.count + 1, "{frames:?} in {time:?}");
        assert_eq!(frames.missed, 0, "nothing is in the way of a frame");
    }
}

/// Section 4.4: about 4.9 ms a frame.
#[test]
fn a_frame_takes_the_set_about_five_milliseconds() {
    let mut launch = Launch::new(&spec(App::Weibo), 1);
    let cpu_time = run_alone(&mut launch);
    let frames = launch.displayed_at().expect("the launch has ended").0 / 16_666_666;
    let set = RT_SET.iter().filter(|thread| thread.role != RtRole::FastMixer);
    let sum: u64 = set.map(|thread| cpu_time[thread.name].0).sum();
    let per_frame_us = sum / frames / 1_000;
    // 0.95 of the sum of the medians, 4918 µs, and 3 % because a lognormal's mean lies above its median.
    assert!((4_600..5_050).contains(&per_frame_us), "{per_frame_us}");
}

#[test]
fn the_work_follows_from_application_and_seed_alone() {
    let hash = |spec: &Spec, seed| Launch::new(spec, seed).work_hash();
    let default = hash(&spec(App::Weibo), 1);
    assert_eq!(default, hash(&spec(App::Weibo), 1));
    assert_ne!(default, hash(&spec(App::Weibo), 2));
    assert_ne!(default, hash(&spec(App::Weixin), 1));
    let mut elsewhere = spec(App::Weibo);
    elsewhere.rt.home = vec![CpuId(0)];
    assert_eq!(default, hash(&elsewhere, 1), "where threads begin is no work");
    let mut ran = Launch::new(&spec(App::Weibo), 1);
    run_alone(&mut ran);
    assert_eq!(ran.work_hash(), default, "a run draws nothing");
}

/// What the multiplier scales, and only that.
#[test]
fn the_multiplier_is_for_the_real_time_set_and_the_factor_for_the_rest() {
    let cpu_time = |multiplier_pct, work_permille| {
        let mut spec = Spec { work_permille, ..spec(App::Weixin) };
        spec.rt.multiplier_pct = multiplier_pct;
        run_alone(&mut Launch::new(&spec, 5))
    };
    let (once, twice, longer) = (cpu_time(100, 1_000), cpu_time(200, 1_000), cpu_time(100, 1_100));
    assert_eq!(once["main"], twice["main"]);
    // Each burst is rounded to a nanosecond.
    let expected = once["worker-0"].0 * 11 / 10;
    assert!(longer["worker-0"].0.abs_diff(expected) < 1_000, "{expected} and {:?}", longer["worker-0"]);
}

#[test]
fn the_set_is_one_for_all_applications() {
    let set_of = |app| {
        let launch = Launch::new(&spec(app), 1);
        let set = launch.threads().iter().filter(|thread| thread.policy != Policy::Normal);
        set.map(|thread| (thread.name.clone(), thread.policy)).collect::<Vec<_>>()
    };
    let weibo = set_of(App::Weibo);
    assert_eq!(weibo.len(), 7, "without audio");
    assert_eq!(weibo[5], ("display-commit".to_owned(), Policy::Fifo(16)));
    assert!(App::ALL.into_iter().all(|app| set_of(app) == weibo));
}

#[test]
fn real_time_threads_begin_at_home_and_may_be_confined() {
    let begin = |change: &dyn Fn(&mut Spec)| {
        let mut spec = spec(App::Alipay);
        change(&mut spec);
        let launch = Launch::new(&spec, 8);
        let set = launch.threads().iter().filter(|thread| thread.policy != Policy::Normal);
        set.map(|thread| (thread.name.clone(), thread.boot_cpu, thread.allowed.clone())).collect::<Vec<_>>()
    };
    let home = begin(&|_| {});
    assert!(home.iter().all(|(_, cpu, allowed)| matches!(cpu, Some(CpuId(6 | 7))) && allowed.is_none()));
    assert!(home.iter().any(|(_, cpu, _)| *cpu == Some(CpuId(6))));
    assert!(home.iter().any(|(_, cpu, _)| *cpu == Some(CpuId(7))));
    let pinned = begin(&|spec| spec.rt.pinned = true);
    assert!(pinned.iter().all(|(_, cpu, allowed)| *allowed == cpu.map(|cpu| vec![cpu])));
    let confined = begin(&|spec| spec.rt.surfaceflinger_allowed = Some(vec![CpuId(0), CpuId(1)]));
    for (name, cpu, allowed) in confined {
        assert_eq!(allowed.is_some(), name == "surfaceflinger");
        assert_eq!(matches!(cpu, Some(CpuId(0 | 1))), name == "surfaceflinger");
    }
}

#[test]
fn fair_priorities_leave_no_real_time_thread() {
    let mut spec = spec(App::Weixin);
    spec.rt.priorities = Priorities::Fair;
    let launch = Launch::new(&spec, 1);
    assert!(launch.threads().iter().all(|thread| thread.policy == Policy::Normal));
}

#[test]
fn a_late_timer_leaves_out_what_it_missed() {
    let (phase, period) = (Nanos(5), Nanos(10));
    assert_eq!(next_turn(0, phase, period, Nanos(0)), 1);
    assert_eq!(next_turn(1, phase, period, Nanos(16)), 2);
    assert_eq!(next_turn(1, phase, period, Nanos(46)), 5);
    assert_eq!(next_turn(1, phase, period, Nanos(45)), 4, "a moment that is just reached counts");
}

#[test]
fn without_background_and_animation_only_the_launch_runs() {
    let bare = Spec { animation: false, background: false, ..spec(App::Weixin) };
    let mut launch = Launch::new(&bare, 2);
    assert_eq!(launch.threads().len(), 2 + 4 + 2 + 4 + 7);
    run_alone(&mut launch);
    assert!(launch.is_finished());
    let busy = Spec { hogs: (0..8).map(CpuId).collect(), ..spec(App::Weixin) };
    let hogs = Launch::new(&busy, 2).threads().iter().filter(|thread| thread.name.starts_with("hog")).count();
    assert_eq!(hogs, 8);
}
