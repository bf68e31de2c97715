//! Charts: SVG as a pure function of data and width, so that they can be themed, printed, read aloud and tested.

mod axis;
mod distribution;
mod percentiles;
mod strip;

pub(crate) use distribution::{DistributionChart, DistributionRow, LogBins};
pub(crate) use percentiles::{PercentileChart, PercentilePoint, PercentileSeries};
pub(crate) use strip::{RangeStrip, StripRow};

use yew::prelude::*;

use crate::format::coordinate;

/// How a column of the comparison looks everywhere: its colour, marker and pattern always go together, so that none
/// of them is needed alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// The column that is compared with: vermilion, circles, rising hatch.
    Base,
    /// The column that the scenario is about: blue, squares, dots.
    Subject,
    /// A column between them: green, triangles, falling hatch.
    Other,
}

impl Tone {
    /// The look of the column at `index` of `count`: the first is the base, the last the subject.
    pub(crate) fn of(index: usize, count: usize) -> Tone {
        match index {
            0 => Tone::Base,
            last if last + 1 == count => Tone::Subject,
            _ => Tone::Other,
        }
    }

    /// The class that carries its colour.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Tone::Base => "tone-base",
            Tone::Subject => "tone-subject",
            Tone::Other => "tone-other",
        }
    }

    /// The id of its pattern inside the chart `chart`.
    fn pattern_id(self, chart: &str) -> String {
        format!("{chart}-{}", self.class())
    }
}

/// A marker of a tone around a point: filled for what was simulated, hollow for what was published.
pub(crate) fn marker(tone: Tone, (x, y): (f64, f64), radius: f64, is_hollow: bool) -> Html {
    let class = classes!("marker", tone.class(), is_hollow.then_some("hollow"));
    match tone {
        Tone::Base => {
            html! { <circle {class} cx={coordinate(x)} cy={coordinate(y)} r={coordinate(radius)} /> }
        }
        Tone::Subject => {
            // A square of the same area looks as big as the circle.
            let half = radius * 0.886;
            let side = coordinate(2.0 * half);
            html! { <rect {class} x={coordinate(x - half)} y={coordinate(y - half)} width={side.clone()} height={side} /> }
        }
        Tone::Other => {
            let (half, rise) = (radius * 1.17, radius * 1.35);
            let d = format!(
                "M{} {}L{} {}L{} {}Z",
                coordinate(x - half),
                coordinate(y + rise / 2.0),
                coordinate(x),
                coordinate(y - rise),
                coordinate(x + half),
                coordinate(y + rise / 2.0),
            );
            html! { <path {class} {d} /> }
        }
    }
}

/// The patterns of the tones, to be put into a chart's `<defs>`.
fn patterns(chart: &str) -> Html {
    let pattern = |tone: Tone, content: Html| {
        html! {
            <pattern id={tone.pattern_id(chart)} class={tone.class()} width="6" height="6"
                patternUnits="userSpaceOnUse">
                <rect class="pattern-ground" width="6" height="6" />
                { content }
            </pattern>
        }
    };
    html! {
        <defs>
            { pattern(Tone::Base, html! { <path class="pattern-ink" d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" /> }) }
            { pattern(Tone::Subject, html! { <circle class="pattern-dot" cx="3" cy="3" r="1" /> }) }
            { pattern(Tone::Other, html! { <path class="pattern-ink" d="M-1 -1L7 7M-1 5L1 7M5 -1L7 1" /> }) }
        </defs>
    }
}

/// An SVG path through points.
fn polyline(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (position, (x, y)) in points.into_iter().enumerate() {
        path.push(if position == 0 { 'M' } else { 'L' });
        path.push_str(&coordinate(x));
        path.push(' ');
        path.push_str(&coordinate(y));
    }
    path
}

/// Moves label positions apart to at least `gap`, keeping their order and staying above `bottom`.
fn spread(positions: &[f64], gap: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by(|&a, &b| positions[a].total_cmp(&positions[b]).then(a.cmp(&b)));
    let mut placed = positions.to_vec();
    for pair in 1..order.len() {
        let (above, below) = (order[pair - 1], order[pair]);
        placed[below] = placed[below].max(placed[above] + gap);
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
        assert_eq!([0, 1, 2].map(|index| Tone::of(index, 3)), [Tone::Base, Tone::Other, Tone::Subject]);
        assert_eq!(Tone::of(0, 1), Tone::Base);
    }

    #[test]
    fn labels_that_would_overlap_move_apart() {
        assert_eq!(spread(&[10.0, 12.0, 50.0], 14.0, 100.0), [10.0, 24.0, 50.0]);
        assert_eq!(spread(&[98.0, 96.0], 14.0, 100.0), [100.0, 86.0], "they stay above the bottom");
    }

    #[test]
    fn a_path_starts_with_a_move() {
        assert_eq!(polyline([(0.0, 1.0), (2.5, 3.04)]), "M0 1L2.5 3");
    }
}
