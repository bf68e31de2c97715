//! Load balancing of v5.10: classification and the size of an imbalance.

use kernel::{Era, Kernel, Patch, SilentAudit};
use rules::balance::{
    self, CpuIdleType, DomainView, GroupStats, GroupType, MigrationType, SdLbStats, classify,
    group_has_capacity, group_is_overloaded,
};

use crate::table::{AMOUNT, COUNT, Problem, Row, Tally, csv, same, same_pair};

/// Percentages that are read.
const PCT: std::ops::RangeInclusive<u32> = 100..=1000;

/// v5.10 as it is without the patch and with it.
pub(crate) fn base_and_patched() -> [Kernel; 2] {
    let base = Kernel::released(Era::V5_10, 8, 250);
    let mut patched = base.clone();
    let set = patched.patches.set(Era::V5_10, Patch::LlcSpread, "on");
    debug_assert_eq!(set, Ok(()), "v5.10 is the patch's own era");
    [base, patched]
}

/// The kernel's numbering up to v6.5.
pub(crate) fn idle_type(number: u8) -> Result<CpuIdleType, Problem> {
    match number {
        0 => Ok(CpuIdleType::Idle),
        1 => Ok(CpuIdleType::NotIdle),
        2 => Ok(CpuIdleType::NewlyIdle),
        _ => Err(Problem { expected: "idle from 0 to 2".to_owned(), got: number.to_string() }),
    }
}

pub(crate) fn group_type(name: &str) -> Result<GroupType, Problem> {
    Ok(match name {
        "has_spare" => GroupType::HasSpare,
        "fully_busy" => GroupType::FullyBusy,
        "misfit_task" => GroupType::MisfitTask,
        "asym_packing" => GroupType::AsymPacking,
        "imbalanced" => GroupType::Imbalanced,
        "overloaded" => GroupType::Overloaded,
        _ => return Err(Problem { expected: "a group type".to_owned(), got: name.to_owned() }),
    })
}

pub(crate) fn migration_type(name: &str) -> Result<MigrationType, Problem> {
    Ok(match name {
        "load" => MigrationType::Load,
        "util" => MigrationType::Util,
        "task" => MigrationType::Task,
        "misfit" => MigrationType::Misfit,
        _ => return Err(Problem { expected: "a migration type".to_owned(), got: name.to_owned() }),
    })
}

pub(crate) fn group_classify(content: &str) -> Tally {
    csv(content, |row| {
        let pct = row.within("imbalance_pct", PCT)?;
        let group = GroupStats {
            nr_running: row.number("sum_nr_running")?,
            capacity: row.within("group_capacity", AMOUNT)?,
            util: row.within("group_util", AMOUNT)?,
            runnable: row.within("group_runnable", AMOUNT)?,
            misfit_load: row.within("group_misfit_task_load", AMOUNT)?,
            imbalanced: row.number::<u32>("sgc_imbalance")? != 0,
            ..GroupStats::start(row.within("group_weight", COUNT)?)
        };
        let expected =
            (row.flag("has_capacity")?, row.flag("is_overloaded")?, group_type(row.text("group_type")?)?);
        same(
            &expected,
            &(group_has_capacity(pct, &group), group_is_overloaded(pct, &group), classify(pct, &group)),
        )
    })
}

pub(crate) fn calculate_imbalance(content: &str) -> Tally {
    let kernels = base_and_patched();
    csv(content, |row| {
        let domain = DomainView {
            shares_llc: row.flag("share_llc")?,
            numa: row.flag("numa")?,
            child_prefers_sibling: row.flag("prefer_sibling")?,
            imbalance_pct: 117,
            ..DomainView::default()
        };
        let idle = idle_type(row.number("idle")?)?;
        let (local, busiest) = groups(row)?;
        let sds = SdLbStats {
            local: &local,
            busiest: &busiest,
            total_load: row.within("total_load", AMOUNT)?,
            total_capacity: row.within("total_cap", AMOUNT)?,
            avg_load: row.within("sds_avg_load_in", AMOUNT)?,
        };
        let got = kernels.each_ref().map(|kernel| {
            let amount = balance::calculate_imbalance(kernel, &mut SilentAudit, &domain, idle, &sds);
            (amount.migration, amount.imbalance)
        });
        let expected = [
            (migration_type(row.text("base_mig")?)?, row.number("base_imbalance")?),
            (migration_type(row.text("llc_spread_mig")?)?, row.number("llc_spread_imbalance")?),
        ];
        same_pair(&expected, &got)
    })
}

/// The local group and the busiest one.
fn groups(row: &Row<'_>) -> Result<(GroupStats, GroupStats), Problem> {
    let local = GroupStats {
        group_type: group_type(row.text("l_type")?)?,
        load: row.within("l_load", AMOUNT)?,
        capacity: row.within("l_cap", AMOUNT)?,
        util: row.within("l_util", AMOUNT)?,
        nr_running: row.within("l_nr", COUNT)?,
        idle_cpus: row.within("l_idle", COUNT)?,
        avg_load: row.within("l_avg_load_in", AMOUNT)?,
        ..GroupStats::start(0)
    };
    let busiest = GroupStats {
        group_type: group_type(row.text("b_type")?)?,
        avg_load: row.within("b_avg_load", AMOUNT)?,
        capacity: row.within("b_cap", AMOUNT)?,
        nr_running: row.within("b_nr", COUNT)?,
        h_nr_running: row.within("b_h_nr", COUNT)?,
        idle_cpus: row.within("b_idle", COUNT)?,
        ..GroupStats::start(row.within("b_weight", COUNT)?)
    };
    Ok((local, busiest))
}
