//! The real-time threads that draw every frame: one set for all applications.

use serde::{Deserialize, Serialize};
use sim::{CpuId, Nanos, Stream};

use crate::Policy;

/// How the real-time threads are set up. The same for every application.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RtChoice {
    /// Scales the CPU time of every thread of the set, in percent.
    pub multiplier_pct: u32,
    /// Their priorities.
    pub priorities: Priorities,
    /// Whether audio plays: a further thread, every 4 ms.
    pub fast_mixer: bool,
    /// The CPUs among which each thread's first one is drawn; empty leaves it to the placement of new tasks.
    pub home: Vec<CpuId>,
    /// Whether each thread may run on its first CPU only.
    pub pinned: bool,
    /// The CPUs on which they may run; none means every CPU.
    pub allowed: Option<Vec<CpuId>>,
    /// The CPUs on which surfaceflinger may run, where it is confined further.
    pub surfaceflinger_allowed: Option<Vec<CpuId>>,
}

/// Which policies the threads have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Priorities {
    /// Those of a phone: `SCHED_FIFO` 1 to 16.
    #[default]
    Phone,
    /// `SCHED_FIFO` 2 for all of them.
    Equal,
    /// None: they are threads of the fair class with nice -8.
    Fair,
}

/// A thread of the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum RtRole {
    DispSync,
    EventThreadApp,
    EventThreadSf,
    SurfaceFlinger,
    Composer,
    DisplayCommit,
    GpuWorker,
    FastMixer,
}

/// What is known of a thread of the set.
#[derive(Debug)]
pub(super) struct RtThread {
    pub(super) role: RtRole,
    pub(super) name: &'static str,
    /// `SCHED_FIFO` priority.
    priority: u8,
    /// CPU time of each of its parts in a frame: the median in microseconds on a CPU of capacity 1024.
    parts_us: &'static [u64],
}

/// The set (`model/rt-and-launch.md` section 4.4).
pub(super) static RT_SET: [RtThread; 8] = [
    thread(RtRole::DispSync, "DispSync", 2, &[43]),
    thread(RtRole::EventThreadApp, "EventThread-app", 2, &[86]),
    thread(RtRole::EventThreadSf, "EventThread-sf", 2, &[86]),
    thread(RtRole::SurfaceFlinger, "surfaceflinger", 2, &[855, 1_805, 475]),
    thread(RtRole::Composer, "composer", 2, &[665, 665]),
    thread(RtRole::DisplayCommit, "display-commit", 16, &[238]),
    thread(RtRole::GpuWorker, "gpu-worker", 1, &[143]),
    thread(RtRole::FastMixer, "FastMixer", 3, &[180]),
];

const fn thread(role: RtRole, name: &'static str, priority: u8, parts_us: &'static [u64]) -> RtThread {
    RtThread { role, name, priority, parts_us }
}

const SIGMA: u32 = 250;
const SHORTEST_NS: u64 = 20_000;

/// How long after a vsync surfaceflinger's event thread wakes it.
pub(super) const SF_OFFSET: Nanos = Nanos::from_micros(4_000);
/// The period of the audio thread.
pub(super) const MIXER_PERIOD: Nanos = Nanos::from_millis(4);
/// The nice level that surfaceflinger asks for where it is no real-time thread.
const FAIR_NICE: i8 = -8;

/// What the threads of the set do in a frame, in nanoseconds, or the audio thread in a period.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Parts {
    per_frame: usize,
    drawn: Vec<u32>,
}

impl Parts {
    /// One part a frame.
    pub(super) fn single(drawn: Vec<u32>) -> Parts {
        Parts { per_frame: 1, drawn }
    }

    /// The `part`-th part of a frame. Frames beyond those that were drawn begin anew.
    pub(super) fn of(&self, frame: u64, part: usize) -> Nanos {
        let frames = (self.drawn.len() / self.per_frame) as u64;
        Nanos(u64::from(self.drawn[(frame % frames) as usize * self.per_frame + part]))
    }
}

impl RtThread {
    /// The work of a number of frames.
    pub(super) fn draw(&self, choice: &RtChoice, frames: usize, mut stream: Stream) -> Parts {
        let mut drawn = Vec::with_capacity(frames * self.parts_us.len());
        for _ in 0..frames {
            for part_us in self.parts_us {
                let scaled =
                    stream.lognormal(part_us * 1_000, SIGMA) * u64::from(choice.multiplier_pct) / 100;
                drawn.push(scaled.max(SHORTEST_NS).min(u64::from(u32::MAX)) as u32);
            }
        }
        Parts { per_frame: self.parts_us.len(), drawn }
    }

    pub(super) fn policy(&self, priorities: Priorities) -> (Policy, i8) {
        match priorities {
            Priorities::Phone => (Policy::Fifo(self.priority), 0),
            Priorities::Equal => (Policy::Fifo(2), 0),
            Priorities::Fair => (Policy::Normal, FAIR_NICE),
        }
    }
}

impl RtChoice {
    /// The CPUs on which a thread may run, before it is pinned.
    pub(super) fn allowed_of(&self, role: RtRole) -> Option<&[CpuId]> {
        match (&self.surfaceflinger_allowed, role) {
            (Some(allowed), RtRole::SurfaceFlinger) => Some(allowed),
            _ => self.allowed.as_deref(),
        }
    }

    /// Draws the first CPU of a thread: one of its home on which it may run, else one on which it may run.
    pub(super) fn boot_cpu(&self, role: RtRole, stream: &mut Stream) -> Option<CpuId> {
        let allowed = self.allowed_of(role);
        let may = |cpu: &CpuId| allowed.is_none_or(|allowed| allowed.contains(cpu));
        let mut cpus: Vec<CpuId> = self.home.iter().copied().filter(may).collect();
        if cpus.is_empty() {
            cpus = allowed?.to_vec();
        }
        Some(cpus[stream.below(cpus.len() as u32) as usize])
    }
}
