//! The options of the text stage.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::extract::Extract;
use super::fold::{FoldOptions, Folder};
use super::synonyms::Synonyms;
use super::tokenize::Tokenizer;

/// The options of the text stage. Every switch but `serbian` is on by default.
#[derive(Clone, Debug, PartialEq)]
pub struct TextOptions {
    /// Unicode NFKC: full-width letters become narrow, invisible format characters are removed.
    pub nfkc: bool,
    /// Lower case.
    pub case: bool,
    /// Traditional Chinese and Japanese characters become simplified ones, character by character.
    pub simplify: bool,
    /// Serbian Cyrillic becomes Latin, letter by letter.
    pub serbian: bool,
    /// Which part of a page methods see. `None` leaves the choice to the method ([`crate::method::MethodInfo::extract`]); without a method
    /// it means the whole page.
    pub extract: Option<Extract>,
    /// Whether to find [`Text::sentences`](crate::method::Text::sentences); methods that do not read them are faster without.
    pub sentences: bool,
    /// Segments text into words, for methods that use words.
    pub tokenizer: Arc<Tokenizer>,
    /// Synonyms, for methods that use concepts.
    pub synonyms: Arc<Synonyms>,
    /// Stop-words in addition to those of the page's language, folded.
    pub stop_words: Arc<FxHashSet<String>>,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions {
            nfkc: true,
            case: true,
            simplify: true,
            serbian: false,
            extract: None,
            sentences: true,
            tokenizer: Arc::default(),
            synonyms: Arc::default(),
            stop_words: Arc::default(),
        }
    }
}

impl TextOptions {
    /// The folder for these options.
    pub fn folder(&self) -> Folder {
        Folder::new(FoldOptions {
            nfkc: self.nfkc,
            case: self.case,
            simplify: self.simplify,
            serbian: self.serbian,
        })
    }
}
