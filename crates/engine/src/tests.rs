//! What only the inside can show: the pitfalls of `model/wakeup-and-balance.md` section 8, each by its name.

mod pitfalls;
mod timeline;
