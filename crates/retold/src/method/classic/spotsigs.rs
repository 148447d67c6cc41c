//! The method `spotsigs`: spot signatures (Theobald et al. 2008).

mod signature;
#[cfg(test)]
mod tests;

use xxhash_rust::xxh3::xxh3_64_with_seed;

pub(in crate::method) use signature::Signatures;

use crate::method::{Check, Highlight, Learns, Method, MethodInfo, Op, Trace};
use crate::param::params;
use crate::relation::{Relation, Verdict, ratio};
use crate::sketch::{Bounds, Sketch, SketchRef, count_shared};
use crate::text::{Extract, Text};
use signature::Antecedents;

params! {
    /// The parameters of `spotsigs`.
    pub(in crate::method) struct SpotSigsParams {
        /// minimum Jaccard similarity of the multisets of signatures
        threshold: f64[0.0..=1.0] = 0.44,
        /// minimum number of shared signatures
        min_shared: usize[1..=1000] = 3,
        /// the stop words that signatures begin with: is; is, a, an, the; these and others; all
        antecedents: Antecedents = Signatures::DEFAULT.antecedents,
        /// 1: a signature has the next content words; 2: every second one, and so on
        distance: usize[1..=20] = Signatures::DEFAULT.distance,
        /// content words in a signature
        chain: usize[1..=20] = Signatures::DEFAULT.chain,
    }
}

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "spotsigs",
    summary: "pages with the same running text: stop words and the content words after them",
    source: "Theobald, Siddharth and Paepcke, SIGIR 2008",
    learns: Learns::Nothing,
    extract: Extract::None,
    params: &[SpotSigsParams::PARAMS],
    judged_by: &["threshold", "min_shared"],
    reads_sentences: |_| false,
    least_similarity: |params| SpotSigsParams::from(params).threshold,
    build: |params, _| Box::new(SpotSigs(params.into())),
};

/// Spot signatures: running text is full of small words, menus are not.
///
/// # What it finds
/// Pages with the same article in any template, without main-text extraction.
///
/// # How
/// Each occurrence of one of the `antecedents`, with the `chain` content words after it (every `distance`-th, stop-words skipped), is a
/// signature. English and Chinese (是; 的; 了 在 和 …) have lists; other languages use all their stop-words. Pages are multisets of signatures
/// with Jaccard similarity Σ min / Σ max of the counts; pages that reach `threshold` are duplicates. All of them are found, with few other
/// comparisons: a page of n signatures can reach t only with pages of at most n / t, and must share 2tn / (1 + t) with them.
///
/// # Misses
/// Contained pages and shortened versions (Jaccard cannot exceed the length ratio); text in which half of the sentences were edited; lists
/// and tables.
///
/// # Parameters
/// `retold methods spotsigs` lists them with their ranges.
///
/// # Reference
/// SpotSigs: robust and efficient near duplicate detection in large web collections, SIGIR 2008. `min_shared` is ours, and so are the lists
/// for Chinese, which CCDet's comparison has but does not print. Our index prunes by the same two bounds as the paper's partitions and
/// lists.
#[derive(Clone, Debug)]
pub struct SpotSigs(SpotSigsParams);

impl SpotSigs {
    fn signatures(&self) -> Signatures {
        Signatures {
            antecedents: self.0.antecedents,
            distance: self.0.distance,
            chain: self.0.chain,
        }
    }

    fn overlap(&self, keys: usize) -> usize {
        // The larger page has at least `keys` signatures.
        let mut least = (2.0 * self.0.threshold * keys as f64 / (1.0 + self.0.threshold)) as usize;
        while least > 0 && jaccard(least - 1, keys, keys) >= self.0.threshold {
            least -= 1;
        }
        while least < keys && jaccard(least, keys, keys) < self.0.threshold {
            least += 1;
        }
        least.max(self.0.min_shared)
    }

    fn reach(&self, keys: usize) -> usize {
        if self.0.threshold == 0.0 {
            return usize::MAX;
        }
        // At best the larger page has all signatures of the smaller.
        let mut most = (keys as f64 / self.0.threshold) as usize;
        while ratio(keys, most) < self.0.threshold && most > keys {
            most -= 1;
        }
        while ratio(keys, most + 1) >= self.0.threshold && keys > 0 {
            most += 1;
        }
        most
    }
}

/// Jaccard similarity, given both sizes and the size of the intersection.
fn jaccard(shared: usize, a: usize, b: usize) -> f64 {
    ratio(shared, a + b - shared)
}

/// A set with the Jaccard similarities of the multiset: the i-th occurrence of a signature is a separate element, so two pages share as
/// many as the page with fewer occurrences has.
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
        let highlights = self.signatures().highlights(text);
        Sketch {
            keys: numbered(highlights.iter().map(|highlight| highlight.key).collect()),
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
        let least = self.0.min_shared as f64;
        let few = "shared signatures (multiset)";
        let few = Check::number("shared", few, shared, Op::AtLeast, least);
        let jaccard = "shared signatures divided by all signatures of both pages";
        let jaccard = Check::ratio("Jaccard", jaccard, shared, m + n - shared, self.0.threshold);
        let similarity = jaccard.value;
        let (enough, similar) = (trace.test(few), trace.test(jaccard));
        (enough && similar).then(|| Verdict {
            relation: Relation::Duplicate,
            similarity,
            length_ratio: ratio(m.min(n), m.max(n)),
            shared: shared as u32,
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        })
    }

    fn highlights(&self, text: &Text) -> Vec<Highlight> {
        self.signatures().highlights(text)
    }
}
