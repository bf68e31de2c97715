//! Work conservation as plain data.

use metrics::{Span, WorkBuilder};
use protocol::{TaskWaits, TraceKept, WaitStats, WaitWhileIdle, WorkConservation, WorkOverTime};
use sim::Nanos;
use trace::MAX_WIDTH;

use crate::store::StoredRun;

const NOT_KEPT: &str = "This run has too many events to keep: only the sums over the whole run are known.";

impl StoredRun {
    /// How long tasks waited in a span of time, why, and whether a CPU idled meanwhile.
    pub(crate) fn work(&self, from_ns: u64, to_ns: u64, bins: u32) -> Result<WorkConservation, &'static str> {
        match self.job.trace_kept() {
            TraceKept::Events => {}
            TraceKept::Nothing => return Err("This run was made without its trace."),
            TraceKept::Intervals | TraceKept::Part { .. } => return Err(NOT_KEPT),
        }
        let to = Nanos(to_ns).min(self.job.now());
        let from = Nanos(from_ns).min(to);
        let span = Span::Part { from, to, bins: bins.clamp(1, MAX_WIDTH) };
        let llcs: Vec<u16> = self.job.setup().topology.cpus.iter().map(|cpu| cpu.llc).collect();
        let mut builder = WorkBuilder::new(&llcs, &self.job.engine.task_weights(), span);
        let events = self.job.engine.trace().events();
        builder.follow(&events[..events.partition_point(|event| event.at <= to)]);
        Ok(view(&builder.finish(to)))
    }
}

/// The sums for the page.
pub(crate) fn view(work: &metrics::WorkConservation) -> WorkConservation {
    let waits = work.wait_while_idle;
    WorkConservation {
        from_ns: work.from.0,
        to_ns: work.to.0,
        wakeup_kept: stats(work.wakeup_kept),
        wakeup_moved: stats(work.wakeup_moved),
        preemption: stats(work.preemption),
        other: stats(work.other),
        wait_while_idle: WaitWhileIdle {
            idle_elsewhere_ns: waits.idle_elsewhere_ns,
            refused_ns: waits.refused_ns,
            stacked_ns: waits.stacked_ns,
            other_ns: waits.other_ns,
        },
        load_balance_score: work.load_balance_score,
        tasks: task_columns(&work.tasks),
        over_time: over_time(work.bin, &work.over_time),
    }
}

fn stats(stats: metrics::WaitStats) -> WaitStats {
    let metrics::WaitStats { count, sum_ns, p50_ns, p95_ns, p99_ns, max_ns } = stats;
    WaitStats { count, sum_ns, p50_ns, p95_ns, p99_ns, max_ns }
}

fn task_columns(tasks: &[metrics::TaskWork]) -> TaskWaits {
    let column = |value: fn(&metrics::TaskWork) -> u64| tasks.iter().map(|task| value(task) as f64).collect();
    TaskWaits {
        ran_ns: column(|task| task.ran_ns),
        run_delay_ns: column(|task| task.run_delay_ns),
        preemption_ns: column(|task| task.preemption_ns),
        while_idle_ns: column(|task| task.while_idle_ns),
        waits: tasks.iter().map(|task| task.waits).collect(),
        longest_ns: column(|task| task.longest_ns),
        longest_from_ns: column(|task| task.longest_from_ns),
    }
}

fn over_time(bin: Nanos, bins: &[metrics::WorkBin]) -> WorkOverTime {
    let column = |value: fn(&metrics::WorkBin) -> f64| bins.iter().map(|bin| value(bin) as f32).collect();
    WorkOverTime {
        bin_ns: bin.0,
        runnable: column(|bin| bin.runnable),
        longest_queue: bins.iter().map(|bin| bin.longest_queue).collect(),
        idle_elsewhere: column(|bin| bin.idle_elsewhere),
        refused: column(|bin| bin.refused),
        stacked: column(|bin| bin.stacked),
        other: column(|bin| bin.other),
    }
}
