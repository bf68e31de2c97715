//! The launch of an Android application, as a graph of real threads (`model/rt-and-launch.md` section 4).
//!
//! All random draws are made before the run, from the application and the seed: whatever the scheduler does, the threads
//! have the same work to do, and two columns differ by nothing else.

mod app;
mod background;
mod graph;
mod rt_set;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sim::{CpuId, Nanos, Stream, TaskId};

use crate::{FutexId, Op, ThreadInfo};
use app::{Draw, Members, Scripts};
use background::Visits;
use graph::{Outcome, Shared, Step, Word};
use rt_set::{MIXER_PERIOD, Parts, RT_SET, RtRole, SF_OFFSET};

pub use app::App;
pub use rt_set::{Priorities, RtChoice};

/// A launch that runs: 400 ms of what always runs on a phone, then the launch, until its first frame is on the display.
///
/// Kernel: none; programs in user space, and kernel threads of display and GPU.
/// Differs: a synthetic graph; see the document's section 4 and `docs/model.md`.
#[derive(Clone, Debug, Hash)]
pub struct Launch {
    threads: Vec<ThreadInfo>,
    programs: Vec<Program>,
    work: Arc<WorkList>,
    shared: Shared,
    frames: Frames,
    /// The last vsync of which the event thread of applications was told.
    vsync: u64,
}

/// Which application is launched on what.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Spec {
    /// The application.
    pub app: App,
    /// Scales the CPU time of the launch's fair threads, in thousandths: the one calibrated factor of an application.
    pub work_permille: u32,
    /// Frames a second.
    pub refresh_hz: u32,
    /// The real-time threads.
    pub rt: RtChoice,
    /// Whether a thread animates: it computes in every frame.
    pub animation: bool,
    /// Whether the periodic background threads run.
    pub background: bool,
    /// CPUs that are kept busy by a thread of nice 0 each, which may run nowhere else.
    pub hogs: Vec<CpuId>,
}

/// What surfaceflinger's frames came to since the launch began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frames {
    /// Frames that are complete.
    pub count: u64,
    /// Wall time of all of them, each from its first to its last instruction.
    pub wall: Nanos,
    /// Frames that were not complete at the next vsync, which would have shown them, or that were never drawn.
    pub missed: u64,
    /// When the frame under way began, and for which vsync.
    began: Nanos,
    vsync: u64,
    /// Whether it began after the first buffer was queued.
    has_buffer: bool,
    /// The vsync for which surfaceflinger was last woken.
    woken_for: u64,
}

/// All that was drawn: the same for every column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WorkList {
    period: Nanos,
    phase: Nanos,
    mixer_phase: Nanos,
    scripts: Scripts,
    /// In the order of [`RT_SET`].
    rt: Vec<Parts>,
    animation: Parts,
    periodic: Vec<Visits>,
}

#[derive(Clone, Copy, Debug, Hash)]
struct Program {
    role: Role,
    /// The next step of a script, or of a cycle.
    position: u32,
    /// The frame, period or visit under way.
    turn: u64,
    /// A step that has to be tried again.
    pending: Option<Step>,
    is_in_io: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    ActivityManager,
    Zygote,
    Main,
    Render,
    Worker(u16),
    Binder,
    Animation,
    Periodic(u16),
    /// A thread of [`RT_SET`].
    Rt(RtRole),
    Hog,
}

/// Names the random streams of a launch; the application is added.
const LAUNCH: u64 = 0x6c61_756e_6368_0000;
/// Entities of the streams: scripts take the first ones, these come behind them.
const FIRST_RT: u64 = 100;
const FIRST_HOME: u64 = 200;
const FIRST_PERIODIC: u64 = 300;
const ANIMATION: u64 = 400;
const PHASE: u64 = 401;

/// Time for which frames and visits are drawn; a launch that takes longer uses them once more.
const DRAWN: Nanos = Nanos::from_secs(4);

/// Between the births of two real-time threads.
const BIRTH_INTERVAL: Nanos = Nanos::from_micros(500);

const BINDER_THREADS: u16 = 4;
/// Nice levels: of what is in the foreground of the display, of system services, and of workers in the background.
const TOP_NICE: i8 = -10;
const SYSTEM_NICE: i8 = -2;
const BACKGROUND_NICE: i8 = 10;

/// Which threads belong together.
const GROUP_LAUNCH: u16 = 0;
const GROUP_SYSTEM: u16 = 1;
const GROUP_RT: u16 = 2;
const GROUP_BACKGROUND: u16 = 3;

impl Launch {
    /// The main thread, whose time is broken down.
    pub const MAIN: TaskId = TaskId(0);

    /// A launch before its first instruction. The seed is its number among the launches of an application.
    pub fn new(spec: &Spec, seed: u64) -> Launch {
        let stream = |entity: u64| Stream::new(seed, entity, LAUNCH + spec.app as u64);
        let mut launch = Launch {
            threads: Vec::new(),
            programs: Vec::new(),
            work: Arc::new(WorkList::draw(spec, &stream)),
            shared: Shared::default(),
            frames: Frames::default(),
            vsync: 0,
        };
        launch.declare_fair(spec);
        for (position, thread) in RT_SET.iter().enumerate() {
            if thread.role == RtRole::FastMixer && !spec.rt.fast_mixer {
                continue;
            }
            let boot_cpu = spec.rt.boot_cpu(thread.role, &mut stream(FIRST_HOME + position as u64));
            let (policy, nice) = thread.policy(spec.rt.priorities);
            let pinned = boot_cpu.filter(|_| spec.rt.pinned).map(|cpu| vec![cpu]);
            let allowed = pinned.or_else(|| spec.rt.allowed_of(thread.role).map(<[CpuId]>::to_vec));
            // One after the other: together they would push each other from their homes.
            let boot_at = Nanos(position as u64 * BIRTH_INTERVAL.0);
            let info =
                ThreadInfo { nice, policy, allowed, boot_at, boot_cpu, ..always(thread.name, GROUP_RT) };
            launch.declare(Role::Rt(thread.role), info);
        }
        launch
    }

    /// The threads of the fair class; the main thread is the first, what it creates follows.
    fn declare_fair(&mut self, spec: &Spec) {
        let created =
            |name: &str, nice| ThreadInfo { nice, starts_at_boot: false, ..always(name, GROUP_LAUNCH) };
        self.declare(Role::Main, created("main", TOP_NICE));
        self.declare(Role::Render, created("RenderThread", TOP_NICE));
        for worker in 0..spec.app.workers() {
            let nice = if worker < spec.app.foreground() { 0 } else { BACKGROUND_NICE };
            self.declare(Role::Worker(worker), created(&format!("worker-{worker}"), nice));
        }
        let system = |name: &str| ThreadInfo { nice: SYSTEM_NICE, ..always(name, GROUP_SYSTEM) };
        self.declare(Role::ActivityManager, system("ActivityManager"));
        self.declare(Role::Zygote, always("zygote", GROUP_SYSTEM));
        for server in 0..BINDER_THREADS {
            self.declare(Role::Binder, system(&format!("binder-{server}")));
        }
        if spec.animation {
            let info = ThreadInfo { nice: TOP_NICE, ..always("animation", GROUP_SYSTEM) };
            self.declare(Role::Animation, info);
        }
        if spec.background {
            for thread in 0..background::PERIODIC.len() as u16 {
                self.declare(Role::Periodic(thread), always(&format!("periodic-{thread}"), GROUP_BACKGROUND));
            }
        }
        for cpu in &spec.hogs {
            let hog = always(&format!("hog-{cpu}"), GROUP_BACKGROUND);
            self.declare(Role::Hog, ThreadInfo { allowed: Some(vec![*cpu]), boot_cpu: Some(*cpu), ..hog });
        }
    }

    fn declare(&mut self, role: Role, info: ThreadInfo) {
        self.threads.push(info);
        self.programs.push(Program { role, position: 0, turn: 0, pending: None, is_in_io: false });
    }

    /// The main thread first, then the threads that it creates.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// When the launch began: the request to start the application was received.
    pub fn launched_at(&self) -> Option<Nanos> {
        self.shared.launched_at
    }

    /// When its first frame was complete.
    pub fn displayed_at(&self) -> Option<Nanos> {
        self.shared.displayed_at
    }

    /// How long the launch took.
    pub fn launch_time(&self) -> Option<Nanos> {
        Some(self.shared.displayed_at? - self.shared.launched_at?)
    }

    /// Surfaceflinger's frames since the launch began.
    pub fn frames(&self) -> Frames {
        self.frames
    }

    /// The hash of all the work that was drawn: equal where two runs have the same work to do.
    pub fn work_hash(&self) -> u64 {
        sim::stable_hash(&*self.work)
    }

    /// The words of shared memory.
    pub fn futex_count(&self) -> usize {
        Word::COUNT
    }

    /// The value of a word.
    pub fn futex_value(&self, futex: FutexId) -> u32 {
        self.shared.word(futex)
    }

    /// Whether the first frame is on the display.
    pub fn is_finished(&self) -> bool {
        self.shared.displayed_at.is_some()
    }

    /// Whether a thread sleeps, or is about to, until I/O is complete.
    pub fn is_in_io(&self, thread: TaskId) -> bool {
        self.programs[thread.index()].is_in_io
    }

    /// The next operation.
    pub fn resume(&mut self, thread: TaskId, now: Nanos) -> Op {
        loop {
            let mut program = self.programs[thread.index()];
            let Some(step) = program.pending.take().or_else(|| self.next_step(&mut program, now)) else {
                return Op::Exit;
            };
            program.is_in_io = matches!(step, Step::Io(_));
            let frame_word =
                if program.role == Role::Animation { Word::ANIMATION_FRAME } else { Word::MAIN_FRAME };
            let outcome = self.shared.perform(step, frame_word, now);
            match (&outcome, step) {
                // The answer to a call is waited for once it is made.
                (_, Step::Call(_)) => program.pending = Some(Step::Await(Word::REPLY)),
                // Whoever has said so once waits for that frame.
                (Outcome::Again(_), Step::AwaitFrame) => program.pending = Some(Step::Await(frame_word)),
                (Outcome::Again(_), _) => program.pending = Some(step),
                _ => {}
            }
            self.programs[thread.index()] = program;
            match outcome {
                Outcome::Done => {}
                Outcome::Op(op) | Outcome::Again(op) => return op,
            }
        }
    }

    /// The step that follows; nothing at the end of a thread.
    fn next_step(&mut self, program: &mut Program, now: Nanos) -> Option<Step> {
        let position = program.position as usize;
        program.position += 1;
        let scripts = &self.work.scripts;
        let script = match program.role {
            Role::ActivityManager => &scripts.activity_manager,
            Role::Zygote => &scripts.zygote,
            Role::Main => &scripts.main,
            Role::Render => &scripts.render,
            Role::Worker(worker) => &scripts.workers[usize::from(worker)],
            Role::Rt(role) => return Some(self.rt_step(role, program, now)),
            Role::Binder | Role::Animation | Role::Periodic(_) | Role::Hog => {
                return Some(self.fair_cycle(program));
            }
        };
        script.get(position).copied()
    }

    /// A step of a fair thread that does the same again and again.
    fn fair_cycle(&mut self, program: &mut Program) -> Step {
        let position = program.position - 1;
        match (program.role, position) {
            (Role::Binder, 0) => Step::Await(Word::BINDER),
            (Role::Binder, 1) => Step::Run(self.shared.take_call()),
            (Role::Animation, 0) => Step::AwaitFrame,
            (Role::Periodic(thread), 0) => Step::Until(self.work.visit(thread, program.turn).0),
            (role, _) => {
                program.position = 0;
                program.turn += 1;
                match role {
                    Role::Binder => Step::Signal(Word::REPLY),
                    Role::Animation => Step::Run(self.work.animation.of(self.vsync, 0)),
                    Role::Periodic(thread) => Step::Run(self.work.visit(thread, program.turn - 1).1),
                    _ => Step::Run(Nanos::from_secs(1)),
                }
            }
        }
    }

    /// A step of a thread of the real-time set, whose cycle is a frame.
    fn rt_step(&mut self, role: RtRole, program: &mut Program, now: Nanos) -> Step {
        let position = program.position - 1;
        match (role, position) {
            (RtRole::DispSync | RtRole::EventThreadSf | RtRole::FastMixer, 0) => {
                let (phase, period) = self.work.timer(role);
                program.turn = next_turn(program.turn, phase, period, now);
                Step::Until(phase + Nanos(program.turn * period.0))
            }
            (RtRole::EventThreadApp, 0) => Step::AwaitAll(Word::EVENT_THREAD_APP),
            (RtRole::EventThreadApp, 1) => self.part(role, self.vsync, 0),
            (RtRole::DispSync | RtRole::EventThreadSf, 1) => self.part(role, program.turn, 0),
            (RtRole::SurfaceFlinger, 0) => Step::AwaitAll(Word::SURFACE_FLINGER),
            (RtRole::SurfaceFlinger, 1) => {
                self.begin_frame(now);
                self.part(role, self.frames.vsync, 0)
            }
            (RtRole::SurfaceFlinger, 2 | 5) => Step::Signal(Word::COMPOSER),
            (RtRole::SurfaceFlinger, 3 | 6) => Step::Await(Word::COMPOSED),
            (RtRole::SurfaceFlinger, 4) => self.part(role, self.frames.vsync, 1),
            (RtRole::SurfaceFlinger, 7) => self.part(role, self.frames.vsync, 2),
            (RtRole::Composer, 0) => Step::Await(Word::COMPOSER),
            (RtRole::Composer, 1) => self.part(role, self.frames.vsync, (program.turn % 2) as usize),
            (RtRole::DisplayCommit, 0) => Step::AwaitAll(Word::COMMIT),
            (RtRole::GpuWorker, 0) => Step::Await(Word::GPU),
            _ => self.last_step(role, program, now),
        }
    }

    /// The last step of a frame or a turn.
    fn last_step(&mut self, role: RtRole, program: &mut Program, now: Nanos) -> Step {
        program.position = 0;
        match role {
            RtRole::DispSync => {
                self.vsync = program.turn;
                Step::Signal(Word::EVENT_THREAD_APP)
            }
            RtRole::EventThreadSf => {
                self.frames.woken_for = program.turn;
                Step::Signal(Word::SURFACE_FLINGER)
            }
            RtRole::SurfaceFlinger => {
                self.end_frame(now);
                Step::Signal(Word::COMMIT)
            }
            RtRole::Composer => {
                program.turn += 1;
                Step::Signal(Word::COMPOSED)
            }
            RtRole::EventThreadApp => {
                if let Some(waiter) = self.shared.take_frame_waiter() {
                    // There may be another one.
                    program.position = 2;
                    return Step::Signal(waiter);
                }
                program.position = 1;
                Step::AwaitAll(Word::EVENT_THREAD_APP)
            }
            RtRole::DisplayCommit => self.part(role, self.frames.vsync, 0),
            // The timer's turn for the audio thread; the render thread's submissions one after the other.
            RtRole::FastMixer => self.part(role, program.turn, 0),
            RtRole::GpuWorker => {
                program.turn += 1;
                self.part(role, program.turn - 1, 0)
            }
        }
    }

    fn part(&self, role: RtRole, frame: u64, part: usize) -> Step {
        let position = RT_SET.iter().position(|thread| thread.role == role).unwrap_or(0);
        Step::Run(self.work.rt[position].of(frame, part))
    }

    fn begin_frame(&mut self, now: Nanos) {
        let Frames { count, wall, missed, vsync: last, woken_for, .. } = self.frames;
        // Wake-ups that came together are one frame: those before are never drawn.
        let dropped = if self.shared.launched_at.is_some() { woken_for.saturating_sub(last + 1) } else { 0 };
        let has_buffer = self.shared.buffer_is_queued;
        let missed = missed + dropped;
        self.frames = Frames { count, wall, missed, began: now, vsync: woken_for, has_buffer, woken_for };
    }

    fn end_frame(&mut self, now: Nanos) {
        let frames = &mut self.frames;
        if self.shared.launched_at.is_some() {
            let (phase, period) = (self.work.phase, self.work.period);
            frames.count += 1;
            frames.wall += now - frames.began;
            frames.missed += u64::from(phase + Nanos((frames.vsync + 1) * period.0) < now);
        }
        if frames.has_buffer {
            self.shared.displayed_at = self.shared.displayed_at.or(Some(now));
        }
    }
}

/// The first turn of a timer after `last` that lies ahead: one that was missed is left out (`hrtimer_forward`).
fn next_turn(last: u64, phase: Nanos, period: Nanos, now: Nanos) -> u64 {
    let reached = now.saturating_sub(phase).0.div_ceil(period.0);
    reached.max(last + 1)
}

impl WorkList {
    fn draw(spec: &Spec, stream: &dyn Fn(u64) -> Stream) -> WorkList {
        let period = Nanos(1_000_000_000 / u64::from(spec.refresh_hz));
        let frames = (DRAWN.0 / period.0) as usize;
        let mixer_periods = (DRAWN.0 / MIXER_PERIOD.0) as usize;
        let mut phases = stream(PHASE);
        let members = Members {
            main: Launch::MAIN,
            render: TaskId(1),
            workers: (0..spec.app.workers()).map(|worker| TaskId(2 + u32::from(worker))).collect(),
        };
        let draw = Draw { app: spec.app, work_permille: u64::from(spec.work_permille), stream };
        let rt_of = |(position, thread): (usize, &rt_set::RtThread)| {
            let turns = if thread.role == RtRole::FastMixer { mixer_periods } else { frames };
            thread.draw(&spec.rt, turns, stream(FIRST_RT + position as u64))
        };
        let visits_of = |(position, thread): (usize, &(u64, u64))| {
            background::visits(*thread, DRAWN, stream(FIRST_PERIODIC + position as u64))
        };
        WorkList {
            period,
            phase: Nanos(u64::from(phases.below(period.0 as u32))),
            mixer_phase: Nanos(u64::from(phases.below(MIXER_PERIOD.0 as u32))),
            scripts: draw.scripts(&members),
            rt: RT_SET.iter().enumerate().map(rt_of).collect(),
            animation: background::animation(frames, stream(ANIMATION)),
            periodic: background::PERIODIC.iter().enumerate().map(visits_of).collect(),
        }
    }

    /// When a thread that has a timer is woken first, and how often.
    fn timer(&self, role: RtRole) -> (Nanos, Nanos) {
        match role {
            RtRole::EventThreadSf => (self.phase + SF_OFFSET, self.period),
            RtRole::FastMixer => (self.mixer_phase, MIXER_PERIOD),
            _ => (self.phase, self.period),
        }
    }

    /// When a periodic thread makes a visit, and what it then computes.
    fn visit(&self, thread: u16, turn: u64) -> (Nanos, Nanos) {
        let visits = &self.periodic[usize::from(thread)];
        let drawn = visits.at.len() as u64;
        let position = (turn % drawn) as usize;
        (visits.at[position] + Nanos(turn / drawn * DRAWN.0), visits.run[position])
    }
}

/// A thread that exists from the start.
fn always(name: &str, group: u16) -> ThreadInfo {
    ThreadInfo { name: name.to_owned(), group, starts_at_boot: true, ..ThreadInfo::default() }
}
