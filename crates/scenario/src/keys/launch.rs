//! The keys of the launch of an Android application.

use workload::launch::{App, Priorities};

use super::field::Field;
use super::table::{Words, automatic, choice, key, words, words_in};
use super::{Group, Integer, Key, Kind, Value};
use crate::launch::{LaunchChoice, RtCpuset, RtHome, SfCpuset};

/// Where the value of a key of a launch is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaunchField {
    App,
    CfsWork,
    RefreshHz,
    RtMultiplier,
    RtHome,
    RtCpuset,
    SfCpuset,
    RtPriorities,
    FastMixer,
    Animation,
    Background,
    Hogs,
}

const PRIORITIES: [(Priorities, &str); 3] =
    [(Priorities::Phone, "phone"), (Priorities::Equal, "equal"), (Priorities::Fair, "fair")];

impl LaunchField {
    pub(super) fn read(self, launch: &LaunchChoice) -> Value {
        match self {
            LaunchField::App => Value::Choice(launch.app.name()),
            LaunchField::CfsWork => {
                launch.cfs_work_permille.map_or(Value::Automatic, |permille| Value::Integer(permille.into()))
            }
            LaunchField::RefreshHz => Value::Integer(launch.refresh_hz.into()),
            LaunchField::RtMultiplier => Value::Integer(launch.rt_multiplier_pct.into()),
            LaunchField::RtHome => Value::Choice(launch.rt_home.name()),
            LaunchField::RtCpuset => Value::Choice(launch.rt_cpuset.name()),
            LaunchField::SfCpuset => Value::Choice(launch.sf_cpuset.name()),
            LaunchField::RtPriorities => {
                let named = PRIORITIES.iter().find(|(priorities, _)| *priorities == launch.rt_priorities);
                Value::Choice(named.unwrap_or(&PRIORITIES[0]).1)
            }
            LaunchField::FastMixer => Value::Flag(launch.fast_mixer),
            LaunchField::Animation => Value::Flag(launch.animation),
            LaunchField::Background => Value::Flag(launch.background),
            LaunchField::Hogs => Value::Flag(launch.hogs),
        }
    }

    pub(super) fn write(self, launch: &mut LaunchChoice, value: &Value) {
        match (self, value) {
            (LaunchField::CfsWork, Value::Integer(number)) => launch.cfs_work_permille = Some(*number as u32),
            (LaunchField::CfsWork, _) => launch.cfs_work_permille = None,
            (LaunchField::RefreshHz, Value::Integer(number)) => launch.refresh_hz = *number as u32,
            (LaunchField::RtMultiplier, Value::Integer(number)) => launch.rt_multiplier_pct = *number as u32,
            (LaunchField::FastMixer, Value::Flag(on)) => launch.fast_mixer = *on,
            (LaunchField::Animation, Value::Flag(on)) => launch.animation = *on,
            (LaunchField::Background, Value::Flag(on)) => launch.background = *on,
            (LaunchField::Hogs, Value::Flag(on)) => launch.hogs = *on,
            (_, Value::Choice(word)) => self.write_word(launch, word),
            _ => {}
        }
    }

    fn write_word(self, launch: &mut LaunchChoice, word: &str) {
        match self {
            LaunchField::App => take(&mut launch.app, App::ALL, |app| app.name() == word),
            LaunchField::RtHome => take(&mut launch.rt_home, RtHome::ALL, |home| home.name() == word),
            LaunchField::RtCpuset => take(&mut launch.rt_cpuset, RtCpuset::ALL, |set| set.name() == word),
            LaunchField::SfCpuset => take(&mut launch.sf_cpuset, SfCpuset::ALL, |set| set.name() == word),
            _ => {
                let named = PRIORITIES.iter().find(|(_, name)| *name == word);
                launch.rt_priorities = named.map_or(launch.rt_priorities, |(priorities, _)| *priorities);
            }
        }
    }
}

/// Takes the choice that a word names.
fn take<T: Copy, const N: usize>(value: &mut T, all: [T; N], is_named: impl Fn(&T) -> bool) {
    *value = all.into_iter().find(is_named).unwrap_or(*value);
}

fn launch_key(name: &str, field: LaunchField, kind: Kind, words: Words) -> Key {
    key(name, Group::Workload, Field::Launch(field), kind, words)
}

/// Every key of a launch.
pub(super) fn keys() -> Vec<Key> {
    let mut keys = Vec::from(application_keys());
    keys.extend(rt_keys());
    keys.extend(flag_keys());
    keys
}

fn application_keys() -> [Key; 3] {
    [
        launch_key(
            "workload.app",
            LaunchField::App,
            Kind::Choice(vec![
                choice(App::Weibo.name(), "Weibo", "A social network: the longest launch."),
                choice(App::Weixin.name(), "Weixin", "A messenger."),
                choice(App::Alipay.name(), "Alipay", "A wallet."),
            ]),
            words("Application", "Which application is started. Its threads and their work are synthetic."),
        ),
        launch_key(
            "workload.cfs_work_permille",
            LaunchField::CfsWork,
            automatic(100, 4_000, (500, 1_500), 10),
            words_in(
                "‰",
                "Work of the application",
                "Scales what the application's own threads compute. The automatic value is calibrated on the published \
                 time without the patch, and on nothing else.",
            ),
        ),
        launch_key(
            "workload.refresh_hz",
            LaunchField::RefreshHz,
            Kind::Integer(Integer { min: 10, max: 240, usual: (30, 120), step: 30, automatic: false }),
            words_in(
                "Hz",
                "Frames a second",
                "How often the display is drawn, and the real-time threads work.",
            ),
        ),
    ]
}

fn rt_keys() -> [Key; 5] {
    [
        launch_key(
            "workload.rt_multiplier",
            LaunchField::RtMultiplier,
            Kind::Integer(Integer { min: 1, max: 1_000, usual: (25, 200), step: 5, automatic: false }),
            words_in(
                "%",
                "Work of the real-time threads",
                "Scales what the threads compute that draw each frame, for every application alike.",
            ),
        ),
        launch_key(
            "workload.rt_home",
            LaunchField::RtHome,
            Kind::Choice(vec![
                choice(RtHome::Big.name(), "Big CPUs", "On the strongest CPUs, where new threads are put."),
                choice(RtHome::Little.name(), "Little CPUs", "On the weakest CPUs."),
                choice(RtHome::Spread.name(), "Any CPU", "Spread over all CPUs."),
            ]),
            words(
                "Home of the real-time threads",
                "Where they are when the run begins. Without the patch they seldom leave it.",
            ),
        ),
        launch_key(
            "workload.rt_cpuset",
            LaunchField::RtCpuset,
            Kind::Choice(vec![
                choice(RtCpuset::All.name(), "All CPUs", "They may run anywhere."),
                choice(RtCpuset::Big.name(), "Big CPUs", "They may run on the strongest CPUs only."),
                choice(RtCpuset::Little.name(), "Little CPUs", "They may run on the weakest CPUs only."),
                choice(RtCpuset::Pinned.name(), "Where they begin", "Each may run on one CPU only."),
            ]),
            words("CPUs of the real-time threads", "On which CPUs they may run."),
        ),
        launch_key(
            "workload.sf_cpuset",
            LaunchField::SfCpuset,
            Kind::Choice(vec![
                choice(SfCpuset::All.name(), "As the others", "It may run where the others may."),
                choice(
                    SfCpuset::SystemBackground.name(),
                    "Little CPUs",
                    "It is confined to the weakest CPUs, as on many phones.",
                ),
            ]),
            words("CPUs of surfaceflinger", "On which CPUs the thread may run that composes each frame."),
        ),
        launch_key(
            "workload.rt_priorities",
            LaunchField::RtPriorities,
            Kind::Choice(vec![
                choice("phone", "As on a phone", "SCHED_FIFO 1 to 16."),
                choice("equal", "All equal", "SCHED_FIFO 2 for all of them."),
                choice("fair", "None", "They are threads of the fair class, so that nothing is real-time."),
            ]),
            words("Real-time priorities", "Which of the real-time threads goes before which."),
        ),
    ]
}

fn flag_keys() -> [Key; 4] {
    [
        launch_key(
            "workload.fast_mixer",
            LaunchField::FastMixer,
            Kind::Flag,
            words("Audio", "Whether audio plays: another real-time thread, every 4 ms."),
        ),
        launch_key(
            "workload.animation",
            LaunchField::Animation,
            Kind::Flag,
            words("Animation", "Whether something on the screen moves: a thread computes in every frame."),
        ),
        launch_key(
            "workload.background",
            LaunchField::Background,
            Kind::Flag,
            words("Background threads", "Whether five threads run every now and then."),
        ),
        launch_key(
            "workload.hogs",
            LaunchField::Hogs,
            Kind::Flag,
            words("Busy CPUs", "Whether every CPU is kept busy by a fair thread that may run nowhere else."),
        ),
    ]
}
