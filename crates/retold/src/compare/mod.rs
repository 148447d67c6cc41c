//! Aligns two texts: which words of one are in the other, in order, and where the texts differ.

mod anchors;
pub(crate) mod bigrams;
mod bits;
mod bounds;
mod comparison;
mod gap;
mod names;
mod own;
mod passages;
#[cfg(test)]
mod testing;
mod word;

pub(crate) use anchors::{Anchor, anchors};
pub(crate) use bounds::{in_common, pairs_in_common};
pub(crate) use comparison::{Compared, Comparison, MOVED, Side, own_against};
pub(crate) use gap::Match;
pub(crate) use names::{longest_found, numbers_found};
pub(crate) use own::{OwnLimit, OwnPassage, WORD, size};
pub(crate) use passages::{Alignment, Passage, align, chained};
pub(crate) use word::Word;
