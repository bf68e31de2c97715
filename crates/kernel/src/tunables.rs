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
    /// Where a wake-up looks for capacity on machines whose CPUs differ.
    pub asym_wakeup: AsymWakeup,
    /// Who chooses frequencies, on machines whose frequencies are known.
    pub governor: Governor,
    /// Energy-aware placement on machines whose CPUs differ and whose powers are known (`sched_energy_aware`).
    pub eas: bool,
    /// Up to v5.19: only a saving of more than a sixteenth moves a task.
    pub eas_margin: bool,
    /// Since v5.12 (0ae78eec8aa6): a task bound to one CPU is no misfit.
    pub misfit_spares_pinned: bool,
    /// `WA_IDLE`, `WA_WEIGHT` and `WA_BIAS` of wake_affine.
    pub wake_affine_idle: bool,
    /// `WA_WEIGHT`.
    pub wake_affine_weight: bool,
    /// `WA_BIAS`.
    pub wake_affine_bias: bool,
    /// `TTWU_QUEUE`: remote wake-ups may go through the target's wake list.
    pub ttwu_queue: bool,
    /// Since v5.8 (126c2092e5c8): a flag says that a task is on its way; before, the wake list that is not empty.
    pub ttwu_pending_flag: bool,
    /// Since v5.8 (2ebb17717550): a wakee that is still on its CPU is queued there.
    pub ttwu_queue_on_cpu: bool,
    /// How many tasks may run there for that: 1, and 0 since v6.0 (28156108fecb).
    pub ttwu_queue_on_cpu_limit: u32,
    /// Since v6.0 (f3dd3f674555): a wakee for any other CPU without tasks is queued there, in the same cache too.
    pub ttwu_queue_idle: bool,
    /// `UTIL_EST`.
    pub util_est: bool,
    /// `UTIL_EST_FASTUP` (since v5.5, b8c96361402a): the estimate follows a rise at once.
    pub util_est_fastup: bool,
    /// How the balancer compares groups of CPUs.
    pub balancer: Balancer,
    /// Which load of a CPU placement and balancing look at.
    pub load_signal: LoadSignal,
    /// How much of a task's load may be more than is left to move.
    pub load_margin: LoadMargin,
    /// Since v5.6 (b396f52326de): two tasks that run on one memory node are left together.
    pub numa_leaves_pairs: bool,
    /// Since v5.7 (070f5e860ee2): tasks that wait count when a group is classified (`runnable_avg`).
    pub group_counts_waiting: bool,
    /// Since v5.7 (111688ca1c4a): a group that is used up takes no load from one that carries less.
    pub full_group_compares_load: bool,
    /// Since v5.7 (c32b4308295a): utilisation is taken from a CPU only where one fair task runs and another one waits.
    pub util_needs_waiting: bool,
    /// Since v5.7 (6c8116c914b6): for a task that starts, groups that are used up are compared by their load.
    pub idlest_compares_load: bool,
    /// Since v5.9 (3edecfef0280): of groups with as many idle CPUs the less used one is idlest.
    pub idlest_compares_util: bool,
    /// `imbalance_pct` of domains that are wider than a cache: 125, and 117 since v5.10 (2208cdaa56c9).
    pub wide_imbalance_pct: u32,
    /// Factor on the balance interval of a busy CPU: 32, and 16 since v5.10 (6e7499135db7).
    pub busy_factor: u32,
    /// Since v5.10 (e4d32e4d5444): a busy CPU's interval is a jiffy short, so that domains do not balance in step.
    pub busy_interval_out_of_step: bool,
    /// Since v5.10 (ec73240b1627): between hardware threads of a core no task is cache-hot.
    pub threads_share_caches: bool,
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

/// How the balancer compares groups of CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Balancer {
    /// By average load; load is what it moves.
    ByLoad,
    /// By how busy a group is, which decides whether load, utilisation or tasks are moved.
    ByGroupType,
}

/// Which load of a CPU placement and balancing look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum LoadSignal {
    /// `runnable_load_avg`: that of the tasks which are queued now.
    Runnable,
    /// `load_avg`: that of the tasks which sleep too, as it decays.
    WithBlocked,
}

/// How much of a task's load may be more than is left to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum LoadMargin {
    /// Half of it.
    Half,
    /// Half of it, and all once attempts have failed more often than tasks are kept for being cache-hot.
    HalfUntilFailures,
    /// None at first; with each failure half of the load counts no more.
    HalvedByFailures,
}

/// Who chooses the frequency of CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Governor {
    /// `performance`: always the highest one.
    Performance,
    /// `schedutil`: what the utilisation asks for.
    Schedutil,
}

/// Where a wake-up looks for capacity on machines whose CPUs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum AsymWakeup {
    /// Up to v5.6: a wakee that does not fit takes the way of a new task, down the domains (`wake_cap()`).
    IdlestGroup,
    /// Since v5.7 (b7a331615d25): among the idle CPUs of the domain that sees CPUs of different capacity.
    IdleCapacity,
}

impl Tunables {
    /// The defaults of an era on a machine of `cpus` CPUs: a cascade from the oldest era upward.
    ///
    /// Source: `model/wakeup-and-balance.md` section 5 and `model/rt-and-launch.md` section 3.4; commit ids are
    /// recalled where those do not give them. Eras that are not [runnable](Era::is_runnable) come with their own
    /// issues.
    pub fn for_era(era: Era, cpus: u32, hz: u32) -> Tunables {
        let mut tunables = Tunables::v5_4(cpus, hz);
        if Era::V5_4Rework <= era {
            // v5.5 (0b0695f2b34a, b0fb1eb4f04a, 11f10e5420f6, 57abff067a08): the rework of the balancer, and nothing
            // else of v5.5.
            tunables.balancer = Balancer::ByGroupType;
            tunables.load_signal = LoadSignal::WithBlocked;
            tunables.load_margin = LoadMargin::HalfUntilFailures;
        }
        if Era::V5_10 <= era {
            // v5.5 (b8c96361402a).
            tunables.util_est_fastup = true;
            // v5.7 (b7a331615d25).
            tunables.asym_wakeup = AsymWakeup::IdleCapacity;
            // v5.6 (b396f52326de).
            tunables.numa_leaves_pairs = true;
            // v5.7 (070f5e860ee2, 111688ca1c4a, c32b4308295a, 6c8116c914b6).
            tunables.group_counts_waiting = true;
            tunables.full_group_compares_load = true;
            tunables.util_needs_waiting = true;
            tunables.idlest_compares_load = true;
            // v5.8 (126c2092e5c8, 2ebb17717550).
            tunables.ttwu_pending_flag = true;
            tunables.ttwu_queue_on_cpu = true;
            // v5.6 (804d402fb6f6), as v5.7 left it.
            tunables.rt_capacity_aware = true;
            // v5.10 (2586af1ac187).
            tunables.rt_runtime_share = false;
            // v5.9 (3edecfef0280).
            tunables.idlest_compares_util = true;
            // v5.10 (5a7f55590467, 2208cdaa56c9, 6e7499135db7, e4d32e4d5444, ec73240b1627).
            tunables.load_margin = LoadMargin::HalvedByFailures;
            tunables.wide_imbalance_pct = 117;
            tunables.busy_factor = 16;
            tunables.busy_interval_out_of_step = true;
            tunables.threads_share_caches = true;
        }
        if Era::V6_1 <= era {
            // v5.11 (9fe1f127b913, 6cd56ef1df39): one pass over the cache for cores and CPUs.
            tunables.idle_search = IdleSearch::OnePass;
            // v5.12 (7a82e5f52a35, e9b9734b7465).
            tunables.active_balance_counts_tasks = true;
            tunables.nohz_own_balance_gated = true;
            // v5.12 (0ae78eec8aa6).
            tunables.misfit_spares_pinned = true;
            // v5.13 (0c2de3f054a5): ALT_PERIOD and BASE_SLICE.
            tunables.alt_period = true;
            tunables.base_slice = true;
            // v5.16 (9d783c8dd112).
            tunables.newidle_gate_by_cost = true;
            // v6.0 (70fb5ccf2ebb, 28156108fecb, f3dd3f674555).
            tunables.eas_margin = false;
            tunables.sis_prop = false;
            tunables.sis_util = true;
            tunables.ttwu_queue_on_cpu_limit = 0;
            tunables.ttwu_queue_idle = true;
            // v6.1 (792b9f65a568).
            tunables.newidle_sees_pending = true;
        }
        tunables
    }

    /// v5.4, the oldest era that the engine runs.
    fn v5_4(cpus: u32, hz: u32) -> Tunables {
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
            asym_wakeup: AsymWakeup::IdlestGroup,
            misfit_spares_pinned: false,
            governor: Governor::Performance,
            eas: true,
            eas_margin: true,
            wake_affine_idle: true,
            wake_affine_weight: true,
            wake_affine_bias: true,
            ttwu_queue: true,
            ttwu_pending_flag: false,
            ttwu_queue_on_cpu: false,
            ttwu_queue_on_cpu_limit: 1,
            ttwu_queue_idle: false,
            util_est: true,
            util_est_fastup: false,
            balancer: Balancer::ByLoad,
            load_signal: LoadSignal::Runnable,
            load_margin: LoadMargin::Half,
            numa_leaves_pairs: false,
            group_counts_waiting: false,
            full_group_compares_load: false,
            util_needs_waiting: false,
            idlest_compares_load: false,
            idlest_compares_util: false,
            wide_imbalance_pct: 125,
            busy_factor: 32,
            busy_interval_out_of_step: false,
            threads_share_caches: false,
            newidle_balance: true,
            newidle_gate_by_cost: false,
            active_balance_counts_tasks: false,
            newidle_sees_pending: false,
            nohz_own_balance_gated: false,
            preemption: true,
            rt_runtime_ns: 950_000_000,
            rt_period_ns: 1_000_000_000,
            rt_runtime_share: true,
            rr_timeslice_ns: 100_000_000,
            rt_capacity_aware: false,
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
