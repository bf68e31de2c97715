use sim::{CpuId, Nanos, TaskId};

use super::{CompactCsv, Ftrace, Names, Perfetto, TaskName, Writer};
use crate::{Event, EventKind, MigrateReason, PrevState};

const NONE: TaskId = Event::NO_TASK;
const MAIN: TaskId = TaskId(0);
const WORKER: TaskId = TaskId(1);

fn names() -> Names {
    let task = |comm: &str, prio| TaskName {
        comm: comm.to_owned(),
        prio,
        leader: MAIN,
        command: "program".to_owned(),
    };
    Names {
        kernel_release: "5.10.0".to_owned(),
        cpus: 2,
        tasks: vec![task("main", 120), task("a worker: (x)-1", 125)],
    }
}

fn event(at: u64, kind: EventKind, cpu: u16, task: TaskId, args: [u32; 2], detail: u8) -> Event {
    Event { at: Nanos(at), args, task, cpu: CpuId(cpu), kind, detail }
}

fn switch(at: u64, cpu: u16, prev: TaskId, state: PrevState, next: TaskId) -> Event {
    event(at, EventKind::Switch, cpu, next, [prev.0, 0], state as u8)
}

/// A worker is created, sleeps, is woken onto another CPU through its wake list, is preempted by nobody, woken before it
/// sleeps, and ends.
fn story() -> Vec<Event> {
    use EventKind::{Decision, Exit, Fork, Migrate, Placed, QueueLength, Wakeup, Waking};
    vec![
        event(0, Fork, 0, MAIN, [0, 0], 0),
        event(0, QueueLength, 0, NONE, [1, 0], 0),
        switch(1_000, 0, NONE, PrevState::Idle, MAIN),
        event(2_000, Fork, 1, WORKER, [0, 0], 0),
        switch(2_500, 1, NONE, PrevState::Idle, WORKER),
        switch(3_000, 1, WORKER, PrevState::Sleeping, NONE),
        event(4_000, Waking, 1, WORKER, [0, MAIN.0], 0),
        event(4_000, Decision, 0, NONE, [0, 0], 0),
        event(4_000, Placed, 0, WORKER, [1, 0], 0),
        event(4_000, Migrate, 0, WORKER, [1, 0], MigrateReason::Wakeup as u8),
        event(4_000, Wakeup, 0, WORKER, [2, 0], 0),
        switch(5_000, 0, MAIN, PrevState::Preempted, WORKER),
        event(6_000, Migrate, 1, MAIN, [0, 0], MigrateReason::NewIdle as u8),
        switch(6_100, 1, NONE, PrevState::Idle, MAIN),
        event(6_200, Waking, 0, WORKER, [1, MAIN.0], 0),
        switch(7_000, 0, WORKER, PrevState::Sleeping, NONE),
        event(8_000, Waking, 0, WORKER, [1, NONE.0], 0),
        event(8_000, Placed, 0, WORKER, [0, 1], 1),
        event(1_000_008_500, Wakeup, 0, WORKER, [1, 0], 0),
        switch(1_000_009_000, 0, NONE, PrevState::Idle, WORKER),
        event(1_000_010_000, Exit, 0, WORKER, [0, 0], 0),
        switch(1_000_010_000, 0, WORKER, PrevState::Dead, NONE),
    ]
}

fn written(mut writer: impl Writer, events: &[Event], piece: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in events.chunks(piece) {
        writer.follow(piece, &mut out);
    }
    writer.finish(Nanos(1_000_020_000), &mut out);
    out
}

fn text(writer: impl Writer) -> String {
    String::from_utf8(written(writer, &story(), usize::MAX)).unwrap()
}

#[test]
fn ftrace_tells_every_step_where_the_kernel_records_it() {
    let text = text(Ftrace::new(names()));
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let expected = [
        "          <idle>-0       [000] d..2.     1.000000000: sched_wakeup_new: comm=main pid=1000 prio=120 target_cpu=000",
        "          <idle>-0       [000] d..2.     1.000001000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=main next_pid=1000 next_prio=120",
        "            main-1000    [000] d..2.     1.000002000: sched_process_fork: comm=main pid=1000 child_comm=a worker: (x)-1 child_pid=1001",
        "            main-1000    [000] d..2.     1.000002000: sched_wakeup_new: comm=a worker: (x)-1 pid=1001 prio=125 target_cpu=001",
        "          <idle>-0       [001] d..2.     1.000002500: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a worker: (x)-1 next_pid=1001 next_prio=125",
        " a worker: (x)-1-1001    [001] d..2.     1.000003000: sched_switch: prev_comm=a worker: (x)-1 prev_pid=1001 prev_prio=125 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120",
        "            main-1000    [000] d..2.     1.000004000: sched_waking: comm=a worker: (x)-1 pid=1001 prio=125 target_cpu=001",
        "            main-1000    [000] d..2.     1.000004000: sched_migrate_task: comm=a worker: (x)-1 pid=1001 prio=125 orig_cpu=1 dest_cpu=0",
        "            main-1000    [000] d..2.     1.000004000: sched_wakeup: comm=a worker: (x)-1 pid=1001 prio=125 target_cpu=000",
        "            main-1000    [000] d..2.     1.000005000: sched_switch: prev_comm=main prev_pid=1000 prev_prio=120 prev_state=R+ ==> next_comm=a worker: (x)-1 next_pid=1001 next_prio=125",
        "          <idle>-0       [001] d..2.     1.000006000: sched_migrate_task: comm=main pid=1000 prio=120 orig_cpu=0 dest_cpu=1",
        "          <idle>-0       [001] d..2.     1.000006100: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=main next_pid=1000 next_prio=120",
        "            main-1000    [001] d..2.     1.000006200: sched_waking: comm=a worker: (x)-1 pid=1001 prio=125 target_cpu=000",
        "            main-1000    [001] d..2.     1.000006200: sched_wakeup: comm=a worker: (x)-1 pid=1001 prio=125 target_cpu=000",
        " a worker: (x)-1-1001    [000] d..2.     1.000007000: sched_switch: prev_comm=a worker: (x)-1 prev_pid=1001 prev_prio=125 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120",
        "            main-1000    [001] d.h2.     1.000008000: sched_waking: comm=a worker: (x)-1 pid=1001 prio=125 target_cpu=000",
        "          <idle>-0       [000] d.h2.     2.000008500: sched_wakeup: comm=a worker: (x)-1 pid=1001 prio=125 target_cpu=000",
        "          <idle>-0       [000] d..2.     2.000009000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a worker: (x)-1 next_pid=1001 next_prio=125",
        " a worker: (x)-1-1001    [000] d..2.     2.000010000: sched_process_exit: comm=a worker: (x)-1 pid=1001 prio=125",
        " a worker: (x)-1-1001    [000] d..2.     2.000010000: sched_switch: prev_comm=a worker: (x)-1 prev_pid=1001 prev_prio=125 prev_state=X ==> next_comm=swapper/0 next_pid=0 next_prio=120",
    ];
    assert_eq!(lines, expected);
    assert!(text.starts_with("# tracer: nop\n"));
}

#[test]
fn a_task_that_is_woken_elsewhere_before_it_has_left_its_cpu_was_not_preempted() {
    let events = [
        switch(0, 0, NONE, PrevState::Idle, WORKER),
        event(10, EventKind::Waking, 0, WORKER, [1, NONE.0], 0),
        event(10, EventKind::Placed, 1, WORKER, [0, 1], 0),
        event(10, EventKind::Migrate, 1, WORKER, [0, 0], MigrateReason::Wakeup as u8),
        event(10, EventKind::Wakeup, 1, WORKER, [1, 0], 0),
        switch(20, 0, WORKER, PrevState::Preempted, NONE),
        switch(30, 1, NONE, PrevState::Idle, WORKER),
        switch(40, 1, WORKER, PrevState::Preempted, MAIN),
    ];
    let text = String::from_utf8(written(Ftrace::new(names()), &events, 8)).unwrap();
    let states: Vec<&str> =
        text.split("prev_state=").skip(1).map(|rest| rest.split(' ').next().unwrap()).collect();
    assert_eq!(states, ["R", "R", "R", "R+"]);
}

#[test]
fn a_wake_up_at_the_very_end_is_not_lost() {
    let events = [
        switch(0, 0, NONE, PrevState::Idle, WORKER),
        event(10, EventKind::Waking, 0, WORKER, [1, NONE.0], 0),
    ];
    let text = String::from_utf8(written(Ftrace::new(names()), &events, 8)).unwrap();
    assert!(text.contains("sched_waking") && text.contains("sched_wakeup:"), "{text}");
}

#[test]
fn pieces_give_the_same_bytes_as_the_whole() {
    let story = story();
    for piece in [1, 2, 7] {
        assert_eq!(
            written(Ftrace::new(names()), &story, piece),
            written(Ftrace::new(names()), &story, usize::MAX)
        );
        assert_eq!(
            written(Perfetto::new(names()), &story, piece),
            written(Perfetto::new(names()), &story, usize::MAX)
        );
    }
}

#[test]
fn a_run_without_events_is_still_a_file_of_its_format() {
    let perfetto = written(Perfetto::new(names()), &[], 1);
    assert!(perfetto.windows(6).any(|bytes| bytes == b"5.10.0"));
    assert!(written(Ftrace::new(names()), &[], 1).starts_with(b"# tracer: nop\n"));
}

#[test]
fn the_compact_trace_tells_tasks_of_one_name_apart() {
    let mut names = names();
    names.tasks[1].comm = "main".to_owned();
    let text = String::from_utf8(written(CompactCsv::new(&names), &story(), usize::MAX)).unwrap();
    let expected = "\
t_us,cpu,ev,task,arg1,arg2
0,0,N,main.0,000,
1,0,S,idle,R,main.0
2,0,N,main.1,001,
2,1,S,idle,R,main.1
3,1,S,main.1,S,idle
4,0,W,main.1,001,
4,0,M,main.1,1,0
5,0,S,main.0,R+,main.1
6,1,M,main.0,0,1
6,1,S,idle,R,main.0
6,1,W,main.1,000,
7,0,S,main.1,S,idle
8,1,W,main.1,000,
1000009,0,S,idle,R,main.1
1000010,0,S,main.1,X,idle
";
    assert_eq!(text, expected);
}
