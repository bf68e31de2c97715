//! The native runner.

fn main() {}
