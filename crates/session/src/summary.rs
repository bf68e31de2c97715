//! What the page shows of a run, as plain data.

use std::collections::BinaryHeap;

use engine::{Counters, Engine, RunState};
use kernel::{Availability, Patch};
use metrics::{LaunchFacts, MainThread, RunFacts, RunMetrics, SchbenchOutput};
use protocol::{
    Counter, CpuView, DomainSpan, FormChange, Histogram, HunkView, Metric, MetricInfo, Percentile, RunKey,
    RunSummary, Samples, TaskView, TraceKept, WorkConservation,
};
use scenario::Setup;
use sim::Nanos;
use topology::{Cpu, Topology};
use workload::launch::Launch;
use workload::schbench::Sample;
use workload::{Workload, WorkloadSpec};

use crate::{ENGINE_VERSION, RunJob, work};

/// Everything that is shown of a run but its timeline. The key and the wall time are the caller's to fill in.
pub(crate) fn of(job: &RunJob) -> RunSummary {
    let (setup, engine) = (job.setup(), &job.engine);
    let samples = samples(engine);
    let lanes = lane_order(&setup.topology);
    RunSummary {
        run: RunKey::default(),
        column: job.planned.column,
        column_name: job.planned.name.clone(),
        seed: setup.seed,
        engine_version: ENGINE_VERSION.to_owned(),
        trace_hash: job.trace_hash(),
        events: job.events(),
        simulated_ns: job.now().0,
        wall_ms: 0.0,
        out_of_budget: job.state == RunState::OutOfBudget,
        trace: job.trace_kept(),
        metrics: metrics(setup, engine, job.now()),
        percentiles: percentiles(samples),
        samples: sample_columns(samples),
        histogram: histogram(samples),
        hunks: if job.options.audit_hunks { hunks(setup, engine) } else { Vec::new() },
        counters: counters(engine),
        work: job.work().map_or_else(WorkConservation::default, |sums| work::view(&sums)),
        text: text(setup, engine),
        tasks: tasks(engine),
        domains: domains(&setup.topology, &lanes),
        idle_states: idle_states(setup, job.trace_kept()),
        cpus: lanes.iter().map(|cpu| cpu_view(*cpu, &setup.topology.cpus[usize::from(*cpu)])).collect(),
    }
}

/// The figures of a run.
pub(crate) fn metrics(setup: &Setup, engine: &Engine, now: Nanos) -> Vec<Metric> {
    let facts = facts(engine, now);
    let metrics = match (&setup.workload, engine.workload()) {
        (WorkloadSpec::Schbench(_), _) => RunMetrics::of_schbench(samples(engine), &facts),
        (_, Workload::Launch(launch)) => RunMetrics::of_launch(&launch_facts(engine, launch, now), &facts),
        _ => match engine.workload().work() {
            Some(work) => RunMetrics::of_work(&work, &facts),
            None => RunMetrics::of_machine(&facts),
        },
    };
    let own = |metric: &metrics::Metric| Metric {
        info: MetricInfo {
            key: metric.info.key.to_owned(),
            label: metric.info.label.to_owned(),
            unit: metric.info.unit.to_owned(),
            decimals: metric.info.decimals,
        },
        value: metric.value,
    };
    metrics.iter().map(own).collect()
}

/// What is known of a launch; all 0 before it begins.
fn launch_facts(engine: &Engine, launch: &Launch, now: Nanos) -> LaunchFacts {
    let Some((times, launched_at)) = engine.main_thread_times().zip(launch.launched_at()) else {
        return LaunchFacts::default();
    };
    let frames = launch.frames();
    let at_launch = engine.counters_at_launch();
    let since = |of: fn(&Counters) -> u64| of(engine.counters()) - at_launch.map_or(0, of);
    LaunchFacts {
        launch_ns: launch.displayed_at().unwrap_or(now).saturating_sub(launched_at).0,
        main: MainThread {
            absent_ns: times.absent_ns,
            running_ns: times.running_ns,
            behind_rt_ns: times.behind_rt_ns,
            behind_fair_ns: times.behind_fair_ns,
            waking_ns: times.waking_ns,
            io_ns: times.io_ns,
            sleeping_ns: times.sleeping_ns,
        },
        avoidable_rt_preemptions: since(|counters| counters.rt_avoidable_in_domain),
        rt_preemptions: since(|counters| counters.rt_preempts_fair),
        sf_frames: frames.count,
        sf_wall_ns: frames.wall.0,
        sf_missed_vsyncs: frames.missed,
    }
}

/// The recorded latencies; none where the workload records none.
fn samples(engine: &Engine) -> &[Sample] {
    match engine.workload() {
        Workload::Schbench(schbench) => schbench.samples(),
        _ => &[],
    }
}

fn facts(engine: &Engine, now: Nanos) -> RunFacts {
    let counters = engine.counters();
    RunFacts {
        simulated_ns: now.0,
        switches: counters.switches,
        wakeups: counters.wakeups,
        stacked_wakeups: counters.stacked_wakeups,
        wake_list_wakeups: counters.wake_list_wakeups,
        race_hits: counters.race_hits,
        wakeup_preemptions: counters.wakeup_preemptions,
        tick_preemptions: counters.tick_preemptions,
        newidle_pulls: counters.newidle_pulls,
        idle_pulls: counters.idle_pulls,
        busy_pulls: counters.busy_pulls,
        active_pushes: counters.active_pushes,
        util_refusals: counters.util_refusals,
        wait_while_idle_ns: counters.wait_while_idle_ns,
        wait_sum_ns: counters.wait_sum_ns,
        energy_uj: Some(engine.energies())
            .filter(|domains| !domains.is_empty())
            .map(|domains| domains.iter().map(|domain| domain.microjoules).sum()),
    }
}

fn percentiles(samples: &[Sample]) -> Vec<Percentile> {
    if samples.is_empty() {
        return Vec::new();
    }
    let percentiles = metrics::Percentiles::of(&metrics::Histogram::of_samples(samples));
    let view = |(rank, value_us): (metrics::Rank, u64)| Percentile {
        key: rank.key().to_owned(),
        label: rank.label().to_owned(),
        value_us: value_us as f64,
    };
    percentiles.iter().map(view).collect()
}

fn sample_columns(samples: &[Sample]) -> Samples {
    Samples {
        latency_us: samples.iter().map(|sample| sample.latency_us as f32).collect(),
        at_ms: samples.iter().map(|sample| (sample.at.0 as f64 / 1e6) as f32).collect(),
        task: samples.iter().map(|sample| sample.worker.0).collect(),
        from_wakeup: samples.iter().map(|sample| u8::from(sample.from_wakeup)).collect(),
    }
}

fn histogram(samples: &[Sample]) -> Histogram {
    let mut columns = Histogram::default();
    for (bucket, count) in metrics::Histogram::of_samples(samples).occupied() {
        columns.from_us.push(bucket.from_us as u32);
        columns.to_us.push(bucket.to_us as u32);
        columns.count.push(count);
    }
    columns
}

/// Every hunk of every patch that has a meaning in the era, those that were never reached included.
fn hunks(setup: &Setup, engine: &Engine) -> Vec<HunkView> {
    let counts = engine.hunk_counts();
    let possible =
        |patch: &Patch| !matches!(patch.availability(setup.kernel.era), Availability::Impossible(_));
    let hunks = Patch::ALL.into_iter().filter(possible).flat_map(|patch| patch.info().hunks);
    hunks
        .map(|hunk| {
            let count = counts.iter().find(|count| count.hunk == *hunk);
            let forms = hunk.patch.info().forms.iter().enumerate();
            HunkView {
                patch: hunk.patch.slug().to_owned(),
                index: hunk.index,
                file: hunk.file.to_owned(),
                function: hunk.function.to_owned(),
                active: setup.kernel.patches.value(hunk.patch).to_owned(),
                asked: count.map_or(0, |count| count.asked),
                would_change: forms
                    .map(|(position, form)| FormChange {
                        form: form.name.to_owned(),
                        count: count.map_or(0, |count| count.would_change[position]),
                    })
                    .collect(),
            }
        })
        .collect()
}

fn counters(engine: &Engine) -> Vec<Counter> {
    let counters = engine.counters();
    let named = [
        ("switches", "Context switches", counters.switches),
        ("wakeups", "Wake-ups", counters.wakeups),
        ("stacked_wakeups", "Wake-ups onto a CPU in use", counters.stacked_wakeups),
        ("wake_list_wakeups", "Wake-ups through a wake list", counters.wake_list_wakeups),
        ("race_hits", "Wake-ups into the window", counters.race_hits),
        ("wakeup_preemptions", "Preemptions by wake-ups", counters.wakeup_preemptions),
        ("tick_preemptions", "Preemptions by the tick", counters.tick_preemptions),
        ("newidle_pulls", "Tasks pulled when going idle", counters.newidle_pulls),
        ("idle_pulls", "Tasks pulled while idle", counters.idle_pulls),
        ("busy_pulls", "Tasks pulled while busy", counters.busy_pulls),
        ("active_pushes", "Tasks pushed by the stopper", counters.active_pushes),
        ("util_refusals", "Moves refused for utilisation", counters.util_refusals),
        ("wait_while_idle_ns", "Waiting beside an idle CPU", counters.wait_while_idle_ns),
        ("wait_sum_ns", "Sum of waiting", counters.wait_sum_ns),
    ];
    named.map(|(key, label, value)| Counter { key: key.to_owned(), label: label.to_owned(), value }).into()
}

/// What the program printed.
pub(crate) fn text(setup: &Setup, engine: &Engine) -> String {
    match &setup.workload {
        WorkloadSpec::Schbench(spec) => {
            SchbenchOutput::of_samples(spec.generation, samples(engine)).to_string()
        }
        WorkloadSpec::Hackbench(_) => {
            let done = engine.workload().work().and_then(|work| work.duration());
            done.map_or_else(String::new, metrics::hackbench_text)
        }
        _ => String::new(),
    }
}

fn tasks(engine: &Engine) -> Vec<TaskView> {
    let threads = engine.workload().threads().iter().enumerate();
    threads
        .map(|(id, thread)| TaskView {
            id: id as u32,
            name: thread.name.clone(),
            group: thread.group,
            nice: thread.nice,
        })
        .collect()
}

/// The CPUs in the order in which lanes are shown: by package, last-level cache, core and number.
pub(crate) fn lane_order(topology: &Topology) -> Vec<u16> {
    let place = |number: u16| {
        let cpu = topology.cpus[usize::from(number)];
        [cpu.package, cpu.llc, cpu.core, number]
    };
    // A heap sorts with a tenth of the code of the standard sort; every visitor loads it.
    let lanes: BinaryHeap<[u16; 4]> = (0..topology.len() as u16).map(place).collect();
    lanes.into_sorted_vec().into_iter().map(|[.., number]| number).collect()
}

/// The names of every CPU's idle states, where there is something to tell apart.
fn idle_states(setup: &Setup, kept: TraceKept) -> Vec<Vec<String>> {
    let by_cpu = &setup.idle_states;
    if kept == TraceKept::Nothing || by_cpu.iter().all(|states| states.len() < 2) {
        return Vec::new();
    }
    let of_cpu = |cpu| by_cpu.get(cpu).or(by_cpu.first()).map_or(&[][..], Vec::as_slice);
    let names = |cpu| of_cpu(cpu).iter().map(|state| state.name.clone()).collect();
    (0..setup.topology.cpus.len()).map(names).collect()
}

fn cpu_view(number: u16, cpu: &Cpu) -> CpuView {
    CpuView { cpu: number, core: cpu.core, llc: cpu.llc, package: cpu.package, capacity: cpu.capacity }
}

/// The levels that divide something: that have more than one span, and spans of more than one lane.
fn domains(topology: &Topology, lanes: &[u16]) -> Vec<DomainSpan> {
    type Level = (&'static str, fn(&Cpu) -> u16);
    const LEVELS: [Level; 3] =
        [("package", |cpu| cpu.package), ("llc", |cpu| cpu.llc), ("core", |cpu| cpu.core)];
    let mut spans: Vec<DomainSpan> = Vec::new();
    let mut depth = 0;
    let mut outer: Vec<(u32, u32)> = vec![(0, lanes.len() as u32)];
    for (level, index_of) in LEVELS {
        let mut own: Vec<DomainSpan> = Vec::new();
        for (lane, cpu) in lanes.iter().enumerate() {
            let index = index_of(&topology.cpus[usize::from(*cpu)]);
            match own.last_mut() {
                Some(span) if span.index == index => span.lanes += 1,
                _ => own.push(DomainSpan {
                    depth,
                    level: level.to_owned(),
                    index,
                    first_lane: lane as u32,
                    lanes: 1,
                }),
            }
        }
        let extents: Vec<(u32, u32)> = own.iter().map(|span| (span.first_lane, span.lanes)).collect();
        if extents != outer && own.iter().any(|span| 1 < span.lanes) {
            spans.append(&mut own);
            depth += 1;
            outer = extents;
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(topology: &Topology) -> Vec<(u8, String, u32, u32)> {
        let lanes = lane_order(topology);
        let spans = domains(topology, &lanes).into_iter();
        spans.map(|span| (span.depth, span.level, span.first_lane, span.lanes)).collect()
    }

    #[test]
    fn only_levels_that_divide_something_are_shown() {
        let named = |depth, level: &str, first, lanes| (depth, level.to_owned(), first, lanes);
        assert_eq!(levels(&Topology::regular(1, 2, 4, 1)), [named(0, "llc", 0, 4), named(0, "llc", 4, 4)]);
        assert_eq!(levels(&Topology::regular(1, 1, 8, 1)), []);
        assert_eq!(
            levels(&Topology::regular(2, 1, 1, 2)),
            [named(0, "package", 0, 2), named(0, "package", 2, 2)]
        );
        let nested = levels(&Topology::regular(2, 2, 1, 2));
        assert_eq!(nested.len(), 2 + 4, "cores are the caches here and are not shown again");
        assert_eq!(nested[5], named(1, "llc", 6, 2));
    }

    #[test]
    fn hardware_threads_stand_side_by_side_whatever_their_numbers() {
        let mut topology = Topology::regular(1, 1, 2, 2);
        // Numbered as many servers do: first one thread of every core, then the others.
        for (number, cpu) in topology.cpus.iter_mut().enumerate() {
            cpu.core = number as u16 % 2;
        }
        assert_eq!(lane_order(&topology), [0, 2, 1, 3]);
    }
}
