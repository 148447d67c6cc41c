//! Finds frequent bigrams: those that many texts have which are not reprints of each other.

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::census::Census;
use super::params::BigramNumbers;
use crate::compare::bigrams;
use crate::error::Result;
use crate::ids::SketchNo;
use crate::spill::Sorter;

/// How many of the texts with a bigram are compared.
const ASKED: usize = 4;
/// How many bigrams are decided at a time.
const AT_ONCE: usize = 1 << 14;

impl Census<'_> {
    /// The hashes of bigrams on at least `min_df` texts of which few are alike, ascending. Time O(n log n) in the number of bigrams.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn frequent_bigrams(&self, bigrams: BigramNumbers, min_df: u64) -> Result<Vec<u32>> {
        let mut sorter = Sorter::new(self.sketches.memory());
        self.sketches.each(|number, sketch| {
            bigrams::hashes(bigrams(sketch)).try_for_each(|hash| sorter.push([hash, number.0]))
        })?;
        // Texts are chosen by hashes of their sketches, so that the order of reading does not matter.
        let names = |sketch: crate::sketch::SketchRef<'_>| {
            xxh3_64(bytemuck::cast_slice(sketch.keys)) as u32
        };
        let names = self.sketches.map(names)?;
        let (mut frequent, mut undecided) = (Vec::new(), Vec::new());
        let mut decide = |undecided: &mut Vec<(u32, Vec<SketchNo>)>| {
            let lists = undecided.par_drain(..);
            let lists = lists.filter(|(_, asked)| !self.is_story(asked));
            frequent.par_extend(lists.map(|(hash, _)| hash));
        };
        let mut list: Vec<SketchNo> = Vec::new();
        let mut settle = |hash: u32, list: &mut Vec<SketchNo>| {
            if list.len() as u64 >= min_df || self.df(list.iter().copied()) >= min_df {
                list.sort_unstable_by_key(|number| (names[number.at()], number.0));
                list.truncate(ASKED);
                undecided.push((hash, list.clone()));
                if undecided.len() == AT_ONCE {
                    decide(&mut undecided);
                }
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
        decide(&mut undecided);
        frequent.par_sort_unstable();
        Ok(frequent)
    }
}
