//! Charts: SVG as a pure function of data and width, so that they can be themed, printed, read aloud and tested.

mod axis;
mod bars;
mod change;
mod distribution;
mod over_time;
mod percentiles;
mod strip;
mod svg;
mod sweep;
mod waits;

pub(crate) use bars::{Bar, Part, PartedBar, bars_chart, part_swatch, parted_chart};
pub(crate) use change::{ChangeRow, change_strip};
pub(crate) use distribution::{DistributionRow, LogBins, distribution_chart};
pub(crate) use over_time::{OverTime, TimeRow, band_swatch, over_time_chart};
pub(crate) use percentiles::{PercentilePoint, PercentileSeries, percentile_chart};
pub(crate) use strip::{StripRow, range_strip};
pub(crate) use svg::{label, line, path, picture, rect, sign};
pub(crate) use sweep::{SweepChart, SweepPoint, SweepSeries, share_words, sweep_chart};
pub(crate) use waits::{WaitRow, WaitSort, waits_chart};

use yew::prelude::*;

use crate::format::coordinate;
use crate::markup::el;

/// How a column of the comparison looks everywhere: its colour, marker and pattern always go together, so that none
/// of them is needed alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// The column that is compared with: vermilion, circles, rising hatch.
    Base,
    /// The column that the scenario is about: blue, squares, dots.
    Subject,
    /// A column between them, counted from 0: the first is green, has triangles and a falling hatch; later ones have
    /// colours and markers of their own.
    Other(u8),
}

/// How many looks there are for columns between the first and the last.
pub(crate) const OTHERS: u8 = 6;

/// The classes of these looks: of the colour, of words in it, and of a big figure.
const OTHER_CLASSES: [[&str; 3]; OTHERS as usize] = [
    ["tone-other", "toned tone-other", "figure tone-other"],
    ["tone-other-1", "toned tone-other-1", "figure tone-other-1"],
    ["tone-other-2", "toned tone-other-2", "figure tone-other-2"],
    ["tone-other-3", "toned tone-other-3", "figure tone-other-3"],
    ["tone-other-4", "toned tone-other-4", "figure tone-other-4"],
    ["tone-other-5", "toned tone-other-5", "figure tone-other-5"],
];

/// The corners of their markers, around the middle of a circle of radius 1 that looks as big.
const CORNERS: [&[(f64, f64)]; OTHERS as usize] = [
    &[(-1.17, 0.675), (0.0, -1.35), (1.17, 0.675)],
    &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
    &[(-1.17, -0.675), (0.0, 1.35), (1.17, -0.675)],
    &[(-1.1, -1.1), (1.1, -1.1), (-1.1, 1.1), (1.1, 1.1)],
    &[(0.0, -1.2), (1.14, -0.37), (0.71, 0.97), (-0.71, 0.97), (-1.14, -0.37)],
    &[(-1.3, -0.6), (1.3, -0.6), (1.3, 0.6), (-1.3, 0.6)],
];

impl Tone {
    /// The look of the column at `index` of `count`: the first is the base, the last the subject.
    pub(crate) fn of(index: usize, count: usize) -> Tone {
        match index {
            0 => Tone::Base,
            last if last + 1 == count => Tone::Subject,
            between => Tone::Other(((between - 1) % usize::from(OTHERS)) as u8),
        }
    }

    /// The class that carries its colour.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Tone::Base => "tone-base",
            Tone::Subject => "tone-subject",
            Tone::Other(which) => OTHER_CLASSES[usize::from(which)][0],
        }
    }

    /// The classes of words in its colour.
    pub(crate) fn toned(self) -> &'static str {
        match self {
            Tone::Base => "toned tone-base",
            Tone::Subject => "toned tone-subject",
            Tone::Other(which) => OTHER_CLASSES[usize::from(which)][1],
        }
    }

    /// The classes of the big figure of a column.
    pub(crate) fn figure(self) -> &'static str {
        match self {
            Tone::Base => "figure tone-base",
            Tone::Subject => "figure tone-subject",
            Tone::Other(which) => OTHER_CLASSES[usize::from(which)][2],
        }
    }

    /// A class together with that of the colour.
    fn with(self, class: &str) -> String {
        format!("{class} {}", self.class())
    }

    /// What fills shapes of this tone inside the chart `chart`.
    fn fill(self, chart: &str) -> String {
        format!("url(#{chart}-{})", self.class())
    }
}

/// A marker of a tone around a point: filled for what was simulated, hollow for what was published.
pub(crate) fn marker(tone: Tone, (x, y): (f64, f64), radius: f64, is_hollow: bool) -> Html {
    let class = tone.with(if is_hollow { "marker hollow" } else { "marker" });
    match tone {
        Tone::Base => svg::circle(&class, (x, y), radius),
        Tone::Subject => {
            // A square of the same area looks as big as the circle.
            let half = radius * 0.886;
            svg::rect(&class, [x - half, y - half, 2.0 * half, 2.0 * half], 0.0, "")
        }
        Tone::Other(which) => {
            let corners = CORNERS[usize::from(which)].iter();
            let places = corners.map(|(right, down)| (x + radius * right, y + radius * down));
            svg::path(&class, &(polyline(places) + "Z"), "")
        }
    }
}

/// The patterns of the tones, for the beginning of a chart.
fn patterns(chart: &str) -> Html {
    let pattern = |tone: Tone, ink: Html| {
        let id = format!("{chart}-{}", tone.class());
        let attributes = [
            ("id", &*id),
            ("class", tone.class()),
            ("width", "6"),
            ("height", "6"),
            ("patternUnits", "userSpaceOnUse"),
        ];
        el("pattern", &attributes, vec![svg::rect("pattern-ground", [0.0, 0.0, 6.0, 6.0], 0.0, ""), ink])
    };
    let mut patterns = vec![
        pattern(Tone::Base, svg::path("pattern-ink", "M-1 7L7 -1M-1 1L1 -1M5 7L7 5", "")),
        pattern(Tone::Subject, svg::circle("pattern-dot", (3.0, 3.0), 1.0)),
    ];
    // Columns in between are told apart by colour and marker; a pattern for each of them would be noise.
    patterns.extend((0..OTHERS).map(|which| {
        pattern(Tone::Other(which), svg::path("pattern-ink", "M-1 -1L7 7M-1 5L1 7M5 -1L7 1", ""))
    }));
    el("defs", &[], patterns)
}

/// An SVG path through points.
fn polyline(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (x, y) in points {
        path.push(if path.is_empty() { 'M' } else { 'L' });
        path.push_str(&coordinate(x));
        path.push(' ');
        path.push_str(&coordinate(y));
    }
    path
}

/// Moves label positions apart to at least `gap`, keeping their order and staying above `bottom`.
fn spread(positions: &[f64], gap: f64, bottom: f64) -> Vec<f64> {
    let mut placed = positions.to_vec();
    let rank = |label: usize| {
        let here = positions[label];
        (0..positions.len())
            .filter(|other| positions[*other] < here || (*other < label && positions[*other] <= here))
            .count()
    };
    let mut order = vec![0; positions.len()];
    for label in 0..positions.len() {
        order[rank(label)] = label;
    }
    for pair in order.windows(2) {
        placed[pair[1]] = placed[pair[1]].max(placed[pair[0]] + gap);
    }
    let mut limit = bottom;
    for &label in order.iter().rev() {
        placed[label] = placed[label].min(limit);
        limit = placed[label] - gap;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_is_the_base_and_the_last_the_subject() {
        assert_eq!([0, 1].map(|index| Tone::of(index, 2)), [Tone::Base, Tone::Subject]);
        assert_eq!([0, 1, 2].map(|index| Tone::of(index, 3)), [Tone::Base, Tone::Other(0), Tone::Subject]);
        assert_eq!(Tone::of(0, 1), Tone::Base);
        let most = (0..scenario::MAX_COLUMNS).map(|index| Tone::of(index, scenario::MAX_COLUMNS).class());
        assert_eq!(most.collect::<std::collections::BTreeSet<&str>>().len(), 8, "no two look the same");
    }

    #[test]
    fn labels_that_would_overlap_move_apart() {
        assert_eq!(spread(&[10.0, 12.0, 50.0], 14.0, 100.0), [10.0, 24.0, 50.0]);
        assert_eq!(spread(&[98.0, 96.0], 14.0, 100.0), [100.0, 86.0], "they stay above the bottom");
        assert_eq!(spread(&[20.0, 20.0], 14.0, 100.0), [20.0, 34.0], "equal ones keep their order");
    }

    #[test]
    fn a_path_starts_with_a_move() {
        assert_eq!(polyline([(0.0, 1.0), (2.5, 3.04)]), "M0 1L2.5 3");
    }
}
