//! Views of hand-made and of random event logs.

use sim::{CpuId, Nanos, Stream, TaskId};

use crate::{
    Arrows, Doing, EndedBy, Event, EventKind, MigrateReason, PrevState, Rect, SUBPIXELS, Shows, TaskState,
    Timeline, View,
};

const IDLE: TaskId = Event::NO_TASK;

/// Writes the events of a machine whose scheduler does as the test says.
struct Writer {
    events: Vec<Event>,
    now: u64,
    current: Vec<TaskId>,
    queues: Vec<Vec<TaskId>>,
}

impl Writer {
    fn new(cpus: usize) -> Writer {
        Writer { events: Vec::new(), now: 0, current: vec![IDLE; cpus], queues: vec![Vec::new(); cpus] }
    }

    fn push(&mut self, kind: EventKind, cpu: usize, task: TaskId, args: [u32; 2], detail: u8) {
        let at = Nanos(self.now);
        self.events.push(Event { at, args, task, cpu: CpuId(cpu as u16), kind, detail });
    }

    fn at(&mut self, now: u64) -> &mut Writer {
        self.now = now;
        self
    }

    fn wake(&mut self, task: u32, from: usize, cpu: usize) -> &mut Writer {
        self.push(EventKind::Waking, from, TaskId(task), [from as u32, 0], 0);
        self.push(EventKind::Placed, cpu, TaskId(task), [from as u32, from as u32], 0);
        self.push(EventKind::Wakeup, cpu, TaskId(task), [1, 0], 0);
        self.queues[cpu].push(TaskId(task));
        self
    }

    fn migrate(&mut self, task: u32, from: usize, cpu: usize) -> &mut Writer {
        self.queues[from].retain(|queued| *queued != TaskId(task));
        self.queues[cpu].push(TaskId(task));
        self.push(EventKind::Migrate, cpu, TaskId(task), [from as u32, 0], 0);
        self
    }

    /// Switches to the task that has waited longest, or to idle.
    fn switch(&mut self, cpu: usize, prev_state: PrevState) -> &mut Writer {
        let prev = self.current[cpu];
        if prev != IDLE && prev_state == PrevState::Preempted {
            self.queues[cpu].push(prev);
        }
        let next = if self.queues[cpu].is_empty() { IDLE } else { self.queues[cpu].remove(0) };
        self.current[cpu] = next;
        let left = self.queues[cpu].len() as u32;
        self.push(EventKind::Switch, cpu, next, [prev.0, left], prev_state as u8);
        self
    }
}

/// Two CPUs of one cache: task 0 runs on CPU 0 with task 1 waiting from 20 to 60, while CPU 1 idles until 40 and
/// then runs task 2.
fn stacked() -> Writer {
    let mut writer = Writer::new(2);
    writer.at(10).wake(0, 0, 0).switch(0, PrevState::Idle);
    writer.at(20).wake(1, 0, 0);
    writer.at(40).wake(2, 0, 1).switch(1, PrevState::Idle);
    writer.at(60).switch(0, PrevState::Sleeping);
    writer.at(70).switch(0, PrevState::Preempted);
    writer.at(90).switch(1, PrevState::Dead);
    writer
}

fn timeline(writer: &Writer, end: u64, llcs: &[u16], tasks: usize) -> Timeline {
    Timeline::new(&writer.events, Nanos(end), llcs, tasks)
}

fn lane(timeline: &Timeline, cpu: u16, from: u64, to: u64, width: u32) -> Vec<Rect> {
    let mut rects = Vec::new();
    timeline.lane(CpuId(cpu), View { from: Nanos(from), to: Nanos(to), width }, &mut rects);
    rects
}

fn rect(x0: u32, x1: u32, shows: Shows) -> Rect {
    Rect { x0: x0 * SUBPIXELS, x1: x1 * SUBPIXELS, shows }
}

fn run(task: u32) -> Shows {
    Shows::Running { task: TaskId(task), share: 255 }
}

#[test]
fn a_lane_shows_who_runs_who_waits_and_which_idle_time_is_wasted() {
    let timeline = timeline(&stacked(), 100, &[0, 0], 3);
    let expected = [
        rect(0, 10, Shows::Idle(0)),
        rect(10, 60, run(0)),
        rect(60, 100, run(1)),
        rect(20, 60, Shows::Waiting(1)),
    ];
    assert_eq!(lane(&timeline, 0, 0, 100, 100), expected);
    let expected = [
        rect(0, 20, Shows::Idle(0)),
        rect(20, 40, Shows::Wasted),
        rect(40, 90, run(2)),
        rect(90, 100, Shows::Idle(0)),
    ];
    assert_eq!(lane(&timeline, 1, 0, 100, 100), expected);
    assert_eq!(timeline.wasted_ns(CpuId(1)), 20);
    assert_eq!(timeline.wasted_ns(CpuId(0)), 0);
}

#[test]
fn an_idle_cpu_shows_how_deep_it_sleeps_from_its_entry_until_it_runs() {
    let mut writer = Writer::new(1);
    writer.push(EventKind::Idle, 0, IDLE, [900, 0], 2);
    writer.at(30).wake(0, 0, 0).switch(0, PrevState::Idle);
    writer.at(50).switch(0, PrevState::Sleeping);
    writer.at(54).push(EventKind::Idle, 0, IDLE, [200, 0], 1);
    writer.at(80).wake(0, 0, 0).switch(0, PrevState::Idle);
    let timeline = timeline(&writer, 100, &[0], 1);
    let expected = [
        rect(0, 30, Shows::Idle(2)),
        rect(30, 50, run(0)),
        rect(50, 54, Shows::Idle(0)),
        rect(54, 80, Shows::Idle(1)),
        rect(80, 100, run(0)),
    ];
    assert_eq!(lane(&timeline, 0, 0, 100, 100), expected);
    let crowded: Vec<Shows> = lane(&timeline, 0, 50, 80, 1).iter().map(|rect| rect.shows).collect();
    assert_eq!(crowded, [Shows::Idle(1)], "a pixel shows what it ends with");
    assert_eq!([10, 40, 52, 60].map(|at| timeline.idle_depth(CpuId(0)).at(Nanos(at))), [2, 0, 0, 1]);
}

#[test]
fn idle_time_is_not_wasted_when_the_waiter_is_in_another_cache() {
    let timeline = timeline(&stacked(), 100, &[0, 1], 3);
    assert_eq!(timeline.wasted_ns(CpuId(1)), 0);
    assert!(lane(&timeline, 1, 0, 100, 100).iter().all(|rect| rect.shows != Shows::Wasted));
}

#[test]
fn a_crowded_pixel_shows_its_longest_runner_and_how_busy_it_was() {
    let mut writer = Writer::new(1);
    // In each 100 ns: task 0 runs 10, task 1 waits 10 and then runs 20, and 70 are idle.
    for round in 0..1_000 {
        let start = round * 100;
        writer.at(start).wake(0, 0, 0).switch(0, PrevState::Idle).wake(1, 0, 0);
        writer.at(start + 10).switch(0, PrevState::Sleeping);
        writer.at(start + 30).switch(0, PrevState::Sleeping);
    }
    let timeline = timeline(&writer, 100_000, &[0], 2);
    let rects = lane(&timeline, 0, 0, 100_000, 10);
    let busy = Shows::Running { task: TaskId(1), share: 85 };
    assert_eq!(rects[0], rect(0, 10, busy), "alike pixels are one rectangle");
    assert_eq!(rects.len(), 11);
    for (pixel, waiting) in rects[1..].iter().enumerate() {
        let start = pixel as u32 * SUBPIXELS;
        assert_eq!(*waiting, Rect { x0: start, x1: start + SUBPIXELS / 10, shows: Shows::Waiting(1) });
    }
}

#[test]
fn a_view_outside_the_run_is_empty() {
    let timeline = timeline(&stacked(), 100, &[0, 0], 3);
    assert!(lane(&timeline, 0, 100, 200, 50).is_empty());
    assert!(lane(&timeline, 0, 50, 50, 50).is_empty());
    assert!(lane(&timeline, 0, 60, 50, 50).is_empty());
    assert!(lane(&timeline, 0, 0, 100, 0).is_empty());
    let half_outside = lane(&timeline, 0, 50, 150, 100);
    assert_eq!(half_outside.iter().map(|rect| rect.x1).max(), Some(50 * SUBPIXELS));
}

#[test]
fn facts_of_a_moment_say_since_when_and_how_long() {
    let mut writer = stacked();
    writer.events.retain(|event| event.at < Nanos(60));
    writer.queues[0] = vec![TaskId(1)];
    writer.at(50).migrate(1, 0, 1);
    writer.at(90).switch(1, PrevState::Preempted);
    let timeline = timeline(&writer, 120, &[0, 0], 3);
    assert_eq!(timeline.waiters_at(CpuId(0), Nanos(30)), [(TaskId(1), Nanos(20))]);
    assert_eq!(timeline.waiters_at(CpuId(0), Nanos(50)), []);
    assert_eq!(timeline.waiters_at(CpuId(1), Nanos(55)), [(TaskId(1), Nanos(20))]);
    let moment = timeline.task_at(TaskId(1), Nanos(70));
    assert_eq!(moment.doing, Doing { state: TaskState::Waiting, cpu: CpuId(1) });
    assert_eq!((moment.since, moment.until), (Nanos(20), Nanos(90)), "a move does not restart the wait");
    assert_eq!((moment.ran, moment.waited), (Nanos(0), Nanos(50)));
    assert_eq!(timeline.task_at(TaskId(1), Nanos(5)).doing.state, TaskState::Unborn);
    assert_eq!(timeline.task_at(TaskId(1), Nanos(500)).doing.state, TaskState::Running);
}

#[test]
fn slices_come_in_the_order_of_time_with_their_waits_and_ends() {
    let timeline = timeline(&stacked(), 100, &[0, 0], 3);
    let rows: Vec<_> = timeline
        .slices(Nanos(30), Nanos(100), 10)
        .iter()
        .map(|slice| (slice.from.0, slice.to.0, slice.cpu.0, slice.task.0, slice.waited.0, slice.ended_by))
        .collect();
    let expected = [
        (10, 60, 0, 0, 0, EndedBy::Sleep),
        (40, 90, 1, 2, 0, EndedBy::Exit),
        (60, 100, 0, 1, 40, EndedBy::EndOfRun),
    ];
    assert_eq!(rows, expected);
    assert_eq!(timeline.slices(Nanos(30), Nanos(100), 2).len(), 2);
    assert_eq!(timeline.slice_count(Nanos(30), Nanos(100)), 3);
    assert_eq!(timeline.slice_count(Nanos(0), Nanos(40)), 1);
}

#[test]
fn arrows_lead_from_the_waker_and_vanish_where_they_would_be_a_blot() {
    let writer = stacked();
    let timeline = timeline(&writer, 100, &[0, 0], 3);
    let view = View { from: Nanos(0), to: Nanos(100), width: 100 };
    let arrows = timeline.arrows(&writer.events, view, Arrows::Wakeups);
    let ends: Vec<_> = arrows.iter().map(|arrow| (arrow.x / SUBPIXELS, arrow.from, arrow.to)).collect();
    assert_eq!(ends, [(10, 0, 0), (20, 0, 0), (40, 0, 1)]);
    assert!(timeline.arrows(&writer.events, View { width: 2, ..view }, Arrows::Wakeups).is_empty());
}

#[test]
fn a_task_woken_before_it_left_its_cpu_waits_once_it_has_left() {
    let mut writer = Writer::new(1);
    writer.at(0).wake(0, 0, 0).switch(0, PrevState::Idle);
    writer.at(10).wake(1, 0, 0);
    // Task 0 is being dequeued and is woken again before the switch.
    writer.at(20).wake(0, 0, 0);
    writer.at(25).switch(0, PrevState::Sleeping);
    let timeline = timeline(&writer, 40, &[0], 2);
    assert_eq!(timeline.task_at(TaskId(0), Nanos(22)).doing.state, TaskState::Running);
    assert_eq!(timeline.task_at(TaskId(0), Nanos(30)).doing.state, TaskState::Waiting);
    assert_eq!(timeline.waiting(CpuId(0)).at(Nanos(30)), 1);
}

#[test]
fn a_task_woken_before_it_left_its_queue_never_slept() {
    let mut writer = Writer::new(1);
    writer.at(0).wake(0, 0, 0).switch(0, PrevState::Idle);
    writer.at(10).push(EventKind::Waking, 0, TaskId(0), [0, 0], 0);
    writer.at(25).switch(0, PrevState::Sleeping);
    let timeline = timeline(&writer, 40, &[0], 1);
    assert_eq!(timeline.task_at(TaskId(0), Nanos(20)).doing.state, TaskState::Running);
    assert_eq!(timeline.task_at(TaskId(0), Nanos(30)).doing.state, TaskState::Sleeping);
}

#[test]
fn a_new_task_waits_from_its_creation() {
    let mut writer = Writer::new(2);
    writer.at(5).push(EventKind::Fork, 1, TaskId(0), [0, 0], 0);
    writer.queues[1].push(TaskId(0));
    writer.at(9).switch(1, PrevState::Idle);
    let timeline = timeline(&writer, 20, &[0, 0], 1);
    assert_eq!(timeline.waiters_at(CpuId(1), Nanos(6)), [(TaskId(0), Nanos(5))]);
    assert_eq!(timeline.slices(Nanos(0), Nanos(20), 5)[0].waited, Nanos(4));
}

/// A random but possible history.
fn random_history(seed: u64, cpus: usize, tasks: u32, steps: u32) -> Writer {
    let mut random = Stream::new(seed, 0, 0);
    let mut writer = Writer::new(cpus);
    let mut asleep: Vec<u32> = (0..tasks).collect();
    for _ in 0..steps {
        // Often no time passes, so that several things happen at one moment.
        writer.now += u64::from(random.below(4) * random.below(1_000));
        let cpu = random.below(cpus as u32) as usize;
        let other = random.below(cpus as u32) as usize;
        match random.below(5) {
            0 | 1 if !asleep.is_empty() => {
                let task = asleep.swap_remove(random.below(asleep.len() as u32) as usize);
                writer.wake(task, other, cpu);
            }
            2 if !writer.queues[cpu].is_empty() && cpu != other => {
                let task = writer.queues[cpu][0].0;
                writer.migrate(task, cpu, other);
            }
            choice => {
                let prev = writer.current[cpu];
                let state = match (prev == IDLE, choice) {
                    (true, _) => PrevState::Idle,
                    (false, 3) => PrevState::Preempted,
                    (false, _) => PrevState::Sleeping,
                };
                if state == PrevState::Sleeping {
                    asleep.push(prev.0);
                }
                writer.switch(cpu, state);
            }
        }
    }
    writer.now += 1;
    writer
}

#[test]
fn time_is_conserved_on_every_cpu_and_for_every_task() {
    for seed in 0..40 {
        let cpus = 1 + seed as usize % 6;
        let writer = random_history(seed, cpus, 9, 3_000);
        let llcs: Vec<u16> = (0..cpus).map(|cpu| cpu as u16 / 2).collect();
        let timeline = timeline(&writer, writer.now, &llcs, 9);
        let end = timeline.end();
        let mut ran_on_cpus = 0;
        let mut waited_on_cpus = 0;
        for cpu in (0..cpus).map(|cpu| CpuId(cpu as u16)) {
            let mut at = Nanos::ZERO;
            for piece in timeline.running(cpu).pieces() {
                assert_eq!(piece.from, at, "no gap and no overlap");
                assert!(piece.from < piece.to);
                at = piece.to;
                if piece.value != IDLE {
                    ran_on_cpus += (piece.to - piece.from).0;
                }
            }
            assert_eq!(at, end);
            for piece in timeline.waiting(cpu).pieces() {
                waited_on_cpus += u64::from(piece.value) * (piece.to - piece.from).0;
            }
        }
        let moments = (0..9).map(|task| timeline.task_at(TaskId(task), end));
        let (ran, waited) = moments.fold((0, 0), |sum, task| (sum.0 + task.ran.0, sum.1 + task.waited.0));
        assert_eq!((ran, waited), (ran_on_cpus, waited_on_cpus), "seed {seed}");
    }
}

#[test]
fn rectangles_tile_the_view_and_are_at_most_two_a_pixel() {
    for seed in 0..20 {
        let writer = random_history(seed, 4, 12, 20_000);
        let timeline = timeline(&writer, writer.now, &[0, 0, 1, 1], 12);
        let end = writer.now;
        let views = [(0, end, 1_000), (0, end, 7), (end / 3, end / 2, 300), (end / 2, end / 2 + 900, 500)];
        for (cpu, (from, to, width)) in (0..4).flat_map(|cpu| views.map(|view| (cpu, view))) {
            let rects = lane(&timeline, cpu, from, to, width);
            let (waiting, doings): (Vec<Rect>, Vec<Rect>) =
                rects.iter().partition(|rect| matches!(rect.shows, Shows::Waiting(_)));
            assert!(doings.len() <= width as usize && waiting.len() <= width as usize);
            let mut x = 0;
            for rect in &doings {
                assert_eq!(rect.x0, x, "seed {seed} cpu {cpu} view {from}..{to}");
                x = rect.x1;
            }
            assert_eq!(x, width * SUBPIXELS);
            assert!(waiting.windows(2).all(|pair| pair[0].x1 <= pair[1].x0));
        }
    }
}

#[test]
fn crowded_pixels_agree_with_the_slices_below_them() {
    let writer = random_history(3, 2, 8, 50_000);
    let timeline = timeline(&writer, writer.now, &[0, 0], 8);
    let width = 200;
    for cpu in [CpuId(0), CpuId(1)] {
        for rect in lane(&timeline, cpu.0, 0, writer.now, width) {
            let moment = |x: u32| Nanos((writer.now * u64::from(x / SUBPIXELS)).div_ceil(u64::from(width)));
            let (from, to) = (moment(rect.x0), moment(rect.x1));
            let busy = |task: Option<TaskId>| -> u64 {
                let slices = timeline.slices(from, to, usize::MAX);
                let own =
                    slices.iter().filter(|slice| slice.cpu == cpu && task.is_none_or(|t| t == slice.task));
                own.map(|slice| (slice.to.min(to) - slice.from.max(from)).0).sum()
            };
            if let Shows::Running { task, share } = rect.shows {
                let part = busy(None) * 255 / (to - from).0;
                assert!(part <= u64::from(share) && u64::from(share) <= part + 18, "{part} as {share}");
                assert!(0 < busy(Some(task)));
            }
        }
    }
}

fn task_lane(timeline: &Timeline, task: u32, from: u64, to: u64, width: u32) -> Vec<Rect> {
    let mut rects = Vec::new();
    timeline.task_lane(TaskId(task), View { from: Nanos(from), to: Nanos(to), width }, &mut rects);
    rects
}

fn on(cpu: u16) -> Shows {
    Shows::On { cpu: CpuId(cpu), share: 255 }
}

#[test]
fn a_task_lane_shows_where_it_runs_and_when_it_waits_or_is_blocked() {
    let timeline = timeline(&stacked(), 100, &[0, 0], 3);
    assert_eq!(task_lane(&timeline, 0, 0, 100, 100), [rect(10, 60, on(0)), rect(60, 100, Shows::Blocked)]);
    assert_eq!(task_lane(&timeline, 1, 0, 100, 100), [rect(60, 100, on(0)), rect(20, 60, Shows::Waiting(1))]);
    let ended = task_lane(&timeline, 2, 0, 100, 100);
    assert_eq!(ended, [rect(40, 90, on(1))], "nothing before its first wake-up, and nothing after its end");
}

#[test]
fn task_lanes_agree_with_the_sums_at_every_level_of_detail() {
    for seed in 0..10 {
        let writer = random_history(seed, 4, 12, 20_000);
        let timeline = timeline(&writer, writer.now, &[0, 0, 1, 1], 12);
        for (task, width) in (0..12).flat_map(|task| [7, 100, 16_000].map(|width| (task, width))) {
            let rects = task_lane(&timeline, task, 0, writer.now, width);
            let (waiting, doings): (Vec<Rect>, Vec<Rect>) =
                rects.iter().partition(|rect| matches!(rect.shows, Shows::Waiting(_)));
            assert!(doings.len() <= width as usize && waiting.len() <= width as usize);
            assert!(doings.windows(2).all(|pair| pair[0].x1 <= pair[1].x0));
            assert!(waiting.windows(2).all(|pair| pair[0].x1 <= pair[1].x0));
            let moment = timeline.task_at(TaskId(task), Nanos(writer.now));
            let whole = f64::from(width * SUBPIXELS);
            let part = |rects: &[Rect]| {
                let share = |rect: &Rect| match rect.shows {
                    Shows::On { share, .. } => f64::from(share) / 255.0,
                    Shows::Waiting(_) => 1.0,
                    _ => 0.0,
                };
                rects.iter().map(|rect| f64::from(rect.x1 - rect.x0) * share(rect)).sum::<f64>() / whole
            };
            let (ran, waited) = (moment.ran.0 as f64, moment.waited.0 as f64);
            let end = writer.now as f64;
            // Shares of running are rounded up by less than a fifteenth of a pixel that it runs in.
            assert!(-0.005 < part(&doings) - ran / end && part(&doings) - ran / end < 0.07, "seed {seed}");
            assert!((part(&waiting) - waited / end).abs() < 0.005, "seed {seed}");
        }
    }
}

#[test]
fn a_folded_lane_is_the_mean_of_its_cpus() {
    let timeline = timeline(&stacked(), 100, &[0, 0], 3);
    let mut rects = Vec::new();
    let view = View { from: Nanos(0), to: Nanos(100), width: 10 };
    timeline.folded_lane(&[CpuId(0), CpuId(1)], view, &mut rects);
    let half = Shows::Busy(136);
    let expected = [
        rect(0, 1, Shows::Idle(0)),
        rect(1, 4, half),
        rect(4, 9, Shows::Busy(255)),
        rect(9, 10, half),
        rect(2, 6, Shows::Crowded(136)),
    ];
    assert_eq!(rects, expected);
}

#[test]
fn arrows_tell_moves_from_wake_ups_and_who_woke_whom() {
    let mut writer = stacked();
    writer.at(95).wake(0, 1, 0).migrate(0, 0, 1);
    let timeline = timeline(&writer, 100, &[0, 0], 3);
    let view = View { from: Nanos(0), to: Nanos(100), width: 100 };
    let ends = |arrows| -> Vec<(u32, u32, u32)> {
        let found = timeline.arrows(&writer.events, view, arrows);
        found.iter().map(|arrow| (arrow.x / SUBPIXELS, arrow.from, arrow.to)).collect()
    };
    // The migration was written as one of a wake-up, which its own arrow tells of.
    assert_eq!(ends(Arrows::Moves), []);
    assert_eq!(ends(Arrows::Wakers), [(10, 0, 0), (20, 0, 1), (40, 0, 2), (95, 0, 0)]);
    writer.at(96).push(EventKind::Migrate, 0, TaskId(0), [1, 0], MigrateReason::NewIdle as u8);
    let found = timeline.arrows(&writer.events, view, Arrows::Moves);
    assert_eq!(found.iter().map(|arrow| (arrow.from, arrow.to)).collect::<Vec<_>>(), [(1, 0)]);
}

#[test]
fn the_minimap_sums_up_all_cpus() {
    let timeline = timeline(&stacked(), 100, &[0, 0], 3);
    let map: Vec<(u8, u16)> = timeline.minimap(10).iter().map(|pixel| (pixel.busy, pixel.waiting)).collect();
    let half = 128;
    let expected = [
        (0, 0),
        (half, 0),
        (half, 1),
        (half, 1),
        (255, 1),
        (255, 1),
        (255, 0),
        (255, 0),
        (255, 0),
        (half, 0),
    ];
    assert_eq!(map, expected);
}
