//! Pages that are the same to every judge, and the verdict of sketches on two classes of them.

use std::hint::black_box;

use rayon::prelude::*;

use super::matched::Matching;
use crate::cluster::Pair;
use crate::collect::{Collection, PageRow};
use crate::error::Result;
use crate::ids::{ClassNo, PageNo, Rank, SketchNo, UnitNo};
use crate::method::{Trace, UpperBound};
use crate::model::{Judgement, Model, StoredUnit, Units, copy};
use crate::spill::Sorter;

/// The pages of a collection by text, unit and own length, old ones apart from the others. With `exact` off each page is a
/// class of its own. Classes that share the least of their keys stand together, as those of a family mostly do: what is held by
/// class is near in memory and in files for them.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// Page -> class.
    of: Vec<ClassNo>,
    /// Class -> end of its pages in `members`.
    ends: Vec<u32>,
    /// The pages of all classes; of each the most preferred first. Classes of one text follow each other.
    members: Vec<Rank>,
    /// Class -> its unit, by the number of its sketch.
    pub(super) units: Vec<SketchNo>,
    /// Class -> the first class of the same text; itself if there is no text.
    text: Vec<ClassNo>,
    /// Page -> whether it is an old one, which the others are compared with; empty if there are none. They are preferred to
    /// all others, and not compared among each other.
    is_old: Vec<bool>,
    /// Whether pages of one text are duplicates whatever the method says.
    exact: bool,
}

impl Classes {
    /// Errors: a temporary file cannot be written.
    pub(super) fn new(
        matching: &Matching<'_>,
        units: &Units,
        unit_of: &[UnitNo],
    ) -> Result<Classes> {
        let by_text = Classes::by_text(matching, unit_of)?;
        let least: Vec<u64> = units.sketches().map(|sketch| {
            let mut rare = (0..sketch.keys.len()).filter(|&at| !sketch.is_common(at));
            rare.next().map_or(u64::MAX, |at| sketch.keys[at])
        })?;
        Ok(by_text.ordered(&least))
    }

    /// In the order of the hashes of their texts.
    fn by_text(matching: &Matching<'_>, unit_of: &[UnitNo]) -> Result<Classes> {
        let exact = matching.model.config().exact;
        let mut sorter = Sorter::new(matching.memory);
        for (rank, &page) in Rank::first(matching.by_id.len()).zip(matching.by_id) {
            let row = matching.collection.page(page);
            let text = row.text.unwrap_or_default();
            let alone = match row.text.is_none() || !exact {
                true => u64::from(rank.0) + 1,
                false => 0,
            };
            let is_new = !matching.is_old.get(rank.at()).copied().unwrap_or(false);
            let preference = u64::from(matching.preference[rank.at()]);
            sorter.push([
                (text >> 64) as u64,
                text as u64,
                alone << 32 | u64::from(unit_of[page.at()].0),
                row.own_chars << 1 | u64::from(is_new),
                preference << 32 | u64::from(rank.0),
            ])?;
        }
        let mut classes = Classes {
            of: vec![ClassNo::default(); matching.by_id.len()],
            is_old: matching.is_old.to_vec(),
            exact,
            ..Classes::default()
        };
        let mut last = None;
        for [high, low, unit, own, page] in sorter.finish()? {
            let class = [high, low, unit, own];
            if last != Some(class) {
                let text = last.map(|last| [last[0], last[1]]);
                let is_other = text != Some([high, low]) || [high, low] == [0, 0];
                classes.begin(SketchNo(unit as u32), is_other);
            }
            last = Some(class);
            classes.add(Rank(page as u32));
        }
        Ok(classes)
    }

    /// In the order of the least of these numbers that the units of a text have.
    fn ordered(mut self, of_unit: &[u64]) -> Classes {
        let least = |class: &ClassNo| of_unit[self.units[class.at()].at()];
        let all: Vec<ClassNo> = ClassNo::first(self.len()).collect();
        let texts = all.chunk_by(|&a, &b| self.text(a) == self.text(b));
        let mut texts: Vec<(u64, ClassNo, u32)> = texts
            .map(|text| {
                let key = text.iter().map(least).min();
                (key.unwrap_or(u64::MAX), text[0], text.len() as u32)
            })
            .collect();
        texts.par_sort_unstable();
        drop(all);
        let mut ordered = Classes {
            of: vec![ClassNo::default(); self.of.len()],
            is_old: std::mem::take(&mut self.is_old),
            exact: self.exact,
            ..Classes::default()
        };
        for (_, first, count) in texts {
            for class in first.0..first.0 + count {
                ordered.begin(self.units[class as usize], class == first.0);
                for &page in self.members(ClassNo(class)) {
                    ordered.add(page);
                }
            }
        }
        ordered
    }

    /// A class begins.
    fn begin(&mut self, unit: SketchNo, is_other_text: bool) {
        let class = ClassNo::new(self.units.len());
        let text = match is_other_text {
            true => class,
            false => self.text.last().copied().unwrap_or(class),
        };
        self.text.push(text);
        self.units.push(unit);
        self.ends.push(self.members.len() as u32);
    }

    /// A page of the last class.
    fn add(&mut self, page: Rank) {
        self.of[page.at()] = ClassNo::new(self.units.len() - 1);
        self.members.push(page);
        if let Some(end) = self.ends.last_mut() {
            *end = self.members.len() as u32;
        }
    }

    /// The class that stands for all classes of one text.
    pub(super) fn text(&self, class: ClassNo) -> ClassNo {
        self.text[class.at()]
    }

    /// Whether the pages of two classes are exact copies.
    pub(super) fn are_copies(&self, a: ClassNo, b: ClassNo) -> bool {
        self.exact && self.text[a.at()] == self.text[b.at()]
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
        !self.is_old.is_empty() && self.old(a) && self.old(b)
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
        &self.members[start as usize..self.ends[at] as usize]
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
    pub(super) classes: &'a Classes,
}

impl<'a> Judge<'a> {
    pub(super) fn page(&self, rank: Rank) -> PageRow {
        self.collection.page(self.by_id[rank.at()])
    }

    /// Two exact copies.
    pub(super) fn copies(&self, a: Rank, b: Rank) -> Pair {
        let size = |rank: Rank| {
            let page = self.page(rank);
            (page.keys as usize, page.chars)
        };
        Pair::new(a, b, &copy(size(a), size(b)))
    }

    /// A class that is asked about, its sketch read.
    pub(super) fn asking(&self, class: ClassNo) -> Asked<'a> {
        Asked {
            judge: *self,
            class,
            unit: self.unit(class),
        }
    }

    fn unit(&self, class: ClassNo) -> StoredUnit<'a> {
        self.units.get(UnitNo(self.classes.units[class.at()].0))
    }

    /// Hands the pairs of classes of one text to `take`: all of them, or those with the most preferred class where there are
    /// more than `limit`.
    pub(super) fn copies_between(
        &self,
        preference: &[u32],
        limit: usize,
        mut take: impl FnMut(Pair) -> Result<()>,
    ) -> Result<()> {
        let classes = self.classes;
        let all: Vec<ClassNo> = ClassNo::first(classes.len()).collect();
        for group in all.chunk_by(|&a, &b| classes.are_copies(a, b)) {
            let place = |class: ClassNo| preference[classes.first(class).at()];
            let best = group.iter().copied().min_by_key(|&class| place(class));
            for (at, &a) in group.iter().enumerate() {
                for &b in &group[at + 1..] {
                    let is_wanted = group.len() <= limit || Some(a) == best || Some(b) == best;
                    if is_wanted && !classes.are_old(a, b) {
                        take(self.copies(classes.first(a), classes.first(b)))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Classes whose sketches are looked for together.
pub(super) const TOUCHED: usize = 64;

/// A class, and what it takes to judge it beside many others.
pub(super) struct Asked<'a> {
    judge: Judge<'a>,
    class: ClassNo,
    unit: StoredUnit<'a>,
}

impl Asked<'_> {
    /// The sketches of up to [`TOUCHED`] classes. They stand anywhere in memory: to look for all together takes little longer than to
    /// wait for one.
    fn units(&self, others: &[ClassNo]) -> Vec<StoredUnit<'_>> {
        let units = others.iter().map(|&other| self.judge.unit(other));
        let units: Vec<StoredUnit> = units.collect();
        black_box(units.iter().filter(|unit| unit.is_empty()).count());
        units
    }

    /// The pairs with those of other classes that are related.
    pub(super) fn with_each(&self, others: &[ClassNo]) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for others in others.chunks(TOUCHED) {
            let units = self.units(others);
            let others = others.iter().zip(&units);
            pairs.extend(others.filter_map(|(&other, unit)| self.with_unit(other, unit)));
        }
        pairs
    }

    /// What tells [how similar](Asked::at_most) other classes are at the most, if the method has such a thing.
    pub(super) fn sieve(&self) -> Option<UpperBound<'_>> {
        /// To bound sketches of fewer keys saves nothing over comparing them; few in tests, which are small.
        const LEAST_KEYS: usize = if cfg!(test) { 1 } else { 48 };
        let has_enough = self.unit.as_ref().whole.keys.len() >= LEAST_KEYS;
        let bound = || self.judge.model.sieve(self.unit.as_ref());
        has_enough.then(bound).flatten()
    }

    /// How similar these classes are to this one at the most; `None` for those that are surely not related.
    pub(super) fn at_most(&self, sieve: &UpperBound<'_>, others: &[ClassNo]) -> Vec<Option<f32>> {
        let units = self.units(others);
        let others = others.iter().zip(&units);
        let most = others.map(|(&other, unit)| self.most(sieve, other, unit));
        most.collect()
    }

    /// Whether another class may be related to this one.
    pub(super) fn may_be(&self, sieve: &UpperBound<'_>, other: ClassNo) -> bool {
        self.most(sieve, other, &self.judge.unit(other)).is_some()
    }

    fn most(&self, sieve: &UpperBound<'_>, other: ClassNo, unit: &StoredUnit<'_>) -> Option<f32> {
        match self.judge.classes.are_copies(self.class, other) {
            true => Some(1.0),
            false => sieve(unit.as_ref().whole).map(|most| most as f32),
        }
    }

    /// The pair with another class, named by their first pages, if they are related.
    pub(super) fn with(&self, other: ClassNo) -> Option<Pair> {
        self.with_unit(other, &self.judge.unit(other))
    }

    fn with_unit(&self, other: ClassNo, unit: &StoredUnit<'_>) -> Option<Pair> {
        let Judge { model, classes, .. } = self.judge;
        if classes.are_old(self.class, other) {
            return None;
        }
        // Most are not related: who they are is looked up last.
        let firsts = || (classes.first(self.class), classes.first(other));
        if classes.are_copies(self.class, other) {
            let (x, y) = firsts();
            return Some(self.judge.copies(x, y));
        }
        let relating = model.relate(self.unit.as_ref(), unit.as_ref(), &mut Trace::off())?;
        let (x, y) = firsts();
        let own = |rank: Rank| self.judge.page(rank).own_chars;
        match model.conclude(&relating, || own(x).min(own(y)), &mut Trace::off()) {
            Judgement::Yes(verdict) | Judgement::Doubt(verdict) => Some(Pair::new(x, y, &verdict)),
            Judgement::No => None,
        }
    }
}
