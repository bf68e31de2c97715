//! The words about the launch of an application.

pub(crate) const TITLE: &str = "Where the launch time goes";
pub(crate) const NOTE: &str = "the application’s main thread, mean of the seeds";
pub(crate) const APP: &str = "Application";
pub(crate) const NOTHING: &str = "These runs do not say what the main thread did.";
pub(crate) const BREAKDOWN: &str = "What the main thread did";
pub(crate) const BREAKDOWN_LABEL: &str = "How long the main thread ran, waited behind real-time threads, waited behind other threads and slept, one bar a column from the tap to the first picture. The table below has the numbers.";
pub(crate) const SIDE_EFFECTS: &str = "What else changes";
pub(crate) const SIDE_EFFECTS_HELP: &str = "Means with their 95 % interval. A pre-emption is avoidable if a real-time thread took the CPU of an ordinary one while a CPU beside it was idle. SurfaceFlinger is the real-time thread that puts pictures on the screen: what the application gains, it may lose on a slower CPU.";
pub(crate) const ELSEWHERE: &str = "The same on another machine:";

/// The figures that stand beside the launch time.
pub(crate) const EFFECTS: [&str; 6] = [
    "avoidable_rt_preemptions",
    "rt_preemptions",
    "sf_frame_ms",
    "sf_missed_vsyncs",
    "rt_migrations",
    "energy_mj",
];

/// A part of the launch time.
pub(crate) fn of_launch(time: &str, share: &str) -> String {
    format!("{time} ({share})")
}

/// A mean and how far its interval reaches on either side.
pub(crate) fn mean(mean: &str, reach: &str) -> String {
    format!("{mean} ± {reach}")
}
