//! Controls that several panels use.

mod copy_button;
mod dialog;
mod field;
mod icon;
mod segments;
mod width;

pub(crate) use copy_button::CopyButton;
pub(crate) use dialog::Dialog;
pub(crate) use field::{Entry, Field, FieldView};
pub(crate) use icon::{Icon, icon};
pub(crate) use segments::{Segment, Segments};
pub(crate) use width::use_width;
