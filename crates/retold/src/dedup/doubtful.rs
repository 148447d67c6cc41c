//! Which pages the texts are wanted of, and which crowded lists are templates', before any text is looked at.

use rayon::prelude::*;

use super::families::{Families, next};
use crate::cluster::Pair;
use crate::error::{Error, Result};
use crate::ids::ClassNo;
use crate::index::{Crowds, First};
use crate::sketch::Bounds;

/// Classes that look at the same time, at the most: most find one at once, few look at all.
const ASKED: usize = 128;

impl<'a> Families<'a> {
    /// The classes of these that sketches relate to another on crowded lists, each found by or with one of them. Lists that nobody
    /// finds anybody on are closed.
    pub(super) fn doubtful(
        &self,
        mut classes: Vec<ClassNo>,
        crowds: &mut Crowds<'a>,
        bounds: &(impl Fn(usize) -> Bounds + Sync),
    ) -> Result<Vec<Pair>> {
        let all = ClassNo::first(self.classes.len());
        let mut is_known: Vec<bool> = all.map(|class| self.near.has(class)).collect();
        let mut pairs = Vec::new();
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
            let found: Vec<Option<(First, Pair)>> = looks
                .map(|&class| self.first_found(class, crowds, bounds))
                .collect();
            for (_, pair) in found.iter().flatten() {
                for page in [pair.a, pair.b] {
                    is_known[self.classes.of(page).at()] = true;
                }
            }
            for (&class, found) in looking.iter().zip(&found) {
                crowds.tried(class, found.map(|(first, _)| first));
            }
            pairs.extend(found.into_iter().flatten().map(|(_, pair)| pair));
            self.watch.advance((before - rest.len()) as u64);
        }
        crowds.settle();
        Ok(pairs)
    }

    /// The first class of a class's lists that sketches relate it to, and how.
    fn first_found(
        &self,
        class: ClassNo,
        crowds: &Crowds<'_>,
        bounds: &impl Fn(usize) -> Bounds,
    ) -> Option<(First, Pair)> {
        let (asked, mut pair) = (self.judge.asking(class), None);
        let first = crowds.first(class, bounds, |other, is_within| {
            pair = is_within().then(|| asked.with(other)).flatten();
            (!self.classes.are_old(class, other)).then_some(pair.is_some())
        });
        first.zip(pair)
    }
}
