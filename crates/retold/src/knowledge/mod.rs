//! What was learnt from a collection, frozen: document frequencies, and which keys are noise.
//!
//! A batch counts once and freezes the counts; pages that are added later are judged with the same numbers. All counts
//! are over different *texts*: exact copies count once, and different pages with equal sketches (because their only full
//! stops are those of the footer) count each.
//!
//! The papers delete noise keys (`idf`, `site`). This cannot be right everywhere: the sentences of a disclaimer and those
//! of a much reprinted article are on equally many pages. The rest of the pages separates the two: pages that
//! share an article agree in nearly everything, pages that share a disclaimer do not. So `evidence`, the default, deletes
//! nothing from a sketch. Keys on many texts that otherwise do not agree are *common*, and a pair that the method relates is
//! accepted only if it shares more than common keys ([`crate::model::Model::judge`]).

mod census;
mod context_similarity;
mod filter;
mod frames;
mod frequencies;
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
