//! Draws the timeline: one pass over what is in view, rectangles of one colour together.

use protocol::{Minimap, TaskView};
use web_sys::CanvasRenderingContext2d;

use super::fill::{self, Sorted};
use super::ink::Ink;
use super::layout::{GroupPlace, Layout, RunLayout};
use super::lens::Row;
use super::view::{View, Wait};
use crate::charts::Tone;
use crate::scale::{LinearScale, round_step};
use crate::{format, text};

/// The side of the sign that opens and folds a group, where there is room.
const LARGEST_SIGN: f64 = 10.0;

/// A run as it is drawn.
pub(crate) struct PaintRun<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// Its look.
    pub(crate) tone: Tone,
    /// Its tasks by id.
    pub(crate) tasks: &'a [TaskView],
    /// Its lanes as they are now.
    pub(crate) rows: &'a [Row],
    /// Its lanes, of this view or of one before.
    pub(crate) lanes: Option<&'a Sorted>,
    /// Its overview.
    pub(crate) minimap: Option<&'a Minimap>,
    /// Its long waits.
    pub(crate) waits: &'a [Wait],
}

/// What is drawn over the lanes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Marks {
    /// The moment under the pointer.
    pub(crate) cursor: Option<f64>,
    /// A wait that is pointed out.
    pub(crate) wait: Option<Wait>,
    /// The moment that is looked at closely.
    pub(crate) moment: Option<f64>,
    /// The interval that the charts show alone.
    pub(crate) brush: Option<View>,
    /// The lane that keys are about: its run and its position.
    pub(crate) row: Option<(usize, usize)>,
    /// How far the run is played; what comes later is hidden.
    pub(crate) playhead: Option<f64>,
    /// Where such an interval begins whose end is not yet chosen.
    pub(crate) brush_start: Option<f64>,
}

/// Everything that a picture needs.
pub(crate) struct Scene<'a> {
    /// The places.
    pub(crate) layout: &'a Layout,
    /// The colours.
    pub(crate) ink: &'a Ink,
    /// The span in view.
    pub(crate) view: View,
    /// The end of the run.
    pub(crate) end: f64,
    /// The runs.
    pub(crate) runs: Vec<PaintRun<'a>>,
    /// What is drawn over them.
    pub(crate) marks: Marks,
    /// The task whose slices stand out.
    pub(crate) followed: Option<u32>,
    /// Whether wake-ups are drawn, and whether moves are.
    pub(crate) arrows: (bool, bool),
}

/// Draws the whole picture, in CSS pixels.
pub(crate) fn paint(context: &CanvasRenderingContext2d, scene: &Scene<'_>) {
    let Scene { layout, ink, .. } = scene;
    context.set_fill_style_str(&ink.ground);
    context.fill_rect(0.0, 0.0, layout.width, layout.height);
    context.set_text_baseline("middle");
    overview(context, scene);
    axis(context, scene);
    for (position, (run, placed)) in scene.runs.iter().zip(&layout.runs).enumerate() {
        gutter(context, scene, run, placed);
        clip_to_time(context, scene, || fill::lanes(context, scene, run, placed));
        if let Some((_, row)) = scene.marks.row.filter(|(run, _)| *run == position) {
            selected_row(context, scene, placed, row);
        }
    }
    clip_to_time(context, scene, || marks(context, scene));
}

fn clip_to_time(context: &CanvasRenderingContext2d, scene: &Scene<'_>, draw: impl FnOnce()) {
    let layout = scene.layout;
    context.save();
    context.begin_path();
    context.rect(layout.left, 0.0, layout.time_width(), layout.height);
    context.clip();
    draw();
    context.restore();
}

pub(super) fn font(context: &CanvasRenderingContext2d, ink: &Ink, size: f64, weight: &str) {
    context.set_font(&format!("{weight} {}px {}", format::coordinate(size), ink.font));
}

/// Text that may be cut off by nothing but the canvas.
pub(super) fn write(context: &CanvasRenderingContext2d, words: &str, x: f64, y: f64) {
    // It fails for coordinates that are no numbers; such a label is better left out.
    let _ = context.fill_text(words, x, y);
}

fn overview(context: &CanvasRenderingContext2d, scene: &Scene<'_>) {
    let Scene { layout, ink, .. } = scene;
    let whole = LinearScale::new((0.0, scene.end), (layout.left, layout.width));
    for (run, top) in scene.runs.iter().zip(&layout.overview) {
        font(context, ink, 11.0, "600");
        context.set_text_align("right");
        context.set_fill_style_str(ink.tone(run.tone));
        // A name without room is squeezed; it fails as in `write`.
        let _ = context.fill_text_with_max_width(run.name, layout.left - 8.0, top + 8.5, layout.left - 10.0);
        context.set_fill_style_str(&ink.idle);
        context.fill_rect(layout.left, *top, layout.time_width(), 16.0);
        if let Some(minimap) = run.minimap {
            busy_curve(context, scene, minimap, *top);
        }
        context.set_fill_style_str(&ink.wait);
        for wait in run.waits {
            let (x0, x1) = (whole.at(wait.from), whole.at(wait.to));
            context.fill_rect(x0 - 1.0, *top, (x1 - x0).max(2.0) + 1.0, 16.0);
        }
    }
    if let Some(brush) = scene.marks.brush.filter(|_| scene.marks.playhead.is_none()) {
        let bottom = layout.overview.last().map_or(0.0, |top| top + 17.0);
        brushed(context, ink, (whole.at(brush.from), whole.at(brush.to)), (0.0, bottom));
    }
    if let Some(playhead) = scene.marks.playhead {
        let (x, bottom) = (whole.at(playhead), layout.overview.last().map_or(0.0, |top| top + 17.0));
        context.set_fill_style_str(&ink.ground);
        context.set_global_alpha(0.8);
        context.fill_rect(x, 0.0, layout.width - x, bottom);
        context.set_global_alpha(1.0);
        context.set_fill_style_str(&ink.accent);
        context.fill_rect(x - 1.0, 0.0, 2.0, bottom);
    }
    let (Some(first), Some(last)) = (layout.overview.first(), layout.overview.last()) else { return };
    let (x0, x1) = (whole.at(scene.view.from), whole.at(scene.view.to));
    context.set_stroke_style_str(&ink.cursor);
    context.set_line_width(1.5);
    context.stroke_rect(x0.round() - 1.0, first - 0.5, (x1 - x0).max(3.0).round() + 2.0, last + 17.0 - first);
}

/// An interval: a tinted band between two lines.
fn brushed(context: &CanvasRenderingContext2d, ink: &Ink, (x0, x1): (f64, f64), (top, bottom): (f64, f64)) {
    context.set_fill_style_str(&ink.accent);
    context.set_global_alpha(0.12);
    context.fill_rect(x0, top, (x1 - x0).max(1.0), bottom - top);
    context.set_global_alpha(1.0);
    context.fill_rect(x0 - 1.0, top, 2.0, bottom - top);
    context.fill_rect(x1 - 1.0, top, 2.0, bottom - top);
    context.fill_rect(x0, top, (x1 - x0).max(1.0), 3.0);
}

fn busy_curve(context: &CanvasRenderingContext2d, scene: &Scene<'_>, minimap: &Minimap, top: f64) {
    let layout = scene.layout;
    let step = layout.time_width() / minimap.busy.len().max(1) as f64;
    context.set_fill_style_str(&scene.ink.line);
    for (column, busy) in minimap.busy.iter().enumerate() {
        let height = f64::from(*busy) / 255.0 * 16.0;
        context.fill_rect(layout.left + column as f64 * step, top + 16.0 - height, step + 0.5, height);
    }
}

fn axis(context: &CanvasRenderingContext2d, scene: &Scene<'_>) {
    let Scene { layout, ink, view, .. } = scene;
    let scale = LinearScale::new((view.from, view.to), (layout.left, layout.width));
    let wanted = (layout.time_width() / 100.0).max(3.0) as usize;
    let step = round_step(view.span() / wanted as f64);
    font(context, ink, 11.0, "400");
    context.set_text_align("left");
    context.set_line_width(1.0);
    context.set_stroke_style_str(&ink.line);
    context.begin_path();
    let decimals = text::decimals_of_step(step);
    for tick in scale.ticks(wanted) {
        let x = scale.at(tick).round() + 0.5;
        context.move_to(x, layout.axis);
        context.line_to(x, layout.height);
        context.set_fill_style_str(&ink.muted);
        // Half a step of tolerance: a tick is a product of the step and may lie a hair below its moment.
        let label = format!("{}{}s", format::seconds(tick + 0.5, decimals), format::THIN);
        // A label that would be cut off says something else.
        if x + 10.0 + 6.2 * label.chars().count() as f64 <= layout.width {
            write(context, &label, x + 4.0, layout.axis + 9.0);
        }
    }
    context.stroke();
}

fn gutter(context: &CanvasRenderingContext2d, scene: &Scene<'_>, run: &PaintRun<'_>, placed: &RunLayout) {
    let Scene { layout, ink, .. } = scene;
    context.set_fill_style_str(&ink.ground);
    context.fill_rect(0.0, placed.title, layout.left, placed.bottom - placed.title);
    context.set_text_align("left");
    font(context, ink, 13.0, "600");
    context.set_fill_style_str(ink.tone(run.tone));
    write(context, run.name, 0.0, placed.title + 13.0);
    context.set_text_align("right");
    // Where lanes are narrow only some have room for their name.
    let every: usize = if layout.lane < 13.0 { 4 } else { 1 };
    for (position, (row, top)) in run.rows.iter().zip(&placed.lanes).enumerate() {
        let is_followed = matches!(row, Row::Task(task) if scene.followed == Some(*task));
        let every = if matches!(row, Row::Cpu(..)) { every } else { every.div_ceil(2) };
        if !position.is_multiple_of(every) && !is_followed {
            continue;
        }
        font(context, ink, 11.0, if is_followed { "700" } else { "400" });
        context.set_fill_style_str(if is_followed { &ink.cursor } else { &ink.muted });
        write(context, &row_name(*row, run, layout), layout.left - 8.0, top + layout.lane / 2.0 - 1.0);
    }
    for place in &placed.groups {
        group_sign(context, scene, place);
    }
}

/// The name of a lane, as long as there is room for.
fn row_name(row: Row, run: &PaintRun<'_>, layout: &Layout) -> String {
    let is_roomy = 80.0 < layout.left;
    match row {
        Row::Cpu(_, cpu) if is_roomy => text::cpu(cpu),
        Row::Cpu(_, cpu) => cpu.to_string(),
        Row::Group(group, ..) => text::domain(group.level.key(), group.index),
        Row::Task(task) => {
            let name = run.tasks.get(task as usize).map_or("?", |task| &*task.name);
            let most = ((layout.left - 12.0) / 6.2) as usize;
            if name.chars().count() <= most {
                return name.to_owned();
            }
            // The end of a name tells threads apart.
            let skipped = name.chars().count() + 1 - most.max(2);
            ["…", &name.chars().skip(skipped).collect::<String>()].concat()
        }
    }
}

/// The sign of a group: minus where it is open, with a line along its lanes, plus where it is folded.
fn group_sign(context: &CanvasRenderingContext2d, scene: &Scene<'_>, place: &GroupPlace) {
    let Scene { layout, ink, .. } = scene;
    // An even side has its middle on the lines of half pixels that the sides are on.
    let side = LARGEST_SIGN.min(((layout.lane - 2.0) / 2.0).floor() * 2.0);
    let x = f64::from(place.depth) * layout.level + (layout.level - side) / 2.0;
    let y = place.top + ((layout.lane - 3.0 - side) / 2.0).max(0.0);
    context.set_stroke_style_str(&ink.muted);
    context.set_line_width(1.0);
    context.stroke_rect(x.floor() + 0.5, y.floor() + 0.5, side, side);
    let (left, top) = (x.floor() + 0.5, y.floor() + 0.5);
    let middle = top + side / 2.0;
    let inset = side / 4.0;
    context.begin_path();
    context.move_to(left + inset, middle);
    context.line_to(left + side - inset, middle);
    if place.is_folded {
        context.move_to(left + side / 2.0, top + inset);
        context.line_to(left + side / 2.0, top + side - inset);
    }
    context.stroke();
    if place.is_folded {
        return;
    }
    context.set_fill_style_str(&ink.line);
    let (below, bottom) = (y + side + 3.0, place.bottom - 3.0);
    context.fill_rect(left + side / 2.0 - 1.0, below, 2.0, (bottom - below).max(0.0));
    let name = text::domain(place.group.level.key(), place.group.index);
    if 6.2 * name.chars().count() as f64 + 8.0 < bottom - below {
        // Written upwards in its column, on the ground of the line.
        context.save();
        let _ = context.translate(left + side / 2.0, f64::midpoint(below, bottom));
        let _ = context.rotate(-std::f64::consts::FRAC_PI_2);
        font(context, ink, 11.0, "400");
        context.set_text_align("center");
        let wide = 6.2 * name.chars().count() as f64 + 6.0;
        context.set_fill_style_str(&ink.ground);
        context.fill_rect(-wide / 2.0, -7.0, wide, 14.0);
        context.set_fill_style_str(&ink.muted);
        write(context, &name, 0.0, 0.5);
        context.restore();
    }
}

/// A frame around the lane that keys are about.
fn selected_row(context: &CanvasRenderingContext2d, scene: &Scene<'_>, placed: &RunLayout, row: usize) {
    let Scene { layout, ink, .. } = scene;
    if let Some(top) = placed.lanes.get(row) {
        context.set_stroke_style_str(&ink.cursor);
        context.set_line_width(1.5);
        let high = layout.lane - 1.0;
        context.stroke_rect(layout.left + 0.75, top - 1.0, layout.time_width() - 1.5, high);
    }
}

fn marks(context: &CanvasRenderingContext2d, scene: &Scene<'_>) {
    let Scene { layout, ink, view, .. } = scene;
    let x = |moment: f64| layout.left + view.share(moment) * layout.time_width();
    if let Some(playhead) = scene.marks.playhead {
        unplayed(context, scene, x(playhead));
    } else if let Some(brush) = scene.marks.brush {
        brushed(context, ink, (x(brush.from), x(brush.to)), (layout.axis, layout.height));
    } else if let Some(start) = scene.marks.brush_start {
        brushed(context, ink, (x(start), x(start)), (layout.axis, layout.height));
    }
    let is_played = |wait: &Wait| scene.marks.playhead.is_none_or(|playhead| wait.to <= playhead);
    if let Some(wait) = scene.marks.wait.filter(is_played)
        && let Some(placed) = layout.runs.get(wait.run)
    {
        let (x0, x1) = (x(wait.from), x(wait.to).max(x(wait.from) + 2.0));
        let (top, bottom) = (placed.title + 20.0, placed.bottom);
        context.set_stroke_style_str(&ink.wait);
        context.set_line_width(1.5);
        context.begin_path();
        for side in [x0, x1] {
            context.move_to(side, top);
            context.line_to(side, bottom);
        }
        context.move_to(x0, top);
        context.line_to(x1, top);
        context.stroke();
        context.set_fill_style_str(&ink.wait);
        font(context, ink, 11.0, "600");
        let words = format::nanos(wait.to - wait.from).text();
        let middle = f64::midpoint(x0.max(layout.left), x1.min(layout.width));
        context.set_text_align("center");
        write(context, &words, middle, top - 8.0);
    }
    if let Some(moment) = scene.marks.moment.filter(|moment| (0.0..=1.0).contains(&scene.view.share(*moment)))
    {
        let x = x(moment).round() + 0.5;
        context.set_stroke_style_str(&ink.cursor);
        context.set_fill_style_str(&ink.cursor);
        context.set_line_width(2.0);
        context.begin_path();
        context.move_to(x, layout.axis);
        context.line_to(x, layout.height);
        context.stroke();
        // A pennant tells it from the line under the pointer.
        context.begin_path();
        context.move_to(x - 6.0, layout.axis);
        context.line_to(x + 6.0, layout.axis);
        context.line_to(x, layout.axis + 8.0);
        context.fill();
    }
    if let Some(cursor) = scene.marks.cursor {
        context.set_stroke_style_str(&ink.cursor);
        context.set_line_width(1.0);
        context.begin_path();
        let x = x(cursor).round() + 0.5;
        context.move_to(x, layout.axis);
        context.line_to(x, layout.height);
        context.stroke();
    }
}

/// Hides what is not played yet, behind a line that moves.
fn unplayed(context: &CanvasRenderingContext2d, scene: &Scene<'_>, x: f64) {
    let Scene { layout, ink, .. } = scene;
    if x < layout.width {
        let x = x.max(layout.left);
        let top = layout.axis + 22.0;
        context.set_fill_style_str(&ink.ground);
        context.fill_rect(x, top, layout.width - x, layout.height - top);
        context.set_fill_style_str(&ink.accent);
        context.fill_rect(x - 1.0, layout.axis, 2.0, layout.height - layout.axis);
        context.begin_path();
        context.move_to(x - 1.0, layout.axis);
        context.line_to(x + 9.0, layout.axis + 6.0);
        context.line_to(x - 1.0, layout.axis + 12.0);
        context.fill();
    }
}
