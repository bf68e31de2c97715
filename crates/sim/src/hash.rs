use std::hash::{Hash, Hasher};

/// A hash that is the same on every platform: integers enter with their explicit width, `usize` as 64 bits.
///
/// Not for hash tables and not cryptographic: it names runs and finds where two of them part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StableHasher {
    state: u64,
}

impl Default for StableHasher {
    fn default() -> Self {
        StableHasher { state: 0x5275_6e71_7565_7565 }
    }
}

impl StableHasher {
    /// Folds one word into the hash.
    pub fn word(&mut self, word: u64) {
        let mixed = (self.state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.state = mixed ^ (mixed >> 29);
    }
}

impl Hasher for StableHasher {
    fn finish(&self) -> u64 {
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.word(u64::from(value));
    }

    fn write_u16(&mut self, value: u16) {
        self.word(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.word(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.word(value);
    }

    fn write_u128(&mut self, value: u128) {
        self.word(value as u64);
        self.word((value >> 64) as u64);
    }

    fn write_usize(&mut self, value: usize) {
        self.word(value as u64);
    }

    fn write_i8(&mut self, value: i8) {
        self.word(value as u64);
    }

    fn write_i16(&mut self, value: i16) {
        self.word(value as u64);
    }

    fn write_i32(&mut self, value: i32) {
        self.word(value as u64);
    }

    fn write_i64(&mut self, value: i64) {
        self.word(value as u64);
    }

    fn write_i128(&mut self, value: i128) {
        self.write_u128(value as u128);
    }

    fn write_isize(&mut self, value: isize) {
        self.word(value as u64);
    }
}

/// The stable hash of one value.
pub fn stable_hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = StableHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_value_matter() {
        assert_ne!(stable_hash(&(1u8, 2u8)), stable_hash(&(2u8, 1u8)));
        assert_ne!(stable_hash(&[1u32, 2].as_slice()), stable_hash(&[1u32, 2, 0].as_slice()));
        assert_eq!(stable_hash(&7usize), stable_hash(&7u64));
    }
}
