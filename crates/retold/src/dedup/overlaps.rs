//! Selects the listed pairs among those that only overlap. A page is listed with at most [`MOST`] others, so that pages that all share one
//! passage do not give a line for each pair.

use rustc_hash::FxHashMap;

use crate::cluster::{Pair, PairNumbers};
use crate::error::Result;
use crate::ids::Rank;
use crate::spill::{Memory, Sorter};

/// The most overlapping pairs listed per page.
const MOST: usize = 20;

/// One end of a pair: the page, the dissimilarity to the other, the other page, and the pair.
type End = [u32; 11];

/// Pairs that overlap. A pair is listed if it is among the [`MOST`] most similar ones of both its pages; ties go to the smallest other
/// page.
pub(super) struct Overlaps {
    ends: Sorter<End>,
    /// The first [`MOST`] pages of larger groups, by their first members.
    firsts: FxHashMap<Rank, Vec<Rank>>,
    /// The number of pairs, including those that cannot be listed.
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

    /// Adds the pairs of each page of one group with each page of another, given one such pair; call once per pair of groups. `members`
    /// gives the pages of a page's group.
    ///
    /// Pages of a group are equally similar to any other page, so only the first [`MOST`] of them can have a listed pair.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn add<'g>(
        &mut self,
        pair: Pair,
        members: impl Fn(Rank) -> &'g [Rank],
    ) -> Result<()> {
        let [a, b] = [pair.a, pair.b].map(members);
        self.count += a.len() as u64 * b.len() as u64;
        let [a, b] = [a, b].map(|members| self.first(members));
        for &x in &a {
            for &y in &b {
                self.add_pages(pair.between(x, y))?;
            }
        }
        Ok(())
    }

    fn first(&mut self, members: &[Rank]) -> Vec<Rank> {
        if members.len() <= MOST {
            return members.to_vec();
        }
        let first = self.firsts.entry(members[0]).or_insert_with(|| {
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

    /// Passes the listed pairs to `pairs`, and returns the number of the others.
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
        // Pairs selected by both pages occur twice.
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

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::cluster::tests::pair;
    use crate::relation::Relation;

    fn listed(groups: &[Vec<Rank>], pairs: &[Pair]) -> (Vec<Pair>, u64) {
        let memory = Memory::default();
        let group_of = |page: Rank| groups.iter().find(|group| group.contains(&page));
        let mut overlaps = Overlaps::new(&memory);
        for &pair in pairs {
            overlaps.add(pair, |page| group_of(page).unwrap()).unwrap();
        }
        let mut sorter = Sorter::new(&memory);
        let rest = overlaps.list(&mut sorter, &memory).unwrap();
        let pairs = sorter.finish().unwrap().map(Pair::from_numbers);
        (pairs.collect(), rest)
    }

    fn overlap(a: u32, b: u32, similarity: f32) -> Pair {
        let pair = pair(a, b, Relation::Overlaps);
        Pair { similarity, ..pair }
    }

    /// Page 0 overlaps 25 others: 20 are listed, the most similar ones, then those with the smallest ids.
    #[test]
    fn a_page_has_at_most_twenty() {
        let groups: Vec<Vec<Rank>> = (0..26).map(|page| vec![Rank(page)]).collect();
        let similarity = |page| if page > 20 { 0.9 } else { 0.5 };
        let pairs: Vec<Pair> = (1..26)
            .map(|page| overlap(0, page, similarity(page)))
            .collect();
        let (listed, rest) = listed(&groups, &pairs);
        let others: Vec<u32> = listed.iter().map(|pair| pair.b.0).collect();
        let expected: Vec<u32> = (1..16).chain(21..26).collect();
        assert_eq!((others, rest), (expected, 5));
    }

    proptest! {
        /// The pairs that both pages select among all their pairs.
        #[test]
        fn what_is_listed_is_chosen_by_both(
            sizes in prop::collection::vec(1u32..30, 2..8),
            related in prop::collection::btree_map((0usize..8, 0usize..8), 0u8..4, 0..28),
            order: u64,
        ) {
            let mut pages: Vec<Rank> = (0..sizes.iter().sum()).map(Rank).collect();
            pages.sort_by_key(|page| u64::from(page.0 + 1).wrapping_mul(order | 1));
            let mut rest = &pages[..];
            let groups: Vec<Vec<Rank>> = sizes.iter().map(|&size| {
                let (group, left) = rest.split_at(size as usize);
                rest = left;
                group.to_vec()
            }).collect();
            let pairs = related.into_iter().filter(|((a, b), _)| a < b && *b < groups.len());
            let pairs: Vec<Pair> = pairs.map(|((a, b), similar)| {
                let (a, b) = (groups[a][0].0, groups[b][0].0);
                overlap(a, b, f32::from(similar) / 4.0)
            }).collect();
            let members = |page: Rank| groups.iter().find(|group| group.contains(&page)).unwrap();
            let mut all: Vec<Pair> = Vec::new();
            for pair in &pairs {
                let expand = |&a: &Rank| members(pair.b).iter().map(move |&b| pair.between(a, b));
                all.extend(members(pair.a).iter().flat_map(expand));
            }
            let mut chosen: BTreeMap<(Rank, Rank), u32> = BTreeMap::new();
            for page in &pages {
                let with = |pair: &&Pair| pair.a == *page || pair.b == *page;
                let mut own: Vec<&Pair> = all.iter().filter(with).collect();
                own.sort_by_key(|pair| {
                    let other = if pair.a == *page { pair.b } else { pair.a };
                    (Reverse(pair.similarity.to_bits()), other)
                });
                for pair in own.iter().take(MOST) {
                    *chosen.entry((pair.a, pair.b)).or_default() += 1;
                }
            }
            let by_both = chosen.into_iter().filter(|(_, times)| *times == 2).map(|(ends, _)| ends);
            let expected: Vec<(Rank, Rank)> = by_both.collect();
            let (listed, rest) = listed(&groups, &pairs);
            let ends: Vec<(Rank, Rank)> = listed.iter().map(|pair| (pair.a, pair.b)).collect();
            prop_assert_eq!(rest as usize, all.len() - expected.len());
            prop_assert_eq!(ends, expected);
        }
    }
}
