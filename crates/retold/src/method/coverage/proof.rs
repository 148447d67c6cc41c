//! What verification has to know of a text: all its short runs of words with their places, and its sketch with places and
//! with what the collection says of each key.

use std::ops::Range;

use super::grams::{Placed, grams};
use crate::knowledge::{Filter, Knowledge};

/// Set in the word of a key of the sample: the key is a template's ([`Knowledge::common`]).
const TEMPLATE: u64 = 1;
/// The same: it is on many texts ([`Knowledge::frequent`]), template or not.
const FREQUENT: u64 = 2;
/// The same: it is on several texts ([`Knowledge::several`]).
const SEVERAL: u64 = 4;
/// Above these stands its place.
const FLAG_BITS: u32 = 3;

/// Words before the sample: prose, tokens, headline, tokens whose spelling is told, keys of the sample, runs.
const HEAD: usize = 6;

/// A proof, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Proof<'a> {
    /// How many tokens the text has.
    pub(super) tokens: usize,
    /// Thousandths of the text in full sentences.
    pub(super) prose: u64,
    /// The first token of its headline, and one past the last, in the high and the low half.
    headline: u64,
    /// How each token of a short text is spelled ([`super::grams::spellings`]). Empty for other texts.
    spelled: &'a [u64],
    /// The keys of the sketch, ascending.
    pub(super) sample: &'a [u64],
    /// For each of them where it stands, and what the collection says of it.
    words: &'a [u64],
    /// The hash of the run of words that begins at each token (but at the last), in order.
    runs: &'a [u32],
}

impl<'a> Proof<'a> {
    /// Adds to `drafts` what becomes the proof of a text of these tokens, of which `headline` are those of the headline and `spelled` says how each is
    /// spelled, on short texts; and `sample` is the sketch with the places of its keys; runs are of `run` tokens. Half of a run's
    /// hash is kept: of 4,300 pairs of texts of 1,000 words one shares a run by chance.
    pub(super) fn draft(
        prose: u64,
        (tokens, headline, spelled): (&[Placed], Range<usize>, &[u64]),
        run: usize,
        sample: &[(u64, usize)],
        drafts: &mut Vec<u64>,
    ) {
        let runs = match tokens.len() {
            0 => 0,
            tokens => tokens - run.min(tokens) + 1,
        };
        let words = HEAD + spelled.len() + 2 * sample.len() + runs.div_ceil(2);
        drafts.reserve(words);
        let headline = (headline.start as u64) << 32 | headline.end as u64;
        let counts = [tokens.len(), spelled.len(), sample.len(), runs].map(|count| count as u64);
        drafts.extend([prose, counts[0], headline, counts[1], counts[2], counts[3]]);
        drafts.extend(spelled);
        drafts.extend(sample.iter().map(|(key, _)| key));
        drafts.extend(sample.iter().map(|(_, place)| (*place as u64) << FLAG_BITS));
        let start = drafts.len();
        drafts.resize(start + runs.div_ceil(2), 0);
        let halves = grams(tokens, run).map(|gram| (gram.hash >> 32) as u32);
        let places: &mut [u32] = bytemuck::cast_slice_mut(&mut drafts[start..]);
        places
            .iter_mut()
            .zip(halves)
            .for_each(|(place, half)| *place = half);
    }

    /// Makes a proof of a draft: with what the collection says of its keys; `of_many` of those that it says something of.
    pub(super) fn finish(draft: &mut [u64], known: &Knowledge, of_many: &Filter) {
        let Some((&mut [_, _, _, spelled, sampled, _], rest)) =
            draft.split_first_chunk_mut::<HEAD>()
        else {
            return;
        };
        let (_, rest) = rest.split_at_mut(spelled as usize);
        let (sample, rest) = rest.split_at_mut(sampled as usize);
        for (&key, word) in sample.iter().zip(rest) {
            let flags = match of_many.may_have(key) {
                false => 0,
                true if known.is_common(key) => TEMPLATE + FREQUENT + SEVERAL,
                true if known.is_frequent(key) => FREQUENT + SEVERAL,
                true => u64::from(known.is_several(key)) * SEVERAL,
            };
            *word = *word >> FLAG_BITS << FLAG_BITS | flags;
        }
    }

    /// Reads what [`Proof::finish`] made; `None` for other words.
    pub(super) fn read(words: &'a [u64]) -> Option<Proof<'a>> {
        let (&[prose, tokens, headline, spelled, sampled, runs], rest) =
            words.split_first_chunk::<HEAD>()?;
        let (spelled, rest) = rest.split_at_checked(spelled as usize)?;
        let (sample, rest) = rest.split_at_checked(sampled as usize)?;
        let (words, rest) = rest.split_at_checked(sample.len())?;
        let runs = bytemuck::cast_slice(rest).get(..runs as usize)?;
        Some(Proof {
            tokens: tokens as usize,
            prose,
            headline,
            spelled,
            sample,
            words,
            runs,
        })
    }

    /// The runs of the text: of each a part of its hash, by the token where it begins.
    pub(super) fn runs(&self) -> &'a [u32] {
        self.runs
    }

    /// The tokens of the headline; none if the page has none.
    pub(super) fn headline(&self) -> Range<usize> {
        let end = (self.headline as u32 as usize).min(self.tokens);
        ((self.headline >> 32) as usize).min(end)..end
    }

    /// How these tokens are spelled, if the text is short.
    pub(super) fn spelled(&self, tokens: &Range<usize>) -> Option<&'a [u64]> {
        self.spelled.get(tokens.clone())
    }

    /// How many of the first `count` keys of the sample are templates'.
    pub(super) fn templates(&self, count: usize) -> usize {
        let words = self.words[..count].iter();
        words.filter(|&word| word & TEMPLATE != 0).count()
    }

    /// Whether this key of the sample is a template's.
    pub(super) fn is_template(&self, at: usize) -> bool {
        self.words[at] & TEMPLATE != 0
    }

    /// Whether a template's key of `width` tokens reaches into these tokens.
    pub(super) fn has_template(&self, tokens: &Range<usize>, width: usize) -> bool {
        let templates = self.words.iter().filter(|&word| word & TEMPLATE != 0);
        let mut places = templates.map(|word| (word >> FLAG_BITS) as usize);
        places.any(|place| place < tokens.end && tokens.start < place + width)
    }

    /// Whether it is on many texts.
    pub(super) fn is_frequent(&self, at: usize) -> bool {
        self.words[at] & FREQUENT != 0
    }

    /// The keys of the sample: the number of the first token of each, and whether it is on few texts, their own.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, bool)> {
        let words = self.words.iter();
        words.map(|word| ((word >> FLAG_BITS) as usize, word & SEVERAL == 0))
    }
}
