//! Finds passages that pages of a collection have in common, and their places.
//!
//! 1. `pages`: the pages that are compared (one for all pages with equal text that pair filters treat alike), and their words.
//! 2. `dropped`: pages that repeat a kept page are aligned with that page; afterwards only the differing words count.
//! 3. `seeds`: short runs of words, chosen so that every long run that two pages share contains one of them.
//! 4. `postings`: pages that share seeds, with the places.
//! 5. `shared`: two pages are aligned at these places, which gives their common passages.
//! 6. `clusters`: overlapping passages on a page are merged, on all pages that have them.
//!
//! `run` is the list of these stages. `of_text` finds the passages of one text that others have, by stages 3 to 6.

mod clusters;
mod dropped;
#[cfg(test)]
mod filter_tests;
mod measure;
mod of_text;
mod pages;
mod postings;
mod run;
mod seeds;
mod shared;
#[cfg(test)]
mod tests;

pub use measure::PassageOptions;
pub use of_text::{OtherPlace, TextPassage, passages_of};
pub use run::{CommonRun, PassagePair, PassageRow, Passages, passages};

pub use crate::decontaminate::{
    Benchmark, BenchmarkFields, Benchmarks, Contamination, DEFAULT_CONTAMINATION, Item,
};
