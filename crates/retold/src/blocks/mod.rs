//! Finds blocks of text that many pages have (lines, paragraphs, sentences or runs of words), and decides which are cut.
//!
//! 1. `read`: the pages, and each of their blocks as a record, sorted by the hash of the folded text. `saved`: the same in a journal, for
//!    runs that are resumed.
//! 2. `decide`: which blocks are cut, which page keeps one, and which pages are dropped because little is left of them.
//!
//! `text::cut` finds blocks in a text and removes them.

mod decide;
mod key;
mod options;
mod pages;
#[cfg(test)]
mod passage_tests;
mod read;
mod run;
mod saved;
#[cfg(test)]
mod tests;

pub use options::{BlockKeep, BlockOptions, BlockScope};
pub use pages::BlockPage;
pub use read::BlockReject;
pub use run::{BlockRow, BlockTexts, Blocks, SpanRow, blocks};

pub use crate::text::{BlockUnit, Cuts};
