//! The lines and sentences of frames: those that several texts have which otherwise differ.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::census::Census;
use crate::error::Result;
use crate::ids::SketchNo;
use crate::relation::ratio;
use crate::sketch::{SketchRef, Sketches, count_shared};
use crate::spill::Sorter;

/// A line on fewer texts than this is their own.
const SEVERAL_TEXTS: u64 = 3;
/// The same of a sentence.
const MANY_TEXTS: u64 = 10;
/// So many of the texts with a unit are compared.
const ASKED: usize = 12;
/// Texts are alike if the smaller sketch has at least this share of its keys in common with the other, and the lengths are as similar.
const ALIKE: f64 = 0.5;
const OF_LIKE_LENGTH: f64 = 0.1;
/// A unit is a story's if at least this share of the pairs of its texts are alike.
const STORY: f64 = 0.3;

/// Where sketches have the units of their texts: numbers of two hashes each, of which the last may be 0.
pub type Units = fn(SketchRef<'_>) -> &[u64];

impl Census<'_> {
    /// The hashes of the units of frames, ascending. Time O(n log n) in the number of units.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn frames(&self, units: Units) -> Result<Vec<u32>> {
        let mut sorter = Sorter::new(self.sketches.memory());
        self.sketches.each(|number, sketch| {
            let hashes = units(sketch).iter();
            let hashes = hashes.flat_map(|&two| [(two >> 32) as u32, two as u32]);
            hashes
                .filter(|&hash| hash != 0)
                .try_for_each(|hash| sorter.push([hash, number.0]))
        })?;
        let (mut lists, mut list): (FxHashMap<Vec<SketchNo>, Vec<u32>>, Vec<SketchNo>) =
            Default::default();
        let mut settle = |hash: u32, list: &mut Vec<SketchNo>| {
            list.dedup();
            if self.df(list.iter().copied()) >= least_texts(hash) {
                lists.entry(list.clone()).or_default().push(hash);
            }
            list.clear();
        };
        let mut last = 0;
        for [hash, number] in sorter.finish()? {
            if hash != last {
                settle(last, &mut list);
                last = hash;
            }
            list.push(SketchNo(number));
        }
        settle(last, &mut list);
        let frames = lists.into_par_iter();
        let frames = frames.filter(|(list, _)| !self.is_story(list));
        let mut frames: Vec<u32> = frames.flat_map_iter(|(_, hashes)| hashes).collect();
        frames.par_sort_unstable();
        Ok(frames)
    }

    /// Whether texts with these sketches tell one story, that is, whether many pairs of them are alike.
    fn is_story(&self, list: &[SketchNo]) -> bool {
        let step = list.len().div_ceil(ASKED).max(1);
        let asked: Vec<SketchNo> = list.iter().copied().step_by(step).collect();
        // Of several texts with one sketch not even one is asked about another.
        let pairs = asked.len() * asked.len().saturating_sub(1) / 2;
        let alike = asked.iter().enumerate().map(|(at, &a)| {
            let others = asked[..at].iter();
            others.filter(|&&b| are_alike(self.sketches, a, b)).count()
        });
        ratio(alike.sum(), pairs) >= STORY
    }
}

/// From how many texts on a unit may be a frame's. Sentences are reprinted, lines hardly.
fn least_texts(hash: u32) -> u64 {
    match is_sentence(hash) {
        true => MANY_TEXTS,
        false => SEVERAL_TEXTS,
    }
}

/// Whether the unit of this hash is a sentence.
fn is_sentence(hash: u32) -> bool {
    hash & 1 == 1
}

fn are_alike(sketches: &Sketches, a: SketchNo, b: SketchNo) -> bool {
    let (a, b) = (sketches.get(a), sketches.get(b));
    let (a, b) = (a.as_ref().keys, b.as_ref().keys);
    let (small, large) = (a.len().min(b.len()), a.len().max(b.len()));
    ratio(small, large) >= OF_LIKE_LENGTH && count_shared(a, b) as f64 >= ALIKE * small as f64
}
