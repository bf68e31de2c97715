//! Going from event to event, from slice to slice and from lane to lane.

use std::cell::RefCell;
use std::rc::Rc;

use protocol::{AnswerBody, DecisionFilter, EventFilter, EventSort, EventView, RequestBody, RunKey};

use super::controller::{Controller, Told};
use super::lens::{Group, LaneKind, LensChange, Row};
use crate::browser;

impl Controller {
    /// Goes to the next or the previous event of a sort: of the thread that is followed, if one is.
    pub(crate) fn walk(&self, is_forward: bool, sort: EventSort) {
        let (from, task) = {
            let mut inner = self.0.borrow_mut();
            if std::mem::replace(&mut inner.is_walking, true) {
                return;
            }
            (inner.marked(), inner.lens.task)
        };
        let filter = EventFilter { task, sort };
        let request =
            move |run| RequestBody::NextEvent { run, from_ns: from as u64, forward: is_forward, filter };
        self.ask_all(request, move |this, answers| {
            let found = answers.into_iter().enumerate().filter_map(|(run, body)| match body {
                AnswerBody::Event(Some(event)) => Some((run, event)),
                _ => None,
            });
            let nearest = |a: &(usize, EventView), b: &(usize, EventView)| {
                let order = a.1.at_ns.cmp(&b.1.at_ns);
                if is_forward { order } else { order.reverse() }
            };
            let found = found.min_by(nearest);
            {
                let mut inner = this.0.borrow_mut();
                inner.is_walking = false;
                if let Some((_, event)) = &found {
                    inner.marks.moment = Some(event.at_ns as f64);
                    inner.show_moment();
                }
            }
            this.look_again();
            this.tell(Told::Walked(found));
        });
    }

    /// Goes to the next slice of the thread that is followed.
    pub(crate) fn next_slice(&self) {
        self.walk(true, EventSort::Start);
    }

    /// Follows a thread and goes to its next slice.
    pub(crate) fn follow(&self, task: u32) {
        let change = LensChange::Task(Some(task));
        // The page sets the same lens in a moment; the next slice is to be that of this thread now.
        self.0.borrow_mut().lens.task = Some(task);
        self.tell(Told::Lens(change));
        self.next_slice();
    }

    /// When something happens next, or when something is decided next, in any run.
    pub(super) fn find_next(
        &self,
        from: f64,
        is_decision: bool,
        found: impl Fn(&Controller, Option<(usize, u64)>) + 'static,
    ) {
        let from_ns = from as u64;
        let request = move |run| {
            if is_decision {
                let filter = DecisionFilter::default();
                RequestBody::NextDecision { run, from_ns, forward: true, filter }
            } else {
                let filter = EventFilter::default();
                RequestBody::NextEvent { run, from_ns, forward: true, filter }
            }
        };
        self.ask_all(request, move |this, answers| {
            let moments = answers.into_iter().enumerate().filter_map(|(run, body)| match body {
                AnswerBody::Event(event) => Some((run, event?.at_ns)),
                AnswerBody::Decision(point) => Some((run, point?.at_ns)),
                _ => None,
            });
            found(this, moments.min_by_key(|(_, at_ns)| *at_ns));
        });
    }

    /// Asks the workers of all runs, and hears their last answers together, in the order of the runs.
    fn ask_all(
        &self,
        request: impl Fn(RunKey) -> RequestBody,
        heard: impl Fn(&Controller, Vec<AnswerBody>) + 'static,
    ) {
        let runs = self.0.borrow().tracks.len();
        let gathered: Rc<RefCell<Vec<Option<AnswerBody>>>> = Rc::new(RefCell::new(vec![None; runs]));
        let heard = Rc::new(heard);
        for run in 0..runs {
            let (this, gathered, heard) = (self.clone(), Rc::clone(&gathered), Rc::clone(&heard));
            self.ask(run, &request, move |body| {
                gathered.borrow_mut()[run] = Some(body);
                let is_complete = gathered.borrow().iter().all(Option::is_some);
                if is_complete {
                    heard(&this, gathered.borrow_mut().drain(..).flatten().collect());
                }
            });
        }
    }

    /// Goes to the lane above or below, and tells what it shows.
    pub(crate) fn walk_rows(&self, is_down: bool) {
        let went = {
            let mut inner = self.0.borrow_mut();
            let rows: Vec<(usize, usize)> = (inner.tracks.iter().enumerate())
                .flat_map(|(run, track)| (0..track.rows.len()).map(move |row| (run, row)))
                .collect();
            let before = inner.marks.row.and_then(|row| rows.iter().position(|other| *other == row));
            let next = match (before, is_down) {
                (None, true) => Some(0),
                (None, false) => rows.len().checked_sub(1),
                (Some(before), true) => Some((before + 1).min(rows.len() - 1)),
                (Some(before), false) => Some(before.saturating_sub(1)),
            };
            let Some((run, row)) = next.and_then(|next| rows.get(next).copied()) else { return };
            inner.marks.row = Some((run, row));
            (run, row, inner.tracks[run].rows[row], inner.marked())
        };
        let (run, row, shown, moment) = went;
        self.scroll_to(run, row);
        if let Row::Task(task) = shown {
            self.tell(Told::Lens(LensChange::Task(Some(task))));
        }
        self.draw();
        self.ask_facts(run, row, moment);
    }

    /// Scrolls the box around the canvas so that a lane is seen.
    fn scroll_to(&self, run: usize, row: usize) {
        let inner = self.0.borrow();
        let Some(placed) = inner.layout.runs.get(run) else { return };
        // With the first lane the run's name is seen as well.
        let top = if row == 0 { placed.title } else { placed.lanes[row] };
        browser::scroll_into(inner.canvas(), top, placed.lanes[row] + inner.layout.lane);
    }

    /// Opens the folded lane that keys have gone to, or folds the innermost group around it (the outermost one where
    /// `is_outer`).
    pub(crate) fn fold_row(&self, is_outer: bool) {
        let group = {
            let inner = self.0.borrow();
            let (run, row) = inner.marks.row.unwrap_or((0, 0));
            inner.tracks.get(run).and_then(|track| {
                let (first, count) = match *track.rows.get(row)? {
                    Row::Group(group, ..) if !is_outer => return Some(group),
                    other => other.lanes()?,
                };
                let around =
                    track.kept.summary.domains.iter().filter(|span| {
                        span.first_lane <= first && first + count <= span.first_lane + span.lanes
                    });
                let groups = around.filter_map(|span| Some((span.depth, Group::of(span)?)));
                if is_outer {
                    groups.min_by_key(|(depth, _)| *depth)
                } else {
                    groups.max_by_key(|(depth, _)| *depth)
                }
                .map(|(_, group)| group)
            })
        };
        if let Some(group) = group {
            self.tell(Told::Lens(LensChange::Flip(group)));
        }
    }

    /// Somebody has pressed left of the lanes: opens or folds the group there. Whether there was one.
    pub(crate) fn press_gutter(&self, (x, y): (f64, f64)) -> bool {
        let group = self.0.borrow().layout.group_at(x, y);
        if let Some(group) = group {
            self.tell(Told::Lens(LensChange::Flip(group)));
        }
        group.is_some()
    }

    /// Shows CPUs instead of threads, or the other way round.
    pub(crate) fn other_kind(&self) {
        let kind = self.0.borrow().lens.kind;
        let other = if kind == LaneKind::Cpus { LaneKind::Tasks } else { LaneKind::Cpus };
        self.tell(Told::Lens(LensChange::Kind(other)));
    }
}
