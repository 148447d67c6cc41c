//! Further candidates for pages to which the join found nothing similar: texts that were misread, mistyped or told in other words, which
//! share no long runs of words. They find each other by bigrams that few texts have.

use rayon::prelude::*;

use super::sketch_judge::SketchJudge;
use crate::cluster::{Pair, PairNumbers};
use crate::compare::bigrams::LEAST_SHARED;
use crate::error::{Error, Result};
use crate::ids::GroupNo;
use crate::method::Trace;
use crate::spill::{Sorter, SpillVec};

/// A group whose best pair, as estimated by sketches, has at least this similarity needs no further candidates.
const SIMILAR: f32 = 0.5;
/// Of the groups with a bigram, only this many are candidates of the others.
const FIRST: usize = 16;
/// How many candidates of a group are kept, the best first.
const BEST: usize = 2;
/// How many groups are processed at a time.
const AT_ONCE: usize = 1 << 12;

pub(super) struct Retellings<'a> {
    judge: SketchJudge<'a>,
    /// For each group whether it has a similar one.
    is_matched: Vec<bool>,
}

impl<'a> Retellings<'a> {
    /// Starts with all groups unmatched, except old ones: these are not compared with each other, so whether they have a similar one is not
    /// known.
    pub(super) fn new(judge: SketchJudge<'a>) -> Retellings<'a> {
        let groups = GroupNo::first(judge.groups.len());
        Retellings {
            is_matched: groups.map(|group| judge.groups.old(group)).collect(),
            judge,
        }
    }

    /// Notes a pair of groups that the join found.
    pub(super) fn note(&mut self, groups: [GroupNo; 2], similarity: f32) {
        for group in groups {
            self.is_matched[group.at()] |= similarity >= SIMILAR;
        }
    }

    /// The candidates for groups without a similar one, ascending, and how many pairs of sketches were compared. Time O(n log n) in the
    /// number of bigrams.
    ///
    /// Errors: a temporary file cannot be written, the run was cancelled.
    pub(super) fn candidates(&self) -> Result<(SpillVec<PairNumbers>, u64)> {
        let context = self.judge.context;
        let mut pairs = self.sharing()?.finish()?.peekable();
        let (mut compared, mut all) = (0, Sorter::new(context.memory));
        let mut of_groups: Vec<(GroupNo, Vec<GroupNo>)> = Vec::new();
        let mut compare = |of_groups: &mut Vec<(GroupNo, Vec<GroupNo>)>| {
            compared += of_groups
                .iter()
                .map(|(_, others)| others.len() as u64)
                .sum::<u64>();
            let found = of_groups.par_drain(..);
            let found = found.map(|(group, others)| self.best(group, &others));
            let found: Vec<Vec<Pair>> = found.collect();
            let mut found = found.iter().flatten();
            found.try_for_each(|pair| all.push(pair.to_numbers()))
        };
        while let Some(pair) = pairs.next() {
            let mut shared = 1;
            while pairs.next_if_eq(&pair).is_some() {
                shared += 1;
            }
            if shared < LEAST_SHARED {
                continue;
            }
            let [group, other] = pair.map(GroupNo);
            match of_groups.last_mut() {
                Some((last, others)) if *last == group => others.push(other),
                _ => {
                    if of_groups.len() == AT_ONCE {
                        compare(&mut of_groups)?;
                    }
                    if context.watch.cancelled() {
                        return Err(Error::Cancelled);
                    }
                    of_groups.push((group, vec![other]));
                }
            }
        }
        compare(&mut of_groups)?;
        // A pair that is among the best of both groups is there twice.
        let (mut candidates, mut last) = (SpillVec::new(context.memory), None);
        for numbers in all.finish()? {
            if last.replace(numbers) != Some(numbers) {
                candidates.push(numbers)?;
            }
        }
        Ok((candidates, compared))
    }

    /// For each bigram in common, an unmatched group and the other one, ascending.
    fn sharing(&self) -> Result<Sorter<[u32; 2]>> {
        let SketchJudge {
            context, groups, ..
        } = self.judge;
        let memory = context.memory;
        let (mut bigrams, mut pairs) = (Sorter::new(memory), Sorter::new(memory));
        if context.model.verifier().is_none() {
            return Ok(pairs);
        }
        let all: Vec<GroupNo> = GroupNo::first(groups.len()).collect();
        for some in all.chunks(AT_ONCE) {
            let of_each = some.par_iter().map(|&group| {
                let sketch = self.judge.sketch(group);
                let bigrams = context.model.bigrams(sketch.as_ref().whole);
                bigrams.into_iter().map(|hash| [hash, group.0]).collect()
            });
            let of_each: Vec<Vec<[u32; 2]>> = of_each.collect();
            of_each
                .iter()
                .try_for_each(|of_one| bigrams.extend(of_one))?;
        }
        let mut bigrams = bigrams.finish()?.peekable();
        let mut list: Vec<GroupNo> = Vec::new();
        while let Some([hash, group]) = bigrams.next() {
            list.push(GroupNo(group));
            if bigrams.peek().is_some_and(|next| next[0] == hash) {
                continue;
            }
            for (at, &other) in list.iter().enumerate() {
                for &first in &list[..at.min(FIRST)] {
                    if groups.are_copies(first, other) {
                        continue;
                    }
                    for [group, other] in [[first, other], [other, first]] {
                        if !self.is_matched[group.at()] {
                            pairs.push([group.0, other.0])?;
                        }
                    }
                }
            }
            list.clear();
        }
        Ok(pairs)
    }

    /// The best candidates of a group among the others, without those that sketches relate anyway.
    fn best(&self, group: GroupNo, others: &[GroupNo]) -> Vec<Pair> {
        let SketchJudge {
            context, groups, ..
        } = self.judge;
        let (sketch, one) = (self.judge.sketch(group), self.judge.one(group));
        let may_compare =
            |other: &GroupNo| !groups.are_old(group, *other) && groups.may_compare(group, *other);
        let others = others.iter().copied().filter(may_compare);
        let pairs = others.filter_map(|other| {
            let of_other = self.judge.sketch(other);
            let (here, there) = (sketch.as_ref().whole, of_other.as_ref().whole);
            let verdict = context.model.retold(here, there, &mut Trace::off())?;
            let is_new = one.with(other).is_none();
            is_new.then(|| Pair::new(groups.first(group), groups.first(other), &verdict))
        });
        let mut pairs: Vec<Pair> = pairs.collect();
        pairs.sort_by(|a, b| {
            b.similarity
                .total_cmp(&a.similarity)
                .then((a.a, a.b).cmp(&(b.a, b.b)))
        });
        pairs.truncate(BEST);
        pairs
    }
}
