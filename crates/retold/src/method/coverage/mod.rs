//! The method `coverage`, the default: how much of a page's text another page contains, and how the rest differs.

mod differences;
mod estimate;
mod evidence;
mod fingerprint;
pub(crate) mod grams;
mod method;
mod overlap;
mod params;
mod position_index;
mod reworded;
mod verify;

pub use method::Coverage;
pub(super) use method::INFO;
