//! The method `imatch`: one hash over the words that are neither common nor very rare (Chowdhury et al. 2002).

use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use super::features::Features;
use crate::knowledge::Knowledge;
use crate::method::{Check, Learns, Method, MethodInfo, Op, Trace};
use crate::param::params;
use crate::relation::{Relation, Verdict, ratio};
use crate::sketch::{Bounds, Sketch, SketchRef, count_shared};
use crate::text::{Extract, Text};

params! {
    /// The parameters of `imatch`.
    pub(in crate::method) struct IMatchParams {
        /// minimum share of equal signatures; with 0, one is enough
        threshold: f64[0.0..=1.0] = 0.0,
        /// what is hashed: content words, spot signatures, or full-stop features
        features: Features = Features::Words,
        /// minimum normalised IDF, ln(N / df) / ln N, of a feature that is hashed
        idf_min: f64[0.0..=1.0] = 0.2,
        /// maximum normalised IDF of a feature that is hashed
        idf_max: f64[0.0..=1.0] = 0.9,
        /// how many of these are hashed, those with the highest IDF; 0 for all
        terms: usize[0..=1000] = 20,
        /// minimum number of features in a signature
        min_terms: usize[1..=1000] = 5,
        /// random lexicons that make further signatures
        lexicons: usize[0..=64] = 10,
        /// share of all features that a random lexicon omits
        drop: f64[0.01..=0.99] = 0.3,
    }
}

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "imatch",
    summary: "pages with exactly the same distinctive words",
    source: "Chowdhury et al., ACM TOIS 20(2), 2002; Kołcz, Chowdhury and Alspector, KDD 2004",
    learns: Learns::Words(|params, text| IMatchParams::from(params).features.set_of(text)),
    extract: Extract::Main,
    params: &[IMatchParams::PARAMS],
    judged_by: &["threshold"],
    reads_sentences: |params| IMatchParams::from(params).features == Features::Stops,
    least_similarity: |params| IMatchParams::from(params).threshold,
    build: |params, known| Box::new(IMatch::new(params.into(), known)),
};

/// I-Match: hashes the words of medium rarity together; one equal hash decides.
///
/// # What it finds
/// Pages that agree in every word that is neither common nor unique, in any order and with any common words around them.
///
/// # How
/// The collection is read once to count the document frequency (df) of each feature. A signature is the hash of a page's distinct features
/// with `idf_min` ≤ ln(N / df) / ln N ≤ `idf_max`, or of the `terms` rarest of them. Each of `lexicons` random lexicons, which lack a share
/// `drop` of all features, makes another signature: an edit of features that a lexicon lacks does not change its signature. Pages that
/// share a signature (`threshold`: this share of them) are duplicates; similarity is that share. The default `idf_max` excludes words on
/// one or two pages: in small collections most differences between copies are such words.
///
/// # Misses
/// Contained pages; copies with more edits than random lexicons tolerate, so most copies in another template unless `features` leaves
/// templates out; collections of a few pages, in which rarity says nothing.
///
/// # Parameters
/// `retold methods imatch` lists them with their ranges. `features=spots` and `features=stops` are CCDet's IMatch-S and IMatch-P.
///
/// # Reference
/// Chowdhury, Frieder, Grossman and McCabe, Collection statistics for fast duplicate document detection, ACM TOIS 20(2), 2002; random
/// lexicons: Kołcz, Chowdhury and Alspector, Improved robustness of signature-based near-replica detection via lexicon randomization, KDD
/// 2004. `min_terms` is ours, because a hash of one or two words is not evidence.
#[derive(Clone, Debug)]
pub struct IMatch {
    params: IMatchParams,
    /// A random lexicon lacks the features whose hash is below this.
    drop_below: u64,
    known: Arc<Knowledge>,
}

impl IMatch {
    fn new(params: IMatchParams, known: &Arc<Knowledge>) -> IMatch {
        IMatch {
            drop_below: (params.drop * u64::MAX as f64) as u64,
            params,
            known: Arc::clone(known),
        }
    }

    /// The features of a page within the IDF band, rarest first.
    fn in_band(&self, features: &[u64]) -> Vec<u64> {
        let words = &self.known.words;
        let most = (words.texts().max(1) as f64).ln();
        let rarity = |feature: u64| words.idf(feature) / most;
        let in_band =
            |feature: &u64| (self.params.idf_min..=self.params.idf_max).contains(&rarity(*feature));
        let mut chosen: Vec<u64> = features.iter().copied().filter(in_band).collect();
        chosen.sort_unstable_by_key(|&feature| (words.df(feature), feature));
        chosen
    }

    /// Whether a lexicon has a feature; lexicon 0 is complete.
    fn has(&self, lexicon: u64, feature: u64) -> bool {
        lexicon == 0 || xxh3_64_with_seed(&feature.to_le_bytes(), lexicon) >= self.drop_below
    }

    /// The signature of features (rarest first) in a lexicon.
    fn signature(&self, lexicon: u64, features: &[u64]) -> Option<u64> {
        let known = features
            .iter()
            .copied()
            .filter(|&feature| self.has(lexicon, feature));
        let most = match self.params.terms {
            0 => usize::MAX,
            terms => terms,
        };
        let mut chosen: Vec<u64> = known.take(most).collect();
        chosen.sort_unstable();
        let mut hash = Xxh3::with_seed(lexicon);
        chosen
            .iter()
            .for_each(|feature| hash.update(&feature.to_le_bytes()));
        (chosen.len() >= self.params.min_terms).then(|| hash.digest())
    }
}

/// The number of features of a page.
fn size(sketch: SketchRef<'_>) -> usize {
    sketch.extra.first().map_or(0, |&size| size as usize)
}

/// The ratio of the pages' feature counts, for information only.
fn length_ratio(a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> f64 {
    let (smaller, larger) = (size(a).min(size(b)), size(a).max(size(b)));
    let length_ratio = ratio(smaller, larger);
    let meaning = "features of the smaller page divided by those of the larger";
    trace.test(Check::value("length ratio", meaning, length_ratio));
    length_ratio
}

impl Method for IMatch {
    fn sketch(&self, text: &Text) -> Sketch {
        let features = self.params.features.set_of(text);
        let chosen = self.in_band(&features);
        let signatures = (0..=self.params.lexicons as u64)
            .filter_map(|lexicon| self.signature(lexicon, &chosen));
        let mut keys: Vec<u64> = signatures.collect();
        keys.sort_unstable();
        keys.dedup();
        Sketch {
            keys,
            extra: vec![features.len() as u64],
            ..Sketch::default()
        }
    }

    fn bounds(&self, _keys: usize) -> Bounds {
        let all = self.params.lexicons + 1;
        // The least count whose ratio reaches the threshold, computed as in `compare`.
        let least = (1..all).find(|&shared| ratio(shared, all) >= self.params.threshold);
        Bounds::overlap(least.unwrap_or(all))
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        let shared = count_shared(a.keys, b.keys);
        let equal = "signatures that both pages have";
        let any = trace.test(Check::number("shared", equal, shared, Op::AtLeast, 1.0));
        let share = "these divided by the signatures that a page can have";
        let all = self.params.lexicons + 1;
        let share = Check::ratio("similarity", share, shared, all, self.params.threshold);
        let similarity = share.value;
        let similar = trace.test(share);
        let length_ratio = length_ratio(a, b, trace);
        (any && similar).then_some(Verdict {
            relation: Relation::Duplicate,
            similarity,
            length_ratio,
            shared: shared as u32,
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::knowledge::Frequencies;
    use crate::method::testing::{judge, params};

    fn imatch(settings: &[(&str, &str)], texts: &[&[u64]]) -> IMatch {
        let words = Frequencies::of(texts.iter().map(|text| text.to_vec()));
        let known = Knowledge::of_words(words);
        IMatch::new((&params(&INFO, settings)).into(), &Arc::new(known))
    }

    /// Four texts: df of 1 is 4, of 2 is 2, of 3 is 2, of 4 and 5 is 1. ln N = ln 4; normalised IDF: 0, 1/2, 1/2, 1, 1.
    const TEXTS: &[&[u64]] = &[&[1, 2, 3, 4], &[1, 2, 3, 5], &[1], &[1]];

    #[test]
    fn the_band_by_hand() {
        let band =
            |min, max| imatch(&[("idf_min", min), ("idf_max", max)], TEXTS).in_band(&[1, 2, 3, 4]);
        assert_eq!(band("0.2", "0.9"), [2, 3]);
        assert_eq!(band("0", "0.5"), [2, 3, 1]);
        assert_eq!(band("0.6", "1"), [4]);
        // A feature in no text counts as one in a single text.
        assert_eq!(imatch(&[("idf_max", "1")], TEXTS).in_band(&[99]), [99]);
        // With one text, or none, there is no rarity.
        assert!(imatch(&[], &[&[1]]).in_band(&[1]).is_empty());
        assert!(imatch(&[], &[]).in_band(&[1]).is_empty());
    }

    #[test]
    fn signatures_by_hand() {
        let plain = imatch(&[("min_terms", "2")], TEXTS);
        let signature = |features: &[u64]| plain.signature(0, &plain.in_band(features));
        // Texts 1 and 2 differ only outside the band.
        assert_eq!(signature(TEXTS[0]), signature(TEXTS[1]));
        assert!(signature(TEXTS[0]).is_some());
        // One term is too few.
        assert_eq!(signature(&[2]), None);
        // The two rarest of three.
        let best = imatch(
            &[("terms", "2"), ("min_terms", "1"), ("idf_max", "1")],
            TEXTS,
        );
        assert_eq!(best.in_band(&[2, 3, 4]), [4, 2, 3]);
        assert_eq!(best.signature(0, &[4, 2, 3]), best.signature(0, &[4, 2]));
        assert_ne!(best.signature(0, &[4, 2, 3]), best.signature(0, &[4, 3]));
    }

    #[test]
    fn verdicts_by_hand() {
        let sketch = |keys: &[u64], size| Sketch {
            keys: keys.to_vec(),
            extra: vec![size],
            ..Sketch::default()
        };
        let (a, b) = (sketch(&[1, 2, 3, 4], 30), sketch(&[2, 3, 9], 40));
        let one = imatch(&[("lexicons", "3")], TEXTS);
        let verdict = judge(&one, &a, &b).unwrap();
        assert_eq!((verdict.similarity, verdict.length_ratio), (0.5, 0.75));
        assert_eq!(one.bounds(4).overlap, 1);
        let half = imatch(&[("lexicons", "3"), ("threshold", "0.5")], TEXTS);
        assert_eq!(judge(&half, &a, &b), Some(verdict));
        assert_eq!(half.bounds(4).overlap, 2);
        let more = imatch(&[("lexicons", "3"), ("threshold", "0.51")], TEXTS);
        assert_eq!(judge(&more, &a, &b), None);
        assert_eq!(more.bounds(4).overlap, 3);
        let empty = sketch(&[], 0);
        assert_eq!(judge(&one, &empty, &empty), None);
    }

    #[test]
    fn random_lexicons_forgive_a_changed_word() {
        let method = imatch(&[("lexicons", "64"), ("terms", "0")], TEXTS);
        let (a, b): (Vec<u64>, Vec<u64>) = ((100..140).collect(), (101..140).collect());
        let equal = (0..=64).filter(|&l| method.signature(l, &a) == method.signature(l, &b));
        let lack: Vec<u64> = (0..=64)
            .filter(|&lexicon| !method.has(lexicon, 100))
            .collect();
        // Exactly those that lack the word, 30 % of them: 19.2 expected, standard deviation 3.7.
        assert_eq!(equal.collect::<Vec<_>>(), lack);
        assert!((9..=30).contains(&lack.len()), "{}", lack.len());
    }

    proptest! {
        /// Reference implementation: equal signatures are equal sets.
        #[test]
        fn equal_signatures_are_equal_sets(
            a in proptest::collection::btree_set(0u64..12, 0..8),
            b in proptest::collection::btree_set(0u64..12, 0..8),
            lexicon in 0u64..5,
        ) {
            let method = imatch(&[("min_terms", "1"), ("drop", "0.5")], TEXTS);
            let [left, right] = [&a, &b].map(|set| {
                set.iter().copied().filter(|&feature| method.has(lexicon, feature)).collect::<Vec<u64>>()
            });
            let of = |set: &std::collections::BTreeSet<u64>| {
                method.signature(lexicon, &set.iter().copied().collect::<Vec<_>>())
            };
            prop_assert_eq!(of(&a) == of(&b), left == right);
            prop_assert_eq!(of(&a).is_none(), left.is_empty());
        }
    }
}
