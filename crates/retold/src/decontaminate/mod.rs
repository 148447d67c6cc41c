//! Finds pages that contain benchmark items, and the places.
//!
//! Only the benchmarks are in memory: the n-grams of their questions over folded text, made of words or of the characters of scripts
//! without spaces ([`Benchmarks`]). A page is read once. If it has enough of a question's n-grams in one place, the question is aligned
//! with that place, so that it is found even if some words differ. The score is the share of n-grams there; rare n-grams weigh more.

mod benchmarks;
mod fields;
mod find;
mod items;
mod ngram;
mod question;
#[cfg(test)]
mod tests;

pub use benchmarks::{Benchmark, Benchmarks, Item};
pub use fields::BenchmarkFields;
pub use find::Contamination;
pub use question::DEFAULT_CONTAMINATION;
