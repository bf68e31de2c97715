//! Every committed reference file, every row.

use vectors::{FileReport, check, committed, known_files};

/// Rows in each file, and on how many of them base and patched differ.
const FILES: &[(&str, u64, Option<u64>)] = &[
    ("nice_weights.csv", 40, None),
    ("calc_delta.csv", 2827, None),
    ("pelt_decay_load.csv", 2034, None),
    ("pelt_segments.csv", 1334, None),
    ("pelt_sequences.csv", 4387, None),
    ("pelt_ramp.csv", 401, None),
    ("cfs510_slice.csv", 2000, None),
    ("cfs510_place_entity.csv", 1334, None),
    ("cfs510_preempt_tick.csv", 1334, None),
    ("cfs510_wakeup_preempt.csv", 1000, None),
    ("cfs510_pick_next.csv", 2000, None),
    ("lb510_group_classify.csv", 3334, None),
    ("lb510_calculate_imbalance.csv", 3334, Some(135)),
    ("lb510_chain.jsonl", 1734, Some(382)),
    ("lb510_detach_tasks.jsonl", 1334, None),
    ("wake_affine61.csv", 2000, None),
    ("sis61_select_idle_sibling.csv", 3334, None),
    ("rt_find_lowest_rq.csv", 4000, Some(1160)),
];

fn report(file: &str, content: &str) -> FileReport {
    check(file, content).unwrap_or_else(|| panic!("{file} is a known file"))
}

#[test]
fn every_row_of_every_file_agrees() {
    let committed = committed();
    let names: Vec<&str> = committed.iter().map(|(file, _)| *file).collect();
    assert_eq!(names, known_files(), "each check has its file");
    assert_eq!(names, FILES.iter().map(|(file, ..)| *file).collect::<Vec<_>>());
    for ((file, content), (_, rows, base_patched_differ)) in committed.iter().zip(FILES) {
        let wanted = FileReport {
            file,
            rows: *rows,
            agreeing: *rows,
            base_patched_differ: *base_patched_differ,
            first_disagreement: None,
        };
        assert_eq!(report(file, content), wanted);
    }
}

/// The count of differing rows is the file's own, read without our functions.
#[test]
fn base_and_patched_differ_where_the_file_says() {
    for (file, content) in committed() {
        let differing = match file {
            "lb510_chain.jsonl" => content.lines().filter(|line| chain_row_differs(line)).count(),
            "lb510_calculate_imbalance.csv" => {
                content.lines().skip(1).filter(|line| csv_row_differs(line)).count()
            }
            "rt_find_lowest_rq.csv" => {
                content.lines().skip(1).filter(|line| placed_differently(line)).count()
            }
            _ => continue,
        };
        assert_eq!(report(file, &content).base_patched_differ, Some(differing as u64), "{file}");
    }
}

/// The last two columns: the CPU that the real-time class chooses at a wake-up.
fn placed_differently(line: &str) -> bool {
    let cells: Vec<&str> = line.split(',').collect();
    cells[cells.len() - 2] != cells[cells.len() - 1]
}

fn chain_row_differs(line: &str) -> bool {
    let row: serde_json::Value = serde_json::from_str(line).expect("the committed rows are objects");
    row["base"] != row["llc_spread"]
}

fn csv_row_differs(line: &str) -> bool {
    let cells: Vec<&str> = line.split(',').collect();
    let [.., base_type, base_amount, patched_type, patched_amount] = cells[..] else {
        panic!("the answers are the last four columns of {line}");
    };
    (base_type, base_amount) != (patched_type, patched_amount)
}

#[test]
fn an_unknown_file_is_not_checked() {
    assert_eq!(check("eevdf_v999.csv", "a,b\n1,2\n"), None);
}

#[test]
fn an_empty_file_does_not_pass() {
    for file in known_files() {
        let report = report(file, "");
        assert_eq!((report.rows, report.agreeing), (0, 0));
        assert!(report.first_disagreement.is_some(), "{file} proves nothing without rows");
    }
}
