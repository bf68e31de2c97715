//! Draws what the lanes of a run show: one pass for each thing to fill with.

use std::cell::OnceCell;

use protocol::{LaneState, Lanes, NO_TASK};
use web_sys::{CanvasPattern, CanvasRenderingContext2d};

use super::ink::{Ink, TASK_COLOURS, colour_of};
use super::layout::RunLayout;
use super::lens::Row;
use super::paint::{PaintRun, Scene, font, write};
use super::strips::{self, PARTS, Palette, Strips};
use crate::text;

/// Arrows are drawn while they can be told apart.
const MOST_ARROWS: usize = 80;
/// A slice at least this wide carries its task's name.
const NAMED: f64 = 34.0;
/// How many states deeper than the shallowest idle CPUs are told apart by; those that are deeper still look like the last.
pub(crate) const DEPTHS: usize = 2;
/// How much of what is not followed shines through.
const VEIL: f64 = 0.72;

/// Lanes with their rectangles sorted by what they are filled with, once for many pictures.
pub(crate) struct Sorted {
    lanes: Lanes,
    /// What the lanes are.
    rows: Vec<Row>,
    tasks: Vec<Vec<Spot>>,
    wasted: Vec<Spot>,
    waiting: Vec<Spot>,
    blocked: Vec<Spot>,
    busy: Vec<Spot>,
    crowded: Vec<Spot>,
    /// Idle in a deeper state than the shallowest, by how much.
    asleep: [Vec<Spot>; DEPTHS],
    /// What is too narrow for a rectangle of its own, and the picture of it once it is drawn.
    narrow: Vec<Spot>,
    strips: OnceCell<Option<Strips>>,
}

/// A rectangle by its position in the columns of its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) lane: u32,
    pub(super) rect: u32,
}

impl Sorted {
    /// Sorts lanes.
    pub(crate) fn new(lanes: Lanes, rows: Vec<Row>) -> Sorted {
        let mut sorted = Sorted {
            tasks: vec![Vec::new(); TASK_COLOURS],
            wasted: Vec::new(),
            waiting: Vec::new(),
            blocked: Vec::new(),
            busy: Vec::new(),
            crowded: Vec::new(),
            asleep: Default::default(),
            narrow: Vec::new(),
            strips: OnceCell::new(),
            lanes,
            rows,
        };
        for lane in 0..sorted.rows.len().min(sorted.lanes.lane_start.len().saturating_sub(1)) {
            for rect in sorted.lanes.lane_start[lane]..sorted.lanes.lane_start[lane + 1] {
                sorted.sort(Spot { lane: lane as u32, rect });
            }
        }
        sorted
    }

    fn sort(&mut self, spot: Spot) {
        let row = self.rows[spot.lane as usize];
        let task = self.task_of(spot);
        let rect = spot.rect as usize;
        let state = LaneState::from_u8(self.lanes.state[rect]);
        let is_drawn = !matches!(state, None | Some(LaneState::Idle | LaneState::Busy));
        let is_narrow = self.lanes.x1[rect] - self.lanes.x0[rect] < strips::NARROW;
        if is_narrow && is_drawn && !matches!(row, Row::Group(..)) {
            self.narrow.push(spot);
            return;
        }
        match (state, row) {
            (Some(LaneState::Running), _) if task != NO_TASK => self.tasks[colour_of(task)].push(spot),
            (Some(LaneState::Wasted), _) => self.wasted.push(spot),
            (Some(LaneState::Waiting), Row::Group(..)) => self.crowded.push(spot),
            (Some(LaneState::Waiting), _) => self.waiting.push(spot),
            (Some(LaneState::Blocked), _) => self.blocked.push(spot),
            (Some(LaneState::Busy), _) => self.busy.push(spot),
            (Some(LaneState::Idle), Row::Cpu(..)) if 0 < self.lanes.level[rect] && !is_narrow => {
                self.asleep[usize::from(self.lanes.level[rect]).min(DEPTHS) - 1].push(spot);
            }
            _ => {}
        }
    }

    fn is_running(&self, spot: Spot) -> bool {
        self.lanes.state[spot.rect as usize] == LaneState::Running as u8
    }

    /// The colours have changed.
    pub(crate) fn recolour(&mut self) {
        self.strips = OnceCell::new();
    }

    /// The picture of what is narrow.
    fn strips(&self, ink: &Ink) -> Option<&Strips> {
        let draw = || {
            let palette = Palette::of(ink);
            let colour = |spot, state| palette.colour(self.task_of(spot), state);
            Strips::new(&self.lanes, self.rows.len(), &self.narrow, colour)
        };
        self.strips.get_or_init(draw).as_ref()
    }

    /// The task of a rectangle in which one runs.
    fn task_of(&self, spot: Spot) -> u32 {
        match self.rows[spot.lane as usize] {
            Row::Task(task) => task,
            Row::Cpu(..) | Row::Group(..) => self.lanes.task[spot.rect as usize],
        }
    }
}

/// From the positions in the lanes' own view to where they are now.
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

/// What is needed again and again while the lanes of a run are drawn.
struct Brushwork<'a> {
    context: &'a CanvasRenderingContext2d,
    scene: &'a Scene<'a>,
    sorted: &'a Sorted,
    moved: Moved,
    /// Where the lanes are now that the rectangles belong to; none where a lane has gone.
    tops: Vec<Option<f64>>,
}

/// Draws the lanes of a run.
pub(super) fn lanes(
    context: &CanvasRenderingContext2d,
    scene: &Scene<'_>,
    run: &PaintRun<'_>,
    placed: &RunLayout,
) {
    let layout = scene.layout;
    let busy = layout.busy_height();
    context.set_fill_style_str(&scene.ink.idle);
    if !matches!(run.rows.first(), Some(Row::Task(_))) {
        for top in &placed.lanes {
            context.fill_rect(layout.left, top + busy - 2.0, layout.time_width(), 2.0);
        }
    }
    let Some(sorted) = run.lanes else { return };
    let work = Brushwork {
        context,
        scene,
        sorted,
        moved: Moved::new(&sorted.lanes, scene),
        tops: tops(&sorted.rows, run.rows, &placed.lanes),
    };
    work.rectangles();
    if let Some(task) = scene.followed.filter(|_| !matches!(run.rows.first(), Some(Row::Task(_)))) {
        work.followed(task, placed);
    }
    work.names(run);
    work.arrows();
}

/// Where the lanes stand now that were asked for, which may be others.
fn tops(asked: &[Row], now: &[Row], tops: &[f64]) -> Vec<Option<f64>> {
    if asked == now {
        return tops.iter().copied().map(Some).collect();
    }
    let place = |row: &Row| tops.get(now.iter().position(|other| other == row)?).copied();
    asked.iter().map(place).collect()
}

impl Brushwork<'_> {
    fn rectangles(&self) {
        let (context, ink) = (self.context, self.scene.ink);
        let (lane, busy) = (self.scene.layout.lane, self.scene.layout.busy_height());
        let is_task = matches!(self.sorted.rows.first(), Some(Row::Task(_)));
        let height = if is_task { lane - 3.0 } else { busy };
        let waiting = if is_task { (lane * 0.3, lane * 0.7 - 3.0) } else { (busy + 1.0, lane - busy - 3.0) };
        let blocked = (lane - 5.0, 2.0);
        self.narrow([(0.0, height), waiting, blocked]);
        context.set_fill_style_str(&ink.idle);
        self.fill(&self.sorted.blocked, blocked, 0.0);
        self.asleep(busy);
        // Changing the colour costs more than filling: one pass for each.
        for (colour, spots) in self.sorted.tasks.iter().enumerate() {
            context.set_fill_style_str(&ink.tasks[colour].0);
            self.fill(spots, (0.0, height), 1.0);
        }
        filled(context, ink.dots.as_ref(), &ink.wasted);
        self.fill(&self.sorted.wasted, (0.0, busy), 0.0);
        filled(context, ink.hatch.as_ref(), &ink.wait);
        self.fill(&self.sorted.waiting, waiting, 0.0);
        self.shares(&self.sorted.crowded, waiting);
        context.set_fill_style_str(&ink.muted);
        self.shares(&self.sorted.busy, (0.0, busy));
    }

    /// The line of an idle CPU is on the ground already; here is one more for every deeper state.
    fn asleep(&self, busy: f64) {
        let pitch = ((busy - 2.0) / 3.0).floor().max(2.0);
        // Of more contrast than the ground: they say something.
        self.context.set_fill_style_str(&self.scene.ink.muted);
        for (deeper, spots) in self.sorted.asleep.iter().enumerate() {
            for line in 1..=deeper + 1 {
                self.fill(spots, (busy - 2.0 - pitch * line as f64, 1.0), 0.0);
            }
        }
    }

    /// Stretches the rows of what is narrow over the parts of their lanes.
    fn narrow(&self, parts: [(f64, f64); PARTS]) {
        let Some(strips) = self.sorted.strips(self.scene.ink) else { return };
        let ends = (self.moved.x(0.0), self.moved.x(self.sorted.lanes.width_px as f32));
        self.context.set_image_smoothing_enabled(false);
        for (lane, top) in self.tops.iter().enumerate() {
            let Some(top) = top else { continue };
            // Sleeping lies under waiting, and that under running.
            for (part, (below, height)) in parts.into_iter().enumerate().rev() {
                strips.draw(self.context, (lane, part), ends, (top + below, height));
            }
        }
    }

    fn fill(&self, spots: &[Spot], (below, height): (f64, f64), gap: f64) {
        for (_, x0, x1, top) in self.seen(spots) {
            // A hairline between neighbours, where there is room for one.
            let gap = if 4.0 < x1 - x0 { gap } else { 0.0 };
            self.context.fill_rect(x0, top + below, (x1 - x0 - gap).max(1.0), height);
        }
    }

    /// Fills as much of the height, from below, as the level of a rectangle says.
    fn shares(&self, spots: &[Spot], (below, height): (f64, f64)) {
        for (spot, x0, x1, top) in self.seen(spots) {
            let share = f64::from(self.sorted.lanes.level[spot.rect as usize]) / 255.0;
            let high = (height * share).max(1.5);
            self.context.fill_rect(x0, top + below + height - high, (x1 - x0).max(1.0), high);
        }
    }

    /// The rectangles that are in view, with their edges and the tops of their lanes.
    fn seen<'a>(&'a self, spots: &'a [Spot]) -> impl Iterator<Item = (Spot, f64, f64, f64)> + 'a {
        let (left, right) = (self.scene.layout.left, self.scene.layout.width);
        let lanes = &self.sorted.lanes;
        spots.iter().filter_map(move |spot| {
            let (x0, x1) =
                (self.moved.x(lanes.x0[spot.rect as usize]), self.moved.x(lanes.x1[spot.rect as usize]));
            let top = self.tops[spot.lane as usize]?;
            (left <= x1 && x0 <= right).then_some((*spot, x0, x1, top))
        })
    }

    /// Veils everything but the slices of a task, which are framed.
    fn followed(&self, task: u32, placed: &RunLayout) {
        let (context, layout, ink) = (self.context, self.scene.layout, self.scene.ink);
        let (Some(first), height) = (placed.lanes.first(), layout.busy_height()) else { return };
        context.set_fill_style_str(&ink.ground);
        context.set_global_alpha(VEIL);
        context.fill_rect(layout.left, *first, layout.time_width(), placed.bottom - first);
        context.set_global_alpha(1.0);
        let wide = &self.sorted.tasks[colour_of(task)];
        let own: Vec<Spot> = (wide.iter().chain(&self.sorted.narrow))
            .copied()
            .filter(|spot| self.sorted.task_of(*spot) == task && self.sorted.is_running(*spot))
            .collect();
        context.set_fill_style_str(&ink.tasks[colour_of(task)].0);
        self.fill(&own, (0.0, height), 1.0);
        context.set_stroke_style_str(&ink.cursor);
        context.set_line_width(1.5);
        for (_, x0, x1, top) in self.seen(&own).filter(|(_, x0, x1, _)| 3.0 < x1 - x0) {
            context.stroke_rect(x0 + 0.75, top + 0.75, x1 - x0 - 1.5, height - 1.5);
        }
    }

    fn names(&self, run: &PaintRun<'_>) {
        let layout = self.scene.layout;
        let busy = layout.busy_height();
        if busy < 8.0 {
            return;
        }
        font(self.context, self.scene.ink, 10.5, "500");
        self.context.set_text_align("left");
        for (spot, x0, x1, top) in self.sorted.tasks.iter().flat_map(|spots| self.seen(spots)) {
            // The name of a slice that begins left of the view stands at the view's edge.
            let x0 = x0.max(layout.left);
            let room = x1.min(layout.width) - x0;
            if room <= NAMED {
                continue;
            }
            let id = self.sorted.task_of(spot);
            let is_task = matches!(self.sorted.rows[spot.lane as usize], Row::Task(_));
            let cpu = self.sorted.lanes.task[spot.rect as usize];
            let place = is_task.then(|| text::cpu(cpu as u16));
            let name = place.as_deref().or_else(|| run.tasks.get(id as usize).map(|task| &*task.name));
            if let Some(name) = name.filter(|name| 6.1 * name.len() as f64 + 8.0 < room) {
                let middle = if is_task { (layout.lane - 3.0) / 2.0 } else { busy / 2.0 };
                self.context.set_fill_style_str(self.scene.ink.task(id).1);
                write(self.context, name, x0 + 4.0, top + middle + 0.5);
            }
        }
    }

    fn arrows(&self) {
        let arrows = &self.sorted.lanes.arrows;
        let lens = self.scene.arrows;
        for (kind, is_shown) in [(0, lens.0), (1, lens.1)] {
            let own = || (0..arrows.x.len()).filter(|arrow| arrows.kind[*arrow] == kind);
            if is_shown && own().count() <= MOST_ARROWS {
                self.arrows_of(kind == 1, own());
            }
        }
    }

    /// Wake-ups have a line and an open head; moves a broken line and a full head.
    fn arrows_of(&self, is_move: bool, own: impl Iterator<Item = usize>) {
        let (context, arrows) = (self.context, &self.sorted.lanes.arrows);
        let half = self.scene.layout.busy_height() / 2.0;
        context.set_stroke_style_str(&self.scene.ink.arrow);
        context.set_fill_style_str(&self.scene.ink.arrow);
        context.set_line_width(if is_move { 1.5 } else { 1.0 });
        for arrow in own {
            let top = |lane: u32| self.tops.get(lane as usize).copied().flatten();
            let ends = top(arrows.from_lane[arrow]).zip(top(arrows.to_lane[arrow]));
            let Some((from, to)) = ends.filter(|(from, to)| 1.0 <= (from - to).abs()) else { continue };
            let (x, from, to) = (self.moved.x(arrows.x[arrow]), from + half, to + half);
            let head = if to < from { 5.0 } else { -5.0 };
            context.begin_path();
            if is_move {
                // Dashes by hand: setting them on the context would take an array of the page's language.
                let (mut y, step) = (from, if to < from { -5.0 } else { 5.0 });
                while (to - y).abs() > 5.0 {
                    context.move_to(x, y);
                    context.line_to(x, y + step * 0.6);
                    y += step;
                }
            } else {
                context.move_to(x, from);
                context.line_to(x, to);
            }
            context.stroke();
            context.begin_path();
            context.move_to(x - 3.0, to + head);
            context.line_to(x, to);
            context.line_to(x + 3.0, to + head);
            if is_move { context.fill() } else { context.stroke() }
        }
    }
}

fn filled(context: &CanvasRenderingContext2d, pattern: Option<&CanvasPattern>, plain: &str) {
    match pattern {
        Some(pattern) => context.set_fill_style_canvas_pattern(pattern),
        None => context.set_fill_style_str(plain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::lens::{Group, Level};

    fn lanes(states: &[LaneState], tasks: &[u32], lane_start: &[u32], width: f32) -> Lanes {
        Lanes {
            lane_start: lane_start.to_vec(),
            x0: vec![0.0; states.len()],
            x1: vec![width; states.len()],
            task: tasks.to_vec(),
            state: states.iter().map(|state| *state as u8).collect(),
            level: vec![0; states.len()],
            ..Lanes::default()
        }
    }

    #[test]
    fn rectangles_are_sorted_by_what_they_are_filled_with() {
        let states =
            [LaneState::Running, LaneState::Waiting, LaneState::Idle, LaneState::Wasted, LaneState::Running];
        let lanes = lanes(&states, &[3, NO_TASK, NO_TASK, NO_TASK, 4], &[0, 2, 5], 9.0);
        let sorted = Sorted::new(lanes, vec![Row::Cpu(0, 0), Row::Cpu(1, 1)]);
        assert_eq!(sorted.tasks[colour_of(3)], [Spot { lane: 0, rect: 0 }]);
        assert_eq!(sorted.tasks[colour_of(4)], [Spot { lane: 1, rect: 4 }]);
        assert_eq!(sorted.waiting, [Spot { lane: 0, rect: 1 }]);
        assert_eq!(sorted.wasted, [Spot { lane: 1, rect: 3 }]);
        assert_eq!(sorted.tasks.iter().flatten().count(), 2, "idle is the ground");
    }

    #[test]
    fn idle_cpus_are_sorted_by_depth_and_the_deepest_states_look_alike() {
        let mut lanes = lanes(&[LaneState::Idle; 4], &[NO_TASK; 4], &[0, 4], 9.0);
        lanes.level = vec![0, 1, 2, 3];
        let sorted = Sorted::new(lanes, vec![Row::Cpu(0, 0)]);
        let spot = |rect| Spot { lane: 0, rect };
        assert_eq!(sorted.asleep, [vec![spot(1)], vec![spot(2), spot(3)]]);
        assert!(sorted.narrow.is_empty());
    }

    #[test]
    fn a_thread_has_its_colour_whatever_the_cpu_and_a_folded_group_shows_shares() {
        let states = [LaneState::Running, LaneState::Blocked, LaneState::Busy, LaneState::Waiting];
        let group = Group { level: Level::Llc, index: 0 };
        let lanes = lanes(&states, &[7, NO_TASK, NO_TASK, NO_TASK], &[0, 2, 4], 9.0);
        let sorted = Sorted::new(lanes, vec![Row::Task(5), Row::Group(group, 0, 4)]);
        assert_eq!(sorted.tasks[colour_of(5)], [Spot { lane: 0, rect: 0 }]);
        assert_eq!(sorted.blocked, [Spot { lane: 0, rect: 1 }]);
        assert_eq!(sorted.busy, [Spot { lane: 1, rect: 2 }]);
        assert_eq!(sorted.crowded, [Spot { lane: 1, rect: 3 }]);
    }

    #[test]
    fn what_is_narrow_is_left_to_the_picture_but_for_shares_of_a_group() {
        let states = [LaneState::Running, LaneState::Blocked, LaneState::Idle, LaneState::Waiting];
        let group = Group { level: Level::Llc, index: 0 };
        let lanes = lanes(&states, &[7, NO_TASK, NO_TASK, NO_TASK], &[0, 3, 4], 1.0);
        let sorted = Sorted::new(lanes, vec![Row::Task(5), Row::Group(group, 0, 4)]);
        assert_eq!(sorted.narrow, [Spot { lane: 0, rect: 0 }, Spot { lane: 0, rect: 1 }]);
        assert_eq!(sorted.crowded, [Spot { lane: 1, rect: 3 }]);
        assert!(sorted.tasks.iter().all(Vec::is_empty) && sorted.blocked.is_empty());
    }

    #[test]
    fn lanes_that_were_asked_for_before_a_fold_stand_where_they_are_now() {
        let group = Row::Group(Group { level: Level::Llc, index: 0 }, 0, 2);
        let before = [Row::Cpu(0, 0), Row::Cpu(1, 1), Row::Cpu(2, 2)];
        let now = [group, Row::Cpu(2, 2)];
        assert_eq!(tops(&before, &now, &[10.0, 30.0]), [None, None, Some(30.0)]);
        assert_eq!(tops(&now, &now, &[10.0, 30.0]), [Some(10.0), Some(30.0)]);
    }
}
