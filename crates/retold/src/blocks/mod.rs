//! Blocks of text that many pages have: lines, paragraphs, sentences or runs of words, counted, and decided upon.
//!
//! 1. `read`: the pages, and each block of theirs as one record, sorted by the hash of its folded text.
//!    `saved`: the same in a journal, for runs that are resumed.
//! 2. `decide`: which blocks are cut, on which page one is kept, and which pages are dropped for what is left of them.
//!
//! Where blocks are in a text, and the text without some of them, is said in `text::cut`.

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
