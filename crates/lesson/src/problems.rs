//! What a file can get wrong beyond its grammar. Pages need not ask: tests do, before a lesson is published.

use scenario::{Scenario, validate};

use crate::format::{Block, Lesson, Screen, Try};
use crate::words::{Piece, Words};

/// The fewest and the most words of a paragraph.
const PARAGRAPH: (usize, usize) = (20, 60);

/// Everything that is wrong with a lesson, each with its place.
pub fn problems(lesson: &Lesson) -> Vec<String> {
    let mut found = Vec::new();
    for (index, screen) in lesson.screens.iter().enumerate() {
        let place = format!("{} screen {}", lesson.id, index + 1);
        let mut tell = |what: String| found.push(format!("{place}: {what}"));
        if screen.blocks.iter().filter(|block| matches!(block, Block::Predict(_))).count() > 1 {
            tell("one screen asks for one prediction".to_owned());
        }
        for block in &screen.blocks {
            of_block(lesson, screen, block, &mut tell);
        }
        for chart in charts(screen) {
            if charts(screen).filter(|other| *other == chart).count() > 1 {
                tell(format!("{chart:?} stands there twice"));
            }
        }
    }
    for (term, _) in &lesson.terms {
        let is_used = lesson.screens.iter().flat_map(texts).any(|words| {
            words.0.iter().any(|piece| matches!(piece, Piece::Term { term: used, .. } if used == term))
        });
        if !is_used {
            found.push(format!("{}: nobody asks for the term {term:?}", lesson.id));
        }
    }
    found
}

fn charts(screen: &Screen) -> impl Iterator<Item = crate::Chart> + '_ {
    screen.blocks.iter().filter_map(|block| match block {
        Block::Chart(chart) => Some(*chart),
        _ => None,
    })
}

/// The texts of a screen.
fn texts(screen: &Screen) -> Vec<&Words> {
    let of_block = |block: &'_ Block| match block {
        Block::Text(_) | Block::Note(_) | Block::Predict(_) => true,
        Block::Figures(_) | Block::Chart(_) | Block::Try(_) => false,
    };
    let mut texts = Vec::new();
    for block in screen.blocks.iter().filter(|block| of_block(block)) {
        match block {
            Block::Text(words) | Block::Note(words) => texts.push(words),
            Block::Predict(predict) => texts.extend([&predict.question, &predict.because]),
            _ => {}
        }
    }
    texts
}

fn of_block(lesson: &Lesson, screen: &Screen, block: &Block, tell: &mut dyn FnMut(String)) {
    match block {
        Block::Text(words) | Block::Note(words) => {
            let (least, most) = PARAGRAPH;
            if !(least..=most).contains(&words.count()) {
                tell(format!("a paragraph has {} words, not {least} to {most}: {words:?}", words.count()));
            }
            of_words(lesson, screen, words, false, tell);
        }
        Block::Figures(figures) => {
            for figure in figures {
                of_column(&screen.scenario, &figure.column, tell);
            }
        }
        Block::Try(tried) => of_try(&screen.scenario, tried, tell),
        Block::Predict(predict) => {
            of_column(&screen.scenario, &predict.column, tell);
            of_words(lesson, screen, &predict.question, true, tell);
            of_words(lesson, screen, &predict.because, true, tell);
        }
        Block::Chart(_) => {}
    }
}

fn of_words(lesson: &Lesson, screen: &Screen, words: &Words, has_blanks: bool, tell: &mut dyn FnMut(String)) {
    for piece in &words.0 {
        match piece {
            Piece::Term { term, .. } if lesson.meaning(term).is_none() => {
                tell(format!("the term {term:?} is not explained"));
            }
            Piece::Figure { column, .. } => of_column(&screen.scenario, column, tell),
            Piece::Blank(name) if !has_blanks => tell(format!("only a question knows {name:?}")),
            _ => {}
        }
    }
}

fn of_column(scenario: &Scenario, name: &str, tell: &mut dyn FnMut(String)) {
    if scenario.columns.iter().all(|column| column.name != name) {
        tell(format!("there is no column {name:?}"));
    }
}

fn of_try(scenario: &Scenario, tried: &Try, tell: &mut dyn FnMut(String)) {
    if tried.choices.len() < 2 {
        tell(format!("{}: there is nothing to choose", tried.key));
    }
    for choice in &tried.choices {
        let mut changed = scenario.clone();
        let set = changed.set(&tried.key, &choice.value);
        let wrong = set.err().into_iter().chain(validate(&changed));
        for problem in wrong {
            tell(format!("{}={}: {problem}", tried.key, choice.value));
        }
    }
}
