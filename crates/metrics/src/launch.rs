//! The figures of an application's launch.

use crate::figures::{Metric, metric, millis};

/// What is known of one launch: spans of time in nanoseconds, from the request to start the application to its first frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchFacts {
    /// How long it took; until the end of the run where no frame was shown.
    pub launch_ns: u64,
    /// Where the main thread's time went.
    pub main: MainThread,
    /// Times that a real-time thread preempted a fair one although an idle CPU was at hand: one that it was allowed on, in
    /// the lowest domain of the CPU on which it ran last.
    pub avoidable_rt_preemptions: u64,
    /// Times that a real-time thread preempted a fair one.
    pub rt_preemptions: u64,
    /// Surfaceflinger's frames.
    pub sf_frames: u64,
    /// Their wall time, summed up.
    pub sf_wall_ns: u64,
    /// Frames that were complete too late for their vsync, or never drawn.
    pub sf_missed_vsyncs: u64,
}

/// Where the main thread's time went; the parts add up to the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MainThread {
    /// Before it was created, and after it has handed over its last frame and ended.
    pub absent_ns: u64,
    /// On a CPU.
    pub running_ns: u64,
    /// Runnable while a real-time thread had its CPU.
    pub behind_rt_ns: u64,
    /// Runnable while a fair thread had its CPU.
    pub behind_fair_ns: u64,
    /// Runnable while its CPU was on the way to it.
    pub waking_ns: u64,
    /// Asleep until I/O is complete.
    pub io_ns: u64,
    /// Asleep for any other reason.
    pub sleeping_ns: u64,
}

/// The figures of a launch, the time that it took first.
pub(crate) fn launch_metrics(facts: &LaunchFacts) -> Vec<Metric> {
    let span = |key, label, nanos| metric(key, label, "ms", 2, millis(nanos));
    let count = |key, label, count: u64| metric(key, label, "", 0, count as f64);
    let LaunchFacts { main, sf_frames, sf_wall_ns, .. } = *facts;
    let frame_ms = if sf_frames == 0 { 0.0 } else { millis(sf_wall_ns) / sf_frames as f64 };
    vec![
        span("launch_ms", "Launch time", facts.launch_ns),
        span("main_running_ms", "Main thread running", main.running_ns),
        span("main_wait_rt_ms", "Waiting behind real-time threads", main.behind_rt_ns),
        span("main_wait_fair_ms", "Waiting behind other threads", main.behind_fair_ns),
        span("main_waking_ms", "Waking up on a free CPU", main.waking_ns),
        span("main_io_ms", "Sleeping in I/O", main.io_ns),
        span("main_sleeping_ms", "Sleeping for other threads", main.sleeping_ns),
        span("main_absent_ms", "Not yet created, or done", main.absent_ns),
        count(
            "avoidable_rt_preemptions",
            "Preemptions by real-time threads beside an idle CPU",
            facts.avoidable_rt_preemptions,
        ),
        count("rt_preemptions", "Preemptions by real-time threads", facts.rt_preemptions),
        metric("sf_frame_ms", "Surfaceflinger frame", "ms", 3, frame_ms),
        count("sf_missed_vsyncs", "Frames too late for their vsync", facts.sf_missed_vsyncs),
    ]
}

#[cfg(test)]
mod tests {
    use crate::{LaunchFacts, MainThread, RunFacts, RunMetrics};

    #[test]
    fn a_launch_shows_its_time_first_and_everything_in_milliseconds() {
        let facts = LaunchFacts {
            launch_ns: 1_325_720_000,
            main: MainThread { behind_rt_ns: 69_300_000, ..MainThread::default() },
            sf_frames: 80,
            sf_wall_ns: 672_000_000,
            ..LaunchFacts::default()
        };
        let metrics = RunMetrics::of_launch(&facts, &RunFacts::default());
        let keys: Vec<&str> = metrics.iter().map(|metric| metric.info.key).collect();
        assert_eq!(keys[0], "launch_ms");
        for key in ["main_wait_rt_ms", "avoidable_rt_preemptions", "sf_frame_ms"] {
            assert!(keys.contains(&key), "{key}");
        }
        assert_eq!(metrics.get("launch_ms"), Some(1_325.72));
        assert_eq!(metrics.get("main_wait_rt_ms"), Some(69.3));
        assert_eq!(metrics.get("sf_frame_ms"), Some(8.4));
        let none = RunMetrics::of_launch(&LaunchFacts::default(), &RunFacts::default());
        assert_eq!(none.get("sf_frame_ms"), Some(0.0), "no frame is no division by nothing");
    }
}
