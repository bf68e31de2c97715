//! From values to pixels: linear and logarithmic scales and the ticks of their axes.

/// A scale whose equal distances are equal ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LogScale {
    domain: (f64, f64),
    range: (f64, f64),
}

/// A scale whose equal distances are equal differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinearScale {
    domain: (f64, f64),
    range: (f64, f64),
}

/// A tick of a logarithmic axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LogTick {
    /// Where.
    pub(crate) value: f64,
    /// A power of ten, which is labelled; others only help the eye.
    pub(crate) is_decade: bool,
}

impl LogScale {
    /// A scale over `domain`, both ends positive and apart, drawn over `range`.
    pub(crate) fn new(domain: (f64, f64), range: (f64, f64)) -> LogScale {
        let low = domain.0.max(1e-3);
        let high = domain.1.max(low * 1.001);
        LogScale { domain: (low, high), range }
    }

    /// The scale that holds every value, its ends rounded outward to 1, 2 or 5 times a power of ten.
    pub(crate) fn covering(
        values: impl IntoIterator<Item = f64>,
        at_least: (f64, f64),
        range: (f64, f64),
    ) -> LogScale {
        let (mut low, mut high) = at_least;
        for value in values {
            if value.is_finite() && 0.0 < value {
                low = low.min(value);
                high = high.max(value);
            }
        }
        LogScale::new((round_down(low), round_up(high)), range)
    }

    /// Where a value is drawn; values outside lie on the edge.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.domain.0, self.domain.1);
        let share = (value / self.domain.0).ln() / (self.domain.1 / self.domain.0).ln();
        self.range.0 + share * (self.range.1 - self.range.0)
    }

    /// The ends.
    #[cfg(test)]
    fn domain(&self) -> (f64, f64) {
        self.domain
    }

    /// 1 to 9 times every power of ten inside.
    pub(crate) fn ticks(&self) -> Vec<LogTick> {
        let mut ticks = Vec::new();
        let mut decade = 10_f64.powi(self.domain.0.log10().floor() as i32);
        while decade <= self.domain.1 * 1.000_001 {
            for step in 1..10 {
                let value = decade * f64::from(step);
                if self.domain.0 * 0.999_999 <= value && value <= self.domain.1 * 1.000_001 {
                    ticks.push(LogTick { value, is_decade: step == 1 });
                }
            }
            decade *= 10.0;
        }
        ticks
    }
}

impl LinearScale {
    /// A scale over `domain` drawn over `range`.
    pub(crate) fn new(domain: (f64, f64), range: (f64, f64)) -> LinearScale {
        LinearScale { domain, range }
    }

    /// Where a value is drawn.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let width = self.domain.1 - self.domain.0;
        let share = if width == 0.0 { 0.0 } else { (value - self.domain.0) / width };
        self.range.0 + share * (self.range.1 - self.range.0)
    }

    /// About `wanted` round values inside.
    pub(crate) fn ticks(&self, wanted: usize) -> Vec<f64> {
        let step = round_step((self.domain.1 - self.domain.0) / wanted.max(1) as f64);
        if step <= 0.0 || !step.is_finite() {
            return Vec::new();
        }
        let first = (self.domain.0 / step).ceil() as i64;
        let last = (self.domain.1 / step + 1e-9).floor() as i64;
        (first..=last).map(|tick| tick as f64 * step).collect()
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `step`.
pub(crate) fn round_step(step: f64) -> f64 {
    if step <= 0.0 || !step.is_finite() { 0.0 } else { round_up(step) }
}

fn round_up(value: f64) -> f64 {
    let decade = 10_f64.powi(value.log10().floor() as i32);
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|step| step * decade)
        .find(|round| value <= round * 1.000_000_1)
        .unwrap_or(decade * 10.0)
}

fn round_down(value: f64) -> f64 {
    let decade = 10_f64.powi(value.log10().floor() as i32);
    [5.0, 2.0, 1.0]
        .into_iter()
        .map(|step| step * decade)
        .find(|round| round * 0.999_999_9 <= value)
        .unwrap_or(decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_scale_gives_each_decade_the_same_width() {
        let scale = LogScale::new((1.0, 1000.0), (0.0, 300.0));
        assert!((scale.at(10.0) - 100.0).abs() < 1e-9);
        assert!((scale.at(100.0) - 200.0).abs() < 1e-9);
        assert!((scale.at(1e9) - 300.0).abs() < 1e-9, "a value outside lies on the edge");
    }

    #[test]
    fn a_covering_scale_ends_on_round_values() {
        let scale = LogScale::covering([31.0, 14_672.0], (20.0, 100.0), (0.0, 1.0));
        assert_eq!(scale.domain(), (20.0, 20_000.0));
        let empty = LogScale::covering([], (10.0, 1000.0), (0.0, 1.0));
        assert_eq!(empty.domain(), (10.0, 1000.0));
    }

    #[test]
    fn log_ticks_mark_decades() {
        let decades: Vec<f64> = LogScale::new((20.0, 20_000.0), (0.0, 1.0))
            .ticks()
            .into_iter()
            .filter(|tick| tick.is_decade)
            .map(|tick| tick.value)
            .collect();
        assert_eq!(decades, [100.0, 1000.0, 10_000.0]);
    }

    #[test]
    fn linear_ticks_are_round_and_inside() {
        assert_eq!(LinearScale::new((0.0, 42.0), (0.0, 1.0)).ticks(4), [0.0, 20.0, 40.0]);
        assert_eq!(LinearScale::new((3.2, 3.9), (0.0, 1.0)).ticks(3).len(), 1);
        assert!(LinearScale::new((1.0, 1.0), (0.0, 1.0)).ticks(4).is_empty(), "no width, no ticks");
    }
}
