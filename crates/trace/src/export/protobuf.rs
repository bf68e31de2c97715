//! As much of the protobuf encoding as traces need: varints and length-delimited fields.

/// How a field is encoded.
const VARINT: u64 = 0;
const LENGTH_DELIMITED: u64 = 2;

/// A message that is being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    bytes: Vec<u8>,
}

impl Message {
    /// Sets an unsigned or boolean field, or a signed one that is not negative.
    pub(crate) fn uint(&mut self, field: u32, value: u64) -> &mut Message {
        varint(&mut self.bytes, u64::from(field) << 3 | VARINT);
        varint(&mut self.bytes, value);
        self
    }

    /// Sets a text field.
    pub(crate) fn text(&mut self, field: u32, value: &str) -> &mut Message {
        self.delimited(field, value.as_bytes())
    }

    /// Sets a field that is a message, or adds one where the field is repeated.
    pub(crate) fn message(&mut self, field: u32, value: &Message) -> &mut Message {
        self.delimited(field, &value.bytes)
    }

    /// Goes on with the fields of another message of its kind.
    pub(crate) fn append(&mut self, more: &Message) -> &mut Message {
        self.bytes.extend_from_slice(&more.bytes);
        self
    }

    fn delimited(&mut self, field: u32, value: &[u8]) -> &mut Message {
        varint(&mut self.bytes, u64::from(field) << 3 | LENGTH_DELIMITED);
        varint(&mut self.bytes, value.len() as u64);
        self.bytes.extend_from_slice(value);
        self
    }

    /// Its encoding.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Seven bits a byte, the lowest first; the highest bit says that more follows.
fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while 0x7f < value {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_encoded_as_the_documentation_of_the_format_shows() {
        let mut message = Message::default();
        message.uint(1, 150);
        assert_eq!(message.bytes(), [0x08, 0x96, 0x01]);
        let mut text = Message::default();
        text.text(2, "testing");
        assert_eq!(text.bytes(), b"\x12\x07testing");
        let mut outer = Message::default();
        outer.message(3, &message);
        assert_eq!(outer.bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
    }

    #[test]
    fn the_largest_number_takes_ten_bytes() {
        let mut bytes = Vec::new();
        varint(&mut bytes, u64::MAX);
        assert_eq!(bytes, [[0xff; 9].as_slice(), &[0x01]].concat());
    }
}
