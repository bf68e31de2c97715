//! Percent escapes of readable links.

/// A key as it stands in a link.
pub(super) fn encoded_key(text: &str) -> String {
    encoded(text, "-._")
}

/// A value as it stands in a link: what a fragment may hold stays readable.
pub(super) fn encoded_value(text: &str) -> String {
    encoded(text, "-._,:/=@")
}

fn encoded(text: &str, plain: &str) -> String {
    let mut result = String::new();
    for byte in text.bytes() {
        let c = char::from(byte);
        if c.is_ascii_alphanumeric() || plain.contains(c) {
            result.push(c);
        } else {
            result.push('%');
            for digit in [byte >> 4, byte & 15] {
                result.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
            }
        }
    }
    result
}

/// The text that was encoded; nothing where it is not UTF-8.
pub(super) fn decoded(text: &str) -> Option<String> {
    String::from_utf8(decoded_bytes(text).collect()).ok()
}

/// The bytes that were encoded. A `%` without two digits stands for itself.
pub(super) fn decoded_bytes(text: &str) -> impl Iterator<Item = u8> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let byte = *bytes.get(at)?;
        if byte == b'%'
            && let Some(value) = bytes.get(at + 1..at + 3).and_then(hex_pair)
        {
            at += 3;
            return Some(value);
        }
        at += 1;
        Some(byte)
    })
}

fn hex_pair(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let value = digit(digits[0])? * 16 + digit(digits[1])?;
    Some(value as u8)
}
