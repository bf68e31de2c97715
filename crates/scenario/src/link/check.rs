//! The check value at the end of a link: a link that was cut on its way must be named as cut.

use super::packed::to_base64url;
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
    let Some((body, found)) = fragment.rsplit_once('~') else {
        return verified_escaped(fragment).ok_or(CheckError::Missing);
    };
    match found.len() {
        0 => Ok(body),
        1..LENGTH => Err(CheckError::Missing),
        _ if found == value(body) => Ok(body),
        _ => Err(CheckError::Wrong),
    }
}

/// The body of a link whose tilde was escaped on its way. There may be escaped tildes inside a body as well, so only
/// a right check value shows that the last one was the end.
fn verified_escaped(fragment: &str) -> Option<&str> {
    let at = fragment.rfind("%7E").max(fragment.rfind("%7e"))?;
    let (body, found) = (&fragment[..at], &fragment[at + "%7E".len()..]);
    (found == value(body)).then_some(body)
}
