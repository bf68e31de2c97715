//! How the timeline is looked at: what its lanes are, which of them are folded, and which thread is followed.

use protocol::{DomainSpan, FoldedLanes, LaneRows, RunSummary};

/// How many threads have a lane at a time.
pub(crate) const PAGE: usize = 48;

/// How the timeline is looked at. It stays while scenarios come and go.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lens {
    /// What the lanes are.
    pub(crate) kind: LaneKind,
    /// The level of which every group is folded, but for [`Lens::flipped`].
    pub(crate) folded: Option<Level>,
    /// Groups that are folded although their level is not, or not although it is.
    flipped: Vec<Group>,
    /// Whether wake-ups are drawn as arrows.
    pub(crate) has_wakeups: bool,
    /// Whether moves between CPUs are drawn as arrows.
    pub(crate) has_moves: bool,
    /// The thread that is followed, by its id.
    pub(crate) task: Option<u32>,
    /// Which threads have lanes: this many times [`PAGE`] come before them.
    page: usize,
}

/// What lanes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LaneKind {
    /// CPUs, and groups of them that are folded.
    #[default]
    Cpus,
    /// Threads.
    Tasks,
}

/// A level of the machine whose groups can be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// Packages, or sockets.
    Package,
    /// The CPUs of a last-level cache.
    Llc,
    /// The hardware threads of a core.
    Core,
}

/// CPUs that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// By what.
    pub(crate) level: Level,
    /// Which of them, numbered over the whole machine.
    pub(crate) index: u16,
}

/// A lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// A CPU: its position among the run's CPUs, and its number.
    Cpu(u32, u16),
    /// A folded group: which, the position of its first CPU, and how many it has.
    Group(Group, u32, u32),
    /// A thread, by its id.
    Task(u32),
}

/// What can change about a lens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LensChange {
    /// Show lanes of this kind.
    Kind(LaneKind),
    /// Fold every group of a level and no other, or nothing.
    FoldAll(Option<Level>),
    /// Fold a group, or open it.
    Flip(Group),
    /// Draw wake-ups, or no longer.
    Wakeups(bool),
    /// Draw moves, or no longer.
    Moves(bool),
    /// Follow a thread, or none.
    Task(Option<u32>),
    /// Give lanes to other threads: which page, from 0.
    Page(usize),
}

impl Default for Lens {
    fn default() -> Lens {
        Lens {
            kind: LaneKind::Cpus,
            folded: None,
            flipped: Vec::new(),
            has_wakeups: true,
            has_moves: false,
            task: None,
            page: 0,
        }
    }
}

impl Level {
    /// All, from the outermost.
    pub(crate) const ALL: [Level; 3] = [Level::Package, Level::Llc, Level::Core];

    /// What the protocol calls it.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Level::Package => "package",
            Level::Llc => "llc",
            Level::Core => "core",
        }
    }

    /// The level that the protocol calls this.
    pub(crate) fn of(key: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.key() == key)
    }
}

impl Group {
    /// The group of a span of lanes, if it has more than one CPU.
    pub(crate) fn of(span: &DomainSpan) -> Option<Group> {
        let level = Level::of(&span.level).filter(|_| 1 < span.lanes)?;
        Some(Group { level, index: span.index })
    }
}

impl Lens {
    /// Something changes.
    pub(crate) fn hear(&mut self, change: LensChange) {
        match change {
            LensChange::Kind(kind) => self.kind = kind,
            LensChange::FoldAll(level) => {
                self.folded = level;
                self.flipped.clear();
            }
            LensChange::Flip(group) => {
                let before = self.flipped.len();
                self.flipped.retain(|other| *other != group);
                if self.flipped.len() == before {
                    self.flipped.push(group);
                }
            }
            LensChange::Wakeups(is_shown) => self.has_wakeups = is_shown,
            LensChange::Moves(is_shown) => self.has_moves = is_shown,
            LensChange::Task(task) => {
                self.task = task;
                if let Some(task) = task {
                    self.page = task as usize / PAGE;
                }
            }
            LensChange::Page(page) => self.page = page,
        }
    }

    /// Whether a group stands in one lane.
    pub(crate) fn is_folded(&self, group: Group) -> bool {
        (self.folded == Some(group.level)) != self.flipped.contains(&group)
    }

    /// Which page of threads has lanes, of a run that has so many threads.
    pub(crate) fn page(&self, tasks: usize) -> usize {
        self.page.min(tasks.saturating_sub(1) / PAGE)
    }

    /// The lanes of a run.
    pub(crate) fn rows(&self, summary: &RunSummary) -> Vec<Row> {
        match self.kind {
            LaneKind::Cpus => self.cpu_rows(summary),
            LaneKind::Tasks => {
                let first = self.page(summary.tasks.len()) * PAGE;
                summary.tasks.iter().skip(first).take(PAGE).map(|task| Row::Task(task.id)).collect()
            }
        }
    }

    fn cpu_rows(&self, summary: &RunSummary) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut lane = 0;
        while let Some(cpu) = summary.cpus.get(lane as usize) {
            let here = summary.domains.iter().filter(|span| span.first_lane == lane);
            let folded = here
                .filter(|span| Group::of(span).is_some_and(|group| self.is_folded(group)))
                .min_by_key(|span| span.depth);
            let folded = folded.and_then(|span| Some((Group::of(span)?, span.lanes)));
            rows.push(match folded {
                Some((group, lanes)) => Row::Group(group, lane, lanes),
                None => Row::Cpu(lane, cpu.cpu),
            });
            lane += folded.map_or(1, |(_, lanes)| lanes);
        }
        rows
    }
}

impl Row {
    /// The CPUs that it shows: the position of the first one, and how many.
    pub(crate) const fn lanes(self) -> Option<(u32, u32)> {
        match self {
            Row::Cpu(lane, _) => Some((lane, 1)),
            Row::Group(_, first, count) => Some((first, count)),
            Row::Task(_) => None,
        }
    }

    /// What a worker is asked for these lanes.
    pub(crate) fn request(rows: &[Row]) -> LaneRows {
        let tasks: Vec<u32> = rows
            .iter()
            .filter_map(|row| match row {
                Row::Task(task) => Some(*task),
                _ => None,
            })
            .collect();
        if !tasks.is_empty() {
            return LaneRows::Tasks { tasks };
        }
        let folded = rows.iter().filter_map(|row| match row {
            Row::Group(_, first, count) => Some(FoldedLanes { first: *first, count: *count }),
            _ => None,
        });
        LaneRows::Cpus { folded: folded.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{CpuView, TaskView};

    /// Two packages of two cores of two hardware threads.
    fn server() -> RunSummary {
        let span = |depth, level: &str, index, first_lane, lanes| DomainSpan {
            depth,
            level: level.to_owned(),
            index,
            first_lane,
            lanes,
        };
        RunSummary {
            cpus: (0..8)
                .map(|cpu| CpuView { cpu, core: cpu / 2, llc: cpu / 4, package: cpu / 4, capacity: 1024 })
                .collect(),
            domains: vec![
                span(0, "package", 0, 0, 4),
                span(0, "package", 1, 4, 4),
                span(1, "core", 0, 0, 2),
                span(1, "core", 1, 2, 2),
                span(1, "core", 2, 4, 2),
                span(1, "core", 3, 6, 2),
            ],
            tasks: (0..100).map(|id| TaskView { id, name: format!("t{id}"), group: 0, nice: 0 }).collect(),
            ..RunSummary::default()
        }
    }

    fn after(changes: impl IntoIterator<Item = LensChange>) -> Lens {
        let mut lens = Lens::default();
        changes.into_iter().for_each(|change| lens.hear(change));
        lens
    }

    #[test]
    fn a_level_is_folded_as_a_whole_and_its_groups_one_by_one() {
        let core = |index| Group { level: Level::Core, index };
        assert_eq!(Lens::default().rows(&server()).len(), 8);
        let cores = after([LensChange::FoldAll(Some(Level::Core))]);
        let rows = cores.rows(&server());
        assert_eq!(rows[1], Row::Group(core(1), 2, 2));
        assert_eq!(rows.len(), 4);
        let but_one = after([LensChange::FoldAll(Some(Level::Core)), LensChange::Flip(core(1))]);
        let expected = [
            Row::Group(core(0), 0, 2),
            Row::Cpu(2, 2),
            Row::Cpu(3, 3),
            Row::Group(core(2), 4, 2),
            Row::Group(core(3), 6, 2),
        ];
        assert_eq!(but_one.rows(&server()), expected);
        let again = after([LensChange::Flip(core(1)), LensChange::Flip(core(1))]);
        assert_eq!(again, Lens::default());
    }

    #[test]
    fn a_folded_package_hides_what_is_folded_inside_of_it() {
        let package = Group { level: Level::Package, index: 0 };
        let lens = after([LensChange::FoldAll(Some(Level::Core)), LensChange::Flip(package)]);
        let rows = lens.rows(&server());
        assert_eq!(rows[0], Row::Group(package, 0, 4));
        assert_eq!(rows.len(), 3);
        let folded = vec![
            FoldedLanes { first: 0, count: 4 },
            FoldedLanes { first: 4, count: 2 },
            FoldedLanes { first: 6, count: 2 },
        ];
        assert_eq!(Row::request(&rows), LaneRows::Cpus { folded });
    }

    #[test]
    fn threads_have_lanes_page_by_page_and_the_followed_one_is_among_them() {
        let lens = after([LensChange::Kind(LaneKind::Tasks)]);
        assert_eq!(lens.rows(&server()).len(), PAGE);
        let followed = after([LensChange::Kind(LaneKind::Tasks), LensChange::Task(Some(99))]);
        let rows = followed.rows(&server());
        assert_eq!((rows[0], rows.len()), (Row::Task(96), 4));
        assert_eq!(Row::request(&rows), LaneRows::Tasks { tasks: vec![96, 97, 98, 99] });
        let beyond = after([LensChange::Page(9)]);
        assert_eq!(beyond.page(100), 2);
        assert_eq!(beyond.page(0), 0);
    }
}
