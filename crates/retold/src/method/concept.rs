//! The methods `concept` and `keyworld`: key concepts of a small-world network (METHODS §3, and `keyworld` of §4).

mod merge;
mod network;
#[cfg(test)]
mod obvious;
mod paths;
mod phrase;
mod sentences;
#[cfg(test)]
mod tests;
mod thin;
mod told;
mod vector;
mod view;

use std::cmp::Reverse;

use xxhash_rust::xxh3::xxh3_64;

use super::{
    Bounds, Domain, Keyword, Learns, Method, MethodInfo, Param, Params, Sketch, SketchRef, Spot,
    Trace,
};
use crate::relation::Verdict;
use crate::text::{Extract, Text};
use network::{Web, contribution};
pub use paths::{Distances, Graph, distances};
use phrase::Concepts;
use told::Compared;
use vector::Entry;
pub use view::{Network, Node};

const THRESHOLD: Param = Param {
    name: "threshold",
    domain: Domain::Float(0.75, 0.0, 1.0),
    help: "least cosine of the weights of the key concepts",
};

const SPREAD: Param = Param {
    name: "spread",
    domain: Domain::Float(0.08, 0.0, 100_000.0),
    help: "maximum position spread S of related pages, in the unit of `spread_by`",
};

const SPREAD_BY: Param = Param {
    name: "spread_by",
    domain: Domain::Choice("share", &["share", "words"]),
    help: "share: S is divided by the words of the shorter page; words: it is not (DWDCS), and `spread` is in words",
};

const LENGTH_THRESHOLD: Param = Param {
    name: "length_threshold",
    domain: Domain::Float(0.5, 0.0, 1.0),
    help: "length ratio below which the shorter page is contained in the longer",
};

const SHARED: Param = Param {
    name: "shared",
    domain: Domain::Float(0.5, 0.0, 1.0),
    help: "minimum share of the queried concepts that both pages have, of the page with fewer",
};

const QUERY: Param = Param {
    name: "query",
    domain: Domain::Int(20, 1, 200),
    help: "number of first key concepts by which a page is looked up",
};

const KEY_CONCEPTS: Param = Param {
    name: "key_concepts",
    domain: Domain::Int(20, 1, 200),
    help: "key concepts of a page that are compared",
};

const PHRASE: Param = Param {
    name: "phrase",
    domain: Domain::Int(1, 1, phrase::WORDS as i64),
    help: "most words of a phrase",
};

const FREQUENCY: Param = Param {
    name: "frequency",
    domain: Domain::Int(0, 0, 1000),
    help: "concepts that occur more often are nodes of the network",
};

const JUDGED_BY: &[&str] = &[
    "threshold",
    "spread",
    "spread_by",
    "length_threshold",
    "shared",
];

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "concept",
    summary: "pages with the same key concepts at the same positions: concepts central to the text's word network",
    source: "DWDCS, Journal of Software 2011, 22(8):1816",
    learns: Learns::Nothing,
    extract: Extract::Main,
    params: &[
        THRESHOLD,
        SPREAD,
        SPREAD_BY,
        LENGTH_THRESHOLD,
        SHARED,
        QUERY,
        KEY_CONCEPTS,
        PHRASE,
        FREQUENCY,
        Param {
            name: "merge",
            domain: Domain::Float(0.3, 0.0, 1.0),
            help: "phrases that are related by more than this become one concept; 1 merges none",
        },
        Param {
            name: "hubs",
            domain: Domain::Int(30, 1, 100_000),
            help: "number of nodes of highest degree considered as key concepts",
        },
    ],
    judged_by: JUDGED_BY,
    reads_sentences: |_| false,
    least_similarity: |params| params.float("threshold"),
    build: |params, _| Box::new(Concept::new(params)),
};

pub(super) const KEYWORLD: MethodInfo = MethodInfo {
    name: "keyworld",
    summary: "pages with the same key words at the same positions: `concept` without merging, with every node scored",
    source: "KeyWorld, Discovery Science 2001, LNCS 2226:271",
    learns: Learns::Nothing,
    extract: Extract::Main,
    params: &[
        THRESHOLD,
        SPREAD,
        SPREAD_BY,
        LENGTH_THRESHOLD,
        SHARED,
        QUERY,
        KEY_CONCEPTS,
        PHRASE,
        FREQUENCY,
        Param {
            name: "links",
            domain: Domain::Choice("near", &["near", "sentences"]),
            help: "near: words at most two apart are linked (DWDCS); sentences: words that stand in the same sentences (KeyWorld)",
        },
        Param {
            name: "jaccard",
            domain: Domain::Float(0.2, 0.0, 1.0),
            help: "links=sentences: least Jaccard coefficient of the sentences in which linked words stand",
        },
    ],
    judged_by: JUDGED_BY,
    reads_sentences: |params| params.choice("links") == "sentences",
    least_similarity: |params| params.float("threshold"),
    build: |params, _| Box::new(Concept::keyworld(params)),
};

/// Key concepts: those whose removal lengthens the paths of the page's word network most; and key words, without
/// merging.
///
/// # What it finds
/// Pages with the same key concepts at the same positions: reprints, also edited ones in which a word replaces
/// another of the same meaning. `keyworld` is the same with words for concepts.
///
/// # How
/// Words are lemmas (English, by WordNet) or stems; runs of up to `phrase` content words are phrases. Phrases whose words
/// and synonyms agree by more than `merge` (Rel) become one concept: complete linkage, so that no two phrases of a
/// concept are less related, the most related first, ties by text. Concepts that occur more than `frequency` times are
/// nodes; those at most two apart in the page's sequence of concepts are linked; the largest connected component is kept. Of the
/// `hubs` nodes of highest degree (`keyworld`: of all) the `key_concepts` are kept whose removal lengthens the mean
/// distance between the others most (CB). A pair that the removal cuts off counts as the longest distance + 1, so that the
/// hub of a star comes first; KeyWorld adds up the widths of the parts, which puts it last. KeyWorld itself links words that stand in
/// the same sentences: `keyworld` with `links=sentences`.
///
/// Two pages are compared if they share `shared` of their first `query` key concepts, and related if the cosine of how
/// often the key concepts occur reaches `threshold` and S stays below `spread`: S_i is the standard deviation of the
/// shifts between the first occurrences of concept i, S the mean of those that occur twice or more on both, over the words
/// of the shorter page (`spread_by=words`: in words). Where none does, positions are not tested. If one page is shorter than `length_threshold` times
/// the other, it is contained in it.
///
/// # Misses
/// Pages contained in others (their key concepts differ), cut versions, and pages below some 500 characters, where
/// hardly a concept stands out. Lists and word-for-word templates can look alike. Of a page with more than 3,000
/// different phrases those that occur most often count. `keyworld` takes minutes for a word list of that size.
///
/// # Parameters
/// `retold methods concept` and `retold methods keyworld` list them with their ranges; `docs/lab/concept.md` has the curves.
///
/// # Reference
/// DWDCS (Journal of Software 2011, 22(8):1816); KeyWorld (Discovery Science 2001, LNCS 2226:271). We deviate by taking
/// S over the length of the page (a threshold in words, `spread_by=words`, that fits short pages rejects long ones), by the mean of the shifts
/// themselves rather than of their size, so that S is the same when the pages are swapped, by querying with the first
/// concepts of both pages rather than of one, and by containment.
#[derive(Clone, Debug)]
pub struct Concept {
    threshold: f64,
    spread: f64,
    /// Whether `spread` is a share of the shorter page, and not in words.
    spread_is_share: bool,
    length_threshold: f64,
    shared: f64,
    query: usize,
    key_concepts: usize,
    phrase: usize,
    frequency: usize,
    merge: f64,
    /// 0: all nodes.
    hubs: usize,
    /// How far the sentences of linked words agree, if that is what links them.
    jaccard: Option<f64>,
}

/// A key concept of a page: an index into [`Concepts::all`], and its CB.
struct Key {
    concept: usize,
    contribution: f64,
}

impl Concept {
    /// The method called `name`, if it is one of these two, with checked parameters.
    pub fn named(name: &str, params: &Params) -> Option<Concept> {
        match name {
            "concept" => Some(Concept::new(params)),
            "keyworld" => Some(Concept::keyworld(params)),
            _ => None,
        }
    }

    /// The method `concept`.
    pub fn new(params: &Params) -> Concept {
        Concept {
            merge: params.float("merge"),
            hubs: params.int("hubs"),
            ..Concept::with(params)
        }
    }

    /// The method `keyworld`.
    pub fn keyworld(params: &Params) -> Concept {
        let by_sentence = params.choice("links") == "sentences";
        Concept {
            jaccard: by_sentence.then(|| params.float("jaccard")),
            ..Concept::with(params)
        }
    }

    /// What both have.
    fn with(params: &Params) -> Concept {
        Concept {
            threshold: params.float("threshold"),
            spread: params.float("spread"),
            spread_is_share: params.choice("spread_by") == "share",
            length_threshold: params.float("length_threshold"),
            shared: params.float("shared"),
            query: params.int("query"),
            key_concepts: params.int("key_concepts"),
            phrase: params.int("phrase"),
            frequency: params.int("frequency"),
            merge: 1.0,
            hubs: 0,
            jaccard: None,
        }
    }

    /// The network of a page.
    fn web(&self, text: &Text, concepts: &Concepts) -> Web {
        match self.jaccard {
            None => Web::new(concepts, self.frequency),
            Some(least) => {
                let links = sentences::links(text, concepts, least);
                Web::linked(concepts, self.frequency, links.into_iter())
            }
        }
    }

    /// The concepts of a page and the key concepts among them, best first.
    fn keys(&self, text: &Text) -> (Concepts, Vec<Key>) {
        let concepts = Concepts::find(text.words(), self.phrase, self.merge);
        let web = self.web(text, &concepts);
        let hubs = web.hubs(&concepts, self.hubs);
        let growth = web.distances(&hubs).growth;
        let key = |&hub: &usize| Key {
            concept: web.concepts[hubs[hub] as usize] as usize,
            contribution: contribution(growth[hub], web.concepts.len()),
        };
        let keys = self.best(&growth).iter().map(key).collect();
        (concepts, keys)
    }

    /// The places, among hubs in the order of degree, frequency and text, of those without which distances grow most.
    fn best(&self, growth: &[u64]) -> Vec<usize> {
        let mut best: Vec<usize> = (0..growth.len()).collect();
        // The sort is stable: ties stay in that order.
        best.sort_by_key(|&hub| Reverse(growth[hub]));
        best.truncate(self.key_concepts);
        best
    }
}

/// The key of a concept in sketches.
fn hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

impl Method for Concept {
    fn sketch(&self, text: &Text) -> Sketch {
        let (concepts, keys) = self.keys(text);
        let mut entries: Vec<Entry<'_>> = keys
            .iter()
            .map(|key| {
                let concept = &concepts.all[key.concept];
                Entry {
                    hash: hash(&concept.name),
                    weight: concept.positions.len() as u32,
                    positions: &concept.positions,
                }
            })
            .collect();
        let queried = entries.iter().take(self.query).map(|entry| entry.hash);
        let mut queried: Vec<u64> = queried.collect();
        queried.sort_unstable();
        Sketch {
            keys: queried,
            extra: vector::pack(text.words().len(), &mut entries),
            ..Sketch::default()
        }
    }

    fn bounds(&self, keys: usize) -> Bounds {
        // 0.55 of 20 is 11, though the product is a little more.
        let least = (self.shared * keys as f64 - 1e-9).ceil();
        Bounds::overlap(least as usize)
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        self.judge(&Compared::of(a, b), trace)
    }

    fn keywords(&self, text: &Text) -> Option<Vec<Keyword>> {
        let (concepts, keys) = self.keys(text);
        let keyword = |key: &Key| {
            let concept = &concepts.all[key.concept];
            Keyword {
                word: concept.name.clone(),
                also: concept.others().map(str::to_owned).collect(),
                score: key.contribution,
                positions: concept.positions.clone(),
            }
        };
        Some(keys.iter().map(keyword).collect())
    }

    fn spots(&self, text: &Text) -> Vec<Spot> {
        self.places(text)
    }
}
