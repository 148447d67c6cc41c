//! Which of the pairs that merely overlap are listed: a page has at most [`MOST`], so that pages which all have a passage in common do
//! not make as many lines as they have pairs.

use rustc_hash::FxHashMap;

use super::group::Groups;
use crate::cluster::{Pair, PairNumbers};
use crate::error::Result;
use crate::ids::{GroupNo, Rank};
use crate::spill::{Memory, Sorter};

/// Listed pairs that overlap, of a page.
const MOST: usize = 20;

/// An end of a pair: the page, how dissimilar the other one is, the other one, and the pair.
type End = [u32; 11];

/// Pairs that overlap. One is listed if it is among the [`MOST`] most similar of both of its pages; of equally similar pairs of a page those with
/// the smallest other page come first.
pub(super) struct Overlaps {
    ends: Sorter<End>,
    /// The first [`MOST`] pages of the groups that have more.
    firsts: FxHashMap<GroupNo, Vec<Rank>>,
    /// How many pairs there are, those included that cannot be listed.
    count: u64,
}

impl Overlaps {
    pub(super) fn new(memory: &Memory) -> Overlaps {
        Overlaps {
            ends: Sorter::new(memory),
            firsts: FxHashMap::default(),
            count: 0,
        }
    }

    /// Adds the pair of each page of a group with each of another, of which this is one; each pair of groups is added once.
    ///
    /// Of the pages of a group, which are all equally similar to any other page, none but the first [`MOST`] has a pair that is listed.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn add(&mut self, pair: Pair, groups: &Groups) -> Result<()> {
        let [a, b] = [pair.a, pair.b].map(|page| groups.of(page));
        let all = |group: GroupNo| groups.members(group).len() as u64;
        self.count += all(a) * all(b);
        let [a, b] = [a, b].map(|group| self.first(group, groups));
        for &x in &a {
            for &y in &b {
                self.add_pages(pair.between(x, y))?;
            }
        }
        Ok(())
    }

    /// The first pages of a group.
    fn first(&mut self, group: GroupNo, groups: &Groups) -> Vec<Rank> {
        let members = groups.members(group);
        if members.len() <= MOST {
            return members.to_vec();
        }
        let first = self.firsts.entry(group).or_insert_with(|| {
            let mut members = members.to_vec();
            members.sort_unstable();
            members.truncate(MOST);
            members
        });
        first.clone()
    }

    fn add_pages(&mut self, pair: Pair) -> Result<()> {
        let [a, b, c, d, e, f, g, h] = pair.to_numbers();
        let dissimilar = !pair.similarity.to_bits();
        self.ends.push([a, dissimilar, b, a, b, c, d, e, f, g, h])?;
        self.ends.push([b, dissimilar, a, a, b, c, d, e, f, g, h])
    }

    /// Hands the pairs that are listed to `pairs`, and says how many there are besides.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn list(self, pairs: &mut Sorter<PairNumbers>, memory: &Memory) -> Result<u64> {
        let mut chosen = Sorter::new(memory);
        let (mut last, mut place) = (None, 0);
        for [page, _, _, pair @ ..] in self.ends.finish()? {
            if last.replace(page) != Some(page) {
                place = 0;
            }
            place += 1;
            if place <= MOST {
                chosen.push(pair)?;
            }
        }
        // Those that both pages have chosen are there twice.
        let (mut last, mut listed) = (None, 0);
        for pair in chosen.finish()? {
            if last.replace(pair) == Some(pair) {
                pairs.push(pair)?;
                listed += 1;
            }
        }
        Ok(self.count - listed)
    }
}
