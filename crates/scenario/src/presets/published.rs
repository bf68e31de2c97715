/// Figures that somebody published, and where.
#[derive(Debug, PartialEq, Eq)]
pub struct Published {
    /// Who measured.
    pub author: &'static str,
    /// When the thread began or the commit was made, as ISO date; without a day where only the month is known.
    pub date: &'static str,
    /// The subject of the thread.
    pub title: &'static str,
    /// The Message-ID of a mail of the thread, for a link to the archive; empty where the title names a commit.
    pub message_id: &'static str,
    /// What was run on what.
    pub setting: &'static str,
    /// The figures.
    pub figures: &'static [Figure],
}

/// One published number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The column of the preset that it belongs to.
    pub column: &'static str,
    /// The metric, as the command line names it.
    pub metric: &'static str,
    /// The number in thousandths of the unit.
    pub thousandths: i64,
    /// The unit.
    pub unit: Unit,
}

/// The unit of a published number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
}

impl Unit {
    /// As it is written behind a number.
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::Microseconds => "µs",
            Unit::Milliseconds => "ms",
        }
    }
}

impl Figure {
    /// The number as its author printed it, without trailing zeros and without the unit.
    pub fn number(&self) -> String {
        let (whole, rest) = (self.thousandths / 1000, (self.thousandths % 1000).unsigned_abs());
        let sign = if self.thousandths < 0 && whole == 0 { "-" } else { "" };
        let fraction = format!("{rest:03}");
        match fraction.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            digits => format!("{sign}{whole}.{digits}"),
        }
    }
}

const fn micros(column: &'static str, metric: &'static str, value: i64) -> Figure {
    Figure { column, metric, thousandths: value * 1000, unit: Unit::Microseconds }
}

/// A number of milliseconds, in hundredths.
const fn millis(column: &'static str, metric: &'static str, hundredths: i64) -> Figure {
    Figure { column, metric, thousandths: hundredths * 10, unit: Unit::Milliseconds }
}

/// The table of the patch's own mail.
pub(super) const HIKEY_SCHBENCH: Published = Published {
    author: "Vincent Guittot",
    date: "2020-11-02",
    title: "[PATCH] sched/fair: ensure tasks spreading in LLC during LB",
    message_id: "20201102102457.28808-1-vincent.guittot@linaro.org",
    setting: "HiKey, 8 CPUs, schbench -m 2 -t 4 -s 10000 -c 1000000 -r 10",
    figures: &[
        micros("base", "p50_us", 33),
        micros("base", "p75_us", 45),
        micros("base", "p90_us", 51),
        micros("base", "p95_us", 4_152),
        micros("base", "p99_us", 14_288),
        micros("base", "p995_us", 14_288),
        micros("base", "p999_us", 14_288),
        micros("base", "min_us", 0),
        micros("base", "max_us", 14_276),
        micros("patched", "p50_us", 34),
        micros("patched", "p75_us", 47),
        micros("patched", "p90_us", 52),
        micros("patched", "p95_us", 78),
        micros("patched", "p99_us", 94),
        micros("patched", "p995_us", 94),
        micros("patched", "p999_us", 94),
        micros("patched", "min_us", 0),
        micros("patched", "max_us", 94),
    ],
};

/// The cross-check of the reporter, from the thread that the patch's mail opens. That the `group_weight` form left the
/// numbers unchanged was said without numbers, so there are none for that column.
pub(super) const SMT40_SCHBENCH: Published = Published {
    author: "Chris Mason",
    date: "2020-11-02",
    title: "[PATCH] sched/fair: ensure tasks spreading in LLC during LB",
    message_id: "20201102102457.28808-1-vincent.guittot@linaro.org",
    setting: "Reply in the thread: virtual machine of 40 SMT CPUs, HZ 1000, schbench -t 20 -s 1000 -c 1000000",
    figures: &[
        micros("base", "p99_us", 12_240),
        micros("base", "p999_us", 13_104),
        micros("base", "max_us", 13_172),
        micros("patched", "p99_us", 314),
        micros("patched", "max_us", 358),
    ],
};

/// The table of the patch's own mail, as its review on the same day quotes it.
pub(super) const VM32_SCHBENCH: Published = Published {
    author: "Tianchen Ding",
    date: "2022-11-04",
    title: "[PATCH v2] sched: Clear ttwu_pending after enqueue_task",
    message_id: "Y2TGozI0YZQ7BCxc@chenyu5-mobl1",
    setting: "Virtual machine of 32 CPUs (Xeon Platinum 8369B), schbench -m 2 -t 16",
    figures: &[
        micros("base", "p50_us", 9),
        micros("base", "p75_us", 12),
        micros("base", "p90_us", 15),
        micros("base", "p95_us", 18),
        micros("base", "p99_us", 27),
        micros("base", "p995_us", 3_364),
        micros("base", "p999_us", 12_560),
        micros("revert", "p50_us", 13),
        micros("revert", "p75_us", 19),
        micros("revert", "p90_us", 22),
        micros("revert", "p95_us", 24),
        micros("revert", "p99_us", 31),
        micros("revert", "p995_us", 33),
        micros("revert", "p999_us", 36),
        micros("patched", "p50_us", 9),
        micros("patched", "p75_us", 12),
        micros("patched", "p90_us", 15),
        micros("patched", "p95_us", 17),
        micros("patched", "p99_us", 24),
        micros("patched", "p995_us", 27),
        micros("patched", "p999_us", 30),
    ],
};

/// Before and after the commit that lets idle CPUs of the same cache enqueue what wakes there.
pub(super) const CPU104_SCHBENCH: Published = Published {
    author: "Tianchen Ding",
    date: "2022-06",
    title: "f3dd3f674555, which lets wake-ups for idle CPUs go through the wake list",
    message_id: "",
    setting: "Server of 104 CPUs (Xeon Platinum 8269CY), schbench -m 2 -t 8",
    figures: &[
        micros("direct", "p50_us", 8),
        micros("direct", "p75_us", 10),
        micros("direct", "p90_us", 11),
        micros("direct", "p95_us", 12),
        micros("direct", "p99_us", 13),
        micros("direct", "p995_us", 15),
        micros("direct", "p999_us", 18),
        micros("list", "p50_us", 6),
        micros("list", "p75_us", 7),
        micros("list", "p90_us", 8),
        micros("list", "p95_us", 8),
        micros("list", "p99_us", 10),
        micros("list", "p995_us", 11),
        micros("list", "p999_us", 14),
    ],
};

/// A row of the table of the patch's own mail: the launch time of an application before and after.
const fn launch(setting: &'static str, figures: &'static [Figure]) -> Published {
    Published {
        author: "Jing-Ting Wu",
        date: "2019-10-14",
        title: "[PATCH v2 1/1] sched/rt: avoid contend with CFS task",
        message_id: "1571036948-25034-2-git-send-email-jing-ting.wu@mediatek.com",
        setting,
        figures,
    }
}

pub(super) const LAUNCH_WEIBO: Published = launch(
    "A phone that is not named, launch of weibo, with the reworked load balancer on both sides",
    &[millis("base", "launch_ms", 132_572), millis("patched", "launch_ms", 121_488)],
);

pub(super) const LAUNCH_WEIXIN: Published = launch(
    "A phone that is not named, launch of weixin, with the reworked load balancer on both sides",
    &[millis("base", "launch_ms", 61_592), millis("patched", "launch_ms", 56_732)],
);

pub(super) const LAUNCH_ALIPAY: Published = launch(
    "A phone that is not named, launch of alipay, with the reworked load balancer on both sides",
    &[millis("base", "launch_ms", 70_241), millis("patched", "launch_ms", 64_924)],
);
