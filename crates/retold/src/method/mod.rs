//! Stage 3, methods: what is kept of a page, and what two pages are to each other.
//!
//! A method is two functions, [`Method::sketch`] and [`Method::compare`]. Everything else (reading, the index,
//! clusters, reports) is written once and does not know which method made a sketch. [`METHODS`] is the one table that
//! registers them.

mod agglomerate;
mod codet;
pub mod concept;
#[cfg(test)]
mod contract;
mod coverage;
pub mod explain;
mod features;
mod frequencies;
mod imatch;
mod param;
mod period;
mod punctuation;
mod shingle;
mod simhash;
mod spotsigs;
#[cfg(test)]
mod testing;
mod tfidf;

pub use agglomerate::Agglomerate;
pub use codet::CoDet;
pub use concept::Concept;
pub use coverage::Coverage;
pub use explain::{Check, Explanation, Noise, Op, Spot};
pub use frequencies::Frequencies;
pub use imatch::IMatch;
pub use param::{Domain, Param, Params, Value};
pub use period::Period;
pub use punctuation::Punctuation;
pub use shingle::Shingle;
pub use simhash::Simhash;
pub use spotsigs::SpotSigs;
pub use tfidf::TfIdf;

use std::sync::Arc;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::index::noise;
use crate::relation::Verdict;
use crate::text::{Extract, Text};

/// A way to find pages that repeat each other.
pub trait Method: Send + Sync {
    /// What is kept of a page. Depends on the text and the parameters only. Time linear in the text.
    fn sketch(&self, text: &Text) -> Sketch;

    /// The least number of keys that two pages must share to be related at all, if the smaller one (by number of
    /// keys) has `keys` of them; at least 1. The index never shows [`Method::compare`] a pair that shares fewer, and
    /// shows it every pair that shares as many. Must not fall as `keys` grows.
    fn overlap(&self, keys: usize) -> usize;

    /// The most keys that the larger of two related pages can have, if the smaller one has `keys` of them; the index
    /// does not look at pairs beyond. Must not fall as `keys` grows. Default: no limit.
    fn reach(&self, _keys: usize) -> usize {
        usize::MAX
    }

    /// The verdict on two pages, `None` if they are not related. Symmetric: swapping the pages swaps `contains` and
    /// `contained_by` and changes nothing else. If [`MethodInfo::prunes`] is set, the sketches come without the keys
    /// that the index found to be noise.
    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>) -> Option<Verdict>;

    /// The features of a text whose document frequencies the method must know before it can sketch, none twice. Asked
    /// for if [`MethodInfo::fits`] is set.
    fn counted(&self, _text: &Text) -> Vec<u64> {
        Vec::new()
    }

    /// Whether what [`Method::counted`] counts are the keys of the sketch that the method makes before it has been fit.
    /// Then nothing is read twice: sketches are made first and settled once frequencies are known. Default: no.
    fn counts_keys(&self) -> bool {
        false
    }

    /// The sketch that the method makes of a text, from the one that it made before it was fit. Different sketches must
    /// stay different. Asked for if [`Method::counts_keys`].
    fn settle(&self, sketch: SketchRef<'_>) -> Sketch {
        sketch.to_owned()
    }

    /// Takes the document frequencies that everything after this depends on.
    fn fit(&mut self, _frequencies: Arc<Frequencies>) {}

    /// Whether a verdict of this similarity has to be checked on the texts ([`Method::verify`]), where these are at
    /// hand. Default: no verdict.
    fn in_doubt(&self, _similarity: f64) -> bool {
        false
    }

    /// Whether the method looks at [`Text::sentences`]. Default: yes.
    fn reads_sentences(&self) -> bool {
        true
    }

    /// What [`Method::verify`] has to know of a text.
    fn proof(&self, _text: &Text) -> Vec<u64> {
        Vec::new()
    }

    /// The verdict on two texts of which [`Method::compare`] was in doubt, from their proofs. Symmetric.
    fn verify(&self, _a: &[u64], _b: &[u64]) -> Option<Verdict> {
        None
    }

    /// What [`Method::verify`] tests, with the values. Default: nothing is told.
    fn verify_checks(&self, _a: &[u64], _b: &[u64]) -> Vec<Check> {
        Vec::new()
    }

    /// Where the keys of [`Method::sketch`] come from in the text, for people who want to see why; a key may have
    /// several places. Default: none, and then only counts are shown.
    fn spots(&self, _text: &Text) -> Vec<Spot> {
        Vec::new()
    }

    /// What [`Method::compare`] tests on these two sketches, with the values, in order, whatever the verdict.
    /// Default: the shared keys, and what is in the verdict.
    fn checks(&self, a: SketchRef<'_>, b: SketchRef<'_>) -> Vec<Check> {
        explain::checks_of(self, a, b)
    }

    /// The similarity that related pages reach, for the line in charts. Default: not known.
    fn least_similarity(&self) -> Option<f64> {
        None
    }

    /// Those of the method's own parameters that [`Method::sketch`] does not depend on. Default: none.
    fn judged_by(&self) -> &'static [&'static str] {
        &[]
    }

    /// The words that stand for the page, best first. Default: `None`, the method does not look for such words.
    fn keywords(&self, _text: &Text) -> Option<Vec<Keyword>> {
        None
    }

    /// Why two pages are what they are to each other, `noise` telling what the index removes from each before the
    /// comparison. Default: made of [`Method::spots`] and [`Method::checks`]; a method whose story needs more
    /// (positions, weights) adds lines to [`Explanation::notes`].
    fn explain(&self, a: &Text, b: &Text, noise: Noise<'_>) -> Explanation {
        explain::story(self, a, b, noise)
    }
}

/// A word, or several that mean the same, that stands for a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keyword {
    /// The word as it stands in the folded text, or its stem or lemma.
    pub word: String,
    /// How much it matters; the scale is the method's own.
    pub score: f64,
    /// Where it stands: indices into [`crate::text::Words::all`].
    pub positions: Vec<u32>,
}

/// All that a method keeps of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sketch {
    /// Hashes that make two pages a candidate pair when they share enough of them; ascending, none twice.
    pub keys: Vec<u64>,
    /// What the method remembers of each key: as long as `keys`, in the same order, or empty. Goes when its key goes.
    pub marks: Vec<u64>,
    /// Whatever else the verdict needs.
    pub evidence: Vec<u64>,
}

impl Sketch {
    /// The sketch as the index hands it to [`Method::compare`].
    pub fn as_ref(&self) -> SketchRef<'_> {
        SketchRef {
            keys: &self.keys,
            marks: &self.marks,
            evidence: &self.evidence,
        }
    }
}

/// A borrowed [`Sketch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SketchRef<'a> {
    /// See [`Sketch::keys`].
    pub keys: &'a [u64],
    /// See [`Sketch::marks`].
    pub marks: &'a [u64],
    /// See [`Sketch::evidence`].
    pub evidence: &'a [u64],
}

impl SketchRef<'_> {
    /// A copy.
    pub fn to_owned(self) -> Sketch {
        Sketch {
            keys: self.keys.to_vec(),
            marks: self.marks.to_vec(),
            evidence: self.evidence.to_vec(),
        }
    }
}

/// An entry of the table of methods.
pub struct MethodInfo {
    /// The name, the same everywhere.
    pub name: &'static str,
    /// One line: what it finds.
    pub summary: &'static str,
    /// The source paper.
    pub source: &'static str,
    /// Whether the index removes noise keys before comparing; such a method also has [`noise::PARAMS`].
    pub prunes: bool,
    /// Whether it has to know document frequencies before it sketches ([`Method::fit`]).
    pub fits: bool,
    /// What the method sees of a page unless the user chooses otherwise.
    pub extract: Extract,
    /// The method's own parameters.
    pub params: &'static [Param],
    /// Makes the method with checked parameters.
    pub build: fn(&Params) -> Box<dyn Method>,
}

impl MethodInfo {
    /// The method's own parameters and, if it wants pruning, those of the noise filter.
    pub fn all_params(&self) -> impl Iterator<Item = &'static Param> + Clone {
        let noise: &[Param] = if self.prunes { noise::PARAMS } else { &[] };
        self.params.iter().chain(noise)
    }

    /// The parameter that says how alike related pages are: `threshold`, or `distance` of a method that counts
    /// differences (CONTRACT); `None` if the method has neither.
    pub fn main_threshold(&self) -> Option<&'static Param> {
        let called = |name| self.params.iter().find(|param| param.name == name);
        called("threshold").or_else(|| called("distance"))
    }

    /// Checked values for all parameters: defaults with `settings` laid over them.
    pub fn resolve(&self, settings: &[(String, String)]) -> Result<Params> {
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

/// The number of keys that two ascending lists share. Linear.
pub fn count_shared(a: &[u64], b: &[u64]) -> usize {
    shared_positions(a, b).count()
}

/// The positions, in `a` and in `b`, of the keys that two ascending lists share. Linear.
pub fn shared_positions<'a>(
    a: &'a [u64],
    b: &'a [u64],
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        while i < a.len() && j < b.len() {
            match a[i].cmp(&b[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    (i, j) = (i + 1, j + 1);
                    return Some((i - 1, j - 1));
                }
            }
        }
        None
    })
}
