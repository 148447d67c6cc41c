//! The length of a passage, in words and in characters of scripts without spaces at once.

use serde::{Deserialize, Serialize};

use crate::compare::Word;
use crate::error::{Error, Result};

/// What counts as a passage, and how passages are found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassageOptions {
    /// Minimum number of matching words in a passage; if it also has characters, the shares of both minima are added up.
    pub min_words: u32,
    /// Minimum number of matching characters in a passage, in scripts without spaces.
    pub min_chars: u32,
    /// Of pages that have a run, all pairs are compared if they are no more than this; of more, each page with one other.
    pub max_df: u32,
    /// A passage continues over at most this many differing words, if its score increases.
    pub gap: u32,
    /// Two passages on a page are merged if their overlap is at least this share of the shorter
    pub source_overlap: f64,
    /// and this share of the longer.
    pub target_overlap: f64,
    /// Whether the texts of passages are wanted.
    pub text: bool,
}

impl Default for PassageOptions {
    fn default() -> PassageOptions {
        PassageOptions {
            min_words: 25,
            min_chars: 40,
            max_df: 20,
            gap: 100,
            source_overlap: 0.9,
            target_overlap: 0.5,
            text: false,
        }
    }
}

/// The maximum of both minima.
const MOST: u32 = 10_000;

impl PassageOptions {
    /// Checks the values.
    ///
    /// Errors: an invalid value.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("min-words", self.min_words), ("min-chars", self.min_chars)] {
            if !(1..=MOST).contains(&value) {
                return Err(Error::Usage(format!(
                    "--{name} {value}: give a number from 1 to {MOST}"
                )));
            }
        }
        if self.max_df < 2 {
            return Err(Error::Usage(format!(
                "--max-df {}: a passage is on at least 2 pages",
                self.max_df
            )));
        }
        for (name, value) in [
            ("source-overlap", self.source_overlap),
            ("target-overlap", self.target_overlap),
        ] {
            if !(value > 0.0 && value <= 1.0) {
                return Err(Error::Usage(format!(
                    "--{name} {value}: give a share above 0, up to 1"
                )));
            }
        }
        Ok(())
    }
}

/// Lengths of runs in units that make the minimum numbers of words and of characters equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    word: u64,
    character: u64,
    /// The minimum length of a run.
    pub(super) least: u64,
}

impl Measure {
    pub(super) fn new(words: u32, characters: u32) -> Measure {
        Measure {
            word: u64::from(characters),
            character: u64::from(words),
            least: u64::from(words) * u64::from(characters),
        }
    }

    pub(super) fn of(&self, word: Word) -> u64 {
        // A single character has no letters.
        match word.bytes() {
            0 => self.character,
            _ => self.word,
        }
    }

    /// The length of the longest token.
    pub(super) fn longest(&self) -> u64 {
        self.word.max(self.character)
    }

    pub(super) fn sum(&self, words: &[Word]) -> u64 {
        words.iter().map(|&word| self.of(word)).sum()
    }
}
