//! The interval of the runs that charts are restricted to: the latencies that were recorded in it, and how tasks waited.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use protocol::{AnswerBody, Histogram, Metric, RequestBody, RunSummary, Samples, WorkConservation};
use yew::Callback;

use crate::bridge::Pool;
use crate::state::Action;
use crate::text;
use crate::timeline::{Brush, Kept};

/// Into how many bins what is shown over time is divided.
const BINS: u32 = 480;

/// What is known of the interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Interval {
    /// The latencies of each column that were recorded in it; none where there is no interval.
    pub(crate) runs: Option<Rc<Vec<Rc<RunSummary>>>>,
    /// How the tasks of each column waited in it, or in the one before while it is being added up.
    pub(crate) works: Vec<Option<PartWork>>,
}

/// How the tasks of a column waited in an interval.
#[derive(Clone, Debug)]
pub(crate) struct PartWork {
    /// The interval.
    pub(crate) brush: Brush,
    /// The sums, or why there are none.
    pub(crate) work: Result<Rc<WorkConservation>, String>,
}

impl PartialEq for PartWork {
    fn eq(&self, other: &PartWork) -> bool {
        self.brush == other.brush
            && match (&self.work, &other.work) {
                // Sums never change once they are there.
                (Ok(one), Ok(other)) => Rc::ptr_eq(one, other),
                (Err(one), Err(other)) => one == other,
                _ => false,
            }
    }
}

impl Interval {
    /// Another interval, or none.
    pub(crate) fn restrict(&mut self, brush: Option<Brush>, runs: &[Kept]) {
        self.runs = brush.map(|brush| {
            Rc::new(runs.iter().map(|kept| Rc::new(inside(&kept.summary, brush))).collect::<Vec<_>>())
        });
        if brush.is_none() {
            self.works.clear();
        }
    }

    /// The sums of a column are there.
    pub(crate) fn summed_up(&mut self, column: usize, part: PartWork) {
        if self.works.len() <= column {
            self.works.resize(column + 1, None);
        }
        self.works[column] = Some(part);
    }
}

/// What a run says of the latencies that it recorded in an interval, and nothing else: no figure that only a whole run has.
fn inside(run: &RunSummary, brush: Brush) -> RunSummary {
    let samples = part_of(&run.samples, brush);
    let mut buckets: BTreeMap<u32, Bucket> = BTreeMap::new();
    for latency in &samples.latency_us {
        let bucket = Bucket::of(*latency as u32);
        buckets.entry(bucket.from_us).or_insert(bucket).count += 1;
    }
    let buckets: Vec<Bucket> = buckets.into_values().collect();
    let percentile = |percentile: &protocol::Percentile| {
        let value_us = per_mille(&percentile.key).map_or(0.0, |rank| at_rank(&buckets, rank));
        protocol::Percentile { value_us, ..percentile.clone() }
    };
    let metric = |metric: &Metric| {
        let value = match per_mille(&metric.info.key) {
            Some(rank) => at_rank(&buckets, rank),
            None => counted(&samples, &metric.info.key)?,
        };
        Some(Metric { info: metric.info.clone(), value })
    };
    let column = |value: fn(&Bucket) -> u32| buckets.iter().map(value).collect();
    RunSummary {
        column: run.column,
        column_name: run.column_name.clone(),
        seed: run.seed,
        trace_hash: run.trace_hash.clone(),
        percentiles: run.percentiles.iter().map(percentile).collect(),
        metrics: run.metrics.iter().filter_map(metric).collect(),
        histogram: Histogram {
            from_us: column(|bucket| bucket.from_us),
            to_us: column(|bucket| bucket.to_us),
            count: column(|bucket| bucket.count),
        },
        samples,
        ..RunSummary::default()
    }
}

/// The latencies that were recorded in an interval, its ends included.
fn part_of(samples: &Samples, brush: Brush) -> Samples {
    let ns = |ms: &f32| f64::from(*ms) * 1e6;
    let first = samples.at_ms.partition_point(|at| ns(at) < brush.from_ns as f64);
    let last = samples.at_ms.partition_point(|at| ns(at) <= brush.to_ns as f64);
    Samples {
        latency_us: samples.latency_us[first..last].to_vec(),
        at_ms: samples.at_ms[first..last].to_vec(),
        task: samples.task[first..last].to_vec(),
        from_wakeup: samples.from_wakeup[first..last].to_vec(),
    }
}

/// The share of latencies that a percentile's key stands for, in thousandths: 995 for `p995_us`.
fn per_mille(key: &str) -> Option<u64> {
    let digits = key.strip_prefix('p')?.strip_suffix("_us")?;
    let rank: u64 = digits.parse().ok()?;
    Some(if digits.len() < 3 { rank * 10 } else { rank })
}

/// The value of the first bucket at which the running count reaches a share of all, as the benchmark reports it.
fn at_rank(buckets: &[Bucket], per_mille: u64) -> f64 {
    let all: u64 = buckets.iter().map(|bucket| u64::from(bucket.count)).sum();
    let mut running = 0;
    let reaches = |bucket: &&Bucket| {
        running += u64::from(bucket.count);
        per_mille * all <= running * 1000
    };
    buckets.iter().find(reaches).map_or(0.0, |bucket| f64::from(bucket.value_us))
}

/// A figure that counts latencies.
fn counted(samples: &Samples, key: &str) -> Option<f64> {
    let wakes_from = |us: f32| {
        let woken = samples.latency_us.iter().zip(&samples.from_wakeup);
        woken.filter(|(latency, from_wakeup)| **from_wakeup == 1 && us <= **latency).count() as f64
    };
    let all = samples.latency_us.len() as f64;
    Some(match key {
        "max_us" => f64::from(samples.latency_us.iter().copied().fold(0.0, f32::max)),
        "samples" => all,
        "wakes_over_1ms" => wakes_from(1000.0),
        "wakes_over_12ms" => wakes_from(12_000.0),
        "share_over_1ms" => wakes_from(1000.0) / all.max(1.0),
        _ => return None,
    })
}

/// The latencies that the benchmark counts as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bucket {
    from_us: u32,
    to_us: u32,
    /// What it reports for each of them.
    value_us: u32,
    count: u32,
}

impl Bucket {
    /// Up to 511 µs each value is counted alone; above, a power of two is divided into 256 buckets.
    fn of(latency_us: u32) -> Bucket {
        let shift = (latency_us | 256).ilog2() - 8;
        let from_us = latency_us >> shift << shift;
        let width = 1 << shift;
        Bucket { from_us, to_us: from_us + (width - 1), value_us: from_us + width / 2, count: 0 }
    }
}

/// Asks the workers how tasks waited in the interval: for each column one question at a time, so that an interval which
/// grows many times a second does not make a queue of them. Clones share it.
#[derive(Clone)]
pub(crate) struct Surveyor(Rc<RefCell<Inner>>);

struct Inner {
    pool: Pool,
    act: Callback<Action>,
    wanted: Option<Wanted>,
    /// For each column, what was asked last, and whether the answer is still to come.
    asked: Vec<(Option<(u32, Brush)>, bool)>,
}

#[derive(Clone)]
struct Wanted {
    revision: u32,
    brush: Brush,
    runs: Rc<Vec<Kept>>,
}

impl PartialEq for Surveyor {
    fn eq(&self, other: &Surveyor) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Surveyor {
    /// A surveyor that has nothing to do yet.
    pub(crate) fn new(pool: Pool, act: Callback<Action>) -> Surveyor {
        Surveyor(Rc::new(RefCell::new(Inner { pool, act, wanted: None, asked: Vec::new() })))
    }

    /// This interval of these runs is wanted, or none.
    pub(crate) fn follow(&self, revision: u32, brush: Option<Brush>, runs: &Rc<Vec<Kept>>) {
        let columns = runs.len();
        {
            let mut inner = self.0.borrow_mut();
            inner.wanted = brush.map(|brush| Wanted { revision, brush, runs: Rc::clone(runs) });
            if inner.asked.len() < columns {
                inner.asked.resize(columns, (None, false));
            }
        }
        for column in 0..columns {
            self.ask(column);
        }
    }

    fn ask(&self, column: usize) {
        let (pool, wanted) = {
            let mut inner = self.0.borrow_mut();
            let Some(wanted) = inner.wanted.clone().filter(|wanted| column < wanted.runs.len()) else {
                return;
            };
            let name = Some((wanted.revision, wanted.brush));
            let (asked, is_under_way) = &mut inner.asked[column];
            if *is_under_way || *asked == name {
                return;
            }
            (*asked, *is_under_way) = (name, true);
            (inner.pool.clone(), wanted)
        };
        let Wanted { revision, brush, runs } = wanted;
        let kept = &runs[column];
        let this = self.clone();
        let answers = Callback::from(move |body: AnswerBody| {
            if !body.is_final() {
                return;
            }
            let work = match body {
                AnswerBody::WorkConservation(work) => Ok(Rc::from(work)),
                AnswerBody::Failed(failure) => Err(failure.message),
                _ => Err(text::NO_ANSWER.to_owned()),
            };
            let act = {
                let mut inner = this.0.borrow_mut();
                inner.asked[column].1 = false;
                inner.act.clone()
            };
            act.emit(Action::PartWork(revision, column, PartWork { brush, work }));
            this.ask(column);
        });
        let (from_ns, to_ns) = (brush.from_ns, brush.to_ns);
        let request = RequestBody::WorkConservation { run: kept.summary.run, from_ns, to_ns, bins: BINS };
        pool.ask(kept.worker, request, answers);
    }
}

#[cfg(test)]
mod tests;
