//! Stage 4, the index: sketches become candidate pairs, without comparing all with all.
//!
//! Nothing here knows which method made a sketch, or what makes two of them related.

mod crowds;
mod pairs;
mod postings;
mod shared;
mod store;
#[cfg(test)]
mod tests;

pub use crowds::{Crowds, WITNESSES};
pub use pairs::{Join, Related, Traits, related_pairs};
pub use postings::Postings;
pub use store::{Sketches, Stored};
