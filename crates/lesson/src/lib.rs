//! Lessons: data that says in which order to look at which scenarios, and with which words.
//!
//! A lesson holds text and scenarios and nothing else: no markup, no addresses, no figures. What it shows is computed
//! from its scenarios by whoever reads it. `docs/lessons.md` has the format. [`Quest`] finds the decision that a
//! reader is asked to predict, so that page and tests find the same one.

mod format;
mod json;
mod problems;
mod quest;
mod words;

pub use format::{
    Block, Chart, Choice, Entry, Figure, Find, Index, Lesson, Predict, Screen, Try, Walk, parse_index,
};
pub use json::Wrong;
pub use problems::problems;
pub use quest::{Next, Quest, Question};
pub use words::{Asked, Piece, Words};

/// The version of the format that this build reads.
pub const VERSION: u64 = 1;
