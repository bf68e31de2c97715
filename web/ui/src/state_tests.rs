use super::*;

fn opened() -> State {
    State::new(Scenario::from_preset("hikey-schbench").unwrap())
}

fn after(state: State, actions: impl IntoIterator<Item = Action>) -> State {
    let reduced = actions.into_iter().fold(Rc::new(state), Reducible::reduce);
    (*reduced).clone()
}

fn edit(key: &str, text: &str) -> Action {
    edit_at(key, text, 0.0)
}

fn edit_at(key: &str, text: &str, at_ms: f64) -> Action {
    Action::Edit { key: key.to_owned(), text: text.to_owned(), at_ms }
}

fn done(revision: u32, column: usize) -> Action {
    let summary = RunSummary { column_name: format!("column {column}"), ..RunSummary::default() };
    Action::RunDone(revision, column, 0, Rc::new(summary))
}

#[test]
fn a_change_takes_force_and_begins_a_revision() {
    let state = after(opened(), [edit("kernel.hz", "1000")]);
    assert_eq!(state.scenario.kernel.hz, 1000);
    assert_eq!(state.revision, 2);
    assert!(state.faults.is_empty());
}

#[test]
fn a_value_that_cannot_be_keeps_the_last_scenario_and_what_was_typed() {
    let state = after(opened(), [edit("kernel.hz", "7"), edit("workload.threads", "0")]);
    assert_eq!(state.scenario, opened().scenario);
    assert_eq!(state.revision, 1, "nothing is run");
    assert_eq!(state.faults.len(), 2, "every field keeps its own problem");
    assert_eq!(state.faults.get("kernel.hz").unwrap().text, "7");
}

#[test]
fn a_value_that_did_not_fit_takes_force_as_soon_as_it_does() {
    // 8 packages of 64 caches of 4 cores are too many CPUs; with 1 core fewer caches fit.
    let state = after(opened(), [edit("machine.cores", "1024")]);
    let is_refused = state.faults.get("machine.cores").is_some();
    assert!(is_refused, "1024 cores under each of two caches are too many");
    let state = after(state, [edit("machine.llcs", "1"), edit("machine.threads", "1")]);
    let most = Key::find("machine.cores").unwrap().get(&state.scenario).unwrap();
    assert_eq!(state.faults.get("machine.cores").is_some(), most != "1024");
}

#[test]
fn undo_and_redo_walk_through_scenarios() {
    let start = opened();
    let state = after(start.clone(), [edit_at("kernel.hz", "1000", 0.0), edit_at("seed", "7", 5000.0)]);
    let undone = after(state.clone(), [Action::Undo, Action::Undo]);
    assert_eq!(undone.scenario, start.scenario);
    assert!(!undone.history.can_undo());
    let redone = after(undone, [Action::Redo, Action::Redo]);
    assert_eq!(redone.scenario, state.scenario);
    assert!(state.revision < redone.revision, "each step is run");
}

#[test]
fn resetting_a_field_and_everything_can_be_undone() {
    let state = after(
        opened(),
        [edit("kernel.hz", "1000"), edit("seed", "7"), Action::ResetField("kernel.hz".into())],
    );
    assert_eq!((state.scenario.kernel.hz, state.scenario.seed), (250, 7));
    let reset = after(state.clone(), [Action::Reset]);
    assert_eq!(reset.scenario, opened().scenario);
    assert_eq!(after(reset, [Action::Undo]).scenario, state.scenario);
}

#[test]
fn runs_appear_together_and_late_ones_are_dropped() {
    let state = after(opened(), [done(1, 0), done(1, 2)]);
    assert!(state.runs.kept.is_empty(), "what is compared is not shown without the column beside it");
    let state = after(state, [done(1, 1)]);
    assert_eq!(state.runs.kept.len(), 3);
    assert_eq!(state.runs.end, RunEnd::Done);
    let state = after(state, [edit("kernel.hz", "1000"), done(1, 0)]);
    assert_eq!(state.runs.end, RunEnd::UnderWay);
    assert_eq!(state.runs.kept.len(), 3, "the old runs stay until the new ones are there");
    assert_eq!(state.runs.scenario.kernel.hz, 250, "and it is known whose they are");
}

#[test]
fn a_cancelled_or_failed_run_says_so_until_the_next_change() {
    let failure = Failure { message: "out of memory".to_owned(), ..Failure::default() };
    let state = after(opened(), [Action::RunFailed(1, failure.clone())]);
    assert_eq!(state.runs.end, RunEnd::Failed(failure));
    assert_eq!(after(state.clone(), [edit("seed", "2")]).runs.end, RunEnd::UnderWay);
    assert_eq!(after(state, [Action::RunAgain, Action::RunCancelled(2)]).runs.end, RunEnd::Cancelled);
}

#[test]
fn the_seed_does_not_change_the_band_and_everything_else_does() {
    let state = opened();
    assert_eq!(after(state.clone(), [edit("seed", "9")]).key, state.key);
    assert_ne!(after(state.clone(), [edit("kernel.hz", "1000")]).key, state.key);
    assert_ne!(after(state.clone(), [Action::BandSize(50)]).key, state.key);
    let switched = after(state.clone(), [edit("columns.patched.patches.llc-spread", "shift")]);
    assert_ne!(switched.key, state.key);
}

#[test]
fn rows_of_another_band_are_not_mixed_in() {
    let rows = SeedRows {
        metrics: vec![protocol::MetricInfo {
            key: "p99_us".into(),
            label: String::new(),
            unit: String::new(),
            decimals: 0,
        }],
        rows: vec![protocol::SeedRow { column: 0, seed: 1, trace_hash: String::new(), values: vec![1.0] }],
    };
    let key = opened().key.to_string();
    let state = after(
        opened(),
        [
            Action::BandStart(key.clone(), Rc::default()),
            Action::BandRows("another".to_owned(), rows.clone()),
            Action::BandRows(key.clone(), rows),
            Action::BandEnd("another".to_owned(), BandStatus::Done),
        ],
    );
    assert_eq!(state.band.band.runs(0), 1);
    assert_eq!(state.band.status, BandStatus::UnderWay);
    assert_eq!(after(state, [Action::BandEnd(key, BandStatus::Stopped)]).band.status, BandStatus::Stopped);
}

#[test]
fn a_lost_worker_brings_finished_runs_back_but_not_for_ever() {
    let all_done = |revision| [0, 1, 2].map(|column| done(revision, column));
    let mut state = after(opened(), all_done(1));
    for _ in 0..MOST_LOSSES {
        let before = state.revision;
        state = after(state, [Action::WorkerLost("gone".to_owned())]);
        assert_eq!(state.revision, before + 1);
        let revision = state.revision;
        state = after(state, all_done(revision));
    }
    let revision = state.revision;
    assert_eq!(after(state, [Action::WorkerLost("gone".to_owned())]).revision, revision);
}

#[test]
fn progress_is_that_of_all_columns_together() {
    let progress = |fraction, events| Progress { fraction, now_ns: 0, events };
    let state = after(
        opened(),
        [Action::RunProgress(1, 0, progress(0.5, 100)), Action::RunProgress(1, 1, progress(0.1, 20))],
    );
    let (fraction, events) = state.runs.progress().unwrap();
    assert!((fraction - 0.2).abs() < 1e-9, "the third one has not begun");
    assert_eq!(events, 120);
    assert_eq!(opened().runs.progress(), None);
}

#[test]
fn an_interval_is_forgotten_with_the_scenario_that_it_was_chosen_in() {
    let brush = Brush { from_ns: 5, to_ns: 9 };
    let state = after(opened(), [Action::Brush(Some(brush))]);
    assert_eq!(state.brush, Some(brush));
    assert_eq!(after(state.clone(), [Action::Brush(None)]).brush, None);
    assert_eq!(after(state, [edit("kernel.hz", "1000")]).brush, None);
}
