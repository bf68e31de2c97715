//! The words under the timeline: what is pointed out, and what is under the pointer.

use protocol::{Facts, RunSummary};

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

/// What the CPU under the pointer does.
pub(crate) fn under(facts: &Facts, summary: &RunSummary, view: &View) -> Option<String> {
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
    Some(text::under(&summary.column_name, &moment, cpu.cpu, running, &waiting))
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
    use protocol::{CpuFact, CpuView, TaskView, WaitFact};

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
        CpuFact { cpu, running, since_ns: 1_000_000, until_ns: 9_000_000, waiting }
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
        let words = under(&facts, &summary(), &view).unwrap().replace(format::THIN, " ");
        assert_eq!(words, "base, 0.00200 s: CPU 0 runs w1 since 1 ms; waiting: w2 since 500 µs.");
        let idle = Facts { at_ns: 2_000_000, cpus: vec![cpu(3, None, Vec::new())], tasks: Vec::new() };
        assert!(under(&idle, &summary(), &view).unwrap().contains("is idle"));
        assert_eq!(under(&Facts::default(), &summary(), &view), None);
    }
}
