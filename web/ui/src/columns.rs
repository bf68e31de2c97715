//! The columns of the comparison as the panels show them: a run, its look, its band and its published figures.

use std::rc::Rc;

use kernel::{Availability, Patch};
use protocol::RunSummary;
use scenario::keys::{Key, Kind};
use scenario::{Column, Preset, Scenario};
use yew::AttrValue;

use crate::band::{Band, Mean, Paired, Spread};
use crate::charts::Tone;
use crate::format::{Quantity, micros, rate};
use crate::panels::PanelState;
use crate::state::{RunEnd, State};
use crate::text;
use crate::timeline::{Brush, Kept};

/// The figure by which a link says what its sender saw.
pub(crate) const RECORDED: &str = "p99_us";

/// The figure that a run comes down to, where its programs record no latencies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Yardstick {
    /// Its key among the figures of a run.
    pub(crate) key: &'static str,
    /// Its name.
    pub(crate) name: &'static str,
    /// It at the head of a sentence's verb: "the launch time".
    pub(crate) subject: &'static str,
    /// What a kernel does, before the figure: "launches in".
    pub(crate) verb: &'static str,
    /// What it is, in plain words.
    pub(crate) help: &'static str,
    /// Where to look instead of at latencies.
    pub(crate) elsewhere: &'static str,
    /// It as people read it.
    pub(crate) number: fn(f64) -> Quantity,
}

impl PartialEq for Yardstick {
    fn eq(&self, other: &Yardstick) -> bool {
        self.key == other.key
    }
}

/// How often a second programs do what they count.
pub(crate) const THROUGHPUT: Yardstick = Yardstick {
    key: "throughput_per_s",
    name: "throughput",
    subject: "throughput",
    verb: "does",
    help: text::THROUGHPUT_HELP,
    elsewhere: text::NO_LATENCIES_BUT_THROUGHPUT,
    number: rate,
};

/// How long an application takes to start.
pub(crate) const LAUNCH: Yardstick = Yardstick {
    key: "launch_ms",
    name: "launch time",
    subject: "the launch time",
    verb: "launches in",
    help: text::LAUNCH_HELP,
    elsewhere: text::NO_LATENCIES_BUT_LAUNCH,
    number: |ms| micros(1000.0 * ms),
};

/// Every such figure.
const YARDSTICKS: [&Yardstick; 2] = [&LAUNCH, &THROUGHPUT];

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
    /// What sets the last column apart from the first.
    pub(crate) contrast: Contrast,
    /// The preset that the scenario started from.
    pub(crate) preset: Option<PresetRef>,
    /// The runs of many seeds; none of an interval.
    pub(crate) band: Option<Rc<Band>>,
    /// Which part of the runs they are of.
    pub(crate) scope: Scope,
}

/// Which part of the runs something is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of them.
    #[default]
    Whole,
    /// All of them, although an interval is chosen: this cannot be restricted.
    Unrestricted,
    /// An interval.
    Part(Brush),
}

impl Scope {
    /// What stands beside a heading: what always does, or which part is shown.
    pub(crate) fn note(self, usual: &'static str) -> String {
        match self {
            Scope::Whole => usual.to_owned(),
            Scope::Unrestricted => text::UNRESTRICTED.to_owned(),
            Scope::Part(brush) => text::part_of_run(brush.from_ns, brush.to_ns),
        }
    }
}

/// What sets the last column apart from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contrast {
    /// A patch, whatever else.
    Patch,
    /// Something, but no patch.
    Values,
    /// Nothing.
    Nothing,
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

    /// How a figure of a column differs from that of the first column under the same seeds.
    pub(crate) fn paired(&self, column: &ColumnView, metric: &str) -> Option<Paired> {
        self.band.as_ref()?.paired(self.columns.first()?.index, column.index, metric)
    }

    /// The mean of a figure of a column over many seeds, with its 95 % interval.
    pub(crate) fn mean(&self, column: &ColumnView, metric: &str) -> Option<Mean> {
        self.band.as_ref()?.mean(column.index, metric)
    }

    /// A figure of a column as it was published, in its unit.
    pub(crate) fn published(&self, column: &ColumnView, metric: &str) -> Option<f64> {
        let is_whole = !matches!(self.scope, Scope::Part(_));
        let preset = self.preset.filter(|_| column.is_original && is_whole)?.0;
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

    /// What the runs come down to, where there are no latencies.
    pub(crate) fn yardstick(&self) -> Option<&'static Yardstick> {
        yardstick(self.columns.iter().map(|column| &*column.summary))
    }
}

/// The figure that runs come down to, where none of them records latencies and all have it.
pub(crate) fn yardstick<'a>(
    runs: impl Iterator<Item = &'a RunSummary> + Clone,
) -> Option<&'static Yardstick> {
    let is_of = |yardstick: &&Yardstick| {
        let mut runs = runs.clone().peekable();
        runs.peek().is_some()
            && runs.all(|run| run.percentiles.is_empty() && run.metric(yardstick.key).is_some())
    };
    YARDSTICKS.into_iter().find(is_of)
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
    let preset = preset_of(scenario);
    let full = Results {
        columns: Rc::new(columns(scenario, preset, &state.runs.kept)),
        contrast: contrast(scenario),
        preset: preset.map(PresetRef),
        band: state.shown_band().cloned(),
        scope: scope_of(state),
    };
    if state.runs.end == RunEnd::Done { PanelState::Full(full) } else { PanelState::Stale(full) }
}

/// The scope of what cannot be restricted to an interval.
pub(crate) fn scope_of(state: &State) -> Scope {
    state.brush.map_or(Scope::Whole, |_| Scope::Unrestricted)
}

/// The same of the interval that is chosen, for what can be restricted to it.
pub(crate) fn restricted(state: &State, results: &PanelState<Results>) -> PanelState<Results> {
    let (Some(brush), Some(runs)) = (state.brush, &state.interval.runs) else { return results.clone() };
    results.and_then(|results| {
        if !results.has_latencies() {
            return Ok(results.clone());
        }
        let column = |(column, run): (&ColumnView, &Rc<RunSummary>)| ColumnView {
            summary: Rc::clone(run),
            ..column.clone()
        };
        let columns = results.columns.iter().zip(runs.iter()).map(column).collect();
        Ok(Results { columns: Rc::new(columns), band: None, scope: Scope::Part(brush), ..results.clone() })
    })
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

/// What a column has: the patch that the scenario is about, and what else sets it apart.
fn what(scenario: &Scenario, column: usize) -> String {
    let Some(settings) = scenario.columns.get(column) else { return String::new() };
    let resolved = scenario.resolved(column);
    let mut parts: Vec<String> = Patch::ALL
        .into_iter()
        .filter_map(|patch| patch_words(&resolved, patch, is_subject(scenario, patch)))
        .collect();
    if parts.is_empty() && Patch::ALL.into_iter().any(|patch| is_subject(scenario, patch)) {
        parts.push(text::WITHOUT_PATCH.to_owned());
    }
    parts.extend(other_settings(settings));
    parts.join(", ")
}

/// What there is to say of a patch in a column. A patch that nobody has touched is no news.
fn patch_words(resolved: &Scenario, patch: Patch, is_subject: bool) -> Option<String> {
    let form = resolved.patch_value(patch);
    let is_released = patch.availability(resolved.kernel.era) == Availability::Merged;
    match (form, is_subject) {
        ("off", true) => None,
        ("off", false) => is_released.then(|| text::without_other(patch.slug())),
        (form, true) if 1 < patch.info().forms.len() => Some(text::with_form(form)),
        (_, true) => Some(text::WITH_PATCH.to_owned()),
        (_, false) => (!is_released).then(|| text::with_other(patch.slug())),
    }
}

/// The values other than patches in which a column differs from the scenario, in words.
fn other_settings(column: &Column) -> impl Iterator<Item = String> + '_ {
    column.settings().filter(|(key, _)| !key.starts_with("patches.")).filter_map(|(key, value)| {
        let key = Key::find(key).ok()?;
        Some(text::setting_of(key.label, &value_words(key, value)))
    })
}

/// A value as a form shows it.
pub(crate) fn value_words(key: &Key, value: &str) -> String {
    match &key.kind {
        Kind::Choice(choices) => {
            let label = choices.iter().find(|choice| choice.value == value).map(|choice| choice.label);
            label.unwrap_or(value).to_owned()
        }
        Kind::Integer(_) => value
            .parse()
            .map_or_else(|_| value.to_owned(), |number| crate::controls::reading(number, key.unit)),
        _ => value.to_owned(),
    }
}

/// Whether a scenario is about a patch: its preset says so, or its columns differ in it.
pub(crate) fn is_subject(scenario: &Scenario, patch: Patch) -> bool {
    let value = |column| scenario.resolved(column).patch_value(patch);
    let differs = (1..scenario.columns.len()).any(|column| value(column) != value(column - 1));
    differs || Preset::find(&scenario.preset).is_some_and(|preset| preset.patches.contains(&patch))
}

/// What sets the last column of a scenario apart from its first.
fn contrast(scenario: &Scenario) -> Contrast {
    let plain = |column| Scenario { columns: Vec::new(), ..scenario.resolved(column) };
    let (first, last) = (plain(0), plain(scenario.columns.len().saturating_sub(1)));
    if Patch::ALL.into_iter().any(|patch| first.patch_value(patch) != last.patch_value(patch)) {
        Contrast::Patch
    } else if first != last {
        Contrast::Values
    } else {
        Contrast::Nothing
    }
}

/// The preset whose published figures belong to a scenario: the one that it started from, or one about the same patches
/// that it has become, as another application of the same table.
fn preset_of(scenario: &Scenario) -> Option<&'static Preset> {
    let named = Preset::find(&scenario.preset)?;
    let is = |preset: &&Preset| {
        preset.patches == named.patches
            && (0..scenario.columns.len()).all(|column| is_original(scenario, preset, column))
    };
    Some(Preset::all().iter().find(is).unwrap_or(named))
}

/// Whether a column runs what it runs in the preset, whatever seed and title.
fn is_original(scenario: &Scenario, preset: &Preset, column: usize) -> bool {
    let plain = |scenario: &Scenario, column: usize| Scenario {
        preset: String::new(),
        seed: 1,
        title: String::new(),
        columns: Vec::new(),
        ..scenario.resolved(column)
    };
    let name = scenario.columns.get(column).map(|column| &column.name);
    // It may stand elsewhere than in the preset, among others.
    let there = preset.scenario.columns.iter().position(|column| Some(&column.name) == name);
    there.is_some_and(|there| plain(scenario, column) == plain(&preset.scenario, there))
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
        assert!((0..3).all(|column| is_original(&scenario, preset, column)));
        scenario.set("columns.patched.patches.llc-spread", "shift").unwrap();
        assert!(is_original(&scenario, preset, 0) && !is_original(&scenario, preset, 2));
        scenario.set("kernel.hz", "1000").unwrap();
        assert!(!is_original(&scenario, preset, 0));
    }

    #[test]
    fn another_application_of_the_same_table_brings_its_own_figures() {
        let mut scenario = Scenario::from_preset("android-launch").unwrap();
        let name = |scenario: &Scenario| preset_of(scenario).map(|preset| preset.name);
        assert_eq!(name(&scenario), Some("android-launch"));
        scenario.set("workload.app", "alipay").unwrap();
        assert_eq!(name(&scenario), Some("android-launch-alipay"));
        scenario.set("workload.rt_multiplier", "50").unwrap();
        assert_eq!(name(&scenario), Some("android-launch"), "nobody has measured this");
    }

    #[test]
    fn a_column_says_what_patches_it_has() {
        let scenario = Scenario::from_preset("hikey-schbench").unwrap();
        assert_eq!(what(&scenario, 0), text::WITHOUT_PATCH);
        assert_eq!(what(&scenario, 2), text::with_form("merged"));
        assert!(what(&scenario, 1).contains("v5.4"), "{}", what(&scenario, 1));
        assert_eq!(contrast(&scenario), Contrast::Patch);
    }

    #[test]
    fn a_column_says_nothing_of_a_patch_that_its_kernel_was_released_with() {
        let mut scenario = Scenario::from_preset("vm32-schbench").unwrap();
        assert_eq!(what(&scenario, 0), text::WITHOUT_PATCH);
        let revert = what(&scenario, 1);
        assert!(revert.starts_with(text::WITHOUT_PATCH) && !revert.contains("llc-spread"), "{revert}");
        assert!(revert.len() > text::WITHOUT_PATCH.len(), "it says what else it reverts: {revert}");
        assert_eq!(what(&scenario, 2), text::WITH_PATCH, "there is one form only");
        scenario.set("patches.llc-spread", "off").unwrap();
        assert!(what(&scenario, 2).contains(&text::without_other("llc-spread")), "{}", what(&scenario, 2));
    }

    #[test]
    fn columns_can_differ_in_more_than_patches() {
        let scenario = Scenario::from_preset("cpu104-schbench").unwrap();
        assert_eq!(contrast(&scenario), Contrast::Values);
        assert_ne!(what(&scenario, 0), what(&scenario, 1));
        let mut same = Scenario::from_preset("hikey-schbench").unwrap();
        same.set("columns.patched.patches.llc-spread", "off").unwrap();
        assert_eq!(contrast(&same), Contrast::Nothing);
    }
}
