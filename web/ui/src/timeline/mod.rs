//! The timeline: one canvas for all runs, and what stands around it.

mod brush;
pub(crate) mod caption;
mod controller;
mod ink;
mod layout;
mod paint;
mod pointer;
mod view;

pub(crate) use brush::Brush;
pub(crate) use controller::{Controller, Kept, Told};
pub(crate) use ink::colour_of;
pub(crate) use pointer::{key, listen};
pub(crate) use view::{View, Wait};
