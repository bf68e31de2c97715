//! The three applications as data, and the work of one launch, drawn before the run.

use serde::{Deserialize, Serialize};
use sim::{Nanos, Stream, TaskId};

use super::graph::{Step, Word};

/// An application whose launch the mail of `rt-idle-first` measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum App {
    /// A social network: the longest launch.
    Weibo,
    /// A messenger.
    Weixin,
    /// A wallet.
    Alipay,
}

/// What tells one application from another. Times are medians on a CPU of capacity 1024 at its highest frequency.
///
/// There are no public traces of these launches: the graph and its numbers are synthetic
/// (`model/rt-and-launch.md` section 4.6). Nothing here concerns real-time threads, which all applications share.
#[derive(Debug)]
struct AppWork {
    /// The main thread's CPU time in init, bind, create, join and resume, in milliseconds.
    phases_ms: [u64; 5],
    burst_us: u64,
    /// In percent: how often a burst of the main thread ends in I/O or a binder call.
    io_pct: u32,
    binder_pct: u32,
    io_us: u64,
    server_us: u64,
    /// Measure, layout and draw of the first frame.
    frame_us: u64,
    /// What the render thread does, from submission to submission.
    render_us: &'static [u64],
    workers: u16,
    /// Workers that the main thread waits for.
    foreground: u16,
    /// CPU time of all workers together.
    worker_ms: u64,
}

const WEIBO: AppWork = AppWork {
    phases_ms: [28, 378, 308, 32, 102],
    burst_us: 2_200,
    io_pct: 30,
    io_us: 350,
    binder_pct: 22,
    server_us: 700,
    frame_us: 15_000,
    render_us: &[10_000, 5_500, 4_000],
    workers: 6,
    foreground: 2,
    worker_ms: 560,
};

const WEIXIN: AppWork = AppWork {
    phases_ms: [20, 143, 123, 10, 54],
    burst_us: 2_000,
    io_pct: 28,
    io_us: 300,
    binder_pct: 22,
    server_us: 600,
    frame_us: 9_000,
    render_us: &[7_000, 3_500],
    workers: 4,
    foreground: 1,
    worker_ms: 180,
};

const ALIPAY: AppWork = AppWork {
    phases_ms: [20, 180, 140, 12, 52],
    burst_us: 2_000,
    io_pct: 30,
    io_us: 300,
    binder_pct: 22,
    server_us: 650,
    frame_us: 10_000,
    render_us: &[7_000, 4_000],
    workers: 5,
    foreground: 1,
    worker_ms: 260,
};

/// Spreads of the draws in thousandths (`Stream::lognormal`).
const BURST_SIGMA: u32 = 900;
const IO_SIGMA: u32 = 600;
const SERVER_SIGMA: u32 = 600;
const FRAME_SIGMA: u32 = 200;
const WORKER_SIGMA: u32 = 800;
/// No burst is shorter.
const SHORTEST_BURST: u64 = 30_000;
const WORKER_BURST_NS: u64 = 1_500_000;
const WORKER_IO_PCT: u32 = 35;
const WORKER_IO_NS: u64 = 250_000;

/// The warm-up: before it ends only what always runs on a phone runs.
pub(super) const WARM_UP: Nanos = Nanos::from_millis(400);

/// The ids of the threads that one launch creates or starts from.
#[derive(Clone, Debug)]
pub(super) struct Members {
    pub(super) main: TaskId,
    pub(super) render: TaskId,
    pub(super) workers: Vec<TaskId>,
}

/// The work of one launch: what each of its threads does from its first to its last instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Scripts {
    pub(super) activity_manager: Vec<Step>,
    pub(super) zygote: Vec<Step>,
    pub(super) main: Vec<Step>,
    pub(super) render: Vec<Step>,
    pub(super) workers: Vec<Vec<Step>>,
}

impl App {
    /// Every application, in the order of the mail's table.
    pub const ALL: [App; 3] = [App::Weibo, App::Weixin, App::Alipay];

    /// The name used outside.
    pub const fn name(self) -> &'static str {
        match self {
            App::Weibo => "weibo",
            App::Weixin => "weixin",
            App::Alipay => "alipay",
        }
    }

    const fn work(self) -> &'static AppWork {
        match self {
            App::Weibo => &WEIBO,
            App::Weixin => &WEIXIN,
            App::Alipay => &ALIPAY,
        }
    }

    /// How many workers its launch has.
    pub const fn workers(self) -> u16 {
        self.work().workers
    }

    /// How many of them its main thread waits for.
    pub(super) const fn foreground(self) -> u16 {
        self.work().foreground
    }
}

/// Draws the work of a launch.
pub(super) struct Draw<'a> {
    pub(super) app: App,
    /// Scales CPU time of the launch's fair threads, in thousandths.
    pub(super) work_permille: u64,
    /// The stream of a thread, by a number of its own.
    pub(super) stream: &'a dyn Fn(u64) -> Stream,
}

impl Draw<'_> {
    pub(super) fn scripts(&self, members: &Members) -> Scripts {
        let workers = self.app.work().workers;
        Scripts {
            activity_manager: self.activity_manager(),
            zygote: self.zygote(members.main),
            main: self.main(members),
            render: self.render(),
            workers: (0..workers).map(|position| self.worker(position)).collect(),
        }
    }

    fn run(&self, nanos: u64) -> Step {
        Step::Run(Nanos(nanos * self.work_permille / 1_000))
    }

    fn activity_manager(&self) -> Vec<Step> {
        let mut stream = (self.stream)(0);
        let mut steps = vec![Step::Until(WARM_UP), self.run(300_000), Step::Launched];
        for burst_us in [3_000, 6_000, 6_000, 5_000] {
            steps.push(self.run(stream.lognormal(burst_us * 1_000, FRAME_SIGMA)));
            steps.push(Step::Io(Nanos(stream.lognormal(300_000, IO_SIGMA))));
        }
        steps.extend([Step::Signal(Word::ZYGOTE), self.run(stream.lognormal(5_000_000, FRAME_SIGMA))]);
        steps
    }

    fn zygote(&self, main: TaskId) -> Vec<Step> {
        let mut stream = (self.stream)(1);
        vec![
            Step::Await(Word::ZYGOTE),
            self.run(stream.lognormal(9_000_000, FRAME_SIGMA)),
            Step::Fork(main),
            self.run(600_000),
        ]
    }

    fn main(&self, members: &Members) -> Vec<Step> {
        let work = self.app.work();
        let mut stream = (self.stream)(2);
        let mut steps = vec![self.run(2_000_000)];
        for (phase, total_ms) in work.phases_ms.into_iter().enumerate() {
            self.phase(&mut steps, &mut stream, total_ms * 1_000_000);
            match phase {
                1 => steps.extend(members.workers.iter().map(|worker| Step::Fork(*worker))),
                2 => steps.push(Step::Fork(members.render)),
                3 => steps.extend((0..work.foreground).map(|_| Step::Await(Word::JOINED))),
                _ => {}
            }
        }
        steps.extend([
            Step::AwaitFrame,
            self.run(stream.lognormal(work.frame_us * 1_000, FRAME_SIGMA)),
            Step::Signal(Word::DRAWN),
            self.run(1_500_000),
        ]);
        steps
    }

    /// Bursts until the phase's CPU time is used up, and what some of them end in.
    fn phase(&self, steps: &mut Vec<Step>, stream: &mut Stream, total_ns: u64) {
        let work = self.app.work();
        let mut left = total_ns;
        while 0 < left {
            let burst = stream.lognormal(work.burst_us * 1_000, BURST_SIGMA).max(SHORTEST_BURST).min(left);
            left -= burst;
            steps.push(self.run(burst));
            let ends_in = stream.below(100);
            if ends_in < work.io_pct {
                steps.push(Step::Io(Nanos(stream.lognormal(work.io_us * 1_000, IO_SIGMA))));
            } else if ends_in < work.io_pct + work.binder_pct {
                let server = stream.lognormal(work.server_us * 1_000, SERVER_SIGMA);
                steps.push(Step::Call(Nanos(server * self.work_permille / 1_000)));
            }
        }
    }

    fn render(&self) -> Vec<Step> {
        let mut stream = (self.stream)(3);
        let mut steps = vec![self.run(500_000), Step::Await(Word::DRAWN)];
        for part_us in self.app.work().render_us {
            steps.extend([
                self.run(stream.lognormal(part_us * 1_000, FRAME_SIGMA)),
                Step::Signal(Word::GPU),
                Step::Pause(Nanos::from_micros(400)),
            ]);
        }
        steps.push(Step::QueueBuffer);
        steps
    }

    fn worker(&self, position: u16) -> Vec<Step> {
        let work = self.app.work();
        let mut stream = (self.stream)(4 + u64::from(position));
        let mut left = work.worker_ms * 1_000_000 / u64::from(work.workers);
        let mut steps = Vec::new();
        while 0 < left {
            let burst = stream.lognormal(WORKER_BURST_NS, WORKER_SIGMA).max(SHORTEST_BURST).min(left);
            left -= burst;
            steps.push(self.run(burst));
            if stream.below(100) < WORKER_IO_PCT {
                steps.push(Step::Io(Nanos(stream.lognormal(WORKER_IO_NS, IO_SIGMA))));
            }
        }
        if position < work.foreground {
            steps.push(Step::Signal(Word::JOINED));
        }
        steps
    }
}
