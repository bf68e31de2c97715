//! Playing a run: it is computed already, and shown as if it went on.

use super::brush::Brush;
use super::controller::{Controller, Told};
use super::lens::Row;
use super::view::View;
use crate::browser;

/// How often in a second the charts follow, at most.
const CHARTS_MS: f64 = 100.0;
/// A picture that comes later than this after the one before moves on by this much only.
const LONGEST_FRAME_MS: f64 = 100.0;
/// Where motion is not wanted, the run goes on in steps this long.
const STEP_MS: i32 = 1000;
/// For how many seconds of playing the view is wide enough, at least and at most, and what it is set to otherwise.
const SECONDS_IN_VIEW: (f64, f64, f64) = (2.0, 60.0, 8.0);
/// The share of the view at which the moving line stays.
const FOLLOWED_AT: f64 = 0.75;

/// The slowest and the fastest speed, in nanoseconds of simulated time a second, and into how many steps the slider
/// divides what lies between.
const SPEEDS: (f64, f64) = (1e3, 1e9);
/// See [`SPEEDS`].
pub(crate) const SPEED_STEPS: u32 = 60;
/// The speed to begin with: 10 ms a second.
pub(crate) const FIRST_STEP: u32 = 40;

/// How a run is played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Play {
    /// Nanoseconds of simulated time a second.
    speed: f64,
    is_playing: bool,
    // When the last picture was shown, and when the charts followed last.
    last_ms: f64,
    charts_ms: f64,
    // Calls that were asked for before the last pause are not heard.
    serial: u32,
}

impl Default for Play {
    fn default() -> Play {
        Play { speed: speed_of(FIRST_STEP), is_playing: false, last_ms: 0.0, charts_ms: 0.0, serial: 0 }
    }
}

/// The speed at a step of the slider.
pub(crate) fn speed_of(step: u32) -> f64 {
    let share = f64::from(step.min(SPEED_STEPS)) / f64::from(SPEED_STEPS);
    SPEEDS.0 * (SPEEDS.1 / SPEEDS.0).powf(share)
}

/// The view in which playing can be followed: wide enough for the speed, and not too wide.
fn view_for(view: View, playhead: f64, speed: f64, end: f64) -> View {
    let (least, most, wanted) = SECONDS_IN_VIEW;
    let seconds = view.span() / speed;
    let view = if (least..=most).contains(&seconds) || (most < seconds && end <= speed * most) {
        view
    } else {
        View { from: playhead, to: playhead + wanted * speed }.panned(0.0, end)
    };
    followed(view, playhead, end)
}

/// The view moved so that the line is in it, and not at its very end.
fn followed(view: View, playhead: f64, end: f64) -> View {
    let share = view.share(playhead);
    if share < 0.0 {
        view.panned(share, end)
    } else if FOLLOWED_AT < share {
        view.panned(share - FOLLOWED_AT, end)
    } else {
        view
    }
}

impl Controller {
    /// Plays on, or pauses.
    pub(crate) fn toggle_play(&self) {
        let is_playing = self.0.borrow().play.is_playing;
        if is_playing { self.pause() } else { self.play() }
    }

    fn play(&self) {
        let serial = {
            let mut inner = self.0.borrow_mut();
            if inner.tracks.is_empty() {
                return;
            }
            let start = inner.marks.playhead.filter(|at| *at < inner.end).unwrap_or(inner.view.from);
            inner.marks.playhead = Some(start);
            inner.marks.brush_start = None;
            inner.is_touched = true;
            inner.view = view_for(inner.view, start, inner.play.speed, inner.end);
            inner.play.is_playing = true;
            inner.play.last_ms = browser::now_ms();
            inner.play.serial += 1;
            inner.play.serial
        };
        self.look_again();
        self.follow_by_charts();
        self.next_picture(serial);
    }

    fn pause(&self) {
        {
            let play = &mut self.0.borrow_mut().play;
            play.is_playing = false;
            play.serial += 1;
        }
        self.follow_by_charts();
    }

    /// Shows the whole run again.
    pub(crate) fn stop_play(&self) {
        if self.leave_play() {
            self.tell(Told::Brushed(None));
        }
    }

    /// The run is no longer played. Whether it was.
    pub(super) fn leave_play(&self) -> bool {
        let was_played = {
            let mut inner = self.0.borrow_mut();
            inner.play.is_playing = false;
            inner.play.serial += 1;
            inner.marks.playhead.take().is_some()
        };
        if was_played {
            self.draw();
            self.tell(Told::Played(None, false));
        }
        was_played
    }

    /// Plays at the speed of a step of the slider.
    pub(crate) fn set_speed(&self, step: u32) {
        let is_played = {
            let mut inner = self.0.borrow_mut();
            inner.play.speed = speed_of(step);
            let playhead = inner.marks.playhead;
            if let Some(playhead) = playhead {
                inner.view = view_for(inner.view, playhead, inner.play.speed, inner.end);
            }
            playhead.is_some()
        };
        if is_played {
            self.look_again();
        }
    }

    fn next_picture(&self, serial: u32) {
        let this = self.clone();
        if browser::prefers_less_motion() {
            browser::after(STEP_MS, move || this.go_on(serial, f64::from(STEP_MS)));
        } else {
            browser::before_next_frame(move || this.go_on(serial, LONGEST_FRAME_MS));
        }
    }

    /// Moves the line on by the time since the last picture, which counts for `most_ms` at most.
    fn go_on(&self, serial: u32, most_ms: f64) {
        let now = browser::now_ms();
        let (is_over, are_charts_due) = {
            let mut inner = self.0.borrow_mut();
            let (Some(before), true) = (inner.marks.playhead, inner.play.serial == serial) else { return };
            let passed_ms = (now - inner.play.last_ms).clamp(0.0, most_ms);
            inner.play.last_ms = now;
            let playhead = (before + passed_ms / 1000.0 * inner.play.speed).min(inner.end);
            inner.marks.playhead = Some(playhead);
            inner.view = followed(inner.view, playhead, inner.end);
            (inner.end <= playhead, inner.play.charts_ms + CHARTS_MS <= now)
        };
        self.look_again();
        if is_over {
            self.pause();
            return;
        }
        if are_charts_due {
            self.follow_by_charts();
        }
        self.next_picture(serial);
    }

    /// Restricts the charts to what was played.
    fn follow_by_charts(&self) {
        let (playhead, is_playing, end) = {
            let mut inner = self.0.borrow_mut();
            inner.play.charts_ms = browser::now_ms();
            (inner.marks.playhead, inner.play.is_playing, inner.end)
        };
        if let Some(playhead) = playhead {
            self.tell(Told::Brushed(Brush::between(0.0, playhead.max(1.0), end)));
            self.tell(Told::Played(Some(playhead), is_playing));
        }
    }

    /// Plays on to the next event, or to the next decision, and stands still there.
    pub(crate) fn play_to_next(&self, is_decision: bool) {
        let from = {
            let mut inner = self.0.borrow_mut();
            if std::mem::replace(&mut inner.is_walking, true) {
                return;
            }
            inner.play.is_playing = false;
            inner.play.serial += 1;
            inner.marks.playhead.unwrap_or(inner.view.from)
        };
        self.find_next(from, is_decision, move |this, found| {
            {
                let mut inner = this.0.borrow_mut();
                inner.is_walking = false;
                let playhead = found.map_or(inner.end, |(_, at_ns)| at_ns as f64);
                inner.marks.playhead = Some(playhead);
                inner.is_touched = true;
                inner.view = followed(inner.view, playhead, inner.end);
            }
            this.look_again();
            this.follow_by_charts();
            if let Some((run, at_ns)) = found.filter(|_| is_decision) {
                this.tell(Told::Chosen(run, None::<Row>, at_ns as f64));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slider_goes_from_a_microsecond_to_a_second_in_a_second() {
        assert!((speed_of(0) - 1e3).abs() < 1e-6);
        assert!((speed_of(FIRST_STEP) - 1e7).abs() < 1.0);
        assert!((speed_of(SPEED_STEPS) - 1e9).abs() < 1.0);
        assert!((speed_of(SPEED_STEPS + 5) - 1e9).abs() < 1.0);
    }

    #[test]
    fn the_view_gets_as_wide_as_the_speed_needs() {
        let end = 1e10;
        let whole = View::whole(end);
        assert_eq!(view_for(whole, 0.0, 1e9, end), whole, "ten seconds in ten seconds");
        let close = view_for(whole, 1e9, 1e6, end);
        assert!((close.span() - 8e6).abs() < 1.0 && close.share(1e9).abs() < 1e-6);
        let fit = View { from: 0.0, to: 1e7 };
        assert_eq!(view_for(fit, 0.0, 1e6, end), fit, "a view that somebody has chosen stays where it can");
    }

    #[test]
    fn the_view_follows_the_line() {
        let (end, view) = (1e9, View { from: 1e6, to: 2e6 });
        assert_eq!(followed(view, 1.5e6, end), view);
        assert!((followed(view, 1.9e6, end).share(1.9e6) - FOLLOWED_AT).abs() < 1e-9);
        assert!(followed(view, 0.5e6, end).share(0.5e6).abs() < 1e-9);
        assert!((followed(view, end, end).to - end).abs() < 1e-3, "it stops at the end of the run");
    }
}
