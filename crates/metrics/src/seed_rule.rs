//! When a sample of runs passes a bar.
//!
//! A bar speaks of all seeds, a test sees some of them. A sample fails only where the bar, if it were just met, would
//! give so bad a sample less than once in a thousand times.

use crate::{Band, Interval};

/// The chance with which a bar that is just met fails a sample.
const FALSE_ALARM: f64 = 0.001;

/// The fewest of `runs` that must have a property of which a bar says "at least this share (0 to 1) of runs": the 0.1 %
/// quantile of the binomial distribution.
pub fn fewest_passing(share: f64, runs: usize) -> usize {
    binomial_quantile(share, runs, FALSE_ALARM)
}

/// The most of `runs` that may have a property of which a bar says "at most this share (0 to 1) of runs".
pub fn most_passing(share: f64, runs: usize) -> usize {
    runs - fewest_passing(1.0 - share, runs)
}

/// Whether a figure whose mean a bar puts into `bar` passes: the 99.9 % interval of the mean has a value in common with
/// it.
pub fn mean_touches(band: &Band, bar: Interval) -> bool {
    band.mean_interval.touches(bar)
}

/// Where a quantile (0 to 1) over all seeds lies, with a confidence of 99.9 %, by the order of the values alone.
///
/// A bar on a median or another quantile passes when this interval has a value in common with it. Infinite on a side on
/// which the sample is too small to say anything.
pub fn quantile_interval(sorted: &[f64], share: f64) -> Interval {
    let runs = sorted.len();
    // The quantile lies below the value at position k (from 0) only if at most k runs are below it.
    let fewest_below = binomial_quantile(share, runs, FALSE_ALARM / 2.0);
    let most_below = runs - binomial_quantile(1.0 - share, runs, FALSE_ALARM / 2.0);
    let from = fewest_below.checked_sub(1).map_or(f64::NEG_INFINITY, |position| sorted[position]);
    let to = sorted.get(most_below).copied().unwrap_or(f64::INFINITY);
    Interval { from, to }
}

/// The smallest count whose distribution function reaches `probability`, among `runs` of which each has the property
/// with chance `share`.
fn binomial_quantile(share: f64, runs: usize, probability: f64) -> usize {
    debug_assert!((0.0..=1.0).contains(&share), "a share lies between 0 and 1");
    if share <= 0.0 {
        return 0;
    }
    if 1.0 <= share {
        return runs;
    }
    let weights = binomial_weights(share, runs);
    let bound = probability * weights.iter().sum::<f64>();
    let mut running = 0.0;
    for (count, weight) in weights.iter().enumerate() {
        running += weight;
        if bound <= running {
            return count;
        }
    }
    runs
}

/// The binomial probabilities up to one common factor. They start from 1 at the most likely count and go outward by
/// ratios, so that nothing overflows and only what is too unlikely to matter becomes 0.
fn binomial_weights(share: f64, runs: usize) -> Vec<f64> {
    let odds = share / (1.0 - share);
    let mode = (share * (runs + 1) as f64) as usize;
    let mode = mode.min(runs);
    let mut weights = vec![1.0; runs + 1];
    for count in mode + 1..=runs {
        weights[count] = weights[count - 1] * odds * (runs - count + 1) as f64 / count as f64;
    }
    for count in (0..mode).rev() {
        weights[count] = weights[count + 1] * (count + 1) as f64 / ((runs - count) as f64 * odds);
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P(X <= 1) of 10 fair throws is 11/1024 and P(X <= 0) is 1/1024 = 0.00098, just below 0.1 %.
    #[test]
    fn small_cases_agree_with_counting_by_hand() {
        assert_eq!(binomial_quantile(0.5, 10, 0.001), 1);
        assert_eq!(binomial_quantile(0.5, 10, 1.0 / 1024.0), 0);
        assert_eq!(binomial_quantile(0.5, 10, 11.5 / 1024.0), 2);
        // (1/4)^2 = 0.0625, plus 2 * 3/16 = 0.4375.
        assert_eq!(binomial_quantile(0.75, 2, 0.06), 0);
        assert_eq!(binomial_quantile(0.75, 2, 0.07), 1);
        assert_eq!(binomial_quantile(0.75, 2, 0.45), 2);
    }

    #[test]
    fn weights_are_the_exact_probabilities_up_to_a_factor() {
        let weights = binomial_weights(0.3, 5);
        let exact = [0.168_07, 0.360_15, 0.308_7, 0.132_3, 0.028_35, 0.002_43];
        let sum: f64 = weights.iter().sum();
        for (weight, exact) in weights.iter().zip(exact) {
            assert!((weight / sum - exact).abs() < 1e-12);
        }
    }

    /// Values of the binomial distribution function that were computed with exact fractions elsewhere.
    #[test]
    fn the_fewest_for_the_bars_of_the_seed_command() {
        assert_eq!(fewest_passing(0.95, 200), 179);
        assert_eq!(fewest_passing(0.75, 200), 130);
        assert_eq!(fewest_passing(0.90, 200), 166);
        assert_eq!(fewest_passing(1.0, 200), 200);
        assert_eq!(most_passing(0.05, 200), 21);
        assert_eq!(most_passing(0.0, 200), 0);
    }

    #[test]
    fn large_samples_neither_overflow_nor_vanish() {
        let fewest = fewest_passing(0.5, 1_000_000);
        // 3.09 deviations of 500 below the half.
        assert!((498_440..=498_470).contains(&fewest), "{fewest}");
        assert_eq!(fewest_passing(0.999_999, 10), 10);
    }

    #[test]
    fn a_mean_passes_when_its_interval_touches_the_bar() {
        let band = Band::of(&[3.0, 4.0, 5.0, 4.0, 4.0, 3.5, 4.5, 4.0]).expect("there are values");
        assert!(mean_touches(&band, Interval { from: 3.0, to: 6.0 }));
        assert!(mean_touches(&band, Interval { from: 4.5, to: 6.0 }));
        assert!(!mean_touches(&band, Interval { from: 6.0, to: 7.0 }));
    }

    #[test]
    fn a_quantile_lies_between_order_statistics() {
        let sorted: Vec<f64> = (1..=200).map(f64::from).collect();
        let median = quantile_interval(&sorted, 0.5);
        // 3.29 deviations of sqrt(50) around the half, 100.5, on both sides.
        assert_eq!((median.from, median.to), (77.0, 124.0));
        let few = quantile_interval(&[1.0, 2.0, 3.0], 0.5);
        assert_eq!((few.from, few.to), (f64::NEG_INFINITY, f64::INFINITY));
    }
}
