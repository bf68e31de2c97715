//! Which span of the run is in view, and how it moves.

/// The shortest span that can be looked at, in nanoseconds.
const CLOSEST_NS: f64 = 2_000.0;

/// A span of the run in nanoseconds of simulated time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    /// Its start.
    pub(crate) from: f64,
    /// Its end.
    pub(crate) to: f64,
}

impl View {
    /// The whole run.
    pub(crate) fn whole(end: f64) -> View {
        View { from: 0.0, to: end.max(CLOSEST_NS) }
    }

    /// How long it is.
    pub(crate) fn span(&self) -> f64 {
        self.to - self.from
    }

    /// Its middle.
    pub(crate) fn middle(&self) -> f64 {
        f64::midpoint(self.from, self.to)
    }

    /// The moment at a share of the width.
    pub(crate) fn at(&self, share: f64) -> f64 {
        self.from + share * self.span()
    }

    /// The share of the width at which a moment lies; outside of 0 to 1 it is not in view.
    pub(crate) fn share(&self, moment: f64) -> f64 {
        (moment - self.from) / self.span()
    }

    /// Zooms by `factor` (below 1 to look closer), keeping the moment at `share` in its place.
    pub(crate) fn zoomed(&self, share: f64, factor: f64, end: f64) -> View {
        let anchor = self.at(share);
        let span = (self.span() * factor).clamp(CLOSEST_NS, end.max(CLOSEST_NS));
        View { from: anchor - share * span, to: anchor + (1.0 - share) * span }.inside(end)
    }

    /// Moves by a share of the width; positive is later.
    pub(crate) fn panned(&self, share: f64, end: f64) -> View {
        let by = share * self.span();
        View { from: self.from + by, to: self.to + by }.inside(end)
    }

    /// The view that shows a span with room on both sides.
    pub(crate) fn around(from: f64, to: f64, end: f64) -> View {
        let room = ((to - from) * 0.6).max(20_000.0);
        View { from: from - room, to: to + room }.inside(end)
    }

    /// The nearest view of the same length that does not leave the run.
    fn inside(self, end: f64) -> View {
        let end = end.max(CLOSEST_NS);
        let span = self.span().min(end);
        let from = self.from.clamp(0.0, end - span);
        View { from, to: from + span }
    }
}

/// A time that a task was kept waiting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wait {
    /// The run that it is in, by its position.
    pub(crate) run: usize,
    /// When it was woken.
    pub(crate) from: f64,
    /// When it came to run.
    pub(crate) to: f64,
    /// The task.
    pub(crate) task: u32,
}

/// The wake-ups of a run that took at least `threshold_us`, in the order of time.
pub(crate) fn long_waits(run: usize, samples: &protocol::Samples, threshold_us: f32) -> Vec<Wait> {
    let rows = samples.latency_us.iter().zip(&samples.at_ms).zip(&samples.task).zip(&samples.from_wakeup);
    rows.filter(|(((latency, _), _), from_wakeup)| threshold_us <= **latency && **from_wakeup == 1)
        .map(|(((latency, at), task), _)| {
            let to = f64::from(*at) * 1e6;
            Wait { run, from: (to - f64::from(*latency) * 1e3).max(0.0), to, task: *task }
        })
        .collect()
}

/// The longest of the waits.
pub(crate) fn longest(waits: &[Wait]) -> Option<Wait> {
    waits.iter().copied().max_by(|a, b| (a.to - a.from).total_cmp(&(b.to - b.from)))
}

/// The wait after (or before) a moment, starting again at the other end where there is none.
pub(crate) fn next_wait(waits: &[Wait], moment: f64, is_forward: bool) -> Option<Wait> {
    // Backwards is forwards with time mirrored.
    let sign = if is_forward { 1.0 } else { -1.0 };
    let middle = |wait: &Wait| sign * f64::midpoint(wait.from, wait.to);
    let first = |waits: &mut dyn Iterator<Item = Wait>| waits.min_by(|a, b| middle(a).total_cmp(&middle(b)));
    // A view that was put around a wait has its middle there: that wait itself is not the next one.
    let near = 1_000.0;
    let mut after = waits.iter().copied().filter(|wait| sign * moment + near < middle(wait));
    first(&mut after).or_else(|| first(&mut waits.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: f64 = 1e9;

    #[test]
    fn zooming_keeps_the_moment_under_the_pointer() {
        let view = View::whole(10.0 * SECOND).zoomed(0.25, 0.5, 10.0 * SECOND);
        assert!((view.at(0.25) - 2.5 * SECOND).abs() < 1.0);
        assert!((view.span() - 5.0 * SECOND).abs() < 1.0);
    }

    #[test]
    fn zooming_out_ends_at_the_whole_run() {
        let end = 10.0 * SECOND;
        let view = View { from: 9.0 * SECOND, to: end }.zoomed(0.5, 1000.0, end);
        assert_eq!(view, View::whole(end));
    }

    #[test]
    fn zooming_in_ends_at_what_can_be_told_apart() {
        let view = View::whole(SECOND).zoomed(0.5, 1e-12, SECOND);
        assert!((view.span() - CLOSEST_NS).abs() < 1e-6);
    }

    #[test]
    fn panning_stops_at_the_ends() {
        let end = 10.0 * SECOND;
        let view = View { from: 0.0, to: SECOND };
        assert_eq!(view.panned(-0.5, end), view);
        assert_eq!(view.panned(100.0, end), View { from: 9.0 * SECOND, to: end });
    }

    #[test]
    fn a_view_around_a_wait_contains_it_with_room() {
        let view = View::around(3.0 * SECOND, 3.014 * SECOND, 10.0 * SECOND);
        assert!(0.1 < view.share(3.0 * SECOND) && view.share(3.014 * SECOND) < 0.9);
        let at_the_start = View::around(0.0, 1000.0, SECOND);
        assert!(0.0 <= at_the_start.from);
    }

    fn samples() -> protocol::Samples {
        protocol::Samples {
            latency_us: vec![40.0, 14_000.0, 5.0, 2_000.0],
            at_ms: vec![1010.0, 2030.0, 10_000.0, 3000.0],
            task: vec![3, 4, 5, 6],
            from_wakeup: vec![1, 1, 0, 1],
        }
    }

    #[test]
    fn long_waits_are_those_of_wake_ups_that_took_long() {
        let waits = long_waits(0, &samples(), 1000.0);
        assert_eq!(waits.iter().map(|wait| wait.task).collect::<Vec<_>>(), [4, 6]);
        assert!((waits[0].from - 2.016e9).abs() < 1.0);
        assert_eq!(longest(&waits).map(|wait| wait.task), Some(4));
    }

    #[test]
    fn stepping_through_waits_goes_round() {
        let waits = long_waits(0, &samples(), 1000.0);
        let after = |moment| next_wait(&waits, moment, true).map(|wait| wait.task);
        assert_eq!(after(0.0), Some(4));
        assert_eq!(after(f64::midpoint(waits[0].from, waits[0].to)), Some(6));
        assert_eq!(after(9e9), Some(4));
        let before = |moment| next_wait(&waits, moment, false).map(|wait| wait.task);
        assert_eq!(before(9e9), Some(6));
        assert_eq!(before(0.0), Some(6));
        assert_eq!(next_wait(&[], 0.0, true), None);
    }
}
