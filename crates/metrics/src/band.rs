/// One figure over many seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// How many runs.
    pub runs: usize,
    /// The smallest value.
    pub min: f64,
    /// 2.5 % of the runs are below.
    pub low: f64,
    /// The lower quartile.
    pub quarter: f64,
    /// The median.
    pub median: f64,
    /// The upper quartile.
    pub three_quarters: f64,
    /// 97.5 % of the runs are below.
    pub high: f64,
    /// The largest value.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// Where the mean over all seeds lies, with a confidence of 99.9 %.
    pub mean_interval: Interval,
}

/// All values from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The smallest.
    pub from: f64,
    /// The largest.
    pub to: f64,
}

impl Band {
    /// The band of the values of some runs; `None` where there are none or one of them is not a number.
    pub fn of(values: &[f64]) -> Option<Band> {
        if values.is_empty() || values.iter().any(|value| value.is_nan()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mean = mean(values);
        let half = mean_half_width(values, mean);
        Some(Band {
            runs: sorted.len(),
            min: sorted[0],
            low: quantile(&sorted, 0.025),
            quarter: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            three_quarters: quantile(&sorted, 0.75),
            high: quantile(&sorted, 0.975),
            max: sorted[sorted.len() - 1],
            mean,
            mean_interval: Interval { from: mean - half, to: mean + half },
        })
    }
}

impl Interval {
    /// Whether two intervals have a value in common.
    pub fn touches(&self, other: Interval) -> bool {
        self.from <= other.to && other.from <= self.to
    }

    /// Whether a value lies in it.
    pub fn contains(&self, value: f64) -> bool {
        self.from <= value && value <= self.to
    }
}

/// The value below which a share (0 to 1) of ascending values lies, interpolated between neighbours.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    debug_assert!(!sorted.is_empty() && (0.0..=1.0).contains(&share));
    let position = share * (sorted.len() - 1) as f64;
    let below = position as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let part = position - below as f64;
    // Written so that equal neighbours give exactly their value.
    sorted[below] + (sorted[above] - sorted[below]) * part
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Half of the 99.9 % interval of the mean, by Student's distribution; infinite for a single run.
fn mean_half_width(values: &[f64], mean: f64) -> f64 {
    if values.len() < 2 {
        return f64::INFINITY;
    }
    let degrees = values.len() - 1;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let deviation = (squares / degrees as f64).sqrt();
    student_9995(degrees) * deviation / (values.len() as f64).sqrt()
}

/// The 99.95 % quantile of Student's distribution, which leaves 0.1 % outside on both sides together.
///
/// A table up to 30 degrees of freedom, above it the first terms of the expansion around the normal distribution,
/// which are right to three decimals there.
fn student_9995(degrees: usize) -> f64 {
    const TABLE: [f64; 30] = [
        636.619, 31.599, 12.924, 8.610, 6.869, 5.959, 5.408, 5.041, 4.781, 4.587, 4.437, 4.318, 4.221, 4.140,
        4.073, 4.015, 3.965, 3.922, 3.883, 3.850, 3.819, 3.792, 3.768, 3.745, 3.725, 3.707, 3.690, 3.674,
        3.659, 3.646,
    ];
    const NORMAL: f64 = 3.290_526_731;
    if let Some(value) = TABLE.get(degrees - 1) {
        return *value;
    }
    let degrees = degrees as f64;
    let z = NORMAL;
    let (z3, z5, z7) = (z * z * z, z * z * z * z * z, z * z * z * z * z * z * z);
    let first = (z3 + z) / 4.0;
    let second = (5.0 * z5 + 16.0 * z3 + 3.0 * z) / 96.0;
    let third = (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / 384.0;
    z + (first + (second + third / degrees) / degrees) / degrees
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64, within: f64) {
        assert!((left - right).abs() <= within, "{left} is not {right}");
    }

    #[test]
    fn a_band_orders_its_values_whatever_the_order_of_the_runs() {
        let values: Vec<f64> = (0..=200).map(|position| f64::from(position * 7 % 201)).collect();
        let band = Band::of(&values).expect("there are values");
        assert_eq!((band.min, band.low, band.quarter, band.median), (0.0, 5.0, 50.0, 100.0));
        assert_eq!((band.three_quarters, band.high, band.max), (150.0, 195.0, 200.0));
        assert_eq!((band.runs, band.mean), (201, 100.0));
    }

    #[test]
    fn quantiles_interpolate_between_neighbours() {
        let sorted = [10.0, 20.0, 40.0];
        close(quantile(&sorted, 0.25), 15.0, 1e-12);
        close(quantile(&sorted, 0.75), 30.0, 1e-12);
        close(quantile(&sorted, 1.0), 40.0, 0.0);
        close(quantile(&[7.0], 0.5), 7.0, 0.0);
    }

    #[test]
    fn no_values_or_a_value_that_is_no_number_make_no_band() {
        assert_eq!(Band::of(&[]), None);
        assert_eq!(Band::of(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn the_interval_of_the_mean_follows_students_distribution() {
        let band = Band::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("there are values");
        // Deviation sqrt(2.5), four degrees of freedom.
        close(band.mean_interval.to - 3.0, 8.610 * (2.5_f64 / 5.0).sqrt(), 1e-9);
        close(3.0 - band.mean_interval.from, 8.610 * (2.5_f64 / 5.0).sqrt(), 1e-9);
        let one = Band::of(&[4.0]).expect("there is a value");
        assert_eq!((one.mean_interval.from, one.mean_interval.to), (f64::NEG_INFINITY, f64::INFINITY));
        let same = Band::of(&[4.0; 50]).expect("there are values");
        assert_eq!(same.mean_interval, Interval { from: 4.0, to: 4.0 });
    }

    #[test]
    fn the_expansion_agrees_with_the_printed_tables() {
        for (degrees, value) in [(40, 3.551), (60, 3.460), (100, 3.390), (120, 3.373), (1_000, 3.300)] {
            close(student_9995(degrees), value, 0.0006);
        }
        close(student_9995(1_000_000_000), 3.2905, 0.0001);
        close(student_9995(30), student_9995(31), 0.02);
    }

    #[test]
    fn intervals_touch_when_they_share_a_value() {
        let interval = Interval { from: 1.0, to: 2.0 };
        assert!(interval.touches(Interval { from: 2.0, to: 3.0 }));
        assert!(!interval.touches(Interval { from: 2.1, to: 3.0 }));
        assert!(interval.contains(1.0) && !interval.contains(0.9));
    }
}
