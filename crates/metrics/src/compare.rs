use crate::{Band, Percentiles, Rank};

/// A percentile before and after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PercentileChange {
    /// Which.
    pub rank: Rank,
    /// Of the base column, in microseconds.
    pub base_us: u64,
    /// Of the other column, in microseconds.
    pub patched_us: u64,
    /// Base divided by the other: above 1 the other is better. `None` where the other is 0.
    pub ratio: Option<f64>,
}

/// Every percentile of two runs side by side.
pub fn percentile_changes(base: &Percentiles, patched: &Percentiles) -> [PercentileChange; 7] {
    Rank::ALL.map(|rank| {
        let (base_us, patched_us) = (base.get(rank), patched.get(rank));
        PercentileChange { rank, base_us, patched_us, ratio: ratio(base_us as f64, patched_us as f64) }
    })
}

/// One figure of two columns over the same seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedBand {
    /// Of the base column.
    pub base: Band,
    /// Of the other column.
    pub patched: Band,
    /// Of base divided by the other, seed by seed; seeds whose other is 0 are left out. `None` where none is left.
    pub ratio: Option<Band>,
}

impl PairedBand {
    /// The bands of two columns whose values belong to the same seeds in the same order; `None` where there are none,
    /// their numbers differ, or one of them is not a number.
    pub fn of(base: &[f64], patched: &[f64]) -> Option<PairedBand> {
        if base.len() != patched.len() {
            return None;
        }
        let pairs = base.iter().zip(patched);
        let ratios: Vec<f64> = pairs.filter_map(|(base, patched)| ratio(*base, *patched)).collect();
        Some(PairedBand { base: Band::of(base)?, patched: Band::of(patched)?, ratio: Band::of(&ratios) })
    }
}

fn ratio(base: f64, patched: f64) -> Option<f64> {
    (patched != 0.0).then(|| base / patched)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_table_of_the_hikey() {
        let base = Percentiles::from_values([33, 45, 51, 4152, 14288, 14288, 14288]);
        let patched = Percentiles::from_values([34, 47, 52, 78, 94, 94, 94]);
        let changes = percentile_changes(&base, &patched);
        assert_eq!((changes[4].rank, changes[4].base_us, changes[4].patched_us), (Rank::P99, 14288, 94));
        assert_eq!(changes[4].ratio, Some(152.0));
        assert!(changes[0].ratio.is_some_and(|ratio| ratio < 1.0));
        let none = percentile_changes(&base, &Percentiles::default());
        assert_eq!(none[0].ratio, None);
    }

    #[test]
    fn ratios_are_taken_seed_by_seed() {
        let paired = PairedBand::of(&[100.0, 10.0, 5.0], &[1.0, 10.0, 0.0]).expect("values of equal number");
        let ratio = paired.ratio.expect("two seeds have one");
        assert_eq!((ratio.runs, ratio.min, ratio.max), (2, 1.0, 100.0));
        assert_eq!((paired.base.median, paired.patched.median), (10.0, 1.0));
        assert_eq!(PairedBand::of(&[1.0], &[]), None);
        assert_eq!(PairedBand::of(&[], &[]), None);
    }
}
