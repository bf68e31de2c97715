use sim::{CpuId, TaskId};

use crate::Event;

/// What readers of an exported trace call the machine and its tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The release of the kernel as `uname` would print it: `5.10.0`.
    pub kernel_release: String,
    /// How many CPUs there are.
    pub cpus: u16,
    /// Every task, by its id.
    pub tasks: Vec<TaskName>,
}

/// What readers of an exported trace call a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskName {
    /// Its name (`comm`), of which the kernel keeps 15 bytes.
    pub comm: String,
    /// Its priority as the kernel counts them: 0 to 98 for real-time tasks, 120 + nice for fair ones.
    pub prio: u8,
    /// The task that leads its process (thread group); itself where it is a process of its own.
    pub leader: TaskId,
    /// The command line of its process.
    pub command: String,
}

/// Readers know the idle task by this pid.
const IDLE_PID: u32 = 0;

/// The pid of task 0. Small pids are those of kernel threads and services on every machine.
const FIRST_PID: u32 = 1000;

/// The idle task's priority in traces.
const IDLE_PRIO: u8 = 120;

/// How many bytes of a name the kernel keeps: 16 with the terminating zero.
const COMM_BYTES: usize = 15;

/// A task as a trace names it, or the idle task of a CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named<'a> {
    pub(crate) comm: std::borrow::Cow<'a, str>,
    pub(crate) pid: u32,
    pub(crate) prio: u8,
}

impl Names {
    /// The name, pid and priority of a task, or of the idle task of `cpu`.
    pub(crate) fn of(&self, task: TaskId, cpu: CpuId) -> Named<'_> {
        if task == Event::NO_TASK {
            return Named { comm: format!("swapper/{}", cpu.0).into(), pid: IDLE_PID, prio: IDLE_PRIO };
        }
        let name = &self.tasks[task.index()];
        Named { comm: comm(&name.comm).into(), pid: pid(task), prio: name.prio }
    }
}

/// The pid of a task, the same in every export of every run.
pub(crate) fn pid(task: TaskId) -> u32 {
    if task == Event::NO_TASK { IDLE_PID } else { FIRST_PID + task.0 }
}

/// What the kernel keeps of a name.
pub(crate) fn comm(name: &str) -> &str {
    let mut end = name.len().min(COMM_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_where_the_kernel_cuts_them_but_never_inside_a_character() {
        assert_eq!(comm("schbench"), "schbench");
        assert_eq!(comm("a-name-of-sixteen"), "a-name-of-sixte");
        assert_eq!(comm("fourteen-bytesé"), "fourteen-bytes");
    }
}
