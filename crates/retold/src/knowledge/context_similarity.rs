//! Decides whether text on many pages is a story or a template: it is a story if its contexts (the rest of these pages) are similar.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::census::Census;
use super::learnt::Knowledge;
use crate::error::Result;
use crate::ids::SketchNo;
use crate::relation::ratio;
use crate::sketch::SketchRef;

/// Keys on fewer texts than this are not counted as being on several.
const SEVERAL: u64 = 4;

/// How many texts with a key are sampled for agreement.
const ASKED: u64 = 24;

/// Share of the texts with a key on one site from which the key may be the site's; below 1, because sites have mirrors.
const ONE_SITE: f64 = 0.6;
/// Share of a site's texts from which the key is the site's.
const SITE_SHARE: f64 = 0.02;

impl Census<'_> {
    /// The keys on at least `df` texts, split by whether fewer than `least` of the pairs agree, and the keys on several texts. Pairs are
    /// those of [`ASKED`] texts. Time O(n log n) in the number of keys, and one test for each different list.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn by_context_similarity(&self, df: u64, least: f64) -> Result<Knowledge> {
        let postings = self.postings(SEVERAL.min(df).saturating_sub(1))?;
        let name_of = |sketch: SketchRef<'_>| xxh3_64(bytemuck::cast_slice(sketch.keys));
        let names = self.sketches.map(name_of)?;
        let sizes = self.site_sizes();
        // Keys of one text are on nearly the same pages, so many lists are equal.
        let lists: Vec<Option<u64>> = (0..postings.len())
            .into_par_iter()
            .map(|at| {
                let list = postings.at(at).1;
                let is_frequent = self.df(list.iter().copied()) >= df;
                is_frequent.then(|| name(list.iter().map(|number| names[number.at()])))
            })
            .collect();
        let numbered = lists.iter().zip(0usize..);
        let mut different: Vec<(u64, usize)> = numbered
            .filter_map(|(list, at)| Some(((*list)?, at)))
            .collect();
        different.par_sort_unstable();
        different.dedup_by_key(|&mut (list, _)| list);
        let agreement: FxHashMap<u64, bool> = different
            .into_par_iter()
            .map(|(name, at)| {
                let list = postings.at(at).1;
                let agrees = !self.is_one_sites(list, &sizes) && self.agrees(list, &names, least);
                (name, agrees)
            })
            .collect();
        let mut known = Knowledge::default();
        for (key, list) in postings.keys().zip(lists) {
            match list.map(|list| agreement[&list]) {
                Some(true) => known.frequent.push(key),
                Some(false) => known.common.push(key),
                None => known.several.push(key),
            }
        }
        Ok(known)
    }

    /// Whether texts with these sketches belong to one site and make up a larger share of it than any story: their common text is then the
    /// site's menu, of which many pages consist. Stories are on several sites, or on few of the many pages of a platform.
    fn is_one_sites(&self, list: &[SketchNo], sizes: &[u64]) -> bool {
        let most = self
            .counts_on_sites(list)
            .into_iter()
            .max_by_key(|&(_, texts)| texts);
        most.is_some_and(|(site, texts)| {
            let all = self.df(list.iter().copied());
            texts as f64 >= ONE_SITE * all as f64
                && texts as f64 >= SITE_SHARE * sizes[site as usize] as f64
        })
    }

    /// Whether at least the share `least` of the pairs agree, for [`ASKED`] of the texts with these sketches (or all, if there are fewer).
    /// They are sampled evenly in the order of sketches, so that all have the same chance and the order of pages does not matter.
    fn agrees(&self, list: &[SketchNo], names: &[u64], least: f64) -> bool {
        let mut ordered = list.to_vec();
        ordered.sort_unstable_by_key(|&number| names[number.at()]);
        let all = self.df(list.iter().copied());
        let count = all.min(ASKED);
        let (mut asked, mut passed) = (Vec::with_capacity(count as usize), 0);
        for number in ordered {
            passed += u64::from(self.texts[number.at()]);
            // The middles of `count` equal parts of all texts.
            while (2 * asked.len() as u64 + 1) * all < 2 * count * passed {
                asked.push(number);
            }
        }
        let pairs = asked.iter().enumerate();
        let pairs = pairs.flat_map(|(at, &a)| asked[..at].iter().map(move |&b| (a, b)));
        reaches(
            pairs.map(|(a, b)| (self.agree)(a, b)),
            asked.len() * asked.len().saturating_sub(1) / 2,
            least,
        )
    }
}

/// Whether at least this share of `all` are true. Stops as soon as that is known.
fn reaches(asked: impl Iterator<Item = bool>, all: usize, least: f64) -> bool {
    let (mut agree, mut left) = (0, all);
    for agrees in asked {
        agree += usize::from(agrees);
        left -= 1;
        if ratio(agree, all) >= least || ratio(agree + left, all) < least {
            break;
        }
    }
    ratio(agree, all) >= least
}

/// A hash of a sequence of numbers.
fn name(numbers: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = Xxh3::new();
    numbers.for_each(|number| hasher.update(&number.to_le_bytes()));
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_asked_than_decides() {
        let asked = |all: &[bool], least| {
            let mut count = 0;
            let pairs = all.iter().inspect(|_| count += 1).copied();
            (reaches(pairs, all.len(), least), count)
        };
        let (yes, no) = (true, false);
        // Two of five are .4: the second true decides, and so does the fourth false.
        assert_eq!(asked(&[yes, no, yes, no, no], 0.4), (true, 3));
        assert_eq!(asked(&[no, no, yes, no, no], 0.4), (false, 5));
        assert_eq!(asked(&[no, no, no, no, yes], 0.4), (false, 4));
        // An empty share is 0.
        assert_eq!((asked(&[], 0.0), asked(&[], 0.1)), ((true, 0), (false, 0)));
    }
}
