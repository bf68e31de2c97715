use kernel::Kernel;
use sim::Nanos;
use topology::Topology;
use workload::WorkloadSpec;

/// Everything that one run needs: one column of a scenario, validated and resolved.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Setup {
    /// The machine.
    pub topology: Topology,
    /// The kernel.
    pub kernel: Kernel,
    /// What things cost.
    pub costs: CostTable,
    /// `capacity_of` a CPU whose original capacity is 1024: what interrupts leave over. 1 to 4096; smaller CPUs in
    /// proportion. Above 1024 only as an experiment.
    pub capacity: u32,
    /// For each CPU its idle states from the shallowest on; of a single list, for all CPUs. None means that leaving idle
    /// costs nothing beyond the kick.
    pub idle_states: Vec<Vec<IdleState>>,
    /// What runs.
    pub workload: WorkloadSpec,
    /// Names the random streams.
    pub seed: u64,
    /// When the run ends if the workload has not ended before.
    pub until: Nanos,
    /// The most events that a run may process before it is stopped.
    pub max_events: u64,
}

/// What things cost on a machine; the named sets are in [`CostSet`](crate::CostSet), calibrated on the published
/// medians of their machines. Each draw is moved by a uniform share of up to `jitter_pct`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct CostTable {
    /// Waker: from the call to the placement of each wake-up of a batch.
    pub wake_pre: Nanos,
    /// Waker: after the placement, when it enqueues on another CPU itself.
    pub wake_direct: Nanos,
    /// Waker: after the placement, when it goes through a wake list or stays on its own CPU.
    pub wake_list: Nanos,
    /// Waker: back to the program and on to the next of the batch.
    pub wake_post: Nanos,
    /// From the kick to its handler on an idle CPU.
    pub kick_idle: Nanos,
    /// From the kick to its handler on a busy CPU.
    pub kick_busy: Nanos,
    /// On the target of a wake list: from clearing the pending flag to the enqueue.
    pub window: Nanos,
    /// The same on a CPU that has not idled for as long as a task stays cache-hot; at most `window`.
    pub window_hot: Nanos,
    /// A context switch.
    pub context_switch: Nanos,
    /// From being on the CPU again to the program's next clock read, after a wait.
    pub wait_return: Nanos,
    /// The single post of a worker.
    pub post_path: Nanos,
    /// From the call of a wait to the dequeue.
    pub block_path: Nanos,
    /// Entry of a sleep.
    pub sleep_entry: Nanos,
    /// Timer slack, added to every sleep; not jittered.
    pub timer_slack: Nanos,
    /// A newidle balance over all levels.
    pub newidle_balance: Nanos,
    /// From the handler of a balance kick to the balance on an idle CPU.
    pub ilb: Nanos,
    /// Each CPU looked at in the idle search; not jittered. It feeds the average by which the kernel limits the search
    /// (`avg_scan_cost`); the waker's time for it is part of `wake_pre`, `wake_direct` and `wake_list`.
    pub scan_per_cpu: Nanos,
    /// Creating a thread.
    pub fork: Nanos,
    /// How far a draw may move, in percent of the cost, 0 to 100.
    pub jitter_pct: u32,
}

impl CostTable {
    /// Nothing but a program's own computing takes time: for machines on which as much as can be happens at one instant.
    pub const fn free() -> CostTable {
        CostTable {
            wake_pre: Nanos::ZERO,
            wake_direct: Nanos::ZERO,
            wake_list: Nanos::ZERO,
            wake_post: Nanos::ZERO,
            kick_idle: Nanos::ZERO,
            kick_busy: Nanos::ZERO,
            window: Nanos::ZERO,
            window_hot: Nanos::ZERO,
            context_switch: Nanos::ZERO,
            wait_return: Nanos::ZERO,
            post_path: Nanos::ZERO,
            block_path: Nanos::ZERO,
            sleep_entry: Nanos::ZERO,
            timer_slack: Nanos::ZERO,
            newidle_balance: Nanos::ZERO,
            ilb: Nanos::ZERO,
            scan_per_cpu: Nanos::ZERO,
            fork: Nanos::ZERO,
            jitter_pct: 0,
        }
    }
}

/// An idle state of a CPU.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct IdleState {
    /// Its name.
    pub name: String,
    /// How long leaving it takes.
    pub exit_latency: Nanos,
    /// How long it must last to be worth entering.
    pub min_residency: Nanos,
}
