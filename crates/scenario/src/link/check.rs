//! The check value at the end of a link: a link that was cut on its way must be named as cut.

use super::packed::{from_base64url, to_base64url};
use super::percent;

/// Why a check value does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckError {
    /// It is missing or has not all its characters.
    Missing,
    /// It belongs to something else.
    Wrong,
}

/// How many characters it has.
const LENGTH: usize = 4;

/// The check value of a link's body: 24 bits of FNV-1a as base64url.
///
/// Percent escapes are resolved first, because programs that pass links on add and remove them.
pub(super) fn value(body: &str) -> String {
    let mut hash: u32 = 0x811c_9dc5;
    for byte in percent::decoded_bytes(body) {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    let folded = (hash >> 24) ^ (hash & 0x00ff_ffff);
    to_base64url(&folded.to_be_bytes()[1..])
}

/// The body of a link whose check value holds. A `~` with nothing behind it stands for a link written by hand: it
/// shows that the end is there.
pub(super) fn verified(fragment: &str) -> Result<&str, CheckError> {
    // Some programs escape the tilde.
    let escaped = fragment.rfind("%7E").max(fragment.rfind("%7e")).map(|at| (at, 3));
    let plain = fragment.rfind('~').map(|at| (at, 1));
    let (at, width) = plain.max(escaped).ok_or(CheckError::Missing)?;
    let (body, found) = (&fragment[..at], &fragment[at + width..]);
    if found.is_empty() && width == 1 {
        return Ok(body);
    }
    if from_base64url(found).is_none_or(|_| found.len() < LENGTH) {
        return Err(if found.len() < LENGTH { CheckError::Missing } else { CheckError::Wrong });
    }
    if found == value(body) { Ok(body) } else { Err(CheckError::Wrong) }
}
