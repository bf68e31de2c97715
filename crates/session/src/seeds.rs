use protocol::{MetricInfo, PlannedColumn, Progress, RunOptions, SeedRow, SeedRows};

use crate::RunJob;

/// Runs of some columns under many seeds, for their figures only. For each seed all columns are run before the next
/// seed begins, so that what is done so far can always be compared.
#[derive(Clone, Debug)]
pub struct SeedsJob {
    columns: Vec<PlannedColumn>,
    first_seed: u64,
    count: u32,
    /// Runs that are done or begun.
    begun: u64,
    current: Option<RunJob>,
    events_before: u64,
    infos: Vec<MetricInfo>,
    rows: Vec<SeedRow>,
}

impl SeedsJob {
    /// Runs of some columns under `count` seeds one after the other.
    pub fn new(columns: Vec<PlannedColumn>, first_seed: u64, count: u32) -> SeedsJob {
        SeedsJob {
            columns,
            first_seed,
            count,
            begun: 0,
            current: None,
            events_before: 0,
            infos: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Processes at most so many events; whether all runs are done. Ends early at the end of a run.
    pub fn step(&mut self, max_events: u64) -> bool {
        let Some(mut job) = self.current.take().or_else(|| self.next_run()) else { return true };
        if job.step(max_events) {
            let (infos, row) = job.figures();
            self.events_before += job.events();
            self.infos = infos;
            self.rows.push(row);
        } else {
            self.current = Some(job);
        }
        self.current.is_none() && self.begun == self.total()
    }

    fn next_run(&mut self) -> Option<RunJob> {
        if self.begun == self.total() {
            return None;
        }
        let columns = self.columns.len() as u64;
        let mut planned = self.columns[(self.begun % columns) as usize].clone();
        planned.setup.seed = self.first_seed.wrapping_add(self.begun / columns);
        self.begun += 1;
        Some(RunJob::planned(planned, RunOptions::default()))
    }

    fn total(&self) -> u64 {
        u64::from(self.count) * self.columns.len() as u64
    }

    /// The runs that were done since this was last asked, if there are any.
    pub fn take_rows(&mut self) -> Option<SeedRows> {
        let rows = std::mem::take(&mut self.rows);
        (!rows.is_empty()).then(|| SeedRows { metrics: self.infos.clone(), rows })
    }

    /// How far all of it has come.
    pub fn progress(&self) -> Progress {
        let current = self.current.as_ref().map(RunJob::progress).unwrap_or_default();
        let done = self.begun - u64::from(self.current.is_some());
        let fraction = (done as f64 + current.fraction) / self.total().max(1) as f64;
        Progress { fraction, now_ns: current.now_ns, events: self.events_before + current.events }
    }
}
