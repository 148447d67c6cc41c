//! Finds lines of frames: lines that several otherwise different texts have.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::census::Census;
use super::params::Lines;
use crate::error::Result;
use crate::ids::SketchNo;
use crate::relation::ratio;
use crate::sketch::{Sketches, count_shared};
use crate::spill::Sorter;

/// Lines on fewer texts than this are not lines of frames.
const SEVERAL_TEXTS: u64 = 3;
/// How many of the texts with a line are compared.
const ASKED: usize = 12;
/// Texts are alike if the smaller sketch has at least this share of its keys in common with the other, and the length ratio is at least
/// this.
const ALIKE: f64 = 0.5;
const OF_LIKE_LENGTH: f64 = 0.1;
/// A line belongs to a story if at least this share of the pairs of its texts are alike.
const STORY: f64 = 0.3;

impl Census<'_> {
    /// The hashes of frame lines, ascending. Time O(n log n) in the number of lines.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn frames(&self, lines: Lines) -> Result<Vec<u32>> {
        let mut sorter = Sorter::new(self.sketches.memory());
        self.sketches.each(|number, sketch| {
            let hashes = lines(sketch).iter();
            let hashes = hashes.flat_map(|&two| [(two >> 32) as u32, two as u32]);
            hashes
                .filter(|&hash| hash != 0)
                .try_for_each(|hash| sorter.push([hash, number.0]))
        })?;
        let (mut lists, mut list): (FxHashMap<Vec<SketchNo>, Vec<u32>>, Vec<SketchNo>) =
            Default::default();
        let mut settle = |hash: u32, list: &mut Vec<SketchNo>| {
            list.dedup();
            if self.df(list.iter().copied()) >= SEVERAL_TEXTS {
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

    /// Whether texts with these sketches tell one story: many pairs of them are alike.
    pub(super) fn is_story(&self, list: &[SketchNo]) -> bool {
        let step = list.len().div_ceil(ASKED).max(1);
        let asked: Vec<SketchNo> = list.iter().copied().step_by(step).collect();
        // Texts that share one sketch are one entry here, so they are not compared with each other.
        let pairs = asked.len() * asked.len().saturating_sub(1) / 2;
        let alike = asked.iter().enumerate().map(|(at, &a)| {
            let others = asked[..at].iter();
            others.filter(|&&b| are_alike(self.sketches, a, b)).count()
        });
        ratio(alike.sum(), pairs) >= STORY
    }
}

fn are_alike(sketches: &Sketches, a: SketchNo, b: SketchNo) -> bool {
    let (a, b) = (sketches.get(a), sketches.get(b));
    let (a, b) = (a.as_ref().keys, b.as_ref().keys);
    let (small, large) = (a.len().min(b.len()), a.len().max(b.len()));
    ratio(small, large) >= OF_LIKE_LENGTH && count_shared(a, b) as f64 >= ALIKE * small as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sketch::{Sketch, SketchRef};

    fn lines(sketch: SketchRef<'_>) -> &[u64] {
        sketch.extra
    }

    fn sketch(keys: &[u64], hashes: &[u32]) -> Sketch {
        let two =
            |two: &[u32]| u64::from(two[0]) << 32 | u64::from(two.get(1).copied().unwrap_or(0));
        Sketch {
            keys: keys.to_vec(),
            extra: hashes.chunks(2).map(two).collect(),
            ..Sketch::default()
        }
    }

    fn frames(all: &[Sketch]) -> Vec<u32> {
        let mut sketches = Sketches::default();
        let mut texts = Vec::new();
        for sketch in all {
            let number = sketches.add(sketch.as_ref()).unwrap();
            texts.resize(sketches.len(), 0);
            texts[number.at()] += 1;
        }
        let census = Census {
            sketches: &sketches,
            texts: &texts,
            sites: &[],
            on_site: &[],
            agree: &|_, _| false,
        };
        census.frames(lines).unwrap()
    }

    /// A text with ten keys of its own.
    fn text(number: u64, hashes: &[u32]) -> Sketch {
        let keys: Vec<u64> = (100 * number..100 * number + 10).collect();
        sketch(&keys, hashes)
    }

    const LINE: u32 = 20;

    #[test]
    fn a_line_on_three_texts_that_differ_is_a_frames() {
        let texts = |count: u64| -> Vec<Sketch> {
            (1..=count)
                .map(|n| text(n, &[LINE, 40 + n as u32]))
                .collect()
        };
        assert_eq!(frames(&texts(2)), [0; 0]);
        assert_eq!(frames(&texts(3)), [LINE]);
    }

    #[test]
    fn what_is_reprinted_is_no_frames() {
        // Each of these has eight keys of one story and two of its own.
        let reprint = |n: u64| {
            let keys: Vec<u64> = (0..8).chain(100 * n..100 * n + 2).collect();
            sketch(&keys, &[LINE])
        };
        let reprints: Vec<Sketch> = (1..=12).map(reprint).collect();
        assert_eq!(frames(&reprints), [0; 0]);
        // With three reprints and four other texts, 3 of 21 pairs are alike.
        let others = (50..54).map(|n| text(n, &[LINE]));
        let mixed: Vec<Sketch> = reprints[..3].iter().cloned().chain(others).collect();
        assert_eq!(frames(&mixed), [LINE]);
    }

    proptest! {
        /// With so few texts all pairs are compared.
        #[test]
        fn as_a_count_of_all_pairs_says(
            all in prop::collection::btree_map(
                prop::collection::btree_set(0u64..40, 1..20), prop::collection::btree_set(1u32..8, 0..6), 0..12),
        ) {
            let all: Vec<(Vec<u64>, Vec<u32>)> = all.into_iter()
                .map(|(keys, hashes)| (keys.into_iter().collect(), hashes.into_iter().collect())).collect();
            let sketches: Vec<Sketch> = all.iter().map(|(keys, hashes)| sketch(keys, hashes)).collect();
            let expected: Vec<u32> = (1..8).filter(|hash| {
                let with: Vec<&Vec<u64>> = all.iter().filter(|(_, hashes)| hashes.contains(hash)).map(|(keys, _)| keys).collect();
                let (mut pairs, mut alike) = (0, 0);
                for (at, a) in with.iter().enumerate() {
                    for b in &with[..at] {
                        let (small, large) = (a.len().min(b.len()) as f64, a.len().max(b.len()) as f64);
                        let shared = a.iter().filter(|key| b.contains(key)).count() as f64;
                        pairs += 1;
                        alike += usize::from(small / large >= OF_LIKE_LENGTH && shared / small >= ALIKE);
                    }
                }
                with.len() as u64 >= SEVERAL_TEXTS && ratio(alike, pairs) < STORY
            }).collect();
            prop_assert_eq!(frames(&sketches), expected);
        }
    }
}
