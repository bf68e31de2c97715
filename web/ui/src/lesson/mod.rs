//! Lessons: where the reader is, what he has predicted, and the screens as they are seen.

mod blocks;
mod hooks;
mod page;
mod place;
mod predict;
mod reading;
mod stage;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use hooks::{carry_out, use_lesson};
pub(crate) use page::{LessonView, Panels, lesson_page};
pub(crate) use place::Place;
pub(crate) use reading::{Prediction, Reading, Turn, turn};
