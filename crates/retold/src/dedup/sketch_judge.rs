//! Judges two exact groups by their sketches.

use std::hint::black_box;

use super::context::Context;
use super::group::Groups;
use crate::cluster::Pair;
use crate::error::Result;
use crate::ids::{GroupNo, PrunedNo, Rank};
use crate::method::{Trace, UpperBound};
use crate::model::{Judgement, PrunedSketches, StoredPruned, copy};

/// Asks the model about two groups, by their sketches.
#[derive(Clone, Copy)]
pub(crate) struct SketchJudge<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) pruned: &'a PrunedSketches,
    pub(crate) groups: &'a Groups,
}

impl<'a> SketchJudge<'a> {
    pub(crate) fn copies(&self, a: Rank, b: Rank) -> Pair {
        let size = |rank: Rank| {
            let page = self.context.page(rank);
            (page.keys as usize, page.chars)
        };
        Pair::new(a, b, &copy(size(a), size(b)))
    }

    /// A group to be compared with many others, with its sketch loaded.
    pub(crate) fn one(&self, group: GroupNo) -> OneToMany<'a> {
        OneToMany {
            judge: *self,
            group,
            sketch: self.sketch(group),
        }
    }

    pub(super) fn sketch(&self, group: GroupNo) -> StoredPruned<'a> {
        self.pruned
            .get(PrunedNo(self.groups.sketches[group.at()].0))
    }

    /// Passes the pairs of groups of one text to `take`: all of them, or only those with the most preferred group if there are more than
    /// the limit; none if pair filters made so many groups ([`Groups::copies`]).
    pub(crate) fn copies_between_groups(
        &self,
        mut take: impl FnMut(Pair) -> Result<()>,
    ) -> Result<()> {
        let groups = self.groups;
        let Context {
            preference, limits, ..
        } = self.context;
        let all: Vec<GroupNo> = GroupNo::first(groups.len()).collect();
        for of_text in all.chunk_by(|&a, &b| groups.are_copies(a, b)) {
            if groups.has_many_copies(of_text[0], limits.component) {
                continue;
            }
            let place = |group: GroupNo| preference[groups.first(group).at()];
            let best = of_text.iter().copied().min_by_key(|&group| place(group));
            for (at, &a) in of_text.iter().enumerate() {
                for &b in &of_text[at + 1..] {
                    let is_wanted =
                        of_text.len() <= limits.component || Some(a) == best || Some(b) == best;
                    if is_wanted && !groups.are_old(a, b) && groups.may_compare(a, b) {
                        take(self.copies(groups.first(a), groups.first(b)))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// How many sketches are loaded together.
pub(crate) const FETCHED: usize = 64;

/// A group to be compared with many others.
pub(crate) struct OneToMany<'a> {
    judge: SketchJudge<'a>,
    group: GroupNo,
    sketch: StoredPruned<'a>,
}

impl OneToMany<'_> {
    /// The sketches of up to [`FETCHED`] groups. They are scattered in memory: accessing all of them together takes little longer than
    /// waiting for one.
    fn fetch(&self, others: &[GroupNo]) -> Vec<StoredPruned<'_>> {
        let sketches = others.iter().map(|&other| self.judge.sketch(other));
        let sketches: Vec<StoredPruned> = sketches.collect();
        black_box(sketches.iter().filter(|sketch| sketch.is_empty()).count());
        sketches
    }

    /// The pairs with related groups among these.
    pub(crate) fn with_each(&self, others: &[GroupNo]) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for others in others.chunks(FETCHED) {
            let sketches = self.fetch(others);
            let others = others.iter().zip(&sketches);
            pairs.extend(others.filter_map(|(&other, sketch)| self.with_sketch(other, sketch)));
        }
        pairs
    }

    /// The function for upper bounds of similarity to this group, if the method has one. Sketches with few keys are compared directly.
    pub(crate) fn upper_bound(&self) -> Option<UpperBound<'_>> {
        let Context { model, limits, .. } = self.judge.context;
        let sketch = self.sketch.as_ref();
        let has_enough = sketch.whole.keys.len() >= limits.bounded_keys;
        has_enough.then(|| model.upper_bound(sketch)).flatten()
    }

    /// The upper bounds for these groups; `None` if a group is certainly not related.
    pub(crate) fn at_most(&self, bound: &UpperBound<'_>, others: &[GroupNo]) -> Vec<Option<f32>> {
        let sketches = self.fetch(others);
        let others = others.iter().zip(&sketches);
        let most = others.map(|(&other, sketch)| self.most(bound, other, sketch));
        most.collect()
    }

    pub(crate) fn may_be_related(&self, bound: &UpperBound<'_>, other: GroupNo) -> bool {
        self.most(bound, other, &self.judge.sketch(other)).is_some()
    }

    fn most(
        &self,
        bound: &UpperBound<'_>,
        other: GroupNo,
        sketch: &StoredPruned<'_>,
    ) -> Option<f32> {
        match self.judge.groups.are_copies(self.group, other) {
            true => Some(1.0),
            false => bound(sketch.as_ref().whole).map(|most| most as f32),
        }
    }

    /// The pair with another group, identified by first pages, if they are related.
    pub(crate) fn with(&self, other: GroupNo) -> Option<Pair> {
        self.with_sketch(other, &self.judge.sketch(other))
    }

    fn with_sketch(&self, other: GroupNo, sketch: &StoredPruned<'_>) -> Option<Pair> {
        let SketchJudge {
            context, groups, ..
        } = self.judge;
        if groups.are_old(self.group, other) || !groups.may_compare(self.group, other) {
            return None;
        }
        // Most are not related, so first pages are looked up last.
        let firsts = || (groups.first(self.group), groups.first(other));
        if groups.are_copies(self.group, other) {
            let (x, y) = firsts();
            return Some(self.judge.copies(x, y));
        }
        let model = context.model;
        let relating = model.relate(self.sketch.as_ref(), sketch.as_ref(), &mut Trace::off())?;
        let (x, y) = firsts();
        let chars = |rank: Rank| context.page(rank).main_chars;
        let shorter = || chars(x).min(chars(y));
        match model.conclude(&relating, shorter, &mut Trace::off()) {
            Judgement::Yes(verdict) | Judgement::NeedsVerification(verdict) => {
                Some(Pair::new(x, y, &verdict))
            }
            Judgement::No => None,
        }
    }
}
