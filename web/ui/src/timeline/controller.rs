//! What the timeline knows between two pictures. It lives outside of the page's state: moving the view must not
//! render anything but the canvas.

use std::cell::RefCell;
use std::rc::Rc;

use protocol::{AnswerBody, EventView, Facts, FactsAbout, Minimap, RequestBody, RunSummary};
use web_sys::HtmlCanvasElement;
use yew::Callback;

use super::brush::Brush;
use super::fill::Sorted;
use super::ink::{self, Ink};
use super::layout::{Layout, RunShape};
use super::lens::{Lens, LensChange, Row};
use super::paint::{Marks, PaintRun, Scene, paint};
use super::play::Play;
use super::view::{View, Wait, long_waits, longest, next_wait};
use crate::bridge::{Pool, Ticket};
use crate::browser;
use crate::charts::Tone;
use crate::inspection::Focus;

/// From how many microseconds on a wake-up counts as a long wait.
pub(crate) const LONG_US: f32 = 1000.0;
/// How much more than the view is asked for on each side, in shares of the view, so that moving shows no gap.
const OVERSCAN: f64 = 0.25;

/// A run with the worker that keeps it.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// Which worker keeps its trace.
    pub(crate) worker: usize,
    /// What it said of the run.
    pub(crate) summary: Rc<RunSummary>,
}

impl PartialEq for Kept {
    fn eq(&self, other: &Kept) -> bool {
        // A summary never changes once it is there.
        self.worker == other.worker && Rc::ptr_eq(&self.summary, &other.summary)
    }
}

/// What the timeline tells the page around it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    /// What is under the pointer, or in the lane that keys have gone to: the run, the lane, what it does, and the view.
    Under(usize, Row, Facts, View),
    /// Nothing is under the pointer.
    Nothing,
    /// A wait is pointed out; with it what the machine did in its middle.
    Wait(Wait, Facts),
    /// No wait is pointed out.
    NoWait,
    /// The view has moved, and whether somebody has ever moved it by hand.
    Moved(View, bool),
    /// Somebody wants to know what was decided: the run, the lane if one is meant, and the moment.
    Chosen(usize, Option<Row>, f64),
    /// Somebody looks in another way.
    Lens(LensChange),
    /// Somebody has gone to this event of a run; or there is no further one.
    Walked(Option<(usize, EventView)>),
    /// The run is played, or stands still at a moment; none where it is no longer played.
    Played(Option<f64>, bool),
    /// The charts are to show this interval alone, or the whole run.
    Brushed(Option<Brush>),
    /// Such an interval begins here; where it ends is still to be said.
    BrushBegun(f64, View),
}

/// The timeline behind its canvas. Clones share it.
#[derive(Clone)]
pub(crate) struct Controller(pub(super) Rc<RefCell<Inner>>);

pub(super) struct Inner {
    pool: Pool,
    told: Callback<Told>,
    canvas: Option<HtmlCanvasElement>,
    ink: Option<Ink>,
    width: f64,
    pub(super) layout: Layout,
    pub(super) lens: Lens,
    pub(super) view: View,
    pub(super) end: f64,
    pub(super) is_touched: bool,
    pub(super) tracks: Vec<Track>,
    pub(super) marks: Marks,
    pub(super) play: Play,
    // Whether it is being found out where the next event is.
    pub(super) is_walking: bool,
    has_frame: bool,
    // Answers to what was asked before the runs changed are not heard.
    epoch: u32,
    facts: Asked,
}

pub(super) struct Track {
    pub(super) kept: Kept,
    name: String,
    tone: Tone,
    cpus: Vec<u16>,
    pub(super) rows: Vec<Row>,
    waits: Vec<Wait>,
    lanes: Option<Sorted>,
    minimap: Option<Minimap>,
    asked: Asked,
}

/// One question is under way at most; what is wanted meanwhile is asked afterwards.
#[derive(Default)]
struct Asked {
    ticket: Option<Ticket>,
    wants_more: bool,
}

impl PartialEq for Controller {
    fn eq(&self, other: &Controller) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Controller {
    /// A timeline of nothing.
    pub(crate) fn new(pool: Pool, told: Callback<Told>) -> Controller {
        Controller(Rc::new(RefCell::new(Inner {
            pool,
            told,
            canvas: None,
            ink: None,
            width: 0.0,
            layout: Layout::default(),
            lens: Lens::default(),
            view: View::whole(1.0),
            end: 0.0,
            is_touched: false,
            tracks: Vec::new(),
            marks: Marks::default(),
            play: Play::default(),
            is_walking: false,
            has_frame: false,
            epoch: 0,
            facts: Asked::default(),
        })))
    }

    /// Draws on this canvas from now on, which is `width` wide.
    pub(crate) fn attach(&self, canvas: HtmlCanvasElement, width: f64) {
        {
            let mut inner = self.0.borrow_mut();
            if inner.ink.is_none() || inner.canvas.as_ref() != Some(&canvas) {
                inner.ink = Ink::of(&canvas);
            }
            inner.canvas = Some(canvas);
            inner.width = width;
            inner.place();
        }
        self.look_again();
    }

    /// The theme has changed.
    pub(crate) fn recolour(&self) {
        {
            let mut inner = self.0.borrow_mut();
            inner.ink = inner.canvas.as_ref().and_then(Ink::of);
            inner.tracks.iter_mut().filter_map(|track| track.lanes.as_mut()).for_each(Sorted::recolour);
        }
        self.draw();
    }

    /// Looks in another way.
    pub(crate) fn set_lens(&self, lens: &Lens) {
        {
            let mut inner = self.0.borrow_mut();
            let has_other_rows = inner.lens.kind != lens.kind;
            inner.lens = lens.clone();
            for track in &mut inner.tracks {
                track.rows = lens.rows(&track.kept.summary);
            }
            if has_other_rows {
                inner.marks.row = None;
            }
            inner.place();
        }
        self.look_again();
    }

    /// Begins with a span that somebody asks for, instead of the longest wait.
    pub(crate) fn begin_at(&self, span: Option<(f64, f64)>) {
        let mut inner = self.0.borrow_mut();
        if let Some((from, to)) = span.filter(|_| inner.tracks.is_empty()) {
            inner.view = View { from, to };
            inner.is_touched = true;
        }
    }

    /// Shows other runs. The view stays where somebody has put it; else it goes to the longest wait.
    pub(crate) fn show(&self, runs: &[Kept]) {
        {
            let mut inner = self.0.borrow_mut();
            inner.epoch += 1;
            inner.facts = Asked::default();
            inner.is_walking = false;
            inner.take(runs);
            inner.place();
        }
        self.ask_minimaps();
        let (is_touched, wait) = {
            let inner = self.0.borrow();
            (inner.is_touched, inner.longest())
        };
        match wait {
            Some(wait) if !is_touched => self.point_out(wait),
            _ => {
                self.0.borrow_mut().marks.wait = None;
                self.tell(Told::NoWait);
            }
        }
        self.look_again();
    }

    /// The layout, for finding what is under the pointer.
    pub(crate) fn layout(&self) -> Layout {
        self.0.borrow().layout.clone()
    }

    /// The view.
    pub(crate) fn view(&self) -> View {
        self.0.borrow().view
    }

    /// The end of the longest run.
    pub(crate) fn end(&self) -> f64 {
        self.0.borrow().end
    }

    /// Moves the view.
    pub(crate) fn look_at(&self, view: View) {
        {
            let mut inner = self.0.borrow_mut();
            inner.is_touched = true;
            inner.view = view;
        }
        self.look_again();
    }

    /// Shows the whole run.
    pub(crate) fn fit(&self) {
        let end = self.end();
        self.look_at(View::whole(end));
    }

    /// Zooms around a share of the width.
    pub(crate) fn zoom(&self, share: f64, factor: f64) {
        let view = self.view().zoomed(share, factor, self.end());
        self.look_at(view);
    }

    /// Moves by a share of the width.
    pub(crate) fn pan(&self, share: f64) {
        let view = self.view().panned(share, self.end());
        self.look_at(view);
    }

    /// Goes to the longest wait of all runs.
    pub(crate) fn go_to_longest(&self) {
        let wait = self.0.borrow().longest();
        if let Some(wait) = wait {
            self.0.borrow_mut().is_touched = true;
            self.point_out(wait);
            self.look_again();
        }
    }

    /// Goes to the next or the previous long wait.
    pub(crate) fn step(&self, is_forward: bool) {
        let wait = {
            let inner = self.0.borrow();
            let waits: Vec<Wait> =
                inner.tracks.iter().flat_map(|track| track.waits.iter().copied()).collect();
            let from = inner.marks.wait.map_or(inner.view.middle(), |wait| f64::midpoint(wait.from, wait.to));
            next_wait(&waits, from, is_forward)
        };
        if let Some(wait) = wait {
            self.0.borrow_mut().is_touched = true;
            self.point_out(wait);
            self.look_again();
        }
    }

    /// Marks a moment and brings it into view, or marks none.
    pub(crate) fn focus(&self, focus: Option<Focus>) {
        {
            let mut inner = self.0.borrow_mut();
            inner.marks.moment = focus.map(|focus| focus.at_ns as f64);
            match focus.and_then(|focus| focus.span) {
                Some((from, to)) => {
                    inner.is_touched = true;
                    inner.view = View::around(from, to, inner.end);
                }
                None => inner.show_moment(),
            }
        }
        self.look_again();
    }

    /// Shows the interval that the charts are restricted to.
    pub(crate) fn show_brush(&self, brush: Option<Brush>) {
        {
            let marks = &mut self.0.borrow_mut().marks;
            marks.brush = brush.map(Brush::span);
            marks.brush_start = None;
        }
        if brush.is_none() {
            self.leave_play();
        }
        self.draw();
    }

    /// Somebody pulls up an interval between two moments; the charts follow when it is let go.
    pub(crate) fn pull_brush(&self, one: f64, other: f64, is_over: bool) {
        let brush = Brush::between(one, other, self.end());
        if is_over {
            self.tell(Told::Brushed(brush));
        } else {
            self.show_brush(brush);
        }
    }

    /// Restricts the charts to what is in view.
    pub(crate) fn brush_view(&self) {
        let view = self.view();
        self.pull_brush(view.from, view.to, true);
    }

    /// Begins an interval where the pointer is, or the moment that is marked, or else in the middle of the view; the second
    /// time it ends there.
    pub(crate) fn brush_here(&self) {
        let (here, start, view) = {
            let inner = self.0.borrow();
            (inner.here(), inner.marks.brush_start, inner.view)
        };
        if let Some(start) = start {
            self.pull_brush(start, here, true);
            return;
        }
        {
            let marks = &mut self.0.borrow_mut().marks;
            marks.brush = None;
            marks.brush_start = Some(here);
        }
        self.draw();
        self.tell(Told::BrushBegun(here, view));
    }

    /// The charts are to show the whole run again. Whether there was anything to undo.
    pub(crate) fn clear_brush(&self) -> bool {
        let marks = self.0.borrow().marks;
        let is_set = marks.brush.is_some() || marks.brush_start.is_some();
        if is_set {
            self.show_brush(None);
            self.tell(Told::Brushed(None));
        }
        is_set
    }

    /// Somebody has chosen this place, or the middle of the view of the first run.
    pub(crate) fn choose(&self, place: Option<(f64, f64)>) {
        let chosen = {
            let inner = self.0.borrow();
            match place {
                None => Some(inner.chosen_by_key()),
                Some((x, y)) => {
                    let share = inner.layout.share(x);
                    let lane = inner.layout.lane_at(y).filter(|_| (0.0..=1.0).contains(&share));
                    lane.filter(|_| !inner.layout.is_in_overview(y)).and_then(|(run, lane)| {
                        Some((run, Some(*inner.tracks.get(run)?.rows.get(lane)?), inner.view.at(share)))
                    })
                }
            }
        };
        if let Some((run, row, moment)) = chosen {
            if let Some(Row::Task(task)) = row {
                self.tell(Told::Lens(LensChange::Task(Some(task))));
            }
            self.tell(Told::Chosen(run, row, moment));
        }
    }

    /// The pointer is over this place, or over none.
    pub(crate) fn hover(&self, place: Option<(f64, f64)>) {
        let about = {
            let mut inner = self.0.borrow_mut();
            let found = place.and_then(|(x, y)| {
                let share = inner.layout.share(x);
                let is_over_time = (0.0..=1.0).contains(&share) && !inner.layout.is_in_overview(y);
                is_over_time.then(|| (inner.view.at(share), inner.layout.lane_at(y)))
            });
            inner.marks.cursor = found.map(|(moment, _)| moment);
            found.and_then(|(moment, lane)| Some((moment, lane?)))
        };
        self.draw();
        match about {
            Some((moment, (run, lane))) => self.ask_facts(run, lane, moment),
            None => self.tell(Told::Nothing),
        }
    }

    fn point_out(&self, wait: Wait) {
        {
            let mut inner = self.0.borrow_mut();
            inner.view = View::around(wait.from, wait.to, inner.end);
            inner.marks.wait = Some(wait);
        }
        let middle = f64::midpoint(wait.from, wait.to);
        self.ask(
            wait.run,
            |run| RequestBody::Facts { run, at_ns: middle as u64, about: FactsAbout::Machine },
            {
                let this = self.clone();
                move |body| {
                    if let AnswerBody::Facts(facts) = body
                        && this.0.borrow().marks.wait == Some(wait)
                    {
                        this.tell(Told::Wait(wait, facts));
                    }
                }
            },
        );
    }

    pub(super) fn ask_facts(&self, run: usize, lane: usize, moment: f64) {
        let row = {
            let mut inner = self.0.borrow_mut();
            if inner.facts.ticket.is_some() {
                inner.facts.wants_more = true;
                return;
            }
            inner.tracks.get(run).and_then(|track| track.rows.get(lane)).copied()
        };
        let Some(row) = row else { return };
        let this = self.clone();
        let about = match row {
            Row::Cpu(_, cpu) => FactsAbout::Cpu(cpu),
            Row::Group(..) => FactsAbout::Machine,
            Row::Task(task) => FactsAbout::Task(task),
        };
        let request = move |key| RequestBody::Facts { run: key, at_ns: moment as u64, about };
        let ticket = self.ask(run, request, move |body| {
            {
                let mut inner = this.0.borrow_mut();
                inner.facts = Asked::default();
                if inner.marks.cursor.is_none() && inner.marks.row.is_none() {
                    return;
                }
            }
            if let AnswerBody::Facts(facts) = body {
                let view = this.view();
                this.tell(Told::Under(run, row, facts, view));
            }
        });
        self.0.borrow_mut().facts.ticket = ticket;
    }

    /// Asks for the lanes of the view, draws what there is meanwhile, and says that the view has moved.
    pub(super) fn look_again(&self) {
        let runs = self.0.borrow().tracks.len();
        for run in 0..runs {
            self.ask_lanes(run);
        }
        self.draw();
        let (view, is_touched) = {
            let inner = self.0.borrow();
            (inner.view, inner.is_touched)
        };
        self.tell(Told::Moved(view, is_touched));
    }

    fn ask_lanes(&self, run: usize) {
        let (view, width_px, rows) = {
            let mut inner = self.0.borrow_mut();
            let width = inner.layout.time_width() * browser::pixel_ratio() * (1.0 + 2.0 * OVERSCAN);
            let view = inner.view;
            let Some(track) = inner.tracks.get_mut(run) else { return };
            if track.asked.ticket.is_some() {
                track.asked.wants_more = true;
                return;
            }
            (view, (width as u32).clamp(1, 16_384), track.rows.clone())
        };
        let room = view.span() * OVERSCAN;
        let request = Row::request(&rows);
        let (from_ns, to_ns) = ((view.from - room).max(0.0) as u64, (view.to + room) as u64);
        let this = self.clone();
        let ticket = self.ask(
            run,
            |run| RequestBody::Lanes { run, from_ns, to_ns, width_px, rows: request },
            move |body| {
                let wants_more = {
                    let mut inner = this.0.borrow_mut();
                    let Some(track) = inner.tracks.get_mut(run) else { return };
                    if let AnswerBody::Lanes(lanes) = body {
                        track.lanes = Some(Sorted::new(lanes, rows.clone()));
                    }
                    std::mem::take(&mut track.asked).wants_more
                };
                this.draw();
                if wants_more {
                    this.ask_lanes(run);
                }
            },
        );
        if let Some(track) = self.0.borrow_mut().tracks.get_mut(run) {
            track.asked.ticket = ticket;
        }
    }

    fn ask_minimaps(&self) {
        let (runs, width) = {
            let inner = self.0.borrow();
            (inner.tracks.len(), inner.layout.time_width())
        };
        let width_px = (width as u32).clamp(1, 16_384);
        for run in 0..runs {
            let this = self.clone();
            self.ask(
                run,
                |run| RequestBody::Minimap { run, width_px },
                move |body| {
                    if let AnswerBody::Minimap(minimap) = body
                        && let Some(track) = this.0.borrow_mut().tracks.get_mut(run)
                    {
                        track.minimap = Some(minimap);
                    }
                    this.draw();
                },
            );
        }
    }

    /// Asks the worker that keeps a run; answers that come after the runs have changed are dropped.
    pub(super) fn ask(
        &self,
        run: usize,
        request: impl FnOnce(protocol::RunKey) -> RequestBody,
        answer: impl Fn(AnswerBody) + 'static,
    ) -> Option<Ticket> {
        let (pool, worker, key, epoch) = {
            let inner = self.0.borrow();
            let kept = &inner.tracks.get(run)?.kept;
            (inner.pool.clone(), kept.worker, kept.summary.run, inner.epoch)
        };
        let this = self.clone();
        let answers = Callback::from(move |body: AnswerBody| {
            if body.is_final() && this.0.borrow().epoch == epoch {
                answer(body);
            }
        });
        Some(pool.ask(worker, request(key), answers))
    }

    pub(super) fn tell(&self, what: Told) {
        let told = self.0.borrow().told.clone();
        told.emit(what);
    }

    /// Draws once before the next frame, however often it is called until then.
    pub(super) fn draw(&self) {
        {
            let mut inner = self.0.borrow_mut();
            if inner.has_frame || inner.canvas.is_none() {
                return;
            }
            inner.has_frame = true;
        }
        let this = self.clone();
        browser::before_next_frame(move || {
            let mut inner = this.0.borrow_mut();
            inner.has_frame = false;
            inner.paint();
        });
    }
}

impl Inner {
    /// The canvas.
    pub(super) fn canvas(&self) -> Option<&HtmlCanvasElement> {
        self.canvas.as_ref()
    }

    fn take(&mut self, runs: &[Kept]) {
        let mut old = std::mem::take(&mut self.tracks).into_iter();
        let count = runs.len();
        self.tracks = runs
            .iter()
            .enumerate()
            .map(|(run, kept)| {
                let cpus: Vec<u16> = kept.summary.cpus.iter().map(|cpu| cpu.cpu).collect();
                // Until the new lanes come, the old ones stand in, where they have the same lanes.
                let old = old.next().filter(|track| track.cpus == cpus);
                let (lanes, minimap) = old.map_or((None, None), |track| (track.lanes, track.minimap));
                Track {
                    rows: self.lens.rows(&kept.summary),
                    kept: kept.clone(),
                    name: kept.summary.column_name.clone(),
                    tone: Tone::of(run, count),
                    waits: long_waits(run, &kept.summary.samples, LONG_US),
                    cpus,
                    lanes,
                    minimap,
                    asked: Asked::default(),
                }
            })
            .collect();
        let end = runs.iter().map(|kept| kept.summary.simulated_ns).max().unwrap_or(0) as f64;
        if (self.end == 0.0 && !self.is_touched) || end < self.view.to {
            self.view = View::whole(end);
        }
        self.end = end;
    }

    pub(super) fn place(&mut self) {
        let shapes: Vec<RunShape<'_>> = self
            .tracks
            .iter()
            .map(|track| RunShape {
                rows: &track.rows,
                cpus: &track.kept.summary.cpus,
                domains: &track.kept.summary.domains,
            })
            .collect();
        self.layout = Layout::new(self.width.max(200.0), self.lens.kind, &shapes);
    }

    /// The moment that is meant by keys: that under the pointer, or the marked one, or the middle of the view.
    fn here(&self) -> f64 {
        self.marks.cursor.unwrap_or(self.marked())
    }

    /// The marked moment if it is in view, else the middle of the view.
    pub(super) fn marked(&self) -> f64 {
        let marked = self.marks.moment.filter(|moment| (0.0..=1.0).contains(&self.view.share(*moment)));
        marked.unwrap_or(self.view.middle())
    }

    /// Brings the marked moment into view.
    pub(super) fn show_moment(&mut self) {
        let Some(moment) = self.marks.moment else { return };
        let share = self.view.share(moment);
        self.is_touched = true;
        if !(0.02..=0.98).contains(&share) {
            self.view = self.view.panned(share - 0.5, self.end);
        }
    }

    /// What is meant by a key that opens decisions: the lane that keys have gone to, and the marked moment.
    fn chosen_by_key(&self) -> (usize, Option<Row>, f64) {
        let row = self.marks.row.and_then(|(run, row)| Some((run, *self.tracks.get(run)?.rows.get(row)?)));
        let (run, row) = row.map_or((0, None), |(run, row)| (run, Some(row)));
        (run, row, self.marked())
    }

    /// The longest wait of all runs, the first run's where two are equal.
    fn longest(&self) -> Option<Wait> {
        let waits: Vec<Wait> = self
            .tracks
            .iter()
            .enumerate()
            .rev()
            .flat_map(|(run, track)| long_waits(run, &track.kept.summary.samples, 1.0))
            .collect();
        longest(&waits)
    }

    fn paint(&mut self) {
        let (Some(canvas), Some(ink)) = (&self.canvas, &self.ink) else { return };
        let ratio = browser::pixel_ratio();
        let (width, height) =
            ((self.layout.width * ratio).round() as u32, (self.layout.height * ratio).round() as u32);
        if canvas.width() != width || canvas.height() != height {
            canvas.set_width(width);
            canvas.set_height(height);
            let size = |length: f64| format!("{}px", crate::format::coordinate(length));
            let _ = canvas.style().set_property("width", &size(self.layout.width));
            let _ = canvas.style().set_property("height", &size(self.layout.height));
        }
        let Some(context) = ink::context(canvas) else { return };
        // It fails only for numbers that are no numbers.
        let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
        let scene = Scene {
            layout: &self.layout,
            ink,
            view: self.view,
            end: self.end,
            runs: self.tracks.iter().map(Track::as_painted).collect(),
            marks: self.marks,
            followed: self.lens.task,
            arrows: (self.lens.has_wakeups, self.lens.has_moves),
        };
        paint(&context, &scene);
    }
}

impl Track {
    fn as_painted(&self) -> PaintRun<'_> {
        PaintRun {
            name: &self.name,
            tone: self.tone,
            tasks: &self.kept.summary.tasks,
            rows: &self.rows,
            lanes: self.lanes.as_ref(),
            minimap: self.minimap.as_ref(),
            waits: &self.waits,
        }
    }
}
