//! The timeline: one canvas for all runs, and what stands around it.

mod brush;
pub(crate) mod caption;
mod controller;
mod fill;
mod ink;
mod layout;
mod lens;
mod paint;
mod play;
mod pointer;
mod strips;
mod view;
mod walk;

pub(crate) use brush::Brush;
pub(crate) use controller::{Controller, Kept, Told};
pub(crate) use fill::DEPTHS;
pub(crate) use ink::colour_of;
pub(crate) use lens::{LaneKind, Lens, LensChange, Level, PAGE, Row};
pub(crate) use play::{FIRST_STEP, SPEED_STEPS, speed_of};
pub(crate) use pointer::{key, listen};
pub(crate) use view::{View, Wait};
