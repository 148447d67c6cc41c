//! Pages that are the same to every judge, and the verdict of sketches on two classes of them.

use rayon::prelude::*;

use crate::cluster::Pair;
use crate::collect::{Collection, PageRow};
use crate::ids::{ClassNo, PageNo, Rank, SketchNo, UnitNo};
use crate::method::Trace;
use crate::model::{Judgement, Model, Units, copy};

/// The pages of a collection by text, unit and own length, old ones apart from the others. With `exact` off each page is a
/// class of its own.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// Page -> class.
    of: Vec<ClassNo>,
    /// Class -> end of its pages in `members`.
    ends: Vec<usize>,
    /// The pages of all classes; of each the most preferred first. Classes of one text follow each other.
    members: Vec<Rank>,
    /// Class -> its unit, by the number of its sketch.
    pub(super) units: Vec<SketchNo>,
    /// Page -> whether it is an old one, which the others are compared with; empty if there are none. They are preferred to
    /// all others, and not compared among each other.
    is_old: Vec<bool>,
}

impl Classes {
    pub(super) fn new(
        judge: &Judge<'_>,
        unit_of: &[UnitNo],
        preference: &[u32],
        is_old: &[bool],
    ) -> Classes {
        let unit = |rank: Rank| unit_of[judge.by_id[rank.at()].at()];
        let key = |rank: Rank| {
            let page = judge.page(rank);
            let alone = page.text.is_none() || !judge.exact;
            let alone = alone.then_some(rank);
            let is_new = !is_old.get(rank.at()).copied().unwrap_or(false);
            (page.text, alone, unit(rank), page.own_chars, is_new)
        };
        let mut members: Vec<Rank> = Rank::first(judge.by_id.len()).collect();
        members.par_sort_by_cached_key(|&rank| (key(rank), preference[rank.at()]));
        let (mut of, mut ends, mut units) = (
            vec![ClassNo::default(); members.len()],
            Vec::new(),
            Vec::new(),
        );
        let mut start = 0;
        for class in members.chunk_by(|&a, &b| key(a) == key(b)) {
            let number = ClassNo::new(ends.len());
            class.iter().for_each(|rank| of[rank.at()] = number);
            units.push(SketchNo(unit(class[0]).0));
            start += class.len();
            ends.push(start);
        }
        Classes {
            of,
            ends,
            members,
            units,
            is_old: is_old.to_vec(),
        }
    }

    /// Page -> whether it is an old one; empty if there are none.
    pub(super) fn is_old(&self) -> &[bool] {
        &self.is_old
    }

    /// Whether a class has old pages; then it has no others.
    pub(super) fn old(&self, class: ClassNo) -> bool {
        let page = self.first(class);
        self.is_old.get(page.at()).copied().unwrap_or(false)
    }

    /// Whether two classes both have old pages.
    pub(super) fn are_old(&self, a: ClassNo, b: ClassNo) -> bool {
        self.old(a) && self.old(b)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The class of a page.
    pub(super) fn of(&self, page: Rank) -> ClassNo {
        self.of[page.at()]
    }

    /// The pages of a class, the most preferred first.
    pub(super) fn members(&self, class: ClassNo) -> &[Rank] {
        let at = class.at();
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.members[start..self.ends[at]]
    }

    /// The most preferred page of a class, which stands for it.
    pub(super) fn first(&self, class: ClassNo) -> Rank {
        self.members(class)[0]
    }
}

/// What sketches say of two classes.
#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub(super) model: &'a Model,
    pub(super) units: &'a Units,
    pub(super) collection: &'a Collection,
    pub(super) by_id: &'a [PageNo],
    /// Whether pages of one text are duplicates whatever the method says.
    pub(super) exact: bool,
}

impl Judge<'_> {
    pub(super) fn page(&self, rank: Rank) -> &PageRow {
        self.collection.page(self.by_id[rank.at()])
    }

    /// Whether two pages are exact copies.
    pub(super) fn is_copy(&self, a: Rank, b: Rank) -> bool {
        let text = self.page(a).text;
        self.exact && text.is_some() && text == self.page(b).text
    }

    /// Two exact copies.
    pub(super) fn copies(&self, a: Rank, b: Rank) -> Pair {
        let size = |rank: Rank| (self.page(rank).keys as usize, self.page(rank).chars);
        Pair::new(a, b, &copy(size(a), size(b)))
    }

    /// The pair of two classes, named by their first pages, if they are related.
    pub(super) fn pair(&self, classes: &Classes, a: ClassNo, b: ClassNo) -> Option<Pair> {
        if classes.are_old(a, b) {
            return None;
        }
        let (x, y) = (classes.first(a), classes.first(b));
        if self.is_copy(x, y) {
            return Some(self.copies(x, y));
        }
        let unit = |class: ClassNo| self.units.get(UnitNo(classes.units[class.at()].0));
        let relating = self.model.relate(unit(a), unit(b), &mut Trace::off())?;
        let shorter = self.page(x).own_chars.min(self.page(y).own_chars);
        match self.model.conclude(&relating, shorter, &mut Trace::off()) {
            Judgement::Yes(verdict) | Judgement::Doubt(verdict) => Some(Pair::new(x, y, &verdict)),
            Judgement::No => None,
        }
    }

    /// The pairs of classes of one text: all of them, or those with the most preferred class where there are more than
    /// `limit`.
    pub(super) fn copies_between(
        &self,
        classes: &Classes,
        preference: &[u32],
        limit: usize,
    ) -> Vec<Pair> {
        let mut pairs = Vec::new();
        let first: Vec<Rank> = ClassNo::first(classes.len())
            .map(|class| classes.first(class))
            .collect();
        for group in first.chunk_by(|&a, &b| self.is_copy(a, b)) {
            let best = group.iter().min_by_key(|rank| preference[rank.at()]);
            for (at, &a) in group.iter().enumerate() {
                let rest = group[at + 1..].iter();
                let wanted = rest.filter(|&&b| {
                    let is_wanted = group.len() <= limit || Some(&a) == best || Some(&b) == best;
                    is_wanted && !classes.are_old(classes.of(a), classes.of(b))
                });
                pairs.extend(wanted.map(|&b| self.copies(a, b)));
            }
        }
        pairs
    }
}
