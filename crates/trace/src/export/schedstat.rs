use sim::{CpuId, Nanos, TaskId};

use super::text::put;
use super::tracepoints::{SwitchState, Tracepoint, Tracepoints, What};
use super::{Names, Writer};
use crate::{BalanceOutcome, Event, EventKind, MigrateReason};

/// Writes what `/proc/schedstat` (version 17) shows at the end of a run in which it began with zeros.
///
/// Fields that cannot be known from the events are zero: yields, calls of the scheduler that changed nothing, attempts
/// that found nothing to balance, the imbalance by its kind, moves of cache-hot tasks, balancing at exec and fork, and
/// wake-ups by the rule of affinity.
#[derive(Debug)]
pub struct Schedstat {
    tracepoints: Tracepoints,
    /// The sched domains of each CPU from the lowest to the highest.
    domains: Vec<Vec<DomainName>>,
    /// Ticks a second.
    hz: u32,
    cpus: Vec<CpuCounts>,
    tasks: Vec<Times>,
}

/// A sched domain as one CPU sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainName {
    /// The kernel's name for its level: `MC`.
    pub name: String,
    /// The CPUs that it spans, in ascending order.
    pub cpus: Vec<CpuId>,
}

#[derive(Clone, Debug, Default)]
struct CpuCounts {
    /// Switches, which are the calls of the scheduler that changed something.
    switches: u64,
    to_idle: u64,
    wakeups: u64,
    local_wakeups: u64,
    ran_ns: u64,
    waited_ns: u64,
    slices: u64,
    since: Option<Nanos>,
    domains: Vec<DomainCounts>,
    /// Tasks that have come by a balance whose attempt is not yet logged.
    pulled: u64,
}

#[derive(Clone, Debug, Default)]
struct DomainCounts {
    /// In the order of the file: busy, idle, newly idle.
    attempts: [AttemptCounts; 3],
    pushes: u64,
    pushed: u64,
    remote_wakeups: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct AttemptCounts {
    all: u64,
    balanced: u64,
    failed: u64,
    gained: u64,
}

/// Since when a task waits for a CPU.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    waiting_since: Option<Nanos>,
    runs_on: Option<CpuId>,
    waker: Option<CpuId>,
}

/// Where an attempt is counted, by the reason that its event holds: 0 newly idle, 1 idle, 2 busy.
const SLOT_BY_REASON: [usize; 3] = [2, 1, 0];

impl Schedstat {
    /// A writer before the first event.
    pub fn new(names: &Names, domains: Vec<Vec<DomainName>>, hz: u32) -> Schedstat {
        let counts = |of_cpu: &Vec<DomainName>| CpuCounts {
            domains: vec![DomainCounts::default(); of_cpu.len()],
            ..CpuCounts::default()
        };
        Schedstat {
            tracepoints: Tracepoints::new(names),
            cpus: domains.iter().map(counts).collect(),
            domains,
            hz,
            tasks: vec![Times::default(); names.tasks.len()],
        }
    }
}

impl Writer for Schedstat {
    fn follow(&mut self, events: &[Event], _out: &mut Vec<u8>) {
        let (cpus, tasks, domains) = (&mut self.cpus, &mut self.tasks, &self.domains);
        for event in events {
            self.tracepoints.follow(&[*event], &mut |point| {
                count(cpus, tasks, domains, &point);
            });
            match event.kind {
                EventKind::Balance => count_balance(&mut cpus[event.cpu.index()], event),
                EventKind::Migrate => count_migration(cpus, domains, event),
                _ => {}
            }
        }
    }

    fn finish(&mut self, end: Nanos, out: &mut Vec<u8>) {
        let (cpus, tasks, domains) = (&mut self.cpus, &mut self.tasks, &self.domains);
        self.tracepoints.finish(&mut |point| count(cpus, tasks, domains, &point));
        for cpu in &mut self.cpus {
            cpu.ran_ns += cpu.since.take().map_or(0, |since| (end - since).0);
        }
        let ticks = u128::from(end.0) * u128::from(self.hz) / 1_000_000_000;
        put(out, format_args!("version 17\ntimestamp {ticks}\n"));
        for (number, cpu) in self.cpus.iter().enumerate() {
            let CpuCounts { switches, to_idle, wakeups, local_wakeups, ran_ns, waited_ns, slices, .. } = cpu;
            put(out, format_args!("cpu{number} 0 0 {switches} {to_idle} {wakeups} {local_wakeups} "));
            put(out, format_args!("{ran_ns} {waited_ns} {slices}\n"));
            let domains = self.domains[number].iter().zip(&cpu.domains).enumerate();
            for (level, (domain, counts)) in domains {
                let mask = mask(&domain.cpus, self.cpus.len());
                put(out, format_args!("domain{level} {} {mask}", domain.name));
                put_counts(out, counts);
            }
        }
    }
}

fn count(cpus: &mut [CpuCounts], tasks: &mut [Times], domains: &[Vec<DomainName>], point: &Tracepoint) {
    let Tracepoint { at, cpu, .. } = *point;
    match point.what {
        What::Waking { task, .. } => tasks[task.index()].waker = Some(cpu),
        What::Wakeup { task, target } => {
            let waker = tasks[task.index()].waker.take().unwrap_or(cpu);
            count_wakeup(&mut cpus[waker.index()], &domains[waker.index()], waker, target);
            waits(&mut tasks[task.index()], at);
        }
        What::WakeupNew { task, .. } => waits(&mut tasks[task.index()], at),
        What::Switch { prev, state, next } => {
            let counts = &mut cpus[cpu.index()];
            counts.switches += 1;
            if let Some(since) = counts.since.take() {
                counts.ran_ns += (at - since).0;
            }
            leaves(tasks, prev, cpu, state, at);
            if next == Event::NO_TASK {
                counts.to_idle += 1;
                return;
            }
            counts.slices += 1;
            counts.since = Some(at);
            let times = &mut tasks[next.index()];
            times.runs_on = Some(cpu);
            counts.waited_ns += times.waiting_since.take().map_or(0, |since| (at - since).0);
        }
        What::Fork { .. }
        | What::Exit { .. }
        | What::Migrate { .. }
        | What::Frequency { .. }
        | What::Idle { .. } => {}
    }
}

/// A task is on a run queue; one that has not left its CPU yet waits only from then on, if at all.
fn waits(times: &mut Times, at: Nanos) {
    if times.runs_on.is_none() {
        times.waiting_since = Some(at);
    }
}

fn leaves(tasks: &mut [Times], prev: TaskId, cpu: CpuId, state: SwitchState, at: Nanos) {
    let Some(times) = tasks.get_mut(prev.index()).filter(|times| times.runs_on == Some(cpu)) else { return };
    times.runs_on = None;
    if state == SwitchState::Preempted || state == SwitchState::Runnable {
        times.waiting_since = Some(at);
    }
}

/// A wake-up counts for the waker's CPU, and where it reaches another one also for the lowest domain of both.
fn count_wakeup(counts: &mut CpuCounts, domains: &[DomainName], waker: CpuId, target: CpuId) {
    counts.wakeups += 1;
    if waker == target {
        counts.local_wakeups += 1;
    } else if let Some(level) = lowest_with(domains, target) {
        counts.domains[level].remote_wakeups += 1;
    }
}

fn lowest_with(domains: &[DomainName], cpu: CpuId) -> Option<usize> {
    domains.iter().position(|domain| domain.cpus.contains(&cpu))
}

fn count_balance(counts: &mut CpuCounts, event: &Event) {
    let (level, reason, outcome) = (event.detail / 32, event.detail / 8 % 4, event.detail % 8);
    let pulled = std::mem::take(&mut counts.pulled);
    let Some(domain) = counts.domains.get_mut(usize::from(level)) else { return };
    let Some(slot) = SLOT_BY_REASON.get(usize::from(reason)) else { return };
    let attempts = &mut domain.attempts[*slot];
    attempts.all += 1;
    attempts.balanced += u64::from(outcome == BalanceOutcome::Balanced as u8);
    attempts.failed +=
        u64::from(outcome == BalanceOutcome::Nothing as u8 || outcome == BalanceOutcome::ActiveStarted as u8);
    attempts.gained += pulled;
    domain.pushes += u64::from(outcome == BalanceOutcome::ActiveStarted as u8);
}

fn count_migration(cpus: &mut [CpuCounts], domains: &[Vec<DomainName>], event: &Event) {
    let is = |reason: MigrateReason| event.detail == reason as u8;
    let (to, from) = (event.cpu, CpuId(event.args[0] as u16));
    let counts = &mut cpus[to.index()];
    if is(MigrateReason::NewIdle) || is(MigrateReason::Idle) || is(MigrateReason::Busy) {
        counts.pulled += 1;
    } else if is(MigrateReason::Active)
        && let Some(level) = lowest_with(&domains[to.index()], from)
    {
        counts.domains[level].pushed += 1;
    }
}

fn put_counts(out: &mut Vec<u8>, counts: &DomainCounts) {
    for AttemptCounts { all, balanced, failed, gained } in counts.attempts {
        put(out, format_args!(" {all} {balanced} {failed} 0 0 0 0 {gained} 0 0 0"));
    }
    let DomainCounts { pushes, pushed, remote_wakeups, .. } = counts;
    let failed = pushes.saturating_sub(*pushed);
    put(out, format_args!(" {pushes} {failed} {pushed} 0 0 0 0 0 0 {remote_wakeups} 0 0\n"));
}

/// CPUs as the kernel prints them: hexadecimal digits for all CPUs of the machine, a comma after every 32.
fn mask(cpus: &[CpuId], of: usize) -> String {
    let digit = |position: usize| {
        let bits = (0..4).filter(|bit| cpus.contains(&CpuId((position * 4 + bit) as u16)));
        char::from_digit(bits.map(|bit| 1 << bit).sum(), 16).unwrap_or('0')
    };
    let mut text = String::new();
    for position in (0..of.div_ceil(4)).rev() {
        text.push(digit(position));
        if position % 8 == 0 && 0 < position {
            text.push(',');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_written_as_the_kernel_writes_them() {
        let cpus = |numbers: &[u16]| numbers.iter().copied().map(CpuId).collect::<Vec<_>>();
        assert_eq!(mask(&cpus(&[0, 1, 2, 3]), 8), "0f");
        assert_eq!(mask(&cpus(&[4, 5, 6, 7]), 8), "f0");
        assert_eq!(mask(&cpus(&[0, 1]), 2), "3");
        assert_eq!(mask(&cpus(&[1, 31, 32, 39]), 40), "81,80000002");
        assert_eq!(mask(&cpus(&[63]), 64), "80000000,00000000");
    }
}
