//! N-grams of a text: five words, eight characters of scripts without spaces, or a mixture.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::method::grams::{Placed, single, tokens};
use crate::text::Text;

/// Minimum total weight of the tokens of an n-gram.
pub(super) const WIDTH: usize = 40;
const WORD: usize = 8;
/// The weight of a character of a script without spaces.
const CHARACTER: usize = 5;

pub(super) struct Tokens<'t> {
    pub(super) text: &'t Text,
    pub(super) placed: Vec<Placed>,
}

/// An n-gram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ngram {
    pub(super) hash: u64,
    pub(super) tokens: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn of(text: &'t Text) -> Tokens<'t> {
        Tokens {
            text,
            placed: tokens(text),
        }
    }

    pub(super) fn spelled(&self, at: usize) -> &'t str {
        let token = self.placed[at];
        &self.text.folded[token.start as usize..token.end as usize]
    }

    fn weight(&self, at: usize) -> usize {
        let token = self.placed[at];
        // Most tokens are ASCII words.
        let begins = self.text.folded.as_bytes()[token.start as usize];
        match begins.is_ascii() || single(self.spelled(at)).is_none() {
            true => WORD,
            false => CHARACTER,
        }
    }

    /// The total weight of all tokens.
    pub(super) fn weigh_all(&self) -> usize {
        (0..self.placed.len()).map(|at| self.weight(at)).sum()
    }

    /// Passes all runs of tokens that begin at `at` to `found`, up to the n-gram, which is the last. If too few tokens follow, only shorter
    /// runs are passed.
    pub(super) fn runs_at(&self, at: usize, mut found: impl FnMut(Ngram, bool)) {
        let (mut hasher, mut weight) = (FxHasher::default(), 0);
        for (count, token) in self.placed[at..].iter().enumerate() {
            hasher.write_u64(token.hash);
            weight += self.weight(at + count);
            let run = Ngram {
                hash: hasher.finish(),
                tokens: count + 1,
            };
            found(run, weight >= WIDTH);
            if weight >= WIDTH {
                return;
            }
        }
    }

    /// All n-grams in order; a shorter text gives one run of all its tokens, an empty one none.
    pub(super) fn ngrams(&self) -> Vec<Ngram> {
        let mut all = Vec::new();
        for at in 0..self.placed.len() {
            let mut whole = None;
            self.runs_at(at, |run, is_ngram| {
                let is_all = at == 0 && run.tokens == self.placed.len();
                whole = (is_ngram || is_all).then_some(run);
            });
            match whole {
                Some(ngram) => all.push(ngram),
                None => break,
            }
        }
        all
    }
}
