//! Which tasks a pull takes in v5.10.

use kernel::{Era, Kernel, SilentAudit};
use rules::balance::{Detach, DetachCandidate, DetachScan, Failures};
use serde::Deserialize;

use crate::balance::{idle_type, migration_type};
use crate::table::{AMOUNT, Agreed, Problem, Tally, json_lines, same, within};

/// A source's task list, from the head, and what is taken from it.
#[derive(Debug, Deserialize)]
struct DetachRow {
    mig: String,
    imbalance: i64,
    idle: u8,
    nr_balance_failed: u32,
    h_load: Vec<u64>,
    util: Vec<u64>,
    /// 0 stands for affinity, a hot cache or a task on its CPU.
    can_migrate: Vec<u8>,
    misfit: Vec<u8>,
    detached: Vec<usize>,
    imbalance_left: i64,
}

pub(crate) fn detach_tasks(content: &str) -> Tally {
    let kernel = Kernel::released(Era::V5_10, 8, 250);
    json_lines(content, |row: &DetachRow| check(&kernel, row))
}

fn check(kernel: &Kernel, row: &DetachRow) -> Result<Agreed, Problem> {
    let count = row.h_load.len();
    same(&[count; 3], &[row.util.len(), row.can_migrate.len(), row.misfit.len()])?;
    let limit = *AMOUNT.end() as i64;
    let mut scan = DetachScan::start(
        kernel,
        migration_type(&row.mig)?,
        within("imbalance", row.imbalance, -limit..=limit)?,
        idle_type(row.idle)?,
        Failures { count: row.nr_balance_failed, tolerated: 1 },
        count as u32,
    );
    let mut detached = Vec::new();
    // From the tail; a task that is passed over goes to the head, where the walk does not come again.
    for index in (0..count).rev() {
        if !scan.wants_another((count - detached.len()) as u32) {
            break;
        }
        let task = DetachCandidate {
            h_load: within("h_load", row.h_load[index], AMOUNT)?,
            util_est: within("util", row.util[index], AMOUNT)?,
            fits: row.misfit[index] == 0,
        };
        if row.can_migrate[index] != 0 && scan.offer(kernel, &mut SilentAudit, task) == Detach::Take {
            detached.push(index);
        }
    }
    same(&(&row.detached, row.imbalance_left), &(&detached, scan.imbalance_left()))
}
