use scenario::{Preset, Purpose};
use serde::Serialize;

use crate::output::{print, print_json};
use crate::table::Table;

#[derive(Debug, Serialize)]
struct PresetLine {
    name: &'static str,
    title: &'static str,
    era: &'static str,
    patches: Vec<&'static str>,
    purpose: &'static str,
}

/// Lists the presets.
pub(crate) fn presets(json: bool) -> anyhow::Result<()> {
    let lines: Vec<PresetLine> = Preset::all().iter().map(line).collect();
    if json {
        return print_json(&lines);
    }
    let mut table = Table::new(5, ["name", "era", "patches", "purpose", "title"]);
    for line in lines {
        table.row([line.name, line.era, &line.patches.join(" "), line.purpose, line.title]);
    }
    print(&table.to_string())
}

fn line(preset: &'static Preset) -> PresetLine {
    PresetLine {
        name: preset.name,
        title: preset.title,
        era: preset.scenario.kernel.era.name(),
        patches: preset.patches.iter().map(|patch| patch.slug()).collect(),
        purpose: match preset.purpose {
            Purpose::Page => "page",
            Purpose::Benchmark => "benchmark",
        },
    }
}
