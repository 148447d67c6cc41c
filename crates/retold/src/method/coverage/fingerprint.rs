//! The fingerprint of a text, with which it is verified: all its words in order, and its sketch with the positions of
//! the keys and with what the model has learnt about each key. A partial fingerprint does not have the latter.

use std::ops::Range;

use super::grams;
use crate::align::Word;
use crate::knowledge::{Filter, Knowledge};

/// Flag of a key of the sample: it is boilerplate, that is, a template's ([`Knowledge::common`]).
const BOILERPLATE: u64 = 1;
/// Flag: it is on many texts ([`Knowledge::frequent`]), template or not.
const FREQUENT: u64 = 2;
/// Flag: it is on several texts ([`Knowledge::several`]).
const SEVERAL: u64 = 4;
/// Keys that are this number of tokens apart say nothing about the text in between.
const MOST_BETWEEN: usize = 60;
/// The position of the key is in the bits above the flags.
const FLAG_BITS: u32 = 3;

/// Numbers before the sample: prose, headline, keys of the sample, words.
const HEAD: usize = 4;

/// A full fingerprint, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fingerprint<'a> {
    /// How many tokens the text has.
    pub(super) tokens: usize,
    /// Thousandths of the text in full sentences.
    pub(super) prose: u64,
    /// The first token of its headline, and one past the last, in the high and the low half.
    headline: u64,
    /// The keys of the sketch, ascending.
    pub(super) sample: &'a [u64],
    /// For each of them its position and flags.
    places: &'a [u64],
    /// The words, in order.
    pub(super) words: &'a [Word],
}

impl<'a> Fingerprint<'a> {
    /// Adds to `partials` the partial fingerprint of a text with these `words`. `headline` are those of the headline, `sample` is the
    /// sketch with the positions of its keys.
    pub(super) fn write_partial(
        (prose, headline): (u64, Range<usize>),
        words: impl ExactSizeIterator<Item = Word>,
        sample: &[(u64, usize)],
        partials: &mut Vec<u64>,
    ) {
        partials.reserve(HEAD + 2 * sample.len() + words.len());
        let headline = (headline.start as u64) << 32 | headline.end as u64;
        let counts = [sample.len(), words.len()].map(|count| count as u64);
        partials.extend([prose, headline, counts[0], counts[1]]);
        partials.extend(sample.iter().map(|(key, _)| key));
        partials.extend(sample.iter().map(|(_, place)| (*place as u64) << FLAG_BITS));
        partials.extend(words.map(Word::number));
    }

    /// Makes a partial fingerprint the full one by setting the flags of its keys; `known_keys` are those that have any. A full one
    /// does not change.
    pub(super) fn complete(partial: &mut [u64], known: &Knowledge, known_keys: &Filter) {
        let Some((&mut [_, _, sampled, _], rest)) = partial.split_first_chunk_mut::<HEAD>() else {
            return;
        };
        let (sample, rest) = rest.split_at_mut(sampled as usize);
        for (&key, place) in sample.iter().zip(rest) {
            let flags = match known_keys.may_have(key) {
                false => 0,
                true if known.is_common(key) => BOILERPLATE + FREQUENT + SEVERAL,
                true if known.is_frequent(key) => FREQUENT + SEVERAL,
                true => u64::from(known.is_several(key)) * SEVERAL,
            };
            *place = *place >> FLAG_BITS << FLAG_BITS | flags;
        }
    }

    /// Reads a full fingerprint; `None` if these numbers are not one.
    pub(super) fn read(numbers: &'a [u64]) -> Option<Fingerprint<'a>> {
        let (&[prose, headline, sampled, words], rest) = numbers.split_first_chunk::<HEAD>()?;
        let (sample, rest) = rest.split_at_checked(sampled as usize)?;
        let (places, rest) = rest.split_at_checked(sample.len())?;
        let words: &[Word] = bytemuck::cast_slice(rest.get(..words as usize)?);
        Some(Fingerprint {
            tokens: words.len(),
            prose,
            headline,
            sample,
            places,
            words,
        })
    }

    /// How many runs of `width` words the text has; of fewer words one.
    pub(super) fn run_count(&self, width: usize) -> usize {
        match self.tokens {
            0 => 0,
            tokens => tokens - width.min(tokens) + 1,
        }
    }

    /// The runs of `width` words: of each a part of its hash, by the token where it begins.
    pub(super) fn runs(&self, width: usize) -> Vec<u32> {
        grams::runs(self.words, width).collect()
    }

    /// The tokens of the headline; none if the page has none.
    pub(super) fn headline(&self) -> Range<usize> {
        let end = (self.headline as u32 as usize).min(self.tokens);
        ((self.headline >> 32) as usize).min(end)..end
    }

    /// How many of the first `count` keys of the sample are boilerplate.
    pub(super) fn boilerplate_among(&self, count: usize) -> usize {
        let places = self.places[..count].iter();
        places.filter(|&place| place & BOILERPLATE != 0).count()
    }

    /// How many of the first `count` keys of the sample are no boilerplate and begin in a full sentence.
    pub(super) fn own_sentences(&self, count: usize) -> usize {
        let keys = self.flagged(BOILERPLATE).take(count);
        keys.filter(|&(place, is_boilerplate)| !is_boilerplate && self.words[place].is_prose())
            .count()
    }

    /// Whether this key of the sample is boilerplate.
    pub(super) fn is_boilerplate(&self, at: usize) -> bool {
        self.places[at] & BOILERPLATE != 0
    }

    /// Whether a boilerplate key of `width` tokens reaches into these tokens.
    pub(super) fn has_boilerplate(&self, tokens: &Range<usize>, width: usize) -> bool {
        self.flagged(BOILERPLATE).any(|(place, is_boilerplate)| {
            is_boilerplate && place < tokens.end && tokens.start < place + width
        })
    }

    /// Whether this key of the sample is on many texts.
    pub(super) fn is_frequent(&self, at: usize) -> bool {
        self.places[at] & FREQUENT != 0
    }

    /// For each token whether it is in a boilerplate key of `width` tokens, or between two of them with no other key between.
    pub(super) fn in_templates(&self, width: usize) -> Vec<bool> {
        let places = self.keys_in_templates();
        let (mut marks, mut before) = (vec![false; self.tokens], None);
        for (place, is_boilerplate) in places {
            if !is_boilerplate {
                before = None;
                continue;
            }
            let end = (place + width).min(self.tokens);
            let near = before.filter(|&before| place < before + MOST_BETWEEN);
            marks[near.unwrap_or(place).min(end)..end].fill(true);
            before = Some(end);
        }
        marks
    }

    /// For each word whether it is in one of these passages and belongs to a template there. If a passage has keys of `width` words, the
    /// nearest key of a word decides.
    pub(super) fn frames(&self, passages: &[Range<usize>], width: usize) -> Vec<bool> {
        let mut marks = vec![false; self.tokens];
        let keys = self.keys_in_templates();
        for passage in passages {
            let before = |place: usize| keys.partition_point(|(at, _)| *at < place);
            let end = before((passage.end + 1).saturating_sub(width));
            let keys = &keys[before(passage.start).min(end)..end];
            let mut start = passage.start;
            for (at, &(place, in_template)) in keys.iter().enumerate() {
                let next = keys.get(at + 1).map(|(next, _)| (place + next + width) / 2);
                let end = next.unwrap_or(passage.end);
                marks[start..end].fill(in_template);
                start = end;
            }
        }
        marks
    }

    /// For each key of the sample its first token, ascending, and whether it is boilerplate.
    pub(super) fn keys_in_templates(&self) -> Vec<(usize, bool)> {
        let mut places: Vec<(usize, bool)> = self.flagged(BOILERPLATE).collect();
        places.sort_unstable();
        places
    }

    /// For each key of the sample its first token, and whether it is distinctive: on few texts.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, bool)> {
        let places = self.flagged(SEVERAL);
        places.map(|(place, is_on_several)| (place, !is_on_several))
    }

    /// For each key of the sample its first token, and whether it has this flag.
    fn flagged(&self, flag: u64) -> impl Iterator<Item = (usize, bool)> {
        let places = self.places.iter();
        places.map(move |place| ((place >> FLAG_BITS) as usize, place & flag != 0))
    }
}
