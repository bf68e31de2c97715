//! The two rules of wake_affine, which are the same in v5.10 and v6.1.

use rules::wake_affine::{AffineTarget, IdleFacts, WeightFacts, wake_affine_idle, wake_affine_weight};

use crate::table::{AMOUNT, COUNT, Problem, Tally, csv, same};

pub(crate) fn wake_affine(content: &str) -> Tally {
    csv(content, |row| {
        let sync = row.flag("sync")?;
        let idle = IdleFacts {
            share_cache: row.flag("share_cache")?,
            this_idle: row.flag("this_idle")?,
            prev_idle: row.flag("prev_idle")?,
            sync,
            this_nr_running: row.within("this_nr_running", COUNT)?,
        };
        let current_load = row.within("current_h_load", AMOUNT)?;
        let weight = WeightFacts {
            this_load: row.within("this_load", AMOUNT)?,
            prev_load: row.within("prev_load", AMOUNT)?,
            task_load: row.within("task_h_load", AMOUNT)?,
            sync_current_load: sync.then_some(current_load),
            this_capacity: row.within("cap_this", AMOUNT)?,
            prev_capacity: row.within("cap_prev", AMOUNT)?,
            imbalance_pct: row.within("imbalance_pct", 100..=1000)?,
        };
        let expected = (target(row.text("idle_result")?)?, target(row.text("weight_result")?)?);
        same(&expected, &(wake_affine_idle(&idle), wake_affine_weight(&weight, true)))
    })
}

fn target(name: &str) -> Result<Option<AffineTarget>, Problem> {
    match name {
        "this" => Ok(Some(AffineTarget::This)),
        "prev" => Ok(Some(AffineTarget::Prev)),
        "none" => Ok(None),
        _ => Err(Problem { expected: "this, prev or none".to_owned(), got: name.to_owned() }),
    }
}
