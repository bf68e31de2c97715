use kernel::{Availability, Era, Patch};
use topology::CpuSet;

use crate::column::MAX_COLUMNS;
use crate::keys::{KEYS, Key, MAX_PROBLEMS};
use crate::problem::{Problem, nearest, one_of};
use crate::{Column, Preset, Scenario, WorkloadChoice};

/// The most threads of a workload.
pub(crate) const MAX_THREADS: u64 = 4_096;

/// The biggest seed: the biggest whole number that JavaScript writes exactly.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// Everything that is wrong with a scenario; nothing where it can be run.
pub fn validate(scenario: &Scenario) -> Vec<Problem> {
    let mut problems = preset_problem(scenario);
    problems.extend(column_problems(&scenario.columns));
    if scenario.columns.is_empty() {
        problems.extend(value_problems(scenario));
    }
    for (position, column) in scenario.columns.iter().enumerate().take(MAX_COLUMNS) {
        let in_column = |problem: Problem| {
            let path = path_in_column(column, &problem.path);
            problem.at(&path)
        };
        problems.extend(setting_problems(scenario, column).into_iter().map(in_column));
        problems.extend(value_problems(&scenario.resolved(position)).into_iter().map(in_column));
    }
    without_repetitions(problems)
}

/// The problems in their order, each once: columns share most of their values.
pub(crate) fn without_repetitions(problems: Vec<Problem>) -> Vec<Problem> {
    let mut once: Vec<Problem> = Vec::new();
    for problem in problems {
        if once.len() < MAX_PROBLEMS && !once.contains(&problem) {
            once.push(problem);
        }
    }
    once
}

/// The key as it must be written to change it: in the column where the column sets it.
fn path_in_column(column: &Column, path: &str) -> String {
    let is_part =
        |key: &str| key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    match column.settings().find(|(key, _)| is_part(key)) {
        Some((key, _)) => format!("columns.{}.{key}", column.name),
        None => path.to_owned(),
    }
}

fn preset_problem(scenario: &Scenario) -> Vec<Problem> {
    if scenario.preset.is_empty() || Preset::find(&scenario.preset).is_some() {
        return Vec::new();
    }
    vec![unknown_preset(&scenario.preset)]
}

/// That there is no preset of a name.
pub(crate) fn unknown_preset(name: &str) -> Problem {
    let names: Vec<&str> = Preset::all().iter().map(|preset| preset.name).collect();
    Problem::new(
        "preset",
        format!("one of the presets {}", one_of(&names)),
        name,
        format!("did you mean {}? Leave it out for a scenario without a preset", nearest(name, names)[0]),
    )
}

fn column_problems(columns: &[Column]) -> Vec<Problem> {
    let looked_at = &columns[..columns.len().min(MAX_COLUMNS)];
    let mut problems: Vec<Problem> = looked_at.iter().filter_map(Column::name_problem).collect();
    if columns.len() != looked_at.len() || columns.is_empty() {
        problems.push(Problem::new(
            "columns",
            format!("1 to {MAX_COLUMNS} columns"),
            if columns.is_empty() { "no column" } else { "more columns" },
            "keep those that you want to compare",
        ));
    }
    for (position, column) in looked_at.iter().enumerate() {
        if columns[..position].iter().any(|earlier| earlier.name == column.name) {
            problems.push(Problem::new(
                "columns",
                "a different name for each column",
                format!("{} twice", column.name),
                "rename one of them",
            ));
        }
    }
    problems
}

/// The settings of a column that cannot be applied.
fn setting_problems(scenario: &Scenario, column: &Column) -> Vec<Problem> {
    let mut scenario = scenario.clone();
    let mut set = |key, value| Key::find(key).and_then(|key| key.set(&mut scenario, value));
    column.settings().filter_map(|(key, value)| set(key, value).err()).collect()
}

/// What is wrong with the values that one column runs with.
fn value_problems(scenario: &Scenario) -> Vec<Problem> {
    let mut problems: Vec<Problem> = KEYS.iter().filter_map(|key| key.check(&key.read(scenario)?)).collect();
    problems.extend(machine_problems(scenario));
    problems.extend(thread_problem(scenario));
    problems.extend(era_problem(scenario.kernel.era));
    problems.extend(scenario.patches.keys().filter_map(|patch| patch_problem(scenario, *patch)));
    problems
}

fn machine_problems(scenario: &Scenario) -> Vec<Problem> {
    let shape = scenario.machine.shape();
    let capacities = scenario.machine.capacities();
    let mut problems = Vec::new();
    if CpuSet::CAPACITY < shape.cpu_count() as usize {
        problems.push(Problem::new(
            "machine",
            format!("at most {} CPUs", CpuSet::CAPACITY),
            format!(
                "{} CPUs ({} packages × {} caches × {} cores × {} threads)",
                shape.cpu_count(),
                shape.packages,
                shape.llcs,
                shape.cores,
                shape.threads
            ),
            "lower one of machine.packages, machine.llcs, machine.cores and machine.threads",
        ));
    }
    if !capacities.is_empty() && capacities.len() != shape.core_count() as usize {
        problems.push(Problem::new(
            "machine.capacities",
            format!("a capacity for each of the {} cores, or none", shape.core_count()),
            format!("{} capacities", capacities.len()),
            "write one number a core, or leave it empty so that all cores are equal",
        ));
    }
    let strongest = capacities.iter().max().copied().unwrap_or(1024);
    if (1..1024).contains(&strongest) {
        problems.push(Problem::new(
            "machine.capacities",
            "1024 for the strongest core",
            format!("{strongest} at most"),
            "raise all capacities in proportion until the strongest has 1024",
        ));
    }
    problems
}

/// Threads that are more than the key alone allows; those of hogs and periodic threads are what their key says.
fn thread_problem(scenario: &Scenario) -> Option<Problem> {
    let threads = scenario.workload.thread_count();
    let (path, remedy) = match scenario.workload {
        WorkloadChoice::Schbench(_) => {
            ("workload.threads", "lower workload.threads or workload.message_threads")
        }
        WorkloadChoice::Hackbench(_) => ("workload.groups", "lower workload.groups or workload.fds"),
        WorkloadChoice::Context1(_) | WorkloadChoice::Spawn(_) | WorkloadChoice::Execl(_) => {
            ("workload.copies", "lower workload.copies")
        }
        WorkloadChoice::Hogs(_) | WorkloadChoice::Periodic(_) | WorkloadChoice::Launch(_) => return None,
    };
    (MAX_THREADS < threads).then(|| {
        Problem::new(
            path,
            format!("at most {MAX_THREADS} threads in all"),
            format!("{threads} threads"),
            remedy,
        )
    })
}

fn era_problem(era: Era) -> Option<Problem> {
    (!era.is_runnable()).then(|| {
        let eras: Vec<&str> = Era::RUNNABLE.iter().map(|era| era.name()).collect();
        Problem::new(
            "kernel.era",
            format!("a kernel version that can be run: {}", one_of(&eras)),
            format!("{era}, which cannot be run yet"),
            format!("set kernel.era to {}", one_of(&eras)),
        )
    })
}

fn patch_problem(scenario: &Scenario, patch: Patch) -> Option<Problem> {
    let era = scenario.kernel.era;
    let value = scenario.patch_value(patch);
    let Availability::Impossible(reason) = patch.availability(era) else { return None };
    let eras: Vec<&str> = Era::ALL
        .into_iter()
        .filter(|era| !matches!(patch.availability(*era), Availability::Impossible(_)))
        .map(Era::name)
        .collect();
    let path = format!("patches.{patch}");
    (value != "off").then(|| {
        Problem::new(
            path.as_str(),
            format!("off, because {era} cannot have it: {reason}"),
            value,
            format!("set {path} to off, or kernel.era to {}", one_of(&eras)),
        )
    })
}

#[cfg(test)]
mod tests;
