use protocol::{Answer, AnswerBody, Failure, Request, RequestBody, RunKey};
use sim::Nanos;

use crate::store::{Store, StoredRun};
use crate::{DivergenceJob, ENGINE_VERSION, RunJob, SeedsJob};

/// Events between two looks at the clock: about half a millisecond.
const EVENTS_A_STEP: u64 = 2_000;

/// The most seeds of one request.
const MOST_SEEDS: u32 = 1_000_000;

/// Everything behind a worker: it takes requests and gives answers, and works on jobs in between.
#[derive(Debug, Default)]
pub struct Session {
    store: Store,
    /// Jobs in the order in which they came.
    jobs: Vec<Job>,
}

#[derive(Debug)]
struct Job {
    id: u32,
    work: Work,
}

#[derive(Debug)]
enum Work {
    Run { job: Box<RunJob>, run: RunKey, wall_ms: f64 },
    Divergence(Box<DivergenceJob>),
    Seeds(Box<SeedsJob>),
}

impl Session {
    /// A session without runs.
    pub fn new() -> Session {
        Session::default()
    }

    /// What a worker says first.
    pub fn ready() -> Answer {
        Answer { id: 0, body: AnswerBody::Ready { engine_version: ENGINE_VERSION.to_owned() } }
    }

    /// Takes a request: queries are answered at once, jobs are queued for [`Session::work`].
    pub fn handle(&mut self, request: Request) -> Vec<Answer> {
        let Request { id, body } = request;
        let answer = match body {
            RequestBody::Run { column, run, options } => {
                let job = Box::new(RunJob::planned(*column, options));
                self.jobs.push(Job { id, work: Work::Run { job, run, wall_ms: 0.0 } });
                None
            }
            RequestBody::Seeds { columns, .. } if columns.is_empty() => Some(AnswerBody::SeedsDone),
            RequestBody::Seeds { columns, first_seed, count } => {
                let job = Box::new(SeedsJob::new(columns, first_seed, count.min(MOST_SEEDS)));
                self.jobs.push(Job { id, work: Work::Seeds(job) });
                None
            }
            RequestBody::Divergence { columns, seed, nth } => {
                let job = Box::new(DivergenceJob::new(columns, seed, nth));
                self.jobs.push(Job { id, work: Work::Divergence(job) });
                None
            }
            RequestBody::Cancel { id } => return self.cancel(id),
            RequestBody::Drop { run } => {
                self.store.drop(run);
                None
            }
            query => Some(self.query(query).unwrap_or_else(failed)),
        };
        answer.map(|body| Answer { id, body }).into_iter().collect()
    }

    fn cancel(&mut self, id: u32) -> Vec<Answer> {
        let Some(position) = self.jobs.iter().position(|job| job.id == id) else { return Vec::new() };
        let mut answers = Vec::new();
        // What is done is not lost.
        if let Work::Seeds(seeds) = &mut self.jobs[position].work {
            answers.extend(seeds.take_rows().map(|rows| Answer { id, body: AnswerBody::SeedRows(rows) }));
        }
        self.jobs.remove(position);
        answers.push(Answer { id, body: AnswerBody::Cancelled });
        answers
    }

    /// Answers what is neither a job nor an order.
    fn query(&mut self, query: RequestBody) -> Result<AnswerBody, &'static str> {
        match query {
            RequestBody::Lanes { run, from_ns, to_ns, width_px, rows } => {
                self.kept(run)?.lanes(from_ns, to_ns, width_px, &rows).map(AnswerBody::Lanes)
            }
            RequestBody::Minimap { run, width_px } => {
                self.kept(run)?.minimap(width_px).map(AnswerBody::Minimap)
            }
            RequestBody::Facts { run, at_ns, about } => {
                self.kept(run)?.facts(at_ns, about).map(AnswerBody::Facts)
            }
            RequestBody::Table { run, from_ns, to_ns, limit } => {
                self.kept(run)?.table(from_ns, to_ns, limit).map(AnswerBody::Table)
            }
            RequestBody::Text { run } => Ok(AnswerBody::Text(self.kept(run)?.text())),
            RequestBody::Explain { run, at_ns, filter } => {
                self.kept(run)?.explain(run, at_ns, filter).map(AnswerBody::Explained)
            }
            RequestBody::NextDecision { run, from_ns, forward, filter } => {
                self.kept(run)?.next_decision(from_ns, forward, filter).map(AnswerBody::Decision)
            }
            RequestBody::NextEvent { run, from_ns, forward, filter } => {
                self.kept(run)?.next_event(from_ns, forward, filter).map(AnswerBody::Event)
            }
            RequestBody::Cause { run, task, at_ns } => {
                let cause = self.kept(run)?.cause(task, at_ns)?;
                Ok(AnswerBody::Cause(cause.map(Box::new)))
            }
            RequestBody::WorkConservation { run, from_ns, to_ns, bins } => {
                let work = self.kept(run)?.work(from_ns, to_ns, bins)?;
                Ok(AnswerBody::WorkConservation(Box::new(work)))
            }
            RequestBody::Run { .. }
            | RequestBody::Divergence { .. }
            | RequestBody::Seeds { .. }
            | RequestBody::Cancel { .. }
            | RequestBody::Drop { .. } => Err("This is not a question."),
        }
    }

    fn kept(&mut self, run: RunKey) -> Result<&StoredRun, &'static str> {
        self.store.get(run).ok_or("This run is no longer kept.")
    }

    /// Whether there are jobs to work on.
    pub fn has_work(&self) -> bool {
        !self.jobs.is_empty()
    }

    /// The request of the job that is worked on next: a run before a search for a divergence, that before every band.
    pub fn current(&self) -> Option<u32> {
        self.next_job().map(|position| self.jobs[position].id)
    }

    fn next_job(&self) -> Option<usize> {
        let rank = |work: &Work| match work {
            Work::Run { .. } => 0,
            Work::Divergence(_) => 1,
            Work::Seeds(_) => 2,
        };
        (0..self.jobs.len()).min_by_key(|position| rank(&self.jobs[*position].work))
    }

    /// Works until the clock, in milliseconds, shows `until_ms`, or a job is done, whose last answers are returned.
    ///
    /// The session has no clock of its own; this one only paces it, and measures how long runs take.
    pub fn work(&mut self, clock: &dyn Fn() -> f64, until_ms: f64) -> Vec<Answer> {
        let Some(position) = self.next_job() else { return Vec::new() };
        let mut now = clock();
        loop {
            let started = now;
            let is_done = match &mut self.jobs[position].work {
                Work::Run { job, .. } => job.step(EVENTS_A_STEP),
                Work::Divergence(search) => search.step(),
                Work::Seeds(seeds) => seeds.step(EVENTS_A_STEP),
            };
            now = clock();
            if let Work::Run { wall_ms, .. } = &mut self.jobs[position].work {
                *wall_ms += now - started;
            }
            if is_done {
                let job = self.jobs.remove(position);
                return self.done(job);
            }
            if until_ms <= now {
                return Vec::new();
            }
        }
    }

    fn done(&mut self, job: Job) -> Vec<Answer> {
        let Job { id, work } = job;
        let bodies = match work {
            Work::Run { job, run, wall_ms } => {
                let mut summary = Box::new(job.summary());
                summary.run = run;
                summary.wall_ms = wall_ms;
                self.store.put(run, StoredRun::new(*job));
                vec![AnswerBody::RunDone(summary)]
            }
            Work::Divergence(mut search) => {
                vec![search.take_result().map_or_else(failed, AnswerBody::Divergence)]
            }
            Work::Seeds(mut seeds) => seeds
                .take_rows()
                .map(AnswerBody::SeedRows)
                .into_iter()
                .chain([AnswerBody::SeedsDone])
                .collect(),
        };
        bodies.into_iter().map(|body| Answer { id, body }).collect()
    }

    /// How far the job that is worked on has come; with the rows of a seeds job that were not yet told.
    pub fn report(&mut self) -> Vec<Answer> {
        let Some(position) = self.next_job() else { return Vec::new() };
        let id = self.jobs[position].id;
        let (rows, progress) = match &mut self.jobs[position].work {
            Work::Run { job, .. } => (None, job.progress()),
            Work::Divergence(search) => (None, search.progress()),
            Work::Seeds(seeds) => (seeds.take_rows(), seeds.progress()),
        };
        let bodies = rows.map(AnswerBody::SeedRows).into_iter().chain([AnswerBody::Progress(progress)]);
        bodies.map(|body| Answer { id, body }).collect()
    }

    /// A kept run as it was at a moment, ready to go on. `None` where it is not kept, or without its trace.
    pub fn restored(&mut self, run: RunKey, at: Nanos) -> Option<RunJob> {
        self.store.get(run)?.restored(at)
    }
}

fn failed(message: &str) -> AnswerBody {
    AnswerBody::Failed(Failure { message: message.to_owned(), ..Failure::default() })
}
