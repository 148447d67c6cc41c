//! The traits of a method.

use std::ops::Range;

use serde::Serialize;

use super::check::Trace;
use crate::param::choices;
use crate::relation::Verdict;
use crate::sketch::{Bounds, Sketch, SketchRef};
use crate::text::Text;

/// A way to find pages that repeat each other.
pub trait Method: Send + Sync {
    /// The sketch of a page: keys, marks and extra numbers. It depends only on the text and the parameters, and on word frequencies if the
    /// method learns them. Linear in the text.
    fn sketch(&self, text: &Text) -> Sketch;

    /// The size of a sketch with these keys, for [`Method::bounds`]. Default: the number of keys.
    fn size(&self, keys: &[u64]) -> usize {
        keys.len()
    }

    /// The least size of a sketch with this number of keys.
    fn least_size(&self, keys: usize) -> usize {
        keys
    }

    /// What two related pages must have in common if the smaller one has this size ([`Method::size`]). The index shows [`Method::compare`]
    /// exactly the pairs within these bounds. Neither number may decrease as `size` grows.
    fn bounds(&self, size: usize) -> Bounds;

    /// The verdict on two pages; `None` if they are not related. Every test that decides goes through `trace`, in order. Symmetric:
    /// swapping the pages only swaps `contains` and `contained_by`. [`SketchRef::common`] says which keys are common in the collection.
    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict>;

    /// The bigrams of a sketch that few texts have, by which pages find each other that share too little for [`Method::compare`]. Default:
    /// none.
    fn bigrams(&self, _sketch: SketchRef<'_>) -> Vec<u32> {
        Vec::new()
    }

    /// The verdict on two pages that [`Method::compare`] does not relate, by their [bigrams](Method::bigrams). It is an estimate that has
    /// to be verified. Default: `None`.
    fn retold(&self, _a: SketchRef<'_>, _b: SketchRef<'_>, _trace: &mut Trace) -> Option<Verdict> {
        None
    }

    /// False only if [`Method::compare`] would give no verdict, or one with similarity or length ratio below these. Must be faster than
    /// comparing. Default: true.
    fn may_reach(
        &self,
        _a: SketchRef<'_>,
        _b: SketchRef<'_>,
        _similarity: f64,
        _length_ratio: f64,
    ) -> bool {
        true
    }

    /// If this returns n, the sketch is related to sketches of its [size](Method::size) or larger only if they share a key that is not
    /// common, or at least n keys. Default: `None`.
    fn needs_distinctive(&self, _sketch: SketchRef<'_>) -> Option<usize> {
        None
    }

    /// An upper bound on the similarity of this sketch to others, for comparing one sketch with many. Must be faster than
    /// [`Method::compare`]. Default: `None`.
    fn upper_bound(&self, _sketch: SketchRef<'_>) -> Option<UpperBound<'_>> {
        None
    }

    /// The verifier that checks verdicts of [`Method::compare`] on the texts. Default: none, the verdicts are final.
    fn verifier(&self) -> Option<&dyn Verifier> {
        None
    }

    /// Where in the text the keys of [`Method::sketch`] come from; a key may have several places. Default: none, and only counts are shown.
    fn highlights(&self, _text: &Text) -> Vec<Highlight> {
        Vec::new()
    }

    /// The keywords of the page, best first. Default: `None`, the method has no keywords.
    fn keywords(&self, _text: &Text) -> Option<Vec<Keyword>> {
        None
    }
}

/// For another sketch, an upper bound on the similarity that [`Method::compare`] would find; `None` only if there would be no verdict.
pub type UpperBound<'m> = Box<dyn Fn(SketchRef<'_>) -> Option<f64> + Send + Sync + 'm>;

/// Checks on the texts what sketches can only estimate, by comparing full fingerprints of the texts.
pub trait Verifier: Method {
    /// The full fingerprint of a text.
    fn fingerprint(&self, text: &Text) -> Vec<u64>;

    /// The sketch of a text; adds the partial fingerprint to `partials`, which is the part of the full one that needs no learning.
    /// Worthwhile only if it costs little beside the sketch, as most texts are never verified. Default: `None`, and nothing is added.
    fn sketch_and_partial(&self, _text: &Text, _partials: &mut Vec<u64>) -> Option<Sketch> {
        None
    }

    /// Completes a partial fingerprint; a full one does not change.
    fn complete_fingerprint(&self, _partial: &mut [u64]) {}

    /// The verdict on two texts by their full fingerprints, which replaces the verdict of [`Method::compare`]. Symmetric, and every test
    /// goes through `trace`.
    fn verify(&self, a: &[u64], b: &[u64], trace: &mut Trace) -> Option<Verdict>;

    /// False if two texts overlap at most, by their fingerprints, full or partial, and a test that costs less than [`Verifier::verify`].
    /// Default: true.
    fn may_repeat(&self, _a: &[u64], _b: &[u64]) -> bool {
        true
    }

    /// How many words of this text are in own passages above the limit, measured against all the others together; 0 if it has nothing of
    /// its own. Default: `None`, the method does not know.
    fn own_against(&self, _text: &[u64], _others: &[&[u64]]) -> Option<u32> {
        None
    }

    /// The own passages of this text, measured against all the others together: those that have as many words as the limit says, whatever
    /// their share of the text. Default: `None`, the method does not know.
    fn own_passages(&self, _text: &[u64], _others: &[&[u64]]) -> Option<Vec<OwnWords>> {
        None
    }

    /// [`Verifier::verify`] for one text against many others.
    fn against<'v>(&'v self, fingerprint: &'v [u64]) -> Against<'v> {
        Box::new(move |other| self.verify(fingerprint, other, &mut Trace::off()))
    }
}

/// A passage of a text that some other texts have nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnWords {
    /// The words from its first own word to its last, as numbers of words of the text.
    pub words: Range<usize>,
    /// The number of its own words; 20 characters of scripts without spaces count as 12 words.
    pub own: u32,
}

choices! {
    /// Whether candidates are verified: the parameter `verify`.
    pub(crate) enum Verification {
        /// Verified on their texts.
        Exact = "exact",
        /// Not verified: the estimates of sketches are accepted.
        Off = "off",
    }
}

/// Gives the verdict on the text that it was made for and another text, given by its fingerprint.
pub type Against<'v> = Box<dyn FnMut(&[u64]) -> Option<Verdict> + 'v>;

/// A place in a text from which a key of its sketch comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// The key.
    pub key: u64,
    /// First byte in [`crate::text::Text::folded`].
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The name of the key if the text at the place does not show it (the words behind a joint hash, for example).
    pub label: Option<String>,
}

/// A keyword of a page: a word, or several with the same meaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keyword {
    /// The word as in the folded text, or its stem or lemma.
    pub word: String,
    /// Other words and phrases that are counted with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Its score, on the method's own scale.
    pub score: f64,
    /// Its positions: indices into [`crate::text::Words::all`].
    pub positions: Vec<u32>,
}
