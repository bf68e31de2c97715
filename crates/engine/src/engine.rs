use kernel::Hunk;
use scenario::Setup;
use sim::Nanos;
use trace::Trace;
use workload::Workload;

/// How a run is watched; none of it changes what happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Keep the events, not only their hash.
    pub keep_events: bool,
    /// Execute every tick as an event instead of replaying the idle ones lazily; the trace hash is the same.
    pub every_tick: bool,
    /// Count and record what every form of every patch would answer at its hunks.
    pub audit_hunks: bool,
    /// Check the whole state after every event. Slow; for tests.
    pub check_invariants: bool,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub now: Nanos,
    /// Events processed so far.
    pub events: u64,
    /// Whether more is to come.
    pub state: RunState,
}

/// Whether more is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Call [`Engine::run`] again.
    Running,
    /// The workload ended, or the run's time is over.
    Finished,
    /// The setup's event budget is used up.
    OutOfBudget,
}

/// How often a hunk was reached, and what its forms would have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HunkCount {
    /// The hunk.
    pub hunk: &'static Hunk,
    /// How often it was reached.
    pub asked: u64,
    /// How often each form, in the order of the patch's forms, answers otherwise than base.
    pub would_change: [u64; 8],
}

/// What was counted during a run. Spans of time in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counters {
    /// Context switches.
    pub switches: u64,
    /// Wake-ups that were placed by the wake-up path.
    pub wakeups: u64,
    /// Wake-ups that were enqueued on a CPU that already had a runnable task.
    pub stacked_wakeups: u64,
    /// Wake-ups that went through a wake list.
    pub wake_list_wakeups: u64,
    /// Wake-ups that preempted the running task.
    pub wakeup_preemptions: u64,
    /// Reschedules asked for by the tick.
    pub tick_preemptions: u64,
    /// Tasks pulled by a CPU that ran out of work.
    pub newidle_pulls: u64,
    /// Tasks pulled by idle CPUs, or on their behalf.
    pub idle_pulls: u64,
    /// Tasks pulled by busy CPUs.
    pub busy_pulls: u64,
    /// Tasks pushed by the stopper.
    pub active_pushes: u64,
    /// Tasks that `detach_tasks` left because of their utilisation.
    pub util_refusals: u64,
    /// Time during which some task waited while an allowed CPU of its last-level cache idled.
    pub wait_while_idle_ns: u64,
    /// Sum over tasks of the time spent runnable but not running.
    pub wait_sum_ns: u64,
}

/// A machine that runs.
///
/// A clone is a snapshot: it continues exactly as the original would.
#[derive(Clone, Debug)]
pub struct Engine {
    options: Options,
    now: Nanos,
    events: u64,
    workload: Workload,
    trace: Trace,
    counters: Counters,
}

impl Engine {
    /// A machine before its first event.
    pub fn new(setup: &Setup, options: Options) -> Engine {
        Engine {
            options,
            now: Nanos::ZERO,
            events: 0,
            workload: Workload::new(&setup.workload, setup.seed),
            trace: Trace::new(options.keep_events),
            counters: Counters::default(),
        }
    }

    /// Runs until a moment, until `max_events` more events are processed, or until the run ends.
    pub fn run(&mut self, until: Nanos, max_events: u64) -> Progress {
        let _ = (until, max_events, self.options);
        self.progress(RunState::Finished)
    }

    /// Runs to the end.
    pub fn run_to_end(&mut self) -> Progress {
        self.run(Nanos::NEVER, u64::MAX)
    }

    fn progress(&self, state: RunState) -> Progress {
        Progress { now: self.now, events: self.events, state }
    }

    /// What happened so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// What was counted so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The hunks that were reached, where [`Options::audit_hunks`] is on.
    pub fn hunk_counts(&self) -> Vec<HunkCount> {
        Vec::new()
    }

    /// The programs and what they recorded.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// The hash of the events and of the whole state: equal for equal runs, however they were stepped.
    pub fn trace_hash(&self) -> u64 {
        self.trace.hash()
    }
}
