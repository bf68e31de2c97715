//! How many CPUs an idle search may look at.

/// `SCHED_CAPACITY_SCALE`: the capacity and the full utilisation of a CPU.
const CAPACITY_SCALE: u64 = 1024;

/// The limit in proportion to the waking CPU's idle time: what of the average idle time may be spent, over what
/// looking at a CPU's cache has cost; at least 3. `avg_idle_ns` is the waking CPU's average idle span,
/// `avg_scan_cost_ns` its average cost of a scan, `llc_weight` the CPUs that share the cache.
///
/// Kernel: fair.c select_idle_cpu() under `SIS_PROP`, v4.18…v5.12
/// Differs: the number of CPUs that are looked at, which is the kernel's count less one, because the kernel counts
/// down before it looks.
#[inline]
pub fn sis_prop_limit(avg_idle_ns: u64, avg_scan_cost_ns: u64, llc_weight: u32) -> u32 {
    // The average idle time says little about the next span, so that only a small part of it is used.
    let span_avg = u64::from(llc_weight).saturating_mul(avg_idle_ns / 512);
    let avg_cost = avg_scan_cost_ns.saturating_add(1);
    let count = if avg_cost.saturating_mul(4) < span_avg { span_avg / avg_cost } else { 4 };
    u32::try_from(count - 1).unwrap_or(u32::MAX)
}

/// The limit by how much the cache's CPUs are used: all of them at rest, none from about 1 / `imbalance_pct` of full
/// use on. `sum_util` is the sum of the CPUs' utilisation, 1024 for a full one; `llc_weight` their number, at least 1;
/// `imbalance_pct` that of the domain that spans the cache.
///
/// Kernel: fair.c update_idle_cpu_scan(), v6.0…v6.18
/// Differs: nothing; the kernel computes it at balances of the cache's domain that are not newidle ones.
pub fn sis_util_nr_idle_scan(sum_util: u64, llc_weight: u32, imbalance_pct: u32) -> u32 {
    let scaled_util = (sum_util / u64::from(llc_weight)).saturating_mul(u64::from(imbalance_pct));
    let used = scaled_util.saturating_mul(scaled_util) / (100 * 100 * CAPACITY_SCALE);
    let spare = CAPACITY_SCALE - used.min(CAPACITY_SCALE);
    // Never more than the weight itself, which has 32 bits.
    (u64::from(llc_weight) * spare / CAPACITY_SCALE) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_three_cpus_are_looked_at_in_proportion() {
        assert_eq!(sis_prop_limit(0, 0, 4), 3);
        assert_eq!(sis_prop_limit(1_000_000, 1_000_000, 4), 3);
        // 4 × (1 ms / 512) = 7812 ns to spend: five times 1562 ns, which lets all four CPUs be looked at.
        assert_eq!(sis_prop_limit(1_000_000, 1_561, 4), 4);
        assert_eq!(sis_prop_limit(1_000_000, 1_562, 4), 3);
        assert_eq!(sis_prop_limit(1_000_000, 0, 4), 7811);
    }

    #[test]
    fn no_input_overflows() {
        assert_eq!(sis_prop_limit(u64::MAX, 0, u32::MAX), u32::MAX);
        assert_eq!(sis_prop_limit(u64::MAX, u64::MAX, u32::MAX), 3);
        assert_eq!(sis_util_nr_idle_scan(u64::MAX, 1, u32::MAX), 0);
        assert_eq!(sis_util_nr_idle_scan(0, u32::MAX, u32::MAX), u32::MAX);
    }

    /// The table of the change that brought it (70fb5ccf2ebb): 112 CPUs, utilisation in percent.
    #[test]
    fn the_published_table_of_112_cpus_comes_out() {
        let percents = [0, 5, 15, 25, 35, 45, 55, 65, 75, 85, 86];
        let limits = percents.map(|percent| sis_util_nr_idle_scan(112 * 1024 * percent / 100, 112, 117));
        assert_eq!(limits, [112, 111, 108, 102, 93, 81, 65, 47, 25, 1, 0]);
    }

    #[test]
    fn half_busy_guests_scan_and_saturated_clusters_do_not() {
        assert_eq!(sis_util_nr_idle_scan(16 * 1024, 32, 117), 21);
        assert_eq!(sis_util_nr_idle_scan(4 * 1000, 4, 117), 0);
        // Divided before squared: a remainder of the sum is lost.
        assert_eq!(sis_util_nr_idle_scan(32 * 874 + 31, 32, 117), sis_util_nr_idle_scan(32 * 874, 32, 117));
        assert_eq!(sis_util_nr_idle_scan(32 * 851, 32, 117), 1);
        assert_eq!(sis_util_nr_idle_scan(32 * 876, 32, 117), 0);
    }
}
