//! Which pages the texts are wanted of, and which crowded lists are templates': before any text is looked at, and by texts.

use rayon::prelude::*;

use super::families::{Families, Truth, next};
use super::likely::MANY;
use crate::cluster::Pair;
use crate::error::{Error, Result};
use crate::ids::ClassNo;
use crate::index::Crowds;
use crate::sketch::Bounds;

/// Classes that look at the same time, at the most: most find one at once, few look at all.
const ASKED: usize = 128;

/// Of the pairs sampled from a list one in so many has to hold: of those with the four smallest pages as many do if one of these is what
/// all others quote, and some pairs are missed.
const LIKELY: usize = 8;

impl<'a> Families<'a> {
    /// The classes of these that sketches relate to another on crowded lists, each found by or with one of them; those that look and find
    /// nobody are [alone](Families::alone). Lists that nobody finds anybody on are closed.
    pub(super) fn doubtful(
        &mut self,
        mut classes: Vec<ClassNo>,
        crowds: &mut Crowds<'a>,
        bounds: &(impl Fn(usize) -> Bounds + Sync),
    ) -> Result<Vec<Pair>> {
        let all = ClassNo::first(self.classes.len());
        let mut is_known: Vec<bool> = all.map(|class| self.near.has(class)).collect();
        let (mut pairs, mut alone) = (Vec::new(), vec![false; self.classes.len()]);
        classes.par_sort_unstable_by_key(|&class| self.place(class));
        self.watch.begin("crowded keys", classes.len() as u64);
        let mut rest = &classes[..];
        while !rest.is_empty() {
            if self.watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let before = rest.len();
            // Of those that are known nothing is asked, and what they would find says nothing of their lists.
            let looking = next(&mut rest, ASKED, |class| {
                (!is_known[class.at()] && crowds.has_open(class)).then_some(true)
            });
            let looks = looking.par_iter();
            let found: Vec<Option<(Pair, Vec<bool>)>> = looks
                .map(|&class| {
                    let pair = self.first_found(class, crowds, bounds)?;
                    let found_on = crowds.shared_open(class, self.other(class, &pair));
                    Some((pair, found_on))
                })
                .collect();
            for (&class, found) in looking.iter().zip(&found) {
                if let Some((pair, _)) = found {
                    for page in [pair.a, pair.b] {
                        is_known[self.classes.of(page).at()] = true;
                    }
                } else {
                    alone[class.at()] = true;
                }
                crowds.tried(class, found.as_ref().map(|(_, found_on)| &found_on[..]));
            }
            pairs.extend(found.into_iter().flatten().map(|(pair, _)| pair));
            self.watch.advance((before - rest.len()) as u64);
        }
        crowds.settle();
        self.alone = alone;
        Ok(pairs)
    }

    /// The first class of a class's lists that sketches relate it to.
    fn first_found(
        &self,
        class: ClassNo,
        crowds: &Crowds<'_>,
        bounds: &impl Fn(usize) -> Bounds,
    ) -> Option<Pair> {
        let (asked, mut found) = (self.judge.asking(class), None);
        let (mut in_vain, mut sieve) = (0, None);
        crowds.any(class, bounds, |other, is_within| {
            if is_within()
                && sieve
                    .as_ref()
                    .is_none_or(|sieve| asked.may_be(sieve, other))
            {
                found = asked.with(other);
                in_vain += 1;
                if in_vain == MANY {
                    sieve = asked.sieve();
                }
            }
            found.is_some()
        });
        found
    }

    /// Whether of these pairs of classes, sampled from a crowded list, hardly any holds: of families' nearly all do, of templates'
    /// hardly one, though sketches relate many. Of too few different pages nothing can be said.
    pub(super) fn are_unlike(&self, pairs: &[[ClassNo; 2]], truth: &Truth<'_>) -> bool {
        let different = pairs
            .iter()
            .filter(|&&[a, b]| a != b && !self.classes.are_old(a, b));
        let different: Vec<[ClassNo; 2]> = different.copied().collect();
        let related = different.iter();
        let related = related.filter_map(|&[a, b]| self.judge.asking(a).with(b));
        let held = truth(&related.collect::<Vec<Pair>>());
        let held = held.iter().flatten().count();
        2 * different.len() > pairs.len() && LIKELY * held < different.len()
    }
}
