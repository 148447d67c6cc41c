//! Stage 3, methods: the sketch of a page, and the relation of two pages.
//!
//! A method is [`Method::sketch`] and [`Method::compare`], the bounds that save comparisons, and optionally a
//! verifier. Everything else (reading, the index, noise, exact copies, clusters, reports) is written once and does not know
//! which method made a sketch. [`METHODS`] is the only table that registers methods.

mod check;
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

pub use check::{Check, Op, Trace, thousands};
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
pub use papers::concept::{self, Concept};
pub use papers::period::Period;
pub use preset::{PRESETS, Preset};
pub use table::{DEFAULT, METHODS, find};
pub(crate) use traits::Verification;
pub use traits::{Against, Highlight, Keyword, Method, UpperBound, Verifier};
