use std::fmt;
use std::str::FromStr;

use crate::Era;
use crate::patches::{llc_spread, rt_idle_first, ttwu_pending};

/// A kernel patch that can be switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Patch {
    /// sched/fair: ensure tasks spreading in LLC during LB.
    LlcSpread,
    /// sched: Clear ttwu_pending after enqueue_task.
    TtwuPending,
    /// sched/rt: avoid contend with CFS task.
    RtIdleFirst,
}

/// How a patch relates to an era.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// The code that the patch edits stands there.
    Native,
    /// The kernel has it: the switch starts on, and off is a revert.
    Merged,
    /// The same rule put at the same decision of another era; ours, and marked so.
    Ported,
    /// There is nothing that it could edit, for the reason given.
    Impossible(&'static str),
}

/// What a reader must know of a patch.
#[derive(Debug)]
pub struct PatchInfo {
    /// The name used in links, on the page and on the command line.
    pub slug: &'static str,
    /// The subject line of the mail.
    pub title: &'static str,
    /// Who wrote it.
    pub author: &'static str,
    /// When it was posted, as ISO date.
    pub date: &'static str,
    /// The Message-ID of the mail, for a link to the archive.
    pub message_id: &'static str,
    /// What became of it.
    pub status: &'static str,
    /// What it changes, in plain words.
    pub summary: &'static str,
    /// The preset that shows it.
    pub preset: &'static str,
    /// Its forms; the first is what `on` means.
    pub forms: &'static [FormInfo],
    /// The places that it edits, in order of their index.
    pub hunks: &'static [&'static Hunk],
}

/// One published form of a patch: the merged one or a rival from the same thread.
#[derive(Debug)]
pub struct FormInfo {
    /// The name used in links and on the command line.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
}

/// One place in the kernel source that a patch edits.
#[derive(Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The patch that it belongs to.
    pub patch: Patch,
    /// Its position in the patch, from 0.
    pub index: u8,
    /// The kernel's file.
    pub file: &'static str,
    /// The kernel's function.
    pub function: &'static str,
}

/// A form of a patch by its position in [`PatchInfo::forms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Form(pub u8);

/// Which patches are applied, and in which form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct PatchSet {
    forms: [Option<Form>; Patch::ALL.len()],
}

/// Why a patch cannot be set as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchSetError {
    /// The patch has no such form.
    UnknownForm {
        /// The patch.
        patch: Patch,
        /// What was asked for.
        form: String,
    },
    /// The patch cannot exist in the era.
    Impossible {
        /// The patch.
        patch: Patch,
        /// The era.
        era: Era,
        /// Why.
        reason: &'static str,
    },
}

impl Patch {
    /// Every patch, in the order in which the page shows them.
    pub const ALL: [Patch; 3] = [Patch::LlcSpread, Patch::TtwuPending, Patch::RtIdleFirst];

    /// What a reader must know of it.
    pub const fn info(self) -> &'static PatchInfo {
        match self {
            Patch::LlcSpread => &llc_spread::INFO,
            Patch::TtwuPending => &ttwu_pending::INFO,
            Patch::RtIdleFirst => &rt_idle_first::INFO,
        }
    }

    /// The name used outside.
    pub const fn slug(self) -> &'static str {
        self.info().slug
    }

    /// How the patch relates to an era.
    pub const fn availability(self, era: Era) -> Availability {
        match self {
            Patch::LlcSpread => llc_spread::availability(era),
            Patch::TtwuPending => ttwu_pending::availability(era),
            Patch::RtIdleFirst => rt_idle_first::availability(era),
        }
    }

    /// The form with a name; `on` is the first one.
    pub fn form(self, name: &str) -> Option<Form> {
        let position =
            if name == "on" { 0 } else { self.info().forms.iter().position(|form| form.name == name)? };
        Some(Form(position as u8))
    }
}

impl fmt::Display for Patch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

impl FromStr for Patch {
    type Err = String;

    fn from_str(text: &str) -> Result<Patch, String> {
        Patch::ALL.into_iter().find(|patch| patch.slug() == text).ok_or_else(|| {
            format!("{text:?} is not a patch; the patches are {}", Patch::ALL.map(Patch::slug).join(", "))
        })
    }
}

impl PatchSet {
    /// What a kernel of this era has without anybody's choice: its merged patches.
    pub fn for_era(era: Era) -> PatchSet {
        let mut set = PatchSet::default();
        for patch in Patch::ALL {
            if patch.availability(era) == Availability::Merged {
                set.forms[patch as usize] = Some(Form(0));
            }
        }
        set
    }

    /// Sets a patch to `off`, `on` or the name of a form, if the era allows it.
    pub fn set(&mut self, era: Era, patch: Patch, value: &str) -> Result<(), PatchSetError> {
        if value == "off" {
            self.forms[patch as usize] = None;
            return Ok(());
        }
        let form =
            patch.form(value).ok_or_else(|| PatchSetError::UnknownForm { patch, form: value.to_owned() })?;
        if let Availability::Impossible(reason) = patch.availability(era) {
            return Err(PatchSetError::Impossible { patch, era, reason });
        }
        self.forms[patch as usize] = Some(form);
        Ok(())
    }

    /// The form in which a patch is applied, if it is.
    pub const fn form(&self, patch: Patch) -> Option<Form> {
        self.forms[patch as usize]
    }

    /// `off` or the name of the form.
    pub fn value(&self, patch: Patch) -> &'static str {
        self.form(patch).map_or("off", |form| patch.info().forms[form.0 as usize].name)
    }
}

impl fmt::Display for PatchSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatchSetError::UnknownForm { patch, form } => {
                let forms: Vec<&str> = patch.info().forms.iter().map(|form| form.name).collect();
                write!(f, "{patch} has no form {form:?}; use off, on or one of {}", forms.join(", "))
            }
            PatchSetError::Impossible { patch, era, reason } => {
                let eras: Vec<&str> = Era::ALL
                    .into_iter()
                    .filter(|era| !matches!(patch.availability(*era), Availability::Impossible(_)))
                    .map(Era::name)
                    .collect();
                write!(f, "{patch} is impossible in {era}: {reason}; it can be used in {}", eras.join(", "))
            }
        }
    }
}

impl std::error::Error for PatchSetError {}
