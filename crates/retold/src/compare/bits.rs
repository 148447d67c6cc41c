//! A Bloom-like filter that recognises nearly all absent hashes with one look-up.

/// A set of hashes as bits, with false positives.
pub(super) struct Bits {
    bits: Vec<u64>,
}

/// Bits per hash: fewer than one in this many absent hashes seem to be present.
const BITS: usize = 8;

impl Bits {
    /// The set of these hashes, at most `count` of them.
    pub(super) fn of(hashes: impl Iterator<Item = u64>, count: usize) -> Bits {
        let size = (count * BITS).div_ceil(64).next_power_of_two();
        let mut bits = Bits {
            bits: vec![0; size],
        };
        for hash in hashes {
            let (at, bit) = bits.place(hash);
            bits.bits[at] |= bit;
        }
        bits
    }

    /// Whether this hash may be in the set.
    pub(super) fn may_have(&self, hash: u64) -> bool {
        let (at, bit) = self.place(hash);
        self.bits[at] & bit != 0
    }

    fn place(&self, hash: u64) -> (usize, u64) {
        // The high bits of a product depend on all bits of the hash.
        let hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let at = hash as usize & (64 * self.bits.len() - 1);
        (at / 64, 1 << (at % 64))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    proptest! {
        #[test]
        fn what_is_there_is_found(hashes in prop::collection::vec(any::<u64>(), 0..200)) {
            let bits = Bits::of(hashes.iter().copied(), hashes.len());
            prop_assert!(hashes.iter().all(|hash| bits.may_have(*hash)));
        }
    }

    #[test]
    fn most_of_the_others_are_not() {
        let hash = |n: u64| xxh3_64(&n.to_le_bytes());
        let bits = Bits::of((0..1000).map(hash), 1000);
        let seem = (1000..2000).filter(|&n| bits.may_have(hash(n))).count();
        assert!((1..150).contains(&seem), "{seem}");
    }
}
