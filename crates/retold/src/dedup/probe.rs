//! Probing: groups of large components, and those on posting lists of heavy keys, search for related groups among the
//! pairs of the join and on those lists.

use rayon::prelude::*;

use super::context::Context;
use super::group::Groups;
use super::heavy_keys::HeavyKeys;
use super::join_pairs::JoinPairs;
use super::sketch_judge::SketchJudge;
use super::union_find::UnionFind;
use crate::cluster::Pair;
use crate::error::{Error, Result};
use crate::ids::GroupNo;
use crate::stage::Stage;
use crate::verify::Verification;

/// The most groups that probe for their first match at the same time: most match at once, few have to probe all.
const FIRST_PROBES: usize = 128;
/// The most groups in a batch, including those that have nothing to probe.
const TOGETHER: usize = 4096;

/// One in this number of the pairs sampled from a list has to hold. Of the pairs with the four smallest pages as many hold if one of these is a
/// page that all others quote, and some pairs are missed.
const ONE_IN: usize = 8;

/// Similarity, as sketches see it, of groups that are taken to be of one family. A lower one puts families together that have a
/// template in common.
const SAME_FAMILY: f32 = 0.8;

/// What groups probe with.
pub(crate) struct Probing<'a> {
    pub(crate) judge: SketchJudge<'a>,
    /// Group -> the place of its first page in the order of preference.
    pub(crate) places: &'a [u32],
    /// The pairs that the join found, as sketches see them.
    pub(crate) join_pairs: &'a JoinPairs,
    /// Group -> whether sketches are known to relate it to no group on the lists of its heavy keys ([`Probing::first_probes`]); empty if
    /// no group has probed.
    pub(crate) isolated: Vec<bool>,
}

impl<'a> Probing<'a> {
    pub(crate) fn context(&self) -> &'a Context<'a> {
        self.judge.context
    }

    pub(crate) fn groups(&self) -> &'a Groups {
        self.judge.groups
    }

    pub(crate) fn place(&self, group: GroupNo) -> u32 {
        self.places[group.at()]
    }

    /// Errors: the run was cancelled.
    pub(crate) fn go_on(&self) -> Result<()> {
        match self.context().watch.cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    /// Whether two groups may be related: not two old ones, no pair that filters forbid, and no group that is isolated (an isolated group has no
    /// pairs of the join, or this would not be called).
    pub(crate) fn may_be_related(&self, a: GroupNo, b: GroupNo) -> bool {
        let is_isolated = |group: GroupNo| self.isolated.get(group.at()) == Some(&true);
        let groups = self.groups();
        !groups.are_old(a, b) && groups.may_compare(a, b) && !is_isolated(a) && !is_isolated(b)
    }

    /// Whether a group has so many copies that they are compared in its turn.
    pub(crate) fn has_many_copies(&self, group: GroupNo) -> bool {
        let limit = self.context().limits.component;
        self.groups().has_many_copies(group, limit)
    }

    /// The group that a pair relates this one to.
    pub(crate) fn other(&self, group: GroupNo, pair: &Pair) -> GroupNo {
        let [a, b] = [pair.a, pair.b].map(|page| self.groups().of(page));
        if a == group { b } else { a }
    }

    /// Finds, before any text is compared, for each of these groups one pair that sketches relate on the lists of its heavy keys, by a probe of its own or of
    /// the other. Groups that probe and have no match are [isolated](Probing::isolated) from now on. Lists on which no probe has a
    /// match are closed for good.
    ///
    /// Errors: the run was cancelled.
    pub(crate) fn first_probes(
        &mut self,
        mut groups: Vec<GroupNo>,
        heavy: &mut HeavyKeys<'a>,
    ) -> Result<Vec<Pair>> {
        let all = GroupNo::first(self.groups().len());
        let is_known = |group| self.join_pairs.has(group) || self.has_many_copies(group);
        let mut is_matched: Vec<bool> = all.map(is_known).collect();
        let (mut pairs, mut isolated) = (Vec::new(), vec![false; self.groups().len()]);
        groups.par_sort_unstable_by_key(|&group| self.place(group));
        let mut rest = &groups[..];
        while !rest.is_empty() {
            self.go_on()?;
            let before = rest.len();
            // Groups that already have a match do not probe, and their probes would say nothing about their lists.
            let probing = next_batch(&mut rest, FIRST_PROBES, |group| {
                (!is_matched[group.at()] && heavy.has_open(group)).then_some(true)
            });
            let found: Vec<Option<(Pair, Vec<bool>)>> = probing
                .par_iter()
                .map(|&group| {
                    let pair = self.first_match(group, heavy)?;
                    let found_on = heavy.shared_open(group, self.other(group, &pair));
                    Some((pair, found_on))
                })
                .collect();
            for (&group, found) in probing.iter().zip(&found) {
                match found {
                    Some((pair, _)) => {
                        for page in [pair.a, pair.b] {
                            is_matched[self.groups().of(page).at()] = true;
                        }
                    }
                    None => isolated[group.at()] = true,
                }
                heavy.probed_for_first(group, found.as_ref().map(|(_, found_on)| &found_on[..]));
            }
            pairs.extend(found.into_iter().flatten().map(|(pair, _)| pair));
            self.context().watch.advance((before - rest.len()) as u64);
        }
        heavy.settle();
        self.isolated = isolated;
        Ok(pairs)
    }

    /// The pair with the first group on a group's lists that sketches relate it to.
    fn first_match(&self, group: GroupNo, heavy: &HeavyKeys<'_>) -> Option<Pair> {
        let (one, mut found) = (self.judge.one(group), None);
        let (mut compared, mut bound) = (0, None);
        heavy.any(group, |other, is_within| {
            let may_be = |bound| one.may_be_related(bound, other);
            if self.groups().may_compare(group, other)
                && is_within()
                && bound.as_ref().is_none_or(may_be)
            {
                found = one.with(other);
                compared += 1;
                if compared == self.context().limits.bounded {
                    bound = one.upper_bound();
                }
            }
            found.is_some()
        });
        found
    }

    /// Whether of these pairs of groups, sampled from the posting list of a heavy key, hardly any holds: of a family's nearly all do, of
    /// a template's hardly one, though sketches relate many. Of too few different pages nothing can be said.
    pub(crate) fn are_unrelated(
        &self,
        pairs: &[[GroupNo; 2]],
        verification: &Verification<'_>,
    ) -> bool {
        let groups = self.groups();
        let is_compared =
            |&&[a, b]: &&[GroupNo; 2]| a != b && !groups.are_old(a, b) && groups.may_compare(a, b);
        let different: Vec<&[GroupNo; 2]> = pairs.iter().filter(is_compared).collect();
        let related = different.iter();
        let related = related.filter_map(|&&[a, b]| self.judge.one(a).with(b));
        let held = verification.verify(&related.collect::<Vec<Pair>>());
        let connects = |pair: &&Pair| self.context().connects(pair);
        let held = held.iter().flatten().filter(connects).count();
        2 * different.len() > pairs.len() && ONE_IN * held < different.len()
    }

    /// These groups, with those of a family side by side, by their sketches: pairs of the join, and pairs that first probes found. So
    /// the sketches and fingerprints of a family are in the caches, and in memory, while the family is processed. In the order of
    /// their numbers, a family of a few hundred pages would be visited at as many places as its pages have smallest keys.
    pub(crate) fn by_family(&self, groups: &[GroupNo], found: Vec<Pair>) -> Vec<GroupNo> {
        let mut families = UnionFind::new(self.groups().component_sizes());
        let mut join = |pairs: Vec<Pair>| {
            let same_family = |pair: &&Pair| pair.similarity >= SAME_FAMILY;
            for pair in pairs.iter().filter(same_family) {
                families.join(self.groups().of(pair.a), self.groups().of(pair.b));
            }
        };
        join(found);
        groups
            .iter()
            .for_each(|&group| join(self.join_pairs.of(group)));
        let family = |&group: &GroupNo| (families.root(group), group);
        let mut ordered: Vec<(GroupNo, GroupNo)> = groups.par_iter().map(family).collect();
        ordered.par_sort_unstable();
        ordered.into_iter().map(|(_, group)| group).collect()
    }

    /// Begins a stage over this number of groups.
    pub(crate) fn begin(&self, stage: Stage, groups: usize) {
        self.context().watch.begin(stage.name(), groups as u64);
    }
}

/// The next groups that probe, until this number of them has something to probe (or there are [`TOGETHER`] in all). Groups before them that do not
/// probe are skipped. `probes` says for each whether it has something to probe; `None` for those that do not probe.
pub(crate) fn next_batch(
    rest: &mut &[GroupNo],
    most: usize,
    probes: impl Fn(GroupNo) -> Option<bool>,
) -> Vec<GroupNo> {
    let (mut next, mut many) = (Vec::new(), 0);
    while many < most
        && next.len() < TOGETHER
        && let Some((&group, others)) = rest.split_first()
    {
        if let Some(has_something) = probes(group) {
            next.push(group);
            many += usize::from(has_something);
        }
        *rest = others;
    }
    next
}
