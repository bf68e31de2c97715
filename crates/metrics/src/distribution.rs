/// A bin of a distribution for a chart with a logarithmic axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The smallest latency that belongs to it, in microseconds.
    pub from_us: u64,
    /// The smallest latency that no longer belongs to it; the last of all bins, beyond two hours, has no end.
    pub below_us: u64,
    /// How many latencies.
    pub count: u32,
}

/// Ten steps to a decade, 10^(n/10), in thousandths and rounded up.
const STEPS: [u64; 10] = [1_000, 1_259, 1_585, 1_996, 2_512, 3_163, 3_982, 5_012, 6_310, 7_944];

/// Latencies (in microseconds, from 1) in bins of a tenth of a decade. All bins from that of the smallest to that of the
/// largest latency are given, the empty ones between them too; below 10 µs, where whole microseconds are wider, a bin is
/// a microsecond or two.
pub fn log_bins(latencies_us: impl IntoIterator<Item = u64>) -> Vec<Bin> {
    let mut sorted: Vec<u64> = latencies_us.into_iter().filter(|latency| 0 < *latency).collect();
    sorted.sort_unstable();
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let mut bins = Vec::new();
    let mut counted = 0;
    let mut edges = edges().peekable();
    while let Some(from_us) = edges.next() {
        let below_us = edges.peek().copied().unwrap_or(u64::MAX);
        let is_last = below_us == u64::MAX;
        if below_us <= *first {
            continue;
        }
        if *last < from_us {
            break;
        }
        let up_to = sorted.partition_point(|latency| is_last || *latency < below_us);
        bins.push(Bin { from_us, below_us, count: (up_to - counted) as u32 });
        counted = up_to;
    }
    bins
}

/// The lower ends of the bins up to 10^10 µs, without those that whole microseconds cannot tell apart.
fn edges() -> impl Iterator<Item = u64> {
    let decades = (0..10).map(|power| 10_u64.pow(power));
    let edges = decades.flat_map(|decade| STEPS.map(|step| (step * decade).div_ceil(1_000)));
    let mut previous = 0;
    edges.filter(move |edge| {
        let new = previous < *edge;
        previous = *edge;
        new
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_rise_and_hit_the_decades() {
        let all: Vec<u64> = edges().collect();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(all[..9], [1, 2, 3, 4, 6, 7, 8, 10, 13]);
        for decade in [1, 10, 100, 1_000, 10_000] {
            assert!(all.contains(&decade));
        }
    }

    #[test]
    fn every_latency_is_in_one_bin_and_gaps_stay_visible() {
        let latencies = [33, 34, 33, 45, 51, 14_276];
        let bins = log_bins(latencies);
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u32>(), 6);
        assert!(bins.windows(2).all(|pair| pair[0].below_us == pair[1].from_us));
        for bin in &bins {
            let inside =
                latencies.iter().filter(|latency| (bin.from_us..bin.below_us).contains(latency)).count();
            assert_eq!(bin.count as usize, inside);
        }
        assert!(bins[0].from_us <= 33 && 33 < bins[0].below_us);
        assert!(bins.iter().filter(|bin| bin.count == 0).count() > 10);
    }

    #[test]
    fn nothing_has_no_bins() {
        assert_eq!(log_bins([]), []);
        assert_eq!(log_bins([0]), [], "schbench never records 0");
    }

    #[test]
    fn the_largest_value_is_counted() {
        let bins = log_bins([u64::MAX, 5]);
        assert_eq!(bins.last().map(|bin| bin.count), Some(1));
    }
}
