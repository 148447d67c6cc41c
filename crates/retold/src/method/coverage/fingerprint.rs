//! The fingerprint of a text for verification: all words in order, its sentences and lines, and its sketch, with what the model has learnt
//! about each key and line. A partial fingerprint lacks what the model has learnt.

use std::ops::Range;

use super::grams::{self, Unit};
use crate::compare::bigrams::{self, Bigrams};
use crate::compare::{Word, size};
use crate::knowledge::{Filter, Knowledge};

/// Numbers before the sample: prose beside the head of the bigrams, keys of the sample, words, units.
const HEAD: usize = 4;

/// Flags of a unit, below its first token: it begins a line, is a sentence, belongs to a frame.
const LINE: u64 = 1;
const SENTENCE: u64 = 2;
const FRAME: u64 = 4;
const UNIT_BITS: u32 = 3;

/// Maximum size, in fifths of a word, of a short line in a frame or at an end of a text ...
const SHORT_LINE: usize = 75;
/// ... and of all short lines at one end together.
const SHORT_LINES: usize = 150;

/// A full fingerprint after reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fingerprint<'a> {
    pub(super) tokens: usize,
    /// Thousandths of the text in full sentences.
    pub(super) prose: u64,
    /// The keys of the sketch, ascending.
    pub(super) sample: &'a [u64],
    /// For each key, 1 if it is boilerplate, that is, belongs to a template ([`Knowledge::common`]), else 0.
    boilerplate: &'a [u64],
    pub(super) words: &'a [Word],
    /// Sentences and lines: the hash in the high half, the first token and flags in the low one.
    units: &'a [u64],
    /// Those that are not frequent.
    pub(super) bigrams: Bigrams<'a>,
}

impl<'a> Fingerprint<'a> {
    /// Appends to `partials` the partial fingerprint of a text with these `words`, `units` and sketch keys. Returns the sample of its bigrams.
    pub(super) fn write_partial(
        prose: u64,
        words: impl ExactSizeIterator<Item = Word>,
        units: &[Unit],
        sample: &[u64],
        partials: &mut Vec<u64>,
    ) -> Vec<u32> {
        partials.reserve(HEAD + 2 * sample.len() + words.len() + units.len());
        let counts = [sample.len(), words.len(), units.len()].map(|count| count as u64);
        let first = partials.len();
        partials.push(prose);
        partials.extend(counts);
        partials.extend(sample);
        partials.extend(sample.iter().map(|_| 0));
        let start = partials.len();
        partials.extend(words.map(Word::number));
        let words: &[Word] = bytemuck::cast_slice(&partials[start..]);
        let bigrams = bigrams::sample(words);
        partials.extend(units.iter().map(|unit| {
            let flag = |is: bool, flag: u64| if is { flag } else { 0 };
            u64::from(unit.hash) << 32
                | (unit.start as u64) << UNIT_BITS
                | flag(unit.begins_line, LINE)
                | flag(unit.is_sentence, SENTENCE)
        }));
        let (head, numbers) = bigrams::stored(&bigrams);
        partials[first] |= head;
        partials.extend(numbers);
        bigrams
    }

    /// Completes a partial fingerprint by setting the flags of its keys, and deleting frequent bigrams; `known_keys` are the keys with
    /// flags. A full one does not change.
    pub(super) fn complete(
        partial: &mut [u64],
        known: &Knowledge,
        known_keys: &Filter,
        is_frequent: impl Fn(u32) -> bool,
    ) {
        let Some((&mut [head, sampled, words, _], rest)) = partial.split_first_chunk_mut::<HEAD>()
        else {
            return;
        };
        let bigrams = rest.len().saturating_sub(bigrams::stored_length(head));
        let (rest, bigrams) = rest.split_at_mut(bigrams);
        bigrams::delete(bigrams, is_frequent);
        let (sample, rest) = rest.split_at_mut(sampled as usize);
        let (boilerplate, rest) = rest.split_at_mut(sampled as usize);
        for unit in rest.iter_mut().skip(words as usize) {
            let is_frame = *unit & SENTENCE == 0 && known.is_frame((*unit >> 32) as u32);
            *unit = *unit & !FRAME | if is_frame { FRAME } else { 0 };
        }
        for (&key, is_boilerplate) in sample.iter().zip(boilerplate) {
            *is_boilerplate = u64::from(known_keys.may_have(key) && known.is_common(key));
        }
    }

    /// Reads a full fingerprint; `None` if the numbers are malformed.
    pub(super) fn read(numbers: &'a [u64]) -> Option<Fingerprint<'a>> {
        let (&[head, sampled, words, units], rest) = numbers.split_first_chunk::<HEAD>()?;
        let (sample, rest) = rest.split_at_checked(sampled as usize)?;
        let (boilerplate, rest) = rest.split_at_checked(sample.len())?;
        let (words, rest) = rest.split_at_checked(words as usize)?;
        let words: &[Word] = bytemuck::cast_slice(words);
        let (units, bigrams) = rest.split_at_checked(units as usize)?;
        Some(Fingerprint {
            tokens: words.len(),
            prose: bigrams::beside(head),
            bigrams: Bigrams::read(head, bigrams),
            sample,
            boilerplate,
            words,
            units,
        })
    }

    /// The units: token range and flags.
    fn units(&self) -> impl DoubleEndedIterator<Item = (Range<usize>, u64)> + Clone {
        let start = |unit: u64| (unit as u32 >> UNIT_BITS) as usize;
        let units = self.units.iter().enumerate();
        units.map(move |(at, &unit)| {
            let end = self
                .units
                .get(at + 1)
                .map_or(self.tokens, |&next| start(next));
            (
                start(unit)..end.min(self.tokens),
                unit & (LINE | SENTENCE | FRAME),
            )
        })
    }

    /// For each word, whether it is in a frame's line, which other pages have too.
    pub(super) fn in_frames(&self) -> Vec<bool> {
        let mut marks = vec![false; self.tokens];
        for (words, flags) in self.units() {
            // Longer lines are text by people who write no full stops.
            let is_short = size(&self.words[words.clone()]) <= SHORT_LINE;
            if flags & FRAME != 0 && is_short {
                marks[words].fill(true);
            }
        }
        marks
    }

    /// For each word, whether it is excluded from own passages: it is in a line that other pages have too, or in a short line without a
    /// sentence at an end of the text. A text without any sentence has no such end lines.
    pub(super) fn in_lines(&self) -> Vec<bool> {
        let mut marks = self.in_frames();
        if self.units.iter().any(|unit| unit & SENTENCE != 0) {
            self.mark_lines(self.units(), &mut marks);
            self.mark_lines(self.units().rev(), &mut marks);
        }
        marks
    }

    /// Marks the leading short lines without a sentence.
    fn mark_lines(&self, units: impl Iterator<Item = (Range<usize>, u64)>, marks: &mut [bool]) {
        let mut left = SHORT_LINES;
        for (words, flags) in units {
            let size = size(&self.words[words.clone()]);
            left = left.saturating_sub(size);
            if flags & (LINE | SENTENCE) != LINE || size > SHORT_LINE || left == 0 {
                break;
            }
            marks[words].fill(true);
        }
    }

    /// Part of the hash of each run of `width` words, by its first token.
    pub(super) fn runs(&self, width: usize) -> Vec<u32> {
        grams::runs(self.words, width).collect()
    }

    /// The number of boilerplate keys among the first `count` of the sample.
    pub(super) fn boilerplate_among(&self, count: usize) -> usize {
        self.boilerplate[..count].iter().sum::<u64>() as usize
    }

    pub(super) fn is_boilerplate(&self, at: usize) -> bool {
        self.boilerplate[at] != 0
    }
}
