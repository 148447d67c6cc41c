//! What was learnt from a collection, frozen: document frequencies, and which keys are noise.
//!
//! A batch counts once and freezes the counts; later pages are judged with the same numbers. All counts are over different *texts*: exact
//! copies count once, but different pages with equal sketches (because only the footer has full stops) count each.
//!
//! The papers delete noise keys (`idf`, `site`). This fails in some cases, because the sentences of a disclaimer and of a much reprinted
//! article are on equally many pages. The rest of the pages separates them: pages that share an article agree in nearly everything, pages
//! that share a disclaimer do not. So the default, `evidence`, deletes nothing from a sketch. Keys on many texts that otherwise disagree
//! are *common*, and a pair that the method relates is accepted only if it shares more than common keys ([`crate::model::Model::judge`]).

mod census;
mod context_similarity;
mod filter;
mod frames;
mod frequencies;
mod frequent;
mod learnt;
mod params;
mod postings;

pub use census::Census;
pub use filter::Filter;
pub use frequencies::Frequencies;
pub use learnt::Knowledge;
pub use params::CommonRule;
pub(crate) use params::NoiseParams;
#[cfg(test)]
pub(crate) use postings::Postings;
