//! Draws the timeline: one pass over what is in view, rectangles of one colour together.

use protocol::{LaneState, Lanes, Minimap, NO_TASK, TaskView};
use web_sys::{CanvasPattern, CanvasRenderingContext2d};

use super::ink::{Ink, TASK_COLOURS, colour_of};
use super::layout::{Layout, RunLayout};
use super::view::{View, Wait};
use crate::charts::Tone;
use crate::scale::{LinearScale, round_step};
use crate::{format, text};

/// Arrows are drawn while they can be told apart.
const MOST_ARROWS: usize = 80;
/// A slice at least this wide carries its task's name.
const NAMED: f64 = 34.0;

/// A run as it is drawn.
pub(crate) struct PaintRun<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// Its look.
    pub(crate) tone: Tone,
    /// Its tasks by id.
    pub(crate) tasks: &'a [TaskView],
    /// The numbers of its CPUs by lane.
    pub(crate) cpus: Vec<u16>,
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
}

/// Draws the whole picture, in CSS pixels.
pub(crate) fn paint(context: &CanvasRenderingContext2d, scene: &Scene<'_>) {
    let Scene { layout, ink, .. } = scene;
    context.set_fill_style_str(&ink.ground);
    context.fill_rect(0.0, 0.0, layout.width, layout.height);
    context.set_text_baseline("middle");
    overview(context, scene);
    axis(context, scene);
    for (run, placed) in scene.runs.iter().zip(&layout.runs) {
        gutter(context, scene, run, placed);
        clip_to_time(context, scene, || lanes(context, scene, run, placed));
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

fn font(context: &CanvasRenderingContext2d, ink: &Ink, size: f64, weight: &str) {
    context.set_font(&format!("{weight} {}px {}", format::coordinate(size), ink.font));
}

/// Text that may be cut off by nothing but the canvas.
fn write(context: &CanvasRenderingContext2d, words: &str, x: f64, y: f64) {
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
        write(context, run.name, layout.left - 8.0, top + 8.5);
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
    if let Some(brush) = scene.marks.brush {
        let bottom = layout.overview.last().map_or(0.0, |top| top + 17.0);
        brushed(context, ink, (whole.at(brush.from), whole.at(brush.to)), (0.0, bottom));
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
    let is_roomy = 80.0 < layout.left;
    context.set_text_align("right");
    font(context, ink, 11.0, "400");
    context.set_fill_style_str(&ink.muted);
    // Where lanes are narrow only some have room for their name.
    let every = if layout.lane < 13.0 { 4 } else { 1 };
    for (cpu, top) in run.cpus.iter().zip(&placed.lanes).step_by(every) {
        let label = if is_roomy { text::cpu(*cpu) } else { cpu.to_string() };
        write(context, &label, layout.left - 8.0, top + layout.busy_height() / 2.0 + 0.5);
    }
    for (name, top, bottom) in &placed.groups {
        context.set_fill_style_str(&ink.line);
        let x = if is_roomy { 40.0 } else { 32.0 };
        context.fill_rect(x, *top, 2.0, bottom - top - 3.0);
        context.set_text_align("right");
        font(context, ink, 11.0, "400");
        context.set_fill_style_str(&ink.muted);
        write(context, name, x - 4.0, f64::midpoint(*top, *bottom));
    }
}

/// A rectangle of a lane, from its position in the lanes' own view to where it is now.
struct Moved {
    scale: f64,
    shift: f64,
}

impl Moved {
    fn new(lanes: &Lanes, scene: &Scene<'_>) -> Moved {
        let (from, to) = (lanes.from_ns as f64, lanes.to_ns as f64);
        let pixel = (to - from) / f64::from(lanes.width_px.max(1));
        let scale = pixel / scene.view.span() * scene.layout.time_width();
        let shift = scene.layout.left + scene.view.share(from) * scene.layout.time_width();
        Moved { scale, shift }
    }

    fn x(&self, x: f32) -> f64 {
        self.shift + f64::from(x) * self.scale
    }
}

fn lanes(context: &CanvasRenderingContext2d, scene: &Scene<'_>, run: &PaintRun<'_>, placed: &RunLayout) {
    let layout = scene.layout;
    let busy = layout.busy_height();
    context.set_fill_style_str(&scene.ink.idle);
    for top in &placed.lanes {
        context.fill_rect(layout.left, top + busy - 2.0, layout.time_width(), 2.0);
    }
    let Some(Sorted { lanes, tasks, wasted, waiting }) = run.lanes else { return };
    let moved = Moved::new(lanes, scene);
    let fill = |spots: &[Spot], below: f64, height: f64, gap: f64| {
        for spot in spots {
            let (x0, x1) = (moved.x(lanes.x0[spot.rect as usize]), moved.x(lanes.x1[spot.rect as usize]));
            let Some(top) = placed.lanes.get(spot.lane as usize) else { continue };
            if x1 < layout.left || layout.width < x0 {
                continue;
            }
            // A hairline between neighbours, where there is room for one.
            let gap = if 4.0 < x1 - x0 { gap } else { 0.0 };
            context.fill_rect(x0, top + below, (x1 - x0 - gap).max(1.0), height);
        }
    };
    // Changing the colour costs more than filling: one pass for each.
    for (colour, spots) in tasks.iter().enumerate() {
        context.set_fill_style_str(&scene.ink.tasks[colour].0);
        fill(spots, 0.0, busy, 1.0);
    }
    filled(context, scene.ink.dots.as_ref(), &scene.ink.wasted);
    fill(wasted, 0.0, busy, 0.0);
    filled(context, scene.ink.hatch.as_ref(), &scene.ink.wait);
    fill(waiting, busy + 1.0, layout.lane - busy - 3.0, 0.0);
    names(context, scene, run, placed, &moved);
    arrows(context, scene, lanes, placed, &moved);
}

fn filled(context: &CanvasRenderingContext2d, pattern: Option<&CanvasPattern>, plain: &str) {
    match pattern {
        Some(pattern) => context.set_fill_style_canvas_pattern(pattern),
        None => context.set_fill_style_str(plain),
    }
}

/// Lanes with their rectangles sorted by what they are filled with, once for many pictures.
pub(crate) struct Sorted {
    lanes: Lanes,
    tasks: Vec<Vec<Spot>>,
    wasted: Vec<Spot>,
    waiting: Vec<Spot>,
}

/// A rectangle by its position in the columns of its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    lane: u32,
    rect: u32,
}

impl Sorted {
    /// Sorts lanes.
    pub(crate) fn new(lanes: Lanes) -> Sorted {
        let mut sorted =
            Sorted { tasks: vec![Vec::new(); TASK_COLOURS], wasted: Vec::new(), waiting: Vec::new(), lanes };
        for (lane, ends) in sorted.lanes.lane_start.windows(2).enumerate() {
            for rect in ends[0]..ends[1] {
                let spot = Spot { lane: lane as u32, rect };
                let task = sorted.lanes.task[rect as usize];
                match LaneState::from_u8(sorted.lanes.state[rect as usize]) {
                    Some(LaneState::Running) if task != NO_TASK => sorted.tasks[colour_of(task)].push(spot),
                    Some(LaneState::Wasted) => sorted.wasted.push(spot),
                    Some(LaneState::Waiting) => sorted.waiting.push(spot),
                    _ => {}
                }
            }
        }
        sorted
    }
}

fn names(
    context: &CanvasRenderingContext2d,
    scene: &Scene<'_>,
    run: &PaintRun<'_>,
    placed: &RunLayout,
    moved: &Moved,
) {
    let (layout, Some(sorted)) = (scene.layout, run.lanes) else { return };
    let busy = layout.busy_height();
    if busy < 10.0 {
        return;
    }
    font(context, scene.ink, 10.5, "500");
    context.set_text_align("left");
    let lanes = &sorted.lanes;
    for spot in sorted.tasks.iter().flatten() {
        let rect = spot.rect as usize;
        // The name of a slice that begins left of the view stands at the view's edge.
        let x0 = moved.x(lanes.x0[rect]).max(layout.left);
        let room = moved.x(lanes.x1[rect]).min(layout.width) - x0;
        if NAMED < room
            && let Some(task) = run.tasks.get(lanes.task[rect] as usize)
            && let Some(top) = placed.lanes.get(spot.lane as usize)
            && 6.1 * task.name.len() as f64 + 8.0 < room
        {
            context.set_fill_style_str(scene.ink.task(task.id).1);
            write(context, &task.name, x0 + 4.0, top + busy / 2.0 + 0.5);
        }
    }
}

fn arrows(
    context: &CanvasRenderingContext2d,
    scene: &Scene<'_>,
    lanes: &Lanes,
    placed: &RunLayout,
    moved: &Moved,
) {
    if MOST_ARROWS < lanes.arrows.x.len() {
        return;
    }
    let half = scene.layout.busy_height() / 2.0;
    context.set_stroke_style_str(&scene.ink.arrow);
    context.set_line_width(1.0);
    context.begin_path();
    for ((x, from), to) in lanes.arrows.x.iter().zip(&lanes.arrows.from_lane).zip(&lanes.arrows.to_lane) {
        let (Some(from), Some(to)) = (placed.lanes.get(*from as usize), placed.lanes.get(*to as usize))
        else {
            continue;
        };
        if (from - to).abs() < 1.0 {
            continue;
        }
        let (x, from, to) = (moved.x(*x), from + half, to + half);
        let head = if to < from { 4.0 } else { -4.0 };
        context.move_to(x, from);
        context.line_to(x, to);
        context.move_to(x - 2.5, to + head);
        context.line_to(x, to);
        context.line_to(x + 2.5, to + head);
    }
    context.stroke();
}

fn marks(context: &CanvasRenderingContext2d, scene: &Scene<'_>) {
    let Scene { layout, ink, view, .. } = scene;
    let x = |moment: f64| layout.left + view.share(moment) * layout.time_width();
    if let Some(brush) = scene.marks.brush {
        brushed(context, ink, (x(brush.from), x(brush.to)), (layout.axis, layout.height));
    } else if let Some(start) = scene.marks.brush_start {
        brushed(context, ink, (x(start), x(start)), (layout.axis, layout.height));
    }
    if let Some(wait) = scene.marks.wait
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_are_sorted_by_what_they_are_filled_with() {
        let states =
            [LaneState::Running, LaneState::Waiting, LaneState::Idle, LaneState::Wasted, LaneState::Running];
        let lanes = Lanes {
            lane_start: vec![0, 2, 5],
            x0: vec![0.0; 5],
            x1: vec![1.0; 5],
            task: vec![3, NO_TASK, NO_TASK, NO_TASK, 4],
            state: states.map(|state| state as u8).to_vec(),
            level: vec![0; 5],
            ..Lanes::default()
        };
        let sorted = Sorted::new(lanes);
        assert_eq!(sorted.tasks[colour_of(3)], [Spot { lane: 0, rect: 0 }]);
        assert_eq!(sorted.tasks[colour_of(4)], [Spot { lane: 1, rect: 4 }]);
        assert_eq!(sorted.waiting, [Spot { lane: 0, rect: 1 }]);
        assert_eq!(sorted.wasted, [Spot { lane: 1, rect: 3 }]);
        assert_eq!(sorted.tasks.iter().flatten().count(), 2, "idle is the ground");
    }
}
