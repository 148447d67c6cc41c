//! Related pairs of sketches, without comparing all pairs.
//!
//! METHODS §1.4 counts one for every pair of every posting list. That is quadratic in the length of a list, so the
//! count is made only for pairs that can still be related: a pair of which the smaller sketch has n keys must share
//! `overlap(n)` of them, hence at least one of *any* n − overlap(n) + 1 keys of the smaller one. The smaller sketch
//! therefore looks up its rarest n − overlap(n) + 1 keys only (its prefix), in the full lists of all larger ones, up to
//! the size that the method says it can reach.

use rayon::prelude::*;

use super::postings::Postings;
use super::store::Sketches;
use crate::error::{Error, Result};
use crate::ids::SketchNo;
use crate::sketch::Bounds;
use crate::spent::{Spent, Stopwatch};
use crate::watch::Watch;

/// What [`related_pairs`] found.
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
/// first, and returns what that made of them. `bounds` is asked with the number of keys of the smaller sketch.
///
/// The same pairs as asking all with all (tested against exactly that), each once; their order does not depend on
/// threads. Memory: 8 bytes a posting of a shared key, 4 bytes a sketch and thread, and what `judge` makes.
pub fn related_pairs<T: Send>(
    sketches: &Sketches,
    bounds: impl Fn(usize) -> Bounds + Sync,
    watch: &dyn Watch,
    judge: impl Fn(SketchNo, SketchNo, &mut Vec<T>) + Sync,
) -> Result<Related<T>> {
    let mut stopwatch = Stopwatch::start();
    let index = Ranked::build(sketches);
    let building = stopwatch.lap();
    // Each piece of work has a counter of its own: few and large pieces.
    let piece = (index.order.len() / (8 * rayon::current_num_threads())).max(256);
    let pieces: Vec<Related<T>> = (0..index.order.len().div_ceil(piece))
        .into_par_iter()
        .map(|number| {
            let mut stopwatch = Stopwatch::start();
            let mut counter = Counter::new(index.order.len());
            let mut piece_of = Related::default();
            for place in (number * piece..index.order.len()).take(piece) {
                if watch.cancelled() {
                    return Err(Error::Cancelled);
                }
                index.partners(place, &bounds, &mut counter, &mut piece_of, &judge);
                watch.advance(1);
            }
            piece_of.spent.candidates = stopwatch.lap().saturating_sub(piece_of.spent.verdicts);
            Ok(piece_of)
        })
        .collect::<Result<_>>()?;
    drop(index);
    let mut all = Related::default();
    all.spent.candidates = building;
    all.made
        .reserve(pieces.iter().map(|piece| piece.made.len()).sum());
    for piece in pieces {
        all.made.extend(piece.made);
        all.candidates += piece.candidates;
        all.spent += piece.spent;
    }
    Ok(all)
}

/// The index that pair counting needs: sketches in order of size, their shared keys as ranks, rarest first.
struct Ranked<'a> {
    sketches: &'a Sketches,
    /// Place -> sketch; places ascend by number of keys, then by number.
    order: Vec<SketchNo>,
    /// Place -> end of its ranks in `ranks`.
    ends: Vec<usize>,
    /// The ranks of a sketch's shared keys, ascending: rank 0 is the rarest key.
    ranks: Vec<u32>,
    /// Rank -> end of its places in `places`.
    list_ends: Vec<usize>,
    /// The places that hold a rank, ascending.
    places: Vec<u32>,
}

impl<'a> Ranked<'a> {
    fn build(sketches: &'a Sketches) -> Ranked<'a> {
        let postings = Postings::build(sketches);
        let mut order: Vec<SketchNo> = SketchNo::first(sketches.len()).collect();
        order.par_sort_unstable_by_key(|&number| (sketches.get(number).keys.len(), number));
        let mut place_of = vec![0u32; order.len()];
        for (place, &number) in order.iter().enumerate() {
            place_of[number.at()] = place as u32;
        }
        let mut by_rarity: Vec<u32> = (0..postings.len() as u32).collect();
        by_rarity.par_sort_unstable_by_key(|&at| (postings.at(at as usize).1.len(), at));

        let (mut places, mut list_ends) = (Vec::with_capacity(postings.total()), Vec::new());
        let mut counts = vec![0usize; order.len() + 1];
        for &at in &by_rarity {
            let start = places.len();
            places.extend(postings.at(at as usize).1.iter().map(|&n| place_of[n.at()]));
            places[start..].sort_unstable();
            places[start..]
                .iter()
                .for_each(|&place| counts[place as usize + 1] += 1);
            list_ends.push(places.len());
        }
        drop(postings);
        let (ranks, ends) = invert(&places, &list_ends, counts);
        Ranked {
            sketches,
            order,
            ends,
            ranks,
            list_ends,
            places,
        }
    }

    fn ranks_of(&self, place: usize) -> &[u32] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.ranks[start..self.ends[place]]
    }

    fn list(&self, rank: u32) -> &[u32] {
        let rank = rank as usize;
        let start = if rank == 0 {
            0
        } else {
            self.list_ends[rank - 1]
        };
        &self.places[start..self.list_ends[rank]]
    }

    /// Judges the pairs within bounds in which the sketch at `place` is the smaller one.
    fn partners<T>(
        &self,
        place: usize,
        bounds: &impl Fn(usize) -> Bounds,
        counter: &mut Counter,
        related: &mut Related<T>,
        judge: &impl Fn(SketchNo, SketchNo, &mut Vec<T>),
    ) {
        let number = self.order[place];
        let ranks = self.ranks_of(place);
        let keys = |number: SketchNo| self.sketches.get(number).keys.len();
        let Bounds { overlap, reach } = bounds(keys(number));
        let need = overlap.max(1);
        // Places ascend by number of keys.
        let end = self.order.partition_point(|&other| keys(other) <= reach);
        // Keys that no other sketch holds are the rarest of all: they fill the prefix first.
        let prefix = (ranks.len() + 1).saturating_sub(need);
        for &rank in &ranks[..prefix] {
            let list = self.list(rank);
            let larger = list.partition_point(|&other| other as usize <= place);
            let within = list.partition_point(|&other| (other as usize) < end);
            let partners = list.get(larger..within).unwrap_or_default();
            partners.iter().for_each(|&other| counter.add(other));
        }
        if counter.touched.is_empty() {
            return;
        }
        related.candidates += counter.touched.len() as u64;
        // One look at the clock for all candidates of a sketch: for each it would cost more than some verdicts.
        let mut stopwatch = Stopwatch::start();
        for (other, count) in counter.drain() {
            let rest = &ranks[prefix..];
            if !shares(
                rest,
                self.ranks_of(other as usize),
                need.saturating_sub(count as usize),
            ) {
                continue;
            }
            let other = self.order[other as usize];
            let (a, b) = (number.min(other), number.max(other));
            judge(a, b, &mut related.made);
        }
        related.spent.verdicts += stopwatch.lap();
    }
}

/// From rank -> places to place -> ranks. `counts[p + 1]` is the number of ranks of place p.
fn invert(places: &[u32], list_ends: &[usize], mut counts: Vec<usize>) -> (Vec<u32>, Vec<usize>) {
    for place in 1..counts.len() {
        counts[place] += counts[place - 1];
    }
    let mut ranks = vec![0u32; places.len()];
    let mut next = counts;
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

/// Counts per place, cleared in the time that it took to fill.
struct Counter {
    counts: Vec<u32>,
    touched: Vec<u32>,
}

impl Counter {
    fn new(places: usize) -> Counter {
        Counter {
            counts: vec![0; places],
            touched: Vec::new(),
        }
    }

    fn add(&mut self, place: u32) {
        let count = &mut self.counts[place as usize];
        if *count == 0 {
            self.touched.push(place);
        }
        *count += 1;
    }

    fn drain(&mut self) -> impl Iterator<Item = (u32, u32)> {
        let counts = &mut self.counts;
        self.touched
            .drain(..)
            .map(|place| (place, std::mem::take(&mut counts[place as usize])))
    }
}
