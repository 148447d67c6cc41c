//! Related pairs of sketches, without comparing all pairs.
//!
//! METHODS §1.4 counts one for every pair of every posting list. That is quadratic in the length of a list, so the
//! count is made only for pairs that can still be related: a pair of which the smaller sketch has n keys, and the size s to the
//! method, must share `overlap(s)` of them, hence at least one of *any* n − overlap(s) + 1 keys of the smaller one. The smaller
//! sketch therefore looks up its rarest n − overlap(s) + 1 keys only (its prefix), in the full lists of all larger ones, up to
//! the size that the method says it can reach.
//!
//! What is left is quadratic in the lists of keys that very many sketches have. These, the *crowded* keys, are not looked up
//! here but in [`super::Crowds`], which finds large families without listing all their pairs.

use std::borrow::Cow;
use std::cmp::Reverse;

use rayon::prelude::*;

use super::shared::SharedKeys;
use super::store::Sketches;
use crate::error::{Error, Result};
use crate::ids::{ClassNo, SketchNo};
use crate::lane::in_order;
use crate::sketch::{Bounds, SketchRef};
use crate::spent::{Spent, Stopwatch};
use crate::spill::{Row, Rows, Sorter};
use crate::watch::Watch;

/// What [`Join::pairs`] found.
#[derive(Debug)]
pub struct Related<T> {
    /// What was made of the pairs, if it was not taken.
    pub made: Vec<T>,
    /// The number of candidates: pairs that share a key of the smaller one's prefix.
    pub candidates: u64,
    /// The time that it took.
    pub spent: Spent,
}

impl<T> Default for Related<T> {
    fn default() -> Self {
        Related {
            made: Vec::new(),
            candidates: 0,
            spent: Spent::default(),
        }
    }
}

/// Hands every pair of different sketches that shares a key and is within `bounds` to `judge`, the smaller number
/// first, and returns what that made of them: [`Join::pairs`] where no key is crowded.
pub fn related_pairs<T: Send>(
    sketches: &Sketches,
    size: impl Fn(&[u64]) -> usize + Sync,
    bounds: impl Fn(usize) -> Bounds + Sync,
    watch: &dyn Watch,
    judge: impl Fn(SketchNo, SketchNo, &mut Vec<T>) + Sync,
) -> Result<Related<T>> {
    let each: Vec<SketchNo> = SketchNo::first(sketches.len()).collect();
    let judge = |class: ClassNo, others: &[ClassNo], made: &mut Vec<T>| {
        for &other in others {
            let (a, b) = (class.min(other), class.max(other));
            judge(SketchNo(a.0), SketchNo(b.0), made);
        }
    };
    let traits = Traits {
        size: &size,
        needs_own: &|_| false,
        is_common: &|_| false,
    };
    let join = Join::build(sketches, &each, usize::MAX, &traits)?;
    let mut found = Related::default();
    join.pairs(0, bounds, watch, judge, |_, piece| {
        found.made.append(&mut piece.made);
        found.candidates += piece.candidates;
        found.spent += piece.spent;
        Ok(())
    })?;
    Ok(found)
}

/// What a join has to know of sketches.
pub struct Traits<'a> {
    /// The size of a sketch, from its keys.
    pub size: &'a (dyn Fn(&[u64]) -> usize + Sync),
    /// Whether a sketch is related to others of its size or larger only if they share a key that is not common.
    pub needs_own: &'a (dyn Fn(SketchRef<'_>) -> bool + Sync),
    /// Whether a key is common.
    pub is_common: &'a dyn Fn(u64) -> bool,
}

/// The inverted index that pair counting needs: classes in order of size, their shared keys as ranks, rarest first.
#[derive(Debug)]
pub struct Join {
    /// Place -> size.
    sizes: Vec<u32>,
    /// Place -> [`Traits::needs_own`].
    needs_own: Vec<bool>,
    /// Place -> class; places ascend by size, then by number.
    order: Vec<ClassNo>,
    /// Class -> place.
    pub(super) place_of: Vec<u32>,
    /// Place -> the ranks of its shared keys, ascending: rank 0 is the rarest key.
    ranks: Rows<u32>,
    /// Rank -> the places that hold it, ascending.
    places: Rows<u32>,
    /// Rank -> whether the key is common.
    common: Vec<bool>,
    /// This rank and all that follow are crowded.
    pub(super) crowded: u32,
    /// The longest list that is not crowded.
    crowd: usize,
}

/// Candidates of a class at the most, where keys can be crowded; those that share most keys of its prefix come first, then
/// those of its size. A class with more has next to no keys of its own.
const CANDIDATES: usize = 2000;

/// Classes of which one thread finds the pairs before they are taken.
const PIECE: usize = 64;

impl Join {
    /// Indexes classes, given the sketch of each; a key that more than `crowd` of them have is crowded. Time O(n log n) in the number of
    /// keys. Memory: 13 bytes a class, two a shared key; and 8 bytes a posting of a shared key, or temporary files.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn build(
        sketches: &Sketches,
        of: &[SketchNo],
        crowd: usize,
        traits: &Traits<'_>,
    ) -> Result<Join> {
        let of_sketch: Vec<(u32, bool)> = sketches.map(|sketch| {
            let size = (traits.size)(sketch.keys) as u32;
            (size, (traits.needs_own)(sketch))
        })?;
        let of_class = |class: ClassNo| of_sketch[of[class.at()].at()];
        let mut order: Vec<ClassNo> = ClassNo::first(of.len()).collect();
        order.par_sort_unstable_by_key(|&class| (of_class(class).0, class));
        let mut place_of = vec![0u32; order.len()];
        for (place, &class) in (0u32..).zip(&order) {
            place_of[class.at()] = place;
        }
        let (sizes, needs_own) = order.iter().map(|&class| of_class(class)).unzip();
        drop(of_sketch);
        let (places, common, crowded) = lists(sketches, of, &place_of, crowd, traits.is_common)?;
        Ok(Join {
            sizes,
            needs_own,
            ranks: places.inverted(order.len())?,
            order,
            place_of,
            places,
            common,
            crowded,
            crowd,
        })
    }

    /// Hands every pair of classes that is within `bounds` and shares a key of the smaller one's prefix which is not crowded
    /// to `judge`, each class with those that are larger, and what that made of them to `take`, piece by piece, with the number
    /// of pieces that are done; the first `done` pieces are left out. `bounds` is asked with the size of the smaller one.
    ///
    /// If no key is crowded, these are the same pairs as asking all with all (tested against exactly that). Each comes once;
    /// their order does not depend on threads. Of the pairs in which a class is the smaller one, 2,000 candidates are looked at, or
    /// `crowd` if that is more.
    pub fn pairs<T: Send>(
        &self,
        mut done: usize,
        bounds: impl Fn(usize) -> Bounds + Sync,
        watch: &dyn Watch,
        judge: impl Fn(ClassNo, &[ClassNo], &mut Vec<T>) + Sync,
        mut take: impl FnMut(usize, &mut Related<T>) -> Result<()>,
    ) -> Result<()> {
        let piece = |start: usize| {
            let mut stopwatch = Stopwatch::start();
            let (mut piece, mut hits) = (Related::default(), Vec::new());
            for place in (start..self.order.len()).take(PIECE) {
                if watch.cancelled() {
                    return Err(Error::Cancelled);
                }
                self.partners(place, &bounds, &mut hits, &mut piece, &judge);
                watch.advance(1);
            }
            piece.spent.candidates = stopwatch.lap().saturating_sub(piece.spent.verdicts);
            Ok(piece)
        };
        let starts = (0..self.order.len()).step_by(PIECE).skip(done);
        in_order(starts, piece, |piece| {
            done += 1;
            match piece {
                Ok(piece) => take(done, piece),
                Err(error) => Err(std::mem::replace(error, Error::Cancelled)),
            }
        })
    }

    fn size(&self, place: usize) -> usize {
        self.sizes[place] as usize
    }

    /// The class at a place.
    pub(super) fn class(&self, place: u32) -> ClassNo {
        self.order[place as usize]
    }

    /// How many classes there are.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn ranks_of(&self, place: usize) -> Row<'_, u32> {
        self.ranks.get(place)
    }

    pub(super) fn list(&self, rank: u32) -> Row<'_, u32> {
        self.places.get(rank as usize)
    }

    /// How many places hold a rank.
    pub(super) fn length(&self, rank: u32) -> usize {
        self.places.count(rank as usize)
    }

    /// How many lists are crowded; they are the last.
    pub(super) fn crowded(&self) -> usize {
        self.places.len() - self.crowded as usize
    }

    /// Of the ranks at a place, those in its prefix: which are not crowded, and which are. The prefix of a class that
    /// [needs keys of its own](Traits::needs_own) has no common ones.
    pub(super) fn prefix<'r>(
        &self,
        place: usize,
        ranks: &'r [u32],
        bounds: &impl Fn(usize) -> Bounds,
    ) -> [Cow<'r, [u32]>; 2] {
        let need = bounds(self.size(place)).overlap.max(1);
        // Keys that no other class holds are the rarest of all: they fill the prefix first.
        let length = |count: usize, need: usize| (count + 1).saturating_sub(need).min(count);
        if !self.needs_own[place] {
            let prefix = &ranks[..length(ranks.len(), need)];
            let (free, crowded) = prefix.split_at(self.first_crowded(prefix));
            return [free, crowded].map(Cow::Borrowed);
        }
        let is_own = |rank: &u32| !self.common[*rank as usize];
        let mut own: Vec<u32> = ranks.iter().copied().filter(is_own).collect();
        // All common ones may be shared.
        let need = need.saturating_sub(ranks.len() - own.len()).max(1);
        own.truncate(length(own.len(), need));
        let crowded = own.split_off(self.first_crowded(&own));
        [own, crowded].map(Cow::Owned)
    }

    /// Where the crowded ones of these ranks begin.
    fn first_crowded(&self, ranks: &[u32]) -> usize {
        ranks.partition_point(|&rank| rank < self.crowded)
    }

    /// Of the ranks at a place, those that are crowded.
    pub(super) fn crowded_of<'r>(&self, ranks: &'r [u32]) -> &'r [u32] {
        &ranks[self.first_crowded(ranks)..]
    }

    /// Whether the class at a place, which has these ranks, of which those are crowded, and another are within bounds by their crowded
    /// keys alone; otherwise the smaller one shares one of its other keys, and [`Join::pairs`] has found the pair. If that one
    /// needs keys of its own, whether they are within bounds.
    pub(super) fn is_within(
        &self,
        (place, ranks, crowded): (u32, &[u32], &[u32]),
        other: u32,
        bounds: &impl Fn(usize) -> Bounds,
    ) -> bool {
        // Places ascend by size.
        let (small, large) = (place.min(other), place.max(other));
        let Bounds { overlap, reach } = bounds(self.size(small as usize));
        if self.size(large as usize) > reach {
            return false;
        }
        let others = self.ranks_of(other as usize);
        match self.needs_own[small as usize] {
            true => shares(ranks, &others, overlap.max(1)),
            false => shares(crowded, self.crowded_of(&others), overlap.max(1)),
        }
    }

    /// Judges the pairs within bounds in which the class at `place` is the smaller one.
    fn partners<T>(
        &self,
        place: usize,
        bounds: &impl Fn(usize) -> Bounds,
        hits: &mut Vec<u32>,
        related: &mut Related<T>,
        judge: &impl Fn(ClassNo, &[ClassNo], &mut Vec<T>),
    ) {
        let class = self.order[place];
        let Bounds { overlap, reach } = bounds(self.size(place));
        let ranks = self.ranks_of(place);
        let [looked_up, _] = self.prefix(place, &ranks, bounds);
        let end = self.sizes.partition_point(|&size| size as usize <= reach);
        for &rank in &*looked_up {
            let list = self.list(rank);
            let larger = list.partition_point(|&other| other as usize <= place);
            let within = list.partition_point(|&other| (other as usize) < end);
            hits.extend_from_slice(list.get(larger..within).unwrap_or_default());
        }
        if hits.is_empty() {
            return;
        }
        hits.sort_unstable();
        // One look at the clock for all candidates of a class: for each it would cost more than some verdicts.
        let mut stopwatch = Stopwatch::start();
        let rest = match &looked_up {
            Cow::Borrowed(looked_up) => Cow::Borrowed(&ranks[looked_up.len()..]),
            Cow::Owned(looked_up) => {
                let is_left = |rank: &u32| looked_up.binary_search(rank).is_err();
                Cow::Owned(ranks.iter().copied().filter(is_left).collect())
            }
        };
        let runs = hits.chunk_by(|a, b| a == b);
        let mut candidates: Vec<(usize, u32)> = runs.map(|run| (run.len(), run[0])).collect();
        hits.clear();
        let most = CANDIDATES.max(self.crowd);
        if candidates.len() > most {
            candidates.select_nth_unstable_by_key(most, |&(hits, place)| (Reverse(hits), place));
            candidates.truncate(most);
        }
        related.candidates += candidates.len() as u64;
        candidates.retain(|&(hits, place)| {
            let need = overlap.max(1).saturating_sub(hits);
            shares(&rest, &self.ranks_of(place as usize), need)
        });
        let others = candidates.iter().map(|&(_, place)| self.class(place));
        let others: Vec<ClassNo> = others.collect();
        if !others.is_empty() {
            judge(class, &others, &mut related.made);
        }
        related.spent.verdicts += stopwatch.lap();
    }
}

/// The lists of all keys that two classes or more hold, rarest first, which of these keys are common, and the number of the first that is
/// crowded. Each list has the places of its classes, ascending.
fn lists(
    sketches: &Sketches,
    of: &[SketchNo],
    place_of: &[u32],
    crowd: usize,
    is_common: &dyn Fn(u64) -> bool,
) -> Result<(Rows<u32>, Vec<bool>, u32)> {
    let memory = sketches.memory();
    // Sketch by sketch the places of its classes.
    let mut ends = vec![0u32; sketches.len() + 1];
    of.iter().for_each(|sketch| ends[sketch.at() + 1] += 1);
    for at in 1..ends.len() {
        ends[at] += ends[at - 1];
    }
    let mut holders = vec![0u32; of.len()];
    for (sketch, &place) in of.iter().zip(place_of) {
        let at = &mut ends[sketch.at()];
        holders[*at as usize] = place;
        *at += 1;
    }
    // Each start has become the end.
    let places = |number: SketchNo| {
        let start = number.at().checked_sub(1).map_or(0, |before| ends[before]);
        holders[start as usize..ends[number.at()] as usize].iter()
    };
    let weight = |number| places(number).len() as u64;
    let keys = SharedKeys::of(sketches, weight, 1, |number| places(number).copied())?;
    // The lists in the order of keys, which of these are common, and which lists are the rarest.
    let (mut by_key, mut is_common_key) = (Rows::new(memory), Vec::new());
    let mut order = Sorter::new(memory);
    keys.each(|key, list| {
        if list.len() > 1 {
            order.push([list.len() as u32, by_key.len() as u32])?;
            is_common_key.push(is_common(key));
            by_key.push(list)?;
        }
        Ok(())
    })?;
    let (mut lists, mut common, mut crowded) = (Rows::new(memory), Vec::new(), 0);
    for [length, number] in order.finish()? {
        crowded += u32::from(length as usize <= crowd);
        common.push(is_common_key[number as usize]);
        lists.push(&by_key.get(number as usize))?;
    }
    Ok((lists, common, crowded))
}

/// True if two ascending lists share at least `need` values. Gives up as soon as that is out of reach.
fn shares(a: &[u32], b: &[u32], mut need: usize) -> bool {
    let (mut i, mut j) = (0, 0);
    while need > 0 {
        if a.len() - i < need || b.len() - j < need {
            return false;
        }
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, need) = (i + 1, j + 1, need - 1),
        }
    }
    true
}
