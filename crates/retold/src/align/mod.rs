//! The alignment of two texts: which words of one are in the other, in order, and where the texts differ.

mod anchors;
mod gap;
mod passages;
mod word;

pub(crate) use anchors::{Anchor, anchors};
pub(crate) use passages::{Alignment, Passage, align, chained};
pub(crate) use word::{Nature, Word};
