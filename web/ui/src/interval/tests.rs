use protocol::{MetricInfo, Percentile};

use super::*;

fn run(samples: &[(f32, f32)]) -> RunSummary {
    let metric = |key: &str| Metric {
        info: MetricInfo { key: key.to_owned(), label: String::new(), unit: String::new(), decimals: 0 },
        value: -1.0,
    };
    let percentile = |key: &str| Percentile { key: key.to_owned(), label: String::new(), value_us: -1.0 };
    RunSummary {
        column_name: "base".to_owned(),
        percentiles: ["p50_us", "p995_us"].map(percentile).into(),
        metrics: ["p50_us", "max_us", "samples", "wakes_over_1ms", "share_over_1ms", "switches"]
            .map(metric)
            .into(),
        samples: Samples {
            at_ms: samples.iter().map(|(at, _)| *at).collect(),
            latency_us: samples.iter().map(|(_, latency)| *latency).collect(),
            task: vec![1; samples.len()],
            from_wakeup: vec![1; samples.len()],
        },
        text: "printed".to_owned(),
        ..RunSummary::default()
    }
}

#[test]
fn only_what_was_recorded_inside_counts() {
    let run = run(&[(10.0, 30.0), (20.0, 40.0), (30.0, 14_276.0), (40.0, 50.0), (50.0, 9000.0)]);
    let part = inside(&run, Brush { from_ns: 20_000_000, to_ns: 40_000_000 });
    assert_eq!(part.samples.latency_us, [40.0, 14_276.0, 50.0]);
    assert_eq!(part.percentiles.iter().map(|one| one.value_us).collect::<Vec<_>>(), [50.0, 14_288.0]);
    let value = |key| part.metric(key);
    assert_eq!(value("p50_us"), Some(50.0));
    assert_eq!((value("max_us"), value("samples")), (Some(14_276.0), Some(3.0)));
    assert_eq!((value("wakes_over_1ms"), value("share_over_1ms")), (Some(1.0), Some(1.0 / 3.0)));
    assert_eq!(value("switches"), None, "only the whole run has that");
    assert_eq!(part.histogram.count, [1, 1, 1]);
    assert_eq!((part.histogram.from_us[2], part.histogram.to_us[2]), (14_272, 14_303));
    assert_eq!(part.text, "", "what was printed is of the whole run");
}

#[test]
fn an_interval_without_latencies_has_none() {
    let part = inside(&run(&[(10.0, 30.0)]), Brush { from_ns: 0, to_ns: 1 });
    assert!(part.samples.latency_us.is_empty() && part.histogram.count.is_empty());
    assert_eq!(part.metric("samples"), Some(0.0));
}

#[test]
fn buckets_are_those_of_the_benchmark() {
    // Worked by hand from its rule: below 512 exact, then 256 to a power of two.
    let of = |us| {
        let Bucket { from_us, to_us, value_us, .. } = Bucket::of(us);
        (from_us, to_us, value_us)
    };
    assert_eq!(of(0), (0, 0, 0));
    assert_eq!(of(511), (511, 511, 511));
    assert_eq!(of(513), (512, 513, 513));
    assert_eq!(of(1023), (1022, 1023, 1023));
    assert_eq!(of(14_276), (14_272, 14_303, 14_288));
}

#[test]
fn keys_of_percentiles_name_their_rank() {
    assert_eq!(["p50_us", "p99_us", "p995_us", "p999_us"].map(per_mille), [500, 990, 995, 999].map(Some));
    assert_eq!(["max_us", "pulls", "p_us"].map(per_mille), [None; 3]);
}

#[test]
fn sums_of_an_interval_replace_those_of_the_one_before() {
    let mut interval = Interval::default();
    let part = |to_ns| PartWork { brush: Brush { from_ns: 0, to_ns }, work: Err("gone".to_owned()) };
    interval.summed_up(1, part(5));
    interval.summed_up(1, part(6));
    assert_eq!(interval.works, [None, Some(part(6))]);
    interval.restrict(Some(Brush { from_ns: 0, to_ns: 7 }), &[]);
    assert_eq!(interval.works.len(), 2, "they stay until the next ones are there");
    interval.restrict(None, &[]);
    assert_eq!(interval, Interval::default());
}
