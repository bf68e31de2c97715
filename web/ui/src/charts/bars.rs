//! Bars from zero: the mean of each column with its interval, this seed and the published figure; and bars that are
//! divided into what they consist of.

use yew::prelude::*;

use super::axis::Plot;
use super::svg::{label, line, path, picture, rect, sign};
use super::{Tone, marker, patterns, polyline};
use crate::band::Mean;
use crate::format::Quantity;
use crate::scale::LinearScale;

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bar {
    /// The column's name.
    pub(crate) name: AttrValue,
    /// Its look.
    pub(crate) tone: Tone,
    /// The value of this seed.
    pub(crate) value: f64,
    /// The mean of many seeds, once known.
    pub(crate) mean: Option<Mean>,
    /// What the patch's author measured.
    pub(crate) published: Option<f64>,
}

/// A bar that consists of parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PartedBar {
    /// The column's name.
    pub(crate) name: AttrValue,
    /// Its look.
    pub(crate) tone: Tone,
    /// The parts from the left.
    pub(crate) parts: Vec<(Part, f64)>,
}

/// What a part of a bar stands for. Each has a colour and a pattern, so that neither is needed alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// It ran: plain.
    Running,
    /// It waited for something that goes first by rule: hatched.
    Waiting,
    /// It waited for its turn: dotted.
    Queued,
    /// It slept: only framed.
    Asleep,
}

impl Part {
    fn class(self) -> &'static str {
        match self {
            Part::Running => "part-running",
            Part::Waiting => "part-waiting",
            Part::Queued => "part-queued",
            Part::Asleep => "part-asleep",
        }
    }

    /// Draws it: left, top, width, height.
    fn draw(self, [left, top, width, height]: [f64; 4], into: &mut Vec<Html>) {
        into.push(rect(self.class(), [left, top, width, height], 0.0, ""));
        let ink = format!("{}-ink", self.class());
        match self {
            Part::Waiting => {
                // Strokes that begin and end on the edges.
                let strokes = (0..=(width / 6.0) as u32).filter_map(|stroke| {
                    let from = left + 6.0 * f64::from(stroke);
                    let run = (left + width - from).min(6.0);
                    (0.0 < run).then(|| {
                        polyline([(from, top + height), (from + run, top + height * (1.0 - run / 6.0))])
                    })
                });
                into.push(path(&ink, &strokes.collect::<String>(), ""));
            }
            Part::Queued => {
                let dots = (0..(width / 6.0) as u32).map(|dot| {
                    let x = left + 3.0 + 6.0 * f64::from(dot);
                    polyline([(x, top + height / 3.0), (x, top + height / 3.0 + 1.5)])
                        + &polyline([(x, top + 2.0 * height / 3.0), (x, top + 2.0 * height / 3.0 + 1.5)])
                });
                into.push(path(&ink, &dots.collect::<String>(), ""));
            }
            Part::Running | Part::Asleep => {}
        }
    }
}

/// A part beside its name.
pub(crate) fn part_swatch(part: Part) -> Html {
    let mut shapes = Vec::new();
    part.draw([1.0, 1.0, 22.0, 12.0], &mut shapes);
    sign(24.0, 14.0, shapes)
}

const ROW: f64 = 40.0;

/// Draws bars from top to bottom; `number` says a value in words.
pub(crate) fn bars_chart(bars: &[Bar], width: f64, number: fn(f64) -> Quantity, words: &str) -> Html {
    let values = bars.iter().flat_map(|bar| {
        let high = bar.mean.map_or(bar.value, |mean| mean.high);
        [bar.value, high, bar.published.unwrap_or(0.0)]
    });
    let names = bars.iter().map(|bar| &bar.name);
    let (plot, scale, mut parts) = ground(names, values.fold(0.0, f64::max), width, number);
    parts.insert(0, patterns("bars"));
    for (index, bar) in bars.iter().enumerate() {
        draw_bar(bar, &scale, plot.top + ROW * (index as f64 + 0.5), &mut parts);
    }
    picture("chart strip", width, plot.bottom + 24.0, words, parts)
}

/// Draws divided bars from top to bottom.
pub(crate) fn parted_chart(bars: &[PartedBar], width: f64, number: fn(f64) -> Quantity, words: &str) -> Html {
    let longest = bars.iter().map(|bar| bar.parts.iter().map(|(_, value)| value).sum());
    let names = bars.iter().map(|bar| &bar.name);
    let (plot, scale, mut parts) = ground(names, longest.fold(0.0, f64::max), width, number);
    for (index, bar) in bars.iter().enumerate() {
        let y = plot.top + ROW * (index as f64 + 0.5);
        parts.push(label(&bar.tone.with("name"), (0.0, y + 4.5), "", &bar.name));
        let mut from = 0.0;
        for (part, value) in &bar.parts {
            let (left, right) = (scale.at(from), scale.at(from + value));
            part.draw([left, y - 11.0, right - left, 22.0], &mut parts);
            from += value;
        }
    }
    picture("chart strip", width, plot.bottom + 24.0, words, parts)
}

/// The axis from zero under rows with names.
fn ground<'a>(
    names: impl Iterator<Item = &'a AttrValue> + Clone,
    most: f64,
    width: f64,
    number: fn(f64) -> Quantity,
) -> (Plot, LinearScale, Vec<Html>) {
    let longest = names.clone().map(|name| name.chars().count()).max().unwrap_or(0);
    let bottom = 6.0 + ROW * names.count() as f64;
    let plot = Plot { left: 14.0 + 8.0 * longest as f64, right: width - 24.0, top: 6.0, bottom };
    let scale = LinearScale::new((0.0, most.max(1e-9) * 1.04), (plot.left, plot.right));
    let mut parts = Vec::new();
    for tick in scale.ticks(if width < 420.0 { 3 } else { 5 }) {
        let x = scale.at(tick);
        parts.push(line(if tick == 0.0 { "axis" } else { "grid" }, (x, plot.top), (x, plot.bottom)));
        parts.push(label(
            "tick",
            (x, plot.bottom + 16.0),
            "middle",
            &(if tick == 0.0 { "0".to_owned() } else { number(tick).text() }),
        ));
    }
    (plot, scale, parts)
}

fn draw_bar(bar: &Bar, scale: &LinearScale, y: f64, into: &mut Vec<Html>) {
    into.push(label(&bar.tone.with("name"), (0.0, y + 4.5), "", &bar.name));
    let (left, right) = (scale.at(0.0), scale.at(bar.mean.map_or(bar.value, |mean| mean.value)));
    into.push(rect(
        &bar.tone.with("band"),
        [left, y - 11.0, right - left, 22.0],
        2.0,
        &bar.tone.fill("bars"),
    ));
    if let Some(Mean { low, high, .. }) = bar.mean {
        let (low, high) = (scale.at(low), scale.at(high));
        let class = bar.tone.with("interval");
        into.push(line(&class, (low, y), (high, y)));
        into.push(line(&class, (low, y - 6.0), (low, y + 6.0)));
        into.push(line(&class, (high, y - 6.0), (high, y + 6.0)));
    }
    if let Some(published) = bar.published {
        into.push(marker(bar.tone, (scale.at(published), y), 8.5, true));
    }
    into.push(marker(bar.tone, (scale.at(bar.value), y), 5.0, false));
}
