use kernel::{Availability, Era, Governor, Patch};
use sim::Nanos;
use topology::{MachinePreset, Shape};
use workload::schbench::{self, Generation};
use workload::{Transport, hackbench};

use super::Value;
use super::launch::LaunchField;
use crate::costs::CostField;
use crate::scenario::{CopiesChoice, HogsChoice, IdleChoice, Machine, PeriodicChoice, WorkloadChoice};
use crate::{CostSet, Costs, LaunchChoice, Scenario};

/// Where the value of a key is kept.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    Machine,
    Part(Part),
    Capacities,
    Idle,
    Era,
    Hz,
    Latency,
    MinGranularity,
    WakeupGranularity,
    WakeListIdle,
    Newidle,
    UtilTest,
    Eas,
    Governor,
    Capacity,
    Patch(Patch),
    WorkloadKind,
    Generation,
    MessageThreads,
    Threads,
    Nice,
    RunUs,
    SleepUs,
    ThinkUs,
    RuntimeS,
    Groups,
    Fds,
    Loops,
    Transport,
    Copies,
    RuntimeMs,
    Launch(LaunchField),
    Costs,
    Cost(&'static CostField),
    JitterPct,
    Seed,
    MaxEvents,
    Title,
}

/// A level at which a machine is divided.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Packages,
    Llcs,
    Cores,
    Threads,
}

impl Part {
    fn read(self, shape: Shape) -> u16 {
        match self {
            Part::Packages => shape.packages,
            Part::Llcs => shape.llcs,
            Part::Cores => shape.cores,
            Part::Threads => shape.threads,
        }
    }

    fn slot(self, shape: &mut Shape) -> &mut u16 {
        match self {
            Part::Packages => &mut shape.packages,
            Part::Llcs => &mut shape.llcs,
            Part::Cores => &mut shape.cores,
            Part::Threads => &mut shape.threads,
        }
    }
}

impl IdleChoice {
    /// Every choice; the first is the default.
    pub const ALL: [IdleChoice; 2] = [IdleChoice::Wfi, IdleChoice::DeviceTree];

    /// The name used outside.
    pub const fn name(self) -> &'static str {
        match self {
            IdleChoice::Wfi => "wfi",
            IdleChoice::DeviceTree => "dt",
        }
    }
}

/// The name of who chooses frequencies.
pub(super) const fn governor_name(governor: Governor) -> &'static str {
    match governor {
        Governor::Performance => "performance",
        Governor::Schedutil => "schedutil",
    }
}

/// The name of an output generation of schbench.
pub(super) const fn generation_name(generation: Generation) -> &'static str {
    match generation {
        Generation::Y2016 => "2016",
        Generation::Y2019 => "2019",
    }
}

/// The name of what carries the messages of hackbench.
pub(super) const fn transport_name(transport: Transport) -> &'static str {
    match transport {
        Transport::Socket => "socket",
        Transport::Pipe => "pipe",
    }
}

impl WorkloadChoice {
    /// The names of the kinds of workload.
    pub const KINDS: [&'static str; 8] =
        ["schbench", "hogs", "periodic", "hackbench", "context1", "spawn", "execl", "launch"];

    /// The name of its kind.
    pub const fn kind_name(&self) -> &'static str {
        match self {
            WorkloadChoice::Schbench(_) => "schbench",
            WorkloadChoice::Hogs(_) => "hogs",
            WorkloadChoice::Periodic(_) => "periodic",
            WorkloadChoice::Hackbench(_) => "hackbench",
            WorkloadChoice::Context1(_) => "context1",
            WorkloadChoice::Spawn(_) => "spawn",
            WorkloadChoice::Execl(_) => "execl",
            WorkloadChoice::Launch(_) => "launch",
        }
    }

    /// A workload of a kind with its default values.
    fn of_kind(kind: &str) -> WorkloadChoice {
        match kind {
            "hogs" => WorkloadChoice::Hogs(HogsChoice::default()),
            "periodic" => WorkloadChoice::Periodic(PeriodicChoice::default()),
            "hackbench" => WorkloadChoice::default_hackbench(),
            "context1" => WorkloadChoice::Context1(CopiesChoice::default()),
            "spawn" => WorkloadChoice::Spawn(CopiesChoice::default()),
            "execl" => WorkloadChoice::Execl(CopiesChoice::default()),
            "launch" => WorkloadChoice::Launch(LaunchChoice::default()),
            _ => WorkloadChoice::default(),
        }
    }

    /// What the tests of UnixBench have in common.
    const fn copies(&self) -> Option<&CopiesChoice> {
        match self {
            WorkloadChoice::Context1(choice)
            | WorkloadChoice::Spawn(choice)
            | WorkloadChoice::Execl(choice) => Some(choice),
            _ => None,
        }
    }

    const fn copies_mut(&mut self) -> Option<&mut CopiesChoice> {
        match self {
            WorkloadChoice::Context1(choice)
            | WorkloadChoice::Spawn(choice)
            | WorkloadChoice::Execl(choice) => Some(choice),
            _ => None,
        }
    }

    /// This workload if it is of the kind of another, else the default one of that kind.
    pub(super) fn of_same_kind_as(&self, other: &WorkloadChoice) -> WorkloadChoice {
        if self.kind_name() == other.kind_name() {
            self.clone()
        } else {
            WorkloadChoice::of_kind(other.kind_name())
        }
    }
}

fn integer(number: impl Into<u64>) -> Value {
    Value::Integer(number.into())
}

fn automatic(number: Option<u64>) -> Value {
    number.map_or(Value::Automatic, Value::Integer)
}

/// The word of a switch that may be left to the version of the kernel.
const fn switch_name(on: Option<bool>) -> &'static str {
    match on {
        None => "auto",
        Some(true) => "on",
        Some(false) => "off",
    }
}

impl Field {
    /// The value in a scenario; nothing where its workload has no such value.
    pub(super) fn read(self, scenario: &Scenario) -> Option<Value> {
        let kernel = &scenario.kernel;
        let value = match self {
            Field::Machine => Value::Choice(scenario.machine.name()),
            Field::Part(part) => integer(part.read(scenario.machine.shape())),
            Field::Capacities => {
                Value::list(scenario.machine.capacities().iter().map(|capacity| (i64::from(*capacity), 1)))
            }
            Field::Idle => Value::Choice(scenario.idle.name()),
            Field::Era => Value::Choice(kernel.era.name()),
            Field::Hz => integer(kernel.hz),
            Field::Latency => automatic(kernel.latency_ns),
            Field::MinGranularity => automatic(kernel.min_granularity_ns),
            Field::WakeupGranularity => automatic(kernel.wakeup_granularity_ns),
            Field::WakeListIdle => Value::Choice(switch_name(kernel.wake_list_idle)),
            Field::Newidle => Value::Flag(kernel.newidle),
            Field::UtilTest => Value::Flag(kernel.util_test),
            Field::Eas => Value::Flag(kernel.eas),
            Field::Governor => Value::Choice(governor_name(kernel.governor)),
            Field::Capacity => integer(kernel.capacity),
            Field::Patch(patch) => Value::Choice(scenario.patch_value(patch)),
            Field::Costs => Value::Choice(scenario.costs.set.name()),
            Field::Cost(cost) => integer(cost.read(&scenario.costs.table)),
            Field::JitterPct => integer(scenario.costs.table.jitter_pct),
            Field::Seed => integer(scenario.seed),
            Field::MaxEvents => integer(scenario.run.max_events),
            Field::Title => Value::Text(scenario.title.clone()),
            _ => return self.read_workload(&scenario.workload),
        };
        Some(value)
    }

    fn read_workload(self, workload: &WorkloadChoice) -> Option<Value> {
        let value = match (self, workload) {
            (Field::WorkloadKind, _) => Value::Choice(workload.kind_name()),
            (Field::Launch(field), WorkloadChoice::Launch(launch)) => field.read(launch),
            (Field::RuntimeS, WorkloadChoice::Schbench(spec)) => integer(spec.runtime_s),
            (Field::RuntimeS, WorkloadChoice::Hogs(hogs)) => integer(hogs.runtime_s),
            (Field::RuntimeS, WorkloadChoice::Periodic(periodic)) => integer(periodic.runtime_s),
            (_, WorkloadChoice::Schbench(spec)) => return self.read_schbench(spec),
            (_, WorkloadChoice::Hackbench(spec)) => return self.read_hackbench(spec),
            (Field::Copies, other) => integer(other.copies()?.copies),
            (Field::RuntimeMs, other) => integer(other.copies()?.runtime_ms),
            (Field::Nice, WorkloadChoice::Hogs(hogs)) => {
                Value::list(hogs.nice.iter().map(|(nice, count)| (i64::from(*nice), u32::from(*count))))
            }
            (Field::Threads, WorkloadChoice::Periodic(periodic)) => integer(periodic.threads),
            (Field::RunUs, WorkloadChoice::Periodic(periodic)) => integer(periodic.run_us),
            (Field::SleepUs, WorkloadChoice::Periodic(periodic)) => integer(periodic.sleep_us),
            _ => return None,
        };
        Some(value)
    }

    fn read_schbench(self, spec: &schbench::Spec) -> Option<Value> {
        let value = match self {
            Field::Generation => Value::Choice(generation_name(spec.generation)),
            Field::MessageThreads => integer(spec.message_threads),
            Field::Threads => integer(spec.worker_threads),
            Field::SleepUs => integer(spec.sleep_us),
            Field::ThinkUs => integer(spec.think_us),
            _ => return None,
        };
        Some(value)
    }

    fn read_hackbench(self, spec: &hackbench::Spec) -> Option<Value> {
        let value = match self {
            Field::Groups => integer(spec.groups),
            Field::Fds => integer(spec.fds),
            Field::Loops => integer(spec.loops),
            Field::Transport => Value::Choice(transport_name(spec.transport)),
            _ => return None,
        };
        Some(value)
    }

    /// Puts a value, which the key has checked, into a scenario that has such a value.
    pub(super) fn write(self, scenario: &mut Scenario, value: Value) {
        if let (Field::Launch(field), WorkloadChoice::Launch(launch)) = (self, &mut scenario.workload) {
            field.write(launch, &value);
            return;
        }
        match value {
            Value::Integer(number) => self.write_number(scenario, Some(number)),
            Value::Automatic => self.write_number(scenario, None),
            Value::Choice(word) => self.write_choice(scenario, word),
            Value::Flag(on) => match self {
                Field::Newidle => scenario.kernel.newidle = on,
                Field::Eas => scenario.kernel.eas = on,
                _ => scenario.kernel.util_test = on,
            },
            Value::List(runs) => self.write_list(scenario, &runs),
            Value::Text(text) => scenario.title = text,
        }
    }

    fn write_number(self, scenario: &mut Scenario, number: Option<u64>) {
        let kernel = &mut scenario.kernel;
        match (self, number) {
            (Field::Latency, _) => kernel.latency_ns = number,
            (Field::MinGranularity, _) => kernel.min_granularity_ns = number,
            (Field::WakeupGranularity, _) => kernel.wakeup_granularity_ns = number,
            (Field::Hz, Some(number)) => kernel.hz = number as u32,
            (Field::Capacity, Some(number)) => kernel.capacity = number as u32,
            (Field::Part(part), Some(number)) => {
                let (mut shape, capacities) = scenario.machine.customised();
                *part.slot(&mut shape) = number as u16;
                scenario.machine = Machine::Custom { shape, capacities };
            }
            (Field::Cost(cost), Some(number)) => cost.write(&mut scenario.costs.table, number),
            (Field::JitterPct, Some(number)) => scenario.costs.table.jitter_pct = number as u32,
            (Field::Seed, Some(number)) => scenario.seed = number,
            (Field::MaxEvents, Some(number)) => scenario.run.max_events = number,
            (_, Some(number)) => self.write_workload_number(&mut scenario.workload, number),
            (_, None) => {}
        }
    }

    fn write_workload_number(self, workload: &mut WorkloadChoice, number: u64) {
        match (self, workload) {
            (Field::MessageThreads, WorkloadChoice::Schbench(spec)) => spec.message_threads = number as u16,
            (Field::Threads, WorkloadChoice::Schbench(spec)) => spec.worker_threads = number as u16,
            (Field::Threads, WorkloadChoice::Periodic(periodic)) => periodic.threads = number as u16,
            (Field::RunUs, WorkloadChoice::Periodic(periodic)) => periodic.run_us = number as u32,
            (Field::SleepUs, WorkloadChoice::Schbench(spec)) => spec.sleep_us = number as u32,
            (Field::SleepUs, WorkloadChoice::Periodic(periodic)) => periodic.sleep_us = number as u32,
            (Field::ThinkUs, WorkloadChoice::Schbench(spec)) => spec.think_us = number as u32,
            (Field::RuntimeS, WorkloadChoice::Schbench(spec)) => spec.runtime_s = number as u32,
            (Field::RuntimeS, WorkloadChoice::Hogs(hogs)) => hogs.runtime_s = number as u32,
            (Field::RuntimeS, WorkloadChoice::Periodic(periodic)) => periodic.runtime_s = number as u32,
            (Field::Groups, WorkloadChoice::Hackbench(spec)) => spec.groups = number as u16,
            (Field::Fds, WorkloadChoice::Hackbench(spec)) => spec.fds = number as u16,
            (Field::Loops, WorkloadChoice::Hackbench(spec)) => spec.loops = number as u32,
            (Field::Copies, other) => {
                if let Some(choice) = other.copies_mut() {
                    choice.copies = number as u16;
                }
            }
            (Field::RuntimeMs, other) => {
                if let Some(choice) = other.copies_mut() {
                    choice.runtime_ms = number as u32;
                }
            }
            _ => {}
        }
    }

    fn write_choice(self, scenario: &mut Scenario, word: &'static str) {
        match self {
            Field::Machine => {
                scenario.machine = MachinePreset::find(word).map_or_else(
                    || {
                        let (shape, capacities) = scenario.machine.customised();
                        Machine::Custom { shape, capacities }
                    },
                    Machine::Named,
                );
            }
            Field::Idle => {
                scenario.idle =
                    IdleChoice::ALL.into_iter().find(|idle| idle.name() == word).unwrap_or(IdleChoice::Wfi);
            }
            Field::Era => {
                scenario.kernel.era = word.parse().unwrap_or(scenario.kernel.era);
                scenario.drop_released_patches();
            }
            Field::Patch(patch) => {
                scenario.patches.insert(patch, patch.form(word));
                scenario.drop_released_patches();
            }
            Field::Costs => {
                let set = CostSet::ALL.into_iter().find(|set| set.name() == word).unwrap_or(CostSet::Hikey);
                scenario.costs = Costs::from(set);
            }
            Field::WorkloadKind => {
                if scenario.workload.kind_name() != word {
                    scenario.workload = WorkloadChoice::of_kind(word);
                }
            }
            Field::Transport => {
                if let WorkloadChoice::Hackbench(spec) = &mut scenario.workload {
                    spec.transport = if word == "pipe" { Transport::Pipe } else { Transport::Socket };
                }
            }
            Field::Governor => {
                let fixed = word == governor_name(Governor::Performance);
                scenario.kernel.governor = if fixed { Governor::Performance } else { Governor::Schedutil };
            }
            Field::Hz => scenario.kernel.hz = word.parse().unwrap_or(scenario.kernel.hz),
            Field::WakeListIdle => scenario.kernel.wake_list_idle = (word != "auto").then_some(word == "on"),
            _ => {
                if let WorkloadChoice::Schbench(spec) = &mut scenario.workload {
                    spec.generation = if word == "2016" { Generation::Y2016 } else { Generation::Y2019 };
                }
            }
        }
    }

    fn write_list(self, scenario: &mut Scenario, runs: &[(i64, u32)]) {
        if let (Field::Nice, WorkloadChoice::Hogs(hogs)) = (self, &mut scenario.workload) {
            hogs.nice = runs.iter().map(|(nice, count)| (*nice as i8, *count as u16)).collect();
        }
        if matches!(self, Field::Capacities) {
            let (shape, _) = scenario.machine.customised();
            let capacities =
                runs.iter().flat_map(|(capacity, count)| (0..*count).map(|_| *capacity as u32)).collect();
            scenario.machine = Machine::Custom { shape, capacities };
        }
    }

    /// Why a word cannot be chosen in a scenario, if it cannot.
    pub(super) fn unavailable(self, scenario: &Scenario, word: &str) -> Option<String> {
        match self {
            Field::Era => {
                let era: Era = word.parse().ok()?;
                (!era.is_runnable()).then(|| format!("{era} is known, but cannot be run yet"))
            }
            Field::Patch(patch) if word != "off" => {
                let era = scenario.kernel.era;
                match patch.availability(era) {
                    Availability::Impossible(reason) => Some(format!("{era} cannot have it: {reason}")),
                    Availability::Native | Availability::Merged | Availability::Ported => None,
                }
            }
            _ => None,
        }
    }
}

/// The most nanoseconds of a cost.
pub(super) const MAX_COST: Nanos = Nanos::from_millis(10);
