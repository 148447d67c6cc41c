//! Stage 4, the index: sketches become related pairs, without comparing all with all.
//!
//! Nothing here knows which method made a sketch.

mod judge;
pub mod noise;
mod pairs;
mod postings;
mod store;

pub use judge::{Judge, Judgement, checks};
pub use pairs::{Related, related_pairs};
pub use postings::Postings;
pub use store::{Sketches, retain};

#[cfg(test)]
mod tests;
