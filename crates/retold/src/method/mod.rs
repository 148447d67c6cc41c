//! Stage 3, methods: the sketch of a page, and the relation of two pages.
//!
//! A method is [`Method::sketch`] and [`Method::compare`], the bounds that spare comparisons, and where it wants one a
//! verifier. Everything else (reading, the index, noise, exact copies, clusters, reports) is written once and does not know
//! which method made a sketch. [`METHODS`] is the one table that registers them.

mod agglomerate;
mod check;
mod codet;
pub mod concept;
#[cfg(test)]
mod contract;
mod coverage;
mod features;
mod imatch;
mod period;
mod preset;
mod punctuation;
mod shingle;
mod simhash;
mod spotsigs;
#[cfg(test)]
mod testing;
mod tfidf;

pub use agglomerate::Agglomerate;
pub use check::{Check, Op, Spot, Trace, thousands};
pub use codet::CoDet;
pub use concept::Concept;
pub use coverage::Coverage;
pub use imatch::IMatch;
pub use period::Period;
pub use preset::{PRESETS, Preset};
pub use punctuation::Punctuation;
pub use shingle::Shingle;
pub use simhash::Simhash;
pub use spotsigs::SpotSigs;
pub use tfidf::TfIdf;

use std::sync::Arc;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::knowledge::{self, Knowledge};
use crate::param::{Domain, Param, Params, Settings};
use crate::relation::Verdict;
use crate::sketch::{
    Bounds, Sketch, SketchRef, count_shared, count_shared_from, may_share, shared_positions,
};
use crate::text::{Extract, Text};

/// A way to find pages that repeat each other.
pub trait Method: Send + Sync {
    /// What is kept of a page: keys, marks and extra numbers. Depends on the text and the parameters only, and, for a method
    /// that learns words, on their frequencies. Time linear in the text.
    fn sketch(&self, text: &Text) -> Sketch;

    /// The size of a sketch with these keys, by which [`Method::bounds`] tells the smaller of two. Default: how many there are.
    fn size(&self, keys: &[u64]) -> usize {
        keys.len()
    }

    /// The least size of a sketch with so many keys.
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

    /// False only where [`Method::compare`] would tell of no relation, or of a similarity or a length ratio below these, and this is told in
    /// less time. Default: true.
    fn may_reach(
        &self,
        _a: SketchRef<'_>,
        _b: SketchRef<'_>,
        _similarity: f64,
        _length_ratio: f64,
    ) -> bool {
        true
    }

    /// True only if this sketch is related to those of its [size](Method::size) or larger only where they share a key that is not common. Default: false.
    fn needs_own(&self, _sketch: SketchRef<'_>) -> bool {
        false
    }

    /// What tells of many sketches beside this one, in less time than [`Method::compare`], how similar they are at the most.
    /// Default: `None`.
    fn sieve(&self, _sketch: SketchRef<'_>) -> Option<Sieve<'_>> {
        None
    }

    /// What checks the verdicts of [`Method::compare`] on the texts. Default: nothing, they are final.
    fn verifier(&self) -> Option<&dyn Verifier> {
        None
    }

    /// Where the keys of [`Method::sketch`] come from in the text, for people who want to see why; a key may have
    /// several places. Default: none, and then only counts are shown.
    fn spots(&self, _text: &Text) -> Vec<Spot> {
        Vec::new()
    }

    /// The keywords of the page, best first. Default: `None`, the method has no keywords.
    fn keywords(&self, _text: &Text) -> Option<Vec<Keyword>> {
        None
    }
}

/// No less than the similarity of a sketch to the one that this was made for, as [`Method::compare`] has it; `None` only where that
/// does not relate them.
pub type Sieve<'m> = Box<dyn Fn(SketchRef<'_>) -> Option<f64> + Send + Sync + 'm>;

/// Checks on the texts what sketches can only estimate.
pub trait Verifier: Method {
    /// What has to be known of a text.
    fn proof(&self, text: &Text) -> Vec<u64>;

    /// The sketch of a text; and of its proof what can be said before anything is learnt is added to `drafts`, where this costs little
    /// beside the sketch: most texts are never asked for their proof. Default: `None`, and nothing is added.
    fn sketch_and_partial(&self, _text: &Text, _drafts: &mut Vec<u64>) -> Option<Sketch> {
        None
    }

    /// Makes the proof of a draft. A proof stays what it is.
    fn finish(&self, _draft: &mut [u64]) {}

    /// The verdict on two texts, from their proofs; replaces that of [`Method::compare`]. Symmetric, and every test goes
    /// through `trace`, as there.
    fn verify(&self, a: &[u64], b: &[u64], trace: &mut Trace) -> Option<Verdict>;

    /// The same of one text beside many others.
    fn asking<'v>(&'v self, proof: &'v [u64]) -> Asking<'v> {
        Box::new(move |other| self.verify(proof, other, &mut Trace::off()))
    }
}

/// The verdict on a text and the one whose proof this is.
pub type Asking<'v> = Box<dyn FnMut(&[u64]) -> Option<Verdict> + 'v>;

/// What a method has to know of a collection.
#[derive(Clone, Copy)]
pub enum Learns {
    /// Nothing: two pages are all it looks at.
    Nothing,
    /// Which keys are common, by its parameters `common_df` and `min_texts`; it judges by that itself
    /// ([`SketchRef::common`]). Sketches do not depend on it.
    Common,
    /// Which keys are noise, by the parameters [`knowledge::PARAMS`], which it has beside its own; the model deletes
    /// them or asks for evidence beside them. Sketches do not depend on it.
    Noise,
    /// On how many texts each of the features stands that this function makes of a text, none twice. Sketches depend on
    /// it: without knowledge there are none.
    Words(fn(&Params, &Text) -> Vec<u64>),
}

/// A keyword of a page: a word, or several with the same meaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keyword {
    /// The word as it stands in the folded text, or its stem or lemma.
    pub word: String,
    /// Other words and phrases that count as the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// How much it matters; the scale is the method's own.
    pub score: f64,
    /// Where it stands: indices into [`crate::text::Words::all`].
    pub positions: Vec<u32>,
}

/// An entry of the table of methods.
pub struct MethodInfo {
    /// The name, the same everywhere.
    pub name: &'static str,
    /// One line: what it finds.
    pub summary: &'static str,
    /// The source paper.
    pub source: &'static str,
    /// What it has to know of a collection.
    pub learns: Learns,
    /// What the method sees of a page unless the user chooses otherwise.
    pub extract: Extract,
    /// The method's own parameters.
    pub params: &'static [Param],
    /// Those of `params` that sketches do not depend on.
    pub judged_by: &'static [&'static str],
    /// Whether it looks at [`Text::sentences`], given its parameters.
    pub reads_sentences: fn(&Params) -> bool,
    /// The similarity that related pages usually reach, given its parameters, for the line in charts.
    pub least_similarity: fn(&Params) -> f64,
    /// Makes the method with checked parameters and what was learnt.
    pub build: fn(&Params, &Arc<Knowledge>) -> Box<dyn Method>,
}

impl MethodInfo {
    /// The method's own parameters and, if it prunes noise, those of the noise filter.
    pub fn all_params(&self) -> impl Iterator<Item = &'static Param> + Clone {
        let noise: &[Param] = match self.learns {
            Learns::Noise => knowledge::PARAMS,
            _ => &[],
        };
        self.params.iter().chain(noise)
    }

    /// The parameter that says how alike related pages are: `threshold`, or `distance` of a method that counts
    /// differences (CONTRACT); `None` if the method has neither.
    pub fn main_threshold(&self) -> Option<&'static Param> {
        let called = |name| self.params.iter().find(|param| param.name == name);
        called("threshold").or_else(|| called("distance"))
    }

    /// Checked values for all parameters: defaults overridden by `settings`.
    pub fn resolve(&self, settings: &Settings) -> Result<Params> {
        Params::resolve(self.name, self.all_params(), settings)
    }
}

/// The one table of methods.
pub const METHODS: &[MethodInfo] = &[
    period::INFO,
    agglomerate::INFO,
    concept::INFO,
    concept::KEYWORLD,
    shingle::INFO,
    coverage::INFO,
    simhash::INFO,
    imatch::INFO,
    spotsigs::INFO,
    codet::INFO,
    tfidf::INFO,
    punctuation::INFO,
];

/// The name of the method that is used when none is named.
pub const DEFAULT: &str = coverage::INFO.name;

/// The method called `name`.
pub fn find(name: &str) -> Result<&'static MethodInfo> {
    METHODS.iter().find(|m| m.name == name).ok_or_else(|| {
        let known: Vec<_> = METHODS.iter().map(|m| m.name).collect();
        Error::Usage(format!(
            "no method is called `{name}`; there are: {}",
            known.join(", ")
        ))
    })
}
