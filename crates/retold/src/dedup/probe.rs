//! Probing: groups of large components, and those on posting lists of heavy keys, search for related groups among the pairs of the join and
//! on those lists.

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

/// The most groups that probe for a first match at the same time: most match quickly, and then few must probe all of their lists.
const FIRST_PROBES: usize = 128;
/// The most groups that a probe for a first match meets. Short lists come first, and in a family nearly every group is a match. So a group
/// that meets more is on lists of templates, even if it would find a match by chance.
const FIRST_MET: usize = 1024;
/// The most groups in a batch, including those that do not probe.
const TOGETHER: usize = 4096;

/// One in this many sampled pairs of a list must be related. Pairs with the four smallest pages also reach this share if one of these is
/// quoted by all others and some pairs are missed.
const ONE_IN: usize = 8;

/// Minimum similarity by sketches of groups in one family. A lower one would join families that share a template.
const SAME_FAMILY: f32 = 0.8;

/// What a probe for a first match finds.
enum First {
    /// The pair with the match, and on which of the group's lists the match is.
    Match(Pair, Vec<bool>),
    /// No match on all lists.
    Nothing,
    /// None among [`FIRST_MET`] groups.
    TooFar,
}

pub(crate) struct Probing<'a> {
    pub(crate) judge: SketchJudge<'a>,
    /// The place of each group's first page in the order of preference.
    pub(crate) places: &'a [u32],
    pub(crate) join_pairs: &'a JoinPairs,
    /// For each group whether sketches relate it to no group on the lists of its heavy keys ([`Probing::first_probes`]); empty if no group
    /// has probed.
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

    pub(crate) fn go_on(&self) -> Result<()> {
        match self.context().watch.cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    /// Whether two groups may be related: not if both are old, if filters exclude the pair, or if one is isolated. (Isolated groups with
    /// pairs of the join do not get here.)
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

    /// Before texts are compared, finds for each of these groups one pair on the lists of its heavy keys that sketches relate, by its own
    /// probe or the other's. Groups that probe all of their lists without a match become [isolated](Probing::isolated). Lists with too few
    /// matches are closed for good.
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
            // Groups with a match do not probe, since their probes would say nothing about their lists.
            let probing = next_batch(&mut rest, FIRST_PROBES, |group| {
                (!is_matched[group.at()] && heavy.has_open(group)).then_some(true)
            });
            let found: Vec<First> = probing
                .par_iter()
                .map(|&group| self.first_match(group, heavy))
                .collect();
            for (&group, found) in probing.iter().zip(found) {
                match found {
                    First::Match(pair, found_on) => {
                        for page in [pair.a, pair.b] {
                            is_matched[self.groups().of(page).at()] = true;
                        }
                        pairs.push(pair);
                        heavy.probed_for_first(group, Some(&found_on));
                    }
                    First::Nothing => {
                        isolated[group.at()] = true;
                        heavy.probed_for_first(group, None);
                    }
                    First::TooFar => heavy.probed_for_first(group, None),
                }
            }
            self.context().watch.advance((before - rest.len()) as u64);
        }
        heavy.settle();
        self.isolated = isolated;
        Ok(pairs)
    }

    /// The pair with the first group on a group's lists to which sketches relate it.
    fn first_match(&self, group: GroupNo, heavy: &HeavyKeys<'_>) -> First {
        let (one, mut found) = (self.judge.one(group), First::Nothing);
        let (mut met, mut compared, mut bound) = (0, 0, None);
        heavy.any(group, |other, is_within| {
            if !self.groups().may_compare(group, other) {
                return false;
            }
            met += 1;
            if met > FIRST_MET {
                found = First::TooFar;
                return true;
            }
            let may_be = |bound| one.may_be_related(bound, other);
            if is_within() && bound.as_ref().is_none_or(may_be) {
                if let Some(pair) = one.with(other) {
                    found = First::Match(pair, heavy.shared_open(group, other));
                    return true;
                }
                compared += 1;
                if compared == self.context().limits.bounded {
                    bound = one.upper_bound();
                }
            }
            false
        });
        found
    }

    /// Whether hardly any of these pairs, sampled from a heavy key's posting list, is related: in a family nearly all are, in a template
    /// hardly any, although sketches relate many. False if there are too few different pages.
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

    /// These groups with those of a family side by side, by pairs of the join and pairs that first probes found. So a family's sketches and
    /// fingerprints stay in caches and memory while it is processed. In order of group numbers, a family of a few hundred pages would be
    /// spread over as many places as its pages have smallest keys.
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

    /// Reports the start of a stage over this many groups.
    pub(crate) fn begin(&self, stage: Stage, groups: usize) {
        self.context().watch.begin(stage.name(), groups as u64);
    }
}

/// The next groups that probe, until `count` of them have something to probe (or there are [`TOGETHER`] in all). `probes` says for each
/// whether it has; groups for which it returns `None` do not probe and are skipped.
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
