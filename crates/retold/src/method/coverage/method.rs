//! The method itself: its entry in the table, its sketches, and their comparison.

#[cfg(test)]
mod tests;
#[cfg(test)]
mod verdict_tests;

use std::sync::Arc;

use super::fingerprint::Fingerprint;
use super::grams::{Placed, Unit, aligned, grams, prose, tokens, units};
use super::overlap::{self, KeySlots, SketchOverlap};
use super::params::CoverageParams;
use crate::knowledge::{Filter, Knowledge};
use crate::method::{Highlight, Learns, Method, MethodInfo, Trace, UpperBound, Verifier};
use crate::relation::{Verdict, ratio};
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
        "many",
        "reworded",
        "own_words",
        "own_share",
        "verify",
    ],
    reads_sentences: |_| true,
    least_similarity: |params| CoverageParams::from(params).threshold,
    build: |params, known| Box::new(Coverage::new(params.into(), known)),
};

/// Coverage: a page repeats another if that has most of its text, word for word, and the rest does not contradict.
///
/// # What it finds
/// Reprints, edited and shortened copies, and pages contained in longer ones, in any language, in prose, lists, code and
/// poems, however many there are of them.
///
/// # How
/// A sketch is the grams of `width` words (single characters in scripts without spaces) whose hash falls into a fixed
/// 1/`sample` of all hashes, at least the sixteen smallest. Two pages are candidates if what their sketches share is not
/// surely too little. Candidates are judged on their texts. The coverage of two pages is the share of the smaller one's runs of
/// `run` words that the other has. What is not covered is judged by where it stands: a reprint differs before and behind
/// the shared text, or in scattered words; a form or a template has slots inside, which each page fills with words of its
/// own. So gaps inside (a fragment of a menu apart from the shared text is outside, and so is what follows a headline that both
/// pages have) may hold no more than `gaps` of the smaller page, and words that are replaced by others no more than
/// `replaced`, if both fillings are rare in the collection; where the shared text is on many texts, `replaced_frequent`. (And at both
/// ends `replaced`, if it may be a menu: the pages are of like length and no articles.) On a page of fewer than `short` words it is
/// `short_replaced`, at its ends too, but single ideographs may be others. So it is where templates leave fewer words than that, of these.
///
/// A gram on at least `common_df` different texts is frequent. It is a template's if few pairs of the pages that have it
/// agree in nearly everything: a family of reprints does, the users of a disclaimer, a menu or an advert do not. Both are
/// learnt once, from sketches, and frozen. What templates share is evidence only on articles, that is, where `prose` of the
/// smaller page stands in sentences with a full stop and 50 runs are shared; elsewhere `rest` of what is no template's has to be
/// shared too. (Or `many` runs, which is off: menus are long.)
///
/// Where it can decide, the texts are aligned word by word. A pair is rejected after all if a long passage of sentences stands in the
/// place of another, as under a notice that articles share; and accepted after all if `reworded` of the words stand in the same order
/// while the longest words and the numbers agree, or if what differs is misread.
///
/// # Misses
/// Copies in which every fourth word was changed. Articles that are less than `threshold` of both pages' text.
///
/// # Parameters
/// `retold methods coverage` lists them with their ranges.
///
/// # Reference
/// Containment and its sample: Broder, On the resemblance and containment of documents, 1997. Full stops as the mark of
/// body text: Wei et al., CCDet, 2013. The rest is ours; `docs/lab/coverage.md` has the measurements.
#[derive(Clone, Debug)]
pub struct Coverage {
    pub(super) params: CoverageParams,
    pub(super) known: Arc<Knowledge>,
    /// The keys that `known` says something of.
    pub(super) known_keys: Filter,
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
        }
    }

    /// The sample of a text of these tokens, ascending, no key twice.
    fn sample_of(&self, tokens: &[Placed]) -> Vec<u64> {
        let all = || grams(tokens, self.params.width).map(|gram| gram.hash);
        let sort = |sample: &mut Vec<u64>| {
            sample.sort_unstable();
            sample.dedup();
        };
        let below = self.params.below();
        let mut sample = Vec::with_capacity(tokens.len() / self.params.sample);
        // Which grams are sampled cannot be predicted, so there is no branch on it: each is written, and the next one over it
        // unless it is sampled.
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

    fn sketch_of(sample: &[u64], prose: u64, units: &[Unit]) -> Sketch {
        if sample.is_empty() {
            return Sketch::default();
        }
        Sketch {
            keys: sample.to_vec(),
            extra: extra(prose, units),
            ..Sketch::default()
        }
    }

    /// The sketch of a text; its partial fingerprint is added to `partials`.
    pub(super) fn sketch_with_partial(&self, text: &Text, partials: &mut Vec<u64>) -> Sketch {
        let (tokens, prose) = (tokens(text), prose(text));
        let sample = self.sample_of(&tokens);
        let units = units(text, &tokens);
        Fingerprint::write_partial(prose, aligned(text, &tokens), &units, &sample, partials);
        Coverage::sketch_of(&sample, prose, &units)
    }
}

/// What a sketch has besides its keys: the share of prose, and the hashes of the units, two in a number.
fn extra(prose: u64, units: &[Unit]) -> Vec<u64> {
    let mut hashes: Vec<u32> = units.iter().map(|unit| unit.hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    let two = |two: &[u32]| u64::from(two[0]) << 32 | u64::from(two.get(1).copied().unwrap_or(0));
    std::iter::once(prose)
        .chain(hashes.chunks(2).map(two))
        .collect()
}

impl Method for Coverage {
    fn sketch(&self, text: &Text) -> Sketch {
        let tokens = tokens(text);
        Coverage::sketch_of(&self.sample_of(&tokens), prose(text), &units(text, &tokens))
    }

    /// How many keys are in every sample: two pages are compared on at least as many as the smaller one has of these.
    fn size(&self, keys: &[u64]) -> usize {
        keys.partition_point(|&key| key < self.params.below())
    }

    fn least_size(&self, keys: usize) -> usize {
        // Of so few all may be beyond the sample.
        if keys > LEAST_KEYS { keys } else { 0 }
    }

    fn bounds(&self, size: usize) -> Bounds {
        Bounds::overlap(self.params.least_shared(size))
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        // When tracing, do not stop early: people are shown the full counts.
        let least = |size| match trace.is_on() {
            true => 0,
            false => self.params.least_shared(size),
        };
        let overlap = SketchOverlap::of_sketches(a, b, self.params.below(), least)?;
        let value = self.params.estimate((a, b), &overlap, trace)?;
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

    /// Pages that are no articles have no evidence without a distinctive key, unless they share very many runs.
    fn needs_distinctive(&self, sketch: SketchRef<'_>) -> bool {
        let prose = sketch.extra.first().copied().unwrap_or_default();
        // Of pages of more keys than short ones keep, a larger one has no fewer; of as many, the one with less prose counts.
        let is_smaller = sketch.keys.len() > LEAST_KEYS;
        let (runs, error) = self.params.runs(sketch.keys.len());
        is_smaller
            && prose < self.params.least_prose()
            && self.params.rest > 0.0
            && runs as f64 + error < self.params.many as f64
    }

    fn upper_bound(&self, sketch: SketchRef<'_>) -> Option<UpperBound<'_>> {
        let slots = KeySlots::new(sketch);
        Some(Box::new(move |other| {
            let overlap = SketchOverlap::at_most(&slots, other, self.params.below());
            let sketches = (slots.sketch(), other);
            self.params.estimate(sketches, &overlap, &mut Trace::off())
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
