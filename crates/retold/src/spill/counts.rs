//! Approximate counts of keys, to skip keys that occur only once before sorting.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use rayon::prelude::*;

use super::memory::Memory;

/// Minimum slots per key, if memory allows: then four of five keys that occur once are recognised.
const SLOTS: usize = 4;
/// Counts per byte.
const A_BYTE: usize = 4;

/// For every key an upper bound on the number of times it was added, up to [`Counts::MOST`]. Two bits per slot; keys in one slot are
/// counted together. Without memory for slots every count is the maximum.
#[derive(Debug)]
pub struct Counts {
    slots: Vec<AtomicU8>,
    memory: Memory,
}

impl Counts {
    /// The maximum count.
    pub const MOST: u64 = 3;

    /// Counts for this many keys, whose lowest bits must be random enough.
    pub fn new(keys: usize, memory: &Memory) -> Counts {
        let wanted = (keys.max(1) * SLOTS / A_BYTE).next_power_of_two();
        let room = memory.share().checked_ilog2().map_or(0, |bits| 1 << bits);
        let bytes = (wanted as u64).min(room);
        let bytes = if memory.take(bytes) { bytes } else { 0 };
        Counts {
            slots: (0..bytes)
                .into_par_iter()
                .map(|_| AtomicU8::default())
                .collect(),
            memory: memory.clone(),
        }
    }

    /// Adds a key `times` times. The counts do not depend on the order.
    pub fn add(&self, key: u64, times: u64) {
        let Some((slot, shift)) = self.slot(key) else {
            return;
        };
        let slot = &self.slots[slot];
        let mut held = slot.load(Relaxed);
        loop {
            let count = u64::from(held >> shift & 3);
            let added = times.min(Counts::MOST - count) as u8;
            if added == 0 {
                return;
            }
            match slot.compare_exchange_weak(held, held + (added << shift), Relaxed, Relaxed) {
                Ok(_) => return,
                Err(now) => held = now,
            }
        }
    }

    /// An upper bound on how often the key was added.
    pub fn at_most(&self, key: u64) -> u64 {
        match self.slot(key) {
            Some((slot, shift)) => u64::from(self.slots[slot].load(Relaxed) >> shift & 3),
            None => Counts::MOST,
        }
    }

    /// The byte of a key's slot, and the slot's bit position in it.
    fn slot(&self, key: u64) -> Option<(usize, u32)> {
        let last = self.slots.len().checked_sub(1)?;
        Some((key as usize >> 2 & last, 2 * (key as u32 & 3)))
    }
}

impl Drop for Counts {
    fn drop(&mut self) {
        self.memory.give(self.slots.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_key_is_counted_too_rarely(added in prop::collection::vec((0..60u64, 0..5u64), 0..40), room in any::<bool>()) {
            let memory = match room {
                true => Memory::default(),
                false => Memory::none(std::path::Path::new(".")),
            };
            let (counts, mut exact) = (Counts::new(added.len(), &memory), BTreeMap::new());
            for &(key, times) in &added {
                counts.add(key, times);
                *exact.entry(key).or_insert(0) += times;
            }
            for (key, times) in exact {
                prop_assert!(counts.at_most(key) >= times.min(Counts::MOST));
            }
        }
    }

    #[test]
    fn what_was_added_once_is_told_from_what_was_added_again() {
        let counts = Counts::new(100, &Memory::default());
        // With 128 bytes, the numbers have separate slots.
        (0..100).for_each(|key| counts.add(key, 1 + key % 2));
        assert!((0..100).all(|key| counts.at_most(key) == 1 + key % 2));
        counts.add(7, 9);
        assert_eq!((counts.at_most(7), counts.at_most(8)), (3, 1));
        assert_eq!(counts.at_most(100), 0);
        // Without memory nothing is skipped.
        let none = Counts::new(100, &Memory::none(std::path::Path::new(".")));
        assert_eq!(none.at_most(1), Counts::MOST);
    }

    #[test]
    fn slots_are_given_back() {
        let memory = Memory::new(0, 1 << 20, std::path::Path::new("."), Default::default());
        let counts = Counts::new(10_000, &memory);
        let left = memory.left();
        drop(counts);
        assert_eq!(memory.left() - left, 16384);
        // At most a share of the memory is used.
        let counts = Counts::new(1 << 30, &memory);
        assert_eq!(counts.slots.len(), 65536);
    }
}
