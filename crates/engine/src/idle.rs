//! Idle states: how deep a CPU sleeps, and what leaving costs.

use sim::{CpuId, Nanos};
use trace::{Event, EventKind};

use crate::engine::Engine;

impl Engine {
    /// Chooses the idle state of a CPU that has nothing to do.
    ///
    /// Kernel: the menu and TEO governors' common rule, v5.x: the deepest state that pays off within the expected
    /// idle time.
    /// Differs: the expected time is the CPU's average idle span where that says less than the deepest state needs,
    /// else unbounded; no correction by past errors.
    pub(crate) fn choose_idle_state(&mut self, cpu: CpuId) {
        let rq = &mut self.rqs[cpu.index()];
        let average_says_long = 2 * rq.max_idle_balance_cost <= rq.avg_idle;
        let expected = if average_says_long { u64::MAX } else { rq.avg_idle };
        let by_cpu = &self.config.idle_states;
        let states = by_cpu.get(cpu.index()).or(by_cpu.first()).map_or(&[][..], Vec::as_slice);
        let chosen = states.iter().rposition(|state| state.min_residency.0 <= expected);
        let exit_ns = chosen.map_or(0, |position| states[position].exit_latency.0);
        rq.idle_exit_ns = exit_ns;
        if let (Some(position), 2..) = (chosen, states.len()) {
            let (at, task, kind) = (Nanos(self.now), Event::NO_TASK, EventKind::Idle);
            self.trace.annotate(Event {
                at,
                args: [exit_ns as u32, 0],
                task,
                cpu,
                kind,
                detail: position as u8,
            });
        }
    }
}
