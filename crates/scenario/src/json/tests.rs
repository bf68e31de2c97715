use expect_test::{Expect, expect};

use super::*;
use crate::scenario::WorkloadChoice;

fn check_problems(text: &str, expected: &Expect) {
    let problems = Scenario::from_json(text).expect_err("the file is wrong");
    expected.assert_eq(&in_lines(&problems));
}

#[test]
fn a_preset_as_it_is_says_no_more_than_its_name() {
    for preset in Preset::all() {
        let text = preset.scenario.to_json();
        assert_eq!(text, format!("{{\n  \"preset\": \"{}\",\n  \"version\": 1\n}}\n", preset.name));
        assert_eq!(Scenario::from_json(&text).as_ref(), Ok(&preset.scenario));
    }
}

#[test]
fn a_scenario_without_preset_says_what_is_not_default() {
    let mut scenario = Scenario::from_preset("smt40-schbench").unwrap();
    scenario.preset = String::new();
    scenario.set("machine.threads", "4").unwrap();
    scenario.set("costs.window_ns", "0").unwrap();
    scenario.set("kernel.newidle", "off").unwrap();
    let text = scenario.to_json();
    expect![[r#"
        {
          "columns": [
            {
              "name": "base",
              "set": {
                "patches.llc-spread": "off"
              }
            },
            {
              "name": "group_weight",
              "set": {
                "patches.llc-spread": "group_weight"
              }
            },
            {
              "name": "patched",
              "set": {
                "patches.llc-spread": "merged"
              }
            }
          ],
          "costs": {
            "name": "generic",
            "window_ns": 0
          },
          "kernel": {
            "capacity": 1022,
            "hz": 1000,
            "newidle": false
          },
          "machine": {
            "cores": 20,
            "llcs": 1,
            "name": "custom",
            "threads": 4
          },
          "title": "schbench on a 40-CPU SMT server",
          "version": 1,
          "workload": {
            "runtime_s": 30,
            "sleep_us": 1000,
            "threads": 20
          }
        }
    "#]]
    .assert_eq(&text);
    assert_eq!(Scenario::from_json(&text), Ok(scenario));
}

#[test]
fn people_may_write_values_in_their_own_way() {
    let scenario = Scenario::from_json(
        r#"{ "machine": {"packages": "1", "capacities": [462, 462, "2x1024"], "cores": 2, "name": "hikey620"},
             "kernel": {"newidle": false, "util_test": "off", "latency_ns": "auto"},
             "patches": {"llc-spread": true},
             "workload": {"nice": [0, "3x5"], "kind": "hogs"},
             "columns": [{"name": "a"}, {"set": {"patches.llc-spread": false}, "name": "b"}] }"#,
    )
    .unwrap();
    assert_eq!(scenario.machine.capacities(), [462, 462, 1024, 1024]);
    assert!(!scenario.kernel.newidle && !scenario.kernel.util_test);
    assert_eq!(scenario.get("columns.a.patches.llc-spread").unwrap(), "merged");
    assert_eq!(scenario.get("columns.b.patches.llc-spread").unwrap(), "off");
    assert!(matches!(&scenario.workload, WorkloadChoice::Hogs(hogs) if hogs.nice == [(0, 1), (5, 3)]));
}

#[test]
fn all_problems_of_a_file_come_at_once() {
    check_problems(
        r#"{ "preset": "hikey", "kernel": {"hz": 250.0, "era": null, "capasity": 1000}, "seed": -1, "machine": [[1]],
             "workload": {"threads": 5000, "message_threads": 1024},
             "columns": [{"name": "a", "set": {"kernel.hz": 2}}, {"set": {}}, {"name": "A", "sett": 1}, 7] }"#,
        &expect![[r#"
            preset: expected one of the presets hikey-schbench, llc8-schbench, hikey960-schbench, smt40-schbench, vm32-schbench, cpu104-schbench, android-launch, android-launch-weixin, android-launch-alipay, android-launch-hikey960, android-launch-2c, vm32-hackbench, vm32-context1, vm32-spawn, vm32-execl, hogs-16cpu, hogs-4cpu, d3-8cpu, d3-8cpu-1khz or d3-64cpu, found hikey; did you mean android-launch-hikey960? Leave it out for a scenario without a preset
            kernel.era: expected a number, a word in quotes, true or false, found null; write such a value or leave it out
            machine: expected a number, a word in quotes, true or false, found [[1]]; write such a value or leave it out
            kernel.hz: expected 100, 250, 300 or 1000, found 250.0; did you mean 250?
            workload.threads: expected a whole number from 1 to 4096 threads, found 5000; use 4096 or less
            seed: expected a whole number from 0 to 9007199254740991, found -1; use 0 or more
            kernel.capasity: expected a key of the scenario, found an unknown key; did you mean kernel.capacity?
            columns.a.kernel.hz: expected 100, 250, 300 or 1000, found 2; did you mean 100?
            columns[1]: expected a list of objects such as {"name": "base", "set": {"kernel.hz": 1000}}, found {"set":{}}; write the columns in this way
            columns[2].sett: expected a list of objects such as {"name": "base", "set": {"kernel.hz": 1000}}, found 1; write the columns in this way
            columns[3]: expected a list of objects such as {"name": "base", "set": {"kernel.hz": 1000}}, found 7; write the columns in this way
            columns: expected column names of 1 to 32 small letters, digits, - and _, found A; give the column such a name, for example base or patched
            workload.threads: expected at most 4096 threads in all, found 5121 threads; lower workload.threads or workload.message_threads"#]],
    );
}

#[test]
fn a_newer_version_is_named_and_its_new_keys_are_not_held_against_it() {
    check_problems(
        r#"{ "version": 2, "quantum": {"foam": 1}, "seed": "x" }"#,
        &expect![[r#"
        version: expected 1 or older, found 2; open it with a newer Runqueue; reloading the page may fetch one
        seed: expected a whole number from 0 to 9007199254740991, found x; write digits only, for example 1"#]],
    );
    check_problems(
        r#"{ "version": "one" }"#,
        &expect![[r#"version: expected 1 or older, found "one"; leave the version out"#]],
    );
    assert!(Scenario::from_json(r#"{ "version": 1 }"#).is_ok());
}

#[test]
fn what_is_no_json_names_the_place() {
    check_problems(
        "{\n  \"seed\": 1,\n}",
        &expect![[
            r#"line 3 column 1: expected JSON, found trailing comma at line 3 column 1; check commas, quotes and brackets around this place"#
        ]],
    );
    check_problems(
        "",
        &expect![[
            r#"line 1 column 0: expected JSON, found EOF while parsing a value at line 1 column 0; check commas, quotes and brackets around this place"#
        ]],
    );
    check_problems(
        "[1]",
        &expect![[
            r#"the file: expected an object in braces, found [1]; start with { and name at least the preset"#
        ]],
    );
    check_problems(
        &"[".repeat(100_000),
        &expect![[
            r#"line 1 column 128: expected JSON, found recursion limit exceeded at line 1 column 128; check commas, quotes and brackets around this place"#
        ]],
    );
    check_problems(
        &" ".repeat(MAX_BYTES + 1),
        &expect![[
            r#"the file: expected at most 1048576 bytes, found 1048577 bytes; check that this is a scenario"#
        ]],
    );
}

#[test]
fn columns_that_are_no_list_are_shown_how() {
    check_problems(
        r#"{ "columns": {"base": {}} }"#,
        &expect![[
            r#"columns: expected a list of objects such as {"name": "base", "set": {"kernel.hz": 1000}}, found {"base":{}}; write the columns in this way"#
        ]],
    );
    check_problems(
        r#"{ "columns": [] }"#,
        &expect![[
            r#"columns: expected 1 to 8 columns, found no column; keep those that you want to compare"#
        ]],
    );
}

#[test]
fn serde_carries_a_scenario_as_the_same_object() {
    let mut scenario = Scenario::from_preset("hikey-schbench").unwrap();
    scenario.set("seed", "9007199254740991").unwrap();
    let value = serde_json::to_value(&scenario).unwrap();
    assert_eq!(value, json!({ "preset": "hikey-schbench", "seed": 9_007_199_254_740_991_u64 }));
    assert_eq!(serde_json::from_value::<Scenario>(value).unwrap(), scenario);
    let error = serde_json::from_value::<Scenario>(json!({ "seed": "x" })).unwrap_err();
    assert!(error.to_string().contains("seed: expected a whole number"), "{error}");
}
