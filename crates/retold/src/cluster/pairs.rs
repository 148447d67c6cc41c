//! A store for many pairs of related pages.

use super::{Pair, PairNumbers};
use crate::error::Result;
use crate::ids::Rank;
use crate::spill::{Memory, Sorter, SpillVec};

/// Related pages, ascending, in memory or in a temporary file.
#[derive(Debug, Default)]
pub struct Pairs(SpillVec<PairNumbers>);

impl Pairs {
    /// Stores the pairs of a sorter ([`Pair::to_numbers`]).
    ///
    /// Errors: a temporary file cannot be written.
    pub(crate) fn sorted(pairs: Sorter<PairNumbers>, memory: &Memory) -> Result<Pairs> {
        let mut sorted = SpillVec::new(memory);
        pairs.finish()?.try_for_each(|pair| sorted.push(pair))?;
        Ok(Pairs(sorted))
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All pairs, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Pair> + Clone {
        self.0.iter().map(Pair::from_numbers)
    }

    /// All pairs, in memory.
    pub fn to_vec(&self) -> Vec<Pair> {
        self.iter().collect()
    }

    /// The pair at a place.
    pub fn get(&self, place: usize) -> Pair {
        Pair::from_numbers(self.0.one(place))
    }

    /// The pair of these pages, `a < b`, if there is one. Time O(log n).
    pub fn find(&self, a: Rank, b: Rank) -> Option<Pair> {
        let (mut start, mut end) = (0, self.len());
        while start < end {
            let middle = start.midpoint(end);
            let pair = self.get(middle);
            match (pair.a, pair.b).cmp(&(a, b)) {
                std::cmp::Ordering::Less => start = middle + 1,
                std::cmp::Ordering::Equal => return Some(pair),
                std::cmp::Ordering::Greater => end = middle,
            }
        }
        None
    }
}

impl PartialEq for Pairs {
    fn eq(&self, other: &Pairs) -> bool {
        self.iter().eq(other.iter())
    }
}
