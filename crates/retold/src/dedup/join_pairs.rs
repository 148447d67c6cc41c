use crate::cluster::{Pair, PairNumbers};
use crate::error::Result;
use crate::ids::GroupNo;
use crate::spill::{Memory, Sorter, SpillRows};

/// A pair's numbers after two others, by which pairs are sorted.
pub(crate) fn keyed([x, y]: [u32; 2], [a, b, c, d, e, f, g, h]: PairNumbers) -> KeyedPair {
    [x, y, a, b, c, d, e, f, g, h]
}

/// The result of [`keyed`].
pub(crate) type KeyedPair = [u32; 10];

/// Pairs by group number, or by the group's place in some order.
#[derive(Default)]
pub(crate) struct JoinPairs(SpillRows<PairNumbers>);

impl JoinPairs {
    /// Stores [`keyed`] pairs, sorted by (group, other group) and given in both directions; repeated pairs are stored once.
    ///
    /// Errors: a temporary file cannot be written.
    pub(crate) fn new(pairs: Sorter<KeyedPair>, memory: &Memory) -> Result<JoinPairs> {
        let mut last = None;
        let different = pairs.finish()?.filter_map(|[group, other, pair @ ..]| {
            let is_new = last.replace((group, other)) != Some((group, other));
            is_new.then_some((group, pair))
        });
        SpillRows::gather(different, 0, memory).map(JoinPairs)
    }

    pub(crate) fn of(&self, group: GroupNo) -> Vec<Pair> {
        self.at(group.at())
    }

    /// The pairs of the group at `place`, if pairs are stored by places.
    pub(crate) fn at(&self, place: usize) -> Vec<Pair> {
        if place >= self.0.len() {
            return Vec::new();
        }
        let pairs = self.0.get(place);
        pairs.iter().copied().map(Pair::from_numbers).collect()
    }

    pub(crate) fn has(&self, group: GroupNo) -> bool {
        group.at() < self.0.len() && self.0.count(group.at()) > 0
    }
}
