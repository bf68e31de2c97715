//! The idle search of v6.1.

use kernel::{Era, Tunables};
use rules::select_idle::{CpuOccupancy, IdleView, WakeupFacts, idle_cpu, select_idle_sibling};
use sim::CpuId;

use crate::table::{COUNT, Problem, Row, Tally, csv, same};

/// The column with a letter for each CPU, named with its legend.
const STATES: &str =
    "cpu_state(string: i=idle r=running n=idle curr but nr_running>0 t=idle with ttwu_pending)";

/// A machine in the state of one row.
struct Machine {
    cpus: Vec<CpuOccupancy>,
    /// How many CPUs share a last-level cache, and how many a core; both have consecutive numbers.
    cache: u16,
    core: u16,
    affinity: u16,
    nr_idle_scan: u32,
}

pub(crate) fn select_idle(content: &str) -> Tally {
    let tunables = Tunables::for_era(Era::V6_1, 8, 250);
    csv(content, |row| {
        let machine = Machine::read(row)?;
        let cpu = |name| machine.cpu(row, name);
        let wakeup = WakeupFacts {
            target: cpu("target")?,
            prev: cpu("prev")?,
            recent_used: cpu("recent_used")?,
            has_idle_core: row.flag("has_idle_core_in")?,
        };
        let expected = (cpu("selected")?, cpu("recent_used_out")?, row.flag("has_idle_core_out")?);
        let got = select_idle_sibling(&tunables, &machine, wakeup);
        same(&expected, &(got.cpu, got.recent_used, got.has_idle_core))
    })
}

impl Machine {
    fn read(row: &Row<'_>) -> Result<Machine, Problem> {
        let (count, cache, core) = match row.text("topo")? {
            "llc8" => (8, 8, 1),
            "hikey_2llc_x4" => (8, 4, 1),
            "smt_2llc_x4core_x2" => (16, 8, 2),
            other => return Err(Problem { expected: "a known machine".to_owned(), got: other.to_owned() }),
        };
        let cpus = row.text(STATES)?.chars().map(occupancy).collect::<Result<Vec<_>, Problem>>()?;
        same(&count, &cpus.len())?;
        let affinity = row.text("affinity_hex")?;
        let affinity = u16::from_str_radix(affinity, 16)
            .map_err(|_| Problem { expected: "16 bits in hex".to_owned(), got: affinity.to_owned() })?;
        Ok(Machine { cpus, cache, core, affinity, nr_idle_scan: row.within("nr_idle_scan", COUNT)? })
    }

    /// The CPU in a column.
    fn cpu(&self, row: &Row<'_>, name: &str) -> Result<CpuId, Problem> {
        row.within(name, 0..=self.cpus.len() as u16 - 1).map(CpuId)
    }
}

fn occupancy(letter: char) -> Result<CpuOccupancy, Problem> {
    let idle = CpuOccupancy { runs_idle_task: true, nr_running: 0, ttwu_pending: false };
    match letter {
        'i' => Ok(idle),
        'r' => Ok(CpuOccupancy { runs_idle_task: false, nr_running: 1, ..idle }),
        'n' => Ok(CpuOccupancy { nr_running: 1, ..idle }),
        't' => Ok(CpuOccupancy { ttwu_pending: true, ..idle }),
        other => Err(Problem { expected: "i, r, n or t".to_owned(), got: other.to_string() }),
    }
}

/// The CPUs from `start` to the end of its block of `size`, then those before it.
fn block(start: CpuId, size: u16) -> impl Iterator<Item = CpuId> {
    let first = start.0 / size * size;
    (start.0..first + size).chain(first..start.0).map(CpuId)
}

impl IdleView for Machine {
    fn is_idle(&self, cpu: CpuId) -> bool {
        idle_cpu(self.cpus[cpu.index()])
    }

    fn allows(&self, cpu: CpuId) -> bool {
        self.affinity >> cpu.0 & 1 == 1
    }

    fn shares_cache(&self, one: CpuId, other: CpuId) -> bool {
        one.0 / self.cache == other.0 / self.cache
    }

    fn llc_wrapped(&self, start: CpuId) -> impl Iterator<Item = CpuId> {
        block(start, self.cache)
    }

    fn siblings(&self, cpu: CpuId) -> impl Iterator<Item = CpuId> {
        block(CpuId(cpu.0 / self.core * self.core), self.core)
    }

    fn scan_limit(&self) -> u32 {
        self.nr_idle_scan
    }
}
