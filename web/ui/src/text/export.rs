//! The words of the dialog for files.

use protocol::ExportFormat;

pub(crate) const TITLE: &str = "Save files";
pub(crate) const OPEN: &str = "Export";
pub(crate) const WHAT: &str = "Traces and results in the formats of other tools. The run of the seed that is shown is made \
    again for the file; runqueue export writes the same bytes.";
pub(crate) const FORMAT: &str = "Format";
pub(crate) const COLUMN: &str = "Column";
pub(crate) const SAVE: &str = "Save file";
pub(crate) const STOP: &str = "Stop";
pub(crate) const PICTURES: &str = "Pictures of what is shown";
pub(crate) const NO_PICTURES: &str = "There is nothing to picture yet.";
pub(crate) const NO_PICTURE: &str = "This browser cannot make a picture of it.";
pub(crate) const PRIVATE: &str = "Files are made in this browser. Nothing is uploaded.";

/// What a format is good for.
pub(crate) const fn format_help(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Perfetto => {
            "For the Perfetto trace viewer: who ran where, who woke whom, with scheduling tables."
        }
        ExportFormat::Ftrace => {
            "The text that the kernel’s tracer writes, for trace-cmd, KernelShark and scripts."
        }
        ExportFormat::Csv => "One line for each event, small and easy to read into a data frame.",
        ExportFormat::Chrome => "For chrome://tracing and other viewers of that format.",
        ExportFormat::Timehist => {
            "What perf sched timehist prints: wait, delay and run time of every switch."
        }
        ExportFormat::Schedstat => "The counters of /proc/schedstat at the end of the run.",
        ExportFormat::Metrics => "Every figure of every column under this seed, as a table.",
        ExportFormat::Report => {
            "A document with the link, tables and figures of every column, to paste into a mail."
        }
    }
}

pub(crate) fn under_way(size: &str) -> String {
    format!("Writing: {size} so far.")
}

pub(crate) fn saved(name: &str, size: &str, cut: &[String]) -> String {
    if cut.is_empty() {
        return format!("Saved {name}, {size}.");
    }
    let cut = cut.join(", ");
    format!(
        "Saved {name}, {size}. The limit of events ended the run of {cut} early, so the file tells a part of it."
    )
}

pub(crate) fn failed(message: &str) -> String {
    format!("The file could not be made. {message}")
}
