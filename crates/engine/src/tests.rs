//! What only the inside can show; among it the pitfalls of `model/wakeup-and-balance.md` section 8, each by its name.

mod capacity;
mod explain;
mod idle_search;
mod inspect;
mod launch;
mod pitfalls;
mod programs;
mod timeline;
