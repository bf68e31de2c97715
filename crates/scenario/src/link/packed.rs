//! Packed links: deflate with a dictionary, as base64url.
//!
//! The dictionary works without support by the compressor: it is compressed first, up to a flush that ends on a byte,
//! and what that gave is thrown away. What follows may refer to it as if it had just been sent. The reader puts the
//! dictionary in front of its output.

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress, create_comp_flags_from_zip_params, deflate_flags,
};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

/// The dictionary of link version 1: scenarios as they are written. It may never change.
pub(super) const DICTIONARY: &[u8] = include_bytes!("dictionary-1.txt");

/// The most bytes that a link may unpack to.
const MAX_UNPACKED: usize = 1 << 20;

/// Why a packed link cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnpackError {
    /// It would unpack to more than [`MAX_UNPACKED`].
    TooLarge,
    /// It is not what [`pack`] writes.
    Damaged,
}

/// Packs bytes into the characters A to Z, a to z, 0 to 9, `-` and `_`.
pub(super) fn pack(bytes: &[u8]) -> String {
    // Short texts come out shorter with the fixed code, long ones with one of their own.
    let [fixed, own] = [deflate_flags::TDEFL_FORCE_ALL_STATIC_BLOCKS, 0].map(|flags| deflate(bytes, flags));
    to_base64url(if fixed.len() <= own.len() { &fixed } else { &own })
}

/// The bytes that were packed.
pub(super) fn unpack(text: &str) -> Result<Vec<u8>, UnpackError> {
    let packed = from_base64url(text).ok_or(UnpackError::Damaged)?;
    let mut room = 1 << 14;
    loop {
        match inflate(&packed, room) {
            Err(UnpackError::TooLarge) if room < MAX_UNPACKED => room *= 8,
            result => return result,
        }
    }
}

fn deflate(bytes: &[u8], extra_flags: u32) -> Vec<u8> {
    // Window bits below 0: no zlib frame around it.
    let mut compressor = CompressorOxide::new(create_comp_flags_from_zip_params(9, -15, 0) | extra_flags);
    run(&mut compressor, DICTIONARY, TDEFLFlush::Sync);
    run(&mut compressor, bytes, TDEFLFlush::Finish)
}

/// Feeds everything to the compressor and returns what comes out.
fn run(compressor: &mut CompressorOxide, mut bytes: &[u8], flush: TDEFLFlush) -> Vec<u8> {
    let mut result = Vec::new();
    let mut buffer = vec![0; 1 << 15];
    loop {
        let (status, read, written) = compress(compressor, bytes, &mut buffer, flush);
        bytes = &bytes[read..];
        result.extend_from_slice(&buffer[..written]);
        let finished = match status {
            TDEFLStatus::Okay => flush != TDEFLFlush::Finish && bytes.is_empty() && written < buffer.len(),
            TDEFLStatus::Done | TDEFLStatus::BadParam | TDEFLStatus::PutBufFailed => true,
        };
        if finished {
            return result;
        }
    }
}

/// Unpacks into at most `room` bytes behind the dictionary.
fn inflate(packed: &[u8], room: usize) -> Result<Vec<u8>, UnpackError> {
    let mut output = DICTIONARY.to_vec();
    output.resize(DICTIONARY.len() + room.min(MAX_UNPACKED), 0);
    let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let mut state = Box::<DecompressorOxide>::default();
    let (status, read, written) = decompress(&mut state, packed, &mut output, DICTIONARY.len(), flags);
    match status {
        TINFLStatus::Done if read == packed.len() => {
            output.truncate(DICTIONARY.len() + written);
            Ok(output.split_off(DICTIONARY.len()))
        }
        TINFLStatus::HasMoreOutput => Err(UnpackError::TooLarge),
        _ => Err(UnpackError::Damaged),
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Base64url without padding (RFC 4648 section 5).
pub(super) fn to_base64url(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|i| u32::from(chunk.get(i).copied().unwrap_or(0)));
        let bits = a << 16 | b << 8 | c;
        for position in 0..=chunk.len() {
            text.push(char::from(ALPHABET[(bits >> (18 - 6 * position) & 63) as usize]));
        }
    }
    text
}

/// The bytes of base64url; nothing where a character is wrong or the length impossible.
pub(super) fn from_base64url(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for chunk in text.as_bytes().chunks(4) {
        if chunk.len() == 1 {
            return None;
        }
        let mut bits = 0;
        for position in 0..4 {
            let sextet = match chunk.get(position) {
                Some(byte) => ALPHABET.iter().position(|letter| letter == byte)?,
                None => 0,
            };
            bits = bits << 6 | sextet as u32;
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..chunk.len()]);
    }
    Some(bytes)
}
