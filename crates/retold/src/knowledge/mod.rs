//! What was learnt from a collection, frozen: document frequencies, and which keys are noise.
//!
//! A batch counts once and freezes what it counted; pages that come later are judged with the same numbers. All counts
//! are over different *texts*: exact copies count once, and unlike pages whose sketches are equal, because their only full
//! stops are the footer's, count each.
//!
//! The papers delete noise keys (`idf`, `site`). That cannot be right everywhere: the sentences of a disclaimer and those
//! of a much reprinted article stand on equally many pages. What tells them apart is what else the pages have: those that
//! share an article agree in nearly everything, the users of a disclaimer do not. So `evidence`, the default, deletes
//! nothing from a sketch: keys on many texts that do not agree otherwise are *common*, and a pair that the method relates is
//! believed only if there is more to it than common keys ([`crate::model::Model::judge`]).

mod census;
mod context_similarity;
mod filter;
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
