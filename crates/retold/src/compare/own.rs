//! What a text says that another does not: its own passages.

use std::cell::OnceCell;
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::word::Word;

/// Fifths of a word that a token counts: a word five, a single character three, as 20 characters say what 12 words do.
pub(crate) const WORD: usize = 5;
const CHARACTER: usize = 3;

/// A run of so many fifths that both texts have ends a passage: four words or six characters and more.
const STRONG: usize = 4 * WORD;

/// A phrase that is looked for anywhere in the other text: three words or five characters.
const PHRASE: usize = 3 * WORD;
/// So many words a phrase has at the most, all of them single characters.
const MOST_WORDS: usize = PHRASE.div_ceil(CHARACTER);

/// From which size on passages are own, in fifths of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnLimit {
    /// Of one passage.
    pub(crate) least: usize,
    /// Of all together.
    pub(crate) together: usize,
}

impl OwnLimit {
    /// At least so many words, and so large a share of a text of this size.
    pub(crate) fn of(words: usize, share: f64, size: usize) -> OwnLimit {
        let least = (words * WORD)
            .max((share * size as f64).ceil() as usize)
            .max(1);
        OwnLimit {
            least,
            together: 3 * least,
        }
    }
}

/// A passage that the other text has nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnPassage {
    /// From its first own word to its last.
    pub(crate) words: Range<usize>,
    /// How much of it is own, in fifths of a word.
    pub(crate) own: usize,
}

/// What a token counts, in fifths of a word.
pub(crate) fn weight(word: Word) -> usize {
    match word.bytes() {
        0 => CHARACTER,
        _ => WORD,
    }
}

/// What all these count.
pub(crate) fn size(words: &[Word]) -> usize {
    words.iter().map(|word| weight(*word)).sum()
}

/// The phrases of a text, to look others up among them.
pub(crate) struct Phrases<'w> {
    words: &'w [Word],
    /// Bits of the phrases: most of another text's phrases are nowhere, and seen to be so.
    bits: Vec<u64>,
    /// The phrases themselves, once one may be there.
    all: OnceCell<FxHashSet<[u32; MOST_WORDS]>>,
}

impl<'w> Phrases<'w> {
    pub(crate) fn of(words: &'w [Word]) -> Phrases<'w> {
        let mut phrases = Phrases {
            words,
            bits: vec![0; words.len().next_power_of_two()],
            all: OnceCell::new(),
        };
        for phrase in phrases_of(words) {
            let (at, bit) = phrases.place(phrase);
            phrases.bits[at] |= bit;
        }
        phrases
    }

    fn place(&self, phrase: &[Word]) -> (usize, u64) {
        let hash = phrase.iter().fold(0u64, |hash, word| {
            (hash.rotate_left(21) ^ u64::from(word.hash())).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        let hash = (hash >> 24) as usize;
        ((hash / 64) & (self.bits.len() - 1), 1 << (hash % 64))
    }

    fn has(&self, phrase: &[Word]) -> bool {
        let (at, bit) = self.place(phrase);
        self.bits[at] & bit != 0
            && self
                .all
                .get_or_init(|| phrases_of(self.words).map(hashes).collect())
                .contains(&hashes(phrase))
    }

    /// For each word that does not match whether it is in a phrase which the other text has.
    pub(crate) fn moved(&self, words: &[Word], matched: &[bool]) -> Vec<bool> {
        let mut marks = vec![false; words.len()];
        for start in (0..words.len()).filter(|&start| !matched[start]) {
            if let Some(phrase) = phrase(words, start).filter(|phrase| self.has(phrase)) {
                marks[start..start + phrase.len()].fill(true);
            }
        }
        marks
    }
}

/// A phrase by what its words are equal by.
fn hashes(phrase: &[Word]) -> [u32; MOST_WORDS] {
    let mut hashes = [0; MOST_WORDS];
    hashes
        .iter_mut()
        .zip(phrase)
        .for_each(|(hash, word)| *hash = word.hash());
    hashes
}

fn phrases_of(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    (0..words.len()).filter_map(|start| phrase(words, start))
}

/// The phrase that begins with this word.
fn phrase(words: &[Word], start: usize) -> Option<&[Word]> {
    let mut size = 0;
    for (at, &word) in words[start..].iter().enumerate() {
        size += weight(word);
        if size >= PHRASE {
            return Some(&words[start..=start + at]);
        }
    }
    None
}

/// The own passages of a text. Of each word: whether the other text has it in its place (`matched`), whether it has it elsewhere
/// or it belongs to a frame (`neutral`). A passage is a stretch between strong runs of matching words in which own words outweigh
/// the matching ones: it begins with the first of them, and ends where it has the most more.
pub(super) fn own_passages(words: &[Word], matched: &[bool], neutral: &[bool]) -> Vec<OwnPassage> {
    let mut found = Vec::new();
    let mut open = Open::default();
    let mut run = 0;
    for (at, &word) in words.iter().enumerate() {
        let weight = weight(word);
        if matched[at] {
            run += weight;
            open.score = open.score.saturating_sub(weight);
            if open.score == 0 || run >= STRONG {
                found.extend(open.close());
            }
            continue;
        }
        run = 0;
        if !neutral[at] {
            open.add(at, weight);
        }
    }
    found.extend(open.close());
    found
}

/// A passage that may go on.
#[derive(Default)]
struct Open {
    start: usize,
    own: usize,
    score: usize,
    /// Its best end so far, with what it has up to there.
    best: (usize, usize, usize),
}

impl Open {
    fn add(&mut self, at: usize, weight: usize) {
        if self.own == 0 {
            self.start = at;
        }
        self.own += weight;
        self.score += weight;
        if self.score > self.best.0 {
            self.best = (self.score, at + 1, self.own);
        }
    }

    fn close(&mut self) -> Option<OwnPassage> {
        let passage = (self.own > 0).then_some(OwnPassage {
            words: self.start..self.best.1,
            own: self.best.2,
        });
        *self = Open::default();
        passage
    }
}

impl OwnLimit {
    /// Whether one of these passages reaches the limit, or all together do; those of less than a quarter of it are no passages yet.
    pub(crate) fn is_reached(self, passages: &[OwnPassage]) -> bool {
        let sizes = passages.iter().map(|passage| passage.own);
        let together: usize = sizes.clone().filter(|own| 4 * own >= self.least).sum();
        sizes.max().unwrap_or_default() >= self.least || together >= self.together
    }
}
