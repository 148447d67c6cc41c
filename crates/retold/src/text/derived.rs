//! Data computed from a text on first use.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use super::language::Script;
use super::options::TextOptions;
use super::synonyms::Synonyms;
use super::tokenize::Tokenizer;

/// A word as a byte range of [`Text::folded`](super::Text::folded).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The script of its first letter; [`Script::None`] for a number.
    pub script: Script,
    /// True if it is a stop-word of its language.
    pub stop: bool,
    /// True if punctuation or the edge of a block separates it from the previous word.
    pub after_break: bool,
}

impl Word {
    /// True if it has no letter.
    pub fn is_number(self) -> bool {
        self.script == Script::None
    }

    /// True if it is neither a stop-word nor a number.
    pub fn is_content(self) -> bool {
        !self.stop && !self.is_number()
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Derived {
    pub(super) tokenizer: Arc<Tokenizer>,
    pub(super) synonyms: Arc<Synonyms>,
    pub(super) stop_words: Arc<FxHashSet<String>>,
    pub(super) language: OnceLock<Option<&'static str>>,
    pub(super) words: OnceLock<Vec<Word>>,
    pub(super) seen_chars: OnceLock<u64>,
}

/// Texts are equal if their sources are equal; derived data does not matter.
impl PartialEq for Derived {
    fn eq(&self, _: &Derived) -> bool {
        true
    }
}

impl Derived {
    /// Bytes of memory used by derived data.
    pub(super) fn memory(&self) -> usize {
        self.words.get().map_or(0, |words| size_of_val(&words[..]))
    }

    pub(super) fn new(options: &TextOptions) -> Derived {
        Derived {
            tokenizer: Arc::clone(&options.tokenizer),
            synonyms: Arc::clone(&options.synonyms),
            stop_words: Arc::clone(&options.stop_words),
            ..Derived::default()
        }
    }
}
