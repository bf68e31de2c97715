//! The tables of nice levels and the multiplication by an inverse.

use rules::LoadWeight;
use rules::load_weight::{self, NICE_0_LOAD};

use crate::table::{Tally, csv, same};

pub(crate) fn nice_weights(content: &str) -> Tally {
    csv(content, |row| {
        let ours = LoadWeight::of_nice(row.within("nice", -20..=19)?);
        let expected = (row.number("weight")?, row.number("wmult")?);
        same(&expected, &(load_weight::scale_down(ours.weight), ours.inv_weight))
    })
}

pub(crate) fn calc_delta(content: &str) -> Tally {
    csv(content, |row| {
        let (delta, weight) = (row.number("delta")?, row.number("weight")?);
        let lw = LoadWeight::new(row.number("lw_weight")?);
        let got = load_weight::calc_delta(delta, weight, &lw);
        // The same inputs reach the function for entities, which skips the arithmetic for nice 0.
        if weight == NICE_0_LOAD && lw.weight != NICE_0_LOAD {
            same(&got, &load_weight::calc_delta_fair(delta, &lw))?;
        }
        same(&row.number("result")?, &got)
    })
}
