use expect_test::{Expect, expect};
use kernel::Form;
use topology::Shape;
use workload::schbench;

use super::*;
use crate::problem::in_lines;
use crate::{HogsChoice, Machine, PeriodicChoice};

fn check(scenario: &Scenario, expected: &Expect) {
    expected.assert_eq(&in_lines(&validate(scenario)));
}

fn hikey() -> Scenario {
    Scenario::from_preset("hikey-schbench").unwrap()
}

#[test]
fn what_is_right_has_no_problem() {
    assert_eq!(validate(&Scenario::default()), []);
    assert_eq!(validate(&hikey()), []);
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let mut scenario = hikey();
    scenario.machine = Machine::Custom {
        shape: Shape { packages: 2, llcs: 4, cores: 64, threads: 2 },
        capacities: vec![512; 3],
    };
    scenario.kernel.hz = 500;
    scenario.kernel.capacity = 0;
    scenario.kernel.latency_ns = Some(1);
    scenario.seed = u64::MAX;
    scenario.run.max_events = 0;
    scenario.title = "x\ny".to_owned();
    scenario.costs.table.jitter_pct = 101;
    if let WorkloadChoice::Schbench(spec) = &mut scenario.workload {
        *spec = schbench::Spec { worker_threads: 0, message_threads: 0, sleep_us: 3, ..spec.clone() };
    }
    check(
        &scenario,
        &expect![[r#"
        kernel.hz: expected 100, 250, 300 or 1000, found 500; did you mean 300?
        kernel.latency_ns: expected a whole number from 100000 to 1000000000 ns, or auto, found 1; use 100000 or more
        kernel.capacity: expected a whole number from 1 to 4096, found 0; use 1 or more
        workload.message_threads: expected a whole number from 1 to 1024 threads, found 0; use 1 or more
        workload.threads: expected a whole number from 1 to 4096 threads, found 0; use 1 or more
        workload.sleep_us: expected a whole number from 4 to 60000000 µs, found 3; use 4 or more
        costs.jitter_pct: expected a whole number from 0 to 100 %, found 101; use 100 or less
        seed: expected a whole number from 0 to 9007199254740991, found 18446744073709551615; use 9007199254740991 or less
        run.max_events: expected a whole number from 1000 to 2000000000 events, found 0; use 1000 or more
        title: expected one line of at most 120 characters, found x␣y; write it on one line and shorten it
        machine: expected at most 256 CPUs, found 1024 CPUs (2 packages × 4 caches × 64 cores × 2 threads); lower one of machine.packages, machine.llcs, machine.cores and machine.threads
        machine.capacities: expected a capacity for each of the 512 cores, or none, found 3 capacities; write one number a core, or leave it empty so that all cores are equal
        machine.capacities: expected 1024 for the strongest core, found 512 at most; raise all capacities in proportion until the strongest has 1024"#]],
    );
}

#[test]
fn an_absurd_machine_is_named_as_such() {
    let shape = Shape { packages: u16::MAX, llcs: u16::MAX, cores: 0, threads: u16::MAX };
    let machine = Machine::Custom { shape, capacities: Vec::new() };
    let scenario = Scenario { machine, ..Scenario::default() };
    check(
        &scenario,
        &expect![[r#"
        machine.packages: expected a whole number from 1 to 8, found 65535; use 8 or less
        machine.llcs: expected a whole number from 1 to 64, found 65535; use 64 or less
        machine.cores: expected a whole number from 1 to 256, found 0; use 1 or more
        machine.threads: expected a whole number from 1 to 8, found 65535; use 8 or less"#]],
    );
}

#[test]
fn capacities_must_fit_the_cores() {
    let mut scenario = Scenario::default();
    scenario.set("machine.capacities", "4x462,4x1023").unwrap();
    check(
        &scenario,
        &expect![[
            r#"machine.capacities: expected 1024 for the strongest core, found 1023 at most; raise all capacities in proportion until the strongest has 1024"#
        ]],
    );
    scenario.set("machine.capacities", "4x462,4x1024").unwrap();
    assert_eq!(validate(&scenario), []);
    scenario.set("machine.cores", "3").unwrap();
    check(
        &scenario,
        &expect![[
            r#"machine.capacities: expected a capacity for each of the 6 cores, or none, found 8 capacities; write one number a core, or leave it empty so that all cores are equal"#
        ]],
    );
}

#[test]
fn threads_are_limited_in_all() {
    let mut scenario = Scenario::default();
    scenario.set_all([("workload.message_threads", "64"), ("workload.threads", "63")]);
    check(
        &scenario,
        &expect![[
            r#"workload.threads: expected at most 4096 threads in all, found 4097 threads; lower workload.threads or workload.message_threads"#
        ]],
    );
    scenario.workload = WorkloadChoice::Hogs(HogsChoice { nice: vec![(0, 4_096), (1, 1)], runtime_s: 1 });
    check(
        &scenario,
        &expect![[
            r#"workload.nice: expected 1 to 4096 whole numbers from -20 to 19 with commas between them, found 4096x0,1; write for example 4x19"#
        ]],
    );
    scenario.workload = WorkloadChoice::Hogs(HogsChoice { nice: vec![(0, 0), (40, 1)], runtime_s: 1 });
    check(
        &scenario,
        &expect![[
            r#"workload.nice: expected 1 to 4096 whole numbers from -20 to 19 with commas between them, found 40; write for example 4x19"#
        ]],
    );
    scenario.workload =
        WorkloadChoice::Periodic(PeriodicChoice { threads: 0, run_us: 0, sleep_us: u32::MAX, runtime_s: 0 });
    check(
        &scenario,
        &expect![[r#"
        workload.threads: expected a whole number from 1 to 4096 threads, found 0; use 1 or more
        workload.run_us: expected a whole number from 1 to 60000000 µs, found 0; use 1 or more
        workload.sleep_us: expected a whole number from 4 to 60000000 µs, found 4294967295; use 60000000 or less
        workload.runtime_s: expected a whole number from 1 to 3600 s, found 0; use 1 or more"#]],
    );
}

#[test]
fn a_kernel_that_cannot_be_run_yet_names_those_that_can() {
    let mut scenario = Scenario::default();
    scenario.set("kernel.era", "v6.18").unwrap();
    check(
        &scenario,
        &expect![
            "kernel.era: expected a kernel version that can be run: v5.4, v5.4-rework, v5.10 or v6.1, found v6.18, which cannot be run yet; set kernel.era to v5.4, v5.4-rework, v5.10 or v6.1"
        ],
    );
}

#[test]
fn an_impossible_patch_names_the_eras_that_allow_it() {
    let mut scenario = hikey();
    scenario.set("kernel.era", "v5.4").unwrap();
    check(
        &scenario,
        &expect![
            "columns.patched.patches.llc-spread: expected off, because v5.4 cannot have it: its load balancer compares loads and never fills spare utilisation, found merged; set patches.llc-spread to off, or kernel.era to v5.4-rework, v5.10, v6.1, v6.6, v6.12 or v6.18"
        ],
    );
}

#[test]
fn a_patch_of_a_flag_needs_the_flag() {
    let mut scenario = Scenario::from_preset("vm32-schbench").unwrap();
    scenario.set("kernel.era", "v3.3").unwrap();
    check(
        &scenario,
        &expect![[r#"
            kernel.era: expected a kernel version that can be run: v5.4, v5.4-rework, v5.10 or v6.1, found v3.3, which cannot be run yet; set kernel.era to v5.4, v5.4-rework, v5.10 or v6.1
            columns.patched.patches.ttwu-pending: expected off, because v3.3 cannot have it: a pending wake-up shows as a wake list that is not empty, not as a flag, found merged; set patches.ttwu-pending to off, or kernel.era to v5.4, v5.4-rework, v5.10, v6.1, v6.6, v6.12 or v6.18"#]],
    );
    for era in ["v5.4", "v5.4-rework", "v5.10", "v6.1", "v6.6", "v6.12", "v6.18"] {
        scenario.set("kernel.era", era).unwrap();
        let patches = validate(&scenario).into_iter().filter(|problem| problem.path.contains("patches."));
        assert_eq!(patches.count(), 0, "{era} allows it");
    }
}

#[test]
fn a_form_that_does_not_exist_counts_as_off() {
    let mut scenario = Scenario::default();
    scenario.patches.insert(Patch::LlcSpread, Some(Form(200)));
    assert_eq!(scenario.patch_value(Patch::LlcSpread), "off");
    assert_eq!(validate(&scenario), []);
}

#[test]
fn columns_have_names_of_their_own() {
    let columns = ["a", "a", "B.c", ""].map(Column::named).to_vec();
    let mut scenario = Scenario { columns, ..Scenario::default() };
    check(
        &scenario,
        &expect![[r#"
        columns: expected column names of 1 to 32 small letters, digits, - and _, found B.c; give the column such a name, for example base or patched
        columns: expected column names of 1 to 32 small letters, digits, - and _, found nothing; give the column such a name, for example base or patched
        columns: expected a different name for each column, found a twice; rename one of them"#]],
    );
    scenario.columns.clear();
    check(
        &scenario,
        &expect![[
            r#"columns: expected 1 to 8 columns, found no column; keep those that you want to compare"#
        ]],
    );
    scenario.columns = (0..9).map(|column| Column::named(&column.to_string())).collect();
    check(
        &scenario,
        &expect![[
            r#"columns: expected 1 to 8 columns, found more columns; keep those that you want to compare"#
        ]],
    );
}

#[test]
fn a_problem_of_one_column_says_so_and_a_shared_one_is_said_once() {
    let mut scenario = hikey();
    scenario.set("columns.patched.machine.cores", "200").unwrap();
    scenario.set("columns.base.workload.nice", "0").unwrap();
    scenario.set("columns.base.kernel.era", "v6.6").unwrap();
    scenario.kernel.capacity = 5_000;
    check(
        &scenario,
        &expect![[r#"
            columns.base.workload.nice: expected a key of the workload that runs, found a key that schbench does not have; set workload.kind to the workload that you mean, or leave the key out
            kernel.capacity: expected a whole number from 1 to 4096, found 5000; use 4096 or less
            columns.base.kernel.era: expected a kernel version that can be run: v5.4, v5.4-rework, v5.10 or v6.1, found v6.6, which cannot be run yet; set kernel.era to v5.4, v5.4-rework, v5.10 or v6.1
            columns.patched.machine.cores: expected at most 256 CPUs, found 400 CPUs (1 packages × 2 caches × 200 cores × 1 threads); lower one of machine.packages, machine.llcs, machine.cores and machine.threads"#]],
    );
}

#[test]
fn a_preset_that_does_not_exist_is_no_origin() {
    let scenario = Scenario { preset: "hikey-schbanch".to_owned(), ..Scenario::default() };
    check(
        &scenario,
        &expect![
            "preset: expected one of the presets hikey-schbench, llc8-schbench, hikey960-schbench, smt40-schbench, vm32-schbench, cpu104-schbench, android-launch, android-launch-weixin, android-launch-alipay, android-launch-hikey960, android-launch-2c, vm32-hackbench, vm32-context1, vm32-spawn, vm32-execl, hogs-16cpu, hogs-4cpu, d3-8cpu, d3-8cpu-1khz or d3-64cpu, found hikey-schbanch; did you mean hikey-schbench? Leave it out for a scenario without a preset"
        ],
    );
}

#[test]
fn threads_that_are_a_product_have_a_common_bound() {
    for (kind, settings, path, found) in [
        (
            "hackbench",
            [("workload.groups", "103"), ("workload.fds", "20")],
            "workload.groups",
            "4121 threads",
        ),
        (
            "spawn",
            [("workload.copies", "820"), ("workload.runtime_ms", "5")],
            "workload.copies",
            "4100 threads",
        ),
    ] {
        let mut scenario = Scenario::default();
        scenario.set("workload.kind", kind).unwrap();
        let [(product, _), _] = settings;
        assert_eq!(scenario.set_all(settings), []);
        let problems = validate(&scenario);
        assert_eq!((problems.len(), problems[0].path.as_str()), (1, path), "{problems:?}");
        assert_eq!(problems[0].found, found);
        scenario.set(product, "102").unwrap();
        assert_eq!(validate(&scenario), []);
    }
}
