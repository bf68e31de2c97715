use workload::{Workload, WorkloadSpec};

use super::*;
use crate::validate;

#[test]
fn every_preset_can_be_run_and_knows_its_name() {
    for (position, preset) in Preset::all().iter().enumerate() {
        assert_eq!(validate(&preset.scenario), [], "{}", preset.name);
        assert_eq!(preset.scenario.preset, preset.name);
        assert!(Preset::all()[..position].iter().all(|earlier| earlier.name != preset.name));
        assert!(
            preset.summary.ends_with('.') && !preset.title.is_empty() && !preset.scenario.title.is_empty()
        );
    }
    assert_eq!(Preset::all()[0].name, "hikey-schbench");
}

#[test]
fn a_patch_and_the_preset_that_it_names_know_each_other() {
    // A patch may be there before its preset is.
    let named: Vec<(Patch, &Preset)> = Patch::ALL
        .into_iter()
        .filter_map(|patch| Some((patch, Preset::find(patch.info().preset)?)))
        .collect();
    assert_eq!((named[0].0, named[0].1.name), (Patch::LlcSpread, "hikey-schbench"));
    for (patch, preset) in named {
        assert!(preset.patches.contains(&patch));
        assert_eq!(preset.published[0].message_id, patch.info().message_id);
        assert_eq!(preset.published[0].date, patch.info().date);
    }
}

#[test]
fn published_figures_belong_to_columns_and_read_as_printed() {
    for preset in Preset::all() {
        for figure in preset.published.iter().flat_map(|published| published.figures) {
            assert!(preset.scenario.columns.iter().any(|column| column.name == figure.column), "{figure:?}");
            let suffix = if figure.unit == Unit::Microseconds { "_us" } else { "_ms" };
            assert!(figure.metric.ends_with(suffix), "{figure:?}");
        }
    }
    let hikey = Preset::find("hikey-schbench").unwrap();
    let shown = |column: &str| -> Vec<String> {
        hikey
            .published_of(column)
            .map(|(_, figure)| format!("{} {}", figure.metric, figure.number()))
            .collect()
    };
    assert_eq!(hikey.published[0].figures.len(), 18);
    assert_eq!(shown("base")[3..5], ["p95_us 4152", "p99_us 14288"]);
    assert_eq!(shown("patched")[3..5], ["p95_us 78", "p99_us 94"]);
    let figure =
        |thousandths| Figure { column: "", metric: "", thousandths, unit: Unit::Microseconds }.number();
    assert_eq!(
        [figure(1_325_720), figure(-48_600), figure(-500), figure(0)],
        ["1325.72", "-48.6", "-0.5", "0"]
    );
}

#[test]
fn the_hikey_runs_the_published_command_before_and_after_the_patch() {
    let scenario = &Preset::find("hikey-schbench").unwrap().scenario;
    let names: Vec<&str> = scenario.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["base", "pre-rework", "patched"]);
    let [base, before, patched] = [0, 1, 2].map(|column| scenario.setup(column));
    assert_eq!(base.kernel.patches.value(Patch::LlcSpread), "off");
    assert_eq!(patched.kernel.patches.value(Patch::LlcSpread), "merged");
    assert_eq!((before.kernel.era, before.kernel.patches.value(Patch::LlcSpread)), (Era::V5_4, "off"));
    assert_eq!((base.topology.len(), base.capacity, base.kernel.tunables.hz), (8, 1021, 250));
    assert_eq!((base.seed, &base.workload), (patched.seed, &patched.workload));
    let expected = schbench::Spec {
        generation: Generation::Y2019,
        message_threads: 2,
        worker_threads: 4,
        sleep_us: 10_000,
        think_us: 1_000_000,
        runtime_s: 10,
    };
    assert_eq!(base.workload, WorkloadSpec::Schbench(expected));
}

#[test]
fn the_smt_server_compares_three_forms() {
    let scenario = &Preset::find("smt40-schbench").unwrap().scenario;
    let values: Vec<String> = (0..3)
        .map(|column| scenario.setup(column).kernel.patches.value(Patch::LlcSpread).to_owned())
        .collect();
    assert_eq!(values, ["off", "group_weight", "merged"]);
    let setup = scenario.setup(0);
    assert_eq!((setup.topology.len(), setup.kernel.tunables.hz, setup.costs.jitter_pct), (40, 1000, 35));
}

#[test]
fn the_virtual_machine_compares_the_flag_the_revert_and_the_patch() {
    let scenario = &Preset::find("vm32-schbench").unwrap().scenario;
    let names: Vec<&str> = scenario.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["base", "revert", "patched"]);
    let setups = [0, 1, 2].map(|column| scenario.setup(column));
    let differs: Vec<(&str, bool)> = setups
        .iter()
        .map(|setup| (setup.kernel.patches.value(Patch::TtwuPending), setup.kernel.tunables.ttwu_queue_idle))
        .collect();
    assert_eq!(differs, [("off", true), ("off", false), ("merged", true)]);
    let base = &setups[0];
    assert_eq!((base.kernel.era, base.kernel.tunables.hz, base.capacity), (Era::V6_1, 1000, 1022));
    assert_eq!(base.kernel.patches.value(Patch::LlcSpread), "merged", "as that version has it");
    assert_eq!(base.topology, topology::Topology::regular(1, 1, 16, 2));
    assert_eq!((&base.costs, base.until), (&CostSet::Generic.table(), setups[2].until));
    let published = &Preset::find("vm32-schbench").unwrap().published[0];
    assert_eq!(published.figures.len(), 21);
    assert!(setups.iter().all(|setup| setup.workload == base.workload));
    assert_eq!(base.workload, schbench_2016(16).spec(&base.topology));
}

#[test]
fn throughput_is_measured_on_the_virtual_machine_before_and_after_the_patch() {
    let names = ["vm32-hackbench", "vm32-context1", "vm32-spawn", "vm32-execl"];
    let threads = names.map(|name| {
        let scenario = &Preset::find(name).unwrap().scenario;
        let [base, patched] = [0, 1].map(|column| scenario.setup(column));
        let values = [&base, &patched].map(|setup| setup.kernel.patches.value(Patch::TtwuPending));
        assert_eq!(values, ["off", "merged"]);
        let vm = Preset::find("vm32-schbench").unwrap().scenario.setup(0);
        assert_eq!((&base.topology, &base.costs, base.capacity), (&vm.topology, &vm.costs, vm.capacity));
        assert_eq!((&base.kernel, &patched.workload), (&vm.kernel, &base.workload));
        Workload::new(&base.workload, 1).threads().len() as u64
    });
    assert_eq!(threads, [401, 64, 160, 32]);
    for (name, threads) in names.into_iter().zip(threads) {
        assert_eq!(Preset::find(name).unwrap().scenario.workload.thread_count(), threads, "{name}");
    }
}

#[test]
fn the_big_server_compares_who_enqueues() {
    let scenario = &Preset::find("cpu104-schbench").unwrap().scenario;
    let [direct, list] = [0, 1].map(|column| scenario.setup(column));
    assert_eq!([&direct, &list].map(|setup| setup.kernel.tunables.ttwu_queue_idle), [false, true]);
    assert_eq!((list.topology.len(), list.kernel.era, list.kernel.tunables.hz), (104, Era::V6_1, 1000));
    assert_eq!(list.workload, schbench_2016(8).spec(&list.topology));
}

#[test]
fn benchmarks_have_the_cpus_and_threads_that_they_say() {
    let shapes: Vec<(&str, usize, usize, u64)> = Preset::all()
        .iter()
        .filter(|preset| preset.purpose == Purpose::Benchmark)
        .map(|preset| {
            let setup = preset.scenario.setup(0);
            let workload = Workload::new(&setup.workload, 1);
            (preset.name, setup.topology.len(), workload.threads().len(), setup.until.0 / 1_000_000_000)
        })
        .collect();
    assert_eq!(
        shapes,
        [
            ("hogs-16cpu", 16, 48, 60),
            ("hogs-4cpu", 4, 16, 290),
            ("d3-8cpu", 8, 16, 100),
            ("d3-8cpu-1khz", 8, 16, 100),
            ("d3-64cpu", 64, 128, 10),
        ]
    );
}

#[test]
fn the_main_duel_has_its_nice_levels() {
    let setup = Preset::find("hogs-16cpu").unwrap().scenario.setup(0);
    let WorkloadSpec::Hogs(hogs) = setup.workload else { panic!("hogs") };
    let count = |nice: i8| hogs.nice.iter().filter(|level| **level == nice).count();
    assert_eq!([count(0), count(5), count(-5), count(10)], [20, 12, 12, 4]);
}

#[test]
fn tunables_can_be_overridden_and_pull_the_period_along() {
    let mut scenario = Preset::find("hikey-schbench").unwrap().scenario.clone();
    let settings = [
        ("kernel.latency_ns", "6000000"),
        ("kernel.wakeup_granularity_ns", "0"),
        ("kernel.newidle", "off"),
        ("kernel.util_test", "off"),
        ("kernel.capacity", "3000"),
        ("machine.idle", "dt"),
    ];
    assert_eq!(scenario.set_all(settings), []);
    let setup = scenario.setup(0);
    let tunables = &setup.kernel.tunables;
    assert_eq!(
        (tunables.latency_ns, tunables.min_granularity_ns, tunables.nr_latency),
        (6_000_000, 3_000_000, 2)
    );
    assert_eq!(tunables.wakeup_granularity_ns, 0);
    assert!(!tunables.newidle_balance && !tunables.util_test);
    assert_eq!(setup.capacity, 3_000);
    let states: Vec<(&str, u64)> = setup.idle_states[0]
        .iter()
        .map(|state| (state.name.as_str(), state.exit_latency.as_micros()))
        .collect();
    assert_eq!(states, [("WFI", 0), ("CPU_SLEEP", 250), ("CLUSTER_SLEEP", 700)]);
}

/// What the mail's table has; its differences and percentages follow from it.
#[test]
fn launches_are_those_of_the_mail() {
    let names = ["android-launch", "android-launch-weixin", "android-launch-alipay"];
    let shown = names.map(|name| {
        let preset = Preset::find(name).unwrap();
        let [base, patched] = [0, 1].map(|column| preset.scenario.setup(column));
        assert_eq!((base.kernel.era, base.kernel.tunables.hz), (Era::V5_4Rework, 250));
        let values = [&base, &patched].map(|setup| setup.kernel.patches.value(Patch::RtIdleFirst).to_owned());
        assert!(values[0] == "off" && values[1] != "off", "{values:?}");
        assert_eq!(
            (&base.workload, &base.topology, base.seed),
            (&patched.workload, &patched.topology, patched.seed)
        );
        assert!(matches!(preset.scenario.machine, Machine::Named(machine) if machine.name == "mtk-2p6"));
        let figures = preset.published[0].figures.iter().map(Figure::number);
        figures.collect::<Vec<_>>()
    });
    assert_eq!(shown, [["1325.72", "1214.88"], ["615.92", "567.32"], ["702.41", "649.24"]]);
}

/// B11 of `model/rt-and-launch.md`.
#[test]
fn the_real_time_set_is_the_same_for_every_application() {
    let set_of = |name: &str| {
        let WorkloadSpec::Launch(spec) = Preset::find(name).unwrap().scenario.setup(0).workload else {
            panic!("{name} is a launch");
        };
        (spec.app, spec.rt, spec.refresh_hz)
    };
    let [weibo, weixin, alipay] =
        ["android-launch", "android-launch-weixin", "android-launch-alipay"].map(set_of);
    assert_eq!((&weibo.1, weibo.2), (&weixin.1, weixin.2));
    assert_eq!((&weibo.1, weibo.2), (&alipay.1, alipay.2));
    assert_eq!(weibo.1.multiplier_pct, 95, "that of the document, and nothing fitted here");
    assert!(weibo.0 != weixin.0 && weixin.0 != alipay.0);
}
