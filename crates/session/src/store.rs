use std::cell::{OnceCell, RefCell};
use std::collections::BinaryHeap;

use protocol::{
    CpuFact, Facts, FactsAbout, FoldedLanes, LaneRows, LaneState, Lanes, Minimap, NO_TASK, RunKey, Table,
    TaskFact, TaskState, WaitFact,
};
use sim::{CpuId, Nanos, TaskId};
use trace::{Arrow, Arrows, Event, MAX_WIDTH, Rect, SUBPIXELS, Shows, Timeline, View};

use crate::RunJob;
use crate::history::Window;
use crate::snapshots::Nearby;
use crate::summary::{self, lane_order};

/// Runs that a session keeps: both columns of a comparison, those before the last change, and two more.
const MOST_RUNS: usize = 6;

/// How much the kept runs may take together, in bytes: both columns of a long one.
const MOST_WEIGHT: usize = 256 << 20;

/// The most rows of a table.
const MOST_ROWS: u32 = 10_000;

/// The runs that are kept, the one that was used last at the end.
#[derive(Debug, Default)]
pub(crate) struct Store {
    runs: Vec<(RunKey, StoredRun)>,
}

impl Store {
    /// Keeps a run in the place of the one with its key; drops those that were not used for longest where there are
    /// too many, or they take too much.
    pub(crate) fn put(&mut self, key: RunKey, run: StoredRun) {
        self.drop(key);
        self.runs.push((key, run));
        while 1 < self.runs.len() && (MOST_RUNS < self.runs.len() || MOST_WEIGHT < self.weight()) {
            self.runs.remove(0);
        }
    }

    fn weight(&self) -> usize {
        self.runs.iter().map(|(_, run)| run.weight).sum()
    }

    /// A run, which counts as used now.
    pub(crate) fn get(&mut self, key: RunKey) -> Option<&StoredRun> {
        let position = self.runs.iter().position(|(kept, _)| *kept == key)?;
        let run = self.runs.remove(position);
        self.runs.push(run);
        self.runs.last().map(|(_, run)| run)
    }

    /// Forgets a run.
    pub(crate) fn drop(&mut self, key: RunKey) {
        self.runs.retain(|(kept, _)| *kept != key);
    }
}

/// A run that is over and can be asked.
#[derive(Debug)]
pub(crate) struct StoredRun {
    pub(crate) job: RunJob,
    /// The CPUs in the order of lanes.
    lanes: Vec<u16>,
    /// About how much memory it takes, in bytes.
    weight: usize,
    /// Made when it is first asked for: many runs are only looked at in charts.
    timeline: OnceCell<Option<Timeline>>,
    /// Copies of the engine near the moment that was asked about last.
    pub(crate) nearby: RefCell<Nearby>,
    /// The events that were looked through last, where they had to be made anew.
    pub(crate) window: RefCell<Window>,
}

impl StoredRun {
    pub(crate) fn new(mut job: RunJob) -> StoredRun {
        let weight = job.weight();
        let timeline = match job.take_timeline() {
            Some(timeline) => OnceCell::from(Some(timeline)),
            None => OnceCell::new(),
        };
        let lanes = lane_order(&job.setup().topology);
        StoredRun { lanes, job, weight, timeline, nearby: RefCell::default(), window: RefCell::default() }
    }

    /// The text that the program printed.
    pub(crate) fn text(&self) -> String {
        summary::text(self.job.setup(), &self.job.engine)
    }

    /// The run as it was at a moment, ready to go on.
    pub(crate) fn restored(&self, at: Nanos) -> Option<RunJob> {
        self.job.restored(at)
    }

    /// The views over time, or the sentence that says why there are none.
    pub(crate) fn timeline(&self) -> Result<&Timeline, &'static str> {
        let made = self.timeline.get_or_init(|| self.job.timeline());
        made.as_ref().ok_or("This run was made without its trace.")
    }

    /// What every CPU or task does in a span of time.
    pub(crate) fn lanes(
        &self,
        from_ns: u64,
        to_ns: u64,
        width_px: u32,
        rows: &LaneRows,
    ) -> Result<Lanes, &'static str> {
        let timeline = self.timeline()?;
        let view = View { from: Nanos(from_ns), to: Nanos(to_ns), width: width_px.clamp(1, MAX_WIDTH) };
        let mut lanes = Lanes { from_ns, to_ns, width_px: view.width, ..Lanes::default() };
        lanes.lane_start.push(0);
        match rows {
            LaneRows::Cpus { folded } => self.cpu_lanes(timeline, view, folded, &mut lanes)?,
            LaneRows::Tasks { tasks } => self.task_lanes(timeline, view, tasks, &mut lanes)?,
        }
        Ok(lanes)
    }

    fn cpu_lanes(
        &self,
        timeline: &Timeline,
        view: View,
        folded: &[FoldedLanes],
        lanes: &mut Lanes,
    ) -> Result<(), &'static str> {
        let mut lane_of = vec![0; self.lanes.len()];
        let mut folded = folded.iter().peekable();
        let (mut first, mut lane) = (0, 0);
        let mut rects = Vec::new();
        while first < self.lanes.len() {
            let group = folded.next_if(|group| group.first as usize == first);
            let count = group.map_or(1, |group| group.count as usize);
            let cpus = self.lanes.get(first..first + count).filter(|cpus| !cpus.is_empty());
            let cpus = cpus.ok_or("The machine has no such CPUs.")?;
            rects.clear();
            match cpus {
                [cpu] => timeline.lane(CpuId(*cpu), view, &mut rects),
                cpus => {
                    let cpus: Vec<CpuId> = cpus.iter().map(|cpu| CpuId(*cpu)).collect();
                    timeline.folded_lane(&cpus, view, &mut rects);
                }
            }
            push_lane(lanes, &rects);
            for cpu in cpus {
                lane_of[usize::from(*cpu)] = lane;
            }
            first += count;
            lane += 1;
        }
        for (kind, arrows) in [(0, Arrows::Wakeups), (1, Arrows::Moves)] {
            for arrow in self.arrows(timeline, view, arrows) {
                push_arrow(lanes, arrow, (lane_of[arrow.from as usize], lane_of[arrow.to as usize]), kind);
            }
        }
        Ok(())
    }

    fn task_lanes(
        &self,
        timeline: &Timeline,
        view: View,
        tasks: &[u32],
        lanes: &mut Lanes,
    ) -> Result<(), &'static str> {
        let mut rects = Vec::new();
        let mut lane_of = vec![None; timeline.task_count()];
        for (lane, task) in (0..).zip(tasks) {
            *lane_of.get_mut(*task as usize).ok_or("The run has no such task.")? = Some(lane);
            rects.clear();
            timeline.task_lane(TaskId(*task), view, &mut rects);
            push_lane(lanes, &rects);
        }
        for arrow in self.arrows(timeline, view, Arrows::Wakers) {
            let lane = |task: u32| lane_of.get(task as usize).copied().flatten();
            if let Some(ends) = lane(arrow.from).zip(lane(arrow.to)) {
                push_arrow(lanes, arrow, ends, 0);
            }
        }
        Ok(())
    }

    fn arrows(&self, timeline: &Timeline, view: View, arrows: Arrows) -> Vec<Arrow> {
        if view.to <= view.from {
            return Vec::new();
        }
        timeline.arrows(self.job.engine.trace().events(), view, arrows)
    }

    /// The whole run in one line.
    pub(crate) fn minimap(&self, width_px: u32) -> Result<Minimap, &'static str> {
        let timeline = self.timeline()?;
        let map = timeline.minimap(width_px.clamp(1, MAX_WIDTH));
        Ok(Minimap {
            end_ns: timeline.end().0,
            busy: map.iter().map(|pixel| pixel.busy).collect(),
            waiting: map.iter().map(|pixel| pixel.waiting.min(255) as u8).collect(),
        })
    }

    /// What runs and waits at a moment.
    pub(crate) fn facts(&self, at_ns: u64, about: FactsAbout) -> Result<Facts, &'static str> {
        let timeline = self.timeline()?;
        let at = Nanos(at_ns).min(timeline.end());
        let cpus: Vec<u16> = match about {
            FactsAbout::Machine => self.lanes.clone(),
            FactsAbout::Cpu(cpu) if usize::from(cpu) < timeline.cpu_count() => vec![cpu],
            FactsAbout::Cpu(_) => return Err("The machine has no such CPU."),
            FactsAbout::Task(task) if (task as usize) < timeline.task_count() => Vec::new(),
            FactsAbout::Task(_) => return Err("The run has no such task."),
        };
        let cpus: Vec<CpuFact> = cpus.into_iter().map(|cpu| cpu_fact(timeline, cpu, at)).collect();
        let tasks: BinaryHeap<u32> = match about {
            FactsAbout::Task(task) => [task].into(),
            FactsAbout::Machine | FactsAbout::Cpu(_) => cpus
                .iter()
                .flat_map(|cpu| cpu.running.into_iter().chain(cpu.waiting.iter().map(|w| w.task)))
                .collect(),
        };
        let tasks = tasks.into_sorted_vec().into_iter().map(|task| task_fact(timeline, task, at)).collect();
        Ok(Facts { at_ns: at.0, cpus, tasks })
    }

    /// The slices of a span of time as rows.
    pub(crate) fn table(&self, from_ns: u64, to_ns: u64, limit: u32) -> Result<Table, &'static str> {
        let timeline = self.timeline()?;
        let (from, to) = (Nanos(from_ns), Nanos(to_ns));
        let mut table = Table { total: timeline.slice_count(from, to) as u32, ..Table::default() };
        for slice in timeline.slices(from, to, limit.min(MOST_ROWS) as usize) {
            table.from_ns.push(slice.from.0 as f64);
            table.to_ns.push(slice.to.0 as f64);
            table.cpu.push(u32::from(slice.cpu.0));
            table.task.push(slice.task.0);
            table.waited_ns.push(slice.waited.0 as f64);
            table.ended_by.push(slice.ended_by as u8);
        }
        Ok(table)
    }
}

fn push_lane(lanes: &mut Lanes, rects: &[Rect]) {
    for rect in rects {
        push_rect(lanes, *rect);
    }
    lanes.lane_start.push(lanes.x0.len() as u32);
}

fn push_rect(lanes: &mut Lanes, rect: Rect) {
    let (state, task, level) = match rect.shows {
        Shows::Idle(depth) => (LaneState::Idle, NO_TASK, depth),
        Shows::Wasted => (LaneState::Wasted, NO_TASK, 0),
        Shows::Running { task, share } => (LaneState::Running, task.0, share),
        Shows::Waiting(count) => (LaneState::Waiting, NO_TASK, count.min(255) as u8),
        Shows::On { cpu, share } => (LaneState::Running, u32::from(cpu.0), share),
        Shows::Blocked => (LaneState::Blocked, NO_TASK, 0),
        Shows::Busy(share) => (LaneState::Busy, NO_TASK, share),
        Shows::Crowded(share) => (LaneState::Waiting, NO_TASK, share),
    };
    lanes.x0.push(pixels(rect.x0));
    lanes.x1.push(pixels(rect.x1));
    lanes.task.push(task);
    lanes.state.push(state as u8);
    lanes.level.push(level);
}

fn push_arrow(lanes: &mut Lanes, arrow: Arrow, (from, to): (u32, u32), kind: u8) {
    let columns = &mut lanes.arrows;
    columns.x.push(pixels(arrow.x));
    columns.from_lane.push(from);
    columns.to_lane.push(to);
    columns.task.push(arrow.task.0);
    columns.kind.push(kind);
}

/// Exact: no view is wide enough for more than the 24 bits that the result holds.
fn pixels(subpixels: u32) -> f32 {
    subpixels as f32 / SUBPIXELS as f32
}

fn cpu_fact(timeline: &Timeline, cpu: u16, at: Nanos) -> CpuFact {
    let running = timeline.running(CpuId(cpu));
    let piece = running.piece(running.position(at));
    let waiters = timeline.waiters_at(CpuId(cpu), at);
    CpuFact {
        cpu,
        running: (piece.value != Event::NO_TASK).then_some(piece.value.0),
        since_ns: piece.from.0,
        until_ns: piece.to.0,
        idle_depth: timeline.idle_depth(CpuId(cpu)).at(at),
        waiting: waiters.iter().map(|(task, since)| WaitFact { task: task.0, since_ns: since.0 }).collect(),
    }
}

fn task_fact(timeline: &Timeline, task: u32, at: Nanos) -> TaskFact {
    let moment = timeline.task_at(TaskId(task), at);
    let state = match moment.doing.state {
        trace::TaskState::Unborn => TaskState::Unborn,
        trace::TaskState::Sleeping => TaskState::Sleeping,
        trace::TaskState::Waking => TaskState::Waking,
        trace::TaskState::Waiting => TaskState::Waiting,
        trace::TaskState::Running => TaskState::Running,
        trace::TaskState::Dead => TaskState::Dead,
    };
    TaskFact {
        task,
        state,
        cpu: (state != TaskState::Unborn).then_some(moment.doing.cpu.0),
        since_ns: moment.since.0,
        until_ns: moment.until.0,
        ran_ns: moment.ran.0,
        waited_ns: moment.waited.0,
    }
}
