//! The method's table entry, its sketches, and their comparison.

#[cfg(test)]
mod tests;
#[cfg(test)]
mod verdict_tests;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::extra::Extra;
use super::fingerprint::Fingerprint;
use super::grams::{Placed, Unit, aligned, grams, prose, tokens, units};
use super::overlap::{self, KeySlots, SketchOverlap};
use super::params::CoverageParams;
use super::verdict::rare_bigrams;
use crate::compare::Word;
use crate::compare::bigrams::{self, Bigrams};
use crate::knowledge::{Filter, Knowledge};
use crate::method::{Highlight, Learns, Method, MethodInfo, Trace, UpperBound, Verifier};
use crate::relation::{Relation, Verdict, ratio};
use crate::sketch::{Bounds, Sketch, SketchRef};
use crate::text::{Extract, Text};

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "coverage",
    summary: "pages whose text another page contains; the differences distinguish reprints from forms and templates",
    source: "our own, after Broder 1997 (containment) and CCDet 2013 (full stops mark body text)",
    learns: Learns::Common(|params| CoverageParams::from(params).common_rule()),
    extract: Extract::Main,
    params: &[CoverageParams::PARAMS],
    judged_by: &[
        "threshold",
        "length_threshold",
        "replaced",
        "replaced_frequent",
        "short",
        "short_replaced",
        "rest",
        "prose",
        "reworded",
        "own_words",
        "own_share",
        "verify",
    ],
    reads_sentences: |_| true,
    least_similarity: |params| CoverageParams::from(params).threshold,
    build: |params, known| Box::new(Coverage::new(params.into(), known)),
};

/// Coverage: a page repeats another if it has the other's text and leaves it nothing of its own.
///
/// # What it finds
/// Reprints, edited, reworded and shortened copies, and pages contained in longer ones, in any language, in prose, lists, code and poems.
/// Also pages that share a story while each says something of its own: these overlap.
///
/// # How
/// A sketch is the grams of `width` words (single characters in scripts without spaces, and syllables of Hangul) whose hash falls into a
/// fixed 1/`sample` of all hashes, but at least the sixteen smallest. Two pages are candidates unless their sketches certainly share too
/// little. The texts of candidates are compared once, which gives the words in the same order (equal or nearly), the passages that were
/// moved, and the *own passages*, which the other text does not have at all. Then three questions are asked; each has a few rules, one of
/// which must hold.
///
/// 1. Do they share enough? The larger page has `threshold` of the words of the smaller one outside frames.
/// 2. Is that a story or a frame? Asked only if some of it may belong to a template. It is a story if the text outside templates agrees too
///    (`rest`), or hardly a word differs, or the page is an article (`prose`) and a statement is shared, or names and numbers agree.
/// 3. Are they the same where words differ? They are if no more words are replaced than in a copy (`replaced`, less in forms,
///    `replaced_frequent`, and on pages of fewer than `short` words, `short_replaced`), or a machine misread them, or `reworded` of the
///    words are in order and names and numbers agree. Articles that are mostly in order but differ in names only overlap.
///
/// A page says something of its own if a passage has `own_words` words and `own_share` of the page, if several passages together have three
/// times that, or if other numbers replace its numbers. If neither page does, they are duplicates; if only the larger does, it contains the
/// other; if both do, they overlap, and neither is dropped.
///
/// Lines of frames are neither evidence nor own text. These are lines without a full sentence that several otherwise different texts have,
/// ignoring numbers. Short lines without a sentence at both ends of a text are not own text either. A template's gram is on at least
/// `common_df` different texts of which few pairs agree in nearly everything (`agreement`). Both are learnt once and then frozen.
///
/// # Misses
/// Copies in which every fourth word was changed. A story in two different long notices. Two pages with the same notice that differ in a
/// few words, but not in numbers or names, if nothing was learnt of the notice.
///
/// # Parameters
/// `retold methods coverage` lists them with their ranges.
///
/// # Reference
/// Containment and its sample: Broder, On the resemblance and containment of documents, 1997. Full stops as the mark of body text: Wei et
/// al., CCDet, 2013. The rest is ours; `docs/lab/own.md` has the measurements.
#[derive(Clone, Debug)]
pub struct Coverage {
    pub(super) params: CoverageParams,
    pub(super) known: Arc<Knowledge>,
    /// The keys about which `known` says something.
    pub(super) known_keys: Filter,
    /// The frequent bigrams of `known`.
    pub(super) frequent: FxHashSet<u32>,
}

/// How many sampled grams are added to the sample at a time.
const CHUNK: usize = 64;
/// Minimum number of grams in a sketch, if the page has as many.
const LEAST_KEYS: usize = 16;

impl Coverage {
    pub(super) fn new(params: CoverageParams, known: &Arc<Knowledge>) -> Coverage {
        Coverage {
            params,
            known: Arc::clone(known),
            known_keys: Filter::new(&[&known.common]),
            frequent: known.bigrams.iter().copied().collect(),
        }
    }

    /// Whether a bigram is on many texts, as far as is known. If no texts were counted, none can be called rare.
    pub(super) fn is_frequent(&self, bigram: u32) -> bool {
        self.known.texts == 0 || self.frequent.contains(&bigram)
    }

    /// The sampled grams of a text, ascending and distinct.
    fn sample_of(&self, tokens: &[Placed]) -> Vec<u64> {
        let all = || grams(tokens, self.params.width).map(|gram| gram.hash);
        let sort = |sample: &mut Vec<u64>| {
            sample.sort_unstable();
            sample.dedup();
        };
        let below = self.params.below();
        let mut sample = Vec::with_capacity(tokens.len() / self.params.sample);
        // Which grams are sampled cannot be predicted, so every gram is written without a branch, and overwritten by the next unless it is
        // sampled.
        let (mut chunk, mut count) = ([0; CHUNK], 0);
        all().for_each(|gram| {
            chunk[count % CHUNK] = gram;
            count += usize::from(gram < below);
            if count == CHUNK {
                sample.extend_from_slice(&chunk);
                count = 0;
            }
        });
        sample.extend_from_slice(&chunk[..count]);
        sort(&mut sample);
        if sample.len() < LEAST_KEYS {
            sample = all().collect();
            sort(&mut sample);
            sample.truncate(LEAST_KEYS);
        }
        sample
    }

    fn sketch_of(sample: &[u64], prose: u64, units: &[Unit], bigrams: &[u32]) -> Sketch {
        if sample.is_empty() {
            return Sketch::default();
        }
        Sketch {
            keys: sample.to_vec(),
            extra: Extra::numbers(prose, units, bigrams),
            ..Sketch::default()
        }
    }

    /// The sketch of a text; appends its partial fingerprint to `partials`.
    pub(super) fn sketch_with_partial(&self, text: &Text, partials: &mut Vec<u64>) -> Sketch {
        let (tokens, prose) = (tokens(text), prose(text));
        let sample = self.sample_of(&tokens);
        let units = units(text, &tokens);
        let words = aligned(text, &tokens);
        let bigrams = Fingerprint::write_partial(prose, words, &units, &sample, partials);
        Coverage::sketch_of(&sample, prose, &units, &bigrams)
    }
}

impl Method for Coverage {
    fn sketch(&self, text: &Text) -> Sketch {
        let tokens = tokens(text);
        let sample = self.sample_of(&tokens);
        let words: Vec<Word> = aligned(text, &tokens).collect();
        let bigrams = bigrams::sample(&words);
        Coverage::sketch_of(&sample, prose(text), &units(text, &tokens), &bigrams)
    }

    /// The number of keys below the sampling limit: two pages are compared on at least as many keys as the smaller one has of these.
    fn size(&self, keys: &[u64]) -> usize {
        keys.partition_point(|&key| key < self.params.below())
    }

    fn least_size(&self, keys: usize) -> usize {
        // With so few keys, all may be above the sampling limit.
        if keys > LEAST_KEYS { keys } else { 0 }
    }

    fn bounds(&self, size: usize) -> Bounds {
        Bounds::overlap(self.params.least_shared(size))
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        // With tracing, do not stop early, so that full counts are shown.
        let least = |size| match trace.is_on() {
            true => 0,
            false => self.params.least_shared(size),
        };
        let overlap = SketchOverlap::of_sketches(a, b, self.params.below(), least)?;
        let value = self.params.estimate(a, b, &overlap, trace)?;
        let sizes = (a.keys.len(), b.keys.len());
        let meaning = "length ratio: keys of the smaller sketch divided by those of the larger";
        let least = self.params.length_threshold;
        let (relation, length_ratio) = trace.by_length("length ratio", meaning, sizes, least);
        Some(Verdict {
            relation,
            similarity: value,
            length_ratio,
            shared: overlap.sampled_shared as u32,
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        })
    }

    fn bigrams(&self, sketch: SketchRef<'_>) -> Vec<u32> {
        let all = bigrams::hashes(Extra::of(sketch).bigrams);
        all.filter(|&hash| !self.is_frequent(hash)).collect()
    }

    fn retold(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        let shared = SketchOverlap::of_sketches(a, b, self.params.below(), |_| 0)?;
        if shared.is_mostly_boilerplate() {
            return None;
        }
        let rare = [a, b].map(|sketch| {
            let extra = Extra::of(sketch);
            let mut rare = extra.bigrams.to_vec();
            bigrams::delete(&mut rare, |hash| self.is_frequent(hash));
            (extra.head, rare)
        });
        let [x, y] = rare
            .each_ref()
            .map(|(head, rare)| Bigrams::read(*head, rare));
        let found = x.in_common(y);
        let check = rare_bigrams(found.share());
        trace.test(check).then(|| Verdict {
            relation: Relation::Overlaps,
            similarity: found.share(),
            length_ratio: ratio(
                a.keys.len().min(b.keys.len()),
                a.keys.len().max(b.keys.len()),
            ),
            shared: found.shared as u32,
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        })
    }

    fn may_reach(
        &self,
        a: SketchRef<'_>,
        b: SketchRef<'_>,
        similarity: f64,
        length_ratio: f64,
    ) -> bool {
        let (smaller, larger) = (
            a.keys.len().min(b.keys.len()),
            a.keys.len().max(b.keys.len()),
        );
        ratio(smaller, larger) >= length_ratio
            && overlap::may_reach(a.keys, b.keys, self.params.below(), similarity)
    }

    /// Pages that are not articles need a distinctive key as evidence, unless they share nearly everything.
    fn needs_distinctive(&self, sketch: SketchRef<'_>) -> Option<usize> {
        let prose = Extra::of(sketch).prose;
        // A larger page has at least as many keys, if the page has more than a short one keeps; with equally many, the one with less prose
        // is the smaller.
        let is_smaller = sketch.keys.len() > LEAST_KEYS;
        let needs = is_smaller && prose < self.params.least_prose() && self.params.rest > 0.0;
        needs.then(|| self.params.nearly_all(sketch.keys.len()))
    }

    fn upper_bound(&self, sketch: SketchRef<'_>) -> Option<UpperBound<'_>> {
        let slots = KeySlots::new(sketch);
        Some(Box::new(move |other| {
            let overlap = SketchOverlap::at_most(&slots, other, self.params.below());
            self.params
                .estimate(slots.sketch(), other, &overlap, &mut Trace::off())
        }))
    }

    fn verifier(&self) -> Option<&dyn Verifier> {
        self.params.verifies().then_some(self)
    }

    fn highlights(&self, text: &Text) -> Vec<Highlight> {
        let tokens = tokens(text);
        let sample = self.sample_of(&tokens);
        let is_sampled = |hash| sample.binary_search(&hash).is_ok();
        let sampled = grams(&tokens, self.params.width).filter(|gram| is_sampled(gram.hash));
        let highlights = sampled.map(|gram| Highlight {
            key: gram.hash,
            start: gram.bytes.0,
            end: gram.bytes.1,
            label: None,
        });
        highlights.collect()
    }
}
