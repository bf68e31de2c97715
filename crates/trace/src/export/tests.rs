use sim::{CpuId, Nanos, TaskId};

use super::{Chrome, CompactCsv, DomainName, Ftrace, Names, Perfetto, Schedstat, TaskName, Timehist, Writer};
use crate::{BalanceOutcome, Event, EventKind, MigrateReason, PrevState};

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
        balance(6_000, 1, 0, BalanceOutcome::Moved),
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

fn written(writer: &mut dyn Writer, events: &[Event], piece: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in events.chunks(piece) {
        writer.follow(piece, &mut out);
    }
    writer.finish(Nanos(1_000_020_000), &mut out);
    out
}

fn text(mut writer: impl Writer) -> String {
    String::from_utf8(written(&mut writer, &story(), usize::MAX)).unwrap()
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
    let text = String::from_utf8(written(&mut Ftrace::new(names()), &events, 8)).unwrap();
    let states: Vec<&str> =
        text.split("prev_state=").skip(1).map(|rest| rest.split(' ').next().unwrap()).collect();
    assert_eq!(states, ["R", "R", "R", "R+"]);
}

#[test]
fn a_cpu_enters_and_leaves_the_idle_states_that_the_log_tells_of() {
    let events = [
        event(0, EventKind::Idle, 0, NONE, [900, 0], 2),
        switch(10, 0, NONE, PrevState::Idle, WORKER),
        switch(20, 0, WORKER, PrevState::Sleeping, NONE),
        event(30, EventKind::Idle, 0, NONE, [200, 0], 1),
    ];
    let text = String::from_utf8(written(&mut Ftrace::new(names()), &events, 8)).unwrap();
    let told: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("cpu_idle: ")).map(|l| l.1).collect();
    assert_eq!(told, ["state=2 cpu_id=0", "state=4294967295 cpu_id=0", "state=1 cpu_id=0"]);
    let leaves = text.find("state=4294967295").unwrap();
    assert!(leaves < text.find("sched_switch: prev_comm=swapper").unwrap(), "before the task runs: {text}");
}

#[test]
fn a_wake_up_at_the_very_end_is_not_lost() {
    let events = [
        switch(0, 0, NONE, PrevState::Idle, WORKER),
        event(10, EventKind::Waking, 0, WORKER, [1, NONE.0], 0),
    ];
    let text = String::from_utf8(written(&mut Ftrace::new(names()), &events, 8)).unwrap();
    assert!(text.contains("sched_waking") && text.contains("sched_wakeup:"), "{text}");
}

/// A writer of each format.
fn all() -> [Box<dyn Writer>; 6] {
    let domain = DomainName { name: "MC".to_owned(), cpus: vec![CpuId(0), CpuId(1)] };
    [
        Box::new(Perfetto::new(names())),
        Box::new(Ftrace::new(names())),
        Box::new(CompactCsv::new(&names())),
        Box::new(Chrome::new(names())),
        Box::new(Timehist::new(names())),
        Box::new(Schedstat::new(&names(), vec![vec![domain.clone()], vec![domain]], 250)),
    ]
}

#[test]
fn pieces_give_the_same_bytes_as_the_whole() {
    let story = story();
    for piece in [1, 2, 7] {
        for (mut pieces, mut whole) in all().into_iter().zip(all()) {
            let text = format!("{pieces:?}");
            assert_eq!(
                written(pieces.as_mut(), &story, piece),
                written(whole.as_mut(), &story, usize::MAX),
                "{text}"
            );
        }
    }
}

#[test]
fn a_run_without_events_is_still_a_file_of_its_format() {
    for mut writer in all() {
        let text = format!("{writer:?}");
        assert!(!written(writer.as_mut(), &[], 1).is_empty(), "{text}");
    }
}

#[test]
fn timehist_tells_how_long_a_task_was_away_could_have_run_and_ran() {
    let text = text(Timehist::new(names()));
    let lines: Vec<&str> = text.lines().skip(3).collect();
    let expected = [
        "       1.000003 [0001]  a worker: (x)-1[1001/1000]          0.000      0.000      0.000 ",
        "       1.000005 [0000]  main[1000]                          0.000      0.001      0.004 ",
        "       1.000007 [0000]  a worker: (x)-1[1001/1000]          0.002      0.001      0.002 ",
        "       2.000010 [0000]  a worker: (x)-1[1001/1000]       1000.002   1000.001      0.001 ",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn schedstat_counts_wake_ups_for_the_waker_and_waits_where_they_end() {
    let story = [
        story(),
        vec![
            event(1_000_011_000, EventKind::Migrate, 1, WORKER, [0, 0], MigrateReason::Busy as u8),
            balance(1_000_011_000, 1, 2, BalanceOutcome::Moved),
            balance(1_000_012_000, 1, 0, BalanceOutcome::ActiveStarted),
            event(1_000_013_000, EventKind::Migrate, 1, MAIN, [0, 0], MigrateReason::Active as u8),
            balance(1_000_014_000, 0, 1, BalanceOutcome::Nothing),
        ],
    ]
    .concat();
    let [.., mut schedstat] = all();
    let text = String::from_utf8(written(schedstat.as_mut(), &story, usize::MAX)).unwrap();
    let expected = "\
version 17
timestamp 250
cpu0 0 0 5 2 1 1 7000 2500 3
domain0 MC 3 0 0 0 0 0 0 0 0 0 0 0 1 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
cpu1 0 0 3 1 2 0 1000014400 1600 2
";
    let (start, domain) = text.split_at(text.find("domain0 MC 3 1").unwrap());
    assert_eq!(start, expected);
    // Busy: one attempt that gained a task. Idle: none. Newly idle: one that gained a task, and one that started a push.
    let attempts = "1 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2 0 1 0 0 0 0 1 0 0 0";
    // The push arrived, and both wake-ups from this CPU went to the other one.
    assert_eq!(domain, format!("domain0 MC 3 {attempts} 1 0 1 0 0 0 0 0 0 2 0 0\n"));
}

fn balance(at: u64, cpu: u16, reason: u8, outcome: BalanceOutcome) -> Event {
    event(at, EventKind::Balance, cpu, NONE, [1, 0], reason * 8 + outcome as u8)
}

#[test]
fn the_compact_trace_tells_tasks_of_one_name_apart() {
    let mut names = names();
    names.tasks[1].comm = "main".to_owned();
    let text = String::from_utf8(written(&mut CompactCsv::new(&names), &story(), usize::MAX)).unwrap();
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
