use kernel::{Audit, Form, Hunk, Patch};

use crate::engine::HunkCount;

/// Counts what happens at hunks, and keeps the decisions of the event under way until they can be logged.
#[derive(Clone, Debug)]
pub(crate) struct HunkAudit {
    counts_all: bool,
    explains: bool,
    counts: Vec<HunkCount>,
    pub(crate) pending: Vec<PendingDecision>,
}

/// A decision that is not logged yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingDecision {
    pub(crate) hunk: &'static Hunk,
    pub(crate) differing: u8,
    pub(crate) active: Option<Form>,
}

impl HunkAudit {
    fn count(&mut self, hunk: &'static Hunk, differing: u8) {
        if self.counts.iter().all(|count| count.hunk != hunk) {
            self.counts.push(HunkCount { hunk, asked: 0, would_change: [0; 8] });
        }
        let Some(count) = self.counts.iter_mut().find(|count| count.hunk == hunk) else { return };
        count.asked += 1;
        for form in 0..8 {
            count.would_change[form] += u64::from(differing >> form & 1);
        }
    }

    pub(crate) fn new(enabled: bool) -> HunkAudit {
        HunkAudit { counts_all: enabled, explains: false, counts: Vec::new(), pending: Vec::new() }
    }

    /// Whether every decision is kept for an explanation, those on which all forms agree too.
    pub(crate) fn explain(&mut self, enabled: bool) {
        self.explains = enabled;
    }

    /// The counts in the order of patches and hunks; every hunk of every patch has a row.
    pub(crate) fn counts(&self) -> Vec<HunkCount> {
        let every = Patch::ALL.iter().flat_map(|patch| patch.info().hunks);
        every
            .map(|hunk| {
                let counted = self.counts.iter().find(|count| count.hunk == *hunk);
                counted.copied().unwrap_or(HunkCount { hunk, asked: 0, would_change: [0; 8] })
            })
            .collect()
    }
}

impl Audit for HunkAudit {
    fn wants_rivals(&self) -> bool {
        self.counts_all || self.explains
    }

    fn decision(&mut self, hunk: &'static Hunk, differing: u8, active: Option<Form>) {
        if self.counts_all {
            self.count(hunk, differing);
        }
        if differing != 0 || self.explains {
            self.pending.push(PendingDecision { hunk, differing, active });
        }
    }
}
