use sim::{CpuId, Nanos, TaskId};

use crate::steps::Piece;
use crate::timeline::{BusyTally, CpuLine, RunTally, WaitTally};
use crate::{Event, EventKind, Timeline};

/// Parts of a pixel in which edges of rectangles are given.
pub const SUBPIXELS: u32 = 256;

/// The widest view in pixels.
pub const MAX_WIDTH: u32 = 16_384;

/// A span of time and how wide it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Its start.
    pub from: Nanos,
    /// Its end.
    pub to: Nanos,
    /// Its width in pixels, at most [`MAX_WIDTH`].
    pub width: u32,
}

/// A rectangle of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// Its left edge from the start of the view, in [`SUBPIXELS`].
    pub x0: u32,
    /// Its right edge.
    pub x1: u32,
    /// What it shows.
    pub shows: Shows,
}

/// What a rectangle shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// The CPU idles, and nobody is stuck in its last-level cache.
    Idle,
    /// The CPU idles while a task waits on a busy CPU of its last-level cache.
    Wasted,
    /// The CPU runs tasks.
    Running {
        /// The one that runs longest.
        task: TaskId,
        /// How much of the rectangle's time the CPU is not idle, of 255; at least [`LEAST_SHARE`].
        share: u8,
    },
    /// Tasks wait for the CPU, so many at most.
    Waiting(u16),
}

/// The step of shares: sixteen shades, so that pixels that look alike become one rectangle.
pub const LEAST_SHARE: u8 = 17;

/// A wake-up drawn from CPU to CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// When the CPU was chosen, from the start of the view in [`SUBPIXELS`].
    pub x: u32,
    /// The waker's CPU.
    pub from: CpuId,
    /// The chosen CPU.
    pub to: CpuId,
    /// The task that is woken.
    pub task: TaskId,
}

/// One pixel of the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapPixel {
    /// How much of all CPU time is not idle, of 255.
    pub busy: u8,
    /// How many tasks of the machine wait at most.
    pub waiting: u16,
}

impl Timeline {
    /// The rectangles of a CPU: first what it does, side by side, then who waits for it; of either kind at most one
    /// a pixel.
    ///
    /// Where there are no more pieces than pixels the rectangles are exact. Else what a CPU does is told pixel by
    /// pixel, and a rectangle of waiting covers as much of its pixel as somebody waited.
    pub fn lane(&self, cpu: CpuId, view: View, rects: &mut Vec<Rect>) {
        let view = View { width: view.width.min(MAX_WIDTH), ..view };
        let until = view.to.min(self.end);
        if until <= view.from || view.width == 0 {
            return;
        }
        let line = &self.cpus[cpu.index()];
        let stuck = &self.stuck[usize::from(line.llc)].steps;
        let pieces = line.running.steps.count_in(view.from, until) + stuck.count_in(view.from, until) - 1;
        if pieces <= view.width as usize {
            self.exact_doings(line, view, until, rects);
        } else {
            self.doings_by_pixel(line, view, until, rects);
        }
        if line.waiting.steps.count_in(view.from, until) <= view.width as usize {
            for piece in line.waiting.steps.pieces_in(view.from, until).filter(|piece| 0 < piece.value) {
                rects.push(view.rect(piece.from, piece.to, Shows::Waiting(piece.value)));
            }
        } else {
            waiting_by_pixel(line, view, until, rects);
        }
    }

    fn exact_doings(&self, line: &CpuLine, view: View, until: Nanos, rects: &mut Vec<Rect>) {
        for Piece { from, to, value: task } in line.running.steps.pieces_in(view.from, until) {
            if task == Event::NO_TASK {
                for piece in self.stuck[usize::from(line.llc)].steps.pieces_in(from, to) {
                    let shows = if 0 < piece.value { Shows::Wasted } else { Shows::Idle };
                    push(rects, view.rect(piece.from, piece.to, shows));
                }
            } else {
                push(rects, view.rect(from, to, Shows::Running { task, share: 255 }));
            }
        }
    }

    fn doings_by_pixel(&self, line: &CpuLine, view: View, until: Nanos, rects: &mut Vec<Rect>) {
        let stuck = &self.stuck[usize::from(line.llc)];
        let mut position = line.running.steps.position(view.from);
        let mut stuck_position = stuck.steps.position(view.from);
        let mut tally = RunTally::default();
        for (from, to) in view.pixels(until) {
            tally.clear();
            line.running.tally(&mut position, from, to, &mut tally);
            let mut stuck_tally = WaitTally::default();
            stuck.tally(&mut stuck_position, from, to, &mut stuck_tally);
            let lasted = (to - from).0;
            let shows = match tally.longest() {
                Some((task, _)) => Shows::Running { task, share: shade(tally.busy_ns, lasted) },
                None if lasted <= 2 * stuck_tally.waited_ns => Shows::Wasted,
                None => Shows::Idle,
            };
            push(rects, view.rect(from, to, shows));
        }
    }

    /// The wake-ups of a view, in the order of time; none where there are more than pixels.
    pub fn arrows(&self, events: &[Event], view: View) -> Vec<Arrow> {
        let until = view.to.min(self.end);
        let first = events.partition_point(|event| event.at < view.from);
        let mut arrows = Vec::new();
        for event in events[first..].iter().take_while(|event| event.at < until) {
            if event.kind == EventKind::Placed {
                if view.width as usize <= arrows.len() {
                    return Vec::new();
                }
                let from = CpuId(event.args[1] as u16);
                if from.index() < self.cpus.len() {
                    arrows.push(Arrow { x: view.x(event.at), from, to: event.cpu, task: event.task });
                }
            }
        }
        arrows
    }

    /// The whole run in one line of `width` pixels.
    pub fn minimap(&self, width: u32) -> Vec<MapPixel> {
        let view = View { from: Nanos::ZERO, to: self.end, width: width.min(MAX_WIDTH) };
        if self.end == Nanos::ZERO || width == 0 {
            return Vec::new();
        }
        let mut positions = vec![0; self.cpus.len()];
        let mut waiting_position = 0;
        view.pixels(self.end)
            .map(|(from, to)| {
                let mut tally = BusyTally::default();
                for (line, position) in self.cpus.iter().zip(&mut positions) {
                    line.running.tally(position, from, to, &mut tally);
                }
                let mut waiting = WaitTally::default();
                self.waiting.tally(&mut waiting_position, from, to, &mut waiting);
                let all = (to - from).0.max(1) * self.cpus.len() as u64;
                MapPixel { busy: (tally.busy_ns * 255).div_ceil(all) as u8, waiting: waiting.most }
            })
            .collect()
    }
}

fn waiting_by_pixel(line: &CpuLine, view: View, until: Nanos, rects: &mut Vec<Rect>) {
    let mut position = line.waiting.steps.position(view.from);
    for (from, to) in view.pixels(until) {
        let mut tally = WaitTally::default();
        line.waiting.tally(&mut position, from, to, &mut tally);
        if 0 < tally.most {
            let covered = view.rect(from, from + Nanos(tally.waited_ns), Shows::Waiting(tally.most));
            push(rects, covered);
        }
    }
}

/// A share of 255 in steps of [`LEAST_SHARE`], rounded up so that nothing vanishes.
fn shade(part: u64, whole: u64) -> u8 {
    (part * 15).div_ceil(whole) as u8 * LEAST_SHARE
}

impl View {
    /// The position of a moment, from the start of the view in [`SUBPIXELS`].
    fn x(self, at: Nanos) -> u32 {
        let span = u128::from((self.to - self.from).0);
        let width = u128::from(self.width * SUBPIXELS);
        (u128::from((at - self.from).0) * width / span) as u32
    }

    /// The start of a pixel.
    fn start(self, pixel: u32) -> Nanos {
        let span = u128::from((self.to - self.from).0);
        // Rounded up, so that `x` of it is the edge of the pixel and not a little less.
        self.from + Nanos((span * u128::from(pixel)).div_ceil(u128::from(self.width)) as u64)
    }

    /// The spans of time of the pixels, but for empty ones where a pixel is shorter than a nanosecond.
    fn pixels(self, until: Nanos) -> impl Iterator<Item = (Nanos, Nanos)> {
        (0..self.width)
            .map(move |pixel| (self.start(pixel), self.start(pixel + 1).min(until)))
            .take_while(move |(from, _)| *from < until)
            .filter(|(from, to)| from < to)
    }

    fn rect(self, from: Nanos, to: Nanos, shows: Shows) -> Rect {
        Rect { x0: self.x(from), x1: self.x(to), shows }
    }
}

/// Adds a rectangle, as part of its left neighbour where both look the same.
fn push(rects: &mut Vec<Rect>, rect: Rect) {
    match rects.last_mut() {
        Some(last) if last.shows == rect.shows && last.x1 == rect.x0 => last.x1 = rect.x1,
        _ => rects.push(rect),
    }
}
