//! Where everything of the timeline is: overview, axis, and the lanes of every run above one another.

use protocol::{CpuView, DomainSpan};

/// The least and the most that a lane may be high, in CSS pixels.
const LANE: (f64, f64) = (9.0, 24.0);
/// The height that all lanes together may take before they get narrower.
const COMFORTABLE: f64 = 460.0;
/// The height of one row of the overview.
const OVERVIEW_ROW: f64 = 16.0;
/// Between overview and axis, and under the axis.
const GAP: f64 = 8.0;
/// The height of the axis with its labels.
const AXIS: f64 = 22.0;
/// The height of a run's name.
const TITLE: f64 = 24.0;
/// Between lanes of different last-level caches.
const GROUP_GAP: f64 = 6.0;

/// The places of the timeline in CSS pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    /// The whole width.
    pub(crate) width: f64,
    /// The whole height.
    pub(crate) height: f64,
    /// Where time begins: the lanes' names are left of it.
    pub(crate) left: f64,
    /// The rows of the overview, one a run.
    pub(crate) overview: Vec<f64>,
    /// The top of the axis.
    pub(crate) axis: f64,
    /// The runs.
    pub(crate) runs: Vec<RunLayout>,
    /// How high a lane is, its waiting strip included.
    pub(crate) lane: f64,
}

/// The places of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RunLayout {
    /// The top of its name.
    pub(crate) title: f64,
    /// The tops of its lanes.
    pub(crate) lanes: Vec<f64>,
    /// The groups of lanes: their name, top and bottom.
    pub(crate) groups: Vec<(String, f64, f64)>,
    /// Where it ends.
    pub(crate) bottom: f64,
}

/// What a run brings to the layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunShape<'a> {
    /// Its CPUs in the order of lanes.
    pub(crate) cpus: &'a [CpuView],
    /// Its levels over the lanes.
    pub(crate) domains: &'a [DomainSpan],
}

impl Layout {
    /// Places everything in a width.
    pub(crate) fn new(width: f64, runs: &[RunShape<'_>]) -> Layout {
        let lanes: usize = runs.iter().map(|run| run.cpus.len()).sum();
        let lane = (COMFORTABLE / lanes.max(1) as f64).clamp(LANE.0, LANE.1).floor();
        let left = if width < 560.0 { 58.0 } else { 96.0 };
        let mut y = 0.0;
        let overview = runs
            .iter()
            .map(|_| {
                let top = y;
                y += OVERVIEW_ROW + 2.0;
                top
            })
            .collect();
        let axis = y + GAP;
        y = axis + AXIS;
        let runs = runs
            .iter()
            .map(|run| {
                let placed = RunLayout::new(y, lane, *run);
                y = placed.bottom + GAP;
                placed
            })
            .collect();
        Layout { width, height: y, left, overview, axis, runs, lane }
    }

    /// The width of the part that shows time.
    pub(crate) fn time_width(&self) -> f64 {
        (self.width - self.left).max(1.0)
    }

    /// The share of the time's width at an x; outside of 0 to 1 it is beside it.
    pub(crate) fn share(&self, x: f64) -> f64 {
        (x - self.left) / self.time_width()
    }

    /// The run and lane at a y.
    pub(crate) fn lane_at(&self, y: f64) -> Option<(usize, usize)> {
        self.runs.iter().enumerate().find_map(|(run, placed)| {
            let lane = placed.lanes.iter().position(|top| *top <= y && y < top + self.lane)?;
            Some((run, lane))
        })
    }

    /// Whether a y lies in the overview.
    pub(crate) fn is_in_overview(&self, y: f64) -> bool {
        y < self.axis
    }

    /// The part of a lane's height that shows what the CPU does; the rest shows who waits.
    pub(crate) fn busy_height(&self) -> f64 {
        (self.lane * 0.62).floor()
    }
}

impl RunLayout {
    fn new(top: f64, lane: f64, run: RunShape<'_>) -> RunLayout {
        let mut y = top + TITLE;
        let mut placed = RunLayout { title: top, ..RunLayout::default() };
        let mut previous = None;
        for cpu in run.cpus {
            if previous.is_some_and(|llc| llc != cpu.llc) {
                y += GROUP_GAP;
            }
            previous = Some(cpu.llc);
            placed.lanes.push(y);
            y += lane;
        }
        placed.bottom = y;
        placed.groups = groups(run, &placed.lanes, lane);
        placed
    }
}

/// The lanes of each last-level cache, or of each package where caches divide nothing.
fn groups(run: RunShape<'_>, lanes: &[f64], lane: f64) -> Vec<(String, f64, f64)> {
    let level =
        ["llc", "package"].into_iter().find(|level| run.domains.iter().any(|span| span.level == *level));
    let Some(level) = level else { return Vec::new() };
    run.domains
        .iter()
        .filter(|span| span.level == level && 0 < span.lanes)
        .filter_map(|span| {
            let first = *lanes.get(span.first_lane as usize)?;
            let last = *lanes.get((span.first_lane + span.lanes - 1) as usize)?;
            Some((crate::text::domain(level, span.index), first, last + lane))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hikey() -> (Vec<CpuView>, Vec<DomainSpan>) {
        let cpus =
            (0..8).map(|cpu| CpuView { cpu, core: cpu, llc: cpu / 4, package: 0, capacity: 1024 }).collect();
        let domains = (0..2)
            .map(|llc| DomainSpan {
                depth: 0,
                level: "llc".to_owned(),
                index: llc,
                first_lane: u32::from(llc) * 4,
                lanes: 4,
            })
            .collect();
        (cpus, domains)
    }

    fn layout(width: f64) -> Layout {
        let (cpus, domains) = hikey();
        let run = RunShape { cpus: &cpus, domains: &domains };
        Layout::new(width, &[run, run])
    }

    #[test]
    fn lanes_do_not_overlap_and_every_lane_can_be_hit() {
        let layout = layout(1000.0);
        for (run, placed) in layout.runs.iter().enumerate() {
            for (lane, top) in placed.lanes.iter().enumerate() {
                assert_eq!(layout.lane_at(top + 1.0), Some((run, lane)));
            }
            for pair in placed.lanes.windows(2) {
                assert!(pair[0] + layout.lane <= pair[1]);
            }
        }
        assert!(layout.runs[0].bottom <= layout.runs[1].title);
        assert!(layout.runs[1].bottom <= layout.height);
    }

    #[test]
    fn caches_are_set_apart_and_named() {
        let layout = layout(1000.0);
        let lanes = &layout.runs[0].lanes;
        assert!(layout.lane < lanes[4] - lanes[3], "room between the clusters");
        assert_eq!(layout.runs[0].groups.len(), 2);
        assert_eq!(layout.lane_at(lanes[3] + layout.lane + 1.0), None, "the room belongs to no lane");
    }

    #[test]
    fn many_cpus_get_narrow_lanes() {
        let cpus: Vec<CpuView> =
            (0..64).map(|cpu| CpuView { cpu, core: cpu, llc: 0, package: 0, capacity: 1024 }).collect();
        let run = RunShape { cpus: &cpus, domains: &[] };
        let layout = Layout::new(1000.0, &[run, run]);
        assert!((layout.lane - LANE.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_narrow_page_leaves_most_of_its_width_to_time() {
        let layout = layout(330.0);
        assert!(0.8 * 330.0 < layout.time_width());
        assert!((layout.share(layout.left)).abs() < 1e-9);
    }
}
