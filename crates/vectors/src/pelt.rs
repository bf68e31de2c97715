//! Per-entity load tracking.

use rules::Pelt;
use rules::pelt;

use crate::table::{Agreed, COUNT, Problem, Row, Tally, csv, same};

pub(crate) fn decay_load(content: &str) -> Tally {
    csv(content, |row| same(&row.number("result")?, &pelt::decay_load(row.number("val")?, row.number("n")?)))
}

pub(crate) fn segments(content: &str) -> Tally {
    csv(content, |row| {
        let periods = row.within("periods", 1..=u64::MAX)?;
        let got = pelt::accumulate_segments(
            periods,
            row.within("d1", 1..=pelt::PERIOD)?,
            row.within("d3", 0..=pelt::PERIOD - 1)?,
        );
        same(&row.number("contrib")?, &got)
    })
}

/// Each sequence starts with a given state and then goes on from our own, so that an error would show ever after.
pub(crate) fn sequences(content: &str) -> Tally {
    let mut current: Option<(u64, Pelt)> = None;
    csv(content, |row| {
        let (sequence, step): (u64, u64) = (row.number("seq")?, row.number("step")?);
        let expected = state(row)?;
        if step == 0 {
            current = Some((sequence, expected));
            return Ok(Agreed::Same);
        }
        let Some((_, pelt)) = current.as_mut().filter(|(started, _)| *started == sequence) else {
            return Err(Problem {
                expected: format!("a start of sequence {sequence}"),
                got: format!("step {step}"),
            });
        };
        let updated = update(row, pelt)?;
        same(&(row.flag("updated")?, expected), &(updated, *pelt))
    })
}

/// The limits keep a start state that no kernel can have from overflowing.
fn state(row: &Row<'_>) -> Result<Pelt, Problem> {
    const SUM: std::ops::RangeInclusive<u64> = 0..=1 << 40;
    Ok(Pelt {
        last_update_time: row.number("last_update_time")?,
        load_sum: row.within("load_sum", SUM)?,
        runnable_sum: row.within("runnable_sum", SUM)?,
        util_sum: row.within("util_sum", SUM)?,
        period_contrib: row.within("period_contrib", 0..=pelt::PERIOD - 1)?,
        load_avg: row.number("load_avg")?,
        runnable_avg: row.number("runnable_avg")?,
        util_avg: row.number("util_avg")?,
    })
}

fn update(row: &Row<'_>, pelt: &mut Pelt) -> Result<bool, Problem> {
    let now_ns = row.number("now_ns")?;
    let load: u64 = row.within("load_arg", 0..=1 << 20)?;
    let runnable = row.within("runnable_arg", COUNT)?;
    let running = row.flag("running_arg")?;
    let weight: u64 = row.within("weight_for_avg", 0..=1 << 20)?;
    match row.text("kind")? {
        "se" => {
            let on_rq = row.flag("load_arg")?;
            // A group's entity counts the tasks below it, which a task's cannot.
            let is_task = runnable == u32::from(on_rq);
            Ok(if is_task && !on_rq && !running {
                pelt.update_blocked_entity(now_ns, weight)
            } else if is_task {
                pelt.update_entity(now_ns, weight, on_rq, running)
            } else {
                let crossed = pelt.accumulate(now_ns, load, u64::from(runnable), running);
                if crossed {
                    pelt.average(weight);
                }
                crossed
            })
        }
        "cfs_rq" => {
            same(&weight, &1)?;
            Ok(pelt.update_queue(now_ns, load, runnable, running))
        }
        kind => Err(Problem { expected: "se or cfs_rq".to_owned(), got: kind.to_owned() }),
    }
}

/// Three entities that are updated every millisecond: always running, never again, and 4 of 8 ms.
pub(crate) fn ramp(content: &str) -> Tally {
    const MS: u64 = 1_000_000;
    let mut rise = Pelt::default();
    let mut decay = Pelt { util_avg: 1024, ..Pelt::default() };
    decay.util_sum = decay.util_avg * decay.divider();
    let mut duty = Pelt::default();
    let mut next_ms = 0;
    csv(content, |row| {
        let ms = row.number("t_ms")?;
        same(&next_ms, &ms)?;
        next_ms += 1;
        if ms != 0 {
            rise.update_entity(ms * MS, 1024, true, true);
            decay.update_blocked_entity(ms * MS, 1024);
            let on = (ms - 1) % 8 < 4;
            duty.update_entity(ms * MS, 1024, on, on);
        }
        let expected = (
            row.number("util_avg_rise_from_0")?,
            row.number("util_avg_decay_from_1024_1ms_updates")?,
            row.number("util_avg_duty50_8ms_period_4ms_on")?,
        );
        same(&expected, &(rise.util_avg, decay.util_avg, duty.util_avg))
    })
}
