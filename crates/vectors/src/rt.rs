//! Placement by the real-time class.

use kernel::{Era, Kernel, Patch, SilentAudit};
use rules::rt::{MAX_RT_PRIO, RtCurrent, RtTask, RtView, cpupri_find, find_lowest_rq, select_task_rq_rt};
use sim::CpuId;

use crate::table::{Agreed, Problem, Row, Tally, csv, same, same_pair};

const STATES: &str = "cpu_state(;) I=idle C=cfs Rnn=rt prio";

/// A machine in the state of one row.
struct Machine {
    current: Vec<RtCurrent>,
    highest: Vec<u8>,
    affinity: u16,
    /// How many CPUs each level of domains spans, lowest first; numbers are consecutive.
    levels: &'static [u16],
}

pub(crate) fn find_lowest(content: &str) -> Tally {
    let base = Kernel::released(Era::V5_10, 8, 250);
    let mut patched = base.clone();
    let set = patched.patches.set(Era::V5_10, Patch::RtIdleFirst, "v2");
    debug_assert!(set.is_ok(), "v5.10 has a port of the patch");
    csv(content, |row| check(row, &[base.clone(), patched.clone()]))
}

fn check(row: &Row<'_>, kernels: &[Kernel; 2]) -> Result<Agreed, Problem> {
    let machine = Machine::read(row)?;
    let last = machine.current.len() as u16 - 1;
    let task = RtTask {
        prio: row.within("task_prio", 0..=MAX_RT_PRIO - 1)?,
        pinned: machine.affinity.is_power_of_two(),
        cpu: CpuId(row.within("task_cpu", 0..=last)?),
        may_stay: true,
        this_cpu: CpuId(row.within("this_cpu", 0..=last)?),
    };
    let lowest = cpupri_find(&machine, task.prio).unwrap_or_default();
    let bits = lowest.iter().fold(0, |bits, cpu| bits | 1 << cpu.0);
    same(&hex(row, "lowest_mask_hex")?, &bits)?;
    let found = kernels.each_ref().map(|kernel| {
        let cpu = find_lowest_rq(kernel, &mut SilentAudit, &machine, &task);
        cpu.map_or(-1, |cpu| i32::from(cpu.0))
    });
    let expected = [row.number("base_find_lowest")?, row.number("rt_idle_first_find_lowest")?];
    same(&expected, &found)?;
    let placed = kernels.each_ref().map(|kernel| {
        // The class is not asked of a pinned task: core.c select_task_rq() knows.
        if task.pinned { task.cpu.0 } else { select_task_rq_rt(kernel, &mut SilentAudit, &machine, &task).0 }
    });
    let expected = [row.number("base_select_task_rq")?, row.number("rt_idle_first_select_task_rq")?];
    same_pair(&expected, &placed)
}

impl Machine {
    fn read(row: &Row<'_>) -> Result<Machine, Problem> {
        let (count, levels): (usize, &[u16]) = match row.text("topo")? {
            "hikey_2x4" => (8, &[4, 8]),
            "llc_1x8" => (8, &[8]),
            "x86_smt_2s_4c_2t" => (16, &[2, 8, 16]),
            other => return Err(Problem { expected: "a known machine".to_owned(), got: other.to_owned() }),
        };
        let states = row.text(STATES)?.split(';');
        let current = states.map(running).collect::<Result<Vec<RtCurrent>, Problem>>()?;
        let highest = row.numbers("queued_highest_rt_prio(;)")?;
        same(&(count, count), &(current.len(), highest.len()))?;
        Ok(Machine { current, highest, affinity: hex(row, "affinity_mask_hex")?, levels })
    }
}

fn running(state: &str) -> Result<RtCurrent, Problem> {
    let fair = RtCurrent { prio: 120, pinned: false };
    match state {
        "I" => Ok(RtCurrent::IDLE),
        "C" => Ok(fair),
        _ => {
            let number = state.strip_prefix('R').unwrap_or(state);
            let prio = number.strip_suffix('p').unwrap_or(number).parse();
            let prio = prio.map_err(|_| Problem { expected: "I, C or R".to_owned(), got: state.to_owned() });
            Ok(RtCurrent { prio: prio?, pinned: number.ends_with('p') })
        }
    }
}

fn hex(row: &Row<'_>, name: &str) -> Result<u16, Problem> {
    let text = row.text(name)?;
    u16::from_str_radix(text, 16)
        .map_err(|_| Problem { expected: "16 bits in hex".to_owned(), got: text.to_owned() })
}

impl RtView for Machine {
    fn allowed(&self) -> impl Iterator<Item = CpuId> {
        (0..self.current.len() as u16).filter(|cpu| self.affinity >> cpu & 1 == 1).map(CpuId)
    }

    fn highest_prio(&self, cpu: CpuId) -> u8 {
        self.highest[cpu.index()]
    }

    fn current(&self, cpu: CpuId) -> RtCurrent {
        self.current[cpu.index()]
    }

    fn is_idle(&self, cpu: CpuId) -> bool {
        self.current[cpu.index()] == RtCurrent::IDLE
    }

    fn domain_count(&self, _cpu: CpuId) -> usize {
        self.levels.len()
    }

    fn is_wake_affine(&self, _of: CpuId, _level: usize) -> bool {
        true
    }

    fn spans(&self, of: CpuId, level: usize, cpu: CpuId) -> bool {
        of.0 / self.levels[level] == cpu.0 / self.levels[level]
    }

    fn fits(&self, _cpu: CpuId) -> bool {
        true
    }
}
