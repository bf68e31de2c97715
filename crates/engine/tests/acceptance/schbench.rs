//! schbench itself: A4 to A7. (A1 to A3 are arithmetic and text, tested in `metrics`.)

use engine::{Engine, Options};
use metrics::Rank;
use scenario::Setup;
use trace::EventKind;
use workload::Workload;

use crate::runs::{over_seeds, scenario};
use crate::seeds::seeds;

/// One worker on an idle machine: what it costs to wake it, with the least and the most that the jitter allows.
fn a4(preset: &str, least_us: u64, most_us: u64, through_wake_list: bool) {
    let one_worker = [("workload.message_threads", "1"), ("workload.threads", "1")];
    for (jitter, least_us, most_us) in
        [("25", least_us * 3 / 4, most_us * 5 / 4 + 1), ("0", least_us, most_us)]
    {
        let mut scenario = scenario(preset, &one_worker);
        scenario.set("costs.jitter_pct", jitter).expect("the key takes this value");
        for run in over_seeds(&scenario, 0).into_iter().take(50) {
            for sample in run.samples.iter().filter(|sample| sample.from_wakeup) {
                let us = sample.latency_us;
                assert!(
                    (least_us..=most_us).contains(&us),
                    "{preset}, jitter {jitter} %: woke after {us} µs"
                );
            }
            assert_eq!(through_wake_list, 9 <= run.counters.wake_list_wakeups, "{preset}");
        }
    }
}

#[test]
fn a4_one_worker_on_an_idle_machine_costs_the_closed_form() {
    // Under one cache: up to the placement 4, kick 6, switch 6, return 5. The clock shows whole microseconds.
    a4("llc8-schbench", 21, 22, false);
    // The worker was born in the other cluster: its wake-ups go through the wake list, whose window is 3 µs more.
    a4("hikey-schbench", 24, 25, true);
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
