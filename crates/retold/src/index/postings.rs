//! The inverted index: key -> the sketches that hold it.

use super::store::Sketches;
use crate::error::Result;
use crate::ids::SketchNo;
use crate::spill::{Counts, Sorter};

/// A key and where it stands, to be sorted.
pub(super) fn record(key: u64, number: u32) -> [u32; 3] {
    [(key >> 32) as u32, key as u32, number]
}

/// Posting lists of all keys that at least two sketches hold, ascending by key; each list ascending by sketch.
///
/// 12 bytes a shared key and 4 a posting. A key in only one sketch can make no pair and is omitted.
#[derive(Debug, Default)]
pub struct Postings {
    keys: Vec<u64>,
    ends: Vec<usize>,
    sketches: Vec<SketchNo>,
}

impl Postings {
    /// Builds the index. Time O(n log n) in the number of keys; the result does not depend on threads.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn build(sketches: &Sketches) -> Result<Postings> {
        Self::build_where(sketches, |_| 1, 1)
    }

    /// The same of the keys whose sketches weigh more than `limit` together.
    pub fn build_where(
        sketches: &Sketches,
        weight: impl Fn(SketchNo) -> u64,
        limit: u64,
    ) -> Result<Postings> {
        let mut counts = Counts::new(sketches.values(), sketches.memory());
        sketches.each(|number, sketch| {
            let weight = weight(number);
            sketch.keys.iter().for_each(|&key| counts.add(key, weight));
            Ok(())
        })?;
        let mut sorter = Sorter::new(sketches.memory());
        sketches.each(|number, sketch| {
            let may = |key: &&u64| counts.at_most(**key) > limit.min(Counts::MOST - 1);
            let mut keys = sketch.keys.iter().filter(may);
            keys.try_for_each(|&key| sorter.push(record(key, number.0)))
        })?;
        drop(counts);
        let (mut postings, mut list) = (Postings::default(), Vec::new());
        let mut last = 0;
        let mut add = |key, list: &mut Vec<SketchNo>| {
            if list.iter().map(|&number| weight(number)).sum::<u64>() > limit {
                postings.keys.push(key);
                postings.sketches.extend_from_slice(list);
                postings.ends.push(postings.sketches.len());
            }
            list.clear();
        };
        for [high, low, number] in sorter.finish()? {
            let key = u64::from(high) << 32 | u64::from(low);
            if key != last {
                add(last, &mut list);
                last = key;
            }
            list.push(SketchNo(number));
        }
        add(last, &mut list);
        Ok(postings)
    }

    /// How many keys have a list.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// True if no two sketches share a key.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The key and list at a position.
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

    /// The position of a key, `None` if fewer than two sketches hold it.
    pub fn position(&self, key: u64) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }

    /// All keys with their lists, ascending by key.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[SketchNo])> {
        (0..self.len()).map(|position| self.at(position))
    }

    /// All keys, ascending.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        self.keys.iter().copied()
    }

    /// The number of postings in all lists.
    pub fn total(&self) -> usize {
        self.sketches.len()
    }
}
