//! The inverted index: key -> the sketches that hold it.

use super::store::Sketches;
use crate::error::Result;
use crate::ids::SketchNo;
use crate::spill::Sorter;

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
        Self::build_where(sketches, |list| list.len() > 1)
    }

    /// The same, keeping only lists for which `wanted` is true, given the (key, sketch) entries of each.
    pub fn build_where(
        sketches: &Sketches,
        wanted: impl Fn(&[(u64, SketchNo)]) -> bool,
    ) -> Result<Postings> {
        let mut sorter = Sorter::new(sketches.memory());
        sketches.each(|number, sketch| {
            let mut keys = sketch.keys.iter();
            keys.try_for_each(|&key| sorter.push(record(key, number.0)))
        })?;
        let (mut postings, mut list) = (Postings::default(), Vec::new());
        for [high, low, number] in sorter.finish()? {
            let key = u64::from(high) << 32 | u64::from(low);
            if list.last().is_some_and(|&(last, _)| last != key) {
                postings.add(&mut list, &wanted);
            }
            list.push((key, SketchNo(number)));
        }
        postings.add(&mut list, &wanted);
        Ok(postings)
    }

    /// Adds a list, if it is wanted, and empties it.
    fn add(
        &mut self,
        list: &mut Vec<(u64, SketchNo)>,
        wanted: &impl Fn(&[(u64, SketchNo)]) -> bool,
    ) {
        if let Some(&(key, _)) = list.first()
            && wanted(list)
        {
            self.keys.push(key);
            self.sketches.extend(list.iter().map(|&(_, number)| number));
            self.ends.push(self.sketches.len());
        }
        list.clear();
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
