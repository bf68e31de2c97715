use sim::Nanos;

use crate::CostTable;

/// A named set of costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CostSet {
    /// A Cortex-A53 at 1.2 GHz whose CPUs idle in WFI. Calibrated on the medians that were published for the
    /// HiKey 620; together with the order of events they give 21 µs for the first wake-up of a batch and 10.5 µs for
    /// each further one.
    Hikey,
    /// A fast x86 server or virtual machine. Calibrated on the medians that were published for a 32-CPU virtual
    /// machine on a Xeon Platinum 8369B, in microseconds; used as well for machines whose costs nobody published.
    Generic,
    /// A phone of 2019 at its highest frequency. Assumed, not calibrated: a switch of 3 µs, and calls of a microsecond or
    /// two, which is little beside threads that compute for milliseconds.
    Phone,
}

/// The costs of a scenario: a named set, of which some may have been changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Costs {
    /// The set from which they started.
    pub set: CostSet,
    /// What they are.
    pub table: CostTable,
}

/// Creating a thread, in nanoseconds: an assumption, not calibrated. Threads are created before anything is measured,
/// so it only spreads their start.
const FORK_NS: u64 = 30_000;

impl CostSet {
    /// Every set; the first is the default.
    pub const ALL: [CostSet; 3] = [CostSet::Hikey, CostSet::Generic, CostSet::Phone];

    /// The name used outside.
    pub const fn name(self) -> &'static str {
        match self {
            CostSet::Hikey => "hikey",
            CostSet::Generic => "generic",
            CostSet::Phone => "phone",
        }
    }

    /// What it costs. Every number but `fork` and those of the phone is calibrated: on published medians, by a model that
    /// was built to explain the patches.
    pub const fn table(self) -> CostTable {
        match self {
            CostSet::Hikey => CostTable {
                wake_pre: Nanos(4_000),
                wake_direct: Nanos(4_000),
                wake_list: Nanos(2_500),
                wake_post: Nanos(2_500),
                kick_idle: Nanos(6_000),
                kick_busy: Nanos(4_000),
                window: Nanos(3_000),
                // Not calibrated: the ratio of the other set.
                window_hot: Nanos(750),
                context_switch: Nanos(6_000),
                wait_return: Nanos(5_000),
                post_path: Nanos(6_000),
                block_path: Nanos(6_000),
                sleep_entry: Nanos(8_000),
                timer_slack: Nanos(50_000),
                newidle_balance: Nanos(20_000),
                ilb: Nanos(25_000),
                scan_per_cpu: Nanos(250),
                fork: Nanos(FORK_NS),
                jitter_pct: 25,
            },
            CostSet::Generic => CostTable {
                wake_pre: Nanos(300),
                wake_direct: Nanos(850),
                wake_list: Nanos(200),
                wake_post: Nanos(200),
                kick_idle: Nanos(600),
                kick_busy: Nanos(1_500),
                window: Nanos(2_000),
                // Section 4.2: 0.3 to 0.6 µs when hot.
                window_hot: Nanos(500),
                context_switch: Nanos(900),
                wait_return: Nanos(700),
                post_path: Nanos(800),
                block_path: Nanos(3_500),
                sleep_entry: Nanos(1_000),
                timer_slack: Nanos(50_000),
                newidle_balance: Nanos(6_000),
                ilb: Nanos(8_000),
                scan_per_cpu: Nanos(50),
                fork: Nanos(FORK_NS),
                jitter_pct: 35,
            },
            CostSet::Phone => CostTable {
                wake_pre: Nanos(1_000),
                wake_direct: Nanos(1_500),
                wake_list: Nanos(500),
                wake_post: Nanos(500),
                kick_idle: Nanos(2_000),
                kick_busy: Nanos(2_000),
                window: Nanos(1_000),
                window_hot: Nanos(500),
                // Section 5 of `model/rt-and-launch.md`.
                context_switch: Nanos(3_000),
                wait_return: Nanos(1_000),
                post_path: Nanos(2_000),
                block_path: Nanos(1_500),
                sleep_entry: Nanos(1_500),
                timer_slack: Nanos(50_000),
                newidle_balance: Nanos(10_000),
                ilb: Nanos(10_000),
                scan_per_cpu: Nanos(100),
                fork: Nanos(FORK_NS),
                jitter_pct: 25,
            },
        }
    }
}

impl From<CostSet> for Costs {
    fn from(set: CostSet) -> Costs {
        Costs { set, table: set.table() }
    }
}

/// One cost of a table, as a key names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostField {
    /// The key behind `costs.`.
    pub(crate) name: &'static str,
    /// What it is, in plain words.
    pub(crate) label: &'static str,
    /// What it stands for, in one sentence.
    pub(crate) help: &'static str,
    read: fn(&CostTable) -> Nanos,
    slot: fn(&mut CostTable) -> &mut Nanos,
}

impl CostField {
    pub(crate) fn read(&self, table: &CostTable) -> u64 {
        (self.read)(table).0
    }

    pub(crate) fn write(&self, table: &mut CostTable, nanos: u64) {
        *(self.slot)(table) = Nanos(nanos);
    }
}

macro_rules! cost {
    ($field:ident, $key:literal, $label:literal, $help:literal) => {
        CostField {
            name: $key,
            label: $label,
            help: $help,
            read: |table| table.$field,
            slot: |table| &mut table.$field,
        }
    };
}

/// Every cost that is a time, in the order of the table.
pub(crate) const COST_FIELDS: &[CostField] = &[
    cost!(
        wake_pre,
        "wake_pre_ns",
        "Wake-up, before placement",
        "How long the waking thread needs from its call to the choice of a CPU, for each wake-up of a batch."
    ),
    cost!(
        wake_direct,
        "wake_direct_ns",
        "Wake-up, enqueued by the waker",
        "How long the waking thread needs after the choice when it puts the task on the other CPU's queue itself."
    ),
    cost!(
        wake_list,
        "wake_list_ns",
        "Wake-up, handed to the target",
        "How long the waking thread needs after the choice when it only hands the task over, or keeps it on its own CPU."
    ),
    cost!(
        wake_post,
        "wake_post_ns",
        "Wake-up, way back",
        "How long the waking thread needs to return to its program and turn to the next thread of the batch."
    ),
    cost!(
        kick_idle,
        "kick_idle_ns",
        "Kick of an idle CPU",
        "The time from telling an idle CPU that it has work until it reacts."
    ),
    cost!(
        kick_busy,
        "kick_busy_ns",
        "Kick of a busy CPU",
        "The time from interrupting a busy CPU until it reacts."
    ),
    cost!(
        window,
        "window_ns",
        "Wake list to queue",
        "How long a CPU needs to move a task that was handed to it onto its queue, after it marked the hand-over as seen."
    ),
    cost!(
        window_hot,
        "window_hot_ns",
        "Wake list to queue, again",
        "The same on a CPU that was busy a moment ago and has everything at hand; never more than from cold."
    ),
    cost!(
        context_switch,
        "context_switch_ns",
        "Context switch",
        "How long a CPU needs to change from one thread to another."
    ),
    cost!(
        wait_return,
        "wait_return_ns",
        "Return from a wait",
        "How long a woken thread needs from being on its CPU until it reads the clock."
    ),
    cost!(
        post_path,
        "post_path_ns",
        "Single wake-up",
        "How long a worker needs for the one wake-up with which it reports that it is done."
    ),
    cost!(
        block_path,
        "block_path_ns",
        "Going to wait",
        "How long a thread needs from asking to wait until it has left its CPU."
    ),
    cost!(
        sleep_entry,
        "sleep_entry_ns",
        "Going to sleep",
        "How long a thread needs from asking to sleep until its timer is set and it has left its CPU."
    ),
    cost!(
        timer_slack,
        "timer_slack_ns",
        "Timer slack",
        "How much later than asked a sleep may end; added to every sleep without variation."
    ),
    cost!(
        newidle_balance,
        "newidle_balance_ns",
        "Search of a CPU that ran out of work",
        "How long a CPU that just ran out of work needs to look for some on all levels of the machine."
    ),
    cost!(
        ilb,
        "ilb_ns",
        "Balance for idle CPUs",
        "How long a woken idle CPU needs before it balances on behalf of all idle CPUs."
    ),
    cost!(
        scan_per_cpu,
        "scan_per_cpu_ns",
        "Look at one CPU",
        "How long the kernel believes it takes to see whether one CPU is idle; sets how many it looks at."
    ),
    cost!(
        fork,
        "fork_ns",
        "Creating a thread",
        "How long creating a thread takes. An assumption: nothing measured depends on it, so it is not calibrated."
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hikey_costs_compose_to_the_published_ladder() {
        let costs = CostSet::Hikey.table();
        let first = costs.wake_pre + costs.kick_idle + costs.context_switch + costs.wait_return;
        let step = costs.wake_pre + costs.wake_direct + costs.wake_post;
        assert_eq!((first, step), (Nanos(21_000), Nanos(10_500)));
    }

    #[test]
    fn generic_costs_compose_to_the_published_ladder() {
        let costs = CostSet::Generic.table();
        let first =
            costs.wake_pre + costs.kick_idle + costs.window + costs.context_switch + costs.wait_return;
        let step = costs.wake_pre + costs.wake_list + costs.wake_post;
        assert_eq!((first, step), (Nanos(4_500), Nanos(700)));
        assert!(
            costs.kick_idle + costs.window + Nanos(500) <= costs.block_path,
            "the calibration's own rule"
        );
    }

    #[test]
    fn every_field_reads_what_it_writes_and_nothing_else() {
        for (position, field) in COST_FIELDS.iter().enumerate() {
            let mut table = CostSet::Hikey.table();
            field.write(&mut table, 123);
            for (other, read) in COST_FIELDS.iter().enumerate() {
                let expected = if other == position { 123 } else { read.read(&CostSet::Hikey.table()) };
                assert_eq!(read.read(&table), expected, "{} after {}", read.name, field.name);
            }
        }
    }

    #[test]
    fn every_time_of_the_table_has_a_key() {
        let mut table = CostSet::Hikey.table();
        for field in COST_FIELDS {
            field.write(&mut table, 0);
        }
        let zero = Nanos::ZERO;
        let jitter_pct = table.jitter_pct;
        let all_zero = CostTable {
            wake_pre: zero,
            wake_direct: zero,
            wake_list: zero,
            wake_post: zero,
            kick_idle: zero,
            kick_busy: zero,
            window: zero,
            window_hot: zero,
            context_switch: zero,
            wait_return: zero,
            post_path: zero,
            block_path: zero,
            sleep_entry: zero,
            timer_slack: zero,
            newidle_balance: zero,
            ilb: zero,
            scan_per_cpu: zero,
            fork: zero,
            jitter_pct,
        };
        assert_eq!(table, all_zero);
    }
}
