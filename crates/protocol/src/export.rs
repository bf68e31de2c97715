use scenario::{Link, Preset, Scenario};
use serde::{Deserialize, Serialize};

use crate::PlannedColumn;

/// A format in which runs leave for other tools and for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ExportFormat {
    /// Perfetto's own, which its trace processor turns into scheduling tables.
    Perfetto,
    /// The text of the kernel's file `trace`.
    Ftrace,
    /// A compact trace as comma-separated values.
    Csv,
    /// The figures of the runs as comma-separated values.
    Metrics,
    /// The JSON of Chrome's trace viewer.
    Chrome,
    /// What `perf sched timehist` prints.
    Timehist,
    /// What `/proc/schedstat` shows at the end.
    Schedstat,
    /// The results as a document in Markdown.
    Report,
}

/// What a format is called, and what it holds.
#[derive(Clone, Copy, Debug)]
struct Facts {
    name: &'static str,
    label: &'static str,
    extension: &'static str,
    holds: Holds,
}

/// What a file of a format tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// What happened in one run, in bytes for programs.
    BinaryTrace,
    /// What happened in one run, in text.
    TextTrace,
    /// What came out of any number of runs, in text.
    Results,
}

impl ExportFormat {
    /// Every format.
    pub const ALL: [ExportFormat; 8] = [
        ExportFormat::Perfetto,
        ExportFormat::Ftrace,
        ExportFormat::Csv,
        ExportFormat::Chrome,
        ExportFormat::Timehist,
        ExportFormat::Schedstat,
        ExportFormat::Metrics,
        ExportFormat::Report,
    ];

    const fn facts(self) -> Facts {
        const fn facts(
            name: &'static str,
            label: &'static str,
            extension: &'static str,
            holds: Holds,
        ) -> Facts {
            Facts { name, label, extension, holds }
        }
        match self {
            ExportFormat::Perfetto => facts("perfetto", "Perfetto trace", "pftrace", Holds::BinaryTrace),
            ExportFormat::Ftrace => facts("ftrace", "ftrace text", "txt", Holds::TextTrace),
            ExportFormat::Csv => facts("csv", "Compact trace (CSV)", "csv", Holds::TextTrace),
            ExportFormat::Chrome => facts("chrome", "Chrome trace (JSON)", "json", Holds::TextTrace),
            ExportFormat::Timehist => facts("timehist", "perf sched timehist", "txt", Holds::TextTrace),
            ExportFormat::Schedstat => facts("schedstat", "schedstat, version 17", "txt", Holds::TextTrace),
            ExportFormat::Report => facts("report", "Report (Markdown)", "md", Holds::Results),
            ExportFormat::Metrics => facts("metrics", "Figures (CSV)", "csv", Holds::Results),
        }
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Its name on the page.
    pub const fn label(self) -> &'static str {
        self.facts().label
    }

    /// The ending of its files' names.
    pub const fn extension(self) -> &'static str {
        self.facts().extension
    }

    /// Whether it is text that a person can read.
    pub const fn is_text(self) -> bool {
        !matches!(self.facts().holds, Holds::BinaryTrace)
    }

    /// Whether it tells what happened in one run, rather than what came out of several.
    pub const fn is_trace(self) -> bool {
        !matches!(self.facts().holds, Holds::Results)
    }

    /// The format of a name.
    pub fn find(name: &str) -> Option<ExportFormat> {
        ExportFormat::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// What is to be exported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExportOrder {
    /// The format.
    pub format: ExportFormat,
    /// The runs: one for a trace, any number for results.
    pub columns: Vec<PlannedColumn>,
    /// Where they come from.
    pub origin: Origin,
}

/// Where runs come from, as a report says it. Made by whoever has the scenario, so that whoever runs it needs no code to
/// read scenarios.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// What the scenario is called.
    pub title: String,
    /// The link to it: its fragment, or a whole address.
    pub link: String,
    /// The command that runs it natively.
    pub command: String,
    /// What others measured on real machines.
    pub published: Vec<PublishedFigure>,
}

/// What somebody measured on a real machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedFigure {
    /// The column of the scenario that it belongs to.
    pub column: String,
    /// The key of the metric.
    pub metric: String,
    /// The number as its author printed it, with its unit.
    pub value: String,
    /// Who published it, when, and under which title.
    pub source: String,
}

/// What the worker that exports tells the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportReply {
    /// It listens.
    Ready,
    /// A part of the file is beside this message; all parts in their order are the file.
    Part,
    /// That was the whole file.
    Done {
        /// The columns whose runs the event budget has ended, so that the file tells only a part of them.
        cut_columns: Vec<String>,
    },
    /// There will be no file.
    Failed {
        /// Why, in one sentence for people.
        message: String,
    },
}

impl ExportOrder {
    /// An export of one column of a valid scenario; or, without one, of the first where the format is a trace, else of
    /// all.
    pub fn new(scenario: &Scenario, column: Option<usize>, seed: u64, format: ExportFormat) -> ExportOrder {
        let seeded = Scenario { seed, ..scenario.clone() };
        let columns = match column {
            Some(column) => vec![PlannedColumn::new(&seeded, column)],
            None if format.is_trace() => vec![PlannedColumn::new(&seeded, 0)],
            None => PlannedColumn::all(&seeded),
        };
        ExportOrder { format, columns, origin: Origin::of(&seeded) }
    }
}

impl Origin {
    /// The origin of the runs of a valid scenario, its seed included.
    pub fn of(scenario: &Scenario) -> Origin {
        let names = [scenario.title.as_str(), scenario.preset.as_str(), "Scenario"];
        let title = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        let columns = scenario.columns.iter().map(|column| column.name.as_str());
        let published = Preset::find(&scenario.preset).into_iter().flat_map(|preset| {
            columns.clone().flat_map(|column| preset.published_of(column)).map(|(source, figure)| {
                PublishedFigure {
                    column: figure.column.to_owned(),
                    metric: figure.metric.to_owned(),
                    value: format!("{} {}", figure.number(), figure.unit.symbol()),
                    source: format!("{}, {}: {}", source.author, source.date, source.title),
                }
            })
        });
        Origin {
            title: title.to_owned(),
            link: Link::new(scenario.clone()).encode(),
            command: scenario.equivalent_command(),
            published: published.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_found_by_their_names_which_differ() {
        for format in ExportFormat::ALL {
            assert_eq!(ExportFormat::find(format.name()), Some(format));
        }
        assert_eq!(ExportFormat::find("pcap"), None);
    }

    #[test]
    fn a_trace_is_of_one_column_and_results_are_of_all() {
        let scenario = Scenario::from_preset("hikey-schbench").unwrap();
        let columns = |column, format| -> Vec<String> {
            let order = ExportOrder::new(&scenario, column, 7, format);
            assert!(order.columns.iter().all(|column| column.setup.seed == 7));
            order.columns.into_iter().map(|column| column.name).collect()
        };
        assert_eq!(columns(None, ExportFormat::Ftrace), ["base"]);
        assert_eq!(columns(Some(2), ExportFormat::Ftrace), ["patched"]);
        assert_eq!(columns(None, ExportFormat::Metrics), ["base", "pre-rework", "patched"]);
        assert_eq!(columns(Some(2), ExportFormat::Metrics), ["patched"]);
    }

    #[test]
    fn the_origin_names_the_very_run() {
        let scenario = Scenario::from_preset("hikey-schbench").unwrap();
        let origin = ExportOrder::new(&scenario, None, 7, ExportFormat::Metrics).origin;
        let read = Link::decode(&origin.link).unwrap().scenario;
        assert_eq!(read, Scenario { seed: 7, ..scenario });
        assert_eq!(origin.command, "runqueue run hikey-schbench --set seed=7");
        assert!(origin.published.iter().any(|figure| figure.metric == "p99_us" && figure.column == "base"));
    }
}
