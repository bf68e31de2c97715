use crate::Era;

/// The numbers and feature flags of a kernel. All times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tunables {
    /// Ticks a second, 100 to 1000.
    pub hz: u32,
    /// `sched_latency`: the period in which every runnable task runs once. 6 ms × (1 + log2 of the CPUs, at most 8).
    pub latency_ns: u64,
    /// `sched_min_granularity`: the shortest slice. 0.75 ms × the same factor.
    pub min_granularity_ns: u64,
    /// `sched_wakeup_granularity`: how far behind a wakee must be to preempt. 1 ms × the same factor.
    pub wakeup_granularity_ns: u64,
    /// `sched_nr_latency`: how many tasks share the latency before the period grows.
    pub nr_latency: u32,
    /// `sched_migration_cost`: how long a task stays cache-hot, and the least idle time worth a newidle balance.
    pub migration_cost_ns: u64,
    /// `sched_nr_migrate`: tasks looked at in one balance pass.
    pub nr_migrate: u32,
    /// `GENTLE_FAIR_SLEEPERS`: a sleeper is credited half the latency only.
    pub gentle_fair_sleepers: bool,
    /// `START_DEBIT`: a new task starts one slice behind.
    pub start_debit: bool,
    /// `ALT_PERIOD` (longterm 5.10 and v6.1): count the tasks of the whole hierarchy in the period.
    pub alt_period: bool,
    /// `BASE_SLICE` (longterm 5.10 and v6.1): no slice below `sched_min_granularity`.
    pub base_slice: bool,
    /// `LAST_BUDDY`: prefer the task that was preempted by a wake-up.
    pub last_buddy: bool,
    /// `WAKEUP_PREEMPTION`.
    pub wakeup_preemption: bool,
    /// `SIS_PROP`: limit the idle search in proportion to the CPU's idle time.
    pub sis_prop: bool,
    /// `WA_IDLE`, `WA_WEIGHT` and `WA_BIAS` of wake_affine.
    pub wake_affine_idle: bool,
    /// `WA_WEIGHT`.
    pub wake_affine_weight: bool,
    /// `WA_BIAS`.
    pub wake_affine_bias: bool,
    /// `TTWU_QUEUE`: remote wake-ups may go through the target's wake list.
    pub ttwu_queue: bool,
    /// Since v5.8 (2ebb17717550): a wakee that is still on its CPU is queued there when at most one task runs.
    pub ttwu_queue_on_cpu: bool,
    /// `UTIL_EST`.
    pub util_est: bool,
    /// `UTIL_EST_FASTUP`: the estimate follows a rise at once.
    pub util_est_fastup: bool,
    /// Factor on the balance interval of a busy CPU.
    pub busy_factor: u32,
    /// Whether a CPU that runs out of work looks for some (`newidle_balance()`); off, as an experiment, means
    /// that the kernel does not call it, so that it does not bring the CPU's next periodic balance forward either.
    pub newidle_balance: bool,
    /// Whether a kernel task can be preempted in the kernel (`CONFIG_PREEMPTION`): a newidle pull takes one task only.
    pub preemption: bool,
    /// Whether the balancer tests utilisation in `detach_tasks` (off only as an experiment).
    pub util_test: bool,
}

impl Tunables {
    /// The defaults of an era on a machine of `cpus` CPUs: a cascade from the oldest era upward.
    ///
    /// Source: `model/wakeup-and-balance.md` section 5. Eras other than v5.10 come with their own issues.
    pub fn for_era(_era: Era, cpus: u32, hz: u32) -> Tunables {
        let factor = Tunables::cpu_factor(cpus);
        // v5.10, the oldest era that the engine runs.
        Tunables {
            hz,
            latency_ns: 6_000_000 * factor,
            min_granularity_ns: 750_000 * factor,
            wakeup_granularity_ns: 1_000_000 * factor,
            nr_latency: 8,
            migration_cost_ns: 500_000,
            nr_migrate: 32,
            gentle_fair_sleepers: true,
            start_debit: true,
            alt_period: false,
            base_slice: false,
            last_buddy: true,
            wakeup_preemption: true,
            sis_prop: true,
            wake_affine_idle: true,
            wake_affine_weight: true,
            wake_affine_bias: true,
            ttwu_queue: true,
            ttwu_queue_on_cpu: true,
            util_est: true,
            util_est_fastup: true,
            busy_factor: 16,
            newidle_balance: true,
            preemption: true,
            util_test: true,
        }
    }

    /// `get_update_sysctl_factor()`: 1 + log2 of the CPUs, counted up to 8.
    pub fn cpu_factor(cpus: u32) -> u64 {
        u64::from(1 + cpus.clamp(1, 8).ilog2())
    }

    /// The time between two ticks, in nanoseconds.
    pub fn tick_ns(&self) -> u64 {
        1_000_000_000 / u64::from(self.hz)
    }
}
