//! What stands under the canvas: what is pointed out, what is under the pointer, and to what charts are restricted.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use super::TimelineView;
use crate::controls::{Button, Icon};
use crate::markup::{el, plain, said};
use crate::orders::{Order, click};
use crate::state::Action;
use crate::timeline::{FIRST_STEP, Kept, LensChange, Told, View, caption};
use crate::{format, text};

/// What changes under the canvas without the rest of the page.
#[derive(Clone, PartialEq)]
pub(super) struct Caption {
    /// What is pointed out.
    pointed: Option<String>,
    /// What is under the pointer.
    under: Option<String>,
    /// What has happened, for those who do not see it.
    said: String,
    /// Where an interval begins whose end is not yet chosen.
    pub(super) brush_start: Option<String>,
    /// The span in view.
    pub(super) view: Option<View>,
    /// Whether the table of what is in view is open.
    pub(super) has_tables: bool,
    /// What it holds.
    pub(super) tables: Vec<Option<protocol::Table>>,
    /// Up to when the run is played, and whether it goes on.
    pub(super) played: Option<(f64, bool)>,
    /// The step of the slider of speeds.
    pub(super) speed: u32,
    /// What was typed to find a thread.
    pub(super) query: String,
}

impl Default for Caption {
    fn default() -> Caption {
        Caption {
            pointed: None,
            under: None,
            said: String::new(),
            brush_start: None,
            view: None,
            has_tables: false,
            tables: Vec::new(),
            played: None,
            speed: FIRST_STEP,
            query: String::new(),
        }
    }
}

/// A caption that changes from outside of drawing.
#[derive(Clone)]
pub(super) struct Shown {
    pub(super) latest: Rc<RefCell<(Caption, Rc<Vec<Kept>>)>>,
    pub(super) set: UseStateSetter<Caption>,
}

impl Shown {
    pub(super) fn change(&self, change: impl FnOnce(&mut Caption, &[Kept])) {
        let now = {
            let (now, runs) = &mut *self.latest.borrow_mut();
            change(now, runs);
            now.clone()
        };
        self.set.set(now);
    }

    /// The view has moved. Nothing is drawn anew for it unless somebody reads it as a table.
    pub(super) fn moved(&self, view: View) {
        let has_tables = {
            let (now, _) = &mut *self.latest.borrow_mut();
            now.view = Some(view);
            now.has_tables
        };
        if has_tables {
            self.change(|_, _| {});
        }
    }
}

impl Caption {
    /// The timeline has told something.
    pub(super) fn hear(&mut self, told: Told, runs: &[Kept]) {
        let summary = |run: usize| runs.get(run).map(|kept| &kept.summary);
        match told {
            Told::Wait(wait, facts) => {
                self.pointed = summary(wait.run).map(|summary| caption::wait(&wait, &facts, summary));
            }
            Told::NoWait => self.pointed = None,
            Told::Under(run, row, facts, view) => {
                self.under = summary(run).and_then(|summary| caption::under(row, &facts, summary, &view));
            }
            Told::Nothing => self.under = None,
            Told::BrushBegun(start, view) => {
                self.brush_start = Some(text::brush_begun(&format::moment(start, view.span())));
            }
            Told::Brushed(_) => self.brush_start = None,
            Told::Walked(None) => text::NO_FURTHER_EVENT.clone_into(&mut self.said),
            Told::Walked(Some((run, event))) => {
                let words =
                    summary(run).map(|summary| text::walked_to(&summary.column_name, &text::event(&event)));
                self.pointed.clone_from(&words);
            }
            Told::Played(at, is_playing) => self.played(at, is_playing),
            Told::Lens(LensChange::Task(Some(task))) => {
                if let Some(summary) = summary(0) {
                    self.said = text::following(caption::task_name(summary, task));
                }
            }
            // What the page is to do changes nothing here.
            Told::Chosen(..) | Told::Moved(..) | Told::Lens(_) => {}
        }
    }

    /// Only that playing begins and where it pauses is announced, not how it goes on.
    fn played(&mut self, at: Option<f64>, is_playing: bool) {
        let was_playing = self.played.is_some_and(|(_, is_playing)| is_playing);
        if is_playing != was_playing {
            self.said = match at {
                Some(_) if is_playing => text::PLAYING.to_owned(),
                Some(at) => text::paused_at(at),
                None => String::new(),
            };
        }
        self.played = at.map(|at| (at, is_playing));
    }

    /// Something is to be announced.
    pub(super) fn say(&mut self, words: &str) {
        words.clone_into(&mut self.said);
    }

    /// Draws it.
    pub(super) fn html(&self, view: &TimelineView) -> Html {
        let pointed = self.pointed.as_deref().unwrap_or(text::NO_LONG_WAIT);
        let under = self.under.as_deref().unwrap_or(text::HOVER_HINT);
        let attributes = [("data-testid", "timeline-wait"), ("aria-live", "polite")];
        let under_attributes = [("class", "under"), ("data-testid", "timeline-under")];
        let said_attributes =
            [("class", "visually-hidden"), ("role", "status"), ("data-testid", "timeline-said")];
        let parts = vec![
            el("p", &attributes, vec![plain(pointed)]),
            el("p", &under_attributes, vec![plain(under)]),
            el("p", &said_attributes, vec![plain(&self.said)]),
            self.brush(view),
        ];
        el("div", &[("class", "timeline-caption")], parts)
    }

    /// To which interval the charts are restricted, and the way back.
    fn brush(&self, view: &TimelineView) -> Html {
        let mut parts = Vec::new();
        if let Some(begun) = &self.brush_start {
            parts.push(said("span", "", begun));
        } else if let Some(brush) = view.brush {
            parts.push(said("span", "", &text::brushed(brush.from_ns, brush.to_ns)));
            let clear = Button::small(text::BRUSH_CLEAR, "brush-clear").with_picture(Icon::Close);
            parts.push(clear.html(click(&view.orders, Order::Act(Action::Brush(None)))));
        }
        // While the run is played the interval grows, which nobody wants to hear ten times a second.
        let live = if self.played.is_some() { "off" } else { "polite" };
        let attributes = [("class", "brush"), ("data-testid", "timeline-brush"), ("aria-live", live)];
        el("div", &attributes, parts)
    }
}
