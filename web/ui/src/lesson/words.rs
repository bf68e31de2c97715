//! Texts of lessons with what is inside of them: explained words and live figures.

use ::lesson::{Asked, Lesson, Piece, Words};
use protocol::MetricInfo;
use yew::prelude::*;

use crate::columns::Results;
use crate::format::{THIN, significant};
use crate::markup::{el, plain, said};
use crate::panels::{PanelState, figure};
use crate::text;

/// What a text is read with.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    /// The lesson, for its terms.
    pub(super) lesson: &'a Lesson,
    /// What its figures come from.
    pub(super) results: &'a PanelState<Results>,
    /// What a question knows: names and what they stand for.
    pub(super) blanks: &'a [(&'static str, String)],
    /// What makes the ids of its explanations unique in the page.
    pub(super) id: &'a str,
}

impl Reader<'_> {
    /// The text as phrases.
    pub(super) fn phrases(&self, words: &Words) -> Vec<Html> {
        let piece = |(index, piece): (usize, &Piece)| match piece {
            Piece::Plain(words) => plain(words),
            Piece::Code(words) => said("code", "", words),
            Piece::Term { shown, term } => self.term(shown, term, index),
            Piece::Figure { asked, column, metric } => self.figure(*asked, column, metric),
            Piece::Blank(name) => {
                let known = self.blanks.iter().find(|(known, _)| known == name);
                said("strong", "", known.map_or(text::NOT_YET, |(_, words)| words))
            }
        };
        words.0.iter().enumerate().map(piece).collect()
    }

    /// A word that explains itself when it is pressed. The browser opens and closes the explanation.
    fn term(&self, shown: &str, term: &str, index: usize) -> Html {
        let id = format!("{}-{index}", self.id);
        let meaning = self.lesson.meaning(term).unwrap_or_default();
        let button = el(
            "button",
            &[("type", "button"), ("class", "gloss"), ("popovertarget", &id)],
            vec![plain(shown)],
        );
        let parts = vec![said("strong", "", term), plain(": "), plain(meaning)];
        let explained = el("span", &[("id", &id), ("class", "meaning"), ("popover", "auto")], parts);
        [button, explained].into_iter().collect()
    }

    fn figure(&self, asked: Asked, column: &str, metric: &str) -> Html {
        let words = self.results.content().and_then(|results| value(results, asked, column, metric));
        let class = if matches!(self.results, PanelState::Stale(_)) { "live stale" } else { "live" };
        let name = format!("{column}.{metric}");
        let attributes = [("class", class), ("data-figure", &name)];
        el("strong", &attributes, vec![plain(words.as_deref().unwrap_or(text::NOT_YET))])
    }
}

/// A value in its unit; times as the rest of the lesson writes them.
pub(super) fn quantity(value: f64, info: &MetricInfo) -> String {
    if info.unit == "ms" { format!("{}{THIN}ms", significant(value)) } else { figure(value, info) }
}

/// A figure in its unit.
pub(super) fn value(results: &Results, asked: Asked, column: &str, metric: &str) -> Option<String> {
    let column = results.columns.iter().find(|known| known.name == column)?;
    let found = column.summary.metrics.iter().find(|known| known.info.key == metric)?;
    let value = match asked {
        Asked::Run => Some(found.value),
        Asked::Median => results.spread(column, metric).map(|spread| spread.median),
        Asked::Published => results.published(column, metric),
    };
    value.map(|value| quantity(value, &found.info))
}
