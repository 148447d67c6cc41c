//! Exact groups: pages that get the same verdicts.

use std::ops::Range;

use rayon::prelude::*;

use super::context::Context;
use crate::error::Result;
use crate::filter::{PairFilters, Scope, ordered_date};
use crate::ids::{GroupNo, PrunedNo, Rank, SketchNo};
use crate::model::PrunedSketches;
use crate::spill::Sorter;

/// Groups the pages of a collection by text, pruned sketch and length of main text. Old pages, and pages with different values for pair
/// filters, are in separate groups. Pages of a group are copies of each other, unless filters exclude their pairs. With `exact` off each
/// page is its own group. Superseded pages are in no group. Groups that share their smallest keys, as most of a family do, get consecutive
/// numbers, so that their data is close together in memory and files.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    of: Vec<GroupNo>,
    /// The end of each group's pages in `members`.
    ends: Vec<u32>,
    /// The pages of all groups, the most preferred of each first. Groups of one text are consecutive.
    members: Vec<Rank>,
    /// The pruned sketch of each group.
    pub(crate) sketches: Vec<SketchNo>,
    /// For each group the first group of the same text; the group itself if it has no text.
    first_of_text: Vec<GroupNo>,
    /// For each page whether it is old; empty if there are none. Old pages are preferred to all others, and not compared with each other.
    is_old: Vec<bool>,
    /// Whether pages of one text are duplicates whatever the method says.
    exact: bool,
    /// The filters that decide which groups are compared.
    filters: PairFilters,
    /// The filter values of each group; empty if there are no filters.
    scopes: Vec<Scope>,
}

impl Groups {
    pub(crate) fn new(
        context: &Context<'_>,
        pruned: &PrunedSketches,
        pruned_of: &[PrunedNo],
    ) -> Result<Groups> {
        let by_text = Groups::by_text(context, pruned_of)?;
        let least: Vec<u64> = pruned.sketches().map(|sketch| {
            let mut rare = (0..sketch.keys.len()).filter(|&at| !sketch.is_common(at));
            rare.next().map_or(u64::MAX, |at| sketch.keys[at])
        })?;
        Ok(by_text.ordered(&least))
    }

    /// Groups in the order of text hashes.
    fn by_text(context: &Context<'_>, pruned_of: &[PrunedNo]) -> Result<Groups> {
        let exact = context.model.config().exact;
        let mut sorter = Sorter::new(context.memory);
        for (rank, &page) in Rank::first(context.by_id.len()).zip(context.by_id) {
            if context.collection.is_superseded(page) {
                continue;
            }
            let row = context.collection.page(page);
            let scope = context.scope(rank);
            let text = row.text_hash.unwrap_or_default();
            let singleton = match row.text_hash.is_none() || !exact {
                true => u64::from(rank.0) + 1,
                false => 0,
            };
            let is_new = !context.is_old(rank);
            let preference = u64::from(context.preference[rank.at()]);
            sorter.push([
                (text >> 64) as u64,
                text as u64,
                scope.within,
                ordered_date(scope.date),
                scope.across,
                singleton << 32 | u64::from(pruned_of[page.at()].0),
                row.main_chars << 1 | u64::from(is_new),
                preference << 32 | u64::from(rank.0),
            ])?;
        }
        let mut groups = Groups {
            of: vec![GroupNo::default(); context.by_id.len()],
            is_old: context.is_old.to_vec(),
            exact,
            filters: context.model.config().filters.clone(),
            ..Groups::default()
        };
        let mut last = None;
        for [high, low, within, date, across, sketch, chars, page] in sorter.finish()? {
            let group = [high, low, within, date, across, sketch, chars];
            if last != Some(group) {
                let text = last.map(|last| [last[0], last[1]]);
                let is_other = text != Some([high, low]) || [high, low] == [0, 0];
                groups.begin(SketchNo(sketch as u32), is_other);
            }
            if last != Some(group) && !groups.filters.is_empty() {
                groups.scopes.push(context.scope(Rank(page as u32)));
            }
            last = Some(group);
            groups.add(Rank(page as u32));
        }
        Ok(groups)
    }

    /// Orders texts by the least of these numbers among their sketches.
    fn ordered(mut self, of_sketch: &[u64]) -> Groups {
        let least = |group: &GroupNo| of_sketch[self.sketches[group.at()].at()];
        let all: Vec<GroupNo> = GroupNo::first(self.len()).collect();
        let texts = all.chunk_by(|&a, &b| self.first_of_text(a) == self.first_of_text(b));
        let mut texts: Vec<(u64, GroupNo, u32)> = texts
            .map(|text| {
                let key = text.iter().map(least).min();
                (key.unwrap_or(u64::MAX), text[0], text.len() as u32)
            })
            .collect();
        texts.par_sort_unstable();
        drop(all);
        let mut ordered = Groups {
            of: vec![GroupNo::default(); self.of.len()],
            is_old: std::mem::take(&mut self.is_old),
            exact: self.exact,
            filters: self.filters.clone(),
            ..Groups::default()
        };
        for (_, first, count) in texts {
            for group in first.0..first.0 + count {
                ordered.begin(self.sketches[group as usize], group == first.0);
                ordered.scopes.extend(self.scopes.get(group as usize));
                for &page in self.members(GroupNo(group)) {
                    ordered.add(page);
                }
            }
        }
        ordered
    }

    fn begin(&mut self, sketch: SketchNo, is_other_text: bool) {
        let group = GroupNo::new(self.sketches.len());
        let first = match is_other_text {
            true => group,
            false => self.first_of_text.last().copied().unwrap_or(group),
        };
        self.first_of_text.push(first);
        self.sketches.push(sketch);
        self.ends.push(self.members.len() as u32);
    }

    fn add(&mut self, page: Rank) {
        self.of[page.at()] = GroupNo::new(self.sketches.len() - 1);
        self.members.push(page);
        if let Some(end) = self.ends.last_mut() {
            *end = self.members.len() as u32;
        }
    }

    pub(crate) fn first_of_text(&self, group: GroupNo) -> GroupNo {
        self.first_of_text[group.at()]
    }

    pub(crate) fn are_copies(&self, a: GroupNo, b: GroupNo) -> bool {
        self.exact && self.first_of_text(a) == self.first_of_text(b)
    }

    /// Whether pair filters allow two groups to be compared.
    pub(crate) fn may_compare(&self, a: GroupNo, b: GroupNo) -> bool {
        match (self.scopes.get(a.at()), self.scopes.get(b.at())) {
            (Some(a), Some(b)) => self.filters.forbids(a, b).is_none(),
            _ => true,
        }
    }

    /// Whether the pages of a group are copies of each other; filters may exclude their pairs.
    pub(crate) fn has_copies(&self, group: GroupNo) -> bool {
        self.may_compare(group, group)
    }

    /// Whether filters split a text into so many groups that these are compared in their turn ([`Groups::copies`]).
    pub(crate) fn has_many_copies(&self, group: GroupNo, limit: usize) -> bool {
        self.exact && !self.scopes.is_empty() && self.of_text(group).len() > limit
    }

    fn of_text(&self, group: GroupNo) -> Range<usize> {
        let first = self.first_of_text(group);
        let count = self.first_of_text[first.at()..].partition_point(|other| *other == first);
        first.at()..first.at() + count
    }

    /// The other groups of a text that filters allow to be compared with this one, ascending. They are sorted by field and date, so only
    /// few others are checked.
    pub(crate) fn copies(&self, group: GroupNo) -> impl Iterator<Item = GroupNo> {
        let of_text = self.of_text(group);
        let scopes = &self.scopes[of_text.clone()];
        let own = &self.scopes[group.at()];
        let start = scopes.partition_point(|scope| scope.within < own.within);
        let scopes = &scopes[start..];
        let scopes = &scopes[..scopes.partition_point(|scope| scope.within == own.within)];
        let undated = scopes.partition_point(|scope| scope.date.is_none());
        let dated = &scopes[undated..];
        let (from, to) = match (own.date, self.filters.reach()) {
            (Some(date), Some(reach)) => {
                let is_near = |other: i64| date.abs_diff(other) <= reach;
                let before = |scope: &Scope| scope.date.is_some_and(|at| at < date && !is_near(at));
                let until = |scope: &Scope| scope.date.is_some_and(|at| at <= date || is_near(at));
                (dated.partition_point(before), dated.partition_point(until))
            }
            _ => (0, dated.len()),
        };
        let first = of_text.start + start;
        let numbers = (first..first + undated).chain(first + undated + from..first + undated + to);
        let others = numbers.map(GroupNo::new);
        others.filter(move |&other| other != group && self.may_compare(group, other))
    }

    /// Splits these groups so that filters exclude all pairs between parts. Parts in which no pair is allowed are left out.
    pub(crate) fn parts(&self, groups: Vec<GroupNo>) -> Vec<Vec<GroupNo>> {
        self.filters.parts(groups, |group| self.scopes[group.at()])
    }

    pub(crate) fn old(&self, group: GroupNo) -> bool {
        let page = self.first(group);
        self.is_old.get(page.at()).copied().unwrap_or(false)
    }

    pub(crate) fn are_old(&self, a: GroupNo, b: GroupNo) -> bool {
        !self.is_old.is_empty() && self.old(a) && self.old(b)
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn of(&self, page: Rank) -> GroupNo {
        self.of[page.at()]
    }

    /// The pages of a group, the most preferred first.
    pub(crate) fn members(&self, group: GroupNo) -> &[Rank] {
        let at = group.at();
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.members[start as usize..self.ends[at] as usize]
    }

    /// The most preferred page of a group, which represents it.
    pub(crate) fn first(&self, group: GroupNo) -> Rank {
        self.members(group)[0]
    }

    /// What each group adds to the size of a component, which decides whether all its pairs are listed: half of its pages, rounded up. So a
    /// component of different texts has as many pages as its size, and none has more than twice as many.
    pub(crate) fn component_sizes(&self) -> Vec<u32> {
        let all = GroupNo::first(self.len());
        all.map(|group| self.members(group).len().div_ceil(2) as u32)
            .collect()
    }
}
