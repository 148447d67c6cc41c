//! The join: finds pairs of similar sketches without comparing all pairs.
//!
//! CCDet counts each pair of every posting list, which is quadratic in the length of a list. Here only pairs that can still be related are
//! counted. If the smaller sketch of a pair has n keys and size s, the pair must share `overlap(s)` of them, so at least one of *any* n −
//! overlap(s) + 1 keys. So the smaller sketch looks up only its rarest n − overlap(s) + 1 keys (its prefix), in the full lists of all
//! larger ones, up to the largest size that the method can relate to it. This is prefix filtering; it is one-sided because containment
//! divides by the smaller page.
//!
//! The posting lists of keys that very many sketches have would still be quadratic. These *heavy* keys are not looked up here but in
//! [`super::heavy_keys`], which finds large families without listing all their pairs.

use std::borrow::Cow;
use std::cmp::Reverse;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::ids::{GroupNo, SketchNo};
use crate::ordered::in_order;
use crate::sketch::{Bounds, SharedKeys, SketchRef, Sketches};
use crate::spent::{Spent, Stopwatch};
use crate::spill::{Row, Sorter, SpillRows};
use crate::watch::Watch;

/// The result of a join.
#[derive(Debug)]
pub struct Joined<T> {
    /// The results of `judge`, unless they were passed on.
    pub made: Vec<T>,
    /// The number of candidates: pairs that share a key of the smaller one's prefix.
    pub candidates: u64,
    /// The time it took.
    pub spent: Spent,
}

impl<T> Default for Joined<T> {
    fn default() -> Self {
        Joined {
            made: Vec::new(),
            candidates: 0,
            spent: Spent::default(),
        }
    }
}

/// Runs the join without heavy keys: passes every pair of different sketches that shares a key and is within `bounds` to `judge`, the
/// smaller number first, and returns the results.
pub fn related_pairs<T: Send>(
    sketches: &Sketches,
    size: impl Fn(&[u64]) -> usize + Sync,
    bounds: impl Fn(usize) -> Bounds + Sync,
    watch: &dyn Watch,
    judge: impl Fn(SketchNo, SketchNo, &mut Vec<T>) + Sync,
) -> Result<Joined<T>> {
    let each: Vec<SketchNo> = SketchNo::first(sketches.len()).collect();
    let judge = |group: GroupNo, others: &[GroupNo], made: &mut Vec<T>| {
        for &other in others {
            let (a, b) = (group.min(other), group.max(other));
            judge(SketchNo(a.0), SketchNo(b.0), made);
        }
    };
    let traits = Traits {
        size: &size,
        needs_distinctive: &|_| None,
        is_common: &|_| false,
        parts: None,
    };
    let join = Join::build(sketches, &each, usize::MAX, &traits)?;
    let mut found = Joined::default();
    join.pairs(
        0,
        bounds,
        |_, _| true,
        watch,
        judge,
        |_, piece| {
            found.made.append(&mut piece.made);
            found.candidates += piece.candidates;
            found.spent += piece.spent;
            Ok(())
        },
    )?;
    Ok(found)
}

/// What the join must know about sketches.
pub struct Traits<'a> {
    /// The size of a sketch, from its keys.
    pub size: &'a (dyn Fn(&[u64]) -> usize + Sync),
    /// If this returns n, the sketch is related to sketches of its size or larger only if they share a key that is not common, or at least
    /// n keys.
    pub needs_distinctive: &'a (dyn Fn(SketchRef<'_>) -> Option<usize> + Sync),
    /// Whether a key is common.
    pub is_common: &'a dyn Fn(u64) -> bool,
    /// Splits groups so that filters exclude all pairs between parts, if there are filters.
    #[allow(clippy::type_complexity)]
    pub parts: Option<&'a dyn Fn(Vec<GroupNo>) -> Vec<Vec<GroupNo>>>,
}

/// The inverted index: groups in order of size, with their shared keys as ranks, rarest first.
#[derive(Debug)]
pub struct Join {
    /// The size at each place.
    sizes: Vec<u32>,
    /// [`Traits::needs_distinctive`] at each place; 0 stands for `None`.
    needs_distinctive: Vec<u32>,
    /// The group at each place; places ascend by size, then by group number.
    order: Vec<GroupNo>,
    place_of: Vec<u32>,
    /// The ranks of the shared keys at each place, ascending: rank 0 is the rarest key.
    ranks: SpillRows<u32>,
    /// The places that have each rank, ascending.
    places: SpillRows<u32>,
    /// Whether the key of each rank is common.
    common: Vec<bool>,
    /// Ranks from here on belong to heavy keys.
    first_heavy: u32,
    /// The longest list of a key that is not heavy.
    heavy_above: usize,
}

/// The most candidates of a group if keys can be heavy. Those that share most prefix keys come first, then those nearest in size. A group
/// with more candidates has hardly any rare keys.
const CANDIDATES: usize = 2000;

/// For how many groups one thread finds pairs before they are passed on.
const PIECE: usize = 64;

impl Join {
    /// Indexes groups by their sketches; a key that more than `heavy_above` groups have is heavy. Time O(n log n) in the number of keys.
    /// Memory: 16 bytes per group, 2 per shared key, and 8 per posting of a shared key (or temporary files).
    ///
    /// Errors: a temporary file cannot be written.
    pub fn build(
        sketches: &Sketches,
        of: &[SketchNo],
        heavy_above: usize,
        traits: &Traits<'_>,
    ) -> Result<Join> {
        let of_sketch: Vec<(u32, u32)> = sketches.map(|sketch| {
            let size = (traits.size)(sketch.keys) as u32;
            let needs = (traits.needs_distinctive)(sketch);
            let needs = needs.map_or(0, |keys| u32::try_from(keys.max(1)).unwrap_or(u32::MAX));
            (size, needs)
        })?;
        let of_group = |group: GroupNo| of_sketch[of[group.at()].at()];
        let mut order: Vec<GroupNo> = GroupNo::first(of.len()).collect();
        order.par_sort_unstable_by_key(|&group| (of_group(group).0, group));
        let mut place_of = vec![0u32; order.len()];
        for (place, &group) in (0u32..).zip(&order) {
            place_of[group.at()] = place;
        }
        let (sizes, needs_distinctive) = order.iter().map(|&group| of_group(group)).unzip();
        drop(of_sketch);
        let (places, common, first_heavy) =
            lists(sketches, of, &order, &place_of, heavy_above, traits)?;
        Ok(Join {
            sizes,
            needs_distinctive,
            ranks: places.inverted(order.len())?,
            order,
            place_of,
            places,
            common,
            first_heavy,
            heavy_above,
        })
    }

    /// Passes every pair of groups that is within `bounds` and shares a key of the smaller one's prefix that is not heavy to `judge`,
    /// grouped by the smaller one. Results go to `take`, piece by piece, with the number of finished pieces; the first `done` pieces are
    /// skipped. `bounds` gets the size of the smaller group.
    ///
    /// Without heavy keys these are the same pairs as in an all-pairs comparison (tested against it). Each comes once; their order does not
    /// depend on threads. For each group as the smaller one, at most 2,000 candidates are compared, or `heavy_above` if that is more.
    pub fn pairs<T: Send>(
        &self,
        mut done: usize,
        bounds: impl Fn(usize) -> Bounds + Sync,
        may_compare: impl Fn(GroupNo, GroupNo) -> bool + Sync,
        watch: &dyn Watch,
        judge: impl Fn(GroupNo, &[GroupNo], &mut Vec<T>) + Sync,
        mut take: impl FnMut(usize, &mut Joined<T>) -> Result<()>,
    ) -> Result<()> {
        let piece = |start: usize| {
            let mut stopwatch = Stopwatch::start();
            let (mut piece, mut hits) = (Joined::default(), Vec::new());
            for place in (start..self.order.len()).take(PIECE) {
                if watch.cancelled() {
                    return Err(Error::Cancelled);
                }
                self.partners(place, &bounds, &may_compare, &mut hits, &mut piece, &judge);
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

    pub(super) fn group(&self, place: u32) -> GroupNo {
        self.order[place as usize]
    }

    pub(super) fn place(&self, group: GroupNo) -> u32 {
        self.place_of[group.at()]
    }

    /// The number of groups.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The ranks of the shared keys of the group at a place, ascending.
    pub(super) fn ranks_of(&self, place: usize) -> Row<'_, u32> {
        self.ranks.get(place)
    }

    /// The posting list of a rank: places, ascending.
    pub(super) fn list(&self, rank: u32) -> Row<'_, u32> {
        self.places.get(rank as usize)
    }

    pub(super) fn length(&self, rank: u32) -> usize {
        self.places.count(rank as usize)
    }

    /// The first rank of a heavy key.
    pub(super) fn first_heavy(&self) -> u32 {
        self.first_heavy
    }

    /// The number of heavy keys; they are the last.
    pub(super) fn heavy_count(&self) -> usize {
        self.places.len() - self.first_heavy as usize
    }

    /// Where heavy keys begin among these ranks.
    pub(super) fn heavy_from(&self, ranks: &[u32]) -> usize {
        ranks.partition_point(|&rank| rank < self.first_heavy)
    }

    /// The prefix of the group at a place, given its ranks: those that are not heavy, and those that are. If the group [needs distinctive
    /// keys](Traits::needs_distinctive), its prefix has common keys only if it has few others.
    pub(super) fn prefix<'r>(
        &self,
        place: usize,
        ranks: &'r [u32],
        bounds: &impl Fn(usize) -> Bounds,
    ) -> [Cow<'r, [u32]>; 2] {
        let need = bounds(self.size(place)).overlap.max(1);
        // Keys of no other group are the rarest: they fill the prefix first.
        let length = |count: usize, need: usize| (count + 1).saturating_sub(need).min(count);
        let without_distinctive = self.needs_distinctive[place] as usize;
        if without_distinctive == 0 {
            let prefix = &ranks[..length(ranks.len(), need)];
            let (light, heavy) = prefix.split_at(self.heavy_from(prefix));
            return [light, heavy].map(Cow::Borrowed);
        }
        let is_distinctive = |rank: &u32| !self.common[*rank as usize];
        let distinctive = ranks.iter().copied().filter(is_distinctive).count();
        let common = ranks.len() - distinctive;
        // All common keys may be among the shared ones.
        let mut left = length(distinctive, need.saturating_sub(common).max(1));
        // If more keys are shared than there are common ones, one of them is distinctive.
        let any = match without_distinctive > common {
            true => 0,
            false => length(ranks.len(), without_distinctive),
        };
        let is_looked_up = |(at, rank): &(usize, &u32)| {
            let is_one = is_distinctive(rank) && left > 0;
            left -= usize::from(is_one);
            is_one || *at < any
        };
        let ranks = ranks.iter().enumerate().filter(is_looked_up);
        let mut light: Vec<u32> = ranks.map(|(_, rank)| *rank).collect();
        let heavy = light.split_off(self.heavy_from(&light));
        [light, heavy].map(Cow::Owned)
    }

    /// Whether the group at a place and another one are within bounds by their heavy keys alone. (Otherwise the smaller one shares another
    /// key, and [`Join::pairs`] has found the pair.) If the smaller one needs distinctive keys, all keys count.
    pub(super) fn is_within(
        &self,
        place: u32,
        ranks: &[u32],
        heavy: &[u32],
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
        match self.needs_distinctive[small as usize] {
            1.. => shares(ranks, &others, overlap.max(1)),
            0 => shares(heavy, &others[self.heavy_from(&others)..], overlap.max(1)),
        }
    }

    /// Judges the pairs within bounds with the group at `place` as the smaller one.
    fn partners<T>(
        &self,
        place: usize,
        bounds: &impl Fn(usize) -> Bounds,
        may_compare: &impl Fn(GroupNo, GroupNo) -> bool,
        hits: &mut Vec<u32>,
        related: &mut Joined<T>,
        judge: &impl Fn(GroupNo, &[GroupNo], &mut Vec<T>),
    ) {
        let group = self.order[place];
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
        hits.retain(|&other| may_compare(group, self.group(other)));
        if hits.is_empty() {
            return;
        }
        hits.sort_unstable();
        // The clock is read once per group: reading it for each candidate would cost more than some verdicts.
        let mut stopwatch = Stopwatch::start();
        let rest = match &looked_up {
            Cow::Borrowed(looked_up) => Cow::Borrowed(&ranks[looked_up.len()..]),
            Cow::Owned(looked_up) => {
                let is_left = |rank: &u32| looked_up.binary_search(rank).is_err();
                Cow::Owned(ranks.iter().copied().filter(is_left).collect())
            }
        };
        let mut candidates = candidates(hits, CANDIDATES.max(self.heavy_above));
        hits.clear();
        related.candidates += candidates.len() as u64;
        candidates.retain(|&(hits, place)| {
            let need = overlap.max(1).saturating_sub(hits);
            shares(&rest, &self.ranks_of(place as usize), need)
        });
        let others = candidates.iter().map(|&(_, place)| self.group(place));
        let others: Vec<GroupNo> = others.collect();
        if !others.is_empty() {
            judge(group, &others, &mut related.made);
        }
        related.spent.verdicts += stopwatch.lap();
    }
}

/// The places in ascending `hits`, each with the number of its hits; if there are more than `most`, those with the most hits, then the
/// lowest.
fn candidates(hits: &[u32], most: usize) -> Vec<(usize, u32)> {
    let runs = hits.chunk_by(|a, b| a == b);
    let mut candidates: Vec<(usize, u32)> = runs.map(|run| (run.len(), run[0])).collect();
    if candidates.len() > most {
        candidates.select_nth_unstable_by_key(most, |&(hits, place)| (Reverse(hits), place));
        candidates.truncate(most);
    }
    candidates
}

/// The lists of keys that at least two groups have, rarest first, which of these keys are common, and the index of the first heavy one.
/// Each list has the places of its groups, ascending.
fn lists(
    sketches: &Sketches,
    of: &[SketchNo],
    order: &[GroupNo],
    place_of: &[u32],
    heavy_above: usize,
    traits: &Traits<'_>,
) -> Result<(SpillRows<u32>, Vec<bool>, u32)> {
    let memory = sketches.memory();
    // The places of the groups of each sketch.
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
    // The lists in the order of keys, which of these are common, and the lists ordered by rarity.
    let (mut by_key, mut is_common_key) = (SpillRows::new(memory), Vec::new());
    let mut rarest = Sorter::new(memory);
    keys.each(|key, list| {
        let mut push = |list: &[u32]| {
            if list.len() > 1 {
                rarest.push([list.len() as u32, by_key.len() as u32])?;
                is_common_key.push((traits.is_common)(key));
                by_key.push(list)?;
            }
            Ok(())
        };
        let Some(parts) = traits.parts else {
            return push(list);
        };
        let groups = list.iter().map(|&place| order[place as usize]);
        for part in parts(groups.collect()) {
            let mut places: Vec<u32> = part.iter().map(|group| place_of[group.at()]).collect();
            places.sort_unstable();
            push(&places)?;
        }
        Ok(())
    })?;
    let (mut lists, mut common, mut first_heavy) = (SpillRows::new(memory), Vec::new(), 0);
    for [length, number] in rarest.finish()? {
        first_heavy += u32::from(length as usize <= heavy_above);
        common.push(is_common_key[number as usize]);
        lists.push(&by_key.get(number as usize))?;
    }
    Ok((lists, common, first_heavy))
}

/// True if two ascending lists share at least `need` values. Stops as soon as that is impossible.
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
