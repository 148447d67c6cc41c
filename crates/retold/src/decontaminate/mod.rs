//! Pages that contain an item of a benchmark, and where.
//!
//! Only the benchmarks are in memory: the n-grams of their questions, of words or of the characters of scripts without spaces, over folded
//! text ([`Benchmarks`]). A page is read once. If it has enough of a question's n-grams in one place, the question is aligned with
//! that place, so that it is found even with some other words in between. Its score comes from the n-grams that the place has, and rare n-grams count more.

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
