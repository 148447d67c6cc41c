//! The properties of a word that alignment uses.

use bytemuck::{Pod, Zeroable};

/// A word in eight bytes: the high half is part of its hash, for equality; the low half describes its letters roughly, for near equality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Word(u64);

/// Bits for the set of pairs of neighbouring bytes in a word.
const PAIRS: u32 = 25;
/// The next bits hold the word's length in bytes, at most this.
const MOST_BYTES: u32 = 15;
const LENGTH: u32 = PAIRS;
/// Flag for a word that has a digit, or counts.
const NUMBER: u32 = 1 << 31;

/// Minimum length of words that can be nearly equal.
const LEAST_BYTES: u32 = 4;

/// Words from this length on have pairs of letters in common by chance.
const LONG_BYTES: u32 = 12;

/// How many pairs may be in only one of two words that differ by one letter. In a short word only a letter at the end may differ, which
/// changes one pair; in a longer one any letter; in a long one slightly more is allowed. One in fifty pairs of unlike six-letter words
/// passes.
fn most_pairs(bytes: u32) -> u32 {
    2 + 2 * u32::from(bytes >= 6) + 2 * u32::from(bytes >= 12)
}

impl Word {
    /// A word with this hash. `letters` are its bytes, empty for a single character. For `is_number` see [`Word::is_number`].
    pub(crate) fn new(hash: u64, letters: &[u8], is_number: bool) -> Word {
        let (mut pairs, mut before) = (0, u32::from(letters.first().copied().unwrap_or_default()));
        for &byte in letters.get(1..).unwrap_or_default() {
            let byte = u32::from(byte);
            // The high bits of a product are evenly distributed.
            let spread = u64::from((before * 31 + byte).wrapping_mul(0x9E37_79B9));
            pairs |= 1u32 << ((spread * u64::from(PAIRS)) >> 32);
            before = byte;
        }
        let length = letters.len().min(MOST_BYTES as usize) as u32;
        let number = if is_number { NUMBER } else { 0 };
        Word(hash >> 32 << 32 | u64::from(number | length << LENGTH | pairs))
    }

    /// The whole word as a number.
    pub(crate) fn number(self) -> u64 {
        self.0
    }

    /// The hash for equality.
    pub(crate) fn hash(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Whether the words are equal or nearly equal.
    pub(crate) fn matches(self, other: Word) -> bool {
        self.hash() == other.hash() || self.letters().is_near(other.letters())
    }

    /// Whether one word may be the other with a few wrong letters: they have nearly the same length, and a third of their pairs of letters in
    /// common. One in twenty unlike words passes, so this says something only about many words. Never true for short words, numbers, and
    /// long words, which mostly have pairs in common.
    pub(crate) fn is_alike(self, other: Word) -> bool {
        let (a, b) = (self.letters(), other.letters());
        let common = (a.pairs() & b.pairs()).count_ones();
        self.is_content()
            && other.is_content()
            && a.bytes().max(b.bytes()) < LONG_BYTES
            && a.bytes().abs_diff(b.bytes()) <= 1
            && 6 * common >= a.pairs().count_ones() + b.pairs().count_ones()
    }

    /// Whether it is a word of at least four bytes without a digit.
    pub(crate) fn is_content(self) -> bool {
        self.letters().may_be_near()
    }

    /// Whether it is or contains a number.
    pub(crate) fn is_number(self) -> bool {
        self.letters().is_number()
    }

    /// Its length in bytes, up to 15; 0 for a single character.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.letters().bytes())
    }

    /// The letters for near equality.
    pub(super) fn letters(self) -> Letters {
        Letters(self.0 as u32)
    }
}

/// A rough description of a word's letters: the low half of [`Word`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Letters(u32);

impl Letters {
    fn bytes(self) -> u32 {
        self.0 >> LENGTH & MOST_BYTES
    }

    fn pairs(self) -> u32 {
        self.0 & ((1 << PAIRS) - 1)
    }

    fn is_number(self) -> bool {
        self.0 & NUMBER != 0
    }

    /// Whether any other word can be nearly equal.
    #[inline]
    pub(super) fn may_be_near(self) -> bool {
        (self.bytes() >= LEAST_BYTES) & !self.is_number()
    }

    /// Whether the words may differ by one letter, as by a misspelling or misreading. Never true for numbers.
    #[inline]
    pub(super) fn is_near(self, other: Letters) -> bool {
        // No branches: this runs over whole rows of words.
        let (a, b) = (self.bytes(), other.bytes());
        self.may_be_near()
            & other.may_be_near()
            & (a.abs_diff(b) <= 1)
            & ((self.pairs() ^ other.pairs()).count_ones() <= most_pairs(a.max(b)))
    }

    /// Whether the word may be two words written as one.
    #[inline]
    pub(super) fn may_be_joined(self) -> bool {
        self.may_be_near() & (self.bytes() < MOST_BYTES)
    }

    /// Whether this word may be the two others written as one, as at a hyphenated line end.
    #[inline]
    pub(super) fn is_joined(self, first: Letters, second: Letters) -> bool {
        let parts = first.pairs() | second.pairs();
        // The pair where the words meet.
        let more = self.pairs() & !parts;
        self.may_be_joined()
            & (self.bytes() == first.bytes() + second.bytes())
            & (parts & !self.pairs() == 0)
            & (more & more.wrapping_sub(1) == 0)
    }
}

/// The hash of a run of words. It is wide enough that runs in a text do not collide by chance.
pub(super) fn hash(run: &[Word]) -> u64 {
    run.iter().fold(0, |hash: u64, word| {
        (hash.rotate_left(21) ^ u64::from(word.hash())).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    })
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn word(letters: &str) -> Letters {
        let is_number = letters.contains(|c: char| c.is_numeric());
        Word::new(xxh3_64(letters.as_bytes()), letters.as_bytes(), is_number).letters()
    }

    #[test]
    fn misread_words_are_near() {
        for (one, other) in [
            ("minister", "minifter"),
            ("government", "goverment"),
            ("colour", "color"),
            ("street", "streets"),
        ] {
            assert!(word(one).is_near(word(other)), "{one} {other}");
            assert!(word(other).is_near(word(one)), "{one} {other}");
        }
        for (one, other) in [
            ("minister", "president"),
            ("monday", "friday"),
            ("of", "or"),
            ("1999", "1998"),
            ("example", "sample2"),
        ] {
            assert!(!word(one).is_near(word(other)), "{one} {other}");
        }
    }

    #[test]
    fn hyphens_part_words() {
        assert!(word("example").is_joined(word("exam"), word("ple")));
        assert!(!word("example").is_joined(word("sam"), word("plex")));
        assert!(!word("example").is_joined(word("exam"), word("pl")));
        assert!(!word("1999").is_joined(word("19"), word("99")));
    }

    #[test]
    fn a_word_keeps_what_it_is() {
        let word = Word::new(0x0123_4567_89ab_cdef, b"12th", true);
        assert_eq!((word.hash(), word.bytes()), (0x0123_4567, 4));
        assert!(word.is_number());
    }
}
