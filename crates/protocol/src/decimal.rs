//! 64-bit numbers as decimal text, because JavaScript's numbers end at 2^53. For `#[serde(with)]`.

use serde::{Deserialize, Deserializer, Serializer, de};

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
pub(crate) fn serialize<S: Serializer>(value: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(|_| de::Error::custom(format!("{text:?} is not a number of 64 bits")))
}
