//! Related pairs of sketches, without comparing all pairs.
//!
//! METHODS §1.4 counts one for every pair of every posting list. That is quadratic in the length of a list, so the
//! count is made only for pairs that can still be related: a pair of which the smaller sketch has n keys must share
//! `overlap(n)` of them, hence at least one of *any* n − overlap(n) + 1 keys of the smaller one. The smaller sketch
//! therefore looks up its rarest n − overlap(n) + 1 keys only (its prefix), in the full lists of all larger ones, up to
//! the size that the method says it can reach.
//!
//! What is left is quadratic in the lists of keys that very many sketches have. These, the *crowded* keys, are not looked up
//! here but in [`super::Crowds`], which finds large families without listing all their pairs.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::store::Sketches;
use crate::error::{Error, Result};
use crate::ids::{ClassNo, SketchNo};
use crate::sketch::Bounds;
use crate::spent::{Spent, Stopwatch};
use crate::watch::Watch;

/// What [`Join::pairs`] found.
#[derive(Debug)]
pub struct Related<T> {
    /// What was made of the pairs.
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
    bounds: impl Fn(usize) -> Bounds + Sync,
    watch: &dyn Watch,
    judge: impl Fn(SketchNo, SketchNo, &mut Vec<T>) + Sync,
) -> Result<Related<T>> {
    let each: Vec<SketchNo> = SketchNo::first(sketches.len()).collect();
    Join::build(sketches, &each, usize::MAX).pairs(bounds, watch, |a, b, made| {
        judge(SketchNo(a.0), SketchNo(b.0), made);
    })
}

/// The inverted index that pair counting needs: classes in order of size, their shared keys as ranks, rarest first.
#[derive(Debug)]
pub struct Join {
    /// Place -> number of keys.
    sizes: Vec<u32>,
    /// Place -> class; places ascend by number of keys, then by number.
    order: Vec<ClassNo>,
    /// Class -> place.
    pub(super) place_of: Vec<u32>,
    /// Place -> end of its ranks in `ranks`.
    ends: Vec<usize>,
    /// The ranks of the shared keys at a place, ascending: rank 0 is the rarest key.
    ranks: Vec<u32>,
    /// Rank -> end of its places in `places`.
    list_ends: Vec<usize>,
    /// The places that hold a rank, ascending.
    places: Vec<u32>,
    /// This rank and all that follow are crowded.
    pub(super) crowded: u32,
    /// The longest list that is not crowded.
    crowd: usize,
}

/// Keys are split by their leading bits. Each part is gathered and sorted on its own, so that only as many parts as
/// there are threads are ever held as (key, place) runs.
const PART_BITS: u32 = 6;

/// Candidates of a class at the most, where keys can be crowded; those that share most keys of its prefix come first, then
/// those of its size. A class with more has next to no keys of its own.
const CANDIDATES: usize = 2000;

/// The lists of a part of all keys: the places, and for each list its key and its end.
#[derive(Default)]
struct Part {
    places: Vec<u32>,
    lists: Vec<(u64, usize)>,
}

impl Join {
    /// Indexes classes, given the sketch of each; a key that more than `crowd` of them have is crowded. Time O(n log n) in
    /// the number of keys, on all threads; the result does not depend on them. Memory: 8 bytes a posting of a shared key.
    pub fn build(sketches: &Sketches, of: &[SketchNo], crowd: usize) -> Join {
        let keys = |class: ClassNo| sketches.get(of[class.at()]).keys;
        let mut order: Vec<ClassNo> = ClassNo::first(of.len()).collect();
        order.par_sort_unstable_by_key(|&class| (keys(class).len(), class));
        let mut place_of = vec![0u32; order.len()];
        for (place, &class) in (0u32..).zip(&order) {
            place_of[class.at()] = place;
        }
        let parts: Vec<Part> = (0..1u64 << PART_BITS)
            .into_par_iter()
            .map(|part| Part::gather(&order, &keys, part))
            .collect();
        // (length, key, part, number in the part), rarest first.
        let mut lists: Vec<(u32, u64, u8, u32)> = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let mut start = 0;
            for (at, &(key, end)) in (0u32..).zip(&part.lists) {
                lists.push(((end - start) as u32, key, number as u8, at));
                start = end;
            }
        }
        lists.par_sort_unstable();
        let crowded = lists.partition_point(|list| list.0 as usize <= crowd);
        let total = parts.iter().map(|part| part.places.len()).sum();
        let (mut places, mut list_ends) = (Vec::with_capacity(total), Vec::new());
        for &(_, _, part, at) in &lists {
            places.extend_from_slice(parts[part as usize].list(at as usize));
            list_ends.push(places.len());
        }
        drop((parts, lists));
        let (ranks, ends) = invert(&places, &list_ends, order.len());
        let sizes = order.iter().map(|&class| keys(class).len() as u32);
        Join {
            sizes: sizes.collect(),
            order,
            place_of,
            ends,
            ranks,
            list_ends,
            places,
            crowded: crowded as u32,
            crowd,
        }
    }

    /// Hands every pair of classes that is within `bounds` and shares a key of the smaller one's prefix which is not crowded
    /// to `judge`, the smaller number first, and returns what that made of them. `bounds` is asked with the number of keys
    /// of the smaller one.
    ///
    /// If no key is crowded, these are the same pairs as asking all with all (tested against exactly that). Each comes once;
    /// their order does not depend on threads. Of the pairs in which a class is the smaller one, 2,000 candidates are looked at, or
    /// `crowd` if that is more.
    pub fn pairs<T: Send>(
        &self,
        bounds: impl Fn(usize) -> Bounds + Sync,
        watch: &dyn Watch,
        judge: impl Fn(ClassNo, ClassNo, &mut Vec<T>) + Sync,
    ) -> Result<Related<T>> {
        let piece = (self.order.len() / (16 * rayon::current_num_threads())).clamp(16, 4096);
        let pieces: Vec<Related<T>> = (0..self.order.len().div_ceil(piece))
            .into_par_iter()
            .map(|number| {
                let mut stopwatch = Stopwatch::start();
                let (mut piece_of, mut hits) = (Related::default(), Vec::new());
                for place in (number * piece..self.order.len()).take(piece) {
                    if watch.cancelled() {
                        return Err(Error::Cancelled);
                    }
                    self.partners(place, &bounds, &mut hits, &mut piece_of, &judge);
                    watch.advance(1);
                }
                piece_of.spent.candidates = stopwatch.lap().saturating_sub(piece_of.spent.verdicts);
                Ok(piece_of)
            })
            .collect::<Result<_>>()?;
        let mut all = Related::default();
        all.made
            .reserve(pieces.iter().map(|piece| piece.made.len()).sum());
        for piece in pieces {
            all.made.extend(piece.made);
            all.candidates += piece.candidates;
            all.spent += piece.spent;
        }
        Ok(all)
    }

    fn keys(&self, place: usize) -> usize {
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

    pub(super) fn ranks_of(&self, place: usize) -> &[u32] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.ranks[start..self.ends[place]]
    }

    pub(super) fn list(&self, rank: u32) -> &[u32] {
        let rank = rank as usize;
        let start = if rank == 0 {
            0
        } else {
            self.list_ends[rank - 1]
        };
        &self.places[start..self.list_ends[rank]]
    }

    /// The ranks in the prefix at a place: those that are not crowded, and those that are.
    pub(super) fn prefix(&self, place: usize, bounds: &impl Fn(usize) -> Bounds) -> [&[u32]; 2] {
        let ranks = self.ranks_of(place);
        let need = bounds(self.keys(place)).overlap.max(1);
        // Keys that no other class holds are the rarest of all: they fill the prefix first.
        let prefix = &ranks[..(ranks.len() + 1).saturating_sub(need)];
        let (free, crowded) = prefix.split_at(prefix.partition_point(|&rank| rank < self.crowded));
        [free, crowded]
    }

    /// The crowded ranks at a place.
    pub(super) fn crowded_of(&self, place: u32) -> &[u32] {
        let ranks = self.ranks_of(place as usize);
        &ranks[ranks.partition_point(|&rank| rank < self.crowded)..]
    }

    /// Whether the classes at two places are within bounds by their crowded keys alone; otherwise the smaller one shares
    /// one of its other keys, and [`Join::pairs`] has found the pair.
    pub(super) fn is_within(&self, x: u32, y: u32, bounds: &impl Fn(usize) -> Bounds) -> bool {
        // Places ascend by number of keys.
        let (small, large) = (x.min(y), x.max(y));
        let Bounds { overlap, reach } = bounds(self.keys(small as usize));
        let (a, b) = (self.crowded_of(small), self.crowded_of(large));
        self.keys(large as usize) <= reach && shares(a, b, overlap.max(1))
    }

    /// Judges the pairs within bounds in which the class at `place` is the smaller one.
    fn partners<T>(
        &self,
        place: usize,
        bounds: &impl Fn(usize) -> Bounds,
        hits: &mut Vec<u32>,
        related: &mut Related<T>,
        judge: &impl Fn(ClassNo, ClassNo, &mut Vec<T>),
    ) {
        let class = self.order[place];
        let Bounds { overlap, reach } = bounds(self.keys(place));
        let [looked_up, _] = self.prefix(place, bounds);
        let end = self.sizes.partition_point(|&keys| keys as usize <= reach);
        for &rank in looked_up {
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
        let rest = &self.ranks_of(place)[looked_up.len()..];
        let runs = hits.chunk_by(|a, b| a == b);
        let mut candidates: Vec<(usize, u32)> = runs.map(|run| (run.len(), run[0])).collect();
        hits.clear();
        let most = CANDIDATES.max(self.crowd);
        if candidates.len() > most {
            candidates.select_nth_unstable_by_key(most, |&(hits, place)| (Reverse(hits), place));
            candidates.truncate(most);
        }
        related.candidates += candidates.len() as u64;
        for (hits, place) in candidates {
            let need = overlap.max(1).saturating_sub(hits);
            if shares(rest, self.ranks_of(place as usize), need) {
                let other = self.class(place);
                judge(class.min(other), class.max(other), &mut related.made);
            }
        }
        related.spent.verdicts += stopwatch.lap();
    }
}

impl Part {
    /// The lists of the keys in a part that two classes or more hold, by key; places ascend.
    fn gather<'k>(order: &[ClassNo], keys: &impl Fn(ClassNo) -> &'k [u64], part: u64) -> Part {
        let in_part = |key: &u64| key >> (64 - PART_BITS);
        let mut run: Vec<(u64, u32)> = Vec::new();
        for (place, &class) in (0u32..).zip(order) {
            let keys = keys(class);
            let start = keys.partition_point(|key| in_part(key) < part);
            let keys = keys[start..].iter().take_while(|key| in_part(key) == part);
            run.extend(keys.map(|&key| (key, place)));
        }
        run.sort_unstable();
        let mut made = Part::default();
        for list in run
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|list| list.len() > 1)
        {
            made.places.extend(list.iter().map(|&(_, place)| place));
            made.lists.push((list[0].0, made.places.len()));
        }
        made
    }

    fn list(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.lists[at - 1].1 };
        &self.places[start..self.lists[at].1]
    }
}

/// From rank -> places to place -> ranks.
fn invert(places: &[u32], list_ends: &[usize], count: usize) -> (Vec<u32>, Vec<usize>) {
    let mut next = vec![0usize; count + 1];
    for &place in places {
        next[place as usize + 1] += 1;
    }
    for place in 1..next.len() {
        next[place] += next[place - 1];
    }
    let mut ranks = vec![0u32; places.len()];
    let mut start = 0;
    for (rank, &end) in list_ends.iter().enumerate() {
        for &place in &places[start..end] {
            let at = &mut next[place as usize];
            ranks[*at] = rank as u32;
            *at += 1;
        }
        start = end;
    }
    next.pop();
    (ranks, next)
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
