//! Lessons in every state, as the text that a browser would get. `UPDATE_EXPECT=1` writes the snapshots anew.

use std::rc::Rc;

use ::lesson::{Chart, Lesson, Question};
use expect_test::{ExpectFile, expect_file};
use protocol::{
    BalanceReason, BalanceView, CpuInspection, DecisionFilter, DecisionKind, DecisionView, Explained,
    LaneState, Lanes, NO_TASK, OutcomeView, StepView, TaskInspection, TaskName, ValueView,
};
use scenario::Scenario;
use yew::prelude::*;

use super::hooks::key_turn;
use super::reading::{LEAVES, TAKES};
use super::{LessonView, Panels, Place, Reading, Turn, lesson_page, turn};
use crate::inspection::{Found, Inspection};
use crate::markup::said;
use crate::panels::PanelState;
use crate::panels::fixtures::results;
use crate::panels::tests::html;

const FILE: &str = r#"{
  "version": 1, "id": "small", "title": "A small lesson", "summary": "Nearly nothing.", "minutes": 3,
  "terms": { "run queue": "The tasks of a CPU that want to run." },
  "scenario": { "preset": "hikey-schbench" },
  "screens": [
    { "title": "Look", "blocks": [
      { "text": "A [run queue] made somebody wait for {base.max_us}; {median base.max_us} in the middle, {published base.max_us} in the mail, by `detach_tasks()`." },
      { "figures": [{ "label": "Without the patch", "column": "base", "metric": "p99_us" }, { "label": "With it", "column": "patched", "metric": "p99_us" }] },
      { "chart": "percentiles" },
      { "try": { "label": "Ticks", "key": "kernel.hz", "choices": [{ "value": "250", "label": "few" }, { "value": "1000", "label": "many" }] } },
      { "note": "Beside the story." }
    ] },
    { "title": "Predict", "blocks": [
      { "predict": { "column": "base", "find": { "decision": "placement", "of": "longest_wait" }, "window_us": [100, 100], "question": "Where does {task} wake, woken from {cpu}?", "because": "No [queue|run queue] was free." } },
      { "text": "What comes after." }
    ] }
  ]
}"#;

fn lesson() -> Rc<Lesson> {
    Rc::new(Lesson::parse(FILE).unwrap())
}

fn reading(screen: usize) -> Reading {
    Reading { lesson: PanelState::Full(lesson()), ..Reading::new(Place::new("small").at(screen)) }
}

fn shown(reading: Reading) -> String {
    let view = LessonView {
        reading,
        scenario: Rc::new(Scenario::from_preset("hikey-schbench").unwrap()),
        results: PanelState::Full(results()),
        orders: Callback::noop(),
    };
    page(&view)
}

fn page(view: &LessonView) -> String {
    let chart = |chart: Chart| said("section", "", &format!("{chart:?}"));
    let inspector = || said("section", "", "the inspector");
    html(lesson_page(view, &Panels { chart: &chart, inspector: &inspector }))
}

fn check(shown: &str, expected: ExpectFile) {
    expected.assert_eq(shown);
}

fn task(id: u32) -> TaskName {
    TaskName { id, name: format!("task-{id}") }
}

fn question(kind: DecisionKind, outcome: OutcomeView) -> Rc<Question> {
    let cpu = |number: u16| CpuInspection {
        cpu: number,
        running: (number != 1)
            .then(|| TaskInspection { task: task(u32::from(number) % 4), ..TaskInspection::default() }),
        is_idle: number == 1,
        ..CpuInspection::default()
    };
    let step = StepView {
        check: "cpu_idle".to_owned(),
        kernel_function: "available_idle_cpu()".to_owned(),
        yes: false,
        cpu: Some(2),
        task: None,
        values: vec![ValueView { name: "nr_running".to_owned(), value: 1 }],
        hunk: None,
    };
    let is_balance = kind == DecisionKind::Balance;
    let decision = DecisionView {
        at_ns: 1_012_426_470,
        cpu: 5,
        task: (!is_balance).then(|| task(3)),
        kind,
        balance: is_balance.then(|| BalanceView {
            level: 0,
            domain: "MC".to_owned(),
            reason: BalanceReason::NewlyIdle,
        }),
        steps: vec![step],
        outcome,
    };
    let moment =
        Explained { decisions: vec![decision], cpus: (0..8).map(cpu).collect(), ..Explained::default() };
    Rc::new(Question {
        at_ns: 1_012_426_470,
        filter: DecisionFilter::default(),
        moment,
        chosen: 0,
        beside: is_balance.then(|| (4, "task-3".to_owned())),
    })
}

/// Every CPU runs a task before the moment and waits with another one after it.
fn lanes() -> Rc<Lanes> {
    let mut lanes =
        Lanes { from_ns: 1_012_326_470, to_ns: 1_012_526_470, width_px: 1000, ..Lanes::default() };
    lanes.lane_start.push(0);
    for lane in 0..8 {
        let pieces = [
            (0.0, 400.0, LaneState::Idle, NO_TASK),
            (400.0, 700.0, LaneState::Running, lane % 4),
            (700.0, 1000.0, LaneState::Wasted, NO_TASK),
            (600.0, 1000.0, LaneState::Waiting, NO_TASK),
        ];
        for (from, to, state, task) in pieces {
            lanes.x0.push(from);
            lanes.x1.push(to);
            lanes.state.push(state as u8);
            lanes.task.push(task);
            lanes.level.push(1);
        }
        lanes.lane_start.push(lanes.x0.len() as u32);
    }
    Rc::new(lanes)
}

/// A reader on the screen of the prediction, after some turns.
fn after(kind: DecisionKind, outcome: OutcomeView, turns: &[Turn]) -> (Reading, Inspection) {
    let mut open = Some(reading(1));
    let mut inspection = Inspection::default();
    let first = [Turn::Asked(7, Found::This(question(kind, outcome))), Turn::Drawn(7, lanes())];
    for step in first.iter().chain(turns) {
        turn(&mut open, &mut inspection, 7, step.clone());
    }
    (open.unwrap(), inspection)
}

fn placement(turns: &[Turn]) -> Reading {
    after(DecisionKind::Placement, OutcomeView::Cpu(2), turns).0
}

#[test]
fn the_list_in_every_state() {
    let list = |index| shown(Reading { index, ..Reading::new(Place::default()) });
    let entries = Rc::new(vec![lesson().entry()]);
    check(&list(PanelState::Full(entries)), expect_file!["../../snapshots/lesson_list.html"]);
    let loading = list(Reading::new(Place::default()).index);
    assert!(loading.contains("data-state=\"loading\"") && loading.contains("Fetching"), "{loading}");
    let error = list(PanelState::Error("the server answers 500".into()));
    assert!(error.contains("the server answers 500") && error.contains("lesson-retry"), "{error}");
    let mut open = Some(Reading::new(Place::default()));
    turn(&mut open, &mut Inspection::default(), 1, Turn::Listed(Ok(Rc::default())));
    assert!(shown(open.unwrap()).contains("There are no lessons here yet."));
}

#[test]
fn a_lesson_that_is_not_there_says_why() {
    let waiting = shown(Reading::new(Place::new("small")));
    assert!(waiting.contains("data-state=\"loading\"") && waiting.contains("<progress"), "{waiting}");
    let mut open = Some(Reading::new(Place::new("small")));
    let message = crate::text::not_fetched("small", 404);
    turn(&mut open, &mut Inspection::default(), 1, Turn::Loaded(Err(message)));
    check(&shown(open.unwrap()), expect_file!["../../snapshots/lesson_error.html"]);
}

#[test]
fn a_screen_shows_live_figures_and_waits_for_those_that_are_not_there() {
    check(&shown(reading(0)), expect_file!["../../snapshots/lesson_screen.html"]);
    let view = |results| LessonView {
        reading: reading(0),
        scenario: Rc::new(Scenario::from_preset("hikey-schbench").unwrap()),
        results,
        orders: Callback::noop(),
    };
    let loading = page(&view(PanelState::Loading(Some(0.5), "Simulating".into())));
    assert!(
        loading.contains("Simulating")
            && loading.contains("data-figure=\"base.max_us\">\n…") | loading.contains(">…<")
    );
    assert!(!loading.contains("14.6"), "no figure is written down: {loading}");
    let error = page(&view(PanelState::Error("it broke".into())));
    assert!(error.contains("it broke"), "{error}");
}

#[test]
fn a_prediction_in_every_state() {
    check(&shown(reading(1)), expect_file!["../../snapshots/lesson_seeking.html"]);
    check(&shown(placement(&[])), expect_file!["../../snapshots/lesson_asked.html"]);
    let right = [Turn::Choose(2), Turn::Reveal];
    check(&shown(placement(&right)), expect_file!["../../snapshots/lesson_right.html"]);
    let state = |found| {
        let mut open = Some(reading(1));
        turn(&mut open, &mut Inspection::default(), 7, Turn::Asked(7, found));
        shown(open.unwrap())
    };
    assert!(state(Found::Nothing(crate::text::NO_QUESTION)).contains("Try another number"));
    assert!(state(Found::Failed("it broke".to_owned())).contains("it broke"));
    assert!(shown(placement(&[Turn::Mistyped])).contains("aria-invalid"));
    let typing = shown(placement(&[Turn::Type("2025".to_owned())]));
    assert!(typing.contains("value=\"2025\""), "what is typed outlives a drawing: {typing}");
}

#[test]
fn what_comes_next_is_nowhere_before_the_answer_is_shown() {
    let asked = shown(placement(&[Turn::Choose(1)]));
    assert!(!asked.contains("What comes after.") && !asked.contains("the inspector"), "{asked}");
    assert!(!asked.contains("swatch-wasted"), "the picture stops: {asked}");
    let revealed = shown(placement(&[Turn::Choose(1), Turn::Reveal]));
    assert!(revealed.contains("What comes after.") && revealed.contains("the inspector"), "{revealed}");
    assert!(revealed.contains("swatch-wasted") && !revealed.contains("lane-target"), "{revealed}");
    let narrow = revealed.replace('\u{202f}', " ");
    assert!(narrow.contains("You said: CPU 1. It is: CPU 2."), "{narrow}");
    assert!(revealed.contains("available_idle_cpu()"), "{revealed}");
}

#[test]
fn a_balance_is_predicted_with_yes_or_no() {
    let balance = |moved, turns: &[Turn]| after(DecisionKind::Balance, OutcomeView::Moved(moved), turns).0;
    let asked = shown(balance(0, &[]));
    assert!(asked.contains("It takes the waiting thread") && !asked.contains("lane-target"), "{asked}");
    assert_eq!(balance(0, &[]).prediction.truth(), Some(LEAVES));
    assert_eq!(balance(2, &[]).prediction.truth(), Some(TAKES));
    let none = shown(balance(0, &[Turn::Reveal]));
    assert!(none.contains("This is what happens: it leaves the thread where it is."), "{none}");
}

#[test]
fn showing_the_answer_opens_exactly_that_decision() {
    let (open, inspection) = after(
        DecisionKind::Placement,
        OutcomeView::Cpu(2),
        &[Turn::Choose(2), Turn::Reveal, Turn::Choose(3)],
    );
    assert_eq!(open.prediction.choice, Some(2), "nobody changes his mind afterwards");
    let question = open.prediction.question.content().unwrap();
    assert_eq!(inspection.decision(), question.decision());
}

#[test]
fn a_number_is_the_seed_of_the_question_and_of_nothing_else() {
    let mut open = Some(reading(0));
    let mut go = |place| turn(&mut open, &mut Inspection::default(), 7, Turn::Go(place)).unwrap();
    let place = Place { variant: Some(17), ..Place::new("small") };
    assert_eq!(go(place.clone()).seed, Scenario::from_preset("hikey-schbench").unwrap().seed);
    assert_eq!(go(place.at(1)).seed, 17);
    assert_eq!(go(place.at(9)).seed, 17, "behind the last screen is the last screen");
}

#[test]
fn what_belongs_to_other_runs_or_lessons_is_not_heard() {
    let mut open = Some(reading(1));
    let late = Found::This(question(DecisionKind::Placement, OutcomeView::Cpu(2)));
    turn(&mut open, &mut Inspection::default(), 8, Turn::Asked(7, late));
    assert_eq!(open, Some(reading(1)));
    let other = Rc::new(Lesson { id: "other".to_owned(), ..(*lesson()).clone() });
    turn(&mut open, &mut Inspection::default(), 8, Turn::Loaded(Ok(other)));
    assert_eq!(open, Some(reading(1)));
    turn(&mut open, &mut Inspection::default(), 8, Turn::Leave);
    assert_eq!(open, None);
}

#[test]
fn keys_turn_pages_and_answer() {
    let key = |reading: &Reading, key: &str| key_turn(reading, key).map(|turn| format!("{turn:?}"));
    let go = |screen: usize| Some(format!("{:?}", Turn::Go(Place::new("small").at(screen))));
    assert_eq!(key(&reading(0), "ArrowRight"), go(1));
    assert_eq!(key(&reading(0), "ArrowLeft"), None);
    assert_eq!(key(&reading(1), "ArrowLeft"), go(0));
    assert_eq!(key(&reading(1), "ArrowRight"), None);
    assert_eq!(key(&reading(1), "r"), None, "there is nothing to show yet");
    assert_eq!(key(&placement(&[]), "r"), Some("Reveal".to_owned()));
    assert_eq!(key(&placement(&[]), "6"), Some("Choose(6)".to_owned()));
    assert_eq!(key(&placement(&[]), "9"), None, "the machine has no such CPU");
    let balance = after(DecisionKind::Balance, OutcomeView::Moved(0), &[]).0;
    assert_eq!(key(&balance, "n"), Some(format!("Choose({LEAVES})")));
}
