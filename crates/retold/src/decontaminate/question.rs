//! A benchmark question, and the score of a place on a page.

use crate::compare::Word;

/// The default minimum score of a contaminated page.
pub const DEFAULT_CONTAMINATION: f64 = 0.7;

/// Evidence, in n-grams that no other question has, from which a question counts by itself. Less is weak: “Which of the following is true?”
/// is on pages without any copied benchmark.
const ENOUGH: f64 = 1.5;

/// With this much evidence, missing n-grams have their normal weight; in shorter questions they count more.
const MANY: f64 = 10.0;

/// How many words of an n-gram may differ, except its first and last: the text that follows on a page is not part of the question.
const MISSES: usize = 1;

/// A question of one or several items.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) words: Vec<Word>,
    /// The number of tokens and the weight of each n-gram: the logarithm of its rarity among all questions.
    pub(super) ngrams: Vec<(usize, f64)>,
    /// The total weight of its n-grams, in n-grams that no other question has. If the question is shorter than an n-gram, the weight of its
    /// tokens.
    pub(super) evidence: f64,
    /// The items that ask it.
    pub(super) items: Vec<u32>,
}

impl Question {
    /// The share, by weight, of the n-grams for which `has` is true.
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

    /// How strongly these matched words show the question: 1 if a question that is long and rare enough matches completely.
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

    /// By how many words the place of a question may shift.
    pub(super) fn slack(&self) -> usize {
        4 + self.words.len() / 4
    }
}

/// The weight of an n-gram that `having` of all questions have.
pub(super) fn rarity(questions: usize, having: u32) -> f64 {
    ((questions + 1) as f64 / f64::from(having)).ln()
}

/// The score: what is missing from `question` is halved if an answer is nearby, and again if a passage is.
pub(super) fn score(question: f64, answer: bool, passage: bool) -> f64 {
    let left = |is_near: bool| if is_near { 0.5 } else { 1.0 };
    1.0 - (1.0 - question) * left(answer) * left(passage)
}
