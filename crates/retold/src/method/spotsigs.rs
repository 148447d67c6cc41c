//! The method `spotsigs`: spot signatures (METHODS §4).

mod signature;
#[cfg(test)]
mod tests;

use xxhash_rust::xxh3::xxh3_64_with_seed;

pub(super) use signature::Signatures;

use super::{
    Bounds, Check, Domain, Learns, Method, MethodInfo, Op, Param, Params, Sketch, SketchRef, Spot,
    Trace, count_shared,
};
use crate::relation::{Relation, Verdict, ratio};
use crate::text::{Extract, Text};
use signature::Antecedents;

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "spotsigs",
    summary: "pages with the same running text: stop-words and the content words after them",
    source: "Theobald, Siddharth and Paepcke, SIGIR 2008",
    learns: Learns::Nothing,
    extract: Extract::None,
    params: &[
        Param {
            name: "threshold",
            domain: Domain::Float(0.44, 0.0, 1.0),
            help: "minimum Jaccard similarity of the multisets of signatures",
        },
        Param {
            name: "min_shared",
            domain: Domain::Int(3, 1, 1000),
            help: "least number of shared signatures",
        },
        Param {
            name: "antecedents",
            domain: Domain::Choice("common", Antecedents::NAMES),
            help: "the stop-words that signatures begin with: is; a, an, the; these and others; all",
        },
        Param {
            name: "distance",
            domain: Domain::Int(Signatures::DEFAULT.distance as i64, 1, 20),
            help: "1: a signature has the next content words; 2: every second one, and so on",
        },
        Param {
            name: "chain",
            domain: Domain::Int(Signatures::DEFAULT.chain as i64, 1, 20),
            help: "content words in a signature",
        },
    ],
    judged_by: &["threshold", "min_shared"],
    reads_sentences: |_| false,
    least_similarity: |params| params.float("threshold"),
    build: |params, _| Box::new(SpotSigs::new(params)),
};

/// Spot signatures: running text is full of small words, menus are not.
///
/// # What it finds
/// Pages with the same article, whatever template surrounds it, without extracting the article first.
///
/// # How
/// Wherever one of the `antecedents` occurs, it and `chain` content words after it (every `distance`-th; stop-words do
/// not count) are a signature. English has lists, Chinese too (是; 的; 了 在 和 …); other languages take all their
/// stop-words. Pages are multisets of signatures: Σ min / Σ max of the counts is their Jaccard similarity, and pages
/// that reach `threshold` are duplicates. All of them are found and few others compared: a page of n signatures can
/// reach t only with pages of at most n / t, and has to share 2tn / (1 + t) with them.
///
/// # Misses
/// Contained pages and cut versions (Jaccard cannot be above the length ratio); text in which half of the sentences
/// were edited; lists and tables.
///
/// # Parameters
/// `retold methods spotsigs` lists them with their ranges.
///
/// # Reference
/// SpotSigs: robust and efficient near duplicate detection in large web collections, SIGIR 2008. We deviate by
/// `min_shared` and by lists for Chinese, which CCDet's comparison has but does not print. The paper's partitions and
/// its pruning of lists are those of our index, which cuts by the same two bounds.
#[derive(Clone, Debug)]
pub struct SpotSigs {
    threshold: f64,
    min_shared: usize,
    signatures: Signatures,
}

impl SpotSigs {
    fn new(params: &Params) -> SpotSigs {
        SpotSigs {
            threshold: params.float("threshold"),
            min_shared: params.int("min_shared"),
            signatures: Signatures {
                antecedents: Antecedents::named(params.choice("antecedents")),
                distance: params.int("distance"),
                chain: params.int("chain"),
            },
        }
    }

    fn overlap(&self, keys: usize) -> usize {
        // The larger page has `keys` of them at the least.
        let mut least = (2.0 * self.threshold * keys as f64 / (1.0 + self.threshold)) as usize;
        while least > 0 && jaccard(least - 1, keys, keys) >= self.threshold {
            least -= 1;
        }
        while least < keys && jaccard(least, keys, keys) < self.threshold {
            least += 1;
        }
        least.max(self.min_shared)
    }

    fn reach(&self, keys: usize) -> usize {
        if self.threshold == 0.0 {
            return usize::MAX;
        }
        // The larger page holds all of the smaller one at the best.
        let mut most = (keys as f64 / self.threshold) as usize;
        while ratio(keys, most) < self.threshold && most > keys {
            most -= 1;
        }
        while ratio(keys, most + 1) >= self.threshold && keys > 0 {
            most += 1;
        }
        most
    }
}

/// Jaccard similarity of two sets of these sizes with so many in common.
fn jaccard(shared: usize, a: usize, b: usize) -> f64 {
    ratio(shared, a + b - shared)
}

/// A set whose Jaccard similarities are those of the multiset: the i-th occurrence of a signature is an element of its
/// own, so that two pages share as many as the one with fewer has.
fn numbered(mut signatures: Vec<u64>) -> Vec<u64> {
    signatures.sort_unstable();
    let mut keys = Vec::with_capacity(signatures.len());
    let mut number = 0;
    for (at, &signature) in signatures.iter().enumerate() {
        let again = at > 0 && signatures[at - 1] == signature;
        number = if again { number + 1 } else { 0 };
        keys.push(match number {
            0 => signature,
            _ => xxh3_64_with_seed(&signature.to_le_bytes(), number),
        });
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

impl Method for SpotSigs {
    fn sketch(&self, text: &Text) -> Sketch {
        let spots = self.signatures.spots(text);
        Sketch {
            keys: numbered(spots.iter().map(|spot| spot.key).collect()),
            ..Sketch::default()
        }
    }

    fn bounds(&self, keys: usize) -> Bounds {
        Bounds {
            overlap: self.overlap(keys),
            reach: self.reach(keys),
        }
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        let (m, n) = (a.keys.len(), b.keys.len());
        let shared = count_shared(a.keys, b.keys);
        let least = self.min_shared as f64;
        let few = "shared signatures (multiset)";
        let few = Check::number("shared", few, shared, Op::AtLeast, least);
        let jaccard = "shared signatures over all signatures of both pages";
        let jaccard = Check::ratio("Jaccard", jaccard, shared, m + n - shared, self.threshold);
        let similarity = jaccard.value;
        let (enough, similar) = (trace.test(few), trace.test(jaccard));
        (enough && similar).then(|| Verdict {
            relation: Relation::Duplicate,
            similarity,
            length_ratio: ratio(m.min(n), m.max(n)),
            shared: shared as u32,
            shared_chars: 0,
        })
    }

    fn spots(&self, text: &Text) -> Vec<Spot> {
        self.signatures.spots(text)
    }
}
