//! Texts by the grammars that their readers use.

use std::collections::BTreeMap;

use protocol::ExportFormat;
use trace::EventKind;

use crate::{Run, runs};

/// A line of ftrace text, taken apart from its known places.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pid: u64,
    cpu: u64,
    flags: &'a str,
    at_ns: u64,
    event: &'a str,
    /// The values of the fields, in their order, without their keys.
    values: Vec<&'a str>,
}

/// The keys of an event in their order, as a line is built from them.
const KEYS: [(&str, &[&str]); 7] = [
    (
        "sched_switch",
        &[
            "prev_comm=",
            " prev_pid=",
            " prev_prio=",
            " prev_state=",
            " ==> next_comm=",
            " next_pid=",
            " next_prio=",
        ],
    ),
    ("sched_waking", &["comm=", " pid=", " prio=", " target_cpu="]),
    ("sched_wakeup", &["comm=", " pid=", " prio=", " target_cpu="]),
    ("sched_wakeup_new", &["comm=", " pid=", " prio=", " target_cpu="]),
    ("sched_migrate_task", &["comm=", " pid=", " prio=", " orig_cpu=", " dest_cpu="]),
    ("sched_process_fork", &["comm=", " pid=", " child_comm=", " child_pid="]),
    ("sched_process_exit", &["comm=", " pid=", " prio="]),
];

/// `WS* comm "-" pid WS+ "[" cpu "]" WS+ flags WS+ sec "." frac ":" WS+ event ":" WS args`
fn parse(line: &str) -> Line<'_> {
    let (task, rest) = line.split_once(" [").expect("a CPU in brackets");
    let (_, pid) = task.trim().rsplit_once('-').expect("comm-pid");
    let (cpu, rest) = rest.split_once("] ").expect("a CPU in brackets");
    let (flags, rest) = rest.split_once(' ').expect("flags");
    let (time, rest) = rest.split_once(": ").expect("a time");
    let (seconds, fraction) = time.trim().split_once('.').expect("seconds with a fraction");
    assert_eq!(fraction.len(), 9);
    let (event, mut args) = rest.split_once(": ").expect("an event");
    let (_, keys) = KEYS.iter().find(|(name, _)| *name == event).expect("a known event");
    args = args.strip_prefix(keys[0]).expect("the first key");
    let mut values = Vec::new();
    for key in &keys[1..] {
        let (value, rest) = args.split_once(key).expect("the next key");
        values.push(value);
        args = rest;
    }
    values.push(args);
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let at_ns = number(seconds) * 1_000_000_000 + number(fraction);
    Line { pid: number(pid), cpu: number(cpu), flags, at_ns, event, values }
}

fn lines(text: &str) -> Vec<Line<'_>> {
    assert!(text.starts_with("# tracer: nop\n") && text.contains("TASK-PID"));
    text.lines().filter(|line| !line.starts_with('#')).map(parse).collect()
}

#[test]
fn every_line_of_ftrace_text_follows_the_grammar() {
    for run in runs() {
        let text = run.text(ExportFormat::Ftrace);
        let mut last = 0;
        for line in lines(&text) {
            assert!(last <= line.at_ns);
            last = line.at_ns;
            let irqs_off = ["d..2.", "d.h2."].contains(&line.flags);
            assert!(irqs_off, "{line:?}");
            if line.event == "sched_switch" {
                assert!(["R", "R+", "S", "X"].contains(&line.values[3]), "{line:?}");
                assert_eq!(line.values[1], line.pid.to_string());
                if line.pid == 0 {
                    assert_eq!(line.values[0], format!("swapper/{}", line.cpu));
                }
            }
            if let Some(target) = line.event.starts_with("sched_wak").then(|| line.values[3]) {
                assert_eq!(target.len(), 3, "padded with zeros");
            }
        }
    }
}

/// What a wake-up has told so far.
#[derive(Debug)]
enum Step {
    Waking { target: u64 },
    Moved { to: u64 },
}

#[test]
fn a_wake_up_tells_the_previous_cpu_then_the_move_then_the_new_cpu_and_only_then_the_task_runs() {
    let mut moved = 0;
    for run in runs() {
        let text = run.text(ExportFormat::Ftrace);
        let mut open: BTreeMap<u64, Step> = BTreeMap::new();
        let mut home: BTreeMap<u64, u64> = BTreeMap::new();
        for line in lines(&text) {
            let value = |position: usize| line.values[position].parse::<u64>().expect("a number");
            match line.event {
                "sched_waking" => {
                    assert!(home.get(&value(1)).is_none_or(|home| *home == value(3)), "{line:?}");
                    assert!(open.insert(value(1), Step::Waking { target: value(3) }).is_none(), "{line:?}");
                }
                "sched_migrate_task" => {
                    if let Some(step) = open.get_mut(&value(1)) {
                        let Step::Waking { target } = step else { panic!("{line:?} after {step:?}") };
                        assert_eq!((*target, target == &value(4)), (value(3), false), "{line:?}");
                        *step = Step::Moved { to: value(4) };
                        moved += 1;
                    }
                    home.insert(value(1), value(4));
                }
                "sched_wakeup" => {
                    let (Step::Waking { target: cpu } | Step::Moved { to: cpu }) =
                        open.remove(&value(1)).expect("sched_waking came before");
                    assert_eq!(cpu, value(3), "{line:?}");
                    home.insert(value(1), cpu);
                }
                "sched_wakeup_new" => {
                    home.insert(value(1), value(3));
                }
                "sched_switch" => {
                    let next = line.values[5].parse::<u64>().expect("a number");
                    assert!(!open.contains_key(&next), "{line:?} is not on its queue yet");
                    assert!(next == 0 || home[&next] == line.cpu, "{line:?}");
                }
                _ => {}
            }
        }
    }
    assert!(100 < moved, "{moved} wake-ups moved their task");
}

#[test]
fn runs_between_them_have_every_event() {
    let texts: Vec<String> = runs().iter().map(|run: &Run| run.text(ExportFormat::Ftrace)).collect();
    for (event, _) in KEYS {
        assert!(texts.iter().any(|text| text.contains(&format!(" {event}: "))), "{event}");
    }
    assert!(texts.iter().any(|text| text.contains("prev_state=R+ ")));
    assert!(texts.iter().any(|text| text.contains("d.h2.")), "a wake list is emptied in an interrupt");
}

#[test]
fn the_compact_trace_tells_the_switches_wake_ups_and_moves_of_the_log() {
    for run in runs() {
        let text = run.text(ExportFormat::Csv);
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("t_us,cpu,ev,task,arg1,arg2"));
        let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
        assert!(rows.iter().all(|row| row.len() == 6));
        let of = |event: &str| rows.iter().filter(move |row| row[2] == event).collect::<Vec<_>>();
        let count = |kind| run.events.iter().filter(|event| event.kind == kind).count();
        assert_eq!(of("W").len(), count(EventKind::Waking));
        assert_eq!(of("N").len(), count(EventKind::Fork));
        assert_eq!(of("M").len(), count(EventKind::Migrate));
        let switches = run.events.iter().filter(|event| event.kind == EventKind::Switch);
        let rows = of("S");
        assert_eq!(rows.len(), switches.clone().count());
        for (row, event) in rows.iter().zip(switches) {
            assert_eq!(row[0], (event.at.0 / 1_000).to_string());
            assert_eq!(row[1], event.cpu.0.to_string());
            for (label, task) in [(row[3], event.args[0]), (row[5], event.task.0)] {
                let name = run.names.get(task as usize).map_or("idle", String::as_str);
                assert_eq!(label.rsplit_once('.').map_or(label, |(name, _)| name), name);
            }
        }
    }
}

#[test]
fn figures_are_those_of_the_runs() {
    let run = &runs()[0];
    let text = run.text(ExportFormat::Metrics);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("column,seed,trace_hash,metric,unit,value"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let mut position = 0;
    for (column, name) in ["base", "pre-rework", "patched"].into_iter().enumerate() {
        let (infos, row) = session::run_seed(&run.scenario, column, run.scenario.seed);
        for (info, value) in infos.iter().zip(&row.values) {
            assert_eq!(rows[position][..5], [name, "1", &row.trace_hash, &info.key, &info.unit]);
            assert_eq!(rows[position][5].parse(), Ok(*value), "every digit is there");
            position += 1;
        }
    }
    assert_eq!(position, rows.len());
}
