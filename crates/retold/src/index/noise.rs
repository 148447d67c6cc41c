//! Noise keys: those that say nothing about two pages being copies, because templates or disclaimers carry them.
//!
//! A batch finds one [`NoiseList`] and freezes it; pages that come later are judged with the frozen list.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::postings::Postings;
use super::store::Sketches;
use crate::method::{Domain, Param, Params};

/// The parameters of the noise filter, which every method that prunes has beside its own.
pub const PARAMS: &[Param] = &[
    Param {
        name: "noise",
        domain: Domain::Choice("idf", &["none", "idf", "site", "idf+site"]),
        help: "which features are noise: none, by IDF, by site, both",
    },
    Param {
        name: "idf_threshold",
        domain: Domain::Float(4.0, 0.0, 100.0),
        help: "a feature with ln(N / df) below this is IDF noise",
    },
    Param {
        name: "idf_min_df",
        domain: Domain::Int(20, 2, 1_000_000_000),
        help: "a feature on fewer different pages than this is never IDF noise",
    },
    Param {
        name: "site_min_df",
        domain: Domain::Int(10, 1, 1_000_000_000),
        help: "a feature on no more different pages of a site than this is never the site's noise",
    },
    Param {
        name: "site_share",
        domain: Domain::Float(0.05, 0.0, 1.0),
        help: "a feature on more than this share of a site's pages is the site's noise",
    },
];

/// The noise keys of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoiseList {
    /// Noise on every page; ascending.
    pub everywhere: Vec<u64>,
    /// Noise on the pages of one site only; ascending.
    pub on_site: BTreeMap<String, Vec<u64>>,
}

impl NoiseList {
    /// True if `key` is noise on a page of `site`.
    pub fn has(&self, key: u64, site: Option<&str>) -> bool {
        self.everywhere.binary_search(&key).is_ok()
            || site
                .and_then(|site| self.on_site.get(site))
                .is_some_and(|keys| keys.binary_search(&key).is_ok())
    }

    /// The number of noise keys, those of each site counted for that site.
    pub fn len(&self) -> usize {
        self.everywhere.len() + self.on_site.values().map(Vec::len).sum::<usize>()
    }

    /// True if nothing is noise.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Finds the noise keys of a collection. `sites` names every site that has a page, and `on_site` lists (site, sketch)
/// for every different sketch of each site; pages without a site do not appear in it.
pub fn find(
    sketches: &Sketches,
    sites: &[String],
    on_site: &[(u32, u32)],
    params: &Params,
) -> NoiseList {
    let kind = params.choice("noise");
    if kind == "none" {
        return NoiseList::default();
    }
    let postings = Postings::build(sketches);
    let mut list = NoiseList::default();
    if kind == "idf" || kind == "idf+site" {
        list.everywhere = by_idf(&postings, sketches.len(), params);
    }
    if kind == "site" || kind == "idf+site" {
        list.on_site = by_site(&postings, sketches.len(), sites, on_site, params);
    }
    list
}

/// METHODS §1.2 (a): ln(N / df) below a threshold, N and df counted over different sketches.
fn by_idf(postings: &Postings, sketches: usize, params: &Params) -> Vec<u64> {
    let (threshold, min_df) = (params.float("idf_threshold"), params.int("idf_min_df"));
    postings
        .iter()
        .filter(|(_, list)| list.len() >= min_df)
        .filter(|(_, list)| (sketches as f64 / list.len() as f64).ln() < threshold)
        .map(|(key, _)| key)
        .collect()
}

/// METHODS §1.2 (b): on more than max(a, b × pages of the site) different pages of one site.
fn by_site(
    postings: &Postings,
    sketches: usize,
    sites: &[String],
    on_site: &[(u32, u32)],
    params: &Params,
) -> BTreeMap<String, Vec<u64>> {
    let (least, share) = (params.int("site_min_df") as f64, params.float("site_share"));
    let mut site_sizes = vec![0usize; sites.len()];
    on_site
        .iter()
        .for_each(|&(site, _)| site_sizes[site as usize] += 1);
    let mut by_sketch: Vec<(u32, u32)> = on_site.iter().map(|&(site, n)| (n, site)).collect();
    by_sketch.sort_unstable();
    let sites_of = |number: u32| {
        let start = by_sketch.partition_point(|&(n, _)| n < number);
        by_sketch[start..]
            .iter()
            .take_while(move |&&(n, _)| n == number)
            .map(|&(_, site)| site)
    };
    debug_assert!(
        by_sketch
            .last()
            .is_none_or(|&(n, _)| (n as usize) < sketches)
    );
    let mut found: Vec<(u32, u64)> = (0..postings.len())
        .into_par_iter()
        .flat_map_iter(|at| {
            let (key, list) = postings.at(at);
            let mut on: Vec<u32> = list.iter().flat_map(|&number| sites_of(number)).collect();
            on.sort_unstable();
            let noisy: Vec<(u32, u64)> = on
                .chunk_by(|a, b| a == b)
                .filter(|run| {
                    run.len() as f64 > least.max(share * site_sizes[run[0] as usize] as f64)
                })
                .map(|run| (run[0], key))
                .collect();
            noisy
        })
        .collect();
    found.sort_unstable();
    found
        .chunk_by(|a, b| a.0 == b.0)
        .map(|run| {
            let keys = run.iter().map(|&(_, key)| key).collect();
            (sites[run[0].0 as usize].clone(), keys)
        })
        .collect()
}
