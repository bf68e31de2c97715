//! The columns of the comparison as the panels show them: a run, its look, its band and its published figures.

use std::rc::Rc;

use kernel::Patch;
use protocol::RunSummary;
use scenario::{Preset, Scenario};
use yew::AttrValue;

use crate::band::{Band, Spread};
use crate::charts::Tone;
use crate::panels::PanelState;
use crate::state::{RunEnd, State};
use crate::text;
use crate::timeline::Kept;

/// The figure by which a link says what its sender saw.
pub(crate) const RECORDED: &str = "p99_us";

/// A figure that a headline can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Headline {
    /// Its key among the figures of a run.
    pub(crate) key: &'static str,
    /// Its name.
    pub(crate) name: &'static str,
    /// The wake-ups that it is about, in plain words.
    pub(crate) slowest: &'static str,
}

/// The percentile of the headline: the 99th, as schbench stars it, or the first higher one that differs where that
/// one does not.
pub(crate) fn headline<'a>(runs: impl IntoIterator<Item = &'a RunSummary>) -> Headline {
    let runs: Vec<&RunSummary> = runs.into_iter().collect();
    let differs = |headline: &&Headline, by: f64| {
        let value = |run: Option<&&RunSummary>| run.and_then(|run| run.metric(headline.key));
        match (value(runs.first()), value(runs.last())) {
            (Some(base), Some(subject)) => by * base.min(subject) < base.max(subject),
            _ => false,
        }
    };
    let [first, higher @ ..] = &text::HEADLINES;
    if differs(&first, 1.25) {
        *first
    } else {
        *higher.iter().find(|higher| differs(higher, 2.0)).unwrap_or(first)
    }
}

/// A column that has been run.
#[derive(Clone, Debug)]
pub(crate) struct ColumnView {
    /// Its position in the scenario.
    pub(crate) index: usize,
    /// Its name.
    pub(crate) name: AttrValue,
    /// Its look.
    pub(crate) tone: Tone,
    /// What patches it has, in words.
    pub(crate) what: String,
    /// Whether it is still what the preset says, whatever the seed, so that published figures may stand beside it.
    pub(crate) is_original: bool,
    /// The run of this seed.
    pub(crate) summary: Rc<RunSummary>,
}

impl PartialEq for ColumnView {
    fn eq(&self, other: &ColumnView) -> bool {
        // A summary never changes once it is there.
        Rc::ptr_eq(&self.summary, &other.summary) && self.name == other.name && self.what == other.what
    }
}

/// Everything that panels about results are made from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Results {
    /// The columns.
    pub(crate) columns: Rc<Vec<ColumnView>>,
    /// Whether the last column has a patch that the first has not.
    pub(crate) is_patched: bool,
    /// The preset that the scenario started from.
    pub(crate) preset: Option<PresetRef>,
    /// The runs of many seeds.
    pub(crate) band: Option<Rc<Band>>,
}

/// A preset, compared by its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PresetRef(pub(crate) &'static Preset);

impl PartialEq for PresetRef {
    fn eq(&self, other: &PresetRef) -> bool {
        self.0.name == other.0.name
    }
}

impl Results {
    /// How a figure of a column spreads over many seeds.
    pub(crate) fn spread(&self, column: &ColumnView, metric: &str) -> Option<Spread> {
        self.band.as_ref()?.spread(column.index, metric)
    }

    /// A figure of a column as it was published, in its unit.
    pub(crate) fn published(&self, column: &ColumnView, metric: &str) -> Option<f64> {
        let preset = self.preset.filter(|_| column.is_original)?.0;
        let figure = preset.published_of(&column.name).find(|(_, figure)| figure.metric == metric)?.1;
        Some(figure.thousandths as f64 / 1000.0)
    }

    /// What the headline is about.
    pub(crate) fn headline(&self) -> Headline {
        headline(self.columns.iter().map(|column| &*column.summary))
    }

    /// Whether the workload records latencies.
    pub(crate) fn has_latencies(&self) -> bool {
        self.columns.iter().any(|column| !column.summary.percentiles.is_empty())
    }
}

/// The results of the scenario in force, or how far they are.
pub(crate) fn results(state: &State) -> PanelState<Results> {
    if let Some(message) = &state.broken {
        return PanelState::Error(text::broken(message).into());
    }
    match &state.runs.end {
        RunEnd::Failed(failure) => {
            return PanelState::Error(failure.message.clone().into());
        }
        RunEnd::Cancelled => return PanelState::Empty(text::CANCELLED.into()),
        RunEnd::UnderWay | RunEnd::Done => {}
    }
    if state.runs.kept.is_empty() {
        return match state.runs.progress() {
            Some((fraction, events)) => {
                PanelState::Loading(Some(fraction), text::simulating(fraction, events).into())
            }
            None if state.engine_version.is_none() => PanelState::Loading(None, text::STARTING.into()),
            None => PanelState::Loading(None, text::SIMULATING.into()),
        };
    }
    let scenario = &state.runs.scenario;
    let preset = Preset::find(&scenario.preset);
    let full = Results {
        columns: Rc::new(columns(scenario, preset, &state.runs.kept)),
        is_patched: is_patched(scenario),
        preset: preset.map(PresetRef),
        band: state.shown_band().cloned(),
    };
    if state.runs.end == RunEnd::Done { PanelState::Full(full) } else { PanelState::Stale(full) }
}

fn columns(scenario: &Scenario, preset: Option<&Preset>, kept: &[Kept]) -> Vec<ColumnView> {
    kept.iter()
        .enumerate()
        .map(|(index, run)| ColumnView {
            index,
            name: run.summary.column_name.clone().into(),
            tone: Tone::of(index, kept.len()),
            what: what(scenario, index),
            is_original: preset.is_some_and(|preset| is_original(scenario, preset, index)),
            summary: Rc::clone(&run.summary),
        })
        .collect()
}

/// What patches a column has.
fn what(scenario: &Scenario, column: usize) -> String {
    if scenario.columns.len() <= column {
        return String::new();
    }
    let resolved = scenario.resolved(column);
    let forms: Vec<String> = Patch::ALL
        .into_iter()
        .map(|patch| resolved.patch_value(patch))
        .filter(|form| *form != "off")
        .map(text::with_form)
        .collect();
    if forms.is_empty() { text::WITHOUT_PATCH.to_owned() } else { forms.join(", ") }
}

/// Whether first and last column differ in a patch.
fn is_patched(scenario: &Scenario) -> bool {
    let last = scenario.columns.len().saturating_sub(1);
    let (first, last) = (scenario.resolved(0), scenario.resolved(last));
    Patch::ALL.into_iter().any(|patch| first.patch_value(patch) != last.patch_value(patch))
}

/// Whether a column runs what it runs in the preset, whatever seed and title.
fn is_original(scenario: &Scenario, preset: &Preset, column: usize) -> bool {
    let plain = |scenario: &Scenario| Scenario {
        seed: 1,
        title: String::new(),
        columns: Vec::new(),
        ..scenario.resolved(column)
    };
    let name = scenario.columns.get(column).map(|column| &column.name);
    let same_name = preset.scenario.columns.get(column).map(|column| &column.name) == name;
    same_name && name.is_some() && plain(scenario) == plain(&preset.scenario)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Metric, MetricInfo};

    fn run(values: &[(&str, f64)]) -> RunSummary {
        let metric = |(key, value): &(&str, f64)| Metric {
            info: MetricInfo {
                key: (*key).to_owned(),
                label: String::new(),
                unit: "µs".to_owned(),
                decimals: 0,
            },
            value: *value,
        };
        RunSummary { metrics: values.iter().map(metric).collect(), ..RunSummary::default() }
    }

    #[test]
    fn the_headline_is_the_99th_percentile_unless_only_a_higher_one_differs() {
        let base = run(&[("p99_us", 14_288.0), ("p995_us", 14_288.0)]);
        let patched = run(&[("p99_us", 94.0), ("p995_us", 94.0)]);
        assert_eq!(headline([&base, &patched]).key, "p99_us");
        let base = run(&[("p99_us", 27.0), ("p995_us", 30.0), ("p999_us", 12_560.0)]);
        let patched = run(&[("p99_us", 24.0), ("p995_us", 27.0), ("p999_us", 30.0)]);
        assert_eq!(headline([&base, &patched]).key, "p999_us");
        assert_eq!(headline([&patched, &patched]).key, "p99_us");
        assert_eq!(headline([]).key, "p99_us");
    }

    #[test]
    fn published_figures_stand_only_beside_columns_that_are_still_the_presets() {
        let preset = Preset::find("hikey-schbench").unwrap();
        let mut scenario = preset.scenario.clone();
        scenario.set("seed", "9").unwrap();
        assert!(is_original(&scenario, preset, 0) && is_original(&scenario, preset, 1));
        scenario.set("columns.patched.patches.llc-spread", "shift").unwrap();
        assert!(is_original(&scenario, preset, 0) && !is_original(&scenario, preset, 1));
        scenario.set("kernel.hz", "1000").unwrap();
        assert!(!is_original(&scenario, preset, 0));
    }

    #[test]
    fn a_column_says_what_patches_it_has() {
        let scenario = Scenario::from_preset("hikey-schbench").unwrap();
        assert_eq!(what(&scenario, 0), text::WITHOUT_PATCH);
        assert_eq!(what(&scenario, 1), text::with_form("merged"));
        assert!(is_patched(&scenario));
    }
}
