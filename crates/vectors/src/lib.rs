//! Checks the decision functions of `rules` against reference vectors: inputs and outputs of unmodified Linux
//! scheduler functions, as numbers only.
//!
//! Works on file contents, so that it needs no file system and also runs in a browser. A row that cannot be read
//! counts as a disagreement; nothing here panics on any content.

mod balance;
mod cfs;
mod chain;
mod committed;
mod detach;
mod pelt;
mod rt;
mod select_idle;
mod table;
mod wake;
mod weights;

pub use committed::committed;

use table::Tally;

/// How far the rows of one file agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReport {
    /// The name of the file.
    pub file: &'static str,
    /// Rows of data in it.
    pub rows: u64,
    /// Rows whose every output is reproduced.
    pub agreeing: u64,
    /// Rows on which our base kernel and our patched one answer differently, for files that hold both.
    /// A row that agrees has both of its answers reproduced, so that where all agree these are exactly the file's.
    pub base_patched_differ: Option<u64>,
    /// The first row that is not reproduced.
    pub first_disagreement: Option<Disagreement>,
}

/// A row that is not reproduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Its number, counted from 1 without the header line.
    pub row: u64,
    /// What the file says, or what a readable row would hold.
    pub expected: String,
    /// What our functions say, or what stands there instead.
    pub got: String,
}

/// A check of one file.
struct Check {
    file: &'static str,
    /// Whether the file holds answers of a base and of a patched kernel.
    has_patch: bool,
    run: fn(&str) -> Tally,
}

const CHECKS: &[Check] = &[
    Check { file: "nice_weights.csv", has_patch: false, run: weights::nice_weights },
    Check { file: "calc_delta.csv", has_patch: false, run: weights::calc_delta },
    Check { file: "pelt_decay_load.csv", has_patch: false, run: pelt::decay_load },
    Check { file: "pelt_segments.csv", has_patch: false, run: pelt::segments },
    Check { file: "pelt_sequences.csv", has_patch: false, run: pelt::sequences },
    Check { file: "pelt_ramp.csv", has_patch: false, run: pelt::ramp },
    Check { file: "cfs510_slice.csv", has_patch: false, run: cfs::slice },
    Check { file: "cfs510_place_entity.csv", has_patch: false, run: cfs::place_entity },
    Check { file: "cfs510_preempt_tick.csv", has_patch: false, run: cfs::preempt_tick },
    Check { file: "cfs510_wakeup_preempt.csv", has_patch: false, run: cfs::wakeup_preempt },
    Check { file: "cfs510_pick_next.csv", has_patch: false, run: cfs::pick_next },
    Check { file: "lb510_group_classify.csv", has_patch: false, run: balance::group_classify },
    Check { file: "lb510_calculate_imbalance.csv", has_patch: true, run: balance::calculate_imbalance },
    Check { file: "lb510_chain.jsonl", has_patch: true, run: chain::chain },
    Check { file: "lb510_detach_tasks.jsonl", has_patch: false, run: detach::detach_tasks },
    Check { file: "wake_affine61.csv", has_patch: false, run: wake::wake_affine },
    Check { file: "sis61_select_idle_sibling.csv", has_patch: false, run: select_idle::select_idle },
    Check { file: "rt_find_lowest_rq.csv", has_patch: true, run: rt::find_lowest },
];

const FILES: [&str; CHECKS.len()] = {
    let mut files = [""; CHECKS.len()];
    let mut position = 0;
    while position < CHECKS.len() {
        files[position] = CHECKS[position].file;
        position += 1;
    }
    files
};

/// The names of the files that can be checked.
pub fn known_files() -> &'static [&'static str] {
    &FILES
}

/// Checks every row of a file; None where the name is not one of [`known_files`].
pub fn check(file_name: &str, content: &str) -> Option<FileReport> {
    let check = CHECKS.iter().find(|check| check.file == file_name)?;
    let tally = (check.run)(content);
    Some(FileReport {
        file: check.file,
        rows: tally.rows,
        agreeing: tally.agreeing,
        base_patched_differ: check.has_patch.then_some(tally.differing),
        first_disagreement: tally.first_disagreement,
    })
}
