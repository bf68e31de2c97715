//! The words for where a task starts: the domains gone through, the groups compared, and the CPU in the chosen one.

use protocol::StepView;

use super::{Words, asked_cpu, find_value, group_type, named, tasks, value, words};
use crate::format::nanos;

/// A check of where a task starts.
pub(super) fn start(step: &StepView) -> Words {
    match step.check.as_str() {
        "allowed_cpus" => words(
            format!("May {} run on one CPU only?", named(step.task.as_ref())),
            &format!("yes, on {}", asked_cpu(step)),
            &format!("no, on {}", cpus(value(step, "nr_cpus_allowed"))),
        ),
        "start_domain" => domain(step),
        "start_group" => group(step),
        "idlest_group" => idlest_group(step),
        _ => idlest_cpu(step),
    }
}

fn domain(step: &StepView) -> Words {
    let (name, all) = (named(step.task.as_ref()), value(step, "span_weight"));
    let (groups, compared) = (value(step, "groups"), value(step, "compared_groups"));
    let left_out = if compared < groups { format!("{compared} of ") } else { String::new() };
    words(
        format!("May {name} run in the domain of {} around {}?", cpus(all), asked_cpu(step)),
        &format!("yes, on {} of them: {left_out}{groups} groups are compared", value(step, "allowed_cpus")),
        "no, so the search is over",
    )
}

fn group(step: &StepView) -> Words {
    let own = if step.yes { "its own group, that" } else { "the group" };
    let seen = match find_value(step, "spare_cap") {
        Some(spare) => format!(
            "for each CPU’s capacity load {} queued, {} with that of sleepers; at most {spare} to spare on a CPU",
            value(step, "runnable_load"),
            value(step, "avg_load")
        ),
        None => format!(
            "{}, {}, {} of {} idle",
            group_type(value(step, "group_type")),
            tasks(u32::try_from(value(step, "sum_nr_running")).unwrap_or_default()),
            value(step, "idle_cpus"),
            cpus(value(step, "group_weight"))
        ),
    };
    words(format!("How much room has {own} of {}, for a task to start?", asked_cpu(step)), &seen, &seen)
}

fn idlest_group(step: &StepView) -> Words {
    let there = format!("the group of {}", asked_cpu(step));
    let why = by_what(step);
    let no = match step.cpu {
        None => "no, there is no other".to_owned(),
        Some(_) => format!("no, not even {there} ({why})"),
    };
    words(
        "Is another group than its own clearly a better place?".to_owned(),
        &format!("yes, {there} ({why})"),
        &no,
    )
}

/// How the best other group compares with the own one: by the first of what differs, as the kernel does it.
fn by_what(step: &StepView) -> String {
    let pair = |name: &str| Some((find_value(step, name)?, find_value(step, &format!("this_{name}"))?));
    if let Some((there, here)) = pair("spare_cap") {
        return format!("a CPU there has {there} to spare, and one of its own group {here}");
    }
    if let Some((there, here)) = pair("runnable_load") {
        let (all_there, all_here) = pair("avg_load").unwrap_or_default();
        return format!(
            "load {there} queued against {here}, {all_there} with that of sleepers against {all_here}"
        );
    }
    let Some((there, here)) = pair("group_type") else {
        return "the task may not run in its own group".to_owned();
    };
    if there != here {
        return format!("that is “{}”, and its own “{}”", group_type(there), group_type(here));
    }
    let (name, what) = match there {
        0 => ("idle_cpus", "idle CPUs"),
        1 | 5 => ("avg_load", "load for each CPU’s capacity"),
        2 => ("max_capacity", "capacity of the biggest CPU"),
        _ => return format!("both are “{}”", group_type(there)),
    };
    let (there, here) = pair(name).unwrap_or_default();
    format!("{what}: {there} against {here}")
}

fn idlest_cpu(step: &StepView) -> Words {
    let here = asked_cpu(step);
    let fits = if value(step, "allowed_cpus") == 1 {
        "the only one on which the task may run"
    } else if value(step, "idle_cpus") == 1 {
        "the only one that idles"
    } else if value(step, "as_shallow") == 1 {
        "of those that idle it is awake soonest"
    } else {
        "of those that idle and are awake as soon it fell idle last"
    };
    let latency = nanos(value(step, "exit_latency").max(0) as f64).text();
    let yes = match value(step, "group_weight") {
        1 => format!("{here}, there is no other"),
        _ => format!("{here}, {fits}: {latency} to wake up"),
    };
    words(
        "Which CPU of that group takes the task?".to_owned(),
        &yes,
        &format!("{here}: none idles, and its load is the least, {}", value(step, "cpu_load")),
    )
}

fn cpus(number: i64) -> String {
    if number == 1 { "1 CPU".to_owned() } else { format!("{number} CPUs") }
}
