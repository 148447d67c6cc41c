//! Turns sources into a [`Collection`] of sketched pages, with every record accounted for; models learn from it.

mod batch;
mod collection;
mod counts;
mod learn;
mod pages;
mod rejects;
mod saved;
#[cfg(test)]
mod tests;

pub use collection::{Collection, ExtractionCounts, SketchedPage};
pub(crate) use learn::{learn_noise, learn_words, read_all};
pub use pages::{AmbiguousDates, PageRow};
pub use rejects::Reject;
