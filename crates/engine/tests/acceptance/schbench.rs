//! schbench itself: A4 to A7. (A1 to A3 are arithmetic and text, tested in `metrics`.)

use engine::{Engine, Options};
use metrics::Rank;
use scenario::Setup;
use trace::EventKind;
use workload::Workload;

use crate::runs::{over_seeds, run, scenario};
use crate::seeds::seeds;

#[test]
fn a4_one_worker_on_an_idle_machine_costs_the_closed_form() {
    let scenario =
        scenario("hikey-schbench", &[("workload.message_threads", "1"), ("workload.threads", "1")]);
    for run in over_seeds(&scenario, 0) {
        for sample in run.samples.iter().filter(|sample| sample.from_wakeup) {
            // 4 + 6 + 6 + 5 µs, each moved by at most a quarter, and the clock's whole microseconds.
            assert!((15..=27).contains(&sample.latency_us), "woke after {} µs", sample.latency_us);
        }
    }
}

#[test]
fn a4_without_jitter_the_closed_form_is_exact() {
    let scenario = scenario(
        "hikey-schbench",
        &[("workload.message_threads", "1"), ("workload.threads", "1"), ("costs.jitter_pct", "0")],
    );
    let run = run(&scenario.setup(0));
    for sample in run.samples.iter().filter(|sample| sample.from_wakeup) {
        assert!((21..=22).contains(&sample.latency_us), "woke after {} µs", sample.latency_us);
    }
}

#[test]
fn a5_the_command_of_the_mail_records_eighty_latencies() {
    for column in 0..2 {
        for run in over_seeds(&scenario("hikey-schbench", &[]), column) {
            assert_eq!(run.samples.len(), 80);
            assert_eq!(run.samples.iter().filter(|sample| !sample.from_wakeup).count(), 8);
            assert!(run.printed(Rank::P50) < run.printed(Rank::P99));
        }
    }
}

#[test]
fn a7_a_spin_ends_by_the_clock_even_if_its_worker_had_to_wait() {
    let scenario = scenario("hikey-schbench", &[]);
    let mut stacked = 0;
    for seed in seeds().into_iter().take(20) {
        let setup = Setup { seed, ..scenario.setup(0) };
        let mut engine = Engine::new(&setup, Options { keep_events: true, ..Options::default() });
        engine.run_to_end();
        let Workload::Schbench(schbench) = engine.workload() else { panic!("the scenario runs schbench") };
        for sample in schbench.samples().iter().filter(|sample| 12_000 <= sample.latency_us) {
            // It waited for its first turn; from then on a second passes by the clock until it posts.
            let next_wait = engine.trace().events().iter().find(|event| {
                event.kind == EventKind::Waking
                    && event.task == sample.worker
                    && sample.at.0 + 1_000_000_000 < event.at.0
            });
            let Some(next_wait) = next_wait else { continue };
            let later = next_wait.at.0 - sample.at.0;
            // One second of spin, then at most a sleep with its jitter and one more slice of waiting.
            assert!((1_000_000_000..1_060_000_000).contains(&later), "woken again after {later} ns");
            stacked += 1;
        }
    }
    assert!(0 < stacked, "no worker waited for a slice");
}
