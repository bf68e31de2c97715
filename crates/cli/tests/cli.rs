//! The command line as others rely on it: the shape of its JSON, its exit status and its messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Two simulated seconds: quick, and long enough for every worker to be woken once.
const SHORT: [&str; 2] = ["--set", "workload.runtime_s=2"];

fn runqueue(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runqueue"));
    command.args(arguments).output().expect("the binary was built with the tests")
}

fn json(arguments: &[&str]) -> Value {
    let output = runqueue(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    serde_json::from_slice(&output.stdout).expect("standard output is one JSON document")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("tables are text")
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are text")
}

/// The lines on standard error of a command that must refuse its input.
fn refused(arguments: &[&str]) -> Vec<String> {
    let output = runqueue(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output));
    assert!(output.stdout.is_empty(), "a refusal prints no result");
    errors(&output).lines().map(str::to_owned).collect()
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn names(columns: &Value) -> Vec<&str> {
    let columns = columns.as_array().expect("a list of columns");
    columns.iter().map(|column| column["name"].as_str().expect("a name")).collect()
}

/// A new, empty directory for one test.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the target directory can be written");
    path
}

fn write(path: &Path, content: &str) -> String {
    fs::write(path, content).expect("the target directory can be written");
    path.to_str().expect("a path of plain text").to_owned()
}

#[test]
fn presets_are_listed_with_era_and_patches() {
    let presets = json(&["presets", "--json"]);
    let hikey = &presets[0];
    assert_eq!(hikey["name"], "hikey-schbench");
    assert_eq!(hikey["era"], "v5.10");
    assert_eq!(hikey["patches"], serde_json::json!(["llc-spread"]));
    assert!(!hikey["title"].as_str().expect("a title").is_empty());
    let table = text(&runqueue(&["presets"]));
    assert!(table.lines().next().expect("a heading").starts_with("name"));
    let first = table.lines().nth(1).expect("a preset");
    assert!(first.split_whitespace().take(3).eq(["hikey-schbench", "v5.10", "llc-spread"]), "{first}");
}

#[test]
fn a_run_has_every_promised_key() {
    let run = json(&[&["run", "hikey-schbench", "--seed", "7", "--json"], &SHORT[..]].concat());
    assert_eq!(keys(&run), ["columns", "engine_version", "preset"]);
    assert_eq!(run["preset"], "hikey-schbench");
    assert_eq!(names(&run["columns"]), ["base", "pre-rework", "patched"]);
    for column in run["columns"].as_array().expect("a list") {
        assert_eq!(keys(column), ["events", "metrics", "name", "seed", "trace_hash", "wall_ms"]);
        assert_eq!(column["seed"], 7);
        assert!(0 < column["events"].as_u64().expect("a count"));
        assert!(column["wall_ms"].as_f64().expect("a time") > 0.0);
        let hash = column["trace_hash"].as_str().expect("text");
        assert!(hash.len() == 16 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()), "{hash}");
        for key in [
            "p50_us",
            "p75_us",
            "p90_us",
            "p95_us",
            "p99_us",
            "p995_us",
            "p999_us",
            "max_us",
            "samples",
            "wakes_over_1ms",
            "util_refusals",
            "wait_while_idle_ms",
        ] {
            assert!(column["metrics"][key].is_number(), "{key}");
        }
        // One wake-up and one shutdown sample a worker.
        assert_eq!(column["metrics"]["samples"], 16);
    }
}

#[test]
fn the_virtual_machine_compares_three_columns_and_counts_the_race() {
    let presets = json(&["presets", "--json"]);
    let vm = presets.as_array().expect("a list").iter().find(|preset| preset["name"] == "vm32-schbench");
    let vm = vm.expect("the preset is listed");
    assert_eq!((&vm["era"], &vm["patches"]), (&Value::from("v6.1"), &serde_json::json!(["ttwu-pending"])));
    let run = json(&["run", "vm32-schbench", "--json", "--set", "workload.runtime_s=3"]);
    assert_eq!(names(&run["columns"]), ["base", "revert", "patched"]);
    for key in ["p995_us", "p999_us", "samples", "share_over_1ms"] {
        assert!(run["columns"][0]["metrics"][key].is_number(), "{key}");
    }
    let hits = [0, 1, 2].map(|at| run["columns"][at]["metrics"]["race_hits"].as_u64().expect("a count"));
    assert!(0 < hits[0] && hits[1..] == [0, 0], "{hits:?}");
}

#[test]
fn a_launch_has_its_time_and_what_the_patch_is_about() {
    for app in ["weibo", "weixin", "alipay"] {
        let setting = format!("workload.app={app}");
        let arguments = ["compare", "android-launch", "--seeds", "1..2", "--set", &setting, "--json"];
        let comparison = json(&arguments);
        assert_eq!(names(&comparison["columns"]), ["base", "patched"], "{app}");
        for column in [0, 1] {
            let metrics = &comparison["columns"][column]["runs"][1]["metrics"];
            for key in [
                "launch_ms",
                "main_wait_rt_ms",
                "main_wait_fair_ms",
                "avoidable_rt_preemptions",
                "sf_frame_ms",
                "sf_missed_vsyncs",
            ] {
                assert!(metrics[key].is_number(), "{app} {key}");
            }
        }
        let avoidable = |column: usize| {
            let metrics = &comparison["columns"][column]["runs"][0]["metrics"];
            metrics["avoidable_rt_preemptions"].as_u64().expect("a count")
        };
        assert!(0 < avoidable(0) && avoidable(1) == 0, "{app}");
    }
}

#[test]
fn a_link_to_an_impossible_patch_is_refused_with_the_eras_that_allow_it() {
    let lines = refused(&["run", "#1/vm32-schbench?kernel.era=v3.3~"]);
    let patch = lines.iter().find(|line| line.contains("columns.patched.patches.ttwu-pending"));
    let eras = "v5.4, v5.4-rework, v5.10, v6.1, v6.6, v6.12 or v6.18";
    assert!(patch.is_some_and(|line| line.contains(eras)), "{lines:#?}");
}

#[test]
fn equal_runs_are_equal_and_other_seeds_are_not() {
    let hash = |seed: &str| {
        let run = json(&[&["run", "hikey-schbench", "--seed", seed, "--json"], &SHORT[..]].concat());
        run["columns"][0]["trace_hash"].clone()
    };
    assert_eq!(hash("3"), hash("3"));
    assert_ne!(hash("3"), hash("4"));
}

#[test]
fn a_comparison_gives_the_runs_of_each_column_in_the_order_of_seeds_whatever_the_jobs() {
    let compare = |jobs: &str| {
        let arguments = ["compare", "hikey-schbench", "--seeds", "2..5", "--json", "--jobs", jobs];
        json(&[&arguments, &SHORT[..]].concat())
    };
    let comparison = compare("3");
    assert_eq!(comparison, compare("1"));
    assert_eq!(names(&comparison["columns"]), ["base", "pre-rework", "patched"]);
    for column in comparison["columns"].as_array().expect("a list") {
        let runs = column["runs"].as_array().expect("a list");
        let seeds: Vec<u64> = runs.iter().map(|run| run["seed"].as_u64().expect("a seed")).collect();
        assert_eq!(seeds, [2, 3, 4, 5]);
        assert!(runs.iter().all(|run| keys(run) == ["metrics", "seed", "trace_hash"]));
    }
    let single = json(&[&["run", "hikey-schbench", "--seed", "4", "--json"], &SHORT[..]].concat());
    assert_eq!(single["columns"][1]["trace_hash"], comparison["columns"][1]["runs"][2]["trace_hash"]);
    assert_eq!(single["columns"][1]["metrics"], comparison["columns"][1]["runs"][2]["metrics"]);
}

#[test]
fn tables_are_aligned_and_name_every_column() {
    let output = runqueue(&[&["run", "hikey-schbench", "--text"], &SHORT[..]].concat());
    let table = text(&output);
    let widths: Vec<usize> = table.lines().take(10).map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{table}");
    assert!(table.lines().next().expect("a heading").ends_with("patched"));
    assert_eq!(table.matches("Latency percentiles (usec)\n\t50.0th: ").count(), 3, "what schbench prints");
    assert_eq!(output.status.code(), Some(0));
    let table = text(&runqueue(&[&["compare", "hikey-schbench", "--seeds", "1..3"], &SHORT[..]].concat()));
    assert!(table.starts_with("3 runs of each column"));
    for word in ["base median", "patched median", "base / patched", "p99_us"] {
        assert!(table.contains(word), "{word} in {table}");
    }
}

#[test]
fn settings_apply_to_all_columns_and_those_of_a_column_to_it() {
    let refusals = |arguments: &[&str]| {
        let run = json(&[&["run", "hikey-schbench", "--json", "--seed", "1"], arguments].concat());
        let columns = run["columns"].as_array().expect("a list of columns");
        [0, columns.len() - 1]
            .map(|column| columns[column]["metrics"]["util_refusals"].as_u64().expect("a count"))
    };
    let plain = refusals(&[]);
    assert!(0 < plain[0] && plain[1] == 0, "{plain:?}");
    assert_eq!(refusals(&["--set", "kernel.util_test=off"]), [0, 0]);
    let same = refusals(&["--set", "columns.patched.patches.llc-spread=off"]);
    assert_eq!(same, [plain[0], plain[0]]);
}

#[test]
fn columns_of_the_command_line_replace_those_of_the_preset() {
    let columns = ["--column", "a:kernel.hz=1000,patches.llc-spread=shift", "--column", "b"];
    let run = json(&[&["run", "hikey-schbench", "--json"], &columns[..], &SHORT[..]].concat());
    assert_eq!(names(&run["columns"]), ["a", "b"]);
    assert_ne!(run["columns"][0]["trace_hash"], run["columns"][1]["trace_hash"]);
}

#[test]
fn a_scenario_also_comes_from_a_file_and_from_a_link() {
    let preset = json(&[&["run", "hikey-schbench", "--json"], &SHORT[..]].concat());
    let mut scenario = scenario::Scenario::from_preset("hikey-schbench").expect("the preset exists");
    scenario.set("workload.runtime_s", "2").expect("a value in its range");
    let file = write(&directory("files").join("scenario.json"), &scenario.to_json());
    let link = scenario::Link::new(scenario).encode();
    for source in [file, link.clone(), format!("https://example.org/runqueue/{link}")] {
        let run = json(&["run", &source, "--json"]);
        for column in [0, 1] {
            assert_eq!(
                run["columns"][column]["trace_hash"], preset["columns"][column]["trace_hash"],
                "{source}"
            );
        }
    }
}

#[test]
fn all_problems_are_listed_at_once() {
    let lines = refused(&[
        "run",
        "hikey-schbench",
        "--set",
        "workload.thraeds=3",
        "--set",
        "kernel.hz=7",
        "--set",
        "nonsense",
        "--column",
        "old:kernel.earr=v5.10",
    ]);
    assert_eq!(lines.len(), 4, "{lines:#?}");
    let has = |words: [&str; 2]| lines.iter().any(|line| words.iter().all(|word| line.contains(word)));
    assert!(has(["workload.thraeds", "did you mean workload.threads"]), "{lines:#?}");
    assert!(has(["kernel.hz", "100, 250, 300 or 1000"]), "{lines:#?}");
    assert!(has(["--set nonsense", "KEY=VALUE"]), "{lines:#?}");
    assert!(has(["columns.old.kernel.earr", "kernel.era"]), "{lines:#?}");
}

#[test]
fn a_source_that_is_nothing_is_named_with_the_nearest_presets() {
    let lines = refused(&["run", "hikey-schbnch", "--set", "kernel.zh=250"]);
    assert!(lines[0].contains("neither a preset nor a file nor a link"), "{lines:#?}");
    assert!(lines[0].contains("the nearest presets are hikey-schbench"), "{lines:#?}");
    assert!(lines[1].contains("did you mean kernel.hz"), "{lines:#?}");
}

#[test]
fn a_broken_file_and_a_cut_link_are_refused() {
    let file = write(&directory("broken").join("broken.json"), r#"{"kernel": {"hz": 7}, "workload": 3}"#);
    let lines = refused(&["run", &file]);
    assert!(1 < lines.len() && lines.iter().all(|line| line.contains("broken.json")), "{lines:#?}");
    let scenario = scenario::Scenario::from_preset("hikey-schbench").expect("the preset exists");
    let link = scenario::Link::new(scenario).encode();
    let lines = refused(&["run", &link[..link.len() - 5]]);
    assert!(lines[0].contains("cut"), "{lines:#?}");
}

#[test]
fn wrong_seeds_and_unknown_commands_are_bad_input() {
    assert!(refused(&["compare", "hikey-schbench", "--seeds", "5..2"])[0].contains("write 2..5"));
    assert!(refused(&["run", "hikey-schbench", "--seed", "18446744073709551615"])[0].contains("seed"));
    assert!(refused(&["compare", "hikey-schbench"])[0].contains("required"));
    assert!(refused(&["compare", "hikey-schbench", "--seeds", "1..2", "--jobs", "0"])[0].contains("--jobs"));
    assert!(refused(&["walk"])[0].contains("walk"));
    assert!(refused(&["bench", "--only", "no-such"])[0].contains("hikey-one-column"));
}

#[test]
fn a_run_that_its_budget_ends_shows_its_part_but_has_failed() {
    let output = runqueue(&["run", "hikey-schbench", "--json", "--set", "run.max_events=1000"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("budget of 1000 events"), "{}", errors(&output));
    let run: Value = serde_json::from_slice(&output.stdout).expect("the part is shown");
    assert_eq!(run["columns"][0]["events"], 1000);
}

#[test]
fn vectors_that_agree_pass_and_one_wrong_row_is_found() {
    let directory = directory("vectors");
    let name = "nice_weights.csv";
    let committed = vectors::committed();
    let (_, content) = committed.iter().find(|(file, _)| *file == name).expect("it is committed");
    write(&directory.join(name), content);
    write(&directory.join("unknown.csv"), "a,b\n1,2\n");
    let path = directory.to_str().expect("a path of plain text");
    let reports = json(&["check-vectors", path, "--json"]);
    assert_eq!(reports[0]["file"], name);
    assert_eq!((&reports[0]["rows"], &reports[0]["agreeing"]), (&Value::from(40), &Value::from(40)));
    assert_eq!(reports[0]["first_disagreement"], Value::Null);
    assert!(errors(&runqueue(&["check-vectors", path])).contains("unknown.csv"));

    write(&directory.join(name), &content.replace("1024", "1025"));
    let output = runqueue(&["check-vectors", path, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let reports: Value = serde_json::from_slice(&output.stdout).expect("the report is shown");
    assert_eq!(reports[0]["agreeing"], 39);
    assert_eq!(keys(&reports[0]["first_disagreement"]), ["expected", "got", "row"]);
    assert!(text(&runqueue(&["check-vectors", path])).contains("nice_weights.csv, row "));
}

#[test]
fn a_directory_without_vectors_is_bad_input() {
    let directory = directory("empty");
    let path = directory.to_str().expect("a path of plain text");
    assert!(refused(&["check-vectors", path])[0].contains("nice_weights.csv"));
    let missing = directory.join("missing");
    assert!(refused(&["check-vectors", missing.to_str().expect("plain text")])[0].contains("cannot be read"));
}

#[test]
fn a_benchmark_reports_what_it_measured() {
    let rows = json(&["bench", "--only", "d1-hogs", "--repeat", "1", "--json"]);
    let row = &rows[0];
    for key in ["simulated_s", "cpu_s", "ns_per_event"] {
        assert!(row[key].as_f64().expect("a number") > 0.0, "{key}");
    }
    assert_eq!(row["scenario"], "d1-hogs-4cpu");
    assert!(0 < row["events"].as_u64().expect("a count"));
}
