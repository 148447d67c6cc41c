//! The inverted index: key -> the sketches that hold it.

use rayon::prelude::*;

use super::store::Sketches;
use crate::ids::SketchNo;

/// Posting lists of all keys that at least two sketches hold, ascending by key; each list ascending by sketch.
///
/// 12 bytes a shared key and 4 a posting. A key in only one sketch can make no pair and is omitted.
#[derive(Debug, Default)]
pub struct Postings {
    keys: Vec<u64>,
    ends: Vec<usize>,
    sketches: Vec<SketchNo>,
}

/// Keys are split by their leading bits. Each part is gathered and sorted on its own, so that only as many parts as
/// there are threads are ever held as (key, sketch) runs.
const PART_BITS: u32 = 6;

impl Postings {
    /// Builds the index. Time O(n log n) in the number of keys, on all threads; the result does not depend on them.
    pub fn build(sketches: &Sketches) -> Postings {
        Self::build_where(sketches, |list| list.len() > 1)
    }

    /// The same, keeping only lists for which `wanted` is true, given the (key, sketch) entries of each.
    pub fn build_where(
        sketches: &Sketches,
        wanted: impl Fn(&[(u64, SketchNo)]) -> bool + Sync,
    ) -> Postings {
        let parts: Vec<Postings> = (0..1u64 << PART_BITS)
            .into_par_iter()
            .map(|part| Self::part(sketches, part, &wanted))
            .collect();
        let mut whole = Postings::default();
        for part in parts {
            let base = whole.sketches.len();
            whole.keys.extend(part.keys);
            whole.ends.extend(part.ends.iter().map(|end| base + end));
            whole.sketches.extend(part.sketches);
        }
        whole
    }

    fn part(
        sketches: &Sketches,
        part: u64,
        wanted: &impl Fn(&[(u64, SketchNo)]) -> bool,
    ) -> Postings {
        let mut run = Vec::new();
        for number in SketchNo::first(sketches.len()) {
            let keys = sketches.get(number).keys;
            let start = keys.partition_point(|key| key >> (64 - PART_BITS) < part);
            let in_part = keys[start..]
                .iter()
                .take_while(|&key| key >> (64 - PART_BITS) == part);
            run.extend(in_part.map(|&key| (key, number)));
        }
        run.sort_unstable();
        let mut postings = Postings::default();
        for list in run.chunk_by(|a, b| a.0 == b.0).filter(|list| wanted(list)) {
            postings.keys.push(list[0].0);
            postings
                .sketches
                .extend(list.iter().map(|&(_, number)| number));
            postings.ends.push(postings.sketches.len());
        }
        postings
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
