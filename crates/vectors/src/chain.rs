//! The whole balance decision of v5.10, from the state of each CPU to the source of a pull.

use kernel::{Kernel, SilentAudit};
use rules::balance::{
    CpuState, DomainView, GroupFlags, GroupStats, GroupType, MigrationType, SourceCriteria,
    find_busiest_group, find_busiest_queue, pick_busiest,
};
use serde::Deserialize;

use crate::balance::{base_and_patched, group_type, idle_type, migration_type};
use crate::table::{AMOUNT, COUNT, Problem, Tally, json_lines, same, same_pair, within};

/// A domain and the decisions about it.
#[derive(Debug, Deserialize)]
struct ChainRow {
    ncpu: usize,
    group_size: usize,
    dst_cpu: usize,
    idle: u8,
    share_llc: u8,
    share_cpucap: u8,
    asym_cpucap: u8,
    numa: u8,
    imbalance_pct: u32,
    prefer_sibling: u8,
    nr_running: Vec<u32>,
    h_nr_running: Vec<u32>,
    load: Vec<u64>,
    util: Vec<u64>,
    runnable: Vec<u64>,
    capacity: Vec<u64>,
    capacity_orig: Vec<u64>,
    misfit_load: Vec<u64>,
    group_imbalance: Vec<u32>,
    local_type: String,
    busiest_candidate: i64,
    busiest_type: Option<String>,
    base: Answer,
    llc_spread: Answer,
}

/// What to pull, how much, and from where.
#[derive(Debug, Deserialize)]
struct Answer {
    group: i64,
    mig: Option<String>,
    imbalance: i64,
    src_cpu: i64,
}

/// The same, comparable.
#[derive(Debug, PartialEq, Eq)]
struct Decision {
    /// -1 where the domain counts as balanced.
    group: i64,
    migration: Option<MigrationType>,
    imbalance: i64,
    /// -1 where no CPU qualifies.
    src_cpu: i64,
}

pub(crate) fn chain(content: &str) -> Tally {
    let kernels = base_and_patched();
    json_lines(content, |row: &ChainRow| {
        let machine = Machine::of(row)?;
        same(&group_type(&row.local_type)?, &machine.ring[0].group_type)?;
        let candidate = pick_busiest(&machine.domain, &machine.ring);
        same(&row.busiest_candidate, &candidate.map_or(-1, |position| machine.group_at(position)))?;
        let expected_type: Option<GroupType> = row.busiest_type.as_deref().map(group_type).transpose()?;
        same(&expected_type, &candidate.map(|position| machine.ring[position].group_type))?;

        let expected = [row.base.decision()?, row.llc_spread.decision()?];
        let got = [machine.decide(row, &kernels[0])?, machine.decide(row, &kernels[1])?];
        same_pair(&expected, &got)
    })
}

/// A domain in the form in which `rules` wants it.
struct Machine {
    domain: DomainView,
    cpus: Vec<CpuState>,
    group_size: usize,
    /// The group of the CPU that balances.
    local: usize,
    /// Statistics of the groups, from the local one on.
    ring: Vec<GroupStats>,
}

impl Machine {
    fn of(row: &ChainRow) -> Result<Machine, Problem> {
        let cpus = cpus(row)?;
        let group_size = within("group_size", row.group_size, 1..=cpus.len())?;
        let dst_cpu = within("dst_cpu", row.dst_cpu, 0..=cpus.len() - 1)?;
        let domain = DomainView {
            shares_llc: row.share_llc != 0,
            shares_capacity: row.share_cpucap != 0,
            asym_capacity: row.asym_cpucap != 0,
            numa: row.numa != 0,
            child_prefers_sibling: row.prefer_sibling != 0,
            imbalance_pct: within("imbalance_pct", row.imbalance_pct, 100..=1000)?,
        };
        let groups = cpus.len().div_ceil(group_size);
        same(&groups, &row.group_imbalance.len())?;
        let mut machine = Machine { domain, cpus, group_size, local: dst_cpu / group_size, ring: Vec::new() };
        machine.ring = (0..groups)
            .map(|position| {
                let group = machine.group_at(position) as usize;
                let imbalanced = row.group_imbalance[group] != 0;
                let members = machine.members(group);
                let mut stats = GroupStats::start(members.len() as u32);
                for cpu in members {
                    stats.add(cpu);
                }
                stats.finish(&domain, GroupFlags { local: position == 0, imbalanced });
                stats
            })
            .collect();
        Ok(machine)
    }

    /// The number of the group at a position in the ring.
    fn group_at(&self, position: usize) -> i64 {
        ((self.local + position) % self.cpus.len().div_ceil(self.group_size)) as i64
    }

    fn members(&self, group: usize) -> &[CpuState] {
        let start = group * self.group_size;
        &self.cpus[start..self.cpus.len().min(start + self.group_size)]
    }

    fn decide(&self, row: &ChainRow, kernel: &Kernel) -> Result<Decision, Problem> {
        let idle = idle_type(row.idle)?;
        let found = find_busiest_group(kernel, &mut SilentAudit, &self.domain, &self.ring, idle);
        let Some(imbalance) = found else {
            return Ok(Decision { group: -1, migration: None, imbalance: 0, src_cpu: -1 });
        };
        let group = self.group_at(imbalance.group);
        let criteria = SourceCriteria {
            migration: imbalance.migration,
            imbalance: imbalance.imbalance,
            dst_capacity: self.cpus[row.dst_cpu].capacity,
            util_needs_waiting: kernel.tunables.util_needs_waiting,
        };
        let first = group as usize * self.group_size;
        let members =
            self.members(group as usize).iter().enumerate().map(|(offset, cpu)| (first + offset, cpu));
        let source = find_busiest_queue(&self.domain, &criteria, members);
        Ok(Decision {
            group,
            migration: Some(imbalance.migration),
            imbalance: imbalance.imbalance,
            src_cpu: source.map_or(-1, |cpu| cpu as i64),
        })
    }
}

impl Answer {
    fn decision(&self) -> Result<Decision, Problem> {
        Ok(Decision {
            group: self.group,
            migration: self.mig.as_deref().map(migration_type).transpose()?,
            imbalance: self.imbalance,
            src_cpu: self.src_cpu,
        })
    }
}

/// The state of each CPU, if there is a value for each.
fn cpus(row: &ChainRow) -> Result<Vec<CpuState>, Problem> {
    let count = within("ncpu", row.ncpu, 1..=1024)?;
    let lengths = [
        row.nr_running.len(),
        row.h_nr_running.len(),
        row.load.len(),
        row.util.len(),
        row.runnable.len(),
        row.capacity.len(),
        row.capacity_orig.len(),
        row.misfit_load.len(),
    ];
    same(&[count; 8], &lengths)?;
    (0..count).map(|cpu| cpu_state(row, cpu)).collect()
}

fn cpu_state(row: &ChainRow, cpu: usize) -> Result<CpuState, Problem> {
    let nr_running = within("nr_running", row.nr_running[cpu], COUNT)?;
    Ok(CpuState {
        nr_running,
        h_nr_running: within("h_nr_running", row.h_nr_running[cpu], COUNT)?,
        load: within("load", row.load[cpu], AMOUNT)?,
        util: within("util", row.util[cpu], AMOUNT)?,
        runnable: within("runnable", row.runnable[cpu], AMOUNT)?,
        capacity: within("capacity", row.capacity[cpu], AMOUNT)?,
        capacity_orig: within("capacity_orig", row.capacity_orig[cpu], AMOUNT)?,
        misfit_load: within("misfit_load", row.misfit_load[cpu], AMOUNT)?,
        idle: nr_running == 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Agreed;

    #[test]
    fn agreement_of_both_answers_is_demanded() {
        let same_twice = || Decision { group: 1, migration: None, imbalance: 0, src_cpu: -1 };
        let other = || Decision { group: 2, ..same_twice() };
        assert_eq!(
            same_pair(&[same_twice(), other()], &[same_twice(), other()]),
            Ok(Agreed::BaseAndPatchedDiffer)
        );
        assert!(same_pair(&[same_twice(), same_twice()], &[same_twice(), other()]).is_err());
    }
}
