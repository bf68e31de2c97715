//! What the published runs must look like over many seeds: the bands of `model/wakeup-and-balance.md` section 7.
//!
//! A failing test here says that the mechanism is wrong, not that a number needs tuning.
//! Bands are never widened, and seeds are never chosen after seeing results; see `seeds.rs`.

mod cpu104;
mod hikey;
mod launch;
mod runs;
mod schbench;
mod seeds;
mod smt40;
mod throughput;
mod vm32;
