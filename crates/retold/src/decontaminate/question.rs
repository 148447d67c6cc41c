//! A question of a benchmark, and how much of it a place on a page has.

use crate::compare::Word;

/// The least score of a page that counts as contaminated.
pub const DEFAULT_CONTAMINATION: f64 = 0.7;

/// A question counts by itself if it has the weight of this number of n-grams that no other question has. With less it is weak evidence: “Which
/// of the following is true?” is on pages to which no benchmark was copied.
const ENOUGH: f64 = 1.5;

/// In a question with this number of such n-grams, missing ones have their normal weight; in a shorter one they count more.
const MANY: f64 = 10.0;

/// This number of words of an n-gram may be different, but not its first and last: the text that follows on a page is not part of the question.
const MISSES: usize = 1;

/// A question, of one item or of several that ask the same.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) words: Vec<Word>,
    /// Of each n-gram how many tokens it has, and its weight: the logarithm of how rare it is among all questions.
    pub(super) ngrams: Vec<(usize, f64)>,
    /// The total weight of its n-grams, as a number of n-grams that no other question has. The only n-gram of a question that is shorter than an
    /// n-gram has the weight of its tokens.
    pub(super) evidence: f64,
    /// The items that ask it.
    pub(super) items: Vec<u32>,
}

impl Question {
    /// The share of the weight that the n-grams at these places have.
    pub(super) fn share(&self, has: impl Fn(usize) -> bool) -> f64 {
        let weights = self.ngrams.iter().enumerate();
        let had: f64 = weights
            .filter(|(place, _)| has(*place))
            .map(|(_, (_, weight))| weight)
            .sum();
        let all: f64 = self.ngrams.iter().map(|(_, weight)| weight).sum();
        match all > 0.0 {
            true => (had / all).min(1.0),
            false => 0.0,
        }
    }

    /// How much these matched words say that the question is there: all of a question that is long and rare enough says 1.
    pub(super) fn said_by(&self, matched: &[bool]) -> f64 {
        let missing = 1.0 - self.matched_share(matched);
        let counted = missing * (MANY / self.evidence).max(1.0);
        (self.evidence / ENOUGH).min(1.0) * (1.0 - counted).max(0.0)
    }

    /// The share, by weight, of the n-grams whose first and last words match, and all others except [`MISSES`].
    fn matched_share(&self, matched: &[bool]) -> f64 {
        self.share(|place| {
            let words = &matched[place..place + self.ngrams[place].0];
            let misses = words.iter().filter(|is_matched| !**is_matched).count();
            misses == 0 || misses <= MISSES && words[0] && words[words.len() - 1]
        })
    }

    /// How far the place of a question may shift while it is read, in words.
    pub(super) fn slack(&self) -> usize {
        4 + self.words.len() / 4
    }
}

/// The weight of an n-gram that this number of all questions have.
pub(super) fn rarity(questions: usize, having: u32) -> f64 {
    ((questions + 1) as f64 / f64::from(having)).ln()
}

/// What a question says, raised by half of what is missing where an answer is nearby, and again where a passage is.
pub(super) fn score(question: f64, answer: bool, passage: bool) -> f64 {
    let left = |is_near: bool| if is_near { 0.5 } else { 1.0 };
    1.0 - (1.0 - question) * left(answer) * left(passage)
}
