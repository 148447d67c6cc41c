//! Verifies pairs before any page is decided.
//!
//! Pages are decided in the order of preference, in which the pages of a family are far apart. So the sketches and fingerprints of a family
//! would be loaded again for each of its pages, between those of all other families. But a group with short posting lists must be compared
//! with all groups on them whatever is decided, so the pairs of such groups are verified first, [family after family](Probing::by_family),
//! while the family's data is in memory. Most members of larger families need not probe at all; the others probe in their turn.

use rayon::prelude::*;

use super::best_first::BestFirst;
use super::verification::Verification;
use crate::cluster::{Pair, PairNumbers};
use crate::dedup::heavy_keys::HeavyKeys;
use crate::dedup::join_pairs::{JoinPairs, keyed};
use crate::dedup::probe::Probing;
use crate::dedup::union_find::UnionFind;
use crate::error::Result;
use crate::ids::GroupNo;
use crate::spill::{Sorter, SpillVec};
use crate::stage::Stage;

/// How many groups probe at the same time.
const TOGETHER: usize = 512;

/// What was verified ahead.
pub(crate) struct Ahead {
    /// For each group, whether all its pairs were verified.
    pub(crate) is_done: Vec<bool>,
    /// The number of pairs of groups proposed by heavy keys.
    pub(crate) candidates: u64,
    /// The related pairs of these groups with any group, each once, with those of a family side by side.
    pairs: SpillVec<PairNumbers>,
    /// The components of the connecting pairs.
    components: UnionFind,
}

/// The pairs of a group that were verified ahead.
struct GroupPairs {
    group: GroupNo,
    pairs: Vec<Pair>,
    /// The groups connected with it.
    others: Vec<GroupNo>,
    /// The number of pairs proposed by heavy keys.
    candidates: usize,
}

/// Components decided ahead, whose pairs are all known and listed.
pub(crate) struct Settled {
    /// The pairs of these components, and the pairs that connect nothing.
    pub(crate) pairs: SpillVec<PairNumbers>,
    pub(crate) components: UnionFind,
    /// The groups that remain for their turn.
    pub(crate) left: Vec<GroupNo>,
    /// The verified pairs of the remaining groups, ordered by the [places](Probing::place) of groups, so that they are read sequentially.
    pub(crate) verified: JoinPairs,
}

impl Probing<'_> {
    /// Verifies the pairs of those groups with short lists, in the given order.
    ///
    /// Errors: a temporary file cannot be written, and the run was cancelled.
    pub(crate) fn verify_ahead(
        &self,
        groups: &[GroupNo],
        heavy: &mut HeavyKeys<'_>,
        verification: &Verification<'_>,
    ) -> Result<Ahead> {
        let limit = self.context().limits.component;
        let mut is_done = vec![false; self.groups().len()];
        let is_short = |&group: &GroupNo| {
            let longest = heavy.longest(group);
            longest <= limit
                && (longest > 0 || self.join_pairs.has(group))
                && !self.has_many_copies(group)
        };
        let probing: Vec<GroupNo> = groups.par_iter().copied().filter(is_short).collect();
        probing.iter().for_each(|group| is_done[group.at()] = true);
        self.begin(Stage::Verify, probing.len());
        let mut pairs = SpillVec::new(self.context().memory);
        let mut components = UnionFind::new(self.groups().component_sizes());
        let mut put = |found: &GroupPairs| -> Result<()> {
            let others = found.others.iter();
            others.for_each(|&other| components.join(found.group, other));
            let mut found = found.pairs.iter();
            found.try_for_each(|pair| pairs.push(pair.to_numbers()))
        };
        let (mut before, mut candidates): (Vec<GroupPairs>, u64) = (Vec::new(), 0);
        for probing in probing.chunks(TOGETHER) {
            self.go_on()?;
            let probe = |&group: &GroupNo| {
                let place = self.place(group);
                // If both groups of a pair are verified ahead, the preferred one probes for both.
                let is_wanted = |other: GroupNo| self.place(other) > place || !is_done[other.at()];
                self.held(group, is_wanted, &*heavy, verification)
            };
            // The previous results are stored meanwhile.
            let (found, put): (Vec<GroupPairs>, Result<()>) = rayon::join(
                || probing.par_iter().map(probe).collect(),
                || before.iter().try_for_each(&mut put),
            );
            put?;
            for found in &found {
                candidates += found.candidates as u64;
                heavy.probed_ahead(found.group, &found.others);
            }
            before = found;
            self.context().watch.advance(probing.len() as u64);
        }
        before.iter().try_for_each(put)?;
        Ok(Ahead {
            is_done,
            candidates,
            pairs,
            components,
        })
    }

    /// The pairs of a group with the wanted others that verification accepts.
    fn held(
        &self,
        group: GroupNo,
        is_wanted: impl Fn(GroupNo) -> bool,
        heavy: &HeavyKeys<'_>,
        verification: &Verification<'_>,
    ) -> GroupPairs {
        let is_wanted = |other| is_wanted(other) && self.may_be_related(other, group);
        let mut joined = self.join_pairs.of(group);
        let other_of = |pair: &Pair| self.other(group, pair);
        let known: Vec<GroupNo> = joined.iter().map(other_of).collect();
        let candidates = heavy.candidates(group, |other, is_within| {
            is_wanted(other) && is_within() && known.binary_search(&other).is_err()
        });
        joined.retain(|pair| is_wanted(other_of(pair)));
        verification.leave_worthwhile(group, &mut joined);
        let mut held: Vec<Pair> = verification.verify(&joined).into_iter().flatten().collect();
        let one = self.judge.one(group);
        let best_first = BestFirst::new(&one, &candidates, self.context().limits.bounded);
        held.extend(verification.verify_best_first(best_first));
        let connecting = held.iter().filter(|pair| self.context().connects(pair));
        GroupPairs {
            group,
            others: connecting.map(other_of).collect(),
            pairs: held,
            candidates: candidates.len(),
        }
    }

    /// Removes from `groups` those that need no turn: all pairs of their component were verified ahead, and the component is small enough
    /// for all its pairs to be listed and decide.
    ///
    /// Errors: a temporary file cannot be written.
    pub(crate) fn settle(&self, ahead: Ahead, groups: &[GroupNo]) -> Result<(Settled, Vec<bool>)> {
        let Ahead {
            is_done,
            pairs: found,
            components: known,
            ..
        } = ahead;
        let mut is_open = vec![false; self.groups().len()];
        for &group in groups.iter().filter(|group| !is_done[group.at()]) {
            is_open[known.root(group).at()] = true;
        }
        let is_settled = |group: GroupNo| {
            let root = known.root(group);
            !is_open[root.at()] && known.size(root) <= self.context().limits.component
        };
        let memory = self.context().memory;
        let (mut pairs, mut verified) = (SpillVec::new(memory), Sorter::new(memory));
        let split = |all: &[PairNumbers]| {
            let (mut settled, mut left) = (Vec::new(), Vec::new());
            for &numbers in all {
                let pair = Pair::from_numbers(numbers);
                let [a, b] = [pair.a, pair.b].map(|page| self.groups().of(page));
                if is_settled(a) || !self.context().connects(&pair) {
                    settled.push(numbers);
                } else {
                    left.push(keyed([self.place(a), b.0], numbers));
                    left.push(keyed([self.place(b), a.0], numbers));
                }
            }
            (settled, left)
        };
        found.made(split, |(settled, left)| {
            pairs.extend(settled)?;
            verified.extend(left)
        })?;
        let mut components = UnionFind::new(self.groups().component_sizes());
        let (settled, left): (Vec<GroupNo>, Vec<GroupNo>) =
            groups.iter().copied().partition(|&group| is_settled(group));
        for group in settled {
            components.join(group, known.root(group));
        }
        let verified = JoinPairs::new(verified, memory)?;
        let settled = Settled {
            pairs,
            components,
            left,
            verified,
        };
        Ok((settled, is_done))
    }
}
