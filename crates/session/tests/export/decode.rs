//! A small reader of the protobuf encoding, which knows nothing of the writer.

/// A field of a message.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    Number(u64),
    Bytes(Vec<u8>),
}

/// A message: its fields with their numbers, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Message(pub(crate) Vec<(u64, Field)>);

impl Message {
    pub(crate) fn decode(mut bytes: &[u8]) -> Message {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let field = match key & 7 {
                0 => Field::Number(varint(&mut bytes)),
                2 => {
                    let length = varint(&mut bytes) as usize;
                    let (content, rest) = bytes.split_at(length);
                    bytes = rest;
                    Field::Bytes(content.to_vec())
                }
                other => panic!("no trace has fields of wire type {other}"),
            };
            fields.push((key >> 3, field));
        }
        Message(fields)
    }

    fn all(&self, number: u64) -> impl Iterator<Item = &Field> {
        self.0.iter().filter(move |(found, _)| *found == number).map(|(_, field)| field)
    }

    /// The messages of a repeated field.
    pub(crate) fn messages(&self, number: u64) -> Vec<Message> {
        let bytes = self.all(number).map(|field| match field {
            Field::Bytes(bytes) => Message::decode(bytes),
            Field::Number(_) => panic!("field {number} is no message"),
        });
        bytes.collect()
    }

    /// The message of a field.
    pub(crate) fn message(&self, number: u64) -> Option<Message> {
        self.messages(number).pop()
    }

    /// The number of a field that must be there.
    pub(crate) fn number(&self, number: u64) -> u64 {
        match self.all(number).next() {
            Some(Field::Number(value)) => *value,
            other => panic!("field {number} is {other:?}"),
        }
    }

    /// The text of a field that must be there.
    pub(crate) fn text(&self, number: u64) -> String {
        match self.all(number).next() {
            Some(Field::Bytes(bytes)) => String::from_utf8(bytes.clone()).unwrap(),
            other => panic!("field {number} is {other:?}"),
        }
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (first, rest) = bytes.split_first().expect("a number ends before the message does");
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if *first < 0x80 {
            break;
        }
    }
    value
}
