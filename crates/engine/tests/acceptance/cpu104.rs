//! C12: the cross-check of the wake list itself, on a machine with CPUs to spare.

use metrics::Rank;

use crate::runs::{over_few_seeds, scenario};

#[test]
fn c12_idle_cpus_that_enqueue_themselves_make_wake_ups_faster() {
    let scenario = scenario("cpu104-schbench", &[]);
    let [direct, list] = [0, 1].map(|column| over_few_seeds(&scenario, column));
    for (direct, list) in direct.iter().zip(&list) {
        for run in [direct, list] {
            assert!((6.0..=8.0).contains(&run.printed(Rank::P50)), "p50 {}", run.printed(Rank::P50));
            assert!(run.printed(Rank::P99) <= 13.0, "p99 {}", run.printed(Rank::P99));
        }
        assert!(0 < list.counters.wake_list_wakeups);
        assert!(list.printed(Rank::P50) <= direct.printed(Rank::P50));
        for rank in [Rank::P75, Rank::P90, Rank::P95, Rank::P99, Rank::P995, Rank::P999] {
            let (list, direct) = (list.printed(rank), direct.printed(rank));
            assert!(list < direct, "{rank:?}: {list} µs through the list, {direct} µs direct");
        }
    }
}
