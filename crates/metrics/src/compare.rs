use crate::Band;

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
    fn ratios_are_taken_seed_by_seed() {
        let paired = PairedBand::of(&[100.0, 10.0, 5.0], &[1.0, 10.0, 0.0]).expect("values of equal number");
        let ratio = paired.ratio.expect("two seeds have one");
        assert_eq!((ratio.runs, ratio.min, ratio.max), (2, 1.0, 100.0));
        assert_eq!((paired.base.median, paired.patched.median), (10.0, 1.0));
        assert_eq!(PairedBand::of(&[1.0], &[]), None);
        assert_eq!(PairedBand::of(&[], &[]), None);
    }
}
