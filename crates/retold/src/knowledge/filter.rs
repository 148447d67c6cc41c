//! A filter for sets of keys, fast for absent keys, which most are.

/// Minimum bits per key: one in sixteen absent keys seems present.
const BITS: usize = 16;

/// A set of keys whose lowest bits are random enough. One look-up shows that an absent key is not in it.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The length is a power of two.
    words: Vec<u64>,
}

impl Filter {
    /// The filter for the keys of these lists.
    pub fn new(lists: &[&[u64]]) -> Filter {
        let keys: usize = lists.iter().map(|list| list.len()).sum();
        let words = (keys * BITS).div_ceil(64).next_power_of_two();
        let mut filter = Filter {
            words: vec![0; words],
        };
        for &key in lists.iter().copied().flatten() {
            let (word, bit) = filter.place(key);
            filter.words[word] |= bit;
        }
        filter
    }

    /// False only if the key is certainly absent.
    pub fn may_have(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.words[word] & bit != 0
    }

    fn place(&self, key: u64) -> (usize, u64) {
        (
            (key >> 6) as usize & (self.words.len() - 1),
            1 << (key & 63),
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    proptest! {
        #[test]
        fn all_keys_are_had(lists in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..40), 0..4)) {
            let of: Vec<&[u64]> = lists.iter().map(Vec::as_slice).collect();
            let filter = Filter::new(&of);
            prop_assert!(lists.iter().flatten().all(|&key| filter.may_have(key)));
        }
    }

    #[test]
    fn few_others_are_taken_for_one_of_them() {
        let key = |n: u32| xxh3_64(&n.to_le_bytes());
        let keys: Vec<u64> = (0..4096).map(key).collect();
        let filter = Filter::new(&[&keys]);
        // 4,096 of 65,536 bits are set, or a few less.
        let others = (4096..14_096).filter(|&n| filter.may_have(key(n))).count();
        assert!((500..=625).contains(&others), "{others}");
        let none = Filter::new(&[]);
        assert!((0..100).all(|n| !none.may_have(key(n))));
    }
}
