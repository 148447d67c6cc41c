//! The inverted index: the posting list of each key.

use crate::error::Result;
use crate::ids::SketchNo;
use crate::sketch::{SharedKeys, Sketches};

/// Posting lists of all keys that at least two sketches have, ascending by key; each list ascending by sketch.
///
/// 12 bytes per shared key and 4 per posting. A key in only one sketch makes no pair and is omitted.
#[derive(Debug, Default)]
pub struct Postings {
    keys: Vec<u64>,
    ends: Vec<usize>,
    sketches: Vec<SketchNo>,
}

impl Postings {
    /// Builds the lists of keys whose sketches weigh more than `limit` together. Time O(n log n) in the number of keys; the result does not
    /// depend on threads.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn build(
        sketches: &Sketches,
        weight: impl Fn(SketchNo) -> u64 + Sync,
        limit: u64,
    ) -> Result<Postings> {
        let keys = SharedKeys::of(sketches, &weight, limit, |number| [number.0])?;
        let mut postings = Postings::default();
        keys.each(|key, list| {
            let list = list.iter().map(|&number| SketchNo(number));
            if list.clone().map(&weight).sum::<u64>() > limit {
                postings.keys.push(key);
                postings.sketches.extend(list);
                postings.ends.push(postings.sketches.len());
            }
            Ok(())
        })?;
        Ok(postings)
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The key and posting list at a position.
    pub fn at(&self, position: usize) -> (u64, &[SketchNo]) {
        let start = if position == 0 {
            0
        } else {
            self.ends[position - 1]
        };
        (
            self.keys[position],
            &self.sketches[start..self.ends[position]],
        )
    }

    /// All keys with their lists, ascending by key.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[SketchNo])> {
        (0..self.len()).map(|position| self.at(position))
    }

    /// All keys, ascending.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        self.keys.iter().copied()
    }
}
