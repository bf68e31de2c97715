use sim::{CpuId, Nanos, TaskId};

use crate::steps::Piece;
use crate::timeline::{BusyTally, CpuLine, RunTally, TimeTally, WaitTally};
use crate::{Doing, Event, EventKind, MigrateReason, TaskState, Timeline};

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
    /// The CPU idles, and nobody is stuck in its last-level cache. With the position of its idle state from the
    /// shallowest; of a pixel that which it has in the end.
    Idle(u8),
    /// The CPU idles while a task waits on a busy CPU of its last-level cache.
    Wasted,
    /// The CPU runs tasks.
    Running {
        /// The one that runs longest.
        task: TaskId,
        /// How much of the rectangle's time the CPU is not idle, of 255; at least [`LEAST_SHARE`].
        share: u8,
    },
    /// Tasks wait for the CPU, so many at most. In the lane of a task: it waits itself.
    Waiting(u16),
    /// The task runs.
    On {
        /// On this CPU; where it moves within the rectangle, the last one.
        cpu: CpuId,
        /// How much of the rectangle's time it runs, of 255; at least [`LEAST_SHARE`].
        share: u8,
    },
    /// The task neither runs nor waits in a queue: it sleeps, or it is on its way to a queue.
    Blocked,
    /// Several CPUs together are busy for this share of their time, of 255; at least [`LEAST_SHARE`].
    Busy(u8),
    /// Tasks wait for this share of the time of several CPUs, of 255; at least [`LEAST_SHARE`].
    Crowded(u8),
}

/// The step of shares: sixteen shades, so that pixels that look alike become one rectangle.
pub const LEAST_SHARE: u8 = 17;

/// Something drawn from one lane to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// When, from the start of the view in [`SUBPIXELS`].
    pub x: u32,
    /// The number of the CPU or of the task that it begins at.
    pub from: u32,
    /// The number of that which it ends at.
    pub to: u32,
    /// The task that is woken or moved.
    pub task: TaskId,
}

/// What arrows tell of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrows {
    /// Wake-ups, from the waker's CPU to the chosen one, when it was chosen.
    Wakeups,
    /// Moves of tasks that were not being woken, from CPU to CPU.
    Moves,
    /// Wake-ups, from the task that wakes to the task that is woken.
    Wakers,
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
        let pieces = pieces + line.depth.count_in(view.from, until) - 1;
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
                    if 0 < piece.value {
                        push(rects, view.rect(piece.from, piece.to, Shows::Wasted));
                        continue;
                    }
                    for Piece { from, to, value } in line.depth.pieces_in(piece.from, piece.to) {
                        push(rects, view.rect(from, to, Shows::Idle(value)));
                    }
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
                None => Shows::Idle(line.depth.at(Nanos(to.0 - 1))),
            };
            push(rects, view.rect(from, to, shows));
        }
    }

    /// The rectangles of a task: first what it does, which leaves out when it waits and when it does not exist, then when
    /// it waits; of either kind at most one a pixel. They are exact where those of [`Timeline::lane`] would be.
    pub fn task_lane(&self, task: TaskId, view: View, rects: &mut Vec<Rect>) {
        let view = View { width: view.width.min(MAX_WIDTH), ..view };
        let until = view.to.min(self.end);
        if until <= view.from || view.width == 0 {
            return;
        }
        let line = &self.tasks[task.index()];
        if line.steps.count_in(view.from, until) <= view.width as usize {
            let pieces = || line.steps.pieces_in(view.from, until);
            for Piece { from, to, value } in pieces() {
                if let Some(shows) = task_shows(value, 255) {
                    push(rects, view.rect(from, to, shows));
                }
            }
            for Piece { from, to, .. } in pieces().filter(|piece| piece.value.state == TaskState::Waiting) {
                push(rects, view.rect(from, to, Shows::Waiting(1)));
            }
            return;
        }
        let mut waits = Vec::new();
        let mut position = line.steps.position(view.from);
        for (from, to) in view.pixels(until) {
            let before = line.steps.piece(position).value;
            let mut tally = TimeTally::default();
            line.tally(&mut position, from, to, &mut tally);
            let cpu = line.steps.piece(position).value.cpu;
            let shows = match tally.ran_ns {
                0 => task_shows(before, 0),
                ran_ns => Some(Shows::On { cpu, share: shade(ran_ns, (to - from).0) }),
            };
            if let Some(shows) = shows {
                push(rects, view.rect(from, to, shows));
            }
            if 0 < tally.waited_ns {
                push(&mut waits, view.rect(from, from + Nanos(tally.waited_ns), Shows::Waiting(1)));
            }
        }
        rects.append(&mut waits);
    }

    /// The rectangles of several CPUs in one lane: first how busy they are together, then for how much of their time
    /// somebody waits; of either kind at most one a pixel.
    pub fn folded_lane(&self, cpus: &[CpuId], view: View, rects: &mut Vec<Rect>) {
        let view = View { width: view.width.min(MAX_WIDTH), ..view };
        let until = view.to.min(self.end);
        if until <= view.from || cpus.is_empty() {
            return;
        }
        let lines: Vec<&CpuLine> = cpus.iter().map(|cpu| &self.cpus[cpu.index()]).collect();
        let mut positions: Vec<(usize, usize)> = lines
            .iter()
            .map(|line| (line.running.steps.position(view.from), line.waiting.steps.position(view.from)))
            .collect();
        let mut waits = Vec::new();
        for (from, to) in view.pixels(until) {
            let (mut busy, mut waited_ns) = (BusyTally::default(), 0);
            for (line, (running, waiting)) in lines.iter().zip(&mut positions) {
                line.running.tally(running, from, to, &mut busy);
                let mut tally = WaitTally::default();
                line.waiting.tally(waiting, from, to, &mut tally);
                waited_ns += tally.waited_ns;
            }
            let all = (to - from).0 * lines.len() as u64;
            let shows =
                if busy.busy_ns == 0 { Shows::Idle(0) } else { Shows::Busy(shade(busy.busy_ns, all)) };
            push(rects, view.rect(from, to, shows));
            if 0 < waited_ns {
                push(&mut waits, view.rect(from, to, Shows::Crowded(shade(waited_ns, all))));
            }
        }
        rects.append(&mut waits);
    }

    /// What happens in a view between two lanes, in the order of time; nothing where there is more of it than pixels.
    pub fn arrows(&self, events: &[Event], view: View, arrows: Arrows) -> Vec<Arrow> {
        let until = view.to.min(self.end);
        let first = events.partition_point(|event| event.at < view.from);
        let mut found = Vec::new();
        for event in events[first..].iter().take_while(|event| event.at < until) {
            let Some((from, to)) = self.ends(event, arrows) else { continue };
            if view.width as usize <= found.len() {
                return Vec::new();
            }
            found.push(Arrow { x: view.x(event.at), from, to, task: event.task });
        }
        found
    }

    /// Between which CPUs or tasks an event leads, if it does.
    fn ends(&self, event: &Event, arrows: Arrows) -> Option<(u32, u32)> {
        let to_cpu = u32::from(event.cpu.0);
        let is_cpu = |number: &u32| (*number as usize) < self.cpus.len();
        match (arrows, event.kind) {
            (Arrows::Wakeups, EventKind::Placed) => {
                Some(event.args[1]).filter(is_cpu).map(|from| (from, to_cpu))
            }
            (Arrows::Moves, EventKind::Migrate) if event.detail != MigrateReason::Wakeup as u8 => {
                Some(event.args[0]).filter(is_cpu).map(|from| (from, to_cpu))
            }
            // From an interrupt there is no task to begin at.
            (Arrows::Wakers, EventKind::Waking) if TaskId(event.args[1]) != Event::NO_TASK => {
                Some((event.args[1], event.task.0))
            }
            _ => None,
        }
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

/// What a task's lane shows while the task does this; running takes a share of the rectangle.
fn task_shows(doing: Doing, share: u8) -> Option<Shows> {
    match doing.state {
        TaskState::Running => Some(Shows::On { cpu: doing.cpu, share }),
        TaskState::Sleeping | TaskState::Waking => Some(Shows::Blocked),
        TaskState::Waiting | TaskState::Unborn | TaskState::Dead => None,
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
