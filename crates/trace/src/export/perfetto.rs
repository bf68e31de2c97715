use sim::{CpuId, Nanos, TaskId};

use super::names::{Named, comm, pid};
use super::protobuf::Message;
use super::tracepoints::{SwitchState, Tracepoint, Tracepoints, What};
use super::{CLOCK_START, Names, Writer};
use crate::Event;

/// Writes a Perfetto trace, from which its trace processor fills its scheduling tables.
///
/// Only kernel trace events and the names of processes and threads, as a recording of a machine has them, so that every
/// query for such recordings works.
#[derive(Debug)]
pub struct Perfetto {
    names: Names,
    tracepoints: Tracepoints,
    /// For each CPU its events that are not yet in a packet.
    bundles: Vec<Bundle>,
    started: bool,
}

#[derive(Clone, Debug, Default)]
struct Bundle {
    events: Message,
    count: u32,
}

/// Events a packet; readers sort packets of different CPUs, and many small ones take space.
const EVENTS_A_PACKET: u32 = 1_000;

// The numbers of the fields, named as in Perfetto's schema.
const TRACE_PACKET: u32 = 1;
const PACKET_FTRACE_EVENTS: u32 = 1;
const PACKET_PROCESS_TREE: u32 = 2;
const PACKET_TIMESTAMP: u32 = 8;
const PACKET_TRUSTED_PACKET_SEQUENCE_ID: u32 = 10;
const PACKET_SYSTEM_INFO: u32 = 45;
const BUNDLE_CPU: u32 = 1;
const BUNDLE_EVENT: u32 = 2;
const EVENT_TIMESTAMP: u32 = 1;
const EVENT_PID: u32 = 2;
const EVENT_SCHED_SWITCH: u32 = 4;
const EVENT_COMMON_FLAGS: u32 = 5;
const EVENT_CPU_FREQUENCY: u32 = 11;
const EVENT_CPU_IDLE: u32 = 13;
const EVENT_SCHED_WAKEUP: u32 = 17;
const EVENT_SCHED_WAKING: u32 = 20;
const EVENT_SCHED_WAKEUP_NEW: u32 = 114;
const EVENT_SCHED_PROCESS_EXIT: u32 = 238;
const EVENT_SCHED_PROCESS_FORK: u32 = 239;
const EVENT_SCHED_MIGRATE_TASK: u32 = 491;

/// `TRACE_FLAG_HARDIRQ` of the kernel's common flags.
const FLAG_HARDIRQ: u64 = 0x08;

/// This writer is the only one of its trace.
const SEQUENCE: u64 = 1;

impl Perfetto {
    /// A writer before the first event.
    pub fn new(names: Names) -> Perfetto {
        Perfetto {
            tracepoints: Tracepoints::new(&names),
            bundles: vec![Bundle::default(); usize::from(names.cpus)],
            names,
            started: false,
        }
    }

    /// What stands before all events: the kernel, by whose version readers know the numbers of task states, and who
    /// is who.
    fn start(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        let mut utsname = Message::default();
        utsname.text(1, "Linux").text(3, &self.names.kernel_release);
        let mut system = Message::default();
        system.message(1, &utsname).uint(8, u64::from(self.names.cpus));
        put_packet(out, PACKET_SYSTEM_INFO, &system);
        put_packet(out, PACKET_PROCESS_TREE, &process_tree(&self.names));
    }
}

impl Writer for Perfetto {
    fn follow(&mut self, events: &[Event], out: &mut Vec<u8>) {
        self.start(out);
        let (names, bundles) = (&self.names, &mut self.bundles);
        self.tracepoints.follow(events, &mut |point| put(names, bundles, &point, out));
    }

    fn finish(&mut self, _end: Nanos, out: &mut Vec<u8>) {
        self.start(out);
        let (names, bundles) = (&self.names, &mut self.bundles);
        self.tracepoints.finish(&mut |point| put(names, bundles, &point, out));
        for (cpu, bundle) in bundles.iter_mut().enumerate() {
            bundle.flush(cpu, out);
        }
    }
}

impl Bundle {
    fn flush(&mut self, cpu: usize, out: &mut Vec<u8>) {
        let Bundle { events, count } = std::mem::take(self);
        if 0 < count {
            let mut bundle = Message::default();
            bundle.uint(BUNDLE_CPU, cpu as u64).append(&events);
            put_packet(out, PACKET_FTRACE_EVENTS, &bundle);
        }
    }
}

fn put(names: &Names, bundles: &mut [Bundle], point: &Tracepoint, out: &mut Vec<u8>) {
    let cpu = point.cpu.index();
    let bundle = &mut bundles[cpu];
    bundle.events.message(BUNDLE_EVENT, &event(names, point));
    bundle.count += 1;
    if EVENTS_A_PACKET <= bundle.count {
        bundle.flush(cpu, out);
    }
}

/// A `FtraceEvent`.
fn event(names: &Names, point: &Tracepoint) -> Message {
    let mut event = Message::default();
    event.uint(EVENT_TIMESTAMP, (CLOCK_START + point.at).0);
    event.uint(EVENT_PID, u64::from(pid(point.current)));
    let (field, fields) = fields(names, point);
    event.message(field, &fields);
    if point.in_irq {
        event.uint(EVENT_COMMON_FLAGS, FLAG_HARDIRQ);
    }
    event
}

/// The field of a `FtraceEvent` that says what happened, and its message.
fn fields(names: &Names, point: &Tracepoint) -> (u32, Message) {
    let mut fields = Message::default();
    let field = match point.what {
        What::Fork { parent, child } => {
            let (parent, child) = (names.of(parent, point.cpu), names.of(child, point.cpu));
            fields.text(1, &parent.comm).uint(2, u64::from(parent.pid));
            fields.text(3, &child.comm).uint(4, u64::from(child.pid));
            EVENT_SCHED_PROCESS_FORK
        }
        What::Exit { task } => {
            let Named { comm, pid: own, prio } = names.of(task, point.cpu);
            let leader = names.tasks[task.index()].leader;
            fields.text(1, &comm).uint(2, u64::from(own)).uint(3, u64::from(pid(leader)));
            fields.uint(4, u64::from(prio));
            EVENT_SCHED_PROCESS_EXIT
        }
        What::WakeupNew { task, target } => {
            wake_fields(&mut fields, &names.of(task, target), target);
            EVENT_SCHED_WAKEUP_NEW
        }
        What::Waking { task, target } => {
            wake_fields(&mut fields, &names.of(task, target), target);
            EVENT_SCHED_WAKING
        }
        What::Wakeup { task, target } => {
            wake_fields(&mut fields, &names.of(task, target), target);
            EVENT_SCHED_WAKEUP
        }
        What::Migrate { task, from, to } => {
            let task = names.of(task, to);
            fields.text(1, &task.comm).uint(2, u64::from(task.pid)).uint(3, u64::from(task.prio));
            fields.uint(4, u64::from(from.0)).uint(5, u64::from(to.0));
            EVENT_SCHED_MIGRATE_TASK
        }
        What::Switch { prev, state, next } => {
            let (prev, next) = (names.of(prev, point.cpu), names.of(next, point.cpu));
            fields.text(1, &prev.comm).uint(2, u64::from(prev.pid)).uint(3, u64::from(prev.prio));
            fields.uint(4, state_number(state));
            fields.text(5, &next.comm).uint(6, u64::from(next.pid)).uint(7, u64::from(next.prio));
            EVENT_SCHED_SWITCH
        }
        What::Frequency { khz } => {
            fields.uint(1, u64::from(khz)).uint(2, u64::from(point.cpu.0));
            EVENT_CPU_FREQUENCY
        }
        What::Idle { state } => {
            fields.uint(1, u64::from(state)).uint(2, u64::from(point.cpu.0));
            EVENT_CPU_IDLE
        }
    };
    (field, fields)
}

/// What the three kinds of wake-up share; `success` has been 1 ever since only successes are traced.
fn wake_fields(fields: &mut Message, task: &Named<'_>, target: CpuId) {
    fields.text(1, &task.comm).uint(2, u64::from(task.pid)).uint(3, u64::from(task.prio)).uint(4, 1);
    fields.uint(5, u64::from(target.0));
}

/// The states of a task as kernels number them in `sched_switch` since v4.14.
const fn state_number(state: SwitchState) -> u64 {
    match state {
        SwitchState::Runnable => 0,
        SwitchState::Preempted => 0x100,
        SwitchState::Sleeping => 0x01,
        SwitchState::Dead => 0x10,
    }
}

/// A `ProcessTree`: the processes with their threads.
fn process_tree(names: &Names) -> Message {
    let mut tree = Message::default();
    let tasks = || (0..).map(TaskId).zip(&names.tasks);
    for (task, name) in tasks().filter(|(task, name)| name.leader == *task) {
        let mut process = Message::default();
        process.uint(1, u64::from(pid(task))).text(3, &name.command);
        tree.message(1, &process);
    }
    for (task, name) in tasks() {
        let mut thread = Message::default();
        thread.uint(1, u64::from(pid(task))).text(2, comm(&name.comm)).uint(3, u64::from(pid(name.leader)));
        tree.message(2, &thread);
    }
    tree
}

fn put_packet(out: &mut Vec<u8>, field: u32, content: &Message) {
    let mut packet = Message::default();
    packet.uint(PACKET_TIMESTAMP, CLOCK_START.0);
    packet.uint(PACKET_TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE);
    packet.message(field, content);
    let mut trace = Message::default();
    trace.message(TRACE_PACKET, &packet);
    out.extend_from_slice(trace.bytes());
}
