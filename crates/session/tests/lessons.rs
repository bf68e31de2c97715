//! Every lesson that is published: its file, its scenarios, its figures and the decisions that it asks for.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use lesson::{Asked, Block, Find, Lesson, Next, Piece, Predict, Quest, Question, Screen, Words, parse_index};
use protocol::{
    AnswerBody, DecisionKind, OutcomeView, PlannedColumn, Request, RequestBody, RunKey, RunOptions,
    RunSummary,
};
use scenario::{Preset, Scenario};
use session::Session;

/// The seeds for which every question must exist: the numbers that a class may type.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=60;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../public/lessons")
}

fn read(id: &str) -> Lesson {
    let path = folder().join(format!("{id}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Lesson::parse(&text).unwrap_or_else(|wrong| panic!("{id}: {wrong}"))
}

/// Every lesson, by the list that the page shows.
fn lessons() -> Vec<Lesson> {
    let index = fs::read_to_string(folder().join("index.json")).unwrap();
    parse_index(&index).unwrap().iter().map(|entry| read(&entry.id)).collect()
}

fn run(scenario: &Scenario, column: usize) -> (Session, RunSummary) {
    let column = Box::new(PlannedColumn::new(scenario, column));
    let options = RunOptions { keep_trace: true, audit_hunks: false };
    let mut session = Session::new();
    session.handle(Request { id: 1, body: RequestBody::Run { column, run: RunKey(0), options } });
    loop {
        for answer in session.work(&|| 0.0, 1.0) {
            if let AnswerBody::RunDone(summary) = answer.body {
                return (session, *summary);
            }
        }
    }
}

fn column_of(scenario: &Scenario, name: &str) -> usize {
    scenario.columns.iter().position(|column| column.name == name).unwrap()
}

/// What a screen asks in the run of a seed.
fn question(screen: &Screen, predict: &Predict, seed: u64) -> Option<Question> {
    let scenario = Scenario { seed, ..screen.scenario.clone() };
    let (mut session, summary) = run(&scenario, column_of(&scenario, &predict.column));
    let (mut quest, mut next) = Quest::begin(&predict.find, &summary);
    loop {
        let body = match next {
            Next::Ask(body) => body,
            Next::Found(question) => return Some(*question),
            Next::Nothing => return None,
            Next::Failed(message) => panic!("{message}"),
        };
        let mut answers = session.handle(Request { id: 2, body });
        next = quest.hear(answers.remove(0).body);
    }
}

#[test]
fn the_list_names_every_lesson_as_it_calls_itself() {
    let index = parse_index(&fs::read_to_string(folder().join("index.json")).unwrap()).unwrap();
    let mut files: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "index.json")
        .collect();
    files.sort();
    let mut listed: Vec<String> = index.iter().map(|entry| format!("{}.json", entry.id)).collect();
    listed.sort();
    assert_eq!(files, listed);
    for entry in &index {
        assert_eq!(read(&entry.id).entry(), *entry);
    }
}

#[test]
fn no_lesson_has_a_problem() {
    for lesson in lessons() {
        assert_eq!(lesson::problems(&lesson), [""; 0]);
        let is_right_length = (5..=6).contains(&lesson.screens.len());
        assert!(is_right_length, "{}: {} screens", lesson.id, lesson.screens.len());
    }
}

/// The figures that a text shows.
fn figures_of(words: &Words) -> Vec<(Asked, String, String)> {
    let figure = |piece: &Piece| match piece {
        Piece::Figure { asked, column, metric } => Some((*asked, column.clone(), metric.clone())),
        _ => None,
    };
    words.0.iter().filter_map(figure).collect()
}

fn figures(screen: &Screen) -> Vec<(Asked, String, String)> {
    let of_block = |block: &Block| match block {
        Block::Text(words) | Block::Note(words) => figures_of(words),
        Block::Figures(figures) => {
            figures.iter().map(|figure| (Asked::Run, figure.column.clone(), figure.metric.clone())).collect()
        }
        Block::Predict(predict) => {
            [&predict.question, &predict.because].into_iter().flat_map(figures_of).collect()
        }
        Block::Chart(_) | Block::Try(_) => Vec::new(),
    };
    screen.blocks.iter().flat_map(of_block).collect()
}

#[test]
fn every_scenario_runs_and_has_every_figure_that_is_shown() {
    for lesson in lessons() {
        for screen in &lesson.screens {
            let place = format!("{}: {}", lesson.id, screen.title);
            let runs: Vec<RunSummary> =
                (0..screen.scenario.columns.len()).map(|column| run(&screen.scenario, column).1).collect();
            assert!(runs.iter().all(|run| !run.out_of_budget), "{place}");
            for (asked, column, metric) in figures(screen) {
                let has_it = match asked {
                    Asked::Published => published(&screen.scenario, &column, &metric),
                    Asked::Run | Asked::Median => {
                        runs[column_of(&screen.scenario, &column)].metric(&metric).is_some()
                    }
                };
                assert!(has_it, "{place}: {asked:?} {column}.{metric}");
            }
        }
    }
}

fn published(scenario: &Scenario, column: &str, metric: &str) -> bool {
    let preset = Preset::find(&scenario.preset).unwrap();
    preset.published_of(column).any(|(_, figure)| figure.metric == metric)
}

#[test]
fn every_seed_of_a_class_has_every_question_and_the_engine_has_its_answer() {
    for lesson in lessons() {
        for screen in &lesson.screens {
            let Some(predict) = screen.predict() else { continue };
            let mut moments = BTreeSet::new();
            for seed in SEEDS {
                let place = format!("{}: {}, seed {seed}", lesson.id, screen.title);
                let question = question(screen, predict, seed).unwrap_or_else(|| panic!("{place}"));
                check(&predict.find, &question, &place);
                moments.insert(question.at_ns);
            }
            let most = SEEDS.count();
            assert!(most * 9 / 10 < moments.len(), "{}: seeds share their questions", screen.title);
        }
    }
}

/// Holds a question against what the lesson looked for.
fn check(find: &Find, question: &Question, place: &str) {
    let decision = question.decision().unwrap();
    assert_eq!(decision.at_ns, question.at_ns, "{place}");
    assert!(!decision.steps.is_empty(), "{place}: nothing to explain");
    match (find, &decision.outcome) {
        (Find::LongestWait, OutcomeView::Cpu(chosen)) => {
            let chosen = question.moment.cpus.iter().find(|cpu| cpu.cpu == *chosen).unwrap();
            assert!(!chosen.is_idle, "{place}: an idle CPU makes nobody wait");
        }
        (Find::Walk(walk), outcome) => {
            assert_eq!(decision.kind, walk.kind, "{place}");
            let is_fitting = match walk.kind {
                DecisionKind::Placement => matches!(outcome, OutcomeView::Cpu(_)),
                _ => matches!(outcome, OutcomeView::Moved(_)),
            };
            assert!(is_fitting, "{place}: {outcome:?}");
            let wants_somebody = walk.beside.is_some() || walk.previous_runs.is_some();
            assert_eq!(question.beside.is_some(), wants_somebody, "{place}");
        }
        (find, outcome) => panic!("{place}: {find:?} {outcome:?}"),
    }
}

#[test]
fn the_balancer_of_the_first_lesson_refuses_before_the_patch_and_pulls_with_it() {
    let lesson = read("llc-spread");
    let screen = lesson.screens.iter().rfind(|screen| screen.predict().is_some()).unwrap();
    let predict = screen.predict().unwrap();
    for seed in [1, 2, 3] {
        let refused = question(screen, predict, seed).unwrap();
        let decision = refused.decision().unwrap();
        assert_eq!(decision.outcome, OutcomeView::Moved(0));
        let refusal = decision.steps.iter().find(|step| step.check == "detach").unwrap();
        assert_eq!((refusal.yes, refusal.kernel_function.as_str()), (false, "detach_tasks()"));

        let mut patched = screen.clone();
        patched.scenario.set("columns.base.patches.llc-spread", "merged").unwrap();
        let pulled = question(&patched, predict, seed).unwrap();
        assert_eq!(pulled.decision().unwrap().outcome, OutcomeView::Moved(1));
    }
}

#[test]
fn the_real_time_thread_of_the_second_lesson_takes_the_cpu_before_the_patch_and_leaves_it_with_it() {
    let lesson = read("rt-idle-first");
    let questions = lesson.screens.iter().filter_map(|screen| Some((screen, screen.predict()?)));
    for (screen, predict) in questions {
        for seed in SEEDS {
            let asked = question(screen, predict, seed).unwrap();
            let (previous, _) = asked.beside.clone().unwrap();
            let OutcomeView::Cpu(chosen) = asked.decision().unwrap().outcome else {
                panic!("{}", screen.title)
            };
            assert_eq!(chosen == previous, predict.column == "base", "{}, seed {seed}", screen.title);
        }
    }
}
