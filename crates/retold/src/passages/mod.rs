//! Passages that pages of a collection have in common, and where.
//!
//! 1. `pages`: the pages that are compared (one for all pages with equal text that pair filters treat alike), and the words of each.
//! 2. `dropped`: pages that repeat a kept page are aligned with that page; after this only the words that differ count.
//! 3. `seeds`: short runs of words of every page, chosen so that every long run that two pages share has one of them.
//! 4. `postings`: pages that share seeds, with the places.
//! 5. `shared`: two pages with such places are aligned there; this gives the passages that they have in common.
//! 6. `clusters`: passages that overlap on a page are merged into one, on all pages that have it.
//!
//! `run` is the list of these stages. `of_text` finds the passages of one text that others have, by the same stages 3 to 6.

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
