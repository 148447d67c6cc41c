//! The fingerprint of a text, with which it is verified: all its words in order, its sentences and lines, and its sketch, with what the
//! model has learnt about each key and line. A partial fingerprint does not have the latter.

use std::ops::Range;

use super::grams::{self, Unit};
use crate::compare::{Word, size};
use crate::knowledge::{Filter, Knowledge};

/// Numbers before the sample: prose, keys of the sample, words, units.
const HEAD: usize = 4;

/// Flags of a unit, below its first token: it begins a line, it is a sentence, it belongs to a frame.
const LINE: u64 = 1;
const SENTENCE: u64 = 2;
const FRAME: u64 = 4;
const UNIT_BITS: u32 = 3;

/// A line of a frame at an end of a text has at most so many fifths of a word, ...
const SHORT_LINE: usize = 75;
/// ... and all at one end at most so many.
const SHORT_LINES: usize = 150;

/// A full fingerprint, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fingerprint<'a> {
    /// How many tokens the text has.
    pub(super) tokens: usize,
    /// Thousandths of the text in full sentences.
    pub(super) prose: u64,
    /// The keys of the sketch, ascending.
    pub(super) sample: &'a [u64],
    /// For each of them 1 if it is boilerplate, that is, a template's ([`Knowledge::common`]), or 0.
    boilerplate: &'a [u64],
    /// The words, in order.
    pub(super) words: &'a [Word],
    /// Sentences and lines: the hash in the high half, the first token and flags in the low one.
    units: &'a [u64],
}

impl<'a> Fingerprint<'a> {
    /// Adds to `partials` the partial fingerprint of a text with these `words`, `units` and keys of its sketch.
    pub(super) fn write_partial(
        prose: u64,
        words: impl ExactSizeIterator<Item = Word>,
        units: &[Unit],
        sample: &[u64],
        partials: &mut Vec<u64>,
    ) {
        partials.reserve(HEAD + 2 * sample.len() + words.len() + units.len());
        let counts = [sample.len(), words.len(), units.len()].map(|count| count as u64);
        partials.push(prose);
        partials.extend(counts);
        partials.extend(sample);
        partials.extend(sample.iter().map(|_| 0));
        partials.extend(words.map(Word::number));
        partials.extend(units.iter().map(|unit| {
            let flag = |is: bool, flag: u64| if is { flag } else { 0 };
            u64::from(unit.hash) << 32
                | (unit.start as u64) << UNIT_BITS
                | flag(unit.begins_line, LINE)
                | flag(unit.is_sentence, SENTENCE)
        }));
    }

    /// Makes a partial fingerprint the full one by setting the flags of its keys; `known_keys` are those that have any. A full one
    /// does not change.
    pub(super) fn complete(partial: &mut [u64], known: &Knowledge, known_keys: &Filter) {
        let Some((&mut [_, sampled, words, _], rest)) = partial.split_first_chunk_mut::<HEAD>()
        else {
            return;
        };
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

    /// Reads a full fingerprint; `None` if these numbers are not one.
    pub(super) fn read(numbers: &'a [u64]) -> Option<Fingerprint<'a>> {
        let (&[prose, sampled, words, units], rest) = numbers.split_first_chunk::<HEAD>()?;
        let (sample, rest) = rest.split_at_checked(sampled as usize)?;
        let (boilerplate, rest) = rest.split_at_checked(sample.len())?;
        let (words, rest) = rest.split_at_checked(words as usize)?;
        let words: &[Word] = bytemuck::cast_slice(words);
        let units = rest.get(..units as usize)?;
        Some(Fingerprint {
            tokens: words.len(),
            prose,
            sample,
            boilerplate,
            words,
            units,
        })
    }

    /// The units: first token, one past the last, flags.
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

    /// For each word whether it is in a line that other pages have too, a frame's.
    pub(super) fn in_frames(&self) -> Vec<bool> {
        let mut marks = vec![false; self.tokens];
        for (words, flags) in self.units() {
            // A line of more words is text, of people who write no full stops.
            let is_short = size(&self.words[words.clone()]) <= SHORT_LINE;
            if flags & FRAME != 0 && is_short {
                marks[words].fill(true);
            }
        }
        marks
    }

    /// For each word whether it can be in no own passage: it is in a line that other pages have too, or in a short line without a
    /// sentence at an end of the text. A text without any sentence has no such lines.
    pub(super) fn in_lines(&self) -> Vec<bool> {
        let mut marks = self.in_frames();
        if self.units.iter().any(|unit| unit & SENTENCE != 0) {
            self.mark_lines(self.units(), &mut marks);
            self.mark_lines(self.units().rev(), &mut marks);
        }
        marks
    }

    /// Marks the short lines without a sentence with which these units begin.
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

    /// The runs of `width` words: of each a part of its hash, by the token where it begins.
    pub(super) fn runs(&self, width: usize) -> Vec<u32> {
        grams::runs(self.words, width).collect()
    }

    /// How many of the first `count` keys of the sample are boilerplate.
    pub(super) fn boilerplate_among(&self, count: usize) -> usize {
        self.boilerplate[..count].iter().sum::<u64>() as usize
    }

    /// Whether this key of the sample is boilerplate.
    pub(super) fn is_boilerplate(&self, at: usize) -> bool {
        self.boilerplate[at] != 0
    }
}
