//! The interval to which somebody restricts the charts.

use super::view::View;

/// An interval of simulated time that every chart is to show alone; it is never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Brush {
    /// Its start in nanoseconds from the start of the run.
    pub(crate) from_ns: u64,
    /// Its end.
    pub(crate) to_ns: u64,
}

impl Brush {
    /// The interval between two moments in nanoseconds, in either order, as far as it lies in a run that ends at `end`.
    pub(crate) fn between(one: f64, other: f64, end: f64) -> Option<Brush> {
        let inside = |moment: f64| moment.clamp(0.0, end.max(0.0)) as u64;
        let (from_ns, to_ns) = (inside(one.min(other)), inside(one.max(other)));
        (from_ns < to_ns).then_some(Brush { from_ns, to_ns })
    }

    /// The same as a span of the view's kind.
    pub(crate) fn span(self) -> View {
        View { from: self.from_ns as f64, to: self.to_ns as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_its_ends_in_order_and_inside_of_the_run() {
        let brush = Brush { from_ns: 100, to_ns: 900 };
        assert_eq!(Brush::between(100.0, 900.0, 1000.0), Some(brush));
        assert_eq!(Brush::between(900.0, 100.0, 1000.0), Some(brush));
        assert_eq!(Brush::between(-5.0, 4000.0, 1000.0), Some(Brush { from_ns: 0, to_ns: 1000 }));
    }

    #[test]
    fn an_interval_is_never_empty() {
        assert_eq!(Brush::between(100.0, 100.4, 1000.0), None);
        assert_eq!(Brush::between(2000.0, 3000.0, 1000.0), None);
    }
}
