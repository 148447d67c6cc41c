//! The traits of a method: what it must do, and what it may do.

use serde::Serialize;

use super::check::Trace;
use crate::param::choices;
use crate::relation::Verdict;
use crate::sketch::{Bounds, Sketch, SketchRef};
use crate::text::Text;

/// A way to find pages that repeat each other.
pub trait Method: Send + Sync {
    /// What is kept of a page: keys, marks and extra numbers. Depends on the text and the parameters only, and, for a method
    /// that learns words, on their frequencies. Time linear in the text.
    fn sketch(&self, text: &Text) -> Sketch;

    /// The size of a sketch with these keys, by which [`Method::bounds`] knows the smaller of two. Default: how many there are.
    fn size(&self, keys: &[u64]) -> usize {
        keys.len()
    }

    /// The least size of a sketch with this number of keys.
    fn least_size(&self, keys: usize) -> usize {
        keys
    }

    /// What two related pages must have in common, if the smaller one is of this size ([`Method::size`]). The index
    /// never shows [`Method::compare`] a pair that is out of these bounds, and shows it every pair within. Neither
    /// number must fall as `size` grows.
    fn bounds(&self, size: usize) -> Bounds;

    /// The verdict on two pages, `None` if they are not related. Every test that decides goes through `trace`, in the
    /// order in which it is made. Symmetric: swapping the pages swaps `contains` and `contained_by` and changes
    /// nothing else. Which keys are common in the collection is in [`SketchRef::common`].
    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict>;

    /// False only where [`Method::compare`] would give no verdict, or one whose similarity or length ratio is below these. It must
    /// take less time than comparing. Default: true.
    fn may_reach(
        &self,
        _a: SketchRef<'_>,
        _b: SketchRef<'_>,
        _similarity: f64,
        _length_ratio: f64,
    ) -> bool {
        true
    }

    /// A number only if this sketch is related to those of its [size](Method::size) or larger only where they share a distinctive key,
    /// that is, one that is not common, or that many keys. Default: `None`.
    fn needs_distinctive(&self, _sketch: SketchRef<'_>) -> Option<usize> {
        None
    }

    /// An upper bound on the similarity of this sketch to others, for one sketch beside many; it must take less time than
    /// [`Method::compare`]. Default: `None`.
    fn upper_bound(&self, _sketch: SketchRef<'_>) -> Option<UpperBound<'_>> {
        None
    }

    /// What checks the verdicts of [`Method::compare`] on the texts. Default: nothing, they are final.
    fn verifier(&self) -> Option<&dyn Verifier> {
        None
    }

    /// Where the keys of [`Method::sketch`] come from in the text, for people who want to see why; a key may have
    /// several places. Default: none, and then only counts are shown.
    fn highlights(&self, _text: &Text) -> Vec<Highlight> {
        Vec::new()
    }

    /// The keywords of the page, best first. Default: `None`, the method has no keywords.
    fn keywords(&self, _text: &Text) -> Option<Vec<Keyword>> {
        None
    }
}

/// For another sketch, no less than the similarity that [`Method::compare`] would find between it and the sketch that this was made
/// for; `None` only where that would give no verdict.
pub type UpperBound<'m> = Box<dyn Fn(SketchRef<'_>) -> Option<f64> + Send + Sync + 'm>;

/// Checks on the texts what sketches can only estimate. What it compares of a text is the text's full fingerprint.
pub trait Verifier: Method {
    /// The full fingerprint of a text.
    fn fingerprint(&self, text: &Text) -> Vec<u64>;

    /// The sketch of a text. Adds to `partials` the partial fingerprint: what can be said of the full one before anything is learnt. To
    /// be made only where it costs little beside the sketch, as most texts are never verified. Default: `None`, and nothing is added.
    fn sketch_and_partial(&self, _text: &Text, _partials: &mut Vec<u64>) -> Option<Sketch> {
        None
    }

    /// Turns a partial fingerprint into the full one; a full one does not change.
    fn complete_fingerprint(&self, _partial: &mut [u64]) {}

    /// The verdict on two texts, from their full fingerprints; replaces that of [`Method::compare`]. Symmetric, and every test goes
    /// through `trace`, as there.
    fn verify(&self, a: &[u64], b: &[u64], trace: &mut Trace) -> Option<Verdict>;

    /// How many words the text of this full fingerprint has in own passages that are over the limit, against all these others together: 0
    /// if they leave it nothing of its own. Default: `None`, the method does not know.
    fn own_against(&self, _text: &[u64], _others: &[&[u64]]) -> Option<u32> {
        None
    }

    /// [`Verifier::verify`] for one text against many others.
    fn against<'v>(&'v self, fingerprint: &'v [u64]) -> Against<'v> {
        Box::new(move |other| self.verify(fingerprint, other, &mut Trace::off()))
    }
}

choices! {
    /// Whether candidates are verified, as the parameter `verify` says it.
    pub(crate) enum Verification {
        /// They are, on their texts.
        Exact = "exact",
        /// They are not: the estimates of sketches are accepted.
        Off = "off",
    }
}

/// Gives the verdict on the text that it was made for and another one, whose fingerprint it is handed.
pub type Against<'v> = Box<dyn FnMut(&[u64]) -> Option<Verdict> + 'v>;

/// A place in a text that a key of its sketch comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// The key.
    pub key: u64,
    /// First byte in [`crate::text::Text::folded`].
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// What the key is called, where the text at the place does not say it (the words behind a joint hash, say).
    pub label: Option<String>,
}

/// A keyword of a page: a word, or several with the same meaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keyword {
    /// The word as in the folded text, or its stem or lemma.
    pub word: String,
    /// Other words and phrases that count as the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// How much it matters; the scale is the method's own.
    pub score: f64,
    /// Its positions: indices into [`crate::text::Words::all`].
    pub positions: Vec<u32>,
}
