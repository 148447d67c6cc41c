//! Pairs that are checked before anything is decided.
//!
//! Pages are decided upon in the order of preference, which tears families apart: what the pages of one need, sketches and proofs, is
//! needed again for each of them, between those of all other families. So of classes whose lists are short, which have to
//! look at all that stands on them, the pairs are checked first, [family after family](Families::side_by_side), so that what they need
//! is at hand. Members of larger families, most of which need not look at all, are left for their turn.

use rayon::prelude::*;

use super::components::joined;
use super::families::{Families, Near, Truth, likely};
use super::likely::Likely;
use super::parts::Parts;
use crate::cluster::Pair;
use crate::error::{Error, Result};
use crate::ids::ClassNo;
use crate::index::Crowds;
use crate::sketch::Bounds;
use crate::spill::{Held, Sorter};

/// Classes that look at the same time.
const TOGETHER: usize = 512;

/// Similarity, as sketches see it, of classes that are taken to be of one family. A lower one puts families together that have a
/// template in common.
const KIN: f32 = 0.8;

/// What was checked ahead.
pub(super) struct Ahead {
    /// Class -> whether all its pairs were checked.
    pub(super) is_done: Vec<bool>,
    /// Pairs of classes that crowded lists proposed.
    pub(super) candidates: u64,
    /// The pairs that hold, of those classes and of the others in them; each once, and those of a family beside each other.
    pairs: Held<[u32; 6]>,
    /// The components that they make.
    parts: Parts,
}

/// What a class found.
struct Found {
    class: ClassNo,
    /// Its pairs.
    pairs: Vec<Pair>,
    /// The other class of each.
    others: Vec<ClassNo>,
    /// Pairs that crowded lists proposed.
    candidates: usize,
}

impl Families<'_> {
    /// These classes, those of a family side by side, by what sketches tell: near pairs, and these that were found in crowded lists. So
    /// sketches and proofs that a family needs are held in the caches, and in memory, for it and for none else; in the order of their
    /// numbers, families of a few hundred pages are visited in as many places as their pages have least keys.
    pub(super) fn side_by_side(&self, classes: &[ClassNo], found: Vec<Pair>) -> Vec<ClassNo> {
        let mut parts = Parts::new(self.classes);
        let mut join = |pairs: Vec<Pair>| {
            for pair in pairs.iter().filter(|pair| pair.similarity >= KIN) {
                parts.join(self.classes.of(pair.a), self.classes.of(pair.b));
            }
        };
        join(found);
        classes.iter().for_each(|&class| join(self.near.of(class)));
        let family = |&class: &ClassNo| (parts.root(class), class);
        let mut ordered: Vec<(ClassNo, ClassNo)> = classes.par_iter().map(family).collect();
        ordered.par_sort_unstable();
        ordered.into_iter().map(|(_, class)| class).collect()
    }

    /// Checks the pairs of those of these classes whose lists are short, in this order.
    ///
    /// Errors: a temporary file cannot be written, and the run was cancelled.
    pub(super) fn ahead(
        &self,
        classes: &[ClassNo],
        crowds: &mut Crowds<'_>,
        bounds: &(impl Fn(usize) -> Bounds + Sync),
        truth: &Truth<'_>,
    ) -> Result<Ahead> {
        let mut is_done = vec![false; self.classes.len()];
        let looks = |&class: &ClassNo| {
            let longest = crowds.longest(class);
            longest <= self.limit && (longest > 0 || self.near.has(class))
        };
        let looking: Vec<ClassNo> = classes.par_iter().copied().filter(looks).collect();
        looking.iter().for_each(|class| is_done[class.at()] = true);
        self.watch.begin("pairs of families", looking.len() as u64);
        let (mut pairs, mut parts) = (Held::new(self.memory), Parts::new(self.classes));
        let mut put = |found: &Found| -> Result<()> {
            for (pair, &other) in found.pairs.iter().zip(&found.others) {
                pairs.push(pair.to_numbers())?;
                parts.join(found.class, other);
            }
            Ok(())
        };
        let (mut before, mut candidates): (Vec<Found>, u64) = (Vec::new(), 0);
        for looking in looking.chunks(TOGETHER) {
            if self.watch.cancelled() {
                return Err(Error::Cancelled);
            }
            // Of two of them the one that is preferred looks for both.
            let look = |&class: &ClassNo| {
                let place = self.place(class);
                let is_wanted = |other: ClassNo| self.place(other) > place || !is_done[other.at()];
                self.held(class, is_wanted, &*crowds, bounds, truth)
            };
            // What was found last is put down meanwhile.
            let (found, put): (Vec<Found>, Result<()>) = rayon::join(
                || looking.par_iter().map(look).collect(),
                || before.iter().try_for_each(&mut put),
            );
            put?;
            for found in &found {
                candidates += found.candidates as u64;
                crowds.looked_ahead(found.class, &found.others);
            }
            before = found;
            self.watch.advance(looking.len() as u64);
        }
        before.iter().try_for_each(put)?;
        Ok(Ahead {
            is_done,
            candidates,
            pairs,
            parts,
        })
    }

    /// Takes those `classes` out that need no visit: of their component all pairs were checked ahead, and it is not large, so all its
    /// pairs are listed, and decide. These are added to `pairs` and join `parts`. Returns the pairs of the others, by the
    /// [places](Families::place) of classes.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn settle(
        &self,
        ahead: Ahead,
        classes: &mut Vec<ClassNo>,
        (pairs, parts): (&mut Held<[u32; 6]>, &mut Parts),
    ) -> Result<Near> {
        let mut looks = vec![false; self.classes.len()];
        for &class in classes.iter().filter(|class| !ahead.is_done[class.at()]) {
            looks[ahead.parts.root(class).at()] = true;
        }
        let is_settled = |class: ClassNo| {
            let root = ahead.parts.root(class);
            !looks[root.at()] && ahead.parts.size(root) <= self.limit
        };
        let mut others = Sorter::new(self.memory);
        let split = |all: &[[u32; 6]]| {
            let (mut settled, mut others) = (Vec::new(), Vec::new());
            for &numbers in all {
                let pair = Pair::from_numbers(numbers);
                let [a, b] = [pair.a, pair.b].map(|page| self.classes.of(page));
                if is_settled(a) {
                    settled.push(numbers);
                } else {
                    others.push(joined([self.place(a), b.0], numbers));
                    others.push(joined([self.place(b), a.0], numbers));
                }
            }
            (settled, others)
        };
        ahead.pairs.made(split, |(settled, of_others)| {
            pairs.extend(settled)?;
            others.extend(of_others)
        })?;
        classes.retain(|&class| {
            let settled = is_settled(class);
            if settled {
                parts.join(class, ahead.parts.root(class));
            }
            !settled
        });
        Near::new(others, self.memory)
    }

    /// The pairs of a class with those that are wanted, as far as they hold.
    fn held(
        &self,
        class: ClassNo,
        is_wanted: impl Fn(ClassNo) -> bool,
        crowds: &Crowds<'_>,
        bounds: &impl Fn(usize) -> Bounds,
        truth: &Truth<'_>,
    ) -> Found {
        let is_wanted = |other| is_wanted(other) && self.may_be_related(other, class);
        let mut near = self.near.of(class);
        let known: Vec<ClassNo> = near.iter().map(|pair| self.other(class, pair)).collect();
        let crowded = crowds.candidates(class, bounds, |other, is_within| {
            is_wanted(other) && is_within() && known.binary_search(&other).is_err()
        });
        near.retain(|pair| is_wanted(self.other(class, pair)));
        let mut held: Vec<Pair> = truth(&near).into_iter().flatten().collect();
        let asked = self.judge.asking(class);
        held.extend(likely(Likely::new(&asked, &crowded), truth));
        let others = held.iter().map(|pair| self.other(class, pair));
        Found {
            class,
            others: others.collect(),
            pairs: held,
            candidates: crowded.len(),
        }
    }
}
