use crate::Era;

/// The numbers and feature flags of a kernel. All times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
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
    /// How an idle CPU is looked for at a wake-up.
    pub idle_search: IdleSearch,
    /// `SIS_PROP` (v4.13 to v6.0): limit the idle search in proportion to the CPU's idle time.
    pub sis_prop: bool,
    /// `SIS_UTIL` (since v6.0, 70fb5ccf2ebb): limit the idle search by the utilisation of the cache's CPUs.
    pub sis_util: bool,
    /// `WA_IDLE`, `WA_WEIGHT` and `WA_BIAS` of wake_affine.
    pub wake_affine_idle: bool,
    /// `WA_WEIGHT`.
    pub wake_affine_weight: bool,
    /// `WA_BIAS`.
    pub wake_affine_bias: bool,
    /// `TTWU_QUEUE`: remote wake-ups may go through the target's wake list.
    pub ttwu_queue: bool,
    /// Since v5.8 (2ebb17717550): a wakee that is still on its CPU is queued there.
    pub ttwu_queue_on_cpu: bool,
    /// How many tasks may run there for that: 1, and 0 since v6.0 (28156108fecb).
    pub ttwu_queue_on_cpu_limit: u32,
    /// Since v6.0 (f3dd3f674555): a wakee for any other CPU without tasks is queued there, in the same cache too.
    pub ttwu_queue_idle: bool,
    /// `UTIL_EST`.
    pub util_est: bool,
    /// `UTIL_EST_FASTUP`: the estimate follows a rise at once.
    pub util_est_fastup: bool,
    /// Factor on the balance interval of a busy CPU.
    pub busy_factor: u32,
    /// Whether a CPU that runs out of work looks for some (`newidle_balance()`); off, as an experiment, means
    /// that the kernel does not call it, so that it does not bring the CPU's next periodic balance forward either.
    pub newidle_balance: bool,
    /// Since v5.16 (9d783c8dd112): a newidle balance is worth its cost rather than a fixed time.
    pub newidle_gate_by_cost: bool,
    /// Since v5.12 (e9b9734b7465): repeated failures start the stopper only where tasks are counted.
    pub active_balance_counts_tasks: bool,
    /// Since v6.1 (792b9f65a568): a newidle balance ends when the wake list has something.
    pub newidle_sees_pending: bool,
    /// Since v5.12 (7a82e5f52a35): a kicked CPU balances itself only when its own next balance is due.
    pub nohz_own_balance_gated: bool,
    /// Whether a kernel task can be preempted in the kernel (`CONFIG_PREEMPTION`): a newidle pull takes one task only.
    pub preemption: bool,
    /// `sched_rt_runtime_us`: how long real-time tasks may run on a CPU in a period; as long as the period means always.
    pub rt_runtime_ns: u64,
    /// `sched_rt_period_us`.
    pub rt_period_ns: u64,
    /// `RT_RUNTIME_SHARE` (off since v5.10, 2586af1ac187): a CPU whose real-time tasks have used up their time borrows
    /// what others have to spare.
    pub rt_runtime_share: bool,
    /// `sched_rr_timeslice`: how long a `SCHED_RR` task runs before others of its priority.
    pub rr_timeslice_ns: u64,
    /// Since v5.6 (804d402fb6f6): on CPUs of different size a real-time task looks for one that fits its `uclamp.min`,
    /// which is the biggest unless somebody changes it.
    pub rt_capacity_aware: bool,
    /// Whether the balancer tests utilisation in `detach_tasks` (off only as an experiment).
    pub util_test: bool,
}

/// How an idle CPU is looked for at a wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum IdleSearch {
    /// Idle cores first, then idle CPUs, then siblings of the target; a recently used CPU is forgotten only when used.
    TwoPasses,
    /// One pass for cores and CPUs; siblings of the previous CPU before it; a recently used CPU is replaced each time.
    OnePass,
}

impl Tunables {
    /// The defaults of an era on a machine of `cpus` CPUs: a cascade from the oldest era upward.
    ///
    /// Source: `model/wakeup-and-balance.md` section 5; commit ids are recalled where that does not give them. Eras
    /// that are not [runnable](Era::is_runnable) come with their own issues.
    pub fn for_era(era: Era, cpus: u32, hz: u32) -> Tunables {
        let mut tunables = Tunables::v5_10(cpus, hz);
        if Era::V6_1 <= era {
            // v5.11 (9fe1f127b913, 6cd56ef1df39): one pass over the cache for cores and CPUs.
            tunables.idle_search = IdleSearch::OnePass;
            // v5.12 (7a82e5f52a35, e9b9734b7465).
            tunables.active_balance_counts_tasks = true;
            tunables.nohz_own_balance_gated = true;
            // v5.13 (0c2de3f054a5): ALT_PERIOD and BASE_SLICE.
            tunables.alt_period = true;
            tunables.base_slice = true;
            // v5.16 (9d783c8dd112).
            tunables.newidle_gate_by_cost = true;
            // v6.0 (70fb5ccf2ebb, 28156108fecb, f3dd3f674555).
            tunables.sis_prop = false;
            tunables.sis_util = true;
            tunables.ttwu_queue_on_cpu_limit = 0;
            tunables.ttwu_queue_idle = true;
            // v6.1 (792b9f65a568).
            tunables.newidle_sees_pending = true;
        }
        tunables
    }

    /// v5.10, the oldest era that the engine runs.
    fn v5_10(cpus: u32, hz: u32) -> Tunables {
        let factor = Tunables::cpu_factor(cpus);
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
            idle_search: IdleSearch::TwoPasses,
            sis_prop: true,
            sis_util: false,
            wake_affine_idle: true,
            wake_affine_weight: true,
            wake_affine_bias: true,
            ttwu_queue: true,
            ttwu_queue_on_cpu: true,
            ttwu_queue_on_cpu_limit: 1,
            ttwu_queue_idle: false,
            util_est: true,
            util_est_fastup: true,
            busy_factor: 16,
            newidle_balance: true,
            newidle_gate_by_cost: false,
            active_balance_counts_tasks: false,
            newidle_sees_pending: false,
            nohz_own_balance_gated: false,
            preemption: true,
            rt_runtime_ns: 950_000_000,
            rt_period_ns: 1_000_000_000,
            rt_runtime_share: false,
            rr_timeslice_ns: 100_000_000,
            rt_capacity_aware: true,
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
