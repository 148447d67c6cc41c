//! Counts over a collection, and the keys that are noise in it.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::learnt::Knowledge;
use super::params::{CommonRule, NoiseFilter, NoiseParams};
use super::postings::Postings;
use crate::error::Result;
use crate::ids::SketchNo;
use crate::param::Params;
use crate::sketch::Sketches;

/// The counts of a collection.
#[derive(Clone, Copy)]
pub struct Census<'a> {
    /// All different sketches.
    pub sketches: &'a Sketches,
    /// The number of different texts with each sketch.
    pub texts: &'a [u32],
    /// All sites that have a page.
    pub sites: &'a [String],
    /// (sketch, site, number of different texts of the site with that sketch), ascending and distinct.
    pub on_site: &'a [(SketchNo, u32, u32)],
    /// Whether the texts of two sketches agree in nearly everything, judged by the sketches; for one sketch given twice, whether its own
    /// texts do.
    pub agree: &'a (dyn Fn(SketchNo, SketchNo) -> bool + Sync),
}

impl Census<'_> {
    /// The common keys, and those that are equally frequent but not common.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn common(&self, rule: CommonRule) -> Result<Knowledge> {
        Ok(Knowledge {
            texts: self.all(),
            frames: rule
                .lines
                .map_or(Ok(Vec::new()), |lines| self.frames(lines))?,
            bigrams: match rule.bigrams {
                Some(bigrams) => self.frequent_bigrams(bigrams, rule.min_df)?,
                None => Vec::new(),
            },
            ..self.by_context_similarity(rule.min_df, rule.context_similarity)?
        })
    }

    /// The noise keys, by the parameters of the noise filter.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn noise(&self, params: &Params) -> Result<Knowledge> {
        let params = NoiseParams::from(params);
        let (deleted, deleted_on_site) = match params.noise {
            NoiseFilter::None => Default::default(),
            NoiseFilter::Evidence => return self.common(params.common_rule()),
            filter => {
                let postings = self.postings(1)?;
                let everywhere =
                    (filter != NoiseFilter::Site).then(|| self.by_idf(&postings, &params));
                let on_site =
                    (filter != NoiseFilter::Idf).then(|| self.by_site(&postings, &params));
                (everywhere.unwrap_or_default(), on_site.unwrap_or_default())
            }
        };
        Ok(Knowledge {
            texts: self.all(),
            deleted,
            deleted_on_site,
            ..Knowledge::default()
        })
    }

    /// The number of different texts.
    pub(super) fn all(&self) -> u64 {
        self.texts.iter().map(|&n| u64::from(n)).sum()
    }

    /// The number of different texts with one of these sketches.
    pub(super) fn df(&self, sketches: impl Iterator<Item = SketchNo>) -> u64 {
        sketches
            .map(|sketch| u64::from(self.texts[sketch.at()]))
            .sum()
    }

    /// The posting lists of keys on more than `limit` texts. Time O(n log n) in the number of keys.
    pub(super) fn postings(&self, limit: u64) -> Result<Postings> {
        let texts = |sketch: SketchNo| u64::from(self.texts[sketch.at()]);
        Postings::build(self.sketches, texts, limit)
    }

    /// CCDet's IDF filter: keys with ln(N / df) below a threshold.
    fn by_idf(&self, postings: &Postings, params: &NoiseParams) -> Vec<u64> {
        let (threshold, min_df) = (params.idf_threshold, params.idf_min_df as u64);
        let all = self.all() as f64;
        let counted = postings
            .iter()
            .map(|(key, list)| (key, self.df(list.iter().copied())));
        counted
            .filter(|&(_, df)| df >= min_df && (all / df as f64).ln() < threshold)
            .map(|(key, _)| key)
            .collect()
    }

    /// CCDet's pruning by site: keys on more than max(a, b × texts of the site) different texts of one site.
    fn by_site(&self, postings: &Postings, params: &NoiseParams) -> BTreeMap<String, Vec<u64>> {
        let (least, share) = (params.site_min_df as f64, params.site_share);
        let sizes = self.site_sizes();
        let mut found: Vec<(u32, u64)> = (0..postings.len())
            .into_par_iter()
            .flat_map_iter(|at| {
                let (key, list) = postings.at(at);
                let counts = self.counts_on_sites(list);
                let sizes = &sizes;
                let noisy = counts.into_iter().filter(move |&(site, df)| {
                    df as f64 > least.max(share * sizes[site as usize] as f64)
                });
                noisy.map(move |(site, _)| (site, key))
            })
            .collect();
        found.sort_unstable();
        let by_site = found.chunk_by(|a, b| a.0 == b.0).map(|run| {
            let keys = run.iter().map(|&(_, key)| key).collect();
            (self.sites[run[0].0 as usize].clone(), keys)
        });
        by_site.collect()
    }

    /// The number of different texts of each site.
    pub(super) fn site_sizes(&self) -> Vec<u64> {
        let mut sizes = vec![0u64; self.sites.len()];
        for &(_, site, texts) in self.on_site {
            sizes[site as usize] += u64::from(texts);
        }
        sizes
    }

    /// The number of different texts of each site with one of these sketches.
    pub(super) fn counts_on_sites(&self, sketches: &[SketchNo]) -> BTreeMap<u32, u64> {
        let mut counts = BTreeMap::new();
        for &sketch in sketches {
            let start = self.on_site.partition_point(|&(other, ..)| other < sketch);
            let of_sketch = self.on_site[start..].iter();
            for &(_, site, texts) in of_sketch.take_while(|&&(other, ..)| other == sketch) {
                *counts.entry(site).or_default() += u64::from(texts);
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method;
    use crate::param::Settings;
    use crate::sketch::Sketch;

    fn params(settings: &[(&str, &str)]) -> Params {
        let given = settings
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.into()));
        method::find_method("period")
            .unwrap()
            .resolve(&given.collect::<Settings>())
            .unwrap()
    }

    /// A collection in which key k is in the sketches k..10, so in 10 − k of them.
    fn ladder() -> Sketches {
        let mut store = Sketches::default();
        for number in 0..10u64 {
            let sketch = Sketch {
                keys: (0..=number).collect(),
                ..Sketch::default()
            };
            store.add(sketch.as_ref()).unwrap();
        }
        store
    }

    fn noise_of(texts: &[u32], settings: &[(&str, &str)]) -> Knowledge {
        // Site a.cn has sketches 6..10, b.cn has 0..6.
        let sites = ["a.cn".to_owned(), "b.cn".to_owned()];
        let numbers = SketchNo::first(10);
        let on_site: Vec<_> = numbers
            .map(|n| (n, u32::from(n.0 < 6), texts[n.at()]))
            .collect();
        let sketches = ladder();
        let census = Census {
            sketches: &sketches,
            texts,
            sites: &sites,
            on_site: &on_site,
            agree: &|a, b| a.0.abs_diff(b.0) < 3,
        };
        census.noise(&params(settings)).unwrap()
    }

    const ONE_EACH: [u32; 10] = [1; 10];

    #[test]
    fn idf_noise_by_hand() {
        let idf = |texts: &[u32], threshold, min_df| {
            let settings = [
                ("noise", "idf"),
                ("idf_threshold", threshold),
                ("idf_min_df", min_df),
            ];
            noise_of(texts, &settings).deleted
        };
        // N = 10: ln(10 / 8) = 0.223, ln(10 / 7) = 0.357. Keys 0, 1, 2 have df 10, 9, 8.
        assert_eq!(idf(&ONE_EACH, "0.3", "2"), [0, 1, 2]);
        // A feature on two or three texts is never noise, however small the collection.
        assert_eq!(idf(&ONE_EACH, "100", "4"), [0, 1, 2, 3, 4, 5, 6]);
        // The last sketch, which has all keys, is on 91 texts: N = 100, and key 9 has df 91, ln(100 / 91) = 0.094.
        assert_eq!(
            idf(&[1, 1, 1, 1, 1, 1, 1, 1, 1, 91], "0.1", "2"),
            (0..10).collect::<Vec<u64>>()
        );
    }

    #[test]
    fn site_noise_by_hand() {
        let settings = [
            ("noise", "site"),
            ("site_min_df", "3"),
            ("site_share", "0.6"),
        ];
        let known = noise_of(&ONE_EACH, &settings);
        // On a.cn keys 0..=6 are on 4 texts, 7 on 3, 8 on 2.
        assert_eq!(known.deleted_on_site["a.cn"], [0, 1, 2, 3, 4, 5, 6]);
        // b.cn: more than max(3, 0.6 × 6 = 3.6) of its 6 texts: keys 0, 1, 2 with 6, 5, 4.
        assert_eq!(known.deleted_on_site["b.cn"], [0, 1, 2]);
        assert!(known.deletes(3, Some("a.cn")) && !known.deletes(3, Some("b.cn")));
        assert!(!known.deletes(0, None));
        // 120 texts of a site share one sketch, the footer's: its key is the site's noise.
        let texts = [120, 1, 1, 1, 1, 1, 1, 1, 1, 1];
        let known = noise_of(&texts, &[("noise", "site")]);
        assert_eq!(known.deleted_on_site["b.cn"], [0]);
    }

    /// Key k is in the sketches k..10; two sketches agree if their numbers differ by less than 3. So n consecutive sketches have (n − 1) +
    /// (n − 2) agreeing pairs.
    #[test]
    fn common_keys_by_hand() {
        let known = |texts: &[u32], settings: &[(&str, &str)]| {
            let known = noise_of(texts, settings);
            (known.common, known.frequent)
        };
        // Keys 0, 1 and 2 are on at least 8 texts: 10, 9 and 8. Agreement: 17/45, 15/36, 13/28 = .38, .42, .46.
        let agreement =
            |agreement| known(&ONE_EACH, &[("common_df", "8"), ("agreement", agreement)]);
        assert_eq!(agreement("0.4"), (vec![0], vec![1, 2]));
        // Key 0 is common anyway: 6 of its 10 texts are on b.cn.
        assert_eq!(agreement("0.3"), (vec![0], vec![1, 2]));
        assert_eq!(agreement("0.5"), (vec![0, 1, 2], vec![]));
        // Texts with one sketch are counted separately: with 5 texts of sketch 0 and 5 of sketch 9, 10 + 10 of 45 pairs agree.
        let texts = [5, 0, 0, 0, 0, 0, 0, 0, 0, 5];
        assert_eq!(known(&texts, &[("agreement", "0.44")]), (vec![], vec![0]));
        assert_eq!(known(&texts, &[("agreement", "0.45")]), (vec![0], vec![]));
        // Every second of 48 texts is sampled, 11 of 22 with sketch 0 and 13 of 26 with sketch 9: 55 + 78 of 276 pairs agree, .482. (Over
        // all pairs .493.)
        let texts = [22, 0, 0, 0, 0, 0, 0, 0, 0, 26];
        let agreement = |agreement| known(&texts, &[("common_df", "48"), ("agreement", agreement)]);
        assert_eq!(agreement("0.481"), (vec![], vec![0]));
        assert_eq!(agreement("0.482"), (vec![0], vec![]));
    }

    /// Site a.cn has the sketches 6 to 9, b.cn the others. Of the texts with keys 4, 5 and 6, a.cn has 4 of 6, 5 and 4; with key 3, 4 of 7;
    /// with key 2, 4 of 8. With key 1, b.cn has 5 of 9.
    #[test]
    fn what_repeats_inside_one_site_is_the_sites() {
        let known = noise_of(&ONE_EACH, &[("common_df", "4"), ("agreement", "0")]);
        assert_eq!(
            (known.common, known.frequent),
            (vec![0, 4, 5, 6], vec![1, 2, 3])
        );
        // Key 7 is on three texts, keys 8 and 9 on fewer.
        let known = noise_of(&ONE_EACH, &[("common_df", "5"), ("agreement", "0")]);
        assert_eq!((known.common, known.several), (vec![0, 4, 5], vec![6]));
    }

    #[test]
    fn files_hold_all_that_is_known() {
        let settings = [
            ("noise", "idf+site"),
            ("idf_min_df", "2"),
            ("site_min_df", "1"),
        ];
        let known = noise_of(&ONE_EACH, &settings);
        assert!(known.noise() > 0 && !known.deletes_nothing());
        let json = serde_json::to_string(&known).unwrap();
        assert_eq!(serde_json::from_str::<Knowledge>(&json).unwrap(), known);
    }
}
