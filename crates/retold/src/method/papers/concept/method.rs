//! The table entries of `concept` and `keyworld`, and their common code.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use quick_cache::sync::Cache;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::compare::Compared;
use super::network::{Web, contribution, gain};
use super::params::{Across, ConceptParams, KeyworldParams, Links, SharedParams};
use super::phrase::{self, Concepts};
use super::sentences;
use super::units::units;
use super::vector::{self, Entry};
use crate::method::{Highlight, Keyword, Learns, Method, MethodInfo, Trace};
use crate::param::Params;
use crate::relation::Verdict;
use crate::sketch::{Bounds, Sketch, SketchRef};
use crate::text::{Extract, Text};

const JUDGED_BY: &[&str] = &[
    "threshold",
    "spread",
    "spread_by",
    "length_threshold",
    "shared",
];

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "concept",
    summary: "pages with the same key concepts at the same positions: concepts central to the text's word network",
    source: "DWDCS, Journal of Software 2011, 22(8):1816",
    learns: Learns::Nothing,
    extract: Extract::Main,
    params: &[SharedParams::PARAMS, ConceptParams::PARAMS],
    judged_by: JUDGED_BY,
    reads_sentences: |params| SharedParams::from(params).across == Across::Sentence,
    least_similarity: |params| SharedParams::from(params).threshold,
    build: |params, _| Box::new(Concept::new(params)),
};

pub(in crate::method) const KEYWORLD: MethodInfo = MethodInfo {
    name: "keyworld",
    summary: "pages with the same key words at the same positions: `concept` without merging, with every node scored",
    source: "KeyWorld, Discovery Science 2001, LNCS 2226:271",
    learns: Learns::Nothing,
    extract: Extract::Main,
    params: &[SharedParams::PARAMS, KeyworldParams::PARAMS],
    judged_by: JUDGED_BY,
    reads_sentences: |params| {
        KeyworldParams::from(params).links == Links::Sentences
            || SharedParams::from(params).across == Across::Sentence
    },
    least_similarity: |params| SharedParams::from(params).threshold,
    build: |params, _| Box::new(Concept::keyworld(params)),
};

/// Key concepts: those whose removal lengthens the paths of the page's word network most. `keyworld` is the same without merging words into
/// concepts.
///
/// # What it finds
/// Pages with the same key concepts at the same positions: reprints, even if words were replaced by synonyms.
///
/// # How
/// Words are lemmas (English, by WordNet) or stems; up to `phrase` content words that follow each other twice or more on the page are a
/// phrase. Phrases whose words and synonyms agree by more than `merge` (Rel) become one concept, by complete linkage, ties by text.
/// Concepts that occur more than `frequency` times are nodes; those at most two apart in the page's sequence of concepts are linked, across
/// the page, its blocks or its sentences (`across`); the largest connected component is kept. Among the `hubs` nodes of highest degree
/// (`keyworld`: all), the key concepts are the `key_concepts` nodes whose removal lengthens the mean distance between the others most (CB;
/// `contribution=all` subtracts the mean distance between all nodes, as printed in DWDCS). A pair that the removal disconnects counts as
/// the longest distance + 1, so that the hub of a star comes first; KeyWorld adds up the widths of the parts, which puts it last. KeyWorld
/// itself links words in the same sentences: `keyworld` with `links=sentences`.
///
/// Two pages are compared if they share `shared` of their first `query` key concepts. They are related if the cosine of the counts of their
/// key concepts reaches `threshold` and S stays below `spread`. S_i is the standard deviation of the shifts between the first occurrences
/// of concept i; S is its mean over concepts that occur twice or more on both pages, divided by the words of the shorter page
/// (`spread_by=words`: in words; `spread_by=dwdcs`: as printed in DWDCS, the deviation from the mean of the sizes of the shifts, over all
/// shared concepts, in the direction in which it is larger). Without such concepts positions are not tested. If one page is shorter than
/// `length_threshold` times the other, it is contained in it.
///
/// # Misses
/// Contained pages (their key concepts differ), shortened versions, and pages below about 500 characters, where hardly any concept stands
/// out. Lists and word-for-word templates can look alike. On a page with more than 3,000 different phrases the most frequent ones count.
/// `keyworld` takes minutes for a word list of that size.
///
/// # Parameters
/// `retold methods concept` and `retold methods keyworld` list them with their ranges; `docs/lab/methods.md` has the curves.
///
/// # Reference
/// DWDCS (Journal of Software 2011, 22(8):1816); KeyWorld (Discovery Science 2001, LNCS 2226:271). Ours are: links across the page; CB
/// between the other nodes; single words for phrases (the twenty key concepts of the paper's example are single words); complete linkage
/// where the paper leaves open what is merged first; ≥ where it has >; S relative to the length of the page (a threshold in words,
/// `spread_by=words`, that fits short pages rejects long ones); the mean of the shifts rather than of their sizes, so that S does not
/// change when the pages are swapped; querying with the first concepts of both pages; and containment.
#[derive(Debug)]
pub struct Concept {
    pub(super) params: SharedParams,
    /// Phrases related by more than this become one concept; 1 merges none.
    pub(super) merge: f64,
    /// How many nodes of highest degree are scored; 0: all.
    pub(super) hubs: usize,
    /// The least Jaccard coefficient of the sentence sets of two linked words, if sentences link words.
    jaccard: Option<f64>,
    /// Sketches of recent texts, by what they depend on: a network is costly, and crawls have the same text on many pages.
    made: Cache<u128, Sketch>,
}

/// The number of cached sketches.
const REMEMBERED: usize = 4096;

/// A key concept of a page: an index into [`Concepts::all`], and its CB.
struct Key {
    concept: usize,
    contribution: f64,
}

impl Concept {
    /// The method called `name` with checked parameters; `None` if it is neither of the two.
    pub fn named(name: &str, params: &Params) -> Option<Concept> {
        match name {
            "concept" => Some(Concept::new(params)),
            "keyworld" => Some(Concept::keyworld(params)),
            _ => None,
        }
    }

    /// The method `concept`.
    pub fn new(params: &Params) -> Concept {
        let own = ConceptParams::from(params);
        Concept {
            params: params.into(),
            merge: own.merge,
            hubs: own.hubs,
            jaccard: None,
            made: Cache::new(REMEMBERED),
        }
    }

    /// The method `keyworld`.
    pub fn keyworld(params: &Params) -> Concept {
        let own = KeyworldParams::from(params);
        Concept {
            params: params.into(),
            merge: 1.0,
            hubs: 0,
            jaccard: (own.links == Links::Sentences).then_some(own.jaccard),
            made: Cache::new(REMEMBERED),
        }
    }

    pub(super) fn concepts(&self, text: &Text) -> Concepts {
        Concepts::find(text.words(), self.params.phrase, self.merge)
    }

    pub(super) fn web(&self, text: &Text, concepts: &Concepts) -> Web {
        let units = units(text, self.params.across);
        match self.jaccard {
            None => Web::new(concepts, self.params.frequency, &units),
            Some(least) => {
                let links = sentences::links(text, concepts, &units, least);
                Web::linked(concepts, self.params.frequency, links.into_iter())
            }
        }
    }

    /// The concepts of a page, and its key concepts, best first.
    fn keys(&self, text: &Text) -> (Concepts, Vec<Key>) {
        let concepts = self.concepts(text);
        let web = self.web(text, &concepts);
        let hubs = web.hubs(&concepts, self.hubs);
        let found = web.distances(&hubs);
        let by = self.params.contribution;
        let key = |&hub: &usize| Key {
            concept: web.concepts[hubs[hub] as usize] as usize,
            contribution: contribution(&found, hub, web.concepts.len(), by),
        };
        let gains: Vec<i64> = (0..hubs.len()).map(|hub| gain(&found, hub, by)).collect();
        let keys = self.best(&gains).iter().map(key).collect();
        (concepts, keys)
    }

    /// The indices of the hubs without which distances grow most. `gains` is ordered by degree, frequency and text.
    pub(super) fn best(&self, gains: &[i64]) -> Vec<usize> {
        let mut best: Vec<usize> = (0..gains.len()).collect();
        // The sort is stable, so ties keep that order.
        best.sort_by_key(|&hub| Reverse(gains[hub]));
        best.truncate(self.params.key_concepts);
        best
    }
}

/// The key of a concept in sketches.
fn hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

/// The name of a concept, and the phrases merged with it.
fn label(concept: &phrase::Concept) -> String {
    let others: Vec<&str> = concept.others().collect();
    if others.is_empty() {
        return concept.name.clone();
    }
    format!("{} [= {}]", concept.name, others.join(", "))
}

/// A hash of what a sketch depends on: the text that methods see, its sentences, and its language.
fn seen(text: &Text) -> u128 {
    let mut hash = Xxh3::new();
    let mut add = |part: &str| {
        hash.update(part.as_bytes());
        hash.update(b"\n");
    };
    add(text.language().unwrap_or_default());
    text.seen().for_each(|(_, block)| add(block));
    for sentence in &text.sentences {
        add(&text.folded[sentence.start as usize..sentence.end as usize]);
    }
    hash.digest128()
}

impl Concept {
    fn make_sketch(&self, text: &Text) -> Sketch {
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
        let queried = entries
            .iter()
            .take(self.params.query)
            .map(|entry| entry.hash);
        let mut queried: Vec<u64> = queried.collect();
        queried.sort_unstable();
        Sketch {
            keys: queried,
            extra: vector::pack(text.words().len(), &mut entries),
            ..Sketch::default()
        }
    }
}

impl Method for Concept {
    fn sketch(&self, text: &Text) -> Sketch {
        let seen = seen(text);
        if let Some(sketch) = self.made.get(&seen) {
            return sketch;
        }
        let sketch = self.make_sketch(text);
        self.made.insert(seen, sketch.clone());
        sketch
    }

    fn bounds(&self, keys: usize) -> Bounds {
        self.params.bounds(keys)
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        Compared::of(a, b).judge(&self.params, trace)
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

    /// The places of the queried key concepts.
    fn highlights(&self, text: &Text) -> Vec<Highlight> {
        let (concepts, keys) = self.keys(text);
        let words = text.words().all();
        let mut highlights = Vec::new();
        for key in keys.iter().take(self.params.query) {
            let concept = &concepts.all[key.concept];
            for (&first, &last) in concept.positions.iter().zip(&concept.ends) {
                highlights.push(Highlight {
                    key: hash(&concept.name),
                    start: words[first as usize].start,
                    end: words[last as usize].end,
                    label: Some(label(concept)),
                });
            }
        }
        highlights
    }
}
