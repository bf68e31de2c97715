//! Formats that tell spans and sums, held against the views of the log and the counters of the engine.

use std::collections::BTreeMap;

use protocol::ExportFormat;
use trace::{Event, EventKind};

use crate::{Run, runs};

fn number(text: &str) -> u64 {
    text.parse().expect("a number")
}

/// Microseconds of a span in milliseconds.
fn span_us(text: &str) -> u64 {
    let (whole, fraction) = text.split_once('.').expect("three decimals");
    assert_eq!(fraction.len(), 3);
    number(whole) * 1_000 + number(fraction)
}

/// A line of timehist: the task's pid, and its spans in microseconds.
struct Left {
    pid: u64,
    wait: u64,
    delay: u64,
    ran: u64,
}

fn timehist(run: &Run) -> Vec<Left> {
    let text = run.text(ExportFormat::Timehist);
    let mut last = 0;
    let lines = text.lines().skip(3).map(|line| {
        let (time, rest) = line.split_at(15);
        let (seconds, micros) = time.trim().split_once('.').expect("seconds with a fraction");
        let time = number(seconds) * 1_000_000 + number(micros);
        assert!(last <= time);
        last = time;
        assert_eq!((&rest[..2], &rest[6..9]), (" [", "]  "), "{line}");
        let task = rest[9..39].trim_end();
        let ids = task.rsplit_once('[').expect("ids").1.trim_end_matches(']');
        let spans: Vec<u64> = rest[39..].split_whitespace().map(span_us).collect();
        let [wait, delay, ran] = spans[..] else { panic!("{line}") };
        Left { pid: number(ids.split('/').next().expect("a pid")), wait, delay, ran }
    });
    lines.collect()
}

#[test]
fn timehist_adds_up_to_what_the_cpus_ran_of_every_task() {
    for run in runs() {
        let mut ran: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for line in timehist(&run) {
            let (sum, lines) = ran.entry(line.pid).or_default();
            *sum += line.ran;
            *lines += 1;
            assert!(line.wait == 0 || line.delay <= line.wait, "a task waits only while it is away");
        }
        let mut exact: BTreeMap<u64, u64> = BTreeMap::new();
        let mut began: BTreeMap<u16, u64> = BTreeMap::new();
        for event in run.events.iter().filter(|event| event.kind == EventKind::Switch) {
            let since = began.insert(event.cpu.0, event.at.0);
            if event.args[0] != Event::NO_TASK.0 {
                *exact.entry(Run::pid(event.args[0])).or_default() +=
                    event.at.0 - since.expect("it had begun");
            }
        }
        assert!(exact.keys().eq(ran.keys()));
        for (pid, exact) in exact {
            // Each line leaves out less than a microsecond.
            let (sum, lines) = ran[&pid];
            assert!(sum <= exact / 1_000 && exact / 1_000 <= sum + lines, "{pid}: {sum} of {exact} ns");
        }
    }
}

#[test]
fn timehist_tells_the_waits_that_the_engine_counts() {
    let run = &runs()[0];
    let delays: u64 = timehist(run).iter().map(|line| line.delay).sum();
    let waited = run.counters.wait_sum_ns / 1_000;
    // It counts from the beginning of a wake-up, the engine from its end; and no line is shorter than it was.
    let wakeups = run.counters.wakeups;
    assert!(delays <= waited + 10 * wakeups && waited <= delays + 2 * wakeups, "{delays} and {waited}");
    assert!(1_000 < delays);
}

struct Schedstat {
    /// For each CPU the numbers of its line.
    cpus: Vec<Vec<u64>>,
    /// For each CPU and domain its name, mask and numbers.
    domains: Vec<Vec<(String, String, Vec<u64>)>>,
}

fn schedstat(run: &Run) -> Schedstat {
    let text = run.text(ExportFormat::Schedstat);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("version 17"));
    let (word, jiffies) = lines.next().and_then(|line| line.split_once(' ')).expect("a time stamp");
    let hz = u64::from(run.scenario.setup(0).kernel.tunables.hz);
    assert_eq!((word, number(jiffies)), ("timestamp", run.timeline.end().0 * hz / 1_000_000_000));
    let mut found = Schedstat { cpus: Vec::new(), domains: Vec::new() };
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == format!("cpu{}", found.cpus.len()) {
            assert_eq!(words.len(), 10);
            found.cpus.push(words[1..].iter().map(|word| number(word)).collect());
            found.domains.push(Vec::new());
        } else {
            let of_cpu = found.domains.last_mut().expect("a CPU comes first");
            assert_eq!((words[0], words.len()), (format!("domain{}", of_cpu.len()).as_str(), 3 + 45));
            let numbers = words[3..].iter().map(|word| number(word)).collect();
            of_cpu.push((words[1].to_owned(), words[2].to_owned(), numbers));
        }
    }
    found
}

#[test]
fn schedstat_sums_to_the_counters_of_the_engine() {
    for run in runs() {
        let Schedstat { cpus, domains } = schedstat(&run);
        let sum = |field: usize| cpus.iter().map(|cpu| cpu[field]).sum::<u64>();
        let of_domains = |field: usize| domains.iter().flatten().map(|(_, _, of)| of[field]).sum::<u64>();
        let counters = &run.counters;
        assert_eq!(sum(2), counters.switches);
        assert_eq!(sum(3) + sum(8), counters.switches, "to idle or to a task");
        assert!(
            sum(4) <= counters.wakeups && counters.wakeups <= sum(4) + 40,
            "some are under way at the end"
        );
        assert_eq!(of_domains(42) + sum(5), sum(4), "local or remote");
        let gained = of_domains(7) + of_domains(11 + 7) + of_domains(22 + 7);
        assert_eq!(gained, counters.busy_pulls + counters.idle_pulls + counters.newidle_pulls);
        assert_eq!(of_domains(22 + 7), counters.newidle_pulls);
        assert_eq!(of_domains(33 + 2), counters.active_pushes);
        for (counts, cpu) in cpus.iter().zip((0..).map(sim::CpuId)) {
            let pieces = run.timeline.running(cpu).pieces();
            let busy = pieces.filter(|piece| piece.value != Event::NO_TASK);
            assert_eq!(counts[6], busy.map(|piece| (piece.to - piece.from).0).sum::<u64>());
        }
    }
}

#[test]
fn schedstat_tells_the_waits_and_domains_of_the_board() {
    let run = &runs()[0];
    let Schedstat { cpus, domains } = schedstat(run);
    assert_eq!(cpus.iter().map(|cpu| cpu[7]).sum::<u64>(), run.counters.wait_sum_ns);
    let named: Vec<(&str, &str)> =
        domains[5].iter().map(|(name, mask, _)| (name.as_str(), mask.as_str())).collect();
    assert_eq!(named, [("MC", "f0"), ("DIE", "ff")]);
}

#[test]
fn a_report_has_the_figures_the_link_and_the_command() {
    let run = &runs()[0];
    let text = run.text(ExportFormat::Report);
    let summaries: Vec<_> = (0..3)
        .map(|column| {
            let options = protocol::RunOptions { keep_trace: false, audit_hunks: true };
            session::run_column(&run.scenario, column, run.scenario.seed, options)
        })
        .collect();
    assert!(text.starts_with("# schbench on a HiKey 620\n"));
    assert!(text.contains(&format!("`{}`", scenario::Link::new(run.scenario.clone()).encode())));
    assert!(text.contains("`runqueue run hikey-schbench --set workload.runtime_s=2`"));
    let hashes: Vec<String> = summaries.iter().map(|summary| format!("`{}`", summary.trace_hash)).collect();
    let hashes = format!("| trace hash | {} |", hashes.join(" | "));
    assert!(text.contains(&hashes), "{text}");
    let p99 = |column: usize| summaries[column].metric("p99_us").expect("schbench has it");
    assert!(text.contains(&format!("| 99th percentile | µs | {} | {} | {} |", p99(0), p99(1), p99(2))));
    assert!(text.contains("| base | p99_us | 14288 µs | "));
    let counted: u64 = section(&text, "## Distribution")
        .map(|cells| cells[3..6].iter().map(|cell| number(cell)).sum::<u64>())
        .sum();
    let samples: usize = summaries.iter().map(|summary| summary.samples.latency_us.len()).sum();
    assert_eq!(counted, samples as u64);
    let asked = [0, 2].map(|column| summaries[column].hunks[0].asked.to_string());
    assert!(
        summaries[1].hunks.iter().all(|hunk| hunk.asked == 0),
        "before the rework there is no such place"
    );
    let row = section(&text, "## Places").find(|cells| cells[3] == "asked").expect("it was reached");
    assert_eq!([row[4], row[6]], asked);
    assert_eq!(text.matches("Latency percentiles (usec)").count(), 3, "what schbench printed");
}

/// The cells of the rows of a section's table, from 1 on as Markdown begins rows with a bar.
fn section<'a>(text: &'a str, title: &str) -> impl Iterator<Item = Vec<&'a str>> + use<'a> {
    let start = text.find(title).expect("the section");
    let lines = text[start..].lines().skip_while(|line| !line.starts_with("|--")).skip(1);
    lines.take_while(|line| line.starts_with('|')).map(|line| line.split('|').map(str::trim).collect())
}

#[test]
fn a_table_of_a_report_has_as_many_cells_in_every_row() {
    for run in runs() {
        let text = run.text(ExportFormat::Report);
        let mut width = 0;
        for line in text.lines() {
            let cells = line.replace("\\|", "").matches('|').count();
            assert!(width == 0 || cells == 0 || cells == width, "{line}");
            width = cells;
        }
    }
}
