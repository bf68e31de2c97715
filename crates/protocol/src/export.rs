use serde::{Deserialize, Serialize};

/// A format in which a run leaves for other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ExportFormat {
    /// Perfetto's own, which its trace processor turns into scheduling tables.
    Perfetto,
    /// The text of the kernel's file `trace`.
    Ftrace,
}

impl ExportFormat {
    /// Every format.
    pub const ALL: [ExportFormat; 2] = [ExportFormat::Perfetto, ExportFormat::Ftrace];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            ExportFormat::Perfetto => "perfetto",
            ExportFormat::Ftrace => "ftrace",
        }
    }

    /// The ending of its files' names.
    pub const fn extension(self) -> &'static str {
        match self {
            ExportFormat::Perfetto => "pftrace",
            ExportFormat::Ftrace => "txt",
        }
    }

    /// Whether it is text that a person can read.
    pub const fn is_text(self) -> bool {
        match self {
            ExportFormat::Perfetto => false,
            ExportFormat::Ftrace => true,
        }
    }

    /// The format of a name.
    pub fn find(name: &str) -> Option<ExportFormat> {
        ExportFormat::ALL.into_iter().find(|format| format.name() == name)
    }
}
