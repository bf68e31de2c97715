//! Wrong rows are found, and broken ones never panic.

use sim::Stream;
use vectors::{check, committed};

/// The columns of each table that hold answers.
const ANSWERS: &[(&str, &[&str])] = &[
    ("nice_weights.csv", &["weight", "wmult"]),
    ("calc_delta.csv", &["result"]),
    ("pelt_decay_load.csv", &["result"]),
    ("pelt_segments.csv", &["contrib"]),
    (
        "pelt_sequences.csv",
        &[
            "updated",
            "last_update_time",
            "period_contrib",
            "load_sum",
            "runnable_sum",
            "util_sum",
            "load_avg",
            "runnable_avg",
            "util_avg",
        ],
    ),
    (
        "pelt_ramp.csv",
        &[
            "util_avg_rise_from_0",
            "util_avg_decay_from_1024_1ms_updates",
            "util_avg_duty50_8ms_period_4ms_on",
        ],
    ),
    ("cfs510_slice.csv", &["slice_ns", "vslice_ns"]),
    ("cfs510_place_entity.csv", &["se_vruntime_out"]),
    ("cfs510_preempt_tick.csv", &["resched"]),
    ("cfs510_wakeup_preempt.csv", &["result"]),
    ("cfs510_pick_next.csv", &["picked_idx"]),
    ("lb510_group_classify.csv", &["has_capacity", "is_overloaded", "group_type"]),
    (
        "lb510_calculate_imbalance.csv",
        &["base_mig", "base_imbalance", "llc_spread_mig", "llc_spread_imbalance"],
    ),
    ("wake_affine61.csv", &["idle_result", "weight_result"]),
    ("sis61_select_idle_sibling.csv", &["selected", "recent_used_out", "has_idle_core_out"]),
    (
        "rt_find_lowest_rq.csv",
        &[
            "lowest_mask_hex",
            "base_find_lowest",
            "rt_idle_first_find_lowest",
            "base_select_task_rq",
            "rt_idle_first_select_task_rq",
        ],
    ),
];

/// The answers in each object.
const OBJECT_ANSWERS: &[(&str, &[&str])] = &[
    (
        "lb510_chain.jsonl",
        &[
            "/local_type",
            "/busiest_candidate",
            "/busiest_type",
            "/base/group",
            "/base/mig",
            "/base/imbalance",
            "/base/src_cpu",
            "/llc_spread/group",
            "/llc_spread/mig",
            "/llc_spread/imbalance",
            "/llc_spread/src_cpu",
        ],
    ),
    ("lb510_detach_tasks.jsonl", &["/detached", "/imbalance_left"]),
];

fn content(file: &str) -> String {
    committed().into_iter().find(|(name, _)| *name == file).expect("the file is committed").1
}

/// Another answer of the same kind.
fn wrong(cell: &str) -> String {
    match cell {
        "0" => "1".to_owned(),
        "1" => "0".to_owned(),
        "this" => "none".to_owned(),
        "prev" | "none" => "this".to_owned(),
        "load" | "misfit" => "util".to_owned(),
        "util" | "task" => "load".to_owned(),
        "has_spare" => "overloaded".to_owned(),
        "fully_busy" | "misfit_task" | "asym_packing" | "imbalanced" | "overloaded" => "has_spare".to_owned(),
        // Another set of CPUs.
        set if set.len() == 4 || set.bytes().any(|digit| digit.is_ascii_lowercase()) => {
            let bits = u32::from_str_radix(set, 16).expect("sets are in hex");
            format!("{:04x}", bits ^ 1)
        }
        number => (number.parse::<i64>().expect("all other answers are numbers") + 1).to_string(),
    }
}

/// Asserts that a file whose row (from 1, below `head` header lines) was replaced disagrees exactly there.
fn assert_found(file: &str, lines: &[&str], head: usize, row: usize, replacement: &str) {
    let mut lines = lines.to_vec();
    lines[head + row - 1] = replacement;
    let report = check(file, &lines.join("\n")).expect("the file is known");
    let found = report.first_disagreement.expect("the wrong row is found");
    assert_eq!(found.row, row as u64, "{file}: {replacement}");
    assert_eq!(report.agreeing, report.rows - 1, "{file}: only that row disagrees");
}

#[test]
fn a_wrong_answer_in_any_column_is_found() {
    for (file, answers) in ANSWERS {
        let content = content(file);
        let lines: Vec<&str> = content.lines().collect();
        let header: Vec<&str> = lines[0].split(',').collect();
        for answer in *answers {
            let column = header.iter().position(|name| name == answer).expect("the column is there");
            // Not the first rows: those of the sequences are the given start states.
            for row in [4, lines.len() / 2, lines.len() - 1] {
                let mut cells: Vec<String> = lines[row].split(',').map(str::to_owned).collect();
                cells[column] = wrong(&cells[column]);
                assert_found(file, &lines, 1, row, &cells.join(","));
            }
        }
    }
}

#[test]
fn a_wrong_answer_in_any_field_is_found() {
    for (file, answers) in OBJECT_ANSWERS {
        let content = content(file);
        let lines: Vec<&str> = content.lines().collect();
        for answer in *answers {
            for row in [1, lines.len() / 2, lines.len()] {
                let mut object: serde_json::Value =
                    serde_json::from_str(lines[row - 1]).expect("the row is an object");
                let value = object.pointer_mut(answer).expect("the field is there");
                *value = match &*value {
                    serde_json::Value::Null if answer.ends_with("mig") => "load".into(),
                    serde_json::Value::Null => "has_spare".into(),
                    serde_json::Value::String(name) => wrong(name).into(),
                    serde_json::Value::Array(_) => serde_json::json!([7, 7, 7]),
                    number => (number.as_i64().expect("a number is left") + 1).into(),
                };
                assert_found(file, &lines, 0, row, &object.to_string());
            }
        }
    }
}

/// Values at the edges of every integer width, and things that are no numbers.
const EXTREMES: &[&str] = &[
    "",
    "x",
    "-1",
    "0",
    "1",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1.5",
    "[]",
    "null",
    "\"\u{fffd}\"",
    "1;2",
    ";",
];

#[test]
fn broken_content_never_panics() {
    let mut random = Stream::new(1, 1, 1);
    let mut disagreeing = 0;
    for (file, content) in committed() {
        let lines: Vec<&str> = content.lines().take(60).collect();
        for _ in 0..400 {
            let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            for _ in 0..4 {
                let line = random.below(lines.len() as u32) as usize;
                lines[line] = damaged(&lines[line], &mut random);
            }
            let report = check(file, &lines.join("\n")).expect("the file is known");
            disagreeing += u32::from(report.first_disagreement.is_some());
        }
    }
    assert!(3000 < disagreeing, "most damage is noticed: {disagreeing} of 6800");
}

/// A line with one number or word of it replaced, or cut short.
fn damaged(line: &str, random: &mut Stream) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let starts: Vec<usize> = line
        .char_indices()
        .filter(|(at, c)| is_word(*c) && !line[..*at].ends_with(is_word))
        .map(|(at, _)| at)
        .collect();
    if starts.is_empty() || random.below(20) == 0 {
        return line.chars().take(random.below(line.len() as u32 + 1) as usize).collect();
    }
    let start = starts[random.below(starts.len() as u32) as usize];
    let length = line[start..].find(|c| !is_word(c)).unwrap_or(line.len() - start);
    let extreme = EXTREMES[random.below(EXTREMES.len() as u32) as usize];
    format!("{}{extreme}{}", &line[..start], &line[start + length..])
}
