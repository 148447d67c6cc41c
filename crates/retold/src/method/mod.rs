//! Stage 3, methods: the sketch of a page, and the relation of two pages.
//!
//! A method is [`Method::sketch`] and [`Method::compare`], bounds that save comparisons, and optionally a verifier. All the rest (reading,
//! the index, noise, exact copies, clusters, reports) does not depend on the method. [`METHODS`] is the only table that registers methods.

pub(crate) mod check;
mod classic;
#[cfg(test)]
mod contract;
mod coverage;
mod info;
mod own;
mod papers;
mod preset;
mod table;
#[cfg(test)]
mod testing;
mod traits;

pub use check::{Check, Op, Trace};
pub use classic::codet::CoDet;
pub use classic::imatch::IMatch;
pub use classic::punctuation::Punctuation;
pub use classic::shingle::Shingle;
pub use classic::simhash::Simhash;
pub use classic::spotsigs::SpotSigs;
pub use classic::tfidf::TfIdf;
pub use coverage::Coverage;
pub(crate) use coverage::{grams, runs_in_common};
pub use info::{Learns, MethodInfo};
pub use own::OwnLimit;
pub use papers::agglomerate::Agglomerate;
pub use papers::concept::{
    Concept, Graph as ConceptGraph, Network, Node, distances as concept_distances,
};
pub use papers::period::Period;
pub use preset::{PRESETS, Preset};
pub use table::{DEFAULT as DEFAULT_METHOD, METHODS, find as find_method};
pub(crate) use traits::Against;
pub(crate) use traits::Verification;
pub use traits::{Highlight, Keyword, Method, OwnWords, UpperBound, Verifier};

pub use crate::knowledge::{Frequencies, Knowledge};
pub use crate::param::{Domain, Param, Params, Settings, Value as ParamValue};
pub use crate::sketch::{Bounds, Sketch, SketchRef, Sketches};
pub use crate::text::synonyms::Synonyms;
pub use crate::text::tokenize::Tokenizer;
pub use crate::text::wordnet::wordnet;
pub use crate::text::{FoldOptions, Script, Sentence, Text, WordForm, Words, text_of};
