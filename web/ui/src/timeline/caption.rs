//! The words under the timeline: what is pointed out, and what is under the pointer.

use protocol::{Facts, RunSummary};

use super::lens::Row;
use super::view::{View, Wait};
use crate::{format, text};

/// What is pointed out, from what the machine did in the middle of a wait.
pub(crate) fn wait(wait: &Wait, facts: &Facts, summary: &RunSummary) -> String {
    let cpu = facts.cpus.iter().find(|cpu| cpu.waiting.iter().any(|waiting| waiting.task == wait.task));
    let place = cpu.map(|cpu| (cpu.cpu, cpu.running.map(|task| task_name(summary, task))));
    let cache = cpu.and_then(|cpu| cache_of(summary, cpu.cpu));
    let idle = facts.cpus.iter().filter(|cpu| cpu.running.is_none()).map(|cpu| cpu.cpu);
    let (beside, elsewhere) = idle.partition(|cpu| cache_of(summary, *cpu) == cache);
    let name = task_name(summary, wait.task);
    text::wait(&summary.column_name, name, wait.to - wait.from, place, &text::IdleCpus { beside, elsewhere })
}

/// What the lane under the pointer shows.
pub(crate) fn under(row: Row, facts: &Facts, summary: &RunSummary, view: &View) -> Option<String> {
    match row {
        Row::Cpu(..) => cpu_under(facts, summary, view),
        Row::Group(group, first, count) => {
            let members = summary.cpus.iter().skip(first as usize).take(count as usize);
            let facts_of = |cpu: u16| facts.cpus.iter().find(|fact| fact.cpu == cpu);
            let found: Vec<_> = members.filter_map(|cpu| facts_of(cpu.cpu)).collect();
            let busy = found.iter().filter(|fact| fact.running.is_some()).count();
            let waiting = found.iter().map(|fact| fact.waiting.len()).sum();
            let moment = format::moment(facts.at_ns as f64, view.span());
            let name = text::domain(group.level.key(), group.index);
            Some(text::under_group(&summary.column_name, &moment, &name, [busy, found.len(), waiting]))
        }
        Row::Task(_) => {
            let fact = facts.tasks.first()?;
            let at = facts.at_ns as f64;
            let moment = format::moment(at, view.span());
            let (name, since) = (task_name(summary, fact.task), at - fact.since_ns as f64);
            Some(text::under_task(&summary.column_name, &moment, name, fact, since))
        }
    }
}

fn cpu_under(facts: &Facts, summary: &RunSummary, view: &View) -> Option<String> {
    let cpu = facts.cpus.first()?;
    let at = facts.at_ns as f64;
    let since = |moment: u64| at - moment as f64;
    let running = cpu.running.map(|task| (task_name(summary, task), since(cpu.since_ns)));
    let waiting: Vec<(String, f64)> = cpu
        .waiting
        .iter()
        .map(|waiting| (task_name(summary, waiting.task).to_owned(), since(waiting.since_ns)))
        .collect();
    let moment = format::moment(at, view.span());
    let states = summary.idle_states.get(usize::from(cpu.cpu)).filter(|states| 1 < states.len());
    let idle = states.and_then(|states| states.get(usize::from(cpu.idle_depth))).map(String::as_str);
    Some(text::under(&summary.column_name, &moment, cpu.cpu, running, idle, &waiting))
}

/// The name of a task.
pub(crate) fn task_name(summary: &RunSummary, task: u32) -> &str {
    summary.tasks.get(task as usize).map_or("?", |task| &task.name)
}

fn cache_of(summary: &RunSummary, cpu: u16) -> Option<u16> {
    summary.cpus.iter().find(|view| view.cpu == cpu).map(|view| view.llc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::lens::{Group, Level};
    use protocol::{CpuFact, CpuView, TaskFact, TaskState, TaskView, WaitFact};

    fn summary() -> RunSummary {
        RunSummary {
            column_name: "base".to_owned(),
            tasks: (0..4).map(|id| TaskView { id, name: format!("w{id}"), group: 0, nice: 0 }).collect(),
            cpus: (0..4)
                .map(|cpu| CpuView { cpu, core: cpu, llc: cpu / 2, package: 0, capacity: 1024 })
                .collect(),
            ..RunSummary::default()
        }
    }

    fn cpu(cpu: u16, running: Option<u32>, waiting: Vec<WaitFact>) -> CpuFact {
        CpuFact { cpu, running, since_ns: 1_000_000, until_ns: 9_000_000, idle_depth: 0, waiting }
    }

    #[test]
    fn only_idle_cpus_of_the_same_cache_could_have_helped() {
        let waiting = vec![WaitFact { task: 3, since_ns: 0 }];
        let facts = Facts {
            at_ns: 2_000_000,
            cpus: vec![cpu(0, Some(1), waiting), cpu(1, None, Vec::new()), cpu(2, None, Vec::new())],
            tasks: Vec::new(),
        };
        let pointed = Wait { run: 0, from: 0.0, to: 14_200_000.0, task: 3 };
        let words = wait(&pointed, &facts, &summary()).replace(format::THIN, " ");
        assert_eq!(
            words,
            "base: w3 waits 14.2 ms on CPU 0 behind w1, although CPU 1 of the same cache is idle."
        );
    }

    #[test]
    fn the_pointer_shows_who_runs_and_who_waits_since_when() {
        let waiting = vec![WaitFact { task: 2, since_ns: 1_500_000 }];
        let facts = Facts { at_ns: 2_000_000, cpus: vec![cpu(0, Some(1), waiting)], tasks: Vec::new() };
        let view = View { from: 0.0, to: 3e7 };
        let lane = Row::Cpu(0, 0);
        let words = under(lane, &facts, &summary(), &view).unwrap().replace(format::THIN, " ");
        assert_eq!(words, "base, 0.00200 s: CPU 0 runs w1 since 1 ms; waiting: w2 since 500 µs.");
        let idle = Facts { at_ns: 2_000_000, cpus: vec![cpu(3, None, Vec::new())], tasks: Vec::new() };
        assert!(under(lane, &idle, &summary(), &view).unwrap().contains("is idle"));
        assert_eq!(under(lane, &Facts::default(), &summary(), &view), None);
    }

    #[test]
    fn the_pointer_shows_how_deep_an_idle_cpu_sleeps_where_there_is_a_choice() {
        let view = View { from: 0.0, to: 3e7 };
        let asleep = CpuFact { idle_depth: 1, ..cpu(1, None, Vec::new()) };
        let facts = Facts { at_ns: 2_000_000, cpus: vec![asleep], tasks: Vec::new() };
        let said = |states: &[&str]| {
            let states = states.iter().map(|state| (*state).to_owned()).collect();
            let summary = RunSummary { idle_states: vec![Vec::new(), states], ..summary() };
            under(Row::Cpu(1, 1), &facts, &summary, &view).unwrap().replace(format::THIN, " ")
        };
        assert_eq!(
            said(&["WFI", "CPU_SLEEP"]),
            "base, 0.00200 s: CPU 1 is idle, CPU powered down (CPU_SLEEP)."
        );
        assert_eq!(said(&["WFI"]), "base, 0.00200 s: CPU 1 is idle.");
    }

    #[test]
    fn a_folded_lane_says_how_many_of_its_cpus_are_busy_and_a_thread_what_it_does() {
        let waiting = vec![WaitFact { task: 2, since_ns: 1_500_000 }];
        let cpus = vec![cpu(0, Some(1), waiting), cpu(1, None, Vec::new()), cpu(2, Some(3), Vec::new())];
        let task = TaskFact {
            task: 2,
            state: TaskState::Waiting,
            cpu: Some(0),
            since_ns: 1_500_000,
            until_ns: 3_000_000,
            ran_ns: 0,
            waited_ns: 500_000,
        };
        let facts = Facts { at_ns: 2_000_000, cpus, tasks: vec![task] };
        let view = View { from: 0.0, to: 3e7 };
        let group = Row::Group(Group { level: Level::Llc, index: 0 }, 0, 2);
        let plain = |words: Option<String>| words.unwrap().replace(format::THIN, " ");
        assert_eq!(
            plain(under(group, &facts, &summary(), &view)),
            "base, 0.00200 s: in LLC 0 1 of 2 CPUs is busy, 1 thread waits."
        );
        assert_eq!(
            plain(under(Row::Task(2), &facts, &summary(), &view)),
            "base, 0.00200 s: w2 waits for CPU 0 since 500 µs."
        );
    }
}
