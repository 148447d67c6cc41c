//! Noise keys: those that say little about two pages being copies, because templates or disclaimers carry them.
//!
//! A batch finds one [`NoiseList`] and freezes it; pages that come later are judged with the frozen list.
//!
//! The papers delete noise keys (`idf`, `site`). That cannot be right everywhere: the sentences of a disclaimer and those
//! of a much reprinted article stand on equally many pages, and where the disclaimer is all that two short pages have in
//! full stops, nothing in their sketches tells the two cases apart. (Measured: deleting with knowledge of the labels
//! still costs one set what it gives the other; see `docs/measurements.md`.) So `evidence`, the default, deletes nothing
//! from a sketch: keys on many texts are *common*, and a pair that the method relates is believed only if there is more
//! to it than common keys. See [`Evidence`].

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::postings::Postings;
use super::store::Sketches;
use crate::method::{Domain, Frequencies, Param, Params};

/// The parameters of the noise filter, which every method that prunes has beside its own.
pub const PARAMS: &[Param] = &[
    Param {
        name: "noise",
        domain: Domain::Choice("evidence", &["none", "idf", "site", "idf+site", "evidence"]),
        help: "what is done about features of templates and disclaimers: delete them by IDF, by site, by both, or \
               keep them and ask for evidence beside them",
    },
    Param {
        name: "common_df",
        domain: Domain::Int(8, 1, 1_000_000_000),
        help: "evidence: a feature on more different texts than this is common",
    },
    Param {
        name: "cover",
        domain: Domain::Float(0.65, 0.01, 1.0),
        help: "evidence: common features suffice if their sentences are this share of the shorter text",
    },
    Param {
        name: "many",
        domain: Domain::Int(20, 1, 1_000_000_000),
        help: "evidence: common features suffice if this many are shared",
    },
    Param {
        name: "min_texts",
        domain: Domain::Int(100, 0, 1_000_000_000),
        help: "evidence: nothing is common in a collection of fewer different texts",
    },
    Param {
        name: "idf_threshold",
        domain: Domain::Float(6.0, 0.0, 100.0),
        help: "idf: a feature with ln(N / df) below this is noise",
    },
    Param {
        name: "idf_min_df",
        domain: Domain::Int(20, 2, 1_000_000_000),
        help: "idf: a feature on fewer different pages than this is never noise",
    },
    Param {
        name: "site_min_df",
        domain: Domain::Int(20, 1, 1_000_000_000),
        help: "site: a feature on no more different pages of a site than this is never the site's noise",
    },
    Param {
        name: "site_share",
        domain: Domain::Float(0.02, 0.0, 1.0),
        help: "site: a feature on more than this share of a site's pages is the site's noise",
    },
];

/// The noise keys of a collection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NoiseList {
    /// Deleted on every page; ascending.
    pub everywhere: Vec<u64>,
    /// Deleted on the pages of one site only; ascending.
    pub on_site: BTreeMap<String, Vec<u64>>,
    /// Kept, but no evidence by themselves.
    pub common: Option<Evidence>,
}

/// When a pair is believed that shares common keys (METHODS §1.2, ours).
///
/// The method's own rule must hold for the whole sketches. Beyond that, one of three: it holds as well for what is left
/// of both sketches without the common keys; or the sentences that the pages share are at least `cover` of the shorter
/// text; or there are `many` of them, more than a disclaimer has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The common keys; ascending.
    pub keys: Vec<u64>,
    /// See [`PARAMS`].
    pub cover: f64,
    /// See [`PARAMS`].
    pub many: u32,
}

impl NoiseList {
    /// True if `key` is to be deleted on a page of `site`.
    pub fn deletes(&self, key: u64, site: Option<&str>) -> bool {
        self.everywhere.binary_search(&key).is_ok()
            || site
                .and_then(|site| self.on_site.get(site))
                .is_some_and(|keys| keys.binary_search(&key).is_ok())
    }

    /// True if no key is deleted anywhere.
    pub fn deletes_nothing(&self) -> bool {
        self.everywhere.is_empty() && self.on_site.is_empty()
    }

    /// The number of noise keys, those of each site counted for that site.
    pub fn len(&self) -> usize {
        let common = self
            .common
            .as_ref()
            .map_or(0, |evidence| evidence.keys.len());
        self.everywhere.len() + self.on_site.values().map(Vec::len).sum::<usize>() + common
    }

    /// True if nothing is noise.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What the noise filter looks at beside the sketches.
pub struct Census<'a> {
    /// All different sketches.
    pub sketches: &'a Sketches,
    /// For each sketch, how many different texts have it.
    pub texts: &'a [u32],
    /// The names of all sites that have a page.
    pub sites: &'a [String],
    /// (site, sketch) for every different sketch of each site, in any order.
    pub on_site: &'a [(u32, u32)],
}

/// Finds the noise keys of a collection. Time O(n log n) in the number of keys.
pub fn find(census: &Census<'_>, params: &Params) -> NoiseList {
    let kind = params.choice("noise");
    let mut list = NoiseList::default();
    if kind == "none" {
        return list;
    }
    if kind == "evidence" {
        list.common = common(census, params);
        return list;
    }
    let postings = Postings::build(census.sketches);
    if kind != "site" {
        list.everywhere = by_idf(&postings, census.sketches.len(), params);
    }
    if kind != "idf" {
        list.on_site = by_site(&postings, census, params);
    }
    list
}

/// The keys on more than `common_df` different texts. Unlike pages whose only full stops are those of one disclaimer
/// have one sketch, so texts are counted here, not sketches.
fn common(census: &Census<'_>, params: &Params) -> Option<Evidence> {
    let texts: u64 = census.texts.iter().map(|&n| u64::from(n)).sum();
    if texts < params.int("min_texts") as u64 {
        return None;
    }
    let limit = params.int("common_df") as u64;
    let df =
        |list: &[(u64, u32)]| df_over_texts(list.iter().map(|&(_, sketch)| sketch), census.texts);
    let postings = Postings::build_where(census.sketches, |list| df(list) > limit);
    Some(Evidence {
        keys: postings.iter().map(|(key, _)| key).collect(),
        cover: params.float("cover"),
        many: u32::try_from(params.int("many")).unwrap_or(u32::MAX),
    })
}

/// On how many different texts the keys of the sketches stand, `texts` telling how many have each sketch. Time
/// O(n log n) in the number of keys.
pub fn frequencies(sketches: &Sketches, texts: &[u32]) -> Frequencies {
    let df = |list: &[(u64, u32)]| df_over_texts(list.iter().map(|&(_, sketch)| sketch), texts);
    let postings = Postings::build_where(sketches, |list| df(list) > 1);
    let counted = postings.iter().map(|(key, list)| {
        let df = df_over_texts(list.iter().copied(), texts);
        (key, u32::try_from(df).unwrap_or(u32::MAX))
    });
    Frequencies::counted(texts.iter().map(|&n| u64::from(n)).sum(), counted)
}

/// How many different texts have one of these sketches.
fn df_over_texts(sketches: impl Iterator<Item = u32>, texts: &[u32]) -> u64 {
    sketches
        .map(|sketch| u64::from(texts[sketch as usize]))
        .sum()
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
    census: &Census<'_>,
    params: &Params,
) -> BTreeMap<String, Vec<u64>> {
    let (least, share) = (params.int("site_min_df") as f64, params.float("site_share"));
    let mut site_sizes = vec![0usize; census.sites.len()];
    census
        .on_site
        .iter()
        .for_each(|&(site, _)| site_sizes[site as usize] += 1);
    let mut by_sketch: Vec<(u32, u32)> = census
        .on_site
        .iter()
        .map(|&(site, sketch)| (sketch, site))
        .collect();
    by_sketch.sort_unstable();
    let sites_of = |sketch: u32| {
        let start = by_sketch.partition_point(|&(s, _)| s < sketch);
        by_sketch[start..]
            .iter()
            .take_while(move |&&(s, _)| s == sketch)
            .map(|&(_, site)| site)
    };
    let mut found: Vec<(u32, u64)> = (0..postings.len())
        .into_par_iter()
        .flat_map_iter(|at| {
            let (key, list) = postings.at(at);
            let mut on: Vec<u32> = list.iter().flat_map(|&sketch| sites_of(sketch)).collect();
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
            (census.sites[run[0].0 as usize].clone(), keys)
        })
        .collect()
}
