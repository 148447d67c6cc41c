//! The default method, `coverage`: how much of a page's text another page has, and how the rest differs.

mod estimate;
mod extra;
mod facts;
mod fingerprint;
pub(crate) mod grams;
mod limits;
mod method;
mod overlap;
mod params;
mod position_index;
mod rules;
mod verdict;
mod verify;

pub use method::Coverage;
pub(super) use method::INFO;
pub(crate) use verdict::runs_in_common;
