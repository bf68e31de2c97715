use kernel::{Era, Governor, Patch};
use topology::{CpuSet, MACHINE_PRESETS};
use workload::Transport;
use workload::schbench::Generation;

use super::field::{Field, MAX_COST, Part, generation_name, governor_name, transport_name};
use super::{Choice, Group, Integer, Key, Kind, List};
use crate::costs::COST_FIELDS;
use crate::scenario::{IdleChoice, WorkloadChoice};
use crate::validate::MAX_THREADS;
use crate::{CostSet, MAX_SEED};

/// The whole table.
pub(super) fn keys() -> Vec<Key> {
    let mut keys = machine_keys();
    keys.extend(kernel_keys());
    keys.extend(Patch::ALL.map(patch_key));
    keys.extend(workload_keys());
    keys.extend(cost_keys());
    keys.extend(run_keys());
    keys
}

pub(super) struct Words {
    label: &'static str,
    help: &'static str,
    unit: &'static str,
}

pub(super) fn key(name: impl Into<String>, group: Group, field: Field, kind: Kind, words: Words) -> Key {
    let Words { label, help, unit } = words;
    Key { name: name.into(), label, help, unit, group, kind, per_column: true, field }
}

pub(super) const fn words(label: &'static str, help: &'static str) -> Words {
    Words { label, help, unit: "" }
}

pub(super) const fn words_in(unit: &'static str, label: &'static str, help: &'static str) -> Words {
    Words { label, help, unit }
}

/// A whole number from `min` to `max`, whose slider covers `usual`.
const fn integer(min: u64, max: u64, usual: (u64, u64), step: u64) -> Kind {
    Kind::Integer(Integer { min, max, usual, step, automatic: false })
}

pub(super) const fn automatic(min: u64, max: u64, usual: (u64, u64), step: u64) -> Kind {
    Kind::Integer(Integer { min, max, usual, step, automatic: true })
}

pub(super) const fn choice(value: &'static str, label: &'static str, help: &'static str) -> Choice {
    Choice { value, label, help }
}

const MAX_CPUS: u64 = CpuSet::CAPACITY as u64;

fn machine_keys() -> Vec<Key> {
    let mut machines: Vec<Choice> =
        MACHINE_PRESETS.iter().map(|preset| choice(preset.name, preset.title, preset.summary)).collect();
    machines.push(choice("custom", "Custom", "A machine of your own: packages, caches, cores and threads."));
    let mut keys = vec![key(
        "machine",
        Group::Machine,
        Field::Machine,
        Kind::Choice(machines),
        words("Machine", "Which machine the threads run on."),
    )];
    keys.extend(part_keys());
    keys.extend([
        key(
            "machine.capacities",
            Group::Machine,
            Field::Capacities,
            Kind::List(List { min: 1, max: 1024, longest: MAX_CPUS as u32, may_be_empty: true }),
            words(
                "Capacity of each core",
                "How strong each core is, 1024 for the strongest, for example 4x462,4x1024. Empty: all are equal.",
            ),
        ),
        key(
            "machine.idle",
            Group::Machine,
            Field::Idle,
            Kind::Choice(vec![
                choice(
                    IdleChoice::Wfi.name(),
                    "Wait for interrupt only",
                    "An idle CPU is back at once, as on the board that was measured.",
                ),
                choice(
                    IdleChoice::DeviceTree.name(),
                    "Device tree",
                    "Idle CPUs and clusters power down and need 100 µs to 3 ms to come back, as the machine's device \
                     tree says, or that of the HiKey 620.",
                ),
            ]),
            words("Idle states", "How deep a CPU sleeps when it has nothing to do."),
        ),
    ]);
    keys
}

/// The levels at which a machine is divided.
fn part_keys() -> [Key; 4] {
    let part = |name: &str, part, max, usual, label, help| {
        key(name, Group::Machine, Field::Part(part), integer(1, max, (1, usual), 1), words(label, help))
    };
    [
        part(
            "machine.packages",
            Part::Packages,
            8,
            4,
            "Packages",
            "Chips in their own sockets. Where there are several, each has its own memory.",
        ),
        part(
            "machine.llcs",
            Part::Llcs,
            64,
            8,
            "Last-level caches of a package",
            "A waking thread is placed only among the CPUs under one last-level cache.",
        ),
        part(
            "machine.cores",
            Part::Cores,
            MAX_CPUS,
            32,
            "Cores under a cache",
            "Cores that share one last-level cache.",
        ),
        part(
            "machine.threads",
            Part::Threads,
            8,
            4,
            "Hardware threads of a core",
            "CPUs that the kernel sees for each core (SMT).",
        ),
    ]
}

fn kernel_keys() -> Vec<Key> {
    let mut keys = vec![
        key(
            "kernel.era",
            Group::Kernel,
            Field::Era,
            Kind::Choice(Era::ALL.map(|era| choice(era.name(), era.name(), era_help(era))).to_vec()),
            words("Kernel version", "Whose scheduler decides."),
        ),
        key(
            "kernel.hz",
            Group::Kernel,
            Field::Hz,
            Kind::Choice(vec![
                choice("100", "100 a second", "A tick every 10 ms."),
                choice("250", "250 a second", "A tick every 4 ms, the default on Arm."),
                choice("300", "300 a second", "A tick every 3.33 ms."),
                choice("1000", "1000 a second", "A tick every millisecond, usual on servers and desktops."),
            ]),
            words(
                "Timer ticks (HZ)",
                "How often the kernel checks on a running thread. A time slice ends at a tick, never between two.",
            ),
        ),
    ];
    keys.extend(slice_keys());
    keys.push(wake_list_key());
    keys.extend(balance_keys());
    keys.push(governor_key());
    keys
}

fn slice_keys() -> [Key; 3] {
    [
        slice_key(
            "kernel.latency_ns",
            Field::Latency,
            100_000,
            24_000_000,
            words_in(
                "ns",
                "Scheduling period",
                "The time in which every waiting thread of a CPU should run once (sched_latency).",
            ),
        ),
        slice_key(
            "kernel.min_granularity_ns",
            Field::MinGranularity,
            100_000,
            6_000_000,
            words_in(
                "ns",
                "Shortest slice",
                "No thread's share of the period is shorter (sched_min_granularity).",
            ),
        ),
        slice_key(
            "kernel.wakeup_granularity_ns",
            Field::WakeupGranularity,
            0,
            10_000_000,
            words_in(
                "ns",
                "Wake-up granularity",
                "How far a waking thread must be behind the running one to take its place at once \
                 (sched_wakeup_granularity).",
            ),
        ),
    ]
}

fn wake_list_key() -> Key {
    key(
        "kernel.wake_list_idle",
        Group::Kernel,
        Field::WakeListIdle,
        Kind::Choice(vec![
            choice(
                "auto",
                "As the version does",
                "Through the wake list since v6.0 (f3dd3f674555), by the waker before.",
            ),
            choice(
                "on",
                "Wake list",
                "The wake-up is handed over to the idle CPU, which enqueues the thread itself.",
            ),
            choice(
                "off",
                "Waker",
                "The waker enqueues the thread there: in v6.1 the revert of f3dd3f674555.",
            ),
        ]),
        words(
            "Wake-ups for idle CPUs",
            "Who enqueues a thread that wakes on another, idle CPU of the waker's last-level cache.",
        ),
    )
}

fn governor_key() -> Key {
    key(
        "kernel.governor",
        Group::Kernel,
        Field::Governor,
        Kind::Choice(vec![
            choice(
                governor_name(Governor::Performance),
                "Always the highest",
                "Every CPU runs at its highest frequency (performance).",
            ),
            choice(
                governor_name(Governor::Schedutil),
                "By utilisation",
                "CPUs run as fast as their utilisation asks for, with a quarter to spare (schedutil).",
            ),
        ]),
        words("Frequency", "Who chooses the frequency of CPUs, on machines whose frequencies are known."),
    )
}

fn balance_keys() -> [Key; 4] {
    [
        key(
            "kernel.newidle",
            Group::Kernel,
            Field::Newidle,
            Kind::Flag,
            words(
                "Look for work when idle",
                "Whether a CPU that runs out of work pulls some from others (newidle balance).",
            ),
        ),
        key(
            "kernel.util_test",
            Group::Kernel,
            Field::UtilTest,
            Kind::Flag,
            words(
                "Respect utilisation",
                "Whether the balancer leaves a thread alone that is busier than the gap to fill. Off is an experiment.",
            ),
        ),
        key(
            "kernel.eas",
            Group::Kernel,
            Field::Eas,
            Kind::Flag,
            words(
                "Place by energy",
                "Whether a waking thread goes where it takes the least power, as long as no CPU is full (EAS). Only on \
                 machines whose CPUs differ and whose powers are known.",
            ),
        ),
        key(
            "kernel.capacity",
            Group::Kernel,
            Field::Capacity,
            integer(1, 4096, (512, 4096), 1),
            words(
                "Capacity left by interrupts",
                "What the balancer takes the strongest CPU's capacity for: 1024 less what interrupts use. \
                 Above 1024 is an experiment.",
            ),
        ),
    ]
}

fn slice_key(name: &str, field: Field, min: u64, usual_max: u64, words: Words) -> Key {
    let usual = (min.max(500_000), usual_max);
    key(name, Group::Kernel, field, automatic(min, 1_000_000_000, usual, 250_000), words)
}

/// What a version is known for.
const fn era_help(era: Era) -> &'static str {
    match era {
        Era::V3_3 => "March 2012: balances by load, without a load signal for each task.",
        Era::V5_4 => "November 2019: balances by load, with a load signal for each task.",
        Era::V5_4Rework => "Version 5.4 with the load balancer that came with 5.5.",
        Era::V5_10 => "December 2020: balances by how busy a group of CPUs is.",
        Era::V6_1 => "December 2022: looks for idle CPUs by utilisation.",
        Era::V6_6 => "October 2023: picks threads by earliest eligible virtual deadline (EEVDF).",
        Era::V6_12 => "November 2024: EEVDF with delayed dequeue.",
        Era::V6_18 => "November 2025.",
    }
}

fn patch_key(patch: Patch) -> Key {
    let info = patch.info();
    let mut choices = vec![choice("off", "Off", "The kernel without this patch.")];
    choices.extend(info.forms.iter().map(|form| choice(form.name, form.name, form.summary)));
    let name = format!("patches.{}", patch.slug());
    key(name, Group::Patches, Field::Patch(patch), Kind::Choice(choices), words(info.title, info.summary))
}

fn workload_keys() -> Vec<Key> {
    let [schbench, hogs, periodic, hackbench, context1, spawn, execl, launch] = WorkloadChoice::KINDS;
    let mut keys = vec![key(
        "workload.kind",
        Group::Workload,
        Field::WorkloadKind,
        Kind::Choice(vec![
            choice(
                schbench,
                "schbench",
                "Message threads wake workers in batches, and the workers note how late they woke.",
            ),
            choice(hogs, "Always busy", "Threads that always want to run."),
            choice(periodic, "Periodic", "Threads that compute and sleep in turn."),
            choice(
                hackbench,
                "hackbench",
                "Groups in which every sender writes to every receiver, until all messages are read.",
            ),
            choice(
                context1,
                "UnixBench: pipe switches",
                "Pairs of threads that pass a token to and fro over two pipes.",
            ),
            choice(
                spawn,
                "UnixBench: process creation",
                "Threads that create a child, which ends at once, and wait for it.",
            ),
            choice(execl, "UnixBench: execl", "Threads that execute one program after the other."),
            choice(
                launch,
                "Application launch",
                "An Android phone starts an application, until its first frame shows.",
            ),
        ]),
        words("Workload", "What the threads do."),
    )];
    keys.extend(schbench_keys());
    keys.extend(other_workload_keys());
    keys.extend(hackbench_keys());
    keys.extend(unixbench_keys());
    keys.extend(super::launch::keys());
    keys
}

fn schbench_keys() -> [Key; 2] {
    [
        key(
            "workload.generation",
            Group::Workload,
            Field::Generation,
            Kind::Choice(vec![
                choice(generation_name(Generation::Y2016), "2016", "Prints percentiles with four decimals."),
                choice(
                    generation_name(Generation::Y2019),
                    "2019 to January 2020",
                    "Prints percentiles with one decimal.",
                ),
            ]),
            words("schbench version", "Whose output is printed; what is measured is the same."),
        ),
        key(
            "workload.message_threads",
            Group::Workload,
            Field::MessageThreads,
            integer(1, 1024, (1, 16), 1),
            words_in(
                "threads",
                "Message threads (-m)",
                "Threads that wake their workers in one batch, sleep, and start over.",
            ),
        ),
    ]
}

fn other_workload_keys() -> [Key; 6] {
    [
        key(
            "workload.threads",
            Group::Workload,
            Field::Threads,
            integer(1, MAX_THREADS, (1, 64), 1),
            words_in(
                "threads",
                "Threads (-t)",
                "Workers of each message thread in schbench, or periodic threads.",
            ),
        ),
        key(
            "workload.nice",
            Group::Workload,
            Field::Nice,
            Kind::List(List { min: -20, max: 19, longest: MAX_THREADS as u32, may_be_empty: false }),
            words(
                "Nice levels",
                "The nice level of each busy thread, for example 20x0,12x5 for twenty of level 0 and twelve of 5.",
            ),
        ),
        key(
            "workload.run_us",
            Group::Workload,
            Field::RunUs,
            integer(1, 60_000_000, (100, 100_000), 100),
            words_in("µs", "Compute", "CPU time that a periodic thread needs before it sleeps."),
        ),
        key(
            "workload.sleep_us",
            Group::Workload,
            Field::SleepUs,
            integer(4, 60_000_000, (100, 100_000), 100),
            words_in(
                "µs",
                "Sleep (-s)",
                "How long a message thread sleeps before it wakes its workers again (up to a quarter is added at \
                 random), or a periodic thread between two rounds.",
            ),
        ),
        key(
            "workload.think_us",
            Group::Workload,
            Field::ThinkUs,
            integer(0, 60_000_000, (0, 2_000_000), 1_000),
            words_in("µs", "Think (-c)", "How long a worker spins by the wall clock before it reports."),
        ),
        key(
            "workload.runtime_s",
            Group::Workload,
            Field::RuntimeS,
            integer(1, 3_600, (1, 60), 1),
            words_in("s", "Run time (-r)", "How long the workload runs, in simulated seconds."),
        ),
    ]
}

fn hackbench_keys() -> [Key; 4] {
    [
        key(
            "workload.groups",
            Group::Workload,
            Field::Groups,
            integer(1, 200, (1, 20), 1),
            words_in("groups", "Groups (-g)", "Groups of senders and receivers that have nothing in common."),
        ),
        key(
            "workload.fds",
            Group::Workload,
            Field::Fds,
            integer(1, 200, (1, 20), 1),
            words_in(
                "senders",
                "Senders of a group (-f)",
                "How many threads of a group send, and how many receive.",
            ),
        ),
        key(
            "workload.loops",
            Group::Workload,
            Field::Loops,
            integer(1, 1_000_000, (10, 1_000), 10),
            words_in(
                "messages",
                "Messages (-l)",
                "How many messages each sender writes to each receiver of its group.",
            ),
        ),
        key(
            "workload.transport",
            Group::Workload,
            Field::Transport,
            Kind::Choice(vec![
                choice(
                    transport_name(Transport::Socket),
                    "Sockets",
                    "A full buffer wakes all its senders when three quarters of it are free.",
                ),
                choice(
                    transport_name(Transport::Pipe),
                    "Pipes (-p)",
                    "A full pipe wakes one sender when a page is free, and that one the next.",
                ),
            ]),
            words("Carried by", "What carries messages from senders to receivers."),
        ),
    ]
}

fn unixbench_keys() -> [Key; 2] {
    [
        key(
            "workload.copies",
            Group::Workload,
            Field::Copies,
            integer(1, 1_024, (1, 64), 1),
            words_in("copies", "Copies (-c)", "How many copies of the test run at once."),
        ),
        key(
            "workload.runtime_ms",
            Group::Workload,
            Field::RuntimeMs,
            integer(1, 600_000, (10, 10_000), 10),
            words_in("ms", "Run time", "How long the test runs, in simulated milliseconds."),
        ),
    ]
}

fn cost_keys() -> Vec<Key> {
    let mut keys = vec![key(
        "costs",
        Group::Costs,
        Field::Costs,
        Kind::Choice(vec![
            choice(
                CostSet::Hikey.name(),
                "HiKey 620",
                "A Cortex-A53 at 1.2 GHz, calibrated on published medians.",
            ),
            choice(
                CostSet::Generic.name(),
                "Fast server",
                "An x86 server or virtual machine, calibrated on the published medians of a 32-CPU virtual machine.",
            ),
            choice(
                CostSet::Phone.name(),
                "Phone",
                "A phone of 2019 at its highest frequency. Assumed, not calibrated.",
            ),
        ]),
        words("Cost set", "Where the costs below start from; choosing one sets them all."),
    )];
    keys.extend(COST_FIELDS.iter().map(|cost| {
        key(
            format!("costs.{}", cost.name),
            Group::Costs,
            Field::Cost(cost),
            integer(0, MAX_COST.0, (0, 50_000), 50),
            words_in("ns", cost.label, cost.help),
        )
    }));
    keys.push(key(
        "costs.jitter_pct",
        Group::Costs,
        Field::JitterPct,
        integer(0, 100, (0, 50), 1),
        words_in("%", "Variation of costs", "How far each draw of a cost may lie from it, up and down."),
    ));
    keys
}

fn run_keys() -> [Key; 3] {
    let shared =
        |name, field, kind, words| Key { per_column: false, ..key(name, Group::Run, field, kind, words) };
    [
        shared(
            "seed",
            Field::Seed,
            integer(0, MAX_SEED, (1, 1_000), 1),
            words(
                "Seed",
                "Names the random numbers. The same seed gives the same run, and all columns share it.",
            ),
        ),
        shared(
            "run.max_events",
            Field::MaxEvents,
            integer(1_000, 2_000_000_000, (1_000_000, 200_000_000), 1_000_000),
            words_in(
                "events",
                "Event budget",
                "A column that needs more events than this is stopped and says so.",
            ),
        ),
        shared(
            "title",
            Field::Title,
            Kind::Text { longest: 120 },
            words("Title", "What this scenario is called."),
        ),
    ]
}
