//! Small scenarios drawn as text: one line a CPU, one character a span of time, so that a decision that moves shows
//! as a picture that changed.

use expect_test::{Expect, expect};
use kernel::{Era, Kernel};
use scenario::{CostTable, Scenario, Setup};
use sim::Nanos;
use topology::Topology;
use trace::{Event, EventKind};
use workload::{WorkloadSpec, hogs, periodic};

use crate::{Engine, Options};

/// Draws the first `columns` spans of `span_us`: the task that runs in the middle of each, `.` for idle.
fn check(setup: &Setup, span_us: u64, columns: u64, expected: Expect) {
    let mut engine = Engine::new(
        &Setup { until: Nanos::from_micros(span_us * columns), ..setup.clone() },
        Options { keep_events: true, check_invariants: true, ..Options::default() },
    );
    engine.run_to_end();
    let mut picture = String::new();
    for cpu in setup.topology.ids() {
        let mut running = '.';
        let mut events = engine
            .trace()
            .events()
            .iter()
            .filter(|event| event.kind == EventKind::Switch && event.cpu == cpu)
            .peekable();
        for column in 0..columns {
            let middle = Nanos::from_micros(column * span_us + span_us / 2);
            while let Some(event) = events.next_if(|event| event.at <= middle) {
                running = match event.task {
                    Event::NO_TASK => '.',
                    task => char::from_digit(task.0 % 36, 36).unwrap_or('?'),
                };
            }
            picture.push(running);
        }
        picture.push('\n');
    }
    expected.assert_eq(&picture);
}

fn setup(topology: Topology, hz: u32, workload: WorkloadSpec) -> Setup {
    let preset = Scenario::from_preset("hikey-schbench").expect("the preset exists").setup(0);
    let kernel = Kernel::released(Era::V5_10, topology.len() as u32, hz);
    let costs = CostTable { jitter_pct: 0, ..preset.costs };
    Setup { topology, kernel, costs, workload, seed: 1, ..preset }
}

fn hogs(nice: &[i8]) -> WorkloadSpec {
    WorkloadSpec::Hogs(hogs::Spec { nice: nice.to_vec() })
}

#[test]
fn two_hogs_take_turns_of_a_slice() {
    // One CPU: a latency of 6 ms for two, 3 ms each, which a tick of 4 ms rounds up.
    check(
        &setup(Topology::regular(1, 1, 1, 1), 250, hogs(&[0, 0])),
        1_000,
        40,
        expect![[r#"
        1111000011110000111100001111000011110000
    "#]],
    );
}

#[test]
fn weights_share_a_cpu_three_to_one() {
    check(
        &setup(Topology::regular(1, 1, 1, 1), 1000, hogs(&[0, 5])),
        1_000,
        40,
        expect![[r#"
        1000001100000110000010000011000001100000
    "#]],
    );
}

#[test]
fn hogs_spread_over_idle_cpus_at_birth() {
    check(
        &setup(Topology::regular(1, 2, 2, 1), 250, hogs(&[0, 0, 0, 0])),
        1_000,
        30,
        expect![[r#"
        000000000000000000000000000000
        222222222222222222222222222222
        111111111111111111111111111111
        333333333333333333333333333333
    "#]],
    );
}

#[test]
fn three_hogs_on_two_cpus_are_moved_about() {
    check(
        &setup(Topology::regular(1, 1, 2, 1), 250, hogs(&[0, 0, 0])),
        4_000,
        60,
        expect![[r#"
        220022002200220022002220022002200222222222222222222200220022
        111111111111111111111111111111111111001100110011001111111111
    "#]],
    );
}

#[test]
fn sleepers_take_the_cpu_from_a_hog() {
    let periodic = periodic::Spec { threads: 3, run: Nanos::from_millis(1), sleep: Nanos::from_millis(4) };
    let setup = setup(Topology::regular(1, 1, 2, 1), 250, WorkloadSpec::Periodic(periodic));
    check(
        &setup,
        500,
        60,
        expect![[r#"
        ..22.....00.22.....00.22.....00.22.....00.22.....00.22......
        ....111........11........11........11........11........11...
    "#]],
    );
}
