//! CFS of v5.10: slices, placement, preemption and picking.

use kernel::{Era, Tunables};
use rules::LoadWeight;
use rules::cfs::{self, Entity, PickInput, Placement, SliceLevel};

use crate::table::{COUNT, Problem, Row, Tally, WEIGHT, csv, same, within};

/// The tunables of a machine whose size gives the row's factor.
fn tunables(row: &Row<'_>) -> Result<Tunables, Problem> {
    let factor: u64 = row.within("ncpu_factor", 1..=4)?;
    let tunables = Tunables::for_era(Era::V5_10, 1 << (factor - 1), 250);
    same(&(6_000_000 * factor), &tunables.latency_ns)?;
    Ok(tunables)
}

pub(crate) fn slice(content: &str) -> Tally {
    csv(content, |row| {
        let tunables = Tunables {
            alt_period: row.flag("alt_period")?,
            base_slice: row.flag("base_slice")?,
            ..tunables(row)?
        };
        let se = LoadWeight::new(row.within("se_weight", WEIGHT)?);
        let se_on_rq = row.flag("se_on_rq")?;
        let root_h_nr_running = row.within("root_h_nr_running", COUNT)?;
        let root = SliceLevel {
            nr_running: row.within("root_nr_running", COUNT)?,
            load: LoadWeight::new(row.within("root_load_weight", WEIGHT)?),
            se_weight: se.weight,
            se_on_rq,
        };
        // The depth counts the groups between the entity and the root queue.
        let levels = match row.within("depth", 0..=1u8)? {
            0 => vec![root],
            _ => vec![
                SliceLevel {
                    nr_running: row.within("grp_nr_running", COUNT)?,
                    load: LoadWeight::new(row.within("grp_load_weight", WEIGHT)?),
                    ..root
                },
                SliceLevel { se_weight: row.within("grp_se_weight", WEIGHT)?, se_on_rq: true, ..root },
            ],
        };
        let got = (
            cfs::sched_slice(&tunables, root_h_nr_running, &levels),
            cfs::sched_vslice(&tunables, root_h_nr_running, &levels, &se),
        );
        same(&(row.number("slice_ns")?, row.number("vslice_ns")?), &got)
    })
}

pub(crate) fn place_entity(content: &str) -> Tally {
    csv(content, |row| {
        let tunables = tunables(row)?;
        let placement = if row.flag("initial")? { Placement::Initial } else { Placement::Wakeup };
        let se = LoadWeight::new(row.within("se_weight", WEIGHT)?);
        let nr_running = row.within("nr_running", COUNT)?;
        let level = SliceLevel {
            nr_running,
            load: LoadWeight::new(row.within("rq_load_weight", WEIGHT)?),
            se_weight: se.weight,
            se_on_rq: false,
        };
        let vslice = cfs::sched_vslice(&tunables, nr_running, &[level], &se);
        let got = cfs::place_entity(
            &tunables,
            placement,
            row.number("min_vruntime")?,
            row.number("se_vruntime_in")?,
            vslice,
        );
        same(&row.number("se_vruntime_out")?, &got)
    })
}

pub(crate) fn preempt_tick(content: &str) -> Tally {
    csv(content, |row| {
        let tunables = tunables(row)?;
        let nr_running = row.within("nr_running", COUNT)?;
        let level = SliceLevel {
            nr_running,
            load: LoadWeight::new(row.within("rq_load_weight", WEIGHT)?),
            se_weight: row.within("curr_weight", WEIGHT)?,
            se_on_rq: true,
        };
        let ideal_runtime = cfs::sched_slice(&tunables, nr_running, &[level]);
        let delta_exec = row.number("delta_exec")?;
        let lead = row.number("curr_minus_leftmost_vruntime")?;
        let got = cfs::check_preempt_tick(&tunables, ideal_runtime, delta_exec, lead);
        // The bound that skips ticks must know of every preemption that is due.
        let curr = LoadWeight::new(level.se_weight);
        let wait = cfs::next_tick_preempt_ns(&tunables, ideal_runtime, delta_exec, lead, &curr);
        same(&got, &(wait == 0))?;
        same(&row.flag("resched")?, &got)
    })
}

pub(crate) fn wakeup_preempt(content: &str) -> Tally {
    csv(content, |row| {
        let se = LoadWeight::new(row.within("se_weight", WEIGHT)?);
        let got = cfs::wakeup_preempt_entity(&tunables(row)?, row.number("curr_minus_se_vruntime")?, &se);
        same(&row.number("result")?, &got)
    })
}

pub(crate) fn pick_next(content: &str) -> Tally {
    csv(content, |row| {
        let vruntimes: Vec<u64> = row.numbers("vruntimes(;)")?;
        let weights: Vec<u64> = row.numbers("weights(;)")?;
        same(&vruntimes.len(), &weights.len())?;
        let entities: Vec<Entity> = vruntimes
            .into_iter()
            .zip(weights)
            .zip(0..)
            .map(|((vruntime, weight), id)| Entity { id, vruntime, load: LoadWeight::new(weight) })
            .collect();
        let one = |name| chosen(row, name, &entities);
        let curr = one("curr_idx")?;
        let mut tree: Vec<Entity> =
            entities.iter().filter(|entity| Some(**entity) != curr).copied().collect();
        // By distance from one of them, because vruntimes wrap; of equal ones the lower index comes first.
        let origin = entities.first().map_or(0, |entity| entity.vruntime);
        tree.sort_by_key(|entity| entity.vruntime.wrapping_sub(origin) as i64);
        let input = PickInput {
            leftmost: tree.first().copied(),
            second: tree.get(1).copied(),
            curr,
            next: one("next_idx")?,
            last: one("last_idx")?,
            skip: one("skip_idx")?.map(|entity| entity.id),
        };
        same(&row.number("picked_idx")?, &cfs::pick_next_entity(&tunables(row)?, &input))
    })
}

/// The entity that a column names, if it names one.
fn chosen(row: &Row<'_>, name: &str, entities: &[Entity]) -> Result<Option<Entity>, Problem> {
    let index = within(name, row.number(name)?, -1..=entities.len() as i64 - 1)?;
    Ok(usize::try_from(index).ok().and_then(|index| entities.get(index)).copied())
}
