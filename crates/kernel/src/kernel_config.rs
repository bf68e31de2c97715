use crate::{Era, Form, Hunk, PatchSet, Tunables};

/// The kernel under simulation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Kernel {
    /// Its version.
    pub era: Era,
    /// Which patches are applied.
    pub patches: PatchSet,
    /// Its numbers and feature flags.
    pub tunables: Tunables,
}

/// Who is told of the decisions at hunks.
pub trait Audit {
    /// Whether the answers of forms that are not active are wanted.
    fn wants_rivals(&self) -> bool;

    /// A hunk was reached. Bit `i` of `differing` is set where form `i` answers otherwise than the base kernel;
    /// `active` is the form in force.
    fn decision(&mut self, hunk: &'static Hunk, differing: u8, active: Option<Form>);
}

/// Nobody is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct SilentAudit;

impl Audit for SilentAudit {
    fn wants_rivals(&self) -> bool {
        false
    }

    fn decision(&mut self, _hunk: &'static Hunk, _differing: u8, _active: Option<Form>) {}
}

impl Kernel {
    /// A kernel as it was released for a machine of `cpus` CPUs, ticking `hz` times a second.
    pub fn released(era: Era, cpus: u32, hz: u32) -> Kernel {
        Kernel { era, patches: PatchSet::for_era(era), tunables: Tunables::for_era(era, cpus, hz) }
    }

    /// The answer at a hunk: that of the base kernel, or that of the form in force.
    ///
    /// `forms` holds one answer for each form of the patch, in the order of
    /// [`PatchInfo::forms`](crate::PatchInfo::forms); an answer is a value over shared state, so asking has no effect.
    pub fn decide<T: Copy + PartialEq, const N: usize>(
        &self,
        audit: &mut dyn Audit,
        hunk: &'static Hunk,
        base: T,
        forms: [T; N],
    ) -> T {
        debug_assert_eq!(N, hunk.patch.info().forms.len(), "one answer a form at {}", hunk.function);
        let active = self.patches.form(hunk.patch);
        if audit.wants_rivals() {
            let mut differing = 0;
            for (position, answer) in forms.iter().enumerate() {
                differing |= u8::from(*answer != base) << position;
            }
            audit.decision(hunk, differing, active);
        }
        active.map_or(base, |form| forms[form.0 as usize])
    }

    /// Whether the statement that a hunk adds is there. `forms` says for each form whether it has the statement.
    pub fn applied<const N: usize>(&self, hunk: &'static Hunk, forms: [bool; N]) -> bool {
        debug_assert_eq!(N, hunk.patch.info().forms.len(), "one answer a form at {}", hunk.function);
        self.patches.form(hunk.patch).is_some_and(|form| forms[form.0 as usize])
    }
}
