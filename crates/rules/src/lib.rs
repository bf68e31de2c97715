//! The decisions of `kernel/sched` as functions of plain values: integer arithmetic and comparisons, no run queues,
//! no time that passes.
