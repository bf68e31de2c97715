//! Where everything of the timeline is: overview, axis, and the lanes of every run above one another.

use protocol::{CpuView, DomainSpan};

use super::lens::{Group, LaneKind, Row};

/// The least and the most that a lane may be high, in CSS pixels.
const LANE: (f64, f64) = (9.0, 24.0);
/// The least and the most that the lane of a thread may be high: each has its name beside it.
const TASK_LANE: (f64, f64) = (14.0, 22.0);
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
/// A page that is less wide than this is narrow.
const NARROW: f64 = 560.0;

/// The places of the timeline in CSS pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    /// The whole width.
    pub(crate) width: f64,
    /// The whole height.
    pub(crate) height: f64,
    /// Where time begins: the lanes' names are left of it.
    pub(crate) left: f64,
    /// How wide the column of one level of groups is, left of the lanes' names.
    pub(crate) level: f64,
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
    /// The groups of lanes.
    pub(crate) groups: Vec<GroupPlace>,
    /// Where it ends.
    pub(crate) bottom: f64,
}

/// The place of a group of lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GroupPlace {
    /// Which.
    pub(crate) group: Group,
    /// In which column, from the outermost.
    pub(crate) depth: u8,
    /// Its top.
    pub(crate) top: f64,
    /// Its bottom.
    pub(crate) bottom: f64,
    /// Whether it stands in one lane.
    pub(crate) is_folded: bool,
}

/// What a run brings to the layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunShape<'a> {
    /// Its lanes.
    pub(crate) rows: &'a [Row],
    /// Its CPUs.
    pub(crate) cpus: &'a [CpuView],
    /// Its levels over the CPUs.
    pub(crate) domains: &'a [DomainSpan],
}

impl Layout {
    /// Places everything in a width.
    pub(crate) fn new(width: f64, kind: LaneKind, runs: &[RunShape<'_>]) -> Layout {
        let lanes: usize = runs.iter().map(|run| run.rows.len()).sum();
        let (least, most) = if kind == LaneKind::Cpus { LANE } else { TASK_LANE };
        let lane = (COMFORTABLE / lanes.max(1) as f64).clamp(least, most).floor();
        let is_narrow = width < NARROW;
        let spans = runs.iter().flat_map(|run| run.domains);
        let levels = spans.map(|span| span.depth + 1).max().unwrap_or(0);
        let (level, names) = if is_narrow { (20.0, 26.0) } else { (26.0, 54.0) };
        let left = match (kind, is_narrow) {
            (LaneKind::Cpus, true) => (f64::from(levels) * level + names).max(58.0),
            (LaneKind::Cpus, false) => (f64::from(levels) * level + names).max(96.0),
            (LaneKind::Tasks, true) => 72.0,
            (LaneKind::Tasks, false) => 120.0,
        };
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
        Layout { width, height: y, left, level, overview, axis, runs, lane }
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

    /// The group whose sign is at a place: of several within one another that of the column, and a folded one over its
    /// whole name.
    pub(crate) fn group_at(&self, x: f64, y: f64) -> Option<Group> {
        if self.left <= x {
            return None;
        }
        let here =
            self.runs.iter().flat_map(|run| &run.groups).filter(|place| place.top <= y && y < place.bottom);
        let column = |place: &&GroupPlace| place.is_folded || (x / self.level) as u8 == place.depth;
        here.filter(column).map(|place| place.group).next()
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
        for row in run.rows {
            let llc = row.lanes().and_then(|(first, _)| run.cpus.get(first as usize)).map(|cpu| cpu.llc);
            if previous.is_some_and(|previous| previous != llc) {
                y += GROUP_GAP;
            }
            previous = Some(llc);
            placed.lanes.push(y);
            y += lane;
        }
        placed.bottom = y;
        placed.groups = run.domains.iter().filter_map(|span| placed.group(lane, run, span)).collect();
        placed
    }

    /// Where a group stands; none where it is hidden in a folded one around it, or has one CPU.
    fn group(&self, lane: f64, run: RunShape<'_>, span: &DomainSpan) -> Option<GroupPlace> {
        let group = Group::of(span)?;
        let inside = |row: &Row| {
            let (first, count) = row.lanes()?;
            Some(span.first_lane <= first && first + count <= span.first_lane + span.lanes)
        };
        let mut rows = run.rows.iter().zip(&self.lanes).filter(|(row, _)| inside(row) == Some(true));
        let (first, top) = rows.next()?;
        let (is_folded, is_hidden) = match first {
            Row::Group(other, _, count) => (*other == group, *other != group && *count == span.lanes),
            _ => (false, false),
        };
        let bottom = rows.next_back().map_or(*top, |(_, top)| *top) + lane;
        (!is_hidden).then_some(GroupPlace { group, depth: span.depth, top: *top, bottom, is_folded })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::lens::Level;

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

    fn rows(cpus: u16) -> Vec<Row> {
        (0..cpus).map(|cpu| Row::Cpu(u32::from(cpu), cpu)).collect()
    }

    fn layout_of(width: f64, rows: &[Row]) -> Layout {
        let (cpus, domains) = hikey();
        let run = RunShape { rows, cpus: &cpus, domains: &domains };
        Layout::new(width, LaneKind::Cpus, &[run, run])
    }

    fn layout(width: f64) -> Layout {
        layout_of(width, &rows(8))
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
    fn a_group_is_hit_in_its_column_and_where_it_is_folded_in_its_whole_name() {
        let llc = |index| Group { level: Level::Llc, index };
        let open = layout(1000.0);
        let in_second = open.runs[1].lanes[5];
        assert_eq!(open.group_at(5.0, in_second), Some(llc(1)));
        assert_eq!(open.group_at(open.left - 5.0, in_second), None, "the name of a CPU");
        assert_eq!(open.group_at(open.left + 5.0, in_second), None);
        let mut some = rows(4);
        some.push(Row::Group(llc(1), 4, 4));
        let folded = layout_of(1000.0, &some);
        assert_eq!(folded.group_at(folded.left - 5.0, folded.runs[1].lanes[4] + 1.0), Some(llc(1)));
        assert!(folded.runs[0].groups[1].is_folded && !folded.runs[0].groups[0].is_folded);
        assert!(folded.height < open.height);
    }

    #[test]
    fn a_group_in_a_folded_one_has_no_place() {
        let (cpus, mut domains) = hikey();
        domains.insert(
            0,
            DomainSpan { depth: 0, level: "package".to_owned(), index: 0, first_lane: 0, lanes: 8 },
        );
        let package = Group { level: Level::Package, index: 0 };
        let rows = [Row::Group(package, 0, 8)];
        let run = RunShape { rows: &rows, cpus: &cpus, domains: &domains };
        let layout = Layout::new(1000.0, LaneKind::Cpus, &[run]);
        let groups: Vec<Group> = layout.runs[0].groups.iter().map(|place| place.group).collect();
        assert_eq!(groups, [package]);
    }

    #[test]
    fn many_cpus_get_narrow_lanes() {
        let cpus: Vec<CpuView> =
            (0..64).map(|cpu| CpuView { cpu, core: cpu, llc: 0, package: 0, capacity: 1024 }).collect();
        let rows = rows(64);
        let run = RunShape { rows: &rows, cpus: &cpus, domains: &[] };
        let layout = Layout::new(1000.0, LaneKind::Cpus, &[run, run]);
        assert!((layout.lane - LANE.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_narrow_page_leaves_most_of_its_width_to_time() {
        let layout = layout(330.0);
        assert!(0.8 * 330.0 < layout.time_width());
        assert!((layout.share(layout.left)).abs() < 1e-9);
    }
}
