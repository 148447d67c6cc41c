//! The extra numbers of a sketch: the share of prose, the hashes of lines without a sentence, and the bigrams.

use super::grams::Unit;
use crate::compare::bigrams;
use crate::sketch::SketchRef;

/// The extra numbers of a sketch.
///
/// The first number is the share of prose, in thousandths, beside the head of the bigrams. The others are the lines' hashes and the
/// bigrams, each two per number; the last half of each may be 0.
#[derive(Clone, Copy)]
pub(super) struct Extra<'a> {
    pub(super) prose: u64,
    pub(super) lines: &'a [u64],
    pub(super) head: u64,
    pub(super) bigrams: &'a [u64],
}

impl<'a> Extra<'a> {
    pub(super) fn of(sketch: SketchRef<'a>) -> Extra<'a> {
        let (head, rest) = sketch.extra.split_first().unwrap_or((&0, &[]));
        let lines = rest.len().saturating_sub(bigrams::stored_length(*head));
        let (lines, bigrams) = rest.split_at(lines);
        Extra {
            prose: bigrams::beside(*head),
            lines,
            head: *head,
            bigrams,
        }
    }

    pub(super) fn numbers(prose: u64, units: &[Unit], sample: &[u32]) -> Vec<u64> {
        let lines = units.iter().filter(|unit| !unit.is_sentence);
        let mut hashes: Vec<u32> = lines.map(|unit| unit.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let two =
            |two: &[u32]| u64::from(two[0]) << 32 | u64::from(two.get(1).copied().unwrap_or(0));
        let (head, bigrams) = bigrams::stored(sample);
        std::iter::once(head | prose)
            .chain(hashes.chunks(2).map(two))
            .chain(bigrams)
            .collect()
    }
}
