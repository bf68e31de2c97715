//! The machine that a decision found: its run queues, and what a balance attempt saw of groups.

use protocol::{CpuInspection, DecisionView, Explained, StepView, TaskInspection};
use yew::prelude::*;

use crate::markup::{Cell, Table, said};
use crate::text;

/// Everything that stands beside a decision.
pub(super) fn beside(moment: &Explained, decision: &DecisionView) -> Vec<Html> {
    let mut parts = vec![said("h3", "", text::STATE_BESIDE), queues(&moment.cpus, decision).scrolling()];
    let groups: Vec<&StepView> = decision.steps.iter().filter(|step| step.check == "group_stats").collect();
    if !groups.is_empty() {
        parts.push(compared(&groups).scrolling());
    }
    let cpu = moment.cpus.iter().find(|cpu| cpu.cpu == decision.cpu);
    let level = decision.balance.as_ref().map(|balance| balance.level);
    let domain = cpu.and_then(|cpu| cpu.domains.iter().find(|domain| Some(domain.level) == level));
    if let Some(domain) = domain {
        let (failed, interval) = (domain.nr_balance_failed, domain.balance_interval_ms);
        parts.push(said("p", "help", &text::domain_memory(decision.cpu, &domain.name, failed, interval)));
    }
    parts
}

fn queues(cpus: &[CpuInspection], decision: &DecisionView) -> Table {
    let row = |cpu: &CpuInspection| {
        let is_here = cpu.cpu == decision.cpu;
        let name = if is_here { format!("▸ {}", text::cpu(cpu.cpu)) } else { text::cpu(cpu.cpu) };
        let runs = cpu.running.as_ref().map_or(text::IDLE.to_owned(), |running| running.task.name.clone());
        let waits = |task: &TaskInspection| text::with_vruntime(&task.task.name, task.vruntime_ns);
        let waiting: Vec<String> = cpu.waiting.iter().map(waits).collect();
        let class = if cpu.running.is_none() { "soft" } else { "" };
        vec![
            name.into(),
            Cell { words: runs, class, ..Cell::default() },
            if waiting.is_empty() { text::NOBODY.into() } else { waiting.join(", ").into() },
            cpu.nr_running.to_string().into(),
            cpu.util_avg.to_string().into(),
            cpu.load_avg.to_string().into(),
        ]
    };
    Table {
        class: "",
        testid: "inspector-queues".to_owned(),
        caption: text::QUEUES.to_owned(),
        head: text::QUEUE_HEADINGS.map(Cell::from).into(),
        rows: cpus.iter().map(row).collect(),
    }
}

fn compared(groups: &[&StepView]) -> Table {
    let row = |step: &&StepView| {
        let value = |name| text::value(step, name);
        vec![
            text::cpu(step.cpu.unwrap_or(0)).into(),
            text::group_type(value("group_type")).into(),
            value("sum_nr_running").to_string().into(),
            value("idle_cpus").to_string().into(),
            format!("{} of {}", value("group_util"), value("group_capacity")).into(),
            value("group_load").to_string().into(),
        ]
    };
    Table {
        class: "",
        testid: "inspector-groups".to_owned(),
        caption: text::GROUPS.to_owned(),
        head: text::GROUP_HEADINGS.map(Cell::from).into(),
        rows: groups.iter().map(row).collect(),
    }
}
