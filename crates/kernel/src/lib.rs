//! Which kernel is simulated: its era, its tunables, and which patches are applied in which form.
//!
//! Holds no scheduling code.
//! A patch is a list of [`Hunk`]s; the scheduler asks [`Kernel::decide`] or [`Kernel::applied`] at the very line
//! that the hunk edits.

mod era;
mod kernel_config;
mod patch;
pub mod patches;
mod tunables;

pub use era::Era;
pub use kernel_config::{Audit, Kernel, SilentAudit};
pub use patch::{Availability, Form, Hunk, Patch, PatchInfo, PatchSet, PatchSetError};
pub use tunables::{AsymWakeup, Balancer, Governor, IdleSearch, LoadMargin, LoadSignal, Tunables};
