//! A hand-made log whose waits can be counted with a pencil.

use trace::{MigrateReason, PrevState};

use super::*;

const IDLE: u32 = u32::MAX;

fn event(at: u64, kind: EventKind, cpu: u16, task: u32, args: [u32; 2]) -> Event {
    Event { at: Nanos(at), args, task: TaskId(task), cpu: CpuId(cpu), kind, detail: 0 }
}

fn length(at: u64, cpu: u16, nr_running: u32) -> Event {
    event(at, EventKind::QueueLength, cpu, IDLE, [nr_running, 0])
}

fn wake(at: u64, task: u32, from: u16, to: u16, nr_running: u32) -> [Event; 4] {
    [
        event(at, EventKind::Waking, from, task, [0, 0]),
        event(at, EventKind::Placed, to, task, [u32::from(from), 0]),
        length(at + 1, to, nr_running),
        event(at + 1, EventKind::Wakeup, to, task, [nr_running, 0]),
    ]
}

fn switch(at: u64, cpu: u16, prev: u32, next: u32, state: PrevState) -> Event {
    Event { detail: state as u8, ..event(at, EventKind::Switch, cpu, next, [prev, 0]) }
}

/// Two caches of two CPUs. Task 0 runs on CPU 0 from 10 on. Task 1 is woken there at 20 and stays until CPU 1 pulls it
/// at 90, which had refused it at 50. Task 2 runs on CPU 1 from 12 to 40; then that CPU idles. CPUs 2 and 3 idle.
fn log() -> Vec<Event> {
    let mut events = Vec::new();
    events.extend(wake(8, 0, 0, 0, 1));
    events.push(switch(10, 0, IDLE, 0, PrevState::Idle));
    events.extend(wake(10, 2, 0, 1, 1));
    events.push(switch(12, 1, IDLE, 2, PrevState::Idle));
    events.extend(wake(20, 1, 0, 0, 2));
    events.extend([length(40, 1, 0), switch(40, 1, 2, IDLE, PrevState::Sleeping)]);
    events.push(event(50, EventKind::UtilRefused, 1, 1, [900, 0]));
    let reason = MigrateReason::Idle as u8;
    events.push(length(90, 0, 1));
    events.push(Event { detail: reason, ..event(90, EventKind::Migrate, 1, 1, [0, 0]) });
    events.extend([length(90, 1, 1), switch(93, 1, IDLE, 1, PrevState::Idle)]);
    events
}

fn work(events: &[Event], span: Span, end: u64) -> WorkConservation {
    let mut builder = WorkBuilder::new(&[0, 0, 1, 1], &[1024; 3], span);
    builder.follow(events);
    builder.finish(Nanos(end))
}

#[test]
fn every_wait_is_counted_by_how_it_began() {
    let work = work(&log(), Span::Whole, 100);
    // Task 0 from 8 to 10, task 1 from 20 to 93.
    assert_eq!((work.wakeup_kept.count, work.wakeup_kept.sum_ns), (2, 2 + 73));
    assert_eq!(work.wakeup_kept.max_ns, 73);
    // Task 2 from 10 to 12, on another CPU than before.
    assert_eq!((work.wakeup_moved.count, work.wakeup_moved.sum_ns), (1, 2));
    assert_eq!((work.preemption.count, work.other.count), (0, 0));
    // A run delay begins on the queue, one later than the wake-up.
    let longest = TaskWork { longest_ns: 72, longest_from_ns: 21, ..work.tasks[1] };
    let task = TaskWork { ran_ns: 7, run_delay_ns: 72, waits: 1, ..longest };
    assert_eq!(work.tasks[1], task);
    assert_eq!(work.tasks[0].ran_ns, 90);
    assert_eq!(work.tasks[2].ran_ns, 28);
}

#[test]
fn waiting_while_a_cpu_idles_has_its_cause() {
    let work = work(&log(), Span::Whole, 100);
    let waits = work.wait_while_idle;
    assert_eq!(waits.idle_elsewhere_ns, 40 - 21, "until CPU 1 idles only the other cache has idle CPUs");
    assert_eq!(waits.stacked_ns, 10, "until the refusal the wake-up is to blame");
    assert_eq!(waits.refused_ns, 90 - 50, "then the balancer, until it moves the task");
    assert_eq!(waits.other_ns, 0);
    // On its new CPU nobody is in its way, although it does not run yet.
    assert_eq!(work.tasks[1].while_idle_ns, 19 + 10 + 40);
    assert_eq!(work.tasks[0].while_idle_ns, 0);
}

#[test]
fn a_preempted_task_waits_for_another_reason() {
    let mut events = log();
    events.extend(wake(94, 2, 1, 1, 2));
    events.push(switch(96, 1, 1, 2, PrevState::Preempted));
    events.extend([length(99, 1, 1), switch(99, 1, 2, 1, PrevState::Sleeping)]);
    let work = work(&events, Span::Whole, 110);
    assert_eq!((work.preemption.count, work.preemption.sum_ns), (1, 3));
    assert_eq!(work.tasks[1].preemption_ns, 3);
    assert_eq!(work.tasks[1].run_delay_ns, 72 + 3);
    assert_eq!(work.wait_while_idle.idle_elsewhere_ns, 19 + (96 - 95) + 3, "task 2, then task 1");
}

#[test]
fn a_part_has_only_what_lies_inside() {
    let span = Span::Part { from: Nanos(30), to: Nanos(70), bins: 4 };
    let events = log();
    let inside = events.iter().position(|event| Nanos(70) < event.at).unwrap();
    let work = work(&events[..inside], span, 100);
    assert_eq!((work.from, work.to), (Nanos(30), Nanos(70)));
    assert_eq!((work.wakeup_kept.count, work.wakeup_kept.sum_ns), (1, 40), "it still waits at the end");
    assert_eq!(work.wakeup_moved.count, 0, "that one was over before");
    assert_eq!(
        (work.tasks[1].longest_from_ns, work.tasks[1].longest_ns),
        (30, 40),
        "the part of it that is inside"
    );
    assert_eq!(work.tasks[0].ran_ns, 40);
    assert_eq!(work.tasks[2].ran_ns, 10);
    let WaitWhileIdle { idle_elsewhere_ns, refused_ns, stacked_ns, other_ns } = work.wait_while_idle;
    assert_eq!((idle_elsewhere_ns, stacked_ns, refused_ns, other_ns), (10, 10, 20, 0));
    assert_eq!(work.bin, Nanos(10));
    let column = |value: fn(&WorkBin) -> f64| work.over_time.iter().map(value).collect::<Vec<_>>();
    assert_eq!(column(|bin| bin.runnable), [3.0, 2.0, 2.0, 2.0]);
    assert_eq!(column(|bin| f64::from(bin.longest_queue)), [2.0; 4]);
    assert_eq!(column(|bin| bin.idle_elsewhere), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(column(|bin| bin.stacked), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(column(|bin| bin.refused), [0.0, 0.0, 1.0, 1.0]);
}

#[test]
fn parts_add_up_to_the_whole() {
    let events = log();
    let whole = work(&events, Span::Whole, 100);
    let parts: Vec<WorkConservation> = [(0, 15), (15, 45), (45, 100)]
        .map(|(from, to)| {
            let inside = events.iter().take_while(|event| event.at <= Nanos(to)).count();
            work(&events[..inside], Span::Part { from: Nanos(from), to: Nanos(to), bins: 1 }, 100)
        })
        .into();
    let sum = |value: fn(&WorkConservation) -> u64| parts.iter().map(value).sum::<u64>();
    for task in 0..3 {
        assert_eq!(
            parts.iter().map(|part| part.tasks[task].run_delay_ns).sum::<u64>(),
            whole.tasks[task].run_delay_ns
        );
    }
    assert_eq!(sum(|part| part.wait_while_idle.refused_ns), whole.wait_while_idle.refused_ns);
    assert_eq!(sum(|part| part.wait_while_idle.idle_elsewhere_ns), whole.wait_while_idle.idle_elsewhere_ns);
    assert_eq!(sum(|part| part.wakeup_kept.sum_ns), whole.wakeup_kept.sum_ns);
    let score = |work: &WorkConservation| work.load_balance_score * (work.to.0 - work.from.0) as f64;
    assert!((parts.iter().map(score).sum::<f64>() - score(&whole)).abs() < 1e-3);
    assert!(0.0 < whole.load_balance_score);
}
