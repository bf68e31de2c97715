//! The command `export` as scripts rely on it: what goes where, and what is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// Two simulated seconds: quick, and long enough for every worker to be woken once.
const SHORT: [&str; 4] = ["export", "hikey-schbench", "--set", "workload.runtime_s=2"];

fn runqueue(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runqueue"));
    command.args(SHORT).args(arguments).output().expect("the binary was built with the tests")
}

fn bytes(arguments: &[&str]) -> Vec<u8> {
    let output = runqueue(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    output.stdout
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are text")
}

fn file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("export");
    fs::create_dir_all(&folder).expect("the target directory can be written");
    folder.join(name)
}

/// The same run by way of the façade, with which the page shares its exports.
fn of_session(column: Option<usize>, seed: u64, format: &str) -> Vec<u8> {
    let mut scenario = scenario::Scenario::from_preset("hikey-schbench").expect("the preset exists");
    scenario.set("workload.runtime_s", "2").expect("a value in its range");
    let format = session::ExportFormat::find(format).expect("the format exists");
    session::export(session::ExportOrder::new(&scenario, column, seed, format))
}

#[test]
fn every_format_has_the_bytes_of_the_session() {
    for format in session::ExportFormat::ALL {
        let path = file(format.name());
        let output = runqueue(&["--format", format.name(), "-o", path.to_str().expect("plain text")]);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        assert!(output.stdout.is_empty(), "what goes to a file is not printed");
        assert!(fs::read(path).expect("the file was written") == of_session(None, 1, format.name()));
    }
}

#[test]
fn without_a_file_everything_goes_to_standard_output_even_binary_through_a_pipe() {
    assert!(bytes(&["--format", "ftrace"]).starts_with(b"# tracer: nop\n"));
    assert!(bytes(&["--format", "perfetto"]) == of_session(None, 1, "perfetto"));
}

#[test]
fn column_and_seed_are_picked_and_the_default_column_is_named() {
    let output = runqueue(&["--format", "ftrace", "--column", "patched", "--seed", "5"]);
    assert!(output.stdout == of_session(Some(2), 5, "ftrace"));
    assert_eq!(errors(&output), "", "nothing is left to say");
    let output = runqueue(&["--format", "ftrace"]);
    assert!(
        errors(&output).contains("exported column base of base, pre-rework, patched"),
        "{}",
        errors(&output)
    );
    assert!(output.stdout != of_session(Some(2), 1, "ftrace"), "the patch changes what happens");
}

#[test]
fn columns_can_still_be_defined_and_one_of_them_picked() {
    let columns = ["--column", "a:kernel.hz=1000", "--column", "b:patches.llc-spread=shift"];
    let of = |picked: &[&str]| bytes(&[&["--format", "ftrace"], &columns[..], picked].concat());
    assert_eq!(of(&[]), of(&["--column", "a"]));
    assert_ne!(of(&["--column", "b"]), of(&["--column", "a"]));
}

#[test]
fn what_cannot_be_done_is_refused_with_the_choices() {
    let refused = |arguments: &[&str], word: &str| {
        let output = runqueue(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        assert!(errors(&output).contains(word), "{}", errors(&output));
    };
    refused(&["--format", "pcap"], "perfetto");
    refused(&["--format", "ftrace", "--column", "nobody"], "base, pre-rework, patched");
    refused(&["--format", "ftrace", "--seed", "18446744073709551615"], "seed");
    refused(&["--format", "ftrace", "-o", "/no/such/folder/file"], "cannot be written");
    refused(&[], "--format");
}

#[test]
fn a_part_of_a_run_is_written_but_the_command_has_failed() {
    let output =
        runqueue(&["--format", "ftrace", "--set", "workload.think_us=900", "--set", "run.max_events=1000"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("budget of 1000 events"), "{}", errors(&output));
    assert!(output.stdout.starts_with(b"# tracer: nop\n"));
}

#[test]
fn chrome_json_has_a_row_for_each_cpu_and_task_whose_slices_do_not_overlap() {
    let json: Value = serde_json::from_slice(&bytes(&["--format", "chrome"])).expect("one JSON document");
    let events = json["traceEvents"].as_array().expect("a list of events");
    // Exact: three decimals of microseconds are whole nanoseconds.
    let ns = |value: &Value| (value.as_f64().expect("a time") * 1e3).round() as u64;
    let of = |phase: &str| events.iter().filter(move |event| event["ph"] == phase).collect::<Vec<_>>();
    let mut rows: BTreeMap<(u64, u64), Vec<(u64, u64)>> = BTreeMap::new();
    for slice in of("X") {
        let row = [&slice["pid"], &slice["tid"]].map(|id| id.as_u64().expect("an id"));
        let start = ns(&slice["ts"]);
        rows.entry((row[0], row[1])).or_default().push((start, start + ns(&slice["dur"])));
    }
    assert_eq!(
        rows.keys().filter(|(group, _)| *group == 1).count(),
        8,
        "all CPUs of the board run something"
    );
    assert_eq!(rows.keys().filter(|(group, _)| *group == 2).count(), 11, "schbench has eleven threads");
    for (row, slices) in &mut rows {
        slices.sort_unstable();
        assert!(slices.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{row:?}");
    }
    let ids = |phase: &str| of(phase).iter().map(|event| event["id"].as_u64()).collect::<BTreeSet<_>>();
    assert!(!ids("s").is_empty() && ids("f").is_subset(&ids("s")), "every arrow has a beginning");
    for arrow in of("f") {
        let row = (2, arrow["tid"].as_u64().expect("an id"));
        assert!(
            rows[&row].iter().any(|(start, _)| *start == ns(&arrow["ts"])),
            "{arrow} ends where a slice begins"
        );
    }
    let names = of("M").iter().filter(|event| event["args"]["name"] == "wrk-1-3").count();
    assert_eq!((names, of("C").is_empty()), (1, false));
}

#[test]
fn the_document_about_exports_lists_every_format_with_its_ending() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/exports.md");
    let text = fs::read_to_string(path).expect("the document exists");
    for format in session::ExportFormat::ALL {
        let row = format!("| `{}` |", format.name());
        let line = text.lines().find(|line| line.starts_with(&row)).expect("every format has its row");
        assert!(line.contains(&format!("| `.{}` |", format.extension())), "{line}");
        assert_eq!(line.contains("one run"), format.is_trace(), "{line}");
        assert_eq!(line.contains("binary"), !format.is_text(), "{line}");
    }
}
