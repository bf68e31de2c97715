//! Perfetto traces by the numbers of the published schema.

use std::collections::BTreeMap;

use protocol::ExportFormat;
use trace::{Event, EventKind, PrevState};

use crate::decode::Message;
use crate::{Run, runs};

const SECOND: u64 = 1_000_000_000;

struct Decoded {
    system: Message,
    tree: Message,
    /// CPU and event, packet by packet.
    events: Vec<(u64, Message)>,
}

fn decode(bytes: &[u8]) -> Decoded {
    let (mut system, mut tree, mut events) = (None, None, Vec::new());
    for packet in Message::decode(bytes).messages(1) {
        assert_eq!(packet.number(10), 1, "one sequence");
        system = packet.message(45).or(system);
        tree = packet.message(2).or(tree);
        for bundle in packet.messages(1) {
            let cpu = bundle.number(1);
            events.extend(bundle.messages(2).into_iter().map(|event| (cpu, event)));
        }
    }
    Decoded { system: system.unwrap(), tree: tree.unwrap(), events }
}

#[test]
fn every_switch_of_the_log_is_there_with_all_its_fields() {
    for run in runs() {
        let decoded = decode(&run.export(ExportFormat::Perfetto));
        let mut found: BTreeMap<u64, Vec<Message>> = BTreeMap::new();
        for (cpu, event) in &decoded.events {
            if let Some(switch) = event.message(4) {
                assert_eq!(event.number(2), switch.number(2), "the task that is left records the switch");
                found.entry(*cpu).or_default().push(event.clone());
            }
        }
        let mut logged: BTreeMap<u64, Vec<&Event>> = BTreeMap::new();
        for event in run.events.iter().filter(|event| event.kind == EventKind::Switch) {
            logged.entry(u64::from(event.cpu.0)).or_default().push(event);
        }
        assert!(!logged.is_empty() && logged.keys().eq(found.keys()));
        for (cpu, logged) in logged {
            assert_eq!(logged.len(), found[&cpu].len());
            for (logged, found) in logged.into_iter().zip(&found[&cpu]) {
                assert_eq!(found.number(1), logged.at.0 + SECOND);
                same_switch(&run, logged, &found.message(4).unwrap(), cpu);
            }
        }
    }
}

fn same_switch(run: &Run, logged: &Event, found: &Message, cpu: u64) {
    let comm = |task: u32| match task {
        task if task == Event::NO_TASK.0 => format!("swapper/{cpu}"),
        task => run.names[task as usize].clone(),
    };
    let [prev, _] = logged.args;
    assert_eq!((found.text(1), found.number(2), found.number(3)), (comm(prev), Run::pid(prev), 120));
    let next = logged.task.0;
    assert_eq!((found.text(5), found.number(6), found.number(7)), (comm(next), Run::pid(next), 120));
    let states: &[u64] = match logged.detail {
        detail if detail == PrevState::Preempted as u8 => &[0x100, 0],
        detail if detail == PrevState::Sleeping as u8 => &[1],
        detail if detail == PrevState::Dead as u8 => &[0x10],
        _ => &[0],
    };
    assert!(states.contains(&found.number(4)), "{} for {logged:?}", found.number(4));
}

#[test]
fn other_events_have_the_numbers_and_fields_of_the_schema() {
    for run in runs() {
        let decoded = decode(&run.export(ExportFormat::Perfetto));
        let count = |kind| run.events.iter().filter(|event| event.kind == kind).count();
        let of = |number| -> Vec<(u64, Message)> {
            let events = decoded.events.iter();
            events.filter_map(|(_, event)| event.message(number).map(|it| (event.number(1), it))).collect()
        };
        let (waking, wakeup, new, migrated) = (of(20), of(17), of(114), of(491));
        assert_eq!(waking.len(), count(EventKind::Waking));
        assert!(count(EventKind::Wakeup) <= wakeup.len() && wakeup.len() <= waking.len());
        assert_eq!(new.len(), count(EventKind::Fork));
        assert_eq!(migrated.len(), count(EventKind::Migrate));
        assert_eq!(of(238).len(), count(EventKind::Exit));
        for (_, wake) in waking.iter().chain(&wakeup).chain(&new) {
            assert_eq!(wake.text(1), run.names[wake.number(2) as usize - 1000]);
            assert_eq!((wake.number(3), wake.number(4)), (120, 1));
        }
        let mut logged: Vec<(u64, u64, u64, u64)> = run
            .events
            .iter()
            .filter(|event| event.kind == EventKind::Migrate)
            .map(|event| {
                let (from, to) = (u64::from(event.args[0]), u64::from(event.cpu.0));
                (event.at.0 + SECOND, Run::pid(event.task.0), from, to)
            })
            .collect();
        let fields = |(at, it): &(u64, Message)| (*at, it.number(2), it.number(4), it.number(5));
        let mut found: Vec<(u64, u64, u64, u64)> = migrated.iter().map(fields).collect();
        logged.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, logged);
        let parents: Vec<Message> = of(239).into_iter().map(|(_, fork)| fork).collect();
        let starts = run.events.iter().take_while(|event| event.at.0 == 0);
        let at_boot = starts.filter(|event| event.kind == EventKind::Fork).count();
        assert_eq!(parents.len() + at_boot, count(EventKind::Fork));
        for fork in &parents {
            assert_eq!(fork.text(1), run.names[fork.number(2) as usize - 1000]);
            assert_eq!(fork.text(3), run.names[fork.number(4) as usize - 1000]);
        }
    }
}

#[test]
fn the_events_of_a_cpu_are_in_the_order_of_time_and_know_who_ran() {
    for run in runs() {
        let mut last: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for (cpu, event) in decode(&run.export(ExportFormat::Perfetto)).events {
            let (time, running) = last.get(&cpu).copied().unwrap_or_default();
            assert!(time <= event.number(1));
            assert_eq!(event.number(2), running, "who records is who runs");
            let running = event.message(4).map_or(running, |switch| switch.number(6));
            last.insert(cpu, (event.number(1), running));
        }
    }
}

#[test]
fn readers_learn_the_kernel_and_which_threads_a_process_has() {
    let runs = runs();
    let schbench = decode(&runs[0].export(ExportFormat::Perfetto));
    assert_eq!(schbench.system.message(1).unwrap().text(3), "5.10.0-runqueue");
    assert_eq!(schbench.system.number(8), 8);
    let processes = schbench.tree.messages(1);
    assert_eq!(processes.len(), 1, "its threads share a process");
    assert_eq!((processes[0].number(1), processes[0].text(3)), (1000, "schbench".to_owned()));
    let threads = schbench.tree.messages(2);
    let named: Vec<(u64, String, u64)> =
        threads.iter().map(|thread| (thread.number(1), thread.text(2), thread.number(3))).collect();
    let expected: Vec<(u64, String, u64)> =
        runs[0].names.iter().zip(1000..).map(|(name, tid)| (tid, name.clone(), 1000)).collect();
    assert_eq!(named, expected);
    let hackbench = decode(&runs[1].export(ExportFormat::Perfetto));
    assert_eq!(hackbench.tree.messages(1).len(), runs[1].names.len(), "every task is a process");
}
