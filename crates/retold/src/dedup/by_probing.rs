//! Decides large components and the posting lists of heavy keys by probing, without comparing all pairs.
//!
//! Pages come in the order of preference, and each probes for related pages among the pairs of the join and on the posting lists of its
//! heavy keys. A group is *retired* once it is known to be dropped and its component is large: no other group is compared with it, and it
//! does not probe. So a family of near-duplicates costs only the probes of its few kept pages, and the decisions are the same as with all
//! pairs.

use std::collections::VecDeque;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::heavy_keys::{HeavyKeys, REPRESENTATIVES};
use super::join_pairs::JoinPairs;
use super::parts::AskedParts;
use super::probe::{Probing, next_batch};
use super::retain::{Decisions, Neighbours, Related, Retained, Rules, Undecided, retain};
use super::union_find::UnionFind;
use crate::cluster::{Pair, PairNumbers};
use crate::error::Result;
use crate::ids::{GroupNo, Rank};
use crate::relation::Relation;
use crate::spill::SpillVec;
use crate::stage::Stage;
use crate::verify::{Ahead, BestFirst, Settled, Verification};

/// The most groups that probe at the same time, and the number if many of them are retired meanwhile.
const BATCH: usize = 32;
const FEWEST: usize = 4;

/// The decisions on groups that probed.
pub(super) struct Decided {
    /// The related pairs that probes found or that were verified ahead, as numbers.
    pub(super) pairs: SpillVec<PairNumbers>,
    /// The dropped groups of large components, and the collections, by their first pages. Incomplete for other components.
    pub(super) retained: Retained,
    pub(super) components: UnionFind,
    /// For each group whether it probed, or its pairs were verified ahead.
    pub(super) is_decided: Vec<bool>,
    /// The number of pairs of groups that heavy keys proposed.
    pub(super) candidates: u64,
    /// Groups kept here that have a key whose list was closed; listing may still drop some of them.
    pub(super) partly_compared: Vec<GroupNo>,
}

/// The state of groups so far.
struct Retired {
    components: UnionFind,
    /// For each group the place of the page for which it is dropped; the last place if it is not dropped.
    dropped_for: Vec<u32>,
    /// Components above this size are large.
    limit: usize,
}

impl Retired {
    /// True if the group at `place` need not be compared with `other`, which is dropped for a page of equal or higher preference and has a
    /// large component.
    fn is_retired(&self, other: GroupNo, place: u32) -> bool {
        self.dropped_for[other.at()] < place && self.components.size(other) > self.limit
    }
}

/// The pairs that a probing group found.
#[derive(Default)]
struct ProbePairs {
    verified: Vec<Pair>,
    /// Pairs of the join, and one with each component of retired groups; estimates until verified.
    seen: Vec<Pair>,
    /// How many of them come from the join.
    joined: usize,
    /// Verified pairs that heavy keys proposed, and pairs of many copies.
    heavy: Vec<Pair>,
    /// The number of proposed pairs.
    candidates: usize,
}

/// A group whose turn it is, and what it found, with the verdicts on `seen`.
struct Turn {
    group: GroupNo,
    found: ProbePairs,
    verdicts: Vec<Option<Pair>>,
}

struct ByProbing<'p, 'a> {
    probing: &'p Probing<'a>,
    verification: &'p Verification<'a>,
    heavy: &'p mut HeavyKeys<'a>,
    /// The pairs verified ahead, by place.
    verified: JoinPairs,
    /// The groups in the order of preference, and how many have had their turn to probe.
    groups: Vec<GroupNo>,
    passed: usize,
    /// Groups that have probed and wait for their turn.
    turns: VecDeque<Turn>,
    /// How many groups probe at the same time, and whether one of the last was retired before its turn.
    batch: usize,
    was_retired: bool,
    retired: Retired,
    /// For each open page the pages known to be related to it, with its relation to them.
    related: FxHashMap<Rank, Vec<(Rank, Relation)>>,
    pairs: SpillVec<PairNumbers>,
    /// For each group when it probed: groups verified ahead come first, those that have not probed last.
    probe_order: Vec<u32>,
    next_probe: u32,
    candidates: u64,
}

impl<'a> Probing<'a> {
    /// Closes the lists of templates, and verifies the pairs of groups with short lists before any page is decided.
    ///
    /// Errors: a temporary file cannot be written, and the run was cancelled.
    pub(super) fn verify(
        &self,
        groups: &[GroupNo],
        heavy: &mut HeavyKeys<'a>,
        verification: &Verification<'_>,
    ) -> Result<Ahead> {
        heavy.close_templates(self.context().limits.component, |pairs| {
            self.are_unrelated(pairs, verification)
        });
        self.verify_ahead(groups, heavy, verification)
    }

    /// Decides these groups.
    ///
    /// Errors: a temporary file cannot be written, and the run was cancelled.
    pub(super) fn decide(
        &self,
        rules: Rules,
        groups: &[GroupNo],
        ahead: Ahead,
        heavy: &mut HeavyKeys<'a>,
        verification: &Verification<'a>,
    ) -> Result<Decided> {
        let context = self.context();
        let mut is_decided = vec![false; self.groups().len()];
        groups
            .iter()
            .for_each(|group| is_decided[group.at()] = true);
        let candidates = ahead.candidates;
        let (settled, is_done) = self.settle(ahead, groups)?;
        let parts = AskedParts {
            judge: self.judge,
            verification,
            pages: None,
        };
        let undecided = Undecided {
            preference: context.preference,
            is_old: context.is_old,
            parts: Some(&parts),
        };
        let mut neighbours =
            ByProbing::new(self, verification, heavy, settled, &is_done, candidates);
        self.begin(Stage::Retain, neighbours.groups.len());
        let retained = retain(rules, undecided, &mut neighbours)?;
        let is_kept = |group: GroupNo| {
            let first = self.groups().first(group);
            let dropped = &retained.dropped;
            let at = dropped.binary_search_by_key(&first, |dropped| dropped.page);
            at.is_err() && !self.groups().old(group)
        };
        let partly_compared = groups.par_iter().copied();
        let partly_compared = partly_compared
            .filter(|&group| is_kept(group) && neighbours.heavy.has_closed(group))
            .collect();
        Ok(Decided {
            partly_compared,
            pairs: neighbours.pairs,
            retained,
            components: neighbours.retired.components,
            is_decided,
            candidates: neighbours.candidates,
        })
    }
}

impl<'p, 'a> ByProbing<'p, 'a> {
    fn new(
        probing: &'p Probing<'a>,
        verification: &'p Verification<'a>,
        heavy: &'p mut HeavyKeys<'a>,
        settled: Settled,
        is_done: &[bool],
        candidates: u64,
    ) -> ByProbing<'p, 'a> {
        let mut groups = settled.left;
        groups.par_sort_unstable_by_key(|&group| probing.place(group));
        let order = |&is_done: &bool| if is_done { 0 } else { u32::MAX };
        ByProbing {
            probing,
            verification,
            heavy,
            verified: settled.verified,
            groups,
            passed: 0,
            turns: VecDeque::new(),
            batch: 1,
            was_retired: false,
            retired: Retired {
                components: settled.components,
                dropped_for: vec![u32::MAX; is_done.len()],
                limit: probing.context().limits.component,
            },
            related: FxHashMap::default(),
            pairs: settled.pairs,
            probe_order: is_done.iter().map(order).collect(),
            next_probe: 1,
            candidates,
        }
    }

    fn connects(&self, pair: &Pair) -> bool {
        self.probing.context().connects(pair)
    }

    /// Whether all pairs of a group were verified ahead.
    fn is_done(&self, group: GroupNo) -> bool {
        self.probe_order[group.at()] == 0
    }

    fn probe_next(&mut self) -> Result<()> {
        self.probing.go_on()?;
        // If groups are retired by those just before them, few probe at a time.
        self.batch = match self.was_retired {
            _ if self.passed == 0 => 1,
            true => (self.batch / 4).max(FEWEST),
            false => (2 * self.batch).min(BATCH),
        };
        self.was_retired = false;
        let mut rest = &self.groups[self.passed..];
        let left = rest.len();
        let batch = next_batch(&mut rest, self.batch, |group| {
            let place = self.probing.place(group);
            let has_something = || {
                self.probing.join_pairs.has(group)
                    || self.heavy.has_open(group)
                    || self.probing.has_many_copies(group)
            };
            let is_retired = self.retired.is_retired(group, place);
            (!is_retired).then(|| !self.is_done(group) && has_something())
        });
        let passed = left - rest.len();
        self.passed += passed;
        for &group in &batch {
            if !self.is_done(group) {
                self.probe_order[group.at()] = self.next_probe;
                self.next_probe += 1;
            }
        }
        let probe = |&group: &GroupNo| self.probe(group);
        let found: Vec<ProbePairs> = batch.par_iter().map(probe).collect();
        let seen: Vec<Pair> = found
            .iter()
            .flat_map(|found| found.seen.iter().copied())
            .collect();
        let mut verdicts = self.verification.verify(&seen).into_iter();
        for (group, found) in batch.into_iter().zip(found) {
            let verdicts = verdicts.by_ref().take(found.seen.len()).collect();
            self.turns.push_back(Turn {
                group,
                found,
                verdicts,
            });
        }
        self.probing.context().watch.advance(passed as u64);
        Ok(())
    }

    fn probe(&self, group: GroupNo) -> ProbePairs {
        let probing = self.probing;
        let place = probing.place(group);
        let verified = self.verified.at(place as usize);
        if self.is_done(group) {
            return ProbePairs {
                verified,
                ..ProbePairs::default()
            };
        }
        let other_of = |pair: &Pair| probing.other(group, pair);
        // If both groups have not probed, the first one to probe does so for both.
        let is_wanted = |other: GroupNo| {
            let order = &self.probe_order;
            order[other.at()] > order[group.at()] && probing.may_be_related(other, group)
        };
        let is_retired = |other: GroupNo| self.retired.is_retired(other, place);
        // A retired group on a list shows to which component this group belongs.
        let mut retired = self.heavy.representatives(group);
        let joined = probing.join_pairs.of(group);
        let known: Vec<GroupNo> = joined.iter().map(other_of).collect();
        let mut seen = joined.clone();
        seen.retain(|pair| is_wanted(other_of(pair)) && !is_retired(other_of(pair)));
        self.verification.leave_worthwhile(group, &mut seen);
        let of_join = seen.len();
        let copies = self.copies(group, &known, &mut retired, &is_wanted);
        let candidates = self.heavy.candidates(group, |other, is_within| {
            if copies.binary_search(&other).is_ok() || !probing.groups().may_compare(group, other) {
                return false;
            }
            if is_retired(other) {
                if retired.len() < REPRESENTATIVES && is_within() {
                    retired.push(other);
                }
                return false;
            }
            is_wanted(other) && is_within() && known.binary_search(&other).is_err()
        });
        // A group need not be linked with its own component.
        let components = &self.retired.components;
        let own = components.root(group);
        retired.retain(|&other| components.root(other) != own);
        let one = probing.judge.one(group);
        let retired = retired.into_iter().filter_map(|other| one.with(other));
        let retired: Vec<Pair> = joined.iter().copied().chain(retired).collect();
        let retired = retired.iter().map(|pair| (other_of(pair), pair));
        seen.extend(self.spanning_edges(group, retired));
        let best_first = BestFirst::new(&one, &candidates, probing.context().limits.bounded);
        let mut heavy = self.verification.verify_best_first(best_first);
        heavy.extend(one.with_each(&copies));
        ProbePairs {
            verified,
            joined: of_join,
            seen,
            heavy,
            candidates: candidates.len(),
        }
    }

    /// The wanted copies of a group, ascending, if there are too many for pairs to be made of them beforehand. Of retired copies only some
    /// are included.
    fn copies(
        &self,
        group: GroupNo,
        known: &[GroupNo],
        retired: &mut Vec<GroupNo>,
        is_wanted: &impl Fn(GroupNo) -> bool,
    ) -> Vec<GroupNo> {
        if !self.probing.has_many_copies(group) {
            return Vec::new();
        }
        let place = self.probing.place(group);
        let copies = self.probing.groups().copies(group).filter(|&other| {
            let is_retired = self.retired.is_retired(other, place);
            if is_retired && retired.len() < REPRESENTATIVES {
                retired.push(other);
            }
            !is_retired && is_wanted(other) && known.binary_search(&other).is_err()
        });
        copies.collect()
    }

    /// The closest of these pairs with each large component of retired groups, which shows that the group belongs to it.
    fn spanning_edges<'q>(
        &self,
        group: GroupNo,
        pairs: impl Iterator<Item = (GroupNo, &'q Pair)>,
    ) -> Vec<Pair> {
        let (retired, place) = (&self.retired, self.probing.place(group));
        let own = retired.components.root(group);
        let mut closest: FxHashMap<GroupNo, &Pair> = FxHashMap::default();
        for (other, pair) in pairs.filter(|&(other, _)| retired.is_retired(other, place)) {
            let root = retired.components.root(other);
            if root != own {
                let best = closest.entry(root).or_insert(pair);
                if pair.similarity > best.similarity {
                    *best = pair;
                }
            }
        }
        let mut edges: Vec<Pair> = closest.into_values().copied().collect();
        edges.sort_unstable_by_key(|pair| (pair.a, pair.b));
        edges
    }

    /// Adds a related pair of this group and returns the other; `None` if that is retired, or if the pair connects nothing.
    fn add(
        &mut self,
        group: GroupNo,
        pair: Pair,
        decisions: &Decisions<'_>,
    ) -> Result<Option<GroupNo>> {
        let other = self.probing.other(group, &pair);
        if self.retired.is_retired(other, self.probing.place(group)) {
            return Ok(None);
        }
        if !self.connects(&pair) {
            self.pairs.push(pair.to_numbers())?;
            return Ok(None);
        }
        let swapped = pair.relation.swapped();
        for (page, relation) in [
            (pair.a, (pair.b, pair.relation)),
            (pair.b, (pair.a, swapped)),
        ] {
            if decisions.is_open(page) {
                self.related.entry(page).or_default().push(relation);
            }
        }
        self.retired.components.join(group, other);
        self.pairs.push(pair.to_numbers())?;
        Ok(Some(other))
    }

    /// Adds a related pair with a retired group, which only joins components.
    fn connect(&mut self, pair: Pair) -> Result<()> {
        let [a, b] = [pair.a, pair.b].map(|page| self.probing.groups().of(page));
        self.retired.components.join(a, b);
        self.pairs.push(pair.to_numbers())
    }
}

impl Neighbours for ByProbing<'_, '_> {
    fn next(&mut self, _: &Decisions<'_>) -> Result<Option<Rank>> {
        while self.turns.is_empty() && self.passed < self.groups.len() {
            self.probe_next()?;
        }
        let next = self.turns.front();
        Ok(next.map(|turn| self.probing.groups().first(turn.group)))
    }

    fn ready(&mut self, _: Rank, decisions: &Decisions<'_>) -> Result<bool> {
        let Some(turn) = self.turns.pop_front() else {
            return Ok(false);
        };
        let Turn {
            group,
            found,
            verdicts,
        } = turn;
        let (place, is_done) = (self.probing.place(group), self.is_done(group));
        self.candidates += found.candidates as u64;
        if self.retired.is_retired(group, place) {
            self.was_retired |= !is_done;
            return Ok(false);
        }
        let mut matched = Vec::new();
        for &pair in &found.verified {
            // The first of the two groups adds a pair that was verified ahead.
            if self.probing.place(self.probing.other(group, &pair)) > place {
                matched.extend(self.add(group, pair, decisions)?);
            }
        }
        let (joined, edges) = verdicts.split_at(found.joined);
        let joined: Vec<Pair> = joined.iter().copied().flatten().collect();
        for &pair in &joined {
            self.add(group, pair, decisions)?;
        }
        for &pair in &found.heavy {
            matched.extend(self.add(group, pair, decisions)?);
        }
        // Groups that were retired after the probe are treated like those retired before it.
        let holds = [&found.verified, &joined, &found.heavy];
        let holds = holds.into_iter().flatten();
        let holds = holds.filter(|pair| self.connects(pair));
        let holds = holds.map(|pair| (self.probing.other(group, pair), pair));
        for pair in self.spanning_edges(group, holds) {
            self.connect(pair)?;
        }
        if is_done {
            return Ok(true);
        }
        for &pair in edges.iter().flatten() {
            if self.connects(&pair) {
                self.connect(pair)?;
            }
        }
        let retired = &self.retired;
        let is_retired = |other| retired.is_retired(other, place);
        self.heavy.probed(group, &matched, is_retired);
        Ok(true)
    }

    fn of(&self, page: Rank) -> &Related {
        self.related.get(&page).map_or(&[][..], Vec::as_slice)
    }

    fn are_related(&self, _: Rank, _: Rank) -> bool {
        false
    }

    fn decided(&mut self, page: Rank, dropped_for: Option<Rank>) {
        self.related.remove(&page);
        let groups = self.probing.groups();
        let group = groups.of(page);
        if groups.first(group) == page {
            let preference = self.probing.context().preference;
            self.retired.dropped_for[group.at()] =
                dropped_for.map_or(u32::MAX, |kept| preference[kept.at()]);
        }
    }
}
